"""Formats of files: how each is told, and how its files become rows of DuckDB."""

from __future__ import annotations

import glob
import os
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from errorfloor._checks import InputError, argument, check_choice
from errorfloor.data.storage import read_arrays

if TYPE_CHECKING:
    from gzip import GzipFile


@dataclass(frozen=True, slots=True)
class Packing:
    """A way to make text files smaller."""

    name: str
    suffix: str
    magic: bytes  # how such files begin
    unpack: Callable[[str], GzipFile] | None = None  # where Python can


@dataclass(frozen=True, slots=True)
class Format:
    """A way to keep rows in files."""

    name: str
    suffixes: tuple[str, ...]
    begins: Callable[[bytes], bool]  # tells it by the first bytes of an unpacked file
    call: Callable[[Any, Sequence[str], Packing | None], str]  # what DuckDB reads such files by
    is_text: bool = False
    has_header: bool = False  # a first row of names
    finds_delimiter: bool = False  # whether DuckDB finds out what divides the fields
    holds_tables: bool = False  # whether it may hold saved tables in place of rows


def _open_gzip(file: str) -> GzipFile:
    from gzip import GzipFile

    return GzipFile(file)


GZIP = Packing("gzip", ".gz", b"\x1f\x8b", _open_gzip)
ZSTD = Packing("zstd", ".zst", b"\x28\xb5\x2f\xfd")
PACKINGS = (GZIP, ZSTD)

# Blank fields, and what other tools write for them.
_BLANK = "['', 'NA', 'N/A', 'na', 'n/a', 'NULL', 'null', 'None', 'none', 'NaN', 'nan', 'NAN']"
# Fields of text files stay text until they are read as numbers, so that a word among ten
# million numbers is counted and shown instead of ending the scan.
_TEXT = f"all_varchar = true, header = true, nullstr = {_BLANK}, union_by_name = true"


def _call_csv(_: Any, files: Sequence[str], packing: Packing | None) -> str:
    return f"read_csv([{_names(files)}], {_TEXT}{_packed(packing)})"


def _call_tsv(_: Any, files: Sequence[str], packing: Packing | None) -> str:
    return f"read_csv([{_names(files)}], {_TEXT}{_packed(packing)}, delim = '\t')"


def _call_jsonl(connection: Any, files: Sequence[str], packing: Packing | None) -> str:
    # As text, or 0.5 would become 0 where the first rows have whole numbers only.
    call = f"read_json([{_names(files)}]{_packed(packing)}"
    found = connection.sql(f"from {call})").columns
    kinds = ", ".join(f"{_text(column)}: varchar" for column in found)
    return f"(select nullif(columns(*), 'NaN') from {call}, columns = {{{kinds}}}))"


def _call_parquet(_: Any, files: Sequence[str], __: Packing | None) -> str:
    return f"read_parquet([{_names(files)}], union_by_name = true)"


def _call_npz(connection: Any, files: Sequence[str], _: Packing | None) -> str:
    return " union all by name from ".join(
        _call_arrays(connection, file, f"arrays_{i}") for i, file in enumerate(files)
    )


def _call_arrays(connection: Any, file: str, view: str) -> str:
    """Lay the arrays of a file before DuckDB as the columns of a view."""
    arrays = read_arrays(file)
    shapes = {name: array.shape for name, array in arrays.items()}
    if len(set(shapes.values())) != 1 or any(len(shape) != 1 for shape in shapes.values()):
        listed = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        raise InputError(f"{file!r} must hold 1-d arrays of equal length, got {listed or 'none'}.")
    # DuckDB knows the byte order of this machine only, and no days.
    kinds = {name: array.dtype.newbyteorder("=") for name, array in arrays.items()}
    kinds |= {name: "datetime64[us]" for name, kind in kinds.items() if kind.kind == "M"}
    connection.register(view, {name: arrays[name].astype(kinds[name]) for name in arrays})
    # It makes an enumeration of words, which comes back slowly, and arrays have no blanks.
    words = [_quoted(name) for name, array in arrays.items() if array.dtype.kind == "U"]
    as_text = ", ".join(f"nullif({name}::varchar, '') as {name}" for name in words)
    return f"(select * {f'replace ({as_text}) ' if words else ''}from {view})"


