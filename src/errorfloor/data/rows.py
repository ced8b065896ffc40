"""Rows of a dataframe, named, checked and counted into tables by the engine that has them.

What is wrong with them is counted in one pass.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial, reduce, wraps
from itertools import pairwise
from math import inf
from numbers import Real
from operator import add, and_, or_
from typing import Any, TypeAlias, TypeVar

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from errorfloor._checks import (
    PER_LABEL,
    InputError,
    Part,
    Words,
    argument,
    check_choice,
    command,
    shown,
    words,
)
from errorfloor._numbers import counted
from errorfloor._typing import Counts, Floats
from errorfloor.data import arrays, matrices
from errorfloor.data.annotators import (
    MOST_ANNOTATORS,
    MOST_FOR_A_CLASS,
    MOST_ROWS,
    bucket_of,
    falls_of,
    part_of,
    pooled,
)
from errorfloor.data.arrays import (
    class_shares,
    class_shares_table,
    count_checked,
    merged_if_many,
    none_labelled,
    votes_table,
    with_others,
)
from errorfloor.data.ballots import MOST_VOTES, Ballots
from errorfloor.data.columns import TEXT_FIRST
from errorfloor.data.engines import (
    Columns,
    Frame,
    holds_several,
    in_pairs,
    is_number,
    lazy,
    number_of_rows,
    select,
    where_missing,
    with_cell,
    with_each,
    with_missing,
    with_numbers,
    with_zero,
    without_marks,
)
from errorfloor.data.entries import (
    IN_RANGE,
    LEAST,
    MOST,
    ONLY_RATIOS,
    POSITIVE,
    REMEDY,
    Entries,
    cluster_numbers,
)
from errorfloor.data.matrices import (
    ROUNDING,
    as_shares,
    check_some_positive,
    counted_scores,
    counted_soft,
    counted_votes,
    ranks_of,
    side_by_side,
    vote_key,
    votes_by_class,
)
from errorfloor.data.naming import (
    TWO_CLASSES,
    Naming,
    as_spoken,
    listed,
    names_of_columns,
    whole_of,
)
from errorfloor.data.options import ReadOptions
from errorfloor.data.storage import memory_of_machine
from errorfloor.data.tables import MergedRows, ScoreTable, SoftTable, Table, VoteTable, with_vote
from errorfloor.data.values import MOST_ROUNDING, SHARE_ROUNDING, number_of, quoted

_FEW_COLUMNS = 100  # only for speed: that are looked at one by one
_SHOWN = 20  # only for speed: values that are fetched for a message
_NO_VOTES = "no votes"  # what rows without any vote are counted by
_OF_CLASSES = ("label", "vote", "annotators")
Run: TypeAlias = Callable[[Frame], Columns]
TableT = TypeVar("TableT", bound=Table)
Given: TypeAlias = dict[str, tuple[Part, ...]]  # what errors call the columns
MOST_DIFFERENT = 2**25  # different items that come back; a few gigabytes


@dataclass(frozen=True, slots=True, kw_only=True)
class RowRequest:
    """Rows, which of their columns to count, and how."""

    frame: Frame
    run: Run
    columns: Mapping[str, Any]  # by the names of arguments
    options: ReadOptions = field(default_factory=ReadOptions)
    naming: Naming | None = None  # which value is which, where there are more than two classes
    ordered: bool = False  # whether rows of DuckDB come in the order of their files
    divided: int = 0  # rows of two probabilities that add up to 1 but for rounding

    @property
    def predicted(self) -> dict[str, str]:
        """The columns of predictions, by the names that they are given."""
        return {f"prediction {i}": column for i, column in enumerate(self.options.predictions)}

    @property
    def has_many_classes(self) -> bool:
        """Whether there are more than two."""
        return self.naming is not None and len(self.naming.names) > 2

    def with_options(self, **options: Any) -> RowRequest:
        """Return the same with some options changed."""
        return replace(self, options=replace(self.options, **options))

    def with_column(self, name: str, column: Any, frame: Frame | None = None) -> RowRequest:
        """Return the same with another column, or several, for an argument; of another frame."""
        columns = {**self.columns, name: column}
        return replace(self, frame=self.frame if frame is None else frame, columns=columns)


class FewLabelsError(InputError):
    """Most items have a score and no label, and nobody says what to do with them."""


@dataclass(frozen=True, slots=True)
class CheckedRows:
    """Rows that have been checked: plain numbers, nothing missing."""

    frame: Frame
    run: Run
    n: int
    dropped: dict[Any, int]  # by group; of rows without one by None
    groups: tuple[str, ...]  # the name of the column of groups, or nothing
    unit: bool = False  # whether all scores are known to lie in [0, 1]
    labelled: bool = False  # whether there is a column of labels
    label_is_vote: bool = False  # whether these are one more vote on each item
    # By group, what tables keep of annotators, where these are known.
    voters: Mapping[Any, dict[str, Counts]] = field(default_factory=dict)
    classes: tuple[str, ...] = TWO_CLASSES
    base: int = 0  # of the numbers that stand for votes for many classes
    sampling: tuple[str, ...] = ()  # which of weight and cluster there are


class NotBinaryError(InputError):
    """Labels or votes that are neither 0 nor 1."""


@dataclass(frozen=True, slots=True)
class ColumnRule:
    """What entries of a column must be, and what to say of those that are not."""

    name: tuple[Part, ...]  # of the column and the argument, for people
    column: str  # of the entries as they were given
    bad: nw.Expr
    must: Words
    remedy: Words
    error: type[InputError] = InputError


def named(request: RowRequest, names: Mapping[str, str]) -> tuple[Frame, Given]:
    """Return the columns that were named, each as "given_...", and how errors call them.

    The name of an argument ends at a space: several columns may have the same.
    """
    kinds = request.frame.collect_schema()
    group = {} if request.options.group is None else {"group": request.options.group}
    given = {**names, **request.predicted, **request.options.sampling, **group}
    for name, column in given.items():
        role = name.split()[0]
        known = not isinstance(column, str) or column in [*kinds] or column not in map(str, kinds)
        hint = "" if known and isinstance(column, str) else TEXT_FIRST
        choices = map(str, kinds) if known else [one for one in kinds if isinstance(one, str)]
        check_choice(column, choices, name=role, hint=hint, what="the columns ")
        if holds_several(request.frame, request.run, column, kinds):
            raise InputError(
                argument(role),
                f" (column {column!r}) holds several values in a row, {kinds[column]}. "
                f"Name a column of single values.{PER_LABEL if role in _OF_CLASSES else ''}",
            )
    chosen = select(request.frame, {f"given_{name}": column for name, column in given.items()})
    if group:
        chosen = chosen.with_columns(group=nw.col("given_group"))
    return chosen, {
        name: (argument(name.split()[0]), f" (column {column!r})") for name, column in given.items()
    }


def groups_of(given: Given) -> tuple[str, ...]:
    """Return the name of the column of groups, or nothing."""
    return ("group",) if "group" in given else ()


def with_class(
    frame: Frame, name: str, shown_as: tuple[Part, ...], request: RowRequest
) -> tuple[Frame, ColumnRule]:
    """Add column `name`, 0 or 1, from how it was given, and the rule for it."""
    frame, (rule,) = with_classes(frame, {name: shown_as}, request)
    return frame, rule


def with_classes(
    frame: Frame, names: Mapping[str, tuple[Part, ...]], request: RowRequest
) -> tuple[Frame, list[ColumnRule]]:
    """Add columns of 0 or 1, from how they were given, and the rules for them.

    Of more than two classes, these are their places from 0 on.
    """
    given = {name: f"given_{name}" for name in names}
    if request.naming is not None:
        return _with_places(frame, names, request.naming)
    positive, least = request.options.positive, request.options.positive_from
    if positive is None:
        frame = with_numbers(frame, given)
    if least is not None:
        high = [_is_high(name, least) for name in names]
        return frame.with_columns(*high), [
            _rating(name, shown_as) for name, shown_as in names.items()
        ]
    if positive is not None:
        ones = [_as_positive(frame, given[name], positive, name) for name in names]
        frame = frame.with_columns(*ones)
    return frame, [_class(name, shown_as, request) for name, shown_as in names.items()]


def _as_positive(frame: Frame, given: str, positive: object, name: str) -> nw.Expr:
    # Some engines find a missing value unequal to `positive` instead of unknown.
    kind, word = frame.collect_schema()[given], str(positive).strip()
    if kind.is_numeric() or kind == nw.Boolean or len(word) < 2:  # of which capitals tell
        value = _is_positive(frame, given, positive).fill_null(False)
    else:
        text = nw.col(given).cast(nw.String).str.strip_chars().str.to_lowercase()
        value = (text == as_spoken(word)).fill_null(False)
    number = value.cast(nw.Int8).cast(nw.Float64)
    return nw.when(~where_missing(frame, given)).then(number).alias(name)


def _class(name: str, shown_as: tuple[Part, ...], request: RowRequest) -> ColumnRule:
    bad = nw.lit(False)
    if request.options.positive is None:
        bad = ~((nw.col(name) == 0) | (nw.col(name) == 1)).fill_null(False)
    return ColumnRule(
        shown_as,
        f"given_{name}",
        bad,
        "must be 0 or 1 (or False or True)",
        (
            "Map the class you call positive to 1 and the other to 0, or name it with ",
            argument("positive"),
            "; of ratings, say from which on they are positive with ",
            argument("positive_from"),
            ".",
        ),
        NotBinaryError,
    )


def _with_places(
    frame: Frame, names: Mapping[str, tuple[Part, ...]], naming: Naming
) -> tuple[Frame, list[ColumnRule]]:
    given = {name: f"given_{name}" for name in names}
    if naming.are_numbers:
        frame = with_numbers(frame, given)
    places = [_place(frame, name, naming) for name in names]
    rules = [_listed(name, shown_as, naming) for name, shown_as in names.items()]
    return with_each(frame, *places), rules


def _place(frame: Frame, name: str, naming: Naming) -> nw.Expr:
    """Return the place of a value among the classes; -1 for what is none of them."""
    given, are_numbers = f"given_{name}", naming.are_numbers
    terms = []
    for value, place in naming.place.items():
        same = nw.col(name) == whole_of(value) if are_numbers else _is_positive(frame, given, value)
        terms.append(same.fill_null(False).cast(nw.Int64) * (place + 1))
    found = (in_pairs(terms, add) - 1).cast(nw.Int64)
    return nw.when(~where_missing(frame, given)).then(found).alias(name)


def _listed(name: str, shown_as: tuple[Part, ...], naming: Naming) -> ColumnRule:
    return ColumnRule(
        shown_as,
        f"given_{name}",
        (nw.col(name) < 0).fill_null(False),
        f"must be one of the classes {listed(naming.names)}",
        ("List all of them in ", argument("classes"), "."),
    )


def _is_high(name: str, least: float) -> nw.Expr:
    """Return 1 where a number is at least `least`."""
    number = nw.col(name).cast(nw.Float64)
    high = (number >= least).cast(nw.Int8).cast(nw.Float64)
    return nw.when(number.is_finite().fill_null(False)).then(high).alias(name)


def _rating(name: str, shown_as: tuple[Part, ...]) -> ColumnRule:
    return ColumnRule(
        shown_as,
        f"given_{name}",
        nw.col(name).is_null(),
        "must be finite numbers",
        ("Name the class of words with ", argument("positive"), "."),
    )


def _is_positive(frame: Frame, given: str, positive: object) -> nw.Expr:
    kind = frame.collect_schema()[given]
    if kind.is_numeric():
        number = number_of(positive) if isinstance(positive, str | Real) else None
        try:
            number = number if number is None or abs(float(number)) < inf else None
        except OverflowError:
            number = None
        # A value that is no number is none of the column's, which is refused later.
        return nw.lit(False) if number is None else nw.col(given) == number
    if kind == nw.Boolean:  # which engines spell in different ways
        return nw.col(given).cast(nw.String).str.to_lowercase() == str(positive).lower()
    return nw.col(given).cast(nw.String) == str(positive)


def checked(
    request: RowRequest,
    frame: Frame,
    given: Given,
    rules: Sequence[ColumnRule],
    missing: Mapping[str, nw.Expr] | None = None,
    *,
    no_votes: nw.Expr | None = None,
    predictions_of_rows: bool = True,
) -> CheckedRows:
    """Count what is missing or bad, and return the rows if they will do.

    Rows with `no_votes` are items on which nobody has voted yet. Where rows are votes, models
    answer items: a row may be without their predictions.
    """
    run, groups = request.run, groups_of(given)
    frame, rules = _with_sampling(request, frame, given, rules)
    if missing is None:
        missing = {name: where_missing(frame, f"given_{name}") for name in given}
    else:
        also = (*request.predicted, *request.options.sampling, *groups)
        missing = {**missing, **{one: where_missing(frame, f"given_{one}") for one in also}}
    if not predictions_of_rows:
        missing = {name: expr for name, expr in missing.items() if name not in request.predicted}
    if no_votes is not None:
        missing = {**missing, _NO_VOTES: no_votes.fill_null(False)}
    gone = reduce(or_, missing.values())
    bad = {str(i): rule.bad & ~gone for i, rule in enumerate(rules)}
    found = count_where(frame, run, {"gone": gone, **bad})
    n, lost = found["n"], found["gone"]
    if n == 0:
        raise InputError("The data has no rows. Pass at least one item.")
    for i, rule in enumerate(rules):
        if found[str(i)]:
            raise _refusal(rule, frame.filter(bad[str(i)]), run, (found[str(i)], n))
    if lost == n:
        raise InputError(f"Something is missing in each of the {n:,} rows. Check the columns.")
    if lost and not request.options.drop_missing:
        raise _missing(request, given, n, count_where(frame, run, missing))
    items = CheckedRows(
        *(frame, run, n - lost, {}, groups),
        labelled="label" in given,
        label_is_vote=request.options.label_is_vote,
        sampling=tuple(request.options.sampling),
    )
    if not lost:
        return items
    dropped = _lost(items, gone, lost) if groups else {None: lost}
    return replace(items, frame=frame.filter(~gone), dropped=dropped)


def _with_sampling(
    request: RowRequest, frame: Frame, given: Given, rules: Sequence[ColumnRule]
) -> tuple[Frame, Sequence[ColumnRule]]:
    """Add the columns of weights and clusters, where they were named, and the rule for them."""
    if "cluster" in request.options.sampling:
        frame = frame.with_columns(cluster=nw.col("given_cluster"))
    if "weight" not in request.options.sampling:
        return frame, rules
    frame = with_numbers(frame, {"weight": "given_weight"})
    weight = nw.col("weight").cast(nw.Float64)
    bad = ~((weight > 0) & (weight < float("inf"))).fill_null(False)
    beyond = ~((weight >= LEAST) & (weight <= MOST)).fill_null(True)
    return frame, [
        *rules,
        ColumnRule(given["weight"], "given_weight", bad, POSITIVE, REMEDY),
        ColumnRule(given["weight"], "given_weight", beyond, IN_RANGE, ONLY_RATIOS),
    ]


_OF_EACH_ITEM = ("annotators", "annotations")  # of whose votes some may be missing


def _missing(request: RowRequest, given: Given, n: int, found: Mapping[str, int]) -> InputError:
    """Say in which column values are missing, and what can be done about it."""
    name = next(name for name, number in found.items() if number and name != "n")
    if name == _NO_VOTES:
        text = f"{found[name]:,} of {n:,} rows are items without any vote. Pass "
        return InputError(text, argument("drop_missing", True), " to leave these rows out.")
    if name in _OF_EACH_ITEM:
        return InputError(
            f"{found[name]:,} of {n:,} rows have no vote at all in ",
            *(
                argument(name),
                ". Fill them in, or pass ",
                argument("drop_missing", True),
                " to leave these rows out.",
            ),
        )
    out: tuple[Part, ...] = (argument("drop_missing", True), " to leave these rows out")
    kept: tuple[Part, ...] = (
        argument("unlabelled", True),
        " to keep them as items without a label",
    )
    may_be_kept = name == "label" and "score" in request.columns  # which items may be without
    few = may_be_kept and 2 * found[name] > n
    ways = (kept, out) if few else (out, kept) if may_be_kept else (out,)
    return (FewLabelsError if few else InputError)(
        *given.get(name, (argument(name),)),
        f" has missing values: {found[name]:,} of {n:,} rows. Fill them in, or pass ",
        *[part for one in ways for part in (", or ", *one)][1:],
        ".",
    )


def checked_together(
    request: RowRequest,
    frame: Frame,
    given: Given,
    rules: Sequence[ColumnRule],
    more: Sequence[ColumnRule],
    no_votes: nw.Expr | None = None,
) -> CheckedRows:
    """Return what `checked` does, where `rules` are about the same of many columns.

    Together they are one question to the engine. Where some column is bad, few of them are looked
    at one by one to name it, and many by halves.
    """
    kinds = frame.collect_schema()
    missing = [where_missing(frame, f"given_{name}", kinds) for name in given]
    first, *_ = rules
    gone = {first.name[0].name: in_pairs(missing, or_)}  # type: ignore[union-attr]
    together = replace(first, bad=in_pairs([rule.bad for rule in rules], or_))
    try:
        return checked(request, frame, given, [together, *more], gone, no_votes=no_votes)
    except InputError:
        if len(rules) <= _FEW_COLUMNS:  # only for speed
            return checked(request, frame, given, [*rules, *more], no_votes=no_votes)
        rule = _broken(request, frame, rules, in_pairs(missing, or_))
        return checked(request, frame, given, [rule, *more], gone, no_votes=no_votes)


def _broken(
    request: RowRequest, frame: Frame, rules: Sequence[ColumnRule], gone: nw.Expr
) -> ColumnRule:
    """Return the first of many rules that some row breaks; any one where none does."""
    while len(rules) > 1:
        half = rules[: len(rules) // 2]
        bad = in_pairs([rule.bad for rule in half], or_) & ~gone
        found = count_where(frame, request.run, {"bad": bad})["bad"]
        rules = half if found else rules[len(half) :]
    return rules[0]


def _refusal(rule: ColumnRule, bad: Frame, run: Run, number: tuple[int, int]) -> InputError:
    """Say how many entries break a rule, with one of them."""
    example = run(bad.select(rule.column).head(1))[rule.column].tolist()[0]
    text = f": {number[0]:,} of {number[1]:,} are bad, for example {shown(example)}. "
    remedy: Words = rule.remedy
    if isinstance(example, str) and _THOUSANDS.match(example.strip()):
        other = "point" if "," in example else "comma"
        text = f"{text}It may be thousands or a fraction: "
        remedy = f"write it without that mark, or with a {other}."
    return rule.error(*words(rule.name, " ", rule.must, text, remedy))


# What may be either of two numbers.
_THOUSANDS = re.compile(r"[+-]?[0-9]{1,3}[,.][0-9]{3}(?: \(|$)")


def count_where(frame: Frame, run: Run, conditions: Mapping[str, nw.Expr]) -> dict[str, int]:
    """Return the number of rows, and of those where each condition is true."""
    counts = (expr.cast(nw.Int64).sum().alias(name) for name, expr in conditions.items())
    answer = run(frame.select(nw.len().alias("n"), *counts))
    return {name: int(values[0] or 0) for name, values in answer.items()}


def _lost(items: CheckedRows, gone: nw.Expr, number: int) -> dict[Any, int]:
    """Return how many of the `number` rows with something missing are of each group."""
    known = items.frame.filter(gone, ~where_missing(items.frame, "given_group"))
    lost = items.run(known.group_by("group").agg(n=nw.len()))
    dropped = dict(zip(lost["group"].tolist(), whole(lost["n"]).tolist(), strict=True))
    without = number - sum(dropped.values())
    return dropped | ({None: without} if without else {})


def check_positive(
    items: CheckedRows, positive: object, shown_as: tuple[Part, ...], name: str
) -> None:
    """Refuse a positive class that no row of column `name` has."""
    if count_where(items.frame, items.run, {"any": nw.col(name) > 0})["any"]:
        return
    column = f"given_{name}"
    seen = items.run(items.frame.select(column).unique().head(_SHOWN))[column]
    values = listed(sorted(map(shown, seen.tolist())))
    near = [one for one in map(str, seen.tolist()) if one.casefold() == str(positive).casefold()]
    meant = f" Did you mean {near[0]!r}?" if near else ""
    only = f" has only: {values}.{meant}"
    raise InputError(argument("positive"), f" is {shown(positive)}, but ", *shown_as, only)


def whole(values: Any) -> Counts:
    """Return counts of any type as integers."""
    return np.asarray(values, dtype=np.float64).astype(np.int64)


# Rows counted by all that makes items differ. What comes back are whole numbers of items for each
# score, label, weight and cluster, so that the table does not depend on the engine, on shards or on
# the order of rows.


def counted_by(items: CheckedRows, *names: str) -> Columns:
    """Return how many items have each of `names`, weight and cluster, by group."""
    query: Frame = items.frame.group_by(*items.groups, *names, *items.sampling).agg(n=nw.len())
    found = items.run(query.head(MOST_DIFFERENT + 1))
    if found["n"].size > MOST_DIFFERENT:
        named = [part for one in items.sampling for part in (" and ", argument(one))][1:]
        raise InputError(
            *(("With ", *named, " there") if named else ("There",)),
            f" are more than {MOST_DIFFERENT:,} different items, which do not fit into memory. ",
            "Round the weights to a few digits, or take" if "weight" in items.sampling else "Take",
            " a sample of the rows.",
        )
    return found


def entries(
    items: CheckedRows,
    found: Mapping[str, NDArray[Any]],
    at: Any,
    row: NDArray[np.intp],
    label: Counts | None = None,
    n: Counts | None = None,
) -> Entries:
    """Return the entries of rows of a table with weights, clusters or both."""
    weight: Floats | None = None
    cluster: Counts | None = None
    if "weight" in items.sampling:
        weight = np.asarray(found["weight"], dtype=np.float64)[at]
    if "cluster" in items.sampling:
        cluster = cluster_numbers(np.asarray(found["cluster"])[at])
    labels = np.zeros(row.size, dtype=np.int64) if label is None else label
    return Entries.of(row, labels, weight, cluster, n)


def rows_by_group(items: CheckedRows, found: Columns) -> Iterator[tuple[Any, Any]]:
    """Yield each group, in order, and which rows of the answer are its own."""
    if not items.groups:
        yield None, slice(None)
        return
    values = found["group"].tolist()
    place = {value: i for i, value in enumerate(_sorted(dict.fromkeys(values)))}
    code = np.array([place[value] for value in values])
    order = np.argsort(code, kind="stable")
    ends = np.searchsorted(code[order], np.arange(len(place) + 1))
    for value, (start, end) in zip(place, pairwise(ends), strict=True):
        yield value, order[start:end]


def tables_by_group(
    items: CheckedRows, found: Columns, make: Callable[[Any], TableT], empty: Callable[[], TableT]
) -> dict[Any, TableT]:
    """Return the table that `make` has of each group's rows; `empty` where all were left out."""
    tables = {group: make(at) for group, at in rows_by_group(items, found)}
    tables |= {group: empty() for group in items.dropped if group not in tables}
    dropped = items.dropped
    return {group: table.without(dropped.get(group, 0)) for group, table in tables.items()}


