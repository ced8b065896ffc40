"""What a format of files is: a record of how it is recognised and read, and parts to write one."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any, BinaryIO

from errorfloor.data.values import as_text

if TYPE_CHECKING:
    from gzip import GzipFile

    from errorfloor.data.exports import ToolNotes


@dataclass(frozen=True, slots=True)
class Packing:
    """A way to make text files smaller."""

    name: str
    suffix: str
    magic: bytes  # how such files begin
    unpack: Callable[[str], GzipFile] | None = None  # where Python can
    is_whole: Callable[[str], bool] | None = None  # where it cannot


@dataclass(frozen=True, slots=True)
class Format:
    """A way to keep rows in files.

    The format of a file is, in this order: the one that the user names; the one with the suffix of
    the file; the last in `FORMATS` whose `begins` says so.

    Attributes
    ----------
    name : str
        As people ask for it: `--format csv`.
    suffixes : tuple of str
        In lower case, with the dot, without what a compressed file adds to them.
    begins : callable
        From the first bytes of a file, after decompression, to whether it is of this format.
    call : callable
        From a connection of DuckDB and the files of one compression to SQL that goes behind
        `from`. `names_of`, `compression_of` and `text_options` write parts of it;
        `rows_of_columns` hands over what Python has read, and `joined` puts calls together. Fields
        stay text: a word among numbers is then counted and shown, and does not end the reading.
    names : callable, optional
        From a connection and a file to the names of its columns as the file has them, of which
        DuckDB renames the second of two. Without it, equal names are not refused.
    is_whole : callable, optional
        From the first and the last bytes of a file to whether it was not cut off.
    is_text : bool
        Whether it is text, which is brought to UTF-8 before it is read.
    finds_delimiter : bool
        Whether DuckDB finds out what is between the fields.
    holds_tables : bool
        Whether it may hold saved tables in place of rows.
    is_archive : bool
        Whether its files are ZIP archives.
    title : str
        What people call it, where that is another word than the name.
    """

    name: str
    suffixes: tuple[str, ...]
    begins: Callable[[bytes], bool]
    call: Callable[[Any, Sequence[File]], str]
    names: Callable[[Any, File], Sequence[str]] | None = None
    is_whole: Callable[[bytes, bytes], bool] | None = None
    is_text: bool = False
    finds_delimiter: bool = False
    holds_tables: bool = False
    is_archive: bool = False
    title: str = ""


@dataclass(frozen=True, slots=True)
class File:
    """A file, and how it begins, which is read once."""

    path: str
    head: bytes = b""  # its first bytes as they are, which tell an empty or a foreign file
    start: bytes = b""  # more of them, unpacked; nothing where Python cannot
    packing: Packing | None = None
    encoding: str | None = None  # of text that is not UTF-8
    called: str = ""  # by people, where this is a copy or a sheet
    sheet: str = ""  # of a workbook, where one is named
    # Of the tool that wrote it, once it is read.
    tool_notes: list[ToolNotes] = field(default_factory=list, compare=False)

    @property
    def is_plain(self) -> bool:
        """Whether it is read where it is: no pipe, and no text of another encoding."""
        return self.encoding is None and os.path.isfile(self.path)


_SHEET = re.compile(r"(.+\.xls[xm])#(.+)", re.IGNORECASE)


def sheet_in(name: str) -> tuple[str, str]:
    """Return the file and the sheet that book.xlsx#Sheet names, and no sheet of another name."""
    told = None if os.path.exists(name) else _SHEET.fullmatch(name)
    return (name, "") if told is None or not os.path.exists(told[1]) else (told[1], told[2])


# Blank fields, and what other tools and people write for them.
BLANK = (
    *("", "NA", "N/A", "na", "n/a", "#N/A", "<NA>", "NULL", "Null", "null", "None", "none"),
    *("NaN", "nan", "NAN", "?", "-", "--"),
)
_SIGNS = {"-", "--"}  # which may be votes against, next to votes of +
_PLUS = re.compile(rb"(?:^|[,;|\t\n\"])\+(?:[,;|\t\r\n\"]|$)")
# Fields of text files stay text until they are read as numbers, so that a word among ten
# million numbers is counted and shown instead of ending the scan.
_TEXT = "all_varchar = true, header = true"
_VIEWS = count()  # of what is laid before DuckDB, which may be from two files at once


