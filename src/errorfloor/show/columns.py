"""What to type to name the same columns and classes again, in Python and on the command line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from errorfloor.data.layouts import Layout
from errorfloor.data.source import ARRAY, Source

STDIN = "-"


def columns_in_python(source: Source | None, layout: Layout) -> Iterator[str]:
    """Yield the arguments that say where labels are, and how to read them."""
    if source is None:
        return
    arguments = {role.name: role.argument for role in layout.roles}
    for role, column in source.columns.items():
        name = arguments[role]
        yield f"{name}={_in_python(source, column, name)}"
    if source.positive is not None:
        yield f"positive={item(source.positive)!r}"
    if source.positive_from is not None:
        yield f"positive_from={source.positive_from:g}"
    if source.classes is not None:
        yield f"classes={list(source.classes)!r}"
    if source.drop_missing:
        yield "drop_missing=True"
    if source.unlabelled:
        yield "unlabelled=True"
    if source.complete:
        yield "complete=True"
    if source.label_is_vote:
        yield "label_is_vote=True"
    if source.duplicates != "error":
        yield f"duplicates={source.duplicates!r}"
    if source.group is not None:
        yield f"group={source.group!r}"
    for name, value in (("weight", source.weight), ("cluster", source.cluster)):
        if value is not None:
            yield f"{name}={name if value == ARRAY else repr(value)}"


def _in_python(source: Source, column: Any, name: str) -> str:
    """Return what follows the name of an argument: columns, or an array that is called so."""
    if source.origin == "arrays":
        return name
    return str(list(column)) if isinstance(column, tuple) else repr(column)


def words_of(source: Source | None) -> Iterator[str]:
    """Yield the files of a command, and the options that say the same."""
    assert source is not None, "there is a command for files only"
    if source.called is not None:
        yield STDIN
    else:
        yield from (f"./{file}" if file.startswith("-") else file for file in source.files)
    for role, column in source.columns.items():
        columns = column if isinstance(column, tuple) else (column,)
        for one in _together(columns):
            yield from (f"--{role}", str(one))
    if source.positive is not None:
        yield from ("--positive", str(item(source.positive)))
    if source.positive_from is not None:
        yield from ("--positive-from", f"{source.positive_from:g}")
    for one in _together(source.classes or ()):
        yield from ("--classes", one)
    if source.format is not None:
        yield from ("--format", source.format)
    if source.drop_missing:
        yield "--drop-missing"
    if source.unlabelled:
        yield "--unlabelled"
    if source.complete:
        yield "--complete"
    if source.label_is_vote:
        yield "--label-is-vote"
    if source.duplicates != "error":
        yield from ("--duplicates", source.duplicates)
    if source.group is not None:
        yield from ("--group", source.group)
    for name, value in (("weight", source.weight), ("cluster", source.cluster)):
        if value is not None:
            yield from (f"--{name}", value)


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
