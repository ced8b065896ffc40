"""Intervals from the errors of cuts, by any metric of both kinds of error.

Their limits are about the best cut of the scores, which any method for scores may be judged by.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from errorfloor._checks import InputError, argument
from errorfloor._references import BINOMIAL, WEIGHTED_COUNTS
from errorfloor.data.sample import split
from errorfloor.intervals.blocks import Blocks
from errorfloor.intervals.honest import Honest
from errorfloor.intervals.record import Case, Evidence, IntervalKind
from errorfloor.intervals.weighted import WeightedBetting, WeightedCertified, known_of_cuts
from errorfloor.methods.cuts import CutFit, table_of, wrong_of
from errorfloor.methods.fitted import Sides
from errorfloor.methods.record import Basis, Method, Shape, heeds_weights
from errorfloor.metrics import ERROR, Metric, named
from errorfloor.metrics.two_by_two import OfTable


def _weighs(metric: Metric) -> bool:
    return isinstance(metric.how, OfTable) and metric.how.weighs


def cut_of(case: Case) -> CutFit:
    """Return the cut that the value is of; of other methods, the one with the least error."""
    fit = case.statistic
    if isinstance(fit, CutFit) and fit.sample is case.cells:
        return fit
    return CutFit(case.cells, ERROR.how, case.streams.for_)


@heeds_weights(where=_weighs)
def _honest(case: Case) -> Evidence:
    return Honest(cut_of(case).sides())


def _weighted_certified(case: Case) -> Evidence:
    if case.cells.cluster is not None:  # the gain of a cluster is no sum over its items
        raise InputError(
            *(argument("interval"), " certified is not given with "),
            *(argument("cluster"), ". Use honest."),
        )
    fit, sample = cut_of(case), case.cells
    weight = sample.each / sample.each.max()
    train, test = split(case.count, 2, case.streams.for_("halves"))
    blocks = Blocks.drawn(test, case.streams.for_("blocks"))
    wrong = wrong_of(sample, fit.cuts.fit(sample, train * weight))
    tested = WeightedBetting(wrong.astype(np.float64), weight, blocks, 1.0)
    own = Blocks.drawn(case.count, case.streams.for_("blocks"))
    known = known_of_cuts(fit.cuts, sample, weight, own)
    return WeightedCertified(sample.positive, weight, own, tested, known, fit.own_loss)


@heeds_weights(ERROR.name)
def _certified(case: Case) -> Evidence:
    if case.cells.weight is not None:
        return _weighted_certified(case)
    fit, sample = cut_of(case), case.cells
    train, test = split(case.count, 2, case.streams.for_("halves"))
    tested = table_of(sample, test, fit.cuts.fit(sample, train))
    above = fit.how.like(fit.how.with_one_more(tested))
    return Honest(Sides(fit.below, lambda worth: above), "certified")


def _assumes(method: Method) -> str:
    if method.shape is Shape.ORDER:
        return "; the upper limit holds for any scores"
    return (
        "; the interval's lower limit needs scores in the order of the true probabilities instead, "
        "its upper limit holds for any scores"
    )


_kind = partial(
    IntervalKind,
    basis=Basis.CUTS,
    references=(BINOMIAL,),
    assumes=_assumes,
    allows_for_merging=True,
    tests_rules=True,
)

HONEST = _kind(
    name="honest",
    make=_honest,
    promise="The lower limit holds at any number of items. The upper one comes from ten-fold "
    "cross-fitting, against the optimism of the best cut, and allows for items where no cut is "
    "clearly best; its coverage is measured by simulation, not proven.",
    with_weights="The lower limit comes from the best cut, the upper one from ten-fold "
    "cross-fitting by item or cluster; both count the errors as those of as many equal items as "
    "vary as much. Their coverage is measured by simulation, not proven.",
    in_short="lower limit exact at any n; upper limit cross-fitted, for any scores",
    proof="lower limit [proven](theory.md#the-honest-intervals-lower-limit), upper one measured",
    holds="measured",
    stands_in=1,
)
CERTIFIED = _kind(
    name="certified",
    make=_certified,
    promise="Both limits hold at any number of items, at the price of width.",
    with_weights="Both limits hold at any number of items if no item of the population weighs more "
    "than the heaviest one seen, at the price of width.",
    in_short="both limits exact at any n; the upper one for any scores",
    proof="[proven](theory.md#upper-limits-certified-and-cross-fitted)",
    holds="exact",
)


def for_any_scores(method: Method) -> str:
    """Say which limit of a method for one metric holds whatever the scores are."""
    side = "upper" if named(method.metrics[0]).less_is_better else "lower"
    return f"; the {side} limit holds for any scores"


HONEST_TABLES = IntervalKind(
    name="honest",
    basis=Basis.CUT_TABLES,
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
    references=(BINOMIAL, WEIGHTED_COUNTS),
    assumes=for_any_scores,
    tests_rules=True,
    stands_in=1,
)
