"""Bets on means of bounded numbers: limits that hold at any number of items.

A mean is refuted when betting against it would have multiplied the capital by 2 / (1 - level),
which a true mean allows with at most half that chance, for any n. Units are bet on in random
blocks. The stake of a block depends on the blocks before it, so it adapts to small variances.

Where units weigh differently, what is known is a weighted mean, whose target is E[w x] / E[w].
Betting on w (x - m) is exact for weights with a bound: no unit may weigh more than the heaviest
one seen.

References
----------
.. [1] I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random variables by betting",
   J. R. Stat. Soc. B 86, 2024, theorem 3 and section 4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from errorfloor._typing import Counts, Floats
from errorfloor.data.sample import Sample, split

MOST = 0.5  # of the capital that a bet may lose
_PARTS = np.repeat(np.arange(5), [1, 1, 2, 4, 8])  # the block of each of equal parts
BLOCKS = int(_PARTS[-1]) + 1
_NEAR = 1e-13  # by which a limit may be off
_TINY = 1e-300

Gain: TypeAlias = Callable[[float], float]


# Blocks ----------------------------------------------------------------------------------------


def growing_blocks(count: Counts, rng: np.random.Generator) -> Counts:
    """Divide items at random into blocks to bet on, each about as large as all before it.

    Shape (blocks, cells).
    """
    return split(count, _PARTS.size, rng, into=_PARTS)


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """Which units are in which block, and how often: an entry for each pair that there is."""

    block: NDArray[np.intp]
    unit: NDArray[np.intp]  # ascending
    times: Floats

    @classmethod
    def drawn(cls, count: Counts, rng: np.random.Generator) -> Blocks:
        """Return `growing_blocks`."""
        if int(count.max(initial=0)) > 1:  # only for speed: blocks are the same
            return cls.of(growing_blocks(count, rng))
        unit = np.flatnonzero(count)
        return cls(_PARTS[rng.integers(_PARTS.size, size=unit.size)], unit, np.ones(unit.size))

    @classmethod
    def of(cls, counts: Any) -> Blocks:
        """Return blocks of units that are counted, shape (blocks, units)."""
        unit, block = np.nonzero(np.transpose(counts))
        return cls(block, unit, np.asarray(counts)[block, unit].astype(np.float64))

    @property
    def n(self) -> float:
        """Number of units, equal ones one by one."""
        return float(self.times.sum())

    @property
    def before(self) -> Iterator[Blocks]:
        """What comes before each block."""
        for block in range(BLOCKS):
            yield self.at(np.flatnonzero(self.block < block))

    def at(self, entries: NDArray[np.intp]) -> Blocks:
        """Return some entries."""
        return Blocks(self.block[entries], self.unit[entries], self.times[entries])

    def counts(self, units: int) -> Counts:
        """Return how often each of so many units is in any block."""
        return np.bincount(self.unit, self.times, minlength=units).astype(np.int64)

    def won(self, stakes: Floats, returns: Floats) -> float:
        """Return the logarithm of the capital, from stakes of blocks and returns of entries."""
        return float(self.times @ np.log1p(stakes[self.block] * returns))


# Stakes ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """Sums over the units before each block, which are all that its stake depends on."""

    number: Any
    mass: Any  # sum of weights
    total: Any  # of weight times value
    squares: Any  # of squared weights
    first: Any  # of squared weight times value
    second: Any  # of squared weight times squared value

    @classmethod
    def of(cls, blocks: Blocks, weight: Floats, values: Callable[[int, Blocks], Floats]) -> Seen:
        """Return sums over the units of blocks that weigh so much.

        `values` returns those of the entries before a block, which may be other ones for each.
        """
        sums = np.zeros((6, BLOCKS))
        for block, seen in enumerate(blocks.before):
            if seen.unit.size:
                own, value = weight[seen.unit], values(block, seen)
                mass = seen.times * own
                square = mass * own
                rising = square * value
                sums[:, block] = (
                    *(seen.n, mass.sum(), mass @ value),
                    *(square.sum(), rising.sum(), rising @ value),
                )
        return cls(*sums)

    @classmethod
    def plain(cls, number: Any, total: Any, squares: Any) -> Seen:
        """Return sums of values and of squared values, where all units weigh the same."""
        return cls(number, number, total, number, total, squares)

    @property
    def column(self) -> Seen:
        """The same as a column: for one kind of units."""
        return Seen(*(getattr(self, part.name)[:, None] for part in fields(self)))

    def variance(self, width: Any = 1.0) -> Any:
        """Return what the variance of a unit is taken to be.

        `width` is how far apart values can be. One more unit, which is half of that away from the
        mean, keeps the variance of a few units from being far too small.
        """
        mean = self.total / np.where(self.mass > 0, self.mass, 1)
        spread = self.second - 2 * mean * self.first + mean**2 * self.squares
        usual = np.where(self.number > 0, self.squares / np.maximum(self.number, 1), 1.0)
        return (0.25 * width**2 * usual + np.maximum(spread, 0)) / (self.number + 1)


def goal_of(level: float) -> float:
    """Return the logarithm of what a capital must be multiplied by to refute a mean."""
    return float(np.log(2 / (1 - level)))


def stakes_of(goal: float, noise: Any, n: Any) -> Any:
    """Return the stakes that reach the goal nearest to the mean.

    `noise` is the variance of the mean of n units. Of kinds of units whose means add up it is that
    of the sum, and each kind has a stake by its own number.
    """
    return np.sqrt(2 * goal / noise) / np.maximum(n, 1)


# Limits ----------------------------------------------------------------------------------------


def refuted_up_to(gain: Gain, low: float, high: float, start: float | None = None) -> float:
    """Return where a falling gain is 0, or the end of the range; `start` is near to it.

    References
    ----------
    .. [1] T. Chandrupatla, "A new hybrid quadratic/bisection algorithm for finding the zero of a
       nonlinear function without using derivatives", Adv. Eng. Softw. 28, 1997.
    """
    if (most := gain(low)) <= 0:
        return low
    ends = [(low, most)]
    for place in (start, high) if start is not None and low < start < high else (high,):
        ends.append((place, gain(place)))
        if ends[-1][1] <= 0:
            break
    else:
        return high
    (other, f_other), (last, f_last) = ends[-2:]
    part = f_last / (f_last - f_other) if start is not None else 0.5
    while True:
        # Between `last` and `other` the gain changes its sign; `before` is the place before them.
        place = last + part * (other - last)
        f_place = gain(place)
        if (f_place > 0) == (f_last > 0):
            before, f_before = last, f_last
        else:
            before, f_before, other, f_other = other, f_other, last, f_last
        last, f_last = place, f_place
        near = _NEAR / abs(other - last)
        if f_last == 0 or near > 0.5:
            return last if abs(f_last) < abs(f_other) else other
        x, f = (last - other) / (before - other), (f_last - f_other) / (f_before - f_other)
        part = 0.5
        if f**2 < x and (1 - f) ** 2 < 1 - x:  # an inverse parabola through all three is safe
            part = f_last / (f_other - f_last) * f_before / (f_other - f_before)
            slope = (before - last) / (other - last) * f_last / (f_before - f_last)
            part += slope * f_other / (f_before - f_other)
        part = min(max(part, near), 1 - near)


def refuted_from(gain: Gain, low: float, high: float) -> float:
    """Return where a rising gain is 0, or the end of the range."""
    return -refuted_up_to(lambda less: gain(-less), -high, -low)


@dataclass(frozen=True, slots=True, eq=False)
class Bets:
    """Limits of a mean of bounded numbers that no gambler could refute."""

    blocks: Blocks = field(repr=False)
    values: Floats = field(repr=False)  # of each entry of the blocks
    weight: Floats = field(repr=False)  # of each entry, as shares of the heaviest there can be
    variance: Floats  # of a unit, as it seems before each block
    n: float  # units, for the stakes
    span: tuple[float, float]  # of the mean
    least: Any  # that values of each block can be
    most: Any
    method: str = "betting"

    @classmethod
    def of(
        cls,
        values: Floats,
        blocks: Blocks,
        span: tuple[float, float] = (0.0, 1.0),
        *,
        weight: Any = 1.0,
        bounds: tuple[Any, Any] | None = None,
        width: float | None = None,
    ) -> Bets:
        """Return bets on units with such values, or with other ones in each block.

        Weights are shares of the heaviest unit there can be. The values of a block lie within
        `bounds`, by default those of the mean. `width` is how far apart they are taken to be before
        any is seen; the bounds say so by default.
        """
        least, most = span if bounds is None else bounds
        each = np.broadcast_to(values, (BLOCKS, values.shape[-1]))
        weight = np.broadcast_to(weight, values.shape[-1:])
        seen = Seen.of(blocks, weight, lambda block, before: each[block][before.unit])
        variance = seen.variance(np.subtract(most, least) if width is None else width)
        own = each[blocks.block, blocks.unit] if values.ndim > 1 else values[blocks.unit]
        return cls(blocks, own, weight[blocks.unit], variance, blocks.n, span, least, most)

    @classmethod
    def on(cls, sample: Sample, values: Floats, rng: np.random.Generator, top: float) -> Bets:
        """Return bets on the mean over a sample of a number in [0, top] for each cell."""
        mean, weight, count = sample.in_units(values)
        blocks = Blocks.drawn(count, rng)
        return cls.of(mean, blocks, (0.0, top), weight=weight / weight.max())

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        return self.lower(level), self.upper(level)

    def upper(self, level: float) -> float:
        """Return the upper limit at `level` alone."""
        low, high = self.span
        less = {"span": (-high, -low), "least": np.negative(self.most)}
        less |= {"most": np.negative(self.least), "values": -self.values}
        return -replace(self, **less).lower(level)

    def lower(self, level: float) -> float:
        """Return the lower limit at `level` alone: the largest mean that is refuted."""
        goal = goal_of(level)
        stakes = self.stakes(goal)
        whole = stakes[self.blocks.block] * self.weight

        def gain(mean: float) -> float:
            most = MOST / np.maximum(mean - self.least, _TINY)
            capped = whole
            if (stakes > most).any():
                capped = np.minimum(stakes, most)[self.blocks.block] * self.weight
            return float(self.blocks.times @ np.log1p(capped * (self.values - mean))) - goal

        return refuted_up_to(gain, *self.span, self._near(goal))

    def stakes(self, goal: float) -> Floats:
        """Return the stake of each block."""
        return np.asarray(stakes_of(goal, self.variance / max(self.n, 1), self.n))

    def _near(self, goal: float) -> float | None:
        """Return about where the lower limit is, were all of the variance known."""
        mass = self.blocks.times * self.weight
        total = float(mass.sum())
        if total == 0:
            return None
        noise = float(self.variance[-1]) / max(self.n, 1)
        return float(mass @ self.values) / total - float(np.sqrt(2 * goal * noise))
