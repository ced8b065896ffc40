"""Limits of ceilings and floors from ratings: a jackknife on a log scale, and bets.

Every ceiling rises with phi = log(V / W + c), where c W is the noise of an item's mean rating. The
jackknife of phi is right for many items. What few items hide is allowed for: a standard error at
least that of normal ratings, Student's t by the kurtosis of the items' influences, skewness where
it widens, one more item of the kind that matters most, and, where few items have any disagreement,
the exact limits of how many do. The rules were tuned on families of distributions and measured on
others (benchmarks/results/ratings.md); they are no proof. The certified interval is one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import attrgetter
from typing import Any

import numpy as np

from errorfloor._typing import Counts, Floats
from errorfloor.intervals.bets import (
    BLOCKS,
    Bets,
    Blocks,
    goal_of,
    refuted_from,
    refuted_up_to,
    stakes_of,
)
from errorfloor.methods.ratings import Rated, Totals, Variances

JACKKNIFE, CERTIFIED, PUBLISHED = "jackknife", "certified", "published"
_LEAST_DF = 3.0
_PAIRINGS = 8
_MOST_LOST = 0.9  # of the capital by one pair
_GRID = 40  # shares of signal that are tried first
_FAR = 700.0  # beyond which exp is out of range

Link = Callable[[float], float]


# The jackknife ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Spread:
    """How far an estimate is off, by leaving out units one at a time.

    Attributes
    ----------
    error : float
        Standard error.
    df : float
        Of Student's t, by the kurtosis of the units' influences.
    skew : float
        Of these influences, over the square root of their number.
    df_below : float, optional
        Of Student's t for the lower limit, where it is another one.
    wider_below : float
        How much larger the standard error is for the lower limit.
    of_raters : float
        Share of the squared standard error that is due to raters.
    """

    error: float
    df: float
    skew: float
    df_below: float | None = None
    wider_below: float = 1.0
    of_raters: float = 0.0

    @classmethod
    def of(
        cls, leaves: Floats, number: Counts, least: float, raters: Floats | None = None
    ) -> Spread:
        """Return the spread of estimates without each unit, and without each rater."""
        n = int(number.sum())
        influence = (n - 1) * (number @ leaves / n - leaves)
        square = float(number @ influence**2) / n
        items = max(square / (n - 1), least**2)
        kurtosis = skew = 0.0
        if square > 0:
            kurtosis = float(number @ influence**4) / n / square**2
            skew = float(number @ influence**3) / n / square**1.5 / np.sqrt(n)
        df = min(max(2 * n / max(kurtosis - 1, 1e-9), _LEAST_DF), max(n - 1, _LEAST_DF))
        if raters is None:
            return cls(np.sqrt(items), df, skew)
        k = raters.size
        of_raters = (k - 1) / k * float(((raters - raters.mean()) ** 2).sum())
        both = items + of_raters
        usual = both**2 / (items**2 / df + of_raters**2 / (k - 1))
        # A few raters may agree by luck, and hide how much raters differ.
        few = min(usual, float(k - 1))
        below = np.sqrt((items + of_raters * (k + 1) / (k - 1)) / both)
        share = of_raters / both if both > 0 else 0.0
        df_below = max(few, _LEAST_DF - 1)
        return cls(np.sqrt(both), max(usual, _LEAST_DF), skew, df_below, below, share)

    def ends(self, level: float) -> tuple[float, float]:
        """Return how far below and above the estimate the limits are; skewness only widens."""
        from scipy.special import stdtrit

        t = float(stdtrit(self.df, (1 + level) / 2))
        below = t if self.df_below is None else float(stdtrit(self.df_below, (1 + level) / 2))
        shift = self.skew / 6 * (1 + 2 * t**2) * self.error
        below *= self.error * self.wider_below
        return below - min(shift, 0.0), t * self.error + max(shift, 0.0)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """How many of the items with several ratings have any disagreement."""

    some: int
    n: int

    @classmethod
    def of(cls, rated: Rated) -> Disagreement:
        """Return how many rows of several ratings have two that differ."""
        several = rated.several
        count = rated.count[several]
        return cls(int(count @ (rated.spread[several] > 0)), int(count.sum()))

    def factors(self, level: float) -> tuple[float, float]:
        """Return exact limits of the share of such items, by the share that there is."""
        from errorfloor.intervals.models import lower_limit, upper_limit

        tail = (1 - level) / 2
        low, high = lower_limit(self.some, self.n, tail), upper_limit(self.some, self.n, tail)
        return float(low) * self.n / self.some, float(high) * self.n / self.some

    def most(self, level: float) -> float:
        """Return the largest share of such items that is likely."""
        from errorfloor.intervals.models import upper_limit

        return float(upper_limit(self.some, self.n, (1 - level) / 2))


@dataclass(frozen=True, slots=True, eq=False)
class RatioLimits:
    """Limits of a ceiling, which rises with the signal over the noise.

    Attributes
    ----------
    ratio : float
        Signal over noise of a rating; infinite where all agree.
    offset : float
        Noise of an item's mean rating, over that of a rating.
    spread : Spread or None
        Of phi; None where too few items tell it.
    outward : pair of float
        How far one more item that matters most would move phi down and up.
    disagreement : Disagreement
    differ : float
        Share of pairs of items whose ratings differ.
    link : callable
        From signal over noise to the ceiling.
    """

    ratio: float
    offset: float
    spread: Spread | None
    outward: tuple[float, float]
    disagreement: Disagreement
    differ: float
    link: Link = field(repr=False)
    method: str = JACKKNIFE

    @property
    def value(self) -> float:
        """The ceiling."""
        return self.link(max(self.ratio, 0.0))

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        if np.isinf(self.ratio):
            most = self.disagreement.most(level) / max(self.differ, 1e-300)
            return self.link((1 - most) / most if most < 1 else 0.0), self.link(np.inf)
        if self.spread is None:
            return self.link(0.0), self.link(np.inf)
        phi = float(np.log(self.ratio + self.offset))
        down, up = self.spread.ends(level)
        fewer, more = self.disagreement.factors(level)
        low = min(phi - down - self.outward[0], phi - np.log(more))
        high = max(phi + up + self.outward[1], phi - np.log(fewer) if fewer > 0 else np.inf)
        return self._at(low), self._at(high)

    def _at(self, phi: float) -> float:
        ratio = np.exp(min(phi, _FAR)) - self.offset if np.isfinite(phi) else np.inf
        return self.link(max(float(ratio), 0.0))


@dataclass(frozen=True, slots=True, eq=False)
class LogLimits:
    """Limits of a positive number, such as the noise, by a jackknife of its logarithm.

    `factors` make its lower and its upper limit another number's; `most` is the largest value
    that a scale of this width allows for any item.
    """

    value: float
    spread: Spread | None
    outward: tuple[float, float]
    disagreement: Disagreement
    most: float
    factors: tuple[float, float] = (1.0, 1.0)
    method: str = JACKKNIFE

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        if self.disagreement.some == 0:
            return 0.0, self.factors[1] * self.most * self.disagreement.most(level)
        if self.spread is None:
            return 0.0, self.factors[1] * self.most
        fewer, more = self.disagreement.factors(level)
        down, up = self.spread.ends(level)
        low = self.value * min(np.exp(-down - self.outward[0]), fewer)
        high = self.value * max(np.exp(min(up + self.outward[1], _FAR)), more)
        return self.factors[0] * low, self.factors[1] * max(min(high, self.most), self.value)


def ratio_limits(rated: Rated, totals: Totals, link: Link) -> RatioLimits:
    """Return limits of what rises with the signal over the noise."""
    found = totals.all
    agree = Disagreement.of(rated)
    if agree.some == 0:
        return RatioLimits(np.inf, 0.0, None, (0.0, 0.0), agree, _differ(rated), link)
    ratio, offset = float(found.signal / found.noise), float(found.of_means / found.noise)
    extreme = _extreme(rated)
    between = float(found.between)
    if ratio + offset <= 1e-9 * extreme / max(float(found.noise), 1e-300):
        # All items have the same mean: one more item is all that there can be of a signal.
        between = extreme / rated.n
        ratio = between / float(found.noise) - offset

    def phi(sums: Floats) -> Floats:
        left = totals.variances(sums)
        noise = np.maximum(left.noise, 1e-12 * found.noise)
        share = left.signal / noise + offset
        return np.asarray(np.log(np.maximum(share, 1e-6 * (ratio + offset))))

    degrees = float(rated.count @ (rated.size - 1))
    least = np.sqrt(2 / (_effective(rated) - 1) + 2 / degrees)
    spread = _spread(totals, agree, phi, least)
    outward = (_one_more(rated.spread, rated), float(np.log1p(extreme / (rated.n * between))))
    return RatioLimits(ratio, offset, spread, outward, agree, _differ(rated), link)


def noise_limits(
    rated: Rated, totals: Totals, of: Callable[[Variances], Any], most: float
) -> LogLimits:
    """Return limits of a noise that follows from the variances."""
    least = np.sqrt(2 / float(rated.count @ (rated.size - 1)))
    return _log_limits(rated, totals, of, rated.spread, least, most)


def difference_limits(rated: Rated, most: float) -> LogLimits:
    """Return limits of the floor of the mean absolute error, from differences of two ratings.

    Given the item, the mean difference D of two ratings is at least the mean distance to the
    median and at most twice that: the floor lies from D / 2 to D.
    """
    differences = rated.differences
    mass = rated.weight * rated.several
    own = np.column_stack((mass * differences, mass))
    totals = Totals(own.T @ rated.count, *rated.units(own), _mean_of)
    least = np.sqrt(0.5 / Disagreement.of(rated).n)
    found = _log_limits(rated, totals, attrgetter("noise"), differences, least, most)
    return replace(found, factors=(0.5, 1.0))


def _mean_of(sums: Floats) -> Variances:
    return Variances(0.0, sums[..., 0] / np.maximum(sums[..., 1], 1e-300), 0.0)


def _log_limits(
    rated: Rated,
    totals: Totals,
    of: Callable[[Variances], Any],
    each: Floats,
    least: float,
    most: float,
) -> LogLimits:
    """Return limits of a number that follows from what `each` row has, by its logarithm."""
    agree = Disagreement.of(rated)
    value = float(of(totals.all))
    if agree.some == 0:
        return LogLimits(0.0, None, (0.0, 0.0), agree, most)

    def log(sums: Floats) -> Floats:
        return np.asarray(np.log(np.maximum(of(totals.variances(sums)), 1e-6 * value)))

    outward = 0.0, _one_more(each, rated)
    return LogLimits(value, _spread(totals, agree, log, least), outward, agree, most)


def _spread(
    totals: Totals, agree: Disagreement, of: Callable[[Floats], Floats], least: float
) -> Spread | None:
    """Return the spread of what follows from totals; None where too few items tell it."""
    if int(totals.number.sum()) <= 2 or agree.n <= 2:
        return None
    without = totals.without_raters
    raters = None if without is None else of(without)
    return Spread.of(of(totals.without_units), totals.number, least, raters)


def _effective(rated: Rated) -> float:
    mass = rated.weight
    return max(float(rated.count @ mass) ** 2 / float(rated.count @ mass**2), 1.5)


def _extreme(rated: Rated) -> float:
    """Return how much one more item would add that is like the most extreme ones."""
    square = rated.value**2
    mass = (rated.weight * rated.count)[rated.item]
    return float(mass @ square**2 / max(float(mass @ square), 1e-300))


def _one_more(spread: Floats, rated: Rated) -> float:
    """Return how far one more item like the noisiest would move the logarithm of the noise."""
    mass = rated.weight * rated.count * rated.several
    first, second = float(mass @ spread), float(mass @ spread**2)
    several = int(rated.count @ rated.several)
    mean = first / float(mass.sum())
    return float(np.log1p(second / (first * several * mean)))


def _differ(rated: Rated) -> float:
    """Return the share of pairs of items whose means differ."""
    _, at = np.unique(np.round(rated.mean, 12), return_inverse=True)
    same = np.bincount(at, rated.count)
    n = rated.n
    return 1 - float((same * (same - 1)).sum()) / (n * (n - 1))


# Bets ------------------------------------------------------------------------------------------


@dataclass(eq=False)
class RatioBets:
    """Limits of a ceiling that no gambler could refute, whatever ratings are like.

    Items are paired at random. For a share of signal rho0, (1 - rho0) d - w has the mean
    (rho - rho0) S, where d is half the mean squared difference of ratings across a pair, w the mean
    noise within its items and S the variance of a rating. Bets are placed both ways, and capitals
    of several pairings are averaged, which keeps them fair.
    """

    value: float
    share: float  # of signal, as it seems
    pairings: tuple[_Pairing, ...] = field(repr=False)
    link: Link = field(repr=False)
    method: str = CERTIFIED

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        goal = goal_of(level)

        def gain(side: int, rho: float) -> float:
            won = np.array([one.won(side, goal, rho) for one in self.pairings])
            return float(np.logaddexp.reduce(won) - np.log(won.size)) - goal

        # Stakes depend on the share, so that a gain need not fall: all that may be true is kept.
        grid = np.linspace(0, 1, _GRID + 1)
        open_ = [rho for rho in grid if gain(1, rho) <= 0 and gain(-1, rho) <= 0] or [self.share]
        step = 1 / _GRID
        least, most = max(min(open_) - step, 0.0), min(max(open_) + step, 1.0)
        low = refuted_up_to(lambda rho: gain(1, rho), least, min(open_))
        high = refuted_from(lambda rho: gain(-1, rho), max(open_), most)
        low, high = (self.link(rho / (1 - rho) if rho < 1 else np.inf) for rho in (low, high))
        return min(low, self.value), max(high, self.value)


@dataclass(eq=False)
class _Pairing:
    """Items in random pairs: across and within, as shares of the largest that they can be."""

    across: Floats
    within: Floats
    block: Counts
    hidden: float  # share of the noise within two items that is not seen across them

    @cached_property
    def _moments(self) -> tuple[Floats, Floats]:
        """Number of pairs before each block, and the sums that their variance follows from."""
        columns = np.column_stack(
            (
                *(np.ones_like(self.across), self.across, self.within, self.across**2),
                *(self.within**2, self.across * self.within),
            )
        )
        sums = np.zeros((BLOCKS, columns.shape[1]))
        np.add.at(sums, self.block, columns)
        before = np.cumsum(sums, axis=0) - sums
        return before[:, 0], before

    def _stakes(self, goal: float, least: float) -> Floats:
        """Return the stake of each block, where no return is below `-least`."""
        number, sums = self._moments
        n = np.maximum(number, 1)
        a, b = sums[:, 1] / n, sums[:, 2] / n
        keep = np.where(a > 0, np.minimum(b / np.maximum(a, 1e-300), 1), 0.5)  # 1 - rho so far
        square = keep**2 * sums[:, 3] - 2 * keep * sums[:, 5] + sums[:, 4]
        variance = (0.25 + np.maximum(square, 0)) / (number + 1)
        size = self.across.size
        most = _MOST_LOST / max(least, 1e-6)
        return np.asarray(np.minimum(stakes_of(goal, variance / size, size), most))

    def won(self, side: int, goal: float, rho: float) -> float:
        """Return the logarithm of the capital."""
        returns = side * ((1 - rho) * self.across - self.within)
        # Ratings that differ within two items differ across them as well.
        least = 1 - (1 - rho) * (1 - self.hidden) if side > 0 else 1 - rho
        return float(np.log1p(self._stakes(goal, least)[self.block] * returns).sum())


def certified_ratio(
    rated: Rated, width: float, link: Link, value: float, rng: np.random.Generator
) -> RatioBets:
    """Return bets on the share of signal; items with one rating are left out."""
    row = np.repeat(np.arange(rated.size.size), rated.count)
    row = row[rated.several[row]]
    most = width**2 / 2
    second = np.bincount(rated.item, rated.value**2, minlength=rated.size.size) / rated.size
    pairings = []
    hidden = 1 / int(rated.size[row].min())
    for _ in range(_PAIRINGS):
        order = rng.permutation(row)
        one, other = order[: order.size // 2], order[order.size // 2 : order.size // 2 * 2]
        across = (second[one] + second[other]) / 2 - rated.mean[one] * rated.mean[other]
        within = (rated.spread[one] + rated.spread[other]) / 2
        block = Blocks.drawn(np.ones(one.size, dtype=np.int64), rng).block
        pairings.append(_Pairing(np.maximum(across, 0) / most, within / most, block, hidden))
    ends = np.array([[one.across.mean(), one.within.mean()] for one in pairings]).mean(axis=0)
    share = float(np.clip(1 - ends[1] / max(ends[0], 1e-300), 0, 1))
    return RatioBets(value, share, tuple(pairings), link)


def certified_mean(
    values: Floats, rated: Rated, most: float, factors: tuple[float, float], rng: Any
) -> ScaledBets:
    """Return bets on the mean of a number from 0 to `most` for each item with several ratings."""
    count = np.where(rated.several, rated.count, 0)
    blocks = Blocks.drawn(count, rng)
    mean = float(count @ values / count.sum())
    return ScaledBets(mean, Bets.of(values / most, blocks), most, factors)


@dataclass(frozen=True, slots=True, eq=False)
class ScaledBets:
    """Bets on a mean in another unit; its limits times factors are limits of the floor."""

    value: float
    bets: Bets = field(repr=False)
    unit: float
    factors: tuple[float, float]
    method: str = CERTIFIED

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        low, high = self.bets.limits(level)
        low, high = min(low * self.unit, self.value), max(high * self.unit, self.value)
        return self.factors[0] * low, self.factors[1] * high


@dataclass(frozen=True, slots=True, eq=False)
class FisherLimits:
    """Limits of a ceiling from a published agreement of two people, by Fisher's z."""

    agreement: float
    n: int
    link: Link = field(repr=False)
    method: str = PUBLISHED

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        from scipy.special import ndtri

        if abs(self.agreement) == 1:
            return (float(self.link(max(self.agreement, 0.0))),) * 2
        half = float(ndtri((1 + level) / 2)) / np.sqrt(self.n - 3)
        ends = np.tanh(np.arctanh(self.agreement) + half * np.array([-1, 1]))
        low, high = (float(self.link(max(end, 0.0))) for end in ends)
        return low, high
