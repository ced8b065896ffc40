"""Limits of the difference of two models that were tried on the same items.

References
----------
.. [1] D. Bonett and R. Price, "Adjusted Wald confidence interval for a difference of binomial
   proportions based on paired data", Journal of Educational and Behavioral Statistics 37, 2012.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from errorfloor._typing import Counts, Floats

PSEUDO = 3.0  # items, half of which each model wins; with two, limits cover down to 93.5 %
DOUBT = 0.5  # clusters by which it is taken for granted that their items go along
_POWER = 0.8  # with which a difference would be shown


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """A mean of differences between two models on the same items.

    Half of `PSEUDO` items that only the first model gets right, and as many that only the second
    does, are added [1]_, so that few differences are not taken for none; then the limits are
    Student's. Enumerated for 3 to 300 items they cover at least 94 % of the time at 95 %, whatever
    the models are.

    Attributes
    ----------
    value : float
        The difference.
    variance : float
        Of that, as items, or clusters of them, have it.
    number : float
        Items with equal parts in the difference that would tell as much.
    reach : float
        By how much one of these can change the difference.
    freedom : float
        Degrees of freedom of the variance.
    most : float
        The largest difference that there can be.
    """

    value: float
    variance: float
    number: float
    reach: float
    freedom: float
    most: float = 1.0
    method: str = "paired"

    @classmethod
    def of(
        cls,
        values: Floats,
        reach: Floats,
        weight: Floats | None = None,
        cluster: Counts | None = None,
        most: float = 1.0,
    ) -> PairedDifference:
        """Take items, or clusters of them, as a sample.

        Parameters
        ----------
        values : array of shape (n,)
            What each item adds to the difference, which is their mean.
        reach : array of shape (n,)
            The largest size that each value could have.
        weight : array of shape (n,), optional
            What each item weighs.
        cluster : array of shape (n,), optional
            Which items depend on each other, from 0 on.
        most : float
            The largest difference that there can be.
        """
        share = np.ones(values.size) if weight is None else weight
        share = share / share.sum()
        value = float(share @ values)
        far, part = share * (values - value), share * reach
        variance = float(far @ far)
        telling, size = _of_reach(share, reach)
        number = telling / float(share @ share)  # of items that weigh the same
        if cluster is None:
            return cls(value, variance, number, size / number, _freedom(part), most)
        sums, weighs = np.bincount(cluster, far), np.bincount(cluster, share)
        between = float(sums @ sums) * sums.size / max(sums.size - 1, 1)
        clusters = min(telling / float(weighs @ weighs), number)
        alike = _alike(between, variance, variance * number / clusters)
        apart = np.bincount(cluster, (share * values) ** 2)
        known = float(apart.sum() ** 2 / (apart @ apart)) if apart.any() else 0.0
        alike = (known * alike + DOUBT) / (known + DOUBT)
        number = 1 / (1 / number + (1 / clusters - 1 / number) * alike)
        freedom = _freedom(np.bincount(cluster, part).astype(np.float64))
        return cls(value, between, number, size / number, freedom, most)

    @property
    def _centre(self) -> float:
        return self.value * self.number / (self.number + PSEUDO)

    @property
    def deviation(self) -> float:
        """Standard error, with the items that are added."""
        n = self.number
        squares = n * (self.variance * n + self.value**2) + PSEUDO * (self.reach * n) ** 2
        total = n + PSEUDO
        return float(np.sqrt(max(squares / total - self._centre**2, 0.0) / total))

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        from scipy.special import stdtrit

        half = float(stdtrit(self.freedom, (1 + level) / 2)) * self.deviation
        low, high = self._centre - half, self._centre + half
        return max(min(low, self.value), -self.most), min(max(high, self.value), self.most)

    def p_value(self) -> float:
        """Return the p-value of no difference: one less the least level that leaves out 0."""
        from scipy.special import stdtr

        if not self.deviation:
            return 1.0
        return float(2 * stdtr(self.freedom, -abs(self._centre) / self.deviation))

    def shown(self, level: float) -> float:
        """Return the difference that would be shown four times out of five."""
        from scipy.special import stdtrit

        both = stdtrit(self.freedom, (1 + level) / 2) + stdtrit(self.freedom, _POWER)
        return float(both) * self.deviation


def _of_reach(share: Floats, reach: Floats) -> tuple[float, float]:
    """Return which part of the items decides, and how far such a part can change the difference.

    Where a rare class counts as much as a frequent one, its items decide.
    """
    squares = reach * reach
    fourth = float(share @ (squares * squares))
    if not fourth:
        return 1.0, 0.0
    mean = float(share @ squares)
    return mean**2 / fourth, float(np.sqrt(fourth / mean)) * mean**2 / fourth


def _freedom(part: Floats) -> float:
    """Return the degrees of freedom of a sum of squares of such parts (Satterthwaite's)."""
    squares = part * part
    fourth = float(squares @ squares)
    return max(float(squares.sum() ** 2 / fourth) - 1, 1.0) if fourth else max(part.size - 1.0, 1.0)


def _alike(between: float, apart: float, together: float) -> float:
    """Return how far the items of a cluster go along, from variances if they do not and if so."""
    return min(max((between - apart) / (together - apart), 0.0), 1.0) if together > apart else 1.0
