"""F1, MCC and balanced error of many tables at once that differ in their counts alone."""

from __future__ import annotations

import numpy as np

from errorfloor._typing import Bools, Counts, Floats
from errorfloor.metrics.counted import Counted, ratio

# Thresholds that may be best without an item: so many of the best with it, if that is affordable.
_CANDIDATES, _AFFORDABLE = 256, 2**24


class CountedF1(Counted):
    """The best F1: the root f of E (2p - f)_+ = f E p, and the largest of any threshold."""

    def __init__(self, p: Floats, count: Counts) -> None:
        self.p = p
        self.count = count

    def values(self, counts: Counts, /) -> Floats:
        """Return the best F1 for each row of counts; NaN where there is no class 1."""
        named, right = _above(self.p, counts)
        total = right[:, -1:].copy()
        named += total
        best = np.max(2 * ratio(right, named), axis=1, where=named > 0, initial=0.0)
        return np.where(total[:, 0] > 0, best, np.nan)

    def leave_one_out(self) -> Floats:
        """Return the best F1 without one item of each row in turn."""
        named, right = (np.append(row[0][::-1], 0.0) for row in _above(self.p, self.count[None]))
        total = right[0] - self.p
        best = np.full(self.p.size, 0.0)
        for _ in range(50):  # each step takes the best threshold for the F1 before it
            row = np.searchsorted(self.p, best / 2, side="right")
            among = row <= np.arange(self.p.size)
            better = 2 * ratio(right[row] - among * self.p, named[row] - among + total)
            if not (better > best).any():
                break
            best = np.fmax(best, better)
        return np.where(total > 0, best, np.nan)


