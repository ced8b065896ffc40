"""Intervals from losses: below from the items of a fit, above from items held out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from errorfloor._references import BETTING, HOEFFDING, REJECTION, WEIGHTED_COUNTS
from errorfloor.intervals.bets import Bets
from errorfloor.intervals.cuts import for_any_scores
from errorfloor.intervals.honest import Honest
from errorfloor.intervals.ranks import PairShare
from errorfloor.intervals.record import Case, Evidence, IntervalKind
from errorfloor.methods.fitted import Chosen, Sides
from errorfloor.methods.maps import MapFit, RisingMap, is_mean
from errorfloor.methods.record import Basis, heeds_weights
from errorfloor.methods.rules.offsets import SurestFit
from errorfloor.metrics.selective import AROUND


@dataclass(frozen=True, slots=True, eq=False)
class Outermost:
    """The least of some lower limits, and the largest of some upper ones."""

    method: str
    below: Sequence[Evidence]
    above: Sequence[Evidence]

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        low = min(one.limits(level)[0] for one in self.below)
        return low, max(one.limits(level)[1] for one in self.above)


@dataclass(frozen=True, slots=True, eq=False)
class AtPrices:
    """Limits of a metric that follows from the least loss at some price of leaving items aside.

    By duality the least loss at any price bounds the metric, on the side of the fit's own items: of
    their limits the tightest is taken. Losses on items held out bound it only at the right price,
    which is not known: of their limits, at the prices around the best guess, the widest is taken.
    Where the metric rises with the loss both are the largest, else the smallest.
    """

    each: Sequence[Evidence]  # those around the best guess first
    rises: bool
    method: str = "honest"

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        low, high = zip(*(one.limits(level) for one in self.each), strict=True)
        if self.rises:
            return max(low), max(high[:AROUND])
        return min(low[:AROUND]), min(high)


@heeds_weights(where=is_mean)
def _honest(case: Case) -> Evidence:
    each = tuple(Honest(sides) for sides in _sides(case))
    return each[0] if len(each) == 1 else AtPrices(each, case.options.metric.less_is_better)


def _sides(case: Case) -> tuple[Sides, ...]:
    """Return both sides of all losses that the metric may follow from."""
    statistic: Any = case.statistic
    if isinstance(statistic, MapFit):
        return tuple(statistic.sides(by) for by in statistic.candidates)
    if isinstance(statistic, SurestFit):  # of many classes
        return statistic.every_side()
    assert isinstance(statistic, Chosen)
    return (statistic.sides(),)


def _certified(case: Case) -> Evidence:
    """Return limits of a mean of losses in [0, 1] at any number of items.

    On its own items the fit has no more loss than the true probabilities, whose losses Chernoff's
    limit is for. On the other half losses are those of a fixed map, whose mean is bet on.
    """
    fitted = case.statistic
    assert isinstance(fitted, MapFit)
    train, test = fitted.sample.parts(2, case.streams.for_("halves"))
    losses = fitted.losses(RisingMap.fit(fitted.sample, fitted.sample.mass(train), more=1.0))
    tested = Bets.on(
        fitted.sample.counted(test), np.minimum(losses, 1.0), case.streams.for_("blocks"), 1.0
    )
    own = PairShare(min(fitted.own_loss, 1.0), fitted.sample.total)
    return Outermost("certified", (own,), (tested,))


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
    make=_honest,
    promise="One limit comes from the items of the fit, which look too good; the other from items "
    "held out, ten-fold, which look too bad. The price of leaving an item aside is not known: the "
    "first is the tightest of those for several prices, as each of them holds, the other is the "
    "widest. Coverage is measured by simulation, not proven.",
    in_short="error at a coverage, coverage at an error: own items, and held-out ones",
    proof="[measured](metrics.md)",
    holds="measured",
    references=(REJECTION, WEIGHTED_COUNTS),
    tests_rules=True,
    stands_in=1,
)
RECORDS = (HONEST, CERTIFIED, SELECTED)
