"""The answer first: one sentence for each result, as a person without statistics would say it.

An error is stated as an accuracy, with the label that it is for; the lines below have the error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import update_wrapper
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from errorfloor._checks import Sentence, either
from errorfloor.methods.record import DRAWN_LABEL, GIVEN_LABEL
from errorfloor.metrics import Metric
from errorfloor.metrics.variances import OfVariances
from errorfloor.results.claim import Claim
from errorfloor.results.models import ModelComparison
from errorfloor.results.verdict import VERDICTS, Verdict
from errorfloor.show import grids, numbers
from errorfloor.show import models as in_models
from errorfloor.show import people as in_people
from errorfloor.show.standings import STANDINGS, only_if, standing_of

if TYPE_CHECKING:
    from errorfloor.results import (
        AnnotatorsResult,
        ClassItems,
        ClassReliability,
        Comparison,
        Confusion,
        Estimate,
        FeaturesEstimate,
        FeeBeeResult,
        FloorDifference,
        Groups,
        Items,
        LabelPlan,
        Option,
        People,
        Plan,
        RatingsEstimate,
        Reliability,
    )

Shown = TypeVar("Shown")
Version = Callable[[Any], Shown]

_FEW_NUMBERS = 6  # of votes that are named
FEW = 4  # so many groups are named, more are counted


class ByClassName(Generic[Shown]):
    """A function of a result, and its versions by the names of the classes that they are for.

    `functools.singledispatch` needs the classes themselves. To load all of them took 70 ms of
    processor time where it was measured, and who shows one result has no use for the others.
    """

    def __init__(self, usual: Version[Shown]) -> None:
        self.usual = usual
        self.versions: dict[str, Version[Shown]] = {}
        update_wrapper(self, usual)

    def register(self, *names: str) -> Callable[[Version[Shown]], Version[Shown]]:
        """Add a version for the classes of these names."""

        def add(version: Version[Shown]) -> Version[Shown]:
            self.versions |= dict.fromkeys(names, version)
            return version

        return add

    def __call__(self, result: Any) -> Shown:
        """Return what the version for the result's class returns, or for the next one above it."""
        for kind in type(result).__mro__:
            if kind.__name__ in self.versions:
                return self.versions[kind.__name__](result)
        return self.usual(result)


@ByClassName
def sentence_of(result: Any) -> str:
    """Return the one plain sentence that says what was found."""
    raise TypeError(f"There is no sentence for a {type(result).__name__}.")


@sentence_of.register("Estimate")
def _(result: Estimate) -> str:
    return refusal_of(result) if result.refuted else f"{_best(result)}.{result.claim.may_do_better}"


@sentence_of.register("FeaturesEstimate")
def _(result: FeaturesEstimate) -> str:
    if result.refuted:
        return refusal_of(result)
    if result.lower_from is not None:
        return (
            f"{_best(result)}. The votes (method {result.lower_from}) show that no model gets "
            "further, the models tried show how far one gets."
        )
    if result.interval is not None:
        return (
            f"{_best(result)}. Features with one label per item cannot tell how much better "
            "than this a model can get."
        )
    estimates = f"The estimate {result.method} puts the floor"
    if result.lower_end is None or result.upper_end is None:
        return f"{estimates} at {numbers.per_cent(result.value, 1)}. This is no limit."
    ends = (numbers.per_cent(end, 1) for end in (result.lower_end, result.upper_end))
    return f"{estimates} between {' and '.join(ends)}. These are no limits."


@sentence_of.register("RatingsEstimate")
def _(result: RatingsEstimate) -> str:
    from errorfloor.show import ratings

    return refusal_of(result) if result.refuted else ratings.sentence(result)


@sentence_of.register("Verdict")
def _(result: Verdict) -> str:
    if result.floor.refuted:
        finding = refuting(result.floor)[0]
        limit = result.floor.measure.limit
        return f"No verdict on the model, because no {limit} can be stated. {finding.text}"
    if isinstance(result.floor.measure.how, OfVariances):
        from errorfloor.show import ratings

        return ratings.sentence_of_verdict(result)
    metric, style = result.floor.measure, numbers.style_of(result.floor)
    digits = style.digits(numbers.width_of(result.floor), numbers.edge_of(result.model_value))
    at = style.value(metric.shown(result.model_value), digits)
    standing = standing_of(result).sentence(result, f"your model, at {at},")
    return f"{_best(result.floor)}. {standing}{only_if(result.floor)}"


