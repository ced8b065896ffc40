"""Exact nearest neighbours, by whichever engine is quickest; the answer is the same by all.

An engine proposes points (see `Engine`): a k-d tree, matrix products, or faiss. What it
proposes is measured again by differences, and a query whose proposals may lack a neighbour is seen,
and asked again in double precision; where even that leaves it open, all points are measured.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from os import cpu_count
from typing import Any, NamedTuple

import numpy as np

from errorfloor._typing import Bools, Counts, Floats
from errorfloor.features.cuda import nearest_on
from errorfloor.features.lists import (
    Lists,
    all_squares,
    blocks_of,
    in_full,
    sorted_lists,
    squares_between,
    squares_of_pairs,
)
from errorfloor.features.rounded import Precision, Reals, Rounded, RoundedCloud

_BLOCK = 2048  # only for speed: rows and columns of a block of products
_SPARE_PRODUCTS = 24  # only for speed: proposals beyond those that are asked for


class Proposals(NamedTuple):
    """Points that may be among the nearest of each query.

    Attributes
    ----------
    values : array of shape (queries, width)
        About minus half of the squared distance, in the scale of `Rounded`; -inf for none.
    indices : array of shape (queries, width)
        Which points they are.
    lost : array of shape (queries,)
        No point that is missing has a larger value; -inf where none is missing.
    """

    values: Reals
    indices: Counts
    lost: Reals


class Apart(NamedTuple):
    """Points that do not count: those of the query's own part."""

    queries: Counts
    points: Counts

    def excluded(self, query: int) -> Bools:
        """Return which points do not count for a query."""
        return np.asarray(self.points == self.queries[query])


@dataclass(slots=True, eq=False)
class _Best:
    """The best of each query so far; `least` is what a value has to be above."""

    k: int
    queries: Rounded
    values: Reals
    indices: Counts
    lost: Reals
    least: Reals

    @classmethod
    def none(cls, queries: Rounded, k: int, width: int) -> _Best:
        shape, dtype = (len(queries.rows), width), queries.rows.dtype
        nothing = np.full(shape[0], -np.inf, dtype)
        indices = np.zeros(shape, dtype=np.int64)
        return cls(k, queries, np.full(shape, -np.inf, dtype), indices, nothing, nothing.copy())

    def offer(self, first: int, other: int, values: Reals) -> None:
        """Take in a block of values whose rows are queries from `first` on."""
        self._begin(slice(first, first + len(values)), values)
        at = np.flatnonzero(values > self.least[first : first + len(values), None])
        row, column = np.divmod(at, values.shape[1])
        self._take(first + row, other + column, values.ravel()[at])

    def offer_columns(self, first: int, other: int, values: Reals) -> None:
        """Take in a block of values whose columns are queries from `first` on."""
        at = np.flatnonzero(values > self.least[first : first + values.shape[1]])
        row, column = np.divmod(at, values.shape[1])
        order = np.argsort(column, kind="stable")
        self._take(first + column[order], other + row[order], values.ravel()[at[order]])

    def _begin(self, rows: slice, values: Reals) -> None:
        """Let the k-th best of a first block be what values have to be near."""
        if values.shape[1] > self.k and np.isneginf(self.least[rows]).any():
            last = np.partition(values, -self.k, axis=1)[:, -self.k]
            least = least_of(self.queries.some(rows), last)
            self.least[rows] = np.maximum(self.least[rows], least)

    def _take(self, query: Counts, point: Counts, values: Reals) -> None:
        """Keep the best of what there is and of new ones, which come in the order of queries."""
        if not query.size:
            return
        start = np.flatnonzero(np.diff(query, prepend=-1))
        counts = np.diff(start, append=query.size)
        rows, width = query[start], self.values.shape[1]
        line = np.repeat(np.arange(rows.size), counts)
        place = width + np.arange(query.size) - np.repeat(start, counts)
        shape = (rows.size, width + int(counts.max()))
        all_values = np.full(shape, -np.inf, values.dtype)
        all_indices = np.zeros(shape, dtype=np.int64)
        all_values[:, :width], all_indices[:, :width] = self.values[rows], self.indices[rows]
        all_values[line, place], all_indices[line, place] = values, point
        extra = shape[1] - width
        order = np.argpartition(all_values, (extra - 1, shape[1] - self.k), axis=1)
        kept = order[:, extra:]
        all_values = np.take_along_axis(all_values, order, 1)
        self.lost[rows] = np.maximum(self.lost[rows], all_values[:, extra - 1])
        self.values[rows] = all_values[:, extra:]
        self.indices[rows] = np.take_along_axis(all_indices, kept, 1)
        self.least[rows] = least_of(self.queries.some(rows), all_values[:, -self.k])


