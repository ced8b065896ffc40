"""What the values of options may be."""

from __future__ import annotations

import math
from typing import Any

import click

from errorfloor._checks import MOST_VOTES as MOST
from errorfloor._checks import percentage
from errorfloor.results.verdict import BEYOND, VERDICTS

FILE = click.Path()  # whatever it is, shells complete it as a file
NEW_FILE = click.Path()  # the same, of what is written
OLD_VERDICTS = {"below": BEYOND}  # what 0.1 called them


class Number(click.FloatRange):
    """A number within a range; neither infinity nor NaN, which no range would keep out."""

    name = "number"

    def _describe_range(self) -> str:
        """Return the range for the help page; nothing where there are no ends."""
        return "" if self.min is None and self.max is None else super()._describe_range()

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        """Return the number; per cent are understood where it is a fraction."""
        is_fraction = self.max is not None and self.max <= 1
        meant = percentage(value) if is_fraction else None
        try:
            number = float(super().convert(value if meant is None else meant, param, ctx))
        except click.BadParameter as error:
            bare = _bare(value) if is_fraction and meant is None else None
            if bare is not None and 1 < bare <= 100:
                self.fail(f"{error.message} {bare:g} % is {bare / 100:g}.", param, ctx)
            raise
        if not math.isfinite(number):
            self.fail(f"{value!r} must be a finite number.", param, ctx)
        return number


class Whole(click.IntRange):
    """A whole number of at least some other; not more than floats can count by default."""

    name = "whole number"

    def __init__(self, least: int, most: int | None = MOST) -> None:
        super().__init__(least)
        self.least, self.most = least, most

    def convert(self, value: Any, param: Any, ctx: Any) -> int:
        """Return the number."""
        number = _read(str(value))
        if number is None or number < self.least:
            self.fail(f"{_brief(value)} must be a whole number, {self.least} or more.", param, ctx)
        if self.most is not None and number > self.most:
            self.fail(f"{_brief(value)} must not be more than {self.most}.", param, ctx)
        return number


class Numbers(click.ParamType):  # type: ignore[type-arg]  # takes an argument since click 8.4
    """Whole numbers with commas between them."""

    name = "numbers"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[int, ...]:
        """Return the numbers."""
        if isinstance(value, tuple):
            return value
        numbers = tuple(map(_read, value.split(",")))
        for number in numbers:
            if number is None or number > MOST:
                self.fail(
                    f"{_brief(value)} must be whole numbers such as 2,3,5, none above {MOST}.",
                    param,
                    ctx,
                )
        return tuple(number for number in numbers if number is not None)


class Shares(click.ParamType):  # type: ignore[type-arg]
    """Numbers between 0 and 1 with commas between them."""

    name = "shares"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[float, ...]:
        """Return the numbers."""
        if isinstance(value, tuple):
            return value
        between = Number(0, 1, min_open=True, max_open=True)
        return tuple(between.convert(part, param, ctx) for part in value.split(","))


class Fraction(click.ParamType):  # type: ignore[type-arg]
    """Two whole numbers with a slash between, the first not above the second."""

    name = "fraction"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[int, int]:
        """Return the two numbers."""
        if isinstance(value, tuple):
            return value
        numbers = [_read(part) for part in value.split("/")]
        part, whole = numbers if len(numbers) == 2 else (None, None)
        if part is None or whole is None or not 0 <= part <= whole <= MOST or whole == 0:
            self.fail(f"{_brief(value)} must be two whole numbers such as 90/1000.", param, ctx)
        return part, whole


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


def _bare(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def _read(text: str) -> int | None:
    """Return the whole number that is written, or None if it is none, or endless."""
    try:
        return int(text)
    except ValueError:
        return None


def _brief(value: object) -> str:
    """Return what was typed, as far as it helps to recognise it."""
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:20]}...{text[-10:]}"