def _sorted(values: Any) -> list[Any]:
    try:
        return sorted(values)
    except TypeError:
        return sorted(values, key=str)


# How much memory rows with a number for each class take, and how much there is.

_OF_NUMBER = 20  # bytes of each number while rows are counted: where it came from, and in order
_OF_ROW = 48  # bytes besides: the order of the rows, their labels and their counts
_SHARE = 0.9  # of what is free
FEW_ROWS = 2**24  # whose scores and labels take a few hundred megabytes
MergedT = TypeVar("MergedT", bound=MergedRows)
_LABEL = "label of an item without one"  # a column that no data has


def bytes_needed(n: int, classes: int) -> int:
    """Return about how many bytes it takes to count so many rows."""
    return n * (_OF_NUMBER * classes + _OF_ROW)


def bytes_free() -> float:
    """Return how many bytes may be taken, as far as the system says so."""
    return _SHARE * min(_of_machine(), _of_container())


def in_gigabytes(size: float) -> str:
    """Return a number of bytes as people read it.

    Examples
    --------
    >>> in_gigabytes(2.5e9), in_gigabytes(3e5)
    ('2.5 GB', '0.0 GB')
    """
    return f"{size / 1e9:,.1f} GB"


def _of_machine() -> float:
    """Return what is free on the machine, or else what it has at all."""
    with suppress(OSError, ValueError), open("/proc/meminfo", encoding="ascii") as file:
        for line in file:
            if line.startswith("MemAvailable:"):
                return 1024.0 * int(line.split()[1])
    return memory_of_machine()


