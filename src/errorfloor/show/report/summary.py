"""All that a report says, with the results that it says it of, in the order of reading."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from errorfloor import _references
from errorfloor._checks import InputError, argument, either
from errorfloor._typing import RandomLike
from errorfloor.data.options import Source
from errorfloor.features.classics import in_words
from errorfloor.metrics import Metric
from errorfloor.results import (
    AnnotatorsResult,
    ClassItems,
    Comparison,
    Confusion,
    Estimate,
    FeaturesEstimate,
    Groups,
    Items,
    ModelComparison,
    People,
    RatingsEstimate,
    Verdict,
)
from errorfloor.results.claim import Finding
from errorfloor.results.estimate import interval_of, method_of
from errorfloor.show import models as in_models
from errorfloor.show import numbers, ratings
from errorfloor.show import people as in_people
from errorfloor.show.gauge import gauge_of, lines_of, picture_of
from errorfloor.show.grids import (
    Grid,
    head_of,
    hold_floors,
    how_items,
    of_annotators,
    of_items,
    of_pairs,
)
from errorfloor.show.markup import visible
from errorfloor.show.next_steps import steps_of, steps_of_groups
from errorfloor.show.recipe import recipe_of, versions
from errorfloor.show.report.context import Context, annotators_again, diagnose, items_again
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
    Name,
    Section,
    Table,
    Text,
)
from errorfloor.show.report.pictures import picture_of_groups, pictures_of
from errorfloor.show.sentences import nothing_stated, sentence_of
from errorfloor.show.standings import standing_of
from errorfloor.show.text import is_behind, p_of_side, parts_of_difference, tests_of


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
    if summary.diagnostics:
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
    """Return what the checks found; what the answer cautions about is not repeated."""
    return tuple(once(one, summary.floor.warnings) for one in summary.diagnostics)


def once(one: Finding, cautions: Collection[str]) -> Finding:
    """Return a finding without its text where a caution next to the answer is the same."""
    return replace(one, sentence=ABOVE, remedy="") if one.text in cautions else one


def _people(summary: Summary) -> tuple[Block, ...]:
    """Return how many people each model is worth."""
    people = summary.people
    assert people is not None
    first = (
        () if summary.verdict is None else (Text(in_people.sentence(people)),)
    )  # else it is the answer
    grid = in_people.of_models(people) if people.models else in_people.of_panels(people)
    head = ("model", *grid.head[1:]) if people.models else grid.head
    cautions = tuple(Caution(one.text) for one in people.findings)
    return (
        *first,
        Table("How many people each model is worth", head, grid.rows),
        *cautions,
        *(Text(text) for text in in_people.about(people)),
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
    if people is None or verdict is not None or floor.refuted:
        facts = _bounds(floor)
    else:
        facts = [("Two people agree", in_people.rate(people.agreement))]
    if verdict is not None:
        best = metric.limit if floor.claim.any_model else floor.claim.best_of
        found = NO_VERDICT if floor.refuted else standing_of(verdict).fact(best)
        name, value = _value_of_model(verdict)
        facts.append((name, f"{value}, {found}"))
    facts.append(("Items", _number_of_items(floor)))
    facts += numbers.sampling_of(floor)
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
            yield Headline(in_people.picture_of(result), ())
        return
    gauge = gauge_of(result)
    if gauge is not None:
        yield Headline(picture_of(result), tuple(lines_of(gauge)))


def _bounds(floor: Estimate) -> list[tuple[str, str]]:
    """Return value and limits under what they are of; a limit that holds for any model first."""
    value, interval = numbers.value_and_limits(floor)
    metric, claim = floor.measure, floor.claim
    of = f"{metric.limit.capitalize()} ({metric.words})"
    if claim.any_model or floor.refuted:
        facts = [(of, value)]
    else:
        facts = [(numbers.with_capital(claim.best_of), value)]
    if floor.level is None or floor.refuted:
        return facts
    sure = numbers.level(floor.level)
    limit = {"low": floor.low, "high": floor.high}.get(claim.limits)
    if limit is not None:
        style = numbers.style_of(floor)
        bound = (style.at_least if claim.low else style.at_most)(limit, numbers.digits_for(floor))
        facts.insert(0, (f"{of}, {sure} limit", bound))
    return [*facts, (f"{sure} interval", interval)]


def _number_of_items(floor: Estimate) -> str:
    if not floor.n_unlabelled:
        return f"{floor.n:,}"
    return f"{floor.n:,} labels of {floor.n + floor.n_unlabelled:,} items"


def _meaning(summary: Summary) -> tuple[Block, ...]:
    lines = [f"{name}: {text}." for name, text in numbers.given_with(summary.floor.measure)]
    lines += [] if summary.floor.refuted else [summary.floor.claim.sentence]
    lines += [f"Assumption: {summary.floor.assumptions}"]
    lines += [] if summary.floor.refuted else [summary.interval]  # it has no limits to explain
    return tuple(map(Text, lines))


def _model(verdict: Verdict) -> tuple[Block, ...]:
    metric, claim = verdict.floor.measure, verdict.floor.claim
    items = f"{verdict.n:,} test items"
    items = f"{verdict.errors:,} of {items}" if metric.is_error else items
    name, value = _value_of_model(verdict)
    error = (name, f"{value} ({items})")
    if verdict.floor.refuted:
        return Text(verdict.sentence), Facts((error,))
    name, value, limits = parts_of_difference(verdict)
    facts = [
        error,
        (name, value),
        (f"{numbers.level(verdict.level)} interval", limits),
    ]
    name, p = p_of_side(verdict)
    if p is not None and (is_behind(verdict) or claim.unbeatable(metric)):
        facts.append((f"P-value of {name}", numbers.p_value(p)))
    cautions = tuple(Caution(text) for text in verdict.warnings)
    return Facts(tuple(facts)), *map(Text, tests_of(verdict)), *cautions


def _value_of_model(verdict: Verdict) -> tuple[str, str]:
    """Return what the model's value is called, and the value with the digits of the floor's."""
    style, digits = numbers.style_of(verdict.floor), numbers.digits_for(verdict.floor)
    name = f"Model's {verdict.floor.measure.words}"
    return name, style.value(verdict.model_value, digits)


def _classes(found: Confusion) -> tuple[Block, ...]:
    grid = of_pairs(found)
    title = f"Pairs of classes by their share of the errors of {found.whose}"
    return Text(found.sentence), Table(title, grid.head, grid.rows), Text(found.basis)


def _items(found: Items | ClassItems) -> tuple[Block, ...]:
    grid = of_items(found)
    title = "Items by how often the best answer to them is wrong"
    return Table(title, grid.head, visible_rows(grid)), Text(how_items(found))


def _annotators(found: AnnotatorsResult) -> tuple[Block, ...]:
    grid = of_annotators(found, FEW)
    title = "Annotators by their share of the floor"
    more = len(found) - len(grid.rows)
    rest = [f"{numbers.counted(more, 'annotator')} more are not shown."] if more else []
    lines = map(Text, (*rest, *found.notes))
    return Text(found.sentence), Table(title, grid.head, visible_rows(grid)), *lines


def visible_rows(grid: Grid) -> tuple[tuple[str, ...], ...]:
    """Return rows whose names somebody else chose."""
    return tuple(tuple(map(visible, row)) for row in grid.rows)


def _methods(comparison: Comparison) -> tuple[Block, ...]:
    digits = numbers.digits_for_all(comparison)
    rows = tuple(
        (row.method, *numbers.value_and_limits(row, digits), row.interval_method or "")
        for row in comparison
    )
    levels = {row.level for row in comparison if row.level is not None}
    which = f"{numbers.level(levels.pop())} " if len(levels) == 1 else ""
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Summary(Document):
    """All that a report on one floor says.

    Attributes
    ----------
    floor : Estimate
        The estimate that it is about.
    verdict : Verdict or None
        Where the model stands, if its errors were given.
    comparison : Comparison or None
        The floors of several methods.
    diagnostics : tuple of Finding
        What to know about the data, with those that call for attention first.
    confusion : Confusion or None
        Which classes no model can tell apart, where there are more than two.
    items : Items, ClassItems or None
        The items of votes, where they have names.
    annotators : AnnotatorsResult or None
        The annotators, where they are known.
    people : People or None
        Models compared with people, where there are votes and predictions.
    """

    floor: Estimate
    verdict: Verdict | None
    comparison: Comparison | None
    diagnostics: tuple[Finding, ...]
    confusion: Confusion | None = None
    items: Items | ClassItems | None = None
    annotators: AnnotatorsResult | None = None
    people: People | None = None

    @property
    def answer(self) -> str:
        """The answer in plain words; of a refuted floor, what is wrong and what to do."""
        if self.floor.refuted:
            return sentence_of(self.floor)
        return sentence_of(self.verdict or self.people or self.floor)

    @property
    def interval(self) -> str:
        """What the interval promises."""
        return interval_in_words(self.floor)

    @property
    def method(self) -> str:
        """What the method does."""
        return method_in_words(self.floor)

    @property
    def references(self) -> tuple[str, ...]:
        """Where it comes from."""
        return references([self.floor, *(self.comparison or ())], verdict=self.verdict is not None)

    def sections(self) -> list[Section]:
        """Return what the report says in the order of reading."""
        return sections_of(self)

    def findings(self) -> dict[str, Any]:
        """Return what was found as plain values, ready for JSON."""
        largest = () if self.annotators is None else self.annotators.rows[:FEW]
        rows = [row.to_dict() for row in largest]
        people = {} if self.people is None else self.people.to_dict()
        people.pop("floor", None)  # which is there already
        return {
            "floor": self.floor.to_dict(),
            "interval": self.interval,
            "verdict": None if self.verdict is None else self.verdict.to_dict(),
            "diagnostics": [one.to_dict() for one in self.diagnostics],
            "comparison": None if self.comparison is None else self.comparison.to_dict(),
            **({} if self.confusion is None else {"confusion": self.confusion.to_dict()}),
            **({} if self.items is None else {"items": _hardest(self.items)}),
            **({} if self.annotators is None else {"annotators": rows}),
            **({} if self.people is None else {"people": people}),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What a caller says of a report; the arguments are those of `report`."""

    title: str | None = None
    source: Mapping[str, str] | None = None
    command: str | None = None
    comparison: Comparison | None = None
    rng: RandomLike = 0
    theory: bool = False
    items: Items | ClassItems | None = None
    annotators: AnnotatorsResult | None = None

    def refuse(self, *names: str, rule: str) -> None:
        """Refuse what goes with other results."""
        for name in names:
            if getattr(self, name) is not None:
                raise InputError(argument(name), f" goes with {rule}.")

    def document(self, title: str, source: Mapping[str, str], typed: str | None) -> dict[str, Any]:
        """Return what every document has, with all of it in sight."""
        typed = typed if self.command is None else self.command
        return {
            "title": visible(title if self.title is None else self.title),
            "source": source,
            "command": None if typed is None else visible(typed),
            "versions": versions(),
        }

    def about(self, usual: Mapping[str, str]) -> dict[str, str]:
        """Return what the data was, with all of it in sight."""
        source = usual if self.source is None else self.source
        return {visible(name): visible(value) for name, value in source.items()}


