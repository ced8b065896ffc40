"""Small pictures of values in rows, without matplotlib or scripts.

Each row has its name and its value in words above it, so that it can be read at any width.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from errorfloor.show.drawing import PAGE, Box, Dot, Shape, Stroke, Words, svg
from errorfloor.show.markup import in_short, visible
from errorfloor.show.numbers import per_cent
from errorfloor.show.palette import BLUE

SIZE = 12  # pixels of letters; a row and all else goes along
ROW, BELOW = 38 / 12, 3.0  # heights of a row, and of the axis below them, in letters
STEPS = (1, 2, 2.5, 5, 10)
MOST, LONG = 16, 28  # rows of a picture, and letters of a name
ROOM = 45  # letters of a name and its value together, on a phone


@dataclass(frozen=True, slots=True)
class Line:
    """A value with its interval, all as fractions, and both in words."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    colour: str = BLUE
    words: str = ""

    @property
    def ends(self) -> list[float]:
        """The value and the ends of its interval."""
        return [one for one in (self.value, self.low, self.high) if one is not None]


def intervals(
    lines: Sequence[Line], axis: str, label: str, *, left_out: int = 0, factor: float = 100
) -> str:
    """Return values with their intervals on one axis, one below the other.

    The numbers on the axis are `factor` times the values: per cent by default.
    """
    drawn = lines[:MOST]
    if not drawn:
        return ""
    more = len(lines) - len(drawn) + left_out
    label = label if not more else f"{label} {more:,} are not drawn."
    return svg(shapes(drawn, axis, factor=factor), height_of(len(drawn)), PAGE, label)


def bars(pairs: Sequence[tuple[str, float]], axis: str, label: str) -> str:
    """Return shares as bars, one below the other."""
    drawn = [Line(name, value, words=per_cent(value, 1)) for name, value in pairs[:MOST]]
    if not any(line.value for line in drawn):
        return ""
    scale = Scale.over([0.0, *(line.value for line in drawn)])

    def row(line: Line, y: float) -> Iterator[Shape]:
        tip = f"{visible(line.name)}: {line.words}"
        yield Box(scale(0), y - 5, scale(line.value) - scale(0), 10, line.colour, 1.0, tip)

    return svg(_rows(drawn, row, scale, axis, 0, SIZE), height_of(len(drawn)), PAGE, label)


def height_of(lines: int, size: float = SIZE) -> float:
    """Return how many pixels so many rows and their axis take."""
    return round((ROW * lines + BELOW) * size + 4, 1)


def shapes(
    lines: Sequence[Line],
    axis: str,
    *,
    factor: float = 100,
    top: float = 0,
    size: float = SIZE,
    left: float = 0.0,
    wide: float = 1.0,
    mark: float | None = None,
    room: int = ROOM,
) -> Iterator[Shape]:
    """Yield values with their intervals from `top` on, and a dashed line at `mark`."""
    ends = [end for line in lines for end in line.ends]
    if mark is not None:
        far = max(abs(end - mark) for end in ends)
        ends += [mark - 0.04 * far, mark + 0.04 * far]  # room next to the line
    scale = Scale.over(ends, factor, left, wide)
    if mark is not None:
        ink = Stroke(scale(mark), top, scale(mark), top, "ink", 1.2, dashed=True)
        yield from _behind_rows(ink, len(lines), size)
    yield from _rows(lines, partial(_interval, scale, size), scale, axis, top, size, room)


def _interval(scale: Scale, size: float, line: Line, y: float) -> Iterator[Shape]:
    tip = f"{visible(line.name)}: {line.words or f'{scale.factor * line.value:.4g}'}"
    half = size / 6
    if line.low is not None and line.high is not None:
        low, high = scale(line.low), scale(line.high)
        yield Box(low, y - half, high - low, 2 * half, line.colour, 0.45, tip)
    yield Dot(scale(line.value), y, 2.5 * half, line.colour, tip)


def _rows(
    lines: Sequence[Line],
    row: Callable[[Line, float], Iterable[Shape]],
    scale: Scale,
    axis: str,
    top: float,
    size: float,
    room: int = ROOM,
) -> Iterator[Shape]:
    """Yield rows below each other, each under its name and value, and the axis below them."""
    bottom = top + ROW * size * len(lines) + 4
    start, end = scale.left, scale.left + scale.wide
    places = {mark: scale(mark / scale.factor) for mark in scale.marks}
    for x in places.values():
        yield from _behind_rows(Stroke(x, top, x, top, "zone", opacity=0.35), len(lines), size)
    for place, line in enumerate(lines):
        above = top + ROW * size * place
        yield Words(
            start,
            above + 7 / 6 * size,
            in_short(line.name, min(LONG, room - len(line.words))),
            size,
            "ink",
            weight=600,
        )
        yield Words(end, above + 7 / 6 * size, line.words, size, "ink", "end")
        yield from row(line, above + 13 / 6 * size)
    for mark, x in places.items():
        share = (x - start) / scale.wide
        anchor = "start" if share < 0.03 else "end" if share > 0.97 else "middle"
        yield Words(x, bottom + 7 / 6 * size, f"{mark:.6g}", 0.92 * size, "soft", anchor)
    yield Words(end, bottom + 2.5 * size, axis, 0.92 * size, "soft", "end")


def _behind_rows(stroke: Stroke, rows: int, size: float) -> Iterator[Shape]:
    """Yield an upright line from its place on, behind the values of rows and not their words."""
    for row in range(rows):
        above = stroke.y + ROW * size * row
        yield replace(stroke, y=above + 1.5 * size, to_y=above + 2.85 * size)


@dataclass(frozen=True, slots=True)
class Scale:
    """Where values are on the axis, in per cent by default; marks are at round numbers."""

    low: float
    high: float
    step: float
    factor: float = 100
    left: float = 0.0
    wide: float = 1.0

    @classmethod
    def over(
        cls, values: Iterable[float], factor: float = 100, left: float = 0.0, wide: float = 1.0
    ) -> Scale:
        """Return an axis that all values have room on."""
        there = [factor * value for value in values]
        low, high = min(there), max(there)
        if high - low < 1e-11 * factor:
            low, high = low - 0.005 * factor, high + 0.005 * factor
        room = 0.04 * (high - low)
        least = max(low - room, 0.0) if low >= 0 else low - room
        return cls(least, high + room, _round_up((high - low) / 5), factor, left, wide)

    def __call__(self, value: float) -> float:
        """Return the place of a value, as a share of the width."""
        return self.left + self.wide * (self.factor * value - self.low) / (self.high - self.low)

    @property
    def marks(self) -> list[float]:
        """The numbers on the axis."""
        first, last = math.ceil(self.low / self.step), math.floor(self.high / self.step)
        return [self.step * at for at in range(first, last + 1)]


def _round_up(step: float) -> float:
    """Return the next larger of 1, 2, 2.5 and 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(step))
    return next(factor * power for factor in STEPS if factor * power >= step * (1 - 1e-9))