def _of_container() -> float:
    """Return what a container leaves of the memory that it is allowed."""
    folder = "/sys/fs/cgroup"
    with (
        suppress(OSError, ValueError),
        open(f"{folder}/memory.max", encoding="ascii") as most,
        open(f"{folder}/memory.current", encoding="ascii") as now,
        open(f"{folder}/memory.stat", encoding="ascii") as stat,
    ):
        parts = dict(line.split() for line in stat)
        # Copies of files are given up where memory is short.
        return float(int(most.read()) - int(now.read()) + int(parts.get("inactive_file", 0)))
    return float("inf")


# Rows with one score: taken on trust first, checked where need be.


@dataclass(frozen=True, slots=True)
class ScoreRows:
    """Rows with a score, and with a label if there is a column of labels."""

    request: RowRequest
    frame: Frame
    given: Given
    rules: tuple[ColumnRule, ...]

    @classmethod
    def read(cls, request: RowRequest, score: str, label: str | None = None) -> ScoreRows:
        """Name the columns of these arguments, and read them as numbers."""
        names = [name for name in (score, label) if name is not None]
        frame, given = named(request, {name: request.columns[name] for name in names})
        frame = with_numbers(frame, {"score": f"given_{score}"})
        finite = ColumnRule(
            given[score],
            f"given_{score}",
            ~nw.col("score").is_finite().fill_null(False),
            "must be finite numbers",
            "Drop infinite values and convert text to numbers first.",
        )
        if label is None:
            return cls(request, frame, given, (finite,))
        frame, binary = with_class(frame, label, given[label], request)
        return cls(request, frame, given, (finite, binary))

    def likely(self) -> CheckedRows:
        """Return the rows that will do, which are all most of the time.

        Whoever counts them will see whether they are `n`, and need not ask beforehand.
        """
        kinds, run = self.frame.collect_schema(), self.request.run
        score = nw.col("score")
        n = number_of_rows(self.frame, run)
        first = np.asarray(run(self.frame.select("score").head(1000))["score"], np.float64)
        unit = not ((first < 0) | (first > 1)).any()
        if unit:  # as far as the first rows tell
            fits = (score >= nw.lit(0, kinds["score"])) & (score <= nw.lit(1, kinds["score"]))
        else:
            fits = score.is_finite()
        frame = self.frame.filter(fits)
        if self._labels:
            label, whole_labels = nw.col("label"), kinds["label"].is_integer()
            binary = (label >= 0) & (label <= 1) if whole_labels else (label == 0) | (label == 1)
            frame = self.frame.filter(fits, binary)
        if self._groups:
            frame = frame.filter(~where_missing(frame, "given_group"))
        return CheckedRows(self._kept(frame), run, n, {}, self._groups, unit, bool(self._labels))

    def checked(self) -> CheckedRows:
        """Return the rows after a look at all that may be wrong with them."""
        items = checked(self.request, self.frame, self.given, self.rules)
        if self.request.options.positive is not None:
            check_positive(items, self.request.options.positive, self.given["label"], "label")
        return replace(items, frame=self._kept(items.frame))

    @property
    def _labels(self) -> tuple[str, ...]:
        return ("label",) if "label" in self.given else ()

    @property
    def _groups(self) -> tuple[str, ...]:
        return groups_of(self.given)

    def _kept(self, frame: Frame) -> Frame:
        return frame.select("score", *self._labels, *self._groups, *self.request.options.sampling)


