"""Results in sentences: the one that says it all, and the text that the command line prints."""

from __future__ import annotations

from collections.abc import Iterator
from functools import singledispatch
from typing import Any

from errorfloor import metrics
from errorfloor.methods.votes.plugin import PLUGIN
from errorfloor.results import (
    AgreementEstimate,
    AnnotatorsResult,
    Comparison,
    Confusion,
    Estimate,
    Groups,
    PairedTest,
    Plan,
    Verdict,
    VotesEstimate,
)
from errorfloor.results.verdict import BEYOND, ROOM, SATURATED
from errorfloor.show import grids, numbers

_NO_BIAS = 5e-5  # less would read 0.00 points


@singledispatch
def sentence_of(result: Any) -> str:
    """Return the one plain sentence that says what was found."""
    raise TypeError(f"There is no sentence for a {type(result).__name__}.")


@sentence_of.register
def _(result: Verdict) -> str:
    if result.floor.refuted:
        finding = next(one for one in result.floor.findings if one.level == "refuted")
        return f"No verdict on the model: its floor cannot be stated. {finding.text}"
    metric = metrics.named(result.floor.metric)
    worse, better = ("above", "below") if metric.less_is_better else ("below", "above")
    model = f"The model's {metric.name} of {numbers.per_cent(result.model_error)}"
    limit = f"the {metric.limit} of {numbers.per_cent(result.floor.value)}"
    least, most = numbers.unsigned(result.low), numbers.unsigned(result.high)
    if result.test is not None and result.verdict == ROOM:
        sure = f"{result.test.name}, {numbers.p_equals(result.test.p)}"
        return (
            f"{model} can be beaten: a better rule exists ({sure}). The {metric.limit} is "
            f"{numbers.per_cent(result.floor.value)}; at most {most} points of room are left."
        )
    said = {
        ROOM: f"is {worse} {limit}: {least} to {most} points of room are left.",
        SATURATED: f"cannot be told from {limit}: at most {most} points are left.",
        BEYOND: f"is {better} {limit} by {most} to {least} points, which no classifier can be: "
        "suspect a leaked test set, labels made in another way, or scores out of order.",
    }
    return f"{model} {said[result.verdict]}"


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


def difference_of(verdict: Verdict) -> str:
    """Return the difference of a verdict, its limits, and how sure its sign is."""
    metric = metrics.named(verdict.floor.metric)
    worse, better = ("above", "below") if metric.less_is_better else ("below", "above")
    behind = verdict.difference >= 0
    side, p = (better, verdict.p_room) if behind else (worse, verdict.p_beyond)
    pair = (metric.name, metric.limit) if metric.less_is_better else (metric.limit, metric.name)
    return (
        f"{' less '.join(pair).capitalize()}: {numbers.signed(verdict.difference)} points, "
        f"{numbers.level(verdict.level)} interval {numbers.signed(verdict.low)} to "
        f"{numbers.signed(verdict.high)}; {numbers.p_equals(p)} against a model at or {side} the "
        f"{metric.limit} ({verdict.n:,} test items)."
    )


@singledispatch
def long_text_of(result: Any) -> str:
    """Return a result as the command line prints it: with what it assumes and leaves out."""
    return str(result)


@long_text_of.register
def _(result: Estimate) -> str:
    return "\n".join([*_floor(result), *left_out(result.dropped)])


@long_text_of.register
def _(result: VotesEstimate) -> str:
    shares = [] if result.refuted else _plain_shares(result)
    return "\n".join([*_floor(result), *shares, *left_out(result.dropped)])


@long_text_of.register
def _(result: AnnotatorsResult) -> str:
    floor = long_text_of(result.floor)
    return "\n".join([str(result), floor[:1].upper() + floor[1:]])


@long_text_of.register
def _(result: AgreementEstimate) -> str:
    low, high = (numbers.per_cent(limit) for limit in (result.allowed_low, result.allowed_high))
    return "\n".join(
        [
            *_floor(result),
            f"{result.agree:,} of {result.pairs:,} pairs agree "
            f"({numbers.per_cent(result.agreement)}). With unlimited pairs, that allows floors "
            f"from {low} to {high}: agreement is not the ceiling of accuracy.",
        ]
    )


@long_text_of.register
def _(result: Verdict) -> str:
    if result.floor.refuted:
        return sentence_of(result)
    floor = long_text_of(result.floor) if result.floor.n else result.floor.assumptions
    test = [] if result.test is None else [_test(result.test)]
    lines = [sentence_of(result), difference_of(result), *test, floor[:1].upper() + floor[1:]]
    return "\n".join(lines)


def _test(test: PairedTest) -> str:
    name = test.name[:1].upper() + test.name[1:]
    return f"{name}: statistic {test.statistic:.3g}, {numbers.p_equals(test.p)}. {test.means}"


@long_text_of.register
def _(result: Comparison) -> str:
    first = next(iter(result))
    level = "no" if first.level is None else numbers.level(first.level)
    how = f"{level} intervals, n = {first.n:,}"
    return "\n".join([str(result), how, *left_out(first.dropped)])


@long_text_of.register(Groups)
def _(result: Groups[Any]) -> str:
    if not grids.hold_floors(result):
        return "\n\n".join([grids.under_names(result, long_text_of), *left_out(result.dropped)])
    first = next(iter(result.values()))
    return "\n".join([str(result), f"Assumes: {first.assumptions}", *left_out(result.dropped)])


def left_out(dropped: int) -> list[str]:
    """Say how many items have missing values, if any."""
    return [f"Left out: {numbers.counted(dropped, 'item')} with missing values."] if dropped else []


def _floor(estimate: Estimate) -> list[str]:
    assumes = [] if estimate.refuted else [f"Assumes: {estimate.assumptions}"]
    return [str(estimate), *assumes]


def _plain_shares(estimate: VotesEstimate) -> Iterator[str]:
    bias = estimate.bias or 0.0
    if estimate.method != PLUGIN.name and bias < -_NO_BIAS:
        yield (
            f"Plain vote shares say {numbers.per_cent(estimate.plugin)}; with so many votes they "
            f"are {numbers.points_of_size(-bias)} too low on average."
        )
    if estimate.bias_bound is not None:
        limit = estimate.options.get("model_error", 0.5)
        bound = numbers.points_of_size(estimate.bias_bound)
        if estimate.bias_bound >= limit:
            yield f"The paper's bound on that, {bound}, says nothing with so few votes."
        else:
            most = numbers.per_cent(limit)
            yield f"For any floor of at most {most} they are at most {bound} too low on average."


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
