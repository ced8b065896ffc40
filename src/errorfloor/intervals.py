"""Confidence limits at any level from what one computation has left behind.

Each class keeps its evidence (replicates, errors, a mean's data) and turns it into limits at a
level, so another level needs no new draws. SciPy is loaded where it is used: its special
functions take longer to import than NumPy.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from errorfloor._typing import Counts, Floats


@dataclass(frozen=True, slots=True, eq=False)
class Resampling:
    """Bootstrap limits: percentile, basic or BCa.

    References
    ----------
    .. [1] B. Efron and R. Tibshirani, "An Introduction to the Bootstrap", 1993, ch. 13 and 14.
    """

    method: str
    value: float
    replicates: Floats = field(repr=False)
    acceleration: float = 0.0

    @property
    def is_defined(self) -> bool:
        """Whether the replicates vary, and for BCa lie on both sides of the value."""
        if self.replicates.min() == self.replicates.max():
            return False
        return self.method != "bca" or 0 < self._share_below < 1

    @property
    def _share_below(self) -> float:
        below = np.count_nonzero(self.replicates < self.value)
        equal = np.count_nonzero(self.replicates == self.value)
        return (below + equal / 2) / self.replicates.size

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        tails = np.array([(1 - level) / 2, (1 + level) / 2])
        if self.method == "bca":
            from scipy.special import ndtr, ndtri

            shift = ndtri(self._share_below)
            z = shift + ndtri(tails)
            tails = ndtr(shift + z / (1 - self.acceleration * z))
        low, high = np.quantile(self.replicates, tails)
        if self.method == "basic":
            low, high = 2 * self.value - high, 2 * self.value - low
        return float(low), float(high)


@dataclass(frozen=True, slots=True)
class CutErrors:
    """Exact binomial limits from the errors of cuts, on their own and on held-out items.

    The lower limit is exact: the errors of the truly best cut are binomial and at least those
    of the cut that looks best. The upper limit comes from items that did not choose the cut.

    References
    ----------
    .. [1] C. Clopper and E. Pearson, Biometrika 26, 1934.
    """

    method: str
    errors: float
    n: int
    held_out_errors: float
    held_out_n: int

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        from scipy.special import betaincinv

        tail = (1 - level) / 2
        k, n = self.errors, self.n
        low = float(betaincinv(k, n - k + 1, tail)) if k > 0 else 0.0
        k, n = self.held_out_errors, self.held_out_n
        high = float(betaincinv(k + 1, n - k, 1 - tail)) if k < n else 1.0
        return low, high


@dataclass(frozen=True, slots=True, eq=False)
class Hoeffding:
    """Limits for the mean of numbers in [0, 1/2], whatever they are.

    References
    ----------
    .. [1] W. Hoeffding, J. Am. Stat. Assoc. 58, 1963; the paper's bound for clean soft labels.
    """

    value: float
    n: int
    method: str = "hoeffding"

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        half = float(np.sqrt(np.log(2 / (1 - level)) / (8 * self.n)))
        return self.value - half, self.value + half


@dataclass(frozen=True, slots=True, eq=False)
class Betting:
    """Limits for the mean of numbers in [0, 1/2] that no gambler could refute.

    A mean is refuted when betting against it would have multiplied the stake by 2 / (1 - level),
    which a true mean allows with at most half that chance, for any n. Stakes in each block of
    items depend on the spread of the blocks before it, so they adapt to small variances.

    References
    ----------
    .. [1] I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random variables by
       betting", J. R. Stat. Soc. B 86, 2024, theorem 3 and section 4.
    """

    values: Floats = field(repr=False)
    blocks: Counts = field(repr=False)  # random parts of the items, shape (blocks, values)
    method: str = "betting"

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        log_goal = float(np.log(2 / (1 - level)))
        doubled = 2 * self.values
        stakes = self._stakes(log_goal)
        low = self._refuted_up_to(doubled, stakes, log_goal)
        high = 1 - self._refuted_up_to(1 - doubled, stakes, log_goal)
        return low / 2, high / 2

    def _stakes(self, log_goal: float) -> Floats:
        """Return the stake of each block, from the variance of the doubled values before it."""
        x = 2 * self.values
        before = np.cumsum(self.blocks, axis=0) - self.blocks
        n = before.sum(axis=1)
        mean = before @ x / np.maximum(n, 1)
        spread = before @ x**2 - n * mean**2
        variance = (0.25 + np.maximum(spread, 0)) / (n + 1)
        return np.asarray(np.sqrt(2 * log_goal / (self.blocks.sum() * variance)))

    def _refuted_up_to(self, x: Floats, stakes: Floats, log_goal: float) -> float:
        """Return the largest mean of `x` against which betting on more reaches the goal."""
        from scipy.optimize import brentq

        def gain(mean: float) -> float:
            capped = np.minimum(stakes, 0.5 / mean if mean > 0 else np.inf)
            logs = np.log1p(np.outer(capped, x - mean))
            return float((self.blocks * logs).sum()) - log_goal

        return float(brentq(gain, 0.0, 1.0, xtol=1e-12)) if gain(0.0) > 0 else 0.0
