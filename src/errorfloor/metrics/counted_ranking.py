"""AUC and average precision of many tables at once that differ in their counts alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from errorfloor._typing import Counts, Floats
from errorfloor.metrics.counted import Counted, ratio

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
