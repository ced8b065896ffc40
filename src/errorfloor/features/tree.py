"""The exact minimum spanning tree of points, by Boruvka's algorithm on lists of neighbours.

In each round every part but the largest takes its shortest edge to another part. A point's list
has it, unless all of the list is in the point's own part; then what the list ends with is a bound,
and only points whose bound is below the best edge of their part are looked at in full.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from errorfloor._typing import Bools, Counts, Floats
from errorfloor.features.neighbours import Lists, all_squares


@dataclass(slots=True, eq=False)
class _Best:
    """The shortest edge that leaves each part: of equal ones that of the lowest ends."""

    square: Floats
    low: Counts
    high: Counts

    @classmethod
    def none(cls, parts: int) -> _Best:
        last = np.iinfo(np.int64).max
        return cls(np.full(parts, np.inf), np.full(parts, last), np.full(parts, last))

    def offer(self, part: int, square: float, one: int, other: int) -> None:
        low, high = min(one, other), max(one, other)
        kept = (self.square[part], self.low[part], self.high[part])
        if (square, low, high) < kept:
            self.square[part], self.low[part], self.high[part] = square, low, high


def spanning_tree(points: Floats, lists: Lists) -> Counts:
    """Return the edges of the minimum spanning tree as pairs of indices, the lower one first."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = len(points)
    part, number = np.arange(n), n
    edges = np.empty((0, 2), dtype=np.int64)
    while number > 1:
        best = _shortest(points, lists, part, number)
        taken = best.square < np.inf
        new = np.column_stack((best.low[taken], best.high[taken]))
        edges = np.unique(np.concatenate((edges, new)), axis=0)
        links = coo_array((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(n, n))
        number, part = connected_components(links, directed=False)
    return edges


def _shortest(points: Floats, lists: Lists, part: Counts, number: int) -> _Best:
    """Return the shortest edge out of each part but the largest."""
    sizes = np.bincount(part, minlength=number)
    active = np.flatnonzero(part != sizes.argmax())
    outside = part[lists.indices[active]] != part[active][:, None]
    column = outside.argmax(axis=1)
    ends = outside[np.arange(active.size), column]
    best = _Best.none(number)
    found, at = active[ends], column[ends]
    other, square = lists.indices[found, at], lists.squares[found, at]
    low, high = np.minimum(found, other), np.maximum(found, other)
    order = np.lexsort((high, low, square, part[found]))
    first = order[np.unique(part[found][order], return_index=True)[1]]
    best.square[part[found[first]]] = square[first]
    best.low[part[found[first]]], best.high[part[found[first]]] = low[first], high[first]
    _look_further(points, lists, part, active, ends, best)
    return best


def _look_further(
    points: Floats, lists: Lists, part: Counts, active: Counts, ends: Bools, best: _Best
) -> None:
    """Look at points in full whose list leaves open whether they have the shortest edge.

    Equal distances beyond the end of a list are open as well: the tie is decided by indices.
    """
    edge = lists.squares[active, -1]
    unsure = ~ends | (best.square[part[active]] >= edge)
    order = np.argsort(edge[unsure], kind="stable")
    for point, bound in zip(active[unsure][order], edge[unsure][order], strict=True):
        own = part[point]
        if bound > best.square[own]:
            continue
        squares = all_squares(points, points[point])
        squares[part == own] = np.inf
        other = int(squares.argmin())  # the lowest of equal ones
        best.offer(own, float(squares[other]), int(point), other)
