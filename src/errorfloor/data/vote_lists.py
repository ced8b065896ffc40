"""Columns that hold all votes on an item, as a list or as text such as 0;1;1, taken apart.

Who cast the first vote of an item need not have cast the first one of another, so nothing is
said about annotators.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import narwhals as nw

from errorfloor._checks import InputError, argument
from errorfloor.data.engines import Columns, Frame, lazy, quoted, select
from errorfloor.data.spelling import BETWEEN, TRIMMED, votes_in

_number = itertools.count()
MOST_VOTES = 1000  # of an item; beyond, a row for each vote is the way


def taken_apart(
    frame: Frame, run: Callable[[Frame], Columns], column: str, name: str
) -> tuple[Frame, tuple[str, ...]]:
    """Return the frame with a column of text for each place of a list, blank where it ends.

    `name` is that of the argument, for errors.
    """
    kind: Any = frame.collect_schema()[column]
    if kind in (nw.List, nw.Array) and kind.inner is not None and _is_nested(kind.inner):
        raise _of_objects(column, name)
    if frame.implementation.is_duckdb():
        return _in_duckdb(frame, run, column, name)
    if frame.implementation not in _ADD:
        raise InputError(
            argument(name),
            " reads lists of files, and of pandas, polars, pyarrow and DuckDB frames. Lay each "
            "vote in a row of its own, and name ",
            *(argument("item"), " and ", argument("vote"), "."),
        )
    rows = [votes_in(value) for value in _values(frame, column)]
    if any(one[0] in "[{" for row in rows for one in row if one):
        raise _of_objects(column, name)
    names = _names(column, max(map(len, rows), default=0), name)
    parts = {one: [row[k] if k < len(row) else None for row in rows] for k, one in enumerate(names)}
    return lazy(_ADD[frame.implementation](_native(frame), parts)), names


def _is_nested(kind: Any) -> bool:
    return bool((kind() if isinstance(kind, type) else kind).is_nested())


def _of_objects(column: str, name: str) -> InputError:
    return InputError(
        argument(name),
        f" (column {column!r}) holds lists of objects or of lists, not of votes. Lay each vote in "
        "a row of its own, and name ",
        *(argument("item"), ", ", argument("annotator"), " and ", argument("vote"), "."),
    )


def _in_duckdb(
    frame: Frame, run: Callable[[Frame], Columns], column: str, name: str
) -> tuple[Frame, tuple[str, ...]]:
    given = quoted(column)
    if frame.collect_schema()[column] in (nw.List, nw.Array):
        votes = f"cast({given} as varchar[])"
    else:
        trimmed = f"trim({given}, '[]() ')"
        quotes = TRIMMED.replace("'", "''")
        votes = (
            f"case when json_valid({given}) and prefix(ltrim({given}), '[') "
            f"then json_extract_string({given}, '$[*]') else "
            f"list_transform(regexp_split_to_array({trimmed}, '{BETWEEN}'), "
            f"lambda x: nullif(trim(x, '{quotes}'), '')) end"
        )
    whole = lazy(frame.to_native().project(f"*, {votes} as {quoted('all votes')}"))
    as_lines = f"array_to_string({quoted('all votes')}, chr(10))"
    odd = f"coalesce(regexp_matches({as_lines}, '(?m)^\\s*[{{\\[]'), false)::int"
    about = f"max(len({quoted('all votes')})) as n, max({odd}) as odd"
    found = run(lazy(whole.to_native().aggregate(about)))
    most = found["n"].tolist()[0]
    if found["odd"].tolist()[0] == 1:
        raise _of_objects(column, name)
    names = _names(column, int(most) if most == most and most is not None else 0, name)
    parts = (f"{quoted('all votes')}[{k + 1}] as {quoted(one)}" for k, one in enumerate(names))
    columns = [quoted(one) for one in frame.columns]
    return _kept(whole.to_native().project(", ".join([*columns, *parts]))), names


def _kept(rows: Any) -> Frame:
    """Return rows of DuckDB from a table that ends with the connection.

    Each of several queries would take the lists apart again, once for each of their places.
    """
    table = quoted(f"errorfloor votes {next(_number)}")
    rows.query("votes_apart", f"create temp table {table} as from votes_apart")
    return lazy(rows.query("votes_apart", f"from {table}"))


def _names(column: str, number: int, name: str) -> tuple[str, ...]:
    if number > MOST_VOTES:
        raise InputError(
            argument(name),
            f" (column {column!r}) has up to {number:,} votes in a row, and at most {MOST_VOTES:,} "
            "are read. Check which column it is, or lay each vote in a row of its own.",
        )
    if number == 0:
        text = f" (column {column!r}) has no votes. Check which column it is."
        raise InputError(argument(name), text)
    return tuple(f"{column}[{k}]" for k in range(number))


def _values(frame: Frame, column: str) -> list[Any]:
    native: Any = select(frame, {"value": column}).collect()
    found: list[Any] = native["value"].to_list()
    return found


def _native(frame: Frame) -> Any:
    native: Any = frame.to_native()
    return native.collect() if frame.implementation.is_polars() else native


def _add_to_pandas(native: Any, parts: dict[str, list[Any]]) -> Any:
    import pandas as pd

    columns = {one: pd.Series(values, native.index, object) for one, values in parts.items()}
    return native.assign(**columns)


def _add_to_polars(native: Any, parts: dict[str, list[Any]]) -> Any:
    import polars as pl

    return native.with_columns(pl.Series(one, v, pl.String) for one, v in parts.items())


def _add_to_pyarrow(native: Any, parts: dict[str, list[Any]]) -> Any:
    import pyarrow as pa

    for one, values in parts.items():
        native = native.append_column(one, pa.array(values, pa.string()))
    return native


_ADD: dict[nw.Implementation, Callable[[Any, dict[str, list[Any]]], Any]] = {
    nw.Implementation.PANDAS: _add_to_pandas,
    nw.Implementation.POLARS: _add_to_polars,
    nw.Implementation.PYARROW: _add_to_pyarrow,
}
