"""Limits where items weigh differently or belong together.

What is known is a weighted mean, whose target is E[w x] / E[w]. Betting on w (x - m) is exact for
weights with a bound. Errors that were counted become errors of as many equal items as have the
same variance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from errorfloor._typing import Bools, Floats
from errorfloor.data.sample import Sample
from errorfloor.intervals.binomial import lower_limit, upper_limit
from errorfloor.intervals.blocks import Blocks
from errorfloor.intervals.held_out import worth_of_correlated, worth_of_freedom
from errorfloor.methods.cuts import Cuts, wrong_of


@dataclass(frozen=True, slots=True, eq=False)
class WeightedBetting:
    """Limits for the weighted mean of numbers in [0, top] that no gambler could refute.

    As `Betting`, with stakes on weight times distance. No unit may weigh more than the heaviest
    one seen.
    """

    values: Floats = field(repr=False)  # of each unit
    weight: Floats = field(repr=False)  # as shares of the heaviest there can be
    blocks: Blocks = field(repr=False)
    top: float = 0.5
    method: str = "betting"

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        log_goal = float(np.log(2 / (1 - level)))
        bets = UnitBets.of(self.blocks, self.weight, self.values / self.top)
        stakes = stakes_of(bets.known_before(), self.blocks.n, log_goal)
        low = bets.refuted_up_to(stakes, log_goal)
        high = 1 - bets.turned().refuted_up_to(stakes, log_goal)
        return low * self.top, high * self.top

    def upper(self, level: float) -> float:
        """Return the upper limit at `level` alone."""
        log_goal = float(np.log(2 / (1 - level)))
        bets = UnitBets.of(self.blocks, self.weight, self.values / self.top)
        stakes = stakes_of(bets.known_before(), self.blocks.n, log_goal)
        return (1 - bets.turned().refuted_up_to(stakes, log_goal)) * self.top


@dataclass(frozen=True, slots=True, eq=False)
class UnitBets:
    """Units that are bet on one after the other: their blocks, weights and values."""

    blocks: Blocks
    weight: Floats
    value: Floats

    @classmethod
    def of(cls, blocks: Blocks, weight: Floats, values: Floats) -> UnitBets:
        """Return the units of blocks."""
        return cls(blocks, weight[blocks.unit], values[blocks.unit])

    def known_before(self) -> Floats:
        """Return what is known of the units before each block, for `stakes_of`."""
        mass = self.blocks.times * self.weight
        square = mass * self.weight
        columns = self.blocks.times, mass, mass * self.value, square
        moments = square * self.value, square * self.value**2
        found = np.array([self.blocks.sums(column) for column in (*columns, *moments)])
        number, total, sums, squares, first, second = np.cumsum(found, axis=1) - found
        mean = np.divide(sums, total, out=np.full(total.size, 0.5), where=total > 0)
        spread = second - 2 * mean * first + mean**2 * squares
        return np.column_stack((number, squares, np.maximum(spread, 0)))

    def turned(self) -> UnitBets:
        """Return bets on what the values are short of 1."""
        return replace(self, value=1 - self.value)

    def refuted_up_to(self, stakes: Floats, log_goal: float) -> float:
        """Return the largest mean against which betting on more reaches the goal."""
        times = self.blocks.times
        mass = times * self.weight
        stake, total = stakes[self.blocks.block] * self.weight, float(mass.sum())
        if total == 0:
            return 0.0
        mean = float(mass @ self.value) / total

        def gain(tried: float) -> tuple[float, float]:
            most, falls = 0.5 / tried if tried > 0 else np.inf, stake
            capped = stake if stakes.max() <= most else np.minimum(stake, most * self.weight)
            won = capped * (self.value - tried)
            if capped is not stake:
                falls = np.where(capped < stake, capped * self.value / tried, stake)
            slope = -float(times @ (falls / (1 + won)))
            return float(times @ np.log1p(won)) - log_goal, slope

        return falling_root(gain, mean)


def falling_root(gain: Callable[[float], tuple[float, float]], start: float) -> float:
    """Return where a falling gain from 0 to 1 is 0, and 0 where it is nowhere positive.

    `gain` returns the value and the slope. Newton's steps from `start` find it soon where stakes
    are not capped, because there the gain is concave. Where they leave the bracket, and every
    eighth time, the bracket is halved instead.
    """
    low, high, tried, step, asked = 0.0, 1.0, start, 0, False
    while True:
        step += 1
        value, slope = gain(tried)
        low, high = (tried, high) if value > 0 else (low, tried)
        following = tried - value / slope if slope < 0 else -1.0
        if low <= following <= high and abs(following - tried) <= 1e-12:
            return following
        if high - low <= 1e-12:
            return low
        inside = low < following < high
        if not inside and low == 0 and not asked:
            asked = True
            if gain(low)[0] <= 0:
                return low
        tried = following if inside and step % 8 else (low + high) / 2


def stakes_of(known: Floats, n: int, log_goal: float) -> Floats:
    """Return the stake of each block of n units in all.

    `known` has, of the units before each block, their number, the sum of their squared weights, and
    that of squared weight times distance from the mean.
    """
    number, squares, spread = known.T
    usual = np.where(number > 0, squares / np.maximum(number, 1), 1.0)
    variance = (0.25 * usual + spread) / (number + 1)
    return np.asarray(np.sqrt(2 * log_goal / (max(n, 1) * variance)))


def known_of_cuts(cuts: Cuts, sample: Sample, weight: Floats, blocks: Blocks) -> Floats:
    """Return what `UnitBets.known_before` does of the errors of the best cut before each block."""
    found = []
    for block in range(int(blocks.block.max(initial=0)) + 1):
        units = blocks.before(block)
        own = weight[units.unit]
        mass = units.times * own
        some = sample.among(units.unit)
        wrong, square = wrong_of(some, cuts.fit(some, mass)), mass * own
        total, squares, ill = float(mass.sum()), float(square.sum()), float(square @ wrong)
        share = float(mass @ wrong) / total if total > 0 else 0.5
        found.append((units.n, squares, ill * (1 - share) ** 2 + (squares - ill) * share**2))
    return np.array(found, dtype=np.float64)


@dataclass(frozen=True, slots=True)
class WeightedErrors:
    """Limits from weighted shares of errors, each worth so many equal items.

    The lower limit is from the cut or rule with the smallest share, the upper one from items that
    did not choose it. Few units of unequal weight tell less of their own variance: Student's t
    takes the place of the normal distribution.

    References
    ----------
    .. [1] E. Korn and B. Graubard, "Confidence intervals for proportions with small expected
       number of positive counts estimated from survey data", Survey Methodology 24, 1998.
    """

    method: str
    share: float
    n: float
    held_out_share: float
    held_out_n: float
    freedom: float
    correlated: float = 0.0

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        tail = (1 - level) / 2
        known = worth_of_freedom(self.freedom, tail)
        low = lower_limit(known * self.n * self.share, known * self.n, tail)
        n = known * self.held_out_n * worth_of_correlated(self.correlated, tail)
        high = upper_limit(n * self.held_out_share, n, tail)
        return float(low), float(high)


@dataclass(frozen=True, slots=True, eq=False)
class WeightedCertified:
    """Limits by betting on the errors of cuts: below on all cuts at once, above on a tested one.

    The lower limit refutes a share of errors only if betting against it pays for every cut. The
    gain is a sum over items, of which a cut adds those it errs on, so the least is a best cut.
    """

    positive: Bools = field(repr=False)
    weight: Floats = field(repr=False)  # as shares of the heaviest there can be
    blocks: Blocks = field(repr=False)
    tested: WeightedBetting = field(repr=False)
    known: Floats = field(repr=False)  # of the best cut before each block; see `stakes_of`
    share: float  # of errors of the best cut
    method: str = "certified"

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        log_goal = float(np.log(2 / (1 - level)))
        stakes = stakes_of(self.known, self.blocks.n, log_goal)
        times, cell = self.blocks.times, self.blocks.unit
        weight, positive = self.weight[cell], self.positive[cell]
        stake, signed = stakes[self.blocks.block] * weight, np.where(positive, times, -times)
        negative = (~positive).astype(np.float64)

        def gain(mean: float) -> tuple[float, float]:
            most, falls = 0.5 / mean if mean > 0 else np.inf, stake
            capped = stake if stakes.max() <= most else np.minimum(stake, most * weight)
            if_right = 1 - capped * mean
            if_wrong = if_right + capped
            right, added = np.log(if_right), np.log(if_wrong)
            added -= right
            added *= signed  # what a positive below the cut adds, or a negative takes away
            walk = np.cumsum(added)
            best = int(np.argmin(walk))
            below = best + 1 if walk[best] < 0 else 0
            least = min(float(walk[best]), 0.0) - float(added @ negative)
            wrong = ~positive
            wrong[:below] = positive[:below]
            if capped is not stake:
                falls = np.where(capped < stake, capped * wrong / mean, stake)
            slope = -float(times @ (falls / np.where(wrong, if_wrong, if_right)))
            return float(times @ right) + least - log_goal, slope

        return falling_root(gain, self.share), self.tested.upper(level)
