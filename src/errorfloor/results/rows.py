"""Results of several methods or groups on the same data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from errorfloor import methods
from errorfloor._shown import Answer, Named, Shown
from errorfloor.data.tables import ScoreTable
from errorfloor.methods.record import Method
from errorfloor.results.estimate import Estimate

MethodRowT = TypeVar("MethodRowT", bound=Any)  # which has the name of its `method`


class Rows(Named[MethodRowT], Shown):
    """Results of several methods on the same items, one row each."""

    __slots__ = ()
    name_of_rows = "method"

    def __getitem__(self, name: str) -> MethodRowT:
        if name not in self.methods:
            raise KeyError(f"{name!r} was not compared; there are {', '.join(self.methods)}")
        return Named.__getitem__(self, name)

    @property
    def methods(self) -> tuple[str, ...]:
        """Names of the methods, in the order of the rows."""
        return tuple(row.method for row in self)


@dataclass(frozen=True, slots=True, eq=False)
class Comparison(Rows[Estimate], Answer):
    """The floors of several methods on the same items and the same resamples."""

    rows: tuple[Estimate, ...]
    notes: tuple[str, ...] = ()

    @property
    def main(self) -> Estimate:
        """The row of the default method, else of the one that it corrects, else the first."""
        first = next(iter(self))
        usual = [
            one
            for one in methods.records()
            if isinstance(one, Method)
            and (one in methods.defaults() or one.partly)
            and one.reads == ScoreTable.kind
            and one.is_for(first.metric)
        ]
        named = [*(one.name for one in usual), *(one.curve for one in usual if one.curve)]
        rows = {row.method: row for row in self}
        return next((rows[name] for name in named if name in rows), first)

    def to_dict(self) -> dict[str, Any]:
        """Return all rows as plain values, ready for JSON."""
        return {
            "sentence": self.sentence if self.rows else "",
            "rows": [row.to_dict() for row in self],
            "notes": list(self.notes),
        }


ResultT = TypeVar("ResultT")
OtherT = TypeVar("OtherT")


@dataclass(frozen=True, slots=True, eq=False)
class Groups(Answer, Mapping[Any, ResultT]):
    """What was found for each group of one data set, by the groups' names.

    Attributes
    ----------
    column : str
        What the items were grouped by.
    estimates : dict
        The estimate of each group, or whatever else was asked for.
    level : float or None
        Confidence level: of all intervals at once if `simultaneous`, else of each.
    simultaneous : bool
        Whether all intervals hold at once: each of g intervals then has the level
        ``1 - (1 - level) / g``. Groups that were formed after a look at the labels are not covered
        by any level.
    dropped : int
        Items left out of all groups, and items without a group.
    """

    column: str
    estimates: Mapping[Any, ResultT]
    level: float | None = None
    simultaneous: bool = False
    dropped: int = 0

    def __getitem__(self, group: Any) -> ResultT:
        return self.estimates[group]

    def each(
        self, make: Callable[[Any, ResultT], OtherT], level: float | None = None
    ) -> Groups[OtherT]:
        """Return what is made of each group's name and result, by group as well."""
        made = {name: make(name, one) for name, one in self.estimates.items()}
        return Groups(self.column, made, level, dropped=self.dropped)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.estimates)

    def __len__(self) -> int:
        return len(self.estimates)

    def to_dict(self) -> dict[str, Any]:
        """Return all groups as plain values, ready for JSON."""
        found: Any = self.items()
        return {
            "sentence": self.sentence,
            "group": self.column,
            "level": self.level,
            "simultaneous": self.simultaneous,
            "dropped": self.dropped,
            "rows": [{"group": _jsonable(name), **row.to_dict()} for name, row in found],
        }


def _jsonable(value: Any) -> Any:
    """Return a value that JSON has as it is, and any other, such as a date, as text."""
    plain = isinstance(value, str | int) or (isinstance(value, float) and np.isfinite(value))
    return value if plain else str(value)
