"""Small pictures for notebooks: plain SVG of a few kilobytes, without matplotlib or scripts.

Letters and axes have the colour of the text around them, so that they fit light and dark pages.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from errorfloor.show.characters import in_sight
from errorfloor.show.palette import BLUE, GREY, RED

if TYPE_CHECKING:
    from errorfloor.results import People, Rate

WIDTH, LEFT, RIGHT, ROW, FOOT = 520, 120, 24, 20, 34  # pixels
HEIGHT = 170  # of a curve
STEPS = (1, 2, 2.5, 5, 10)
MOST, LONG = 16, 17  # rows of a picture, and letters of a name


@dataclass(frozen=True, slots=True)
class Line:
    """A value with its interval, all as fractions."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    colour: str = BLUE


def intervals(
    lines: Sequence[Line],
    axis: str,
    said: str,
    *,
    left_out: int = 0,
    factor: float = 100,
) -> str:
    """Return values with their intervals on one axis, one below the other.

    The numbers on the axis are `factor` times the values: per cent by default.
    """
    drawn = lines[:MOST]
    if not drawn:
        return ""
    ends = [one for line in drawn for one in (line.value, line.low, line.high) if one is not None]
    scale = _Scale.over(ends, factor)
    bottom = 6 + ROW * len(drawn)
    parts = [_axis(scale, bottom, axis)]
    for place, line in enumerate(drawn):
        parts.append(_line(line, scale, 6 + ROW * place + ROW / 2))
    more = len(lines) - len(drawn) + left_out
    return _picture(parts, bottom + FOOT, said if not more else f"{said} {more:,} are not drawn.")


def bars(pairs: Sequence[tuple[str, float]], axis: str, said: str) -> str:
    """Return shares as bars, one below the other."""
    drawn = pairs[:MOST]
    if not drawn or not any(value for _, value in drawn):
        return ""
    scale = _Scale.over([0.0, *(value for _, value in drawn)])
    bottom = 6 + ROW * len(drawn)
    parts = [_axis(scale, bottom, axis)]
    for place, (name, value) in enumerate(drawn):
        y = 6 + ROW * place
        parts.append(_name(name, y + ROW / 2))
        wide = scale(value) - scale(0)
        parts.append(
            f'<rect x="{scale(0):.1f}" y="{y + 4}" width="{wide:.1f}" height="{ROW - 8}" '
            f'fill="{BLUE}"/>'
        )
    return _picture(parts, bottom + FOOT, said)


def curve_of_people(result: People, said: str) -> str:
    """Return how often panels of people agree with one more person, with models on the curve.

    Sizes of panels are on a logarithmic axis; a model is at as many people as it is worth.
    """
    drawn, best = result.models[:MOST], result.best_possible
    plane = _Plane.over([*result.curve, *drawn, best], result.curve[-1].people)
    x_of, y_of = plane.x_of, plane.y_of
    parts = [
        f'<rect x="{LEFT}" y="{y_of(best.high):.1f}" width="{WIDTH - LEFT - RIGHT}" '
        f'height="{y_of(best.low) - y_of(best.high):.1f}" fill="{GREY}" fill-opacity=".2"/>'
        f'<path d="M{LEFT} {y_of(best.value):.1f}H{WIDTH - RIGHT}" stroke="{GREY}"/>'
        f"{_name('best possible', y_of(best.value))}"
    ]
    line = "L".join(f"{x_of(one.people):.1f} {y_of(one.value):.1f}" for one in result.curve)
    parts.append(f'<path d="M{line}" fill="none" stroke="{BLUE}" stroke-width="2"/>')
    parts += [
        f'<text x="{x_of(size):.1f}" y="{HEIGHT + 14}" text-anchor="middle">{size}</text>'
        for size in (1, 3, 10, 30, 100)
        if size <= plane.people
    ]
    for row in drawn:
        x = x_of(1.1 * plane.people if row.worth is None else max(row.worth, 0.85))
        y = y_of(row.value)
        parts.append(
            f'<path d="M{x:.1f} {y_of(row.low):.1f}V{y_of(row.high):.1f}" stroke="{RED}" '
            f'stroke-width="2"/><circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{RED}"/>'
            f"{_name(row.name, y)}"
        )
    middle = (LEFT + WIDTH - RIGHT) / 2
    axis = "people in the panel"
    parts.append(f'<text x="{middle}" y="{HEIGHT + 29}" text-anchor="middle">{axis}</text>')
    return _picture(parts, HEIGHT + FOOT, said)


