"""Floors with their intervals: of several methods, and beside a model's error."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from errorfloor.results import Comparison, Estimate, Verdict
from errorfloor.results.verdict import BEYOND, ROOM, SATURATED
from errorfloor.show.numbers import level, per_cent, unsigned
from errorfloor.show.palette import BLUE, GREEN, GREY, ORANGE, RED, colour
from errorfloor.show.plot.axes import (
    SMALL,
    TEXT,
    axes_or_new,
    check_type,
    few_ticks,
    finish,
    ink,
    legend_above,
    wrapped,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHADES = {ROOM: GREEN, SATURATED: GREY, BEYOND: ORANGE}


def forest(
    comparison: Comparison | Sequence[Estimate],
    *,
    truth: float | None = None,
    model_error: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the floors of several methods with their intervals, one line each.

    Parameters
    ----------
    comparison : Comparison or sequence of Estimate
        What `compare` returned, or estimates of any origin.
    truth : float, optional
        The true floor, as a fraction, where it is known.
    model_error : float, optional
        A model's error, as a fraction.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
    """
    rows = _estimates(comparison)
    names = _names(rows)
    lines = max(name.count("\n") for name in names)
    ax = axes_or_new(ax, 0.9 + (0.2 + 0.13 * lines) * len(rows))
    if truth is not None:
        name = f"true floor, {per_cent(truth)}"
        ax.axvline(100 * truth, color=GREY, linewidth=1.2, label=name)
    if model_error is not None:
        name = f"the model's error, {per_cent(model_error)}"
        ax.axvline(100 * model_error, color=ink(ax), linewidth=1.2, linestyle="--", label=name)
    for place, row in enumerate(rows):
        _draw_interval(ax, place, row.value, row.low, row.high, colour(row.method))
    ax.set_yticks(range(len(rows)), names)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    few_ticks(ax)
    finish(ax, f"error floor, %{_with_intervals(rows)}", grid="x")
    legend_above(ax)
    return ax


def headroom(verdict: Verdict, *, ax: Axes | None = None) -> Axes:
    """Draw a model's error beside the floor, their difference, and the verdict.

    The difference is drawn from the floor on: its interval crosses the floor's line where the
    model cannot be told from the floor. The scale above is that of the difference.

    Parameters
    ----------
    verdict : Verdict
        What `errorfloor.headroom` returned.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
    """
    found = check_type(verdict, Verdict, "verdict", "Pass what errorfloor.headroom returned.")
    ax = axes_or_new(ax, 2.0)
    floor, model, value = found.floor, found.model, found.floor.value
    ax.axvline(100 * value, color=BLUE, linewidth=0.8, linestyle=":")
    _draw_interval(ax, 0, value, floor.low, floor.high, BLUE)
    _draw_interval(ax, 1, found.model_error, model.low, model.high, RED)
    shade = SHADES[found.verdict]
    _draw_interval(ax, 2, found.model_error, value + found.low, value + found.high, shade)
    ax.set_yticks(range(3), ["floor", "model", "model\nless floor"])
    ax.set_ylim(2.6, -0.6)
    ax.tick_params(axis="y", length=0)
    few_ticks(ax)
    finish(ax, f"error, %, with {level(found.level)} intervals", grid="x")
    shift = 100 * value
    above = ax.secondary_xaxis("top", functions=(partial(np.add, -shift), partial(np.add, shift)))
    above.set_xlabel("model less floor, percentage points", fontsize=TEXT)
    above.tick_params(labelsize=SMALL)
    ax.set_title(_headline(found), fontsize=TEXT, loc="left")
    return ax


def _estimates(comparison: object) -> list[Estimate]:
    rows = list(comparison) if isinstance(comparison, Comparison | Sequence) else []
    if not rows or not all(isinstance(row, Estimate) for row in rows):
        raise ValueError(
            "`comparison` must be a Comparison or a sequence of Estimates, got "
            f"{type(comparison).__name__}. Pass what compare returned, or a list of estimates."
        )
    return rows


def _names(rows: Sequence[Estimate]) -> list[str]:
    """Return the methods' names, with the number of items where a name occurs twice."""
    names = [row.method for row in rows]
    return [
        f"{wrapped(row.method)}\nn = {row.n:,}" if names.count(row.method) > 1 else wrapped(name)
        for row, name in zip(rows, names, strict=True)
    ]


def _with_intervals(rows: Sequence[Estimate]) -> str:
    levels = {row.level for row in rows if row.level is not None}
    if len(levels) == 1:
        return f", with {level(levels.pop())} intervals"
    return ", with intervals" if levels else ""


def _draw_interval(
    ax: Axes, place: int, value: float, low: float | None, high: float | None, shade: str
) -> None:
    if low is not None and high is not None:
        ends = [100 * low, 100 * high]
        ax.plot(ends, [place, place], color=shade, linewidth=2, solid_capstyle="butt", zorder=3)
    ax.plot([100 * value], [place], color=shade, marker="o", markersize=5, zorder=4)


def _headline(found: Verdict) -> str:
    least, most = unsigned(found.low), unsigned(found.high)
    return {
        ROOM: f"Room: {least} to {most} points left",
        SATURATED: f"Saturated: at most {most} points left",
        BEYOND: f"Below the floor by {most} to {least} points",
    }[found.verdict]