def tables_of_scores(request: RowRequest) -> Mapping[Any, ScoreTable]:
    """Return the table of each group; of the group None where there are no groups."""
    count = count_class_scores if request.has_many_classes else count_scores
    return count_both(request, count) if request.options.unlabelled else count(request)


def tables_of_soft_labels(request: RowRequest) -> Mapping[Any, SoftTable]:
    """Return the same of soft labels."""
    return (count_class_soft if request.has_many_classes else count_soft_labels)(request)


def count_scores(request: RowRequest) -> dict[Any, ScoreTable]:
    """Return the table of each group of rows with one score, and a label."""
    numbers = _numbers(request)
    table = None if numbers is None else _table_of_few(request, numbers)
    if table is not None:
        return {None: table}
    rows = ScoreRows.read(request, "score", "label")
    if request.options.sampling:
        return _weighed(rows.checked())
    if numbers is None:
        table = _table_of_few(request, rows.frame.select("score", "label"))  # only for speed
    if table is not None:
        return {None: table}
    items = rows.likely()
    tables = _first_pass(items, request.options.cells, ScoreTable)
    none_positive = not any(table.positives.any() for table in tables.values())
    if _some_lost(items, tables) or (request.options.positive is not None and none_positive):
        items = rows.checked()
        tables = _first_pass(items, request.options.cells, ScoreTable)
    return _refined(items, tables) if request.options.refine else tables


def _numbers(request: RowRequest) -> Frame | None:
    """Return the columns of scores and labels in DuckDB if there is nothing to read as numbers.

    To name and read columns in a way that suits all takes as long as to fetch 100,000 rows.
    """
    more = any(map(request.options.is_given, ("positive", "positive_from", "group")))
    if not request.frame.implementation.is_duckdb() or request.naming is not None or more:
        return None
    columns = {name: request.columns[name] for name in ("score", "label")}
    if request.options.sampling or not all(isinstance(column, str) for column in columns.values()):
        return None
    kinds = request.frame.collect_schema()
    if not all(column in kinds and is_number(kinds[column]) for column in columns.values()):
        return None
    return select(request.frame, columns)


def _table_of_few(request: RowRequest, frame: Frame) -> ScoreTable | None:
    """Return the table of rows that fit into memory; None if they do not, or some will not do.

    The frame has the columns `score` and `label` alone. To fetch them takes DuckDB a fraction of
    the time of a group-by.
    """
    if request.options.group is not None or not frame.implementation.is_duckdb():
        return None
    if request.options.cells > matrices.CELLS:  # too many for an entry each
        return None
    if not 0 < number_of_rows(frame, request.run) <= FEW_ROWS:
        return None
    found = request.run(frame)
    scores, labels = found["score"], found["label"]
    if not _will_do(scores, labels):
        return None
    if request.options.positive is not None and not labels.any():
        return None
    return count_checked(scores, labels, cells=request.options.cells, refine=request.options.refine)


def _will_do(scores: NDArray[Any], labels: NDArray[Any]) -> bool:
    """Tell whether scores are finite and labels 0 or 1."""
    with np.errstate(invalid="ignore"):
        ends = scores.min(), scores.max()  # not a number where one is
    if not np.isfinite(ends).all():
        return False
    if labels.dtype.kind in "biu":
        return bool(labels.min() >= 0 and labels.max() <= 1)
    return bool(((labels == 0) | (labels == 1)).all())


def count_soft_labels(request: RowRequest) -> dict[Any, SoftTable]:
    """Return the table of each group of rows with one soft label."""
    rows = ScoreRows.read(request, "soft")
    if request.options.sampling:
        return _weighed(rows.checked())
    items = rows.likely()
    tables = _first_pass(items, request.options.cells, SoftTable)
    if _some_lost(items, tables):
        tables = _first_pass(rows.checked(), request.options.cells, SoftTable)
    return tables


def _weighed(items: CheckedRows) -> dict[Any, Any]:
    """Return the tables of rows with weights or clusters."""
    found = counted_by(items, "score", *(("label",) if items.labelled else ()))
    kind = ScoreTable if items.labelled else SoftTable
    return tables_by_group(items, found, partial(of_lines, items, found), kind.empty)


def _some_lost(items: CheckedRows, tables: dict[Any, MergedT]) -> bool:
    """Tell whether some rows are not in the tables, or there are none."""
    counted = sum(table.n for table in tables.values())
    return counted != items.n or counted == 0


def _first_pass(items: CheckedRows, cells: int, kind: type[MergedT]) -> dict[Any, MergedT]:
    tables = _exact_tables(items, kind)
    if tables is not None:
        return tables
    query = with_cell(items.frame, cells, unit=items.unit).group_by(*items.groups, "cell")
    found = items.run(
        query.agg(
            *_counts_of(items),
            nw.col("score").min().alias("low"),
            nw.col("score").max().alias("high"),
        )
    )
    return _tables_of(items, found, kind)


def _exact_tables(items: CheckedRows, kind: type[MergedT]) -> dict[Any, MergedT] | None:
    """Return tables of all distinct scores, or None if there are too many."""
    query = _by_score(items, items.frame)
    if items.n > matrices.EXACT:
        # Most of the time the first rows tell, and the whole group-by is spared.
        first = 2 * matrices.EXACT  # only for speed
        head = _by_score(items, items.frame.head(first))
        if whole(items.run(head.select(nw.len().alias("n")))["n"])[0] > matrices.EXACT:
            return None
        query = query.head(matrices.EXACT + 1)  # only for speed: more rows are thrown away
    found = items.run(query)
    return _tables_of(items, found, kind) if found["n"].size <= matrices.EXACT else None


def _by_score(items: CheckedRows, frame: Frame) -> Frame:
    return frame.group_by(*items.groups, "score").agg(*_counts_of(items))


def _counts_of(items: CheckedRows) -> list[nw.Expr]:
    positives = [nw.col("label").sum().alias("positives")] if items.labelled else []
    return [nw.len().alias("n"), *positives]


def _tables_of(items: CheckedRows, found: Columns, kind: type[MergedT]) -> dict[Any, MergedT]:
    low, high = (found[name] if name in found else found["score"] for name in ("low", "high"))
    counts = whole(found["n"])
    if items.labelled:
        positives = whole(found["positives"])
        counts = side_by_side(counts - positives, positives)

    def make(at: Any) -> MergedT:
        lows, highs = (ends[at].astype(np.float64) for ends in (low, high))
        return kind.from_ranges(lows, highs, counts[at])

    return tables_by_group(items, found, make, kind.empty)


def _refined(items: CheckedRows, tables: dict[Any, ScoreTable]) -> dict[Any, ScoreTable]:
    """Take the rows apart that can hold the best cut, by a second look at their scores."""
    ranges = {group: arrays.unsure_ranges(table) for group, table in tables.items()}
    score, kind = nw.col("score"), items.frame.collect_schema()["score"]
    wanted = [
        _of_group(items, group, (score >= nw.lit(low, kind)) & (score <= nw.lit(high, kind)))
        for group, found in ranges.items()
        for low, high in found
    ]
    if not wanted or len(wanted) > 8 * arrays.MOST_RANGES:
        return tables
    query = _by_score(items, items.frame.filter(reduce(or_, wanted)))
    found = items.run(query.head(arrays.MOST_REFINED + 1))
    if found["n"].size > arrays.MOST_REFINED:
        return tables
    parts = _tables_of(items, found, ScoreTable)
    return {
        group: arrays.taken_apart(table, ranges[group], parts[group]) if ranges[group] else table
        for group, table in tables.items()
    }


def _of_group(items: CheckedRows, group: Any, condition: nw.Expr) -> nw.Expr:
    return (nw.col("group") == group) & condition if items.groups else condition


def of_lines(items: CheckedRows, found: Columns, at: Any) -> ScoreTable | SoftTable:
    """Return the table of a group of counted rows with one score or soft label each."""
    scores = np.asarray(found["score"], dtype=np.float64)[at] + 0.0
    places, row = np.unique(scores, return_inverse=True)
    n = whole(found["n"])[at]
    label = whole(found["label"])[at] if items.labelled else np.zeros(row.size, dtype=np.int64)
    own = entries(items, found, at, row, label, n)
    by_class = np.zeros((2 if items.labelled else 1, places.size), dtype=np.int64)
    np.add.at(by_class, (label, row), n)
    if items.labelled:
        return merged_if_many(ScoreTable(places, side_by_side(*by_class), entries=own))
    return SoftTable(places, by_class[0], entries=own)


# Rows with a column for each class are brought into memory and counted there: they hardly ever
# repeat, so a group-by would bring as many back. What would not fit is refused before it is read.


