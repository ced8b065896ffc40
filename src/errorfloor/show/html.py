"""Results as HTML, as notebooks show them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import singledispatch
from html import escape
from typing import Any

from errorfloor.results import (
    AnnotatorsResult,
    Comparison,
    Confusion,
    Estimate,
    FeeBeeResult,
    Groups,
    Plan,
    Verdict,
)
from errorfloor.show import grids
from errorfloor.show.grids import Grid
from errorfloor.show.sentences import refusal_of, sentence_of
from errorfloor.show.text import doubts_of
from errorfloor.show.words import difference_of


@singledispatch
def html_of(result: Any) -> str:
    """Return a result as a piece of HTML."""
    return f"<pre>{escape(str(result))}</pre>"


@html_of.register
def _(result: Estimate) -> str:
    if result.refuted:
        return f"<p><b>{escape(refusal_of(result))}</b></p>"
    table = _table(grids.of_estimates([result]))
    return _said(result) + table + _doubts([result]) + _small(result.assumptions)


@html_of.register
def _(result: Comparison) -> str:
    return _said(result) + _table(grids.of_estimates(result)) + _doubts(result)


@html_of.register(Groups)
def _(result: Groups[Any]) -> str:
    if grids.hold_floors(result):
        table = _table(grids.of_groups(result))
        return _said(result) + table + _small(grids.how_groups(result))
    return _said(result) + "".join(
        f"<p><b>{escape(f'{result.column} {name}')}</b></p>{html_of(row)}"
        for name, row in result.items()
    )


@html_of.register
def _(result: Verdict) -> str:
    if result.floor.refuted:
        return _said(result)
    return f"{_said(result)}{_doubts([result.floor])}{_small(difference_of(result))}"


@html_of.register
def _(result: Plan) -> str:
    return _said(result) + _small(grids.how_plan(result)) + _table(grids.of_plan(result))


@html_of.register
def _(result: FeeBeeResult) -> str:
    return _table(grids.of_feebee(result)) + _small(grids.how_feebee(result))


@html_of.register
def _(result: AnnotatorsResult) -> str:
    return _said(result) + _table(grids.of_annotators(result)) + _small(" ".join(result.notes))


@html_of.register
def _(result: Confusion) -> str:
    return _said(result) + _table(grids.of_pairs(result))


def _said(result: Any) -> str:
    said = sentence_of(result)
    return f"<p><b>{escape(said)}</b></p>" if said else ""


def _doubts(rows: Iterable[Estimate]) -> str:
    """Say each doubt once."""
    found = dict.fromkeys(doubt for row in rows for doubt in doubts_of(row))
    return "".join(f"<p><b>Warning:</b> {escape(doubt)}</p>" for doubt in found)


def _small(text: str) -> str:
    return f"<p><small>{escape(text)}</small></p>"


def _table(grid: Grid) -> str:
    body = "".join(_row(row, "td") for row in grid.rows)
    return f"<table><thead>{_row(grid.head, 'th')}</thead><tbody>{body}</tbody></table>"


def _row(cells: Sequence[str], tag: str) -> str:
    inner = "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells)
    return f"<tr>{inner}</tr>"
