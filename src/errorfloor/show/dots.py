"""The dots: the one picture of models on the same items.

Each model with its interval on one scale, and below it how far the others are behind the best one,
with the paired interval, which is what tells models apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from errorfloor.show import lines, numbers
from errorfloor.show import models as in_words
from errorfloor.show.drawing import Shape, Words, svg
from errorfloor.show.gauge import PAGE, Hero, on_page
from errorfloor.show.lines import SIZE, Line
from errorfloor.show.sentences import sentence_of

if TYPE_CHECKING:
    from errorfloor.results import ComparedModel, ModelComparison

MOST, FEW = 12, 5  # models that are drawn, and on a card
TITLE = 1.8  # height of the title of differences, in letters


def heroes_of(result: ModelComparison) -> list[Hero]:
    """Return the value of the best model, and how far the next one is behind it."""
    best, other, *_ = result.ranked
    gap = result.between(best.name, other.name)
    certain = frozenset((best.name, other.name)) in _certain(result)
    style, digits, sure = in_words.style_of(result), in_words.digits_of(result), _sure(result)
    limits = in_words.limits_of(result, best)
    meaning = f"better than {other.name}"
    within = f"{style.bare(gap.low, digits)} to {style.bare(gap.high, digits)}"
    if not certain:
        meaning = f"ahead of {other.name}, maybe by chance"
        within = f"{style.signed(gap.low, digits)} to {style.signed(gap.high, digits)}"
    if not gap.value:
        meaning = f"between {best.name} and {other.name}"
    return [
        Hero(
            in_words.value_of(result, best),
            f"is the {in_words.name_of(result)} of {best.name}",
            f"{limits}, {sure} confidence" if limits else "",
        ),
        Hero(
            style.size(gap.value, digits),
            meaning,
            f"{within}{style.of_points}, {sure} confidence",
        ),
    ]


def picture_of(result: ModelComparison) -> str:
    """Return the picture as a piece of HTML as wide as the page; empty where there is none."""
    if result.refuted:
        return ""
    drawn = svg(shapes(result, top=2), height_of(result) + 2, PAGE, said_of(result))
    return on_page(heroes_of(result), drawn)


def said_of(result: ModelComparison) -> str:
    """Return what the picture shows in words."""
    values = "".join(f" {one.name}: {one.words}." for one in values_of(result))
    behind = "".join(f" {one.name}: {one.words}." for one in differences_of(result))
    best = result.ranked[0].name
    return f"{sentence_of(result)} {_title(result)}{values} Behind {best}:{behind}"


def values_of(result: ModelComparison) -> list[Line]:
    """Return the models with their values, the best first."""
    return [_line(result, row) for row in result.ranked[:MOST]]


def _line(result: ModelComparison, row: ComparedModel) -> Line:
    metric, limits = result.measure, in_words.limits_of(result, row)
    words = in_words.value_of(result, row)
    words = f"{words} ({limits})" if limits else words
    if row.low is None or row.high is None:
        return Line(row.name, metric.shown(row.value), colour="model", words=words)
    low, high = sorted((metric.shown(row.low), metric.shown(row.high)))
    return Line(row.name, metric.shown(row.value), low, high, "model", words)


def differences_of(result: ModelComparison) -> list[Line]:
    """Return how far other models are behind the best one; grey where that may be chance."""
    style, digits = in_words.style_of(result), in_words.digits_of(result)
    best, certain, found = result.ranked[0].name, _certain(result), []
    for row in result.ranked[1:MOST]:
        gap = result.between(best, row.name)
        low, high = style.signed(gap.low, digits), style.signed(gap.high, digits)
        words = f"{style.size(gap.value, digits)} ({low} to {high})"
        colour = "model" if frozenset((best, row.name)) in certain else "zone"
        found.append(Line(row.name, gap.value, gap.low, gap.high, colour, words))
    return found


def shapes(
    result: ModelComparison,
    *,
    top: float,
    size: float = SIZE,
    left: float = 0.0,
    wide: float = 1.0,
) -> Iterator[Shape]:
    """Yield the models from `top` on, and the differences below them."""
    values, behind = values_of(result), differences_of(result)
    factor = in_words.style_of(result).factor
    place = {"size": size, "left": left, "wide": wide}
    yield from lines.shapes(values, _title(result), factor=factor, top=top, **place)
    top += lines.height_of(len(values), size) + TITLE * size
    title = f"Behind {result.ranked[0].name}"
    yield Words(left, top - 0.4 * size, title, size, "soft", weight=600)
    points = in_words.style_of(result).of_points.strip()
    axis = f"{points + ' ' if points else ''}behind, with paired {_sure(result)} intervals"
    if any(one.colour == "zone" for one in behind):
        axis += "; grey: may be chance"
    yield from lines.shapes(behind, axis, factor=factor, top=top, mark=0.0, **place)


def values(
    result: ModelComparison, *, top: float, tall: float, left: float, wide: float
) -> Iterator[Shape]:
    """Yield as many of the best models as have room, without the differences."""
    drawn = values_of(result)[:FEW]
    size = min(20.0, tall / (lines.ROW * len(drawn) + lines.BELOW))
    place = {"top": top, "size": size, "left": left, "wide": wide}
    factor = in_words.style_of(result).factor
    yield from lines.shapes(drawn, _title(result), factor=factor, **place)


def height_of(result: ModelComparison, size: float = SIZE) -> float:
    """Return how many pixels the picture takes."""
    number = min(len(result.models), MOST)
    both = lines.height_of(number, size) + lines.height_of(number - 1, size)
    return both + TITLE * size


def _title(result: ModelComparison) -> str:
    sign = in_words.style_of(result).sign
    return f"{in_words.name_of(result)}{sign}, with {_sure(result)} intervals"


def _sure(result: ModelComparison) -> str:
    return numbers.level(result.level)


def _certain(result: ModelComparison) -> set[frozenset[str]]:
    return {frozenset((one.first, one.second)) for one in result.certain_order}
