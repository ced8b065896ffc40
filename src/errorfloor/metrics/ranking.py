"""Metrics of a ranking of items of two classes: AUC and average precision.

Of scores both follow from what the negatives and the positives at each score weigh, by ascending
score; their best values from pairs of items, or from all above each, of known probabilities.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from errorfloor._typing import Counts, Floats
from errorfloor.data.sample import Sample
from errorfloor.metrics.record import (
    Counted,
    Metric,
    Moved,
    PairsInOrder,
    PrecisionOfRanks,
    moved_ratio,
    ratio,
    reach_of,
    span_of_share,
)


@dataclass(frozen=True, slots=True)
class OfRanks:
    """How a metric follows from the order of items of two classes.

    Attributes
    ----------
    of : callable
        From what negatives and positives weigh at each score to the value, for each row of both.
    without_one : callable
        From a sample to the value without one item of each of its cells in turn.
    needs : {"both", "positive"}
        Of which classes there must be items.
    least_of_two_kinds : bool
        Whether its best value may be least where items are of two kinds.
    """

    of: Callable[[Floats, Floats], Floats]
    without_one: Callable[[Sample], Floats]
    needs: str = "both"
    least_of_two_kinds: bool = False


# Pairs of a positive and a negative item: the AUC.


def _in_order(zeros: Floats, ones: Floats) -> Floats:
    """Return the share of pairs in order, ties by halves; 1/2 where there are no pairs.

    A pair weighs as both its items do.
    """
    ordered = (ones * (np.cumsum(zeros, axis=1) - zeros / 2)).sum(axis=1)
    pairs = zeros.sum(axis=1) * ones.sum(axis=1)
    return np.asarray(np.divide(ordered, pairs, out=np.full(pairs.size, 0.5), where=pairs > 0))


@dataclass(frozen=True, slots=True, eq=False)
class Placements:
    """The share of the other class that the items of each cell are in order with, ties by halves.

    The mean over either class is the AUC.
    """

    place: Floats  # of the items of each cell
    zeros: float  # what all negatives weigh
    ones: float
    area: float  # the AUC

    @classmethod
    def of(cls, sample: Sample) -> Placements:
        """Return the placements of a sample with items of both classes."""
        zeros, ones = sample.by_row(sample.masses)
        n0, n1 = float(zeros.sum()), float(ones.sum())
        below = (np.cumsum(zeros) - zeros / 2) / n0
        above = (n1 - np.cumsum(ones) + ones / 2) / n1
        place = np.where(sample.positive, below[sample.row], above[sample.row])
        return cls(place, n0, n1, float(ones @ below) / n1)


def _in_order_without_one(sample: Sample) -> Floats:
    """Return the AUC without one item of each cell; the last item of a class leaves it as it is."""
    every = Placements.of(sample)
    total = np.where(sample.positive, every.ones, every.zeros)
    rest, left = total - sample.each, total * every.area - sample.each * every.place
    some = rest > 1e-12 * total
    return np.asarray(np.divide(left, rest, out=np.full(total.size, every.area), where=some))


# Positive items, from the highest score down: the average precision.


def _precision(zeros: Floats, ones: Floats) -> Floats:
    """Return the mean over positives of the precision down to each; 0 without positives.

    Items of one score are in random order, as a model may put them. Where all scores differ this
    is what scikit-learn computes.
    """
    zeros, ones = zeros[:, ::-1], ones[:, ::-1]
    before = np.cumsum(zeros + ones, axis=1) - zeros - ones
    found = np.cumsum(ones, axis=1) - ones
    total = _row_sums(before, found, zeros + ones, ones).sum(axis=1)
    return np.asarray(total / np.maximum(ones.sum(axis=1), 1))


def _precision_without_one(sample: Sample) -> Floats:
    """Return the average precision without one item of each cell in turn."""
    zeros, ones = (part[::-1] for part in sample.by_row(sample.masses))
    items = zeros + ones
    before, found = np.cumsum(items) - items, np.cumsum(ones) - ones
    sums = _row_sums(before, found, items, ones)
    above = np.cumsum(sums) - sums
    n1 = ones.sum()
    every = []
    for one in (0, 1):  # without a negative, and without a positive
        fewer = _row_sums(np.maximum(before - 1, 0), np.maximum(found - one, 0), items, ones)
        below = fewer.sum() - np.cumsum(fewer)
        own = _row_sums(before, found, np.maximum(items - 1, 0), np.maximum(ones - one, 0))
        every.append((above + own + below) / max(n1 - one, 1))
    without = (part[::-1][sample.row] for part in every[::-1])
    return np.asarray(np.where(sample.positive, *without))


def _row_sums(before: Floats, found: Floats, items: Floats, ones: Floats) -> Floats:
    """Return the sum of precisions at the positives of each row, in random order within it.

    `before` items come first, `found` positives among them. The j-th of the row's items is
    positive in a share of ones / items of all orders, and then (j - 1) (ones - 1) / (items - 1) of
    those before it in the row are positive on average.
    """
    from scipy.special import digamma

    harmonic = digamma(before + items + 1) - digamma(before + 1)
    share = ones / np.maximum(items, 1)
    further = (ones - 1) / np.maximum(items - 1, 1)
    # The sum over j of (found + 1 + (j - 1) further) / (before + j).
    inside = (found + 1) * harmonic + further * (items - (before + 1) * harmonic)
    return np.asarray(share * inside)


PAIRS_IN_ORDER = OfRanks(_in_order, _in_order_without_one)
PRECISION = OfRanks(_precision, _precision_without_one, needs="positive", least_of_two_kinds=True)
AT_ONCE = 2**17  # only for speed: numbers that stay in the cache of a core
_ROUNDING = 1e-14  # of all pairs, which of one item are none


class CountedAuc(Counted):
    """The best AUC, from all pairs of different items, each weighing as both its items do.

    Of two items the greater less the lesser product p (1 - p') is |p - p'|, and both together are
    s = p + p' - 2 p p'. So the best AUC is 1/2 + E |p - p'| / (2 E s), and with both means over the
    same pairs the min form and the max form of Ushio, Ishida and Sugiyama (2026) are one number.
    With a known share `theta` of class 1, E s is known and the forms differ; `sign` is -1 for the
    min form, 1 - E (s - |p - p'|) / (2 E s), and 1 for the max form.

    An item is no pair with itself: what it would add, its squared weight times 2 p (1 - p), is left
    out. With it the mean of s would be too large, and the AUC too low, by about 1 / n.
    """

    def __init__(
        self,
        p: Floats,
        count: Counts,
        weight: Floats | None = None,
        *,
        theta: float | None = None,
        sign: int = -1,
    ) -> None:
        self.p = p
        self.count = count
        self.each = np.ones(p.size) if weight is None else weight  # what an item of a row weighs
        self.weight = weight
        self.theta = theta
        self.sign = sign
        # Of what an item of each row weighs: what it adds to the sums of p and of 1 - p, and to
        # those of what items have with themselves, of s / 2 and of pairs.
        self.adds = np.stack((p, 1 - p, self.each * p * (1 - p), self.each))

    @property
    def may_leave_span(self) -> bool:
        """Whether values without an item may lie outside what the metric can be."""
        return self.theta is not None

    def values(self, counts: Counts, /) -> Floats:
        """Return the best AUC for each row of counts; NaN where there is one class only."""
        # Running sums of whole numbers take a quarter of the time.
        masses: Any = counts if self.weight is None else counts * self.weight
        n = masses.sum(axis=1).astype(np.float64)
        before = np.zeros((n.size, 1), dtype=masses.dtype)
        sums, distances = np.zeros((n.size, 4)), np.zeros(n.size)
        gaps = np.append(np.diff(self.p), 0.0)
        width = max(1, AT_ONCE // n.size)  # only for speed
        for start in range(0, self.p.size, width):
            own = slice(start, start + width)
            running = np.cumsum(masses[:, own], axis=1)
            if start:
                running += before
            before = running[:, -1:]
            sums += masses[:, own].astype(np.float64) @ self.adds[:, own].T
            # Distances from the gaps between rows, so that nothing cancels.
            below = running.astype(np.float64)
            above = n[:, None] - below
            above *= below
            distances += above @ gaps[own]
        return np.clip(self._auc(distances, sums), 0.5, 1.0)

    def leave_one_out(self) -> Floats:
        """Return the best AUC without one item of each row in turn."""
        mass = self.count * self.each
        rows = mass * self.adds
        below, above = np.zeros_like(rows), np.zeros_like(rows)
        np.cumsum(rows[:, :-1], axis=1, out=below[:, 1:])
        np.cumsum(rows[:, :0:-1], axis=1, out=above[:, -2::-1])
        # The distance of an item of each row to all others.
        ones, zeros = below[:2] - above[:2]
        distance = self.p * (ones + zeros) - ones
        distances = mass @ distance / 2 - self.each * distance
        # Sums of the others, not all less the item: a heavy one would leave its rounding.
        below += above
        below += (mass - self.each) * self.adds
        return self._auc(distances, below.T)

    def error_of_pairs(self) -> float:
        """Return the standard error of what depends on pairs of items alone.

        Where items of two kinds are equally many the mean distance does not change, to first
        order, with any item; then this is all there is. It is the second term of Hoeffding's
        variance, 2 Var(h) / (n (n - 1)) for pairs that add h.
        """
        n = int(self.count.sum())
        share = self.count / n
        below = np.cumsum(share) - share
        mean, square = float(share @ self.p), float(share @ self.p**2)
        first = np.cumsum(share * self.p) - share * self.p
        second = np.cumsum(share * self.p**2) - share * self.p**2
        # Means over pairs of |p - p'|^2, |p - p'| s and s^2.
        distance = 2 * (square - mean**2)
        at = self.p**2 * below - second - 2 * self.p**2 * first + 2 * self.p * second
        cross = 2 * (share @ at)
        both = 2 * (square + mean**2 - 4 * mean * square + 2 * square**2)
        slope, known = self._weight_of_products()
        centre = 2 * float(share @ (self.p * below - first)) + slope * 2 * mean * (1 - mean)
        variance = (distance + 2 * slope * cross + slope**2 * both - centre**2) / known**2
        return float(np.sqrt(2 * max(float(variance), 0.0) / max(n * (n - 1), 1)))

    def _weight_of_products(self) -> tuple[float, float]:
        """Return a and b so that a pair adds (|p - p'| + a s) / b to the value."""
        if self.theta is not None:
            return float(self.sign), 4 * self.theta * (1 - self.theta)
        share = self.count / self.count.sum()
        mean = float(share @ self.p)
        return 1 - 2 * float(self.values(self.count[None])[0]), 4 * mean * (1 - mean)

    def _auc(self, distances: Floats, sums: Floats) -> Floats:
        """Return the AUC from the sum of |p - p'| over pairs, and sums of `adds` over items."""
        ones, zeros, own, squares = sums.T
        products = ones * zeros - own  # the sum of p + p' - 2 p p' over pairs
        n = ones + zeros
        pairs = (n**2 - squares) / 2
        some = pairs > _ROUNDING * n**2
        if self.theta is None:
            return 0.5 + ratio(distances, np.where(some, 2 * products, 0.0))
        both = 2 * self.theta * (1 - self.theta)
        half = ratio(distances + self.sign * products, 2 * np.where(some, pairs, 1) * both)
        return half + 1 if self.sign < 0 else half


def ascending(probabilities: Floats, weights: Floats | Counts) -> tuple[Floats, Floats]:
    """Return probabilities in ascending order with their shares of all weight."""
    share = weights / weights.sum()
    if (probabilities[1:] >= probabilities[:-1]).all():  # as rows of tables are
        return probabilities, share
    order = np.argsort(probabilities, kind="stable")
    return probabilities[order], share[order]


def mean_of_lesser(p: Floats, share: Floats) -> float:
    """Return E min(p (1 - p'), p' (1 - p)) of two independent draws from sorted probabilities."""
    # Of a pair in order the lesser product is that of the lesser p with the other's complement.
    up, down = share * p, share * (1 - p)
    below = np.cumsum(up) - up
    return float(2 * (down @ below) + up @ down)


def _auc(probabilities: Floats, weights: Floats | Counts) -> float:
    p, share = ascending(probabilities, weights)
    theta = float(share @ p)
    if not 0 < theta < 1:
        raise AUC.without_class(np.array([1 - theta, theta]))
    return 1 - mean_of_lesser(p, share) / (2 * theta * (1 - theta))


def _auc_with(theta: float, probabilities: Floats, weights: Floats | Counts) -> float:
    """Return the best AUC where the share of class 1 is known, in the form of less variance."""
    p, share = ascending(probabilities, weights)
    both = 2 * theta * (1 - theta)
    lesser, mean = mean_of_lesser(p, share), float(share @ p)
    if auc_discriminant(p, share, theta) >= 0:
        return 1 - lesser / both
    return (2 * mean * (1 - mean) - lesser) / both  # the mean of the greater product


def auc_discriminant(p: Floats, share: Floats, theta: float) -> float:
    """Return (1 - 2 theta) E (p - theta) |p - p'|: above 0 the min form varies less at large n."""
    weight, mass = np.cumsum(share) - share, np.cumsum(share * p) - share * p
    above, more = 1 - weight - share, share @ p - mass - share * p
    distance = p * weight - mass + more - p * above
    return float((1 - 2 * theta) * (share @ ((p - theta) * distance)))


def _with_prior(given: Mapping[str, Any], classes: int) -> Metric:
    theta = float(given["prior"][1])

    def counted(p: Floats, count: Counts, weight: Floats | None = None) -> CountedAuc:
        mass = count if weight is None else count * weight
        varies_less = auc_discriminant(p, mass / mass.sum(), theta) >= 0
        return CountedAuc(p, count, weight, theta=theta, sign=-1 if varies_less else 1)

    moved = moved_with_share(theta)
    more: dict[str, Any] = {"counted": counted, "weighted": counted, "moved": moved}
    return replace(AUC, given=given, whole=partial(_auc_with, theta), slope=None, **more)


def _span_of_auc(classes: int) -> tuple[float, float]:
    return 0.5, 1.0


def _auc_slope(p: Floats, w: Floats, metric: Metric, x: Floats) -> Floats:
    theta = float(w @ p)
    below, mass = np.cumsum(w), np.cumsum(w * p)
    place = np.searchsorted(p, x, side="right")
    under, up = np.append(0.0, below)[place], np.append(0.0, mass)[place]
    lesser = up + x * (1 - under) - x * theta  # E min(x, p) - x E p
    own = np.append(0.0, below)[:-1], np.append(0.0, mass)[:-1]
    pairs = float(w @ (own[1] + p * (1 - own[0]) - p * theta))
    both = 2 * theta * (1 - theta)
    return np.asarray(-2 * lesser / both + pairs * 2 * (1 - 2 * theta) * x / both**2)


def moved_with_share(theta: float) -> Moved:
    """Return the answer for AUC with a known share of class 1: no pair changes by more."""

    def moved(p: Floats, lows: Floats, highs: Floats, counts: Counts) -> float:
        return min(reach_of(p, lows, highs, counts) / (theta * (1 - theta)), 0.5)

    return moved


AUC = Metric(
    name="auc",
    other_names=("roc-auc", "auroc"),
    on_hub="roc_auc",
    limit="ceiling",
    less_is_better=False,
    span=_span_of_auc,
    whole=_auc,
    counted=CountedAuc,
    weighted=CountedAuc,
    moved=moved_ratio(lambda p, counts: 2 * _auc(p, counts) - 1),
    formula="1 - min(p (1 - p'), p' (1 - p)) / (2 P(1) P(0)) over pairs of items",
    title="AUC",
    per_cent=False,
    two_only=True,
    takes=("prior",),
    with_given=_with_prior,
    rule="the ranking by {}",
    of_model=PairsInOrder(),
    how=PAIRS_IN_ORDER,
    slope=_auc_slope,
)


class CountedPrecision(Counted):
    """The best average precision, items of one probability in random order."""

    def __init__(self, p: Floats, count: Counts | Floats) -> None:
        self.p = p[::-1]
        self.count = count[::-1]

    def values(self, counts: Counts | Floats, /) -> Floats:
        """Return the best value for each row of counts; NaN where a class is missing."""
        count = counts[:, ::-1].astype(np.float64)
        right = count * self.p
        before, found = np.cumsum(count, axis=1), np.cumsum(right, axis=1)
        n, total = before[:, -1].copy(), found[:, -1].copy()
        area = self._areas(count, before - count, found - right)
        return ratio(area.sum(axis=1), np.where(total < n, total, 0.0))

    def leave_one_out(self) -> Floats:
        """Return the best average precision without one item of each row in turn."""
        count = self.count.astype(np.float64)
        before = np.cumsum(count) - count
        found = np.cumsum(count * self.p) - count * self.p
        area = self._areas(count, before, found)
        own = self._areas(count - 1, before, found)
        # What follows the item has one item and p fewer before it, so it is linear in that p.
        growth = _growth(count, before - 1)
        later = self._areas(count, before - 1, found)
        slope = np.where(before > 1, self.p * growth, 0.0)
        later = np.where(before > 1, later, self.p**2 * count)
        first = np.cumsum(area) - area
        rest = later.sum() - np.cumsum(later)
        less = slope.sum() - np.cumsum(slope)
        total = count @ self.p - self.p
        area = first + own + rest - self.p * less
        return ratio(area, np.where(total < count.sum() - 1, total, 0.0))[::-1]

    def _areas(self, count: Floats, before: Floats, found: Floats) -> Floats:
        """Return what each row adds: the integral of p (found + p x) / (before + x)."""
        area = found - self.p * before
        area *= _growth(count, before)
        area += self.p * count
        area *= self.p
        return area


def _growth(count: Floats, before: Floats) -> Floats:
    some = before > 0
    quotient = np.divide(count, before, out=np.zeros_like(count), where=some)
    return np.asarray(np.log1p(quotient, out=quotient))


_STEP = 1e-6  # share of items that are moved to take a slope


def _precision_slope(p: Floats, w: Floats, metric: Metric, x: Floats) -> Floats:
    """Return the slope by moving a few items to all x at once."""
    every = np.concatenate((p, x))
    order = np.argsort(every, kind="stable")
    moved = np.vstack((np.zeros(x.size), np.eye(x.size)))
    step = np.concatenate(([0.0], np.full(x.size, _STEP)))[:, None]
    share = np.hstack((np.broadcast_to(w, (x.size + 1, p.size)) * (1 - step), moved * step))
    area = CountedPrecision(every[order], w).values(share[:, order])
    return np.asarray((area[1:] - area[0]) / _STEP)


AVERAGE_PRECISION = Metric(
    name="average-precision",
    other_names=("pr-auc", "ap"),
    limit="ceiling",
    less_is_better=False,
    span=span_of_share,
    counted=CountedPrecision,
    formula="the precision above each item, of the items in the order of p, weighted by p",
    title="average precision",
    per_cent=False,
    two_only=True,
    rule="the ranking by {}",
    of_model=PrecisionOfRanks(),
    how=PRECISION,
    slope=_precision_slope,
)
