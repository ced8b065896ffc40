"""Models on the same items, in words and as one picture.

The picture has each model with its interval on one scale, and below it how far the others are
behind the best one, with the paired interval, which is what tells models apart.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from errorfloor.show import lines, numbers
from errorfloor.show.drawing import PAGE, Hero, Shape, Words, on_page, svg
from errorfloor.show.grids import Grid
from errorfloor.show.lines import SIZE, Line
from errorfloor.show.markup import in_short, listed

if TYPE_CHECKING:
    from errorfloor.results import ComparedModel, Groups, ModelComparison

_MOST_PAIRS = 6  # of models whose order is stated


def digits_of(result: ModelComparison) -> int:
    """Return how many digits the intervals support."""
    first = result.differences[0]
    width = min(one.high - one.low for one in result.differences)
    return style_of(result).digits(width, abs(first.value))


def style_of(result: ModelComparison) -> numbers.Style:
    """Return how people state values of the metric."""
    size = max(row.value for row in result.models)
    return numbers.style_for(result.measure, len(result.classes), size)


def name_of(result: ModelComparison) -> str:
    """Return what the models are compared by, as people call it."""
    return result.measure.opposite or result.measure.words


def value_of(result: ModelComparison, row: ComparedModel) -> str:
    """Return a model's value as people state it."""
    return style_of(result).value(result.measure.shown(row.value), digits_of(result))


def limits_of(result: ModelComparison, row: ComparedModel) -> str:
    """Return a model's interval; nothing where there is none."""
    if row.low is None or row.high is None:
        return ""
    low, high = sorted(map(result.measure.shown, (row.low, row.high)))
    return style_of(result).range_of(low, high, digits_of(result))


def sentence(result: ModelComparison) -> str:
    """Return which model is better in a sentence, or that these items do not show it."""
    if len(result.models) > 2:
        return _best_of_many(result)
    best, other = result.ranked
    gap = result.between(best.name, other.name)
    style, digits = style_of(result), digits_of(result)
    low, high = style.signed(gap.low, digits), style.signed(gap.high, digits)
    if result.better is not None:
        low, high = style.bare(gap.low, digits), style.bare(gap.high, digits)
    by = f"{style.size(gap.value, digits)} ({low} to {high})"
    both = f"{name_of(result)} {value_of(result, best)} against {value_of(result, other)}"
    if result.better is not None:
        return f"{best.name} is better than {other.name}: {both}, a difference of {by}."
    items = numbers.counted(result.n, "item")
    named = (
        f"{name_of(result)} {value_of(result, best)} ({best.name}) against "
        f"{value_of(result, other)} ({other.name})"
    )
    return (
        f"{items} cannot tell which model is better: {named}, a difference of {by}."
        f"{_needed(result, gap.value)}"
    )


def short_sentence(result: ModelComparison) -> str:
    """Return the same next to a picture that has the numbers."""
    if len(result.models) > 2:
        return _best_of_many(result)
    best, other = result.ranked
    items = numbers.counted(result.n, "item")
    if result.better is not None:
        return f"{best.name} is better than {other.name}, as {items} show."
    needed = result.items_needed
    more = f" About {needed:,} would, if the difference is as large as it looks." if needed else ""
    return f"{items} cannot tell which model is better.{more}"


def _needed(result: ModelComparison, gap: float) -> str:
    if result.items_needed is None:
        few = "They are too few to show any difference"
        shown = _shown(result)
        return f" {few}." if shown is None else f" They would show a difference of {shown} or more."
    size = style_of(result).size(gap, digits_of(result))
    items = f"{result.items_needed:,} items"
    if result.clusters is not None:
        clusters = math.ceil(result.clusters * result.items_needed / result.n)
        items = f"{items} of {clusters:,} clusters"
    return f" If the difference is really {size}, about {items} would show it."


def _shown(result: ModelComparison) -> str | None:
    """Return the difference that these items would show; None where there is none so large."""
    if result.resolvable is None:
        return None
    return style_of(result).size_in_short(float(f"{result.resolvable:.2g}"))


def _best_of_many(result: ModelComparison) -> str:
    best = result.ranked[0]
    at = f"{name_of(result)} {value_of(result, best)}"
    number = len(result.models)
    if result.better is not None:
        return f"{best.name} is the best of {number} models: {at}."
    items = numbers.counted(result.n, "item")
    beaten = {one.second for one in result.certain_order if one.first == best.name}
    rivals = [one.name for one in result.ranked[1:] if one.name not in beaten]
    some = [*rivals[:3], "others"] if len(rivals) > 3 else rivals
    return (
        f"{best.name} looks best of {number} models, with {at}, but {items} cannot tell it from "
        f"{listed(some)}."
    )


