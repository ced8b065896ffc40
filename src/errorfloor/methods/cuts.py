"""Errors of rules "score > t" on cells: of the best of them, and on items that did not choose it.

Cells are by score, positive first; see `errorfloor.data.cells.Cells`.
"""

from __future__ import annotations

import numpy as np

from errorfloor._typing import Bools, Counts
from errorfloor.data.cells import Cells


def signs(positive: Bools) -> Counts:
    """Return +1 for positive cells and -1 for negative ones."""
    return np.where(positive, 1, -1)


def fewest_errors(sign: Counts, counts: Counts) -> Counts:
    """Return the fewest label errors of any cut, for each row of counts."""
    # The cut behind a cell errs on the negatives of all cells, plus positives less negatives up
    # to there; the cut before all cells has the first part only.
    walk = np.cumsum(counts * sign, axis=1)
    negatives = (counts.sum(axis=1) - walk[:, -1]) // 2
    return np.asarray(negatives + np.minimum(walk.min(axis=1), 0))


def wrong_cells(cells: Cells) -> Bools:
    """Tell which cells the best cut errs on; of several best cuts the lowest counts."""
    walk = np.concatenate(([0], np.cumsum(cells.count * signs(cells.positive))))
    below = np.arange(len(cells)) < np.argmin(walk)
    return np.asarray(cells.positive == below)


def cross_fitted_errors(positive: Bools, parts: Counts) -> int:
    """Return the errors on each part of the cut that is best on all the others, added up."""
    # As `held_out_errors` of each part, from the walk over all parts less its own.
    sign = signs(positive)
    whole = np.cumsum(sign * parts.sum(axis=0))
    wrong = 0
    for part in parts:
        walk = np.cumsum(sign * part)
        others = whole - walk
        best = int(np.argmin(others))
        wrong += (int(part.sum()) - int(walk[-1])) // 2  # its negatives
        wrong += int(walk[best]) if others[best] < 0 else 0
    return wrong


def held_out_errors(sign: Counts, train: Counts, test: Counts) -> int:
    """Return the errors on `test` of the cut that is best on `train`; of several, the lowest."""
    walk = np.cumsum(sign * train)
    best = int(np.argmin(walk))
    negatives = int(test[sign < 0].sum())
    if walk[best] >= 0:  # the cut below all scores
        return negatives
    return negatives + int((sign * test)[: best + 1].sum())
