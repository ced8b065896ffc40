"""Keywords that the functions for soft labels, votes and scores take, for type checkers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from errorfloor._typing import RandomLike
from errorfloor.methods.record import Clip
from errorfloor.questions.cap import ModelError


class CommonOptions(TypedDict, total=False):
    """What all estimates take."""

    metric: str
    costs: object
    at: float | None
    prior: object
    interval: str | None
    level: float
    n_resamples: int
    rng: RandomLike
    drop_missing: bool
    simultaneous: bool
    weight: object
    cluster: object


class SoftOptions(CommonOptions, total=False):
    """What soft labels take besides."""

    soft: str | Sequence[str] | None
    classes: Sequence[object] | None


class VoteOptions(CommonOptions, total=False):
    """What votes take besides."""

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
    method: str | None
    totals_by: str
    stopping: str | None
    majority: int | None
    model_error: ModelError


class ScoreOptions(CommonOptions, total=False):
    """What scores take besides."""

    score: str | Sequence[str] | None
    label: str | None
    on: str | None
    positive: object
    positive_from: float | None
    classes: Sequence[object] | None
    unlabelled: bool
    complete: bool
    method: str | None
    clip: Clip
