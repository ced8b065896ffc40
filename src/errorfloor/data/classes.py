"""Labels and votes as classes: which value is which, as the user says, or as it is plain.

Of two words common pairs tell which one is class 1. Votes may have any number of classes, and
columns of scores or counts have one each.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeVar

import narwhals as nw
import numpy as np

from errorfloor._checks import PER_LABEL, InputError, Part, argument, check_choice, either
from errorfloor.data.ballots import MOST_OWN, Ballots, check_shared
from errorfloor.data.columns import simple
from errorfloor.data.engines import (
    Columns,
    Frame,
    holds_several,
    lazy,
    select,
    where_missing,
    with_numbers,
    without_values,
)
from errorfloor.data.layouts import RATED, RATER, Layout
from errorfloor.data.matrices import check_number
from errorfloor.data.naming import (
    MOST_CLASSES,
    SIGNS,
    Naming,
    PlainClasses,
    as_spoken,
    classes_of_values,
    classes_of_words,
    columns_in_order,
    divided,
    is_same,
    naming_of,
    sides_of_ratings,
    two_of,
    which_is_1,
)
from errorfloor.data.rows import NotBinaryError, RowRequest, as_two, count_where
from errorfloor.data.tables import RatingTable, Table
from errorfloor.data.values import (
    BETWEEN,
    PRINTED_NUMBERS,
    PRINTED_WORDS,
    TRIMMED,
    as_text,
    is_missing,
    quoted,
    spelt,
    text_of,
    votes_in,
)

_LETTERS = 4  # that a class and the name of a column begin with at least
_HEAD = 100  # rows that tell whether text spells lists
_number = itertools.count()
ReadT = TypeVar("ReadT")
MOST_IN_LIST = 1000  # of an item; beyond, a row for each vote is the way
_MOST = 50  # values that are looked at
_LISTED = 6  # values that a message names
_FIRST = 1000  # rows that are looked at first
_OFF = 0.05  # that rounded probabilities of an item sum to more or less than 1 at most
_SOME_ROWS = 2**16  # in which the values are looked for where the positive one is named


# A list of numbers in each row, one for each class, taken apart.


def holds_lists(frame: Frame, run: Callable[[Frame], Columns], column: str) -> bool:
    """Tell whether a column has a list in each row; text of files may spell one."""
    kind = frame.collect_schema()[column]
    if kind.is_nested():
        return kind in (nw.List, nw.Array)
    if kind not in (nw.Object, nw.String):
        return False
    if kind == nw.String and not frame.implementation.is_duckdb():
        return False
    head = run(select(frame, {"value": column}).head(_HEAD))["value"].tolist()
    there = [one for one in head if not is_missing(one)]
    if kind == nw.String:
        return bool(there) and all(str(one).lstrip().startswith("[") for one in there)
    return any(isinstance(one, list | tuple | np.ndarray) for one in there)


def numbers_apart(
    frame: Frame, run: Callable[[Frame], Columns], column: str, name: str
) -> tuple[Frame, tuple[str, ...]]:
    """Return the frame with a column for each place of a list, and what these are called.

    `name` is that of the argument. Lists that are missing are missing in each of them.
    """
    if frame.implementation.is_pandas() and frame.collect_schema()[column] == nw.Object:
        return _numbers_in_pandas(frame, column, name)
    frame = _with_lists(frame, column)
    found = run(
        frame.select(
            nw.col("length").min().alias("least"),
            nw.col("length").max().alias("most"),
        )
    )
    ends = (found[one][0] for one in ("least", "most"))
    least, most = (0 if is_missing(one) else int(one) for one in ends)  # where no list is there
    number = _one_length(least, most, column, name)
    names = tuple(f"{column}[{k}]" for k in range(number))
    parts = (nw.col("as list").list.get(k).alias(one) for k, one in enumerate(names))
    return frame.with_columns(*parts), names


def _with_lists(frame: Frame, column: str) -> Frame:
    """Add the column as lists of numbers, and their lengths."""
    kind: Any = frame.collect_schema()[column]
    if frame.implementation.is_duckdb():
        told = f"try_cast({quoted(column)} as double[])"
        there = f"*, {told} as {quoted('as list')}, len({told}) as {quoted('length')}"
        return lazy(frame.to_native().project(there))
    entries = nw.col(column)
    if kind == nw.Array:
        entries = entries.cast(nw.List(kind.inner))
    frame = frame.with_columns(entries.alias("as list"))
    return frame.with_columns(nw.col("as list").list.len().alias("length"))


def _numbers_in_pandas(frame: Frame, column: str, name: str) -> tuple[Frame, tuple[str, ...]]:
    """Do the same for objects of Python."""
    native: Any = frame.to_native()
    rows = native[column].tolist()
    gone = [is_missing(one) for one in rows]
    lengths = [np.size(one) for one, missing in zip(rows, gone, strict=True) if not missing]
    number = _one_length(min(lengths), max(lengths), column, name)
    blank = [None] * number
    whole = [blank if missing else list(one) for one, missing in zip(rows, gone, strict=True)]
    names = tuple(f"{column}[{k}]" for k in range(number))
    parts = dict(zip(names, map(list, zip(*whole, strict=True)), strict=True))
    return lazy(native.assign(**parts)), names


def _one_length(least: int, most: int, column: str, name: str) -> int:
    if not 2 <= least == most <= MOST_CLASSES:
        lengths = f"{most}" if least == most else f"from {least} to {most}"
        raise InputError(
            argument(name),
            f" (column {column!r}) must hold lists of one length, a number for each of two classes "
            f"or more; these have {lengths}.",
        )
    return most


# All votes on an item in one column, as a list or as text such as 0;1;1, taken apart. Who cast the
# first vote of an item need not have cast the first one of another, so nothing is known about
# annotators.


def votes_apart(
    frame: Frame, run: Callable[[Frame], Columns], column: str, name: str
) -> tuple[Frame, tuple[str, ...]]:
    """Return the frame with a column of text for each place of a list, blank where it ends.

    `name` is that of the argument, for errors.
    """
    kind: Any = frame.collect_schema()[column]
    if kind in (nw.List, nw.Array) and kind.inner is not None and _is_nested(kind.inner):
        raise _of_objects(column, name)
    if frame.implementation.is_duckdb():
        return _votes_in_duckdb(frame, run, column, name)
    if frame.implementation not in _ADD:
        raise InputError(
            argument(name),
            " reads lists of files, and of pandas, polars, pyarrow and DuckDB frames. Lay each "
            "vote in a row of its own, and name ",
            *(argument("item"), " and ", argument("vote"), "."),
        )
    given = select(frame, {"value": column}).collect()["value"].to_list()
    rows = [votes_in(value) for value in given]
    if any(one[0] in "[{" for row in rows for one in row if one):
        raise _of_objects(column, name)
    names = _names_of_places(column, max(map(len, rows), default=0), name)
    parts = {one: [row[k] if k < len(row) else None for row in rows] for k, one in enumerate(names)}
    return lazy(_ADD[frame.implementation](frame.collect().to_native(), parts)), names


def _is_nested(kind: Any) -> bool:
    return bool((kind() if isinstance(kind, type) else kind).is_nested())


def _of_objects(column: str, name: str) -> InputError:
    return InputError(
        argument(name),
        f" (column {column!r}) holds lists of objects or of lists, not of votes. Lay each vote in "
        "a row of its own, and name ",
        *(argument("item"), ", ", argument("annotator"), " and ", argument("vote"), "."),
    )


def _votes_in_duckdb(
    frame: Frame, run: Callable[[Frame], Columns], column: str, name: str
) -> tuple[Frame, tuple[str, ...]]:
    given, quotes = quoted(column), TRIMMED.replace("'", "''")
    if frame.collect_schema()[column] in (nw.List, nw.Array):
        votes = f"cast({given} as varchar[])"
    else:
        text = _with_commas(given)
        trimmed = f"trim({text}, '[]() ')"
        votes = (
            f"case when json_valid({text}) and prefix(ltrim({text}), '[') "
            f"then json_extract_string({text}, '$[*]') else "
            f"regexp_split_to_array({trimmed}, '{BETWEEN}') end"
        )
    votes = f"list_transform({votes}, lambda x: nullif(trim(x, '{quotes}'), ''))"
    whole = lazy(frame.to_native().project(f"*, {votes} as {quoted('all votes')}"))
    as_lines = f"array_to_string({quoted('all votes')}, chr(10))"
    odd = f"coalesce(regexp_matches({as_lines}, '(?m)^\\s*[{{\\[]'), false)::int"
    about = f"max(len({quoted('all votes')})) as n, max({odd}) as odd"
    found = run(lazy(whole.to_native().aggregate(about)))
    most = found["n"].tolist()[0]
    if found["odd"].tolist()[0] == 1:
        raise _of_objects(column, name)
    names = _names_of_places(column, int(most) if most == most and most is not None else 0, name)
    parts = (f"{quoted('all votes')}[{k + 1}] as {quoted(one)}" for k, one in enumerate(names))
    columns = [quoted(one) for one in frame.columns]
    return _kept(whole.to_native().project(", ".join([*columns, *parts]))), names


def _with_commas(column: str) -> str:
    """Return SQL for a list that NumPy printed as Python writes it, and other text as it is."""
    words = column
    for pattern, plain in PRINTED_WORDS:
        words = f"regexp_replace({words}, {as_text(pattern)}, {as_text(plain)}, 'g')"
    return (
        f"case when regexp_matches({column}, {as_text(PRINTED_NUMBERS)}) "
        f"then regexp_replace(trim({column}), '\\s+', ',', 'g') "
        f"when prefix(ltrim({column}), '[') then {words} else {column} end"
    )


def _kept(rows: Any) -> Frame:
    """Return rows of DuckDB from a table that ends with the connection.

    Each of several queries would take the lists apart again, once for each of their places.
    """
    table = quoted(f"errorfloor votes {next(_number)}")
    rows.query("votes_apart", f"create temp table {table} as from votes_apart")
    return lazy(rows.query("votes_apart", f"from {table}"))


def _names_of_places(column: str, number: int, name: str) -> tuple[str, ...]:
    if number > MOST_IN_LIST:
        raise InputError(
            argument(name),
            f" (column {column!r}) has up to {number:,} votes in a row, and at most "
            f"{MOST_IN_LIST:,} are read. Check which column it is, or lay each vote in a row "
            "of its own.",
        )
    if number == 0:
        text = f" (column {column!r}) has no votes. Check which column it is."
        raise InputError(argument(name), text)
    return tuple(f"{column}[{k}]" for k in range(number))


def _add_to_pandas(native: Any, parts: dict[str, list[Any]]) -> Any:
    import pandas as pd

    columns = {one: pd.Series(values, native.index, object) for one, values in parts.items()}
    return native.assign(**columns)


def _add_to_polars(native: Any, parts: dict[str, list[Any]]) -> Any:
    import polars as pl

    return native.with_columns(pl.Series(one, v, pl.String) for one, v in parts.items())


def _add_to_pyarrow(native: Any, parts: dict[str, list[Any]]) -> Any:
    import pyarrow as pa

    for one, values in parts.items():
        native = native.append_column(one, pa.array(values, pa.string()))
    return native


_ADD: dict[nw.Implementation, Callable[[Any, dict[str, list[Any]]], Any]] = {
    nw.Implementation.PANDAS: _add_to_pandas,
    nw.Implementation.POLARS: _add_to_polars,
    nw.Implementation.PYARROW: _add_to_pyarrow,
}


# Which value is which class.


def counted(request: RowRequest, layout: Layout) -> tuple[RowRequest, Any, Mapping[Any, Table]]:
    """Return what was read with the classes known, which value is which class, and the tables.

    The values are None where labels are 0 and 1 as they stand.
    """
    return _read_as_classes(_taken_apart(request, layout), layout, layout.tables)


def ballots_in(request: RowRequest, layout: Layout) -> Ballots:
    """Return the single votes of rows."""
    assert layout.ballots is not None
    known, _, found = _read_as_classes(request, layout, layout.ballots)
    if known.naming is not None and known.has_many_classes:
        return found.with_classes(known.naming.names)
    return found


def _read_as_classes(
    request: RowRequest, layout: Layout, read: Callable[[RowRequest], ReadT]
) -> tuple[RowRequest, Any, ReadT]:
    """Return the rows with their classes known, which values these are, and what was read."""
    request = without_no_answers(request, layout)
    known, classes = settled(request, layout)
    with suppress(NotBinaryError):
        return known, classes, read(known)
    # The first votes were 0 and 1, or missing, and some others are not.
    known, classes = settled(request, layout, look=True)
    return known, classes, read(known)


def without_no_answers(request: RowRequest, layout: Layout) -> RowRequest:
    """Return rows in which the values that mean no answer are missing."""
    none = request.options.missing
    if none is None:
        return request
    roles = [one for one in layout.roles if one.is_class or layout.kind == RatingTable.kind]
    given = [request.columns.get(one.argument) for one in roles if one not in (RATED, RATER)]
    there = {*request.frame.collect_schema().names()}
    columns = [
        one
        for some in given
        for one in (some if isinstance(some, tuple | list) else [some])
        if one in there
    ]
    if not columns:
        return request
    rows = not layout.row_is_item  # of which each is one answer
    return replace(request, frame=without_values(request.frame, columns, none, rows=rows))


def settled(request: RowRequest, layout: Layout, *, look: bool = False) -> tuple[RowRequest, Any]:
    """Return the request with the classes known, and which values are of which class.

    The values are None where labels are 0 and 1 as they stand. With `look`, all values are looked
    at, and not only the first ones.
    """
    own = layout.of_classes
    if own is not None and isinstance(request.columns.get(own.argument), tuple):
        return _of_columns(request, own.argument)
    role = next((role for role in layout.roles if role.is_class), None)
    kinds = request.frame.collect_schema()
    if role is None:
        check_number(request.options.classes, 2, layout.roles[0].argument)
        return request, None
    if request.options.positive_from is not None:
        return request, sides_of_ratings(request.options.positive_from)
    columns = _class_columns(request, role.argument)
    known = request.options.group is None or str(request.options.group) in [*kinds]
    there = [one for one in kinds if isinstance(one, str)]
    known = known and request.columns.get("score", columns[0]) in [*kinds]
    labels = _class_columns(request, "label") if layout.of_shares else []
    if not known or any(one not in there or kinds[one].is_nested() for one in columns + labels):
        return request, None  # which is refused where they are read
    if request.options.positive is not None:
        some = replace(request, frame=request.frame.head(_SOME_ROWS))
        values = _values(some, columns)
        _refuse_ids(request, role.argument, columns, values)
        return request, divided(values, request.options.positive)
    shown_as: tuple[Part, ...] = (argument(role.argument), f" (column {columns[0]!r})")
    if layout.row_is_vote:
        return _of_votes(request, role.argument, columns + labels, shown_as, look)
    if request.options.classes is not None:
        names = check_number(request.options.classes, 2, layout.roles[0].argument)
        return _named(request, naming_of(_values(request, columns), 2, names, shown_as))
    if not _has_words(request, columns[0]):
        values = _values(request, columns) if look else []
        if {spelt(one) for one in values} == SIGNS:
            return request.with_options(positive=1), divided(values, 1)
        if len(values) == 2 and all(spelt(one) is not None for one in values):  # not 0 and 1
            means = _mean_scores(request, columns[0]) if "score" in request.columns else {}
            raise which_is_1(values, (argument(role.argument), f" (column {columns[0]!r})"), means)
        return request, None
    values = _values(request, columns)
    found = classes_of_words(values, shown_as, many=False)
    return _settled(request, role.argument, columns, values, found)


def _taken_apart(request: RowRequest, layout: Layout) -> RowRequest:
    """Return rows in which places of lists are columns of their own."""
    if layout.of_lists is not None:
        name = layout.of_lists.argument
        names = map(str, request.frame.collect_schema())
        lists = check_choice(request.columns[name], names, name=name)
        frame, columns = votes_apart(request.frame, request.run, lists, name)
        return request.with_column(name, columns, frame)
    role = layout.of_classes
    column = None if role is None else request.columns.get(role.argument)
    if role is None or not isinstance(column, str):
        return request
    there = column in [*request.frame.collect_schema()]
    if not there or not holds_lists(request.frame, request.run, column):
        if role.argument == "counts":
            text = f" (column {column!r}) must be a column for each class, or hold lists."
            raise InputError(argument(role.argument), text)
        return request
    frame, columns = numbers_apart(request.frame, request.run, column, role.argument)
    return request.with_column(role.argument, columns, frame)


def _class_columns(request: RowRequest, name: str) -> list[str]:
    given = request.columns[name]
    return list(given) if isinstance(given, tuple) else [given]


def _of_columns(request: RowRequest, name: str) -> tuple[RowRequest, Any]:
    """Settle the classes of rows that have a column for each of them."""
    columns = request.columns[name]
    number = len(columns)
    names = check_number(request.options.classes, number, name)
    for option in ("positive", "positive_from"):
        if request.options.is_given(option) and (number > 2 or name != "score"):
            text = " goes with one column, and there is one for each class. Leave it out."
            raise InputError(argument(option), text)
    places, hints = columns_in_order(columns, names)
    columns = tuple(columns[place] for place in places)
    request = request.with_column(name, columns)
    naming = Naming(names or hints, {})
    label = request.columns.get("label")
    if isinstance(label, str) and label in request.frame.collect_schema().names():
        naming = _of_labels(request, label, names, hints)
        if name == "score" and name not in request.options.columns:
            _check_are_of_classes(request, columns, naming, label)
    request = replace(request.with_options(classes=naming.names), naming=naming)
    if number == 2 and name != "counts":
        request = as_two(request, name)
    return request, two_of(naming.names)


def _check_are_of_classes(
    request: RowRequest, columns: Sequence[str], naming: Naming, label: str
) -> None:
    """Refuse guessed columns that may be the scores of several models instead of classes.

    They are those of classes if they are named after the labels, or if rows sum to 1.
    """
    values = sorted(map(text_of, naming.place))
    if set(values) <= set(naming.names) or all(one.isdigit() for one in naming.names):
        return
    numbers = {f"number {k}": one for k, one in enumerate(columns)}
    rows = with_numbers(request.frame, numbers)
    off = (nw.sum_horizontal(*numbers) - 1).abs() > _OFF
    found = count_where(rows, request.run, {"off": off})
    if 2 * found["off"] > found["n"]:
        listed = ", ".join(columns)
        raise InputError(
            f"The columns {listed} may be scores of {len(columns)} models or of {len(columns)} "
            f"classes: rows do not sum to 1, and the labels in column {label!r} are "
            f"{', '.join(values)}. For one model name its column, ",
            *(argument("score", columns[0]), "; for classes in the order of the labels name all, "),
            *(argument("score", ",".join(columns)), "."),
        )


def _of_labels(
    request: RowRequest, label: str, names: tuple[str, ...] | None, hints: tuple[str, ...]
) -> Naming:
    """Return which label is which of the classes that have columns."""
    shown_as: tuple[Part, ...] = (argument("label"), f" (column {label!r})")
    _refuse_lists(request, [label], shown_as)
    values = _values(request, [label], MOST_CLASSES + 1)
    if request.options.positive is not None or request.options.positive_from is not None:
        return _of_positive(request, values, names, hints)
    return naming_of(values, len(hints), names, shown_as, hints)


def _of_positive(
    request: RowRequest,
    values: Sequence[str],
    names: tuple[str, ...] | None,
    hints: tuple[str, ...],
) -> Naming:
    """Return which of two classes labels are where the positive one was named."""
    if request.options.positive_from is not None:
        raise InputError(
            *(argument("positive_from"), " goes with one column of scores, and there is one for "),
            *("each class. Name the classes with ", argument("classes"), "."),
        )
    positive = text_of(request.options.positive)
    if names is None and positive == hints[0]:
        raise InputError(
            argument("positive"),
            f" is {positive!r}, whose scores come first, and class 1 comes second. Leave it out.",
        )
    ones = [value for value in values if is_same(value, request.options.positive)]
    zero = [value for value in values if value not in ones]
    both = names or (", ".join(zero) or hints[0], positive)
    return Naming((both[0], both[1]), {value: int(value in ones) for value in values})


def _of_votes(
    request: RowRequest, name: str, columns: list[str], shown_as: tuple[Part, ...], look: bool
) -> tuple[RowRequest, Any]:
    """Settle the classes of single votes, of which there may be any number."""
    _refuse_lists(request, columns, shown_as)
    classes = request.options.classes
    if classes is not None:
        values = _values(request, columns, MOST_CLASSES + 1)
        return _named(request, naming_of(values, len(classes), classes, shown_as))
    if not look and _first_are_binary(request, columns):
        return request, None
    values = _values(request, columns, MOST_CLASSES + 1)
    _refuse_ids(request, name, columns, values)
    return _settled(request, name, columns, values, classes_of_values(values, shown_as))


def _refuse_ids(
    request: RowRequest, name: str, columns: Sequence[str], values: Sequence[str]
) -> None:
    """Refuse a column of ids among those of annotators, by the first rows."""
    if name != "annotators" or len(values) <= MOST_OWN:
        return
    first = request.run(_selected(request.frame, columns).head(_SOME_ROWS))
    votes = [[str(one) for one in column.tolist() if _is_there(one)] for column in first.values()]
    in_rows = [part for one in ("item", "annotator", "vote") for part in (", ", argument(one))]
    check_shared(votes, columns, ("name its columns with ", *in_rows[1:]))


def _settled(
    request: RowRequest,
    name: str,
    columns: Sequence[str],
    values: Sequence[str],
    found: PlainClasses | None,
) -> tuple[RowRequest, Any]:
    """Settle the classes by what their values tell; where they do not, ask."""
    if found is None:
        means = _mean_scores(request, columns[0]) if "score" in request.columns else {}
        told = _named_by_score(request.columns.get("score"), values)
        if told is not None and means.get(told) == max(means.values(), default=None):
            return request.with_options(positive=told), divided(values, told)
        raise which_is_1(values, (argument(name), f" (column {columns[0]!r})"), means)
    if found.positive is not None:
        return request.with_options(positive=found.positive), divided(values, found.positive)
    return (request, None) if found.naming is None else _named(request, found.naming)


def _named_by_score(score: Any, values: Sequence[str]) -> str | None:
    """Return which of two classes the column of scores is called after.

    Examples
    --------
    >>> _named_by_score("Churn probability", ["churned", "stayed"])
    'churned'
    >>> _named_by_score("score", ["churned", "stayed"])
    """
    if not isinstance(score, str) or len(values) != 2:
        return None
    words = [word for word in simple(score).split("_") if len(word) >= _LETTERS]
    found = [
        value
        for value in values
        for word in words
        if len(one := simple(value)) >= _LETTERS and (one.startswith(word) or word.startswith(one))
    ]
    return found[0] if len(found) == 1 else None


def _named(request: RowRequest, naming: Naming) -> tuple[RowRequest, Any]:
    return replace(request, naming=naming), two_of(naming.names)


def _refuse_lists(request: RowRequest, columns: Sequence[str], shown_as: tuple[Part, ...]) -> None:
    """Refuse several labels in one entry, as pandas may keep them."""
    for column in columns:
        if holds_several(request.frame, request.run, column):
            raise InputError(*shown_as, f" has several labels in one entry.{PER_LABEL}")


def _first_are_binary(request: RowRequest, columns: Sequence[str]) -> bool:
    """Tell whether the first rows hold 0 and 1 only, as numbers, booleans or text."""
    head = request.run(_selected(request.frame, columns).head(_FIRST))
    found = {str(one) for values in head.values() for one in values.tolist() if _is_there(one)}
    return all(spelt(value) in (0, 1) for value in found)


def _has_words(request: RowRequest, column: str) -> bool:
    """Tell whether the first labels are text that spells neither numbers nor booleans."""
    kind = request.frame.collect_schema()[column]
    if kind not in (nw.String, nw.Categorical, nw.Enum, nw.Object):
        return False
    found = _texts(request, _there(request, column).head(_FIRST))
    return any(spelt(value) is None for value in found)


def _values(request: RowRequest, columns: Sequence[str], most: int = _MOST) -> list[str]:
    """Return the distinct values of all columns together, as text, in order."""
    found: set[str] = set()
    for column in columns:
        found |= _texts(request, _there(request, column).unique().head(most))
    return sorted(found)


def _there(request: RowRequest, column: str) -> Frame:
    """Return the rows of a column in which nothing is missing."""
    rows = _selected(request.frame, [column])
    return rows.filter(~where_missing(rows, "value 0"))


def _texts(request: RowRequest, rows: Frame) -> set[str]:
    return {str(one) for one in request.run(rows)["value 0"].tolist() if _is_there(one)}


def _selected(frame: Frame, columns: Sequence[str]) -> Frame:
    return select(frame, {f"value {i}": column for i, column in enumerate(columns)})


def _is_there(value: object) -> bool:
    # Neither None nor NaN nor the NA of pandas, of which nothing can be asked.
    return value is not None and str(value) not in ("nan", "<NA>", "NaT")


def _mean_scores(request: RowRequest, label: str) -> dict[str, float]:
    columns = {"given": request.columns["score"], "label": label}
    rows = with_numbers(select(request.frame, columns), {"score": "given"})
    rows = rows.filter(nw.col("score").is_finite().fill_null(False), ~where_missing(rows, "label"))
    found = request.run(rows.group_by("label").agg(nw.col("score").mean().alias("mean")))
    means = np.asarray(found["mean"], np.float64).tolist()
    return dict(zip(map(str, found["label"].tolist()), means, strict=True))


def described_many(classes: Sequence[Sequence[Any]], what: str) -> str:
    """Name the classes with how many labels or votes each has.

    Examples
    --------
    >>> described_many([["cat", 1025], ["dog", 975], ["cow", 0]], "items")
    '3 classes: cat, 1,025 items; dog, 975; cow, 0'
    """
    some = classes if len(classes) <= _LISTED + 1 else classes[:_LISTED]
    first, *others = (f"{name}, {number:,}" for name, number in some)
    more = [f"and {len(classes) - len(some)} more"] if len(some) < len(classes) else []
    return f"{len(classes)} classes: {'; '.join([f'{first} {what}', *others, *more])}"


def described(classes: Any, ones: int, zeros: int, what: str) -> str:
    """Say which class is which, with how many there are of each.

    Examples
    --------
    >>> described({"1": ["spam"], "0": ["ham"]}, 1025, 975, "items")
    'class 1 = spam, 1,025 items; class 0 = ham, 975'
    """
    yes, no = (either(dict.fromkeys(map(str.strip, classes[name]))) or "none" for name in "10")
    others = {as_spoken(name) for name in classes["0"]}
    rest = " (one class against the rest)" if len(others) > 1 else ""
    return f"class 1 = {yes}, {ones:,} {what}; class 0 = {no}, {zeros:,}{rest}"
