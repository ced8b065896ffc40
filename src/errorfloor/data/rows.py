"""Rows of a dataframe, named and checked: what is wrong is counted by the engine in one pass."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import pairwise
from math import inf
from numbers import Real
from operator import add, or_
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from errorfloor._checks import InputError, Part, Words, argument, check_choice, shown, words
from errorfloor._typing import Counts, Floats
from errorfloor.data.columns import TEXT_FIRST
from errorfloor.data.engines import (
    Columns,
    Frame,
    holds_several,
    in_pairs,
    number_of_rows,
    select,
    where_missing,
    with_each,
    with_numbers,
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
from errorfloor.data.naming import PER_LABEL, TWO_CLASSES, Naming, as_spoken, listed, whole_of
from errorfloor.data.options import ReadOptions
from errorfloor.data.values import number_of

if TYPE_CHECKING:
    from errorfloor.data.tables import Table

_FEW_COLUMNS = 100  # only for speed: that are looked at one by one
_SHOWN = 20  # only for speed: values that are fetched for a message
_NO_VOTES = "no votes"  # what rows without any vote are counted by
_OF_CLASSES = ("label", "vote", "annotators")
Run: TypeAlias = Callable[[Frame], Columns]
TableT = TypeVar("TableT", bound="Table")
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


def _missing(request: RowRequest, given: Given, n: int, found: Mapping[str, int]) -> InputError:
    """Say in which column values are missing, and what can be done about it."""
    name = next(name for name, number in found.items() if number and name != "n")
    if name == _NO_VOTES:
        text = f"{found[name]:,} of {n:,} rows are items without any vote. Pass "
        return InputError(text, argument("drop_missing", True), " to leave these rows out.")
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
    if not conditions:
        return {"n": number_of_rows(frame, run)}
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
    items: CheckedRows, found: Columns, make: Callable[[Any], TableT], empty: TableT
) -> dict[Any, TableT]:
    """Return the table that `make` has of each group's rows; `empty` where all were left out."""
    tables = {group: make(at) for group, at in rows_by_group(items, found)}
    tables |= {group: empty for group in items.dropped if group not in tables}
    dropped = items.dropped
    return {group: table.without(dropped.get(group, 0)) for group, table in tables.items()}


def _sorted(values: Any) -> list[Any]:
    try:
        return sorted(values)
    except TypeError:
        return sorted(values, key=str)
