"""Honest limits: on one side from the items that chose a rule, on the other from items held out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from errorfloor.methods.fitted import Sides, sides_of_errors

# Coin flips throughout: cross-fitted errors have about 1 + 1.3 times the binomial variance. What
# is more than binomial has short tails, so that far out less of it counts. Both numbers fit the
# quantiles from 0.1 to 0.0005 of simulated coin flips, alone and with other items, for any number
# of distinct scores; see "Upper limits" in docs/theory.md.
_EXTRA, _SHORT = 1.3, 4.5


@dataclass(frozen=True, slots=True, eq=False)
class Honest:
    """Limits of the least loss of any rule, turned into those of the metric.

    Below, the rule that looks best loses no more than the truly best one does on these items.
    Above, rules tried on items that did not choose them lose no less than the best one; the folds
    are correlated as far as no rule is clearly best, so that items held out count as fewer. Few
    units of unequal weight tell less of their own variance: Student's t takes the place of the
    normal distribution.

    References
    ----------
    .. [1] C. Clopper and E. Pearson, Biometrika 26, 1934.
    .. [2] E. Korn and B. Graubard, "Confidence intervals for proportions with small expected
       number of positive counts estimated from survey data", Survey Methodology 24, 1998.
    .. [3] M. Fay and E. Feuer, "Confidence intervals for directly standardized rates: a method
       based on the gamma distribution", Statistics in Medicine 16, 1997.
    """

    sides: Sides
    method: str = "honest"

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        tail, sides = (1 - level) / 2, self.sides
        known = worth_of_freedom(sides.freedom, tail)
        low = np.min(sides.below(known).quantile(tail))
        above = sides.above(known * worth_of_correlated(sides.correlated, tail))
        high = np.max(above.quantile(1 - tail))
        low, high = sorted(float(sides.link(float(end))) for end in (low, high))
        return low, high


def worth_of_correlated(share: float, tail: float) -> float:
    """Return how many independent items an item held out is worth, at most 1.

    Folds have so large a share of the variance in common.
    """
    from scipy.special import ndtri

    return float(1 / (1 + _EXTRA * share / (1 + share * ndtri(tail) ** 2 / _SHORT)))


def worth_of_freedom(freedom: float, tail: float) -> float:
    """Return how many items of known variance an item is worth where units tell the variance.

    Student's t takes the place of the normal distribution.
    """
    if np.isinf(freedom):
        return 1.0
    from scipy.special import ndtri, stdtrit

    return float(ndtri(tail) / stdtrit(freedom, tail)) ** 2


def of_errors(
    own: tuple[float, float],
    held_out: tuple[float, float],
    *,
    freedom: float = float("inf"),
    correlated: float = 0.0,
    method: str = "honest",
) -> Honest:
    """Return limits of a share of errors, from errors and items of both sides."""
    return Honest(sides_of_errors(own, held_out, freedom, correlated), method)