def count_class_scores(request: RowRequest) -> dict[Any, ScoreTable]:
    """Return the table of each group of rows with a score for each class, and a label."""
    assert request.naming is not None
    names = request.naming.names
    items, found, rows = _rows_by_class(request, "score", ("label",))
    check_some_positive(rows)
    code = found.pop("label").astype(np.int16)

    def make(at: Any) -> ScoreTable:
        own = _class_entries(items, found, at, rows, code)  # before the rows are used up
        some = rows if isinstance(at, slice) else np.array(rows[at], order="F")
        return ScoreTable(entries=own, **counted_scores(some, code[at], names))

    return tables_by_group(items, found, make, partial(ScoreTable.empty, names))


def count_class_soft(request: RowRequest) -> dict[Any, SoftTable]:
    """Return the table of each group of rows with the probability of each class."""
    columns = request.columns["soft"]
    names = request.options.classes or names_of_columns(columns)
    items, found, given = _rows_by_class(request, "soft", ())
    rows = as_shares(given, "soft")

    def make(at: Any) -> SoftTable:
        own = _class_entries(items, found, at, rows)
        return SoftTable(entries=own, **counted_soft(rows[at], names))

    return tables_by_group(items, found, make, partial(SoftTable.empty, names))


def _class_entries(
    items: CheckedRows, found: Columns, at: Any, rows: Floats, code: NDArray[Any] | None = None
) -> Entries | None:
    """Return the entries of a group, where there are weights or clusters."""
    if not items.sampling:
        return None
    label = None if code is None else code[at].astype(np.int64)
    return entries(items, found, at, ranks_of(rows[at]), label)


def _rows_by_class(
    request: RowRequest, name: str, more_names: tuple[str, ...]
) -> tuple[CheckedRows, Columns, Floats]:
    """Return checked rows, their columns but for those of classes, and these as one array."""
    frame, given, rules = _numbers_by_class(request, name, more_names)
    _refuse_too_many(request, frame, name)
    more = []
    for one in more_names:
        frame, rule = with_class(frame, one, given[one], request)
        more.append(rule)
    items = checked_together(request, frame, given, rules, more)
    scores = [
        nw.col(f"{name} {k}").cast(nw.Float64).alias(f"s{k}")
        for k in range(len(request.columns[name]))
    ]
    places = (nw.col(one).cast(nw.Int16) for one in more_names)
    others = (*groups_of(given), *request.options.sampling)
    found = items.run(items.frame.select(*scores, *places, *others))
    rows = np.empty((len(scores), found["s0"].size))
    for k in range(len(scores)):
        rows[k] = found.pop(f"s{k}")  # whose own memory is given back, one by one
    return items, found, rows.T


def _numbers_by_class(
    request: RowRequest, name: str, more_names: tuple[str, ...] = ()
) -> tuple[Frame, dict[str, tuple[Part, ...]], list[ColumnRule]]:
    """Name the columns of the classes, and read them as numbers."""
    names = {f"{name} {k}": one for k, one in enumerate(request.columns[name])}
    frame, given = named(request, names | {one: request.columns[one] for one in more_names})
    frame = with_numbers(frame, {one: f"given_{one}" for one in names})
    rules = []
    for one in names:
        number = nw.col(one)
        right, must = number.is_finite(), "must be finite numbers"
        remedy = "Drop infinite values and convert text to numbers first."
        if name == "soft":
            right, must = (number >= 0) & (number <= 1), "must lie in [0, 1]"
            remedy = "Divide percentages by 100, pass logits through a softmax."
        rules.append(ColumnRule(given[one], f"given_{one}", ~right.fill_null(False), must, remedy))
    return frame, given, rules


def _refuse_too_many(request: RowRequest, frame: Frame, name: str) -> None:
    """Refuse rows that would not fit into memory, before they are read."""
    number = len(request.columns[name])
    n = number_of_rows(frame, request.run)
    need, there = bytes_needed(n, number), bytes_free()
    if need > there:
        raise InputError(
            argument(name),
            f" has {n:,} rows of {number} classes, which take about {in_gigabytes(need)} of memory "
            f"while they are counted; {in_gigabytes(there)} are free. Take a sample of the rows: "
            "a million of them tell a floor to a tenth of a point.",
        )


def as_two(request: RowRequest, name: str) -> RowRequest:
    """Return rows of two classes with one column: the score or the probability of class 1.

    It is what arrays with two columns become: the second of two probabilities, the share of
    the second of two numbers, or the difference of two logits.
    """
    found = _count_pairs(request, name)
    one, other = request.columns[name]
    if name == "soft" and found["off"]:
        frame, _, _ = _numbers_by_class(request, name)
        pairs = request.run(frame.select(*(nw.col(f"soft {k}").cast(nw.Float64) for k in (0, 1))))
        both = np.stack([np.asarray(side, np.float64) for side in pairs.values()], axis=1)
        as_shares(both[~np.isnan(both).any(axis=1)], name)
    plain = not found["off"] and not found["negative"]
    if plain and not found["gone"]:
        return request.with_column(name, other)
    if found["blank"] and not found["negative"]:
        text = f" of an item must not all be 0: {found['blank']:,} of {found['n']:,} are. "
        raise InputError(argument(name), text, "Leave out such items, or pass logits.")
    parts = {"first of two": one, "second of two": other}
    first, second = (nw.col(part).cast(nw.Float64) for part in parts)
    read = second - first if found["negative"] else second / (first + second)
    if plain:
        read = second + 0 * first  # missing where either is
    column = f"{one}, {other}"
    frame = with_numbers(request.frame, parts).with_columns(read.alias(column))
    divided = found["off"] if name == "soft" else 0
    return replace(request.with_column(name, column, frame), divided=divided)


def _count_pairs(request: RowRequest, name: str) -> dict[str, int]:
    """Return how many pairs do not add up to 1, have a negative number, two zeros, or no first."""
    frame, _, _ = _numbers_by_class(request, name)
    first, second = (nw.col(f"{name} {k}").cast(nw.Float64) for k in range(2))
    gone = [where_missing(frame, f"{name} {k}") for k in range(2)]
    off = ((first + second - 1).abs() > ROUNDING).fill_null(False)
    marks = {
        "off": off & ~gone[0] & ~gone[1],  # for some engines NaN is above all numbers
        "negative": ((first < 0) | (second < 0)).fill_null(False),
        "blank": ((first == 0) & (second == 0)).fill_null(False),
        "gone": gone[0],
    }
    return count_where(frame, request.run, marks)


def _in_pairs(join: Callable[[Any, Any], Any], parts: list[Any]) -> Any:
    """Join expressions two by two: of hundreds one behind the other, engines lose count."""
    while len(parts) > 1:
        pairs = [join(*parts[i : i + 2]) for i in range(0, len(parts) - 1, 2)]
        parts = [*pairs, *parts[2 * len(pairs) :]]
    return parts[0]


def off_by_rounding(request: RowRequest) -> dict[str, int]:
    """Return how many rows of probabilities add up to one but for rounding, if any do."""
    if isinstance(request.columns["soft"], str):  # two classes have one column by now, if not ever
        return {"divided": request.divided} if request.divided else {}
    frame, _, _ = _numbers_by_class(request, "soft")
    names = [f"soft {k}" for k in range(len(request.columns["soft"]))]
    total = _in_pairs(add, [nw.col(one).cast(nw.Float64) for one in names])
    there = _in_pairs(and_, [~where_missing(frame, one) for one in names])
    off = (total - 1).abs() > ROUNDING
    found = count_where(frame, request.run, {"off": off.fill_null(False) & there})
    return {"divided": found["off"]} if found["off"] else {}


# Items without a label, told apart from the others and kept next to them.


def count_both(request: RowRequest, count: Any) -> Mapping[Any, ScoreTable]:
    """Return the tables of rows with a label and of those without, added up for each group."""
    label = request.columns["label"]
    there, rest = (with_missing(request.frame, label, missing=one) for one in (False, True))
    labels = select(request.frame, {"label": label})
    found = count_where(labels, request.run, {"gone": where_missing(labels, "label")})
    plain = request.with_options(unlabelled=False)
    if found["gone"] in (0, found["n"]):
        if found["n"] and found["gone"]:
            raise none_labelled(found["n"])
        return count(plain)  # type: ignore[no-any-return]
    labelled = count(replace(plain, frame=there))
    naming = request.naming and Naming(request.naming.names, {"0": 0})
    alone = plain.with_options(
        weight=None, cluster=None, positive=None, positive_from=None, refine=False
    )
    others = count(
        replace(alone.with_column("label", _LABEL, with_zero(rest, _LABEL)), naming=naming)
    )
    empty = ScoreTable.empty(next(iter(labelled.values())).classes)
    groups = [*labelled, *(group for group in others if group not in labelled)]
    return {
        group: with_others(labelled.get(group, empty), others[group])
        if group in others
        else labelled[group]
        for group in groups
    }


_MOST_PACKED = 2**62  # that a number stays below
_ROW = "number of the row"
_PAIR = ("given_item", "given_annotator")
_ITSELF = (nw.String, nw.Boolean)  # kinds whose values come back from every engine as they were
_IN_MEMORY = (nw.Implementation.POLARS, nw.Implementation.PANDAS, nw.Implementation.PYARROW)
_MOST_ENTRIES = MOST_DIFFERENT  # of patterns of votes side by side
_MOST_OF_AN_ITEM = 2**53
_ONE = {"label": "true label", "weight": "weight", "cluster": "cluster"}


