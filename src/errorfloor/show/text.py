"""Results as text, as `print` shows them, and longer as the command line prints them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from errorfloor._shown import Answer
from errorfloor.methods.soft import PLUGIN
from errorfloor.results.claim import SCORES, SHARES, SHOWN_NOTES
from errorfloor.results.verdict import BEYOND, OPEN, ROOM
from errorfloor.show import grids, numbers
from errorfloor.show import models as in_models
from errorfloor.show import people as in_people
from errorfloor.show.grids import PLAIN_TARGETS, Grid
from errorfloor.show.sentences import ByClassName, refusal_of, refuting, sentence_of
from errorfloor.show.standings import digits_of, limits_of

if TYPE_CHECKING:
    from errorfloor.data.options import Source
    from errorfloor.results import (
        AgreementEstimate,
        AnnotatorsResult,
        ClassItems,
        Comparison,
        Confusion,
        Estimate,
        FeaturesEstimate,
        FeeBeeResult,
        FloorDifference,
        Groups,
        Items,
        LabelPlan,
        Look,
        ModelComparison,
        People,
        Plan,
        RatingsEstimate,
        Verdict,
        VotesEstimate,
    )
    from errorfloor.results.claim import Finding
    from errorfloor.results.look import LayoutLook


@ByClassName
def text_of(result: Any) -> str:
    """Return a result as text: the answer first."""
    return repr(result)


# A look at data: the columns, how they may be read, what is wrong, what to type next.


_MOST_COLUMNS = 40  # that text shows
_MOST_CLASSES = 6
_MOST_NAMED = 12  # columns of one role


@text_of.register("Look")
def _(look: Look) -> str:
    return _joined(*_lines_of(look))


def _lines_of(look: Look) -> Iterator[str]:
    """Yield a look line by line."""
    number = numbers.counted(len(look.columns), "column") if look.columns else "a saved table"
    yield f"{look.name}: {numbers.counted(look.rows, 'row')}, {number}."
    if look.columns:
        yield from grids.as_text(_columns_of(look))
    if len(look.columns) > _MOST_COLUMNS:
        yield f"and {len(look.columns) - _MOST_COLUMNS:,} more columns"
    for one in look.layouts:
        yield from _about_layout(one)
    yield from look.problems
    yield "Next:"
    yield from (f"  {line}" for line in look.next)


def _columns_of(look: Look) -> Grid:
    """Return the columns as rows of cells."""
    rows = tuple(
        (one.name, one.kind, _number(one.distinct), _number(one.missing))
        for one in look.columns[:_MOST_COLUMNS]
    )
    return Grid(("column", "kind", "different values", "missing"), rows, "<<>>")


def _about_layout(one: LayoutLook) -> Iterator[str]:
    parts = [f"{role}: {_columns(column)}" for role, column in one.columns.items()]
    named = "; ".join(parts) if len(parts) > 1 else parts[0].partition(": ")[2] if parts else ""
    yield f"As {one.layout}{f' ({named})' if named else ''}: {one.says}"
    if one.problem is not None:
        yield f"  Not yet: {one.problem}"
        return
    parts = [numbers.counted(one.n or 0, "item")]
    if one.votes is not None:
        parts.append(numbers.counted(one.votes, "vote"))
    if one.classes:
        some = [f"{name} ({number:,})" for name, number in one.classes[:_MOST_CLASSES]]
        more = len(one.classes) - len(some)
        parts.append(
            f"{len(one.classes)} classes: {', '.join(some)}{f' and {more} more' * (more > 0)}"
        )
    if one.dropped:
        rows = numbers.counted(one.dropped, "row")
        parts.append(f"{rows} left out because something is missing")
    yield f"  {'; '.join(parts)}."


def _columns(column: object) -> str:
    if not isinstance(column, list | tuple):
        return str(column)
    some = [*map(str, column[:_MOST_NAMED])]
    more = f" and {len(column) - len(some):,} more" if len(column) > len(some) else ""
    return f"{', '.join(some)}{more}"


def _number(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


@text_of.register("Estimate")
def _(result: Estimate) -> str:
    if result.refuted:
        return refusal_of(result)
    doubts = [*map(_warning, _findings(result, "warn"))]
    doubts += [f"Note: {one.text}" for one in result.findings if one.name in SHOWN_NOTES]
    return _joined(_headline(result, ", ".join(_how(result))), labels_alone(result), *doubts)


@text_of.register("RatingsEstimate")
def _(result: RatingsEstimate) -> str:
    from errorfloor.show import ratings

    usual = text_of.versions["Estimate"](result)
    return usual if result.refuted else _joined(usual, ratings.of_whole_grades(result))


@text_of.register("FeaturesEstimate")
def _(result: FeaturesEstimate) -> str:
    if result.refuted:
        return refusal_of(result)
    features = numbers.counted(result.dimensions, "feature")
    how = f"n = {result.n:,}, {features}, method {result.method}"
    if result.interval is not None:
        line = _headline(result, how)
    elif result.lower_end is None or result.upper_end is None:
        line = f"floor {numbers.per_cent(result.value, 1)}, which is no limit ({how})"
    else:
        ends = numbers.range_of(result.lower_end, result.upper_end, 1)
        line = f"floor {ends}, which are no limits ({how})"
    return _joined(line, *map(_warning, _findings(result, "warn")))


def doubts_of(result: Estimate | ModelComparison) -> list[str]:
    """Return what calls for attention next to the headline."""
    return [finding.text for finding in _findings(result, "warn")]


def _findings(result: Estimate | ModelComparison, level: str) -> list[Finding]:
    return [finding for finding in result.findings if finding.level == level]


def _warning(finding: Finding) -> str:
    return f"Warning: {finding.text}"


def _headline(result: Estimate, how: str) -> str:
    """Return the numbers in a line; the limit that holds for any model comes first."""
    value, limits = numbers.value_and_limits(result)
    metric, claim, sure = result.measure, result.claim, numbers.level(result.level or 0)
    of_metric = "" if metric.is_error else f"{' of' if metric.unit else ''} {metric.words}"
    # People mistake one label for another where there are votes, and the floors differ much.
    of = "" if result.target in PLAIN_TARGETS else f" for {result.target}"
    if claim.any_model:
        within = f", {sure} interval {limits}" if limits else ""
        return f"{metric.limit} {value}{of_metric}{of}{within} ({how})"
    best = f"{claim.best_of} gives {numbers.with_article(metric.words)} of {value}"
    if claim.limits == "none":
        within = f", {sure} interval {limits}" if limits else ""
        return f"{best}{of}{within} ({how}); this is no limit of the {metric.limit}"
    style, digits = numbers.style_of(result), numbers.digits_for(result)
    limit = result.low if claim.low else result.high
    assert limit is not None
    bound = (style.at_least if claim.low else style.at_most)(limit, digits)
    within = f", interval {limits}" if result.n and result.low else ""
    return f"{metric.limit} {bound}{of_metric}{of} with {sure} confidence; {best}{within} ({how})"


def _how(result: Estimate) -> Iterator[str]:
    """Yield how value and limits were found."""
    if result.n_unlabelled:
        yield f"labels on {result.n:,} of {result.n + result.n_unlabelled:,} items"
    else:
        yield f"n = {result.n:,}"
        if result.n_effective is not None:
            yield f"effective n = {result.n_effective:,.0f}"
        if result.clusters is not None:
            yield f"{result.clusters:,} clusters"
    yield f"method {result.method}"
    if result.interval is not None:
        method = result.interval.method
        yield numbers.NAMED.get(method, f"{method} interval")


def labels_alone(result: Estimate) -> str:
    """Return what the labels alone say, where scores of further items were used; else nothing."""
    alone = result.labelled_only
    if alone is None:
        return ""
    name = numbers.with_article(result.measure.words)
    line = f"The labelled items alone would give {name} of {numbers.with_limits(alone)}."
    if result.n_effective is None:
        return line
    your = numbers.counted(result.n, "label")
    worth = f"make your {your} worth {result.n_effective:,.0f}"
    return f"{line} The scores of the other items {worth}."


@text_of.register("Comparison")
def _(result: Comparison) -> str:
    return _joined(*grids.as_text(grids.of_methods(result)), *result.notes, *_about_rows(result))


@text_of.register("Groups")
def _(result: Groups[Any]) -> str:
    if not grids.hold_floors(result):
        return grids.under_names(result, text_of)
    return _joined(*grids.as_text(grids.of_groups(result)), grids.how_groups(result))


@text_of.register("Verdict", "FloorDifference", "Reliability", "ClassReliability")
def _(result: Answer) -> str:
    return sentence_of(result)


@text_of.register("People")
def _(result: People) -> str:
    if result.floor.refuted:
        return sentence_of(result)
    table = in_people.of_models(result) if result.models else in_people.of_panels(result)
    doubts = map(_warning, _findings(result.floor, "warn"))
    return _joined(sentence_of(result), *grids.as_text(table), *in_people.about(result), *doubts)


@text_of.register("ModelComparison")
def _(result: ModelComparison) -> str:
    if result.refuted:
        return sentence_of(result)
    table = grids.as_text(in_models.of_models(result))
    floor = [] if result.floor is None else [f"Of these items: {sentence_of(result.floor)}"]
    doubts = map(_warning, _findings(result, "warn"))
    return _joined(sentence_of(result), *table, *in_models.about(result), *floor, *doubts)


@text_of.register("LabelPlan")
def _(result: LabelPlan) -> str:
    return _joined(sentence_of(result), how_labels(result))


def how_labels(result: LabelPlan) -> str:
    """Return what a plan of labels is made from, and what to do with its weights."""
    least, most = result.weight[result.rows].min(), result.weight[result.rows].max()
    line = "labels so far" if result.floor_from_labels else "scores, taken for probabilities"
    return (
        f"A floor of {numbers.per_cent(result.floor)} is expected, from {line}. "
        f"{result.assumptions} Labels count with weights from {least:,.3g} to {most:,.3g}: pass "
        "the plan's `weight` to from_scores."
    )


@text_of.register("Plan")
def _(result: Plan) -> str:
    table = grids.as_text(grids.of_plan(result))
    return _joined(sentence_of(result), grids.how_plan(result), *table)


@text_of.register("Items", "ClassItems")
def _(result: Items | ClassItems) -> str:
    return _joined(*grids.as_text(grids.of_items(result)), grids.how_items(result))


@text_of.register("FeeBeeResult")
def _(result: FeeBeeResult) -> str:
    table = grids.as_text(grids.of_feebee(result))
    return _joined(*table, grids.how_feebee(result), *result.notes)


@text_of.register("AnnotatorsResult")
def _(result: AnnotatorsResult) -> str:
    more = len(result) - grids.MOST_ANNOTATORS
    rest = f"and {more:,} more" if more > 0 else ""
    table = grids.as_text(grids.of_annotators(result))
    return _joined(sentence_of(result), *table, rest, *result.notes)


@text_of.register("Confusion")
def _(result: Confusion) -> str:
    more = len(result.pairs) - grids.MOST_PAIRS
    rest = f"and {numbers.counted(more, 'more pair')}" if more > 0 else ""
    table = grids.as_text(grids.of_pairs(result)) if result.pairs else ()
    return _joined(sentence_of(result), *table, rest, result.basis)


def _about_rows(result: Comparison) -> Iterator[str]:
    """Yield the doubts about the main method, and why floors of others are refuted."""
    if not len(result):
        return
    main = result.main
    line = {one.text for one in main.findings}
    yield from map(_warning, refuting(main) + _findings(main, "warn"))
    for row in result:
        for one in refuting(row)[:1]:
            if one.text not in line:
                yield f"{row.method}: {one.text}"


def _joined(*lines: str) -> str:
    return "\n".join(line for line in lines if line)


def difference_of(verdict: Verdict) -> str:
    """Return the difference of a verdict, its limits, and how sure its sign is."""
    name, value, limits = parts_of_difference(verdict)
    items = f" ({verdict.n:,} test items)" if verdict.n else ""
    sure = _shown_by(verdict) if verdict.floor.claim.any_model else ""
    return f"{name}: {value}, {numbers.level(verdict.level)} interval {limits}{items}.{sure}"


def parts_of_difference(verdict: Verdict) -> tuple[str, str, str]:
    """Return what the difference of a verdict is of, its value, and its limits."""
    metric, claim = verdict.floor.measure, verdict.floor.claim
    style, digits = numbers.style_of(verdict.floor), digits_of(verdict)
    best = f"the {metric.limit}" if claim.any_model else f"that of {claim.best_of}"
    own = f"the model's {metric.words}"
    pair = (own, best) if metric.less_is_better else (best, own)
    low, high = (style.signed(one, digits) for one in limits_of(verdict))
    value = f"{style.signed(verdict.difference, digits)}{style.of_points}"
    return numbers.with_capital(" minus ".join(pair)), value, f"{low} to {high}"


def _shown_by(verdict: Verdict) -> str:
    """Say whether the difference shows on which side of the limit the model is, and how surely."""
    limit, p = verdict.floor.measure.limit, _p_in_brackets(verdict)
    if verdict.high < 0:
        return f" This is more than chance explains{p}."
    shown = verdict.verdict in (ROOM, BEYOND) or (verdict.verdict == OPEN and verdict.low > 0)
    shows = "This shows" if shown else "This does not show"
    side = "worse" if is_behind(verdict) else "better"
    return f" {shows} that the model is {side} than the {limit}{p}."


def is_behind(verdict: Verdict) -> bool:
    """Tell whether a model is behind the limit, or was shown to be."""
    return verdict.difference >= 0 or verdict.verdict == ROOM


def p_of_side(verdict: Verdict) -> tuple[str, float | None]:
    """Return the p-value of "the model is on its side of the limit", and what it is of.

    It is that of a test on the items of the floor, or of the difference. None where only the
    interval shows it, or where the limits of model and floor overlap whatever the level.
    """
    test, behind = verdict.test, is_behind(verdict)
    if test is not None and behind:
        by_interval = verdict.verdict == ROOM and not verdict.found_by_test
        return f"the {test.name}", None if by_interval else test.p
    p = verdict.p_room if behind else verdict.p_beyond
    return "this difference", p if p < 1 else None


def _p_in_brackets(verdict: Verdict) -> str:
    """Return the p-value with what it is of, and what is needed where it is just not enough."""
    name, p = p_of_side(verdict)
    if p is None:
        return ""
    tail = (1 - verdict.level) / 2
    needed = f"; {tail:.3g} or less is needed" if tail < p <= 2 * tail else ""
    return f" ({numbers.p_equals(p)}, from {name}{needed})"


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
    return "\n".join([text_of(result), *left_out(result.dropped, result.source)])


@long_text_of.register("FloorDifference")
def _(result: FloorDifference) -> str:
    return "\n".join(
        [sentence_of(result), *([] if result.refuted else in_people.each_floor(result))]
    )


@long_text_of.register("Verdict")
def _(result: Verdict) -> str:
    if result.floor.refuted:
        return sentence_of(result)
    floor = [*_about(result.floor)] if result.floor.n else [result.floor.assumptions]
    test = [*tests_of(result)]
    if not test and "prediction" in result.given and result.share is None:
        limit = result.floor.measure.limit
        test = [
            f"Model and {limit} were measured on the same items. The interval does not use that, "
            "so it is wider than necessary."
        ]
    floor[0] = numbers.with_capital(floor[0])
    return "\n".join([sentence_of(result), difference_of(result), *test, *floor])


def tests_of(result: Verdict) -> Iterator[str]:
    """Yield what tests of the model on the items of the floor show, or do not show."""
    for test in (result.test, result.information):
        if test is None:
            continue
        size = f"statistic {test.statistic:.3g}, {numbers.p_equals(test.p)}"
        instead = "; the interval does" if test is result.test and result.verdict == ROOM else ""
        found = f"it does not show that {test.claim}{instead}."
        if test.shows(result.level):
            found = f"{test.claim}, {test.detail}. {test.needs}".rstrip()
        yield f"{numbers.with_capital(test.name)} ({size}): {found}"


@long_text_of.register("Comparison")
def _(result: Comparison) -> str:
    first = next(iter(result))
    level = "no" if first.level is None else numbers.level(first.level)
    how = f"{level} intervals, n = {first.n:,}"
    return "\n".join(
        [sentence_of(result), str(result), how, *left_out(first.dropped, first.source)]
    )


@long_text_of.register("Groups")
def _(result: Groups[Any]) -> str:
    lines = [sentence_of(result)] if sentence_of(result) else []
    gone = left_out(result.dropped, getattr(next(iter(result.values()), None), "source", None))
    if not grids.hold_floors(result):
        each = grids.under_names(result, long_text_of)
        return "\n\n".join([*lines, each, *gone])
    first = next(iter(result.values()))
    assumes = f"Assumes: {first.assumptions}"
    return "\n".join([*lines, str(result), assumes, *gone])


def left_out(dropped: int, read: Source | Mapping[str, Any] | None) -> list[str]:
    """Say how many items, or votes and ratings in rows, have missing values, if any.

    `read` is the source of a result, or what is told of it.
    """
    told = {} if read is None else read if isinstance(read, Mapping) else read.facts
    rows = told.get("missing_in_rows")
    if rows is None and not dropped:
        return []
    items = numbers.counted(dropped, "item")
    if rows is None:
        return [f"Left out: {items} with missing values."]
    all_of = f", and with them all {rows['what']}s on {items}" if dropped else ""
    some = f"{rows['missing']:,} of {numbers.counted(rows['rows'], rows['what'])}"
    return [f"Left out: {some} with missing values{all_of}."]


def _under_sentence(estimate: Estimate) -> Iterator[str]:
    """Yield the sentence, and all about it; of a refuted floor the sentence says what is wrong."""
    yield sentence_of(estimate)
    if estimate.refuted:
        yield from left_out(estimate.dropped, estimate.source)
    else:
        yield from _about(estimate)


def _about(estimate: Estimate) -> Iterator[str]:
    """Yield the numbers, what they assume, and what else there is to know."""
    yield text_of(estimate)
    yield from (f"{name}: {lines}." for name, lines in numbers.given_with(estimate.measure))
    yield f"Assumes: {estimate.assumptions}"
    yield from _more_about(estimate)
    yield from to_the_floor(estimate)
    yield from left_out(estimate.dropped, estimate.source)


def to_the_floor(estimate: Estimate) -> list[str]:
    """Say how to get the floor itself, where the answer is only a bound on it."""
    sees, limit = estimate.claim.sees, estimate.measure.limit
    if not sees:
        return []
    if sees == SHARES:
        return [
            f"This is only a limit for the label. To get a {limit}, leave out --label (the {limit} "
            "for one more vote), or add --label-is-vote if the label is one more vote of the same "
            "kind."
        ]
    votes = f"To get the {limit} itself and not only a limit, collect votes of several people"
    complete = " If these scores use everything that a model could know, add --complete."
    return [f"{votes} for each item.{complete if sees == SCORES else ''}"]


@ByClassName
def _more_about(result: Any) -> Iterable[str]:
    """Return what only one kind of estimate has to say."""
    return ()


@_more_about.register("FeaturesEstimate")
def _(result: FeaturesEstimate) -> Iterable[str]:
    if result.models:
        digits = numbers.digits_for(result)
        rates = (f"{name} {numbers.per_cent(rate, digits)}" for name, rate in result.models.items())
        yield (
            f"Error of each model over all items: {', '.join(rates)}. On the later half of the "
            f"items, {result.leader} made the fewest errors."
        )


@_more_about.register("AgreementEstimate")
def _(result: AgreementEstimate) -> Iterable[str]:
    range_ = numbers.range_of(result.allowed_low, result.allowed_high, 1)
    in_about = "" if result.agree % 1 == 0 else "About "  # of a rate that was given
    chance = ""
    if result.interval is not None:
        chance = f"; the {numbers.level(result.level or 0)} interval also allows for chance in the"
        chance += f" {result.pairs:,} pairs"
    yield (
        f"{in_about}{result.agree:,.0f} of {result.pairs:,} pairs agree "
        f"({numbers.per_cent(result.agreement, 1)}). Even with unlimited pairs, this rate of "
        f"agreement would fit any floor from {range_}{chance}. How often two people agree is not "
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
    bias, style = result.bias or 0.0, numbers.style_of(result)
    digits = numbers.digits_for(result)
    if result.method != PLUGIN.name and float(style.bare(-bias, digits)) > 0:
        yield (
            f"Simply counting the votes would give a floor of "
            f"{style.value(result.plugin, digits)}. That is about {style.size(-bias, digits)} "
            "too low, because each vote is compared with a majority that it is part of."
        )
    if result.bias_bound is not None:
        limit = result.options.get("model_error", 0.5)
        bound = style.size(style.up(result.bias_bound, digits), digits)
        if result.bias_bound >= limit:
            yield f"The paper's bound on that is {bound}: with so few votes it does not help."
        else:
            most = numbers.per_cent(limit, digits)
            yield f"If the floor is at most {most}, that count is at most {bound} too low."
