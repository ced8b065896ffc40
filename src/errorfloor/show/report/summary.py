"""All that a report says, with the results that it says it of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import singledispatch
from typing import Any

import numpy as np

from errorfloor._checks import InputError, argument
from errorfloor._typing import RandomLike
from errorfloor.data.source import Source
from errorfloor.results import (
    AnnotatorsResult,
    ClassItems,
    Comparison,
    Confusion,
    Estimate,
    Groups,
    Items,
    People,
    Verdict,
)
from errorfloor.results.finding import Finding
from errorfloor.show.markup import in_sight
from errorfloor.show.next_steps import steps_of
from errorfloor.show.recipe import (
    code_of_comparison,
    code_of_people,
    command_line,
    command_of_comparison,
    command_of_people,
    python_code,
    versions,
)
from errorfloor.show.report.context import Context, annotators_again, diagnose, items_again
from errorfloor.show.report.document import Document, Section
from errorfloor.show.report.pictures import pictures_of
from errorfloor.show.report.sections import (
    FEW,
    interval_in_words,
    method_in_words,
    references,
    sections_of,
)
from errorfloor.show.sentences import sentence_of


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
        return {
            "floor": self.floor.to_dict(),
            "interval": self.interval,
            "verdict": None if self.verdict is None else self.verdict.to_dict(),
            "diagnostics": [one.to_dict() for one in self.diagnostics],
            "comparison": None if self.comparison is None else self.comparison.to_dict(),
            **({} if self.confusion is None else {"confusion": self.confusion.to_dict()}),
            **({} if self.items is None else {"items": _hardest(self.items)}),
            **({} if self.annotators is None else {"annotators": _largest(self.annotators)}),
            **({} if self.people is None else {"people": _without_floor(self.people)}),
        }


@singledispatch
def summarize(
    result: Any,
    *,
    title: str | None = None,
    source: Mapping[str, str] | None = None,
    command: str | None = None,
    comparison: Comparison | None = None,
    rng: RandomLike = 0,
    theory: bool = False,
    items: Items | ClassItems | None = None,
    annotators: AnnotatorsResult | None = None,
) -> Document:
    """Return all that a report on `result` says.

    The arguments are those of `report`.
    """
    subject = _subject(result)
    estimate = subject.estimate
    context = Context.of(estimate, comparison or subject.comparison, rng, theory=theory)
    summary = _summary(subject, context, source, _Call(subject, comparison, rng, theory))
    return replace(
        summary,
        title=summary.title if title is None else in_sight(title),
        items=items_again(estimate) if items is None else items,
        annotators=annotators_again(estimate) if annotators is None else annotators,
        command=summary.command if command is None else in_sight(command),
    )


def brief(result: Any) -> Document:
    """Return what a report says of a result that takes no time: nothing more is computed for it."""
    if isinstance(result, Groups):
        return summarize(result)
    subject = _subject(result)
    context = Context(estimate=subject.estimate)
    return _summary(subject, context, None, _Call(subject, None, None, False))


def _summary(
    subject: _Subject, context: Context, source: Mapping[str, str] | None, call: _Call
) -> Summary:
    estimate, verdict = subject.estimate, subject.verdict
    about = in_sight_of(_about(estimate) if source is None else source)
    return Summary(
        title=title_of(about, estimate),
        floor=estimate,
        verdict=verdict,
        comparison=context.comparison,
        diagnostics=diagnose(estimate, context.comparison),
        confusion=None if estimate.refuted else context.confusion,
        people=subject.people,
        pictures=pictures_of(context, verdict, subject.people),
        source=about,
        python=in_sight(call.python),
        command=None if call.command is None else in_sight(call.command),
        versions=versions(),
        steps=steps_of(estimate, verdict),
    )


MOST_COLUMNS = 12  # of one role that are named


def source_of(estimate: Estimate) -> dict[str, str]:
    """Return what the data was, as far as the estimate knows."""
    source = estimate.source
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


def in_sight_of(about: Mapping[str, str]) -> dict[str, str]:
    """Return what the data was with all of it in sight."""
    return {in_sight(name): in_sight(value) for name, value in about.items()}


def title_of(about: Mapping[str, str], estimate: Estimate) -> str:
    """Return a title that names the metric, and the data as far as it has a name."""
    metric = estimate.measure
    name = f"{metric.words} {metric.limit}"
    if metric.given:  # such as the error at 80 % coverage
        name = f"{metric.limit} of the {metric.words}"
    name = f"{name[:1].upper()}{name[1:]}"
    return f"{name} of {about['file']}" if about.get("file") else name


@dataclass(frozen=True, slots=True)
class _Subject:
    estimate: Estimate
    verdict: Verdict | None = None
    comparison: Comparison | None = None
    people: People | None = None


@singledispatch
def _subject(result: object) -> _Subject:
    """Return the estimate that a report is about, and what came with it."""
    raise InputError(
        argument("result"),
        " must be what from_scores, from_votes, from_soft_labels, compare or headroom returns, "
        f"got {type(result).__name__}. A dataframe, a table or a file will do as well.",
    )


@_subject.register
def _(result: Estimate) -> _Subject:
    return _Subject(result)


@_subject.register
def _(result: Verdict) -> _Subject:
    return _Subject(result.floor, verdict=result, people=result.people)


@_subject.register
def _(result: People) -> _Subject:
    return _Subject(result.floor, people=result)


@_subject.register
def _(result: Comparison) -> _Subject:
    if not len(result):
        return _subject.dispatch(object)(result)
    return _Subject(result.main, comparison=result)


def _about(estimate: Estimate) -> dict[str, str]:
    """Return what the data was, and which group of it."""
    about = source_of(estimate)
    if estimate.source is not None and estimate.source.options.group is not None:
        about["group"] = f"{estimate.source.options.group} = {estimate.group}"
    return about


def _file(source: Source) -> str:
    more = f" and {len(source.files) - 1} more" if len(source.files) > 1 else ""
    return source.options.called or f"{source.files[0]}{more}"


@dataclass(frozen=True, slots=True)
class _Call:
    """What leads to the same report."""

    subject: _Subject
    comparison: Comparison | None
    rng: RandomLike
    theory: bool

    @property
    def rows(self) -> str | None:
        """The call for the methods that were compared, where there is a single one."""
        rows = self.comparison or self.subject.comparison
        return None if rows is None else code_of_comparison(rows)

    @property
    def python(self) -> str:
        """The calls for the result, and the one that writes the report."""
        seeded = isinstance(self.rng, int | np.integer) and self.rng != 0
        more = f", rng={self.rng}" if seeded else ""
        more += ", theory=True" if self.theory else ""
        if self.comparison is None and self.rows is not None:
            return f'{self.rows}\nef.report(rows, "report.html"{more})'
        subject = self.subject
        if subject.people is not None and subject.verdict is None:
            return f'{code_of_people(subject.people)}\nef.report(found, "report.html"{more})'
        name = "floor" if subject.verdict is None else "verdict"
        code = python_code(subject.estimate, subject.verdict)
        if self.rows is not None:
            code = "\n".join([code, *self.rows.splitlines()[2:]])
            more = f", comparison=rows{more}"
        return f'{code}\nef.report({name}, "report.html"{more})'

    @property
    def command(self) -> str | None:
        """The command for the same numbers."""
        rows = self.subject.comparison
        if self.subject.people is not None and self.subject.verdict is None:
            return command_of_people(self.subject.people)
        found = None if rows is None else command_of_comparison(rows)
        return found or command_line(self.subject.estimate, self.subject.verdict)


def _hardest(items: Items | ClassItems) -> list[dict[str, Any]]:
    """Return the hardest items as plain values."""
    places = items.hardest()
    columns = {name: column[places].tolist() for name, column in items.columns.items()}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _without_floor(people: People) -> dict[str, Any]:
    return {name: value for name, value in people.to_dict().items() if name != "floor"}


def _largest(annotators: AnnotatorsResult) -> list[dict[str, Any]]:
    """Return the annotators with the largest shares as plain values."""
    return [row.to_dict() for row in annotators.rows[:FEW]]
