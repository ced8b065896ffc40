"""Intervals from the errors of cuts, by any metric of both kinds of error.

Their limits are about the best cut of the scores, which any method for scores may be judged by.
"""

from __future__ import annotations

from functools import partial

from errorfloor._references import BINOMIAL, WEIGHTED_COUNTS
from errorfloor.intervals.honest import Honest
from errorfloor.intervals.record import Case, Evidence, IntervalKind
from errorfloor.methods.cut_fit import CutFit
from errorfloor.methods.record import Basis, Method, Shape, heeds_weights
from errorfloor.metrics import ERROR, Metric, named
from errorfloor.metrics.two_by_two import OfTable


def weighs(metric: Metric) -> bool:
    """Tell whether limits of a metric were measured where items weigh differently."""
    return isinstance(metric.how, OfTable) and metric.how.weighs


def cut_of(case: Case) -> CutFit:
    """Return the cut that the value is of; of other methods, the one with the least error."""
    fit = case.statistic
    if isinstance(fit, CutFit) and fit.sample is case.cells:
        return fit
    return CutFit(case.cells, ERROR.how, case.streams.for_)


@heeds_weights(where=weighs)
def _honest(case: Case) -> Evidence:
    return Honest(cut_of(case).sides())


def _assumes(method: Method) -> str:
    if method.shape is Shape.ORDER:
        return "; the upper limit holds for any scores"
    return (
        "; the interval's lower limit needs scores in the order of the true probabilities instead, "
        "its upper limit holds for any scores"
    )


of_error = partial(
    IntervalKind,
    basis=Basis.CUTS,
    references=(BINOMIAL,),
    assumes=_assumes,
    allows_for_merging=True,
    tests_rules=True,
)

HONEST = of_error(
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
