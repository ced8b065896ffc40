"""Files of labels: found, checked, and read by DuckDB, any number of them, out of core."""

from __future__ import annotations

import glob
import os
import shlex
import shutil
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import takewhile
from pathlib import Path
from typing import Any, TypeAlias

from errorfloor._checks import InputError, argument, command, shown
from errorfloor.data import matrices
from errorfloor.data.columns import are_known, first_row_of_values
from errorfloor.data.exports import ToolNotes, crowd_rows
from errorfloor.data.format_record import File, Format, Packing, names_of, sheet_in
from errorfloor.data.formats import FORMATS, file_at, format_called, format_of, suffix_of
from errorfloor.data.options import ReadOptions, as_paths, names_of_files
from errorfloor.data.storage import (
    check_columns,
    check_inside,
    kept_folder,
    naming,
    read_arrays,
    readable_folders,
    scratch,
)
from errorfloor.data.tables import KINDS, MergedRows, Table
from errorfloor.data.values import as_text, quoted

Paths: TypeAlias = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
_MEMORY = "1GB"
_END = 2**12  # bytes that tell how a file begins and ends
_SMALL = 2**24  # bytes of text files whose rows are kept between queries
_LITTLE = 2**22  # only for speed: bytes of files that are read by one database, which is kept
_FETCHED = 2**28  # only for speed: bytes of files whose rows may be few enough for that, too
FILENAME = "filename"  # the column that says which file a row is from, as DuckDB calls it
_LISTED = 20  # columns in a message
_ROWS = 200  # that tell whether a text file has a row of names
_MOST_NAMES = 100  # columns of a file that may have none
_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT")
_NUMBERS = {"FLOAT", "DOUBLE", *_WHOLE, *(f"U{kind}" for kind in _WHOLE)}  # of DuckDB
_kept: dict[int, tuple[Any, str]] = {}  # databases with their folders, by process
_one_at_a_time = threading.Lock()
# How files begin that hold no rows for us.
_FOREIGN = {
    b"PK\x03\x04": "a ZIP archive, an Excel file or NPZ",
    b"\xd0\xcf\x11\xe0": "an Excel file",
    b"BZh": "packed by bzip2",
    b"\xfd7zXZ": "packed by xz",
}


def as_utf8(file: str, encoding: str, copy: str) -> None:
    """Write a copy of a text file as UTF-8."""
    # Bytes that the encoding leaves open are kept as characters nobody uses, and end no scan.
    with (
        open(file, encoding=encoding, errors="replace", newline="") as source,
        naming(copy),
        open(copy, "w", encoding="utf-8", newline="") as target,
    ):
        shutil.copyfileobj(source, target)


@dataclass(frozen=True, slots=True)
class Few:
    """Columns of numbers that are all to be fetched, of at most so many rows.

    One thread is enough for that; text takes longer to read, and to count needs all of them.
    """

    columns: tuple[str, ...]
    most: int

    def fits(self, rows: Any) -> bool:
        """Tell whether the rows of a relation are such."""
        kinds = dict(zip(rows.columns, map(str, rows.types), strict=True))
        numbers = all(kinds.get(column) in _NUMBERS for column in self.columns)
        return numbers and bool(rows.count("*").fetchone()[0] <= self.most)


def find(source: Paths, suffixes: Collection[str]) -> list[str]:
    """Return the files that paths, globs and folders name, sorted; in folders by `suffixes`."""
    parts = [source] if isinstance(source, str | os.PathLike) else source
    names = (os.path.expanduser(os.fspath(part)) for part in parts)
    files = sorted(file for name in names for file in _find_one(name, suffixes))
    check_inside(files)
    return list({os.path.realpath(file): file for file in reversed(files)}.values())[::-1]


def find_data(source: Paths, name: str | None) -> list[str]:
    """Return the files of rows or tables that `source` names, of any format if it has no name."""
    kinds: Sequence[Format] = FORMATS
    if name is not None:
        tables = format_called(name).holds_tables
        kinds = [kind for kind in FORMATS if kind.holds_tables == tables]
    return find(source, [suffix for kind in kinds for suffix in kind.suffixes])


