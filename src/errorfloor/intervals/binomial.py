"""Exact binomial limits of a share, the one home of Clopper and Pearson.

References
----------
.. [1] C. Clopper and E. Pearson, Biometrika 26, 1934.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def lower_limit(successes: Any, n: Any, tail: Any) -> Any:
    """Return the share that makes so many successes, or more, as rare as `tail`; 0 for none."""
    from scipy.special import betaincinv

    if np.ndim(successes) == 0:  # numbers take a third of the time of arrays
        return betaincinv(successes, n - successes + 1, tail) if successes > 0 else 0.0
    some = successes > 0
    return np.where(some, betaincinv(np.where(some, successes, 1), n - successes + 1, tail), 0.0)


def upper_limit(successes: Any, n: Any, tail: Any) -> Any:
    """Return the share that makes so many successes, or fewer, as rare as `tail`; 1 for all."""
    from scipy.special import betaincinv

    failures = n - successes
    if np.ndim(successes) == 0:
        return betaincinv(successes + 1, failures, 1 - tail) if failures > 0 else 1.0
    some = failures > 0
    return np.where(some, betaincinv(successes + 1, np.where(some, failures, 1), 1 - tail), 1.0)
