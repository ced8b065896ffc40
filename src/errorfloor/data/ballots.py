"""Single votes with their annotators: one by one, and side by side in arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from errorfloor._checks import InputError, Part, argument, one_label, shown
from errorfloor._typing import Bools, Counts
from errorfloor.data.annotators import GROUPS, bucket_of, falls_of, part_of
from errorfloor.data.entries import of_votes
from errorfloor.data.matrices import counted_votes, votes_by_class
from errorfloor.data.naming import (
    TWO_CLASSES,
    classes_of_values,
    distinct_values,
    divided,
    is_same,
    listed,
    naming_of,
    sides_of_ratings,
    which_is_1,
)
from errorfloor.data.tables import VoteTable
from errorfloor.data.values import as_texts, is_missing, missing_in, spelt, text_of

if TYPE_CHECKING:
    from errorfloor.data.options import ReadOptions

MOST_VOTES = 2**26  # that fit into memory
MOST_OWN = 20  # classes that only one annotator knows, or fewer, are no sign of ids
_MOST_ENTRIES = 2**25  # beyond, it is not kept whose votes they are


@dataclass(frozen=True, slots=True, eq=False)
class Ballots:
    """One entry per vote, in an order that depends on nothing but items and annotators.

    Attributes
    ----------
    item, annotator : array of shape (votes,)
        Numbers of the items, and of the annotators in `names`.
    vote : array of shape (votes,)
        0 or 1; of more classes their places in `classes`.
    names : tuple of str
        The annotators' ids as text.
    half : array of shape (items,)
        A half of the items, drawn by a hash that votes have no influence on.
    classes : tuple of str
        Names of the classes.
    """

    item: Counts
    annotator: Counts
    vote: Counts
    names: tuple[str, ...]
    half: Bools
    classes: tuple[str, ...] = TWO_CLASSES

    @classmethod
    def of(cls, item: Any, annotator: Any, vote: Any) -> Ballots:
        """Return the votes of columns with one entry per vote."""
        check_fits(len(vote))
        items, at = np.unique(as_texts(item), return_inverse=True)
        names, by = np.unique(as_texts(annotator), return_inverse=True)
        order = np.lexsort((by, at))
        votes = np.asarray(vote, dtype=np.float64).astype(np.int64)
        half = np.array([bucket_of(one) % 2 == 1 for one in items.tolist()], dtype=np.bool_)
        return cls(at[order], by[order], votes[order], tuple(names.tolist()), half)

    @classmethod
    def side_by_side(cls, pattern: Counts, names: Sequence[str]) -> Ballots:
        """Return the votes of one row per item and one column per annotator, -1 for none."""
        check_fits(pattern.size)
        pattern = pattern[np.lexsort(pattern.T[::-1])]  # engines have rows in any order
        item, annotator = np.nonzero(pattern >= 0)
        half = np.random.default_rng(0).random(len(pattern)) < 0.5
        texts = tuple(text_of(name) for name in names)
        return cls(item, annotator, pattern[item, annotator], texts, half)

    def with_classes(self, classes: tuple[str, ...]) -> Ballots:
        """Return the same votes with names of the classes that they are for."""
        return replace(self, classes=classes)

    @property
    def totals(self) -> Counts:
        """Number of votes on each item."""
        return np.bincount(self.item, minlength=self.half.size)

    @property
    def positives(self) -> Counts:
        """Number of votes for class 1 on each item."""
        return self.counts[:, 1]

    @property
    def counts(self) -> Counts:
        """Number of votes for each class on each item."""
        number = len(self.classes)
        key = self.item * number + self.vote
        return np.bincount(key, minlength=number * self.half.size).reshape(-1, number)

    def where(self, chosen: Bools) -> Ballots:
        """Return some of the votes; items and annotators keep their numbers."""
        item, annotator, vote = self.item[chosen], self.annotator[chosen], self.vote[chosen]
        return Ballots(item, annotator, vote, self.names, self.half, self.classes)

    def table(self) -> VoteTable:
        """Return how many items have how many votes, with what tables keep of annotators."""
        bucket = np.array([bucket_of(name) for name in self.names], dtype=np.int64)[self.annotator]
        number, counts = len(self.classes), self.counts
        key, at = np.unique(self.item * GROUPS + part_of(bucket), return_inverse=True)
        own = np.bincount(at * number + self.vote, minlength=key.size * number)
        ones = np.ones(key.size, np.int64)
        falls = falls_of(key % GROUPS, counts[key // GROUPS], own.reshape(-1, number), ones)
        work = np.column_stack((bucket, np.ones(bucket.size, np.int64)))
        made = counted_votes(counts[self.totals > 0], None, self.classes)
        return VoteTable(**made, by_group=falls, workloads=work)


def check_fits(votes: int) -> None:
    """Refuse more votes than can be looked at one by one."""
    if votes > MOST_VOTES:
        raise InputError(
            f"There are more than {MOST_VOTES:,} votes, which is too many to look at one by one. "
            "Take a sample of the items, with all of their votes."
        )


# Arrays with one column of votes per annotator, read as such columns of a dataframe are.


@dataclass(frozen=True, slots=True)
class Raters:
    """Votes of annotators on items, side by side.

    Attributes
    ----------
    pattern : array of shape (items, annotators)
        The place of each vote among the classes; -1 where there is none.
    classes : tuple of str
        Names of the classes.
    kept : array of shape (n,)
        Which of the items that were given have votes, and a label where there are labels.
    labels : array of shape (items,), optional
        The place of each label among the classes.
    positive : optional
        The vote that was taken for class 1, where one was.
    sides : dict, optional
        The votes that are class 1 and those that are class 0, unless these are 0 and 1.
    """

    pattern: Counts
    classes: tuple[str, ...]
    kept: Bools
    labels: Counts | None = None
    positive: object = None
    sides: Mapping[str, list[str]] | None = None

    @classmethod
    def of(cls, votes: object, options: ReadOptions, labels: object = None) -> Self:
        """Read votes of any values, and labels of the same values next to them."""
        array, gone = _as_entries(votes, "annotators", 2)
        gone = gone | _mean_none(array, gone, options.missing)
        if options.classes is None and options.positive is None and options.positive_from is None:
            pairs = zip(array.T, gone.T, strict=True)
            columns = [column[~hidden].tolist() for column, hidden in pairs]
            check_shared(columns, options.headings or range(array.shape[1]), _ROWS_OF_VOTES)
        if labels is not None:
            own, own_gone = _as_entries(labels, "labels", 1)
            if own.size != len(array):
                raise InputError(
                    *(argument("annotators"), " and ", argument("labels")),
                    f" must have the same length, got {len(array)} and {own.size}.",
                )
            array = np.column_stack((array.astype(object), own.astype(object)))
            gone = np.column_stack((gone, own_gone))
        values, code = _distinct(array, gone)
        place, classes, positive, sides = _places(values, options)
        found = np.append(place, -1)[code]
        pattern, label = (found, None) if labels is None else (found[:, :-1], found[:, -1])
        kept: Bools = np.asarray((pattern >= 0).any(axis=1))
        _check_kept(kept, "annotators", options)
        if label is not None:
            _check_kept(label >= 0, "labels", options)
            kept &= label >= 0
            label = label[kept]
        return cls(pattern[kept], classes, kept, label, positive, sides)

    @property
    def dropped(self) -> int:
        """Number of items that were left out."""
        return int(np.count_nonzero(~self.kept))

    @property
    def counts(self) -> Counts:
        """Number of votes for each class on each item."""
        return votes_by_class(self.pattern, len(self.classes))

    @property
    def ballots(self) -> Ballots:
        """The single votes; the annotators' names are the places of their columns."""
        names = [str(i) for i in range(self.pattern.shape[1])]
        found = Ballots.side_by_side(self.pattern, names)
        return found.with_classes(self.classes) if len(self.classes) > 2 else found

    def sampling(self, options: ReadOptions) -> dict[str, Any]:
        """Return weights and clusters of the items that are kept."""
        return {
            name: one if self.kept.all() else _kept_of(one, self.kept, name)
            for name, one in options.sampling.items()
        }

    def table(self, options: ReadOptions) -> VoteTable:
        """Return how many items have which votes, with what tables keep of annotators."""
        if self.pattern.size <= _MOST_ENTRIES:
            made = self.ballots.table()
        else:
            many = self.classes if len(self.classes) > 2 else None
            made = VoteTable(**counted_votes(self.counts, None, many))
        sampling = self.sampling(options)
        if sampling:
            both = (sampling.get("weight"), sampling.get("cluster"))
            made = replace(made, entries=of_votes(self.counts, *both))
        return replace(made, dropped=self.dropped)


