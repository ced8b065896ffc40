"""Best values on many tables at once that differ in their counts alone: what resampling needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from errorfloor._checks import InputError
from errorfloor._typing import Counts, Floats


class Counted(Protocol):
    """The best value of a metric on items with known probabilities, for any counts of them.

    Made from the probabilities of a table's rows, those of class 1 in ascending order, and counts.
    """

    is_slow: bool = False  # to compute without each item in turn

    def values(self, counts: Counts, /) -> Floats:
        """Return the best value for each row of counts; NaN where the metric has none."""

    def leave_one_out(self) -> Floats:
        """Return the best value without one item of each row in turn; NaN likewise."""

    @property
    def may_leave_span(self) -> bool:
        """Whether values without an item may lie outside what the metric can be."""
        return False

    def error_of_pairs(self) -> float:
        """Return the standard error that comes from pairs of items, beyond that of single ones."""
        return 0.0

    def off_by_choice(self) -> tuple[float, float]:
        """Return how far the value may be too low, and too high, as these items chose the rule."""
        return 0.0, 0.0


class OneByOne(Counted):
    """The best value of items that weigh differently, of one table after the other."""

    is_slow: bool = True

    def __init__(
        self,
        best: Callable[[Floats, Floats], float],
        probabilities: Floats,
        count: Counts,
        weight: Floats,
    ) -> None:
        self.best = best
        self.probabilities = probabilities
        self.count = count
        self.weight = weight

    def values(self, counts: Counts, /) -> Floats:
        """Return the best value for each row of counts."""
        return np.array([self._value(count) for count in counts])

    def leave_one_out(self) -> Floats:
        """Return the best value without one item of each row in turn."""
        every = np.arange(self.count.size)
        return np.array([self._value(self.count - (every == row)) for row in every])

    def _value(self, count: Counts) -> float:
        some = count > 0
        if not count.any():
            return float("nan")
        try:
            return self.best(self.probabilities[some], count[some] * self.weight[some])
        except InputError:  # a class is missing
            return float("nan")


class CountedMean(Counted):
    """The mean of a known number for each row, within what it can be."""

    def __init__(self, numbers: Floats, count: Counts, span: tuple[float, float]) -> None:
        self.numbers = numbers
        self.count = count
        self.span = span

    @property
    def may_leave_span(self) -> bool:
        """Whether values without an item may lie outside what the metric can be."""
        return True

    def values(self, counts: Counts, /) -> Floats:
        """Return the mean for each row of counts."""
        return np.asarray(np.clip(counts @ self.numbers / counts.sum(axis=1), *self.span))

    def leave_one_out(self) -> Floats:
        """Return the mean without one item of each row in turn, which may lie outside."""
        total = self.count @ self.numbers
        return np.asarray((total - self.numbers) / max(int(self.count.sum()) - 1, 1))


def ratio(above: Floats, below: Floats) -> Floats:
    """Return quotients, NaN where the divisor is not above 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(below > 0, above / below, np.nan))
