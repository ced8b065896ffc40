"""Results as text, as `print` shows them."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from errorfloor.results import (
    AnnotatorsResult,
    Comparison,
    Estimate,
    FeeBeeResult,
    Groups,
    Plan,
    Verdict,
)
from errorfloor.show import grids, numbers
from errorfloor.show.words import sentence_of


@singledispatch
def text_of(result: Any) -> str:
    """Return a result as text: the answer first."""
    return repr(result)


@text_of.register
def _(result: Estimate) -> str:
    value, limits = numbers.value_and_limits(result)
    how = f"{result.method}, n = {result.n:,}"
    if result.interval is None:
        return f"floor {value} ({how})"
    level = numbers.level(result.interval.level)
    return f"floor {value}, {level} interval {limits} ({how}, {result.interval.method})"


@text_of.register
def _(result: Comparison) -> str:
    return _joined(*grids.as_text(grids.of_methods(result)), *result.notes)


@text_of.register(Groups)
def _(result: Groups[Any]) -> str:
    if not grids.hold_floors(result):
        return grids.under_names(result, text_of)
    return _joined(*grids.as_text(grids.of_groups(result)), grids.how_groups(result))


@text_of.register
def _(result: Verdict) -> str:
    return sentence_of(result)


@text_of.register
def _(result: Plan) -> str:
    table = grids.as_text(grids.of_plan(result))
    return _joined(grids.how_plan(result), *table, sentence_of(result))


@text_of.register
def _(result: FeeBeeResult) -> str:
    table = grids.as_text(grids.of_feebee(result))
    return _joined(*table, grids.how_feebee(result), *result.notes)


@text_of.register
def _(result: AnnotatorsResult) -> str:
    more = len(result) - grids.MOST_ANNOTATORS
    rest = f"and {more:,} more" if more > 0 else ""
    table = grids.as_text(grids.of_annotators(result))
    return _joined(*table, rest, sentence_of(result), *result.notes)


def _joined(*lines: str) -> str:
    return "\n".join(line for line in lines if line)