@dataclass(frozen=True, slots=True)
class Found:
    """Files that lie still, and their one format; and files of labels that are joined to them."""

    files: tuple[File, ...]
    kind: Format
    joined: Joined | None = None
    by_file: bool = False  # whether a column says which file a row is from

    @classmethod
    def of(cls, files: Sequence[File], name: str | None = None) -> Found:
        """Tell the format of files, unless it has a name."""
        return cls(tuple(files), format_of(files, name))

    @property
    def tool_notes(self) -> list[ToolNotes]:
        """The notes on the tools that wrote them, once they were read."""
        every = (one for file in self.files for one in file.tool_notes)
        last = sorted(every, key=lambda one: one.problem is not None)  # what is wrong with one
        told = {one.tool: one for one in last}.values()
        blank: dict[str, int] = {}
        for file in self.files:  # which may have been read more than once
            for one in file.tool_notes[-1:]:
                blank[one.tool] = blank.get(one.tool, 0) + one.blank
        return [one.with_blank(blank[one.tool]) if blank.get(one.tool) else one for one in told]

    @property
    def size(self) -> int:
        """How many bytes all of them have."""
        own = sum(map(os.path.getsize, self.paths))
        return own if self.joined is None else own + self.joined.found.size

    @property
    def paths(self) -> list[str]:
        """Where the files are."""
        return [file.path for file in self.files]


@dataclass(frozen=True, slots=True)
class Joined:
    """Labels in files of their own, and the columns by which their rows find those of the data."""

    found: Found
    own: str  # the column of the data
    other: str  # the column of the labels
    partly: bool  # whether rows of the data may be without a label
    columns: list[str] = field(default_factory=list, compare=False)  # of the labels, once read
    counts: dict[str, int] = field(default_factory=dict, compare=False)

    @property
    def name(self) -> str:
        """What people call the labels."""
        return os.path.basename(self.found.paths[0])


@contextmanager
def found_with(source: Paths, options: ReadOptions) -> Iterator[Found]:
    """Yield the same with the labels that are in other files, where the options name some."""
    by_file = FILENAME in (
        *options.columns.values(),
        options.group,
        options.weight,
        options.cluster,
    )
    if options.labels is None:
        with found_in(source, options.format) as found:
            yield replace(found, by_file=by_file)
        return
    own, _, other = (options.on or "").partition("=")
    partly = options.drop_missing or options.unlabelled
    with found_in(source, options.format) as found, found_in(options.labels, None) as labels:
        joined = Joined(labels, own, other or own, partly)
        yield replace(found, joined=joined, by_file=by_file)


@contextmanager
def found_in(source: Paths, name: str | None) -> Iterator[Found]:
    """Yield the files that `source` names, with a copy of each pipe, which is read only once.

    Text that is not UTF-8 has a copy that is. Errors call a copy by the name of its file.
    """
    files = [file_at(path) for path in find_data(source, name)]
    if all(file.is_plain for file in files):
        yield Found.of(files, name)
        return
    with scratch() as folder:
        copies = copied(files, folder)
        names = zip(copies, files, strict=True)
        called = {copy.path: repr(file.path) for copy, file in names if copy is not file}
        try:
            yield Found.of(copies, name)
        except ValueError as error:
            raise renamed(error, called) from error


def kept_in(source: Paths, name: str | None) -> Found:
    """Return the same with copies that stay until Python ends."""
    files = [file_at(path) for path in find_data(source, name)]
    if not all(file.is_plain for file in files):
        files = copied(files, kept_folder())
    return Found.of(files, name)


def copied(files: Sequence[File], folder: str) -> list[File]:
    """Copy what comes out of pipes, and text as UTF-8, to a folder."""
    found = []
    for i, file in enumerate(files):
        plain = file
        if not os.path.isfile(file.path):
            copy = os.path.join(folder, f"pipe-{i}")
            with open(file.path, "rb") as source, naming(copy), open(copy, "wb") as target:
                shutil.copyfileobj(source, target)
            plain = replace(file_at(copy), called=file.path)
        if plain.encoding is not None:
            # Its ending tells the format of a copy.
            copy = os.path.join(folder, f"text-{i}{suffix_of(file.path)}")
            as_utf8(plain.path, plain.encoding, copy)
            plain = replace(file_at(copy), called=file.path)
        found.append(plain)
    return found


