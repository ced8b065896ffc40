"""Models on the same items, in words: which one is better, or how many items would tell."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from errorfloor.show import numbers
from errorfloor.show.grids import Grid

if TYPE_CHECKING:
    from errorfloor.results import Groups, ModelComparison, ModelValue

_MOST_PAIRS = 6  # of models whose order is told


def _digits(result: ModelComparison) -> int:
    first = result.differences[0]
    width = min(one.high - one.low for one in result.differences)
    return _style(result).digits(width, abs(first.value))


def _style(result: ModelComparison) -> numbers.Style:
    size = max(row.value for row in result.models)
    return numbers.style_for(result.measure, len(result.classes), size)


def name_of(result: ModelComparison) -> str:
    """Return what the models are compared by, as people call it."""
    return result.measure.opposite or result.measure.words


def _value(result: ModelComparison, row: ModelValue) -> str:
    return _style(result).value(result.measure.shown(row.value), _digits(result))


def said_of(result: ModelComparison) -> str:
    """Return which model is better in a sentence, or that these items do not show it."""
    if len(result.models) > 2:
        return _best_of_many(result)
    best, other = result.ranked
    gap = result.between(best.name, other.name)
    style, digits = _style(result), _digits(result)
    low, high = style.signed(gap.low, digits), style.signed(gap.high, digits)
    if result.better is not None:
        low, high = style.bare(gap.low, digits), style.bare(gap.high, digits)
    by = f"{style.size(gap.value, digits)} ({low} to {high})"
    both = f"{name_of(result)} {_value(result, best)} against {_value(result, other)}"
    if result.better is not None:
        return f"{best.name} is better than {other.name}: {both}, a difference of {by}."
    items = numbers.counted(result.n, "item")
    named = (
        f"{name_of(result)} {_value(result, best)} ({best.name}) against "
        f"{_value(result, other)} ({other.name})"
    )
    return (
        f"{items} cannot tell which model is better: {named}, a difference of {by}."
        f"{_needed(result, gap.value)}"
    )


def _needed(result: ModelComparison, gap: float) -> str:
    style = _style(result)
    if result.items_needed is None:
        return f" They would show a difference of {style.size_in_short(_rounded(result))} or more."
    size = style.size(gap, _digits(result))
    return (
        f" If the difference is really {size}, about {result.items_needed:,} items would show it."
    )


def _rounded(result: ModelComparison) -> float:
    return float(f"{result.resolvable:.2g}")


def _best_of_many(result: ModelComparison) -> str:
    best = result.ranked[0]
    at = f"{name_of(result)} {_value(result, best)}"
    number = len(result.models)
    if result.better is not None:
        return f"{best.name} is the best of {number} models: {at}."
    items = numbers.counted(result.n, "item")
    beaten = {one.second for one in result.certain_order if one.first == best.name}
    rivals = [one.name for one in result.ranked[1:] if one.name not in beaten]
    return (
        f"{best.name} looks best of {number} models, with {at}, but {items} cannot tell it from "
        f"{' and '.join(rivals[:3])}{' and others' if len(rivals) > 3 else ''}."
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
    style, digits, metric = _style(result), _digits(result), result.measure
    rows = []
    for row in result.ranked:
        within = ""
        if row.low is not None and row.high is not None:
            low, high = sorted((metric.shown(row.low), metric.shown(row.high)))
            within = style.range_of(low, high, digits)
        rows.append((row.name, _value(result, row), within))
    head = ("model", name_of(result), f"{numbers.level(result.level)} interval")
    if not any(row[-1] for row in rows):
        return Grid(head[:2], tuple(row[:2] for row in rows), "<>")
    return Grid(head, tuple(rows), "<><")


def about(result: ModelComparison) -> Iterator[str]:
    """Yield the order of several models, how the answer was found, and what it assumes."""
    if len(result.models) > 2:
        yield order(result)
    yield from result.notes
    how = [f"n = {result.n:,}"]
    how += [] if result.n_effective is None else [f"worth {result.n_effective:,.0f}"]
    how += [] if result.clusters is None else [f"{result.clusters:,} clusters"]
    p = f", {numbers.p_equals(result.differences[0].p or 0.0)}" if len(result.models) == 2 else ""
    yield (
        f"All models answered the same items: paired {numbers.level(result.level)} interval{p} "
        f"({', '.join(how)})"
    )
    weights = ""
    if result.clusters is None and result.n_effective is not None:
        weights = " The weights make the items stand for the population."
    units = "items" if result.clusters is None else "clusters"
    yield (
        f"Assumes: The {units} are independent draws, and no model was trained or chosen on these "
        f"labels.{weights}"
    )


def order(result: ModelComparison) -> str:
    """Return which model is certainly better than which, for all pairs together."""
    style, digits = _style(result), _digits(result)
    told = [
        f"{one.first} above {one.second} by {style.size(one.value, digits)} "
        f"({style.bare(one.low, digits)} to {style.bare(one.high, digits)})"
        for one in result.certain_order
    ]
    more = len(told) - _MOST_PAIRS
    rest = f", and {more} more pairs" if more > 0 else ""
    text = f"The data settle this order: {', '.join(told[:_MOST_PAIRS])}{rest}."
    if not told:
        text = "No order of the models is certain."
    size = style.size_in_short(_rounded(result))
    return f"{text} These {result.n:,} items can show differences of {size} or more."
