"""Limits where items weigh differently or belong together.

What is known is a weighted mean, whose target is E[w x] / E[w]. Betting on w (x - m) is exact for
weights with a bound. Errors that were counted become errors of as many equal items as have the
same variance.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from errorfloor._typing import Bools, Counts, Floats
from errorfloor.inference.binomial import lower_limit, upper_limit
from errorfloor.inference.held_out import worth_of_correlated
from errorfloor.methods.design import Design


@dataclass(frozen=True, slots=True, eq=False)
class WeightedBetting:
    """Limits for the weighted mean of numbers in [0, top] that no gambler could refute.

    As `Betting`, with stakes on weight times distance. No unit may weigh more than the heaviest
    one seen.
    """

    values: Floats = field(repr=False)  # of each unit
    weight: Floats = field(repr=False)  # as shares of the heaviest there can be
    blocks: Counts = field(repr=False)  # random parts of the units, shape (blocks, values)
    top: float = 0.5
    method: str = "betting"

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        log_goal = float(np.log(2 / (1 - level)))
        shares = self.values / self.top
        stakes = stakes_of(self.weight, [shares] * len(self.blocks), self.blocks, log_goal)
        low = self._refuted_up_to(shares, stakes, log_goal)
        high = 1 - self._refuted_up_to(1 - shares, stakes, log_goal)
        return low * self.top, high * self.top

    def _refuted_up_to(self, x: Floats, stakes: Floats, log_goal: float) -> float:
        from scipy.optimize import brentq

        block, unit = np.nonzero(self.blocks)  # a unit is in few blocks
        times, stake = self.blocks[block, unit], stakes[block]
        weight, own = self.weight[unit], x[unit]

        def gain(mean: float) -> float:
            capped = np.minimum(stake, 0.5 / mean if mean > 0 else np.inf)
            return float(times @ np.log1p(capped * weight * (own - mean))) - log_goal

        return float(brentq(gain, 0.0, 1.0, xtol=1e-12)) if gain(0.0) > 0 else 0.0


def stakes_of(weight: Floats, values: list[Floats], blocks: Counts, log_goal: float) -> Floats:
    """Return the stake of each block, from the spread of weight times distance before it.

    `values` are those by which each block's stake is chosen: what is known before it.
    """
    before = np.cumsum(blocks, axis=0) - blocks
    n = max(int(blocks.sum()), 1)  # a half of few items may have none
    stakes = []
    for count, x in zip(before, values, strict=True):
        number, mass = count.sum(), count * weight
        usual = float(count @ weight**2) / number if number else 1.0
        mean = float(mass @ x) / float(mass.sum()) if number else 0.5
        spread = float(count @ (weight * (x - mean)) ** 2)
        variance = (0.25 * usual + spread) / (number + 1)
        stakes.append(np.sqrt(2 * log_goal / (n * variance)))
    return np.array(stakes)


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
        from scipy.special import ndtri, stdtrit

        tail = (1 - level) / 2
        known = float(ndtri(tail) / stdtrit(self.freedom, tail)) ** 2
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

    sign: Counts = field(repr=False)
    weight: Floats = field(repr=False)  # as shares of the heaviest there can be
    blocks: Counts = field(repr=False)
    tested: WeightedBetting = field(repr=False)
    choices: tuple[Bools, ...] = field(repr=False)  # what the best cut before each block errs on
    method: str = "certified"

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        from scipy.optimize import brentq

        log_goal = float(np.log(2 / (1 - level)))
        values = [wrong.astype(np.float64) for wrong in self.choices]
        stakes = stakes_of(self.weight, values, self.blocks, log_goal)

        block, cell = np.nonzero(self.blocks)
        times, stake, weight = self.blocks[block, cell], stakes[block], self.weight[cell]

        def gain(mean: float) -> float:
            capped = weight * np.minimum(stake, 0.5 / mean if mean > 0 else np.inf)
            right = np.log1p(-capped * mean)
            wrong = times * (np.log1p(capped * (1 - mean)) - right)
            added = np.bincount(cell, wrong, minlength=self.sign.size)
            walk = np.cumsum(self.sign * added)
            least = float(added @ (self.sign < 0)) + min(float(walk.min()), 0.0)
            return float(times @ right) + least - log_goal

        low = float(brentq(gain, 0.0, 1.0, xtol=1e-12)) if gain(0.0) > 0 else 0.0
        return low, self.tested.limits(level)[1]


def units_of(design: Design, values: Floats) -> tuple[Floats, Floats, Counts]:
    """Return the mean value of each unit, what it weighs, and how many such units there are."""
    if design.cluster is None:
        return values, design.weight, design.count
    mass = np.bincount(design.cluster, design.mass)
    sums = np.bincount(design.cluster, design.mass * values)
    return sums / mass, mass.astype(np.float64), np.ones(mass.size, dtype=np.int64)
