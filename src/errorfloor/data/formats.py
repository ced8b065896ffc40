"""The formats of files: the table of them all, and how files tell theirs."""

from __future__ import annotations

import codecs
import csv
import math
import os
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import count
from typing import Any

from errorfloor._checks import InputError, argument, check_choice
from errorfloor.data.format_record import (
    BLANK,
    PACKINGS,
    File,
    Format,
    Packing,
    compression_of,
    joined,
    names_of,
    rows_of_columns,
    sheet_in,
    text_options,
)
from errorfloor.data.storage import check_columns, naming, read_arrays
from errorfloor.data.values import as_text, quoted

_ONE_NAME = re.compile(rb'(?:\xef\xbb\xbf)?(?:"\w+"|\w+)\r?\n')
_TABS = ", delim = '\t'"
LOOKED_AT = 2**22  # bytes of text; beyond, it is taken to go on as it began
_KEPT = 2**16  # bytes that tell how a text file is written
_TELLING = 2**12  # bytes that tell a format
_MARKS = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_TEXTUAL = bytes({*range(256)} - {*range(9), *range(14, 26), *range(27, 32), 127})
_BINARY = (b"PAR1", b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"BZh", b"\xfd7zXZ")
_SNIFFED_CELLS, _SNIFFED_ROWS = 2**17, 100  # that tell how a wide text file is written
_VIEWS = count()  # of arrays, which may be from two files at once
_LINES = 1000  # of text, which tell what its comments are
_NUMBER = re.compile(rb"(?:^|[,;|\t])\s*[+-]?[0-9]*\.?[0-9]+\s*(?:[,;|\t\r]|$)")
# Numbers with marks between thousands that can be nothing else: two of one kind, or both kinds.
_COMMAS = r"[+-]?[0-9]{1,3}(?:(?:,[0-9]{3}){2,}(?:\.[0-9]+)?|,[0-9]{3}\.[0-9]+)"
_DOTS = r"[+-]?[0-9]{1,3}(?:(?:\.[0-9]{3}){2,}(?:,[0-9]+)?|\.[0-9]{3},[0-9]+)"
_GROUPED = re.compile(rb"[0-9](?:,[0-9]{3}[.,][0-9]|\.[0-9]{3}[.,][0-9])")
_NESTED, _MOST_PARTS = ("struct", "list", "map", "array", "json"), 20  # of objects in columns
_WIDE = 100  # columns, from which on finding out how a file is written takes long


def _call_text(connection: Any, files: Sequence[File], more: str = "") -> str:
    start = files[0].start
    call = _read_text(connection, files, more)
    call = _with_points(_without_dots(connection, call, start)) if _has_commas(start) else call
    return _without_thousands(call) if _GROUPED.search(start) else call


def _read_text(connection: Any, files: Sequence[File], more: str) -> str:
    """Return what reads text as it stands."""
    start = files[0].start
    check_columns(files[0].path, _fields(start) + 1, text=True)  # finding out more would take long
    more = more or _delimiter(start)
    how = f"{text_options(files)}{_comments(start)}"
    if len(files) == 1 and _fields(start) >= _WIDE:
        return f"read_csv({names_of(files)}, {how}, {_written(connection, files[0], how + more)})"
    return f"read_csv([{names_of(files)}], {how}{more}, union_by_name = true)"


def _comments(start: bytes) -> str:
    """Return which lines are comments: those with a # that are no rows by their number of fields.

    DuckDB would leave out every line that begins so, and with it an item called #1.
    """
    lines = [line for line in start.split(b"\n")[:_LINES] if line.strip()]
    marked = [line for line in lines if line.startswith(b"#")]
    plain = next((line for line in lines if not line.startswith(b"#")), b"")
    mark = max(b",;|\t", key=plain.count)
    leading = lines.index(plain) if plain else 0
    names = lines[leading - 1] if leading else b""
    same = leading and names.count(mark) == plain.count(mark) > 0
    if same and _NUMBER.search(plain) and not _NUMBER.search(names):
        return f", comment = '', skip = {leading - 1}"  # the names themselves are behind the mark
    rows = [line for line in lines[leading:] if line.startswith(b"#")]
    is_comment = (
        bool(marked) and plain and all(one.count(mark) != plain.count(mark) for one in rows)
    )
    return ", comment = '#'" if is_comment else ", comment = ''"