def summarize(result: Any, **asked: Any) -> Document:
    """Return all that a report on `result` says.

    The arguments are those of `report`.
    """
    how = _Asked(**asked)
    if isinstance(result, Groups):
        return _of_groups(result, how)
    if isinstance(result, ModelComparison):
        return _of_models(result, how)
    subject = _Subject.of(result)
    estimate = subject.estimate
    comparison = how.comparison or subject.comparison
    context = Context.of(estimate, comparison, how.rng, theory=how.theory)
    return replace(
        _summary(subject, context, how),
        items=items_again(estimate) if how.items is None else how.items,
        annotators=annotators_again(estimate) if how.annotators is None else how.annotators,
    )


def brief(result: Any) -> Document:
    """Return what a report says of a result that takes no time: nothing more is computed for it."""
    if isinstance(result, Groups | ModelComparison):
        return summarize(result)
    subject = _Subject.of(result)
    return _summary(subject, Context(estimate=subject.estimate), _Asked())


def _summary(subject: _Subject, context: Context, how: _Asked) -> Summary:
    estimate, verdict = subject.estimate, subject.verdict
    about = how.about(_about(estimate))
    python, command = _typed(subject, how)
    return Summary(
        **how.document(title_of(about, estimate), about, command),
        floor=estimate,
        verdict=verdict,
        comparison=context.comparison,
        diagnostics=diagnose(estimate, context.comparison),
        confusion=None if estimate.refuted else context.confusion,
        people=subject.people,
        pictures=pictures_of(context, verdict, subject.people),
        python=visible(python),
        steps=steps_of(estimate, verdict),
    )


