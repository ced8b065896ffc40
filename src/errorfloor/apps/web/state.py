"""What a form says, as the records that the command line makes of what is typed.

The fields of the form are called as the parameters of the commands, and read by the commands' own
options: what is refused at a terminal is refused here, in the same words.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeVar

import click

from errorfloor.apps.cli.measuring import About
from errorfloor.apps.cli.modelling import Model
from errorfloor.apps.cli.options import How
from errorfloor.data.layouts import BESIDE, LAYOUTS, Role
from errorfloor.data.options import HOW_TO_READ, ReadOptions
from errorfloor.data.source import Source

ROLE = "role:"  # before the name of a column, in the name of a field
GROUP = Role("group", "group", "One answer for each value of this column.")
PREDICTION = Role(
    "prediction",
    "prediction",
    "What a model predicts for the item, which is then judged.",
    several=True,
)
FEATURE = Role(
    "feature",
    "features",
    "What a model sees of an item: with a label, the floor has an upper limit.",
    several=True,
)
_PLAIN = tuple({role.name: role for layout in LAYOUTS for role in layout.roles}.values())
ROLES = {role.name: role for role in (*_PLAIN, *BESIDE, GROUP, PREDICTION, FEATURE)}
# What is said besides columns: the others are roles of columns, or no question of a page.
_READING = tuple(
    name for name in HOW_TO_READ if name not in ("format", "called", "group", "weight", "cluster")
)
_BOXES = {"simultaneous": "group", "complete": "score", "label_is_vote": "label"}  # by role
_PLANNING = ("target", "cost_per_item", "cost_per_vote", "votes", "items")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class State:
    """A file of a page, the roles of its columns, and the other fields of the form."""

    file: str
    given: Mapping[str, str]

    @property
    def roles(self) -> dict[str, str]:
        """The role of each column that has one."""
        return {
            name.removeprefix(ROLE): role
            for name, role in self.given.items()
            if name.startswith(ROLE) and role in ROLES
        }

    def field(self, name: str) -> str:
        """Return what stands in a field; empty where there is none.

        A ticked box stays in the form for a moment when its column has lost the role.
        """
        if name in _BOXES and _BOXES[name] not in self.roles.values():
            return ""
        return self.given.get(name, "").strip()

    def with_fields(self, more: Mapping[str, str]) -> State:
        """Return the same with other values of some fields."""
        return State(self.file, {**self.given, **more})

    def with_guesses(self, source: Source, columns: Collection[str]) -> State:
        """Return the same with the roles that were guessed, so that the form shows them."""
        guessed = {
            f"{ROLE}{name}": role
            for role in source.guessed
            for name in _several(source.columns.get(role))
            if name in columns
        }
        return self.with_fields(guessed)

    @property
    def without_plan(self) -> tuple[tuple[str, str], ...]:
        """The fields that an answer depends on."""
        return tuple(sorted(pair for pair in self.given.items() if pair[0] not in _PLANNING))

    @property
    def predictions(self) -> tuple[str, ...]:
        """The columns of models' predictions."""
        return tuple(self._columns().get("prediction", ()))

    def features(self) -> dict[str, Any] | None:
        """Return the columns of features, with the label and the cluster; None without any."""
        columns = self._columns()
        if FEATURE.argument not in columns:
            return None
        able = ("label", "cluster", FEATURE.argument)
        for name in columns.keys() - {*able}:
            raise click.UsageError(
                f"Features go with a label and a cluster, not with {name}. Change the roles."
            )
        return columns

    @property
    def simultaneous(self) -> bool:
        """Whether the intervals of groups are to hold all at once."""
        return bool(self.field("simultaneous"))

    def where(self) -> ReadOptions:
        """Return which columns hold what, and how to read their values."""
        columns = self._columns()
        columns.pop("prediction", None)
        values = self._parsed("headroom", _READING)
        return ReadOptions.of(**columns, **{name: values[name] for name in _READING})

    def how(self) -> How:
        """Return how the floor is to be estimated."""
        return self._record(How)

    def about(self) -> About:
        """Return which metric is asked for."""
        return self._record(About)

    def model(self) -> Model:
        """Return what is known of a model."""
        return self._record(Model)

    def planning(self) -> dict[str, Any]:
        """Return which labels may be bought, and what they cost."""
        values = self._parsed("plan", _PLANNING)
        return {name: values[name] for name in (*_PLANNING, "level")}

    def _columns(self) -> dict[str, Any]:
        """Return the columns by the names of arguments."""
        found: dict[str, list[str]] = {}
        for column, its in self.roles.items():
            found.setdefault(its, []).append(column)
        columns: dict[str, Any] = {}
        for name, own in found.items():
            role = ROLES[name]
            if len(own) > 1 and not (role.several or role.by_class):
                raise click.UsageError(
                    f"{own[0]!r} and {own[1]!r} both have the role {name}, which one column has. "
                    "Change one of them."
                )
            columns[role.argument] = own if role.several or len(own) > 1 else own[0]
        if self.field("totals") and "positives" in columns:
            columns.setdefault("totals", self.field("totals"))
        return columns

    def _record(self, record: type[T]) -> T:
        names = [one.name for one in fields(record)]  # type: ignore[arg-type]
        values = self._parsed("headroom", names)
        return record(**{name: values[name] for name in names})

    def _parsed(self, command: str, names: Any) -> dict[str, Any]:
        """Return what a command makes of the fields of these names."""
        from errorfloor.apps.cli.commands import cli

        parser = cli.commands[command]
        words = list(self._words(parser, names))
        parsed = parser.make_context(command, [*words, "--", self.file])
        values: dict[str, Any] = parsed.params
        return values

    def _words(self, parser: click.Command, names: Any) -> Iterator[str]:
        for option in parser.params:
            value = self.field(str(option.name))
            if option.name not in names or not value or not isinstance(option, click.Option):
                continue
            flag = max(option.opts, key=len)
            yield flag if option.is_flag else f"{flag}={value}"


def _several(columns: Any) -> tuple[Any, ...]:
    return tuple(columns) if isinstance(columns, list | tuple) else (columns,)
