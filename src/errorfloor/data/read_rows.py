"""Rows of dataframes and files, counted into tables; saved tables are files, too."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import reduce
from math import inf
from operator import or_
from typing import Any

import narwhals as nw
import numpy as np

from errorfloor._checks import InputError, Mention, Part, argument, command, function
from errorfloor.data.ballots import Ballots
from errorfloor.data.classes import ballots_in, counted
from errorfloor.data.columns import (
    ChosenColumns,
    UnclearColumnsError,
    as_named,
    by_role,
    choose,
    fitting,
    likely_readings,
    names_an_id,
    simple,
    unclear,
)
from errorfloor.data.engines import (
    Columns,
    Frame,
    Progress,
    fetch,
    holds_several,
    kinds_of,
    lazy,
    number_of_rows,
    select,
    watched,
    where_missing,
    with_joined,
    with_numbers,
)
from errorfloor.data.files import Few, Found, found_with, opened, renamed, saved_table
from errorfloor.data.layouts import (
    ANNOTATIONS,
    BESIDE,
    CLUSTER,
    COUNTS,
    GOLD,
    ITEM_OF_ROW,
    LABEL,
    LAYOUTS,
    RATINGS_IN_ROWS,
    RATINGS_SIDE_BY_SIDE,
    SCORES,
    SOFT_LABELS,
    WEIGHT,
    Layout,
)
from errorfloor.data.likely import (
    FirstValues,
    confusion_matrix,
    first_values,
    keys_of_items,
    numbers_beside,
    only_score,
    or_scores,
    ratings_beside,
    ratings_in_rows,
    readings_by_values,
    score_and_label_apart,
    soft_labels_beside,
    sure_reading,
)
from errorfloor.data.matrices import CELLS, labels_apart
from errorfloor.data.options import Origin, Reading, ReadOptions, is_source
from errorfloor.data.read import ReadCall, facts_of_classes, of_counted
from errorfloor.data.rows import FEW_ROWS, RowRequest, Run, count_where, off_by_rounding, whole
from errorfloor.data.storage import read_arrays
from errorfloor.data.tables import ScoreTable, Table, VoteTable
from errorfloor.data.values import are_numbered, is_numbered

FEW_TO_LOOK_AT = 2**20  # up to which a look at repeated items takes no time
_FEW_TO_TELL = 20  # rows of which two different values are no accident
_MOST_FILES = 20  # that may be one for each person
_HEAD = 1000  # rows that tell whether a column numbers them
# Next to which a column called weight has what somebody or something weighs.
_SIZES = re.compile(r"(^|_)(height|bmi|length|width|volume|price)(_|$)")
_AS_THEY_ARE = ReadOptions()


# What only rows can tell about labels: repeated items, ids in place of scores, other labels.


def facts_of(
    request: RowRequest, chosen: ChosenColumns, tables: Mapping[Any, Table], rows: int
) -> dict[str, Any]:
    """Return what only rows can tell, where a look at one more column takes no time."""
    frame, run, group = request.frame, request.run, request.options.group
    used = {*chosen.used, *request.options.predictions, group}
    free = [one for one in frame.collect_schema() if one not in used]
    facts: dict[str, Any] = {}
    items = fitting(ITEM_OF_ROW, free)
    few = chosen.layout.row_is_item and rows <= FEW_TO_LOOK_AT
    if few and items and not holds_several(frame, run, items[0]):
        repeated = count_repeated(frame, run, items[0], group)
        facts |= {"repeated_items": repeated} if repeated else {}
    if free:
        item = None if chosen.layout.row_is_item else chosen.columns.get("item")
        facts |= facts_beside(request, free, item, few=few)
    column: Any = chosen.columns.get("score")
    if isinstance(column, str) and all(len(table.classes) == 2 for table in tables.values()):
        by_name = names_an_id(column)
        if by_name or (
            are_numbered(tables.values()) and _are_row_numbers(_first(frame, run, column))
        ):
            facts["id_as_score"] = str(column)
    parts = tuple(f"{one}[" for one in used if isinstance(one, str))  # of lists of votes
    gold = fitting(GOLD, free) if chosen.layout.table is VoteTable else []
    gold = [one for one in gold if not str(one).startswith(parts)]
    return facts | ({"labels_beside_votes": str(gold[0])} if gold else {})


def facts_beside(
    request: RowRequest, free: Sequence[Any], item: str | None, *, few: bool
) -> dict[str, Any]:
    """Return columns that nobody named, and are called as weights or clusters are and hold them.

    `free` are those without another use; where a row is no item, `item` names it, which has one
    weight. Of clusters there is a look at `few` rows only.
    """
    named, facts = request.options.sampling, {}
    for role in BESIDE:
        found = fitting(role, free) if role.name not in named else []
        if not found or holds_several(request.frame, request.run, found[0]):
            continue
        told: Sequence[float] = ()
        plain = simple(found[0]) == WEIGHT.name
        if role is WEIGHT and not (plain and any(map(_SIZES.search, map(simple, free)))):
            told = _weights(request, found[0], item)
        elif role is CLUSTER and few:
            together = count_repeated(request.frame, request.run, found[0], request.options.group)
            told = [together] if together else ()
        if told:
            facts[f"{role.name}_beside"] = [str(found[0]), *told]
    return facts


def _weights(request: RowRequest, column: str, item: str | None) -> Sequence[float]:
    """Return the least and the largest weight; nothing where these are none, or tell no items."""
    columns = {"given": column} if item is None else {"given": column, "item": item}
    rows = with_numbers(select(request.frame, columns), {"weight": "given"})
    weight = nw.col("weight")
    least, most = weight.min().alias("least"), weight.max().alias("most")
    if item is not None:
        of_items = rows.group_by("item").agg(least, most)
        differ = request.run(of_items.select(found=(nw.col("most") - nw.col("least")).max()))
        if _number(differ["found"]) != 0:
            return ()
    bad = ~((weight > 0) & (weight < inf)).fill_null(False)
    bad = bad.cast(nw.Int64).sum().alias("bad")
    found = request.run(rows.select(least, most, bad))
    low, high = _number(found["least"]), _number(found["most"])
    return (low, high) if _number(found["bad"]) == 0 and low < high else ()


def _number(found: Any) -> float:
    return float(np.asarray(found, dtype=np.float64)[0])


def refuse_row_numbers(frame: Frame, run: Run, chosen: ChosenColumns) -> None:
    """Refuse to guess that numbers of rows are scores, by the values where no name says it."""
    for role in chosen.layout.roles:
        column: Any = chosen.columns.get(role.name)
        one = isinstance(column, str) and not role.several
        if not (one and role.name in chosen.guessed and role.is_number) or fitting(role, [column]):
            continue
        values = _first(frame, run, column)
        if _are_row_numbers(values):
            raise InputError(
                f"Column {column!r} numbers the rows, so it was not taken for "
                f"{role.argument!r}. Name the columns with ",
                *(argument(chosen.layout.needed[0].argument), " and the like."),
            )
        if role.alone and len(values) > _FEW_TO_TELL and len({*values.tolist()}) <= 2:
            raise InputError(
                f"Column {column!r} has two values at most, and is not taken for scores. Name ",
                *("these with ", argument(role.argument), ". Which of several models is better: "),
                *(function("compare"), "."),
            )


def _first(frame: Frame, run: Run, column: Any) -> Any:
    return run(select(frame, {"value": column}).head(_HEAD))["value"]


def _are_row_numbers(values: Any) -> bool:
    try:
        return is_numbered(np.asarray(values, dtype=np.float64))
    except (TypeError, ValueError):
        return False


def count_repeated(frame: Frame, run: Run, item: str, group: str | None) -> int:
    """Return how many rows have an item that another row of the same group had before."""
    columns = {"item": item} if group is None else {"item": item, "group": group}
    rows = select(frame, columns)
    for name in columns:
        rows = rows.filter(~where_missing(rows, name))
    times = rows.group_by(*columns).agg(n=nw.len())
    found = run(times.select((nw.col("n") - 1).sum().alias("n")))
    return int(whole(np.nan_to_num(np.asarray(found["n"], dtype=np.float64)))[0])


@contextmanager
def rows_of(
    data: Any,
    options: ReadOptions = _AS_THEY_ARE,
    progress: Progress | None = None,
    few: Few | None = None,
    *,
    ordered: bool = False,
) -> Iterator[tuple[Frame, Run]]:
    """Yield a frame over the rows of `data`, and what runs a query on it.

    Rows of files keep their order where `ordered`, or where `duplicates` asks for the first or the
    last of some. What is asked of `few` is to fetch them; see `_fetched`.
    """
    if is_source(data):
        with (
            found_with(data, options) as found,
            rows_of(found, options, progress, few, ordered=ordered) as rows,
        ):
            yield rows
        return
    if not isinstance(data, Found):
        yield lazy(data), fetch
        return
    ordered = ordered or options.duplicates in ("first", "last")
    with opened(data, ordered=ordered, few=few) as (connection, relation):

        def run(query: Frame) -> Columns:
            with watched(connection, progress):
                return fetch(query)

        yield lazy(relation), run


def _fetched(given: Mapping[str, Any], options: ReadOptions) -> Few | None:
    """Return what is fetched of files with few rows, or None where DuckDB has more to do.

    `given` are the columns by role.
    """
    roles = {role.name for role in SCORES.roles}
    plain = given.keys() == roles and all(isinstance(one, str) for one in given.values())
    more = (options.group, options.sampling, options.drop_missing, options.unlabelled)
    if not plain or any(more) or options.cells > CELLS:
        return None
    return Few(tuple(given.values()), FEW_ROWS)


# Files and rows as tables.


def of_files(data: Any, call: ReadCall) -> Reading:
    """Return the tables of the rows of files, or the sum of tables that were saved in them."""
    options = call.options
    given = (data,) if isinstance(data, str | os.PathLike) else data
    paths = tuple(os.fspath(path) for path in given)
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    name = options.called or f"{paths[0]}{more}"
    with found_with(data, options) as found:
        try:
            table = saved_table(found)
            if table is None:
                return of_rows(found, call, name, paths)
            _refuse_unclear_table(table, found, call, name)
            return of_counted(table, call, name, "a saved table", paths)
        except ValueError as error:
            if options.called is None:
                raise
            raise renamed(error, {found.paths[0]: options.called}) from error


def _refuse_unclear_table(table: Table, found: Found, call: ReadCall, name: str) -> None:
    """Refuse tables of 0.1 that may hold soft labels, which it kept as scores with labels 0."""
    if not isinstance(table, ScoreTable) or ScoreTable.kind not in call.kinds:
        return
    if len(table.classes) > 2:  # which 0.1 had none of
        return
    in_unit = ((table.scores >= 0) & (table.scores <= 1)).all()
    may_be_soft = in_unit and not table.positives.any() and not call.options.columns
    if may_be_soft and any("kind" not in read_arrays(file) for file in found.paths):
        soft = argument("soft", "scores")
        raise InputError(
            f"{name} was saved by version 0.1, which kept soft labels as scores whose labels are "
            "all 0: it does not say which of the two it holds. Take it for soft labels with ",
            soft if SOFT_LABELS in call.layouts else function(SOFT_LABELS.asks),
            "; count scores with labels again.",
        )


def of_rows(data: Any, call: ReadCall, name: str, paths: tuple[str, ...] = ()) -> Reading:
    """Return the tables of the rows of a dataframe or files."""
    options = call.options
    with _chosen_rows(data, call, name) as (frame, run, chosen):
        _check_uses(options, chosen)
        may_be_stacked = chosen.guessed or chosen.layout is SOFT_LABELS
        if may_be_stacked and isinstance(data, Found) and len(data.files) == 2:
            _refuse_stacked(data)
        request = _request(frame, run, chosen, options, data)
        try:
            request, classes, tables = counted(request, chosen.layout)
        except InputError:
            _check_columns_of_files(data, chosen.columns)
            raise
        rows = chosen.layout.rows(tables)
        if chosen.layout is COUNTS and rows == len(request.columns["counts"]):
            _refuse_confusion(first_values(frame, run, kinds_of(frame, run)))
        facts = facts_of_classes(tables.values(), sides=classes)
        if options.drop_missing and not chosen.layout.row_is_item:
            facts |= _missing_in_rows(request, chosen)
            if chosen.layout is not RATINGS_IN_ROWS:
                tables = _items_lost(request, chosen, tables)
        if chosen.layout is SOFT_LABELS:
            facts |= off_by_rounding(request)
        if not call.only_tables:
            facts |= facts_of(request, chosen, tables, rows)
    facts |= _facts_of_files(data)
    told = None if options.classes is not None else request.options.positive
    more = {"columns": chosen.columns, "guessed": chosen.guessed, "facts": facts}
    origin: Origin = "files" if paths else "frame"
    return call.read(tables, origin, chosen.layout, rows, told, files=paths, **more)


def _missing_in_rows(request: RowRequest, chosen: ChosenColumns) -> dict[str, Any]:
    """Return of how many votes or ratings in rows something is missing, where that is so."""
    used = {name: one for name, one in chosen.columns.items() if isinstance(one, str)}
    used |= request.options.sampling | _group_of(request)
    rows = select(request.frame, used)
    gone = reduce(or_, (where_missing(rows, name) for name in used))
    found = count_where(rows, request.run, {"gone": gone})
    what = "rating" if chosen.layout is RATINGS_IN_ROWS else "vote"
    number = {"what": what, "missing": found["gone"], "rows": found["n"]}
    return {"missing_in_rows": number} if found["gone"] else {}


def _group_of(request: RowRequest) -> dict[str, str]:
    return {} if request.options.group is None else {"group": request.options.group}


def _items_lost(
    request: RowRequest, chosen: ChosenColumns, tables: Mapping[Any, Table]
) -> dict[Any, Table]:
    """Return tables whose rows are votes with the number of items of which no vote is left."""
    group = _group_of(request)
    rows = select(request.frame, {"item": chosen.columns["item"], **group})
    rows = rows.filter(~where_missing(rows, "item"))
    items: dict[Any, int] = {}
    if group:
        none = where_missing(rows, "group")
        of_group = rows.filter(~none).unique().group_by("group").agg(n=nw.len())
        found = request.run(of_group)
        items = dict(zip(found["group"].tolist(), whole(found["n"]).tolist(), strict=True))
        rows = rows.filter(none)
    items[None] = number_of_rows(rows.select("item").unique(), request.run)
    return {name: table.without(max(items[name] - table.n, 0)) for name, table in tables.items()}


@dataclass(frozen=True, slots=True)
class SameItems:
    """Files that hold the same items, once each, by the columns of a key."""

    paths: tuple[str, ...]
    key: tuple[str, ...]
    seen: tuple[list[FirstValues], ...]  # of each file

    @property
    def says(self) -> str:
        """Which files hold the same items, and which has what."""
        several = len(self.paths) > 2
        files = f"{len(self.paths)} files" if several else " and ".join(map(repr, self.paths))
        columns = " and ".join(map(repr, self.key))
        both = f"{files} hold the same items (column{'s' * (len(self.key) > 1)} {columns})"
        if self.joined is None:
            return f"{both}, once each: each file seems to have one person's answers."
        scores, labels, _ = self.joined
        return f"{both}: scores in {scores!r}, and labels in {labels!r}."

    @property
    def joined(self) -> tuple[str, str, dict[str, str]] | None:
        """The file with the scores, that with the labels, and how to name the columns of both."""
        found = score_and_label_apart(self.seen, self.key) if len(self.key) == 1 else None
        if found is None:
            return None
        i, score, j, label = found
        there = [one.name.casefold() for one in self.seen[j]]
        own = f"{score} ({os.path.basename(self.paths[i])})" if score.casefold() in there else score
        return self.paths[i], self.paths[j], {"on": self.key[0], "score": own, "label": label}


def same_items(data: object, *, only_apart: bool = False) -> SameItems | None:
    """Return files that hold the same items, which are no parts of one table; None of others.

    With `only_apart`, one must have scores, and the other labels.
    """
    if not isinstance(data, Found) or not 1 < len(data.files) <= _MOST_FILES or data.joined:
        return None
    each = [replace(data, files=(file,), joined=None) for file in data.files]
    seen = []
    for file in each:
        with rows_of(file) as (frame, run):
            seen.append(first_values(frame, run, kinds_of(frame, run)))
    if only_apart and score_and_label_apart(seen, ()) is None:
        return None
    for key in keys_of_items(seen):
        items = [_items_by(key, file) for file in each]
        first = items[0]
        if first and all(one and 2 * len(first & one) >= len(one) for one in items[1:]):
            return SameItems(tuple(data.paths), key, tuple(seen))
    return None


def _items_by(key: Sequence[str], file: Found) -> set[tuple[str, ...]]:
    """Return the items of a file, none where one comes twice or there are very many."""
    with rows_of(file) as (frame, run):
        columns = {str(i): one for i, one in enumerate(key)}
        found = run(select(frame, columns).head(FEW_TO_LOOK_AT + 1))
    rows = [*zip(*(map(str, one.tolist()) for one in found.values()), strict=True)]
    items = {*rows}
    return items if len(items) == len(rows) <= FEW_TO_LOOK_AT else set()


def _refuse_stacked(data: Found) -> None:
    """Refuse two files of which one has the scores and the other the labels of the same items."""
    items = same_items(data, only_apart=True)
    if items is None or items.joined is None:
        return
    scores, labels, columns = items.joined
    words = ["errorfloor", scores, "--labels", labels]
    for name, one in columns.items():
        words += [f"--{name}", one]
    raise InputError(f"{items.says} To join them:\n  {shlex.join(words)}")


def _check_columns_of_files(data: Any, columns: Mapping[str, Any]) -> None:
    """Refuse a file that lacks a column of the others, whose rows have nothing there."""
    if not isinstance(data, Found) or len(data.files) == 1:
        return
    listed = [one if isinstance(one, tuple | list) else [one] for one in columns.values()]
    there = {}
    for file in data.files:
        with rows_of(replace(data, files=(file,), joined=None)) as (frame, _):
            there[file.path] = frame.collect_schema().names()
    for column in (name for names in listed for name in names):
        lacking = [path for path, names in there.items() if column not in names]
        if 0 < len(lacking) < len(there):
            has = next(path for path in there if path not in lacking)
            raise InputError(
                f"{has!r} has a column {column!r}, and {lacking[0]!r} has none. Several files are "
                "read as one table: name files with the same columns, or ask about each by itself."
            )


def _refuse_confusion(seen: Sequence[FirstValues]) -> None:
    """Refuse numbers of votes that are a confusion matrix, whose rows are no items."""
    if confusion_matrix(seen) is not None:
        raise InputError(
            argument("counts"),
            " is a confusion matrix, with a row for each class. A row must be an item: pass the "
            "votes of single items.",
        )


def _with_label(
    data: Any, frame: Frame, run: Run, given: dict[str, Any], layouts: Sequence[Layout]
) -> dict[str, Any]:
    """Return the columns that were named, and that of labels that are in files of their own.

    Refuse what a tool wrote without labels, unless somebody brings some or names columns.
    """
    if not isinstance(data, Found):
        return given
    if data.joined is None:
        return _known_columns(data, layouts) if data.tool_notes and not given else given
    there = data.joined.columns
    if "label" in given or (given and given.keys() != {"score"} and _all_in(given, there)):
        return given
    labels = fitting(LABEL, there) or there
    if len(labels) == 1:
        return {**({} if given else _score_beside(data, frame, run)), **given, "label": labels[0]}
    readings = likely_readings({one: kinds_of(frame, run)[one] for one in there}, LAYOUTS)
    if len(readings) == 1 and not given:
        return dict(readings[0].columns)
    lines = (part for one in labels[:3] for part in ("\n  ", command("label", one)))
    raise InputError(
        f"{data.joined.name} has several columns: {', '.join(there[:20])}. Say which one holds the "
        "labels:",
        *lines,
    )


def _score_beside(data: Found, frame: Frame, run: Run) -> dict[str, Any]:
    """Return the only column of the data that may hold scores, where labels are joined to it."""
    assert data.joined is not None
    kinds = kinds_of(frame, run)
    own = {one: kind for one, kind in kinds.items() if one not in data.joined.columns}
    if likely_readings(own, LAYOUTS) or fitting(SCORES.roles[0], own):
        return {}
    score = only_score(first_values(frame, run, own))
    return {} if score is None else {"score": score}


def _known_columns(data: Found, layouts: Sequence[Layout]) -> dict[str, Any]:
    """Return the columns that are known of a tool, or refuse what it wrote without labels."""
    for one in data.tool_notes:
        if one.problem is not None:
            raise one.problem
        if one.columns and ANNOTATIONS in layouts:
            return dict(one.columns)
    return {}


def _all_in(given: Mapping[str, Any], columns: Sequence[str]) -> bool:
    """Tell whether all columns that were named, several in one text or by a pattern, are these."""
    several = (one if isinstance(one, list | tuple) else [one] for one in given.values())
    parts = (part.strip() for some in several for one in some for part in str(one).split(","))
    return all(any(fnmatchcase(column, part) for column in columns) for part in parts)


def _with_item(frame: Frame, columns: Mapping[str, Any]) -> Frame:
    """Add a column for items that several columns name together, such as "query,doc"."""
    item, there = columns.get("item"), frame.collect_schema().names()
    if not isinstance(item, str) or item in there or "," not in item:
        return frame
    parts = [part.strip() for part in item.split(",")]
    if not all(part in there for part in parts):
        return frame  # which is refused later
    return with_joined(frame, parts, item)


def _facts_of_files(data: Any) -> dict[str, Any]:
    """Return the notes on the tool that wrote files, and on labels that were joined."""
    if not isinstance(data, Found):
        return {}
    notes = [f"{one.tool}: {note}" for one in data.tool_notes for note in one.notes]
    if data.joined is not None:
        counts = data.joined.counts
        every = counts["matched"] == counts["rows"]
        rows = (
            f"all {counts['rows']:,}" if every else f"{counts['matched']:,} of {counts['rows']:,}"
        )
        unused = f", and {counts['unused']:,} of its {counts['labels']:,} rows match none"
        more = unused if counts["unused"] else ""
        notes.append(f"{data.joined.name} has a row for {rows} rows{more}")
    joined = {} if data.joined is None else {"joined": dict(data.joined.counts)}
    return {**({"notes": notes} if notes else {}), **joined}


def _check_uses(options: ReadOptions, chosen: ChosenColumns) -> None:
    """Refuse one column for two things, and options that do not go with such columns."""
    models = [("prediction", column) for column in options.predictions]
    for name, column in (*options.sampling.items(), *models):
        if column in chosen.used or column == options.group:
            raise InputError(
                *(argument(name), f" names column {column!r}, which has another use already. "),
                "Name a column of its own, or leave it out.",
            )
    if options.unlabelled and chosen.layout is not SCORES:
        raise InputError(
            *(argument("unlabelled"), " keeps items with a score and without a label. Name the "),
            *("columns ", argument("score"), " and ", argument("label"), ", or leave it out."),
        )
    if options.duplicates != "error" and "annotator" not in chosen.columns:
        raise InputError(
            argument("duplicates", options.duplicates),
            " is about votes in rows of their own, and needs to know whose they are. Name ",
            *(argument("annotator"), " as well, or leave out ", argument("duplicates"), "."),
        )


def ballots_of(data: Any, options: ReadOptions) -> Ballots:
    """Return the single votes of a dataframe or files, with their annotators."""
    layouts = tuple(layout for layout in LAYOUTS if layout.ballots is not None)
    with _chosen_rows(data, ReadCall(layouts, options), "the data") as (frame, run, chosen):
        return ballots_in(_request(frame, run, chosen, options, data), chosen.layout)


def kind_in(data: Any, layouts: Sequence[Layout], options: ReadOptions) -> str:
    """Return what a dataframe or files hold, by their columns alone."""
    with _chosen_rows(data, ReadCall(tuple(layouts), options), "the data") as (_, _, chosen):
        return chosen.layout.kind


@contextmanager
def _chosen_rows(
    data: Any, call: ReadCall, name: str
) -> Iterator[tuple[Frame, Run, ChosenColumns]]:
    """Yield rows, what runs queries on them, and the columns to read, named or guessed."""
    options, given = call.options, by_role(_columns(call))
    with ExitStack() as stack:
        source = stack.enter_context(found_with(data, options)) if is_source(data) else data
        rows = rows_of(source, options, call.progress, _fetched(given, options))
        frame, run = stack.enter_context(rows)
        named = _with_label(source, frame, run, given, call.layouts)
        try:
            chosen = _chosen(frame, run, named, call, options.called or name)
        except UnclearColumnsError as error:
            told = source.tool_notes if isinstance(source, Found) else []
            notes = [f"{one.tool}: {note}. " for one in told for note in one.notes]
            if not notes:
                raise
            raise error.behind(*notes) from error
        joined = tuple(role for role in named if role not in given)
        chosen = replace(chosen, guessed=(*chosen.guessed, *joined)) if joined else chosen
        yield _with_item(frame, chosen.columns), run, chosen


def _request(
    frame: Frame, run: Run, chosen: ChosenColumns, options: ReadOptions, data: Any
) -> RowRequest:
    ordered = is_source(data) or isinstance(data, Found)
    columns = chosen.arguments
    return RowRequest(frame=frame, run=run, columns=columns, options=options, ordered=ordered)


def _columns(call: ReadCall) -> dict[str, Any]:
    """Return the columns that were named, also by what is the second array without rows."""
    for name, value in call.options.sampling.items():
        if not isinstance(value, str):
            text = " must be the name of a column, as the labels are in columns."
            raise InputError(argument(name), text)
    columns = dict(call.options.columns)
    if call.second is None:
        return columns
    layout = call.pair
    second, role = layout.arrays[1], layout.roles[1]
    if second != role.argument:
        if is_source(call.second):
            raise InputError(
                *(argument(second), " is a file next to another one. Name the column that both "),
                *("have with ", argument("on"), ", such as ", argument("on", "id"), "."),
            )
        raise labels_apart(call.second, call.first)
    return {**columns, second: call.second}


def _chosen(
    frame: Frame, run: Run, given: Mapping[str, Any], call: ReadCall, name: str
) -> ChosenColumns:
    """Return the columns to read; the rows are looked at only where some have to be guessed."""
    frame = _with_item(frame, given)
    own = call.layouts[0].choose
    if given and own is None:
        chosen = as_named(given, call.layouts, frame.collect_schema().names())
        if chosen is not None:
            return chosen
    kinds = kinds_of(frame, run)
    grouped = kinds.pop(call.options.group or "", None)
    for column in call.options.sampling.values():
        kinds.pop(column, None)
    models = {one: kinds.pop(one) for one in call.options.predictions if one in kinds}
    try:
        if own is not None:
            return own(kinds, given, call.options, name)
        chosen = choose(kinds, given, call.layouts, name)
        refuse_row_numbers(frame, run, chosen)
        if not given and chosen.layout is ANNOTATIONS and SCORES in call.layouts:
            both = or_scores(first_values(frame, run, kinds), [chosen])
            if len(both) > 1:  # votes in rows, where a score of what was voted would be left out
                raise unclear(kinds, both, call.layouts, name)
        return chosen
    except InputError as error:
        told = None
        if isinstance(error, UnclearColumnsError) and own is not None:
            seen = [] if given else first_values(frame, run, kinds)
            known = call.options.arrays.get("rater") is not False
            told = _sure_ratings(seen, None if grouped else error, known=known)
        elif isinstance(error, UnclearColumnsError):
            told, error = _by_first_values(frame, run, kinds, models, call, error, name)
        if told is not None:
            return told
        if grouped is None or not _is_told(
            {**kinds, str(call.options.group): grouped}, given, call
        ):
            raise error from None
        taken = argument("group", call.options.group)
        raise error.behind(taken, " leaves too few columns. ") from error


def _is_told(kinds: Mapping[str, str], given: Mapping[str, Any], call: ReadCall) -> bool:
    """Tell whether names leave no doubt about columns, by the layouts of a call."""
    own = call.layouts[0].choose
    try:
        _ = own(kinds, given, call.options, "") if own else choose(kinds, given, call.layouts, "")
    except InputError:
        return False
    return True


def _by_first_values(
    frame: Frame,
    run: Run,
    kinds: Mapping[str, str],
    models: Mapping[str, str],
    call: ReadCall,
    error: InputError,
    name: str,
) -> tuple[ChosenColumns | None, InputError]:
    """Return what values and names tell together, and an error with what they suggest."""
    first = first_values(frame, run, kinds)
    told = sure_reading(
        first,
        call.layouts,
        numbers_vote=call.options.positive_from is not None,
        predicted=first_values(frame, run, models),
    )
    if told is None and [one.name for one in call.layouts] == [SOFT_LABELS.name]:
        told = soft_labels_beside(first)
    able = {one.name for one in call.layouts}
    likely = [one for one in readings_by_values(first) if one.layout.name in able]
    if told is None and likely and not any(map(_is_command, error.parts)):
        return None, unclear(kinds, likely, call.layouts, name, typed=False)
    return told, error


def _is_command(part: Part) -> bool:
    return isinstance(part, Mention) and part.is_command


def _sure_ratings(
    seen: Any, error: UnclearColumnsError | None, *, known: bool
) -> ChosenColumns | None:
    """Return the ratings that first values tell, or ask which columns are meant.

    Whose a rating is tells the columns apart, also where that is not to be `known`.
    """
    if rows := ratings_in_rows(seen):
        rows = rows if known else {role: one for role, one in rows.items() if role != "rater"}
        return ChosenColumns(RATINGS_IN_ROWS, rows, tuple(rows))
    if names := ratings_beside(seen):
        return ChosenColumns(RATINGS_SIDE_BY_SIDE, {"ratings": names}, ("ratings",))
    if len(numbers := numbers_beside(seen)) > 1 and error is not None:
        guess = ("\n  ", command("ratings", ",".join(numbers)))
        asked = f"Which columns should be used? {error.columns} Our guess:"
        raise InputError(asked, *guess) from error
    return None
