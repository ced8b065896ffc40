"""How the labels of neighbours fall, with neighbours at equal distances sharing a place.

Who is whose neighbour does not depend on labels: it is found once, and then asked for as many sets
of labels as there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from errorfloor._typing import Counts, Floats
from errorfloor.features.neighbours import Lists, all_squares, nearest_apart
from errorfloor.features.rounded import RoundedCloud

_MOST_TIED = 256  # only for speed: neighbours beyond a list; for more, all are looked at again
_SAME = 1e-9  # votes are sums of shares, which rounding moves by less


@dataclass(frozen=True, slots=True, eq=False)
class NeighbourVotes:
    """The `k` nearest others of each point, whose labels are votes on it.

    Points that are tied for the last places share them equally, so that no answer depends on the
    order of rows.

    Attributes
    ----------
    points : array of shape (n, d)
        All points.
    shares : sparse array of shape (n, n)
        How much the label of each point counts for each: 1, or less where places are shared.
    wide : dict
        The squared distance of the last place, for points with too many tied ones to keep.
    k : int
        How many votes there are on each point.
    """

    points: Floats = field(repr=False)
    shares: Any = field(repr=False)
    wide: dict[int, float] = field(repr=False)
    k: int

    @classmethod
    def of(cls, points: Floats, k: int, lists: Lists) -> NeighbourVotes:
        """Find the voters on each point; `lists` has one neighbour more, where there is one."""
        from scipy.sparse import csr_array

        n, k = len(points), min(k, lists.indices.shape[1])
        rows, columns = np.repeat(np.arange(n), k), lists.indices[:, :k].ravel()
        parts = [(rows, columns, np.ones(n * k))]
        wide: dict[int, float] = {}
        if lists.indices.shape[1] > k:
            tied = np.flatnonzero(lists.squares[:, k - 1] == lists.squares[:, k])
            kept = ~np.isin(rows, tied)
            parts = [(rows[kept], columns[kept], np.ones(np.count_nonzero(kept)))]
            longer = _longer(points, lists, tied, lists.squares[tied, k - 1])
            for row, (squares, indices) in zip(tied, longer, strict=True):
                edge = float(lists.squares[row, k - 1])
                if squares[-1] == edge and squares.size < n - 1:
                    wide[int(row)] = edge
                else:
                    near, share = _sharing(squares, edge, k)
                    parts.append((np.full(near.size, row), indices[near], share))
        at, of, shares = (np.concatenate(part) for part in zip(*parts, strict=True))
        return cls(points, csr_array((shares, (at, of)), shape=(n, n)), wide, k)

    def votes(self, codes: Counts, classes: int) -> Floats:
        """Return the votes for each class, of shape (classes, n, sets), for sets of labels.

        `codes` has a row for each set.
        """
        told = np.ascontiguousarray(codes.T)
        found = np.stack([self.shares @ (told == one).astype(np.float64) for one in range(classes)])
        for row, edge in self.wide.items():
            squares = all_squares(self.points, self.points[row])
            squares[row] = np.inf
            near, share = _sharing(squares, edge, self.k)
            for one in range(classes):
                found[one, row] = share @ (told[near] == one)
        return found


def _longer(
    points: Floats, lists: Lists, rows: Counts, edges: Floats
) -> Iterator[tuple[Floats, Counts]]:
    """Yield the lists of some points, made longer where they end with an edge."""
    n = len(points)
    short = (lists.squares[rows, -1] == edges) & (lists.indices.shape[1] < n - 1)
    most = min(lists.indices.shape[1] + _MOST_TIED, n - 1)
    if short.any():
        found = nearest_apart(RoundedCloud(points), rows[short], np.arange(n), most)
        more = zip(found.squares, found.indices, strict=True)
    for row, is_short in zip(rows, short, strict=True):
        yield next(more) if is_short else (lists.squares[row], lists.indices[row])


def _sharing(squares: Floats, edge: float, k: int) -> tuple[Counts, Floats]:
    """Return who is near up to an edge, where places are shared, and their shares."""
    inside, tied = np.flatnonzero(squares < edge), np.flatnonzero(squares == edge)
    share = (k - inside.size) / tied.size
    return np.concatenate((inside, tied)), np.repeat((1.0, share), (inside.size, tied.size))


def counted(codes: Counts, classes: int) -> Floats:
    """Return how often each class is in each row."""
    votes = np.zeros((len(codes), classes))
    for one in range(classes):
        votes[:, one] = (codes == one).sum(axis=1)
    return votes


def errors_of(votes: Floats, codes: Counts) -> Floats:
    """Return the mean chance that the majority is wrong, with equal votes drawn, for each set.

    `votes` is of shape (classes, n, sets), `codes` of shape (sets, n).
    """
    most = votes.max(axis=0) - _SAME
    own = np.take_along_axis(votes, codes.T[None], axis=0)[0]
    level = np.count_nonzero(votes >= most, axis=0)
    return np.asarray(1 - ((own >= most) / level).mean(axis=0))
