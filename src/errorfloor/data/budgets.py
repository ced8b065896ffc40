"""How much of a file is read at most: columns, cells and what it unpacks to, each number once."""

from __future__ import annotations

import os

from errorfloor._checks import InputError

COLUMNS = 20_000  # of a file; DuckDB takes seconds for so many
TEXT_COLUMNS = 5_000  # of a text file, each of which DuckDB keeps in memory while it reads
CELLS = 2**21  # of a workbook, whose reader takes ten microseconds for each
TAGS = 12 * CELLS  # of the XML in a workbook: a cell has about four, and as many may be elsewhere
BOOK_BYTES = 2**29  # that a workbook may unpack to
ARRAY_BYTES = 2**31  # that arrays may unpack to, however small they are in their file,
ARRAY_TIMES = 100  # or so many times what they are there, whichever is more


def check_columns(file: str, number: int, *, text: bool = False) -> None:
    """Refuse a file with too many columns."""
    most = TEXT_COLUMNS if text else COLUMNS
    if number > most:
        also = f", or save it as Parquet, of which {COLUMNS:,} are" if text else ""
        raise InputError(
            f"Could not read {file!r}: it has more than {most:,} columns, the most that are read. "
            f"Leave out columns that are not needed{also}."
        )


def check_cells(file: str, number: int) -> None:
    """Refuse a workbook with too many cells."""
    if number > CELLS:
        raise InputError(
            f"Could not read {file!r}: its first sheet has more than {CELLS:,} cells, blank ones "
            "before the last included, and no more are read. Remove cells that are not needed, or "
            "save the sheet as CSV."
        )


def check_book(file: str, size: int, tags: int) -> None:
    """Refuse a workbook that unpacks to too much."""
    if size > BOOK_BYTES or tags > TAGS:
        raise InputError(
            f"Could not read {file!r}: it unpacks to more than is read of a workbook, which is "
            f"{BOOK_BYTES >> 20} MB with about {CELLS:,} cells. Save the sheet as CSV."
        )


def check_arrays(path: str | os.PathLike[str], size: int, packed: int) -> None:
    """Refuse arrays that unpack to far more than their file has."""
    most = max(ARRAY_BYTES, ARRAY_TIMES * packed)
    if size > most:
        raise InputError(
            f"{os.fspath(path)!r} cannot be read: its {packed:,} bytes unpack to {size:,}, more "
            f"than {ARRAY_TIMES} times as many, and at most {most:,} are read of so few. Save its "
            "arrays without compression, as np.savez does."
        )
