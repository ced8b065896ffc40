"""Limits of a model's own value of a metric on test items, from counts or losses.

References
----------
.. [1] E. Wilson, J. Am. Stat. Assoc. 22, 1927: limits of a share; with the variance of a mean of
   numbers in [0, 1], which is at most that of a share, they are wide enough for such a mean.
.. [2] G. Zou and A. Donner, Statistics in Medicine 27, 2008: limits of sums of independent parts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from errorfloor._typing import Floats
from errorfloor.intervals.binomial import lower_limit, upper_limit
from errorfloor.intervals.honest import worth_of_freedom


@dataclass(frozen=True, slots=True)
class ExactShare:
    """Binomial limits of a share of items; of F1, where each such item is in one of three cells.

    Of the items that are positive or are named positive, the true positives are binomial with some
    share J, and F1 is 2 J / (1 + J).
    """

    successes: float
    n: float
    is_f1: bool = False
    method: str = "exact"

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        tail = (1 - level) / 2
        ends = lower_limit(self.successes, self.n, tail), upper_limit(self.successes, self.n, tail)
        low, high = (2 * end / (1 + end) if self.is_f1 else end for end in ends)
        return float(low), float(high)


@dataclass(frozen=True, slots=True)
class Wilson:
    """Wilson's limits for a number in [least, least + span] that varies as a share of n items.

    A mean of `n` such numbers varies no more than that, whatever they are. The lower limit is that
    about `lower`, where the number itself is too high on average. Where few units of unequal weight
    tell of their own variance, Student's t takes the place of the normal distribution.
    """

    value: float
    n: float
    span: float = 1.0
    least: float = 0.0
    method: str = "wilson"
    lower: float | None = None
    freedom: float = float("inf")

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        lower = self.value if self.lower is None else self.lower
        return self._end(lower, level, -1), self._end(self.value, level, 1)

    def _end(self, value: float, level: float, side: int) -> float:
        from scipy.special import ndtri

        z, n = float(ndtri((1 + level) / 2)), self.n
        n *= worth_of_freedom(self.freedom, (1 - level) / 2)
        share, most = (value - self.least) / self.span, 1 + z**2 / n
        middle = (share + z**2 / (2 * n)) / most
        half = z * np.sqrt(max(share * (1 - share), 0) / n + (z / (2 * n)) ** 2) / most
        end = float(middle + side * half)
        end = max(end, share) if side > 0 else min(end, share)  # also where it rounds past a share
        return self.least + self.span * min(max(end, 0.0), 1.0)


@dataclass(frozen=True, slots=True)
class MeanOfShares:
    """Limits for the mean of independent shares, from the exact limits of each."""

    successes: tuple[int, ...]
    n: tuple[int, ...]
    method: str = "exact parts"

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        tail, down, up, total = (1 - level) / 2, 0.0, 0.0, 0.0
        for k, n in zip(self.successes, self.n, strict=True):
            total += k / n
            down += (k / n - lower_limit(k, n, tail)) ** 2
            up += (upper_limit(k, n, tail) - k / n) ** 2
        parts = len(self.n)
        low, high = total - np.sqrt(down), total + np.sqrt(up)
        return max(float(low / parts), 0.0), min(float(high / parts), 1.0)


@dataclass(frozen=True, slots=True)
class OnScale:
    """Normal limits on a scale that keeps them within what the value can be.

    `scale` is "logit" for values in (0, 1), "z" (of Fisher) for those in (-1, 1), "log" for those
    above 0; `error` is the standard error of the value itself.
    """

    value: float
    error: float
    scale: str
    method: str

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        from scipy.special import expit, logit, ndtri

        v = self.value
        half = float(ndtri((1 + level) / 2)) * self.error
        if self.scale == "logit":
            half /= v * (1 - v)
            return float(expit(logit(v) - half)), float(expit(logit(v) + half))
        if self.scale == "z":
            half /= 1 - v**2
            return float(np.tanh(np.arctanh(v) - half)), float(np.tanh(np.arctanh(v) + half))
        half /= v
        return float(v * np.exp(-half)), float(v * np.exp(half))


def mcc_of(matrix: Floats) -> float:
    """Return the correlation of label and decision; 0 where either never varies."""
    (tn, fp), (fn, tp) = matrix
    spread = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    return float((tp * tn - fp * fn) / np.sqrt(spread)) if spread > 0 else 0.0


def mcc_error(matrix: Floats) -> float:
    """Return the standard error of the MCC by the delta method.

    It is a function of four shares. Its derivatives are taken with half an item more in each cell,
    so that empty cells do not make it look sure.
    """
    n = matrix.sum()
    share = (matrix + 0.5) / (n + 2)
    step, slopes = 1e-6, np.empty(4)
    for at in range(4):
        moved = share.ravel().copy()
        moved[at] += step
        slopes[at] = (mcc_of(moved.reshape(2, 2)) - mcc_of(share)) / step
    weights = share.ravel()
    return float(np.sqrt((weights @ slopes**2 - (weights @ slopes) ** 2) / n))
