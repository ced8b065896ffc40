"""The metrics as a table: what each is, for which classes, and from which labels it can be had."""

from __future__ import annotations

from typing import Any

from errorfloor import methods, metrics
from errorfloor.data.tables import ScoreTable, SoftTable, VoteTable
from errorfloor.methods.record import Classes
from errorfloor.metrics import Metric
from errorfloor.show import grids
from errorfloor.show.grids import Grid

KINDS = (SoftTable.kind, ScoreTable.kind, VoteTable.kind)


def of_metrics() -> Grid:
    """Return a row for each metric, from the records."""
    rows = tuple(
        (
            metric.name,
            _what(metric),
            "two" if metric.two_only else "any",
            "less" if metric.less_is_better else "more",
            _given(metric),
            "; ".join(_sources(metric)),
        )
        for metric in metrics.METRICS
    )
    head = ("metric", "best possible value", "classes", "better", "takes", "from (interval)")
    return Grid(head, rows, "<" * len(head))


def as_text() -> str:
    """Return the table without formulas, which are long."""
    grid = of_metrics()
    lines = [(one[0], *one[2:]) for one in grid.lines]
    return "\n".join(grids.as_text(Grid(lines[0], tuple(lines[1:]), grid.align[1:])))


def as_dicts() -> list[dict[str, Any]]:
    """Return the table as plain values, ready for JSON."""
    return [
        {
            "name": metric.name,
            "title": metric.words,
            "limit": metric.limit,
            "less_is_better": metric.less_is_better,
            "two_classes_only": metric.two_only,
            "formula": metric.formula,
            "many_formula": metric.many_formula or None,
            "needs": list(metric.needs),
            "takes": list(metric.takes),
            "from": {kind: found for kind in KINDS if (found := _intervals(metric, kind))},
        }
        for metric in metrics.METRICS
    ]


def _what(metric: Metric) -> str:
    mean = "the mean of " if metric.is_mean or metric.formula.startswith("min(") else ""
    return f"{mean}{metric.formula}"


def _given(metric: Metric) -> str:
    return ", ".join([*metric.needs, *(f"{name} (optional)" for name in metric.takes)])


def _sources(metric: Metric) -> list[str]:
    """Return the kinds of labels it can be had from, with the default interval of each."""
    found = []
    for kind in KINDS:
        by_classes = _intervals(metric, kind)
        if not by_classes:
            continue
        only = "" if len(by_classes) == 2 or metric.two_only else ", two classes"
        found.append(f"{kind} ({' or '.join(dict.fromkeys(by_classes.values()))}{only})")
    return found


def _intervals(metric: Metric, kind: str) -> dict[str, str]:
    """Return the default interval by number of classes."""
    return {
        one.classes.value: one.interval
        for classes in Classes
        for one in methods.defaults()
        if (one.reads, one.classes) == (kind, classes) and one.is_for(metric.name)
    }
