"""Points that may be among the nearest, by blocks of matrix products in NumPy alone.

Choosing among all values of a block takes longer than the products. So a row keeps the value that
its k-th best has so far, and one comparison finds the few that are above it. Without queries each
block of products serves both of its sides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from errorfloor._typing import Bools, Counts
from errorfloor.features.rounded import Reals, Rounded

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