def _without_thousands(call: str) -> str:
    """Return rows whose numbers have no marks between thousands, where these can be nothing else.

    1,234 alone may be either of two numbers, and stays as it is.
    """
    told = rf"regexp_full_match(trim(columns(*)), '{_COMMAS}')"
    dots = rf"regexp_full_match(trim(columns(*)), '{_DOTS}')"
    plain = "replace(columns(*), ',', '')"
    pointed = "replace(replace(columns(*), '.', ''), ',', '.')"
    return (
        f"(select case when {told} then {plain} when {dots} then {pointed} else columns(*) end "
        f"from {call})"
    )


def _fields(start: bytes) -> int:
    """Return the number of marks that may divide the fields of the first row of a text file."""
    head = start.split(b"\n")[0]
    return max(head.count(mark) for mark in b",;|\t")


def _delimiter(start: bytes) -> str:
    """Return what divides the fields of a text file, where DuckDB would not find it.

    Blanks do, if each row has the same number of them; and nothing does in one column, which may
    hold lists with marks between their entries.
    """
    if _ONE_NAME.match(start):
        return ", delim = '\x01'"
    rows = [row.strip() for row in start.split(b"\n")[:-1] if row.strip()][:100]
    if len(rows) < 2 or b'"' in start or any(mark in rows[0] for mark in b",;|\t"):
        return ""
    blanks = {row.count(b" ") for row in rows}
    return ", delim = ' '" if len(blanks) == 1 and blanks != {0} else ""


def _has_commas(start: bytes) -> bool:
    """Tell whether commas divide no fields of a text file, so that numbers may have them."""
    head, _, rest = start.partition(b"\n")
    return b"," not in head and any(mark in head for mark in b";\t") and b"," in rest


def _with_points(call: str) -> str:
    """Return rows whose numbers have a point where they had a comma."""
    number = r"'^\s*([+-]?\d*),(\d+(?:[eE][+-]?\d+)?\s*%?)\s*$', '\1.\2'"
    return f"(select regexp_replace(columns(*), {number}) from {call})"


def _without_dots(connection: Any, call: str, start: bytes) -> str:
    """Return rows without points between thousands, where decimals have a comma.

    As far as the start of the file tells: in a column of numbers, none of which has a point for
    another reason, 2.000 is 2000. Where numbers of one column have decimals of both kinds, it may
    be either of two numbers, and is none.
    """
    told = "^\\s*([+-]?[1-9][0-9]{0,2})\\.([0-9]{3})\\s*$"
    columns = _first_values(connection, call, start)
    if not any(_kinds_in(values)["comma"] for values in columns.values()):
        return call
    changed = []
    for name, values in columns.items():
        found = _kinds_in(values)
        if found["word"] or (found["point"] and not found["comma"]):
            continue
        plain = r"\1.\2 (a fraction or \1\2?)" if found["point"] else r"\1\2"
        read = f"regexp_replace({quoted(name)}, '{told}', '{plain}')"
        changed.append(f"{read} as {quoted(name)}")
    return f"(select * replace ({', '.join(changed)}) from {call})" if changed else call


def _first_values(connection: Any, call: str, start: bytes) -> dict[str, list[str]]:
    """Return what the start of a text file has in each column, as far as it is filled."""
    names = connection.sql(f"from {call} limit 0").columns
    lines = start.decode("utf-8", "replace").splitlines()
    mark = max(";\t", key=lines[0].count)
    whole = lines if len(start) < _KEPT else lines[:-1]
    rows = [[field.strip() for field in row] for row in csv.reader(whole, delimiter=mark)]
    head = next((i for i, row in enumerate(rows) if {*row} <= {*names}), 0)
    return {
        name: [row[i] for row in rows[head + 1 :] if i < len(row) and row[i] not in BLANK]
        for i, name in enumerate(rows[head])
        if name in names
    }


