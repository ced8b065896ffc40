"""Intervals of a ranking: of its AUC, few positives or many, and of its average precision."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from errorfloor._references import HOEFFDING, PLACEMENTS, PRECISION, WILSON
from errorfloor._typing import Bools, Floats
from errorfloor.data.sample import Sample
from errorfloor.intervals.cuts import for_any_scores
from errorfloor.intervals.held_out import worth_of_freedom
from errorfloor.intervals.record import Case, Evidence, IntervalKind
from errorfloor.methods.ranks import Placements, WeightedRanking, by_row
from errorfloor.methods.record import Basis, Statistic, heeds_weights, without_one

_PRIOR = 1.0  # items with a placement of 0, and as many with one of 1, that are added to each class
# The jackknife's variance of average precision, which a few items decide, times such a factor and
# a part for each positive.
_MORE, _FEW = 1.1, 4.0


@dataclass(frozen=True, slots=True)
class Share:
    """Wilson's limits for a number in [0, 1] that varies as a share of so many items would.

    The lower limit is that about `lower`, where the number itself is too high on average.

    References
    ----------
    .. [1] E. Wilson, J. Am. Stat. Assoc. 22, 1927.
    """

    value: float
    items: float
    lower: float
    method: str = "honest"

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        from scipy.special import ndtri

        z = float(ndtri((1 + level) / 2))
        return _wilson(self.lower, self.items, -z), _wilson(self.value, self.items, z)


def _wilson(share: float, n: float, z: float) -> float:
    middle = (n * share + z * z / 2) / (n + z * z)
    half = z / (n + z * z) * float(np.sqrt(n * share * (1 - share) + z * z / 4))
    return min(max(middle + half, 0.0), 1.0)


@dataclass(frozen=True, slots=True)
class PairShare:
    """Limits of an AUC at any number of items.

    The share of ordered pairs is a mean over pairs that share items. Its exponential moments are at
    most those of as many independent pairs as the rarer class has items, so the limits of Chernoff
    for that many hold.

    References
    ----------
    .. [1] W. Hoeffding, J. Am. Stat. Assoc. 58, 1963, section 5.
    """

    value: float
    pairs: float
    method: str = "certified"

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        far = float(np.log(2 / (1 - level))) / self.pairs
        return _as_far(self.value, 0.0, far), _as_far(self.value, 1.0, far)


def _as_far(share: float, end: float, far: float) -> float:
    """Return the probability between a share and an end of [0, 1] that is as far from the share."""
    from scipy.optimize import brentq

    last = end + 1e-15 * (1 - 2 * end)
    if share == end or divergence(share, last) <= far:
        return end
    return float(brentq(lambda p: divergence(share, p) - far, *sorted((share, last))))


def divergence(share: float, p: float) -> float:
    """Return the divergence of a share from a probability."""
    from scipy.special import rel_entr

    return float(rel_entr(share, p) + rel_entr(1 - share, 1 - p))


def spread(place: Floats, weight: Floats) -> float:
    """Return the variance of placements as a part of the largest that their mean allows.

    An item at either end is added, so that a few placements that happen to be alike are not taken
    for proof that all are.
    """
    n = weight.sum() + 2 * _PRIOR
    mean = (weight @ place + _PRIOR) / n
    square = weight @ (place - mean) ** 2 + _PRIOR * (mean**2 + (1 - mean) ** 2)
    return float(square / n / (mean * (1 - mean)))


@heeds_weights("auc")
def _of_auc(case: Case) -> Evidence:
    if isinstance(case.statistic, WeightedRanking):
        return weighted_share(case.statistic)
    (zeros,), (ones,) = by_row(case.cells, case.count[None])
    return share_of_auc(zeros, ones)


def share_of_auc(zeros: Floats, ones: Floats) -> Share:
    """Return the AUC of so many negatives and positives at each score, with its limits."""
    places = Placements(zeros, ones)
    n0, n1 = float(zeros.sum()), float(ones.sum())
    area = float(ones @ places.of_positives) / n1
    variance = spread(places.of_positives, ones) / n1 + spread(places.of_negatives, zeros) / n0
    return Share(area, max(1 / variance, min(n0, n1)), area)


@dataclass(frozen=True, slots=True)
class WeightedShare:
    """The limits of `Share` where few units of unequal weight tell of their own variance.

    Student's t takes the place of the normal distribution.
    """

    value: float
    items: float
    freedom: float
    method: str = "honest"

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        tail = (1 - level) / 2
        known = worth_of_freedom(self.freedom, tail)
        return Share(self.value, known * self.items, self.value).limits(level)


def weighted_share(ranking: WeightedRanking) -> WeightedShare:
    """Return the AUC of items with weights or of clusters, with its limits.

    Each unit adds, to first order, weight times how far its items' placements are from their mean,
    over what their class weighs. As for equal items, a typical unit at either end is added.
    """
    design, positive = ranking.design, ranking.cells.positive
    place, total = ranking.placed()
    added, more = np.zeros(len(place)), 0.0
    for own in (positive, ~positive):
        mass, all_of_them = design.masses * own, float(total[own][0])
        square = design.squares(own.astype(np.float64))
        unit = _PRIOR * square / all_of_them
        whole = all_of_them + 2 * unit
        mean = (float(mass @ place) + unit) / whole
        scale = float(np.sqrt(whole * all_of_them * mean * (1 - mean)))
        added += np.where(own, place - mean, 0.0) / scale
        more += unit**2 * (mean**2 + (1 - mean) ** 2) / scale**2 / _PRIOR
    variance = design.squares(added) + more
    area = float(ranking.values(ranking.cells.count[None], np.random.default_rng(0))[0])
    return WeightedShare(area, 1 / variance, _freedom(design, positive, total))


def _freedom(design: Sample, positive: Bools, total: Floats) -> float:
    """Return Satterthwaite's degrees of freedom, for units that vary as they weigh in a class."""
    count, each = design.count, (design.each / total) ** 2
    if design.cluster is not None:
        parts = (design.masses * own / total for own in (positive, ~positive))
        one, other = (np.bincount(design.cluster, part) for part in parts)
        count, each = np.ones(one.size, dtype=np.int64), np.asarray(one**2 + other**2, float)
    return max(float(count @ each) ** 2 / float(count @ each**2) - 1, 1.0)