@sentence_of.register("People")
def _(result: People) -> str:
    return refusal_of(result.floor) if result.floor.refuted else in_people.sentence(result)


@sentence_of.register("ModelComparison")
def _(result: ModelComparison) -> str:
    return refusal_of(result) if result.refuted else in_models.sentence(result)


@sentence_of.register("FloorDifference")
def _(result: FloorDifference) -> str:
    for floor in (result.first, result.second):
        if floor.refuted:
            return refusal_of(floor)
    return in_people.of_difference(result)


@sentence_of.register("Comparison")
def _(result: Comparison) -> str:
    main = result.main
    if main.refuted:
        return refusal_of(main)
    others = [row.value for row in result if row is not main and not row.refuted]
    recommended = grids.recommended_of(result) is not None
    sentence = f"{_best(main)} ({'recommended ' if recommended else ''}method {main.method})."
    if not others:
        return sentence
    style, metric, digits = numbers.style_of(main), main.measure, numbers.digits_for(main)
    low, high = sorted(metric.shown(value) for value in (min(others), max(others)))
    if len(others) == 1:
        return f"{sentence} The other method gives {style.value(low, digits)}."
    rest_on = ", which rest on other assumptions," if recommended else ""
    return f"{sentence} The other methods{rest_on} give {style.range_of(low, high, digits)}."


@sentence_of.register("Groups")
def _(result: Groups[Any]) -> str:
    if grids.hold_floors(result):
        return _range_of_groups(result)
    if result and all(isinstance(row, Verdict) for row in result.values()):
        return _standings(result)
    if result and all(isinstance(row, ModelComparison) for row in result.values()):
        return in_models.of_groups(result)
    return ""


@sentence_of.register("LabelPlan")
def _(result: LabelPlan) -> str:
    widths = (result.width, result.width_at_random)
    digits = numbers.digits_of_size(min(widths), 0.0)
    wide, at_random = (f"{100 * one:.{digits}f} points" for one in widths)
    more = f" more ({result.labelled:,} have a label)" if result.labelled else ""
    given = "" if result.floor_from_labels else ", if the scores are calibrated probabilities"
    return (
        f"Label {numbers.counted(result.budget, 'item')}{more} of {result.n:,}: the interval of "
        f"the floor will be about {wide} wide{given}. With as many items drawn at random it would "
        f"be {at_random} wide."
    )


@sentence_of.register("Plan")
def _(result: Plan) -> str:
    ways = [*_way_to_target(result), *_way_to_spend(result)]
    ways += _who_votes(result)
    return " ".join([*ways, *_trade(result), *_bounded_by(result), *_about_whom(result)])


@sentence_of.register("AnnotatorsResult")
def _(result: AnnotatorsResult) -> str:
    guess = sum(row.may_guess for row in result)
    every = numbers.counted(len(result), "annotator")
    who = (
        f"{guess:,} of {every} may be guessing"
        if guess
        else f"None of the {every} seems to be guessing"
    )
    if result.everyone is None or result.without is None or result.left_out is None:
        return f"{who}."
    digits = numbers.digits_for(result.floor)
    return (
        f"{who}; they gave {100 * result.left_out:.0f} % of the votes. Without them the floor goes "
        f"from {numbers.per_cent(result.everyone, digits)} to "
        f"{numbers.per_cent(result.without, digits)}, measured on items that were not used to find "
        "them."
    )


@sentence_of.register("Confusion")
def _(result: Confusion) -> str:
    pairs = result.pairs
    if not pairs:
        return "The best rule makes no errors on these items."
    first = pairs[0]
    often = f"{numbers.per_cent(first.share, 0)} of the"
    if result.estimated:
        often = f"An estimated {often}"
    if len(pairs) == 1:
        often = "All"
    confuse = f"confuse {first.first} with {first.second}"
    if result.best_of:
        return f"With {result.best_of}, {often[:1].lower()}{often[1:]} errors {confuse}."
    return f"{often} errors that any model makes {confuse}."


