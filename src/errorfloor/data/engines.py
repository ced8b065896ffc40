"""What dataframe engines do differently: reading text as numbers, and bringing counts back."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC
from string import whitespace
from typing import Any, TypeAlias

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from errorfloor._checks import InputError
from errorfloor.data.values import COMMA, are_lists, are_votes, as_text, quoted, written_number

_FIRST_ROWS, _FIRST_CELLS = 1000, 2**18  # of text, which tell what it spells
Frame: TypeAlias = "nw.LazyFrame[Any]"
Columns: TypeAlias = dict[str, NDArray[Any]]
Progress: TypeAlias = Callable[[float], None]
_ODD = ("Float16", "Int128", "UInt128")  # numbers that some engines cannot group or return


def lazy(data: Any) -> Frame:
    """Return any dataframe as one whose operations run in its own engine."""
    if hasattr(type(data), "column_names") and not hasattr(type(data), "columns"):
        data = _arrow_of(data)
    try:
        frame: Frame = nw.from_native(data).lazy()
    except nw.exceptions.DuplicateError:
        twice = next(one for one in list(data.columns) if list(data.columns).count(one) > 1)
        raise InputError(
            f"The dataframe has several columns called {twice!r}. Give each a name of its own."
        ) from None
    except TypeError:
        raise InputError(
            f"Expected a dataframe or the path of a file, got {type(data).__name__}. Pass a "
            "pandas, polars, pyarrow, DuckDB, Dask, PySpark or Ibis frame, or arrays without "
            "column names."
        ) from None
    return frame


def _arrow_of(dataset: Any) -> Any:
    """Return the rows of a Hugging Face dataset, in the order that it has them."""
    if isinstance(dataset, Mapping):
        first = next(iter(dataset), "train")
        raise InputError(
            f"The dataset has several splits: {', '.join(map(str, dataset))}. Pass one of them, "
            f"such as dataset[{first!r}]."
        )
    if not hasattr(dataset, "__len__"):
        raise InputError("The dataset is streamed. Load it without streaming=True, and pass that.")
    import pyarrow as pa
    import pyarrow.compute as pc

    table = dataset.with_format("arrow")[:]
    for place, name in enumerate(table.column_names):
        column = table.column(name)
        # Where classes have names, -1 stands for a label that is missing.
        if hasattr(dataset.features[name], "names") and pa.types.is_integer(column.type):
            known = pc.if_else(pc.equal(column, -1), pa.scalar(None, column.type), column)
            table = table.set_column(place, name, known)
    return table


def select(frame: Frame, columns: Mapping[str, str]) -> Frame:
    """Return a frame of the `columns` that are named, under new names."""
    if frame.implementation.is_duckdb():  # where narwhals does not take quotes in names
        parts = (f"{quoted(old)} as {quoted(new)}" for new, old in columns.items())
        return lazy(frame.to_native().project(", ".join(parts)))
    return frame.select(*(nw.col(old).alias(new) for new, old in columns.items()))


def number_of_rows(frame: Frame, run: Callable[[Frame], Columns]) -> int:
    """Return how many rows there are."""
    if frame.implementation.is_duckdb():  # which finds this, and no other count, in files' footers
        counted = lazy(frame.to_native().aggregate("count(*) as n"))
    else:
        counted = frame.select(nw.len().alias("n"))
    return int(run(counted)["n"][0])


def with_numbers(frame: Frame, columns: Mapping[str, str]) -> Frame:
    """Add columns: those that are named, as numbers, null where they are missing or are none."""
    kinds = frame.collect_schema()
    if frame.implementation.is_duckdb():  # in one step, as it takes long to plan hundreds of them
        read = [f"{_sql_number(old, kinds[old])} as {quoted(new)}" for new, old in columns.items()]
        kept = [quoted(name) for name in kinds if name not in columns]
        return lazy(frame.to_native().project(", ".join([*kept, *read])))
    plain = {new: old for new, old in columns.items() if is_number(kinds[old])}
    if plain:  # in one step, too
        frame = frame.with_columns(*(nw.col(old).alias(new) for new, old in plain.items()))
    for target, source in columns.items():
        if target not in plain:
            frame = _with_number(frame, source, target, kinds[source])
    return frame


def _with_number(frame: Frame, source: str, target: str, kind: Any) -> Frame:
    exact = kind.is_decimal() and frame.implementation not in _INEXACT_DECIMALS
    if str(kind) in _ODD or exact:
        return frame.with_columns(nw.col(source).cast(nw.Float64).alias(target))
    if kind == nw.Boolean:
        return frame.with_columns(nw.col(source).cast(nw.Int8).cast(nw.Float64).alias(target))
    if kind == nw.Object:  # of pandas: decimals, or a mixture
        return _read_numbers(frame, source, target)
    word = nw.col(source).cast(nw.String).str.strip_chars().str.to_lowercase()
    read = _read_plain(frame.with_columns(word.alias(target)), target)
    # Booleans become text in text files.
    number = nw.when(word == "false").then(nw.lit(0.0)).otherwise(nw.col(target))
    return read.with_columns(
        nw.when(word == "true").then(nw.lit(1.0)).otherwise(number).alias(target)
    )


def is_number(kind: Any) -> bool:
    """Tell whether a column holds numbers that need no reading."""
    return (kind.is_float() or kind.is_integer()) and str(kind) not in _ODD


def _read_plain(frame: Frame, column: str) -> Frame:
    """Read text as numbers, also 87% and 0,87; 1,234 may be either of two numbers, and is none."""
    word = nw.col(column)
    comma = word.str.contains(COMMA).fill_null(False)
    per_cent = word.str.ends_with("%").fill_null(False)
    pointed = nw.when(comma).then(word.str.replace_all(",", ".", literal=True)).otherwise(word)
    bare = (
        nw.when(per_cent)
        .then(pointed.str.replace_all("%", "", literal=True).str.strip_chars())
        .otherwise(pointed)
    )
    marked = frame.with_columns(bare.alias(column), per_cent.alias("per cent"))
    read = _read_numbers(marked, column, column)
    number = nw.col(column)
    fraction = nw.when(nw.col("per cent")).then(number / 100).otherwise(number)
    return read.with_columns(fraction.alias(column)).drop("per cent")


def _sql_number(column: str, kind: Any) -> str:
    """Return what reads a column as numbers, as `with_numbers` does."""
    name = quoted(column)
    if str(kind) in _ODD or kind.is_decimal() or kind == nw.Boolean:
        return f"cast({name} as double)"
    if kind.is_float() or kind.is_integer():
        return name
    blanks = " || ".join(f"chr({ord(one)})" for one in whitespace)
    word = f"lower(trim(cast({name} as varchar), {blanks}))"
    pointed = f"case when regexp_matches({word}, '{COMMA}') then replace({word}, ',', '.') end"
    per_cent = f"case when suffix({word}, '%') then rtrim(coalesce({pointed}, {word}), '% ') end"
    # What comes later is looked at only where the first is no number.
    return (
        f"case {word} when 'true' then 1.0 when 'false' then 0.0 else "
        f"coalesce(try_cast({word} as double), try_cast({pointed} as double), "
        f"try_cast({per_cent} as double) / 100) end"
    )


def where_missing(frame: Frame, column: str, kinds: Any = None) -> nw.Expr:
    """Return the expression that tells where `column` is null or not a number (NaN).

    `kinds` is the schema of the frame, for whoever has it: to find it out takes time.
    """
    null = nw.col(column).is_null()
    if (frame.collect_schema() if kinds is None else kinds)[column].is_float():
        return null | nw.col(column).is_nan().fill_null(False)
    return null


# Rows and columns by names that people gave: narwhals takes a.b in DuckDB for a part of a.


def with_missing(frame: Frame, column: str, *, missing: bool) -> Frame:
    """Return the rows in which a column is missing, or those in which it is not."""
    if not frame.implementation.is_duckdb():
        gone = where_missing(frame, column)
        return frame.filter(gone if missing else ~gone)
    gone_here = f"{quoted(column)} is null"
    if frame.collect_schema()[column].is_float():
        gone_here = f"{gone_here} or isnan({quoted(column)})"
    return lazy(frame.to_native().filter(f"({gone_here}) = {str(missing).lower()}"))


def without_values(
    frame: Frame, columns: Sequence[str], values: Sequence[str], *, rows: bool = False
) -> Frame:
    """Return the same with some values of columns missing, however numbers are written.

    With `rows`, those that have one of them are left out.
    """
    texts = [*values, *(f"{one}.0" for one in values if one.lstrip("-").isdigit())]
    if not frame.implementation.is_duckdb():
        gone = {
            one: nw.col(one).cast(nw.String).str.strip_chars().is_in(texts).fill_null(False)
            for one in columns
        }
        if rows:
            return frame.filter(*(~one for one in gone.values()))
        return frame.with_columns(**{k: nw.when(~one).then(nw.col(k)) for k, one in gone.items()})
    listed = ", ".join(map(as_text, texts))
    found = {one: f"trim(cast({one} as varchar)) in ({listed})" for one in map(quoted, columns)}
    if rows:
        kept = " and ".join(f"not coalesce({one}, false)" for one in found.values())
        return lazy(frame.to_native().filter(kept))
    parts = (f"case when {one} then null else {name} end as {name}" for name, one in found.items())
    return lazy(frame.to_native().project(f"* replace ({', '.join(parts)})"))


def without_marks(frame: Frame, columns: Sequence[str], mark: str) -> Frame:
    """Return the same with a mark, as regular expressions have it, taken out of columns of text."""
    if not frame.implementation.is_duckdb():
        return frame.with_columns(nw.col(one).str.replace_all(mark, "") for one in columns)
    parts = (
        f"regexp_replace({one}, {as_text(mark)}, '', 'g') as {one}" for one in map(quoted, columns)
    )
    return lazy(frame.to_native().project(f"* replace ({', '.join(parts)})"))


def with_zero(frame: Frame, name: str) -> Frame:
    """Add a column of zeros."""
    if not frame.implementation.is_duckdb():
        return frame.with_columns(nw.lit(0).alias(name))
    return lazy(frame.to_native().project(f"*, 0 as {quoted(name)}"))


def with_joined(frame: Frame, columns: Sequence[str], name: str) -> Frame:
    """Add the values of columns as one text, with blanks between."""
    if not frame.implementation.is_duckdb():
        texts = [nw.col(one).cast(nw.String) for one in columns]
        return frame.with_columns(nw.concat_str(texts, separator=" ").alias(name))
    text = " || ' ' || ".join(f"cast({quoted(one)} as varchar)" for one in columns)
    return lazy(frame.to_native().project(f"*, {text} as {quoted(name)}"))


def with_each(frame: Frame, *columns: nw.Expr) -> Frame:
    """Add columns whose entries depend on their own row only, however many terms they have."""
    if not frame.implementation.is_dask():
        return frame.with_columns(*columns)
    # Dask would keep a node of its graph for each term; a function of a part is one.
    native: Any = frame.to_native()

    def added(part: Any) -> Any:
        return nw.from_native(part).with_columns(*columns).to_native()

    return lazy(native.map_partitions(added, meta=added(native._meta)))


def in_pairs(terms: Sequence[nw.Expr], join: Callable[[Any, Any], Any]) -> nw.Expr:
    """Join expressions, none of them null, in pairs, and pairs of these, so that none is deep."""
    while len(terms) > 1:
        pairs = zip(terms[::2], terms[1::2], strict=False)
        terms = [*(join(one, other) for one, other in pairs), *terms[len(terms) & ~1 :]]
    return terms[0]


def holds_several(
    frame: Frame, run: Callable[[Frame], Columns], column: str, kinds: Any = None
) -> bool:
    """Tell whether a column has lists or the like, which pandas keeps among other objects."""
    kind = (frame.collect_schema() if kinds is None else kinds)[column]
    if kind != nw.Object or not frame.implementation.is_pandas():
        return bool(kind.is_nested())
    values = run(select(frame, {column: column}))[column].tolist()
    return any(isinstance(value, list | dict | set | np.ndarray) for value in values)


def with_cell(frame: Frame, cells: int, *, unit: bool) -> Frame:
    """Add column `cell`: what `errorfloor.data.matrices.cell_of` computes of the column `score`."""
    scale = math.nextafter(cells, 0)
    if unit and frame.implementation.is_duckdb():  # narwhals would ask twice for negative scores
        where = f"(1 + sqrt(score::double) - sqrt(1 - score::double)) * {scale / 2!r}::double"
        # Small numbers let it count in an array instead of a hash table.
        kind = "usmallint" if cells <= 2**16 else "bigint"
        return lazy(frame.to_native().project(f"*, floor({where})::{kind} as cell"))
    score = nw.col("score").cast(nw.Float64)
    if unit:
        place = (1 + score.sqrt() - (1 - score).sqrt()) / 2
    else:
        zero, one = nw.lit(0.0), nw.lit(1.0)
        inside = nw.when(score < 0).then(zero).otherwise(score)
        inside = nw.when(inside > 1).then(one).otherwise(inside)
        above = nw.when(score > 1).then(score).otherwise(one)
        place = (1 + inside.sqrt() - (1 - inside).sqrt()) / 2
        place = nw.when(score < 0).then(score / (1 + score.abs())).otherwise(place)
        place = nw.when(score > 1).then(2 - 1 / above).otherwise(place)
    return frame.with_columns(cell=(place * scale).floor().cast(nw.Int64))


def fetch(frame: Frame) -> Columns:
    """Run the query in its engine and return the columns of its result."""
    if frame.implementation.is_duckdb():
        kinds = frame.collect_schema()
        answer = frame.to_native().fetchnumpy().items()
        return {name: _plain(array, kinds[name]) for name, array in answer}
    found = frame.collect()
    return {
        # NumPy has no time zones, and makes whole numbers of nanoseconds.
        name: np.array(found[name].to_list(), dtype=object)
        if kind == nw.Datetime
        else found[name].to_numpy()
        for name, kind in found.schema.items()
    }


def _plain(array: NDArray[Any], kind: Any) -> NDArray[Any]:
    """Return an array of DuckDB as plain values, with None or NaN in place of its mask."""
    if array.dtype.kind == "M":
        array = array.astype("datetime64[D]" if kind == nw.Date else "datetime64[us]")
        array = array.astype(object)
        if getattr(kind, "time_zone", None):  # NumPy has none; these are in UTC
            there = ~np.ma.getmaskarray(array)
            array[there] = [time and time.replace(tzinfo=UTC) for time in array[there]]
    if not isinstance(array, np.ma.MaskedArray):
        return array
    if array.dtype.kind in "OUS":
        # `filled(None)` would write the default of the type, a question mark.
        plain = np.array(array.data, dtype=object)
        plain[np.ma.getmaskarray(array)] = None
        return plain
    return np.ma.filled(array.astype(np.float64), np.nan)


def kinds_of(frame: Frame, run: Callable[[Frame], Columns]) -> dict[str, str]:
    """Return what kind each column is of; of text columns, what their first rows spell."""
    kinds = {name: _kind(dtype) for name, dtype in frame.collect_schema().items()}
    texts = [name for name, kind in kinds.items() if kind == "text"]
    if texts:
        rows = max(min(_FIRST_ROWS, _FIRST_CELLS // len(texts)), 1)
        head = run(select(frame, {name: name for name in texts}).head(rows))
        kinds |= {name: _kind_of_text(head[name].tolist()) for name in texts}
    lists = [name for name, kind in kinds.items() if kind == "list" and isinstance(name, str)]
    for name in lists:
        head = run(select(frame, {"value": name}).head(100))
        kinds[name] = "votes" if are_votes(head["value"].tolist()) else "list"
    return kinds


def _kind(dtype: Any) -> str:
    if dtype.is_numeric():
        return "number"
    if dtype == nw.Boolean:
        return "boolean"
    if dtype in (nw.List, nw.Array):
        return "list"
    is_text = dtype in (nw.String, nw.Categorical, nw.Enum, nw.Object)
    return "text" if is_text else "other"


def _kind_of_text(values: Sequence[Any]) -> str:
    if any(isinstance(value, list | tuple | np.ndarray) for value in values):
        return "list"
    there = [str(value).strip().lower() for value in values if value is not None]
    if there and all(value in ("true", "false") for value in there):
        return "boolean"
    if there and all(written_number(value) is not None for value in there):
        return "number"
    return "list" if are_lists(there) else "text"


@contextmanager
def watched(connection: Any, progress: Progress | None) -> Iterator[None]:
    """Report how far DuckDB is with a query, from a thread next to it."""
    if progress is None:
        yield
        return
    done = threading.Event()

    def look() -> None:
        while not done.wait(0.1):
            percent = connection.query_progress()
            if percent > 0:  # -1 while nothing is known
                progress(percent / 100)

    watcher = threading.Thread(target=look, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def _read_numbers(frame: Frame, source: str, target: str) -> Frame:
    """Add `target`: the numbers that the text of `source` spells, in the engine's own way."""
    read = _READERS.get(frame.implementation, _read_elsewhere)
    return lazy(read(frame.to_native(), source, target))


