"""All that a report says, with the results that it says it of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import singledispatch
from typing import Any

import numpy as np

from errorfloor._checks import InputError, argument
from errorfloor._typing import RandomLike
from errorfloor.data.source import Source
from errorfloor.results import Comparison, Estimate, Verdict
from errorfloor.show import numbers
from errorfloor.show.characters import in_sight
from errorfloor.show.recipe import command_line, python_code, versions
from errorfloor.show.report.blocks import Diagnostic, Picture, Section
from errorfloor.show.report.context import DEFAULT, Context
from errorfloor.show.report.diagnostics import diagnose
from errorfloor.show.report.pictures import pictures_of
from errorfloor.show.report.sections import sections_of
from errorfloor.show.report.words import interval_in_words, method_in_words, references

SCHEMA = "errorfloor-report/2"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Summary:
    """All that a report says; renderers only write it down.

    Attributes
    ----------
    title : str
        What it is about.
    floor : Estimate
        The estimate that it is about.
    verdict : Verdict or None
        Where the model stands, if its errors were given.
    comparison : Comparison or None
        The floors of several methods.
    diagnostics : tuple of Diagnostic
        What to know about the data, with those that call for attention first.
    pictures : tuple of Picture
        What to draw, with a text alternative each.
    source : dict
        What the data was.
    python, command : str
        What to type for the same result; None where no command gives it.
    versions : dict
        With what it was computed.
    """

    title: str
    floor: Estimate
    verdict: Verdict | None
    comparison: Comparison | None
    diagnostics: tuple[Diagnostic, ...]
    pictures: tuple[Picture, ...]
    source: Mapping[str, str]
    python: str
    command: str | None
    versions: Mapping[str, str]

    @property
    def answer(self) -> str:
        """The answer in one sentence."""
        value, limits = numbers.value_and_limits(self.floor)
        sentence = f"By this estimate, no classifier errs on fewer than {value} of items like these"
        if self.floor.level is None:
            return f"{sentence}."
        return f"{sentence}; the {numbers.level(self.floor.level)} interval is {limits}."

    @property
    def interval(self) -> str:
        """What the interval promises."""
        return interval_in_words(self.floor)

    @property
    def method(self) -> str:
        """What the method does."""
        return method_in_words(self.floor.method)

    @property
    def references(self) -> tuple[str, ...]:
        """Where it comes from."""
        return references([self.floor, *(self.comparison or ())], verdict=self.verdict is not None)

    def sections(self) -> list[Section]:
        """Return what the report says in the order of reading."""
        return sections_of(self)

    def to_html(self) -> str:
        """Return the report as one HTML page that needs nothing else."""
        from errorfloor.show.report.html import page

        return page(self.title, self.sections())

    def to_markdown(self) -> str:
        """Return the report as Markdown, with the pictures in words."""
        from errorfloor.show.report.markdown import page

        return page(self.title, self.sections())

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain values, ready for JSON, with the pictures in words."""
        return {
            "schema": SCHEMA,
            "title": self.title,
            "answer": self.answer,
            "source": dict(self.source),
            "floor": self.floor.to_dict(),
            "interval": self.interval,
            "verdict": None if self.verdict is None else self.verdict.to_dict(),
            "diagnostics": [asdict(diagnostic) for diagnostic in self.diagnostics],
            "comparison": None if self.comparison is None else self.comparison.to_dict(),
            "pictures": [
                {name: getattr(picture, name) for name in ("title", "caption", "description")}
                for picture in self.pictures
            ],
            "method": self.method,
            "references": list(self.references),
            "python": self.python,
            "command": self.command,
            "versions": dict(self.versions),
        }


def summarize(
    result: Estimate | Comparison | Verdict,
    *,
    title: str | None = None,
    source: Mapping[str, str] | None = None,
    command: str | None = None,
    comparison: Comparison | None = None,
    rng: RandomLike = None,
) -> Summary:
    """Return all that a report on `result` says.

    The arguments are those of `report`.
    """
    subject = _subject(result)
    estimate, verdict = subject.estimate, subject.verdict
    context = Context.of(estimate, comparison or subject.comparison, rng)
    about = _about(estimate) if source is None else source
    about = {in_sight(name): in_sight(value) for name, value in about.items()}
    typed = command_line(estimate, verdict) if command is None else command
    return Summary(
        title=_title(about) if title is None else in_sight(title),
        floor=estimate,
        verdict=verdict,
        comparison=context.comparison,
        diagnostics=diagnose(estimate, context.comparison, context.curve),
        pictures=pictures_of(context, verdict),
        source=about,
        python=in_sight(f"{python_code(estimate, verdict)}\n{_call(verdict, rng)}"),
        command=None if typed is None else in_sight(typed),
        versions=versions(),
    )


@dataclass(frozen=True, slots=True)
class _Subject:
    estimate: Estimate
    verdict: Verdict | None = None
    comparison: Comparison | None = None


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
    return _Subject(result.floor, verdict=result)


@_subject.register
def _(result: Comparison) -> _Subject:
    if not len(result):
        return _subject.dispatch(object)(result)
    usual = DEFAULT.name in result.methods
    main = result[DEFAULT.name if usual else result.methods[0]]
    return _Subject(main, comparison=result)


def _about(estimate: Estimate) -> dict[str, str]:
    """Return what the data was, as far as the estimate knows."""
    source = estimate.source
    if source is None:
        return {}
    about = {"file": _file(source)} if source.files else {}
    for role, column in source.columns.items():
        about[role] = ", ".join(map(str, column)) if isinstance(column, tuple) else str(column)
    if source.positive is not None:
        about["positive"] = str(source.positive)
    if source.group is not None:
        about["group"] = f"{source.group} = {estimate.group}"
    return about


def _file(source: Source) -> str:
    more = f" and {len(source.files) - 1} more" if len(source.files) > 1 else ""
    return source.called or f"{source.files[0]}{more}"


def _title(about: Mapping[str, str]) -> str:
    return f"Error floor of {about['file']}" if about.get("file") else "Error floor"


def _call(verdict: Verdict | None, rng: RandomLike) -> str:
    """Return the call that writes the report."""
    name = "floor" if verdict is None else "verdict"
    seed = f", rng={int(rng)}" if isinstance(rng, int | np.integer) else ""
    return f'ef.report({name}, "report.html"{seed})'
