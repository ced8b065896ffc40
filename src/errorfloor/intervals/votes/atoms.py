"""The least average precision of two kinds of items that votes leave possible.

Items that are alike come in random order, and items that differ in a better one: the more a
distribution spreads, the higher is its average precision. So the least values belong to few atoms,
at the edge of what there can be. There a region by the profile of the likelihood is too small, and
a search along slopes may end before it gets there.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from errorfloor._typing import Floats

_LEVELS = 64  # intervals between probabilities that are tried
_STEPS = 25  # of the share of the second kind, towards the most likely one
# Shares of the second kind that are tried, close to each other where one kind is rare.
_SHARES = (1 - np.cos(np.linspace(0, np.pi, 41))) / 2


def least_of_two(
    points: Floats,
    chances: Floats,
    share: Floats,
    least_likely: float,
    positive: Callable[[Floats], Floats],
) -> float:
    """Return the least average precision of two atoms that are likely enough; 1 for none.

    Parameters
    ----------
    points : array of shape (p,)
        Probabilities of a vote, ascending.
    chances : array of shape (cells, p)
        Chances of each cell's votes at each of them.
    share : array of shape (cells,)
        Share of the items in each cell.
    least_likely : float
        The least mean log-likelihood per item.
    positive : callable
        From probabilities of a vote to those of the label.
    """
    tried = np.arange(0, points.size, max(1, points.size // _LEVELS))
    first, second = (tried[one] for one in np.triu_indices(tried.size, 1))
    likely = _most_likely(chances[:, first], chances[:, second], share) >= least_likely
    low, high = chances[:, first[likely]], chances[:, second[likely]]
    least = 1.0
    label = positive(points)
    for part in _SHARES:
        with np.errstate(divide="ignore"):
            inside = share @ np.log((1 - part) * low + part * high) >= least_likely
        ends = label[first[likely][inside]], label[second[likely][inside]]
        least = min(least, float(average_precision_of_two(*ends, part).min(initial=1.0)))
    return least


def average_precision_of_two(one: Floats, other: Floats, part: float) -> Floats:
    """Return the best average precision where `part` of the items have the other probability.

    Items of the larger probability come first; those of one probability in random order, as in
    `metrics.ranking`.
    """
    top, end = np.maximum(one, other), np.minimum(one, other)
    first = np.where(other > one, part, 1 - part)  # share of items
    with np.errstate(divide="ignore", invalid="ignore"):
        growth = np.where(first > 0, -first * np.log(first), 0.0)
    area = top**2 * first + end * (end * (1 - first) + (top - end) * growth)
    positives = (1 - part) * one + part * other
    return np.asarray(np.divide(area, positives, out=np.ones(one.size), where=positives > 0))


def _most_likely(low: Floats, high: Floats, share: Floats) -> Floats:
    """Return the largest mean log-likelihood of two atoms, nearly."""
    part = np.full(low.shape[1], 0.5)
    for _ in range(_STEPS):
        taken = part * high
        part = share @ (taken / (taken + (1 - part) * low + np.finfo(np.float64).tiny))
    with np.errstate(divide="ignore"):
        return np.asarray(share @ np.log((1 - part) * low + part * high))
