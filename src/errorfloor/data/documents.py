"""JSON that is no row after row: tables by columns, tables inside an object, exports of tools."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from errorfloor._checks import InputError
from errorfloor.data.budgets import check_columns
from errorfloor.data.exports import export_of, rows_of

_MOST = 2**28  # bytes of a file that is read as a whole
_INSIDE = ("data", "rows", "records", "examples", "items", "results")  # usual names of a table


def columns_of(file: str, opening: Callable[[str], Any]) -> dict[str, Any] | None:
    """Return the columns of a JSON file as arrays, or None where it is plain rows of objects.

    Parameters
    ----------
    file : str
        Its path.
    opening : callable
        Opens it, unpacked.
    """
    try:
        return _columns_of(file, opening)
    except RecursionError as error:
        raise InputError(
            f"Could not read {file!r}: its objects or lists are nested too deeply. Save its rows "
            "as CSV or JSON lines."
        ) from error


def _columns_of(file: str, opening: Callable[[str], Any]) -> dict[str, Any] | None:
    with opening(file) as stream:
        start = stream.read(2**20)  # only for speed: all is read where this tells what it is
    first, lone = _first(start.decode("utf-8-sig", "replace"))
    export = export_of(first)
    if export is None and not lone:
        return None
    with opening(file) as stream:
        whole = stream.read(_MOST + 1)  # of a packed file the size on the disk tells nothing
    if len(whole) > _MOST:
        what = "an object" if export is None else f"an export of {export.name}"
        raise InputError(
            f"Could not read {file!r}: it is {what} of more than {_MOST >> 20} MB. Save it as JSON "
            "lines or Parquet, with a row for each item or vote."
        )
    text = whole.decode("utf-8-sig", "replace")
    try:
        if export is not None:
            return _arrays(file, rows_of(export, _records(text)))
        return _of_object(file, json.loads(text))
    except json.JSONDecodeError as error:
        raise InputError(
            f"Could not read {file!r}: it is no JSON, or not all there ({error}). Copy it again, "
            "or save its rows as CSV or JSON lines."
        ) from error


def _first(start: str) -> tuple[Any, bool]:
    """Return the first record of a file as far as it is there, and whether it is an only object."""
    text = start.lstrip()
    is_array = text.startswith("[")
    text = text[1:].lstrip() if is_array else text
    try:
        record, end = json.JSONDecoder().raw_decode(text)
    except ValueError:
        return None, not is_array and text.startswith("{")
    alone = not is_array and not text[end:].strip() and isinstance(record, Mapping)
    return record, alone and _is_table(record)


def _is_table(record: Mapping[str, Any]) -> bool:
    return any(isinstance(value, list | Mapping) for value in record.values())


def _records(text: str) -> list[Any]:
    """Return the records of an array, or of lines."""
    text = text.strip()
    if text.startswith("["):
        found: list[Any] = json.loads(text)
        return found
    decoder, at, records = json.JSONDecoder(), 0, []
    while at < len(text):
        record, at = decoder.raw_decode(text, at)
        records.append(record)
        while at < len(text) and text[at].isspace():
            at += 1
    return records


def _of_object(file: str, whole: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the columns of the table that an object holds, or None where it holds none."""
    names, rows = whole.get("columns"), whole.get("data")
    if isinstance(names, list) and isinstance(rows, list):  # as pandas splits it
        return _arrays(file, [dict(zip(map(str, names), row, strict=False)) for row in rows])
    for name in _INSIDE:
        inside = whole.get(name)
        if isinstance(inside, list) and inside and all(isinstance(r, Mapping) for r in inside):
            export = export_of(inside[0])
            return _arrays(file, inside if export is None else rows_of(export, inside))
    lists = {name: value for name, value in whole.items() if isinstance(value, list)}
    sizes = {len(value) for value in lists.values()}
    # One object of lists and plain values is one row, which happens to hold lists.
    if lists and len(lists) == len(whole) and len(sizes) == 1 and sizes != {0}:
        return {name: as_array(value) for name, value in lists.items()}
    by_row = {name: value for name, value in whole.items() if isinstance(value, Mapping)}
    keys = {tuple(value) for value in by_row.values()}
    if by_row and len(by_row) == len(whole) and len(keys) == 1 and keys != {()}:
        return {name: as_array(list(value.values())) for name, value in by_row.items()}
    return None


def _arrays(file: str, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    names = dict.fromkeys(str(name) for row in rows for name in row)
    check_columns(file, len(names), text=True)
    return {name: as_array([row.get(name) for row in rows]) for name in names}


def as_array(values: Sequence[Any]) -> Any:
    """Return values as text, as all text files are read; lists and objects as JSON."""
    array = np.empty(len(values), dtype=object)
    array[:] = [_text(value) for value in values]
    return array


def _text(value: Any) -> str | None:
    if value is None or (isinstance(value, float) and value != value):
        return None
    if isinstance(value, str):
        return value
    # JSON writes such numbers in the same way, and takes longer.
    return repr(value) if type(value) is int else json.dumps(value, default=str)
