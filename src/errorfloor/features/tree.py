"""The exact minimum spanning tree of points, by Boruvka's algorithm on lists of neighbours.

In each round every part but the largest takes its shortest edge to another part. A point's list
has it, unless all of the list is in the point's own part; then what the list ends with is a bound,
and only points whose bound is below the best edge of their part are looked at further. Edges of one
length come in the order of their ends, so that there is one tree whatever the lists are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from errorfloor._typing import Counts, Floats
from errorfloor.features.neighbours import Lists, nearest_apart
from errorfloor.features.rounded import RoundedCloud

_AT_ONCE = 256  # only for speed: points looked at further; what is found spares others


@dataclass(slots=True, eq=False)
class _Known:
    """What is known of each point: its list, and the nearest beyond that was found later.

    Attributes
    ----------
    places : array
        The first point at each place, which speaks for its copies.
    cloud : RoundedCloud
        These points.
    lists : Lists
        The nearest of each.
    edge : array of shape (n,)
        Points that are in no list and were not found later are at least that far.
    square, other : arrays of shape (n,)
        The nearest in another part when it was last looked for; it may be in the same by now.
    """

    places: Counts
    cloud: RoundedCloud
    lists: Lists
    edge: Floats
    square: Floats
    other: Counts

    @classmethod
    def of(cls, points: Floats, lists: Lists, places: Counts) -> _Known:
        n = len(points)
        cloud = RoundedCloud(points if places.size == n else points[places])
        edge = lists.squares[:, -1].copy()
        if lists.indices.shape[1] == n - 1:  # the lists have all
            edge[:] = np.inf
        return cls(places, cloud, lists, edge, np.full(n, np.inf), np.arange(n))

    def look(self, rows: Counts, part: Counts) -> None:
        """Find the nearest in another part."""
        at = np.searchsorted(self.places, rows)
        found = nearest_apart(self.cloud, at, part[self.places])
        self.square[rows], self.other[rows] = found.squares[:, 0], self.places[found.indices[:, 0]]
        self.edge[rows] = self.square[rows]


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

    def offer(self, part: Counts, square: Floats, one: Counts, other: Counts) -> None:
        """Take in an edge out of each of these parts, of which there may be equal ones."""
        there = np.unique(part)
        part = np.concatenate((part, there))
        square = np.concatenate((square, self.square[there]))
        low = np.concatenate((np.minimum(one, other), self.low[there]))
        high = np.concatenate((np.maximum(one, other), self.high[there]))
        order = np.lexsort((high, low, square, part))
        first = order[np.flatnonzero(np.diff(part[order], prepend=-1))]
        self.square[there], self.low[there], self.high[there] = (
            square[first],
            low[first],
            high[first],
        )


def spanning_tree(points: Floats, lists: Lists) -> Counts:
    """Return the edges of the minimum spanning tree as pairs of indices, the lower one first."""
    n = len(points)
    first = _same_place(lists)
    copies = np.flatnonzero(first != np.arange(n))
    known = _Known.of(points, lists, np.unique(first))
    keys = first[copies] * n + copies
    part, number = _parts(keys, n)
    while number > 1:
        best = _shortest(known, part, number)
        taken = best.low < n
        keys = np.unique(np.concatenate((keys, best.low[taken] * n + best.high[taken])))
        part, number = _parts(keys, n)
    return np.column_stack(np.divmod(np.sort(keys), n))


def _same_place(lists: Lists) -> Counts:
    """Return the first of the points that are at the same place as each one."""
    n = len(lists.indices)
    row, column = np.nonzero(lists.squares == 0)
    part, number = _parts(row * n + lists.indices[row, column], n)
    first = np.full(number, n)
    np.minimum.at(first, part, np.arange(n))
    return np.asarray(first[part])


def _parts(keys: Counts, n: int) -> tuple[Counts, int]:
    """Return which part each point is in, and how many there are."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    links = coo_array((np.ones(len(keys)), np.divmod(keys, n)), shape=(n, n))
    number, part = connected_components(links, directed=False)
    return part.astype(np.int64), int(number)


def _shortest(known: _Known, part: Counts, number: int) -> _Best:
    """Return the shortest edge out of each part but the largest."""
    largest = np.bincount(part, minlength=number).argmax()
    active = known.places[part[known.places] != largest]
    own = part[active]
    best = _Best.none(number)
    outside = part[known.lists.indices[active]] != own[:, None]
    column = outside.argmax(axis=1)
    listed = outside[np.arange(active.size), column]
    at = active[listed], column[listed]
    best.offer(own[listed], known.lists.squares[at], at[0], known.lists.indices[at])
    later = part[known.other[active]] != own
    found = active[later]
    best.offer(part[found], known.square[found], found, known.other[found])
    # A point's own best is known where the list has it, or what was found later is still outside.
    # Equal distances beyond the end of a list are open: the tie is decided by indices.
    sure = listed & (known.lists.squares[active, column] < known.edge[active])
    _look_further(known, part, active[~(sure | later)], best)
    return best


def _look_further(known: _Known, part: Counts, unsure: Counts, best: _Best) -> None:
    """Look at points whose list leaves open whether they have the shortest edge, nearest first."""
    unsure = unsure[np.argsort(known.edge[unsure], kind="stable")]
    while unsure.size:
        unsure = unsure[known.edge[unsure] <= best.square[part[unsure]]]
        some, unsure = unsure[:_AT_ONCE], unsure[_AT_ONCE:]
        if some.size:
            known.look(some, part)
            best.offer(part[some], known.square[some], some, known.other[some])