def _read_in_polars(frame: Any, source: str, target: str) -> Any:
    import polars as pl

    return frame.with_columns(pl.col(source).cast(pl.Float64, strict=False).alias(target))


def _read_in_pandas(frame: Any, source: str, target: str) -> Any:
    import pandas as pd

    number = pd.to_numeric(frame[source], errors="coerce")
    return frame.assign(**{target: number.astype("float64")})


def _read_in_dask(frame: Any, source: str, target: str) -> Any:
    import dask.dataframe as dd

    number = dd.to_numeric(frame[source], errors="coerce")
    return frame.assign(**{target: number.astype("float64")})


def _read_in_pyarrow(frame: Any, source: str, target: str) -> Any:
    import pyarrow as pa

    numbers = pa.array(map(_number, frame[source].to_pylist()), pa.float64())
    # Arrow has no objects, so what is read is a copy of the text that became the column.
    return frame.set_column(frame.column_names.index(target), target, numbers)


def _read_in_spark(frame: Any, source: str, target: str) -> Any:
    from pyspark.sql import functions

    name = source.replace("`", "``")
    return frame.withColumn(target, functions.expr(f"try_cast(`{name}` as double)"))


def _read_in_ibis(frame: Any, source: str, target: str) -> Any:
    return frame.mutate(**{target: frame[source].try_cast("float64")})


def _read_elsewhere(frame: Any, source: str, target: str) -> Any:
    number = nw.col(source).cast(nw.Float64).alias(target)
    return nw.from_native(frame).with_columns(number).to_native()


# Arrow turns a decimal into a float that may be one off the nearest; its text is exact.
_INEXACT_DECIMALS = (nw.Implementation.PANDAS, nw.Implementation.DASK, nw.Implementation.PYARROW)
# DuckDB is not among them: `with_numbers` has it read text by SQL of its own.
_READERS: dict[nw.Implementation, Callable[[Any, str, str], Any]] = {
    nw.Implementation.POLARS: _read_in_polars,
    nw.Implementation.PANDAS: _read_in_pandas,
    nw.Implementation.DASK: _read_in_dask,
    nw.Implementation.PYARROW: _read_in_pyarrow,
    nw.Implementation.PYSPARK: _read_in_spark,
    nw.Implementation.PYSPARK_CONNECT: _read_in_spark,
    nw.Implementation.IBIS: _read_in_ibis,
}


def _number(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None
