"""What tables of all kinds share: classes, sums, comparison, and files."""

from __future__ import annotations

import os
from dataclasses import fields, replace
from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import NDArray

from errorfloor._checks import (
    MOST_VOTES,
    InputError,
    argument,
    as_counts,
    as_labels,
    as_scores,
    check_same_length,
    check_whole,
    refuse,
    unmasked,
)
from errorfloor._typing import Bools, Counts, Floats
from errorfloor.data import entries as own
from errorfloor.data.storage import read_arrays, write_table

TWO_CLASSES = ("0", "1")
MOST_ITEMS = 2**62  # of a table, so that no sum of its counts is beyond 64 bits
ROUNDING = 1e-6  # by which probabilities may miss a sum of one
_HEADER = ("kind", "version")


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
    entries: own.Entries | None  # where items have weights or belong to clusters

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
        """Number of items."""
        raise NotImplementedError

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
        return cast("Self", replace(table, dropped=dropped))

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
        named = own.from_file(named)
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


def check_total(counts: Counts) -> None:
    """Refuse counts that are too many to add up."""
    if int(counts.max(initial=0)) * counts.size <= MOST_ITEMS:
        return
    if sum(counts.ravel().tolist()) > MOST_ITEMS:
        raise _too_many("The counts of a table")


def _too_many(what: str) -> InputError:
    return InputError(
        f"{what} must add up to at most {MOST_ITEMS:,} items (2**62), and these are more. Check "
        "the counts."
    )


def column(values: object, name: str, least: int = 0, most: int = MOST_ITEMS) -> Counts:
    """Return counts as int64 that nobody can change, or say which is none; no counts are fine."""
    array = unmasked(values, name)
    if array.size == 0:
        return np.zeros(0, dtype=np.int64)
    whole = array.ndim == 1 and array.dtype == np.int64
    if whole and is_ours(array) and array.min() >= least and array.max() <= most:
        return array
    return as_counts(array, name=name, least=least, most=most).copy()


def by_class(values: object, name: str, most: int = MOST_ITEMS) -> Counts:
    """Return counts of shape (rows, classes), each class in one piece of memory."""
    array = unmasked(values, name)
    if array.ndim != 2 or array.shape[1] < 2:
        text = f" must have a column for each of two classes or more, got shape {array.shape}."
        raise InputError(argument(name), text)
    if array.dtype in (np.int64, np.int32) and is_ours(array) and array.min(initial=0) >= 0:
        return array
    rows, classes = array.shape
    found = np.empty((classes, rows), dtype=np.int64)
    for k in range(classes):
        found[k] = column(array[:, k], f"{name} of class {k}", most=most)
    return found.T


def is_ours(array: NDArray[Any]) -> bool:
    """Tell whether each class is in one piece of memory that nobody can change."""
    return array.flags.f_contiguous and not array.flags.writeable


def check_votes(votes: Counts) -> None:
    """Refuse items without votes, and with too many to add up."""
    if votes.max(initial=0) <= MOST_VOTES // votes.shape[1] and added(votes).all():
        return
    totals = votes.sum(axis=1, dtype=np.float64)
    refuse(totals == 0, totals, "Items must have votes", "Leave out items without votes.")
    refuse(
        totals > MOST_VOTES,
        totals,
        f"The votes on an item must be at most {MOST_VOTES:,}",
        "Check the numbers of votes.",
    )


def added(rows: NDArray[Any]) -> NDArray[Any]:
    """Return the sum of each row, class by class, so that it does not depend on the layout."""
    total = rows[:, 0].copy()
    for column_of_class in rows.T[1:]:
        total += column_of_class
    return total


def check_sums(rows: Floats, name: str) -> None:
    """Refuse rows of probabilities that do not add up to one."""
    total = added(rows)
    refuse(
        ~(np.abs(total - 1) <= ROUNDING),
        total,
        (argument(name), " of an item must add up to 1"),
        "Divide them by their sum, or pass logits through a softmax.",
        entry="the sum of row",
    )


def side_by_side(*classes: Counts) -> Counts:
    """Return counts of classes as columns, each in one piece of memory, that nobody can change."""
    counts = np.array(classes).T
    counts.setflags(write=False)
    return counts


def as_labelled_scores(scores: object, labels: object) -> tuple[Floats, Bools]:
    """Return scores with one label each as arrays, or say what is wrong with them."""
    s = as_scores(scores, name="scores")
    y = as_labels(labels, name="labels")
    check_same_length(s, y, ("scores", "labels"))
    return s, y


