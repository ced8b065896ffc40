"""Selective error and coverage of many tables at once that differ in their counts alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from errorfloor._typing import Counts, Floats
from errorfloor.metrics.counted import Counted
from errorfloor.metrics.means import least_error

ROUNDING = 1e-12  # of errors that lie just at the limit


class CountedErrorAt(Counted):
    """The least error among items where a share of them must be answered."""

    def __init__(self, probabilities: Floats, count: Counts, coverage: float) -> None:
        self.coverage = coverage
        self.order, self.error = _by_error(probabilities)
        self.count = count

    def values(self, counts: Counts, /) -> Floats:
        """Return the error at the coverage for each row of counts."""
        count = counts[:, self.order].astype(np.float64)
        wanted = self.coverage * count.sum(axis=1)
        room = wanted[:, None] - (np.cumsum(count, axis=1) - count)
        answered = np.minimum(np.maximum(room, 0, out=room), count, out=room)
        return np.asarray(answered @ self.error / wanted)

    def leave_one_out(self) -> Floats:
        """Return the error at the coverage without one item of each row in turn."""
        count = self.count[self.order].astype(np.float64)
        items = np.append(0.0, np.cumsum(count))
        wrong = np.append(0.0, np.cumsum(count * self.error))
        wanted = self.coverage * max(items[-1] - 1, 1)
        same, more = np.interp([wanted, wanted + 1], items, wrong)
        # An item among those that are answered makes room for the next one.
        sure = wanted > items[1:] - 1
        without = np.where(sure, more - self.error, same) / wanted
        return _in_rows(np.maximum(without, 0), self.order)


class CountedCoverageAt(Counted):
    """The largest share of items that can be answered with at most so much error."""

    def __init__(self, probabilities: Floats, count: Counts, error: float) -> None:
        self.at = error
        classes = 2 if probabilities.ndim == 1 else probabilities.shape[1]
        self.room = 1 - 1 / classes - error  # of an item that is a guess
        self.order, found = _by_error(probabilities)
        self.error = np.where(np.abs(found - error) <= ROUNDING, error, found)
        self.count = count
        self.split = int(np.searchsorted(self.error, error, side="right"))

    def values(self, counts: Counts, /) -> Floats:
        """Return the coverage at the error for each row of counts."""
        return _covered(self.error, counts[:, self.order].astype(np.float64), self.at)

    @staticmethod
    def share(error: Floats, count: Counts, at: float) -> float:
        """Return the coverage at an error for counts of items with ascending errors."""
        return float(_covered(error, count[None].astype(np.float64), at)[0])

    @property
    def may_leave_span(self) -> bool:
        """Whether values without an item may lie outside what the metric can be."""
        return True

    def leave_one_out(self) -> Floats:
        """Return the coverage at the error without one item of each row in turn.

        Where all items can be answered it goes beyond 1: by the guesses that could be added.
        """
        count = self.count[self.order].astype(np.float64)
        over = self.error - self.at
        items, excess = np.cumsum(count), np.cumsum(count * over)
        start = max(self.split - 1, 0)
        if self.split == 0:
            items, excess = np.append(0.0, items), np.append(0.0, excess)
        # Behind the row `start` the excess rises from its least value; the items there as a
        # function of the excess say how many can be answered.
        same, more = (np.interp(at, excess[start:], items[start:]) for at in (0.0, over))
        if self.room > 0:
            same, more = (
                found + np.maximum(at - excess[-1], 0) / self.room
                for found, at in ((same, 0.0), (more, over))
            )
        within = same > np.cumsum(count) - 1
        answered = np.where((over <= 0) | within, more - 1, same)
        return _in_rows(np.maximum(answered / max(count.sum() - 1, 1), 0), self.order)


def _covered(error: Floats, count: Floats, at: float) -> Floats:
    split = int(np.searchsorted(error, at, side="right"))
    over = count * (error - at)
    excess = np.cumsum(over, axis=1)
    left = np.maximum(over - excess, 0)  # what rows before leave to be used up
    some = np.minimum(left, np.maximum(over, 0))
    answered = count[:, :split].sum(axis=1) + some[:, split:] @ (1 / (error[split:] - at))
    return np.asarray(np.minimum(answered / count.sum(axis=1), 1.0))


def _by_error(probabilities: Floats) -> tuple[NDArray[np.intp], Floats]:
    error = least_error(probabilities)
    order = np.argsort(error, kind="stable")
    return order, error[order]


def _in_rows(values: Floats, order: NDArray[np.intp]) -> Floats:
    found = np.empty_like(values)
    found[order] = values
    return found