def least_of(queries: Rounded, last: Reals) -> Reals:
    """Return what a value has to be above, to be among those whose k-th best is `last`."""
    least = (last - queries.slack(last)).astype(last.dtype)
    return np.nextafter(least, np.array(-np.inf, last.dtype))


def propose(points: Rounded, queries: Rounded, k: int, apart: Apart | None) -> Proposals:
    """Return points that may be among the `k` nearest; each other's where both are the same."""
    best = _Best.none(queries, k, k + _SPARE_PRODUCTS)
    if queries is points and apart is None:
        _among_themselves(points, best)
    else:
        for first in range(0, len(queries.rows), _BLOCK):
            some = queries.some(slice(first, first + _BLOCK))
            for other in range(0, len(points.rows), _BLOCK):
                values = some.values(points.some(slice(other, other + _BLOCK)))
                if apart is not None:
                    mine, theirs = apart.queries[first:][:_BLOCK], apart.points[other:][:_BLOCK]
                    values[mine[:, None] == theirs] = -np.inf
                best.offer(first, other, values)
    return Proposals(best.values, best.indices, best.lost)


def _among_themselves(points: Rounded, best: _Best) -> None:
    """Offer all pairs once, neighbouring blocks first so that all rows have a bound early."""
    starts = range(0, len(points.rows), _BLOCK)
    blocks = [points.some(slice(start, start + _BLOCK)) for start in starts]
    for step in range(len(blocks)):
        for one in range(len(blocks) - step):
            other = one + step
            values = blocks[one].values(blocks[other])
            if step == 0:
                np.fill_diagonal(values, -np.inf)
            else:
                best.offer_columns(starts[other], starts[one], values)
            best.offer(starts[one], starts[other], values)


def kept(proposals: Proposals, queries: Rounded, k: int) -> tuple[Bools, Bools]:
    """Return which proposals can be among the `k` nearest, and which queries may lack one."""
    last = np.partition(proposals.values, -k, axis=1)[:, -k]
    least = least_of(queries, last)
    return proposals.values > least[:, None], proposals.lost > least


_MOST_PLACES = 0.5  # only for speed: of the points; with more places, copies are no burden


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
    if len(np.unique(np.concatenate(sums))) > _MOST_PLACES * len(points):
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


__all__ = ["Lists", "all_squares", "blocks_of", "nearest", "nearest_apart", "squares_between"]

_FEW = 8  # dimensions in which a tree is quicker than matrix products
_MANY_CORES = 4  # with which faiss is quicker at neighbours among points than products are
_MOST = 0.5  # only for speed: where more queries are open, all are done again, each pair once
_SPARE = 16  # only for speed: proposals of other libraries beyond those that are asked for


@dataclass(frozen=True, slots=True, eq=False)
class Engine:
    """What proposes points that may be the nearest.

    Attributes
    ----------
    name : str
        As it is asked for.
    takes : callable
        Whether it is the one to take, of the number of dimensions and whether the queries are the
        points themselves; the first of the table that says so is taken.
    precision : type
        Of the points that it is given.
    propose : callable
        ``propose(points, queries, k, own)`` from two `Rounded` and a number to `Proposals`, which
        hold all points that can be among the `k` nearest, or say what they lack. Values must be
        as near to the truth as `Rounded.slack` says of that precision. With `own`, queries are the
        points themselves, and none is its own neighbour.
    """

    name: str
    takes: Callable[[int, bool], bool]
    precision: Precision
    propose: Callable[[Rounded, Rounded, int, bool], Proposals]


def nearest(
    points: Floats,
    k: int,
    queries: Floats | None = None,
    *,
    engine: str | None = None,
    device: str | None = None,
) -> Lists:
    """Return the `k` nearest points of each query; of the points themselves without queries."""
    if device is not None:
        return nearest_on(device, points, k, queries)
    own = queries is None
    k = min(k, len(points) - own)
    places = places_of(points)
    if places is None:
        return _nearest(points, k, queries, engine)
    some = points[places.first]
    return nearest_by_place(places, k, own, lambda k: _nearest(some, k, queries, engine))


def _nearest(points: Floats, k: int, queries: Floats | None, engine: str | None) -> Lists:
    own = queries is None
    taken = _engine(engine, points.shape[1], own)
    cloud = RoundedCloud(points)
    known = cloud.rounded(taken.precision)
    there = known if queries is None else Rounded.of(queries, taken.precision, known)
    asked = points if queries is None else queries
    lists, unsure = _measured(points, asked, there, taken.propose(known, there, k, own), k)
    if own and unsure.mean() > _MOST:
        return _in_double(cloud, None, k, None)
    rows = np.flatnonzero(unsure)
    apart = Apart(rows, np.arange(len(points))) if own else None
    return _mended(lists, rows, cloud, asked, k, apart)


