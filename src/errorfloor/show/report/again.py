"""Items and annotators of votes whose file can be read again: a result keeps counts alone."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from errorfloor._checks import ErrorFloorWarning, InputError
from errorfloor.data.layouts import LAYOUTS
from errorfloor.data.source import Source
from errorfloor.questions.annotators import WITH_ANNOTATORS, annotators
from errorfloor.questions.items import items
from errorfloor.results import AnnotatorsResult, ClassItems, Estimate, Items, VotesEstimate

MOST_ITEMS = 100_000  # of which a report reads the votes once more
T = TypeVar("T")


def items_again(estimate: Estimate) -> Items | ClassItems | None:
    """Return the items of an estimate, where its votes can be read again and items have names."""
    found = _again(estimate, items, [layout.name for layout in LAYOUTS])
    if found is None or int(found.count.sum()) != estimate.n:  # the file is another one by now
        return None
    return None if _are_row_numbers(found.item) else found


def annotators_again(estimate: Estimate) -> AnnotatorsResult | None:
    """Return the annotators of an estimate, where its votes can be read again."""
    found = _again(estimate, annotators, [layout.name for layout in WITH_ANNOTATORS])
    return None if found is None or found.n != estimate.n else found


def _again(estimate: Estimate, ask: Callable[..., T], layouts: list[str]) -> T | None:
    """Return another answer from the same files, or None where there is none."""
    source = estimate.source
    if not isinstance(estimate, VotesEstimate) or estimate.n > MOST_ITEMS or source is None:
        return None
    if not estimate.measure.is_error:  # items and annotators are about errors
        return None
    # Of a label that is a vote these would know the votes alone.
    others = any(map(source.options.is_given, ("group", "called", "format", "label_is_vote")))
    if source.origin != "files" or others or source.layout not in layouts:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ErrorFloorWarning)  # said by the estimate
            return ask(list(source.files), **_columns(source))
    except (InputError, OSError):  # the answer stands without
        return None


def _columns(source: Source) -> dict[str, Any]:
    layout = next(layout for layout in LAYOUTS if layout.name == source.layout)
    arguments = {role.name: role.argument for role in layout.roles}
    given = {
        arguments[role]: list(column) if isinstance(column, tuple) else column
        for role, column in source.columns.items()
    }
    how = source.options.given
    able = ("positive", "positive_from", "classes", "drop_missing")
    return {**given, **{name: how[name] for name in able if name in how}}


def _are_row_numbers(names: Any) -> bool:
    """Tell whether items have no names of their own."""
    return names.dtype.kind in "iu" and np.array_equal(names, np.arange(len(names)))
