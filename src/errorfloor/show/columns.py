"""What to type to name the same columns and classes again, in Python and on the command line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from errorfloor.data.layouts import Layout
from errorfloor.data.options import ARRAY, ReadOptions
from errorfloor.data.source import Source

STDIN = "-"


def columns_in_python(source: Source | None, layout: Layout) -> Iterator[str]:
    """Yield the arguments that say where labels are, and how to read them."""
    if source is None:
        return
    arguments = {role.name: role.argument for role in layout.roles}
    for role, column in source.columns.items():
        name = arguments[role]
        yield f"{name}={_in_python(source, column, name)}"
    yield from options_in_python(source.options)


def options_in_python(options: ReadOptions) -> Iterator[str]:
    """Yield the arguments that say how to read the data."""
    for name, value in options.given.items():
        if name not in ("format", "called"):  # which name the data itself
            yield f"{name}={_option_in_python(name, value)}"


def _option_in_python(name: str, value: Any) -> str:
    if name == "positive_from":
        return f"{value:g}"
    if name == "classes":
        return repr(list(value))
    return name if value == ARRAY else repr(item(value))


def _in_python(source: Source, column: Any, name: str) -> str:
    """Return what follows the name of an argument: columns, or an array that is called so."""
    if source.origin == "arrays":
        return name
    return str(list(column)) if isinstance(column, tuple) else repr(column)


def words_of(source: Source | None) -> Iterator[str]:
    """Yield the files of a command, and the options that say the same."""
    assert source is not None, "there is a command for files only"
    if source.options.called is not None:
        yield STDIN
    else:
        yield from (f"./{file}" if file.startswith("-") else file for file in source.files)
    for role, column in source.columns.items():
        columns = column if isinstance(column, tuple) else (column,)
        for one in _together(columns):
            yield from (f"--{role}", str(one))
    for name, value in source.options.given.items():
        if name != "called":
            yield from _option_words(f"--{name.replace('_', '-')}", value)


def _option_words(flag: str, value: Any) -> Iterator[str]:
    if value is True:
        yield flag
    elif isinstance(value, tuple):
        for one in _together(value):
            yield from (flag, one)
    else:
        yield from (flag, f"{value:g}" if flag == "--positive-from" else str(item(value)))


def can_be_typed(source: Source, layout: Layout) -> bool:
    """Tell whether columns of classes have names that a list with commas can hold."""
    by_class = {role.name for role in layout.roles if role.by_class}
    several = (
        column
        for name, column in source.columns.items()
        if name in by_class and isinstance(column, tuple)
    )
    return not any("," in one for column in several for one in column)


def item(value: Any) -> Any:
    """Return a number of NumPy as one of Python, which reads the same everywhere."""
    return value.item() if isinstance(value, np.generic) else value


def _together(names: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return several names in one text, unless a comma in one of them forbids it."""
    if len(names) < 2 or any("," in one for one in names):
        return names
    return (",".join(names),)
