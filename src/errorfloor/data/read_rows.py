"""Rows of dataframes and files, counted into tables; saved tables are files, too."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from errorfloor._checks import InputError, argument, function
from errorfloor.data.asked import Asked, Reading, Where, as_asked, is_source
from errorfloor.data.ballots import Ballots
from errorfloor.data.classes import ballots_in, counted
from errorfloor.data.columns import as_named, by_role, choose
from errorfloor.data.engines import Frame, Progress, kinds_of
from errorfloor.data.facts import facts_of, refuse_row_numbers
from errorfloor.data.files import at_rest, find_data, renamed
from errorfloor.data.formats import format_of
from errorfloor.data.frames import fetched, rows_of
from errorfloor.data.guessing import Chosen
from errorfloor.data.layouts import LAYOUTS, SCORES, SOFT_LABELS, Layout
from errorfloor.data.naming import facts_of_classes
from errorfloor.data.rows import Request, Run
from errorfloor.data.saved import saved_table
from errorfloor.data.storage import read_arrays
from errorfloor.data.table import Table
from errorfloor.data.tables import ScoreTable


def of_files(data: Any, asked: Asked) -> Reading:
    """Return the tables of the rows of files, or the sum of tables that were saved in them."""
    where = asked.where
    given = (data,) if isinstance(data, str | os.PathLike) else data
    paths = tuple(os.fspath(path) for path in given)
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    name = where.called or f"{paths[0]}{more}"
    with at_rest(find_data(data, where.format)) as files, _calling(files, where.called):
        if format_of(files, where.format).holds_tables:
            table = saved_table(files)
            if table is not None:
                _refuse_unclear_table(table, files, asked, name)
                return as_asked(table, asked, (name, "a saved table"), paths)
        return of_rows(files, asked, name, paths)


def _refuse_unclear_table(table: Table, files: Sequence[str], asked: Asked, name: str) -> None:
    """Refuse tables of 0.1 that may hold soft labels, which it kept as scores with labels 0."""
    if not isinstance(table, ScoreTable) or ScoreTable.kind not in asked.kinds:
        return
    if len(table.classes) > 2:  # which 0.1 had none of
        return
    in_unit = ((table.scores >= 0) & (table.scores <= 1)).all()
    may_be_soft = in_unit and not table.positives.any() and not asked.where.columns
    if may_be_soft and any("kind" not in read_arrays(file) for file in files):
        soft = argument("soft", "scores")
        raise InputError(
            f"{name} was saved by version 0.1, which kept soft labels as scores whose labels are "
            "all 0: it does not say which of the two it holds. Take it for soft labels with ",
            soft if SOFT_LABELS in asked.layouts else function(SOFT_LABELS.asks),
            "; count scores with labels anew.",
        )


@contextmanager
def _calling(files: Sequence[str], called: str | None) -> Iterator[None]:
    """Have errors call the only file as people do."""
    try:
        yield
    except ValueError as error:
        if called is None:
            raise
        raise renamed(error, {files[0]: called}) from error


def of_rows(data: Any, asked: Asked, name: str, paths: tuple[str, ...] = ()) -> Reading:
    """Return the tables of the rows of a dataframe or files."""
    where = asked.where
    given = by_role(_columns(asked))
    _refuse_arrays(where)
    few = fetched(given, where.group, where.beside, where.drop_missing, where.unlabelled)
    with rows_of(data, asked.progress, where.format, where.duplicates, few) as (frame, run):
        chosen = _chosen(frame, run, given, asked, name)
        _refuse_used(where, chosen)
        _refuse_unlabelled(where, chosen)
        layout = chosen.layout
        _refuse_duplicates(where, chosen)
        request = _request(frame, run, chosen, where, is_source(data))
        request, classes, tables = counted(request, layout)
        rows = layout.rows(tables)
        facts = {} if classes is None else {"classes": classes}
        facts |= facts_of_classes(tables.values())
        facts |= facts_of(request, chosen, tables, rows)
    more = {"columns": chosen.columns, "guessed": chosen.guessed, "facts": facts}
    source = asked.source("files" if paths else "frame", layout, rows, files=paths, **more)
    told = where.positive if where.classes is not None else request.positive
    return Reading(tables, replace(source, positive=told))


def _refuse_arrays(where: Where) -> None:
    for name, value in where.beside.items():
        if not isinstance(value, str):
            raise InputError(
                *(argument(name), " must be the name of a column, as the labels are in columns."),
            )


def _refuse_used(where: Where, chosen: Chosen) -> None:
    """Refuse to take one column for two things."""
    models = [("prediction", column) for column in where.predictions]
    for name, column in (*where.beside.items(), *models):
        if column in chosen.used or column == where.group:
            raise InputError(
                *(argument(name), f" names column {column!r}, which has another use already. "),
                "Name a column of its own, or leave it out.",
            )


def _refuse_unlabelled(where: Where, chosen: Chosen) -> None:
    """Refuse to keep items without a label where there are no labels."""
    if where.unlabelled and chosen.layout is not SCORES:
        raise InputError(
            *(argument("unlabelled"), " keeps items with a score and without a label. Name the "),
            *("columns ", argument("score"), " and ", argument("label"), ", or leave it out."),
        )


def _refuse_duplicates(where: Where, chosen: Chosen) -> None:
    """Refuse to choose among votes of one annotator where nobody knows whose they are."""
    if where.duplicates != "error" and "annotator" not in chosen.columns:
        raise InputError(
            argument("duplicates", where.duplicates),
            " is about votes in rows of their own, and needs to know whose they are. Name ",
            *(argument("annotator"), " as well, or leave it out."),
        )


def ballots_of(data: Any, where: Where, progress: Progress | None = None) -> Ballots:
    """Return the single votes of a dataframe or files, with their annotators."""
    layouts = tuple(layout for layout in LAYOUTS if layout.ballots is not None)
    asked = Asked(layouts, where, None, None, progress)
    with rows_of(data, progress, where.format, where.duplicates) as (frame, run):
        chosen = _chosen(frame, run, by_role(_columns(asked)), asked, where.called or "the data")
        assert chosen.layout.ballots is not None
        request = _request(frame, run, chosen, where, is_source(data))
        return ballots_in(request, chosen.layout)


def kind_in(data: Any, layouts: Sequence[Layout], where: Where) -> str:
    """Return what a dataframe or files hold, told by their columns alone."""
    asked = Asked(tuple(layouts), where, None, None, None)
    with rows_of(data, None, where.format) as (frame, run):
        given = by_role(_columns(asked))
        return _chosen(frame, run, given, asked, where.called or "the data").layout.kind


def _request(frame: Frame, run: Run, chosen: Chosen, where: Where, ordered: bool) -> Request:
    return Request(
        frame=frame,
        run=run,
        columns=chosen.arguments,
        group=where.group,
        beside=where.beside,
        predictions=where.predictions,
        positive=where.positive,
        positive_from=where.positive_from,
        classes=where.classes,
        drop_missing=where.drop_missing,
        unlabelled=where.unlabelled,
        label_is_vote=where.label_is_vote,
        duplicates=where.duplicates,
        ordered=ordered,
    )


def _columns(asked: Asked) -> dict[str, Any]:
    """Return the columns that were named, also by what is the second array without rows."""
    columns = dict(asked.where.columns)
    if asked.second is None:
        return columns
    layout = asked.pair
    second, role = layout.arrays[1], layout.roles[1]
    if second != role.argument:
        raise InputError(
            *(argument(second), " must be left out when ", asked.first),
            " is a dataframe or a file. Name its column with ",
            *(argument(role.argument), "."),
        )
    return {**columns, second: asked.second}


def _chosen(frame: Frame, run: Run, given: Mapping[str, Any], asked: Asked, name: str) -> Chosen:
    """Return the columns to read; the rows are looked at only where some have to be guessed."""
    chosen = as_named(given, asked.layouts, frame.collect_schema().names())
    if chosen is not None:
        return chosen
    kinds = kinds_of(frame, run)
    grouped = kinds.pop(asked.where.group or "", None)
    for column in (*asked.where.beside.values(), *asked.where.predictions):
        kinds.pop(column, None)
    try:
        chosen = choose(kinds, given, asked.layouts, name)
        refuse_row_numbers(frame, run, chosen)
        return chosen
    except InputError as error:
        if grouped is None:
            raise
        taken = argument("group", asked.where.group)
        raise InputError(taken, " leaves too few columns. ", *error.parts) from error
