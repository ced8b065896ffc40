"""Intervals of a ranking: of its AUC, few positives or many, and of its average precision."""

from __future__ import annotations

import numpy as np

from errorfloor._references import HOEFFDING, PLACEMENTS, PRECISION, WILSON
from errorfloor.data.sample import Sample
from errorfloor.intervals.bets import PairShare
from errorfloor.intervals.honest import for_any_scores, measured
from errorfloor.intervals.models import Wilson
from errorfloor.intervals.record import Case, Evidence, IntervalKind
from errorfloor.methods.ranks import RankFit
from errorfloor.methods.record import Basis, uses_weights
from errorfloor.metrics.ranking import Placements

_PRIOR = 1.0  # items with a placement of 0, and as many with one of 1, that are added to each class
_MORE = 1.1  # times the jackknife's variance of average precision, which a few items decide


def of_pairs(fit: RankFit) -> Wilson:
    """Return the limits of an AUC.

    Each unit adds, to first order, weight times how far its items' placements are from their mean,
    over what their class weighs. That is compared with the most that the mean allows. A typical
    unit at either end is added to each class, so that a few placements that happen to be alike are
    not taken for proof that all are.
    """
    sample, every = fit.sample, Placements.of(fit.sample)
    area, centre, scale, variance = every.area, [], [], 0.0
    for own, whole in ((sample.positive, every.ones), (~sample.positive, every.zeros)):
        unit = _PRIOR * sample.only(own).unit
        mean = (whole * area + unit) / (whole + 2 * unit)
        most = (whole + 2 * unit) * whole * mean * (1 - mean)
        variance += unit**2 * (mean**2 + (1 - mean) ** 2) / most / _PRIOR
        centre.append(mean)
        scale.append(most**0.5)
    added = every.place - np.where(sample.positive, *centre)
    added /= np.where(sample.positive, *scale)
    n, freedom = 1 / (variance + sample.squares(added)), _freedom(sample, every)
    if np.isinf(freedom):  # of equal items the AUC varies no more than independent pairs do
        n = max(n, min(every.ones, every.zeros))
    return Wilson(area, n, method="honest", freedom=freedom)


def _freedom(sample: Sample, every: Placements) -> float:
    """Return Satterthwaite's degrees of freedom, for units that vary as they weigh in a class."""
    if np.isinf(sample.freedom):
        return sample.freedom
    classes = ((sample.positive, every.ones), (~sample.positive, every.zeros))
    each = [sample.in_units(own / whole) for own, whole in classes]
    number = each[0][2]
    squares = np.sum([(mean * mass) ** 2 for mean, mass, _ in each], axis=0)
    return max(float(number @ squares) ** 2 / float(number @ squares**2) - 1, 1.0)


def of_precision(fit: RankFit) -> Wilson:
    """Return the limits of an average precision.

    The positives tell the jackknife's variance, so that it has a degree of freedom less than there
    are of them. Of one positive nothing is known but its own precision.
    """
    sample, value, without = fit.sample, fit.value, fit.leave_one_out()
    n, ones = float(sample.count.sum()), float(sample.count @ sample.positive)
    mean = float(sample.count @ without) / n
    variance = (n - 1) / n * float(sample.count @ (without - mean) ** 2) * _MORE
    # The precision down to a positive item counts the item itself, and so is too high.
    lower = min(max(n * value - (n - 1) * mean, 0.0), value)
    usual = value * (1 - value)
    items = min(usual / variance, n) if variance > 0 and usual > 0 else ones
    freedom = max(ones - 1, 1.0)
    return Wilson(value, items, method="honest", lower=lower, freedom=freedom, exact=True)


def _ranked(case: Case) -> RankFit:
    assert isinstance(case.statistic, RankFit)
    return case.statistic


@uses_weights("auc")
def _of_auc(case: Case) -> Evidence:
    return of_pairs(_ranked(case))


def _of_any_pairs(case: Case) -> Evidence:
    every = Placements.of(_ranked(case).sample)
    return PairShare(every.area, min(every.ones, every.zeros))


AUC = measured(
    name="honest",
    basis=Basis.PAIRS,
    make=_of_auc,
    promise="The limits are Wilson's for as many items as a share would need to vary as the AUC "
    "does: never fewer than the rarer class has, and about as DeLong's where there are many. "
    "Coverage is measured by simulation, not proven, also with 4 positives of 200.",
    with_weights="The limits are Wilson's for as many equal items as a share would need to vary as "
    "the AUC of weighted items or clusters does, with Student's t in place of the normal. Coverage "
    "is measured by simulation, not proven.",
    in_short="AUC: Wilson's limits with the placements' variance; few positives are no harm",
    references=(WILSON, PLACEMENTS),
    is_random=False,
)
AUC_CERTIFIED = IntervalKind(
    name="certified",
    basis=Basis.PAIRS,
    make=_of_any_pairs,
    promise="Both limits hold at any number of items, at the price of width.",
    in_short="AUC: both limits hold at any n",
    proof="[proven](theory/metrics.md#auc-and-average-precision-from-scores)",
    references=(HOEFFDING,),
    assumes=for_any_scores,
    tests_rules=True,
    is_random=False,
)
AVERAGE_PRECISION = measured(
    name="honest",
    basis=Basis.PRECISION,
    make=lambda case: of_precision(_ranked(case)),
    promise="The limits are Wilson's for as many items as a share would need to vary as the "
    "average precision does when items are left out, with Student's t for as many positives; the "
    "lower one is that of a value without its optimism. Coverage is measured by simulation, not "
    "proven.",
    in_short="average precision: Wilson's limits with the jackknife's variance",
    references=(WILSON, PRECISION),
    is_random=False,
)
RECORDS = (AUC, AUC_CERTIFIED, AVERAGE_PRECISION)