def _kept_of(values: object, kept: Bools, name: str) -> Any:
    array = np.asanyarray(values)  # with its mask, if it has one
    if array.shape != kept.shape:
        text = f" must have one entry per item, {kept.size} of them, got shape {array.shape}."
        raise InputError(argument(name), text)
    return array[kept].tolist() if array.dtype.kind == "O" else array[kept]


def _check_kept(kept: Bools, name: str, options: ReadOptions) -> None:
    """Refuse items without any vote, or without a label, unless they are to be left out."""
    if not kept.any():
        raise InputError(argument(name), f" has no entries in any of its {kept.size:,} rows.")
    if not kept.all() and not options.drop_missing:
        what = "vote" if name == "annotators" else "label"
        raise InputError(
            argument(name),
            f" has no {what} for {np.count_nonzero(~kept):,} of {kept.size:,} items, such as row "
            f"{int(np.argmin(kept))}. Fill them in, or pass ",
            *(argument("drop_missing", True), " to leave these items out."),
        )


def _as_entries(values: object, name: str, ndim: int) -> tuple[NDArray[Any], Bools]:
    """Return entries of any values, and which of them are missing."""
    hidden = np.ma.getmaskarray(values) if np.ma.isMaskedArray(values) else False
    try:
        # Of lists as objects, because NumPy would spell NaN among words as a word.
        array = np.asarray(values) if hasattr(values, "dtype") else np.array(values, dtype=object)
    except ValueError:
        array = np.empty(0)
    if array.ndim != ndim or array.size == 0:
        shape = "a row for each item and a column for each annotator" if ndim == 2 else "one label"
        more = "" if ndim == 2 else " per item"
        several = one_label(array, ndim, f"from_votes({name}={name}{{}})")
        text = f" must have {shape}{more}, got shape {array.shape}.{several}"
        raise InputError(argument(name), text)
    gone = missing_in(array.ravel()).reshape(array.shape)
    if array.dtype.kind in "UT":
        gone |= array == "nan"  # which is how NumPy spells NaN among words
    return array, np.asarray(gone | hidden)


