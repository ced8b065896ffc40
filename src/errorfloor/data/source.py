"""What was read, where from and how, so that a result can be made again."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypeAlias

from errorfloor._checks import InputError, argument, shown
from errorfloor.data.tables import Table

ARRAY = "an array"  # what weights and clusters that came beside arrays are called
Origin: TypeAlias = Literal["arrays", "table", "frame", "files"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a table came from, and what was said about its columns and values."""

    origin: Origin
    layout: str  # the name of the layout
    files: tuple[str, ...] = ()  # as they were given: paths, patterns, folders
    columns: Mapping[str, Any] = field(default_factory=dict)  # by role: one, several, or a number
    guessed: tuple[str, ...] = ()  # roles whose columns nobody named
    positive: object = None
    positive_from: float | None = None  # numbers from here on are class 1
    classes: tuple[str, ...] | None = None  # as they were given
    drop_missing: bool = False
    unlabelled: bool = False  # whether items without a label were kept as such
    complete: bool = False  # whether nothing else that a model could see was said to matter
    label_is_vote: bool = False  # whether the label was added to the votes as one more
    format: str | None = None  # as it was given
    duplicates: str = "error"  # what was done with votes of one annotator on an item
    group: str | None = None  # the column
    called: str | None = None  # what people call the files, if not by their paths
    weight: str | None = None  # the column, or `ARRAY`
    cluster: str | None = None
    rows: int | None = None  # that were read, with those that were left out
    facts: Mapping[str, Any] = field(default_factory=dict)  # what only rows can tell

    def to_dict(self) -> dict[str, Any]:
        """Return what JSON can hold."""
        return {item.name: _plain(getattr(self, item.name)) for item in fields(self)}


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
