"""Results as text, as `print` shows them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from errorfloor.results import Comparison, Estimate
from errorfloor.results.finding import Finding
from errorfloor.results.look import LayoutLook, Look
from errorfloor.show import grids, numbers
from errorfloor.show import models as in_models
from errorfloor.show import people as in_people
from errorfloor.show.grids import PLAIN_TARGETS, Grid
from errorfloor.show.kinds import ByClassName
from errorfloor.show.sentences import refusal_of, refuting, sentence_of

if TYPE_CHECKING:
    from errorfloor.results import (
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
        Verdict,
    )

# A look at data: the columns, how they may be read, what is wrong, what to type next.


_MOST_COLUMNS = 40  # that text shows
_MOST_CLASSES = 6
_MOST_NAMED = 12  # columns of one role


def _lines_of(look: Look) -> Iterator[str]:
    """Yield a look line by line."""
    number = numbers.counted(len(look.columns), "column") if look.columns else "a saved table"
    yield f"{look.name}: {numbers.counted(look.rows, 'row')}, {number}."
    if look.columns:
        yield from grids.as_text(_columns_of(look))
    if len(look.columns) > _MOST_COLUMNS:
        yield f"and {len(look.columns) - _MOST_COLUMNS:,} more columns"
    for one in look.layouts:
        yield from _about(one)
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


def _about(one: LayoutLook) -> Iterator[str]:
    named = "; ".join(f"{_columns(column)} as the {role}" for role, column in one.columns.items())
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
        parts.append(f"{one.dropped:,} left out because something is missing")
    yield f"  {'; '.join(parts)}."


def _columns(column: object) -> str:
    if not isinstance(column, list | tuple):
        return str(column)
    some = [*map(str, column[:_MOST_NAMED])]
    more = f" and {len(column) - len(some):,} more" if len(column) > len(some) else ""
    return f"{', '.join(some)}{more}"


def _number(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


@ByClassName
def text_of(result: Any) -> str:
    """Return a result as text: the answer first."""
    return repr(result)


@text_of.register("Estimate")
def _(result: Estimate) -> str:
    if result.refuted:
        return refusal_of(result)
    doubts = map(_warning, _findings(result, "warn"))
    return _joined(_headline(result, ", ".join(_how(result))), labels_alone(result), *doubts)


@text_of.register("FeaturesEstimate")
def _(result: FeaturesEstimate) -> str:
    if result.refuted:
        return refusal_of(result)
    value = numbers.per_cent(result.value)
    how = f"{result.method}, n = {result.n:,}, {numbers.counted(result.dimensions, 'feature')}"
    if result.interval is not None:
        line = _headline(result, how)
    elif result.lower_end is None or result.upper_end is None:
        line = f"floor {value}, no limit ({how})"
    else:
        low, high = numbers.per_cent(result.lower_end), numbers.per_cent(result.upper_end)
        line = f"floor between {low} and {high}, no limits ({how})"
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
    metric, claim = result.measure, result.claim
    of_metric = grids.of_metric(metric)
    # People mistake one label for another where there are votes, and the floors differ much.
    of = "" if result.target in PLAIN_TARGETS else f" for {result.target}"
    if claim.any_model:
        value = f"{metric.limit} {value}{of_metric}{of}"
        within = f", {numbers.level(result.level or 0)} interval {limits}" if limits else ""
        return f"{value}{within} ({how})"
    best = f"{metric.words} of {claim.best_of}" if claim.sees else claim.best_of
    value = f"{best}: {value}{'' if claim.sees else of_metric}"
    if claim.limits == "none":
        within = f", {numbers.level(result.level or 0)} interval {limits}" if limits else ""
        return f"{value}{of}{within} ({how}); no limit of the {metric.limit}"
    style, digits = numbers.style_of(result), numbers.digits_for(result)
    limit = result.low if claim.low else result.high
    assert limit is not None
    bound = f"at {'least' if claim.low else 'most'} {style.value(limit, digits)}"
    sure = f"{numbers.level(result.level or 0)} limit"
    within = f" ({limits})" if result.n and result.low else ""
    return f"{metric.limit} {bound}{of_metric}{of} ({sure}); {value}{within} ({how})"


def _how(result: Estimate) -> Iterator[str]:
    """Yield how value and limits were found."""
    yield result.method
    if result.n_unlabelled:
        yield f"labels on {result.n:,} of {result.n + result.n_unlabelled:,} items"
    else:
        yield f"n = {result.n:,}"
        yield from numbers.sampling_words(result)
    if result.interval is not None:
        yield result.interval.method


def labels_alone(result: Estimate) -> str:
    """Return what the labels alone say, where scores of further items were used; else nothing."""
    alone = result.labelled_only
    if alone is None:
        return ""
    value, limits = numbers.value_and_limits(alone)
    line = f"Labels alone: {value}{f' ({limits})' if limits else ''}."
    if result.n_effective is None:
        return line
    worth = f"{numbers.counted(result.n, 'label')} worth {result.n_effective:,.0f}"
    return f"{line} The scores of the other items make your {worth}."


@text_of.register("Comparison")
def _(result: Comparison) -> str:
    return _joined(*grids.as_text(grids.of_methods(result)), *result.notes, *_about_rows(result))


@text_of.register("Groups")
def _(result: Groups[Any]) -> str:
    if not grids.hold_floors(result):
        return grids.under_names(result, text_of)
    return _joined(*grids.as_text(grids.of_groups(result)), grids.how_groups(result))


@text_of.register("Verdict")
def _(result: Verdict) -> str:
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


@text_of.register("FloorDifference")
def _(result: FloorDifference) -> str:
    return sentence_of(result)


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


@text_of.register("Items")
def _(result: Items) -> str:
    return _joined(*grids.as_text(grids.of_items(result)), grids.how_items(result))


@text_of.register("ClassItems")
def _(result: ClassItems) -> str:
    return _joined(*grids.as_text(grids.of_class_items(result)), grids.how_items(result))


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
    rest = f"and {more:,} more pairs" if more > 0 else ""
    table = grids.as_text(grids.of_pairs(result)) if result.pairs else ()
    return _joined(sentence_of(result), *table, rest, result.basis)


@text_of.register("Look")
def _(result: Look) -> str:
    return _joined(*_lines_of(result))


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
