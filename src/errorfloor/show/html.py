"""Results as cards, as notebooks show them: sentence, picture, numbers, warnings and remarks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import singledispatch
from html import escape
from typing import Any

from errorfloor.results import (
    AnnotatorsResult,
    ClassItems,
    Comparison,
    Confusion,
    Estimate,
    FeeBeeResult,
    Groups,
    Items,
    LabelPlan,
    ModelComparison,
    People,
    Plan,
    Verdict,
)
from errorfloor.show import gauge, grids
from errorfloor.show import models as in_models
from errorfloor.show import people as in_people
from errorfloor.show.grids import Grid
from errorfloor.show.lines import Line, bars, intervals
from errorfloor.show.markup import unbroken
from errorfloor.show.numbers import level, style_of, with_limits
from errorfloor.show.palette import colour
from errorfloor.show.sentences import sentence_of
from errorfloor.show.text import difference_of, doubts_of, how_labels


def card(
    sentence: str,
    grid: Grid | None = None,
    *,
    picture: str = "",
    warnings: Iterable[str] = (),
    remarks: Iterable[str] = (),
) -> str:
    """Return a card: what was found in a sentence, then all that goes with it."""
    parts = [f"<p><b>{_escaped(sentence)}</b></p>" if sentence else "", picture]
    parts += ["" if grid is None or not grid.rows else _table(grid)]
    parts += [f"<p><b>Warning:</b> {_escaped(one)}</p>" for one in dict.fromkeys(warnings)]
    parts += [f"<p><small>{_escaped(one)}</small></p>" for one in remarks if one]
    return f'<div class="errorfloor" style="max-width:46em">{"".join(parts)}</div>'


def _escaped(text: str) -> str:
    return escape(unbroken(text))


@singledispatch
def html_of(result: Any) -> str:
    """Return a result as a piece of HTML."""
    return f"<pre>{escape(str(result))}</pre>"


@html_of.register
def _(result: Estimate) -> str:
    sentence = sentence_of(result)
    if result.refuted:
        return card(sentence)
    return card(
        sentence,
        grids.of_estimates([result]),
        picture=gauge.picture_of(result),
        warnings=doubts_of(result),
        remarks=[result.claim.sentence, result.assumptions],
    )


@html_of.register
def _(result: Comparison) -> str:
    sentence = sentence_of(result) if len(result) else ""
    drawn = [] if not sentence or result.main.refuted else [(row.method, row) for row in result]
    return card(
        sentence,
        grids.of_estimates(result),
        picture=intervals_of(drawn, sentence),
        warnings=[doubt for row in result for doubt in doubts_of(row)],
        remarks=result.notes,
    )


@html_of.register(Groups)
def _(result: Groups[Any]) -> str:
    sentence = sentence_of(result)
    if grids.hold_floors(result):
        return card(
            sentence,
            grids.of_groups(result),
            picture=intervals_of([(str(name), row) for name, row in result.items()], sentence),
            warnings=[doubt for row in result.values() for doubt in doubts_of(row)],
            remarks=[grids.how_groups(result)],
        )
    if all(isinstance(row, Verdict) for row in result.values()):
        doubts = (doubt for row in result.values() for doubt in _doubts_about(row))
        return card(sentence, _of_verdicts(result), warnings=doubts)
    return card(sentence) + "".join(
        f"<p><b>{escape(f'{result.column} {name}')}</b></p>{html_of(row)}"
        for name, row in result.items()
    )


def _of_verdicts(groups: Groups[Verdict]) -> Grid:
    """Return the best possible value of each group, the model's, and what is between them."""
    first = next(iter(groups.values())).floor
    metric = first.measure
    best = "best possible" if first.claim.any_model else "reachable"
    rows = []
    for name, row in groups.items():
        drawn = None if row.floor.refuted else gauge.gauge_of(row)
        if drawn is None:
            rows.append((str(name), "", "", sentence_of(row)))
            continue
        floor, model = gauge.heroes_of(row, drawn)
        rows.append((str(name), floor.number, model.number, model.detail))
    head = (groups.column, f"{best} {metric.opposite or metric.words}", "your model", "verdict")
    return Grid(head, tuple(rows), "<>><")


