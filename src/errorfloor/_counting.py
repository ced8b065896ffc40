"""Queries that count checked rows, and the tables made of their answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from itertools import pairwise
from operator import or_
from typing import Any

import narwhals as nw
import numpy as np

from errorfloor._engines import Columns, Frame, with_cell
from errorfloor._items import Items, ScoreRows, whole
from errorfloor.tables import ScoreTable, VoteTable

EXACT = 262_144  # distinct scores: a table has a row for each up to here, and beyond for cells
_RANGES = 16  # of scores that the second pass looks into, at most
_MOST_REFINED = 4 * EXACT  # distinct scores in them, at most


def count_scores(rows: ScoreRows, cells: int, refine: bool) -> dict[Any, ScoreTable]:
    """Return the table of each group; of the group None where there are no groups."""
    items = rows.likely()
    tables = _first_pass(items, cells)
    counted = sum(table.n for table in tables.values())
    none_positive = not any(table.positives.any() for table in tables.values())
    if counted != items.n or counted == 0 or (rows.positive is not None and none_positive):
        items = rows.checked()
        tables = _first_pass(items, cells)
    return _refined(items, tables) if refine else tables


def _first_pass(items: Items, cells: int) -> dict[Any, ScoreTable]:
    tables = _exact_tables(items)
    if tables is not None:
        return tables
    query = with_cell(items.frame, cells, unit=items.unit).group_by(*items.groups, "cell")
    found = items.run(
        query.agg(
            nw.len().alias("n"),
            nw.col("label").sum().alias("positives"),
            nw.col("score").min().alias("low"),
            nw.col("score").max().alias("high"),
        )
    )
    return _score_tables_of(items, found)


def _exact_tables(items: Items) -> dict[Any, ScoreTable] | None:
    """Return tables of all distinct scores, or None if there are too many."""
    query = _by_score(items, items.frame)
    if items.n > EXACT:
        # Most of the time the first rows tell, and the whole group-by is spared.
        head = _by_score(items, items.frame.head(2 * EXACT))
        if whole(items.run(head.select(nw.len().alias("n")))["n"])[0] > EXACT:
            return None
        query = query.head(EXACT + 1)
    found = items.run(query)
    return _score_tables_of(items, found) if found["n"].size <= EXACT else None


def _by_score(items: Items, frame: Frame) -> Frame:
    counts = nw.len().alias("n"), nw.col("label").sum().alias("positives")
    return frame.group_by(*items.groups, "score").agg(*counts)


def _score_tables_of(items: Items, found: Columns) -> dict[Any, ScoreTable]:
    low, high = (found[name] if name in found else found["score"] for name in ("low", "high"))
    total, positives = whole(found["n"]), whole(found["positives"])
    tables = {
        group: ScoreTable.from_ranges(
            low[at].astype(np.float64),
            high[at].astype(np.float64),
            total[at] - positives[at],
            positives[at],
            items.dropped.get(group, 0),
        )
        for group, at in _rows_by_group(items, found)
    }
    return tables | {
        group: replace(ScoreTable.empty(), dropped=dropped)
        for group, dropped in items.dropped.items()
        if group not in tables
    }


def _refined(items: Items, tables: dict[Any, ScoreTable]) -> dict[Any, ScoreTable]:
    """Take the rows apart that can hold the best cut, by a second look at their scores."""
    ranges = {group: _ranges(table) for group, table in tables.items()}
    score, kind = nw.col("score"), items.frame.collect_schema()["score"]
    wanted = [
        _of_group(items, group, (score >= nw.lit(low, kind)) & (score <= nw.lit(high, kind)))
        for group, found in ranges.items()
        for low, high in found
    ]
    if not wanted or len(wanted) > 8 * _RANGES:
        return tables
    query = _by_score(items, items.frame.filter(reduce(or_, wanted)))
    found = items.run(query.head(_MOST_REFINED + 1))
    if found["n"].size > _MOST_REFINED:
        return tables
    parts = _score_tables_of(items, found)
    return {
        group: _taken_apart(table, ranges[group], parts[group]) if ranges[group] else table
        for group, table in tables.items()
    }


def _of_group(items: Items, group: Any, condition: nw.Expr) -> nw.Expr:
    return (nw.col("group") == group) & condition if items.groups else condition


def _ranges(table: ScoreTable) -> list[tuple[float, float]]:
    """Return few ranges of scores that together hold all rows in which the best cut may be."""
    rows = np.flatnonzero(table.may_hold_the_best_cut())
    if rows.size == 0:
        return []
    # The rows between two wanted ones come along, but for the widest gaps if they are too many.
    total = np.cumsum(table.negatives + table.positives)
    gap = total[rows[1:] - 1] - total[rows[:-1]]
    few = total[rows[-1]] - total[rows[0]] <= _MOST_REFINED
    ends = np.sort(np.argsort(gap, kind="stable")[::-1][: 0 if few else _RANGES - 1])
    ends = ends[gap[ends] > 0]
    first = rows[np.concatenate(([0], ends + 1))]
    last = rows[np.append(ends, rows.size - 1)]
    lows, highs = table.ranges
    return list(zip(lows[first].tolist(), highs[last].tolist(), strict=True))


def _taken_apart(
    table: ScoreTable, ranges: list[tuple[float, float]], part: ScoreTable
) -> ScoreTable:
    """Return the table with the rows in `ranges` replaced by those of `part`."""
    lows, highs = table.ranges
    inside = reduce(or_, ((lows >= low) & (highs <= high) for low, high in ranges))
    if table.negatives[inside].sum() != part.negatives.sum() or (
        table.positives[inside].sum() != part.positives.sum()
    ):
        raise ValueError(
            "The data changed between two passes over it. Save it first, or pass refine=False."
        )
    rest = (lows[~inside], highs[~inside], table.negatives[~inside], table.positives[~inside])
    new = (*part.ranges, part.negatives, part.positives)
    low, high, negatives, positives = (np.concatenate(pair) for pair in zip(rest, new, strict=True))
    return ScoreTable.from_ranges(low, high, negatives, positives, table.dropped)


def count_votes(items: Items) -> dict[Any, VoteTable]:
    query = items.frame.group_by(*items.groups, "positives", "totals").agg(n=nw.len())
    found = items.run(query)
    tables = {
        group: VoteTable.from_counts(
            positives=whole(found["positives"][at]),
            totals=whole(found["totals"][at]),
            counts=whole(found["n"][at]),
            dropped=items.dropped.get(group, 0),
        )
        for group, at in _rows_by_group(items, found)
    }
    return tables | {
        group: replace(VoteTable.empty(), dropped=dropped)
        for group, dropped in items.dropped.items()
        if group not in tables
    }


def _rows_by_group(items: Items, found: Columns) -> Iterator[tuple[Any, Any]]:
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
