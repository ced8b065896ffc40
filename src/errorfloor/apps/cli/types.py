"""What the values of options may be, as click has it: it reads them by their kinds."""

from __future__ import annotations

from typing import Any

import click

from errorfloor.questions.options import Choice, Kind, Number, Whole
from errorfloor.results.verdict import BEYOND, VERDICTS

FILE = click.Path()  # whatever it is, shells complete it as a file
NEW_FILE = click.Path()  # the same, of what is written
OLD_VERDICTS = {"below": BEYOND}  # what 0.1 called them


def as_click(kind: Kind) -> click.ParamType[Any]:
    """Return a kind of value as click knows them."""
    if isinstance(kind, Choice):
        return click.Choice(kind.choices)
    return Within(kind) if isinstance(kind, Number | Whole) else Typed(kind)


class Typed(click.ParamType):  # type: ignore[type-arg]  # takes an argument since click 8.4
    """A value that its kind reads."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self.name = kind.name

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the value."""
        if not isinstance(value, str):
            return value
        try:
            return self.kind.read(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


class Within(Typed, click.FloatRange):
    """A number, whose range help pages show."""

    def __init__(self, kind: Number | Whole) -> None:
        if isinstance(kind, Whole):
            click.FloatRange.__init__(self, kind.least)
        else:
            ends = (kind.least, kind.most, kind.min_open, kind.max_open)
            click.FloatRange.__init__(self, *ends)
        Typed.__init__(self, kind)

    def _describe_range(self) -> str:
        """Return the range; nothing where there are no ends."""
        return "" if self.min is None and self.max is None else super()._describe_range()


class VerdictName(click.Choice[str]):
    """A verdict; its name in 0.1 is taken as well."""

    def __init__(self) -> None:
        super().__init__(VERDICTS)

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        """Return the verdict as it was typed."""
        return str(value) if value in OLD_VERDICTS else super().convert(value, param, ctx)
