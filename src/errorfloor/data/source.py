"""What was read, where from and how, so that a result can be made again."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from errorfloor._checks import InputError, argument, shown
from errorfloor.data.options import HOW_TO_READ, ReadOptions
from errorfloor.data.tables import Table

Origin: TypeAlias = Literal["arrays", "table", "frame", "files"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a table came from, and how its columns and values were read."""

    origin: Origin
    layout: str  # the name of the layout
    files: tuple[str, ...] = ()  # as they were given: paths, patterns, folders
    columns: Mapping[str, Any] = field(default_factory=dict)  # by role: one, several, or a number
    guessed: tuple[str, ...] = ()  # roles whose columns nobody named
    options: ReadOptions = field(default_factory=ReadOptions)  # as given, without columns
    rows: int | None = None  # that were read, with those that were left out
    facts: Mapping[str, Any] = field(default_factory=dict)  # what only rows can tell

    def with_options(self, **options: Any) -> Source:
        """Return the same with some options changed."""
        return replace(self, options=replace(self.options, **options))

    def to_dict(self) -> dict[str, Any]:
        """Return what JSON can hold."""
        found: dict[str, Any] = {"origin": self.origin, "layout": self.layout, "files": self.files}
        found |= {"columns": self.columns, "guessed": self.guessed}
        joined = ("labels", "on") if self.options.labels is None else ()
        found |= {name: getattr(self.options, name) for name in HOW_TO_READ if name not in joined}
        found |= {"rows": self.rows, "facts": self.facts}
        return {name: _plain(value) for name, value in found.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if hasattr(value, "item"):  # a number of NumPy
        value = value.item()
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """Tables, and where they came from."""

    tables: Mapping[Any, Table]  # by group; of the group None where there are no groups
    source: Source

    @property
    def table(self) -> Table:
        """The only table."""
        (table,) = self.tables.values()
        return table


def is_source(data: object) -> bool:
    """Tell whether `data` is a path, or a list of paths."""
    if isinstance(data, list | tuple):
        return bool(data) and all(isinstance(part, str | os.PathLike) for part in data)
    return isinstance(data, str | os.PathLike)


def is_frame(data: object) -> bool:
    """Tell whether `data` is a dataframe, without the library that reads them all."""
    # Of its type, because a lazy frame would have to find out what its columns are.
    # The last is that of a Hugging Face dataset.
    signs = ("columns", "__narwhals_dataframe__", "__narwhals_lazyframe__", "column_names")
    return any(hasattr(type(data), sign) for sign in signs)


def as_paths(value: object, name: str) -> list[Any]:
    """Return one path or several as a list, or say that it is none."""
    several = isinstance(value, Iterable) and not isinstance(value, str | bytes | os.PathLike)
    several = several and getattr(value, "ndim", 1) > 0
    paths = list(value) if several else [value]  # type: ignore[call-overload]
    if not paths:
        raise InputError(argument(name), " is empty. Pass at least one file.")
    if not is_source(paths):
        raise InputError(argument(name), f" must be a path or a list of paths, got {shown(value)}.")
    return paths
