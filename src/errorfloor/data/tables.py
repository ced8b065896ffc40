"""Labels as tables of counts: lossless for every estimator here, and they add.

A table has a kind, which says what its rows are: soft labels, votes, scores or ratings. Kinds never
mix.
Where there are two classes, probabilities and scores are those of the second one, a number per row;
where there are more, they have a column for each class.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import NDArray

from errorfloor._checks import (
    MOST_VOTES,
    InputError,
    argument,
    as_floats,
    check_aligned,
    check_same_length,
    check_unit_interval,
    check_whole,
    refuse,
)
from errorfloor._typing import Bools, Counts, Floats
from errorfloor.data import annotators, entries
from errorfloor.data.entries import (
    Entries,
    entries_together,
    of_items,
    of_votes,
    rows_among,
    weighed_soft,
)
from errorfloor.data.matrices import (
    CELLS,
    MOST_ITEMS,
    _too_many,
    added,
    are_new,
    as_class_scores,
    as_class_votes,
    by_class,
    cell_of,
    check_sums,
    check_total,
    check_votes,
    column,
    counted_votes,
    is_ascending,
    is_ours,
    order_of,
    pool,
    ranks_of,
    score_columns,
    side_by_side,
    soft_columns,
    starts_of,
    two_columns,
    vote_key,
    without_frame,
)
from errorfloor.data.naming import TWO_CLASSES
from errorfloor.data.sample import Sample
from errorfloor.data.storage import read_arrays, write_table

_HEADER = ("kind", "version")
FARTHEST = 1e100  # of ratings from 0, so that fourth powers are in range


@dataclass(frozen=True, slots=True, eq=False)
class GoldVotes:
    """Distinct votes with a gold label, and how many items have them.

    Shares of votes do not say how many votes they are of, and votes to which the label was added
    do not say which one it is, so a table made of either keeps this.
    """

    votes: Counts  # by class, without the label
    labels: Counts  # the place of its class
    counts: Counts

    @classmethod
    def of(cls, votes: Counts, labels: Counts, counts: Counts | None = None) -> GoldVotes:
        """Count equal items."""
        found = counted_votes(np.column_stack((votes, labels)), counts, None)
        return cls(found["votes"][:, :-1], found["votes"][:, -1], found["counts"])

    @property
    def totals(self) -> Counts:
        """All votes on the items of each row."""
        return added(self.votes)

    @property
    def for_gold(self) -> Counts:
        """Votes for the gold label."""
        return np.take_along_axis(self.votes, self.labels[:, None], axis=1)[:, 0]


def with_vote(votes: Counts, labels: Counts) -> Counts:
    """Return votes with one more, for the label of each item."""
    return np.asarray(votes + (labels[:, None] == np.arange(votes.shape[1])))


class Table:
    """Rows of equal items with their number.

    The fields of a table are columns with one entry per row, and two more: `dropped`, how many
    items were left out because something was missing, and `classes`, the names of the classes.
    """

    __slots__ = ()
    kind: ClassVar[str]
    columns_of_0_1: ClassVar[frozenset[str]] = frozenset()  # whose files name no kind
    dropped: int
    classes: tuple[str, ...]
    counts: Counts
    entries: entries.Entries | None  # where items have weights or belong to clusters

    def __len__(self) -> int:
        return len(self.counts)

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

    def __add__(self, other: Self) -> Self:
        if type(other) is not type(self):
            return NotImplemented
        if self.classes != other.classes:
            for one, rest in ((self, other), (other, self)):
                if len(one) == 0 and one.classes == TWO_CLASSES:  # what `empty` makes
                    return rest.without(one.dropped + rest.dropped)
            raise ValueError(
                f"The tables have different classes: {', '.join(self.classes)}, and "
                f"{', '.join(other.classes)}. Count both with the same classes."
            )
        numbers = ((self.n, other.n), (self.dropped, other.dropped))
        if any(mine + theirs > MOST_ITEMS for mine, theirs in numbers):
            raise _too_many("The tables")
        return self._plus(other)

    @property
    def n(self) -> int:
        """Number of items; of those with a label where some have none."""
        return int(self.counts.sum())

    @property
    def shares(self) -> Floats:
        """How common each class is: what a model knows that sees nothing of an item."""
        raise NotImplementedError

    @property
    def columns(self) -> dict[str, NDArray[Any]]:
        """The columns that this table has, by name."""
        named = {item.name: getattr(self, item.name) for item in fields(self)}  # type: ignore[arg-type]
        return {name: value for name, value in named.items() if isinstance(value, np.ndarray)}

    def cells(self) -> Any:
        """Lay the table out as cells, whose counts are what statistics are computed from."""
        raise NotImplementedError

    @classmethod
    def empty(cls, classes: tuple[str, ...] = TWO_CLASSES) -> Self:
        """Return the table of no items, which changes nothing when added."""
        raise NotImplementedError

    def without(self, dropped: int) -> Self:
        """Return the same table with another number of items that were left out."""
        table: Any = self
        return self if dropped == self.dropped else cast("Self", replace(table, dropped=dropped))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the table to `path` as NPZ; an existing file is replaced whole or not at all."""
        write_table(path, self.kind, self._arrays())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a table that `save` wrote. Pickled data is never loaded."""
        try:
            arrays = read_arrays(path)
            if not cls.is_in(arrays):
                raise ValueError("its arrays are others.")
            return cls.from_file(arrays)
        except (ValueError, TypeError) as error:
            raise InputError(
                argument("path"),
                f" {os.fspath(path)!r} does not hold a {cls.__name__}: {error} "
                f"Pass a file written by {cls.__name__}.save.",
            ) from error

    @classmethod
    def is_in(cls, arrays: dict[str, Any]) -> bool:
        """Tell whether the arrays of a file are a table of this kind."""
        if "kind" in arrays:
            return str(arrays["kind"]) == cls.kind
        return bool(cls.columns_of_0_1) and arrays.keys() >= cls.columns_of_0_1

    @classmethod
    def from_file(cls, arrays: dict[str, Any]) -> Self:
        """Return the table that the arrays of a file make."""
        renewed = arrays if "kind" in arrays else cls._renewed(dict(arrays))
        named = {name: array for name, array in renewed.items() if name not in _HEADER}
        named = entries.entries_in_file(named)
        if "classes" in named:
            named["classes"] = tuple(map(str, named["classes"]))
        return cls(**named)

    @classmethod
    def _renewed(cls, arrays: dict[str, Any]) -> dict[str, Any]:
        """Return the arrays of a file of 0.1 as files have them now."""
        raise NotImplementedError

    def _plus(self, other: Self) -> Self:
        """Return the sum of two tables of the same kind and classes."""
        raise NotImplementedError

    def _arrays(self) -> dict[str, Any]:
        """Return what makes the table, by the names of its fields."""
        arrays: dict[str, Any] = self.columns
        if self.dropped:
            arrays["dropped"] = np.int64(self.dropped)
        if self.classes != TWO_CLASSES:
            arrays["classes"] = np.array(self.classes)
        return arrays if self.entries is None else arrays | self.entries.arrays()

    def _freeze(self, **columns: NDArray[Any] | None) -> None:
        """Keep columns of one length, read-only."""
        there = {name: array for name, array in columns.items() if array is not None}
        if len({array.shape[:1] for array in there.values()}) > 1:
            shapes = ", ".join(f"{name} {array.shape}" for name, array in there.items())
            raise ValueError(f"The columns must be of equal length, got {shapes}.")
        remedy = "It is how many items were left out."
        dropped = check_whole(self.dropped, name="dropped", least=0, most=MOST_ITEMS, remedy=remedy)
        object.__setattr__(self, "dropped", dropped)
        for name, array in columns.items():
            if array is not None:
                array.setflags(write=False)
            object.__setattr__(self, name, array)

    def _check_entries(self) -> None:
        if self.entries is not None:
            without: Counts | None = getattr(self, "unlabelled", None)
            columns = (self.counts,) if without is None else (self.counts, without)
            self.entries.check(np.column_stack(columns))

    @property
    def plain(self) -> Self:
        """The same table without its entries where they say no more than the counts."""
        if self.entries is None or not self.entries.labelled(len(self.classes)).is_plain:
            return self
        table: Any = self
        return cast("Self", replace(table, entries=None))

    def _name_classes(self, number: int) -> None:
        """Check the names of `number` classes; 0, 1 and so on if none were given."""
        given = self.classes
        names = tuple(map(str, range(number) if given == TWO_CLASSES else given))
        if len(names) != number or len(set(names)) != number:
            raise ValueError(
                f"`classes` must be {number} different names, one for each class, got "
                f"{', '.join(names)}."
            )
        object.__setattr__(self, "classes", names)


class MergedRows(Table):
    """What tables of scores and of soft labels share."""

    __slots__ = ()
    place: ClassVar[str]  # the column that says where
    counts: Counts
    lows: Floats | None
    highs: Floats | None

    @property
    def places(self) -> Floats:
        """Where each row is."""
        return np.asarray(getattr(self, self.place))

    @property
    def items(self) -> Counts:
        """Number of items of each row."""
        return self.counts if self.counts.ndim == 1 else np.asarray(self.counts.sum(axis=1))

    @property
    def row_masses(self) -> Any:
        """What the items of each row weigh together; their number without weights."""
        if self.entries is None:
            return self.items
        return self.entries.without_labels().sums(len(self), 1)[:, 0]

    @property
    def ranges(self) -> tuple[Floats, Floats]:
        """The least and the largest place of each row; both the same where it is one place."""
        return (
            self.places if self.lows is None else self.lows,
            self.places if self.highs is None else self.highs,
        )

    @property
    def coarse(self) -> Bools:
        """Tell which rows stand for several places."""
        if self.lows is None:
            return np.zeros(len(self), dtype=np.bool_)
        lows, highs = self.ranges
        return np.asarray(lows < highs)

    @classmethod
    def from_ranges(
        cls, lows: Floats, highs: Floats, counts: NDArray[Any], *, dropped: int = 0, **more: Any
    ) -> Self:
        """Return a table with a row for each range; ranges that overlap become one.

        `more` are further columns that add up, and the classes.
        """
        if lows.size == 0:
            return cls.empty(more.get("classes", TWO_CLASSES)).without(dropped)
        order = np.argsort(lows, kind="stable")
        low, high = lows[order], np.maximum.accumulate(highs[order])
        start = np.flatnonzero(np.concatenate(([True], low[1:] > high[:-1])))
        low, high = low[start], np.maximum.reduceat(high, start)
        merged = _together({"counts": counts, **more}, order, start)
        if (low == high).all():
            return cls(low, dropped=dropped, **merged)  # type: ignore[call-arg]
        middle = np.where(low == high, low, low / 2 + high / 2)
        return cls(middle, lows=low, highs=high, dropped=dropped, **merged)  # type: ignore[call-arg]

    def coarsen(self, cells: int = CELLS) -> Self:
        """Return the table with the scores of each cell of a fixed grid merged into one row.

        The grid does not depend on the data, so shards that were coarsened add up to the same
        table as one pass over all items, and a power of two fits into the next one.

        Parameters
        ----------
        cells : int
            Number of cells from 0 to 1, finer towards both ends; as many again take negative
            scores, and scores above 1.
        """
        remedy = f"{CELLS:,} is usual; powers of two fit into each other."
        check_whole(cells, name="cells", least=1, remedy=remedy)
        if self.places.ndim > 1:
            return self
        start = starts_of(cell_of(self.places, cells))
        if start.size == len(self):
            return self
        lows, highs = self.ranges
        ends = np.append(start[1:], len(self)) - 1
        merged = _together(self._added(), np.arange(len(self)), start)
        return type(self).from_ranges(
            lows[start], highs[ends], **merged, dropped=self.dropped, classes=self.classes
        )

    def _plus(self, other: Self) -> Self:
        if self.places.ndim > 1:
            return self._plus_points(other)
        lows, highs = (np.concatenate(pair) for pair in zip(self.ranges, other.ranges, strict=True))
        return type(self).from_ranges(
            lows,
            highs,
            **self._joined(other),
            dropped=self.dropped + other.dropped,
            classes=self.classes,
        )

    def _plus_points(self, other: Self) -> Self:
        places = np.concatenate((self.places.T, other.places.T), axis=1).T
        order = order_of(places)
        start = starts_of(places[order])
        merged = _together(self._joined(other), order, start)
        dropped = self.dropped + other.dropped
        return type(self)(places[order][start], **merged, dropped=dropped, classes=self.classes)  # type: ignore[call-arg]

    def _joined(self, other: Self) -> dict[str, Any]:
        """Return the columns that add up, one table behind the other; 0 where one has none."""
        mine, theirs = self._added(), other._added()
        sizes = len(self), len(other)
        own = mine.pop("entries", None), theirs.pop("entries", None)
        joined: dict[str, Any] = {"entries": entries_together(*own, sizes)}
        for name, array in (mine | theirs).items():
            parts = [
                part.get(name, np.zeros((rows, *array.shape[1:]), array.dtype)).T
                for part, rows in zip((mine, theirs), sizes, strict=True)
            ]
            joined[name] = np.concatenate(parts, axis=-1).T
        return joined

    def _added(self) -> dict[str, Any]:
        """Return the columns that add up, and the entries."""
        where = (self.place, "lows", "highs")
        columns = {name: array for name, array in self.columns.items() if name not in where}
        return columns | {"entries": self.entries}

    def _set_places(self) -> None:
        """Check where the rows are. Adding zero turns -0.0 into 0.0: equal places, equal bits."""
        places = as_floats(getattr(self, self.place), name=self.place)
        if not (is_ours(places) and not _has_negative_zeros(places)):
            places = np.array(places.T, order="C").T + 0.0
        if not is_ascending(places):
            raise InputError(
                f"`{self.place}` of a table must be finite, distinct and ascending. "
                f"Build tables with {type(self).__name__}.from_arrays."
            )
        self._freeze(**{self.place: places, "counts": self.counts})
        if self.lows is not None or self.highs is not None:
            edges = {
                name: as_floats(places if edge is None else edge, name=name) + 0.0
                for name, edge in (("lows", self.lows), ("highs", self.highs))
            }
            self._freeze(**edges)
            self._check_ranges(places)

    def _check_unit(self, name: str) -> None:
        """Refuse places outside [0, 1]."""
        for edge in self.ranges:
            for of_class in np.atleast_2d(edge.T):
                check_unit_interval(of_class, name=name, entry="row")

    def _check_ranges(self, places: Floats) -> None:
        lows, highs = self.ranges
        inside = (lows <= places) & (places <= highs) if lows.shape == places.shape else False
        if not (np.all(inside) and (highs[:-1] < lows[1:]).all()):
            raise InputError(
                "`lows` and `highs` must be ranges around the scores that do not overlap. "
                f"Build such tables with {type(self).__name__}.coarsen."
            )


def _together(
    columns: Mapping[str, Any], order: NDArray[np.intp], start: NDArray[np.intp]
) -> dict[str, Any]:
    """Return columns with rows in order as one up to the next start; other values as they are."""
    found = dict(columns)
    for name, value in columns.items():
        if isinstance(value, np.ndarray):
            found[name] = pool(value, order, start)
        elif isinstance(value, Entries):
            found[name] = value.moved(_rows_after(order, start))
    return found


def _rows_after(order: NDArray[np.intp], start: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the new row of each old one, where rows in order become one up to the next start."""
    new = np.zeros(order.size, dtype=np.intp)
    new[start[1:]] = 1
    found = np.empty(order.size, dtype=np.intp)
    found[order] = np.cumsum(new)
    return found


