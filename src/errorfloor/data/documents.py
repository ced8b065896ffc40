"""Files that Python reads as a whole: JSON of all kinds, logs in archives, workbooks."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from itertools import islice
from typing import Any

import numpy as np

from errorfloor._checks import InputError
from errorfloor.data import storage
from errorfloor.data.columns import are_known
from errorfloor.data.exports import (
    Export,
    ToolNotes,
    check_inspect,
    export_of,
    read_export,
    rows_of_inspect,
)
from errorfloor.data.format_record import File
from errorfloor.data.storage import check_book, check_cells, check_columns

_MOST = 2**28  # bytes of a file that is read as a whole
_TIMES = 200  # as many bytes as a packed log may unpack to
_ROWS_WITH_NAMES = 20  # of a sheet, among which are the names of columns
_INSIDE = ("data", "rows", "records", "examples", "items", "results")  # usual names of a table


# JSON that is no row after row: tables by columns, tables inside an object, exports.


def columns_of_json(
    file: str, opening: Callable[[str], Any], notes: list[ToolNotes] | None = None
) -> dict[str, Any] | None:
    """Return the columns of a JSON file as arrays, or None where it is plain rows of objects.

    Parameters
    ----------
    file : str
        Its path.
    opening : callable
        Opens it, unpacked.
    notes : list, optional
        Takes the notes on an export.
    """
    try:
        return _columns_of(file, opening, [] if notes is None else notes)
    except RecursionError as error:
        raise InputError(
            f"Could not read {file!r}: its objects or lists are nested too deeply. Save its rows "
            "as CSV or JSON lines."
        ) from error


def _columns_of(
    file: str, opening: Callable[[str], Any], notes: list[ToolNotes]
) -> dict[str, Any] | None:
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
        records = _records(text)
        export = export or export_of(records[0])
        if export is not None:
            return _exported(file, export, records, notes)
        return _of_object(file, records[0], notes) if len(records) == 1 else None
    except json.JSONDecodeError as error:
        raise InputError(
            f"Could not read {file!r}: it is no JSON, or not all there ({error}). Copy it again, "
            "or save its rows as CSV or JSON lines."
        ) from error


def _exported(
    file: str, export: Export, records: list[Any], notes: list[ToolNotes]
) -> dict[str, Any]:
    rows, what = read_export(export, records, file)
    notes.append(what)
    return _arrays(file, rows)


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


def _of_object(file: str, whole: Any, notes: list[ToolNotes]) -> dict[str, Any] | None:
    """Return the columns of the table that an object holds, or None where it holds none."""
    names, rows = whole.get("columns"), whole.get("data")
    if isinstance(names, list) and isinstance(rows, list):  # as pandas splits it
        return _arrays(file, [dict(zip(map(str, names), row, strict=False)) for row in rows])
    for name in _INSIDE:
        inside = whole.get(name)
        if isinstance(inside, list) and inside and all(isinstance(r, Mapping) for r in inside):
            export = export_of(inside[0])
            if export is not None:
                return _exported(file, export, inside, notes)
            return _arrays(file, [*map(_with_parts, inside)])
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


def _with_parts(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row with a column for each part of objects with plain parts."""
    parts = {
        f"{name}.{part}": one
        for name, value in row.items()
        if isinstance(value, Mapping) and not _is_table(value)
        for part, one in value.items()
    }
    return {**row, **{name: one for name, one in parts.items() if name not in row}}


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


# Logs of Inspect in archives: a summary of all samples, or each sample as a part of its own.


def columns_of_log(file: str, notes: list[ToolNotes]) -> dict[str, Any]:
    """Return the columns of the samples of an archive. Nothing of it is ever written to a file."""
    with storage.archive_in(file) as archive:
        try:
            samples = _samples_in(file, archive)
        except NotImplementedError as error:  # a way to pack that this Python does not know
            raise InputError(
                f"Could not read {file!r}: it is packed in another way than most archives. Save it "
                "as JSON: inspect log convert --to json --output-dir json LOG"
            ) from error
    if not samples:
        raise InputError(
            f"Could not read {file!r}: it is a log of Inspect without a sample. Run the "
            "evaluation to its end, or name another log."
        )
    rows, what = rows_of_inspect(samples)
    notes.append(what)
    return _arrays(file, rows)