@sentence_of.register("Items", "ClassItems")
def _(result: Items | ClassItems) -> str:
    return f"{numbers.counted(int(result.count.sum()), 'item')}, the hardest first."


@sentence_of.register("Reliability")
def _(result: Reliability) -> str:
    return _curve(result, "of class 1", "score")


@sentence_of.register("ClassReliability")
def _(result: ClassReliability) -> str:
    return _curve(result.top, "that the likeliest class is right", "share")


def _curve(curve: Reliability, what: str, score: str) -> str:
    """Say between what the fitted probabilities are, and whether they may rise with the score."""
    (first, last), (least, most) = curve.probabilities[[0, -1]], curve.scores[[0, -1]]
    order = "" if curve.in_order else ", and somewhere the probability falls as the score rises"
    return (
        f"The fitted probability {what} goes from {numbers.range_of(first, last, 0)} for {score}s "
        f"from {least:.3g} to {most:.3g} ({curve.method}, {numbers.counted(curve.n, 'item')})"
        f"{order}."
    )


@sentence_of.register("FeeBeeResult")
def _(result: FeeBeeResult) -> str:
    rows = list(result)
    if not rows:
        return ""
    best = min(rows, key=lambda row: row.score)
    what = "" if result.measure.is_error else f" of {result.measure.words}"
    if len(rows) == 1:
        return f"{best.method} misses added label noise by {best.score:.5f}{what}."
    return f"Of {len(rows):,} methods{what}, {best.method} misses added label noise the least here."


def refusal_of(result: Estimate | ModelComparison) -> str:
    """Say why an answer cannot be stated, and what to do about it."""
    return Sentence(f"{nothing_stated(result)} ", refuting(result)[0].text)


def nothing_stated(result: Estimate | ModelComparison) -> str:
    """Say that no floor, no ceiling, or no order of models can be stated."""
    if isinstance(result, ModelComparison):
        return "The models cannot be compared."
    return f"No {result.measure.limit} can be stated."


def refuting(result: Estimate | ModelComparison) -> list[Any]:
    """Return the findings that refute an answer, the first of them the one to name."""
    return [finding for finding in result.findings if finding.level == "refuted"]


def _best(result: Estimate) -> str:
    """Return the best that any model can do, or what bounds it, without a full stop."""
    metric, given, claim = result.measure, result.n == 0, result.claim
    if not claim.any_model:
        return _bound(result, claim)
    of = "" if given else _on(result)
    when = f"If {claim.condition}" if claim.condition else ""
    when = f"With the {metric.limit} that you gave" if given else when
    the = f"{when}, the" if when else "The"
    best = f"{the} best possible {metric.opposite or metric.words}{of} is"
    if claim.any_between:
        sure = numbers.level(result.level or 0)
        return f"{best} between {_limits(result, ' and ')} ({sure} confidence)"
    return f"{best} {'' if given else 'about '}{_shown(result, metric)}"


def _bound(result: Estimate, claim: Claim) -> str:
    """Return what bounds the best that any model can do: the limit that holds comes first."""
    metric, style = result.measure, numbers.style_of(result)
    name = numbers.with_article(metric.opposite or metric.words)
    digits = numbers.digits_for(result)
    value = style.value(metric.shown(result.value), digits)
    if claim.limits == "none" or result.low is None or result.high is None:
        best = numbers.with_capital(claim.best_of)
        return f"{best} gets {name} of about {_shown(result, metric)}{_on(result)}"
    limit = result.low if claim.low else result.high
    least = claim.low if not metric.opposite else claim.high
    bound = (style.at_least if least else style.at_most)(metric.shown(limit), digits)
    sure = numbers.level(result.level or 0)
    if claim.reachable(metric):
        sentence = f"{numbers.with_capital(name)} of {bound}{_on(result)} is reachable"
        return f"{sentence} ({sure} confidence); the estimate for {claim.best_of} is {value}"
    best = f"The best possible {metric.opposite or metric.words}{_on(result)} is {bound}"
    return (
        f"{best} ({sure} confidence); {claim.best_of}, which looks too good where items have few "
        f"votes, gives about {value}"
    )