MOST_COLUMNS = 12  # of one role that are named


def source_of(result: Estimate | ModelComparison) -> dict[str, str]:
    """Return what the data was, as far as the result knows."""
    source = result.source
    if source is None:
        return {}
    about = {"file": _file(source)} if source.files else {}
    for role, column in source.columns.items():
        several = (
            [str(one) for one in column] if isinstance(column, list | tuple) else [str(column)]
        )
        more = [f"and {len(several) - MOST_COLUMNS:,} more"] if len(several) > MOST_COLUMNS else []
        about[role] = ", ".join([*several[:MOST_COLUMNS], *more])
    if source.options.positive is not None:
        about["positive"] = str(source.options.positive)
    if source.options.positive_from is not None:
        about["positive from"] = f"{source.options.positive_from:g}"
    if source.options.classes is not None:
        about["classes"] = ", ".join(source.options.classes)
    return about


def title_of(about: Mapping[str, str], estimate: Estimate) -> str:
    """Return a title that names the metric, and the data as far as it has a name."""
    metric = estimate.measure
    name = f"{metric.words} {metric.limit}"
    if metric.given:  # such as the error at 80 % coverage
        name = f"{metric.limit} of the {metric.words}"
    name = numbers.with_capital(name)
    return f"{name} of {about['file']}" if about.get("file") else name


