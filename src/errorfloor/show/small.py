"""Small pictures for notebooks and pages: rows of values, without matplotlib or scripts.

Each row has its name and its value in words above it, so that it can be read at any width.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from errorfloor.show.characters import in_sight
from errorfloor.show.drawing import Box, Dot, Shape, Stroke, Words, svg
from errorfloor.show.gauge import PAGE
from errorfloor.show.palette import BLUE

ROW, SIZE = 38, 12  # pixels of a row, and of its letters
STEPS = (1, 2, 2.5, 5, 10)
MOST, LONG = 16, 28  # rows of a picture, and letters of a name


@dataclass(frozen=True, slots=True)
class Line:
    """A value with its interval, all as fractions, and both in words."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    colour: str = BLUE
    words: str = ""


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
    more = len(lines) - len(drawn) + left_out
    said = said if not more else f"{said} {more:,} are not drawn."

    def row(line: Line, y: float) -> Iterator[Shape]:
        tip = f"{in_sight(line.name)}: {line.words or f'{factor * line.value:.4g}'}"
        if line.low is not None and line.high is not None:
            low, high = scale(line.low), scale(line.high)
            yield Box(low, y - 2, high - low, 4, line.colour, 0.45, tip)
        yield Dot(scale(line.value), y, 5, line.colour, tip)

    return _picture(drawn, row, scale, axis, said)


def bars(pairs: Sequence[tuple[str, float]], axis: str, said: str) -> str:
    """Return shares as bars, one below the other."""
    drawn = [Line(name, value, words=f"{100 * value:.3g} %") for name, value in pairs[:MOST]]
    if not any(line.value for line in drawn):
        return ""
    scale = _Scale.over([0.0, *(line.value for line in drawn)])

    def row(line: Line, y: float) -> Iterator[Shape]:
        tip = f"{in_sight(line.name)}: {line.words}"
        yield Box(scale(0), y - 5, scale(line.value) - scale(0), 10, line.colour, 1.0, tip)

    return _picture(drawn, row, scale, axis, said)


def _picture(
    lines: Sequence[Line],
    row: Callable[[Line, float], Iterable[Shape]],
    scale: _Scale,
    axis: str,
    said: str,
) -> str:
    """Return rows below each other, each under its name and value, and the axis below them."""
    bottom = ROW * len(lines) + 4
    places = {mark: scale(mark / scale.factor) for mark in scale.marks}
    drawn: list[Shape] = [Stroke(x, 0, x, bottom, "zone", 0.5) for x in places.values()]
    for place, line in enumerate(lines):
        top = ROW * place
        drawn.append(Words(0, top + 14, _name(line.name), SIZE, "ink", weight=600))
        drawn.append(Words(1, top + 14, line.words, SIZE, "ink", "end"))
        drawn += row(line, top + 26)
    for mark, x in places.items():
        anchor = "start" if x < 0.03 else "end" if x > 0.97 else "middle"
        drawn.append(Words(x, bottom + 14, f"{mark:.6g}", 0.92 * SIZE, "soft", anchor))
    drawn.append(Words(1, bottom + 30, axis, 0.92 * SIZE, "soft", "end"))
    return svg(drawn, bottom + 36, PAGE, said)


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
        return cls(least, high + room, _round_up((high - low) / 5), factor)

    def __call__(self, value: float) -> float:
        """Return the place of a value, as a share of the width."""
        return (self.factor * value - self.low) / (self.high - self.low)

    @property
    def marks(self) -> list[float]:
        """The numbers on the axis."""
        first, last = math.ceil(self.low / self.step), math.floor(self.high / self.step)
        return [self.step * at for at in range(first, last + 1)]


def _round_up(step: float) -> float:
    """Return the next larger of 1, 2, 2.5 and 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(step))
    return next(factor * power for factor in STEPS if factor * power >= step * (1 - 1e-9))


def _name(name: str) -> str:
    shown = in_sight(name).replace("\n", " ")
    return shown if len(shown) <= LONG else f"{shown[: LONG - 1]}\N{HORIZONTAL ELLIPSIS}"
