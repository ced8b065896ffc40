"""AUC and average precision of the order in which scores put items of two classes.

Both follow from what the negatives and the positives at each score weigh, by ascending score.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from errorfloor._typing import Floats
from errorfloor.data.sample import Sample


@dataclass(frozen=True, slots=True)
class OfRanks:
    """How a metric follows from the order of items of two classes.

    Attributes
    ----------
    of : callable
        From what negatives and positives weigh at each score to the value, for each row of both.
    without_one : callable
        From a sample to the value without one item of each of its cells in turn.
    needs_both : bool
        Whether there must be items of both classes, or positive ones alone.
    """

    of: Callable[[Floats, Floats], Floats]
    without_one: Callable[[Sample], Floats]
    needs_both: bool


# Pairs of a positive and a negative item: the AUC.


def _in_order(zeros: Floats, ones: Floats) -> Floats:
    """Return the share of pairs in order, ties by halves; 1/2 where there are no pairs.

    A pair weighs as both its items do.
    """
    ordered = (ones * (np.cumsum(zeros, axis=1) - zeros / 2)).sum(axis=1)
    pairs = zeros.sum(axis=1) * ones.sum(axis=1)
    return np.asarray(np.divide(ordered, pairs, out=np.full(pairs.size, 0.5), where=pairs > 0))


@dataclass(frozen=True, slots=True, eq=False)
class Placements:
    """The share of the other class that the items of each cell are in order with, ties by halves.

    The mean over either class is the AUC.
    """

    place: Floats  # of the items of each cell
    zeros: float  # what all negatives weigh
    ones: float
    area: float  # the AUC

    @classmethod
    def of(cls, sample: Sample) -> Placements:
        """Return the placements of a sample with items of both classes."""
        zeros, ones = sample.by_row(sample.masses)
        n0, n1 = float(zeros.sum()), float(ones.sum())
        below = (np.cumsum(zeros) - zeros / 2) / n0
        above = (n1 - np.cumsum(ones) + ones / 2) / n1
        place = np.where(sample.positive, below[sample.row], above[sample.row])
        return cls(place, n0, n1, float(ones @ below) / n1)


def _in_order_without_one(sample: Sample) -> Floats:
    """Return the AUC without one item of each cell; the last item of a class leaves it as it is."""
    every = Placements.of(sample)
    total = np.where(sample.positive, every.ones, every.zeros)
    rest, left = total - sample.each, total * every.area - sample.each * every.place
    some = rest > 1e-12 * total
    return np.asarray(np.divide(left, rest, out=np.full(total.size, every.area), where=some))


# Positive items, from the highest score down: the average precision.


def _precision(zeros: Floats, ones: Floats) -> Floats:
    """Return the mean over positives of the precision down to each; 0 without positives.

    Items of one score are in random order, as a model may put them. Where all scores differ this
    is what scikit-learn computes.
    """
    zeros, ones = zeros[:, ::-1], ones[:, ::-1]
    before = np.cumsum(zeros + ones, axis=1) - zeros - ones
    found = np.cumsum(ones, axis=1) - ones
    total = _row_sums(before, found, zeros + ones, ones).sum(axis=1)
    return np.asarray(total / np.maximum(ones.sum(axis=1), 1))


def _precision_without_one(sample: Sample) -> Floats:
    """Return the average precision without one item of each cell in turn."""
    zeros, ones = (part[::-1] for part in sample.by_row(sample.masses))
    items = zeros + ones
    before, found = np.cumsum(items) - items, np.cumsum(ones) - ones
    sums = _row_sums(before, found, items, ones)
    above = np.cumsum(sums) - sums
    n1 = ones.sum()
    every = []
    for one in (0, 1):  # without a negative, and without a positive
        fewer = _row_sums(np.maximum(before - 1, 0), np.maximum(found - one, 0), items, ones)
        below = fewer.sum() - np.cumsum(fewer)
        own = _row_sums(before, found, np.maximum(items - 1, 0), np.maximum(ones - one, 0))
        every.append((above + own + below) / max(n1 - one, 1))
    without = (part[::-1][sample.row] for part in every[::-1])
    return np.asarray(np.where(sample.positive, *without))


def _row_sums(before: Floats, found: Floats, items: Floats, ones: Floats) -> Floats:
    """Return the sum of precisions at the positives of each row, in random order within it.

    `before` items come first, `found` positives among them. The j-th of the row's items is
    positive in a share of ones / items of all orders, and then (j - 1) (ones - 1) / (items - 1) of
    those before it in the row are positive on average.
    """
    from scipy.special import digamma

    harmonic = digamma(before + items + 1) - digamma(before + 1)
    share = ones / np.maximum(items, 1)
    further = (ones - 1) / np.maximum(items - 1, 1)
    # The sum over j of (found + 1 + (j - 1) further) / (before + j).
    inside = (found + 1) * harmonic + further * (items - (before + 1) * harmonic)
    return np.asarray(share * inside)


PAIRS_IN_ORDER = OfRanks(_in_order, _in_order_without_one, needs_both=True)
PRECISION = OfRanks(_precision, _precision_without_one, needs_both=False)