def of_groups(result: Groups[ModelComparison]) -> str:
    """Return which model is better in how many groups, each by itself."""
    number = len(result)
    won: dict[str, list[str]] = {}
    for name, one in result.items():
        if one.better is not None:
            won.setdefault(one.better, []).append(str(name))
    parts = [
        f"{model} is better in {len(groups)} of {number} groups ({_some(groups)})"
        for model, groups in won.items()
    ]
    open_ = number - sum(map(len, won.values()))
    if not parts:
        return f"In none of {number} groups the items can tell which model is better."
    rest = f"; the items of the other {open_} cannot tell" if open_ else ""
    return f"{'; '.join(parts)}{rest}."


def _some(names: list[str]) -> str:
    shown = ", ".join(names[:_MOST_PAIRS])
    return f"{shown} and others" if len(names) > _MOST_PAIRS else shown


def of_models(result: ModelComparison) -> Grid:
    """Return a row for each model, the best first."""
    rows = [(row.name, value_of(result, row), limits_of(result, row)) for row in result.ranked]
    head = ("model", name_of(result), f"{numbers.level(result.level)} interval")
    if not any(row[-1] for row in rows):
        return Grid(head[:2], tuple(row[:2] for row in rows), "<>")
    return Grid(head, tuple(rows), "<><")


def of_differences(result: ModelComparison) -> Grid:
    """Return a row for each two models, the one that is ahead first, best models first."""
    style, digits, rows = style_of(result), digits_of(result), []
    place = {row.name: at for at, row in enumerate(result.ranked)}
    for one in sorted(
        result.differences, key=lambda one: sorted((place[one.first], place[one.second]))
    ):
        pair = one.turned if place[one.first] > place[one.second] else one
        low, high = style.signed(pair.low, digits), style.signed(pair.high, digits)
        p = numbers.p_value(pair.adjusted_p or 0.0)
        rows.append(
            (pair.first, pair.second, style.size(pair.value, digits), f"{low} to {high}", p)
        )
    adjusted = "p-value" if len(result.models) == 2 else "p-value for all pairs"
    head = ("ahead", "of", "by", f"{numbers.level(result.level)} interval", adjusted)
    return Grid(head, tuple(rows), "<<>>>")


def about(result: ModelComparison) -> Iterator[str]:
    """Yield the order of several models, how the answer was found, and what it assumes."""
    if len(result.models) > 2:
        yield order(result)
    yield from (one.text for one in result.findings if one.level == "note")
    yield from result.notes
    how = [f"n = {result.n:,}"]
    how += [] if result.n_effective is None else [f"worth {result.n_effective:,.0f}"]
    how += [] if result.clusters is None else [numbers.counted(result.clusters, "cluster")]
    p = f", {numbers.p_equals(result.differences[0].p or 0.0)}" if len(result.models) == 2 else ""
    yield (
        f"All models answered the same items, so the {numbers.level(result.level)} interval is "
        f"paired ({', '.join(how)}{p})."
    )
    weights = ""
    if result.clusters is None and result.n_effective is not None:
        weights = " With the weights, the items represent the population."
    units = "items" if result.clusters is None else "clusters"
    yield (
        f"Assumes: The {units} are independent, and no model was trained or chosen on these "
        f"labels.{weights}"
    )


def order(result: ModelComparison) -> str:
    """Return which model is certainly better than which, for all pairs together."""
    style, digits = style_of(result), digits_of(result)
    pairs = [
        f"{one.first} is better than {one.second} by {style.size(one.value, digits)} "
        f"({style.bare(one.low, digits)} to {style.bare(one.high, digits)})"
        for one in result.certain_order
    ]
    text = certain_order(pairs)
    size = _shown(result)
    items = numbers.counted(result.n, "item")
    if size is None:
        return f"{text} {items} are too few to show any difference."
    return f"{text} With {items}, differences of {size} or more can be shown."


def certain_order(pairs: Sequence[str]) -> str:
    """Return which pairs of models are in a certain order, a few of them by name."""
    if not pairs:
        return "The data do not show which model is better."
    more = len(pairs) - _MOST_PAIRS
    rest = f" (and {numbers.counted(more, 'more pair')})" if more > 0 else ""
    return f"The data show that {listed(pairs[:_MOST_PAIRS])}{rest}."


# The picture.

MOST, FEW = 12, 5  # models that are drawn, and on a card
TITLE, TITLE_LONG = 1.8, 40  # height of the title of differences, and its most, in letters


def heroes_of(result: ModelComparison) -> list[Hero]:
    """Return the value of the best model, and how far the next one is behind it."""
    best, other, *_ = result.ranked
    gap = result.between(best.name, other.name)
    certain = frozenset((best.name, other.name)) in _certain(result)
    style, digits, sure = style_of(result), digits_of(result), _sure(result)
    limits = limits_of(result, best)
    meaning = f"better than {other.name}"
    within = f"{style.bare(gap.low, digits)} to {style.bare(gap.high, digits)}"
    if not certain:
        meaning = f"ahead of {other.name}, maybe by chance"
        within = f"{style.signed(gap.low, digits)} to {style.signed(gap.high, digits)}"
    if not gap.value:
        meaning = f"between {best.name} and {other.name}"
    return [
        Hero(
            value_of(result, best),
            f"is the {name_of(result)} of {best.name}",
            f"{limits}, {sure} confidence" if limits else "",
        ),
        Hero(
            style.size(gap.value, digits), meaning, f"{within}{style.of_points}, {sure} confidence"
        ),
    ]


