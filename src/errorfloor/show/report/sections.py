"""What a report says in the order of reading: the blocks of each section, from the results."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from errorfloor import _references
from errorfloor.features.records import in_words
from errorfloor.results import (
    AnnotatorsResult,
    ClassItems,
    Comparison,
    Confusion,
    Estimate,
    FeaturesEstimate,
    Items,
    People,
    RatingsEstimate,
    Verdict,
)
from errorfloor.results.estimate import interval_of, method_of
from errorfloor.results.finding import Finding
from errorfloor.show import curve, ratings
from errorfloor.show.gauge import gauge_of, lines_of, picture_of
from errorfloor.show.grids import (
    Grid,
    head_of,
    how_items,
    of_annotators,
    of_class_items,
    of_items,
    of_pairs,
)
from errorfloor.show.markup import in_sight
from errorfloor.show.numbers import (
    REFUTED,
    counted,
    digits_for,
    given_with,
    level,
    p_equals,
    p_value,
    sampling_of,
    style_of,
    value_and_limits,
)
from errorfloor.show.people import about, of_models, of_panels, rate, said_of
from errorfloor.show.report.document import (
    Answer,
    Block,
    Caution,
    Code,
    Document,
    Entries,
    Facts,
    Findings,
    Headline,
    Section,
    Table,
    Text,
)
from errorfloor.show.sentences import nothing_stated
from errorfloor.show.standings import standing_of

if TYPE_CHECKING:
    from errorfloor.show.report.summary import Summary


def method_in_words(estimate: Estimate) -> str:
    """Return what the method of an estimate does."""
    if isinstance(estimate, FeaturesEstimate):
        return in_words(estimate.method).explains
    if isinstance(estimate, RatingsEstimate):
        return ratings.METHOD
    record = method_of(estimate)
    if record is None:
        own = f"{estimate.method} is a method of the user's own"
        return f"{own}, which errorfloor knows nothing about."
    return record.explains


def interval_in_words(estimate: Estimate) -> str:
    """Return what the interval of an estimate promises."""
    if isinstance(estimate, FeaturesEstimate):
        return in_words(estimate.method).promise
    if estimate.interval is None:
        return "No interval was asked for: how sure the value is remains open."
    if isinstance(estimate, RatingsEstimate):
        return ratings.PROMISES[estimate.interval.method]
    kind = interval_of(estimate)
    if kind is None:
        return (
            f"The interval is by {estimate.interval.method}, which errorfloor knows nothing about."
        )
    weighed = estimate.n_effective is not None or estimate.clusters is not None
    return kind.with_weights if weighed and kind.with_weights else kind.promise


def references(estimates: Iterable[Estimate], *, verdict: bool) -> tuple[str, ...]:
    """Return where methods and intervals come from, the paper first and each once."""
    rows = list(estimates)
    if all(isinstance(row, RatingsEstimate) for row in rows):
        return ratings.REFERENCES
    found = [_references.PAPER]
    for record in (*map(method_of, rows), *map(interval_of, rows)):
        found += () if record is None else record.references
    for row in rows:
        found += in_words(row.method).references if isinstance(row, FeaturesEstimate) else ()
    found += [_references.DIFFERENCE] if verdict else []
    return tuple(dict.fromkeys(found))


FEW = 10  # items and annotators in a table
NO_VERDICT = "no verdict"
ABOVE = "See the caution at the top."


def sections_of(summary: Summary) -> list[Section]:
    """Return the sections of a report: answer, meaning, checks, details, and references last."""
    sections = [
        Section("answer", "Answer", _answer(summary)),
        Section("meaning", "What this means", _meaning(summary)),
    ]
    if summary.verdict is not None:
        sections.append(Section("model", "The model", _model(summary.verdict)))
    if summary.people is not None and not summary.floor.refuted:
        sections.append(Section("people", "Models and people", _people(summary)))
    sections.append(Section("checks", "Checks", (Findings(_checks(summary)),)))
    sections += next_section(summary)
    if summary.pictures:
        sections.append(Section("pictures", "Pictures", summary.pictures))
    if summary.confusion is not None:
        sections.append(Section("classes", "The classes", _classes(summary.confusion)))
    if summary.items is not None:
        sections.append(Section("items", "The hardest items", _items(summary.items)))
    if summary.annotators is not None:
        found = _annotators(summary.annotators)
        sections.append(Section("annotators", "The annotators", found))
    if summary.comparison is not None:
        sections.append(Section("methods", "By other methods", _methods(summary.comparison)))
    if summary.source:
        sections.append(Section("data", "The data", (Facts(tuple(summary.source.items())),)))
    return [*sections, *last_sections(summary)]


def _checks(summary: Summary) -> tuple[Finding, ...]:
    """Return what the checks found; what the answer cautions about is told there."""
    return tuple(once(one, summary.floor.warnings) for one in summary.diagnostics)


def once(one: Finding, cautions: Collection[str]) -> Finding:
    """Return a finding without its text where a caution next to the answer is the same."""
    return replace(one, sentence=ABOVE, remedy="") if one.text in cautions else one


def _people(summary: Summary) -> tuple[Block, ...]:
    """Return how many people each model is worth."""
    people = summary.people
    assert people is not None
    first = () if summary.verdict is None else (Text(said_of(people)),)  # else it is the answer
    grid = of_models(people) if people.models else of_panels(people)
    head = ("model", *grid.head[1:]) if people.models else grid.head
    cautions = tuple(Caution(one.text) for one in people.findings)
    return (
        *first,
        Table("How many people each model is worth", head, grid.rows),
        *cautions,
        *(Text(text) for text in about(people)),
    )


def next_section(document: Document) -> list[Section]:
    """Return the section that says what to do next, where there is something to do."""
    blocks: list[Block] = []
    for step in document.steps:
        blocks += [Text(step.why), Code(step.text)]
    return [Section("next", "What to do next", tuple(blocks))] if blocks else []


def last_sections(document: Document) -> tuple[Section, ...]:
    """Return the sections that every report ends with: method, what to type, references."""
    return (
        Section("method", "Method", (Text(document.method),)),
        Section("reproduce", "To reproduce this", _reproduce(document)),
        Section("references", "References", (Entries(document.references),)),
    )


def _answer(summary: Summary) -> tuple[Block, ...]:
    floor, verdict, people = summary.floor, summary.verdict, summary.people
    metric = floor.measure
    facts = [] if metric.is_error else [("Metric", metric.words)]
    if people is None or verdict is not None or floor.refuted:
        facts += _bounds(floor)
    else:
        facts += [("Two people agree", rate(people.agreement))]
    if verdict is not None:
        best = metric.limit if floor.claim.any_model else floor.claim.best_of
        found = NO_VERDICT if floor.refuted else standing_of(verdict).fact(best)
        facts.append(("Model", f"{style_of(floor).value(verdict.model_value)}, {found}"))
    facts.append(("Items", _number_of_items(floor)))
    facts += sampling_of(floor)
    facts.append(("Method", floor.method))
    doubts = [Caution(text) for text in floor.warnings]
    serious = [
        one.name.lower()
        for one in summary.diagnostics
        if one.level in ("refuted", "warn") and one.text not in floor.warnings
    ]
    if serious and not floor.refuted:
        doubts.append(Caution(f"Read on before you use this number: {', '.join(serious)}."))
    # What is wrong with a refuted floor is long, and comes first among the cautions.
    answer = nothing_stated(floor) if floor.refuted else summary.answer
    headline = _headline(verdict or summary.people or floor)
    return *headline, Answer(answer), Facts(tuple(facts)), *doubts


def _headline(result: Estimate | Verdict | People) -> Iterator[Headline]:
    if isinstance(result, People):
        if not result.floor.refuted:
            yield Headline(curve.picture_of(result), ())
        return
    gauge = gauge_of(result)
    if gauge is not None:
        yield Headline(picture_of(result), tuple(lines_of(gauge)))


def _bounds(floor: Estimate) -> list[tuple[str, str]]:
    """Return value and limits under what they are of; a limit that holds for any model first."""
    value, interval = value_and_limits(floor)
    metric, claim = floor.measure, floor.claim
    if claim.any_model or floor.refuted:
        facts = [(metric.limit.capitalize(), value)]
    else:
        facts = [(f"{claim.best_of[:1].upper()}{claim.best_of[1:]}", value)]
    if floor.level is None or floor.refuted:
        return facts
    sure = level(floor.level)
    limit = {"low": floor.low, "high": floor.high}.get(claim.limits)
    if limit is not None:
        side, shown = (
            "least" if claim.low else "most",
            style_of(floor).value(limit, digits_for(floor)),
        )
        bound = f"at {side} {shown}"
        facts.insert(0, (f"{metric.limit.capitalize()}, {sure} limit", bound))
    return [*facts, (f"{sure} interval", interval)]


def _number_of_items(floor: Estimate) -> str:
    if not floor.n_unlabelled:
        return f"{floor.n:,}"
    return f"{floor.n:,} labels of {floor.n + floor.n_unlabelled:,} items"


def _meaning(summary: Summary) -> tuple[Block, ...]:
    given = given_with(summary.floor.measure)
    lines = (Text(f"{name}: {text}.") for name, text in given)
    claim = summary.floor.claim.sentence
    return (
        *lines,
        Text(claim),
        Text(f"Assumption: {summary.floor.assumptions}"),
        Text(summary.interval),
    )


def _model(verdict: Verdict) -> tuple[Block, ...]:
    metric, style = verdict.floor.measure, style_of(verdict.floor)
    items = f"{verdict.n:,} test items"
    items = f"{verdict.errors:,} of {items}" if metric.is_error else items
    error = (f"Model's {metric.words}", f"{style.value(verdict.model_value)} ({items})")
    if verdict.floor.refuted:
        return Text(verdict.sentence), Facts((error,))
    claim = verdict.floor.claim
    best = metric.limit if claim.any_model else f"that of {claim.best_of}"
    pair = (metric.words, best) if metric.less_is_better else (best, metric.words)
    minus = " minus ".join(pair)
    low, high = style.points(verdict.low), style.points(verdict.high)
    facts = [
        error,
        (f"{minus[:1].upper()}{minus[1:]}", style.points(verdict.difference)),
        (f"{level(verdict.level)} interval", f"{low} to {high}"),
        ("P-value of “no room is left”", p_value(verdict.p_room)),
    ]
    if claim.unbeatable(metric):
        side = "below" if metric.less_is_better else "above"
        no = f"P-value of “it is not {side} the {metric.limit}”"
        facts.append((no, p_value(verdict.p_beyond)))
    cautions = tuple(Caution(text) for text in verdict.warnings)
    tests = (one for one in (verdict.test, verdict.information) if one is not None)
    lines = (Text(f"{one.name}: {p_equals(one.p)}. {one.means}") for one in tests)
    return Facts(tuple(facts)), *lines, *cautions


def _classes(found: Confusion) -> tuple[Block, ...]:
    grid = of_pairs(found)
    title = f"Pairs of classes by their share of the errors of {found.whose}"
    return Text(found.sentence), Table(title, grid.head, grid.rows), Text(found.basis)


def _items(found: Items | ClassItems) -> tuple[Block, ...]:
    grid = of_class_items(found) if isinstance(found, ClassItems) else of_items(found)
    title = "Items by how often the best answer to them is wrong"
    return Table(title, grid.head, rows_in_sight(grid)), Text(how_items(found))


def _annotators(found: AnnotatorsResult) -> tuple[Block, ...]:
    grid = of_annotators(found, FEW)
    title = "Annotators by their share of the floor"
    more = len(found) - len(grid.rows)
    rest = [f"{counted(more, 'annotator')} more are not shown."] if more else []
    lines = map(Text, (*rest, *found.notes))
    return Text(found.sentence), Table(title, grid.head, rows_in_sight(grid)), *lines


def rows_in_sight(grid: Grid) -> tuple[tuple[str, ...], ...]:
    """Return rows whose names somebody else chose."""
    return tuple(tuple(map(in_sight, row)) for row in grid.rows)


def _methods(comparison: Comparison) -> tuple[Block, ...]:
    digits, style = max(map(digits_for, comparison)), style_of(comparison.main)
    rows = tuple(
        (
            row.method,
            REFUTED if row.refuted else style.value(row.value, digits),
            ""
            if row.interval is None or row.refuted
            else style.limits(row.interval.low, row.interval.high, digits),
            row.interval_method or "",
        )
        for row in comparison
    )
    levels = {row.level for row in comparison if row.level is not None}
    which = f"{level(levels.pop())} " if len(levels) == 1 else ""
    head = ("method", head_of(comparison), f"{which}interval", "by")
    table = Table(f"The same items by several methods: {head_of(comparison)}", head, rows)
    return table, *(Text(note) for note in comparison.notes)


def _reproduce(document: Document) -> tuple[Block, ...]:
    used = ", ".join(f"{name} {version}" for name, version in document.versions.items())
    computed = Text(f"Computed with {used}.")
    if document.command is None:
        return Code(document.python), computed
    python = (Text("In Python:"), Code(document.python))
    return *python, Text("On the command line:"), Code(document.command), computed