def nearest_apart(cloud: RoundedCloud, rows: Counts, part: Counts, k: int = 1) -> Lists:
    """Return the `k` nearest points of some of them that are in another part than these.

    Each of `rows` has at least `k` points in other parts.
    """
    known, asked = cloud.rounded(np.float32), cloud.points[rows]
    some, apart = known.some(rows), Apart(part[rows], part)
    proposals = propose(known, some, k, apart)
    lists, unsure = _measured(cloud.points, asked, some, proposals, k)
    at = np.flatnonzero(unsure)
    return _mended(lists, at, cloud, asked, k, Apart(apart.queries[at], part))


def _mended(
    lists: Lists, rows: Counts, cloud: RoundedCloud, queries: Floats, k: int, apart: Apart | None
) -> Lists:
    """Return lists of which some rows are done again; `apart` is of these."""
    if rows.size:
        again = _in_double(cloud, queries[rows], k, apart)
        lists.squares[rows], lists.indices[rows] = again.squares, again.indices
    return lists


def _in_double(cloud: RoundedCloud, queries: Floats | None, k: int, apart: Apart | None) -> Lists:
    """Return lists by products of double precision, and by all distances where these are open."""
    points, known = cloud.points, cloud.rounded(np.float64)
    there = known if queries is None else Rounded.of(queries, np.float64, known)
    asked = points if queries is None else queries
    lists, unsure = _measured(points, asked, there, propose(known, there, k, apart), k)
    if queries is None:
        apart = Apart(*np.tile(np.arange(len(points)), (2, 1)))
    for row in np.flatnonzero(unsure):
        excluded = None if apart is None else apart.excluded(int(row))
        full = in_full(points, asked[row], k, excluded)
        lists.squares[row], lists.indices[row] = full.squares[0], full.indices[0]
    return lists


def _measured(
    points: Floats, queries: Floats, there: Rounded, proposals: Proposals, k: int
) -> tuple[Lists, Bools]:
    """Return the nearest of what is proposed, and whether one may lack."""
    near, unsure = kept(proposals, there, k)
    squares = np.full(near.shape, np.inf)
    row, column = np.nonzero(near)
    other = proposals.indices[row, column]
    squares[row, column] = squares_of_pairs(queries, row, points, other)
    return sorted_lists(squares, proposals.indices, k), unsure


def _by_products(points: Rounded, queries: Rounded, k: int, own: bool) -> Proposals:
    return propose(points, queries, k, None)


def _by_tree(points: Rounded, queries: Rounded, k: int, own: bool) -> Proposals:
    from scipy.spatial import cKDTree

    wide = min(k + own + _SPARE, len(points.rows))
    apart, found = cKDTree(points.rows).query(queries.rows, k=np.arange(1, wide + 1))
    return _proposed(-0.5 * apart**2, found, len(points.rows), own)


def _by_faiss(points: Rounded, queries: Rounded, k: int, own: bool) -> Proposals:
    import faiss

    index = faiss.IndexFlatL2(points.rows.shape[1])
    index.add(points.rows)
    wide = min(k + own + _SPARE, len(points.rows))
    squares, found = index.search(queries.rows, wide)
    return _proposed(-0.5 * squares, found, len(points.rows), own)


def _proposed(values: Any, found: Counts, there: int, own: bool) -> Proposals:
    """Return proposals of a library that lists all points up to the last of a row."""
    lost = values.min(axis=1) if found.shape[1] < there else np.full_like(values[:, 0], -np.inf)
    if own:
        values[found == np.arange(len(found))[:, None]] = -np.inf
    return Proposals(values, found, lost)


@cache
def _installed(name: str) -> bool:
    return find_spec(name) is not None


def _faiss_is_quicker(width: int, own: bool) -> bool:
    # It takes each pair of points twice where products take it once, and uses all cores.
    return _installed("faiss") and (not own or _cores() >= _MANY_CORES)


def _cores() -> int:
    return cpu_count() or 1


ENGINES = (
    Engine("tree", lambda width, own: width <= _FEW, np.float64, _by_tree),
    Engine("faiss", _faiss_is_quicker, np.float32, _by_faiss),
    Engine("products", lambda width, own: True, np.float32, _by_products),
)


def _engine(name: str | None, width: int, own: bool) -> Engine:
    if name is None:
        return next(engine for engine in ENGINES if engine.takes(width, own))
    return next(engine for engine in ENGINES if engine.name == name)
