"""Labels as tables of counts: lossless for every estimator here, and they add."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, ClassVar, Self
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from errorfloor._checks import as_counts, as_labels, as_scores, check_same_length, refuse
from errorfloor._typing import Bools, Counts, Floats

CELLS = 65_536  # of the grid from 0 to 1, where scores have to be merged


def cell_of(scores: Floats, cells: int) -> Counts:
    """Return the cell of a fixed grid on the whole line that each score falls into.

    From 0 to 1 cells are finer towards both ends, as the standard deviation of a label is smaller
    there. Only operations that round the same way everywhere are used, so that any engine that
    computes the same expression finds the same cells.
    """
    inside = np.clip(scores, 0.0, 1.0)
    place = (1 + np.sqrt(inside) - np.sqrt(1 - inside)) / 2
    below, above = scores < 0, scores > 1
    if below.any() or above.any():
        place = np.where(below, scores / (1 + np.abs(scores)), place)
        place = np.where(above, 2 - 1 / np.maximum(scores, 1), place)
    scale = np.nextafter(cells, 0)  # so that 1 is in the last cell
    return np.asarray(np.floor(place * scale), dtype=np.int64)


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file that takes the place of `path` when all is written, and not before."""
    import tempfile

    target = Path(path)
    handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        # mkstemp makes private files; give this one the mode that open() would have given.
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


