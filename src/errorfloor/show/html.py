"""Results as cards, as notebooks show them: sentence, picture, numbers, warnings and remarks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import singledispatch
from html import escape
from typing import Any

from errorfloor.results import (
    AnnotatorsResult,
    ClassItems,
    Comparison,
    Confusion,
    Estimate,
    FeeBeeResult,
    Groups,
    Items,
    LabelPlan,
    ModelComparison,
    People,
    Plan,
    Verdict,
)
from errorfloor.show import curve, gauge, grids
from errorfloor.show import models as in_models
from errorfloor.show import people as in_people
from errorfloor.show.drawing import Box, Dot, Shape, Stroke, Words, svg
from errorfloor.show.gauge import PAGE
from errorfloor.show.grids import Grid
from errorfloor.show.markup import in_sight
from errorfloor.show.numbers import level, style_of, with_limits
from errorfloor.show.palette import BLUE, colour
from errorfloor.show.sentences import sentence_of
from errorfloor.show.text import doubts_of, how_labels
from errorfloor.show.words import difference_of

# Small pictures of values in rows, without matplotlib or scripts. Each row has its name and its
# value in words above it, so that it can be read at any width.


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


def card(
    said: str,
    grid: Grid | None = None,
    *,
    picture: str = "",
    warnings: Iterable[str] = (),
    remarks: Iterable[str] = (),
) -> str:
    """Return a card: what was found in a sentence, then all that goes with it."""
    parts = [f"<p><b>{escape(said)}</b></p>" if said else "", picture]
    parts += ["" if grid is None or not grid.rows else _table(grid)]
    parts += [f"<p><b>Warning:</b> {escape(one)}</p>" for one in dict.fromkeys(warnings)]
    parts += [f"<p><small>{escape(one)}</small></p>" for one in remarks if one]
    return f'<div class="errorfloor" style="max-width:46em">{"".join(parts)}</div>'


@singledispatch
def html_of(result: Any) -> str:
    """Return a result as a piece of HTML."""
    return f"<pre>{escape(str(result))}</pre>"


@html_of.register
def _(result: Estimate) -> str:
    said = sentence_of(result)
    if result.refuted:
        return card(said)
    return card(
        said,
        grids.of_estimates([result]),
        picture=gauge.picture_of(result),
        warnings=doubts_of(result),
        remarks=[result.claim.sentence, result.assumptions],
    )


@html_of.register
def _(result: Comparison) -> str:
    said = sentence_of(result) if len(result) else ""
    drawn = [] if not said or result.main.refuted else [(row.method, row) for row in result]
    return card(
        said,
        grids.of_estimates(result),
        picture=intervals_of(drawn, said),
        warnings=[doubt for row in result for doubt in doubts_of(row)],
        remarks=result.notes,
    )


@html_of.register(Groups)
def _(result: Groups[Any]) -> str:
    said = sentence_of(result)
    if grids.hold_floors(result):
        return card(
            said,
            grids.of_groups(result),
            picture=intervals_of([(str(name), row) for name, row in result.items()], said),
            warnings=[doubt for row in result.values() for doubt in doubts_of(row)],
            remarks=[grids.how_groups(result)],
        )
    return card(said) + "".join(
        f"<p><b>{escape(f'{result.column} {name}')}</b></p>{html_of(row)}"
        for name, row in result.items()
    )


@html_of.register
def _(result: Verdict) -> str:
    said = sentence_of(result)
    if result.floor.refuted:
        return card(said)
    return card(
        said,
        picture=gauge.picture_of(result),
        warnings=[*doubts_of(result.floor), *result.warnings],
        remarks=[difference_of(result)],
    )


@html_of.register
def _(result: People) -> str:
    said = sentence_of(result)
    if result.floor.refuted:
        return card(said)
    grid = in_people.of_models(result) if result.models else in_people.of_panels(result)
    return card(
        said,
        grid,
        picture=curve.picture_of(result),
        warnings=doubts_of(result.floor),
        remarks=in_people.about(result),
    )


@html_of.register
def _(result: LabelPlan) -> str:
    return card(sentence_of(result), remarks=[how_labels(result)])


@html_of.register
def _(result: Plan) -> str:
    return card(sentence_of(result), grids.of_plan(result), remarks=[grids.how_plan(result)])


@html_of.register(Items)
@html_of.register(ClassItems)
def _(result: Items | ClassItems) -> str:
    grid = (
        grids.of_class_items(result) if isinstance(result, ClassItems) else grids.of_items(result)
    )
    return card(sentence_of(result), grid, remarks=[grids.how_items(result)])


@html_of.register
def _(result: FeeBeeResult) -> str:
    remarks = [grids.how_feebee(result), *result.notes]
    grid = grids.of_feebee(result)
    return card(sentence_of(result), grid, warnings=result.warnings, remarks=remarks)


@html_of.register
def _(result: AnnotatorsResult) -> str:
    said = sentence_of(result)
    shares = [(row.annotator, row.share or 0.0) for row in result]
    return card(
        said,
        grids.of_annotators(result),
        picture=bars(shares, "share of the floor, %", said),
        warnings=doubts_of(result.floor),
        remarks=result.notes,
    )


@html_of.register
def _(result: Confusion) -> str:
    said = sentence_of(result)
    shares = [(f"{pair.first} / {pair.second}", pair.share) for pair in result.pairs]
    picture = bars(shares, "share of all errors, %", said)
    return card(said, grids.of_pairs(result), picture=picture, remarks=[result.basis])


def intervals_of(rows: Sequence[tuple[str, Estimate]], said: str) -> str:
    """Return the floors on one axis, without those that are refuted."""
    stated = [(name, row) for name, row in rows if not row.refuted]
    if not stated:
        return ""
    lines = [
        Line(name, row.value, row.low, row.high, colour(row.method), with_limits(row))
        for name, row in stated
    ]
    levels = {row.level for _, row in stated if row.level is not None}
    which = f" with {level(levels.pop())} intervals" if len(levels) == 1 else ""
    first = stated[0][1]
    style = style_of(first)
    axis = f"{grids.axis_of(first)}{style.sign}{which}"
    left_out = len(rows) - len(stated)
    return intervals(lines, axis, said, left_out=left_out, factor=style.factor)


def _table(grid: Grid) -> str:
    body = "".join(_row(row, "td") for row in grid.rows)
    table = f"<table><thead>{_row(grid.head, 'th')}</thead><tbody>{body}</tbody></table>"
    # In narrow cells it scrolls by itself, and then it must be reachable by keyboard.
    reached = 'tabindex="0" role="group" aria-label="The numbers"'
    return f'<div {reached} style="overflow-x:auto;white-space:nowrap">{table}</div>'


def _row(cells: Sequence[str], tag: str) -> str:
    inner = "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells)
    return f"<tr>{inner}</tr>"


@html_of.register
def _(result: ModelComparison) -> str:
    return card(
        sentence_of(result), in_models.of_models(result), remarks=[*in_models.about(result)]
    )
