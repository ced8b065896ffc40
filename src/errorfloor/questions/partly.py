"""Tables in which some items have no label: whether the others can speak for them."""

from __future__ import annotations

import numpy as np

from errorfloor._checks import InputError
from errorfloor._numbers import per_cent
from errorfloor._typing import Counts, Floats
from errorfloor.data.tables import ScoreTable

LEVEL = 1e-4  # of the test, over all that it looks at: labels near a cut are far beyond


def check_alike(table: ScoreTable) -> None:
    """Refuse labelled items whose scores, with their weights, are not those of all items."""
    if table.unlabelled is None:
        return
    if table.n == 0:
        raise InputError(
            f"None of the {table.n_unlabelled:,} items has a label. Label some of them first; "
            "`plan_labels()` says which."
        )
    apart, chance = largest_difference(table)
    if chance >= LEVEL:
        return
    seldom = f"{max(chance, 1e-16):.1g}"
    far = f"by up to {per_cent(apart)} of the items, which chance does in {seldom} of cases"
    if table.entries is not None:
        raise InputError(
            "The labelled items do not stand for all: even with `weight` their scores differ from "
            f"those of all items {far}. Check the weights: each has to be one over the probability "
            "that the item was chosen for labelling."
        )
    raise InputError(
        f"The labelled items do not stand for all: their scores differ from the others' {far}. A "
        "floor from them would be that of other items. Pass `weight`, one over each item's "
        "probability of being chosen, or label items at random; `plan_labels()` draws them and "
        "writes their weights."
    )


def largest_difference(table: ScoreTable) -> tuple[float, float]:
    """Return how far labelled scores are from all, as a share of items, and its p-value.

    It is the Kolmogorov-Smirnov distance: of the scores of two classes, or else the largest over
    each class's scores and the largest one of each item, with the p-value times their number.
    """
    from scipy.special import kolmogorov

    assert table.unlabelled is not None
    mass, square = _masses(table)
    everything = table.unlabelled + table.items
    apart, chance = 0.0, 1.0
    lines = _lines(table.scores)
    for line in lines:
        distance, scale = _distance(line, mass, square, everything)
        if scale > 0:
            chance = min(chance, float(kolmogorov(distance / scale)) * len(lines))
        apart = max(apart, distance)
    return apart, chance


def _lines(scores: Floats) -> list[Floats]:
    if scores.ndim == 1:
        return [scores]
    shares = scores
    if scores.min() >= 0:
        shares = scores / scores.sum(axis=1, keepdims=True)
    return [*shares.T, shares.max(axis=1)]


def _masses(table: ScoreTable) -> tuple[Floats, Floats]:
    """Return what the labelled items of each row weigh, and the sum of squared weights."""
    if table.entries is None:
        number = table.items.astype(np.float64)
        return number, number
    own = table.entries.labelled(len(table.classes)).relative
    mass, square = (
        np.bincount(own.row, own.count * own.weight**power, minlength=len(table)).astype(np.float64)
        for power in (1, 2)
    )
    return mass, square


def _distance(
    line: Floats, mass: Floats, square: Floats, everything: Counts
) -> tuple[float, float]:
    """Return the largest distance of two cumulative shares, and what it is measured in.

    The unit is one over the root of the number of equal items, where both have the largest
    standard error that the labelled share has anywhere; labelled items are part of all.
    """
    order = np.argsort(line, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(line[order])), line.size - 1)
    own, squares, every = (np.cumsum(part[order])[ends] for part in (mass, square, everything))
    share = own / own[-1]
    distance = float(np.abs(share - every / every[-1]).max())
    # Sum of w^2 (1 - F)^2 below, and of w^2 F^2 above.
    variance = squares * (1 - share) ** 2 + (squares[-1] - squares) * share**2
    labelled = float(own[-1]) ** 2 / float(squares[-1]) / float(every[-1])
    rest = max(1 - labelled, 0.0)
    return distance, 2 * float(np.sqrt(variance.max() * rest)) / float(own[-1])