class CountedMcc(Counted):
    """The best MCC, the largest correlation of any threshold; 0 where all items are alike."""

    def __init__(self, p: Floats, count: Counts) -> None:
        self.p = p
        self.count = count

    def values(self, counts: Counts, /) -> Floats:
        """Return the best MCC for each row of counts; NaN where there is one class only."""
        named, right = _above(self.p, counts)
        n, total = named[:, -1:].copy(), right[:, -1:].copy()
        found = np.nanmax(_mcc(named, right, n, total), axis=1, initial=0.0)
        sure = (total <= 0) | (total >= n)
        return np.where(sure[:, 0], np.nan, found)

    def leave_one_out(self) -> Floats:
        """Return the best MCC without one item of each row in turn."""
        named, right = (row[0][::-1] for row in _above(self.p, self.count[None]))
        n, total = named[0], right[0]
        quality = np.nan_to_num(_mcc(named, right, n, total), nan=-1.0)
        room = max(1, min(_CANDIDATES, _AFFORDABLE // self.p.size))
        best = np.argsort(-quality, kind="stable")[:room]
        fewer = total - self.p
        found = np.zeros(self.p.size)
        for row in best:
            among = np.arange(self.p.size) >= row
            value = _mcc(named[row] - among, right[row] - among * self.p, n - 1, fewer)
            np.fmax(found, value, out=found)
        sure = (fewer <= 0) | (fewer >= n - 1)
        return np.where(sure, np.nan, found)

    def off_by_choice(self) -> tuple[float, float]:
        """Return how far the value may be too high because these items chose the best rule.

        Any other threshold may be as good, or even the best, that is behind by less than two
        standard errors of its distance: where many items have one probability, with them or not.
        """
        n = float(self.count.sum())
        share = self.count / n
        # Shares of items above each threshold, and their sums of p and of p^2; then of none.
        above = [np.cumsum((share * self.p**power)[::-1])[::-1] for power in range(3)]
        named, total = above[0][1:], float(above[1][0])
        if not named.size or not 0 < total < 1:
            return 0.0, 0.0
        value = _mcc(named, above[1][1:], above[0][:1], above[1][:1])
        best = int(np.argmax(value))
        error = np.sqrt(self._variance_beside(best, value, above) / n)
        return 0.0, float(np.max(2 * error - (value[best] - value), initial=0.0))

    @staticmethod
    def _variance_beside(best: int, value: Floats, above: list[Floats]) -> Floats:
        """Return the variance of what an item adds to each threshold's value less the best one's.

        To first order, any item adds `other` p, and one above the threshold `one` + `right` p more.
        """
        named, total = above[0][1:], above[1][0]
        right = 1 / np.sqrt(named * (1 - named) * total * (1 - total))
        one = -total * right - value * (0.5 - named) / (named * (1 - named))
        other = -named * right - value * (0.5 - total) / (total * (1 - total))
        every = other - other[best]
        place = np.arange(1, named.size + 1)
        lower, upper = np.minimum(place, best + 1), np.maximum(place, best + 1)
        sign, which = np.where(place <= best, 1, -1), np.where(place <= best, place - 1, best)
        parts = (
            (0.0, every, 0 * lower, lower),
            (sign * one[which], sign * right[which] + every, lower, upper),
            (one - one[best], right - right[best] + every, upper, None),
        )
        mean, square = np.zeros((2, named.size))
        for constant, slope, start, end in parts:
            n, p, pp = (sums[start] - (0 if end is None else sums[end]) for sums in above)
            mean += constant * n + slope * p
            square += constant**2 * n + 2 * constant * slope * p + slope**2 * pp
        return np.asarray(np.maximum(square - mean**2, 0))


def _mcc(named: Floats, right: Floats, n: Floats, total: Floats) -> Floats:
    """Return the correlation of label and decision; NaN where all decisions are alike."""
    spread = named * (n - named) * (total * (n - total))
    return ratio(right * n - named * total, np.sqrt(np.maximum(spread, 0)))


def _above(p: Floats, counts: Counts) -> tuple[Floats, Floats]:
    """Return how many items are above each threshold, and of class 1 among them, least last."""
    count = counts[:, ::-1].astype(np.float64)
    right = count * p[::-1]
    return np.cumsum(count, axis=1, out=count), np.cumsum(right, axis=1, out=right)


class CountedBalance(Counted):
    """The best balanced error of two classes, with the mean probability as share of class 1.

    Then the min form and the max form are one number, 1/2 - E |p - theta| / (4 theta (1 - theta)).
    """

    def __init__(self, p: Floats, count: Counts) -> None:
        self.p = p
        self.count = count

    def values(self, counts: Counts, /) -> Floats:
        """Return the best balanced error for each row of counts; NaN where a class is missing."""
        n = counts.sum(axis=1)
        theta = counts @ self.p / n
        away = np.abs(self.p - theta[:, None])
        away *= counts
        spread = 4 * theta * (1 - theta)
        return np.clip(0.5 - ratio(away.sum(axis=1) / n, spread), 0.0, 0.5)

    def leave_one_out(self) -> Floats:
        """Return the best balanced error without one item of each row in turn."""
        n = float(self.count.sum())
        total = self.count @ self.p
        theta = (total - self.p) / max(n - 1, 1)
        row = np.searchsorted(self.p, theta, side="right")
        below = np.append(0.0, np.cumsum(self.count))[row]
        sum_below = np.append(0.0, np.cumsum(self.count * self.p))[row]
        away = total - 2 * sum_below - theta * (n - 2 * below)
        away -= np.abs(self.p - theta)
        spread = 4 * theta * (1 - theta)
        return 0.5 - ratio(away / max(n - 1, 1), spread)

    def off_by_choice(self) -> tuple[float, float]:
        """Return how far the value may be too low because these items chose the best rule.

        The rule is to name class 1 above the mean probability. Where many items are about at the
        mean, the mean distance from it has a kink there, and is too large on either side. It is
        looked at two standard errors of the mean away, less what a straight line would have.
        """
        share = self.count / self.count.sum()
        theta = float(share @ self.p)
        error = float(np.sqrt(share @ (self.p - theta) ** 2 / self.count.sum()))
        above, below = share @ (self.p > theta), share @ (self.p < theta)
        bent = 0.0
        for shift, slope in ((2 * error, 1 - 2 * above), (-2 * error, 2 * below - 1)):
            moved = share @ (np.abs(self.p - theta - shift) - np.abs(self.p - theta))
            bent = max(bent, float(moved - slope * shift))
        return (bent / (4 * theta * (1 - theta)) if 0 < theta < 1 else 0.0), 0.0


class CountedManyBalance(Counted):
    """The best balanced error of many classes, with mean probabilities as shares of classes."""

    def __init__(self, p: Floats, count: Counts) -> None:
        self.p = np.ascontiguousarray(p)
        self.count = count

    def values(self, counts: Counts, /) -> Floats:
        """Return the best balanced error for each row of counts; NaN where a class is missing."""
        return np.array([self._value(count) for count in counts])

    def _value(self, count: Counts) -> float:
        shares = count @ self.p
        if (shares <= 0).any():
            return np.nan
        return 1 - float(count @ (self.p / shares).max(axis=1)) / shares.size

    def leave_one_out(self) -> Floats:
        """Return the best balanced error without one item of each row in turn."""
        shares = self.count @ self.p
        if (shares <= 0).any():
            return np.full(len(self.p), np.nan)
        fewer = shares - self.p
        gone = np.asarray((fewer <= _tiny(shares)).any(axis=1))
        with np.errstate(divide="ignore"):
            inverse = np.where(gone[:, None], 0.0, 1 / np.maximum(fewer, _tiny(shares)))
        weighted = self.p / shares
        first, close = weighted.argmax(axis=1), self._may_change(weighted, inverse * shares)
        # Rows whose best class stays so add up by class; the others are looked at one by one.
        by_class = np.zeros(shares.size)
        chosen = self.p[np.arange(first.size), first]
        np.add.at(by_class, first[~close], (self.count * chosen)[~close])
        reached = inverse @ by_class
        for row in np.flatnonzero(close):
            reached += self.count[row] * (inverse * self.p[row]).max(axis=1)
        reached -= (inverse * self.p).max(axis=1)
        return np.where(gone, np.nan, 1 - reached / shares.size)

    @staticmethod
    def _may_change(weighted: Floats, moved: Floats) -> Bools:
        """Tell in which rows another class may be best once an item is left out."""
        best, last = weighted.argmax(axis=1), weighted.shape[1] - 1
        most, least = moved.max(axis=0), np.where(moved > 0, moved, np.inf).min(axis=0)
        least = np.where(np.isfinite(least), least, 0.0)
        rivals = weighted * most
        np.put_along_axis(rivals, best[:, None], -1.0, axis=1)
        own = np.take_along_axis(weighted * least, best[:, None], axis=1)[:, 0]
        return np.asarray(np.partition(rivals, last, axis=1)[:, last] >= own)


def _tiny(shares: Floats) -> Floats:
    """Return what is left of a share by rounding errors alone, once all of it is taken away."""
    return np.asarray(1e-12 * shares)
