"""Files that Python reads as a whole: JSON of all kinds, exports of labelling tools, workbooks."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import IO, Any, TypeAlias

import numpy as np

from errorfloor._checks import InputError
from errorfloor.data import storage
from errorfloor.data.storage import check_book, check_cells, check_columns

Record: TypeAlias = "Mapping[str, Any]"
Vote: TypeAlias = "tuple[Any, Any, Any]"  # item, annotator, class
_MOST = 2**28  # bytes of a file that is read as a whole
_INSIDE = ("data", "rows", "records", "examples", "items", "results")  # usual names of a table


# Exports of labelling tools, as their makers publish them. A vote is an item, an annotator and a
# class; records without votes, and those that annotators skipped, have none.


@dataclass(frozen=True, slots=True)
class Export:
    """A tool whose exports are read."""

    name: str
    fits: Callable[[Record], bool]  # tells it by a record
    votes: Callable[[Record], Iterator[Vote]]
    says: str  # what is taken


def export_of(record: object) -> Export | None:
    """Return the tool that wrote a record, if it is one of those we know."""
    if not isinstance(record, Mapping):
        return None
    return next((export for export in EXPORTS if export.fits(record)), None)


def rows_of_export(export: Export, records: list[Any]) -> list[dict[str, Any]]:
    """Return a row for each vote; each item has a number where it has no id."""
    rows = []
    for number, record in enumerate(records):
        if not isinstance(record, Mapping):
            continue
        for item, annotator, vote in export.votes(record):
            rows.append(
                {
                    "item": number if item is None else item,
                    "annotator": annotator,
                    "vote": vote,
                }
            )
    if not rows:
        raise InputError(
            f"This is an export of {export.name} without a vote for one class per item. "
            f"{export.says} Export such annotations, or a table with a row for each vote."
        )
    if all(row["annotator"] is None for row in rows):
        for row in rows:
            del row["annotator"]
    return rows


def _one_of(values: Any) -> Any:
    """Return the only one of several choices; None where there are none, or more.

    Several labels of one annotator are no votes of several; they count as missing.
    """
    if isinstance(values, list | tuple):
        return values[0] if len(values) == 1 else None
    return values


def _is_label_studio(record: Record) -> bool:
    done = record.get("annotations", record.get("completions"))
    return (
        isinstance(record.get("data"), Mapping)
        and isinstance(done, list)
        and all(isinstance(one, Mapping) and "result" in one for one in done)
    )


def _votes_of_label_studio(record: Record) -> Iterator[Vote]:
    for one in record.get("annotations", record.get("completions")) or ():
        results = one.get("result") or ()
        if one.get("was_cancelled") or one.get("skipped"):
            continue
        by = one.get("completed_by")
        by = by.get("email", by.get("id")) if isinstance(by, Mapping) else by
        for result in results:
            kind, value = result.get("type"), result.get("value") or {}
            if kind in ("choices", "rating", "number"):
                yield record.get("id"), by, _one_of(value.get(kind))
                break  # one question an item: the first


def _is_argilla(record: Record) -> bool:
    answers = record.get("responses")
    return isinstance(record.get("fields"), Mapping) and isinstance(answers, Mapping | list)


def _votes_of_argilla(record: Record) -> Iterator[Vote]:
    answers = record.get("responses")
    item = record.get("id", record.get("external_id"))
    if isinstance(answers, Mapping):  # by question, since version 2
        question: Any = next(iter(answers.values()), ())
        for one in question or ():
            if one.get("status") in (None, "submitted"):
                yield item, one.get("user_id"), _one_of(one.get("value"))
        return
    for one in answers or ():
        first: Any = next(iter((one.get("values") or {}).values()), None)
        if one.get("status") in (None, "submitted") and first is not None:
            value = first.get("value") if isinstance(first, Mapping) else first
            yield item, one.get("user_id"), _one_of(value)


def _is_prodigy(record: Record) -> bool:
    return "_task_hash" in record and record.get("answer") in ("accept", "reject", "ignore")


def _votes_of_prodigy(record: Record) -> Iterator[Vote]:
    by = record.get("_annotator_id", record.get("_session_id"))
    item = record.get("_input_hash", record["_task_hash"])
    if record["answer"] == "ignore":
        return
    if "accept" in record:  # a choice of options
        if record["answer"] == "accept":
            yield item, by, _one_of(record["accept"])
        return
    # One label that is accepted or rejected; another label of the same input is another question.
    yield record["_task_hash"], by, int(record["answer"] == "accept")


def _is_doccano(record: Record) -> bool:
    labels, done = record.get("label"), record.get("annotations")
    if not ({"text", "data"} & record.keys()):
        return False
    if isinstance(done, list):  # up to version 1.2
        return all(isinstance(one, Mapping) and "label" in one for one in done)
    named = isinstance(labels, list) and all(isinstance(one, str) for one in labels)
    return named and bool({"id", "Comments", "username"} & record.keys())


def _votes_of_doccano(record: Record) -> Iterator[Vote]:
    item = record.get("id")
    item = record.get("text", record.get("data")) if item is None else item
    if isinstance(record.get("annotations"), list):
        for one in record["annotations"]:
            yield item, one.get("user"), one["label"]
    elif record["label"]:
        yield item, record.get("username"), _one_of(record["label"])


EXPORTS = (
    Export(
        "Label Studio",
        _is_label_studio,
        _votes_of_label_studio,
        "The first choice, rating or number of each annotation is its vote.",
    ),
    Export(
        "Argilla",
        _is_argilla,
        _votes_of_argilla,
        "The submitted responses to the first question are the votes.",
    ),
    Export(
        "Prodigy",
        _is_prodigy,
        _votes_of_prodigy,
        "The accepted option is the vote; of one label, whether it was accepted.",
    ),
    Export(
        "doccano",
        _is_doccano,
        _votes_of_doccano,
        "The label of a text, one for each annotator, is a vote.",
    ),
)


# JSON that is no row after row: tables by columns, tables inside an object, exports.


def columns_of_json(file: str, opening: Callable[[str], Any]) -> dict[str, Any] | None:
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
            return _arrays(file, rows_of_export(export, _records(text)))
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
            return _arrays(file, inside if export is None else rows_of_export(export, inside))
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


# Workbooks of Excel: the rows of the first sheet, as text, which all text files are read as.


def columns_of_sheet(file: str, blank: Sequence[str]) -> dict[str, Any]:
    """Return the columns of the first sheet of a workbook.

    Formulas are read as the values that Excel computed last. `blank` is what stands for missing
    values.
    """
    rows = _filled(file, _sheet_rows(file))
    head = next(rows, None)
    if head is None:
        raise InputError(
            f"Could not read {file!r}: its first sheet of rows is empty. Fill it, or save the rows "
            "as CSV."
        )
    named = {i: str(name).strip() for i, name in enumerate(head) if name not in (None, "")}
    check_columns(file, len(named))
    doubled = next((name for name, times in Counter(named.values()).items() if times > 1), None)
    if doubled is not None:
        raise InputError(
            f"Could not read {file!r}: its first sheet has several columns called {doubled!r}. "
            "Rename them."
        )
    cells = list(rows)
    missing = set(blank)
    return {
        name: as_array([_cell(row[i], missing) if i < len(row) else None for row in cells])
        for i, name in named.items()
    }


def _sheet_rows(file: str) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of the first sheet."""
    try:
        import openpyxl
    except ImportError:
        raise ImportError(
            "Reading Excel files needs openpyxl: pip install 'errorfloor[cli]', or save the "
            "sheet as CSV."
        ) from None
    _check_book(file)
    try:
        book = openpyxl.load_workbook(file, read_only=True, data_only=True)
        with closing(book):
            yield from _rows_of_book(book)
    except Exception as error:  # whatever its parsers stumble over
        text = f"Could not read {file!r}: it is a ZIP archive, and no workbook of Excel. "
        raise InputError(f"{text}Save its rows as CSV or Parquet.") from error


def _rows_of_book(book: Any) -> Iterator[tuple[Any, ...]]:
    for sheet in book.worksheets[:1]:
        sheet.reset_dimensions()  # what the sheet says of its size may be wrong, and is not needed
        yield from sheet.iter_rows(values_only=True)


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
    with open(file, "rb") as stream:
        try:
            _check_parts(file, stream)
        except InputError:
            raise
        except Exception as error:  # whatever its parsers stumble over
            raise InputError(
                f"Could not read {file!r}: {storage.damaged_archive(error)}"
            ) from error


def _check_parts(file: str, stream: IO[bytes]) -> None:
    work = 0
    with storage.opened_archive(stream) as archive:
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