@dataclass(frozen=True, slots=True)
class _Subject:
    """The estimate that a report is about, and what came with it."""

    estimate: Estimate
    verdict: Verdict | None = None
    comparison: Comparison | None = None
    people: People | None = None

    @classmethod
    def of(cls, result: object) -> _Subject:
        """Take apart what a function returned."""
        if isinstance(result, Estimate):
            return cls(result)
        if isinstance(result, Verdict):
            return cls(result.floor, verdict=result, people=result.people)
        if isinstance(result, People):
            return cls(result.floor, people=result)
        if isinstance(result, Comparison) and len(result):
            return cls(result.main, comparison=result)
        raise InputError(
            argument("result"),
            " must be what from_scores, from_votes, from_soft_labels, compare or headroom returns, "
            f"got {type(result).__name__}. A dataframe, a table or a file will do as well.",
        )


def _about(estimate: Estimate) -> dict[str, str]:
    """Return what the data was, and which group of it."""
    about = source_of(estimate)
    if estimate.source is not None and estimate.source.options.group is not None:
        about["group"] = f"{estimate.source.options.group} = {estimate.group}"
    return about


def _file(source: Source) -> str:
    more = f" and {len(source.files) - 1} more" if len(source.files) > 1 else ""
    return source.options.called or f"{source.files[0]}{more}"


def _typed(subject: _Subject, how: _Asked) -> tuple[str, str | None]:
    """Return the calls that lead to the same report, and the command for the same numbers."""
    more = f", rng={how.rng}" if isinstance(how.rng, int | np.integer) and how.rng != 0 else ""
    more += ", theory=True" if how.theory else ""
    compared, people = how.comparison or subject.comparison, subject.people
    rows = "" if compared is None else recipe_of(compared).python
    command = None if subject.comparison is None else recipe_of(subject.comparison).command
    if people is not None and subject.verdict is None:
        made, name, command = recipe_of(people), "found", None
    else:
        made = recipe_of(subject.estimate, subject.verdict)
        name = "floor" if subject.verdict is None else "verdict"
    code, command = made.python, command or made.command
    if rows and how.comparison is None:
        code, name = rows, "rows"
    elif rows and name != "found":
        code = "\n".join([code, *rows.splitlines()[2:]])
        more = f", comparison=rows{more}"
    return f'{code}\nef.report({name}, "report.html"{more})', command


def _hardest(items: Items | ClassItems) -> list[dict[str, Any]]:
    """Return the hardest items as plain values."""
    places = items.hardest()
    columns = {name: column[places].tolist() for name, column in items.columns.items()}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


# Groups: what a report says of all of them.