def renamed(error: ValueError, names: Mapping[str, str]) -> InputError:
    """Return an error that calls files as people do, who may know of no such file."""
    told = error if isinstance(error, InputError) else InputError(str(error))
    for file, name in names.items():
        told = told.replaced(repr(file), name)
    return told


@contextmanager
def opened(found: Found, *, ordered: bool, few: Few | None = None) -> Iterator[tuple[Any, Any]]:
    """Yield a connection of its own and a relation over all rows of files, read when used.

    With `ordered`, rows come in the order of the files and of their lines, which takes longer.
    Where `few` fits, one thread reads them.
    """
    duckdb = _duckdb()
    try:
        with _connected(found, ordered, few) as (connection, rows):
            # DuckDB finds out again how a text file is written at each step of a query.
            if found.kind.is_text and found.size <= _SMALL:
                connection.execute(f"create temp table in_memory as {rows.sql_query()}")
                rows = connection.table("in_memory")
            yield connection, rows
    except duckdb.Error as error:
        forget_database()  # which may be what is damaged
        raise _unreadable(found.paths, error) from error


@contextmanager
def _connected(found: Found, ordered: bool, few: Few | None) -> Iterator[tuple[Any, Any]]:
    """Yield a connection to a database of its own, or to one that is kept, and the rows.

    To open a database takes longer than to read little files, and a new one asks for all the
    memory again that rows are fetched through.
    """
    # No setting is changed, and what a cursor keeps of the rows ends with it.
    size = found.size
    plain = not found.kind.is_archive and found.joined is None
    if plain and size <= (_LITTLE if few is None or found.kind.is_text else _FETCHED):
        with closing(_cursor()) as connection:
            rows = relation(connection, found)
            if size <= _LITTLE or (few is not None and few.fits(rows)):
                yield connection, rows
                return
    with scratch() as folder, closing(connect(folder)) as connection:
        if ordered:
            connection.execute("set preserve_insertion_order = true")
        yield connection, relation(connection, found)


def _cursor() -> Any:
    """Return a connection to the database that this process keeps."""
    process = os.getpid()  # one that was forked shall leave alone what belongs to its parent
    with _one_at_a_time:
        if process not in _kept:
            folder = kept_folder()
            database = connect(folder, threads=1)
            database.execute("set preserve_insertion_order = true")
            # Files may change between two calls, however short the time between them is.
            database.execute("set parquet_metadata_cache = false")
            database.execute("set enable_external_file_cache = false")
            _kept[process] = database, folder
        return _kept[process][0].cursor()


def forget_database() -> None:
    """Close the database that is kept, and remove what it may have written."""
    _, folder = _kept.pop(os.getpid(), (None, None))
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)


def connect(folder: str, **config: Any) -> Any:
    """Return a connection to an empty database that keeps to a gigabyte of memory."""
    connection = _duckdb().connect(config=config)
    for setting in (
        f"memory_limit = '{_MEMORY}'",
        f"temp_directory = {as_text(folder)}",
        "preserve_insertion_order = false",
        "parquet_metadata_cache = true",  # each of several queries would read them again
        "perfect_ht_threshold = 18",  # bits of the cells that it counts in an array
        "autoinstall_known_extensions = false",
        "enable_progress_bar = true",
        "enable_progress_bar_print = false",
    ):
        connection.execute(f"set {setting}")
    within = readable_folders()
    if within is not None:  # whatever a file or a name may lead it to
        listed = ", ".join(as_text(one) for one in within)
        connection.execute(f"set allowed_directories = [{listed}]")
        connection.execute("set enable_external_access = false")
    return connection


def _duckdb() -> Any:
    """Return what reads files, or say how to get it."""
    try:
        import duckdb
    except ImportError:
        raise ImportError(
            "Reading files needs duckdb: pip install 'errorfloor[cli]', or read the file with "
            "another library and pass its dataframe."
        ) from None
    return duckdb


