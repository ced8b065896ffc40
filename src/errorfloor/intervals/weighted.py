"""Limits of errors where items weigh differently or belong together.

Errors that were counted become errors of as many equal items as have the same variance.
"""

from __future__ import annotations

from dataclasses import dataclass

from errorfloor.intervals.binomial import lower_limit, upper_limit
from errorfloor.intervals.held_out import worth_of_correlated, worth_of_freedom


@dataclass(frozen=True, slots=True)
class WeightedErrors:
    """Limits from weighted shares of errors, each worth so many equal items.

    The lower limit is from the cut or rule with the smallest share, the upper one from items that
    did not choose it. Few units of unequal weight tell less of their own variance: Student's t
    takes the place of the normal distribution.

    References
    ----------
    .. [1] E. Korn and B. Graubard, "Confidence intervals for proportions with small expected
       number of positive counts estimated from survey data", Survey Methodology 24, 1998.
    """

    method: str
    share: float
    n: float
    held_out_share: float
    held_out_n: float
    freedom: float
    correlated: float = 0.0

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        tail = (1 - level) / 2
        known = worth_of_freedom(self.freedom, tail)
        low = lower_limit(known * self.n * self.share, known * self.n, tail)
        n = known * self.held_out_n * worth_of_correlated(self.correlated, tail)
        high = upper_limit(n * self.held_out_share, n, tail)
        return float(low), float(high)
