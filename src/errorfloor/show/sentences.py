"""The verdict first: one sentence for each result, as a person without statistics would say it.

An error is said as an accuracy as well, with the label that it is for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from errorfloor.methods.record import GOLD_LABEL
from errorfloor.metrics import ERROR, Metric
from errorfloor.results.verdict import BEYOND, ROOM, SATURATED, VERDICTS, Verdict
from errorfloor.show import grids, numbers
from errorfloor.show.kinds import ByKind

if TYPE_CHECKING:
    from errorfloor.results import (
        AnnotatorsResult,
        ClassItems,
        Comparison,
        Confusion,
        Estimate,
        FeaturesEstimate,
        FeeBeeResult,
        Groups,
        Items,
        LabelPlan,
        Plan,
    )

FEW = 4  # so many groups are named, more are counted
# What to look at where a model seems to be better than any model can be.
SUSPECT = "a leaked test set, labels made in another way, or scores out of order"
SEES_MORE = "a leaked test set, or a model that sees more than the annotators did"


@ByKind
def sentence_of(result: Any) -> str:
    """Return the one plain sentence that says what was found."""
    raise TypeError(f"There is no sentence for a {type(result).__name__}.")


@sentence_of.register
def _(result: Estimate) -> str:
    return refusal_of(result) if result.refuted else f"{_best(result)}."


@sentence_of.register
def _(result: FeaturesEstimate) -> str:
    error = numbers.per_cent(result.value)
    if result.refuted:
        return refusal_of(result)
    if result.lower_from is not None:
        return f"{_best(result)}: at least by {result.lower_from}, at most by what models reach."
    if result.interval is not None:
        high = numbers.per_cent(result.interval.high)
        sure = numbers.level(result.interval.level)
        return (
            f"The best possible model for {result.target} has an error of at most {high} "
            f"({sure} sure): models reach {error} on items that they have not seen. How much "
            "lower it can get, features with one label per item cannot tell."
        )
    if result.lower_end is None or result.upper_end is None:
        return f"{result.method} puts the floor at {error}, which is no limit."
    ends = (numbers.per_cent(end) for end in (result.lower_end, result.upper_end))
    return f"{result.method} puts the floor between {' and '.join(ends)}, which are no limits."


@sentence_of.register
def _(result: Verdict) -> str:
    if result.floor.refuted:
        finding = refuting(result.floor)[0]
        return f"No verdict on the model: its floor cannot be stated. {finding.text}"
    metric, style = result.floor.measure, numbers.style_of(result.floor)
    digits = style.digits(result.high - result.low, _edge(result.model_value))
    error = f" ({numbers.with_article(metric.words)} of {style.value(result.model_value)})"
    shown = style.value(metric.shown(result.model_value), digits)
    at = f"{shown}{error if metric.opposite else ''}"
    return f"{_best(result.floor)}. Your model, at {at}, {_standing(result)}"


@sentence_of.register
def _(result: Comparison) -> str:
    main = result.main
    if main.refuted:
        return refusal_of(main)
    others = [row.value for row in result if row is not main and not row.refuted]
    if not others:
        return f"{_best(main)}, by {main.method}."
    low, high = (numbers.style_of(main).value(value) for value in (min(others), max(others)))
    if len(others) == 1:
        return f"{_best(main)}, by {main.method}; the other method says {low}."
    name = f"{main.metric}s " if main.metric == ERROR.name else ""
    return f"{_best(main)}, by {main.method}; the other methods say {name}from {low} to {high}."


@sentence_of.register
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


@sentence_of.register
def _(result: Items | ClassItems) -> str:
    return f"{numbers.counted(int(result.count.sum()), 'item')}, the hardest first."


@sentence_of.register
def _(result: FeeBeeResult) -> str:
    rows = list(result)
    if not rows:
        return ""
    best = min(rows, key=lambda row: row.score)
    what = "" if result.metric == ERROR.name else f" of {result.measure.words}"
    if len(rows) == 1:
        return f"{best.method} misses added label noise by {best.score:.5f}{what}."
    return f"Of {len(rows):,} methods{what}, {best.method} misses added label noise the least here."


def refusal_of(result: Estimate) -> str:
    """Say why a floor cannot be stated, and what to do about it."""
    return f"{nothing_stated(result)} {refuting(result)[0].text}"


def nothing_stated(result: Estimate) -> str:
    """Say that no floor, or no ceiling, can be stated."""
    return f"No {result.measure.limit} can be stated."


def refuting(result: Estimate) -> list[Any]:
    """Return the findings that refute a floor, the first of them the one to name."""
    return [finding for finding in result.findings if finding.level == "refuted"]


def _best(result: Estimate) -> str:
    """Return the best that any model can do, without a full stop."""
    metric, given = result.measure, result.n == 0
    of = ", as given," if given else f" for {result.target}"
    name = metric.opposite or metric.words
    said = f"The best possible {name}{of} is {'' if given else 'about '}{_shown(result, metric)}"
    if not metric.opposite:
        return said
    error = numbers.with_article(metric.words)
    if given:
        return f"{said}, {error} of {numbers.style_of(result).value(result.value)}"
    value, limits = numbers.value_and_limits(result)
    return f"{said}, {error} of {value}{f' ({limits})' if limits else ''}"


def _shown(result: Estimate, metric: Metric) -> str:
    """Return the value as people like to see it: where there is an opposite, as that."""
    style = numbers.style_of(result)
    digits = style.digits(_width(result), _edge(result.value))
    value = style.value(metric.shown(result.value), digits)
    if not result.n or result.low is None or result.high is None:
        return value
    low, high = sorted(metric.shown(limit) for limit in (result.low, result.high))
    return f"{value} ({style.range_of(low, high, digits)})"


def _standing(result: Verdict) -> str:
    """Say where the model stands; what can be gained is the same in errors and accuracies."""
    least, most = gain_of(result)
    unit = unit_of_gain(result)
    if result.test is not None and result.verdict == ROOM:
        sure = f"{result.test.name}, {numbers.p_equals(result.test.p)}"
        return f"can be beaten: a better rule exists ({sure}). At most {most} {unit} are left."
    metric = result.floor.measure
    down = metric.less_is_better and not metric.per_cent
    gain = f"come down by {least} to {most} in {metric.words}" if down else ""
    return {
        ROOM: f"can still {gain or f'gain {least} to {most} {unit}'}.",
        SATURATED: f"is there as far as these items can tell: at most {most} {unit} {_are(unit)} "
        "left.",
        BEYOND: f"is {least} to {most} {unit} {_beyond(result)}.",
    }[result.verdict]


def _beyond(result: Verdict) -> str:
    """Say what the model is better than: votes know a gold label only as well as voters do."""
    if result.floor.target == GOLD_LABEL:
        return f"better than the votes allow: suspect {SEES_MORE}"
    return f"better than any model can be: suspect {SUSPECT}"


def unit_of_gain(result: Verdict) -> str:
    """Return what a model's gain is counted in: points, or the metric itself."""
    metric = result.floor.measure
    if metric.per_cent:
        return "points"
    return f"{metric.unit} of {metric.words}" if metric.unit else metric.words


