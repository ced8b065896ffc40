"""AUC and average precision of many tables at once that differ in their counts alone."""

from __future__ import annotations

import numpy as np

from errorfloor._typing import Counts, Floats
from errorfloor.metrics.counted import Counted, ratio

AT_ONCE = 2**17  # only for speed: numbers that stay in the cache of a core


class CountedAuc(Counted):
    """The best AUC, from all pairs of different items.

    Of two items the greater less the lesser product p (1 - p') is |p - p'|, and both together are
    s = p + p' - 2 p p'. So the best AUC is 1/2 + E |p - p'| / (2 E s), and with both means over the
    same pairs the min form and the max form of Ushio, Ishida and Sugiyama (2026) are one number.
    With a known share `theta` of class 1, E s is known and the forms differ; `sign` is -1 for the
    min form, 1 - E (s - |p - p'|) / (2 E s), and 1 for the max form.
    """

    def __init__(
        self, p: Floats, count: Counts, theta: float | None = None, sign: int = -1
    ) -> None:
        self.p = p
        self.count = count
        self.theta = theta
        self.sign = sign

    @property
    def may_leave_span(self) -> bool:
        """Whether values without an item may lie outside what the metric can be."""
        return self.theta is not None

    def values(self, counts: Counts, /) -> Floats:
        """Return the best AUC for each row of counts; NaN where there is one class only."""
        n = counts.sum(axis=1).astype(np.float64)
        before = np.zeros((len(counts), 1), dtype=counts.dtype)
        total, squares, distances = n * self.p[0], n * self.p[0] ** 2, np.zeros(n.size)
        width = max(1, AT_ONCE // n.size)  # only for speed
        # Sums over items from the gaps between rows, so that nothing cancels.
        for start in range(0, self.p.size - 1, width):
            p = self.p[start : start + width + 1]
            gaps = np.diff(p)
            running = np.cumsum(counts[:, start : start + gaps.size], axis=1)
            if start:
                running += before
            before = running[:, -1:]
            below = running.astype(np.float64)
            above = n[:, None] - below
            sums = above @ np.column_stack((gaps, gaps * (p[1:] + p[:-1])))
            above *= below
            total += sums[:, 0]
            squares += sums[:, 1]
            distances += above @ gaps
        return np.clip(self._auc(distances, _products(total, squares, n), n), 0.5, 1.0)

    def leave_one_out(self) -> Floats:
        """Return the best AUC without one item of each row in turn."""
        n = float(self.count.sum())
        total, squares = self.count @ self.p, self.count @ self.p**2
        below = np.cumsum(self.count) - self.count
        sum_below = np.cumsum(self.count * self.p) - self.count * self.p
        above = n - below - self.count
        sum_above = total - sum_below - self.count * self.p
        distance = self.p * below - sum_below + sum_above - self.p * above  # of one to all others
        all_distances = self.count @ distance / 2
        products = _products(total - self.p, squares - self.p**2, n - 1)
        return self._auc(all_distances - distance, products, np.full(self.p.size, n - 1))

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

    def _auc(self, distances: Floats, products: Floats, n: Floats) -> Floats:
        """Return the AUC from sums of |p - p'| and of s over pairs of items."""
        if self.theta is None:
            return 0.5 + ratio(distances, np.where(n > 1, 2 * products, 0.0))
        both = 2 * self.theta * (1 - self.theta)
        pairs = np.maximum(n * (n - 1) / 2, 1)
        half = ratio(distances + self.sign * products, 2 * pairs * both)
        return half + 1 if self.sign < 0 else half


def _products(total: Floats, squares: Floats, n: Floats | float) -> Floats:
    """Return the sum of p + p' - 2 p p' over pairs of different items."""
    return np.asarray(total * (n - total) - (total - squares))


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
