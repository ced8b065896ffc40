"""How the labels of neighbours fall, with neighbours at equal distances sharing a place."""

from __future__ import annotations

import numpy as np

from errorfloor._typing import Counts, Floats
from errorfloor.features.neighbours import Lists, all_squares


def votes_of(points: Floats, codes: Counts, classes: int, k: int, lists: Lists) -> Floats:
    """Return how many of each point's `k` nearest others have each class.

    `lists` holds at least one neighbour more, where there is one. Points that are tied for the
    last places share them equally, so that the answer does not depend on the order of rows.
    """
    k = min(k, lists.indices.shape[1])
    votes = counted(codes[lists.indices[:, :k]], classes)
    if lists.indices.shape[1] == k:
        return votes
    for row in np.flatnonzero(lists.squares[:, k - 1] == lists.squares[:, k]):
        squares = all_squares(points, points[row])
        squares[row] = np.inf
        edge = lists.squares[row, k - 1]
        inside, tied = codes[squares < edge], codes[squares == edge]
        share = (k - inside.size) / tied.size
        votes[row] = np.bincount(inside, minlength=classes)
        votes[row] += share * np.bincount(tied, minlength=classes)
    return votes


def counted(codes: Counts, classes: int) -> Floats:
    """Return how often each class is in each row."""
    votes = np.zeros((len(codes), classes))
    for one in range(classes):
        votes[:, one] = (codes == one).sum(axis=1)
    return votes


def errors_of(votes: Floats, codes: Counts) -> Floats:
    """Return the chance that the majority is wrong about each item, with equal votes drawn."""
    top = votes >= votes.max(axis=1, keepdims=True) - 1e-9
    right = top[np.arange(len(codes)), codes] / top.sum(axis=1)
    return np.asarray(1 - right)