def _are(unit: str) -> str:
    return "are" if unit == "points" else "is"


def gain_of(result: Verdict) -> tuple[str, str]:
    """Return how many points the model can gain, or is beyond: at least and at most."""
    sizes = sorted((abs(result.low), abs(result.high)))
    if result.verdict == SATURATED:
        sizes = [0.0, result.high]
    style = numbers.style_of(result.floor)
    digits = style.digits(result.high - result.low, sizes[0] or sizes[1])
    least, most = (style.bare(size, digits) for size in sizes)
    return least, most


def _range_of_groups(groups: Groups[Estimate]) -> str:
    """Say the lowest best value and the highest, with what cannot be stated."""
    stated = {name: row for name, row in groups.items() if not row.refuted}
    refuted = len(groups) - len(stated)
    if not stated:
        return f"{_unstated(groups)} of any group. The data of each say why."
    metric = next(iter(stated.values())).measure
    said = _only(groups, stated) if len(groups) == 1 else _between(groups, stated, metric)
    apart = f" {_unstated(groups)} of {numbers.counted(refuted, 'group')}." if refuted else ""
    return f"{said}.{apart}"


def _unstated(groups: Groups[Estimate]) -> str:
    return nothing_stated(next(iter(groups.values())))[:-1]


def _only(groups: Groups[Estimate], stated: dict[Any, Estimate]) -> str:
    ((name, row),) = stated.items()
    return f"{_best(row)} ({groups.column} {name}, the only group)"


def _between(groups: Groups[Estimate], stated: dict[Any, Estimate], metric: Metric) -> str:
    """Return the range over groups; error by error, and as accuracies."""
    digits = max(map(numbers.digits_for, stated.values()))
    first = next(iter(stated.values()))
    style = numbers.style_of(first)

    def said(name: Any) -> str:
        value = stated[name].value
        width = max(_width(row) for row in stated.values())
        coarse = style.digits(width, _edge(value))
        shown = style.value(metric.shown(value), coarse)
        error = f", {numbers.with_article(metric.words)} of {style.value(value, digits)}"
        return f"{shown} ({groups.column} {name}{error if metric.opposite else ''})"

    order = sorted(stated, key=lambda name: metric.shown(stated[name].value))
    name = metric.opposite or metric.words
    return (
        f"The best possible {name} for {first.target} is about {said(order[0])} to "
        f"{said(order[-1])} in {len(groups):,} groups"
    )


def _width(row: Estimate) -> float:
    """Return the width of the interval, or one that leaves a digit where there is none."""
    return (row.high - row.low if row.low is not None and row.high is not None else 0) or 0.01


def _edge(value: float) -> float:
    """Return how far a fraction is from 0 and 1, which it must not be rounded to."""
    return min(value, 1 - value) if value <= 1 else value


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
    style = numbers.style_of_plan(plan)
    wanted = f"a width of {style.size(plan.target)}"
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
            f"{style.size(plan.narrowest)}."
        )


def _trade(plan: Plan) -> Iterator[str]:
    trade = plan.trade
    if trade is None:
        return
    style = numbers.style_of_plan(plan)
    spent = f"For the price of one more vote on each of the {trade.n:,} items of the pilot"
    found = (
        f"({style.size(trade.deeper)} against {style.bare(abs(trade.broader))} "
        f"with {trade.more:,} more items)"
    )
    if trade.deeper < trade.broader:
        yield f"{spent}, that vote narrows the interval more than new items would {found}."
    else:
        yield f"{spent}, new items narrow the interval at least as much {found}."
