"""Intervals from the errors of cuts: exact below, and above from items that did not choose the cut.

Their limits are about the best cut of the scores, which any method for scores may be judged by.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import cast

import numpy as np

from errorfloor._checks import InputError, argument
from errorfloor._references import BINOMIAL
from errorfloor.data.sample import split
from errorfloor.data.tables import ScoreTable
from errorfloor.intervals.certified import Certified
from errorfloor.intervals.held_out import HeldOutErrors
from errorfloor.intervals.record import Case, Evidence, IntervalKind
from errorfloor.intervals.weighted import WeightedErrors
from errorfloor.methods.cuts import (
    cross_fitted_errors,
    fewest_errors,
    flat_items,
    held_out_errors,
    signs,
)
from errorfloor.methods.isotonic import FOLDS
from errorfloor.methods.record import Basis, Method, Shape, heeds_weights
from errorfloor.methods.weighted import WeightedCut
from errorfloor.metrics import ERROR

_MANY_ITEMS, _MOST_ROWS = 2**20, 2**16


@dataclass(frozen=True, slots=True)
class CutErrors(HeldOutErrors):
    """Limits from the errors of cuts; `flat` items are those for which no cut is clearly best."""

    flat: float = 0.0

    @property
    def correlated(self) -> float:
        """Share of the variance of the held-out errors that is in the flat part."""
        variance = self.held_out_errors * (1 - self.held_out_errors / max(self.held_out_n, 1))
        return min(self.flat / 4 / variance, 1.0) if variance > 0 else 0.0


def errors_in_sample(case: Case) -> int:
    """Return the fewest errors of any cut, those inside merged rows included."""
    assert isinstance(case.table, ScoreTable)
    unseen = round(case.table.n * case.table.cut_resolution)
    return int(fewest_errors(signs(case.cells.positive), case.count[None])[0]) - unseen


@heeds_weights(ERROR.name)
def _honest(case: Case) -> Evidence:
    # Ten parts of many items take long, and fewer cuts do as well. Which ones are left out
    # depends on all labels, held-out ones included, so this is for measured limits.
    assert isinstance(case.table, ScoreTable)
    if case.cells.weight is not None:
        return _weighted_honest(case)
    n = case.table.n
    sample = case.cells if n <= _MANY_ITEMS else case.cells.joined(_MOST_ROWS)
    folds = sample.parts(FOLDS, case.streams.for_("folds"))
    held_out = cross_fitted_errors(sample.positive, sample.count, folds)
    flat = flat_items(case.table.negatives, case.table.positives)
    return CutErrors("honest", errors_in_sample(case), n, held_out, n, flat)


def _cut_of(case: Case) -> WeightedCut:
    """Return the cut that the value is of, which knows its sums already, or one of the cells."""
    cut = case.statistic
    own = isinstance(cut, WeightedCut) and cut.cells is case.cells
    return cast("WeightedCut", cut) if own else WeightedCut(case.cells)


def _weighted_honest(case: Case) -> Evidence:
    assert isinstance(case.table, ScoreTable)
    cut = _cut_of(case)
    design = cut.design
    share, n = design.worth(np.where(cut.wrong(design.masses), case.count, 0.0))
    held_out, held_n = design.worth(cut.held_out(case.streams.for_("folds")))
    flat = flat_items(*(case.table.masses / design.unit).T)
    variance = design.units * held_out * (1 - held_out)
    correlated = min(flat / 4 / variance, 1.0) if variance > 0 else 0.0
    share = max(share - case.table.cut_resolution, 0.0)
    return WeightedErrors("honest", share, n, held_out, held_n, design.freedom, correlated)


def _weighted_certified(case: Case) -> Evidence:
    if case.cells.cluster is not None:  # the gain of a cluster is no sum over its items
        raise InputError(
            *(argument("interval"), " certified is not given with "),
            *(argument("cluster"), ". Use honest."),
        )
    return Certified.of_errors(case.cells, _cut_of(case).wrong_among, case.streams.for_)


@heeds_weights(ERROR.name)
def _certified(case: Case) -> Evidence:
    if case.cells.weight is not None:
        return _weighted_certified(case)
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
