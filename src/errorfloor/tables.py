"""Labels as tables of counts: lossless for every estimator here, and they add."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from errorfloor._checks import as_counts, as_labels, as_scores, check_same_length, refuse
from errorfloor._typing import Bools, Counts, Floats


class _Table:
    """What score and vote tables share: columns of equal length that are files, sums and equal."""

    __slots__ = ()
    columns: ClassVar[tuple[str, ...]]

    def __len__(self) -> int:
        return int(getattr(self, self.columns[0]).size)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(
            np.array_equal(getattr(self, column), getattr(other, column)) for column in self.columns
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
        import tempfile

        target = Path(path)
        arrays: Mapping[str, Any] = {column: getattr(self, column) for column in self.columns}
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                np.savez(file, **arrays)
            # mkstemp makes private files; give this one the mode that open() would have given.
            umask = os.umask(0)
            os.umask(umask)
            os.chmod(temporary, 0o666 & ~umask)
            os.replace(temporary, target)
        except BaseException:
            os.unlink(temporary)
            raise

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a table that `save` wrote. Pickled data is never loaded."""
        try:
            with np.load(path, allow_pickle=False) as file:
                return cls(*(file[column] for column in cls.columns))
        except (KeyError, EOFError, ValueError, AttributeError, TypeError) as error:
            raise ValueError(
                f"`path` {os.fspath(path)!r} does not hold a {cls.__name__}: {error}. "
                f"Pass a file written by {cls.__name__}.save."
            ) from error

    def _freeze(self, **columns: NDArray[Any]) -> None:
        sizes = {array.size for array in columns.values()}
        if len(sizes) > 1 or any(array.ndim != 1 for array in columns.values()):
            shapes = ", ".join(f"{name} {array.shape}" for name, array in columns.items())
            raise ValueError(f"The columns must be 1-d and of equal length, got {shapes}.")
        for name, array in columns.items():
            array.setflags(write=False)
            object.__setattr__(self, name, array)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ScoreTable(_Table):
    """Distinct scores with the number of negative and positive labels at each.

    Parameters
    ----------
    scores : array-like of shape (rows,)
        Finite, distinct and ascending.
    negatives, positives : array-like of shape (rows,)
        Number of items with label 0 and with label 1 at each score; not both zero.

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

    def __add__(self, other: ScoreTable) -> ScoreTable:
        if not isinstance(other, ScoreTable):
            return NotImplemented
        scores = np.union1d(self.scores, other.scores)
        negatives, positives = np.zeros((2, scores.size), dtype=np.int64)
        for part in (self, other):
            row = np.searchsorted(scores, part.scores)
            negatives[row] += part.negatives
            positives[row] += part.positives
        return ScoreTable(scores, negatives, positives)

    @property
    def n(self) -> int:
        """Number of items."""
        return int(self.negatives.sum() + self.positives.sum())

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
            return cls._pool(k, m, np.ones(k.size, dtype=np.int64))
        pair, count = np.unique(m * width + k, return_counts=True)
        return cls(pair % width, pair // width, count)

    @classmethod
    def _pool(cls, positives: Counts, totals: Counts, counts: Counts) -> VoteTable:
        order = np.lexsort((positives, totals))
        k, m = positives[order], totals[order]
        new = np.ones(k.size, dtype=np.bool_)
        new[1:] = (k[1:] != k[:-1]) | (m[1:] != m[:-1])
        start = np.flatnonzero(new)
        pooled = np.add.reduceat(counts[order], start) if start.size else counts
        return cls(k[start], m[start], pooled)

    def __add__(self, other: VoteTable) -> VoteTable:
        if not isinstance(other, VoteTable):
            return NotImplemented
        return VoteTable._pool(
            np.concatenate((self.positives, other.positives)),
            np.concatenate((self.totals, other.totals)),
            np.concatenate((self.counts, other.counts)),
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
