"""The curve of people: the one picture of models compared with people.

How often the answer of several people is that of one more, by how many they are, with each model
where panels are as good as it is, and the best possible above them all.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from errorfloor.results.people import VOTES
from errorfloor.show import numbers
from errorfloor.show import people as in_words
from errorfloor.show.drawing import Box, Dot, Shape, Stroke, Words, svg
from errorfloor.show.gauge import PAGE, Hero, on_page
from errorfloor.show.markup import in_short, in_sight
from errorfloor.show.sentences import sentence_of

if TYPE_CHECKING:
    from errorfloor.results import ModelRate, People, Rate

MOST, LONG = 12, 24  # models that are drawn, and letters of a name
SLICES = 80  # of the band around the curve
MARGIN = 0.1  # share of the width for the numbers left of the curve
TICKS = (1, 3, 10, 30, 100, 300, 1000)
STEPS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2)  # between lines, of shares


def heroes_of(result: People) -> list[Hero]:
    """Return the best possible, and what the best model is worth or how often people agree."""
    best, sure = result.best_possible, numbers.level(result.level)
    first = Hero(
        _share(best.value),
        "is the best possible agreement with a person",
        f"{_range(best)}, {sure} confidence",
    )
    stated = [row for row in result.models if row.worth_low is not None]
    if not stated:
        agree = result.agreement
        caption = "is how often two people agree"
        return [first, Hero(_share(agree.value), caption, f"{_range(agree)}, {sure} confidence")]
    row = max(stated, key=lambda one: one.value)
    number, _, more = in_words.worth(row).partition(" (")
    limits = more.removesuffix(")") or f"it agrees with a person on {_share(row.value)}"
    return [first, Hero(number, f"is what {in_short(row.name, LONG)} is worth", limits)]


def picture_of(result: People) -> str:
    """Return the curve as a piece of HTML as wide as the page."""
    top, tall = 8, 190
    drawn = svg(shapes(result, top=top, tall=tall, size=12), top + tall + 58, PAGE, said_of(result))
    return on_page(heroes_of(result), drawn)


def said_of(result: People) -> str:
    """Return what the picture shows in words."""
    panels = ", ".join(f"{one.people:,} people {_share(one.value)}" for one in result.panels)
    rows = "".join(f" {row.name}: {_tip(row)}." for row in result.models)
    return f"{sentence_of(result)} Panels agree with one more person: {panels}.{rows}"


def shapes(
    result: People, *, top: float, tall: float, size: float, left: float = 0.0, wide: float = 1.0
) -> Iterator[Shape]:
    """Yield the curve from `top` on, with its numbers next to and below it."""
    drawn = result.models[:MOST]
    plane = _Plane.over(
        [*result.curve, *drawn, result.best_possible],
        result.curve[-1].people,
        top,
        tall,
        (left + MARGIN * wide, left + wide),
    )
    yield from _lines(plane, left, size)
    yield from _best(result, plane, size)
    yield from _panels(result, plane)
    yield from _models(drawn, plane, size)
    below = top + tall + 1.3 * size
    for number in (one for one in TICKS if one <= plane.people):
        yield Words(plane.x(number), below, f"{number:,}", size, "soft", "middle")
    yield Words(plane.ends[1], below + 1.4 * size, "people in the panel", size, "soft", "end")
    key = f"shaded: {numbers.level(result.level)} limits; thin: beyond these votes, from a fit"
    yield Words(left, below + 2.7 * size, key, 0.92 * size, "soft")


def _lines(plane: _Plane, left: float, size: float) -> Iterator[Shape]:
    """Yield a thin line at each round share, with its number."""
    step = next((one for one in STEPS if (plane.most - plane.least) / one <= 4), 0.25)
    for place in range(math.ceil(plane.least / step), math.floor(plane.most / step) + 1):
        y = plane.y(place * step)
        yield Box(plane.ends[0], y, plane.ends[1] - plane.ends[0], 1, "zone", 0.35)
        label = f"{100 * place * step:.3g} %"
        yield Words(left, y + 0.35 * size, label, 0.92 * size, "soft")


def _best(result: People, plane: _Plane, size: float) -> Iterator[Shape]:
    best, (start, end) = result.best_possible, plane.ends
    high, low = plane.y(best.high), plane.y(best.low)
    tip = f"best possible: {in_words.rate(best)}"
    yield Box(start, high, end - start, low - high, "zone", 0.2, tip)
    y = plane.y(best.value)
    yield Stroke(start, y, end, y, "ink", 1.2, dashed=True)
    label = f"best possible {_share(best.value)}"
    yield Words(start + 0.01, y - 0.4 * size, label, size, "ink", weight=600)


def _panels(result: People, plane: _Plane) -> Iterator[Shape]:
    curve = list(result.curve)
    highest = 0.0
    points = []
    for one in curve:
        highest = max(highest, one.value)
        points.append((plane.x(one.people), plane.y(highest)))
    for place in range(SLICES if len(curve) > 1 else 0):
        start, end = (
            points[0][0] + (points[-1][0] - points[0][0]) * at / SLICES for at in (place, place + 1)
        )
        middle = (start + end) / 2
        at = max(i for i, (x, _) in enumerate(points[:-1]) if x <= middle)
        share = (middle - points[at][0]) / (points[at + 1][0] - points[at][0])
        low, high = (
            plane.y((1 - share) * getattr(curve[at], side) + share * getattr(curve[at + 1], side))
            for side in ("low", "high")
        )
        yield Box(start, high, end - start, low - high, "left", 0.22)
    for (one, here), (other, there) in zip(
        zip(curve, points, strict=True), list(zip(curve, points, strict=True))[1:], strict=False
    ):
        known = one.basis == VOTES and other.basis == VOTES
        yield Stroke(*here, *there, "left", 3.5 if known else 2)
    for one, (x, y) in zip(curve, points, strict=True):
        people = "1 person" if one.people == 1 else f"{one.people:,} people"
        yield Dot(x, y, 3, "left", f"{people}: {in_words.rate(one)}")


def _models(drawn: Sequence[ModelRate], plane: _Plane, size: float) -> Iterator[Shape]:
    last = -math.inf  # the height of the label above
    for row in sorted(drawn, key=lambda one: -one.value):
        x = plane.x(1.1 * plane.people if row.worth is None else max(row.worth, 0.85))
        y = plane.y(row.value)
        if row.worth_low is not None:
            most = plane.ends[1] if row.worth_high is None else plane.x(max(row.worth_high, 0.85))
            yield Stroke(plane.x(max(row.worth_low, 0.85)), y, most, y, "model", 1)
        yield Stroke(x, plane.y(row.low), x, plane.y(row.high), "model", 2)
        yield Dot(x, y, 0.42 * size, "model", f"{in_sight(row.name)}: {_tip(row)}")
        last = max(y + 1.25 * size, last + 1.2 * size)
        right = x < sum(plane.ends) / 2
        place = x + 0.012 if right else x - 0.012
        label = f"{in_short(row.name, LONG)} {_share(row.value)}"
        yield Words(place, last, label, size, "model", "start" if right else "end", 600)


@dataclass(frozen=True, slots=True)
class _Plane:
    """Where numbers of people and shares of items are in the picture."""

    people: int
    least: float
    most: float
    top: float
    tall: float
    ends: tuple[float, float]

    @classmethod
    def over(
        cls,
        rates: Sequence[Rate],
        people: int,
        top: float,
        tall: float,
        ends: tuple[float, float],
    ) -> _Plane:
        """Return a plane that all limits have room on."""
        least, most = min(one.low for one in rates), max(one.high for one in rates)
        room = max(0.05 * (most - least), 0.002)
        return cls(people, max(least - room, 0.0), min(most + room, 1.0), top, tall, ends)

    def x(self, people: float) -> float:
        """Return the place of a number of people, on a logarithmic scale."""
        part = math.log(people / 0.8) / math.log(1.2 * max(self.people, 2) / 0.8)
        return self.ends[0] + min(max(part, 0.0), 1.0) * (self.ends[1] - self.ends[0])

    def y(self, value: float) -> float:
        """Return the place of a share in pixels."""
        part = (self.most - value) / (self.most - self.least)
        return round(self.top + min(max(part, 0.0), 1.0) * self.tall, 1)


def _tip(row: ModelRate) -> str:
    return f"agrees with a person on {in_words.rate(row)}, worth {in_words.worth(row)}"


def _share(value: float) -> str:
    return f"{100 * value:.1f} %"


def _range(rate: Rate) -> str:
    return f"{100 * rate.low:.1f} to {100 * rate.high:.1f} %"
