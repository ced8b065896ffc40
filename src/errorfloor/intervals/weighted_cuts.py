"""Intervals from both kinds of error of cuts: for costs, balanced error, F1 and MCC.

As those for error: below from the best cut on all items, above from items that did not choose it.
Limits are about a loss (`errorfloor.metrics.two_by_two`), and turned where more is better.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

import numpy as np

from errorfloor._references import BINOMIAL, WEIGHTED_COUNTS
from errorfloor._typing import Counts, Floats
from errorfloor.data.sample import split
from errorfloor.data.tables import ScoreTable
from errorfloor.intervals.held_out import worth_of_correlated, worth_of_freedom
from errorfloor.intervals.record import Case, Evidence, IntervalKind
from errorfloor.methods.isotonic import FOLDS
from errorfloor.methods.priced import PricedCut, each_of
from errorfloor.methods.ranks import by_row
from errorfloor.methods.record import Basis, Method, heeds_weights
from errorfloor.methods.weighted_cuts import BestOfCuts, best_cut, flat_items, held_out
from errorfloor.metrics import named
from errorfloor.metrics.two_by_two import Binomial, Loss, TwoByTwo, all_cuts

_MANY_ITEMS, _MOST_ROWS = 2**20, 2**16
_MOST_CUTS = 2**12  # that limits are computed for
_NEAR = 2.0  # standard deviations; cuts that are worse by more have no smaller limits


@dataclass(frozen=True, slots=True, eq=False)
class CutTables:
    """Limits from both kinds of error of cuts.

    A loss of a fixed cut is compared with a binomial share of the same mean and variance, times a
    scale. The lower limit is the least that any cut near the best one has on all items. The upper
    one comes from items that did not choose the cut; they count as fewer as far as no cut is
    clearly best, as for error.

    References
    ----------
    .. [1] M. Fay and E. Feuer, "Confidence intervals for directly standardized rates: a method
       based on the gamma distribution", Statistics in Medicine 16, 1997.
    """

    method: str
    loss: Loss
    near: Binomial = field(repr=False)  # of cuts near the best one
    held_out: TwoByTwo
    correlated: float = 0.0  # share of the variance of the held-out loss in the flat part

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        tail = (1 - level) / 2
        low = float(lower_of(self.near, tail).min())
        high = upper_of(
            self.loss, self.held_out.scaled(worth_of_correlated(self.correlated, tail)), tail
        )
        ends = (float(self.loss.metric(end)) for end in (low, high))
        low, high = sorted(ends)
        return low, high


@dataclass(frozen=True, slots=True, eq=False)
class WeightedCutTables:
    """The same where items weigh differently or belong together.

    Errors of both kinds are those of as many equal items as vary as much. Few units of unequal
    weight tell less of their own variance: Student's t takes the place of the normal distribution.

    References
    ----------
    .. [1] E. Korn and B. Graubard, Survey Methodology 24, 1998.
    """

    method: str
    loss: Loss
    near: TwoByTwo = field(repr=False)  # of cuts near the best one, in equal items
    held_out: TwoByTwo
    freedom: float
    correlated: float = 0.0

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        tail = (1 - level) / 2
        known = worth_of_freedom(self.freedom, tail)
        worth = worth_of_correlated(self.correlated, tail)
        low = lower_of(self.loss.like(self.near.scaled(known)), tail).min()
        return float(low), upper_of(self.loss, self.held_out.scaled(known * worth), tail)


def lower_of(like: Binomial, tail: float) -> Floats:
    """Return the lower limits of losses that vary as binomial shares do."""
    from scipy.special import betaincinv

    some = like.successes > 0
    k = np.where(some, like.successes, 1)
    share = betaincinv(k, np.maximum(like.trials - k, 0) + 1, tail)
    return np.asarray(np.where(some, like.scale * share, 0.0))


def upper_of(loss: Loss, table: TwoByTwo, tail: float) -> float:
    """Return the upper limit of a loss: with one more error, of the kind that raises it most."""
    from scipy.special import betaincinv

    limits = []
    for more in table.with_one_more():
        like = loss.like(more)
        behind = float(like.trials - like.successes) + 1
        share = betaincinv(float(like.successes), behind, 1 - tail) if behind > 0 else 1.0
        limits.append(float(like.scale * share))
    return max(limits)


def cuts_near_the_best(loss: Loss, case: Case) -> Binomial:
    """Return what the losses of cuts near the best one vary like, on all items."""
    every = all_cuts(case.cells.positive, case.count[None])
    return loss.like(_near(loss, _row(every, np.arange(case.count.size + 1))))


def _near(loss: Loss, every: TwoByTwo) -> TwoByTwo:
    """Return the errors of cuts near the best one."""
    values = loss.of(every)
    best = int(np.argmin(values))
    reach = float(loss.like(every.at(best)).deviation)
    near = np.flatnonzero(values <= values[best] + _NEAR * reach)
    near = near[:: -(-near.size // _MOST_CUTS)]
    return every.at(np.append(near, best))


def _row(every: TwoByTwo, which: int | Counts) -> TwoByTwo:
    return TwoByTwo(
        every.false_positives[0, which],
        every.false_negatives[0, which],
        float(every.negatives[0, 0]),
        float(every.positives[0, 0]),
    )


@heeds_weights("cost", "balanced-error")
def _honest(case: Case) -> Evidence:
    assert isinstance(case.table, ScoreTable)
    if isinstance(case.statistic, PricedCut):
        return _weighted_honest(case, case.statistic)
    assert isinstance(case.statistic, BestOfCuts)
    loss = case.statistic.loss
    sample = case.cells if case.table.n <= _MANY_ITEMS else case.cells.joined(_MOST_ROWS)
    folds = split(sample.count, FOLDS, case.streams.for_("folds"))
    table = held_out(loss, sample.positive, folds)
    _, best = best_cut(loss, case.cells.positive, case.count)
    prices = loss.prices(best)
    flat = flat_items(prices, case.table.negatives, case.table.positives)
    variance = float(loss.like(table).deviation) ** 2
    extra = flat * prices[0] * prices[1] / 4
    correlated = min(extra / variance, 1.0) if variance > 0 else 0.0
    return CutTables("honest", loss, cuts_near_the_best(loss, case), table, correlated)


def _weighted_honest(case: Case, cut: PricedCut) -> Evidence:
    loss, best = cut.loss, cut.wrong(cut.design.masses)
    near = _near(loss, cut.every().scaled(1 / each_of(cut, np.where(best, case.count, 0.0))))
    wrong = cut.held_out(case.streams.for_("folds"))
    each = each_of(cut, wrong)
    table = cut.table(wrong).scaled(1 / each)
    rows = by_row(cut.cells, cut.design.masses[None] / each)
    prices = loss.prices(table)
    flat = flat_items(prices, rows[0][0], rows[1][0])
    variance = float(loss.like(table).deviation) ** 2
    correlated = min(flat * prices[0] * prices[1] / 4 / variance, 1.0) if variance > 0 else 0.0
    return WeightedCutTables("honest", loss, near, table, cut.design.freedom, correlated)


def for_any_scores(method: Method) -> str:
    """Say which limit of a method for one metric holds whatever the scores are."""
    side = "upper" if named(method.metrics[0]).less_is_better else "lower"
    return f"; the {side} limit holds for any scores"


_kind = partial(
    IntervalKind,
    basis=Basis.CUT_TABLES,
    references=(BINOMIAL, WEIGHTED_COUNTS),
    assumes=for_any_scores,
    tests_rules=True,
)

HONEST = _kind(
    name="honest",
    make=_honest,
    promise="One limit comes from the best cut on all items, which looks too good. The other comes "
    "from ten-fold cross-fitting, and allows for items where no cut is clearly best. Errors of "
    "unequal weights are taken as binomial with the same mean and variance. Coverage is measured "
    "by simulation, not proven.",
    with_weights="The lower limit comes from the best cut, the upper one from ten-fold "
    "cross-fitting by item or cluster; both count errors as those of as many equal items as vary "
    "as much. Coverage is measured by simulation, not proven.",
    in_short="costs, balanced error, F1, MCC: best cut on one side, cross-fitted on the other",
    proof="[measured](metrics.md)",
    holds="measured",
    stands_in=1,
)
