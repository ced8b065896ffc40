"""Exact nearest neighbours: by a k-d tree in few dimensions, by blocked matrix products in many.

Matrix products only propose: the distances that count are those of differences, so that equal
distances are equal bits, and a row whose proposals may lack a neighbour is done again in full.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from errorfloor._typing import Counts, Floats

_FEW = 8  # dimensions in which a tree is quicker than matrix products
_SPARE = 4  # proposals beyond those that are asked for
_CELLS = 2**22  # numbers in a block of distances


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
        squares, indices = self.squares[order], place[self.indices[order]]
        sort = np.lexsort((indices, squares), axis=1)
        return Lists(np.take_along_axis(squares, sort, 1), np.take_along_axis(indices, sort, 1))


def nearest(points: Floats, k: int, queries: Floats | None = None) -> Lists:
    """Return the `k` nearest points of each query; of the points themselves without queries."""
    own = queries is None
    k = min(k, len(points) - own)
    asked = points if queries is None else queries
    if points.shape[1] <= _FEW:
        return _by_tree(points, asked, k, own)
    return _by_products(points, asked, k, own)


def squares_between(points: Floats, others: Floats) -> Floats:
    """Return squared distances along the last axis, the same bits whichever comes first."""
    steps = points - others
    return np.asarray((steps * steps).sum(axis=-1))


def all_squares(points: Floats, query: Floats) -> Floats:
    """Return the squared distances of one point from all, a block at a time."""
    size = max(_CELLS // points.shape[1], 1)
    blocks = [points[at : at + size] for at in range(0, len(points), size)]
    return np.concatenate([squares_between(block, query) for block in blocks])


def blocks_of(number: int, width: int) -> list[slice]:
    """Return slices of rows that together have about as many numbers as fit in a cache."""
    size = max(_CELLS // max(width, 1), 1)
    return [slice(at, min(at + size, number)) for at in range(0, number, size)]


def _by_tree(points: Floats, queries: Floats, k: int, own: bool) -> Lists:
    from scipy.spatial import cKDTree

    found = cKDTree(points).query(queries, k=np.arange(1, min(k + own, len(points)) + 1))[1]
    if own:
        found = _without(found, np.arange(len(points)))
    return _sorted(points, queries, found, k)


def _without(found: Counts, own: Counts) -> Counts:
    """Return lists without the point itself; the last where equal points pushed it out."""
    is_own = found == own[:, None]
    is_own[~is_own.any(axis=1), -1] = True
    return np.asarray(found[~is_own].reshape(len(found), -1))


def _sorted(points: Floats, queries: Floats, found: Counts, k: int) -> Lists:
    squares = np.empty(found.shape)
    for rows in blocks_of(len(found), found.shape[1] * points.shape[1]):
        squares[rows] = squares_between(points[found[rows]], queries[rows][:, None])
    order = np.lexsort((found, squares), axis=1)[:, :k]
    return Lists(np.take_along_axis(squares, order, 1), np.take_along_axis(found, order, 1))


def _by_products(points: Floats, queries: Floats, k: int, own: bool) -> Lists:
    centre = points.mean(axis=0)
    moved = points - centre
    norms = (moved * moved).sum(axis=1)
    parts = [
        _block(points, moved, norms, queries[rows], centre, k, rows.start if own else None)
        for rows in blocks_of(len(queries), len(points))
    ]
    return Lists(
        np.concatenate([part.squares for part in parts]),
        np.concatenate([part.indices for part in parts]),
    )


def _block(
    points: Floats,
    moved: Floats,
    norms: Floats,
    queries: Floats,
    centre: Floats,
    k: int,
    first: int | None,
) -> Lists:
    asked = queries - centre
    sizes = (asked * asked).sum(axis=1)
    about = asked @ moved.T
    about *= -2
    about += norms
    about += sizes[:, None]
    if first is not None:
        about[np.arange(len(queries)), first + np.arange(len(queries))] = np.inf
    there = len(points) - (first is not None)
    wide = min(k + _SPARE, there)
    found = np.argpartition(about, wide - 1, axis=1)[:, :wide]
    lists = _sorted(points, queries, found, k)
    # Rounding of a product is at most this; beyond the proposals nothing is nearer than that.
    error = 4 * points.shape[1] * np.finfo(np.float64).eps * (sizes + float(norms.max()))
    edge = np.take_along_axis(about, found, 1).max(axis=1) - error
    unsure = lists.squares[:, -1] + error >= edge if wide < there else np.zeros(len(found), bool)
    for row in np.flatnonzero(unsure):
        own = None if first is None else first + int(row)
        lists.squares[row], lists.indices[row] = _in_full(points, queries[row], k, own)
    return lists


def _in_full(points: Floats, query: Floats, k: int, own: int | None) -> tuple[Floats, Counts]:
    squares = all_squares(points, query)
    if own is not None:
        squares[own] = np.inf
    edge = np.partition(squares, k - 1)[k - 1]
    near = np.flatnonzero(squares <= edge)
    order = near[np.lexsort((near, squares[near]))][:k]
    return squares[order], order
