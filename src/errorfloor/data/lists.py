"""Columns that hold a list of numbers in each row, one for each class, taken apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import narwhals as nw
import numpy as np

from errorfloor._checks import InputError, argument
from errorfloor.data.engines import Columns, Frame, lazy, quoted, select
from errorfloor.data.missing import is_missing
from errorfloor.data.naming import MOST_CLASSES

_HEAD = 100  # rows that tell whether text spells lists


def holds_lists(frame: Frame, run: Callable[[Frame], Columns], column: str) -> bool:
    """Tell whether a column has a list in each row; text of files may spell one."""
    kind = frame.collect_schema()[column]
    if kind.is_nested():
        return kind in (nw.List, nw.Array)
    if kind not in (nw.Object, nw.String):
        return False
    if kind == nw.String and not frame.implementation.is_duckdb():
        return False
    head = run(select(frame, {"value": column}).head(_HEAD))["value"].tolist()
    there = [one for one in head if not is_missing(one)]
    if kind == nw.String:
        return bool(there) and all(str(one).lstrip().startswith("[") for one in there)
    return any(isinstance(one, list | tuple | np.ndarray) for one in there)


def taken_apart(
    frame: Frame, run: Callable[[Frame], Columns], column: str, name: str
) -> tuple[Frame, tuple[str, ...]]:
    """Return the frame with a column for each place of a list, and what these are called.

    `name` is that of the argument. Lists that are missing are missing in each of them.
    """
    if frame.implementation.is_pandas() and frame.collect_schema()[column] == nw.Object:
        return _in_pandas(frame, column, name)
    frame, length = _with_lists(frame, column)
    found = run(
        frame.select(
            nw.col(length).min().alias("least"),
            nw.col(length).max().alias("most"),
        )
    )
    ends = (found[one][0] for one in ("least", "most"))
    least, most = (0 if is_missing(one) else int(one) for one in ends)  # where no list is there
    number = _checked(least, most, column, name)
    names = tuple(f"{column}[{k}]" for k in range(number))
    parts = (nw.col("as list").list.get(k).alias(one) for k, one in enumerate(names))
    return frame.with_columns(*parts), names


def _with_lists(frame: Frame, column: str) -> tuple[Frame, str]:
    """Add the column as lists of numbers, and their lengths."""
    kind: Any = frame.collect_schema()[column]
    if frame.implementation.is_duckdb():
        told = f"try_cast({quoted(column)} as double[])"
        there = f"*, {told} as {quoted('as list')}, len({told}) as {quoted('length')}"
        return lazy(frame.to_native().project(there)), "length"
    entries = nw.col(column)
    if kind == nw.Array:
        entries = entries.cast(nw.List(kind.inner))
    frame = frame.with_columns(entries.alias("as list"))
    return frame.with_columns(nw.col("as list").list.len().alias("length")), "length"


def _in_pandas(frame: Frame, column: str, name: str) -> tuple[Frame, tuple[str, ...]]:
    """Do the same for objects of Python."""
    native: Any = frame.to_native()
    rows = native[column].tolist()
    gone = [is_missing(one) for one in rows]
    lengths = [np.size(one) for one, missing in zip(rows, gone, strict=True) if not missing]
    number = _checked(min(lengths), max(lengths), column, name)
    blank = [None] * number
    whole = [blank if missing else list(one) for one, missing in zip(rows, gone, strict=True)]
    names = tuple(f"{column}[{k}]" for k in range(number))
    parts = dict(zip(names, map(list, zip(*whole, strict=True)), strict=True))
    return lazy(native.assign(**parts)), names


def _checked(least: int, most: int, column: str, name: str) -> int:
    if not 2 <= least == most <= MOST_CLASSES:
        said = f"{most}" if least == most else f"from {least} to {most}"
        raise InputError(
            argument(name),
            f" (column {column!r}) must hold lists of one length, a number for each of two classes "
            f"or more; these have {said}.",
        )
    return most
