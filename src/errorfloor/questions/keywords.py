"""The keywords of functions: each is written once, for type checkers, help and `inspect`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from inspect import Parameter, signature
from typing import Any, ParamSpec, TypedDict, TypeVar

from errorfloor._keywords import explains_keywords
from errorfloor._typing import RandomLike
from errorfloor.data.options import HOW_TO_READ, ReadOptions
from errorfloor.methods.record import Clip
from errorfloor.questions.cap import ModelError
from errorfloor.questions.question import Ask

P = ParamSpec("P")
R = TypeVar("R")


class MetricOptions(TypedDict, total=False):
    """Which metric is asked for."""

    metric: str
    costs: object
    at: float | None
    prior: object


class LimitOptions(MetricOptions, total=False):
    """The same, with limits."""

    interval: str | None
    level: float
    n_resamples: int
    rng: RandomLike


class _Values(TypedDict, total=False):
    """How to read the values of columns."""

    positive: object
    positive_from: float | None
    classes: Sequence[object] | None
    drop_missing: bool


class ScoreColumns(_Values, total=False):
    """Columns of scores with labels, and how to read their values."""

    score: str | Sequence[str] | None
    label: str | None


class VoteColumns(_Values, total=False):
    """Columns of votes, and how to read their values."""

    positives: object
    counts: object
    item: str | None
    vote: str | None
    annotator: str | None
    annotators: object
    annotations: str | None
    duplicates: str


class AnyColumns(ScoreColumns, VoteColumns, total=False):
    """Columns of labels in any layout."""

    complete: bool
    soft: str | Sequence[str] | None
    totals: str | int | None
    label_is_vote: bool


class EstimateOptions(LimitOptions, total=False):
    """What all estimates take."""

    simultaneous: bool
    weight: object
    cluster: object


class SoftOptions(EstimateOptions, total=False):
    """What soft labels take."""

    soft: str | Sequence[str] | None
    classes: Sequence[object] | None
    drop_missing: bool


class ScoreOptions(ScoreColumns, EstimateOptions, total=False):
    """What scores take."""

    on: str | None
    unlabelled: bool
    complete: bool
    method: str | None
    clip: Clip


class VoteOptions(VoteColumns, EstimateOptions, total=False):
    """What votes take."""

    label: str | None
    labels: object
    on: str | None
    label_is_vote: bool
    method: str | None
    totals_by: str
    stopping: str | None
    majority: int | None
    model_error: ModelError


def takes(options: Any, ask: type[Ask] = Ask) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Show the keywords of a function with their defaults, and explain those that it does not have.

    Columns come first, then how they are read, then what is asked, in the order of both records.
    """
    usual = {one.name: one.default for one in (*fields(ReadOptions), *fields(ask))}
    order = [*HOW_TO_READ, *(one.name for one in fields(Ask))]

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        given = signature(function)
        own = [one for one in given.parameters.values() if one.kind is not one.VAR_KEYWORD]
        more = [
            Parameter(name, Parameter.KEYWORD_ONLY, default=usual.get(name), annotation=_text(hint))
            for name, hint in options.__annotations__.items()
        ]
        keywords = [one for one in own if one.kind is one.KEYWORD_ONLY]
        every = sorted(
            [*keywords, *more], key=lambda one: order.index(one.name) if one.name in order else -1
        )
        first = own[: len(own) - len(keywords)]
        return explains_keywords(function, given.replace(parameters=[*first, *every]))

    return decorate


def _text(hint: Any) -> Any:
    """Return a hint as it is written, as signatures of functions have it."""
    return getattr(hint, "__forward_arg__", hint)
