"""Rows with a column for each class: scores or soft labels, brought into memory and counted there.

Such rows hardly ever repeat, so a group-by would bring as many back. What would not fit into memory
is refused before it is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from errorfloor._checks import InputError, Part, argument
from errorfloor._typing import Floats
from errorfloor.data import memory
from errorfloor.data.counting import rows_by_group
from errorfloor.data.engines import Columns, Frame, is_missing, with_numbers
from errorfloor.data.entries import Entries
from errorfloor.data.entry_rows import entries
from errorfloor.data.matrices import check_some_positive, counted_scores, counted_soft, normalised
from errorfloor.data.naming import names_of_columns
from errorfloor.data.rows import (
    Items,
    Request,
    Rule,
    checked_together,
    count,
    groups_of,
    named,
    with_class,
)
from errorfloor.data.table import ROUNDING, check_sums, rows_of
from errorfloor.data.tables import ScoreTable, SoftTable


def count_class_scores(request: Request) -> dict[Any, ScoreTable]:
    """Return the table of each group of rows with a score for each class, and a label."""
    assert request.naming is not None
    names = request.naming.names
    items = _checked(request, "score", ("label",))
    found = items.run(items.frame)
    rows = _matrix(found, len(names))
    check_some_positive(rows)
    code = found.pop("label").astype(np.int16)
    tables = {
        group: ScoreTable(
            entries=_entries(items, found, at, rows, code),
            **counted_scores(*_of_group(rows, code, at), names),
            dropped=items.dropped.get(group, 0),
        )
        for group, at in rows_by_group(items, found)
    }
    return tables | _empty(items, tables, ScoreTable.empty(names))


def count_class_soft(request: Request) -> dict[Any, SoftTable]:
    """Return the table of each group of rows with the probability of each class."""
    columns = request.columns["soft"]
    names = request.classes or names_of_columns(columns)
    items = _checked(request, "soft", ())
    found = items.run(items.frame)
    rows = _matrix(found, len(columns))
    check_sums(rows, "soft")
    rows = normalised(rows)
    tables = {
        group: SoftTable(
            entries=_entries(items, found, at, rows),
            **counted_soft(rows if isinstance(at, slice) else rows[at], names),
            dropped=items.dropped.get(group, 0),
        )
        for group, at in rows_by_group(items, found)
    }
    return tables | _empty(items, tables, SoftTable.empty(names))


def _entries(
    items: Items, found: Columns, at: Any, rows: Floats, code: NDArray[Any] | None = None
) -> Entries | None:
    """Return the entries of a group; before its rows are used up."""
    if not items.beside:
        return None
    label = None if code is None else code[at].astype(np.int64)
    return entries(items, found, at, rows_of(rows[at]), label)


def _checked(request: Request, name: str, beside: tuple[str, ...]) -> Items:
    """Return checked rows with the columns s0, s1 and so on, those beside them and the group."""
    frame, given, rules = _numbers(request, name, beside)
    _refuse_too_many(request, frame, name)
    more = []
    for one in beside:
        frame, rule = with_class(frame, one, given[one], request)
        more.append(rule)
    items = checked_together(request, frame, given, rules, more)
    scores = [
        nw.col(f"{name} {k}").cast(nw.Float64).alias(f"s{k}")
        for k in range(len(request.columns[name]))
    ]
    places = (nw.col(one).cast(nw.Int16) for one in beside)
    others = (*groups_of(given), *request.beside)
    return replace(items, frame=items.frame.select(*scores, *places, *others))


def _numbers(
    request: Request, name: str, beside: tuple[str, ...] = ()
) -> tuple[Frame, dict[str, tuple[Part, ...]], list[Rule]]:
    """Name the columns of the classes, and read them as numbers."""
    names = {f"{name} {k}": one for k, one in enumerate(request.columns[name])}
    frame, given = named(request, names | {one: request.columns[one] for one in beside})
    frame = with_numbers(frame, {one: f"given_{one}" for one in names})
    rules = []
    for one in names:
        number = nw.col(one)
        right, must = number.is_finite(), "must be finite numbers"
        remedy = "Drop infinite values and convert text to numbers first."
        if name == "soft":
            right, must = (number >= 0) & (number <= 1), "must lie in [0, 1]"
            remedy = "Divide percentages by 100, pass logits through a softmax."
        rules.append(Rule(given[one], f"given_{one}", ~right.fill_null(False), must, remedy))
    return frame, given, rules


def _refuse_too_many(request: Request, frame: Frame, name: str) -> None:
    """Refuse rows that would not fit into memory, before they are read."""
    number = len(request.columns[name])
    n = count(frame, request.run, {})["n"]
    need, there = memory.of_rows(n, number), memory.available()
    if need > there:
        raise InputError(
            argument(name),
            f" has {n:,} rows of {number} classes, which take about {memory.shown(need)} of memory "
            f"while they are counted; {memory.shown(there)} are free. Take a sample of the rows: "
            "a million of them tell a floor to a tenth of a point.",
        )


def _matrix(found: Columns, number: int) -> Floats:
    """Return the columns of classes as one array, and give their own memory back one by one."""
    rows = np.empty((number, found["s0"].size))
    for k in range(number):
        rows[k] = found.pop(f"s{k}")
    return rows.T


def _of_group(rows: Floats, code: NDArray[Any], at: Any) -> tuple[Floats, NDArray[Any]]:
    return (rows, code) if isinstance(at, slice) else (np.array(rows[at], order="F"), code[at])


def _empty(items: Items, tables: Mapping[Any, Any], empty: Any) -> dict[Any, Any]:
    """Return the tables of groups of which no row is left."""
    return {
        group: empty.without(lost) for group, lost in items.dropped.items() if group not in tables
    }


def as_two(request: Request, name: str) -> Request:
    """Return rows of two classes with one column: the score or the probability of class 1.

    It is what arrays with two columns become: the second of two probabilities, the share of
    the second of two numbers, or the difference of two logits.
    """
    found = _count_pairs(request, name)
    one, other = request.columns[name]
    if name == "soft" and found["off"]:
        raise InputError(
            *(argument(name), f" (columns {one!r} and {other!r}) of an item must add up to 1: "),
            f"{found['off']:,} of {found['n']:,} do not. Divide them by their sum.",
        )
    plain = not found["off"] and not found["negative"]
    if plain and not found["gone"]:
        return replace(request, columns={**request.columns, name: other})
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
    return replace(request, frame=frame, columns={**request.columns, name: column})


def _count_pairs(request: Request, name: str) -> dict[str, int]:
    """Return how many pairs do not add up to 1, have a negative number, two zeros, or no first."""
    frame, _, _ = _numbers(request, name)
    first, second = (nw.col(f"{name} {k}").cast(nw.Float64) for k in range(2))
    gone = [is_missing(frame, f"{name} {k}") for k in range(2)]
    off = ((first + second - 1).abs() > ROUNDING).fill_null(False)
    marks = {
        "off": off & ~gone[0] & ~gone[1],  # for some engines NaN is above all numbers
        "negative": ((first < 0) | (second < 0)).fill_null(False),
        "blank": ((first == 0) & (second == 0)).fill_null(False),
        "gone": gone[0],
    }
    return count(frame, request.run, marks)
