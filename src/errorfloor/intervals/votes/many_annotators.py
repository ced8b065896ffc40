"""The interval that counts annotators as a sample, for more than two classes.

As for two classes, how much groups of annotators differ is measured without refits, by a mean whose
answer to annotators who guess now and then is that of the floor: the share of pairs of votes that
disagree, times a number. If a small share e of all votes were guesses, the floor of an item would
rise by e (max p - 1/K), and its disagreement by 2 e (sum p^2 - 1/K); the number is the ratio of
their means under the fitted distribution.

Pairs of fewer votes, drawn from those of an item, disagree as often on average. Their variance
needs the numbers of twos, threes and fours of votes that are the same.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from errorfloor._typing import Counts, Floats
from errorfloor.data.tables import VoteTable
from errorfloor.intervals.record import Case, Evidence
from errorfloor.intervals.votes.annotators import (
    ANNOTATORS,
    LeftOut,
    Spread,
    around,
    spread_over_groups,
)
from errorfloor.intervals.votes.many import MANY_LIKELIHOOD
from errorfloor.methods.record import Basis

_STEP = 1e-3  # of guesses, at which slopes are taken


def spread_of_many(table: VoteTable, slope: float) -> Spread:
    """Return what annotators add to the variance of the mean disagreement, times the slope."""
    assert table.by_group is not None
    part, m, twos, threes, fours, its_m, rest, n = table.by_group.T
    before = disagreement(m, twos)
    change = disagreement(m - its_m, rest) - before
    noise = variance_if_exchanged(m, m - its_m, twos, threes, fours)
    same = (table.votes * (table.votes - 1)).sum(axis=1)
    left_out = LeftOut(part, m, its_m, n, slope * change, np.zeros(m.size), slope**2 * noise)
    return spread_over_groups(table, slope * disagreement(table.totals, same), left_out)


def disagreement(m: Counts, twos: Counts) -> Floats:
    """Return the share of pairs of m votes that differ; 0 below two votes."""
    pairs = np.maximum(m, 2) * (np.maximum(m, 2) - 1.0)
    return np.where(m >= 2, 1 - twos / pairs, 0.0)


def variance_if_exchanged(
    m: Counts, r: Counts, twos: Counts, threes: Counts, fours: Counts
) -> Floats:
    """Return the variance of the disagreement of r votes that are drawn from m, by their moments.

    Falling powers of the drawn numbers have means in closed form, and a square is a sum of them.
    """
    first, second, third = (_share(r, m, power) for power in (2, 3, 4))
    own = fours + 4.0 * threes + 2.0 * twos  # squares of each class's pairs
    square = third * (fours + twos.astype(np.float64) ** 2 - own) + 4 * second * threes
    square += 2 * first * twos
    pairs = np.maximum(r * (r - 1.0), 1.0)
    variance = (square - (first * twos) ** 2) / pairs**2
    return np.where(r >= 2, np.maximum(variance, 0.0), 0.0)


def _share(r: Counts, m: Counts, power: int) -> Floats:
    """Return the chance that so many given votes of m are all among r drawn ones."""
    found = np.ones(m.size)
    for less in range(power):
        found *= np.maximum(r - less, 0) / np.maximum(m - less, 1)
    return found


def slope_of(points: Floats, weights: Floats, majority: int) -> float:
    """Return how much the floor rises for each bit of disagreement that guesses add."""
    from errorfloor.methods.votes.many.fit import floors

    classes = points.shape[1]
    mixed = (1 - _STEP) * points + _STEP / classes
    rise = weights @ (floors(mixed, majority) - floors(points, majority))
    more = weights @ ((points**2).sum(axis=1) - (mixed**2).sum(axis=1))
    return float(rise / more) if more > 0 else 0.0


def _annotators(case: Case) -> Evidence:
    table = case.table
    assert isinstance(table, VoteTable)
    fitted = case.statistic.fitted  # type: ignore[attr-defined]
    slope = slope_of(fitted.points, fitted.weights, fitted.majority)
    return around(case, MANY_LIKELIHOOD, lambda: spread_of_many(table, slope))


MANY_ANNOTATORS = replace(ANNOTATORS, basis=Basis.PARTITIONS, make=_annotators)
