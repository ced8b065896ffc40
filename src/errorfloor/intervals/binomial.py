"""Exact binomial limits of a share, the one home of Clopper and Pearson, and what items are worth.

References
----------
.. [1] C. Clopper and E. Pearson, Biometrika 26, 1934.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from errorfloor.metrics.two_by_two import Binomial


def lower_limit(successes: Any, n: Any, tail: Any) -> Any:
    """Return the share that makes so many successes, or more, as rare as `tail`; 0 for none."""
    return Binomial(successes, n, 1.0).quantile(tail)


def upper_limit(successes: Any, n: Any, tail: Any) -> Any:
    """Return the share that makes so many successes, or fewer, as rare as `tail`; 1 for all."""
    return Binomial(successes + 1, n, 1.0).quantile(1 - tail)


def worth_of_freedom(freedom: float, tail: float) -> float:
    """Return how many items of known variance an item is worth where units tell the variance.

    Student's t takes the place of the normal distribution.
    """
    if np.isinf(freedom) or tail == 0.5:  # where both are at 0
        return 1.0
    from scipy.special import ndtri, stdtrit

    return float(ndtri(tail) / stdtrit(freedom, tail)) ** 2
