"""Workbooks of Excel: the rows of the first sheet, as text, which all text files are read as."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from typing import IO, Any

from errorfloor._checks import InputError
from errorfloor.data import archives
from errorfloor.data.budgets import check_book, check_cells, check_columns
from errorfloor.data.documents import as_array


def columns_of(file: str, blank: Sequence[str]) -> dict[str, Any]:
    """Return the columns of the first sheet of a workbook.

    Formulas are read as the values that Excel computed last. `blank` is what stands for missing
    values.
    """
    rows = _filled(file, _rows(file))
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


def _rows(file: str) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of the first sheet."""
    try:
        import openpyxl
    except ImportError:
        raise ImportError(
            "Reading Excel files needs openpyxl: pip install 'errorfloor[cli]', or save the "
            "sheet as CSV."
        ) from None
    _check(file)
    try:
        book = openpyxl.load_workbook(file, read_only=True, data_only=True)
        with closing(book):
            yield from _rows_of(book)
    except Exception as error:  # whatever its parsers stumble over
        text = f"Could not read {file!r}: it is a ZIP archive, and no workbook of Excel. "
        raise InputError(f"{text}Save its rows as CSV or Parquet.") from error


def _rows_of(book: Any) -> Iterator[tuple[Any, ...]]:
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


def _check(file: str) -> None:
    """Refuse a workbook that is too large, or damaged, of which its reader takes what is there."""
    with open(file, "rb") as stream:
        try:
            _check_parts(file, stream)
        except InputError:
            raise
        except Exception as error:  # whatever its parsers stumble over
            raise InputError(f"Could not read {file!r}: {archives.damaged(error)}") from error


def _check_parts(file: str, stream: IO[bytes]) -> None:
    work = 0
    with archives.opened(stream) as archive:
        check_book(file, sum(member.file_size for member in archive.infolist()), work)
        for member in archive.infolist():
            for piece in archives.pieces(archive, member):
                work += _work(piece)
                check_book(file, 0, work)


def _work(xml: bytes) -> int:
    """Return how long a piece of XML takes to read: empty cells as others, and texts longer."""
    return xml.count(b"<") + 3 * xml.count(b"/>") + 16 * xml.count(b"<si")


def _cell(value: Any, missing: set[str]) -> Any:
    return None if isinstance(value, str) and value.strip() in missing else value