def relation(connection: Any, found: Found) -> Any:
    """Return a DuckDB relation over all rows of files, which are of one format."""
    import duckdb

    files, kind = found.paths, found.kind
    by_packing: dict[Packing | None, list[File]] = {}
    for file in found.files:
        _check_start(file, kind)
        by_packing.setdefault(file.packing, []).append(file)
        _check_whole(connection, file.path, kind, file.packing)
    try:
        calls = [kind.call(connection, some) for some in by_packing.values()]
        calls = _with_names(connection, found) if found.by_file else calls
        rows = connection.sql(" union all by name ".join(f"from {call}" for call in calls))
    except duckdb.Error as error:
        for file in found.files if kind.is_text else ():
            if b"\0" in file.start and file.encoding is None:
                raise InputError(
                    f"Could not read {file.path!r}: it is binary, and of no format that is read. "
                    "Check that it is the right file, or name its format with `format`."
                ) from error
        raise _unreadable(files, error) from error
    head = rows.columns[0]
    if kind.finds_delimiter and len(rows.columns) == 1 and any(mark in head for mark in ",;|\t"):
        raise InputError(
            f"Could not read {_which(files)}: its rows have different numbers of fields than its "
            f"header, {head!r}. Mend or remove these rows."
        )
    check_columns(files[0], len(rows.columns), text=kind.is_text)
    unnamed = _without_names(connection, found, rows)
    _check_names(connection, found, rows.columns, unnamed)
    rows, told = crowd_rows(connection, rows)
    found.files[0].tool_notes.extend(one for one in (told, unnamed) if one is not None)
    return rows if found.joined is None else _with_labels(connection, rows, found, found.joined)


def _with_names(connection: Any, found: Found) -> list[str]:
    """Return what reads each file, with a column of its name unless one has a column called so.

    A file is called by the last part of its path, without the ending, where these differ.
    """
    calls = [found.kind.call(connection, [file]) for file in found.files]
    if any(FILENAME in connection.sql(f"from {call} limit 0").columns for call in calls):
        return calls
    paths = [file.called or file.path for file in found.files]
    named = zip(names_of_files(paths, ending=False), calls, strict=True)
    return [f"(select *, {as_text(name)} as {FILENAME} from {call})" for name, call in named]


# Labels in files of their own, which are joined to the rows of the data by a key.


def _with_labels(connection: Any, rows: Any, found: Found, joined: Joined) -> Any:
    """Return the rows with what the labels say of them; rows without a label have none.

    Keys are compared as text without blanks around it, and 7.0 is 7. A column of the data that is
    called as one of the labels gets the name of its file behind its own.
    """
    labels = relation(connection, joined.found)
    _check_key(rows, joined.own, found.paths[0])
    _check_key(labels, joined.other, joined.found.paths[0])
    joined.columns[:] = [one for one in labels.columns if one != joined.other]
    taken = {one.casefold() for one in joined.columns}
    file = os.path.basename(found.paths[0])
    own = ", ".join(
        f"d.{quoted(one)}"
        if one == joined.own or one.casefold() not in taken
        else f"d.{quoted(one)} as {quoted(f'{one} ({file})')}"
        for one in rows.columns
    )
    others = [one for one in joined.columns if one.casefold() != joined.own.casefold()]
    other = "".join(f", l.{quoted(one)}" for one in others)
    rows.create_view("data_rows")
    labels.distinct().create("label_rows")
    _check_labels(connection, joined)
    keys = f"{_key(f'd.{quoted(joined.own)}')} = {_key(f'l.{quoted(joined.other)}')}"
    _count_matches(connection, found, joined, keys)
    return connection.sql(f"select {own}{other} from data_rows d left join label_rows l on {keys}")


def _key(column: str) -> str:
    """Return a key as text, in which a whole number is written in one way."""
    return rf"regexp_replace(trim({column}::varchar), '^([+-]?[0-9]+)\.0+$', '\1')"