def _kinds_in(values: Sequence[str]) -> dict[str, bool]:
    """Tell whether some values have a decimal comma, or point, or are no numbers at all."""
    comma = [re.fullmatch(r"[+-]?\d*,\d+(?:[eE][+-]?\d+)?\s*%?", value) for value in values]
    dots = [re.fullmatch(rf"{_DOTS}|[+-]?[1-9]\d{{0,2}}\.\d{{3}}", value) for value in values]
    rest = [v for v, *told in zip(values, comma, dots, strict=True) if not any(told)]
    plain = [re.fullmatch(r"[+-]?\d*(\.?)\d*(?:[eE][+-]?\d+)?\s*%?", value) for value in rest]
    return {
        "comma": any(comma),
        "point": any(one is not None and bool(one[1]) for one in plain),
        "word": None in plain,
    }


def _written(connection: Any, file: File, how: str) -> str:
    """Return how a text file is written; else DuckDB finds it out at each step of a query."""
    marks = ("delim", "quote", "escape", "comment")
    named = "Delimiter, Quote, Escape, Comment, SkipRows, Columns"
    rows = max(_SNIFFED_CELLS // (_fields(file.start) + 1), _SNIFFED_ROWS)
    how = f"{how}, sample_size = {rows}"
    found = connection.sql(f"select {named} from sniff_csv({names_of([file])}, {how})").fetchone()
    *values, skip, columns = found
    kinds = ", ".join(f"{as_text(column['name'])}: 'varchar'" for column in columns)
    told = (
        (mark, "" if value == "(empty)" else value)
        for mark, value in zip(marks, values, strict=True)
    )
    dialect = ", ".join(f"{mark} = {as_text(value)}" for mark, value in told)
    return f"auto_detect = false, {dialect}, skip = {skip}, columns = {{{kinds}}}"


def _call_jsonl(connection: Any, files: Sequence[File]) -> str:
    whole = [_columns_in(file) for file in files]
    rows = [file for file, columns in zip(files, whole, strict=True) if columns is None]
    found = [columns for columns in whole if columns is not None]
    calls = [_call_rows(connection, rows)] if rows else []
    return joined([*calls, rows_of_columns(connection, found)] if found else calls)


def _call_excel(connection: Any, files: Sequence[File]) -> str:
    from errorfloor.data.documents import columns_of_sheet

    return rows_of_columns(connection, [columns_of_sheet(file, BLANK) for file in files])


def _columns_in(file: File) -> dict[str, Any] | None:
    """Return the columns of JSON that is not row after row."""
    opening = partial(open, mode="rb") if file.packing is None else file.packing.unpack
    if opening is None:  # packed as Python cannot unpack it
        return None
    from errorfloor.data.documents import columns_of_json

    return columns_of_json(file.path, opening, file.tool_notes)


def _call_inspect(connection: Any, files: Sequence[File]) -> str:
    from errorfloor.data.documents import columns_of_log

    logs = [columns_of_log(file.path, file.tool_notes) for file in files]
    return rows_of_columns(connection, logs)


def _call_rows(connection: Any, files: Sequence[File]) -> str:
    # As text, or 0.5 would become 0 where the first rows have whole numbers only.
    call = f"read_json([{names_of(files)}]{compression_of(files)}"
    found = connection.sql(f"from {call})")
    kinds = ", ".join(f"{as_text(column)}: varchar" for column in found.columns)
    blank = "nullif(nullif(nullif(columns(*), 'NaN'), ''), 'N/A')"
    rows = f"{call}, columns = {{{kinds}}})"
    parts = [*_parts_of_objects(dict(zip(found.columns, found.types, strict=True)))]
    if not parts:
        return f"(select {blank} from {rows})"
    return f"(select {blank} from (select *, {', '.join(parts)} from {rows}))"


def _parts_of_objects(kinds: Mapping[str, Any]) -> Iterator[str]:
    """Yield a column for each part of objects with few plain parts, such as numbers of votes."""
    for column, kind in kinds.items():
        parts = dict(kind.children) if kind.id == "struct" else {}
        if len(parts) > _MOST_PARTS or any(part.id in _NESTED for part in parts.values()):
            continue
        for part in parts:
            name, path = f"{column}.{part}", '$."' + part.replace('"', "") + '"'
            if name not in kinds:
                yield f"json_extract_string({quoted(column)}, {as_text(path)}) as {quoted(name)}"


def _call_npz(connection: Any, files: Sequence[File]) -> str:
    return joined(_call_arrays(connection, file.path, f"arrays_{next(_VIEWS)}") for file in files)


def _call_arrays(connection: Any, file: str, view: str) -> str:
    """Lay the arrays of a file before DuckDB as the columns of a view."""
    arrays = read_arrays(file)
    shapes = {name: array.shape for name, array in arrays.items()}
    flat = all(len(shape) in (1, 2) for shape in shapes.values())
    if not flat or len({shape[0] for shape in shapes.values()}) != 1:
        listed = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        raise InputError(
            f"{file!r} must hold 1-d arrays of equal length, got {listed or 'none'}. 2-d arrays "
            "must have so many rows."
        )
    check_columns(file, sum(math.prod(shape[1:]) for shape in shapes.values()))
    single = dict(_columns_of(arrays))
    # DuckDB knows the byte order of this machine only, and no days.
    kinds = {name: array.dtype.newbyteorder("=") for name, array in single.items()}
    kinds |= {name: "datetime64[us]" for name, kind in kinds.items() if kind.kind == "M"}
    connection.register(view, {name: single[name].astype(kinds[name]) for name in single})
    return f"(select {', '.join(map(_selected, arrays, arrays.values()))} from {view})"


def _columns_of(arrays: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the columns of all arrays, each with a name."""
    for name, array in arrays.items():
        if array.ndim == 1:
            yield name, array
        else:
            yield from ((f"{name}[{k}]", array[:, k]) for k in range(array.shape[1]))


def _selected(name: str, array: Any) -> str:
    """Return what makes one column of an array again: lists of one with several."""
    if array.ndim == 2:
        parts = ", ".join(quoted(f"{name}[{k}]") for k in range(array.shape[1]))
        return f"list_value({parts}) as {quoted(name)}"
    if array.dtype.kind == "U":
        # It makes an enumeration of words, which comes back slowly, and arrays have no blanks.
        return f"nullif({quoted(name)}::varchar, '') as {quoted(name)}"
    return quoted(name)


def _names_in_text(connection: Any, file: File, more: str = "") -> Any:
    """Return the first row of a text file."""
    all_rows = _read_text(connection, [file], more).replace("header = true", "header = false")
    return connection.sql(f"from {all_rows} limit 1").fetchone()


def _names_in_parquet(connection: Any, file: File) -> list[str]:
    """Return the columns of a file, without what columns of several values consist of."""
    query = f"select name, coalesce(num_children, 0) from parquet_schema([{names_of([file])}])"
    parts = iter(connection.sql(query).fetchall())

    def skip(number: int) -> None:
        for _ in range(number):
            skip(next(parts)[1])

    names = []
    _, number = next(parts)
    for _ in range(number):
        name, children = next(parts)
        names.append(name)
        skip(children)
    return names


def _is_whole_json(start: bytes, end: bytes) -> bool:
    """Tell whether the last bracket of a file closes the first one, as far as they tell."""
    closing = {b"[": b"]", b"{": b"}"}.get(start.removeprefix(b"\xef\xbb\xbf").lstrip()[:1])
    return closing is None or end.rstrip()[-1:] in (b"", closing)


FORMATS = (
    Format(
        name="csv",
        title="CSV",
        suffixes=(".csv", ".txt"),
        begins=lambda _: True,
        call=_call_text,
        names=_names_in_text,
        is_text=True,
        finds_delimiter=True,
    ),
    Format(
        name="tsv",
        title="TSV",
        suffixes=(".tsv", ".tab"),
        begins=lambda start: b"\t" in start.split(b"\n")[0],
        call=partial(_call_text, more=_TABS),
        names=partial(_names_in_text, more=_TABS),
        is_text=True,
    ),
    Format(
        name="jsonl",
        title="JSON",
        suffixes=(".jsonl", ".ndjson", ".json"),
        begins=lambda start: start.lstrip()[:1] in (b"{", b"["),
        call=_call_jsonl,
        is_whole=_is_whole_json,
        is_text=True,
    ),
    Format(
        name="parquet",
        title="Parquet",
        suffixes=(".parquet", ".pq"),
        begins=lambda start: start.startswith(b"PAR1"),
        call=lambda _, files: f"read_parquet([{names_of(files)}], union_by_name = true)",
        names=_names_in_parquet,
    ),
    Format(
        name="npz",
        title="NPZ",
        suffixes=(".npz",),
        begins=lambda start: start.startswith(b"PK\x03\x04"),
        call=_call_npz,
        holds_tables=True,
        is_archive=True,
    ),
    Format(
        name="excel",
        title="Excel",
        suffixes=(".xlsx", ".xlsm"),
        begins=lambda start: (
            start.startswith(b"PK\x03\x04")
            and any(part in start for part in (b"[Content_Types].xml", b"docProps/", b"xl/"))
        ),
        call=_call_excel,
        is_archive=True,
    ),
    Format(
        name="inspect",
        title="eval logs of Inspect AI",
        suffixes=(".eval",),
        begins=lambda start: (
            start.startswith(b"PK\x03\x04")
            and any(part in start for part in (b"start.json", b"header.json", b"samples/"))
        ),
        call=_call_inspect,
        is_archive=True,
    ),
)


# How files begin, which tells their packing, their format and the encoding of their text.


def file_at(path: str) -> File:
    """Look at the start of a file; a pipe is read only once, and not here."""
    name, sheet = path, ""
    if not os.path.isfile(path):
        path, sheet = sheet_in(path)
        if not sheet:
            return File(path)
    with naming(path), open(path, "rb") as stream:
        first = stream.read(_TELLING if _is_binary(path) else LOOKED_AT)
    packing = next((one for one in PACKINGS if first.startswith(one.magic)), None)
    start = first[:_KEPT] if packing is None else _start(path, packing, _KEPT)
    encoding = encoding_of(path, first)
    return File(
        path, first[:8], start, packing, encoding, called=name if sheet else "", sheet=sheet
    )


def encoding_of(path: str, start: bytes) -> str | None:
    """Return how text that begins so is encoded if it is not UTF-8; None if it is, or no text.

    UTF-16 is recognised by its mark, or by zeros in every other byte. What is neither that nor
    UTF-8 is taken for the usual encoding of Western Windows, of which Latin-1 is a part.
    """
    if _is_binary(path) or start.startswith((*_BINARY, *(one.magic for one in PACKINGS))):
        return None
    for mark, name in _MARKS.items():
        if start.startswith(mark):
            return name
    if b"\0" in start[:4096]:
        return _by_zeros(start[:4096])
    try:
        codecs.getincrementaldecoder("utf-8")().decode(start, final=len(start) < LOOKED_AT)
    except UnicodeDecodeError:
        return None if start.translate(None, _TEXTUAL) else "cp1252"
    return None


def _is_binary(path: str) -> bool:
    """Tell whether the name of a file says that it holds no text."""
    suffix = suffix_of(path)
    return any(suffix in kind.suffixes and not kind.is_text for kind in FORMATS)


def _by_zeros(start: bytes) -> str | None:
    """Tell UTF-16 without a mark by the zeros of its plain letters: before or behind them."""
    first, second = start[::2].count(0), start[1::2].count(0)
    most = 0.7 * len(start) / 2
    if second > most and first == 0:
        return "utf-16-le"
    return "utf-16-be" if first > most and second == 0 else None


def format_called(name: str) -> Format:
    """Return the format of this name."""
    kinds = {kind.name: kind for kind in FORMATS}
    return kinds[check_choice(name, kinds, name="format")]


def format_of(files: Sequence[File], name: str | None = None) -> Format:
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


def _start(file: str, packing: Packing, size: int) -> bytes:
    """Return the first bytes of a packed file as they are unpacked; nothing where Python cannot."""
    if packing.unpack is None:  # DuckDB tells CSV from TSV
        return b""
    try:
        with packing.unpack(file) as unpacked:
            return unpacked.read(size)
    except (EOFError, OSError, zlib.error):  # damaged, which whoever reads it will say
        return b""


def suffix_of(file: str) -> str:
    """Return how the name of a file ends, before what says that it is packed."""
    name = file.lower()
    for packing in PACKINGS:
        name = name.removesuffix(packing.suffix)
    return os.path.splitext(name)[1]


def _format_of_one(file: File) -> Format:
    suffix = suffix_of(file.path)
    known = next((kind for kind in FORMATS if suffix in kind.suffixes), None)
    if known is not None:
        return known
    start = file.start[:_TELLING]
    # The first format is that of any text, so those that need more to be recognised come before it.
    return next(kind for kind in reversed(FORMATS) if kind.begins(start))
