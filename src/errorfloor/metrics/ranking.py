"""Metrics of a ranking of items of two classes: AUC and average precision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from errorfloor._typing import Counts, Floats
from errorfloor.metrics.counted import Counted, ratio
from errorfloor.metrics.merged import moved_ratio, moved_with_share
from errorfloor.metrics.model import PairsInOrder, PrecisionOfRanks
from errorfloor.metrics.ranks import PAIRS_IN_ORDER, PRECISION
from errorfloor.metrics.record import Metric, both_classes

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


class CountedPrecision(Counted):
    """The best average precision, items of one probability in random order."""

    def __init__(self, p: Floats, count: Counts) -> None:
        self.p = p[::-1]
        self.count = count[::-1]

    def values(self, counts: Counts, /) -> Floats:
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
    theta = both_classes(float(share @ p), "AUC")
    return 1 - mean_of_lesser(p, share) / (2 * theta * (1 - theta))


def _auc_with(theta: float, probabilities: Floats, weights: Floats | Counts) -> float:
    """Return the best AUC where the share of class 1 is known, in the form of less variance."""
    p, share = ascending(probabilities, weights)
    both = 2 * both_classes(theta, "AUC") * (1 - theta)
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

    def whole(probabilities: Floats, weights: Floats | Counts) -> float:
        return _auc_with(theta, probabilities, weights)

    def counted(p: Floats, count: Counts, weight: Floats | None = None) -> CountedAuc:
        mass = count if weight is None else count * weight
        varies_less = auc_discriminant(p, mass / mass.sum(), theta) >= 0
        return CountedAuc(p, count, weight, theta=theta, sign=-1 if varies_less else 1)

    moved = moved_with_share(theta)
    more: dict[str, Any] = {"counted": counted, "weighted": counted, "moved": moved}
    return replace(AUC, given=given, whole=whole, slope=None, **more)


def _span_of_auc(classes: int) -> tuple[float, float]:
    return 0.5, 1.0


def _average_precision(probabilities: Floats, weights: Floats | Counts) -> float:
    """Return the area under precision against recall, items of one probability in random order."""
    p, share = (column[::-1] for column in ascending(probabilities, weights))
    both_classes(float(share @ p), "Average precision")
    before = np.cumsum(share) - share
    found = np.cumsum(share * p) - share * p
    before[0] = found[0] = 0.0
    # The area that items of one probability add: the integral of (found + p x) / (before + x).
    with np.errstate(divide="ignore", invalid="ignore"):
        growth = np.where(before > 0, np.log1p(share / before), 0.0)
    area = p * (p * share + (found - p * before) * growth)
    return float(area.sum() / (share @ p))


def span_of_share(classes: int) -> tuple[float, float]:
    """Return 0 and 1."""
    return 0.0, 1.0


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


def _precision_slope(p: Floats, w: Floats, metric: Metric, x: Floats) -> Floats:
    """Return the slope by moving a few items to all x at once."""
    every = np.concatenate((p, x))
    order = np.argsort(-every, kind="stable")
    moved = np.vstack((np.zeros(x.size), np.eye(x.size)))
    step = np.concatenate(([0.0], np.full(x.size, _STEP)))[:, None]
    share = np.hstack((np.broadcast_to(w, (x.size + 1, p.size)) * (1 - step), moved * step))
    share, q = share[:, order], every[order]
    before = np.cumsum(share, axis=1) - share
    found = np.cumsum(share * q, axis=1) - share * q
    some = before > 1e-14
    growth = np.where(some, np.log1p(share / np.where(some, before, 1.0)), 0.0)
    area = (q * (q * share + (found - q * before) * growth)).sum(axis=1) / (share @ q)
    return np.asarray((area[1:] - area[0]) / _STEP)


AUC = Metric(
    name="auc",
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
AVERAGE_PRECISION = Metric(
    name="average-precision",
    limit="ceiling",
    less_is_better=False,
    span=span_of_share,
    whole=_average_precision,
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