def _check_key(rows: Any, key: str, file: str) -> None:
    if key not in rows.columns:
        some = ", ".join(rows.columns[:_LISTED])
        raise InputError(
            f"No column of {file} is called {key!r} (",
            argument("on"),
            f"). Its columns are {some}. Where the two files call it differently, write both: ",
            *(argument("on", f"{key}=COL"), "."),
        )


def _check_labels(connection: Any, joined: Joined) -> None:
    """Refuse several labels for one key, of which nobody knows which one is meant."""
    key, file = _key(quoted(joined.other)), joined.found.paths[0]
    twice = (
        f"select {key} as k from label_rows where {key} is not null group by 1 having count(*) > 1"
    )
    number, first = connection.sql(f"select count(*), min(k) from ({twice})").fetchone()
    if number:
        raise InputError(
            f"{file} has several different rows for {number:,} of its keys, such as {first!r} (",
            argument("on"),
            "), and each may have one. Where they are the votes of several people, pass that file "
            "as the data, and the other one with ",
            *(argument("labels"), "."),
        )


def _count_matches(connection: Any, found: Found, joined: Joined, keys: str) -> None:
    """Count what has a partner, and refuse rows without a label unless they may be left out."""
    counts = joined.counts
    own, other = _key(quoted(joined.own)), _key(quoted(joined.other))
    of_data = f"select {own} as k from data_rows"
    of_labels = f"select {other} as k from label_rows where {other} is not null"
    counts["rows"], counts["matched"] = connection.sql(
        f"select count(*), count(*) filter (k in ({of_labels})) from ({of_data})"
    ).fetchone()
    counts["labels"], used = connection.sql(
        f"select count(*), count(*) filter (k in ({of_data})) from ({of_labels})"
    ).fetchone()
    counts["unused"] = counts["labels"] - used
    without = counts["rows"] - counts["matched"]
    file, labels = found.paths[0], joined.found.paths[0]
    if not counts["matched"]:
        shown = [
            (connection.sql(f"select min(k) from ({query})").fetchone() or [None])[0]
            for query in (of_data, of_labels)
        ]
        raise InputError(
            f"No row of {file} has a key of {labels} (",
            argument("on"),
            f"): {joined.own} is such as {shown[0]!r} in the first, and {joined.other} such as "
            f"{shown[1]!r} in the second. Check that both name the same items.",
        )
    if without and not joined.partly:
        raise InputError(
            f"{labels} has no row for {without:,} of the {counts['rows']:,} rows of {file}. Leave "
            "these out, or keep their scores without a label:\n  ",
            *(command("drop_missing", True), "\n  ", command("unlabelled", True)),
        )


def _find_one(name: str, suffixes: Collection[str]) -> list[str]:
    if os.path.isdir(name):
        folder = Path(name)
        found = [str(path) for path in folder.rglob("*") if _is_data(path, folder, suffixes)]
        if not found:
            raise FileNotFoundError(
                f"The folder {name!r} has no file ending in {', '.join(suffixes)}. Name a file."
            )
        return found
    if os.path.exists(name) or sheet_in(name)[1]:
        return [name]
    found = [path for path in glob.glob(name, recursive=True) if os.path.isfile(path)]
    if not found:
        raise FileNotFoundError(f"There is no file {name!r}. Check the path.")
    return found


def _is_data(path: Path, folder: Path, suffixes: Collection[str]) -> bool:
    # Engines keep notes of their own in files and folders that begin with a dot or underscore.
    hidden = any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)
    return not hidden and path.is_file() and suffix_of(str(path)) in suffixes


def _check_start(file: File, kind: Format) -> None:
    """Refuse files that begin as no file of rows does."""
    if not file.head:
        raise InputError(f"Could not read {file.path!r}: it is empty.")
    for mark, what in _FOREIGN.items():
        if file.head.startswith(mark) and not kind.is_archive:
            raise InputError(
                f"Could not read {file.path!r}: it is {what}. Save its rows as CSV or Parquet; "
                "the name of an NPZ file ends in .npz."
            )