# Votes for many classes as a few whole numbers per item, so that any engine can group by them. The
# votes for some classes are the digits of one number, in a base that is above all of them. Adding
# the numbers of two votes adds up their digits.


def packed_votes(places: Sequence[nw.Expr], number: int, base: int) -> list[nw.Expr]:
    """Return the numbers of an item whose votes are for classes with these places.

    Places that are missing, or none, add nothing.
    """
    counts = []
    for k in range(number):
        votes = [(place == k).fill_null(False).cast(nw.Int64) for place in places]
        counts.append(in_pairs(votes, add))
    return packed_counts(counts, base)


def packed_counts(counts: Sequence[nw.Expr], base: int) -> list[nw.Expr]:
    """Return the numbers of an item that has so many votes for each class."""
    found = []
    for name, chunk in _chunks(len(counts), base).items():
        terms = [counts[k].cast(nw.Int64) * base**i for i, k in enumerate(chunk)]
        found.append(in_pairs(terms, add).cast(nw.Int64).alias(name))
    return found


def packed_names(number: int, base: int) -> list[str]:
    """Return what the columns of numbers are called."""
    return [*_chunks(number, base)]


def unpacked(found: Mapping[str, NDArray[Any]], number: int, base: int) -> Counts:
    """Return the votes for each class."""
    chunks = _chunks(number, base)
    votes = np.empty((number, len(next(iter(found.values())))), dtype=np.int64)
    for name, chunk in chunks.items():
        rest = found[name].astype(np.int64)  # floats would not hold large ones
        for k in chunk:
            rest, votes[k] = np.divmod(rest, base)
    return votes.T


def _chunks(number: int, base: int) -> dict[str, range]:
    assert base > 1  # there are votes
    digits = 1
    while base ** (digits + 1) < _MOST_PACKED:
        digits += 1
    starts = range(0, number, digits)
    return {f"w{j}": range(k, min(k + digits, number)) for j, k in enumerate(starts)}


# Several votes of one annotator on an item: refused, or the first, the last or all taken.


def with_order(request: RowRequest) -> RowRequest:
    """Return the request with a column of the order of rows, where that will be asked for."""
    if request.options.duplicates not in ("first", "last") or "annotator" not in request.columns:
        return request
    frame = request.frame
    number = _NUMBER.get(frame.implementation)
    if number is None or (frame.implementation.is_duckdb() and not request.ordered):
        raise InputError(
            argument("duplicates", request.options.duplicates),
            " needs rows in an order, which those of this engine have none of. Use files or a "
            "pandas, polars or pyarrow frame, or keep one vote per item and annotator first.",
        )
    columns = {**request.columns, "row": _ROW}
    return replace(request, frame=lazy(number(frame.to_native())), columns=columns)


def without_repeats(items: CheckedRows, given: Given, how: str) -> CheckedRows:
    """Return rows in which repeated votes are dealt with as the user says."""
    if "annotator" not in given or how == "all":
        return items
    if how == "error":
        _refuse_repeats(items, given)
        return items
    row = nw.col("given_row")
    taken = row.min() if how == "first" else row.max()
    kept = items.frame.group_by(*_PAIR).agg(taken.alias("kept_row")).select("kept_row")
    joined = items.frame.join(kept, left_on="given_row", right_on="kept_row", how="inner")
    return replace(items, frame=joined)


def _refuse_repeats(items: CheckedRows, given: Given) -> None:
    """Refuse repeated votes, with the first item that has some, and how to go on."""
    pairs = items.frame.group_by(*_PAIR).agg(n=nw.len()).filter(nw.col("n") > 1)
    number = int(whole(items.run(pairs.select(nw.len().alias("n")))["n"])[0])
    if not number:
        return
    found = items.run(pairs.sort(*_PAIR).head(1))
    item, annotator = (shown(found[name].tolist()[0]) for name in _PAIR)
    differ = items.frame.group_by(*_PAIR).agg(low=nw.col("vote").min(), high=nw.col("vote").max())
    differ = differ.filter(nw.col("low") != nw.col("high"))
    same = not items.run(differ.head(1))["low"].size
    way, ways = ", each time with the same vote", ("first", "all")
    raise InputError(
        *given["annotator"],
        f": in {counted(number, 'case')} an annotator voted more than once on an item"
        f"{way if same else ''}; for example {annotator} on item {item}. ",
        "If these are copies of rows, take one of each:" if same else "Say which votes to take:",
        *(
            part
            for one in (ways if same else ("last", "first", "all"))
            for part in ("\n  ", command("duplicates", one))
        ),
    )


def _number_in_pyarrow(native: Any) -> Any:
    import pyarrow as pa

    return native.append_column(_ROW, pa.array(np.arange(native.num_rows)))


_NUMBER: dict[nw.Implementation, Callable[[Any], Any]] = {
    nw.Implementation.PANDAS: lambda native: native.assign(**{_ROW: np.arange(len(native))}),
    nw.Implementation.POLARS: lambda native: native.with_row_index(_ROW),
    nw.Implementation.PYARROW: _number_in_pyarrow,
    nw.Implementation.DUCKDB: lambda native: native.project(
        f"*, row_number() over () as {quoted(_ROW)}"
    ),
}


# Whose votes they are: how the votes of groups of annotators fall, counted by the engine.


def voters_in_rows(items: CheckedRows, votes: Frame) -> dict[Any, dict[str, Counts]]:
    """Return what tables keep of the annotators of single votes; `votes` has a row per item."""
    kind = items.frame.collect_schema()["given_annotator"]
    voter = nw.col("given_annotator")
    if kind.is_decimal() or kind.is_float():
        voter = voter.cast(nw.Float64)
    elif kind == nw.Datetime:
        voter = _moment(voter)
    elif not kind.is_numeric() and kind not in _ITSELF and kind != nw.Object:
        voter = voter.cast(nw.String)
    frame = items.frame.with_columns(voter=voter)
    found = items.run(
        frame.group_by(*items.groups, "voter").agg(n=nw.len()).head(MOST_ANNOTATORS + 1)
    )
    if found["n"].size > MOST_ANNOTATORS:
        return {}
    buckets = {value: bucket_of(value) for value in found["voter"].tolist()}
    counted = _votes_by_part(items, _with_part(frame, buckets), votes)
    every, own = (
        votes_in(items, {name: counted[f"{its}{name}"] for name in vote_columns(items)})
        for its in ("", "its_")
    )
    too_many = len(items.classes) > 2 and int(every.max()) > MOST_FOR_A_CLASS
    if counted["n"].size > MOST_ROWS or too_many:
        return {}
    falls = falls_of(whole(counted["part"]), every, own, whole(counted["n"]))
    work = np.array([buckets[value] for value in found["voter"].tolist()])
    work = np.column_stack((work, whole(found["n"])))
    workloads = dict(rows_by_group(items, found))
    return {
        group: {"by_group": pooled(falls[at]), "workloads": pooled(work[workloads[group]])}
        for group, at in rows_by_group(items, counted)
    }


def _moment(time: nw.Expr) -> nw.Expr:
    """Return a whole number for a time, which engines write in different ways."""
    at = time.dt
    days = ((at.month(), 13), (at.day(), 32), (at.hour(), 24))
    found = at.year().cast(nw.Int64)
    for part, base in (*days, (at.minute(), 60), (at.second(), 60), (at.microsecond(), 10**6)):
        found = found * base + part.cast(nw.Int64)
    return found


def _votes_by_part(items: CheckedRows, frame: Frame, votes: Frame) -> Columns:
    """Return how many items have such votes in all and of each group of annotators."""
    key = [*items.groups, "given_item"]
    names = [f"{its}{name}" for its in ("", "its_") for name in vote_columns(items)]
    joined = _added_votes(items, frame, [*key, "part"], "its_").join(votes, on=key, how="inner")
    query = joined.group_by(*items.groups, "part", *names).agg(n=nw.len())
    return items.run(query.head(MOST_ROWS + 1))


def _added_votes(items: CheckedRows, frame: Frame, key: Sequence[str], its: str = "") -> Frame:
    """Return how many votes rows with one vote each have together for each key."""
    names = [f"{its}{name}" for name in vote_columns(items)]
    if not items.base:
        sums = [nw.col("vote").sum(), nw.len()]
        return frame.group_by(*key).agg(*map(nw.Expr.alias, sums, names))
    sums = [nw.col(name).sum() for name in vote_columns(items)]
    # As whole numbers: DuckDB has a wider type for sums of them, which becomes floats.
    whole_sums = (nw.col(name).cast(nw.Int64).alias(name) for name in names)
    return frame.group_by(*key).agg(*map(nw.Expr.alias, sums, names)).with_columns(*whole_sums)


def _size(items: CheckedRows) -> tuple[int, int]:
    return len(items.classes), items.base


