"""Intervals from losses: below from the items of a fit, above from items held out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from errorfloor._references import BETTING, HOEFFDING, REJECTION, WEIGHTED_COUNTS
from errorfloor.data.sample import split
from errorfloor.intervals.blocks import growing_blocks
from errorfloor.intervals.held_out import worth_of_correlated, worth_of_freedom
from errorfloor.intervals.honest import Honest
from errorfloor.intervals.means import Betting
from errorfloor.intervals.ranks import PairShare
from errorfloor.intervals.record import Case, Evidence, IntervalKind
from errorfloor.intervals.weighted_cuts import for_any_scores
from errorfloor.methods.fitted import Chosen
from errorfloor.methods.record import Basis, heeds_weights
from errorfloor.methods.scoring import IsotonicLoss, LossSums, isotonic_map
from errorfloor.methods.selective_scores import Surest
from errorfloor.methods.weighted_scoring import WeightedLoss


@dataclass(frozen=True, slots=True)
class LossLimits:
    """Limits of a mean loss, from losses of a fit on its own items and on items held out.

    Losses are compared with those of a binomial share of the same mean and variance, times a scale;
    above, with one more of the largest.

    References
    ----------
    .. [1] M. Fay and E. Feuer, Statistics in Medicine 16, 1997.
    """

    method: str
    own: LossSums
    held_out: LossSums
    metric: Callable[[float], float] = float  # of a mean loss
    correlated: float = 0.0  # share of the variance that the folds have in common
    freedom: float | None = None  # of the variance, where units of unequal weight tell it

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        tail = (1 - level) / 2
        known = 1.0 if self.freedom is None else worth_of_freedom(self.freedom, tail)
        more = LossSums(self.held_out.most, self.held_out.most**2, 0.0, self.held_out.most)
        low = _quantile(self.own.scaled(known), tail) if self.own.total > 0 else 0.0
        fewer = self.held_out.scaled(known * worth_of_correlated(self.correlated, tail))
        # Losses that are all the same have no binomial share that is larger.
        high = max(_quantile(fewer + more, 1 - tail), self.held_out.mean)
        low, high = sorted(self.metric(end) for end in (low, high))
        return low, high


def _quantile(sums: LossSums, tail: float) -> float:
    """Return the mean at which a sum of such losses is at that tail of its distribution."""
    from scipy.special import betaincinv

    if sums.total <= 0:  # nothing was lost, nowhere: one loss of 1 might have been
        return float(1 - (1 - tail) ** (1 / max(sums.items, 1)))
    scale = sums.squares / sums.total
    successes = sums.total / scale
    behind = max(sums.items - successes, 0.0) + 1
    return float(scale * betaincinv(successes, behind, tail))


@dataclass(frozen=True, slots=True, eq=False)
class BoundedLimits:
    """Limits of a mean of losses in [0, 1] at any number of items.

    On its own items the fit has no more loss than the true probabilities, whose losses Chernoff's
    limit is for. On the other half losses are those of a fixed map, whose mean is bet on.
    """

    method: str
    own: LossSums
    tested: Betting

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        low, _ = PairShare(min(self.own.mean, 1.0), self.own.items).limits(level)
        return low, self.tested.limits(level)[1]


@dataclass(frozen=True, slots=True, eq=False)
class Selected:
    """Limits of a point of the risk-coverage curve, the widest of several prices."""

    each: tuple[LossLimits, ...]
    method: str = "honest"

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        lows, highs = zip(*(one.limits(level) for one in self.each), strict=True)
        return min(lows), max(highs)


def _selected(case: Case) -> Evidence:
    statistic = case.statistic
    assert isinstance(statistic, Surest)
    prices = statistic.prices
    held_out = statistic.held_out(case.count, prices, case.streams.for_("folds"))
    each = (
        LossLimits(
            "honest",
            statistic.in_sample(case.count, price),
            sums,
            partial(statistic.metric, price=price),
        )
        for price, sums in zip(prices, held_out, strict=True)
    )
    return Selected(tuple(each))


@heeds_weights("brier", "log-loss")
def _honest(case: Case) -> Evidence:
    statistic: Any = case.statistic
    if isinstance(statistic, Chosen):
        return Honest(statistic.sides())
    if isinstance(statistic, WeightedLoss):
        design = statistic.design
        held_out = statistic.losses_held_out(case.count, case.streams.for_("folds")).sums(design)
        own = statistic.own_losses(case.count).sums(design)
        return LossLimits("honest", own, held_out, freedom=design.freedom)
    held_out = statistic.held_out(case.count, case.streams.for_("folds"))
    return LossLimits("honest", statistic.in_sample(case.count), held_out)


def _certified(case: Case) -> Evidence:
    statistic = case.statistic
    assert isinstance(statistic, IsotonicLoss)
    train, test = split(case.count, 2, case.streams.for_("halves"))
    p = isotonic_map(*statistic.rows(train), more=1.0)
    blocks = growing_blocks(test, case.streams.for_("blocks"))
    tested = Betting(np.minimum(statistic.cell_losses(p), 1.0), blocks, top=1.0)
    return BoundedLimits("certified", statistic.in_sample(case.count), tested)


HONEST = IntervalKind(
    name="honest",
    basis=Basis.LOSSES,
    make=_honest,
    promise="The lower limit comes from losses on the items of the fit, which are too low; the "
    "upper one from losses on items held out, ten-fold, which are too high. Coverage is measured "
    "by simulation, not proven.",
    with_weights="The lower limit comes from losses on the items of the fit, the upper one from "
    "losses on items or clusters held out, ten-fold; both count as those of as many equal items as "
    "vary as much. Coverage is measured by simulation, not proven.",
    in_short="Brier score, log-loss, costs of many classes: own items below, held-out ones above",
    proof="[measured](metrics.md)",
    holds="measured",
    references=(WEIGHTED_COUNTS,),
    assumes=for_any_scores,
    tests_rules=True,
    stands_in=1,
)
CERTIFIED = IntervalKind(
    name="certified",
    basis=Basis.BOUNDED_LOSSES,
    make=_certified,
    promise="Both limits hold at any number of items, at the price of width.",
    in_short="Brier score: both limits hold at any n",
    proof="[proven](theory.md#brier-score-and-log-loss-from-scores)",
    holds="exact",
    references=(HOEFFDING, BETTING),
    assumes=for_any_scores,
    tests_rules=True,
)
SELECTED = IntervalKind(
    name="honest",
    basis=Basis.SELECTED,
    make=_selected,
    promise="One limit comes from the items of the fit, which look too good; the other from items "
    "held out, ten-fold, which look too bad. Each is the widest of those for several prices of "
    "leaving an item aside. Coverage is measured by simulation, not proven.",
    in_short="error at a coverage, coverage at an error: own items, and held-out ones",
    proof="[measured](metrics.md)",
    holds="measured",
    references=(REJECTION, WEIGHTED_COUNTS),
    tests_rules=True,
    stands_in=1,
)
RECORDS = (HONEST, CERTIFIED, SELECTED)
