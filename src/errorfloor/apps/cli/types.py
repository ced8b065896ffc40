"""What the values of options may be."""

from __future__ import annotations

import math
from typing import Any

import click

from errorfloor.results.verdict import BEYOND, VERDICTS

OLD_VERDICTS = {"below": BEYOND}  # what 0.1 called them


class Number(click.FloatRange):
    """A number within a range; neither infinity nor NaN, which no range would keep out."""

    name = "number"

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        """Return the number."""
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value!r} must be a finite number.", param, ctx)
        return number


class Numbers(click.ParamType):  # type: ignore[type-arg]  # takes an argument since click 8.4
    """Whole numbers with commas between them."""

    name = "numbers"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[int, ...]:
        """Return the numbers."""
        try:
            return value if isinstance(value, tuple) else tuple(map(int, value.split(",")))
        except ValueError:
            self.fail(f"{value!r} must be whole numbers such as 2,3,5.", param, ctx)


class Clip(click.ParamType):  # type: ignore[type-arg]
    """A number, or auto."""

    name = "clip"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return "auto" or a number between 0 and 0.5."""
        between = Number(0, 0.5, min_open=True, max_open=True)
        return value if value == "auto" else between.convert(value, param, ctx)


class Verdict(click.Choice[str]):
    """A verdict; its name in 0.1 is taken as well."""

    def __init__(self) -> None:
        super().__init__(VERDICTS)

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        """Return the verdict as it was typed."""
        return str(value) if value in OLD_VERDICTS else super().convert(value, param, ctx)