def _on(result: Estimate) -> str:
    """Return on which labels a value is reached, where that is not plain."""
    if result.target == GIVEN_LABEL:
        return " on these labels"
    return "" if result.target == DRAWN_LABEL else f" in predicting {result.target}"


def _shown(result: Estimate, metric: Metric) -> str:
    """Return the value as people like to see it: where there is an opposite, as that."""
    style, digits = numbers.style_of(result), numbers.digits_for(result)
    value = style.value(metric.shown(result.value), digits)
    if not result.n or result.low is None or result.high is None:
        return value
    return f"{value} ({_limits(result)})"


def _limits(result: Estimate, to: str = " to ") -> str:
    """Return the limits of the value in the same terms, the lower first."""
    assert result.low is not None
    assert result.high is not None
    low, high = sorted(result.measure.shown(limit) for limit in (result.low, result.high))
    range_ = numbers.style_of(result).range_of(low, high, numbers.digits_for(result))
    return range_.replace(" to ", to)


def _range_of_groups(groups: Groups[Estimate]) -> str:
    """Say the lowest best value and the highest, with what cannot be stated."""
    stated = {name: row for name, row in groups.items() if not row.refuted}
    refuted = len(groups) - len(stated)
    if not stated:
        return f"{_unstated(groups)} of any group. Ask for one group at a time to see why."
    metric = next(iter(stated.values())).measure
    sentence = _only(groups, stated) if len(groups) == 1 else _between(groups, stated, metric)
    apart = f" {_unstated(groups)} of {numbers.counted(refuted, 'group')}." if refuted else ""
    return f"{sentence}.{apart}"


def _unstated(groups: Groups[Estimate]) -> str:
    return nothing_stated(next(iter(groups.values())))[:-1]


def _only(groups: Groups[Estimate], stated: dict[Any, Estimate]) -> str:
    ((name, row),) = stated.items()
    return f"{_best(row)} ({groups.column} {name}, the only group)"


def _between(groups: Groups[Estimate], stated: dict[Any, Estimate], metric: Metric) -> str:
    """Return the range over groups."""
    first = next(iter(stated.values()))
    style = numbers.style_of(first)
    width = max(map(numbers.width_of, stated.values()))
    order = sorted(stated, key=lambda name: metric.shown(stated[name].value))
    ends = [order[0], order[-1]]
    digits = max(style.digits(width, numbers.edge_of(stated[one].value)) for one in ends)
    low, high = (
        f"{style.value(metric.shown(stated[one].value), digits)} in {_group(groups, one)}"
        for one in ends
    )
    name, claim = metric.opposite or metric.words, first.claim
    several = len(groups) > 2
    found = f"about {low} and {high}"
    if several:
        found = f"from about {low} to {high} ({len(groups):,} groups)"
    if claim.any_model:
        the = f"If {claim.condition}, the" if claim.condition else "The"
        is_found = f"ranges {found}" if several else f"is {found}"
        return f"{the} best possible {name}{_on(first)} {is_found}"
    best = numbers.with_capital(claim.best_of)
    of = "that ranges " if several else "of "
    more = claim.may_do_better.rstrip(".")
    return f"{best} gets {numbers.with_article(name)} {of}{found}{f'.{more}' if more else ''}"


def _group(groups: Groups[Any], name: Any) -> str:
    """Return what a group is called: "site 3", but "hospital 3" for `hospital` "hospital 3"."""
    repeats = str(name).lower().startswith(str(groups.column).lower())
    return str(name) if repeats else f"{groups.column} {name}"


def _standings(groups: Groups[Verdict]) -> str:
    """Say in how many groups the model has room, is there, or is beyond."""
    stated = {name: row for name, row in groups.items() if not row.floor.refuted}
    found = {
        verdict: [name for name, row in stated.items() if row.verdict == verdict]
        for verdict in VERDICTS
    }
    refuted = [name for name in groups if name not in stated]
    best = next(iter(groups.values())).floor.claim.best_of
    parts = [
        (_named(groups, names), STANDINGS[verdict].of_groups.format(best))
        for verdict, names in found.items()
        if names
    ]
    parts += [(_named(groups, refuted), "cannot be judged")] if refuted else []
    (where, how), *others = parts
    rest = (f"; in {where} it {how}" for where, how in others)
    return f"In {where}, your model {how}{''.join(rest)}."


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
    wanted = f"an interval of {style.size_in_short(plan.target)}"
    best = plan.best
    if best is not None:
        yield (
            f"For a new set of items, the cheapest way to {wanted} is "
            f"{_labels_of(best)}, at a cost of {best.cost:,.0f}.{_tried(plan)}"
        )
    elif plan.narrowest is not None:
        most = int(plan.votes.max())
        labels = "one label each" if most == 1 else f"up to {most} votes each"
        yield (
            f"No number of items gives {wanted} with {labels}; the narrowest has "
            f"{style.size(plan.narrowest, style.digits(plan.narrowest, plan.narrowest))}."
        )