def _has_negative_zeros(places: Floats) -> bool:
    return any(bool((np.signbit(key) & (key == 0)).any()) for key in np.atleast_2d(places.T))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class VoteTable(Table):
    """Distinct votes on an item with the number of items that have them.

    Parameters
    ----------
    votes : array-like of shape (rows, classes)
        Number of votes for each class. Rows ascend by their total, then by the votes for class 1,
        2 and so on.
    counts : array-like of shape (rows,)
        Number of items with such votes.
    dropped : int
        Items that were left out because something was missing.
    classes : sequence of str
        Names of the classes.
    by_group : array-like of shape (rows, 6 or 8), optional
        What is kept where annotators are known: how many items with such votes (`totals`,
        `positives`) have so many of them from a group of annotators. Of more than two classes, how
        many pairs of votes agree with and without the group.
    workloads : array-like of shape (a, 2), optional
        The votes of each annotator, where annotators are known.
    gold : GoldVotes, optional
        The votes without the gold label, where that was added as one more. Neither saved nor
        compared.

    Examples
    --------
    >>> votes = VoteTable.from_arrays([0, 2, 2, 3], totals=3)
    >>> votes.positives, votes.totals, votes.counts
    (array([0, 2, 3]), array([3, 3, 3]), array([1, 2, 1]))
    """

    votes: Counts
    counts: Counts
    dropped: int = 0
    classes: tuple[str, ...] = TWO_CLASSES
    by_group: Counts | None = None
    workloads: Counts | None = None
    entries: Entries | None = None
    gold: GoldVotes | None = None

    kind: ClassVar[str] = "votes"
    columns_of_0_1: ClassVar[frozenset[str]] = frozenset({"positives", "totals", "counts"})

    def __post_init__(self) -> None:
        votes = by_class(self.votes, "votes", most=MOST_VOTES)
        self._freeze(votes=votes, counts=column(self.counts, "counts", least=1))
        check_total(self.counts)
        check_votes(votes)
        if not is_ascending(vote_key(votes)):
            raise ValueError(
                "The rows of a vote table must be distinct and ascend by total, then positives. "
                "Build tables with VoteTable.from_arrays."
            )
        self._name_classes(votes.shape[1])
        self._check_entries()
        if self.by_group is not None or self.workloads is not None:
            total = int(self.totals @ self.counts)
            many = len(self.classes) > 2
            kept = annotators.checked(self.by_group, self.workloads, total, many=many)
            for name, array in zip(("by_group", "workloads"), kept, strict=True):
                object.__setattr__(self, name, array)

    @classmethod
    def empty(cls, classes: tuple[str, ...] = TWO_CLASSES) -> Self:
        """Return the table of no items, which changes nothing when added."""
        votes = np.zeros((0, len(classes)), dtype=np.int64)
        return cls(votes, np.zeros(0, dtype=np.int64), classes=classes)

    @classmethod
    def from_arrays(
        cls,
        positives: object,
        totals: object = None,
        *,
        classes: Sequence[object] | None = None,
        weight: object = None,
        cluster: object = None,
    ) -> Self:
        """Count the items with each combination of votes.

        Parameters
        ----------
        positives : array-like of shape (n,), or (n, classes)
            Votes for class 1 on each item, or votes for each class.
        totals : int or array-like of shape (n,), optional
            All votes on each item, at least 1; left out where there is a column for each class.
        classes : sequence of str, optional
            Names of the classes, in the order of the columns.
        weight : array-like of shape (n,), optional
            What each item weighs, a positive number.
        cluster : array-like of shape (n,), optional
            What cluster each item belongs to.
        """
        check_aligned(positives=positives, totals=totals, weight=weight, cluster=cluster)
        votes, names = as_class_votes(positives, totals, classes)
        table = cls(**counted_votes(votes, None, names))
        if weight is None and cluster is None:
            return table
        return replace(table, entries=of_votes(votes, weight, cluster))

    @classmethod
    def from_counts(
        cls, positives: Counts, totals: Counts, counts: Counts, **more: Any
    ) -> VoteTable:
        """Return the table of pairs that occur `counts` times each, equal pairs pooled."""
        return cls._pooled(two_columns(positives, totals), column(counts, "counts"), **more)

    @classmethod
    def _renewed(cls, arrays: dict[str, Any]) -> dict[str, Any]:
        votes = two_columns(arrays.pop("positives"), arrays.pop("totals"))
        return {**arrays, "votes": votes}

    @property
    def totals(self) -> Counts:
        """All votes on the items of each row."""
        return np.asarray(self.votes.sum(axis=1))

    @property
    def positives(self) -> Counts:
        """Votes for class 1 on the items of each row."""
        if len(self.classes) != 2:
            raise ValueError(
                f"A table of {len(self.classes)} classes has no positives. "
                "Use `votes`, which has a column for each class."
            )
        return self.votes[:, 1]

    @property
    def shares(self) -> Floats:
        """How common each class is among the answers of one person on each item."""
        sample = self.cells()
        return np.asarray(sample.masses @ (sample.votes / sample.totals[:, None]) / sample.total)

    def cells(self) -> Sample:
        """Lay the table out for statistics."""
        if self.entries is not None:
            return Sample.of_entries(self.votes, self.entries, labelled=False)
        return Sample.of_rows(self.votes, self.counts)

    @classmethod
    def _pooled(cls, votes: Counts, counts: Counts, **more: Any) -> Self:
        return cls(**counted_votes(votes, counts, None), **more)

    def _plus(self, other: Self) -> Self:
        votes = np.concatenate((self.votes, other.votes))
        entries = entries_together(self.entries, other.entries, (len(self), len(other)))
        return self._pooled(
            votes,
            np.concatenate((self.counts, other.counts)),
            entries=None if entries is None else entries.moved(ranks_of(vote_key(votes))),
            dropped=self.dropped + other.dropped,
            classes=self.classes,
            **annotators.together(self, other),
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SoftTable(MergedRows):
    """Distinct soft labels with the number of items that have each.

    Parameters
    ----------
    probabilities : array-like of shape (rows,), or (rows, classes)
        True probabilities: of class 1 where there are two classes, else of each class.
    counts : array-like of shape (rows,)
        Number of items with each soft label.
    lows : array-like of shape (rows,), optional
        The least value that each row stands for, where a row stands for several.
    highs : array-like of shape (rows,), optional
        The largest value that each row stands for, likewise.
    dropped : int
        Items that were left out because something was missing.
    classes : sequence of str
        Names of the classes.

    Examples
    --------
    >>> soft = SoftTable.from_arrays([0.2, 0.9, 0.2])
    >>> soft.probabilities, soft.counts
    (array([0.2, 0.9]), array([2, 1]))
    """

    probabilities: Floats
    counts: Counts
    lows: Floats | None = None
    highs: Floats | None = None
    dropped: int = 0
    classes: tuple[str, ...] = TWO_CLASSES
    entries: Entries | None = None

    kind: ClassVar[str] = "soft labels"
    place: ClassVar[str] = "probabilities"

    def __post_init__(self) -> None:
        object.__setattr__(self, "counts", column(self.counts, "counts", least=1))
        check_total(self.counts)
        self._set_places()
        self._check_unit("soft_labels")
        if self.probabilities.ndim > 1:
            check_sums(self.probabilities, "soft_labels")
        self._name_classes(2 if self.probabilities.ndim == 1 else self.probabilities.shape[1])
        self._check_entries()

    @classmethod
    def empty(cls, classes: tuple[str, ...] = TWO_CLASSES) -> Self:
        """Return the table of no items, which changes nothing when added."""
        places = np.zeros(0) if len(classes) == 2 else np.zeros((0, len(classes)))
        return cls(places, np.zeros(0, dtype=np.int64), classes=classes)

    @classmethod
    def from_arrays(
        cls,
        soft_labels: object,
        *,
        classes: Sequence[object] | None = None,
        weight: object = None,
        cluster: object = None,
    ) -> Self:
        """Count the items with each soft label.

        Parameters
        ----------
        soft_labels : array-like of shape (n,), or (n, classes)
            In [0, 1]: of class 1 where there are two classes, else of each; rows add up to 1.
        classes : sequence of str, optional
            Names of the classes, in the order of the columns.
        weight : array-like of shape (n,), optional
            What each item weighs, a positive number.
        cluster : array-like of shape (n,), optional
            What cluster each item belongs to.
        """
        check_aligned(soft_labels=soft_labels, weight=weight, cluster=cluster)
        if weight is None and cluster is None:
            return cls(**soft_columns(soft_labels, classes))
        return cls(**weighed_soft(soft_labels, classes, weight, cluster))

    def cells(self) -> Sample:
        """Lay the table out for statistics."""
        if self.entries is not None:
            return Sample.of_entries(self.probabilities, self.entries, labelled=False)
        return Sample.of_rows(self.probabilities, self.counts)

    @property
    def shares(self) -> Floats:
        """How common each class is."""
        sample = self.cells()
        mean = sample.masses @ sample.probabilities / sample.total
        return np.array([1 - mean, mean]) if mean.ndim == 0 else mean

    @classmethod
    def from_scores(cls, table: ScoreTable) -> SoftTable:
        """Take the scores of a table for true probabilities, and leave its labels aside."""
        known = table.entries and table.entries.labelled(len(table.classes))
        return cls(
            table.scores,
            table.items if table.unlabelled is None else table.items + table.unlabelled,
            lows=table.lows,
            highs=table.highs,
            dropped=table.dropped,
            classes=table.classes,
            entries=known and known.without_labels(),
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ScoreTable(MergedRows):
    """Distinct scores with the number of labels of each class at each of them.

    Where there are too many distinct scores, a row may stand for all scores of a range instead;
    such a table is `coarse`, and estimates from it say how far that can have moved them.

    Parameters
    ----------
    scores : array-like of shape (rows,), or (rows, classes)
        Finite, distinct and ascending. Rows of several scores ascend by the first, then the next.
    counts : array-like of shape (rows, classes)
        Number of items with each label at each score.
    unlabelled : array-like of shape (rows,), optional
        Number of items without a label at each score.
    entries : Entries, optional
        How many items of each row, label, weight and cluster there are, where that matters.
    lows : array-like of shape (rows,), optional
        The least value that each row stands for, where a row stands for several.
    highs : array-like of shape (rows,), optional
        The largest value that each row stands for, likewise.
    dropped : int
        Items that were left out because something was missing.
    classes : sequence of str
        Names of the classes.
    gold : GoldVotes, optional
        The votes whose shares are the scores, next to the labels. Neither saved nor compared.

    Examples
    --------
    >>> a = ScoreTable.from_arrays([0.2, 0.9, 0.2], [0, 1, 1])
    >>> a.scores, a.negatives, a.positives
    (array([0.2, 0.9]), array([1, 0]), array([1, 1]))
    >>> a + a
    ScoreTable(n=6, rows=2)
    """

    scores: Floats
    counts: Counts
    unlabelled: Counts | None = None
    lows: Floats | None = None
    highs: Floats | None = None
    dropped: int = 0
    classes: tuple[str, ...] = TWO_CLASSES
    entries: Entries | None = None
    gold: GoldVotes | None = None

    kind: ClassVar[str] = "scores"
    columns_of_0_1: ClassVar[frozenset[str]] = frozenset({"scores", "negatives", "positives"})
    place: ClassVar[str] = "scores"

    def __post_init__(self) -> None:
        object.__setattr__(self, "counts", by_class(self.counts, "counts"))
        check_total(self.counts)
        self._set_places()
        without = self.items == 0
        if self.unlabelled is not None:
            unlabelled = column(self.unlabelled, "unlabelled")
            check_total(unlabelled)
            self._freeze(counts=self.counts, unlabelled=unlabelled)
            without &= unlabelled == 0
        refuse(
            without,
            self.scores,
            "The counts of a score must not all be 0",
            "Leave out scores that no item has.",
        )
        self._name_classes(self.counts.shape[1])
        self._check_entries()

    @classmethod
    def empty(cls, classes: tuple[str, ...] = TWO_CLASSES) -> Self:
        """Return the table of no items, which changes nothing when added."""
        shape = (0, len(classes))
        places = np.zeros(0 if len(classes) == 2 else shape)
        return cls(places, np.zeros(shape, dtype=np.int64), classes=classes)

    @classmethod
    def from_arrays(
        cls,
        scores: object,
        labels: object,
        *,
        classes: Sequence[object] | None = None,
        weight: object = None,
        cluster: object = None,
    ) -> Self:
        """Count the items at each distinct score.

        Parameters
        ----------
        scores : array-like of shape (n,), or (n, classes)
            Any finite numbers: of class 1, or of each class (probabilities, shares or logits).
        labels : array-like of shape (n,)
            0 or 1, or False or True; of more classes their places from 0 on, or their names.
        classes : sequence of str, optional
            Names of the classes, in the order of the columns.
        weight : array-like of shape (n,), optional
            What each item weighs, a positive number.
        cluster : array-like of shape (n,), optional
            What cluster each item belongs to.
        """
        check_aligned(scores=scores, labels=labels, weight=weight, cluster=cluster)
        scores, classes = without_frame(scores, labels, classes, weight=weight, cluster=cluster)
        s, y, names = as_class_scores(scores, labels, classes)
        table = cls(**score_columns(s, y, names))
        if weight is None and cluster is None:
            return table
        row = rows_among(table.places, s)
        return replace(table, entries=of_items(row, y, "scores", weight=weight, cluster=cluster))

    @classmethod
    def from_counts(
        cls, scores: object, negatives: object, positives: object, *, dropped: int = 0
    ) -> ScoreTable:
        """Return the table of two classes with so many labels 0 and 1 at each distinct score."""
        counts = _of_both_labels(negatives, positives)
        return cls(scores, counts, dropped=dropped)  # type: ignore[arg-type]

    @classmethod
    def from_cells(cls, cells: Sample, count: Counts) -> ScoreTable:
        """Return the table that has `count` items in the cells."""
        if cells.classes > 2:
            by_row = np.zeros(cells.scores.shape, dtype=np.int64)
            by_row[cells.row, cells.label] = count
            some = by_row.any(axis=1)
            return cls(cells.scores[some], by_row[some])
        counts = np.zeros((2, cells.scores.size), dtype=np.int64)
        counts[cells.positive.astype(np.intp), cells.row] = count
        kept = counts.any(axis=0)
        return cls(cells.scores[kept], side_by_side(*counts[:, kept]))

    @classmethod
    def _renewed(cls, arrays: dict[str, Any]) -> dict[str, Any]:
        counts = _of_both_labels(arrays.pop("negatives"), arrays.pop("positives"))
        return {**arrays, "counts": counts}

    @property
    def negatives(self) -> Counts:
        """Number of items with label 0 at each score."""
        return self._of_two(0)

    @property
    def positives(self) -> Counts:
        """Number of items with label 1 at each score."""
        return self._of_two(1)

    @property
    def n_unlabelled(self) -> int:
        """Number of items without a label."""
        return 0 if self.unlabelled is None else int(self.unlabelled.sum())

    @property
    def labelled(self) -> ScoreTable:
        """The table of the items that have a label; itself where all have one."""
        if self.unlabelled is None:
            return self
        kept = np.asarray(self.items > 0)
        entries = self.entries and self.entries.labelled(len(self.classes))
        places: dict[str, Any] = {
            name: array[kept] for name, array in self.columns.items() if name != "unlabelled"
        }
        return replace(
            self, **places, unlabelled=None, entries=entries and entries.moved(np.cumsum(kept) - 1)
        )

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
        least = inside[self.coarse].min()
        return float(max(between.min() - least, 0) / self.masses.sum())

    def _errors(self) -> tuple[Counts, Counts]:
        """Return the fewest errors that a cut in each row can have, and those of cuts between."""
        # Left of a row, all positives so far and all negatives from there on are wrong. At best,
        # a cut inside the row puts its negatives right and no positive wrong.
        negatives, positives = self.masses.T
        step = np.cumsum(positives - negatives)
        between = np.concatenate(([0], step)) + negatives.sum()
        return between[:-1] - negatives, between

    @property
    def masses(self) -> Any:
        """What the items of each label at each score weigh; their number without weights."""
        if self.entries is None:
            return self.counts
        return self.entries.labelled(len(self.classes)).sums(*self.counts.shape)

    @property
    def shares(self) -> Floats:
        """How common each class is among the labels."""
        masses = self.masses.sum(axis=0)
        return np.asarray(masses / masses.sum())

    def cells(self, *, complete: bool = False) -> Sample:
        """Lay the table out as one entry for each (score, label) that occurs.

        Parameters
        ----------
        complete : bool
            Have all labels of every score, occurring or not, for what changes labels.

        """
        if self.entries is not None and not complete:
            known = self.entries.labelled(len(self.classes))
            found = Sample.of_entries(self.scores, known, labelled=True)
            return replace(found, unlabelled=self.unlabelled, unseen=self.cut_resolution)
        if len(self.classes) > 2:
            chosen = np.ones(self.counts.shape, dtype=np.bool_) if complete else self.counts
            row, label = np.nonzero(chosen)
            count = self.counts[row, label].astype(np.int64)  # large tables have a smaller type
            return Sample(self.scores, row, label, count, unlabelled=self.unlabelled)
        count = np.column_stack((self.positives, self.negatives)).ravel()
        kept = np.arange(count.size) if complete else np.flatnonzero(count)
        pair = kept >> 1, 1 - (kept & 1), count[kept]
        unseen = 0.0 if complete else self.cut_resolution
        return Sample(self.scores, *pair, unlabelled=self.unlabelled, unseen=unseen)

    def _of_two(self, label: int) -> Counts:
        if len(self.classes) != 2:
            raise ValueError(
                f"A table of {len(self.classes)} classes has no negatives and positives. "
                "Use `counts`, which has a column for each class."
            )
        return self.counts[:, label]


def _of_both_labels(negatives: object, positives: object) -> Counts:
    pair = column(negatives, "negatives"), column(positives, "positives")
    check_same_length(*pair, ("negatives", "positives"))
    return side_by_side(*pair)


# Ratings: numbers that several people gave to each item.


@dataclass(frozen=True, slots=True, eq=False)
class RatedItems:
    """What is known of items besides their ratings. Sums of tables and files do not keep it."""

    row: Counts  # of each item in the table, in the order in which items first appear
    columns_differ: str | None = None  # by how much, where columns do so by more than chance


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RatingTable(Table):
    """Items by their ratings, with the number of items that have the same.

    Where raters are known, it keeps who gave which rating, and items are equal only if the same
    people rated them in the same way.

    Parameters
    ----------
    values : array of shape (ratings,)
        Ratings, row after row: those of a row ascend, or are in the order of their raters.
    sizes : array of shape (rows,)
        Number of ratings in each row.
    counts : array of shape (rows,)
        Number of items with such ratings.
    dropped : int
        Items that were left out because something was missing.
    weights : array of shape (rows,), optional
        What each item weighs.
    clusters : array of shape (rows,), optional
        Names of the clusters that items belong to.
    raters : array of shape (ratings,), optional
        Whose rating it is: places in `names`.
    names : array of str, optional
        Names of the raters.
    predictions : array of shape (rows,), optional
        A model's prediction for the item.
    items : RatedItems, optional
        What is known of the items that were counted.

    Examples
    --------
    >>> table = RatingTable.from_arrays([[5, 6], [3, 3], [6, 5]])
    >>> table, table.sizes, table.counts
    (RatingTable(n=3, rows=2), array([2, 2]), array([1, 2]))
    """

    values: Floats
    sizes: Counts
    counts: Counts
    dropped: int = 0
    classes: tuple[str, ...] = TWO_CLASSES  # ratings have none
    weights: Floats | None = None
    clusters: NDArray[Any] | None = None
    raters: Counts | None = None
    names: NDArray[Any] | None = None
    predictions: Floats | None = None
    items: RatedItems | None = None
    entries: Entries | None = None

    kind: ClassVar[str] = "ratings"

    def __post_init__(self) -> None:
        sizes = column(self.sizes, "sizes", least=1)
        values = np.array(self.values, dtype=np.float64)
        check_ratings(values, "values")
        rows = {"weights": self.weights, "clusters": self.clusters}
        rows |= {"predictions": self.predictions}
        self._freeze(sizes=sizes, counts=column(self.counts, "counts", least=1), **rows)
        for one, where in ((values, "values"), (self.raters, "raters")):
            if one is not None and len(one) != sizes.sum():
                raise ValueError(f"The {where} must be as many as the sizes add up to.")
        for name, array in (("values", values), ("raters", self.raters), ("names", self.names)):
            if array is not None:
                array.setflags(write=False)
            object.__setattr__(self, name, array)

    @classmethod
    def from_arrays(cls, ratings: object, *, prediction: Any = None, **options: Any) -> Self:
        """Count items with a row of ratings each, NaN where there is none.

        `prediction` is that of a model for each item, and `options` are what `from_ratings` takes:
        `item` and `rater` where a rating is an entry of its own, `rater=True` where each column is
        a rater, `weight`, `cluster` and `drop_missing`.
        """
        from errorfloor.data.layouts import OF_RATINGS
        from errorfloor.data.options import ReadOptions
        from errorfloor.data.ratings import read_arrays
        from errorfloor.data.read import ReadCall

        own = () if prediction is None else (prediction,)
        call = ReadCall(OF_RATINGS, replace(ReadOptions.of(**options), predictions=own))
        return cast("Self", read_arrays(ratings, call).table)

    @property
    def ratings(self) -> int:
        """Number of ratings."""
        return int(self.counts @ self.sizes)

    @classmethod
    def empty(cls, classes: tuple[str, ...] = TWO_CLASSES) -> Self:
        """Return the table of no items, which changes nothing when added."""
        none = np.zeros(0, dtype=np.int64)
        return cls(np.zeros(0), none, none)

    @property
    def one_by_one(self) -> RatingTable:
        """The same with a row for each item."""
        if (self.counts == 1).all():
            return self
        row = np.repeat(np.arange(len(self)), self.counts)
        return replace(self._at(row), counts=np.ones(row.size, dtype=np.int64))

    def _at(self, row: Counts) -> RatingTable:
        """Return some rows in this order."""
        first = np.cumsum(self.sizes) - self.sizes
        sizes = self.sizes[row]
        within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        place = np.repeat(first[row], sizes) + within
        kept: dict[str, Any] = {
            name: None if (one := getattr(self, name)) is None else one[row]
            for name in ("weights", "clusters", "predictions")
        }
        raters = None if self.raters is None else self.raters[place]
        kept |= {"values": self.values[place], "sizes": sizes, "counts": self.counts[row]}
        return replace(self, **kept, raters=raters, items=None)

    @property
    def row_of_item(self) -> Counts:
        """The row of each item, in the order in which items first appeared where that is known."""
        return (
            np.repeat(np.arange(len(self)), self.counts) if self.items is None else self.items.row
        )

    def with_predictions(self, predictions: Floats) -> RatingTable:
        """Return the table with a prediction for each item, in the order of the items."""
        row = self.row_of_item
        items = replace(self._at(row), counts=np.ones(row.size, dtype=np.int64))
        return replace(items, predictions=np.asarray(predictions, dtype=np.float64)).merged[0]

    @property
    def merged(self) -> tuple[RatingTable, Counts]:
        """The same in order with equal rows as one, and the place of each row among them."""
        found: list[RatingTable] = []
        place = np.empty(len(self), dtype=np.int64)
        start = 0
        for size in np.unique(self.sizes):
            some = np.flatnonzero(self.sizes == size)
            part = self._at(some)
            first, row = _first_of_each(part._keys(int(size)))
            counts = np.bincount(row, part.counts, minlength=first.size).astype(np.int64)
            found.append(replace(part._at(first), counts=counts))
            place[some] = start + row
            start += first.size
        return (_stacked(found) if found else self), place

    def _keys(self, size: int) -> list[NDArray[Any]]:
        """Return what tells rows of one size apart, the most important last."""
        keys: list[NDArray[Any]] = []
        if self.clusters is not None:
            keys.append(np.unique(self.clusters, return_inverse=True)[1])
        keys += [one for one in (self.weights, self.predictions) if one is not None]
        parts = [one for one in (self.raters, self.values) if one is not None]
        for part in parts:
            keys += list(part.reshape(-1, size).T[::-1])
        return keys

    def _plus(self, other: Self) -> Self:
        for name, what in (("names", "raters"), ("weights", "weights"), ("clusters", "clusters")):
            known = getattr(self, name) is not None, getattr(other, name) is not None
            if known[0] != known[1] and len(self) and len(other):
                raise InputError(
                    f"One of the tables knows its {what}, and the other does not. Count both with "
                    f"their {what}, or both without."
                )
        if not len(self) or not len(other):
            rest = other if not len(self) else self
            return rest.without(self.dropped + other.dropped)
        both: list[RatingTable] = [self, other]
        if self.names is not None and other.names is not None:
            names: NDArray[Any] = np.unique(np.concatenate((self.names, other.names)))
            both = [one._with_names(names) for one in both]
        total = _stacked(both).merged[0]
        return cast("Self", replace(total, dropped=self.dropped + other.dropped))

    def _with_names(self, names: NDArray[Any]) -> RatingTable:
        assert self.raters is not None
        assert self.names is not None
        return replace(self, raters=np.searchsorted(names, self.names)[self.raters], names=names)


def _stacked(tables: Sequence[RatingTable]) -> RatingTable:
    def together(name: str) -> Any:
        parts = [getattr(one, name) for one in tables]
        return None if any(part is None for part in parts) else np.concatenate(parts)

    columns = ("values", "sizes", "counts", "weights", "clusters", "raters", "predictions")
    return replace(tables[0], **{name: together(name) for name in columns}, items=None)


def _first_of_each(keys: list[NDArray[Any]]) -> tuple[Counts, Counts]:
    """Return where each distinct row is first, in order, and the place of each row among them."""
    order = np.lexsort(keys)
    new = are_new(key[order] for key in keys)
    place = np.empty(order.size, dtype=np.int64)
    place[order] = np.cumsum(new) - 1
    return order[new], place


def check_ratings(values: Floats, name: str) -> None:
    """Refuse ratings that are no finite numbers, or too large."""
    refuse(
        ~(np.abs(values) < FARTHEST),
        values,
        (argument(name), f" must be finite numbers below {FARTHEST:.0e}"),
        "Correct or leave out such ratings.",
    )


KINDS: tuple[type[Table], ...] = (ScoreTable, VoteTable, SoftTable, RatingTable)