def _with_part(frame: Frame, buckets: Mapping[Any, int]) -> Frame:
    """Add the group of annotators that a row's one belongs to."""
    kind = frame.collect_schema()["voter"]
    plain = kind == nw.String or kind.is_numeric()
    if plain and frame.implementation in _IN_MEMORY:  # a join is quicker than many conditions
        kinds = {"voter": kind, "part": nw.Int64()}
        parts = [part_of(bucket) for bucket in buckets.values()]
        known = {"voter": [*buckets], "part": parts}
        own = nw.from_dict(known, schema=kinds, backend=frame.implementation)
        if kind == nw.String:  # Arrow has several kinds of text, which it does not join
            frame = frame.with_columns(nw.col("voter").cast(nw.String))
        return frame.join(own.lazy(), on="voter", how="inner")
    members: dict[int, list[Any]] = {}
    for value, bucket in buckets.items():
        members.setdefault(part_of(bucket), []).append(value)
    (part, _), *others = members.items()
    chosen = nw.lit(part)
    for part, values in others:
        chosen = nw.when(nw.col("voter").is_in(values)).then(nw.lit(part)).otherwise(chosen)
    return frame.with_columns(part=chosen)


def voters_in_columns(
    items: CheckedRows, names: Mapping[str, str], votes: Sequence[nw.Expr]
) -> dict[Any, dict[str, Counts]]:
    """Return what tables keep of annotators who have a column of votes each.

    `names` are the annotators of the columns, and `votes` their votes, with -1 for none. Where
    they fit into memory, all of them come back from the engine. Else rows with the same votes are
    one pattern, and patterns are few where columns are; where they are too many, annotators are
    not told apart.
    """
    columns = [f"v{i}" for i in range(len(names))]
    most = _MOST_ENTRIES // len(columns)
    chosen = [vote.cast(nw.Int64).alias(name) for name, vote in zip(columns, votes, strict=True)]
    frame = items.frame.select(*items.groups, *chosen)
    if items.n > most:
        frame = frame.group_by(*items.groups, *columns).agg(n=nw.len()).head(most + 1)
    found = items.run(frame)
    number = found[columns[0]].size
    if number > most:
        return {}
    pattern = np.column_stack([whole(found[name]) for name in columns])
    buckets = np.array([bucket_of(name) for name in names.values()])
    n = whole(found["n"]) if "n" in found else np.ones(number, dtype=np.int64)
    kept = {}
    for group, at in rows_by_group(items, found):
        each = (pattern[at] >= 0).T @ n[at]
        kept[group] = {
            "by_group": _by_part(pattern[at], buckets, n[at], len(items.classes)),
            "workloads": pooled(np.column_stack((buckets, each))[each > 0]),
        }
    return kept


def _by_part(pattern: Counts, buckets: Counts, n: Counts, classes: int) -> Counts:
    """Return how many items have such votes by group of annotators."""
    votes = votes_by_class(pattern, classes)
    found = []
    for part in np.unique(part_of(buckets)):
        own = votes_by_class(pattern[:, part_of(buckets) == part], classes)
        some = own.any(axis=1)
        named = np.full(np.count_nonzero(some), part)
        found.append(pooled(falls_of(named, votes[some], own[some], n[some])))
    return pooled(np.concatenate(found))


# Rows of each layout as one checked row per item.


Counting: TypeAlias = Callable[[RowRequest], CheckedRows]


def _or_grouped(*roles: str) -> Callable[[Counting], Counting]:
    """Have a function count rows also where numbers of votes have marks between thousands."""

    def decorate(count: Counting) -> Counting:
        @wraps(count)
        def counted(request: RowRequest) -> CheckedRows:
            try:
                return count(request)
            except InputError:
                plain = _without_marks(request, roles)
                if plain is None:
                    raise
                return count(plain)

        return counted

    return decorate


def _without_marks(request: RowRequest, roles: Sequence[str]) -> RowRequest | None:
    """Return rows in which 1.569 votes are 1569, or None where that is not so of all numbers.

    Votes are whole numbers, so that the mark is not that of a fraction where others are hundreds.
    """
    kinds = request.frame.collect_schema()
    given = [request.columns.get(role) for role in roles]
    columns = [
        one
        for some in given
        for one in (some if isinstance(some, tuple) else [some])
        if one in kinds.names() and kinds[one] == nw.String
    ]
    if not columns:
        return None
    rows = select(request.frame, {f"c{i}": one for i, one in enumerate(columns)})
    texts = [nw.col(f"c{i}") for i in range(len(columns))]
    for mark in (r"\.", ","):
        right = rf"^\s*(?:[0-9]{{1,3}}|[1-9][0-9]{{0,2}}(?:{mark}[0-9]{{3}})+)\s*$"
        odd = [~text.str.contains(right).fill_null(True) for text in texts]
        hundreds = [text.str.contains(r"^\s*[1-9][0-9]{2}\s*$").fill_null(False) for text in texts]
        asked = {"odd": reduce(or_, odd), "hundreds": reduce(or_, hundreds)}
        found = count_where(rows, request.run, asked)
        if not found["odd"] and found["hundreds"]:
            return replace(request, frame=without_marks(request.frame, columns, mark))
    return None


@_or_grouped("positives", "totals")
def votes_counted(request: RowRequest) -> CheckedRows:
    """Return one checked row per item from rows with the numbers of its votes."""
    totals = request.columns["totals"]
    names = {name: column for name, column in request.columns.items() if name != "totals"}
    if isinstance(totals, str):
        names["totals"] = totals
    frame, given = named(request, names)
    if not isinstance(totals, str):
        frame = frame.with_columns(totals=nw.lit(float(totals)))
    numbers = [name for name in ("positives", "totals") if name in names]
    frame = with_numbers(frame, {name: f"given_{name}" for name in numbers})
    none = (nw.col("totals") == 0) & ~(nw.col("positives") > 0).fill_null(False)
    rules, both = [_whole_votes(given[name], name) for name in numbers], _both(request.columns)
    if "totals" in names:
        rules[-1] = replace(rules[-1], remedy=both)
    more_than_all = (nw.col("positives") > nw.col("totals")).fill_null(False)
    must = ("must not exceed ", argument("totals"))
    rules.append(ColumnRule(given["positives"], "given_positives", more_than_all, must, both))
    frame, more = _with_label(frame, given, request)
    try:
        return checked(request, frame, given, [*rules, *more], no_votes=none)
    except InputError:
        shares = _of_shares(frame, request)
        if shares is not None:
            return checked(request, shares, given, [*rules, *more], no_votes=none)
        _refuse_swapped(frame, request)
        raise


def _refuse_swapped(frame: Frame, request: RowRequest) -> None:
    """Refuse the number of all votes in the place of those for class 1, and the reverse."""
    totals, positives = request.columns["totals"], request.columns["positives"]
    more = (nw.col("positives") >= nw.col("totals")).fill_null(True)
    same = (nw.col("positives") == nw.col("totals")).fill_null(False)
    found = count_where(frame, request.run, {"more": more, "same": same})
    if isinstance(totals, str) and found["more"] == found["n"] > found["same"]:
        raise InputError(
            *(argument("positives"), " is never less than ", argument("totals")),
            f", as if {totals!r} held the votes for class 1 and {positives!r} the number of all. "
            "Name them the other way round.",
        )


def _both(columns: Mapping[str, Any]) -> tuple[Part, ...]:
    """Return what to do where a number of all votes may be one of votes for the other class."""
    classes = [columns["totals"], columns["positives"]]
    if not isinstance(classes[0], str):
        return (argument("totals"), " is the number of all votes on an item.")
    text = " counts all votes on an item. If these are votes for the other class, pass "
    return (argument("totals"), text, argument("counts", classes), " instead.")


def _of_shares(frame: nw.LazyFrame[Any], request: RowRequest) -> nw.LazyFrame[Any] | None:
    """Return the numbers of votes where there are shares of them, such as 0.667 of 3; or None."""
    share, total = (nw.col(name).cast(nw.Float64) for name in ("positives", "totals"))
    votes = (share * total).round(0)
    most = nw.min_horizontal(total * SHARE_ROUNDING, nw.lit(MOST_ROUNDING))
    missed = ~((share * total - votes).abs() <= most) | (share < 0) | (share > 1)
    inside = (share > 0) & (share < 1)
    found = count_where(frame, request.run, {"missed": missed.fill_null(False), "some": inside})
    if found["missed"] or not found["some"]:
        return None
    return frame.with_columns(positives=votes)


def votes_one_by_one(request: RowRequest) -> CheckedRows:
    """Return one checked row per item from rows with one vote each."""
    items = single_votes(request)
    label = ("label",) if items.labelled else ()
    if request.naming is not None and request.has_many_classes:
        items = _packed(items, request.naming.names)
    votes = _added_votes(items, items.frame, [*items.groups, *label, *items.sampling, "given_item"])
    for name in (*label, *items.sampling):
        column = request.columns["label"] if name == "label" else request.options.sampling[name]
        _check_one_per_item(replace(items, frame=votes), name, column)
    known = request.columns.get("annotator") is not None and not items.labelled
    return replace(items, frame=votes, voters=voters_in_rows(items, votes) if known else {})


def _packed(items: CheckedRows, classes: tuple[str, ...]) -> CheckedRows:
    """Return rows with one vote each, with the numbers of their votes."""
    of_item = items.frame.group_by(*items.groups, "given_item").agg(n=nw.len())
    found = items.run(of_item.select(nw.col("n").max().alias("most")))
    base = int(whole(found["most"])[0]) + 1
    own = packed_votes([nw.col("vote")], len(classes), base)
    return replace(items, frame=with_each(items.frame, *own), classes=classes, base=base)