@dataclass(frozen=True, slots=True)
class _Plane:
    """Where numbers of people and shares are in a picture."""

    people: int
    least: float
    most: float

    @classmethod
    def over(cls, rates: Sequence[Rate], people: int) -> _Plane:
        """Return a plane that all limits have room on."""
        least, most = min(one.low for one in rates), max(one.high for one in rates)
        room = max(0.03 * (most - least), 0.002)
        return cls(people, least - room, most + room)

    def x_of(self, people: float) -> float:
        """Return the place of a number of people in pixels."""
        part = math.log(people / 0.8) / math.log(1.2 * self.people / 0.8)
        return LEFT + min(max(part, 0.0), 1.0) * (WIDTH - LEFT - RIGHT)

    def y_of(self, value: float) -> float:
        """Return the place of a share in pixels."""
        return 8 + (self.most - value) / (self.most - self.least) * (HEIGHT - 8)


@dataclass(frozen=True, slots=True)
class _Scale:
    """Where values are on the axis, in per cent by default; marks are at round numbers."""

    low: float
    high: float
    step: float
    factor: float = 100

    @classmethod
    def over(cls, values: Iterable[float], factor: float = 100) -> _Scale:
        """Return an axis that all values have room on."""
        there = [factor * value for value in values]
        low, high = min(there), max(there)
        if high - low < 1e-11 * factor:
            low, high = low - 0.005 * factor, high + 0.005 * factor
        room = 0.04 * (high - low)
        least = max(low - room, 0.0) if low >= 0 else low - room
        return cls(least, high + room, _round_up((high - low) / 6), factor)

    def __call__(self, value: float) -> float:
        """Return the place of a value in pixels."""
        part = (self.factor * value - self.low) / (self.high - self.low)
        return LEFT + part * (WIDTH - LEFT - RIGHT)

    @property
    def marks(self) -> list[float]:
        """The numbers on the axis."""
        first, last = math.ceil(self.low / self.step), math.floor(self.high / self.step)
        return [self.step * at for at in range(first, last + 1)]


def _round_up(step: float) -> float:
    """Return the next larger of 1, 2, 2.5 and 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(step))
    return next(factor * power for factor in STEPS if factor * power >= step * (1 - 1e-9))


def _axis(scale: _Scale, bottom: float, name: str) -> str:
    parts = []
    for mark in scale.marks:
        x = scale(mark / scale.factor)
        parts.append(
            f'<path d="M{x:.1f} 6V{bottom}" stroke="currentColor" stroke-opacity=".18"/>'
            f'<text x="{x:.1f}" y="{bottom + 13}" text-anchor="middle">{mark:.6g}</text>'
        )
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(f'<text x="{middle}" y="{bottom + 28}" text-anchor="middle">{escape(name)}</text>')
    return "".join(parts)


def _line(line: Line, scale: _Scale, y: float) -> str:
    span = ""
    if line.low is not None and line.high is not None:
        ends = f"M{scale(line.low):.1f} {y}H{scale(line.high):.1f}"
        span = f'<path d="{ends}" stroke="{line.colour}" stroke-width="3"/>'
    dot = f'<circle cx="{scale(line.value):.1f}" cy="{y}" r="4.5" fill="{line.colour}"/>'
    return f"{_name(line.name, y)}{span}{dot}"


def _name(name: str, y: float) -> str:
    shown = in_sight(name).replace("\n", " ")
    shown = shown if len(shown) <= LONG else f"{shown[: LONG - 1]}\N{HORIZONTAL ELLIPSIS}"
    return f'<text x="{LEFT - 10}" y="{y + 4}" text-anchor="end">{escape(shown)}</text>'


def _picture(parts: Iterable[str], height: float, said: str) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH} {height:g}" role="img" aria-label="{escape(said)}" '
        f'style="display:block;width:100%;max-width:{WIDTH}px;height:auto;margin:.4em 0;'
        'font:12px system-ui,sans-serif" fill="currentColor">'
        f"{''.join(parts)}</svg>"
    )