FORMATS = (
    Format(
        name="csv",
        suffixes=(".csv", ".txt"),
        begins=lambda _: True,
        call=_call_csv,
        is_text=True,
        has_header=True,
        finds_delimiter=True,
    ),
    Format(
        name="tsv",
        suffixes=(".tsv", ".tab"),
        begins=lambda start: b"\t" in start.split(b"\n")[0],
        call=_call_tsv,
        is_text=True,
        has_header=True,
    ),
    Format(
        name="jsonl",
        suffixes=(".jsonl", ".ndjson", ".json"),
        begins=lambda start: start.lstrip()[:1] in (b"{", b"["),
        call=_call_jsonl,
        is_text=True,
    ),
    Format(
        name="parquet",
        suffixes=(".parquet", ".pq"),
        begins=lambda start: start.startswith(b"PAR1"),
        call=_call_parquet,
    ),
    Format(
        name="npz",
        suffixes=(".npz",),
        begins=lambda start: start.startswith(b"PK\x03\x04"),
        call=_call_npz,
        holds_tables=True,
    ),
)


def format_called(name: str) -> Format:
    """Return the format of this name."""
    kinds = {kind.name: kind for kind in FORMATS}
    return kinds[check_choice(name, kinds, name="format")]


def format_of(files: Sequence[str], name: str | None = None) -> Format:
    """Return the one format of files: by its name, or by their names and how they begin."""
    if name is not None:
        return format_called(name)
    kinds = {kind.name: kind for kind in map(_format_of_one, files)}
    if len(kinds) > 1:
        raise InputError(
            f"The files are of different formats: {', '.join(sorted(kinds))}. "
            "Pass files of one format at a time, or name it with ",
            argument("format"),
            ".",
        )
    return next(iter(kinds.values()))


def packing_of(file: str) -> Packing | None:
    """Return how a text file is packed, if it is, by how it begins."""
    start = start_of(file, 4)
    return next((packing for packing in PACKINGS if start.startswith(packing.magic)), None)


def start_of(file: str, size: int) -> bytes:
    """Return the first bytes of a file; an error names the file, which `read` leaves out."""
    with open(file, "rb") as stream:
        try:
            return stream.read(size)
        except OSError as error:
            raise OSError(error.errno, error.strerror, file) from error


def suffix_of(file: str) -> str:
    """Return how the name of a file ends, before what says that it is packed."""
    name = file.lower()
    for packing in PACKINGS:
        name = name.removesuffix(packing.suffix)
    return os.path.splitext(name)[1]


def _format_of_one(file: str) -> Format:
    suffix = suffix_of(file)
    known = next((kind for kind in FORMATS if suffix in kind.suffixes), None)
    if known is not None:
        return known
    packing = packing_of(file)
    if packing is None:
        start = start_of(file, 4096)
    elif packing.unpack is None:  # DuckDB tells CSV from TSV
        start = b""
    else:
        start = _start_within(file, packing.unpack)
    # The first format is that of any text, so those that are told by more come before it.
    return next(kind for kind in reversed(FORMATS) if kind.begins(start))


def _start_within(file: str, unpack: Callable[[str], GzipFile]) -> bytes:
    try:
        with unpack(file) as unpacked:
            return unpacked.read(4096)
    except (EOFError, OSError, zlib.error):  # damaged, which whoever reads it will say
        return b""


def _names(files: Sequence[str]) -> str:
    # DuckDB would take a name such as a[1].csv for a pattern, and read a1.csv.
    return ", ".join(_text(glob.escape(file)) for file in files)


def _packed(packing: Packing | None) -> str:
    return f", compression = '{packing.name}'" if packing else ""


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
