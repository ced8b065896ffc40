"""Files of labels through DuckDB: CSV, TSV, JSON lines and Parquet, any number, out of core."""

from __future__ import annotations

import glob
import os
import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path
from typing import Any, TypeAlias

from errorfloor._checks import check_choice

Paths: TypeAlias = "str | os.PathLike[str] | Sequence[str | os.PathLike[str]]"

_FORMAT_OF_SUFFIX = {
    ".csv": "csv",
    ".txt": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
}
FORMATS = ("csv", "tsv", "jsonl", "parquet")
_PACKING_OF_SUFFIX = {".gz": "gzip", ".zst": "zstd"}
# Blank fields, and what other tools write for them.
_BLANK = "['', 'NA', 'N/A', 'na', 'n/a', 'NULL', 'null', 'None', 'none', 'NaN', 'nan', 'NAN']"
_MEMORY = "1GB"
_FOREIGN = {
    b"PK\x03\x04": "a ZIP archive, an Excel file or NPZ",
    b"\xd0\xcf\x11\xe0": "an Excel file",
    b"BZh": "packed by bzip2",
    b"\xfd7zXZ": "packed by xz",
}


def is_source(data: object) -> bool:
    """Tell whether `data` is a path, or a list of paths."""
    if isinstance(data, list | tuple):
        return bool(data) and all(isinstance(part, str | os.PathLike) for part in data)
    return isinstance(data, str | os.PathLike)


@contextmanager
def opened(source: Paths, kind: str | None = None) -> Iterator[tuple[Any, Any]]:
    """Yield a connection of its own and a relation over all rows of `source`, read when used."""
    import duckdb

    files = find(source)
    with tempfile.TemporaryDirectory(prefix="errorfloor-") as scratch:
        connection = connect(scratch)
        try:
            yield connection, relation(connection, files, kind)
        except duckdb.Error as error:
            raise _unreadable(files, error) from error
        finally:
            connection.close()


def connect(scratch: str) -> Any:
    """Return a connection to an empty database that keeps to a gigabyte of memory."""
    try:
        import duckdb
    except ImportError:
        raise ImportError(
            "Reading files needs duckdb: pip install 'errorfloor[cli]', or read the file with "
            "another library and pass its dataframe."
        ) from None
    connection = duckdb.connect()
    for setting in (
        f"memory_limit = '{_MEMORY}'",
        f"temp_directory = '{scratch}'",
        "preserve_insertion_order = false",
        "parquet_metadata_cache = true",  # each of several queries would read them again
        "perfect_ht_threshold = 18",  # bits of the cells that it counts in an array
        "autoinstall_known_extensions = false",
        "enable_progress_bar = true",
        "enable_progress_bar_print = false",
    ):
        connection.execute(f"set {setting}")
    return connection


def relation(connection: Any, files: Sequence[str], kind: str | None) -> Any:
    """Return a DuckDB relation over all rows of `files`, which are of one format."""
    import duckdb

    kinds = {format_of(file) for file in files} if kind is None else {kind}
    if len(kinds) > 1:
        raise ValueError(
            f"The files are of different formats: {', '.join(sorted(kinds))}. "
            "Pass files of one format at a time, or name it with `format`."
        )
    kind = check_choice(kinds.pop(), FORMATS, name="format")
    by_packing: dict[str | None, list[str]] = {}
    for file in files:
        _check_text(file)
        packing = packing_of(file)
        by_packing.setdefault(packing, []).append(file)
        if packing == "gzip":
            _check_whole(file)
    try:
        calls = [_call(connection, some, kind, packed) for packed, some in by_packing.items()]
        rows = connection.sql(" union all by name ".join(f"from {call}" for call in calls))
    except duckdb.Error as error:
        raise _unreadable(files, error) from error
    head = rows.columns[0]
    if kind == "csv" and len(rows.columns) == 1 and any(mark in head for mark in ",;|\t"):
        raise ValueError(
            f"Could not read {_which(files)}: its rows have different numbers of fields than its "
            f"header, {head!r}. Mend or remove these rows."
        )
    if kind in ("csv", "tsv"):
        _check_names(connection, files, kind, rows.columns)
    return rows


def _check_names(connection: Any, files: Sequence[str], kind: str, columns: Sequence[str]) -> None:
    """Refuse columns of the same name, to the second of which DuckDB adds a number."""
    doubled = [column for column in columns if f"{column}_1" in columns]
    if not doubled:
        return
    call = _call(connection, files[:1], kind, packing_of(files[0]))
    head = connection.sql(f"from {call.replace('header = true', 'header = false')} limit 1")
    (names,) = head.fetchall()
    for column in doubled:
        if names.count(column) > 1:
            raise ValueError(
                f"Could not read {_which(files)}: it has {names.count(column)} columns called "
                f"{column!r}. Rename them."
            )


