"""Whether items can tell models apart at all."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from errorfloor.checks.record import Check
from errorfloor.results.finding import Finding
from errorfloor.results.models import ModelComparison


def _one_class(result: ModelComparison) -> Iterator[Finding]:
    label = None if result.source is None else result.source.facts.get("only_label")
    if label is not None:
        yield Finding(
            "One class of labels",
            str(label),
            "warn",
            f"All labels are {label}: a model that always answers {label} would be perfect here. "
            "How models do on other classes cannot be seen.",
            "Compare models on items of all classes.",
        )


def _equal(result: ModelComparison) -> Iterator[Finding]:
    pairs = () if result.source is None else result.source.facts.get("equal_models", ())
    for first, second in pairs:
        yield Finding(
            "Equal models",
            f"{first} and {second}",
            "note",
            f"{first} and {second} give the same answer for every item.",
            "Check that the two columns are of different models.",
        )


def _by_order(result: ModelComparison) -> Iterator[Finding]:
    if result.source is not None and result.source.facts.get("other_ids"):
        yield Finding(
            "Rows matched by order",
            "no id in common",
            "warn",
            "The files have no id in common. Their labels are the same in the same order, so the "
            "rows are taken for the same items in this order.",
            "Call items the same in all files.",
        )


_check = partial(Check, results=(ModelComparison,))
RECORDS = (
    _check(
        name="rows matched by order",
        run=_by_order,
        asks="Where each model has a file: do the files call items differently?",
    ),
    _check(
        name="one class of labels",
        run=_one_class,
        asks="Are all labels the same?",
    ),
    _check(
        name="equal models",
        run=_equal,
        asks="Do two models give the same answers?",
    ),
)