def _samples_in(file: str, archive: Any) -> list[Any]:
    names = archive.namelist()
    _check_members(file, archive)
    heads = [one for one in ("header.json", "_journal/start.json", "start.json") if one in names]
    if not heads:
        raise InputError(
            f"Could not read {file!r}: it is a ZIP archive, and no log of Inspect. Save its rows "
            "as CSV or Parquet."
        )
    head = json.loads(_member(file, archive, heads[0]))
    check_inspect(head.get("version"))
    for name in ("summaries.json", "summary.json"):
        if name in names:
            found = json.loads(_member(file, archive, name))
            return [one for one in found if isinstance(one, Mapping)]
    parts = [one for one in names if one.startswith("samples/") and one.endswith(".json")]
    return [json.loads(_member(file, archive, name)) for name in parts]


def _check_members(file: str, archive: Any) -> None:
    """Refuse an archive that unpacks to too much, or that wants to write outside of its folder."""
    size = 0
    for member in archive.infolist():
        parts = member.filename.replace("\\", "/").split("/")
        if ".." in parts or parts[0] == "" or ":" in parts[0]:
            raise InputError(
                f"Could not read {file!r}: a part of it is called {member.filename[:60]!r}, which "
                "is outside of any folder. Get the log from whoever wrote it."
            )
        size += member.file_size
    packed = sum(member.compress_size for member in archive.infolist())
    if size > max(_MOST, _TIMES * packed):
        raise InputError(
            f"Could not read {file!r}: its {packed:,} bytes unpack to {size:,}, which no log does. "
            "Get the log from whoever wrote it."
        )


def _member(file: str, archive: Any, name: str) -> bytes:
    """Return all of a part, up to a limit that holds whatever the archive says of its size."""
    with archive.open(name) as part:
        content: bytes = part.read(_MOST + 1)
    if len(content) > _MOST:
        raise InputError(
            f"Could not read {file!r}: a part of it has more than {_MOST >> 20} MB. Save its "
            "samples as CSV: inspect_ai.analysis.samples_df(log).to_csv('log.csv')."
        )
    return content


# Workbooks of Excel: the rows of one sheet, as text, which all text files are read as.


def columns_of_sheet(file: File, blank: Sequence[str]) -> dict[str, Any]:
    """Return the columns of the sheet that is named, or else of the first one with a table.

    Formulas are read as the values that Excel computed last. `blank` is what stands for missing
    values.
    """
    with _book_in(file.path) as book:
        sheet = _sheet_of(book, file)
        rows = [] if sheet is None else [*_rows_of(sheet, file.path)]
    called = f"sheet {sheet.title!r}" if file.sheet or file.tool_notes else "its first sheet"
    if not rows:
        of_rows = "" if file.sheet else " of rows"
        raise InputError(
            f"Could not read {file.path!r}: {called}{of_rows} is empty. Fill it, or save the rows "
            "as CSV."
        )
    head, *cells = rows
    named = {i: str(name).strip() for i, name in enumerate(head) if name not in (None, "")}
    check_columns(file.path, len(named))
    doubled = next((name for name, times in Counter(named.values()).items() if times > 1), None)
    if doubled is not None:
        raise InputError(
            f"Could not read {file.path!r}: {called} has several columns called {doubled!r}. "
            "Rename them."
        )
    missing = set(blank)
    return {
        name: as_array([_cell(row[i], missing) if i < len(row) else None for row in cells])
        for i, name in named.items()
    }


