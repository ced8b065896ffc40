"""A floor that a model's error caps: no model errs less than the floor."""

from __future__ import annotations

from dataclasses import dataclass, field

from errorfloor.intervals.binomial import upper_limit
from errorfloor.intervals.record import Evidence

# Share of the upper limit's error probability that pays for the model's own uncertainty.
_SHARE = 0.2


@dataclass(frozen=True, slots=True)
class Reached:
    """How many of so many fresh labels of the same kind a model got wrong."""

    errors: int
    n: int

    @property
    def value(self) -> float:
        """The error that is as often too low as too high; 0 errors of few items say little."""
        return float(upper_limit(self.errors, self.n, 0.5))

    def cap(self, tail: float) -> float:
        """Return the upper limit of the model's error, exact."""
        return float(upper_limit(self.errors, self.n, tail))


@dataclass(frozen=True, slots=True, eq=False)
class Capped:
    """Limits of a floor whose upper one is at most that of a model's error.

    The upper limit may miss with probability (1 - level) / 2. A part of that goes to the exact
    limit of the model's error, the rest to the limit of the floor itself; the smaller of the two
    holds unless one of them misses. The lower limit is left as it is.
    """

    value: float  # the estimate, which limits never leave out
    floor: Evidence = field(repr=False)
    model: Reached

    @property
    def method(self) -> str:
        """Name of the interval."""
        return self.floor.method

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        error = 1 - level
        low, _ = self.floor.limits(level)
        _, high = self.floor.limits(1 - (1 - _SHARE) * error)
        cap = self.model.cap(_SHARE * error / 2)
        return min(low, self.value), max(min(high, cap), self.value)

    def contradicts(self, level: float) -> bool:
        """Tell whether the model's upper limit is below the floor's lower one."""
        return self.model.cap((1 - level) / 2) < self.floor.limits(level)[0]
