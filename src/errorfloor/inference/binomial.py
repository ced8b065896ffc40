"""Exact binomial limits of a share, the one home of Clopper and Pearson.

References
----------
.. [1] C. Clopper and E. Pearson, Biometrika 26, 1934.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from errorfloor._typing import Floats


def lower_limit(successes: Any, n: Any, tail: Any) -> Floats:
    """Return the share that makes so many successes, or more, as rare as `tail`; 0 for none."""
    from scipy.special import betaincinv

    k = np.asarray(successes, dtype=np.float64)
    some = k > 0
    return np.where(some, betaincinv(np.where(some, k, 1.0), n - k + 1, tail), 0.0)


def upper_limit(successes: Any, n: Any, tail: Any) -> Floats:
    """Return the share that makes so many successes, or fewer, as rare as `tail`; 1 for all."""
    from scipy.special import betaincinv

    k = np.asarray(successes, dtype=np.float64)
    failures = n - k
    some = failures > 0
    return np.where(
        some, betaincinv(k + 1, np.where(some, failures, 1.0), 1 - np.asarray(tail)), 1.0
    )