def _check_whole(connection: Any, file: str, kind: Format, packing: Packing | None) -> None:
    """Refuse a file that was cut off, of which DuckDB would read what is there."""
    if packing is not None and packing.is_whole is not None and not packing.is_whole(file):
        raise InputError(f"Could not read {file!r}: it is damaged or not all there. Copy it again.")
    if kind.is_whole is None and (packing is None or packing.unpack is None):
        return
    import gzip
    import zlib

    try:
        start, end = _ends(connection, file, packing)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(
            f"Could not read {file!r}: it is damaged or not all there ({error}). Copy it again."
        ) from error
    if kind.is_whole is not None and not kind.is_whole(start, end):
        raise InputError(
            f"Could not read {file!r}: it is not all there, because what opens at its start is not "
            "closed at its end. Copy it again."
        )


def _ends(connection: Any, file: str, packing: Packing | None) -> tuple[bytes, bytes]:
    """Return how a file begins and ends when it is unpacked."""
    if packing is None:
        with open(file, "rb") as plain:
            start = plain.read(_END)
            plain.seek(max(os.path.getsize(file) - _END, 0))
            return start, plain.read()
    if packing.unpack is None:
        return _ends_of_lines(connection, file, packing)
    start = end = b""
    with packing.unpack(file) as unpacked:
        while piece := unpacked.read(2**20):
            start, end = start or piece, (end + piece)[-_END:]
    return start, end


def _ends_of_lines(connection: Any, file: str, packing: Packing) -> tuple[bytes, bytes]:
    """Return how the first line begins and the last one ends, of what DuckDB alone unpacks."""
    import duckdb

    how = "columns = {'line': 'varchar'}, auto_detect = false, header = false, parallel = false"
    how += f", delim = '\x01', quote = '', escape = '', compression = {as_text(packing.name)}"
    rows = f"read_csv({names_of([File(file)])}, {how})"
    query = f"select first(line), last(line) from {rows} where line <> ''"
    try:
        found = connection.sql(query).fetchone()
    except duckdb.Error:  # lines too long for it, or damaged: read_json says what is wrong
        return b"", b""
    start, end = ((line or "").encode() for line in found or ("", ""))
    if not start:
        raise InputError(
            f"Could not read {file!r}: nothing is in it, or it is not all there. Copy it again."
        )
    return start[:_END], end[-_END:]


def _without_names(connection: Any, found: Found, rows: Any) -> ToolNotes | None:
    """Return what to say where the first row of a text file holds values."""
    if not found.kind.is_text or found.kind.names is None or len(rows.columns) > _MOST_NAMES:
        return None
    if are_known(rows.columns):  # without another look at the file
        return None
    names = found.kind.names(connection, found.files[0])
    if names is None or len(names) != len(rows.columns):
        return None
    some = rows.limit(_ROWS).fetchall()
    problem = first_row_of_values([str(one or "") for one in names], some)
    if problem is None:
        return None
    (text,) = problem.parts
    file = shlex.quote(found.paths[0])
    return ToolNotes("", problem=InputError(str(text).replace("cat FILE", f"cat {file}")))


def _check_names(
    connection: Any, found: Found, columns: Sequence[str], unnamed: ToolNotes | None
) -> None:
    """Refuse columns of the same name, to the second of which DuckDB adds a number."""
    there = set(columns)
    doubled = [column for column in columns if f"{column}_1" in there]
    if not doubled or found.kind.names is None:
        return
    for file in found.files:
        names = list(found.kind.names(connection, file))
        for column in doubled:
            if names.count(column) > 1:
                if unnamed is not None and unnamed.problem is not None:
                    raise unnamed.problem
                raise InputError(
                    f"Could not read {file.path!r}: it has {names.count(column)} columns called "
                    f"{column!r}. Rename them."
                )