def _way_to_spend(plan: Plan) -> Iterator[str]:
    best = plan.best_affordable
    if best is None:
        return
    style, own = numbers.style_of_plan(plan), plan.extended
    width = style.size(best.width, style.digits(best.width, best.width))
    if own is None or not plan.extends:
        yield (
            f"For a new set of items, a budget of {plan.budget:,.0f} gives the narrowest "
            f"interval with {_labels_of(best)}: it will be about {width} wide.{_tried(plan)}"
        )
        return
    if own is plan.deepened:
        more = f"{numbers.counted(own.votes, 'more vote')} for each of your {own.items:,} items"
    else:
        more = f"{numbers.counted(own.items, 'more item')} with as many votes as yours"
    narrower = style.size(own.width, style.digits(own.width, own.width))
    yield (
        f"With a budget of {plan.budget:,.0f}, {more} give the narrowest interval: about "
        f"{narrower} wide. A new set of items alone, with {_labels_of(best)}, would make it "
        f"{width} wide.{_tried(plan)}"
    )


def _tried(plan: Plan) -> str:
    """Say which numbers of votes were tried, beyond which a better one may lie."""
    tried = [f"{number:,}" for number in plan.votes]
    if len(tried) < 2:
        return ""
    named = either(tried) if len(tried) <= _FEW_NUMBERS else f"{tried[0]} to {tried[-1]}"
    return f" Tried were {named} votes per item."


def _labels_of(option: Option) -> str:
    """Say how many labels an option has."""
    labels = "one label" if option.votes == 1 else f"{option.votes} votes"
    return f"{labels} for each of {option.items:,} items"


def _bounded_by(plan: Plan) -> Iterator[str]:
    """Say what labels cannot change: scores see no more with more of them."""
    claim, metric = plan.claim, plan.measure
    if claim.sees and claim.reachable(metric):
        side = "fall below" if metric.less_is_better else "rise above"
        yield (
            f"More labels only make this limit more precise: it cannot {side} what "
            f"{claim.best_of} gets. To get the {metric.limit} itself, collect votes."
        )


def _about_whom(plan: Plan) -> Iterator[str]:
    """Say whose votes the widths are about, where an answer would be about others as well."""
    if plan.annotators is not None:
        yield (
            f"All widths are for votes by these {plan.annotators:,} annotators; intervals that "
            "also hold for a new annotator are wider."
        )


def _who_votes(plan: Plan) -> Iterator[str]:
    """Say that votes of more people are needed than voted so far, each once on an item."""
    if plan.people_needed is not None:
        yield (
            f"Nobody votes twice on an item, so {plan.people_needed:,} votes per item need as many "
            f"people, and {plan.people:,} voted so far."
        )


def _trade(plan: Plan) -> Iterator[str]:
    trade = plan.trade
    if trade is None:
        return
    style = numbers.style_of_plan(plan)
    widths = trade.deeper, abs(trade.broader)
    digits = max(style.digits(min(widths), min(widths)), 1)  # they are to be told apart
    deeper, broader = (style.size(width, digits) for width in widths)
    if trade.now is not None:
        yield f"The interval is now {style.size(trade.now, digits)} wide."
    vote = f"One more vote for each of your {trade.n:,} items would make the interval {deeper} wide"
    price = "" if trade.price is None else f" of {trade.price:,.2f}".removesuffix(".00")
    items = f"{trade.more:,} more items, for the same price{price}, would make it {broader} wide"
    if trade.deeper < trade.broader:
        yield f"{vote}; {items}."
    else:
        yield f"{vote}; {items}, so more items are at least as good."
