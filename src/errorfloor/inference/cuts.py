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
from errorfloor.methods.cuts import (
    cross_fitted_errors,
    fewest_errors,
    flat_items,
    held_out_errors,
    signs,
)
from errorfloor.methods.isotonic import FOLDS
from errorfloor.methods.record import Basis, Method, Shape

_MANY_ITEMS, _MOST_ROWS = 2**20, 2**16

# Coin flips throughout: the cross-fitted errors have about 1 + 1.3 times the binomial variance.
# What is more than binomial has short tails, so that far out less of it counts. Both numbers fit
# the quantiles from 0.1 to 0.0005 of simulated coin flips, alone and with other items, for any
# number of distinct scores; see "Upper limits" in docs/theory.md.
_EXTRA, _SHORT = 1.3, 4.5


@dataclass(frozen=True, slots=True)
class CutErrors:
    """Exact binomial limits from the errors of cuts, on their own and on held-out items.

    The lower limit is exact: the errors of the truly best cut are binomial and at least those
    of the cut that looks best. The upper limit comes from items that did not choose the cut.

    Where items are held out in turn, the errors of the folds are correlated as far as no cut is
    clearly best. `flat` says how many items that concerns; they count as fewer then.

    References
    ----------
    .. [1] C. Clopper and E. Pearson, Biometrika 26, 1934.
    """

    method: str
    errors: float
    n: int
    held_out_errors: float
    held_out_n: int
    flat: float = 0.0

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        tail = (1 - level) / 2
        low = lower_limit(self.errors, self.n, tail)
        worth = self._worth(tail)
        high = upper_limit(worth * self.held_out_errors, worth * self.held_out_n, tail)
        return float(low), float(high)

    def _worth(self, tail: float) -> float:
        """Return the number of independent items that a held-out item is worth, at most 1."""
        variance = self.held_out_errors * (1 - self.held_out_errors / max(self.held_out_n, 1))
        if self.flat == 0 or variance <= 0:
            return 1.0
        from scipy.special import ndtri

        share = min(self.flat / 4 / variance, 1.0)  # of the variance, in the flat part
        return float(1 / (1 + _EXTRA * share / (1 + share * ndtri(tail) ** 2 / _SHORT)))


def errors_in_sample(case: Case) -> int:
    """Return the fewest errors of any cut, those inside merged rows included."""
    assert isinstance(case.table, ScoreTable)
    unseen = round(case.table.n * case.table.cut_resolution)
    return int(fewest_errors(signs(case.cells.positive), case.count[None])[0]) - unseen


def _honest(case: Case) -> Evidence:
    # Ten parts of many items take long, and fewer cuts do as well. Which ones are left out
    # depends on all labels, held-out ones included, so this is for measured limits.
    assert isinstance(case.table, ScoreTable)
    positive, count = case.cells.positive, case.count
    n = case.table.n
    if n > _MANY_ITEMS:
        positive, count = case.cells.joined(_MOST_ROWS)
    folds = split(count, FOLDS, case.streams.for_("folds"))
    held_out = cross_fitted_errors(positive, folds)
    flat = flat_items(case.table.negatives, case.table.positives)
    return CutErrors("honest", errors_in_sample(case), n, held_out, n, flat)


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
    "cross-fitting, against the optimism of the best cut, and allows for items where no cut is "
    "clearly best; its coverage is measured by simulation, not proven.",
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