def _unreadable(files: Sequence[str], error: Exception) -> InputError:
    advice = ("Possible", "The search space")  # about settings, which come last
    lines = takewhile(lambda line: line and not line.startswith(advice), str(error).split("\n"))
    reason = " ".join(list(lines)[:3]).strip().rstrip(".")
    if "utf-8" in reason.lower():
        first = shlex.quote(files[0])
        return InputError(
            f"Could not read {_which(files)}: some of its text is not UTF-8. If it is Latin-1, as "
            f"Windows writes it, type\n  iconv -f WINDOWS-1252 -t UTF-8 {first} > utf-8.csv"
        )
    if reason.startswith("Out of Memory"):
        return InputError(
            f"Could not read {_which(files)}: it has more columns, or longer ones, than fit into "
            f"{_MEMORY} of memory. Save the columns that are needed."
        )
    if "No space left" in reason or "File too large" in reason:
        return InputError(
            f"Could not read {_which(files)}: what does not fit into memory needs more room than "
            "the folder for temporary files has. Make room there, or name another by TMPDIR."
        )
    return InputError(
        f"Could not read {_which(files)}: {reason}. Check that all of it is rows of one format, or "
        "name that with ",
        *(argument("format"), "."),
    )


def _which(files: Sequence[str]) -> str:
    return repr(files[0]) if len(files) == 1 else f"{len(files)} files from {files[0]!r} on"


# Tables that were saved to files: loaded, and added up.


def merge(paths: Paths) -> Table:
    """Add up tables that were saved to files, shard by shard or day by day.

    The sum is that of one pass over all items. Once it has more than 262,144 rows, scores are
    merged into cells of the same fixed grid that a pass would have used.

    Parameters
    ----------
    paths : path, or list of paths
        NPZ files that the `save` of a table wrote, globs or folders of them.

    Examples
    --------
    >>> import errorfloor as ef
    >>> folder = getfixture("tmp_path")
    >>> ef.ScoreTable.from_arrays([0.2, 0.7], [0, 1]).save(folder / "monday.npz")
    >>> ef.ScoreTable.from_arrays([0.2, 0.9], [1, 1]).save(folder / "tuesday.npz")
    >>> ef.merge(folder)
    ScoreTable(n=4, rows=3)
    """
    suffixes = [suffix for kind in FORMATS if kind.holds_tables for suffix in kind.suffixes]
    return _sum((file, load_table(file)) for file in find(as_paths(paths, "paths"), suffixes))


def load_table(path: str | os.PathLike[str]) -> Table:
    """Read a table of any kind that `save` wrote."""
    if not isinstance(path, str | os.PathLike):
        raise InputError(argument("path"), f" must be the path of a file, got {shown(path)}.")
    name = os.fspath(path)
    try:
        arrays = read_arrays(path)
        kind = _kind_in(arrays)
        if kind is None:
            raise ValueError("its arrays are others.")
        return kind.from_file(arrays)
    except (ValueError, TypeError) as error:
        raise InputError(
            f"{name!r} does not hold a table: {error} Pass a table that was saved as NPZ."
        ) from error


def saved_table(found: Found) -> Table | None:
    """Return the sum of the tables in files, or None if the first one holds plain arrays."""
    if not found.kind.holds_tables or _kind_in(read_arrays(found.paths[0])) is None:
        return None
    return _sum((file, load_table(file)) for file in found.paths)


def holds_table(source: Paths, name: str | None) -> bool:
    """Tell whether files hold saved tables, of the format with this name."""
    with found_in(source, name) as found:
        return saved_table(found) is not None


def _kind_in(arrays: dict[str, Any]) -> type[Table] | None:
    return next((kind for kind in KINDS if kind.is_in(arrays)), None)


def _sum(tables: Iterable[tuple[str, Table]]) -> Table:
    total: Table | None = None
    for file, table in tables:
        if total is None:
            total = table
        elif type(total) is type(table):
            total = total + table
        else:
            raise InputError(
                f"The files hold both {total.kind} and {table.kind}; {file!r} is the first of "
                "another kind. Merge each kind on its own.",
            )
        if isinstance(total, MergedRows) and len(total) > matrices.EXACT:
            total = total.coarsen()
    assert total is not None  # there is a file
    return total


# Files that people asked for, none of which takes the place of the data.


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
            found = find_data(source, None)
            yield from (one if os.path.isfile(one) else sheet_in(one)[0] for one in found)