@html_of.register
def _(result: Verdict) -> str:
    sentence = sentence_of(result)
    if result.floor.refuted:
        return card(sentence)
    return card(
        sentence,
        picture=gauge.picture_of(result),
        warnings=_doubts_about(result),
        remarks=[difference_of(result)],
    )


def _doubts_about(result: Verdict) -> list[str]:
    return [*doubts_of(result.floor), *result.warnings]


@html_of.register
def _(result: People) -> str:
    sentence = sentence_of(result)
    if result.floor.refuted:
        return card(sentence)
    grid = in_people.of_models(result) if result.models else in_people.of_panels(result)
    return card(
        sentence,
        grid,
        picture=in_people.picture_of(result),
        warnings=doubts_of(result.floor),
        remarks=in_people.about(result),
    )


@html_of.register
def _(result: LabelPlan) -> str:
    return card(sentence_of(result), remarks=[how_labels(result)])


@html_of.register
def _(result: Plan) -> str:
    return card(sentence_of(result), grids.of_plan(result), remarks=[grids.how_plan(result)])


@html_of.register(Items)
@html_of.register(ClassItems)
def _(result: Items | ClassItems) -> str:
    return card(sentence_of(result), grids.of_items(result), remarks=[grids.how_items(result)])


@html_of.register
def _(result: FeeBeeResult) -> str:
    remarks = [grids.how_feebee(result), *result.notes]
    grid = grids.of_feebee(result)
    return card(sentence_of(result), grid, warnings=result.warnings, remarks=remarks)


@html_of.register
def _(result: AnnotatorsResult) -> str:
    sentence = sentence_of(result)
    shares = [(row.annotator, row.share or 0.0) for row in result]
    return card(
        sentence,
        grids.of_annotators(result),
        picture=bars(shares, "share of the floor, %", sentence),
        warnings=doubts_of(result.floor),
        remarks=result.notes,
    )


@html_of.register
def _(result: Confusion) -> str:
    sentence = sentence_of(result)
    shares = [(f"{pair.first} / {pair.second}", pair.share) for pair in result.pairs]
    picture = bars(shares, "share of all errors, %", sentence)
    return card(sentence, grids.of_pairs(result), picture=picture, remarks=[result.basis])


def intervals_of(rows: Sequence[tuple[str, Estimate]], sentence: str) -> str:
    """Return the floors on one axis, without those that are refuted."""
    stated = [(name, row) for name, row in rows if not row.refuted]
    if not stated:
        return ""
    lines = [
        Line(name, row.value, row.low, row.high, colour(row.method), with_limits(row))
        for name, row in stated
    ]
    levels = {row.level for _, row in stated if row.level is not None}
    which = f" with {level(levels.pop())} intervals" if len(levels) == 1 else ""
    first = stated[0][1]
    style = style_of(first)
    axis = f"{grids.axis_of(first)}{style.sign}{which}"
    left_out = len(rows) - len(stated)
    return intervals(lines, axis, sentence, left_out=left_out, factor=style.factor)


def _table(grid: Grid) -> str:
    body = "".join(_row(row, "td", grid.align) for row in grid.rows)
    head = _row(grid.head, "th", grid.align)
    inner = f"<thead>{head}</thead><tbody>{body}</tbody>"
    table = f'<table style="border-spacing:.8em .1em">{inner}</table>'
    # In narrow cells it scrolls by itself, and then it must be reachable by keyboard.
    reached = 'tabindex="0" role="group" aria-label="The numbers"'
    return f'<div {reached} style="overflow-x:auto;white-space:nowrap">{table}</div>'


def _row(cells: Sequence[str], tag: str, align: str) -> str:
    inner = "".join(
        f"<{tag}{_SIDES[side]}>{escape(cell)}</{tag}>"
        for cell, side in zip(cells, align, strict=True)
    )
    return f"<tr>{inner}</tr>"


_SIDES = {"<": "", ">": ' style="text-align:right"'}


@html_of.register
def _(result: ModelComparison) -> str:
    sentence = sentence_of(result)
    if result.refuted:
        return card(sentence)
    return card(
        sentence,
        in_models.of_models(result),
        picture=in_models.picture_of(result),
        warnings=doubts_of(result),
        remarks=in_models.about(result),
    )