def names_of(files: Sequence[File]) -> str:
    """Return the paths of files as SQL has them, with commas between them."""
    # DuckDB would take a name such as a[1].csv for a pattern, and read a1.csv.
    return ", ".join(as_text(glob.escape(file.path)) for file in files)


def compression_of(files: Sequence[File]) -> str:
    """Return the option of DuckDB that says how files are compressed, after a comma, or nothing."""
    packing = files[0].packing
    return f", compression = {as_text(packing.name)}" if packing else ""


def text_options(files: Sequence[File]) -> str:
    """Return the options by which `read_csv` leaves fields as text, and blank ones missing."""
    # "-" stands for no missing value next to votes of "+".
    signs = _SIGNS if _PLUS.search(files[0].start) else set()
    blank = ", ".join(as_text(one) for one in BLANK if one not in signs)
    return f"{_TEXT}, nullstr = [{blank}]{compression_of(files)}"


def rows_of_columns(connection: Any, tables: Sequence[Mapping[str, Any]]) -> str:
    """Return what DuckDB reads all rows of tables by, whose columns are arrays of text by name."""
    views = [f"columns_{next(_VIEWS)}" for _ in tables]
    for view, columns in zip(views, tables, strict=True):
        connection.register(view, columns)
    # It takes columns in which all is missing for whole numbers.
    return joined(f"(select columns(*)::varchar from {view})" for view in views)


def joined(calls: Iterable[str]) -> str:
    """Return what DuckDB reads the rows of all calls by."""
    return " union all by name from ".join(calls)


# Compression.

_FRAME, _SKIPPED = 0xFD2FB528, range(0x184D2A50, 0x184D2A60)  # how frames begin
_RUN, _RESERVED = 1, 3  # types of blocks

# Whether a file that zstd compressed is all there, by the sizes that its parts state. DuckDB
# unpacks what is there of a file that was cut off, without a word. Nothing is unpacked here: a
# frame says how long its header is, and each of its blocks how far it is to the next (RFC 8878).


def is_whole_zstd(file: str) -> bool:
    """Tell whether a file is made of whole frames, to its end."""
    size = os.path.getsize(file)
    with open(file, "rb") as stream:
        while stream.tell() < size:
            if not _skip_frame(stream) or stream.tell() > size:
                return False
    return size > 0


def _skip_frame(stream: BinaryIO) -> bool:
    """Go to the end that a frame states, if there is one."""
    try:
        magic = _number_in(stream, 4)
        if magic in _SKIPPED:
            stream.seek(_number_in(stream, 4), os.SEEK_CUR)
            return True
        if magic != _FRAME:
            return False
        about = _number_in(stream, 1)
        in_one_piece, has_sum = about >> 5 & 1, about >> 2 & 1
        length = (in_one_piece, 2, 4, 8)[about >> 6]
        stream.seek((not in_one_piece) + (0, 1, 2, 4)[about & 3] + length, os.SEEK_CUR)
        _skip_blocks(stream)
        stream.seek(4 * has_sum, os.SEEK_CUR)
    except EOFError:
        return False
    return True


def _skip_blocks(stream: BinaryIO) -> None:
    last = 0
    while not last:
        block = _number_in(stream, 3)
        last, kind = block & 1, block >> 1 & 3
        if kind == _RESERVED:
            raise EOFError
        stream.seek(1 if kind == _RUN else block >> 3, os.SEEK_CUR)


def _number_in(stream: BinaryIO, size: int) -> int:
    found = stream.read(size)
    if len(found) < size:
        raise EOFError
    return int.from_bytes(found, "little")


def _open_gzip(file: str) -> GzipFile:
    from gzip import GzipFile

    return GzipFile(file)


GZIP = Packing("gzip", ".gz", b"\x1f\x8b", _open_gzip)
ZSTD = Packing("zstd", ".zst", b"\x28\xb5\x2f\xfd", is_whole=is_whole_zstd)
PACKINGS = (GZIP, ZSTD)
