"""Features that are the label under another name, or that the labels follow by their order."""

from __future__ import annotations

import numpy as np

from errorfloor._typing import Bools, Counts, Floats

_SAMPLE = 500  # rows that most columns are telling by
_VALUES = 3  # times as many values as classes at most, in a column that is the label
_BY_CHANCE = 1e-6  # that labels change so seldom along a column that says nothing of them
_EACH = 10  # items for each value, on average, of which agreement is no accident


def telling_columns(points: Floats, codes: Counts) -> Counts:
    """Return the columns of few values each of which goes with one class alone."""
    classes = int(codes.max()) + 1
    rows = np.unique(np.linspace(0, len(codes) - 1, _SAMPLE).astype(np.int64))
    likely = [
        column
        for column in range(points.shape[1])
        if _tells(points[rows, column], codes[rows], classes)
    ]
    telling = [column for column in likely if _tells(points[:, column], codes, classes)]
    return np.array(telling, dtype=np.int64)


def changes_along(values: Floats, codes: Counts) -> tuple[int, float, bool]:
    """Return how often labels change along a column, how often by chance, and whether that is far.

    Far fewer changes mean that rows were sorted by class, or come in groups, when the column was
    made.
    """
    from scipy.special import bdtr

    steps = len(codes) - 1
    changes = int(np.count_nonzero(np.diff(codes[np.argsort(values, kind="stable")])))
    shares = np.bincount(codes) / len(codes)
    chance = float(1 - (shares**2).sum())
    return changes, chance * steps, bool(bdtr(changes, steps, chance) < _BY_CHANCE)


def _tells(values: Floats, codes: Counts, classes: int) -> bool:
    found, value = np.unique(values, return_inverse=True)
    if found.size > min(_VALUES * classes, len(values) // _EACH):
        return False
    seen: Bools = np.zeros((found.size, classes), dtype=np.bool_)
    seen[value, codes] = True
    return bool((seen.sum(axis=1) == 1).all())
