"""Metrics that are means over items: error, costs, Brier score, log-loss."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from errorfloor._typing import Floats
from errorfloor.metrics.items import OfItems
from errorfloor.metrics.merged import moved_mean
from errorfloor.metrics.model import BoundedLoss, CostOfDecisions, UnboundedLoss, WrongItems
from errorfloor.metrics.record import Metric
from errorfloor.metrics.two_by_two import OF_ERROR, cost_of


def least_error(probabilities: Floats) -> Floats:
    """Return the chance that the likeliest class is wrong, of each item."""
    if probabilities.ndim == 1:
        return np.minimum(probabilities, 1 - probabilities)
    return np.asarray(1 - probabilities.max(axis=1))


def span_of_error(classes: int) -> tuple[float, float]:
    """Return the least and the largest error of the best rule."""
    return 0.0, 1 - 1 / classes


def of_classes(probabilities: Floats) -> Floats:
    """Return a column for each class, also where there are two."""
    if probabilities.ndim == 2:
        return probabilities
    return np.column_stack((1 - probabilities, probabilities))


def _least_cost(costs: Floats, probabilities: Floats) -> Floats:
    if probabilities.ndim == 1:
        false_positive, false_negative = costs[0, 1], costs[1, 0]
        missed = false_negative * probabilities
        return np.asarray(np.minimum(false_positive * (1 - probabilities), missed))
    return np.asarray((probabilities @ costs).min(axis=1))


def hardest(costs: Floats) -> Floats:
    """Return the probabilities of the item whose best decision costs most: a game's solution."""
    from scipy.optimize import linprog

    # Probabilities p and a value v with v <= (p @ costs)[j] for every decision j, v the largest.
    classes = len(costs)
    goal = np.append(np.zeros(classes), -1.0)
    below = np.column_stack((-costs.T, np.ones(classes)))
    total = np.append(np.ones(classes), 0.0)[None]
    found = linprog(goal, A_ub=below, b_ub=np.zeros(classes), A_eq=total, b_eq=[1.0])
    return np.asarray(found.x[:classes] / found.x[:classes].sum())


def _span_of_cost(costs: Floats, classes: int) -> tuple[float, float]:
    if classes == 2:
        one, other = costs[0, 1], costs[1, 0]
        return 0.0, float(one * other / (one + other))
    return 0.0, float((hardest(costs) @ costs).min())


def _with_costs(given: Mapping[str, Any], classes: int) -> Metric:
    costs = np.asarray(given["costs"], dtype=np.float64)
    per_item = partial(_least_cost, costs)
    return replace(
        COST,
        given=given,
        per_item=per_item,
        moved=moved_mean(per_item, costs[0, 1] / (costs[0, 1] + costs[1, 0])),
        span=partial(_span_of_cost, costs),
        how=cost_of(float(costs[0, 1]), float(costs[1, 0])) if classes == 2 else COST.how,
    )


def _brier(probabilities: Floats) -> Floats:
    if probabilities.ndim == 1:
        return probabilities * (1 - probabilities)
    return np.asarray(1 - (probabilities**2).sum(axis=1))


def _span_of_brier(classes: int) -> tuple[float, float]:
    return 0.0, 0.25 if classes == 2 else 1 - 1 / classes


def _squares(p: Floats) -> Floats:
    classes = p.shape[1]
    total = ((p[:, None, :] - np.eye(classes)) ** 2).sum(axis=2)
    return np.asarray(total / (2 if classes == 2 else 1))


def _largest_square(classes: int) -> float:
    return 1.0 if classes == 2 else 2.0


def _logs(p: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log(p))


def _squared(p: Floats) -> tuple[Floats, Floats]:
    return p**2, (1 - p) ** 2


def _entropy(probabilities: Floats) -> Floats:
    from scipy.special import entr

    return np.asarray(entr(of_classes(probabilities)).sum(axis=1))


def _surprise(p: Floats) -> tuple[Floats, Floats]:
    """Return log-losses; 0 where a label is impossible, as a fit has no such items of its own."""
    with np.errstate(divide="ignore"):
        zeros, ones = -np.log1p(-p), -np.log(p)
    return np.where(p < 1, zeros, 0.0), np.where(p > 0, ones, 0.0)


def _span_of_entropy(classes: int) -> tuple[float, float]:
    return 0.0, float(np.log(classes))


ERROR = Metric(
    name="error",
    limit="floor",
    less_is_better=True,
    span=span_of_error,
    per_item=least_error,
    formula="min(p, 1 - p)",
    many_formula="1 - max p",
    opposite="accuracy",
    how=OF_ERROR,
    is_error=True,
    of_model=WrongItems(),
)
COST = Metric(
    name="cost",
    limit="floor",
    less_is_better=True,
    span=span_of_error,  # replaced once the costs are known
    formula="min(cost of a false positive * (1 - p), cost of a false negative * p)",
    many_formula="the least expected cost of any decision",
    title="mean cost per item",
    per_cent=False,
    needs=("costs",),
    how=cost_of(1, 1),  # replaced likewise
    with_given=_with_costs,
    is_fraction=False,
    of_model=CostOfDecisions(),
)
# As scikit-learn counts it: half the sum over classes where there are two, all of it where more.
BRIER = Metric(
    name="brier",
    limit="floor",
    less_is_better=True,
    span=_span_of_brier,
    per_item=_brier,
    moved=moved_mean(_brier, 0.5),
    how=OfItems(_squared),
    formula="p (1 - p)",
    many_formula="1 - the sum of p^2",
    title="Brier score",
    per_cent=False,
    of_model=BoundedLoss(_squares, _largest_square),
    rule="the best rising map of {}",
)
LOG_LOSS = Metric(
    name="log-loss",
    limit="floor",
    less_is_better=True,
    span=_span_of_entropy,
    per_item=_entropy,
    moved=moved_mean(_entropy, 0.5),
    how=OfItems(_surprise),
    formula="-p log p - (1 - p) log(1 - p)",
    many_formula="- the sum of p log p",
    per_cent=False,
    unit="nats",
    is_fraction=False,
    of_model=UnboundedLoss(_logs),
    rule="the best rising map of {}",
)
