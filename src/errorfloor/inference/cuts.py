"""Intervals from the errors of cuts: exact below, and above from items that did not choose the cut.

Their limits are about the best cut of the scores, which any method for scores may be judged by.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from errorfloor._references import BINOMIAL
from errorfloor.data.cells import split
from errorfloor.data.tables import ScoreTable
from errorfloor.inference.binomial import lower_limit, upper_limit
from errorfloor.inference.record import Case, Evidence, IntervalKind
from errorfloor.methods.cuts import cross_fitted_errors, fewest_errors, held_out_errors, signs
from errorfloor.methods.isotonic import FOLDS
from errorfloor.methods.record import Basis, Method, Shape

_MANY_ITEMS, _BLOCKS = 2**20, 2**13


@dataclass(frozen=True, slots=True)
class CutErrors:
    """Exact binomial limits from the errors of cuts, on their own and on held-out items.

    The lower limit is exact: the errors of the truly best cut are binomial and at least those
    of the cut that looks best. The upper limit comes from items that did not choose the cut.

    References
    ----------
    .. [1] C. Clopper and E. Pearson, Biometrika 26, 1934.
    """

    method: str
    errors: float
    n: int
    held_out_errors: float
    held_out_n: int

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        tail = (1 - level) / 2
        low = lower_limit(self.errors, self.n, tail)
        high = upper_limit(self.held_out_errors, self.held_out_n, tail)
        return float(low), float(high)


def errors_in_sample(case: Case) -> int:
    """Return the fewest errors of any cut, those inside merged rows included."""
    assert isinstance(case.table, ScoreTable)
    unseen = round(case.table.n * case.table.cut_resolution)
    return int(fewest_errors(signs(case.cells.positive), case.count[None])[0]) - unseen


def _honest(case: Case) -> Evidence:
    # Ten parts of many items take long, and cuts between a few thousand blocks do as well.
    # Blocks are made of all scores, held-out ones included, so this is for measured limits.
    positive, count = case.cells.positive, case.count
    n = case.table.n
    if n > _MANY_ITEMS:
        positive, count = case.cells.pooled(_BLOCKS)
    folds = split(count, FOLDS, case.streams.for_("folds"))
    return CutErrors("honest", errors_in_sample(case), n, cross_fitted_errors(positive, folds), n)


def _certified(case: Case) -> Evidence:
    train, test = split(case.count, 2, case.streams.for_("halves"))
    held_out = held_out_errors(signs(case.cells.positive), train, test)
    errors = errors_in_sample(case)
    return CutErrors("certified", errors, case.table.n, held_out, int(test.sum()))


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
)

HONEST = _kind(
    name="honest",
    make=_honest,
    promise="The lower limit holds at any number of items. The upper one comes from ten-fold "
    "cross-fitting, against the optimism of the best cut; its coverage is measured by simulation, "
    "not proven.",
    in_short="lower limit exact at any n; upper limit cross-fitted, for any scores",
    proof="lower limit [proven](theory.md#the-honest-intervals-lower-limit), upper one measured",
    holds="measured",
    stands_in=1,
)
CERTIFIED = _kind(
    name="certified",
    make=_certified,
    promise="Both limits hold at any number of items, at the price of width.",
    in_short="both limits exact at any n; the upper one for any scores",
    proof="[proven](theory.md#upper-limits-certified-and-cross-fitted)",
    holds="exact",
)
