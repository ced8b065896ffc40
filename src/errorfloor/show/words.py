"""Results as the command line prints them: the sentence, the numbers, what they assume."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from errorfloor.checks.leaks import TRAINED
from errorfloor.methods.votes.plugin import PLUGIN
from errorfloor.results.claim import SCORES, SHARES
from errorfloor.show import grids, numbers
from errorfloor.show.kinds import ByClassName
from errorfloor.show.people import each_floor
from errorfloor.show.sentences import sentence_of
from errorfloor.show.text import text_of

if TYPE_CHECKING:
    from errorfloor.results import (
        AgreementEstimate,
        AnnotatorsResult,
        Comparison,
        Estimate,
        FeaturesEstimate,
        FloorDifference,
        Groups,
        PairedTest,
        People,
        RatingsEstimate,
        Verdict,
        VotesEstimate,
    )

_NO_BIAS = 5e-5  # less would read 0.00 points


def difference_of(verdict: Verdict) -> str:
    """Return the difference of a verdict, its limits, and how sure its sign is."""
    metric, claim = verdict.floor.measure, verdict.floor.claim
    style = numbers.style_of(verdict.floor)
    items = f" ({verdict.n:,} test items)" if verdict.n else ""
    within = (
        f"{style.signed(verdict.difference)}{style.of_points}, {numbers.level(verdict.level)} "
        f"interval {style.signed(verdict.low)} to {style.signed(verdict.high)}"
    )
    best = metric.limit if claim.any_model else f"that of {claim.best_of}"
    own = metric.words if claim.any_model else f"the model's {metric.words}"
    pair = (own, best) if metric.less_is_better else (best, own)
    name = " minus ".join(pair)
    sure = ""
    if claim.any_model:
        behind = verdict.difference >= 0
        how, p = ("badly", verdict.p_room) if behind else ("well", verdict.p_beyond)
        chance = f"by chance with {numbers.p_equals(p)}"
        sure = f"; a model at the {metric.limit} would do this {how} {chance}"
    return f"{name[:1].upper()}{name[1:]}: {within}{sure}{items}."


@ByClassName
def long_text_of(result: Any) -> str:
    """Return a result as the command line prints it: with what it assumes and leaves out."""
    return str(result)


@long_text_of.register("Estimate")
def _(result: Estimate) -> str:
    return "\n".join(_under_sentence(result))


@long_text_of.register("AnnotatorsResult")
def _(result: AnnotatorsResult) -> str:
    return "\n".join([str(result), *_under_sentence(result.floor)])


@long_text_of.register("People")
def _(result: People) -> str:
    return "\n".join([text_of(result), *left_out(result.dropped)])


@long_text_of.register("FloorDifference")
def _(result: FloorDifference) -> str:
    return "\n".join([sentence_of(result), *([] if result.refuted else each_floor(result))])


@long_text_of.register("Verdict")
def _(result: Verdict) -> str:
    if result.floor.refuted:
        return sentence_of(result)
    floor = [*_about(result.floor)] if result.floor.n else [result.floor.assumptions]
    test = [_test(one) for one in (result.test, result.information) if one is not None]
    if not test and "prediction" in result.given and result.share is None:
        limit = result.floor.measure.limit
        test = [f"Model and {limit} come from the same items; the limits do not make use of that."]
    floor[0] = floor[0][:1].upper() + floor[0][1:]
    return "\n".join([sentence_of(result), difference_of(result), *test, *floor])


def _test(test: PairedTest) -> str:
    name = test.name[:1].upper() + test.name[1:]
    return f"{name}: statistic {test.statistic:.3g}, {numbers.p_equals(test.p)}. {test.means}"


@long_text_of.register("Comparison")
def _(result: Comparison) -> str:
    first = next(iter(result))
    level = "no" if first.level is None else numbers.level(first.level)
    how = f"{level} intervals, n = {first.n:,}"
    return "\n".join([sentence_of(result), str(result), how, *left_out(first.dropped)])


@long_text_of.register("Groups")
def _(result: Groups[Any]) -> str:
    lines = [sentence_of(result)] if sentence_of(result) else []
    if not grids.hold_floors(result):
        each = grids.under_names(result, long_text_of)
        return "\n\n".join([*lines, each, *left_out(result.dropped)])
    first = next(iter(result.values()))
    assumes = f"Assumes: {first.assumptions}"
    return "\n".join([*lines, str(result), assumes, *left_out(result.dropped)])


def left_out(dropped: int) -> list[str]:
    """Say how many items have missing values, if any."""
    return [f"Left out: {numbers.counted(dropped, 'item')} with missing values."] if dropped else []


def _under_sentence(estimate: Estimate) -> Iterator[str]:
    """Yield the sentence, and all about it; of a refuted floor the sentence says what is wrong."""
    yield sentence_of(estimate)
    if estimate.refuted:
        yield from left_out(estimate.dropped)
    else:
        yield from _about(estimate)


def _about(estimate: Estimate) -> Iterator[str]:
    """Yield the numbers, what they assume, and what else there is to know."""
    yield text_of(estimate)
    yield from (f"{name}: {lines}." for name, lines in numbers.given_with(estimate.measure))
    yield f"Assumes: {estimate.assumptions}"
    yield from (f"Note: {one.text}" for one in estimate.findings if one.name == TRAINED)
    yield from _more_about(estimate)
    yield from to_the_floor(estimate)
    yield from left_out(estimate.dropped)


def to_the_floor(estimate: Estimate) -> list[str]:
    """Say how to get the floor itself, where the answer is only a bound on it."""
    sees, limit = estimate.claim.sees, estimate.measure.limit
    declare = {
        SCORES: ", or declare these scores complete (--complete) if they use all that a model "
        "could know about an item",
        SHARES: ", or declare the label one more such vote (--label-is-vote) if it is one",
    }
    if not sees:
        return []
    votes = f"For the {limit} itself: collect votes of several people on each item"
    if sees == SHARES:
        votes = f"For the {limit} itself: leave out the label, for that of one more vote"
    return [f"{votes}{declare.get(sees, '')}."]


@ByClassName
def _more_about(result: Any) -> Iterable[str]:
    """Return what only one kind of estimate has to say."""
    return ()


@_more_about.register("FeaturesEstimate")
def _(result: FeaturesEstimate) -> Iterable[str]:
    if result.models:
        rates = (f"{name} {numbers.per_cent(rate)}" for name, rate in result.models.items())
        yield (
            f"Errors of each model over all items: {', '.join(rates)}. On "
            f"the later half {result.leader} had the fewest."
        )


@_more_about.register("AgreementEstimate")
def _(result: AgreementEstimate) -> Iterable[str]:
    low, high = (numbers.per_cent(limit) for limit in (result.allowed_low, result.allowed_high))
    yield (
        f"{result.agree:,} of {result.pairs:,} pairs agree "
        f"({numbers.per_cent(result.agreement)}). Even with unlimited pairs, this rate of "
        f"agreement would fit any floor from {low} to {high}. How often two people agree is not "
        "the best possible accuracy."
    )


@_more_about.register("RatingsEstimate")
def _(result: RatingsEstimate) -> Iterable[str]:
    from errorfloor.show import ratings

    return ratings.more_about(result)


@_more_about.register("VotesEstimate")
def _(result: VotesEstimate) -> Iterable[str]:
    if not result.measure.is_error:
        return
    bias = result.bias or 0.0
    if result.method != PLUGIN.name and bias < -_NO_BIAS:
        yield (
            f"Plain vote shares give {numbers.per_cent(result.plugin)}: with so few votes, "
            f"{numbers.points_of_size(-bias)} too low on average."
        )
    if result.bias_bound is not None:
        limit = result.options.get("model_error", 0.5)
        bound = numbers.points_of_size(result.bias_bound)
        if result.bias_bound >= limit:
            yield f"The paper's bound on that, {bound}, says nothing with so few votes."
        else:
            most = numbers.per_cent(limit)
            yield f"For any floor of at most {most} they are at most {bound} too low on average."
