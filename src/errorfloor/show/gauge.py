"""The gauge: the one picture that every answer has.

A bar over the metric's range, better to the right: how far guessing and the model get, what is
known to be reachable, how certain the best possible value is, and the zone that no model reaches or
that the data cannot tell about.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from errorfloor.results import Estimate, Verdict
from errorfloor.show import numbers
from errorfloor.show.drawing import PAGE, Box, Hero, Pointer, Shape, Stroke, Words, on_page, svg
from errorfloor.show.sentences import sentence_of
from errorfloor.show.standings import standing_of

SLICES, STRIPES = 24, 90  # of what fades, and of the zone that no model reaches


@dataclass(frozen=True, slots=True, kw_only=True)
class Gauge:
    """Where everything is on the bar, as people see the values: of an error, accuracies.

    Attributes
    ----------
    worst, perfect : float
        The ends of the bar, left and right.
    best : float
        The value of the answer.
    reached : float or None
        Up to where values are known to be reachable.
    limit : float or None
        What no model gets past; None where the data cannot tell.
    model : float or None
        Your model's value.
    model_range : pair of float or None
        Its interval.
    guessing : float or None
        What a model gets that sees nothing of an item.
    words : str
        What the mark on the bar says.
    beyond : str
        What the part right of all that is.
    """

    worst: float
    perfect: float
    style: numbers.Style
    digits: int
    best: float
    reached: float | None
    limit: float | None
    words: str
    beyond: str
    model: float | None = None
    model_range: tuple[float, float] | None = None
    guessing: float | None = None

    def place(self, value: float) -> float:
        """Return where a value is on the bar, from 0 at its left end to 1."""
        share = (value - self.worst) / (self.perfect - self.worst)
        return min(max(share, 0.0), 1.0)

    def shown(self, value: float) -> str:
        """Return a value with as many digits as the interval supports."""
        return self.style.value(value, self.digits)

    @property
    def ends(self) -> tuple[str, str]:
        """What stands at the ends of the bar, with no more digits than that needs."""
        sign = " %" if self.style.in_per_cent else ""
        worst, perfect = (f"{self.style.factor * one:.3g}" for one in (self.worst, self.perfect))
        return f"{worst}{sign}", f"{perfect}{sign}"

    @property
    def solid(self) -> float:
        """Where that ends which is known to be reachable, if only by guessing."""
        known = self.guessing if self.reached is None else self.reached
        return 0.0 if known is None else self.place(known)

    @property
    def faded(self) -> float:
        """Where that ends which may be reachable."""
        return self.solid if self.limit is None else max(self.solid, self.place(self.limit))

    @property
    def mark(self) -> float:
        """Where the mark is: at the value, or at the limit that holds where only one does."""
        alone = self.limit if self.reached is None else self.reached
        both_or_none = (self.limit is None) == (self.reached is None)
        return self.place(self.best if both_or_none or alone is None else alone)


def gauge_of(result: Estimate | Verdict) -> Gauge | None:
    """Return the gauge of an answer, or None where nothing can be stated."""
    floor = result.floor if isinstance(result, Verdict) else result
    if floor.refuted:
        return None
    metric, claim, style = floor.measure, floor.claim, numbers.style_of(floor)
    model = result.model_value if isinstance(result, Verdict) else None
    worst, perfect = _ends(floor, model)
    if worst == perfect:
        return None
    near, far = (floor.high, floor.low) if metric.less_is_better else (floor.low, floor.high)
    near = near if claim.reachable(metric) else None
    far = far if claim.unbeatable(metric) else None

    def seen(value: float | None) -> float | None:
        return None if value is None else metric.shown(value)

    return Gauge(
        worst=metric.shown(worst),
        perfect=metric.shown(perfect),
        style=style,
        digits=numbers.digits_for(floor),
        best=metric.shown(floor.value),
        reached=seen(near),
        limit=seen(far),
        words=_words(floor, seen(near), seen(far)),
        beyond=f"{claim.sees or 'these data'} cannot tell" if far is None else "no model gets here",
        model=seen(model),
        model_range=_limits_of_model(result),
        guessing=seen(floor.guessing),
    )


def _words(floor: Estimate, reached: float | None, limit: float | None) -> str:
    """Return what the mark on the bar says, which claims no more than the answer."""
    style, digits, metric = numbers.style_of(floor), numbers.digits_for(floor), floor.measure
    value = style.value(metric.shown(floor.value), digits)
    more_is_better = bool(metric.opposite) or not metric.less_is_better
    if reached is not None and limit is not None:
        low, high = sorted((reached, limit))
        return f"best possible {value} ({style.range_of(low, high, digits)})"
    if reached is not None:
        bound = (style.at_least if more_is_better else style.at_most)(reached, digits)
        return f"reachable: {bound}"
    if limit is not None:
        bound = (style.at_most if more_is_better else style.at_least)(limit, digits)
        return f"best possible: {bound}"
    return f"{floor.claim.best_of or 'best possible'}: about {value}"


def _ends(floor: Estimate, model: float | None) -> tuple[float, float]:
    """Return the worst and the best value of the bar: all there are, of what is a share."""
    metric = floor.measure
    least, most = (0.0, 1.0) if metric.opposite else metric.span(len(floor.classes))
    if math.isinf(most):  # of what has no worst value, what a model gets that sees nothing
        most = max(floor.guessing or 0.0, 1.2 * (floor.high or floor.value))
    # A model may be worse than the worst best value there is.
    within = (least, most) if model is None else (min(least, model), max(most, model))
    return (within[1], least) if metric.less_is_better else (within[0], most)


def _limits_of_model(result: Estimate | Verdict) -> tuple[float, float] | None:
    if not isinstance(result, Verdict):
        return None
    shown = result.floor.measure.shown
    low, high = sorted((shown(result.model.low), shown(result.model.high)))
    return low, high


def heroes_of(result: Estimate | Verdict, gauge: Gauge) -> list[Hero]:
    """Return the number of the answer, and that of the model where there is one."""
    if not isinstance(result, Verdict):
        return [_hero(result, gauge)]
    left = standing_of(result).in_short(result)
    model = Hero(
        gauge.shown(gauge.best if gauge.model is None else gauge.model), "your model", left
    )
    return [_hero(result.floor, gauge), model]


def _hero(floor: Estimate, gauge: Gauge) -> Hero:
    metric, claim, style, digits = floor.measure, floor.claim, gauge.style, gauge.digits
    name = metric.opposite or metric.words
    least, most = ("≥", "≤") if metric.opposite or not metric.less_is_better else ("≤", "≥")
    value, sure = gauge.shown(gauge.best), numbers.level(floor.level or 0)
    rule = numbers.with_capital(f"{claim.best_of}: about {value}")
    if gauge.reached is not None and gauge.limit is not None:
        low, high = sorted((gauge.reached, gauge.limit))
        within = style.range_of(low, high, digits)
        if claim.any_between:
            return Hero(within, f"hold the best {name} any model can get", f"{sure} confidence")
        return Hero(value, f"is the best {name} any model can get", f"{within}, {sure} confidence")
    if gauge.reached is not None:
        side = style.up if least == "≤" else style.down
        bound = style.value(side(gauge.reached, digits), digits)
        return Hero(f"{least} {bound}", f"{name} is reachable, {sure} confidence", rule)
    if gauge.limit is not None:
        side = style.up if most == "≤" else style.down
        bound = style.value(side(gauge.limit, digits), digits)
        return Hero(f"{most} {bound}", f"{name} for any model, {sure} confidence", rule)
    if not claim.best_of:
        return Hero(value, f"is about the best {name} any model can get", "No interval is given.")
    return Hero(value, f"{name} of {claim.best_of}", "This bounds no other model.")


# In a page ------------------------------------------------------------------------------------


def picture_of(result: Estimate | Verdict) -> str:
    """Return the gauge as a piece of HTML as wide as the page; empty where there is none."""
    gauge = gauge_of(result)
    if gauge is None:
        return ""
    top = 6 if gauge.model is None else 28
    bar = svg(shapes(gauge, top=top, tall=22, size=12), top + 88, PAGE, sentence_of(result))
    return on_page(heroes_of(result, gauge), bar)


def shapes(
    gauge: Gauge, *, top: float, tall: float, size: float, left: float = 0.0, wide: float = 1.0
) -> Iterator[Shape]:
    """Yield the gauge: its bar from `top` on, with the model above and the rest below."""

    def part(start: float, end: float, fill: str, opacity: float, tip: str = "") -> Box:
        return Box(left + wide * start, top, wide * (end - start), tall, fill, opacity, tip)

    def words(place: float, y: float, text: str) -> Words:
        anchor = "start" if place < 0.3 else "end" if place > 0.7 else "middle"
        return Words(left + wide * place, y, text, size, "ink", anchor, 600)

    def mark(place: float, above: float, below: float, *, dashed: bool = False) -> Stroke:
        x = left + wide * place
        return Stroke(x, top - above, x, top + tall + below, "ink", 1.5, dashed=dashed)

    solid, faded = gauge.solid, gauge.faded
    yield part(faded, 1, "zone", 0.2, gauge.beyond)
    if gauge.limit is not None:
        yield from _striped(left + wide * faded, left + wide, top, tall)
    yield part(0, solid, "left", 0.55, gauge.words)
    for slice_ in range(SLICES if faded > solid else 0):
        start, end = (solid + (faded - solid) * at / SLICES for at in (slice_, slice_ + 1))
        yield part(start, end, "left", 0.55 * (1 - (slice_ + 0.5) / SLICES), gauge.words)
    if gauge.model is not None:
        at = gauge.place(gauge.model)
        own = f"your model {gauge.shown(gauge.model)}"
        yield part(0, at if gauge.limit is None else min(at, faded), "model", 0.9, own)
        if gauge.limit is not None and at > faded:
            yield part(faded, at, "beyond", 0.9)
        if gauge.model_range is not None:
            low, high = (left + wide * gauge.place(one) for one in gauge.model_range)
            yield Stroke(low, top - 3, high, top - 3, "model", 3)
        yield Pointer(left + wide * at, top - 5, 0.6 * size, "model")
        yield words(at, top - 5 - 0.8 * size, own)
    if gauge.guessing is not None:
        yield mark(gauge.place(gauge.guessing), 3, 3, dashed=True)
    yield mark(gauge.mark, 0, 0.4 * size)
    below = top + tall + 1.45 * size
    yield words(gauge.mark, below, gauge.words)
    last = below + 1.4 * size
    yield Words(left, last, gauge.ends[0], size, "soft")
    yield Words(left + wide, last, gauge.ends[1], size, "soft", "end")
    yield Words(left, last + 1.3 * size, _key(gauge), 0.92 * size, "soft")


def _key(gauge: Gauge) -> str:
    zone = "hatched" if gauge.limit is not None else "grey"
    guess = "" if gauge.guessing is None else f"dashed: guessing, {gauge.shown(gauge.guessing)}; "
    return f"{guess}{zone}: {gauge.beyond}"


def _striped(start: float, end: float, top: float, tall: float) -> Iterator[Shape]:
    number = round(STRIPES * (end - start))
    step = (end - start) / max(number, 1)
    for stripe in range(number):
        x = start + (stripe + 0.5) * step
        yield Stroke(x - 0.35 * step, top + tall, x + 0.35 * step, top, "zone", 1)


# In a terminal --------------------------------------------------------------------------------

_NAMES = ("model", "left", "fade", "unreached", "unknown", "guess", "mark")
_BLOCKS = dict(zip(_NAMES, "█▓░/·┆┃", strict=True))
_ASCII = dict(zip(_NAMES, "#=-/.|^", strict=True))


def lines_of(gauge: Gauge, width: int = 60, *, unicode: bool = True) -> list[str]:
    """Return the gauge as a line of blocks, and what they mean."""
    signs = _BLOCKS if unicode else _ASCII
    model = 0.0 if gauge.model is None else gauge.place(gauge.model)
    beyond = "unknown" if gauge.limit is None else "unreached"
    parts = (("model", model), ("left", gauge.solid), ("fade", gauge.faded), (beyond, 1.0))
    cells: list[str] = []
    for name, end in parts:
        cells += signs[name] * (round(end * width) - len(cells))
    bounds_nothing = gauge.limit is None and gauge.reached is None
    marks = {"guess": gauge.guessing, "mark": gauge.best if bounds_nothing else None}
    for name, value in marks.items():
        if value is not None:
            cells[min(round(gauge.place(value) * width), width - 1)] = signs[name]
    meanings = {
        "model": "" if gauge.model is None else f"your model {gauge.shown(gauge.model)}",
        "left": gauge.words if gauge.limit is None and not bounds_nothing else "reachable",
        "fade": gauge.words if gauge.limit is not None else "",
        "mark": gauge.words if bounds_nothing else "",
        beyond: gauge.beyond,
        "guess": "" if gauge.guessing is None else f"guessing {gauge.shown(gauge.guessing)}",
    }
    legend = "   ".join(f"{signs[name]} {meaning}" for name, meaning in meanings.items() if meaning)
    worst, perfect = gauge.ends
    return [f"{worst} {''.join(cells)} {perfect}", legend]
