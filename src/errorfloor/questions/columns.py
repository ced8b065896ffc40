"""The columns of dataframes and files that functions take, for type checkers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict


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
