"""Keywords that functions take, for type checkers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from errorfloor._typing import RandomLike
from errorfloor.methods.record import Clip
from errorfloor.questions.cap import ModelError


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


class ScoreColumns(TypedDict, total=False):
    """Columns of scores with labels, and how to read their values."""

    score: str | Sequence[str] | None
    label: str | None
    positive: object
    positive_from: float | None
    classes: Sequence[object] | None
    drop_missing: bool


class AnyColumns(ScoreColumns, total=False):
    """Columns of labels in any layout."""

    complete: bool
    soft: str | Sequence[str] | None
    positives: str | None
    totals: str | int | None
    counts: str | Sequence[str] | None
    item: str | None
    vote: str | None
    annotator: str | None
    annotators: Sequence[str] | None
    annotations: str | None
    label_is_vote: bool
    duplicates: str


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


class VoteOptions(EstimateOptions, total=False):
    """What votes take."""

    positives: object
    counts: object
    item: str | None
    vote: str | None
    annotator: str | None
    annotators: object
    annotations: str | None
    duplicates: str
    label: str | None
    labels: object
    on: str | None
    label_is_vote: bool
    positive: object
    positive_from: float | None
    classes: Sequence[object] | None
    drop_missing: bool
    method: str | None
    totals_by: str
    stopping: str | None
    majority: int | None
    model_error: ModelError


class ScoreOptions(EstimateOptions, ScoreColumns, total=False):
    """What scores take."""

    on: str | None
    unlabelled: bool
    complete: bool
    method: str | None
    clip: Clip