def _mean_none(array: NDArray[Any], gone: Bools, missing: tuple[str, ...] | None) -> Bools:
    """Tell which entries are one of the answers that mean none."""
    found = np.zeros(array.shape, dtype=np.bool_)
    if missing is not None:
        found[~gone] = [text_of(one) in missing for one in array[~gone].tolist()]
    return found


_ROWS_OF_VOTES: tuple[Part, ...] = (
    *("pass the dataframe as ", argument("votes"), " and name its columns with "),
    *(argument("item"), ", ", argument("annotator"), " and ", argument("vote")),
)


def check_shared(
    columns: Sequence[Sequence[Any]], names: Sequence[object], in_rows: tuple[Part, ...]
) -> None:
    """Refuse a column of many values that no other one has, as ids are and as no votes are.

    `in_rows` is what to do where a row is a single vote.
    """
    try:
        own = [{*column} for column in columns]
    except TypeError:  # of lists, which are refused as votes
        return
    for k, (name, column) in enumerate(zip(names, columns, strict=True)):
        if len(own[k]) <= MOST_OWN or len(own) < 2:
            continue
        alone = own[k].difference(*own[:k], *own[k + 1 :])
        if 2 * sum(one in alone for one in column) > len(column):
            few = ", ".join(text_of(one) for one in [*dict.fromkeys(column)][:3])
            raise InputError(
                argument("annotators"),
                f" has the column {name!r} of values that no other column has ({few}, ...): "
                "these are ids, not somebody's votes. Leave it out; or, where a row is a single "
                "vote, ",
                *(*in_rows, "."),
            )


