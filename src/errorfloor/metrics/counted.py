"""Best values on many tables at once that differ in their counts alone: what resampling needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from errorfloor._typing import Counts, Floats


class Counted(Protocol):
    """The best value of a metric on items with known probabilities, for any counts of them.

    Made from the probabilities of a table's rows, those of class 1 in ascending order, and counts.
    """

    def values(self, counts: Any, /) -> Floats:
        """Return the best value for each row of counts; NaN where the metric has none."""

    def leave_one_out(self) -> Floats:
        """Return the best value without one item of each row in turn; NaN likewise."""

    @property
    def may_leave_span(self) -> bool:
        """Whether values without an item may lie outside what the metric can be."""
        return False

    @property
    def is_slow(self) -> bool:
        """Whether it takes long to compute without each item in turn."""
        return False

    def error_of_pairs(self) -> float:
        """Return the standard error that comes from pairs of items, beyond that of single ones."""
        return 0.0

    def off_by_choice(self) -> tuple[float, float]:
        """Return how far the value may be too low, and too high, as these items chose the rule."""
        return 0.0, 0.0


class CountedOneByOne(Counted):
    """Any metric on items that weigh differently, one table after the other."""

    def __init__(
        self, best: Callable[[Floats, Floats], float], p: Floats, masses: Floats, each: Any
    ) -> None:
        self.best = best
        self.p = p
        self.masses = masses
        self.each = each

    @property
    def is_slow(self) -> bool:
        """Whether it takes long to compute without each item in turn."""
        return True

    def values(self, masses: Floats, /) -> Floats:
        """Return the best value for each row of masses."""
        return np.array([self._value(mass) for mass in masses])

    def leave_one_out(self) -> Floats:
        """Return the best value without one item of each row in turn."""
        every = np.arange(len(self.p))
        without = ((every == row) * self.each for row in every)
        return np.array([self._value(self.masses - one) for one in without])

    def _value(self, mass: Floats) -> float:
        some = mass > 0
        return self.best(self.p[some], mass[some])


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
