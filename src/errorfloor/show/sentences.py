"""The verdict first: one sentence for each result, as a person without statistics would say it.

An error is said as an accuracy as well, with the label that it is for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import singledispatch
from typing import Any

from errorfloor.metrics import Metric
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
    Plan,
    Verdict,
)
from errorfloor.results.verdict import BEYOND, ROOM, SATURATED, VERDICTS
from errorfloor.show import grids, numbers

NO_FLOOR = "No floor can be stated."
FEW = 4  # so many groups are named, more are counted
# What to look at where a model seems to be better than any model can be.
SUSPECT = "a leaked test set, labels made in another way, or scores out of order"


@singledispatch
def sentence_of(result: Any) -> str:
    """Return the one plain sentence that says what was found."""
    raise TypeError(f"There is no sentence for a {type(result).__name__}.")


@sentence_of.register
def _(result: Estimate) -> str:
    return refusal_of(result) if result.refuted else f"{_best(result)}."


@sentence_of.register
def _(result: Verdict) -> str:
    if result.floor.refuted:
        finding = refuting(result.floor)[0]
        return f"No verdict on the model: its floor cannot be stated. {finding.text}"
    metric = result.floor.measure
    digits = numbers.digits_of_size(result.high - result.low, _edge(result.model_error))
    error = f" (an error of {numbers.per_cent(result.model_error)})" if metric.opposite else ""
    shown = numbers.per_cent(metric.shown(result.model_error), digits)
    return f"{_best(result.floor)}. Your model, at {shown}{error}, {_standing(result)}"


@sentence_of.register
def _(result: Comparison) -> str:
    main = result.main
    if main.refuted:
        return refusal_of(main)
    others = [row.value for row in result if row is not main and not row.refuted]
    if not others:
        return f"{_best(main)}, by {main.method}."
    low, high = (numbers.per_cent(value) for value in (min(others), max(others)))
    if len(others) == 1:
        return f"{_best(main)}, by {main.method}; the other method says {low}."
    name = main.measure.name
    return f"{_best(main)}, by {main.method}; the other methods say {name}s from {low} to {high}."


@sentence_of.register(Groups)
def _(result: Groups[Any]) -> str:
    if grids.hold_floors(result):
        return _range_of_groups(result)
    if result and all(isinstance(row, Verdict) for row in result.values()):
        return _standings(result)
    return ""


@sentence_of.register
def _(result: LabelPlan) -> str:
    wide, alike = (numbers.points_of_size(one) for one in (result.width, result.width_at_random))
    more = f" more ({result.labelled:,} have a label)" if result.labelled else ""
    return (
        f"Label {numbers.counted(result.budget, 'item')}{more} of {result.n:,}: the interval of "
        f"the floor will be about {wide} wide. As many items drawn alike make it {alike} wide."
    )


@sentence_of.register
def _(result: Plan) -> str:
    return " ".join([*_way_to_target(result), *_trade(result)])


@sentence_of.register
def _(result: AnnotatorsResult) -> str:
    guess = sum(row.may_guess for row in result)
    who = f"{guess:,} of {numbers.counted(len(result), 'annotator')} cannot be told from guessing"
    if result.everyone is None or result.without is None or result.left_out is None:
        return f"{who}."
    return (
        f"{who}. On items that did not choose them, the floor is "
        f"{numbers.per_cent(result.everyone)} with and {numbers.per_cent(result.without)} without "
        f"them and their {100 * result.left_out:.0f} % of the votes."
    )


@sentence_of.register
def _(result: Confusion) -> str:
    pairs = result.pairs
    if not pairs:
        return "The best rule makes no errors on these items."
    first = pairs[0]
    tenths = round(10 * first.share)
    often = f"{tenths} of 10" if tenths else numbers.per_cent(first.share, 1)
    if len(pairs) == 1:
        often = "All"
    return f"{often} errors that any model makes are {first.first} against {first.second}."


@sentence_of.register(Items)
@sentence_of.register(ClassItems)
def _(result: Items | ClassItems) -> str:
    return f"{numbers.counted(int(result.count.sum()), 'item')}, the hardest first."


@sentence_of.register
def _(result: FeeBeeResult) -> str:
    rows = list(result)
    if not rows:
        return ""
    best = min(rows, key=lambda row: row.score)
    if len(rows) == 1:
        return f"{best.method} misses added label noise by {best.score:.5f}."
    return f"Of {len(rows):,} methods, {best.method} misses added label noise the least here."


def refusal_of(result: Estimate) -> str:
    """Say why a floor cannot be stated, and what to do about it."""
    return f"{NO_FLOOR} {refuting(result)[0].text}"


def refuting(result: Estimate) -> list[Any]:
    """Return the findings that refute a floor, the first of them the one to name."""
    return [finding for finding in result.findings if finding.level == "refuted"]


def _best(result: Estimate) -> str:
    """Return the best that any model can do, without a full stop."""
    metric = result.measure
    name, given = metric.opposite or metric.name, result.n == 0
    of = ", as given," if given else f" for {result.target}"
    said = f"The best possible {name}{of} is {'' if given else 'about '}{_shown(result, metric)}"
    if not metric.opposite:
        return said
    if given:
        return f"{said}, an {metric.name} of {numbers.per_cent(result.value)}"
    value, limits = numbers.value_and_limits(result)
    return f"{said}, an {metric.name} of {value}{f' ({limits})' if limits else ''}"


def _shown(result: Estimate, metric: Metric) -> str:
    """Return the value as people like to see it: where there is an opposite, as that."""
    digits = numbers.digits_of_size(_width(result), _edge(result.value))
    value = numbers.per_cent(metric.shown(result.value), digits)
    if not result.n or result.low is None or result.high is None:
        return value
    low, high = sorted(metric.shown(limit) for limit in (result.low, result.high))
    return f"{value} ({numbers.range_of(low, high, digits)})"


def _standing(result: Verdict) -> str:
    """Say where the model stands; what can be gained is the same in errors and accuracies."""
    least, most = gain_of(result)
    if result.test is not None and result.verdict == ROOM:
        sure = f"{result.test.name}, {numbers.p_equals(result.test.p)}"
        return f"can be beaten: a better rule exists ({sure}). At most {most} points are left."
    return {
        ROOM: f"can still gain {least} to {most} points.",
        SATURATED: f"is there as far as these items can tell: at most {most} points are left.",
        BEYOND: f"is {least} to {most} points better than any model can be: suspect {SUSPECT}.",
    }[result.verdict]


def gain_of(result: Verdict) -> tuple[str, str]:
    """Return how many points the model can gain, or is beyond: at least and at most."""
    sizes = sorted((abs(result.low), abs(result.high)))
    if result.verdict == SATURATED:
        sizes = [0.0, result.high]
    digits = numbers.digits_of_size(result.high - result.low, sizes[0] or sizes[1])
    least, most = (f"{100 * size:.{digits}f}" for size in sizes)
    return least, most


def _range_of_groups(groups: Groups[Estimate]) -> str:
    """Say the lowest best value and the highest, with what cannot be stated."""
    stated = {name: row for name, row in groups.items() if not row.refuted}
    refuted = len(groups) - len(stated)
    if not stated:
        return f"{NO_FLOOR[:-1]} of any group. The data of each say why."
    first = next(iter(stated.values()))
    metric = first.measure
    said = _only(groups, stated) if len(groups) == 1 else _between(groups, stated, metric)
    apart = f" {NO_FLOOR[:-1]} of {numbers.counted(refuted, 'group')}." if refuted else ""
    return f"{said}.{apart}"


def _only(groups: Groups[Estimate], stated: dict[Any, Estimate]) -> str:
    ((name, row),) = stated.items()
    return f"{_best(row)} ({groups.column} {name}, the only group)"


def _between(groups: Groups[Estimate], stated: dict[Any, Estimate], metric: Metric) -> str:
    """Return the range over groups; error by error, and as accuracies."""
    digits = max(map(numbers.digits_for, stated.values()))
    first = next(iter(stated.values()))

    def said(name: Any) -> str:
        value = stated[name].value
        width = max(_width(row) for row in stated.values())
        coarse = numbers.digits_of_size(width, _edge(value))
        shown = numbers.per_cent(metric.shown(value), coarse)
        error = f", an {metric.name} of {numbers.per_cent(value, digits)}"
        return f"{shown} ({groups.column} {name}{error if metric.opposite else ''})"

    order = sorted(stated, key=lambda name: metric.shown(stated[name].value))
    name = metric.opposite or metric.name
    return (
        f"The best possible {name} for {first.target} is about {said(order[0])} to "
        f"{said(order[-1])} in {len(groups):,} groups"
    )


def _width(row: Estimate) -> float:
    """Return the width of the interval, or one that leaves a digit where there is none."""
    return (row.high - row.low if row.low is not None and row.high is not None else 0) or 0.01


def _edge(value: float) -> float:
    """Return how far a fraction is from 0 and 1, which it must not be rounded to."""
    return min(value, 1 - value)


def _standings(groups: Groups[Verdict]) -> str:
    """Say in how many groups the model has room, is there, or is beyond."""
    words = {
        ROOM: "can still gain",
        SATURATED: "is there as far as these items can tell",
        BEYOND: "is better than any model can be",
    }
    stated = {name: row for name, row in groups.items() if not row.floor.refuted}
    found = {
        verdict: [name for name, row in stated.items() if row.verdict == verdict]
        for verdict in VERDICTS
    }
    refuted = [name for name in groups if name not in stated]
    parts = [f"{words[one]} in {_named(groups, names)}" for one, names in found.items() if names]
    parts += [f"cannot be judged in {_named(groups, refuted)}"] if refuted else []
    return f"Your model {', '.join(parts)}."


def _named(groups: Groups[Any], names: Iterable[Any]) -> str:
    """Return groups by their names where they are few, else how many they are."""
    few = [str(name) for name in names]
    if len(few) == len(groups):
        return f"every {groups.column}" if len(few) > 1 else f"{groups.column} {few[0]}"
    if len(few) > FEW:
        return f"{len(few):,} of {len(groups):,} groups"
    return f"{groups.column} {', '.join(few)}"


def _way_to_target(plan: Plan) -> Iterator[str]:
    if plan.target is None:
        return
    wanted = f"a width of {numbers.points_of_size(plan.target)}"
    best = plan.best
    if best is not None:
        labels = "one label" if best.votes == 1 else f"{best.votes} votes"
        yield (
            f"The cheapest way to {wanted} is {labels} on each of {best.items:,} items, "
            f"for {best.cost:,.0f}."
        )
    elif plan.narrowest is not None:
        most = int(plan.votes.max())
        labels = "one label each" if most == 1 else f"up to {most} votes each"
        yield (
            f"No number of items reaches {wanted} with {labels}; the narrowest is "
            f"{numbers.points_of_size(plan.narrowest)}."
        )


def _trade(plan: Plan) -> Iterator[str]:
    trade = plan.trade
    if trade is None:
        return
    spent = f"For the price of one more vote on each of the {trade.n:,} items of the pilot"
    found = (
        f"({numbers.points_of_size(trade.deeper)} against {numbers.unsigned(trade.broader)} "
        f"with {trade.more:,} more items)"
    )
    if trade.deeper < trade.broader:
        yield f"{spent}, that vote narrows the interval more than new items would {found}."
    else:
        yield f"{spent}, new items narrow the interval at least as much {found}."
