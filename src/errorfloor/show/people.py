"""Models compared with people, in words: worth, verdicts, and which order is certain."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from errorfloor.results.verdict import BEYOND, ROOM
from errorfloor.show import numbers
from errorfloor.show.grids import Grid

if TYPE_CHECKING:
    from errorfloor.results import AltTest, FloorDifference, ModelRate, People, Rate

_MOST_PAIRS = 6  # of models whose order is told
_PASSES = 0.5  # share of annotators, by the published rule


def rate(value: Rate, digits: int = 1) -> str:
    """Return a share with its limits."""
    low, high = 100 * value.low, 100 * value.high
    return f"{100 * value.value:.{digits}f} % ({low:.{digits}f} to {high:.{digits}f} %)"


def said_of(result: People) -> str:
    """Return how often people agree, and the best possible."""
    agree = rate(result.agreement).replace(" (", " of items (")
    best = rate(result.best_possible)
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
        return "less than one person" + (f" (up to {people(high)})" if high > 1 else "")
    number = f"{people(row.worth)} {'person' if row.worth == 1 else 'people'}"
    if high is None:
        least = f"at least {people(low)}; " if low else ""
        return f"{number} ({least}no upper limit)"
    return f"{number} ({people(low) if low else 'less than one'} to {people(high)})"


def verdict(row: ModelRate, n: int) -> str:
    """Return where a model stands, in words."""
    if row.verdict is None:
        return "no verdict" if row.warnings else ""
    if row.verdict == ROOM:
        return "can still improve"
    if row.verdict == BEYOND:
        return "looks too good to be true"
    return f"at the limit, as far as {n:,} items can show"


def of_models(result: People) -> Grid:
    """Return a row for each model, and one for the best constant answer."""
    rows = [(row.name, rate(row), worth(row), verdict(row, result.n)) for row in result.models]
    last = result.constant
    head = ("", "agrees with a person", "worth", "verdict")
    return Grid(head, (*rows, (last.name, rate(last), worth(last), "")), "<<<<")


def of_panels(result: People) -> Grid:
    """Return how often panels agree with one more person."""
    rows = tuple(
        (f"{one.people:,}", rate(one), "votes" if one.basis == "votes" else "fitted mixture")
        for one in result.panels
    )
    return Grid(("people in the panel", "agree with one more person", "known from"), rows, "><<")


def about(result: People) -> Iterator[str]:
    """Yield which order is certain, and what else there is to know."""
    if len(result.models) > 1:
        yield order(result)
    for one in result.alt_test or ():
        yield of_alt_test(one)
    yield from (note for row in result.models for note in row.warnings)
    yield from result.notes


def order(result: People) -> str:
    """Return which model is certainly better than which."""
    pairs = result.certain_order
    told = ", ".join(f"{one.first!r} above {one.second!r}" for one in pairs[:_MOST_PAIRS])
    more = len(pairs) - _MOST_PAIRS
    text = f"The data settle this order: {told}{f', and {more} more pairs' if more > 0 else ''}."
    if not pairs:
        text = "No order of the models is certain."
    if result.resolvable is None:
        return text
    return (
        f"{text} These {result.n:,} items can show differences of "
        f"{100 * result.resolvable:.1f} points or more."
    )


def of_alt_test(row: AltTest) -> str:
    """Return the result of the alternative annotator test."""
    passes = "passes" if row.winning_rate >= _PASSES else "does not pass"
    return (
        f"Alternative annotator test: {row.name} {passes}, with a winning rate of "
        f"{100 * row.winning_rate:.0f} % over {numbers.counted(row.annotators, 'annotator')}."
    )


def of_difference(result: FloorDifference) -> str:
    """Return by how much two floors differ, in a sentence."""
    style, limit = numbers.style_of(result.first), result.first.measure.limit
    low, high = style.signed(result.low), style.signed(result.high)
    value = f"{style.signed(result.value)}{style.of_points}"
    sure = (
        f"The first {limit} is higher"
        if result.low > 0
        else f"The second {limit} is higher"
        if result.high < 0
        else f"These data do not tell which {limit} is higher"
    )
    within = f"{numbers.level(result.level)} interval {low} to {high}"
    return f"{sure}: the first minus the second is {value} ({within})."


def each_floor(result: FloorDifference) -> list[str]:
    """Return both floors with the limits that the difference is made from."""
    lines = []
    for name, floor in (("First", result.first), ("Second", result.second)):
        value, limits = numbers.value_and_limits(floor)
        basis = f"{floor.method}, n = {floor.n:,}, {floor.interval_method}"
        lines.append(f"{name}: {floor.measure.limit} {value} ({limits}; {basis})")
    how = "are independent samples" if result.independent else "may depend on each other"
    lines.append(
        f"Both intervals hold at once with {numbers.level(result.level)} confidence, if the two "
        f"sets {how}."
    )
    return lines