def _sheet_of(book: Any, file: File) -> Any:
    """Return the sheet that is named, or else the first; where it has no table, the one that has.

    What was taken of several is noted. None where there are only charts.
    """
    sheets = book.worksheets
    if file.sheet:
        named = {sheet.title.strip().casefold(): sheet for sheet in sheets}
        found = named.get(file.sheet.strip().casefold())
        if found is None:
            listed = ", ".join(repr(sheet.title) for sheet in sheets)
            raise InputError(f"{file.path!r} has no sheet {file.sheet!r}. Its sheets are {listed}.")
        return found
    if len(sheets) < 2:
        return sheets[0] if sheets else None
    tables, first = [sheet for sheet in sheets if _has_table(sheet, file.path)], sheets[0]
    chosen = first if first in tables else tables[0] if len(tables) == 1 else None
    others = [f"'{file.path}#{sheet.title}'" for sheet in tables if sheet is not chosen]
    if chosen is None and others:
        raise InputError(
            f"{file.path!r} has tables in several sheets, and none in the first, {first.title!r}. "
            f"Name one behind the file: {' or '.join(others)}."
        )
    if chosen is not None and others:
        _note(
            file, f"using the first sheet, {chosen.title!r}; name another as {' or '.join(others)}"
        )
    elif chosen is not first and chosen is not None:
        _note(
            file, f"using sheet {chosen.title!r}, because the first, {first.title!r}, has no table"
        )
    return chosen or first


def _note(file: File, text: str) -> None:
    file.tool_notes.append(ToolNotes(os.path.basename(file.path), (text,)))


def _has_table(sheet: Any, file: str) -> bool:
    """Tell whether a sheet has names of two columns or more, and a row below them."""
    head = list(islice(_rows_of(sheet, file), 2))
    return len(head) > 1 and sum(name not in (None, "") for name in head[0]) > 1


def _rows_of(sheet: Any, file: str) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a sheet that hold anything, from the names of columns on."""
    sheet.reset_dimensions()  # what the sheet says of its size may be wrong, and is not needed
    return _below_titles(_filled(file, sheet.iter_rows(values_only=True)))


def _below_titles(rows: Iterator[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """Yield rows from the names of columns on, without titles and dates that stand above them.

    Of a title few cells are filled, and the names below it are different words.
    """
    first = list(islice(rows, _ROWS_WITH_NAMES))
    filled = [[cell for cell in row if cell not in (None, "")] for row in first]
    width = max(map(len, filled), default=0)
    start = next((k for k, cells in enumerate(filled) if 2 * len(cells) > width), 0)
    names = filled[start] if filled else []
    are_names = 1 < len({*names}) == len(names) and all(isinstance(cell, str) for cell in names)
    if not are_names or are_known(map(str, filled[0])):
        start = 0
    yield from first[start:]
    yield from rows


@contextmanager
def _book_in(file: str) -> Iterator[Any]:
    """Yield a workbook, whose rows are read as they are asked for."""
    try:
        import openpyxl
    except ImportError:
        raise ImportError(
            "Reading Excel files needs openpyxl: pip install 'errorfloor[cli]', or save the "
            "sheet as CSV."
        ) from None
    _check_book(file)
    try:
        with open(file, "rb") as stream:  # rows that are not all asked for would keep it open
            book = openpyxl.load_workbook(stream, read_only=True, data_only=True)
            with closing(book):
                yield book
    except InputError:
        raise
    except Exception as error:  # whatever its parsers stumble over
        text = f"Could not read {file!r}: it is a ZIP archive, and no workbook of Excel. "
        raise InputError(f"{text}Save its rows as CSV or Parquet.") from error


def _filled(file: str, rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """Yield the rows that hold anything, of which the first has names; too many are refused."""
    cells, named = 0, 0
    for row in rows:
        filled = any(cell not in (None, "") for cell in row)
        named = named or len(row) * filled
        cells += max(len(row), named if filled else 1)  # rows become as long as the names are
        check_cells(file, cells)
        if filled:
            yield row


def _check_book(file: str) -> None:
    """Refuse a workbook that is too large, or damaged, of which its reader takes what is there."""
    work = 0
    with storage.archive_in(file) as archive:
        check_book(file, sum(member.file_size for member in archive.infolist()), work)
        for member in archive.infolist():
            for piece in storage.pieces_of(archive, member):
                work += _work(piece)
                check_book(file, 0, work)


def _work(xml: bytes) -> int:
    """Return how long a piece of XML takes to read: empty cells as others, and texts longer."""
    return xml.count(b"<") + 3 * xml.count(b"/>") + 16 * xml.count(b"<si")


def _cell(value: Any, missing: set[str]) -> Any:
    return None if isinstance(value, str) and value.strip() in missing else value
