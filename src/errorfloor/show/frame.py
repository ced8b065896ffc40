"""Results of several rows as dataframes."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import asdict
from functools import singledispatch
from importlib.util import find_spec
from typing import Any, Literal, TypeAlias, cast, get_args

from errorfloor.data import outputs
from errorfloor.results import (
    AnnotatorsResult,
    Comparison,
    Confusion,
    FeeBeeResult,
    Groups,
    LabelPlan,
    Look,
    ModelComparison,
    People,
    Plan,
)

FrameLibrary: TypeAlias = Literal["pandas", "polars", "pyarrow"]

# What a result says in sentences, or about how it was asked for, has no place in a column; but
# that of a verdict has.
_NO_COLUMN = frozenset({"assumptions", "options", "seed", "source", "warnings"})


def frame_of(result: Any, backend: FrameLibrary | None = None) -> Any:
    """Return a result as a dataframe of the library that is at hand, one row for each part."""
    rows = rows_of(result)
    no_column = _NO_COLUMN if rows and "verdict" in rows[0] else {*_NO_COLUMN, "sentence"}
    names = [
        name
        for name in (rows[0] if rows else ())
        if name not in no_column and not any(_is_nested(row.get(name)) for row in rows)
    ]
    columns = {name: [row.get(name) for row in rows] for name in names}
    return frame_of_columns(columns, backend)


def frame_of_columns(columns: Mapping[str, Any], backend: FrameLibrary | None = None) -> Any:
    """Return columns as a dataframe of the library that is at hand."""
    import narwhals as nw

    return nw.from_dict(dict(columns), backend=backend or _library()).to_native()


def write_csv(result: Any, path: str | os.PathLike[str]) -> None:
    """Write a result as CSV, one line for each row."""
    rows = rows_of(result)
    head = list(rows[0]) if rows else []
    outputs.write_csv(path, head, ([row[name] for name in head] for row in rows))


@singledispatch
def rows_of(result: Any) -> list[dict[str, Any]]:
    """Return a result as rows of plain values."""
    return [result.to_dict()]


@rows_of.register(AnnotatorsResult)
@rows_of.register(Comparison)
@rows_of.register(Confusion)
@rows_of.register(FeeBeeResult)
@rows_of.register(ModelComparison)
@rows_of.register(People)
def _(
    result: AnnotatorsResult | Comparison | Confusion | FeeBeeResult | ModelComparison | People,
) -> list[dict[str, Any]]:
    return [row.to_dict() for row in result]


@rows_of.register(Plan)
def _(result: Plan) -> list[dict[str, Any]]:
    votes, items = result.votes.tolist(), result.items.tolist()
    return [
        {"votes": vote, "items": item, "width": width, "bias": bias}
        for vote, bias, widths in zip(
            votes, result.bias.tolist(), result.width.tolist(), strict=True
        )
        for item, width in zip(items, widths, strict=True)
    ]


@rows_of.register(LabelPlan)
def _(result: LabelPlan) -> list[dict[str, Any]]:
    chosen = result.rows
    columns = {"row": chosen, "score": result.scores[chosen], "weight": result.weight[chosen]}
    values = zip(*(one.tolist() for one in columns.values()), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in values]


@rows_of.register(Look)
def _(result: Look) -> list[dict[str, Any]]:
    return [asdict(column) for column in result.columns]


@rows_of.register(Groups)
def _(result: Groups[Any]) -> list[dict[str, Any]]:
    return [{"group": name, **row} for name, part in result.items() for row in rows_of(part)]


def _is_nested(value: object) -> bool:
    return isinstance(value, Mapping | list | tuple)


def _library() -> FrameLibrary:
    """Return the first library that is imported already, or else installed."""
    libraries = get_args(FrameLibrary)
    there = [name for name in libraries if name in sys.modules]
    there += [name for name in libraries if find_spec(name)]
    if not there:
        raise ImportError("to_frame needs pandas, polars or pyarrow: pip install pandas")
    return cast("FrameLibrary", there[0])
