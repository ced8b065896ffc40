"""What follows for a metric from its loss of both kinds of error, where its record says no more.

The best rule for known probabilities names items above a threshold positive; so the best value is
the least loss of any threshold between rows of equal probabilities.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from errorfloor._checks import InputError
from errorfloor._typing import Counts, Floats
from errorfloor.metrics.counted import Counted
from errorfloor.metrics.model import TableValue
from errorfloor.metrics.two_by_two import STEP, OfTable, TwoByTwo

_CANDIDATES = 64  # thresholds that may be best without an item: so many of the best with it


def best_value(how: OfTable, words: str, probabilities: Floats, weights: Floats | Counts) -> float:
    """Return the best value on items with these probabilities, so many of each."""
    order = np.argsort(probabilities, kind="stable")
    found = float(CountedTable(how, probabilities[order], weights[order]).values(weights[None])[0])
    if np.isnan(found):
        needed = "items of both classes" if how.needs == "both" else "items of class 1"
        raise InputError(f"{words} needs {needed}, and there are none. Add some.")
    return found


class CountedTable(Counted):
    """The best value of any threshold, for any counts of rows in ascending order."""

    def __init__(self, how: OfTable, p: Floats, count: Floats | Counts) -> None:
        self.how = how
        self.p = p
        self.count = count

    def values(self, counts: Counts | Floats, /) -> Floats:
        """Return the best value for each row of counts; NaN where a class is missing."""
        table = self.every(counts)
        losses = np.asarray(self.how.of(table)).min(axis=1)
        return self._known(np.asarray(self.how.link(losses)), table)

    def leave_one_out(self) -> Floats:
        """Return the best value without one item of each row in turn."""
        table = self.every(self.count[None])
        best = np.argsort(np.asarray(self.how.of(table))[0], kind="stable")[:_CANDIDATES]
        least = np.full(self.p.size, np.inf)
        one = np.minimum(self.p, self.count), np.minimum(1 - self.p, self.count)
        fewer = table.negatives[0] - one[1], table.positives[0] - one[0]
        for cut in best:
            below = np.arange(self.p.size) < cut
            fp = np.maximum(table.false_positives[0, cut] - ~below * one[1], 0)
            fn = np.maximum(table.false_negatives[0, cut] - below * one[0], 0)
            least = np.minimum(least, self.how.of(TwoByTwo(fp, fn, *fewer)))
        return self._known(np.asarray(self.how.link(least)), TwoByTwo(0, 0, *fewer))

    def every(self, counts: Counts | Floats) -> TwoByTwo:
        """Return the errors of thresholds below all rows and behind each."""
        fn, passed = np.zeros((2, len(counts), self.p.size + 1))
        np.cumsum(counts * self.p, axis=1, out=fn[:, 1:])
        np.cumsum(counts * (1 - self.p), axis=1, out=passed[:, 1:])
        zeros, ones = passed[:, -1:].copy(), fn[:, -1:].copy()
        return TwoByTwo(zeros - passed, fn, zeros, ones)

    def _known(self, values: Floats, table: TwoByTwo) -> Floats:
        zeros, ones = (np.ravel(part) for part in (table.negatives, table.positives))
        lacks = (ones <= 0) if self.how.needs else np.zeros(ones.shape, dtype=bool)
        if self.how.needs == "both":
            lacks = lacks | (zeros <= 0)
        return np.where(lacks, np.nan, values)


def slope(how: OfTable, p: Floats, w: Floats, _: object, x: Floats) -> Floats:
    """Return how the best value changes as items move to each x, but for a constant.

    An item that is added falls on the better side of the threshold.
    """
    table = CountedTable(how, p, w).every(w[None])
    best = int(np.argmin(np.asarray(how.of(table))[0]))
    fp, fn = table.false_positives[0, best], table.false_negatives[0, best]
    one = TwoByTwo(fp, fn, table.negatives[0, 0], table.positives[0, 0])
    of_fp, of_fn, of_zeros, of_ones = (float(part) for part in how.slopes(one))
    above = (of_fp + of_zeros) * (1 - x) + of_ones * x
    below = of_zeros * (1 - x) + (of_fn + of_ones) * x
    turned = np.imag(how.link(complex(how.of(one)) + 1j * STEP)) / STEP
    return np.asarray(turned * np.minimum(above, below))


def value_of_model(how: OfTable) -> TableValue:
    """Return how a model's own value follows from its decisions."""
    return TableValue(partial(_of_matrix, how))


def _of_matrix(how: OfTable, matrix: Floats) -> float:
    (tn, fp), (fn, tp) = np.asarray(matrix, dtype=np.float64)
    return float(how.link(how.of(TwoByTwo(fp, fn, tn + fp, fn + tp))))
