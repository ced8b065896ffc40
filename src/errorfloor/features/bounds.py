"""The least floor at which labels of neighbours differ as often as they do.

With unlimited items a point's neighbours are at its place, and their labels are drawn like its own.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from errorfloor._typing import Floats

_GRID = 4096  # places between 0 and 1/2


def least_of_pairs(pairs: Floats, classes: int) -> Floats:
    """Return the least floor at which so many pairs of labels at one place differ.

    With R the share of pairs that differ, R <= F (2 - K F / (K - 1)), by Cover and Hart.
    """
    most = (classes - 1) / classes
    return np.asarray(most * (1 - np.sqrt(np.maximum(1 - pairs / most, 0.0))))


def least_of_votes(errors: Floats, k: int, classes: int) -> Floats:
    """Return the least floor at which the majority of `k` neighbours errs so often.

    Of two classes, the error at a place where the rarer one has probability p is a function of p,
    and over all places it is at most the least concave function above that, of the floor: the
    theorem of Cover and Hart for k neighbours. Of more classes the majority of k errs no more
    often than one neighbour at any place, so that the bound for pairs holds.
    """
    if classes > 2:
        return least_of_pairs(errors, classes)
    # With an even number, ties drawn by a coin, it errs as often as with one neighbour less.
    floors, most = _largest_errors(k - (k % 2 == 0))
    return np.asarray(np.interp(errors, most, floors))


@cache
def _largest_errors(k: int) -> tuple[Floats, Floats]:
    """Return floors from 0 to 1/2, and the largest share of errors of `k` votes at each."""
    from scipy.special import bdtrc

    p = np.linspace(0, 0.5, _GRID + 1)
    error = p + (1 - 2 * p) * bdtrc(k // 2, k, p)
    corners: list[int] = []
    for at in range(p.size):  # those of the least concave function above: no turn to the left
        while len(corners) > 1 and _is_below(p, error, corners[-2], corners[-1], at):
            corners.pop()
        corners.append(at)
    # From its summit on it would fall, but never does: the last point is the highest.
    return p[corners], error[corners]


def _is_below(p: Floats, error: Floats, left: int, middle: int, right: int) -> bool:
    """Tell whether a point is on or below the line between two others."""
    rise = (error[right] - error[left]) * (p[middle] - p[left])
    return bool((error[middle] - error[left]) * (p[right] - p[left]) <= rise)
