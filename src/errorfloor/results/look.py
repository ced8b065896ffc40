"""A look at data before anything is estimated: its columns, what they may be, what is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from errorfloor._shown import Shown


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnLook:
    """One column.

    Attributes
    ----------
    name : str
        What it is called.
    kind : str
        "number", "boolean", "text", "list", "votes" (lists of classes) or "other".
    distinct : int or None
        How many different values it has; None where that is not counted.
    missing : int or None
        In how many rows it is blank.
    """

    name: str
    kind: str
    distinct: int | None
    missing: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LayoutLook:
    """One way to read the columns.

    Attributes
    ----------
    layout : str
        Its name, such as "scores" or "annotations".
    says : str
        What a row is then.
    columns : dict
        Which column has which role; several columns as a tuple.
    n : int or None
        Number of items, without those that have missing values; None where it cannot be read so.
    dropped : int
        Rows with missing values.
    votes : int or None
        Number of votes, where there are votes.
    classes : tuple of (str, int)
        Each class with how many labels or votes it has.
    problem : str or None
        Why it cannot be read so.
    command : str or None
        What to type for the floor; None where there is no file.
    code : str
        The same in Python.
    """

    layout: str
    says: str
    columns: Mapping[str, Any]
    n: int | None = None
    dropped: int = 0
    votes: int | None = None
    classes: tuple[tuple[str, int], ...] = ()
    problem: str | None = None
    command: str | None
    code: str

    @property
    def line(self) -> str:
        """What to type: the command where there are files."""
        return self.command or self.code


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Look(Shown):
    """What data holds, what it may mean, and what to do next.

    Attributes
    ----------
    name : str
        What the data is called.
    rows : int
        Number of rows.
    columns : tuple of ColumnLook
        One for each column.
    layouts : tuple of LayoutLook
        The ways in which the columns can be read, the likeliest first.
    problems : tuple of str
        What is wrong, whichever way is meant.
    next : tuple of str
        What to type next: commands for files, Python for dataframes.
    """

    name: str
    rows: int
    columns: tuple[ColumnLook, ...]
    layouts: tuple[LayoutLook, ...]
    problems: tuple[str, ...]
    next: tuple[str, ...]