def _of_pairs(case: Case) -> Evidence:
    (zeros,), (ones,) = by_row(case.cells, case.count[None])
    n0, n1 = float(zeros.sum()), float(ones.sum())
    area = float(ones @ Placements(zeros, ones).of_positives) / n1
    return PairShare(area, min(n0, n1))


def _of_precision(case: Case) -> Evidence:
    return share_of_precision(case.value, case.statistic, case.cells)


def share_of_precision(value: float, statistic: Statistic, cells: Sample) -> Share:
    """Return an average precision with its limits."""
    n, ones = float(cells.count.sum()), float(cells.count @ cells.positive)
    without = without_one(statistic)
    mean = float(cells.count @ without) / n
    variance = (n - 1) / n * float(cells.count @ (without - mean) ** 2) * (_MORE + _FEW / ones)
    # The precision down to a positive item counts the item itself, and so is too high.
    lower = min(max(n * value - (n - 1) * mean, 0.0), value)
    usual = value * (1 - value)
    items = min(usual / variance, n) if variance > 0 and usual > 0 else ones
    return Share(value, max(items, 1.0), lower)


AUC = IntervalKind(
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
    proof="[measured](metrics.md)",
    holds="measured",
    references=(WILSON, PLACEMENTS),
    assumes=for_any_scores,
    tests_rules=True,
    is_random=False,
    stands_in=1,
)
AUC_CERTIFIED = IntervalKind(
    name="certified",
    basis=Basis.PAIRS,
    make=_of_pairs,
    promise="Both limits hold at any number of items, at the price of width.",
    in_short="AUC: both limits hold at any n",
    proof="[proven](theory.md#auc-and-average-precision-from-scores)",
    holds="exact",
    references=(HOEFFDING,),
    assumes=for_any_scores,
    tests_rules=True,
    is_random=False,
)
AVERAGE_PRECISION = IntervalKind(
    name="honest",
    basis=Basis.PRECISION,
    make=_of_precision,
    promise="The limits are Wilson's for as many items as a share would need to vary as the "
    "average precision does when items are left out; the lower one is that of a value without its "
    "optimism. Few positives widen both. Coverage is measured by simulation, not proven.",
    in_short="average precision: Wilson's limits with the jackknife's variance",
    proof="[measured](metrics.md)",
    holds="measured",
    references=(WILSON, PRECISION),
    assumes=for_any_scores,
    tests_rules=True,
    is_random=False,
    stands_in=1,
)
RECORDS = (AUC, AUC_CERTIFIED, AVERAGE_PRECISION)
