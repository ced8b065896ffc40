"""Values with their intervals: floors, a model next to one, models, and models next to people."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from errorfloor._checks import InputError
from errorfloor.results import Comparison, Estimate, Groups, ModelComparison, Verdict
from errorfloor.results.people import MIXTURE, VOTES, People
from errorfloor.show import grids
from errorfloor.show import models as in_models
from errorfloor.show.drawing import PAGE, Shape, draw
from errorfloor.show.gauge import gauge_of, shapes
from errorfloor.show.numbers import digits_for_all, level, style_of
from errorfloor.show.palette import BLUE, GREEN, GREY, ORANGE, PURPLE, RED, SKY, colour
from errorfloor.show.plot.axes import (
    SMALL,
    TEXT,
    WIDTH,
    axes_or_new,
    check_type,
    few_ticks,
    finish,
    ink,
    legend_above,
    log_ticks,
    matplotlib,
    ticks_of,
    wrapped,
)
from errorfloor.show.sentences import refusal_of
from errorfloor.show.standings import standing_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LONG = 12  # letters of a name next to which an axis is short
# Letters of a name in two lines next to the axis.
NARROW = 14
_DRAWN = "Pass what errorfloor.from_votes, from_scores or headroom returned."
_PIXELS, _SIZE = 100, 11  # to an inch, and of letters


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
        A model's error, as a fraction; of another metric its value.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
    """
    lines = _lines_of(comparison)
    ax = axes_or_new(ax, 0.9 + lines.height)
    metric, style = lines.rows[0].measure, style_of(lines.rows[0])
    digits = max(digits_for_all(lines.rows), 1)  # of given numbers
    if truth is not None:
        name = f"true {metric.limit}, {style.value(truth, digits)}"
        ax.axvline(style.factor * truth, color=GREY, linewidth=1.2, label=name)
    if model_error is not None:
        name = f"the model's {metric.words}, {style.value(model_error, digits)}"
        at = style.factor * model_error
        ax.axvline(at, color=ink(ax), linewidth=1.2, linestyle="--", label=name)
    for place, row in enumerate(lines.rows):
        _draw_interval(ax, place, row, colour(row.method), style.factor)
    ax.set_yticks(range(len(lines.rows)), lines.names, parse_math=False)  # $ is a letter
    ax.set_ylim(len(lines.rows) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    few_ticks(ax)
    limit = f" {metric.limit}" if lines.rows[0].claim.any_model else ""
    name = f"{metric.words}{limit}"
    finish(ax, f"{name}{style.sign}{lines.intervals}", grid="x")
    if lines.are_long:  # which leaves less room for the axis than its name needs
        ax.set_xlabel(ax.get_xlabel(), loc="right")
    legend_above(ax)
    return ax


def gauge(result: Estimate | Verdict, *, ax: Axes | None = None) -> Axes:
    """Draw the gauge: what is reachable, what no model reaches, guessing, and the model.

    Parameters
    ----------
    result : Estimate or Verdict
        What a function such as `from_votes` or `headroom` returned.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
    """
    floor = result.floor if isinstance(result, Verdict) else result
    check_type(floor, Estimate, "result", _DRAWN)
    drawn = gauge_of(result)
    if drawn is None:
        reason = refusal_of(floor) if floor.refuted else "There is nothing to draw."
        raise InputError(f"The gauge shows an answer, and here is none. {reason}")
    top = 6 if drawn.model is None else 28
    return _draw_shapes(ax, shapes(drawn, top=top, tall=22, size=_SIZE), top + 84)


def _draw_shapes(ax: Axes | None, parts: Iterable[Shape], height: float) -> Axes:
    """Draw what pages draw as well, in at least so many pixels of height."""
    if ax is None:  # they have no axes to leave room for
        figure = matplotlib("pyplot").figure(figsize=(WIDTH, height / _PIXELS))
        ax = figure.add_axes((0.02, 0, 0.96, 1))
    assert ax is not None
    box, pixels = ax.get_window_extent(), ax.figure.dpi / _PIXELS
    theme = {**PAGE, **dict.fromkeys(("ink", "soft"), ink(ax))}
    size = (box.width / pixels, max(box.height / pixels, height))
    draw(list(parts), ax, size, theme, 72 / _PIXELS)
    return ax


def height_of_lines(comparison: Comparison | Groups[Estimate] | Sequence[Estimate]) -> float:
    """Return how many inches the lines of a forest take, without what is around them."""
    return _lines_of(comparison).height


def headroom(verdict: Verdict, *, ax: Axes | None = None) -> Axes:
    """Draw a model's error and the floor on one axis, and shade the room between them.

    The scale above is that of the accuracy. The room is green where there is some, grey where model
    and floor cannot be told apart, and orange where the model is better than any model can be. What
    is better than the best rule on scores, which may miss something, is blue.

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
    ax = axes_or_new(ax, 1.9)
    floor, model, metric = found.floor, found.model, found.floor.measure
    style = style_of(floor)
    ax.axvspan(
        style.factor * min(floor.value, found.model_value),
        style.factor * max(floor.value, found.model_value),
        zorder=0.5,
        color=standing_of(found).colour,
        alpha=0.15 if standing_of(found).colour == GREY else 0.3,
        linewidth=0,
    )
    _draw_interval(ax, 0, floor, BLUE, style.factor)
    _draw_interval(ax, 1, _Line(found.model_value, model.low, model.high), RED, style.factor)
    ours = textwrap.fill(grids.short_name(floor.claim), NARROW)
    ax.set_yticks(range(2), [ours, "your\nmodel"])
    ax.set_ylim(1.6, -0.6)
    ax.tick_params(axis="y", length=0)
    few_ticks(ax)
    finish(ax, f"{metric.words}{style.sign}, with {level(found.level)} intervals", grid="x")
    if metric.opposite:
        above = ax.secondary_xaxis("top", functions=(_opposite, _opposite))
        above.xaxis.set_major_locator(ticks_of(6))
        above.set_xlabel(f"{metric.opposite}, %", fontsize=TEXT)
        above.tick_params(labelsize=SMALL)
    ax.set_title(standing_of(found).in_short(found), fontsize=TEXT, loc="left", fontweight="bold")
    return ax


def _opposite(value: Any) -> Any:
    return 100 - value


@dataclass(frozen=True, slots=True)
class _Lines:
    """The lines of a forest, and what their intervals are."""

    rows: list[Estimate]
    names: list[str]
    intervals: str

    @property
    def are_long(self) -> bool:
        """Whether a name takes much of the width."""
        return max(len(part) for name in self.names for part in name.split("\n")) > LONG

    @property
    def height(self) -> float:
        """How many inches they take."""
        more = max(name.count("\n") for name in self.names)
        return (0.2 + 0.13 * more) * len(self.rows)


def _lines_of(comparison: Any) -> _Lines:
    """Return the lines of a forest, or say what makes one."""
    rows: list[Any] = []
    if isinstance(comparison, Groups):
        rows = list(comparison.values())
    elif isinstance(comparison, Comparison | Sequence):
        rows = list(comparison)
    if not rows or not all(isinstance(row, Estimate) for row in rows):
        raise ValueError(
            "`comparison` must be a Comparison, Groups of Estimates or a sequence of Estimates, "
            f"got {type(comparison).__name__}. Pass what from_scores with `group` or what compare "
            "returned, or a list of estimates."
        )
    if isinstance(comparison, Groups):
        # What is longer than two lines is left out.
        short: dict[str, Any] = {"max_lines": 2, "placeholder": " \N{HORIZONTAL ELLIPSIS}"}
        names = [wrapped(str(name), **short) for name in comparison]
        return _Lines(rows, names, _at_once(comparison))
    return _Lines(rows, _names(rows), _with_intervals(rows))


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


@dataclass(frozen=True, slots=True)
class _Line:
    """A value with its limits."""

    value: float
    low: float | None
    high: float | None


def _draw_interval(ax: Axes, place: int, row: Estimate | _Line, shade: str, factor: float) -> None:
    if row.low is not None and row.high is not None:
        ends = [factor * row.low, factor * row.high]
        ax.plot(ends, [place, place], color=shade, linewidth=2, solid_capstyle="butt", zorder=3)
    ax.plot([factor * row.value], [place], color=shade, marker="o", markersize=5, zorder=4)


def models(found: ModelComparison, *, ax: Axes | None = None) -> Axes:
    """Draw models with their intervals, and below them their differences from the best one.

    Differences that may be chance are grey.

    Parameters
    ----------
    found : ModelComparison
        What `errorfloor.compare` returned of models.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
    """
    remedy = "Pass what errorfloor.compare returned of models."
    found = check_type(found, ModelComparison, "found", remedy)
    if found.refuted:
        raise InputError(f"The picture shows an answer, and here is none. {refusal_of(found)}")
    height = in_models.height_of(found, _SIZE) + 4
    return _draw_shapes(ax, in_models.shapes(found, top=2, size=_SIZE, room=60), height)


_COLOURS = (RED, GREEN, PURPLE, ORANGE, SKY, GREY)  # of models, again from the first


def people(found: People, *, ax: Axes | None = None) -> Axes:
    """Draw how often panels of people agree with one more person, and where models are.

    A model is drawn where panels agree as often as it does: that many people it is worth. A model
    below one person is drawn at the left edge, one above all panels at the right edge.

    Parameters
    ----------
    found : People
        What `errorfloor.people` returned.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
    """
    found = check_type(found, People, "found", "Pass what errorfloor.people returned.")
    ax = axes_or_new(ax, 3.0)
    sizes = np.array([one.people for one in found.curve])
    value = np.maximum.accumulate([one.value for one in found.curve])
    low, high = (np.array([getattr(one, side) for one in found.curve]) for side in ("low", "high"))
    ax.fill_between(sizes, 100 * low, 100 * high, color=BLUE, alpha=0.15, linewidth=0)
    seen = np.array([one.basis == VOTES for one in found.curve])
    last = int(seen.sum())
    if last:
        ax.plot(sizes[:last], 100 * value[:last], color=BLUE, label="panels of people")
    if any(one.basis == MIXTURE for one in found.curve):
        start = max(last - 1, 0)
        name = "panels, by the fitted mixture"
        ax.plot(sizes[start:], 100 * value[start:], color=BLUE, linestyle="--", label=name)
    best = found.best_possible
    ax.axhline(100 * best.value, color=ink(ax), linewidth=1, linestyle=":", label="best possible")
    ax.axhspan(100 * best.low, 100 * best.high, color=GREY, alpha=0.15, linewidth=0)
    ax.set_xscale("log")
    left, right = 0.8, float(sizes[-1]) * 1.15
    for place, row in enumerate(found.models):
        colour = _COLOURS[place % len(_COLOURS)]
        x = right / 1.07 if row.worth is None else max(row.worth, left * 1.07)
        ends = [[100 * (row.value - row.low)], [100 * (row.high - row.value)]]
        ax.errorbar([x], [100 * row.value], yerr=ends, color=colour, marker="o", markersize=4.5,
                    linestyle="", linewidth=1.4, zorder=4, label=row.name)  # fmt: skip
        if row.worth_low is not None:
            least = max(row.worth_low, left)
            most = right if row.worth_high is None else max(row.worth_high, least)
            ax.plot([least, most], [100 * row.value] * 2, color=colour, linewidth=1, alpha=0.6)
    ax.set_xlim(left, right)
    log_ticks(ax.xaxis)
    finish(ax, "people in the panel", "agrees with one more person, %")
    legend_above(ax, 3)
    return ax