class _Table:
    """What score and vote tables share: columns of equal length that are files, sums and equal."""

    __slots__ = ()
    columns: ClassVar[tuple[str, ...]]
    dropped: int

    def __len__(self) -> int:
        return int(getattr(self, self.columns[0]).size)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        mine, theirs = self._arrays(), other._arrays()
        return mine.keys() == theirs.keys() and all(
            np.array_equal(mine[column], theirs[column]) for column in mine
        )

    __hash__ = None  # type: ignore[assignment]  # compared by content, so not a dictionary key

    def __repr__(self) -> str:
        return f"{type(self).__name__}(n={self.n}, rows={len(self)})"

    @property
    def n(self) -> int:
        """Number of items."""
        raise NotImplementedError

    @classmethod
    def empty(cls) -> Self:
        """Return the table of no items, which changes nothing when added."""
        return cls(*([] for _ in cls.columns))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the table to `path` as NPZ; an existing file is replaced whole or not at all."""
        with replacing(path) as file:
            np.savez(file, **self._arrays())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a table that `save` wrote. Pickled data is never loaded."""
        try:
            with open(path, "rb") as stream, np.load(stream, allow_pickle=False) as file:
                return cls(**{name: file[name] for name in file.files})
        except (EOFError, ValueError, AttributeError, TypeError, BadZipFile) as error:
            # NumPy takes any other file for a pickle, and tells how to load it.
            reason = "it is no NPZ file of plain arrays" if "pickled" in str(error) else error
            raise ValueError(
                f"`path` {os.fspath(path)!r} does not hold a {cls.__name__}: {reason}. "
                f"Pass a file written by {cls.__name__}.save."
            ) from error

    def _arrays(self) -> dict[str, Any]:
        """Return what makes the table, by the names of its fields."""
        arrays: dict[str, Any] = {column: getattr(self, column) for column in self.columns}
        return arrays | ({"dropped": np.int64(self.dropped)} if self.dropped else {})

    def _freeze(self, **columns: NDArray[Any]) -> None:
        sizes = {array.size for array in columns.values()}
        if len(sizes) > 1 or any(array.ndim != 1 for array in columns.values()):
            shapes = ", ".join(f"{name} {array.shape}" for name, array in columns.items())
            raise ValueError(f"The columns must be 1-d and of equal length, got {shapes}.")
        object.__setattr__(self, "dropped", int(self.dropped))
        for name, array in columns.items():
            array.setflags(write=False)
            object.__setattr__(self, name, array)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ScoreTable(_Table):
    """Distinct scores with the number of negative and positive labels at each.

    Where there are too many distinct scores, a row may stand for all scores of a range instead;
    such a table is `coarse`, and estimates from it say how far that can have moved them.

    Parameters
    ----------
    scores : array-like of shape (rows,)
        Finite, distinct and ascending.
    negatives, positives : array-like of shape (rows,)
        Number of items with label 0 and with label 1 at each score; not both zero.
    lows, highs : array-like of shape (rows,), optional
        The least and the largest score that each row stands for, where they differ.
    dropped : int
        Items that were left out because something was missing.

    Examples
    --------
    >>> a = ScoreTable.from_arrays([0.2, 0.9, 0.2], [0, 1, 1])
    >>> a.scores, a.negatives, a.positives
    (array([0.2, 0.9]), array([1, 0]), array([1, 1]))
    >>> a + a
    ScoreTable(n=6, rows=2)
    """

    scores: Floats
    negatives: Counts
    positives: Counts
    lows: Floats | None = None
    highs: Floats | None = None
    dropped: int = 0

    columns: ClassVar[tuple[str, ...]] = ("scores", "negatives", "positives")

    def __post_init__(self) -> None:
        # Adding zero turns -0.0 into 0.0, so that equal scores have equal bits.
        scores = np.asarray(self.scores, dtype=np.float64) + 0.0
        negatives = _as_int64(self.negatives, "negatives")
        positives = _as_int64(self.positives, "positives")
        self._freeze(scores=scores, negatives=negatives, positives=positives)
        if not np.isfinite(scores).all() or (np.diff(scores) <= 0).any():
            raise ValueError(
                "`scores` of a table must be finite, distinct and ascending. "
                "Build tables with ScoreTable.from_arrays."
            )
        refuse(
            negatives + positives == 0,
            scores,
            "`negatives` and `positives` must not both be 0",
            "Leave out scores that no item has.",
        )
        if self.lows is not None or self.highs is not None:
            self._freeze(lows=np.array(self.lows) + 0.0, highs=np.array(self.highs) + 0.0)
            self._check_ranges()

    def _check_ranges(self) -> None:
        lows, highs = self.ranges
        inside = (lows <= self.scores) & (self.scores <= highs) if len(lows) == len(self) else False
        if not (np.all(inside) and (highs[:-1] < lows[1:]).all()):
            raise ValueError(
                "`lows` and `highs` must be ranges around the scores that do not overlap. "
                "Build such tables with ScoreTable.coarsen."
            )

    @classmethod
    def from_arrays(cls, scores: object, labels: object) -> ScoreTable:
        """Count the items at each distinct score.

        Parameters
        ----------
        scores : array-like of shape (n,)
            Any finite numbers.
        labels : array-like of shape (n,)
            0 or 1, or False or True.
        """
        s = as_scores(scores, name="scores")
        y = as_labels(labels, name="labels")
        check_same_length(s, y, ("scores", "labels"))
        order = np.argsort(s)
        s = s[order]
        start = np.flatnonzero(np.concatenate(([True], s[1:] != s[:-1])))
        positives = np.add.reduceat(y[order], start, dtype=np.int64)
        return cls(s[start], np.diff(start, append=s.size) - positives, positives)

    @classmethod
    def from_ranges(
        cls, lows: Floats, highs: Floats, negatives: Counts, positives: Counts, dropped: int = 0
    ) -> ScoreTable:
        """Return a table with a row for each range of scores; ranges that overlap become one."""
        if lows.size == 0:
            return replace(cls.empty(), dropped=dropped)
        order = np.argsort(lows, kind="stable")
        low, high = lows[order] + 0.0, np.maximum.accumulate(highs[order]) + 0.0
        start = np.flatnonzero(np.concatenate(([True], low[1:] > high[:-1])))
        low, high = low[start], np.maximum.reduceat(high, start)
        negatives, positives = (np.add.reduceat(c[order], start) for c in (negatives, positives))
        if (low == high).all():
            return cls(low, negatives, positives, dropped=dropped)
        middle = np.where(low == high, low, low / 2 + high / 2)
        return cls(middle, negatives, positives, low, high, dropped)

    def __add__(self, other: ScoreTable) -> ScoreTable:
        if not isinstance(other, ScoreTable):
            return NotImplemented
        parts = [(*table.ranges, table.negatives, table.positives) for table in (self, other)]
        lows, highs, negatives, positives = map(np.concatenate, zip(*parts, strict=True))
        dropped = self.dropped + other.dropped
        return ScoreTable.from_ranges(lows, highs, negatives, positives, dropped)

    @property
    def n(self) -> int:
        """Number of items."""
        return int(self.negatives.sum() + self.positives.sum())

    @property
    def ranges(self) -> tuple[Floats, Floats]:
        """The least and the largest score of each row; both the score where it is one score."""
        if self.lows is None or self.highs is None:
            return self.scores, self.scores
        return self.lows, self.highs

    @property
    def coarse(self) -> Bools:
        """Tell which rows stand for several scores."""
        lows, highs = self.ranges
        return np.asarray(lows < highs)

    def coarsen(self, cells: int = CELLS) -> ScoreTable:
        """Return the table with the scores of each cell of a fixed grid merged into one row.

        The grid does not depend on the data, so shards that were coarsened add up to the same
        table as one pass over all items, and a power of two fits into the next one.

        Parameters
        ----------
        cells : int
            Number of cells from 0 to 1, finer towards both ends; as many again take negative
            scores, and scores above 1.
        """
        lows, highs = self.ranges
        cell = cell_of(self.scores, cells)
        start = np.flatnonzero(np.concatenate(([True], cell[1:] != cell[:-1])))
        if start.size == len(self) or len(self) == 0:
            return self
        negatives, positives = (np.add.reduceat(c, start) for c in (self.negatives, self.positives))
        ends = np.append(start[1:], len(self)) - 1
        return ScoreTable.from_ranges(lows[start], highs[ends], negatives, positives, self.dropped)

    def may_hold_the_best_cut(self) -> Bools:
        """Tell which coarse rows a cut could divide with fewer errors than any cut between rows."""
        inside, between = self._errors()
        return np.asarray(self.coarse & (inside < between.min()))

    @property
    def cut_resolution(self) -> float:
        """How much lower the share of errors of the best cut may be among the scores themselves."""
        if not self.coarse.any():
            return 0.0
        inside, between = self._errors()
        least = int(inside[self.coarse].min())
        return max(int(between.min()) - least, 0) / self.n

    def _errors(self) -> tuple[Counts, Counts]:
        """Return the fewest errors that a cut in each row can have, and those of cuts between."""
        # Left of a row, all positives so far and all negatives from there on are wrong. At best,
        # a cut inside the row puts its negatives right and no positive wrong.
        step = np.cumsum(self.positives - self.negatives)
        between = np.concatenate(([0], step)) + self.negatives.sum()
        return between[:-1] - self.negatives, between

    def _arrays(self) -> dict[str, Any]:
        arrays = _Table._arrays(self)
        return arrays if self.lows is None else arrays | {"lows": self.lows, "highs": self.highs}

    def cells(self, *, complete: bool = False) -> Cells:
        """Lay the table out as one entry for each (score, label) that occurs.

        Parameters
        ----------
        complete : bool
            Have both labels of every score, occurring or not, for what changes labels.
        """
        count = np.column_stack((self.positives, self.negatives)).ravel()
        kept = np.arange(count.size) if complete else np.flatnonzero(count)
        return Cells(self.scores, kept // 2, kept % 2 == 0, count[kept])


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The (score, label) pairs of a score table, by score, the positive one first.

    Resampling, noise and sharding change only the counts of these cells. Positive before
    negative makes every running sum of (positives - negatives) that ends inside a row no smaller
    than the one that ends before it, so a minimum over all of them is a minimum over true cuts.
    """

    scores: Floats  # of the table, one a row
    row: NDArray[np.intp]
    positive: Bools
    count: Counts

    def __len__(self) -> int:
        return int(self.count.size)

    @property
    def row_starts(self) -> NDArray[np.intp]:
        """Index of the first cell of each row."""
        return np.searchsorted(self.row, np.arange(self.scores.size))

    def pooled(self, blocks: int) -> tuple[Bools, Counts]:
        """Return cells of blocks of neighbouring rows with about as many items each, likewise."""
        behind = np.cumsum(np.bincount(self.row, self.count))
        block = np.ceil(behind * (blocks / behind[-1])).astype(np.intp) - 1
        cell = 2 * block[self.row] + ~self.positive
        count = np.bincount(cell, self.count, minlength=2 * blocks).astype(np.int64)
        return np.arange(2 * blocks) % 2 == 0, count

    def table(self, count: Counts) -> ScoreTable:
        """Return the score table that has `count` items in these cells."""
        positives, negatives = np.zeros((2, self.scores.size), dtype=np.int64)
        positives[self.row[self.positive]] = count[self.positive]
        negatives[self.row[~self.positive]] = count[~self.positive]
        kept = positives + negatives > 0
        return ScoreTable(self.scores[kept], negatives[kept], positives[kept])


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class VoteTable(_Table):
    """Distinct (positives, total) pairs of votes with the number of items that have each.

    Examples
    --------
    >>> votes = VoteTable.from_arrays([0, 2, 2, 3], totals=3)
    >>> votes.positives, votes.totals, votes.counts
    (array([0, 2, 3]), array([3, 3, 3]), array([1, 2, 1]))
    """

    positives: Counts
    totals: Counts
    counts: Counts
    dropped: int = 0

    columns: ClassVar[tuple[str, ...]] = ("positives", "totals", "counts")

    def __post_init__(self) -> None:
        positives = _as_int64(self.positives, "positives")
        totals = _as_int64(self.totals, "totals", least=1)
        counts = _as_int64(self.counts, "counts", least=1)
        self._freeze(positives=positives, totals=totals, counts=counts)
        _check_votes(positives, totals)
        step, within = np.diff(totals), np.diff(positives)
        if ((step < 0) | ((step == 0) & (within <= 0))).any():
            raise ValueError(
                "The rows of a vote table must be distinct and ascend by total, then positives. "
                "Build tables with VoteTable.from_arrays."
            )

    @classmethod
    def from_arrays(cls, positives: object, totals: object) -> VoteTable:
        """Count the items with each pair of votes.

        Parameters
        ----------
        positives : array-like of shape (n,)
            Votes for class 1 on each item.
        totals : int or array-like of shape (n,)
            All votes on each item, at least 1.
        """
        k = as_counts(positives, name="positives", least=0)
        same = np.asarray(totals).ndim == 0
        m = as_counts([totals] if same else totals, name="totals", least=1)
        if same:
            m = np.broadcast_to(m, k.shape)
        check_same_length(k, m, ("positives", "totals"))
        _check_votes(k, m)
        width = int(m.max()) + 1
        if width > 2**31:  # two of them would not fit into one number
            return cls.from_counts(k, m, np.ones(k.size, dtype=np.int64))
        pair, count = np.unique(m * width + k, return_counts=True)
        return cls(pair % width, pair // width, count)

    @classmethod
    def from_counts(
        cls, positives: Counts, totals: Counts, counts: Counts, dropped: int = 0
    ) -> VoteTable:
        """Return the table of pairs that occur `counts` times each, equal pairs pooled."""
        order = np.lexsort((positives, totals))
        k, m = positives[order], totals[order]
        new = np.ones(k.size, dtype=np.bool_)
        new[1:] = (k[1:] != k[:-1]) | (m[1:] != m[:-1])
        start = np.flatnonzero(new)
        pooled = np.add.reduceat(counts[order], start) if start.size else counts
        return cls(k[start], m[start], pooled, dropped)

    def __add__(self, other: VoteTable) -> VoteTable:
        if not isinstance(other, VoteTable):
            return NotImplemented
        return VoteTable.from_counts(
            np.concatenate((self.positives, other.positives)),
            np.concatenate((self.totals, other.totals)),
            np.concatenate((self.counts, other.counts)),
            self.dropped + other.dropped,
        )

    @property
    def n(self) -> int:
        """Number of items."""
        return int(self.counts.sum())


def _as_int64(values: object, name: str, least: int = 0) -> Counts:
    if np.asarray(values).size == 0:
        return np.zeros(0, dtype=np.int64)
    return as_counts(values, name=name, least=least).copy()


def _check_votes(positives: Counts, totals: Counts) -> None:
    refuse(
        positives > totals,
        positives,
        "`positives` must not exceed `totals`",
        "Check the order of the two arguments.",
    )
