"""Neighbours among points of which many are copies of each other.

Each place is asked once, and its list is that of all who are there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from errorfloor._typing import Counts, Floats
from errorfloor.features.lists import Lists, blocks_of

_MOST = 0.5  # only for speed: of the points; with more places, copies are no burden


class Places(NamedTuple):
    """Where points are.

    Attributes
    ----------
    first : array of shape (places,)
        The first point at each place, in rising order.
    place : array of shape (n,)
        Which place each point is at.
    members, start : arrays
        Points by place, and where each place begins in them.
    """

    first: Counts
    place: Counts
    members: Counts
    start: Counts


def places_of(points: Floats) -> Places | None:
    """Return the places of points, or None where there are about as many as points."""
    # Equal rows have equal sums, bit by bit; only where many are equal are the rows compared.
    weights = np.random.default_rng(0).normal(size=points.shape[1])
    sums = [(points[some] * weights).sum(axis=1) for some in blocks_of(*points.shape)]
    if len(np.unique(np.concatenate(sums))) > _MOST * len(points):
        return None
    rows = np.ascontiguousarray(points + 0.0)  # -0 is 0
    whole = rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1])))[:, 0]
    _, first, place = np.unique(whole, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first))
    place = rank[place.reshape(-1)]
    start = np.concatenate(([0], np.cumsum(np.bincount(place))))
    return Places(np.sort(first), place, np.argsort(place, kind="stable"), start)


def nearest_by_place(places: Places, k: int, own: bool, find: Callable[[int], Lists]) -> Lists:
    """Return lists of points from lists of places.

    `find` returns so many nearest places of each query; with `own`, of each place among the others.
    """
    sizes = np.diff(places.start)
    found = find(min(k, sizes.size - own)) if sizes.size > own else None
    number = len(sizes) if found is None else len(found.indices)
    squares, near = np.empty((number, 0)), np.empty((number, 0), dtype=np.int64)
    if found is not None:
        squares, near = found.squares, found.indices
    if own:  # a point's own place is the nearest, and the point itself is among those there
        squares = np.column_stack((np.zeros(number), squares))
        near = np.column_stack((np.arange(number), near))
    lists = _expanded(places, sizes, Lists(squares, near), k + own)
    return _without_own(lists, places.place) if own else lists


def _expanded(places: Places, sizes: Counts, lists: Lists, k: int) -> Lists:
    """Return the `k` nearest points of lists of places."""
    parts = []
    for some in blocks_of(len(lists.indices), k * lists.indices.shape[1]):
        near, squares = lists.indices[some], lists.squares[some]
        counts = np.minimum(sizes[near], k)
        # What is farther than the first places which together have k points is left out.
        reached = (counts.cumsum(axis=1) >= k).argmax(axis=1)
        edge = np.take_along_axis(squares, reached[:, None], 1)
        counts[squares > edge] = 0
        row = np.repeat(np.arange(len(near)), counts.sum(axis=1))
        ends = counts.ravel().cumsum()
        place = np.repeat(near.ravel(), counts.ravel())
        within = np.arange(place.size) - np.repeat(ends - counts.ravel(), counts.ravel())
        point = places.members[places.start[place] + within]
        order = np.lexsort((point, np.repeat(squares.ravel(), counts.ravel()), row))
        begin = np.concatenate(([0], counts.sum(axis=1).cumsum()[:-1]))
        taken = order[begin[:, None] + np.arange(k)]
        parts.append((np.repeat(squares.ravel(), counts.ravel())[taken], point[taken]))
    both = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
    return Lists(*both)


def _without_own(lists: Lists, place: Counts) -> Lists:
    """Return the list of each point, without itself, from those of places."""
    squares, indices = lists.squares[place], lists.indices[place]
    own = indices == np.arange(len(place))[:, None]
    own[~own.any(axis=1), -1] = True
    shape = (len(place), -1)
    return Lists(squares[~own].reshape(shape), indices[~own].reshape(shape))