def by_score(scores: NDArray[Any], labels: Bools) -> tuple[Floats, Counts]:
    """Return the distinct scores, ascending, and the numbers of labels 0 and 1 at each.

    Scores are floats of any size.
    """
    s, y = _sorted(scores, labels)
    start = starts_of(s)
    ends = np.append(start[1:], s.size) - 1
    positives = np.diff(np.cumsum(y, dtype=np.int64)[ends], prepend=0)
    pair = side_by_side(ends - start + 1 - positives, positives)
    return s[start].astype(np.float64, copy=False), pair


def _sorted(scores: NDArray[Any], labels: Bools) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return scores in ascending order with their labels; labels of equal scores in any order."""
    if scores.min() < 0:
        order = np.argsort(scores)
        return scores[order], labels[order]
    # The bits of floats ascend as the floats do. Without the sign, which no score has but -0.0,
    # there is room for the label, and a sort of whole numbers is the fastest there is.
    bits = np.dtype(f"u{scores.itemsize}").type
    key = scores.view(bits) << bits(1)
    key |= labels
    key.sort()
    return (key >> bits(1)).view(scores.dtype), key & bits(1)


def order_of(keys: NDArray[Any]) -> NDArray[np.intp]:
    """Return the order of rows by their key, a number or several; equal ones stay as they are.

    Of several numbers the next one is looked at where rows are still tied, which are few where
    numbers have many digits.
    """
    if keys.ndim == 1:
        return np.argsort(keys, kind="stable")
    order = np.argsort(keys[:, 0], kind="stable")
    at, run = _tied(keys[order, 0], np.arange(len(keys)), np.zeros(len(keys), dtype=np.intp))
    for k in range(1, keys.shape[1]):
        some = order[at]
        own = np.lexsort((keys[some, k], run))
        order[at] = some[own]
        at, run = _tied(keys[order[at], k], at, run)
    return order


def _tied(
    key: NDArray[Any], at: NDArray[np.intp], run: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return which of some sorted places are tied with the next or the last, and with which."""
    new = np.ones(len(key), dtype=np.bool_)
    new[1:] = (key[1:] != key[:-1]) | (run[1:] != run[:-1])
    alone = new & np.append(new[1:], True)
    return at[~alone], np.cumsum(new)[~alone]


def rows_of(keys: NDArray[Any]) -> NDArray[np.intp]:
    """Return the place of each key among the distinct ones in order."""
    order, row = in_order(keys)
    found = np.empty(len(keys), dtype=np.intp)
    found[order] = row
    return found


def in_order(keys: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return an order in which keys ascend, and the place of each, in it, among distinct ones."""
    order = np.argsort(keys) if keys.ndim == 1 else order_of(keys)
    new = np.zeros(len(keys), dtype=np.intp)
    new[starts_of(keys[order])[1:]] = 1
    return order, np.cumsum(new)


def starts_of(keys: NDArray[Any]) -> NDArray[np.intp]:
    """Return where each distinct key begins among sorted keys."""
    changes = keys[1:] != keys[:-1]
    new = changes if keys.ndim == 1 else changes.any(axis=1)
    return np.flatnonzero(np.concatenate((np.ones(min(len(keys), 1), dtype=np.bool_), new)))


def is_ascending(keys: NDArray[Any]) -> bool:
    """Tell whether keys are distinct and in order."""
    if keys.ndim == 1:
        return not (keys[1:] <= keys[:-1]).any()
    tied = np.ones(max(len(keys) - 1, 0), dtype=np.bool_)
    for key in keys.T:
        if (tied & (key[1:] < key[:-1])).any():
            return False
        tied &= key[1:] == key[:-1]
    return not tied.any()


def pool(counts: NDArray[Any], order: Any, start: NDArray[np.intp]) -> NDArray[Any]:
    """Add up the counts of rows that belong together, for each class."""
    if start.size == 0:
        return counts
    summed = np.add.reduceat(counts.T[..., order], start, axis=-1)
    return np.asarray(summed.T)


def vote_key(votes: Counts) -> Counts:
    """Return what the rows of a vote table ascend by."""
    return np.column_stack((votes.sum(axis=1), votes[:, 1:]))


def two_columns(positives: object, totals: object) -> Counts:
    """Return the votes for both classes from those for class 1 and all of them."""
    k = column(positives, "positives", most=MOST_VOTES)
    m = column(totals, "totals", least=1, most=MOST_VOTES)
    check_same_length(k, m, ("positives", "totals"))
    check_positives(k, m)
    return side_by_side(m - k, k)


def check_positives(positives: Counts, totals: Counts) -> None:
    """Refuse more positive votes than votes."""
    refuse(
        positives > totals,
        positives,
        "`positives` must not exceed `totals`",
        "Check the order of the two arguments.",
    )