FEW_NAMES = 4  # so many names are listed, more are counted
COMPARING = (
    "Each interval holds by itself. To compare groups, ask for intervals that hold all at once."
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GroupsSummary(Document):
    """All that a report on groups says.

    Attributes
    ----------
    groups : Groups of Estimate
        The floors.
    shown : Groups of Estimate
        The same under names that can be shown.
    diagnostics : tuple of tuple of Finding
        What calls for attention in the data of each group.
    """

    groups: Groups[Estimate]
    shown: Groups[Estimate]
    diagnostics: tuple[tuple[Finding, ...], ...]

    @property
    def answer(self) -> str:
        """The lowest floor and the highest in one sentence, refuted ones left out."""
        return sentence_of(self.shown)

    @property
    def interval(self) -> str:
        """What the intervals promise."""
        return " ".join(_by_group(self.shown, interval_in_words))

    @property
    def method(self) -> str:
        """What the method does."""
        return " ".join(dict.fromkeys(map(method_in_words, self.shown.values())))

    @property
    def references(self) -> tuple[str, ...]:
        """Where it comes from."""
        return references(self.shown.values(), verdict=False)

    def sections(self) -> list[Section]:
        """Return what the report says in the order of reading."""
        table = _table(self.shown)
        fine = Text("Nothing in the data of any group calls for attention.")
        return [
            Section("answer", "Answer", _answer_of_groups(self)),
            Section("groups", "The groups", (*self.pictures, table)),
            Section("meaning", "What this means", _meaning_of_groups(self.shown)),
            Section("checks", "Checks", tuple(_attention(self)) or (fine,)),
            *next_section(self),
            Section("data", "The data", (Facts(tuple(self.source.items())),)),
            *last_sections(self),
        ]

    def findings(self) -> dict[str, Any]:
        """Return what was found as plain values, ready for JSON."""
        found = self.groups.to_dict()
        return {
            "groups": found,
            "interval": self.interval,
            "diagnostics": [
                {"group": row["group"], **diagnostic.to_dict()}
                for row, diagnostics in zip(found["rows"], self.diagnostics, strict=True)
                for diagnostic in diagnostics
            ],
        }


def _of_groups(result: Groups[Any], how: _Asked) -> GroupsSummary:
    how.refuse("items", "annotators", "comparison", rule="one floor, not with groups")
    groups = _floors(result)
    first = next(iter(groups.values()))
    shown = replace(groups, column=visible(groups.column), estimates=_under_shown_names(groups))
    about = how.about({**source_of(first), "group": groups.column})
    title = f"{title_of(about, first)} by {shown.column}"
    made = recipe_of(groups)
    return GroupsSummary(
        **how.document(title, about, made.command),
        groups=groups,
        shown=shown,
        diagnostics=tuple(map(_calling_for_attention, groups.values())),
        pictures=(picture_of_groups(shown, *_lowest_and_highest(shown)),),
        python=visible(f'{made.python}\nef.report(floors, "report.html")'),
        steps=steps_of_groups(groups),
    )


def _lowest_and_highest(groups: Groups[Estimate]) -> tuple[str, str]:
    """Return the lowest floor and the highest, each with its group."""
    digits = _digits(groups)
    stated = [name for name, row in groups.items() if not row.refuted] or list(groups)
    lowest = min(stated, key=lambda name: groups[name].value)
    highest = max(stated, key=lambda name: groups[name].value)

    def lines(name: str) -> str:
        value = numbers.style_of(groups[name]).value(groups[name].value, digits)
        return f"{value} ({groups.column} {name})"

    return lines(lowest), lines(highest)


def _floors(result: Groups[Any]) -> Groups[Estimate]:
    """Return groups that have a floor each, and refuse others."""
    if hold_floors(result):
        return result
    kinds = sorted({type(row).__name__ for row in result.values()})
    raise InputError(
        argument("result"),
        " must have a floor for each group, as from_scores, from_votes and from_soft_labels return "
        "with ",
        argument("group"),
        f", got Groups of {' and '.join(kinds) or 'nothing'}. Report on the floors, or on one "
        "group at a time.",
    )


def _under_shown_names(groups: Groups[Estimate]) -> dict[str, Estimate]:
    """Return the floors under names in sight; quoted where two would look the same."""
    names = {name: visible(name) for name in groups}
    times = Counter(names.values())
    return {
        shown if shown.strip() and times[shown] == 1 else visible(repr(name)): groups[name]
        for name, shown in names.items()
    }


def _calling_for_attention(estimate: Estimate) -> tuple[Finding, ...]:
    return tuple(one for one in diagnose(estimate) if one.level in ("refuted", "warn"))


def _digits(groups: Groups[Estimate]) -> int:
    return numbers.digits_for_all(groups.values())


def _level(groups: Groups[Estimate]) -> str:
    """Return the level that the intervals hold at, or "" where they have none in common."""
    levels = [row.level for row in groups.values() if row.level is not None]
    if len(levels) < len(groups):
        return ""
    held = set(levels) if groups.level is None else {groups.level}
    return numbers.level(held.pop()) if len(held) == 1 else ""


def _answer_of_groups(summary: GroupsSummary) -> tuple[Block, ...]:
    groups = summary.shown
    level = _level(groups)
    facts = [
        ("Groups", f"{len(groups):,}"),
        ("Items", f"{sum(row.n for row in groups.values()):,}"),
        ("Method", ", ".join(dict.fromkeys(row.method for row in groups.values()))),
    ]
    if level:
        which = "all groups at once" if groups.simultaneous else "each group"
        facts.append(("Level", f"{level} for {which}"))
    if groups.dropped:
        facts.append(("Left out", numbers.counted(groups.dropped, "item")))
    alone = level and len(groups) > 1 and not groups.simultaneous
    cautions = [COMPARING] if alone else []
    serious = ", ".join(_serious(summary))
    limits = f"{_metric(groups).limit}s"
    cautions += [f"Read on before you use these {limits}: {serious}."] if serious else []
    return Answer(summary.answer), Facts(tuple(facts)), *map(Caution, cautions)


def _serious(summary: GroupsSummary) -> Iterator[str]:
    """Yield what calls for attention, and in how many groups."""
    number = len(summary.shown)
    found = Counter(one.name.lower() for group in summary.diagnostics for one in group)
    found["doubts about the estimate"] = sum(
        bool(_doubts(row, own))
        for row, own in zip(summary.shown.values(), summary.diagnostics, strict=True)
    )
    for name, times in found.items():
        if times:
            where = "every group" if times == number else f"{times:,} of {number:,} groups"
            yield f"{name} in {where}"


def _doubts(row: Estimate, findings: Iterable[Finding]) -> list[str]:
    """Return the warnings of an estimate that are no findings."""
    lines = {finding.text for finding in findings}
    return [text for text in row.warnings if text not in lines]


def _table(groups: Groups[Estimate]) -> Table:
    digits, metric = _digits(groups), _metric(groups)
    rows = tuple(
        (name, f"{row.n:,}", *numbers.value_and_limits(row, digits)) for name, row in groups.items()
    )
    level = f"{_level(groups)} interval".strip()
    head = (groups.column, "items", head_of(groups.values()), level)
    claim = next(iter(groups.values())).claim
    best = f"The best possible {metric.words}" if claim.any_model else f"The {metric.words}"
    of = "" if claim.any_model else f" of {claim.best_of}"
    return Table(f"{best}{of} in each group", head, rows)


def _metric(groups: Groups[Estimate]) -> Metric:
    return next(iter(groups.values())).measure


def _meaning_of_groups(groups: Groups[Estimate]) -> tuple[Block, ...]:
    lines = [
        *_by_group(groups, lambda row: row.claim.sentence),
        *_by_group(groups, lambda row: f"Assumption: {row.assumptions}"),
        *_by_group(groups, interval_in_words),
    ]
    if _level(groups) and groups.simultaneous:
        lines.append(_at_once(groups))
    return tuple(map(Text, lines))


def _at_once(groups: Groups[Estimate]) -> str:
    return (
        f"All {len(groups):,} intervals hold at once at {_level(groups)}: each is so much wider "
        "than one that holds by itself. "
        f"{_metric(groups).limit.capitalize()}s whose intervals do not overlap differ; where "
        "intervals overlap, nothing follows. Groups that were formed after a look at the labels "
        "are not covered."
    )


def _by_group(groups: Groups[Estimate], say: Callable[[Estimate], str]) -> list[str]:
    """Return what holds for all groups once, and anything else behind the names of groups."""
    found: dict[str, list[str]] = {}
    for name, row in groups.items():
        found.setdefault(say(row), []).append(name)
    if len(found) == 1:
        return list(found)
    return [f"{_listed(groups, names)}: {text}" for text, names in found.items()]


def _listed(groups: Groups[Estimate], names: Iterable[str]) -> str:
    few = list(names)
    if len(few) > FEW_NAMES:
        return f"{len(few):,} of {len(groups):,} groups"
    return f"{groups.column} {', '.join(few)}"


def _attention(summary: GroupsSummary) -> Iterator[Block]:
    """Yield what calls for attention: in all groups first, then under the name of each."""
    groups = summary.shown
    first, *others = summary.diagnostics
    everywhere = [one for one in first if others and all(one in group for group in others)]
    if everywhere:
        yield from (Name("All groups"), Findings(tuple(everywhere)))
    for (name, row), found in zip(groups.items(), summary.diagnostics, strict=True):
        own = tuple(one for one in found if one not in everywhere)
        doubts = _doubts(row, found)
        if own or doubts:
            yield Name(f"{groups.column} {name}")
            yield from map(Caution, doubts)
        if own:
            yield Findings(own)


# Models on the same items.


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ModelsSummary(Document):
    """All that a report on models says.

    Attributes
    ----------
    found : ModelComparison
        The models.
    """

    found: ModelComparison

    @property
    def answer(self) -> str:
        """Which model is better, or that these items do not show it."""
        return sentence_of(self.found)

    @property
    def method(self) -> str:
        """What the method does."""
        several = " The order of several models is certain for all pairs together, by Holm's way."
        return (
            "All models answer the same items, so the interval of a difference is paired: items "
            "that two models both get right, or both wrong, do not widen it. It is Student's, with "
            "one more item of which each model gets half right, after Bonett and Price."
            f"{several if len(self.found) > 2 else ''}"
        )

    @property
    def references(self) -> tuple[str, ...]:
        """Where it comes from."""
        return (_references.PAIRED, *([_references.HOLM] if len(self.found) > 2 else []))

    def sections(self) -> list[Section]:
        """Return what the report says in the order of reading."""
        found = self.found
        sections = [Section("answer", "Answer", _answer_of_models(self))]
        if not found.refuted:
            about = tuple(map(Text, in_models.about(found)))
            sections += [
                Section("meaning", "What this means", about),
                Section(
                    "models", "The models", (_table_of_models(found), _table_of_differences(found))
                ),
            ]
        checks: tuple[Block, ...] = (Findings(found.findings),)
        if not found.findings:
            checks = (Text("Nothing in the data calls for attention."),)
        data = Facts(tuple(self.source.items()))
        return [
            *sections,
            Section("checks", "Checks", checks),
            Section("data", "The data", (data,)),
            *last_sections(self),
        ]

    def findings(self) -> dict[str, Any]:
        """Return what was found as plain values, ready for JSON."""
        return {"models": self.found.to_dict()}


def _of_models(result: ModelComparison, how: _Asked) -> ModelsSummary:
    how.refuse("comparison", "items", "annotators", rule="a floor, not with models")
    title = f"Which of {len(result)} models is best?"
    if len(result) <= 3:
        names = either(row.name for row in result.models)
        title = f"Which model is {'better' if len(result) == 2 else 'best'}: {names}?"
    about, made = how.about(source_of(result)), recipe_of(result)
    return ModelsSummary(
        **how.document(title, about, made.command),
        found=result,
        pictures=(),
        python=visible(f'{made.python}\nef.report(found, "report.html")'),
    )


def _answer_of_models(summary: ModelsSummary) -> tuple[Block, ...]:
    found = summary.found
    facts = [("Metric", in_models.name_of(found)), ("Items", f"{found.n:,}")]
    if found.n_effective is not None:
        facts.append(("Worth", f"{found.n_effective:,.0f} equal items"))
    if found.clusters is not None:
        facts.append(("Clusters", f"{found.clusters:,}"))
    cautions = map(Caution, found.warnings)
    if found.refuted:
        return Answer(nothing_stated(found)), Facts(tuple(facts)), *cautions
    picture = Headline(in_models.picture_of(found), ())
    return picture, Answer(summary.answer), Facts(tuple(facts)), *cautions


def _table_of_models(found: ModelComparison) -> Table:
    grid = in_models.of_models(found)
    return Table(f"The models by {in_models.name_of(found)}", grid.head, visible_rows(grid))


def _table_of_differences(found: ModelComparison) -> Table:
    grid = in_models.of_differences(found)
    sure = numbers.level(found.level)
    title = f"How far the first model is ahead, with paired {sure} intervals"
    return Table(title, grid.head, visible_rows(grid))
