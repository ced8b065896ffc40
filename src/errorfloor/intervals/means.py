"""Intervals for a mean of bounded numbers: betting and Hoeffding, both for any n."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from errorfloor import _references as references
from errorfloor.intervals.bets import Bets
from errorfloor.intervals.record import Case, Evidence, IntervalKind
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


@heeds_weights()
def _betting(case: Case) -> Evidence:
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
