"""Columns that nobody named: guessed where their names, or else their kinds, leave one reading."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from errorfloor._checks import Part, argument
from errorfloor.data.layouts import LAYOUTS, Layout, Role, joined

# DuckDB calls a first column without a name column0, and pandas writes its index so.
_IDS = (
    r"(|ids?|idx|index|uid|uuid|row|rownum|row_(id|index|number)|unnamed(_.*)?|.*_(id|index)"
    r"|column0+)"
)


@dataclass(frozen=True, slots=True)
class Chosen:
    """A layout and its columns; `guessed` are the roles whose columns the user did not name."""

    layout: Layout
    columns: Mapping[str, Any]  # by the name of the role: one, several, or a number
    guessed: tuple[str, ...] = ()

    @property
    def arguments(self) -> dict[str, Any]:
        """The columns by the names of arguments."""
        names = {role.name: role.argument for role in self.layout.roles}
        return {names[role]: column for role, column in self.columns.items()}

    @property
    def used(self) -> frozenset[object]:
        """All columns that have a role."""
        values = self.columns.values()
        return frozenset(
            one for value in values for one in (value if isinstance(value, tuple) else (value,))
        )

    @property
    def mentions(self) -> tuple[Part, ...]:
        """The arguments that would have named the guessed columns."""
        return mentioned(
            (role, self.columns[role.name])
            for role in self.layout.roles
            if role.name in self.guessed
        )


def likely_readings(kinds: Mapping[str, str], allowed: Sequence[Layout]) -> list[Chosen]:
    """Return the layouts that the names of columns tell, or else their kinds."""
    likely = [layout for layout in allowed if not layout.of_shares]
    readings: list[Chosen] = []
    for guess in (_by_name, _by_classes, _without_optional, _by_kind):
        found = (guess(layout, kinds) for layout in likely)
        readings = readings or [one for one in found if one is not None]
    return _surest(readings)


def names_an_id(column: object) -> bool:
    """Tell whether a column is called what ids and indices are called.

    Examples
    --------
    >>> names_an_id("Unnamed: 0"), names_an_id("user_id"), names_an_id("score")
    (True, True, False)
    """
    return re.fullmatch(_IDS, simple(column)) is not None


def fitting(role: Role, columns: Iterable[str]) -> list[str]:
    """Return the columns whose names say that they have the role."""
    plain = {one: simple(one) for one in columns}
    if role.pattern is not None and not role.by_class:
        return [one for one in plain if re.fullmatch(role.pattern, plain[one])]
    sure = [one for one in plain if plain[one] in role.names]
    return sure or [one for one in plain if plain[one] in role.unsure_names]


def of_kind(role: Role, columns: Sequence[str], kinds: Mapping[str, str]) -> list[str]:
    """Return the columns that hold lists, or those that do not, as the role has it."""
    if role.is_list or (role.by_class and not role.alone):
        return [one for one in columns if kinds[one] in ("list", "other")]
    if role.by_class or not role.is_number:  # of labels it is said that a row has several
        return list(columns)
    return [one for one in columns if kinds[one] != "list"]


def one_for_each(role: Role, kinds: Mapping[str, str]) -> tuple[str, ...]:
    """Return the columns of numbers that begin alike, as those of classes do, if that is clear."""
    assert role.pattern is not None
    others = {
        name
        for layout in LAYOUTS
        for other in layout.roles
        for name in other.names
        if other.name != "votes"  # n_positive beside n_negative, but not beside n_votes
    }
    found: dict[str, list[str]] = {}
    for one, kind in kinds.items():
        fits = re.fullmatch(role.pattern, simple(one))
        if fits and kind == "number":
            found.setdefault(fits[1], []).append(one)
    likely = [group for group in found.values() if len(group) > 1]
    clear = len(likely) == 1 and not any(simple(one) in others for one in likely[0])
    return tuple(likely[0]) if clear else ()


def simple(column: object) -> str:
    """Return a name in small letters, with "_" for anything else."""
    return re.sub(r"[^a-z0-9]+", "_", str(column).lower()).strip("_")


def mentioned(columns: Iterable[tuple[Role, Any]]) -> tuple[Part, ...]:
    """Mention arguments with their values, one after the other."""
    mentions = [
        argument(role.argument, list(column) if isinstance(column, tuple) else column)
        for role, column in columns
    ]
    return joined(mentions, " ")


def _by_name(layout: Layout, kinds: Mapping[str, str]) -> Chosen | None:
    """Return the layout if the columns have one name for each of its roles, and no other."""
    columns: dict[str, Any] = {}
    for role in layout.roles:
        named = of_kind(role, fitting(role, kinds), kinds)
        if len(named) < 2 if role.several else len(named) != 1:
            return None
        columns[role.name] = tuple(named) if role.several else named[0]
    return Chosen(layout, columns, tuple(columns))


def _without_optional(layout: Layout, kinds: Mapping[str, str]) -> Chosen | None:
    """Return the layout if names leave no doubt about all that it needs, such as item and vote."""
    columns: dict[str, Any] = {}
    for role in layout.needed:
        named = [one for one in fitting(role, kinds) if simple(one) in role.names]
        if role.several or role.by_class or len(named) != 1:
            return None
        columns[role.name] = named[0]
    some = len(layout.needed) < len(layout.roles)
    return Chosen(layout, columns, tuple(columns)) if some else None


def _by_classes(layout: Layout, kinds: Mapping[str, str]) -> Chosen | None:
    """Return the layout if names say that there is a column for each class, and all the rest."""
    columns: dict[str, Any] = {}
    for role in layout.roles:
        named = one_for_each(role, kinds) if role.by_class else tuple(fitting(role, kinds))
        if not named or (not role.by_class and len(named) > 1):
            return None
        columns[role.name] = named if role.by_class else named[0]
    return Chosen(layout, columns, tuple(columns)) if layout.of_classes is not None else None


def _by_kind(layout: Layout, kinds: Mapping[str, str]) -> Chosen | None:
    """Return the layout if there are two columns and only one of them is a number.

    Not where a name says otherwise: a column of scores with a word in it is text, too.
    """
    named = {one: kind for one, kind in kinds.items() if not names_an_id(one)}
    numbers = [one for one in named if kinds[one] == "number"]
    others = [one for one in named if kinds[one] in ("boolean", "text")]
    if not layout.told_by_kinds or len(named) != 2 or len(numbers) != 1 or len(others) != 1:
        return None
    columns = {role.name: (numbers if role.is_number else others)[0] for role in layout.roles}
    swapped = {role.name: (others if role.is_number else numbers)[0] for role in layout.roles}
    if any(fitting(role, [swapped[role.name]]) for role in layout.roles):
        return None
    if any(_has_another_role(one, layout) for one in named):
        return None
    return Chosen(layout, columns, tuple(columns))


def _has_another_role(column: str, layout: Layout) -> bool:
    """Tell whether a name says for sure that a column is something else: no item is a score."""
    own = {name for role in layout.roles for name in role.names}
    others = {name for one in LAYOUTS for role in one.roles for name in role.names}
    return simple(column) in others - own


def _surest(readings: list[Chosen]) -> list[Chosen]:
    """Leave out scores that may be anything, such as a confidence, where there is another reading.

    The confidence of an annotator stands beside votes.
    """
    sure = [one for one in readings if not _has_unsure_number(one)]
    return sure or readings


def _has_unsure_number(chosen: Chosen) -> bool:
    return any(
        simple(chosen.columns[role.name]) in role.unsure_names
        for role in chosen.layout.roles
        if role.is_number and isinstance(chosen.columns.get(role.name), str)
    )
