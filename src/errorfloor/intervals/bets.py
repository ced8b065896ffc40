"""Bets on means of bounded numbers: limits that hold at any number of items.

A mean is refuted when betting against it would have multiplied the capital by 2 / (1 - level),
which a true mean allows with at most half that chance, for any n. Units are bet on in random
blocks. The stake of a block depends on the blocks before it, so it adapts to small variances.

Where units weigh differently, what is known is a weighted mean, whose target is E[w x] / E[w].
Betting on w (x - m) is exact for weights with a bound: no unit may weigh more than the heaviest
one seen.

Of F1, selective error and balanced error, whether the value is above or below a number is whether
a mean is above or below 0. So betting against that mean refutes numbers.

References
----------
.. [1] I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random variables by betting",
   J. R. Stat. Soc. B 86, 2024, theorem 3 and section 4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from errorfloor import _references as references
from errorfloor._typing import Counts, Floats
from errorfloor.data.sample import Sample, split
from errorfloor.intervals.record import Case, Evidence, IntervalKind, Undefined
from errorfloor.methods.fitted import MeanFloor
from errorfloor.methods.record import Basis, uses_weights
from errorfloor.methods.soft import BestValue
from errorfloor.metrics.selective import CountedCoverageAt, CountedErrorAt
from errorfloor.metrics.two_by_two import CountedF1, CountedForms

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
class SumsBefore:
    """Sums over the units before each block, which are all that its stake depends on."""

    number: Any
    mass: Any  # sum of weights
    total: Any  # of weight times value
    squares: Any  # of squared weights
    first: Any  # of squared weight times value
    second: Any  # of squared weight times squared value

    @classmethod
    def of(
        cls, blocks: Blocks, weight: Floats, values: Callable[[int, Blocks], Floats]
    ) -> SumsBefore:
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
    def plain(cls, number: Any, total: Any, squares: Any) -> SumsBefore:
        """Return sums of values and of squared values, where all units weigh the same."""
        return cls(number, number, total, number, total, squares)

    @property
    def column(self) -> SumsBefore:
        """The same as a column: for one kind of units."""
        return SumsBefore(*(getattr(self, part.name)[:, None] for part in fields(self)))

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
        seen = SumsBefore.of(blocks, weight, lambda block, before: each[block][before.unit])
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


@dataclass(frozen=True, slots=True, eq=False)
class Hoeffding:
    """Limits for the mean of numbers in [0, top], whatever they are.

    References
    ----------
    .. [1] W. Hoeffding, J. Am. Stat. Assoc. 58, 1963; the paper's bound for clean soft labels.
    """

    value: float
    n: int
    method: str = "hoeffding"
    top: float = 0.5

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        half = self.top * float(np.sqrt(np.log(2 / (1 - level)) / (2 * self.n)))
        return self.value - half, self.value + half


@dataclass(frozen=True, slots=True)
class PairShare:
    """Limits of an AUC at any number of items.

    The share of ordered pairs is a mean over pairs that share items. Its exponential moments are at
    most those of as many independent pairs as the rarer class has items, so the limits of Chernoff
    for that many hold.

    References
    ----------
    .. [1] W. Hoeffding, J. Am. Stat. Assoc. 58, 1963, section 5.
    """

    value: float
    pairs: float
    method: str = "certified"

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        return self.lower(level), _as_far(self.value, 1.0, self._far(level))

    def lower(self, level: float) -> float:
        """Return the lower limit at `level` alone."""
        return _as_far(self.value, 0.0, self._far(level))

    def _far(self, level: float) -> float:
        return float(np.log(2 / (1 - level))) / self.pairs


def _as_far(share: float, end: float, far: float) -> float:
    """Return the probability between a share and an end of [0, 1] that is as far from the share."""
    from scipy.optimize import brentq

    last = end + 1e-15 * (1 - 2 * end)
    if share == end or divergence(share, last) <= far:
        return end
    return float(brentq(lambda p: divergence(share, p) - far, *sorted((share, last))))


def divergence(share: float, p: float) -> float:
    """Return the divergence of a share from a probability."""
    from scipy.special import rel_entr

    return float(rel_entr(share, p) + rel_entr(1 - share, 1 - p))


@uses_weights()
def _bets_on_mean(case: Case) -> Evidence:
    assert isinstance(case.statistic, MeanFloor)
    return Bets.on(case.cells, case.statistic.floor, case.streams.for_("blocks"), _top(case))


def _hoeffding(case: Case) -> Evidence:
    return Hoeffding(case.value, int(case.count.sum()), top=_top(case))


def _top(case: Case) -> float:
    """Return the largest floor that an item can have."""
    return case.options.metric.span(len(case.table.classes))[1]


BETTING = IntervalKind(
    name="betting",
    basis=Basis.MEAN,
    make=_bets_on_mean,
    promise="Both limits hold at any number of items and for any distribution of what is averaged.",
    with_weights="Both limits hold at any number of items and for any distribution of what is "
    "averaged, if no item or cluster of the population weighs more than the heaviest one seen.",
    in_short="any n, any distribution",
    proof="[proven](theory/floor.md#the-betting-interval)",
    references=(references.BETTING,),
)
HOEFFDING = IntervalKind(
    name="hoeffding",
    basis=Basis.MEAN,
    make=_hoeffding,
    promise="Both limits hold at any number of items and for any distribution of what is averaged, "
    "and are wide.",
    in_short="the same, wide",
    proof="proven",
    references=(references.HOEFFDING,),
    is_random=False,
    stands_in=2,
)


_GRID = 32  # places at which the least gain is looked for, then between those next to it
_AT_ONCE = 2**16  # only for speed: numbers
_ROWS = 2**13  # distinct errors, beyond which neighbours are taken together, on the safe side


@dataclass(frozen=True, slots=True, eq=False)
class BettingSelective:
    """Limits of the error at a coverage, or of the coverage at an error."""

    asked: CountedErrorAt | CountedCoverageAt = field(repr=False)
    errors: Errors = field(repr=False)
    top: float  # the largest error of an item
    method: str = "betting"

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        best = _SelectiveBets(self.errors, self.top, goal_of(level))
        if isinstance(self.asked, CountedErrorAt):
            c = self.asked.coverage
            marks = self._marks(c)
            low = refuted_up_to(lambda q: best.is_harder(c, q, marks), 0.0, self.top)
            return low, refuted_from(lambda q: best.is_easier(c, q), 0.0, self.top)
        q = self.asked.at
        marks = self._marks(None)
        low = refuted_up_to(lambda c: best.is_easier(c, q), 0.0, 1.0)
        return low, refuted_from(lambda c: best.is_harder(c, q, marks), 0.0, 1.0)

    def _marks(self, coverage: float | None) -> Floats:
        """Return the error of the last item to be answered, as earlier items have it."""
        return np.array([self._mark(count, coverage) for count in self.errors.before])

    def _mark(self, count: Counts, coverage: float | None) -> float:
        if not count.any():
            return self.top
        if coverage is None:
            assert isinstance(self.asked, CountedCoverageAt)
            coverage = CountedCoverageAt.share(self.errors.high, count, self.asked.at)
        place = int(np.searchsorted(np.cumsum(count), coverage * count.sum()))
        return float(self.errors.high[min(place, count.size - 1)])


@dataclass(frozen=True, eq=False)
class Errors:
    """Items in blocks by their least errors, ascending, each known to lie in a short range."""

    low: Floats
    high: Floats
    blocks: Blocks

    @classmethod
    def of(cls, error: Floats, blocks: Counts, top: float) -> Errors:
        """Take items of one error together, or of neighbouring ones where these are too many."""
        key = error
        if np.count_nonzero(np.diff(error)) >= _ROWS:
            key = np.floor(error * (_ROWS / top))
        start = np.flatnonzero(np.append(True, key[1:] > key[:-1]))
        end = np.append(start[1:], error.size) - 1
        counts = np.add.reduceat(blocks, start, axis=1)
        return cls(error[start], error[end], Blocks.of(counts))

    @cached_property
    def before(self) -> Counts:
        """How many items of each error come before each block, shape (blocks, r)."""
        return np.stack([seen.counts(self.high.size) for seen in self.blocks.before])

    @cached_property
    def sums(self) -> Floats:
        """Running sums of 1, r and r^2 over the items before each block, shape (3, blocks, r)."""
        powers = np.stack((np.ones_like(self.high), self.high, self.high**2))
        sums = np.cumsum(self.before * powers[:, None], axis=2)
        return np.concatenate((np.zeros((*sums.shape[:2], 1)), sums), axis=2)

    def stakes(self, goal: float, places: Floats, top: float) -> Floats:
        """Return the stakes on (place - r)_+ from the items before, shape (places, blocks)."""
        row = np.searchsorted(self.high, places)
        number, first, second = self.sums[:, :, row]
        total = places * number - first
        squares = places**2 * number - 2 * places * first + second
        variance = SumsBefore.plain(self.sums[0, :, -1:], total, squares).variance(top)
        return np.asarray(stakes_of(goal, variance / self.blocks.n, self.blocks.n)).T


@dataclass(frozen=True, slots=True, eq=False)
class _SelectiveBets:
    """What betting gains against statements about a coverage c and an error q."""

    errors: Errors
    top: float
    goal: float

    def is_harder(self, c: float, q: float, marks: Floats) -> float:
        """Return the gain against: c of the items can be answered with an error of q at most."""
        stakes = np.diagonal(self.errors.stakes(self.goal, marks, self.top))
        promised = c * (marks - q)
        most = np.maximum(marks - promised, 1e-300)  # the most that an item may lose
        capped = np.where(marks > q, np.minimum(stakes, MOST / most), 0.0)  # else nothing is lost
        blocks = self.errors.blocks
        kept = np.maximum(marks[blocks.block] - self.errors.low[blocks.unit], 0)
        return blocks.won(capped, promised[blocks.block] - kept) - self.goal

    def is_easier(self, c: float, q: float) -> float:
        """Return the gain against: no more than c can be answered with an error of q at most."""
        places = np.linspace(q, self.top, _GRID)
        gains = self._gains(c, q, places)
        least = int(gains.argmin())
        near = places[max(least - 1, 0)], places[min(least + 1, _GRID - 1)]
        finer = self._gains(c, q, np.linspace(*near, _GRID // 2))
        return float(min(gains[least], finer.min())) - self.goal

    def _gains(self, c: float, q: float, places: Floats) -> Floats:
        """Return logarithms of capitals from betting that E (t - r)_+ is above c (t - q)."""
        size = max(1, _AT_ONCE // self.errors.blocks.unit.size)
        parts = (places[start : start + size] for start in range(0, places.size, size))
        return np.concatenate([self._some_gains(c, q, part) for part in parts])

    def _some_gains(self, c: float, q: float, places: Floats) -> Floats:
        needed = c * (places - q)[:, None]
        stakes = self.errors.stakes(self.goal, places, self.top)
        capped = np.minimum(stakes, MOST / np.maximum(needed, 1e-300))
        blocks = self.errors.blocks
        block, row, count = blocks.block, blocks.unit, blocks.times
        # Items with an error above all places are alike.
        few = int(np.searchsorted(row, np.searchsorted(self.errors.high, places[-1])))
        returns = np.subtract.outer(places, self.errors.high[row[:few]])
        np.maximum(returns, 0, out=returns)
        returns -= needed
        returns *= capped[:, block[:few]]
        gained = np.log1p(returns, out=returns) @ count[:few]
        others = np.bincount(block[few:], count[few:], minlength=capped.shape[1])
        return np.asarray(gained + np.log1p(-capped * needed) @ others)


@dataclass(frozen=True, slots=True, eq=False)
class BettingF1:
    """Limits of the best F1.

    It is at least f where E (2p - f)_+ is at least f E p: a mean of (2p - f)_+ - f p, which falls
    with f for every p and lies between -f^2 / 2 and 2 (1 - f).
    """

    p: Floats = field(repr=False)
    blocks: Blocks = field(repr=False)
    method: str = "betting"

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        goal, n, p = goal_of(level), self.blocks.n, self.p[self.blocks.unit]
        seen = SumsBefore.of(self.blocks, np.ones(self.p.size), self._before)
        stakes = stakes_of(goal, seen.variance() / n, n)

        def above(f: float) -> float:
            # The cap keeps each return falling in f; f / 2 is more than can be lost, f^2 / 2.
            capped = np.minimum(stakes, 2 * MOST / f if f > 0 else np.inf)
            return self.blocks.won(capped, CountedF1.excess(p, f)) - goal

        def below(f: float) -> float:
            capped = np.minimum(stakes, MOST / (2 * (1 - f)) if f < 1 else np.inf)
            return self.blocks.won(capped, -CountedF1.excess(p, f)) - goal

        return refuted_up_to(above, 0.0, 1.0), refuted_from(below, 0.0, 1.0)

    def _before(self, _: int, seen: Blocks) -> Floats:
        """Return what is bet on, of the items before a block at the best F1 of these."""
        count = seen.counts(self.p.size)
        best = float(CountedF1(self.p, count).values(count[None])[0])
        return CountedF1.excess(self.p[seen.unit], 0.5 if np.isnan(best) else best)


def _f1(case: Case, counted: CountedF1) -> Evidence:
    return BettingF1(counted.p, Blocks.drawn(case.count, case.streams.for_("blocks")))


def _selective(case: Case, counted: CountedErrorAt | CountedCoverageAt) -> Evidence:

    top = 1 - 1 / len(case.table.classes)
    blocks = growing_blocks(case.count, case.streams.for_("blocks"))
    errors = Errors.of(counted.error, blocks[:, counted.order], top)
    return BettingSelective(counted, errors, top)


def _forms(case: Case, counted: CountedForms) -> Evidence:
    """Return limits of a mean that two forms have; blocks before it choose the form of each."""
    blocks = Blocks.drawn(case.count, case.streams.for_("blocks"))
    forms = np.stack((counted.forms.without_rest, counted.forms.without_max))
    before = (seen.counts(len(case.count)) for seen in blocks.before)
    chosen = np.array([counted.varies_least(count) for count in before])
    least, most = (ends[chosen] for ends in counted.bounds)
    span = counted.span
    return Bets.of(forms[chosen], blocks, span, bounds=(least, most), width=span[1])


_BY_STATISTIC: Mapping[type, Callable[..., Evidence]] = {
    CountedF1: _f1,
    CountedErrorAt: _selective,
    CountedCoverageAt: _selective,
    CountedForms: _forms,
}


def _bets_on_roots(case: Case) -> Evidence:
    assert isinstance(case.statistic, BestValue)
    make = _BY_STATISTIC.get(type(case.statistic.counted))
    if make is None:
        raise Undefined("the shares of the classes are estimated")
    return make(case, case.statistic.counted)


BETTING_ROOTS = IntervalKind(
    name="betting",
    basis=Basis.ROOTS,
    make=_bets_on_roots,
    promise="Both limits hold at any number of items and for any distribution of probabilities.",
    in_short="any n, any distribution",
    proof="[proven](theory/metrics.md#limits-of-other-metrics)",
    references=(references.BETTING,),
)
