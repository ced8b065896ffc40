"""The two forms of the best balanced error and AUC of soft labels, for many tables at once.

Their sum is known, so the two agree where the share of class 1 is the mean of the soft labels. They
part where it comes from elsewhere: from the hard labels, or from knowledge.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from errorfloor._typing import Floats
from errorfloor.metrics import Metric
from errorfloor.metrics.ranking import AUC, auc_discriminant
from errorfloor.metrics.two_by_two import BALANCED

FORMS = ("min", "max")


def balanced(p: Floats, share: Floats, theta: Floats) -> Floats:
    """Return both forms of the best balanced error, of shape (2, tables).

    Parameters
    ----------
    p : array of shape (rows,), ascending
        Soft labels.
    share : array of shape (tables, rows)
        The share of each row among the items of a table.
    theta : array of shape (tables,)
        The share of class 1.
    """
    theta = np.reshape(theta, (-1, 1))
    one, zero = p / theta, (1 - p) / (1 - theta)
    least = (share * np.minimum(one, zero)).sum(axis=1) / 2
    largest = (share * np.maximum(one, zero)).sum(axis=1) / 2
    return np.stack([least, 1 - largest])


def auc(p: Floats, share: Floats, theta: Floats) -> Floats:
    """Return both forms of the best AUC likewise."""
    both = 2 * np.ravel(theta) * (1 - np.ravel(theta))
    up, down = share * p, share * (1 - p)
    below = np.cumsum(up, axis=1) - up
    lesser = 2 * (down * below).sum(axis=1) + (up * down).sum(axis=1)
    mean = up.sum(axis=1)
    return np.stack([1 - lesser / both, (2 * mean * (1 - mean) - lesser) / both])


@dataclass(frozen=True, slots=True)
class Studied:
    """A metric of the follow-up paper.

    Attributes
    ----------
    metric : Metric
    forms : callable
        From soft labels, shares of rows and shares of class 1 to both forms of its best value.
    discriminant : callable
        From soft labels, shares and the share of class 1 to what says which form varies less.
    of_gaussians : callable
        From the distance of two Gaussians of unit covariance to its best value.
    methods : tuple of str
        The methods that are scored for it.
    """

    metric: Metric
    forms: Callable[[Floats, Floats, Floats], Floats]
    discriminant: Callable[[Floats, Floats, float], float]
    of_gaussians: Callable[[float], float]
    methods: tuple[str, ...]


def _balanced_discriminant(p: Floats, share: Floats, theta: float) -> float:
    return float((1 - 2 * theta) * (share @ ((p - theta) * np.abs(p - theta))))


STUDIED = {
    one.metric.name: one
    for one in (
        Studied(
            BALANCED,
            balanced,
            _balanced_discriminant,
            lambda distance: float(ndtr(-distance / 2)),
            ("isotonic", "isotonic-cf", "hist-10", "beta", "platt"),
        ),
        Studied(
            AUC,
            auc,
            auc_discriminant,
            lambda distance: float(ndtr(distance / np.sqrt(2))),
            ("ranking", "isotonic", "hist-10", "beta", "platt"),
        ),
    )
}
FUNCTIONS = {name: one.forms for name, one in STUDIED.items()}
WORDS = {name: one.metric.words for name, one in STUDIED.items()}