def _call(connection: Any, files: Sequence[str], kind: str, packed: str | None) -> str:
    """Return the function of DuckDB that reads files which are packed in one way."""
    # DuckDB would take a name such as a[1].csv for a pattern, and read a1.csv.
    names = ", ".join(_text(glob.escape(file)) for file in files)
    packing = f", compression = '{packed}'" if packed else ""
    # Fields of text files stay text until they are read as numbers, so that a word among ten
    # million numbers is counted and shown instead of ending the scan.
    text = f"all_varchar = true, header = true, nullstr = {_BLANK}, union_by_name = true"
    if kind == "jsonl":
        # Or 0.5 would become 0 where the first rows have whole numbers only.
        call = f"read_json([{names}]{packing}"
        found = connection.sql(f"from {call})").columns
        kinds = ", ".join(f"{_text(column)}: varchar" for column in found)
        return f"(select nullif(columns(*), 'NaN') from {call}, columns = {{{kinds}}}))"
    return {
        "csv": f"read_csv([{names}], {text}{packing})",
        "tsv": f"read_csv([{names}], {text}{packing}, delim = '\t')",
        "parquet": f"read_parquet([{names}], union_by_name = true)",
    }[kind]


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def find(source: Paths, suffixes: Collection[str] = tuple(_FORMAT_OF_SUFFIX)) -> list[str]:
    """Return the files that paths, globs and folders name, sorted."""
    parts = [source] if isinstance(source, str | os.PathLike) else source
    names = (os.path.expanduser(os.fspath(part)) for part in parts)
    files = sorted(file for name in names for file in _find_one(name, suffixes))
    return list({os.path.realpath(file): file for file in reversed(files)}.values())[::-1]


def _find_one(name: str, suffixes: Collection[str]) -> list[str]:
    if os.path.isdir(name):
        folder = Path(name)
        found = [str(path) for path in folder.rglob("*") if _is_data(path, folder, suffixes)]
        if not found:
            raise FileNotFoundError(
                f"The folder {name!r} has no file ending in {', '.join(suffixes)}."
            )
        return found
    if os.path.exists(name):
        return [name]
    found = [path for path in glob.glob(name, recursive=True) if os.path.isfile(path)]
    if not found:
        raise FileNotFoundError(f"There is no file {name!r}. Check the path.")
    return found


def _is_data(path: Path, folder: Path, suffixes: Collection[str]) -> bool:
    # Engines keep notes of their own in files and folders that begin with a dot or underscore.
    hidden = any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)
    return not hidden and path.is_file() and _suffix(str(path)) in suffixes


def format_of(file: str) -> str:
    """Return the format of a file by its name, or else by how it begins."""
    known = _FORMAT_OF_SUFFIX.get(_suffix(file))
    if known is not None:
        return known
    if packing_of(file) == "zstd":  # which Python cannot open; DuckDB tells CSV from TSV
        return "csv"
    start = _start(file)
    if start.startswith(b"PAR1"):
        return "parquet"
    if start.lstrip()[:1] in (b"{", b"["):
        return "jsonl"
    return "tsv" if b"\t" in start.split(b"\n")[0] else "csv"


def packing_of(file: str) -> str | None:
    """Return how a text file is packed, if it is, by how it begins."""
    start = start_of(file, 4)
    if start.startswith(b"\x1f\x8b"):
        return "gzip"
    return "zstd" if start == b"\x28\xb5\x2f\xfd" else None


def _check_text(file: str) -> None:
    """Refuse files that begin as no file of rows does."""
    start = start_of(file, 8)
    if not start:
        raise ValueError(f"Could not read {file!r}: it is empty.")
    for mark, what in _FOREIGN.items():
        if start.startswith(mark):
            raise ValueError(
                f"Could not read {file!r}: it is {what}. Save its rows as CSV or Parquet; tables "
                "that were saved as NPZ are read by `load`."
            )


def _check_whole(file: str) -> None:
    """Refuse a file that was cut off, of which DuckDB would read what is there."""
    import gzip
    import zlib

    try:
        with gzip.open(file) as unpacked:
            while unpacked.read(2**20):
                pass
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(
            f"Could not read {file!r}: it is damaged or not all there ({error}). Copy it again."
        ) from error


def _suffix(file: str) -> str:
    name = file.lower()
    for packing in _PACKING_OF_SUFFIX:
        name = name.removesuffix(packing)
    return os.path.splitext(name)[1]


def _start(file: str) -> bytes:
    if packing_of(file) == "gzip":
        import gzip

        with gzip.open(file) as unpacked:
            return unpacked.read(4096)
    return start_of(file, 4096)


def start_of(file: str, size: int) -> bytes:
    """Return the first bytes of a file; an error names the file, which `read` leaves out."""
    with open(file, "rb") as stream:
        try:
            return stream.read(size)
        except OSError as error:
            raise OSError(error.errno, error.strerror, file) from error


def _unreadable(files: Sequence[str], error: Exception) -> ValueError:
    advice = ("Possible", "The search space")  # about settings, which come last
    lines = takewhile(lambda line: line and not line.startswith(advice), str(error).split("\n"))
    return ValueError(f"Could not read {_which(files)}: {' '.join(list(lines)[:3]).strip()}")


def _which(files: Sequence[str]) -> str:
    return repr(files[0]) if len(files) == 1 else f"{len(files)} files from {files[0]!r} on"
