"""Errors of rules "score > t" on cells: of the best of them, and on items that did not choose it.

Cells are by score, positive first; see `errorfloor.data.sample.Sample`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorfloor._typing import Bools, Counts, Floats
from errorfloor.data.sample import Sample

FAR, SURE = 3.0, 1.5  # in standard deviations; see `flat_items`


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


def wrong_cells(cells: Sample) -> Bools:
    """Tell which cells the best cut errs on; of several best cuts the lowest counts."""
    walk = np.concatenate(([0], np.cumsum(cells.count * signs(cells.positive))))
    below = np.arange(len(cells)) < np.argmin(walk)
    return np.asarray(cells.positive == below)


def flat_items(negatives: Counts, positives: Counts) -> float:
    """Return about how many items lie where no cut is clearly best, from the counts of rows.

    A cut counts as no worse than the best one if its excess errors are at most three times the
    root of the number of items between them: were these coin flips, the excess would hardly be
    more. On either side of the best cut the items up to the farthest such cut are looked at, and
    twice their minority counts: all of them where they are coin flips, few where they are not.
    One and a half standard deviations of the minority are taken off first, because a few errors
    beside the best cut of an easy set are no flat part.
    """
    excess, between = (_running(step) for step in (positives - negatives, positives + negatives))
    best = int(np.argmin(excess))
    # In place, because new memory takes longer than all the rest.
    excess -= excess[best]
    between -= between[best]
    np.abs(between, out=between)
    far = np.flatnonzero(excess * excess <= FAR**2 * between)[[0, -1]]
    # Not below 0, which sums of weights may be by rounding.
    minority = np.maximum(between[far] - excess[far], 0) / 2
    return float(2 * np.maximum(minority - SURE * np.sqrt(minority), 0).sum())


def _running(steps: NDArray[Any]) -> Floats:
    """Return 0 and the running sums."""
    sums = np.zeros(steps.size + 1)
    np.cumsum(steps, out=sums[1:])
    return sums


def cross_fitted_errors(positive: Bools, count: Counts, parts: Iterable[NDArray[Any]]) -> int:
    """Return the errors on each part of the cut that is best on all the others, added up.

    All parts together have `count` items in the cells.
    """
    # As `held_out_errors` of each part, from the walk over all parts less its own.
    sign = np.where(positive, np.int8(1), np.int8(-1))
    n = int(count.sum())
    small: Any = np.int32 if n < 2**31 else np.int64
    whole = np.cumsum(sign * count, dtype=small)
    wrong = (n - int(whole[-1])) // 2  # the negatives of all parts
    for part in parts:
        walk = np.cumsum(sign * part, dtype=small)
        others = whole - walk
        best = int(np.argmin(others))
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
