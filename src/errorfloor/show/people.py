"""Models compared with people, in words and as one picture.

The picture is a curve: how often the answer of several people is that of one more, by how many they
are, with each model where panels are as good as it is, and the best possible above them all.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from errorfloor.data.options import names_of_files
from errorfloor.results.people import VOTES, WINS_NEEDED
from errorfloor.results.verdict import BEYOND, ROOM
from errorfloor.show import numbers
from errorfloor.show.drawing import PAGE, Box, Dot, Hero, Shape, Stroke, Words, on_page, svg
from errorfloor.show.grids import Grid
from errorfloor.show.markup import in_short, visible
from errorfloor.show.models import certain_order

if TYPE_CHECKING:
    from errorfloor.results import AltTest, Estimate, FloorDifference, ModelRate, People, Rate


def rate(value: Rate, digits: int = 1) -> str:
    """Return a share with its limits."""
    low, high = 100 * value.low, 100 * value.high
    return f"{100 * value.value:.{digits}f} % ({low:.{digits}f} to {high:.{digits}f} %)"


def sentence(result: People) -> str:
    """Return how often people agree, and the best possible."""
    agree = rate(result.agreement).replace(" (", " of items (")
    best = rate(result.best_possible).replace(" (", " of items (")
    return f"Two people agree on {agree}. The best possible model agrees with a person on {best}."


def people(number: float) -> str:
    """Return a number of people, with a digit where there are few.

    Examples
    --------
    >>> people(3.24), people(22.8), people(1.0)
    ('3.2', '23', '1')
    """
    return f"{number:.0f}" if number >= 10 or number == int(number) else f"{number:.1f}"


def worth(row: ModelRate) -> str:
    """Return how many people a model is worth, in words."""
    low, high = row.worth_low, row.worth_high
    if low is None:
        return "none"
    if row.worth is None and not low:
        return "not known: these votes allow any number of people"
    if row.worth is None:
        most = "" if high is None else f", at most {people(high)}"
        return f"at least {people(low)} people{most}"
    if row.worth == 0:
        if high is None:
            return "less than one person (no upper limit)"
        return "less than one person" + (f" (at most {people(high)})" if high > 1 else "")
    number = f"{people(row.worth)} {'person' if row.worth == 1 else 'people'}"
    if high is None:
        least = f"at least {people(low)}; no upper limit" if low else "any number"
        return f"{number} ({least})"
    return f"{number} ({people(low) if low else 'less than one'} to {people(high)})"


def verdict(row: ModelRate, n: int) -> str:
    """Return where a model stands, in words."""
    if row.verdict is None:
        return "no verdict" if row.warnings else ""
    if row.verdict == ROOM:
        return "can still improve"
    if row.verdict == BEYOND:
        return "looks too good to be true"
    return f"may be at the limit: {n:,} items cannot tell"


def of_models(result: People) -> Grid:
    """Return a row for each model, and one for the best constant answer."""
    rows = [(row.name, rate(row), worth(row), verdict(row, result.n)) for row in result.models]
    last = result.constant
    head = ("", "agrees with a person", "worth", "verdict")
    same = (last.name, rate(last), worth(last), "for comparison: one answer for all items")
    return Grid(head, (*rows, same), "<<<<")


def of_panels(result: People) -> Grid:
    """Return how often panels agree with one more person."""
    rows = tuple(
        (f"{one.people:,}", rate(one), "votes" if one.basis == "votes" else "estimated")
        for one in result.panels
    )
    return Grid(("people in the panel", "agree with one more person", "known from"), rows, "><<")


def about(result: People) -> Iterator[str]:
    """Yield which order is certain, and what else there is to know."""
    if len(result.models) > 1:
        yield order(result)
    for one in result.alt_test or ():
        yield of_alt_test(one, result)
    yield from (note for row in result.models for note in row.warnings)
    yield from result.notes


def order(result: People) -> str:
    """Return which model is certainly better than which."""
    text = certain_order(
        [f"{one.first} is better than {one.second}" for one in result.certain_order]
    )
    if result.resolvable is None:
        return text
    return (
        f"{text} With {result.n:,} items, differences of {100 * result.resolvable:.1f} points or "
        "more can be shown."
    )


def of_alt_test(test: AltTest, result: People) -> str:
    """Return the result of the alternative annotator test, with and without its allowance."""
    won = f"{_part(test.winning_rate)} of the {numbers.counted(test.annotators, 'annotator')}"
    shown = f"it is shown to be better than {won} (epsilon 0)"
    if test.epsilon:
        points = f"{100 * test.epsilon:.3g} points (epsilon {test.epsilon:g})"
        shown = f"compared with {won} it is shown to be better, or worse by less than {points}"
    text = (
        f"Model {test.name!r} {'passes' if test.passes else 'does not pass'} the alternative "
        f"annotator test: {shown}; {numbers.per_cent(WINS_NEEDED, 0)} are needed."
    )
    if not test.passes:
        return text
    if test.epsilon:
        text += f" It is shown to be better than {_part(test.without_allowance)} of them."
    return text + _less_than_a_person(result[test.name], result)


def _part(share: float) -> str:
    return {0.0: "none", 1.0: "all"}.get(share, numbers.per_cent(share, 0))


def _less_than_a_person(row: ModelRate, result: People) -> str:
    """Say why a model that passes a test may still be no replacement for a person."""
    below = []
    if row.value < result.agreement.value:
        below.append(f"less often than two people agree ({_share(result.agreement.value)})")
    if row.value <= result.constant.value:
        name, value = result.constant.name, _share(result.constant.value)
        below.append(f"no more often than one answer for all items ({name}, {value})")
    if not below:
        return ""
    return (
        f" But it agrees with a person {' and '.join(below)}, so this does not show that it could "
        "replace one."
    )


def of_difference(result: FloorDifference) -> str:
    """Return by how much two floors differ, in a sentence."""
    style, limit = numbers.style_of(result.first), result.first.measure.limit
    digits = style.digits(result.high - result.low, 0.0)
    low, high = style.signed(result.low, digits), style.signed(result.high, digits)
    value = f"{style.signed(result.value, digits)}{style.of_points}"
    names = _names_of_both(result)
    one, other = (
        (f"{limit} of {name}" for name in names) if names else (f"first {limit}", f"second {limit}")
    )
    minus = " minus ".join(names or ("the first", "the second"))
    sure = (
        f"The {one} is higher"
        if result.low > 0
        else f"The {other} is higher"
        if result.high < 0
        else f"These data cannot tell which {limit} is higher"
    )
    within = f"{numbers.level(result.level)} interval {low} to {high}"
    return f"{sure}: {minus} is {value} ({within})."


def _names_of_both(result: FloorDifference) -> tuple[str, ...]:
    """Return the names of the two files that floors are about, where each has one of its own."""
    sources = [one.source for one in (result.first, result.second)]
    files = [one.files[0] for one in sources if one is not None and len(one.files) == 1]
    names = tuple(names_of_files(files))
    return names if len({*names}) == len(sources) else ()


def each_floor(result: FloorDifference) -> list[str]:
    """Return both floors with the limits that the difference is made from."""
    lines = []
    names = _names_of_both(result) or ("First", "Second")
    for name, floor in zip(names, (result.first, result.second), strict=True):
        interval = numbers.NAMED.get(
            floor.interval_method or "", f"{floor.interval_method} interval"
        )
        basis = f"n = {floor.n:,}, method {floor.method}, {interval}"
        lines.append(f"{name}: {floor.measure.limit} {', '.join(_parts(floor))} ({basis})")
    sure = f"with {numbers.level(result.level)} confidence both hold the truth"
    lines.append(f"Each interval is wider than it would be alone, so that {sure}.")
    if result.independent:
        lines.append("This needs two independent samples; for the same items add --dependent.")
    return lines


def _parts(floor: Estimate) -> Iterator[str]:
    value, limits = numbers.value_and_limits(floor)
    yield value
    if limits:
        yield f"interval {limits}"


# The picture.

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
    if not result.models:
        agree = result.agreement
        caption = "is how often two people agree"
        return [first, Hero(_share(agree.value), caption, f"{_range(agree)}, {sure} confidence")]
    row = max(result.models, key=lambda one: one.value)
    name = in_short(row.name, LONG)
    if not row.worth_low and row.worth_high is None:  # these votes allow any number of people
        within = f"{_range(row)}, {sure} confidence"
        return [first, Hero(_share(row.value), f"is that of {name}", within)]
    number, _, more = worth(row).partition(" (")
    limits = more.removesuffix(")") or f"it agrees with a person on {_share(row.value)}"
    return [first, Hero(number, f"is the worth of {name}", limits)]


def picture_of(result: People) -> str:
    """Return the curve as a piece of HTML as wide as the page."""
    top, tall = 8, 190
    drawn = shapes(result, top=top, tall=tall, size=12)
    return on_page(heroes_of(result), svg(drawn, top + tall + 58, PAGE, description(result)))


def description(result: People) -> str:
    """Return what the picture shows in words."""
    panels = ", ".join(f"{one.people:,} people {_share(one.value)}" for one in result.panels)
    rows = "".join(f" {row.name}: {_tip(row)}." for row in result.models)
    return f"{sentence(result)} Panels agree with one more person: {panels}.{rows}"


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
    tip = f"best possible: {rate(best)}"
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
        yield Dot(x, y, 3, "left", f"{people}: {rate(one)}")


def _models(drawn: Sequence[ModelRate], plane: _Plane, size: float) -> Iterator[Shape]:
    last = -math.inf  # the height of the label above
    for row in sorted(drawn, key=lambda one: -one.value):
        x = plane.x(1.1 * plane.people if row.worth is None else max(row.worth, 0.85))
        y = plane.y(row.value)
        if row.worth_low is not None:
            most = plane.ends[1] if row.worth_high is None else plane.x(max(row.worth_high, 0.85))
            yield Stroke(plane.x(max(row.worth_low, 0.85)), y, most, y, "model", 1)
        yield Stroke(x, plane.y(row.low), x, plane.y(row.high), "model", 2)
        yield Dot(x, y, 0.42 * size, "model", f"{visible(row.name)}: {_tip(row)}")
        last = max(y + 1.25 * size, last + 1.2 * size)
        right = x < sum(plane.ends) / 2
        place = x + 0.012 if right else x - 0.012
        label = f"{in_short(row.name, LONG)} {_share(row.value)}"
        yield Words(place, last, label, size, "ink", "start" if right else "end", 600)


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
        cls, rates: Sequence[Rate], people: int, top: float, tall: float, ends: tuple[float, float]
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
    return f"agrees with a person on {rate(row)}, worth {worth(row)}"


def _share(value: float) -> str:
    return f"{100 * value:.1f} %"


def _range(rate: Rate) -> str:
    return f"{100 * rate.low:.1f} to {100 * rate.high:.1f} %"
