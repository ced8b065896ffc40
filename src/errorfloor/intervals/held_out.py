"""Exact binomial limits from errors that were counted: on all items, and on items held out."""

from __future__ import annotations

from dataclasses import dataclass

from errorfloor.intervals.binomial import lower_limit, upper_limit

# Coin flips throughout: the cross-fitted errors have about 1 + 1.3 times the binomial variance.
# What is more than binomial has short tails, so that far out less of it counts. Both numbers fit
# the quantiles from 0.1 to 0.0005 of simulated coin flips, alone and with other items, for any
# number of distinct scores; see "Upper limits" in docs/theory.md.
_EXTRA, _SHORT = 1.3, 4.5


@dataclass(frozen=True, slots=True)
class HeldOutErrors:
    """The fewest errors of any rule, and those of fitted rules on items that did not choose them.

    The lower limit is exact: the errors of the truly best rule are binomial and at least those of
    the rule that looks best. The upper limit comes from items that did not choose the rule. Where
    items are held out in turn, the errors of the folds are correlated as far as no rule is clearly
    best; `correlated` says what share of their variance that concerns, and they count as fewer.

    References
    ----------
    .. [1] C. Clopper and E. Pearson, Biometrika 26, 1934.
    """

    method: str
    errors: float
    n: int
    held_out_errors: float
    held_out_n: int

    @property
    def correlated(self) -> float:
        """Share of the variance of the held-out errors that the folds have in common."""
        raise NotImplementedError

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        tail = (1 - level) / 2
        low = lower_limit(self.errors, self.n, tail)
        worth = self._worth(tail)
        high = upper_limit(worth * self.held_out_errors, worth * self.held_out_n, tail)
        return float(low), float(high)

    def _worth(self, tail: float) -> float:
        """Return the number of independent items that a held-out item is worth, at most 1."""
        return worth_of_correlated(self.correlated, tail)


def worth_of_correlated(share: float, tail: float) -> float:
    """Return the same where folds have so large a share of the variance in common."""
    from scipy.special import ndtri

    return float(1 / (1 + _EXTRA * share / (1 + share * ndtri(tail) ** 2 / _SHORT)))


def worth_of_freedom(freedom: float, tail: float) -> float:
    """Return how many items of known variance an item is worth where units tell the variance.

    Student's t takes the place of the normal distribution.
    """
    from scipy.special import ndtri, stdtrit

    return float(ndtri(tail) / stdtrit(freedom, tail)) ** 2
