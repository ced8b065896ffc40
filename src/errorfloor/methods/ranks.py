"""The ranking that scores make of items of two classes: its AUC and its average precision.

Where scores order the items as their true probabilities do, no ranking has more of either. Neither
changes when scores are calibrated by a rising curve, so none is fitted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from errorfloor import _references as references
from errorfloor._typing import Counts, Floats
from errorfloor.data.sample import Sample
from errorfloor.data.tables import ScoreTable
from errorfloor.methods.isotonic import ISOTONIC
from errorfloor.methods.record import Basis, Method, Options, Shape, heeds_weights
from errorfloor.metrics.two_by_two import check_classes

_AT_ONCE = 2**20  # only for speed: numbers


def by_row(cells: Sample, counts: Counts | Floats) -> tuple[Floats, Floats]:
    """Return the negatives and the positives of each row of the table, for each row of counts."""
    starts, positive = cells.starts, cells.positive
    wide = np.asarray(counts, dtype=np.float64)
    ones = np.add.reduceat(wide * positive, starts, axis=1)
    return np.add.reduceat(wide, starts, axis=1) - ones, ones


@dataclass(frozen=True, slots=True, eq=False)
class Placements:
    """The share of negatives below a positive of each row, and of positives above a negative.

    Ties count by halves. The mean of either over its own class is the AUC.
    """

    negatives: Floats
    positives: Floats

    @property
    def of_positives(self) -> Floats:
        """The share of negatives below a positive of each row."""
        below = np.cumsum(self.negatives) - self.negatives / 2
        return np.asarray(below / self.negatives.sum())

    @property
    def of_negatives(self) -> Floats:
        """The share of positives above a negative of each row."""
        ones = self.positives.sum()
        return np.asarray((ones - np.cumsum(self.positives) + self.positives / 2) / ones)


class Ranking:
    """The AUC of the scores, at least 1/2: the share of pairs in order, ties by halves."""

    def __init__(self, cells: Sample) -> None:
        self.cells = cells

    def values(self, counts: Counts, _: np.random.Generator, /) -> Floats:
        """Return the AUC for each row of counts; 1/2 where a resample has one class alone."""
        found = [self._values(part) for part in _parts(self.cells, counts)]
        return np.maximum(np.concatenate(found), 0.5)

    def _values(self, counts: Counts) -> Floats:
        zeros, ones = by_row(self.cells, counts)
        ordered = (ones * (np.cumsum(zeros, axis=1) - zeros / 2)).sum(axis=1)
        pairs = zeros.sum(axis=1) * ones.sum(axis=1)
        return np.asarray(ordered / np.maximum(pairs, 1))

    def leave_one_out(self) -> Floats:
        """Return the AUC without one item of each cell in turn."""
        (zeros,), (ones,) = by_row(self.cells, self.cells.count[None])
        places = Placements(zeros, ones)
        row, positive = self.cells.row, self.cells.positive
        n0, n1 = float(zeros.sum()), float(ones.sum())
        area = float(ones @ places.of_positives) / n1
        own = np.where(positive, places.of_positives[row], places.of_negatives[row])
        n = np.where(positive, n1, n0)
        return np.asarray(np.where(n > 1, (n * area - own) / np.maximum(n - 1, 1), area))


class WeightedRanking(Ranking):
    """The AUC of scores of items that weigh differently: a pair weighs as both its items do."""

    def __init__(self, cells: Sample) -> None:
        super().__init__(cells)
        self.design = cells

    def _values(self, counts: Counts) -> Floats:
        zeros, ones = by_row(self.cells, counts * self.design.each)
        ordered = (ones * (np.cumsum(zeros, axis=1) - zeros / 2)).sum(axis=1)
        pairs = zeros.sum(axis=1) * ones.sum(axis=1)
        some = pairs > 0
        return np.asarray(np.divide(ordered, pairs, out=np.full(pairs.size, 0.5), where=some))

    def placed(self) -> tuple[Floats, Floats]:
        """Return the placement of the items of each cell, and what all items of its class weigh."""
        (zeros,), (ones,) = by_row(self.cells, self.design.masses[None])
        places = Placements(zeros, ones)
        row, positive = self.cells.row, self.cells.positive
        own = np.where(positive, places.of_positives[row], places.of_negatives[row])
        return own, np.where(positive, ones.sum(), zeros.sum())

    def leave_one_out(self) -> Floats:
        """Return the AUC without one item of each cell in turn."""
        own, total = self.placed()
        area, weight = float(self._values(self.cells.count[None])[0]), self.design.each
        rest = total - weight
        some = rest > 1e-12 * total
        left = total * area - weight * own
        return np.asarray(np.divide(left, rest, out=np.full(own.size, area), where=some))


class Precision:
    """The average precision of the scores: the mean over positives of the precision down to each.

    Items of one score are in random order, as a model may put them. Where all scores differ this
    is what scikit-learn computes.
    """

    def __init__(self, cells: Sample) -> None:
        self.cells = cells

    def values(self, counts: Counts, _: np.random.Generator, /) -> Floats:
        """Return the average precision for each row of counts; 0 without positives."""
        found = [self._values(part) for part in _parts(self.cells, counts)]
        return np.minimum(np.concatenate(found), 1.0)  # but for rounding

    def _values(self, counts: Counts) -> Floats:
        zeros, ones = (part[:, ::-1] for part in by_row(self.cells, counts))
        before = np.cumsum(zeros + ones, axis=1) - zeros - ones
        found = np.cumsum(ones, axis=1) - ones
        total = row_sums(before, found, zeros + ones, ones).sum(axis=1)
        return np.asarray(total / np.maximum(ones.sum(axis=1), 1))

    def leave_one_out(self) -> Floats:
        """Return the average precision without one item of each cell in turn."""
        zeros, ones = (part[0, ::-1] for part in by_row(self.cells, self.cells.count[None]))
        items = zeros + ones
        before, found = np.cumsum(items) - items, np.cumsum(ones) - ones
        sums = row_sums(before, found, items, ones)
        above = np.cumsum(sums) - sums
        n1 = ones.sum()
        every = []
        for one in (0, 1):  # without a negative, and without a positive
            fewer = row_sums(np.maximum(before - 1, 0), np.maximum(found - one, 0), items, ones)
            below = fewer.sum() - np.cumsum(fewer)
            own = row_sums(before, found, np.maximum(items - 1, 0), np.maximum(ones - one, 0))
            every.append((above + own + below) / max(n1 - one, 1))
        without = np.where(
            self.cells.positive, *(part[::-1][self.cells.row] for part in every[::-1])
        )
        return np.asarray(without)


def row_sums(before: Floats, found: Floats, items: Floats, ones: Floats) -> Floats:
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


def _parts(cells: Sample, counts: Counts) -> list[Counts]:
    size = max(_AT_ONCE // len(cells), 1)  # only for speed
    return [counts[start : start + size] for start in range(0, len(counts), size)]


@heeds_weights("auc")
def _ranking(cells: Sample, options: Options) -> Ranking:
    check_classes(options.metric.words, cells.count, cells.positive, both=True)
    return Ranking(cells) if cells.weight is None else WeightedRanking(cells)


def _precision(cells: Sample, options: Options) -> Precision:
    check_classes(options.metric.words, cells.count, cells.positive, both=False)
    return Precision(cells)


_EXPLAINS = (
    "The scores put the items in an order, and its {0} is counted from the labels. A ranking by "
    "the true probabilities has the largest {0} there is, and calibration by a rising curve would "
    "leave the order as it is, so nothing is fitted."
)


def _method(metric: str, words: str, **about: object) -> Method:
    return Method(
        name="ranking",
        reads=ScoreTable.kind,
        metrics=(metric,),
        interval="honest",
        assumes=ISOTONIC.assumes,
        if_wrong="the scores' own value: too low, still a lower bound of the ceiling",
        explains=_EXPLAINS.format(words),
        shape=Shape.ORDER,
        colour="blue",
        curve=ISOTONIC.name,  # a ranking has no map
        **about,  # type: ignore[arg-type]
    )


AUC = _method(
    "auc",
    "AUC",
    bind=_ranking,
    bases=frozenset({Basis.PAIRS, Basis.ITEMS}),
    references=(references.RANKING,),
    when_merged="takes items of one row as tied",
)
AVERAGE_PRECISION = _method(
    "average-precision",
    "average precision",
    bind=_precision,
    bases=frozenset({Basis.PRECISION, Basis.ITEMS}),
    references=(references.PRECISION,),
    when_merged="takes items of one row as tied",
)
RECORDS = (AUC, AVERAGE_PRECISION)
