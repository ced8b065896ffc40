"""Files that people asked for: none takes the place of the data, and spreadsheets run none."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

from errorfloor._checks import InputError, argument
from errorfloor.data.files import find_data
from errorfloor.data.storage import write_text

_ENDING = "\r\n"
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # noqa: RUF001


def check_output(
    path: str | os.PathLike[str], sources: Iterable[str | os.PathLike[str]], *, name: str = "path"
) -> None:
    """Refuse to write to a file that the data came from, by whatever name or link.

    Parameters
    ----------
    path : path
        What is to be written.
    sources : iterable of paths
        What was read, or will be: files, folders and globs.
    name : str
        The argument that `path` came by.
    """
    if not os.path.isfile(path):  # a device is not replaced
        return
    for file in _read(sources):
        if os.path.isfile(file) and os.path.samefile(file, path):
            raise InputError(
                argument(name),
                f" {os.fspath(path)!r} is one of the files that are read"
                f"{'' if os.fspath(path) == file else f', as {file!r}'}, and would take its place. "
                "Name another file.",
            )


def _read(sources: Iterable[str | os.PathLike[str]]) -> Iterable[str]:
    for source in sources:
        with suppress(OSError):  # one that is gone, or not there, which whoever reads it says
            yield from find_data(source, None)


def write_csv(
    path: str | os.PathLike[str], head: Sequence[str], rows: Iterable[Iterable[Any]]
) -> None:
    """Write rows as CSV, whole or not at all, in which no text is a formula to a spreadsheet."""
    text = io.StringIO()
    # With both at the end of its lines it quotes cells with one of them, and readers want that.
    lines = csv.writer(_Lines(text), lineterminator=_ENDING)
    lines.writerow(map(harmless, head))
    lines.writerows(map(harmless, row) for row in rows)
    write_text(path, text.getvalue())


class _Lines:
    """What a writer of CSV writes to, line by line: they end as those of other text files do."""

    def __init__(self, text: io.StringIO) -> None:
        self.text = text

    def write(self, line: str) -> int:
        """Write a line."""
        return self.text.write(f"{line.removesuffix(_ENDING)}\n")


def harmless(cell: Any) -> Any:
    """Return a cell with an apostrophe before text that spreadsheets would run; numbers stay.

    Examples
    --------
    >>> [harmless(cell) for cell in ("=1+1", "a=1", -0.5, "-0.5", "- no")]
    ["'=1+1", 'a=1', -0.5, '-0.5', "'- no"]
    """
    if not isinstance(cell, str) or not cell.startswith(_FORMULA):
        return cell
    with suppress(ValueError):
        float(cell)
        return cell
    return f"'{cell}"
