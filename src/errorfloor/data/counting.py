"""Queries that count checked rows, and the tables made of their answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from itertools import pairwise
from operator import or_
from typing import Any, TypeVar

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from errorfloor._typing import Counts
from errorfloor.data import grid, packing, refining
from errorfloor.data.arrays import count_checked
from errorfloor.data.engines import (
    Columns,
    Frame,
    is_missing,
    is_number,
    number_of_rows,
    select,
    with_cell,
)
from errorfloor.data.entry_rows import counted_by, entries, of_lines
from errorfloor.data.gold import with_vote
from errorfloor.data.matrices import counted_votes
from errorfloor.data.ranged import Ranged
from errorfloor.data.rows import Items, Request, Run, whole
from errorfloor.data.score_rows import ScoreRows
from errorfloor.data.shares import class_shares, class_shares_table, votes_table
from errorfloor.data.table import rows_of, side_by_side, vote_key
from errorfloor.data.tables import ScoreTable, SoftTable, VoteTable

FEW_ROWS = 2**24  # whose scores and labels take a few hundred megabytes

RangedT = TypeVar("RangedT", bound=Ranged)


def count_scores(request: Request) -> dict[Any, ScoreTable]:
    """Return the table of each group; of the group None where there are no groups."""
    numbers = _numbers(request)
    table = None if numbers is None else _table_of_few(request, numbers)
    if table is not None:
        return {None: table}
    rows = ScoreRows.read(request, "score", "label")
    if request.beside:
        return _weighed(rows.checked())
    if numbers is None:
        table = _table_of_few(request, rows.frame.select("score", "label"))  # only for speed
    if table is not None:
        return {None: table}
    items = rows.likely()
    tables = _first_pass(items, request.cells, ScoreTable)
    none_positive = not any(table.positives.any() for table in tables.values())
    if _some_lost(items, tables) or (request.positive is not None and none_positive):
        items = rows.checked()
        tables = _first_pass(items, request.cells, ScoreTable)
    return _refined(items, tables) if request.refine else tables


def _numbers(request: Request) -> Frame | None:
    """Return the columns of scores and labels in DuckDB if there is nothing to read as numbers.

    To name and read columns in a way that suits all takes as long as to fetch 100,000 rows.
    """
    asked = (request.positive, request.positive_from, request.naming, request.group)
    if not request.frame.implementation.is_duckdb() or any(one is not None for one in asked):
        return None
    columns = {name: request.columns[name] for name in ("score", "label")}
    if request.beside or not all(isinstance(column, str) for column in columns.values()):
        return None
    kinds = request.frame.collect_schema()
    if not all(column in kinds and is_number(kinds[column]) for column in columns.values()):
        return None
    return select(request.frame, columns)


def _table_of_few(request: Request, frame: Frame) -> ScoreTable | None:
    """Return the table of rows that fit into memory; None if they do not, or some will not do.

    The frame has the columns `score` and `label` alone. To fetch them takes DuckDB a fraction of
    the time of a group-by.
    """
    if request.group is not None or not frame.implementation.is_duckdb():
        return None
    if request.cells > grid.CELLS:  # too many for an entry each
        return None
    if not 0 < number_of_rows(frame, request.run) <= FEW_ROWS:
        return None
    found = request.run(frame)
    scores, labels = found["score"], found["label"]
    if not _will_do(scores, labels):
        return None
    if request.positive is not None and not labels.any():
        return None
    return count_checked(scores, labels, cells=request.cells, refine=request.refine)


def _will_do(scores: NDArray[Any], labels: NDArray[Any]) -> bool:
    """Tell whether scores are finite and labels 0 or 1."""
    with np.errstate(invalid="ignore"):
        ends = scores.min(), scores.max()  # not a number where one is
    if not np.isfinite(ends).all():
        return False
    if labels.dtype.kind in "biu":
        return bool(labels.min() >= 0 and labels.max() <= 1)
    return bool(((labels == 0) | (labels == 1)).all())


def count_soft_labels(request: Request) -> dict[Any, SoftTable]:
    """Return the table of each group; of the group None where there are no groups."""
    rows = ScoreRows.read(request, "soft")
    if request.beside:
        return _weighed(rows.checked())
    items = rows.likely()
    tables = _first_pass(items, request.cells, SoftTable)
    if _some_lost(items, tables):
        tables = _first_pass(rows.checked(), request.cells, SoftTable)
    return tables


def _weighed(items: Items) -> dict[Any, Any]:
    """Return the tables of rows with weights or clusters."""
    found = counted_by(items, "score", *(("label",) if items.labelled else ()))
    tables: dict[Any, Any] = {
        group: of_lines(items, found, at).without(items.dropped.get(group, 0))
        for group, at in rows_by_group(items, found)
    }
    kind = ScoreTable if items.labelled else SoftTable
    return tables | {
        group: kind.empty().without(lost)
        for group, lost in items.dropped.items()
        if group not in tables
    }


def _some_lost(items: Items, tables: dict[Any, RangedT]) -> bool:
    """Tell whether some rows are not in the tables, or there are none."""
    counted = sum(table.n for table in tables.values())
    return counted != items.n or counted == 0


def _first_pass(items: Items, cells: int, kind: type[RangedT]) -> dict[Any, RangedT]:
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


def _exact_tables(items: Items, kind: type[RangedT]) -> dict[Any, RangedT] | None:
    """Return tables of all distinct scores, or None if there are too many."""
    query = _by_score(items, items.frame)
    if items.n > grid.EXACT:
        # Most of the time the first rows tell, and the whole group-by is spared.
        first = 2 * grid.EXACT  # only for speed
        head = _by_score(items, items.frame.head(first))
        if whole(items.run(head.select(nw.len().alias("n")))["n"])[0] > grid.EXACT:
            return None
        query = query.head(grid.EXACT + 1)  # only for speed: more rows are thrown away
    found = items.run(query)
    return _tables_of(items, found, kind) if found["n"].size <= grid.EXACT else None


def _by_score(items: Items, frame: Frame) -> Frame:
    return frame.group_by(*items.groups, "score").agg(*_counts_of(items))


def _counts_of(items: Items) -> list[nw.Expr]:
    positives = [nw.col("label").sum().alias("positives")] if items.labelled else []
    return [nw.len().alias("n"), *positives]


def _tables_of(items: Items, found: Columns, kind: type[RangedT]) -> dict[Any, RangedT]:
    low, high = (found[name] if name in found else found["score"] for name in ("low", "high"))
    counts = _counts_in(found)
    tables = {
        group: kind.from_ranges(
            low[at].astype(np.float64),
            high[at].astype(np.float64),
            counts[at],
            dropped=items.dropped.get(group, 0),
        )
        for group, at in rows_by_group(items, found)
    }
    return tables | {
        group: kind.from_ranges(low[:0], high[:0], counts[:0], dropped=dropped)
        for group, dropped in items.dropped.items()
        if group not in tables
    }


def _counts_in(found: Columns) -> Counts:
    """Return the numbers of items, by class where there are labels, each class in one piece."""
    total = whole(found["n"])
    if "positives" not in found:
        return total
    positives = whole(found["positives"])
    return side_by_side(total - positives, positives)


def _refined(items: Items, tables: dict[Any, ScoreTable]) -> dict[Any, ScoreTable]:
    """Take the rows apart that can hold the best cut, by a second look at their scores."""
    ranges = {group: refining.unsure_ranges(table) for group, table in tables.items()}
    score, kind = nw.col("score"), items.frame.collect_schema()["score"]
    wanted = [
        _of_group(items, group, (score >= nw.lit(low, kind)) & (score <= nw.lit(high, kind)))
        for group, found in ranges.items()
        for low, high in found
    ]
    if not wanted or len(wanted) > 8 * refining.MOST_RANGES:
        return tables
    query = _by_score(items, items.frame.filter(reduce(or_, wanted)))
    found = items.run(query.head(refining.MOST_REFINED + 1))
    if found["n"].size > refining.MOST_REFINED:
        return tables
    parts = _tables_of(items, found, ScoreTable)
    return {
        group: refining.taken_apart(table, ranges[group], parts[group]) if ranges[group] else table
        for group, table in tables.items()
    }


def _of_group(items: Items, group: Any, condition: nw.Expr) -> nw.Expr:
    return (nw.col("group") == group) & condition if items.groups else condition


def count_votes(items: Items) -> dict[Any, VoteTable] | dict[Any, ScoreTable]:
    """Return the table of each group of items; of the group None where there are no groups.

    Beside labels, the shares of votes are scores, unless the label is one more vote.
    """
    found, votes = _votes_found(items)
    make = _table_with_labels if items.labelled else _table_of_votes
    tables: dict[Any, Any] = {
        group: make(items, found, votes, at).without(items.dropped.get(group, 0))
        for group, at in rows_by_group(items, found)
    }
    if items.voters is not None:
        tables = {name: replace(one, **items.voters.of(name)) for name, one in tables.items()}
    two = len(items.classes) == 2
    kind = ScoreTable if items.labelled and not items.label_is_vote else VoteTable
    empty = kind.empty() if two else kind.empty(items.classes)
    return tables | {
        group: empty.without(lost) for group, lost in items.dropped.items() if group not in tables
    }


def _votes_found(items: Items) -> tuple[Columns, Counts]:
    """Return the distinct items as the engine counts them, and their votes for each class."""
    label = ("label",) if items.labelled else ()
    if items.base:  # votes for classes are numbers in that base
        names = packing.names(len(items.classes), items.base)
        found = counted_by(items, *names, *label)
        return found, packing.unpacked(found, len(items.classes), items.base)
    found = counted_by(items, "positives", "totals", *label)
    positives, totals = whole(found["positives"]), whole(found["totals"])
    return found, side_by_side(totals - positives, positives)


def _table_of_votes(items: Items, found: Columns, votes: Counts, at: Any) -> VoteTable:
    columns = counted_votes(votes[at], whole(found["n"])[at], items.classes)
    return VoteTable(**columns, **_entries_of(items, found, at, vote_key(votes[at])))


def _table_with_labels(
    items: Items, found: Columns, votes: Counts, at: Any
) -> VoteTable | ScoreTable:
    label, n = whole(found["label"])[at], whole(found["n"])[at]
    if items.label_is_vote:
        own = _entries_of(items, found, at, vote_key(with_vote(votes[at], label)))
        return replace(votes_table(votes[at], label, n, classes=items.classes), **own)
    own = _entries_of(items, found, at, class_shares(votes[at]), label)
    return replace(class_shares_table(votes[at], label, n, classes=items.classes), **own)


def _entries_of(
    items: Items, found: Columns, at: Any, places: Any, label: Counts | None = None
) -> dict[str, Any]:
    """Return the entries of rows of votes, if there are weights or clusters."""
    if not items.beside:
        return {}
    return {"entries": entries(items, found, at, rows_of(places), label, whole(found["n"])[at])}


def count_repeated(frame: Frame, run: Run, item: str, group: str | None) -> int:
    """Return how many rows have an item that another row of the same group had before."""
    columns = {"item": item} if group is None else {"item": item, "group": group}
    rows = select(frame, columns)
    for name in columns:
        rows = rows.filter(~is_missing(rows, name))
    times = rows.group_by(*columns).agg(n=nw.len())
    found = run(times.select((nw.col("n") - 1).sum().alias("n")))
    return int(whole(np.nan_to_num(np.asarray(found["n"], dtype=np.float64)))[0])


def rows_by_group(items: Items, found: Columns) -> Iterator[tuple[Any, Any]]:
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


def _sorted(values: Any) -> list[Any]:
    try:
        return sorted(values)
    except TypeError:
        return sorted(values, key=str)