@_or_grouped("counts")
def votes_of_classes(request: RowRequest) -> CheckedRows:
    """Return one checked row per item from rows with the number of votes for each class."""
    names, frame, given = _named_columns(request, "counts")
    frame = with_numbers(frame, {name: f"given_{name}" for name in names})
    rules = [_whole_votes(given[name], name) for name in names]
    total = nw.sum_horizontal(*(nw.col(name).cast(nw.Float64).abs() for name in names))
    frame, more = _with_label(frame, given, request)
    items = checked_together(request, frame, given, rules, more, no_votes=total == 0)
    most = items.run(items.frame.select(*(nw.col(name).max().alias(name) for name in names)))
    base = max(int(whole(one)[0]) for one in most.values()) + 1
    numbers = packed_counts([nw.col(name) for name in names], base)
    classes = request.options.classes or names_of_columns(list(names.values()))
    return replace(items, frame=with_each(items.frame, *numbers), classes=classes, base=base)


def _named_columns(request: RowRequest, role: str) -> tuple[dict[str, str], Frame, Given]:
    """Return the columns of votes by the names that they are given, and all that were named."""
    names = {f"{role} {i}": one for i, one in enumerate(request.columns[role])}
    label = {"label": request.columns["label"]} if "label" in request.columns else {}
    return names, *named(request, names | label)


def _whole_votes(shown_as: tuple[Part, ...], name: str) -> ColumnRule:
    number = nw.col(name)
    right = (number == number.floor()) & (number >= 0) & (number < _MOST_OF_AN_ITEM)
    return ColumnRule(
        shown_as,
        f"given_{name}",
        ~right.fill_null(False),
        "must be whole numbers of at least 0",
        "Pass numbers of votes, not fractions.",
    )


def ballots_in_rows(request: RowRequest) -> Ballots:
    """Return the single votes of rows with one vote each."""
    if request.columns.get("annotator") is None:
        raise InputError(argument("annotator"), " is missing. Name the column of annotators.")
    items = single_votes(request)
    names = ("given_item", "given_annotator", "vote")
    found = items.run(items.frame.select(*names).head(MOST_VOTES + 1))
    return Ballots.of(*(found[name] for name in names))


def single_votes(request: RowRequest) -> CheckedRows:
    """Return checked rows with one vote each."""
    request = with_order(request)
    frame, given = named(request, request.columns)
    frame, rule = with_class(frame, "vote", given["vote"], request)
    frame, more = _with_label(frame, given, request)
    items = checked(request, frame, given, [rule, *more], predictions_of_rows=False)
    if request.options.positive is not None:
        check_positive(items, request.options.positive, given["vote"], "vote")
    return without_repeats(items, given, request.options.duplicates)


def votes_side_by_side(request: RowRequest) -> CheckedRows:
    """Return one checked row per item from rows with a column of votes per annotator."""
    items, annotators, votes = patterns_side_by_side(request, packed=True)
    if items.labelled:
        return items
    return replace(items, voters=voters_in_columns(items, annotators, votes))


def votes_in_lists(request: RowRequest) -> CheckedRows:
    """Return one checked row per item from rows with a list of votes, whose annotators are unknown.

    The places of the lists have columns of their own by now.
    """
    return replace(votes_side_by_side(request), voters={})


def ballots_side_by_side(request: RowRequest) -> Ballots:
    """Return the single votes of rows with a column of votes per annotator."""
    items, annotators, votes = patterns_side_by_side(request)
    chosen = [vote.cast(nw.Int64).alias(f"v{i}") for i, vote in enumerate(votes)]
    found = items.run(items.frame.select(*chosen).head(MOST_VOTES // len(votes) + 1))
    return Ballots.side_by_side(
        np.column_stack([whole(found[f"v{i}"]) for i in range(len(votes))]),
        list(annotators.values()),
    )


def patterns_side_by_side(
    request: RowRequest, *, packed: bool = False
) -> tuple[CheckedRows, dict[str, str], list[nw.Expr]]:
    """Return checked rows, the annotators of the columns, and their votes with -1 for none.

    With `packed`, rows have the numbers that stand for their votes for many classes.
    """
    role = "annotations" if "annotations" in request.columns else "annotators"
    names, frame, given = _named_columns(request, role)
    frame, rules = with_classes(frame, {name: given[name] for name in names}, request)
    kinds = frame.collect_schema()
    there = [~where_missing(frame, f"given_{name}", kinds) for name in names]
    rules = [
        replace(rule, bad=rule.bad & present) for rule, present in zip(rules, there, strict=True)
    ]
    positives = [
        nw.when(present).then(nw.col(name)).otherwise(nw.lit(0.0)).fill_null(0.0)
        for name, present in zip(names, there, strict=True)
    ]
    own, base = [nw.sum_horizontal(*positives).alias("positives")], 0
    classes: tuple[str, ...] = TWO_CLASSES
    if packed and request.naming is not None and request.has_many_classes:
        classes, base = request.naming.names, len(names) + 1
        own = packed_votes([nw.col(name) for name in names], len(classes), base)
    blank = {role: nw.col("totals") == 0}
    if "label" in given:
        blank["label"] = where_missing(frame, "given_label", kinds)
    totals = nw.sum_horizontal(*(present.cast(nw.Int64) for present in there))
    frame = with_each(frame.with_columns(totals=totals), *own)
    frame, more = _with_label(frame, given, request)
    items = checked(request, frame, given, [*rules, *more], missing=blank)
    if request.options.positive is not None:
        _check_any_positive(items, request.options.positive)
    votes = [
        nw.when(present).then(one).otherwise(nw.lit(-1.0))
        for one, present in zip(positives, there, strict=True)
    ]
    annotators = {name: str(column) for name, column in names.items()}
    return replace(items, classes=classes, base=base), annotators, votes


def _with_label(
    frame: Frame, given: Given, request: RowRequest
) -> tuple[Frame, tuple[ColumnRule, ...]]:
    """Add the column of the one true label, where there is one, and the rule for it."""
    if "label" not in given:
        return frame, ()
    frame, rule = with_class(frame, "label", given["label"], request)
    return frame, (rule,)


def _check_one_per_item(votes: CheckedRows, name: str, column: str) -> None:
    """Refuse items whose votes stand next to different labels, weights or clusters."""
    twice = votes.frame.group_by(*votes.groups, "given_item").agg(n=nw.len())
    found = votes.run(twice.filter(nw.col("n") > 1).select("given_item").head(1))
    if found["given_item"].size:
        item = found["given_item"].tolist()[0]
        raise InputError(
            argument(name),
            f" (column {column!r}) is not the same in all rows of an item, such as {item!r}."
            f" An item has one {_ONE[name]}: repeat it in each of its rows.",
        )


def _check_any_positive(items: CheckedRows, positive: object) -> None:
    if not count_where(items.frame, items.run, {"any": nw.col("positives") > 0})["any"]:
        raise InputError(
            argument("positive"),
            f" is {positive!r}, but no column of ",
            argument("annotators"),
            " has that value. Check how it is spelt.",
        )


# Checked rows as tables.


def count_votes(items: CheckedRows) -> dict[Any, VoteTable] | dict[Any, ScoreTable]:
    """Return the table of each group of items; of the group None where there are no groups.

    Next to labels, the shares of votes are scores, unless the label is one more vote.
    """
    label = ("label",) if items.labelled else ()
    found = counted_by(items, *vote_columns(items), *label)
    votes = votes_in(items, found)
    make: Any = partial(_table_with_labels if items.labelled else _table_of_votes, items, found)
    kind = ScoreTable if items.labelled and not items.label_is_vote else VoteTable
    empty = kind.empty if len(items.classes) == 2 else partial(kind.empty, items.classes)
    tables: dict[Any, Any] = tables_by_group(items, found, partial(make, votes), empty)
    for group, kept in items.voters.items():
        tables[group] = replace(tables[group], **kept)
    return tables


def vote_columns(items: CheckedRows) -> list[str]:
    """Return the columns of checked rows that hold the votes on an item."""
    return packed_names(*_size(items)) if items.base else ["positives", "totals"]


def votes_in(items: CheckedRows, found: Columns) -> Counts:
    """Return the votes for each class from these columns."""
    if items.base:  # they are numbers in that base
        return unpacked(found, *_size(items))
    positives, totals = whole(found["positives"]), whole(found["totals"])
    return side_by_side(totals - positives, positives)


def _table_of_votes(items: CheckedRows, found: Columns, votes: Counts, at: Any) -> VoteTable:
    columns = counted_votes(votes[at], whole(found["n"])[at], items.classes)
    return VoteTable(**columns, **_entries_of(items, found, at, vote_key(votes[at])))


def _table_with_labels(
    items: CheckedRows, found: Columns, votes: Counts, at: Any
) -> VoteTable | ScoreTable:
    label, n = whole(found["label"])[at], whole(found["n"])[at]
    if items.label_is_vote:
        own = _entries_of(items, found, at, vote_key(with_vote(votes[at], label)))
        return replace(votes_table(votes[at], label, n, classes=items.classes), **own)
    own = _entries_of(items, found, at, class_shares(votes[at]), label)
    return replace(class_shares_table(votes[at], label, n, classes=items.classes), **own)


def _entries_of(
    items: CheckedRows, found: Columns, at: Any, places: Any, label: Counts | None = None
) -> dict[str, Any]:
    """Return the entries of rows of votes, if there are weights or clusters."""
    if not items.sampling:
        return {}
    return {"entries": entries(items, found, at, ranks_of(places), label, whole(found["n"])[at])}
