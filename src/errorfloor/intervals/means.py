"""Intervals for a mean of bounded numbers: betting and Hoeffding, both for any n."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from errorfloor import _references as references
from errorfloor._typing import Counts, Floats
from errorfloor.intervals.blocks import Blocks, growing_blocks
from errorfloor.intervals.record import Case, Evidence, IntervalKind
from errorfloor.intervals.weighted import WeightedBetting
from errorfloor.methods.record import Basis, heeds_weights
from errorfloor.methods.soft import MeanFloor


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


@dataclass(frozen=True, slots=True, eq=False)
class Betting:
    """Limits for the mean of numbers in [0, top] that no gambler could refute.

    A mean is refuted when betting against it would have multiplied the stake by 2 / (1 - level),
    which a true mean allows with at most half that chance, for any n. Stakes in each block of
    items depend on the spread of the blocks before it, so they adapt to small variances.

    References
    ----------
    .. [1] I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random variables by
       betting", J. R. Stat. Soc. B 86, 2024, theorem 3 and section 4.
    """

    values: Floats = field(repr=False)
    blocks: Counts = field(repr=False)  # random parts of the items, shape (blocks, values)
    method: str = "betting"
    top: float = 0.5  # the largest number there can be

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        log_goal = float(np.log(2 / (1 - level)))
        shares = self.values / self.top
        stakes = self._stakes(log_goal)
        low = self._refuted_up_to(shares, stakes, log_goal)
        high = 1 - self._refuted_up_to(1 - shares, stakes, log_goal)
        return low * self.top, high * self.top

    def _stakes(self, log_goal: float) -> Floats:
        """Return the stake of each block, from the variance of the shares of top before it."""
        x = self.values / self.top
        before = np.cumsum(self.blocks, axis=0) - self.blocks
        n = before.sum(axis=1)
        mean = before @ x / np.maximum(n, 1)
        spread = before @ x**2 - n * mean**2
        variance = (0.25 + np.maximum(spread, 0)) / (n + 1)
        return np.asarray(np.sqrt(2 * log_goal / (self.blocks.sum() * variance)))

    def _refuted_up_to(self, x: Floats, stakes: Floats, log_goal: float) -> float:
        """Return the largest mean of `x` against which betting on more reaches the goal."""
        from scipy.optimize import brentq

        logs = np.empty(self.blocks.shape)  # once, for what many items take is slow to get

        def gain(mean: float) -> float:
            capped = np.minimum(stakes, 0.5 / mean if mean > 0 else np.inf)
            np.multiply.outer(capped, x - mean, out=logs)
            np.multiply(self.blocks, np.log1p(logs, out=logs), out=logs)
            return float(logs.sum()) - log_goal

        return float(brentq(gain, 0.0, 1.0, xtol=1e-12)) if gain(0.0) > 0 else 0.0


def blocks_of(case: Case) -> Counts:
    """Return blocks of the items of a case."""
    return growing_blocks(case.count, case.streams.for_("blocks"))


@heeds_weights()
def _betting(case: Case) -> Evidence:
    assert isinstance(case.statistic, MeanFloor)
    if case.cells.weight is not None:
        mean, weight, count = case.cells.in_units(case.statistic.floor)
        blocks = Blocks.drawn(count, case.streams.for_("blocks"))
        return WeightedBetting(mean, weight / weight.max(), blocks, _top(case))
    return Betting(case.statistic.floor, blocks_of(case), top=_top(case))


def _hoeffding(case: Case) -> Evidence:
    return Hoeffding(case.value, int(case.count.sum()), top=_top(case))


def _top(case: Case) -> float:
    """Return the largest floor that an item can have."""
    return case.options.metric.span(len(case.table.classes))[1]


BETTING = IntervalKind(
    name="betting",
    basis=Basis.MEAN,
    make=_betting,
    promise="Both limits hold at any number of items and for any distribution of what is averaged.",
    with_weights="Both limits hold at any number of items and for any distribution of what is "
    "averaged, if no item or cluster of the population weighs more than the heaviest one seen.",
    in_short="any n, any distribution",
    proof="[proven](theory.md#the-betting-interval)",
    holds="exact",
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
    holds="exact",
    references=(references.HOEFFDING,),
    is_random=False,
    stands_in=2,
)
