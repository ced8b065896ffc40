"""Exact nearest neighbours, by whichever engine is quickest; the answer is the same by all.

An engine proposes points (see `Engine`): a k-d tree, matrix products, or faiss. What it
proposes is measured again by differences, and a query whose proposals may lack a neighbour is seen,
and asked again in double precision; where even that leaves it open, all points are measured.

Distances of differences are the same bits for either order of two points, and wherever they are
computed. So equal distances are equal, and lists are the same whichever engine proposes points.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from os import cpu_count
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

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
    allowed = np.arange(len(points)) if excluded is None else np.flatnonzero(~excluded)
    edge = np.partition(squares[allowed], k - 1)[k - 1]
    near = allowed[squares[allowed] <= edge]
    return sorted_lists(squares[near][None], near[None], k)


# Points as products take them: around 0, of size 1 at most, and rounded.
#
# The value of a pair is minus half of its squared distance, x y - (x x + y y) / 2: a product of two
# rows with two numbers more. Sums of products lose digits, so that a value only proposes. How many
# they lose at most is known (Higham, Accuracy and Stability of Numerical Algorithms, chapter 3): a
# value is within ``K (|x| + |y|)**2`` of the true one, with K about half the number of terms times
# the unit of rounding. That says which points can be among the nearest, and when one may lack.

Reals: TypeAlias = NDArray[np.floating[Any]]  # of single or double precision

Precision: TypeAlias = type[np.float32] | type[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Rounded:
    """Points around a common centre, in a common scale.

    Attributes
    ----------
    rows : array of shape (n, d)
        The points.
    halves : array of shape (n,)
        Half of the squared length of each.
    centre : array of shape (d,)
        What is 0.
    scale : float
        A power of 2, so that nothing is rounded by it.
    """

    rows: Reals
    halves: Reals
    centre: Floats
    scale: float

    @classmethod
    def of(cls, points: Floats, dtype: Precision, like: Rounded | None = None) -> Rounded:
        """Return points around their mean, or in the frame of others."""
        if like is None:
            centre = points.mean(axis=0)
            largest = max(
                float(np.abs(points[at] - centre).max()) for at in blocks_of(*points.shape)
            )
            scale = 2.0 ** -np.frexp(largest)[1] if largest > 0 else 1.0
        else:
            centre, scale = like.centre, like.scale
        rows = np.empty(points.shape, dtype)
        halves = np.empty(len(points), dtype)
        for at in blocks_of(*points.shape):
            rows[at] = (points[at] - centre) * scale
            halves[at] = (rows[at].astype(np.float64) ** 2).sum(axis=1) / 2
        return cls(rows, halves, centre, scale)

    def some(self, at: Counts | slice) -> Rounded:
        """Return some of the points."""
        return Rounded(self.rows[at], self.halves[at], self.centre, self.scale)

    def values(self, others: Rounded) -> Reals:
        """Return minus half of the squared distance of each point from each of the others."""
        found = self.rows @ others.rows.T
        found -= others.halves
        found -= self.halves[:, None]
        return found

    def slack(self, last: Reals) -> Floats:
        """Return how far below the value of its k-th best a point can be, and still be among k.

        `last` has the k-th best value for each of these points. What is that near is no longer
        than this point and its distance together, and so the longest points do not matter.
        """
        width = self.rows.shape[1]
        information = np.finfo(self.rows.dtype)
        share = ((width + 8) / 2 + 2) * float(information.eps) / 2
        root = np.sqrt(2 * share)
        length = np.sqrt(2 * self.halves.astype(np.float64))
        reach = np.sqrt(np.maximum(-2 * last.astype(np.float64), 0))
        reach = (reach + 2 * root * length) / (1 - root)
        least = (width + 8) * float(information.tiny)  # what is lost below the smallest number
        return np.asarray(2 * (share * (2 * length + reach) ** 2 + least))


@dataclass(frozen=True, slots=True, eq=False)
class RoundedCloud:
    """Points, with what was made of them for products."""

    points: Floats
    _made: dict[Precision, Rounded] = field(default_factory=dict)

    def rounded(self, precision: Precision) -> Rounded:
        """Return the points as products take them, made the first time."""
        if precision not in self._made:
            self._made[precision] = Rounded.of(self.points, precision)
        return self._made[precision]


# How an engine proposes points, and what is kept of them.

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
class _BestSoFar:
    """The best of each query so far; `least` is what a value has to be above."""

    k: int
    queries: Rounded
    values: Reals
    indices: Counts
    lost: Reals
    least: Reals

    @classmethod
    def none(cls, queries: Rounded, k: int, width: int) -> _BestSoFar:
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
    best = _BestSoFar.none(queries, k, k + _SPARE_PRODUCTS)
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


def _among_themselves(points: Rounded, best: _BestSoFar) -> None:
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
        from errorfloor.features.cuda import nearest_on

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
    rounded = known if queries is None else Rounded.of(queries, taken.precision, known)
    asked = points if queries is None else queries
    lists, unsure = _measured(points, asked, rounded, taken.propose(known, rounded, k, own), k)
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
    rounded = known if queries is None else Rounded.of(queries, np.float64, known)
    asked = points if queries is None else queries
    lists, unsure = _measured(points, asked, rounded, propose(known, rounded, k, apart), k)
    if queries is None:
        apart = Apart(*np.tile(np.arange(len(points)), (2, 1)))
    for row in np.flatnonzero(unsure):
        excluded = None if apart is None else apart.excluded(int(row))
        full = in_full(points, asked[row], k, excluded)
        lists.squares[row], lists.indices[row] = full.squares[0], full.indices[0]
    return lists


def _measured(
    points: Floats, queries: Floats, rounded: Rounded, proposals: Proposals, k: int
) -> tuple[Lists, Bools]:
    """Return the nearest of what is proposed, and whether one may lack."""
    near, unsure = kept(proposals, rounded, k)
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


def _proposed(values: Any, found: Counts, number: int, own: bool) -> Proposals:
    """Return proposals of a library that lists all points up to the last of a row."""
    lost = values.min(axis=1) if found.shape[1] < number else np.full_like(values[:, 0], -np.inf)
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
