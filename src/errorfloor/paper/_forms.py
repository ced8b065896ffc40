"""The two forms of the best balanced error and AUC of soft labels, for many tables at once.

Their sum is known, so the two agree where the share of class 1 is the mean of the soft labels. They
part where it comes from elsewhere: from the hard labels, or from knowledge.
"""

from __future__ import annotations

import numpy as np

from errorfloor._typing import Floats

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


FUNCTIONS = {"balanced-error": balanced, "auc": auc}
