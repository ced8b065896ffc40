"""Workbooks of Excel: the rows of the first sheet, as text, which all text files are read as."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from errorfloor._checks import InputError
from errorfloor.data.documents import as_array


def columns_of(file: str, blank: Sequence[str]) -> dict[str, Any]:
    """Return the columns of the first sheet of a workbook.

    Formulas are read as the values that Excel computed last. `blank` is what stands for missing
    values.
    """
    rows = _rows(file)
    head = next(rows, None)
    if head is None:
        raise InputError(
            f"Could not read {file!r}: its first sheet of rows is empty. Fill it, or save the rows "
            "as CSV."
        )
    named = {i: str(name).strip() for i, name in enumerate(head) if name not in (None, "")}
    if len(set(named.values())) < len(named):
        doubled = next(name for name in named.values() if [*named.values()].count(name) > 1)
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
    """Yield the rows that hold anything."""
    try:
        import openpyxl
    except ImportError:
        raise ImportError(
            "Reading Excel files needs openpyxl: pip install 'errorfloor[excel]', or save the "
            "sheet as CSV."
        ) from None
    try:
        book = openpyxl.load_workbook(file, read_only=True, data_only=True)
    except Exception as error:  # whatever its parsers stumble over in a damaged file
        text = f"Could not read {file!r}: it is a ZIP archive, and no workbook of Excel. "
        raise InputError(f"{text}Save its rows as CSV or Parquet.") from error
    try:
        if not book.worksheets:
            return
        for row in book.worksheets[0].iter_rows(values_only=True):
            if any(cell not in (None, "") for cell in row):
                yield row
    finally:
        book.close()


def _cell(value: Any, missing: set[str]) -> Any:
    return None if isinstance(value, str) and value.strip() in missing else value