def picture_of(result: ModelComparison) -> str:
    """Return the picture as a piece of HTML as wide as the page; empty where there is none."""
    if result.refuted:
        return ""
    drawn = svg(shapes(result, top=2), height_of(result) + 2, PAGE, description(result))
    return on_page(heroes_of(result), drawn)


def description(result: ModelComparison) -> str:
    """Return what the picture shows in words."""
    values = "".join(f" {one.name}: {one.words}." for one in values_of(result))
    behind = "".join(f" {one.name}: {one.words}." for one in differences_of(result))
    best = result.ranked[0].name
    return f"{sentence(result)} {_title(result)}{values} Behind {best}:{behind}"


def values_of(result: ModelComparison) -> list[Line]:
    """Return the models with their values, the best first."""
    return [_line(result, row) for row in result.ranked[:MOST]]


def _line(result: ModelComparison, row: ComparedModel) -> Line:
    metric, limits = result.measure, limits_of(result, row)
    words = value_of(result, row)
    words = f"{words} ({limits})" if limits else words
    if row.low is None or row.high is None:
        return Line(row.name, metric.shown(row.value), colour="model", words=words)
    low, high = sorted((metric.shown(row.low), metric.shown(row.high)))
    return Line(row.name, metric.shown(row.value), low, high, "model", words)


def differences_of(result: ModelComparison) -> list[Line]:
    """Return how far other models are behind the best one; grey where that may be chance."""
    style, digits = style_of(result), digits_of(result)
    best, certain, found = result.ranked[0].name, _certain(result), []
    for row in result.ranked[1:MOST]:
        gap = result.between(best, row.name)
        low, high = style.signed(gap.low, digits), style.signed(gap.high, digits)
        words = f"{style.size(gap.value, digits)} ({low} to {high})"
        colour = "model" if frozenset((best, row.name)) in certain else "zone"
        found.append(Line(row.name, gap.value, gap.low, gap.high, colour, words))
    return found


def shapes(
    result: ModelComparison, *, top: float, size: float = SIZE, room: int = lines.ROOM
) -> Iterator[Shape]:
    """Yield the models from `top` on, and the differences below them."""
    values, behind = values_of(result), differences_of(result)
    factor = style_of(result).factor
    draw = partial(lines.shapes, factor=factor, size=size, room=room)
    title = f"{_title(result)}{_not_drawn(result, MOST)}"
    yield from draw(values, title, top=top)
    top += lines.height_of(len(values), size) + TITLE * size
    title = f"Behind {in_short(result.ranked[0].name, TITLE_LONG)}"
    yield Words(0.0, top - 0.4 * size, title, size, "soft", weight=600)
    points = style_of(result).of_points.strip()
    axis = f"{points + ' ' if points else ''}behind (paired {_sure(result)} intervals)"
    if any(one.colour == "zone" for one in behind):
        axis += "; grey: maybe chance"
    yield from draw(behind, axis, top=top, mark=0.0)


def values(
    result: ModelComparison, *, top: float, tall: float, left: float, wide: float
) -> Iterator[Shape]:
    """Yield as many of the best models as have room, without the differences."""
    drawn = values_of(result)[:FEW]
    size = min(26.0, tall / (lines.ROW * len(drawn) + lines.BELOW))
    title = f"{_title(result)}{_not_drawn(result, FEW)}"
    draw = partial(lines.shapes, factor=style_of(result).factor, room=2 * lines.ROOM)
    yield from draw(drawn, title, top=top, size=size, left=left, wide=wide)


def height_of(result: ModelComparison, size: float = SIZE) -> float:
    """Return how many pixels the picture takes."""
    number = min(len(result.models), MOST)
    both = lines.height_of(number, size) + lines.height_of(number - 1, size)
    return both + TITLE * size


def _title(result: ModelComparison) -> str:
    sign = style_of(result).sign
    return f"{name_of(result)}{sign}, with {_sure(result)} intervals"


def _not_drawn(result: ModelComparison, most: int) -> str:
    """Say how many models there is no room for."""
    more = len(result.models) - most
    return f"; {more} more not drawn" if more > 0 else ""


def _sure(result: ModelComparison) -> str:
    return numbers.level(result.level)


def _certain(result: ModelComparison) -> set[frozenset[str]]:
    return {frozenset((one.first, one.second)) for one in result.certain_order}