def _distinct(array: NDArray[Any], gone: Bools) -> tuple[list[str], Counts]:
    """Return the values that occur as text, in order, and which of them each entry is."""
    plain, at = distinct_values(array[~gone])
    bad = next((one for one in plain if isinstance(one, list | dict | np.ndarray)), None)
    if bad is not None:
        text = f" must have one vote in each entry, and has {shown(bad)}."
        raise InputError(argument("annotators"), text)
    texts = [text_of(one) for one in plain]
    values = sorted(set(texts))
    code = np.full(array.shape, -1)  # the last place, which stands for none
    code[~gone] = np.array([values.index(text) for text in texts], dtype=np.int64)[at]
    return values, code


def _places(
    values: Sequence[str], options: ReadOptions
) -> tuple[Counts, tuple[str, ...], Any, Mapping[str, list[str]] | None]:
    """Return the class of each value, the names, the positive value, and which are class 1."""
    shown_as: tuple[Part, ...] = (argument("annotators"),)
    if options.positive_from is not None:
        return _ratings(values, options.positive_from, shown_as)
    if options.positive is not None:
        return _against_rest(values, options.positive)
    if options.classes is not None:
        naming = naming_of(values, len(options.classes), options.classes, shown_as)
        place = np.array([naming.place[value] for value in values], dtype=np.int64)
        return place, naming.names, None, None
    found = classes_of_values(values, shown_as)
    if found is None:
        raise which_is_1(values, shown_as, {})
    if found.positive is not None:
        return _against_rest(values, found.positive)
    if found.naming is not None:
        place = np.array([found.naming.place[value] for value in values], dtype=np.int64)
        return place, found.naming.names, None, None
    numbers = [spelt(value) for value in values]
    bad = [value for value, number in zip(values, numbers, strict=True) if number is None]
    if bad:
        text = f" has both numbers and words, such as {shown(bad[0])}. Name all classes with "
        raise InputError(*shown_as, text, argument("classes"), ".")
    return np.array(numbers, dtype=np.int64), TWO_CLASSES, None, None


def _ratings(
    values: Sequence[str], least: float, shown_as: tuple[Part, ...]
) -> tuple[Counts, tuple[str, ...], Any, Mapping[str, list[str]]]:
    numbers = [spelt(value) for value in values]
    for value, number in zip(values, numbers, strict=True):
        if number is None:
            text = f" must be finite numbers where ratings are meant, and has {shown(value)}. "
            remedy = ("Name the class of words with ", argument("positive"), ".")
            raise InputError(*shown_as, text, *remedy)
    high = np.array([number is not None and number >= least for number in numbers], dtype=np.int64)
    return high, TWO_CLASSES, None, sides_of_ratings(least)


def _against_rest(
    values: Sequence[str], positive: Any
) -> tuple[Counts, tuple[str, ...], Any, Mapping[str, list[str]]]:
    if is_missing(positive) or not any(is_same(value, positive) for value in values):
        text = f" is {shown(positive)}, but "
        only = f" has only: {listed(values)}."
        raise InputError(argument("positive"), text, argument("annotators"), only)
    place = np.array([is_same(value, positive) for value in values], dtype=np.int64)
    return place, TWO_CLASSES, positive, divided(values, positive)
