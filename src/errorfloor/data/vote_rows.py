"""Rows of votes, counted, one by one or side by side, checked and counted into tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import add
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from errorfloor._checks import InputError, Part, argument, command, shown
from errorfloor._typing import Counts
from errorfloor.data.annotators import (
    MOST_ANNOTATORS,
    MOST_FOR_A_CLASS,
    MOST_ROWS,
    bucket_of,
    falls_of,
    part_of,
    pooled,
)
from errorfloor.data.arrays import class_shares, class_shares_table, votes_table
from errorfloor.data.ballots import MOST_VOTES, Ballots
from errorfloor.data.engines import (
    Columns,
    Frame,
    in_pairs,
    lazy,
    where_missing,
    with_each,
    with_numbers,
)
from errorfloor.data.matrices import (
    counted_votes,
    rows_of,
    side_by_side,
    vote_key,
    votes_by_class,
)
from errorfloor.data.naming import TWO_CLASSES, names_of_columns
from errorfloor.data.rows import (
    CheckedRows,
    ColumnRule,
    Given,
    RowRequest,
    check_positive,
    checked,
    checked_together,
    count_where,
    counted_by,
    entries,
    named,
    rows_by_group,
    tables_by_group,
    whole,
    with_class,
    with_classes,
)
from errorfloor.data.tables import ScoreTable, VoteTable, with_vote
from errorfloor.data.values import MOST_ROUNDING, SHARE_ROUNDING, quoted

_MOST_PACKED = 2**62  # that a number stays below
_ROW = "number of the row"
_PAIR = ("given_item", "given_annotator")
_ITSELF = (nw.String, nw.Boolean)  # kinds whose values come back from every engine as they were
_IN_MEMORY = (nw.Implementation.POLARS, nw.Implementation.PANDAS, nw.Implementation.PYARROW)
_MOST_ENTRIES = 2**25  # of patterns of votes side by side
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
    raise InputError(
        *given["annotator"],
        f": in {number:,} cases an annotator voted more than once on an item; for example "
        f"{annotator} on item {item}. Say which votes to take:",
        *(
            part
            for one in ("last", "first", "all")
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


def votes_counted(request: RowRequest) -> CheckedRows:
    """Return one checked row per item from rows with the numbers of its votes."""
    totals = request.columns["totals"]
    names = {name: column for name, column in request.columns.items() if name != "totals"}
    if isinstance(totals, str):
        names["totals"] = totals
    frame, given = named(request, names)
    if not isinstance(totals, str):
        frame = frame.with_columns(totals=nw.lit(float(totals)))
    rules = []
    for name in ("positives", "totals"):
        if name in names:
            frame = with_numbers(frame, {name: f"given_{name}"})
            rules.append(_whole_votes(given[name], name))
    none = (nw.col("totals") == 0) & ~(nw.col("positives") > 0).fill_null(False)
    if "totals" in names:
        rules[-1] = replace(rules[-1], remedy=_both(request.columns))
    rules.append(
        ColumnRule(
            given["positives"],
            "given_positives",
            (nw.col("positives") > nw.col("totals")).fill_null(False),
            ("must not exceed ", argument("totals")),
            _both(request.columns),
        )
    )
    frame, more = _with_label(frame, given, request)
    try:
        return checked(request, frame, given, [*rules, *more], no_votes=none)
    except InputError:
        shares = _of_shares(frame, request)
        if shares is None:
            raise
        return checked(request, shares, given, [*rules, *more], no_votes=none)


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


def votes_of_classes(request: RowRequest) -> CheckedRows:
    """Return one checked row per item from rows with the number of votes for each class."""
    names = {f"counts {k}": one for k, one in enumerate(request.columns["counts"])}
    label = {"label": request.columns["label"]} if "label" in request.columns else {}
    frame, given = named(request, names | label)
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


def _read_side_by_side(
    request: RowRequest,
) -> tuple[dict[str, str], Frame, Given, list[ColumnRule]]:
    """Return the annotators' columns, all columns as classes, and the rules for them."""
    role = _in_columns(request)
    names = {f"{role} {i}": one for i, one in enumerate(request.columns[role])}
    label = {"label": request.columns["label"]} if "label" in request.columns else {}
    frame, given = named(request, names | label)
    frame, rules = with_classes(frame, {name: given[name] for name in names}, request)
    there = [~where_missing(frame, f"given_{name}") for name in names]
    rules = [
        replace(rule, bad=rule.bad & present) for rule, present in zip(rules, there, strict=True)
    ]
    totals = nw.sum_horizontal(*(present.cast(nw.Int64) for present in there))
    return names, frame.with_columns(totals=totals), given, rules


def _in_columns(request: RowRequest) -> str:
    """Return the argument whose columns hold a vote each."""
    return "annotations" if "annotations" in request.columns else "annotators"


def patterns_side_by_side(
    request: RowRequest, *, packed: bool = False
) -> tuple[CheckedRows, dict[str, str], list[nw.Expr]]:
    """Return checked rows, the annotators of the columns, and their votes with -1 for none.

    With `packed`, rows have the numbers that stand for their votes for many classes.
    """
    names, frame, given, rules = _read_side_by_side(request)
    there = [~where_missing(frame, f"given_{name}") for name in names]
    positives = [
        nw.when(present).then(nw.col(name)).otherwise(nw.lit(0.0)).fill_null(0.0)
        for name, present in zip(names, there, strict=True)
    ]
    own, base = [nw.sum_horizontal(*positives).alias("positives")], 0
    classes: tuple[str, ...] = TWO_CLASSES
    if packed and request.naming is not None and request.has_many_classes:
        classes, base = request.naming.names, len(names) + 1
        own = packed_votes([nw.col(name) for name in names], len(classes), base)
    blank = {_in_columns(request): nw.col("totals") == 0}
    if "label" in given:
        blank["label"] = where_missing(frame, "given_label")
    frame, more = _with_label(with_each(frame, *own), given, request)
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
    two = len(items.classes) == 2
    empty = kind.empty() if two else kind.empty(items.classes)
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
    return {"entries": entries(items, found, at, rows_of(places), label, whole(found["n"])[at])}
