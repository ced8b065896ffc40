"""A model's published value of a metric: how sure it is follows from a number of test items."""

from __future__ import annotations

import operator
from functools import singledispatch
from typing import Any

import numpy as np

from errorfloor._checks import MOST_VOTES, InputError, argument, as_fraction, shown
from errorfloor._typing import Floats
from errorfloor.data.tables import ScoreTable, SoftTable, VoteTable
from errorfloor.intervals.models import AnyTable, ExactShare, Wilson
from errorfloor.intervals.record import Evidence
from errorfloor.metrics import Metric
from errorfloor.metrics import record as kinds
from errorfloor.metrics.record import ModelValue
from errorfloor.questions.models import Model, goes_by_scores, kind_of, refuse_many
from errorfloor.results import Estimate


def from_value(metric: Metric, value: object, n: object, floor: Estimate) -> Model:
    """Return the model with a published value on so many test items."""
    items = _whole(n)
    if not 1 <= items <= MOST_VOTES:
        raise InputError(
            argument("n"), f" must be the number of test items, at least 1; got {shown(n)}."
        )
    kind = kind_of(metric)
    if not kind.published:
        raise InputError(
            argument("model_value"),
            f" and a number of items do not tell how sure a model's {metric.words} is. Give ",
            *(argument("model_scores" if kind.by_scores else "confusion"), "."),
        )
    number = _as_value(value, metric, len(floor.classes))
    evidence = _of_value(kind, metric, number, items, floor)
    return Model(number, items, evidence, {"model_value": number})


def can_be_published(metric: Metric) -> bool:
    """Tell whether a model's value and a number of items tell how sure the value is."""
    return metric.of_model is not None and metric.of_model.published


def _whole(value: Any) -> int:
    try:
        return operator.index(value)
    except TypeError:
        return -1


def _as_value(value: Any, metric: Metric, classes: int) -> float:
    """Return a value that the metric can have."""
    if not isinstance(metric.of_model, kinds.CostOfDecisions | kinds.BoundedLoss):
        return as_fraction(value, name="model_value")
    top = _largest_loss(metric, classes)
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = -1.0
    if not 0 <= number <= top:
        raise InputError(
            argument("model_value"),
            f" must be the model's {metric.words}, from 0 to {top:g}; got {shown(value)}.",
        )
    return number


def _largest_loss(metric: Metric, classes: int) -> float:
    """Return the largest loss that a single item can have."""
    if isinstance(metric.of_model, kinds.BoundedLoss):
        return metric.of_model.largest(classes)
    return float(np.max(metric.given["costs"]))


@singledispatch
def _of_value(kind: ModelValue, metric: Metric, value: float, n: int, floor: Estimate) -> Evidence:
    raise AssertionError("a kind that says `published` has its limits here")


@_of_value.register
def _(_: kinds.WrongItems, metric: Metric, value: float, n: int, floor: Estimate) -> Evidence:
    return ExactShare(value * n, n)


@_of_value.register
def _(_: kinds.SurestItems, metric: Metric, value: float, n: int, floor: Estimate) -> Evidence:
    items = n * (float(metric.given["at"]) if metric.less_is_better else 1.0)
    return ExactShare(value * items, items)


@_of_value.register(kinds.CostOfDecisions)
@_of_value.register(kinds.BoundedLoss)
def _(_: ModelValue, metric: Metric, value: float, n: int, floor: Estimate) -> Evidence:
    return Wilson(value, n, span=_largest_loss(metric, len(floor.classes)))


@_of_value.register
def _(_: kinds.PairsInOrder, metric: Metric, value: float, n: int, floor: Estimate) -> Evidence:
    return Wilson(value, _rarest(metric, n, floor)[0])


@_of_value.register
def _(_: kinds.WrongInClasses, metric: Metric, value: float, n: int, floor: Estimate) -> Evidence:
    rarest, classes = _rarest(metric, n, floor)
    return Wilson(value, classes * rarest)


@_of_value.register
def _(kind: kinds.TableValue, metric: Metric, value: float, n: int, floor: Estimate) -> Evidence:
    refuse_many(metric, len(floor.classes))
    share = float(_known_shares(metric, floor)[1])
    found = AnyTable.of(kind.value, value, n, share)
    if not found.tables:
        raise InputError(
            argument("model_value"), f" is {shown(value)}, a {metric.words} that no model can have."
        )
    return found


def _rarest(metric: Metric, n: int, floor: Estimate) -> tuple[float, int]:
    """Return how many of n items are of the rarest class if as many are as of the floor's."""
    shares = _known_shares(metric, floor)
    return max(n * float(shares.min()), 1.0), len(shares)


def _known_shares(metric: Metric, floor: Estimate) -> Floats:
    shares = shares_of(floor)
    if shares is None:
        raise InputError(
            argument("model_value"),
            f" and a number of items do not tell how sure a model's {metric.words} is where the "
            "shares of the classes are not known. Give ",
            *(
                (argument("prior"), ", or the model's scores or predictions.")
                if "prior" in metric.takes
                else (f"the model's {'scores' if goes_by_scores(metric) else 'predictions'}.",)
            ),
        )
    return shares


def shares_of(floor: Estimate) -> Floats | None:
    """Return the shares of the classes among the items of a floor."""
    table = floor.table
    if "prior" in floor.measure.given:
        return np.asarray(floor.measure.given["prior"])
    if table is not None and table.entries is not None:  # whose weights counts do not show
        return None
    if isinstance(table, SoftTable):
        p = table.probabilities
        p = np.column_stack((1 - p, p)) if p.ndim == 1 else p
        return np.asarray(table.counts @ p / table.n)
    if isinstance(table, ScoreTable):
        return np.asarray(table.counts.sum(axis=0) / table.n)
    if isinstance(table, VoteTable):
        votes = table.counts @ (table.votes / table.totals[:, None])
        return np.asarray(votes / votes.sum())
    return None
