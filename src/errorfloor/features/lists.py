"""Lists of the nearest points, and the distances that count: those of differences.

Distances of differences are the same bits for either order of two points, and wherever they are
computed. So equal distances are equal, and lists are the same whichever engine proposes points.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from errorfloor._typing import Bools, Counts, Floats

_CELLS = 2**20  # only for speed: numbers in a block, which fit in a cache


@dataclass(frozen=True, slots=True, eq=False)
class Lists:
    """The nearest points of each query, nearest first; of equal distances the lower index first.

    Attributes
    ----------
    squares : array of shape (queries, k)
        Squared distances.
    indices : array of shape (queries, k)
        Which points they are.
    """

    squares: Floats
    indices: Counts

    def in_order(self, order: Counts) -> Lists:
        """Return the lists of the same points in another order of rows."""
        place = np.empty_like(order)
        place[order] = np.arange(order.size)
        return sorted_lists(self.squares[order], place[self.indices[order]])


def sorted_lists(squares: Floats, indices: Counts, k: int | None = None) -> Lists:
    """Return the first of each row by distance, and by index where distances are equal."""
    order = np.lexsort((indices, squares), axis=1)[:, :k]
    return Lists(np.take_along_axis(squares, order, 1), np.take_along_axis(indices, order, 1))


def squares_between(points: Floats, others: Floats) -> Floats:
    """Return squared distances along the last axis, the same bits whichever comes first."""
    steps = points - others
    return np.asarray(np.multiply(steps, steps, out=steps).sum(axis=-1))


def squares_of_pairs(points: Floats, at: Counts, others: Floats, other: Counts) -> Floats:
    """Return the squared distances of pairs of rows, a block at a time."""
    squares = np.empty(len(at))
    blocks = blocks_of(len(at), 16 * points.shape[1])  # only for speed
    first, second = np.empty((2, blocks[0].stop if blocks else 0, points.shape[1]))
    for some in blocks:
        # Into the same memory again and again: to ask for new one takes as long as the rest.
        size = some.stop - some.start
        np.take(points, at[some], axis=0, out=first[:size], mode="clip")
        np.take(others, other[some], axis=0, out=second[:size], mode="clip")
        steps = np.subtract(first[:size], second[:size], out=first[:size])
        squares[some] = np.multiply(steps, steps, out=steps).sum(axis=-1)
    return squares


def all_squares(points: Floats, query: Floats) -> Floats:
    """Return the squared distances of one point from all, a block at a time."""
    blocks = blocks_of(len(points), points.shape[1])  # only for speed
    return np.concatenate([squares_between(points[some], query) for some in blocks])


def blocks_of(number: int, width: int) -> list[slice]:
    """Return slices of rows that together have about as many numbers as fit in a cache."""
    size = max(_CELLS // max(width, 1), 1)
    return [slice(at, min(at + size, number)) for at in range(0, number, size)]


def in_full(points: Floats, query: Floats, k: int, excluded: Bools | None) -> Lists:
    """Return the one list of a query from its distances to all points but those excluded."""
    squares = all_squares(points, query)
    there = np.arange(len(points)) if excluded is None else np.flatnonzero(~excluded)
    edge = np.partition(squares[there], k - 1)[k - 1]
    near = there[squares[there] <= edge]
    return sorted_lists(squares[near][None], near[None], k)
