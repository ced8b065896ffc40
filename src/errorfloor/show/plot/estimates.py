"""Floors with their intervals: of several methods, and beside a model's error."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial, singledispatch
from typing import TYPE_CHECKING, Any

import numpy as np

from errorfloor.results import Comparison, Estimate, Groups, Verdict
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
    comparison: Comparison | Groups[Estimate] | Sequence[Estimate],
    *,
    truth: float | None = None,
    model_error: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the floors of several methods or groups with their intervals, one line each.

    Parameters
    ----------
    comparison : Comparison, Groups of Estimate, or sequence of Estimate
        What `compare` returned, or `from_scores` and the like with `group`; or estimates of any
        origin.
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
    lines = _lines_of(comparison)
    ax = axes_or_new(ax, 0.9 + lines.height)
    if truth is not None:
        name = f"true floor, {per_cent(truth)}"
        ax.axvline(100 * truth, color=GREY, linewidth=1.2, label=name)
    if model_error is not None:
        name = f"the model's error, {per_cent(model_error)}"
        ax.axvline(100 * model_error, color=ink(ax), linewidth=1.2, linestyle="--", label=name)
    for place, row in enumerate(lines.rows):
        _draw_interval(ax, place, row.value, row.low, row.high, colour(row.method))
    ax.set_yticks(range(len(lines.rows)), lines.names, parse_math=False)  # $ is a letter
    ax.set_ylim(len(lines.rows) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    few_ticks(ax)
    finish(ax, f"error floor, %{lines.intervals}", grid="x")
    legend_above(ax)
    return ax


def height_of_lines(comparison: Comparison | Groups[Estimate] | Sequence[Estimate]) -> float:
    """Return how many inches the lines of a forest take, without what is around them."""
    return _lines_of(comparison).height


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


@dataclass(frozen=True, slots=True)
class _Lines:
    """The lines of a forest, and what their intervals are."""

    rows: list[Estimate]
    names: list[str]
    intervals: str

    @property
    def height(self) -> float:
        """How many inches they take."""
        more = max(name.count("\n") for name in self.names)
        return (0.2 + 0.13 * more) * len(self.rows)


@singledispatch
def _lines_of(comparison: Any) -> _Lines:
    raise ValueError(
        "`comparison` must be a Comparison, Groups of Estimates or a sequence of Estimates, got "
        f"{type(comparison).__name__}. Pass what from_scores with `group` or what compare "
        "returned, or a list of estimates."
    )


@_lines_of.register(Comparison)
@_lines_of.register(Sequence)
def _(comparison: Comparison | Sequence[Estimate]) -> _Lines:
    rows = _estimates(comparison, comparison)
    return _Lines(rows, _names(rows), _with_intervals(rows))


@_lines_of.register(Groups)
def _(comparison: Groups[Estimate]) -> _Lines:
    rows = _estimates(comparison, comparison.values())
    return _Lines(rows, [_name_of_group(str(name)) for name in comparison], _at_once(comparison))


def _estimates(comparison: object, rows: Iterable[Estimate]) -> list[Estimate]:
    """Return the rows if there are some, and all are estimates."""
    found = list(rows)
    if not found or not all(isinstance(row, Estimate) for row in found):
        _lines_of.dispatch(object)(comparison)
    return found


def _name_of_group(name: str) -> str:
    """Break a long name over two lines, and leave out what is longer than that."""
    lines = textwrap.wrap(
        name.replace("_", "_ "),
        20,
        break_on_hyphens=False,
        max_lines=2,
        placeholder=" \N{HORIZONTAL ELLIPSIS}",
    )
    return "\n".join(lines).replace("_ ", "_")


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


def _at_once(groups: Groups[Estimate]) -> str:
    """Say at which level the intervals of groups hold, and whether all of them do so together."""
    rows = list(groups.values())
    if not groups.simultaneous or groups.level is None or not _with_intervals(rows):
        return _with_intervals(rows)
    return f", {level(groups.level)} intervals at once"


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
