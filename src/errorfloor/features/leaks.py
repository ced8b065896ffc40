"""Features that are the label under another name."""

from __future__ import annotations

import numpy as np

from errorfloor._typing import Bools, Counts, Floats

_SAMPLE = 500  # rows that most columns are told by
_VALUES = 3  # times as many values as classes at most, in a column that is the label
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
    told = [column for column in likely if _tells(points[:, column], codes, classes)]
    return np.array(told, dtype=np.int64)


def _tells(values: Floats, codes: Counts, classes: int) -> bool:
    found, value = np.unique(values, return_inverse=True)
    if found.size > min(_VALUES * classes, len(values) // _EACH):
        return False
    seen: Bools = np.zeros((found.size, classes), dtype=np.bool_)
    seen[value, codes] = True
    return bool((seen.sum(axis=1) == 1).all())
