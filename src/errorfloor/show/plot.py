"""Pictures of computed values, on given axes; `errorfloor.plot` is their public name."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from errorfloor._checks import InputError
from errorfloor._typing import Counts, Floats
from errorfloor.bounds import BiasCurves
from errorfloor.data.tables import ScoreTable, SoftTable, VoteTable
from errorfloor.intervals.record import Seed
from errorfloor.methods import known
from errorfloor.methods.isotonic import ISOTONIC
from errorfloor.methods.record import Options, Shape
from errorfloor.metrics.selective import risk_coverage as kept
from errorfloor.metrics.variances import DIFFERENCE, RATIO
from errorfloor.results import (
    ORACLE,
    ClassReliability,
    Comparison,
    Confusion,
    Estimate,
    FeeBeeResult,
    Groups,
    ModelComparison,
    NoiseCurve,
    Option,
    Plan,
    RatingsEstimate,
    Reliability,
    Verdict,
    VotesEstimate,
)
from errorfloor.results.people import MIXTURE, VOTES, People
from errorfloor.show import grids
from errorfloor.show import models as in_models
from errorfloor.show.drawing import PAGE, draw
from errorfloor.show.drawing import Shape as Drawn
from errorfloor.show.gauge import gauge_of, shapes
from errorfloor.show.numbers import (
    digits_for,
    digits_for_all,
    level,
    per_cent,
    short,
    style_of,
    style_of_plan,
)
from errorfloor.show.palette import BLUE, DARK, GREEN, GREY, LIGHT, ORANGE, PURPLE, RED, SKY, colour
from errorfloor.show.sentences import refusal_of
from errorfloor.show.standings import standing_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "bias_bounds",
    "ceilings",
    "class_reliability",
    "confusion",
    "distribution",
    "forest",
    "gauge",
    "headroom",
    "models",
    "noise_curves",
    "people",
    "plan",
    "reliability",
    "risk_coverage",
]


# What all pictures share: matplotlib when it is needed, small type, legends, ticks.


WIDTH = 4.2  # inches
TEXT, SMALL = 8, 7.5  # points
FEW = 12  # so many numbers are drawn as points as well as by a line

T = TypeVar("T")


def matplotlib(part: str) -> Any:
    """Return a module of matplotlib, or say how to install it."""
    try:
        return import_module(f"matplotlib.{part}")
    except ImportError as error:
        message = "Pictures need matplotlib: pip install 'errorfloor[cli]'."
        raise ImportError(message) from error


def check_type(value: object, kind: type[T], name: str, remedy: str) -> T:
    """Return `value` if it is of the kind that can be drawn, else say what to pass."""
    if isinstance(value, kind):
        return value
    given = type(value).__name__
    raise ValueError(f"`{name}` must be a {kind.__name__}, got {given}. {remedy}")


def wrapped(name: str, width: int = 20, **more: Any) -> str:
    """Break a long name over lines, after underscores where it has some."""
    lines = textwrap.wrap(name.replace("_", "_ "), width, break_on_hyphens=False, **more)
    return "\n".join(lines).replace("_ ", "_")


def ink(ax: Axes) -> Any:
    """Return the colour of text on these axes, black unless the user's style says otherwise."""
    return ax.xaxis.label.get_color()


def new_figure(height: float) -> Any:
    """Return a figure of pyplot, which notebooks show by themselves."""
    return matplotlib("pyplot").figure(figsize=(WIDTH, height), layout="constrained")


def axes_or_new(ax: Axes | None, height: float = 2.8) -> Axes:
    """Return `ax`, or the axes of a new figure."""
    if ax is not None:
        return ax
    made: Axes = new_figure(height).add_subplot()
    return made


def finish(ax: Axes, x: str = "", y: str = "", *, grid: Any = "both") -> None:
    """Name the axes, in small type, and take away what does not help to read."""
    if x:
        ax.set_xlabel(x, fontsize=TEXT)
    if y:
        ax.set_ylabel(y, fontsize=TEXT)
    ax.tick_params(labelsize=SMALL)
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_axisbelow(True)
    if grid:
        ax.grid(axis=grid, color=GREY, alpha=0.25, linewidth=0.6)


def legend_above(ax: Axes, columns: int = 1) -> None:
    """Put the legend above the axes, in as many columns of `columns` as have room there."""
    if not ax.get_legend_handles_labels()[0]:
        return
    for number in range(columns, 0, -1):
        legend = ax.legend(
            loc="lower left",
            bbox_to_anchor=(0, 1),
            ncols=number,
            frameon=False,
            fontsize=SMALL,
            borderaxespad=0.3,
            borderpad=0.1,
            columnspacing=1,
            handlelength=1.8,
            handletextpad=0.6,
            labelspacing=0.3,
        )
        if legend.get_window_extent().width <= ax.get_window_extent().width:
            break


def few_ticks(ax: Axes) -> None:
    """Leave room between the numbers of a linear x-axis."""
    ax.xaxis.set_major_locator(ticks_of(6))


def ticks_of(most: int) -> Any:
    """Return what places up to so many round numbers on an axis."""
    return matplotlib("ticker").MaxNLocator(most, steps=[1, 2, 2.5, 5, 10])


def log_ticks(axis: Any) -> None:
    """Label a logarithmic axis with plain numbers, the denser the shorter it is."""
    ticker = matplotlib("ticker")
    low, high = axis.get_view_interval()
    subs = (1.0, 2.0, 5.0) if high < 200 * low else (1.0,)
    few = ticker.MaxNLocator(5) if high < 5 * low else ticker.LogLocator(subs=subs, numticks=8)
    axis.set_major_locator(few)
    axis.set_major_formatter(ticker.FuncFormatter(lambda value, _: short(value)))
    axis.set_minor_formatter(ticker.NullFormatter())


# Values with their intervals: floors, a model next to one, models, and models next to people.


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


def _draw_shapes(ax: Axes | None, parts: Iterable[Drawn], height: float) -> Axes:
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


# Classes: which of them no model can tell apart.


FEW_CLASSES, MOST_PAIRS = 12, 12  # classes that have room in a square, and pairs in a list
NUMBERED = 0.004  # shares below which a cell has no number
DEEP = 0.7  # share of the deepest colour from which light letters are read more easily
SHADES = 32  # of the colour bar; more would make an image of it, which scales badly
LONGEST = 16  # letters of a name that have room
ALL_NAMES = 28  # letters of all names next to each other that have room


def confusion(confusion: Confusion, *, ax: Axes | None = None) -> Axes:
    """Draw which classes the best rule takes for which others.

    Up to twelve classes are a square of cells, each the share of all errors that are truly of the
    row's class and answered by the column's. Of more classes, the pairs with the largest shares
    are drawn as bars.

    Parameters
    ----------
    confusion : Confusion
        What `errorfloor.confusion` returned.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
    """
    remedy = "Pass what errorfloor.confusion returned."
    found = check_type(confusion, Confusion, "confusion", remedy)
    ax = axes_or_new(ax, height_of(found))
    if len(found.classes) <= FEW_CLASSES:
        _draw_square(ax, found)
    else:
        _draw_pairs(ax, found)
    return ax


def height_of(found: Confusion) -> float:
    """Return the height in inches that a picture of so many classes needs."""
    if len(found.classes) <= FEW_CLASSES:
        return 1.3 + 0.24 * len(found.classes)
    return 1.0 + 0.24 * min(len(found.pairs), MOST_PAIRS)


def _draw_square(ax: Axes, found: Confusion) -> None:
    size = len(found.classes)
    share = found.errors / (found.value or 1.0)
    mesh = ax.pcolormesh(
        100 * share,
        cmap="Blues",
        vmin=0,
        edgecolors="white",
        linewidth=0.8,
        vmax=100 * _most(share),
    )
    mesh.set_cmap(mesh.cmap.resampled(SHADES))
    for (row, column), value in np.ndenumerate(share):
        if row == column:
            ax.text(
                column + 0.5, row + 0.5, "·", ha="center", va="center", fontsize=SMALL, color=DARK
            )
        elif value >= NUMBERED:
            ax.text(
                column + 0.5,
                row + 0.5,
                f"{100 * value:.0f}" if value >= 0.0095 else "<1",
                ha="center",
                va="center",
                color=LIGHT if value > DEEP * _most(share) else DARK,
                fontsize=SMALL,
            )
    names = [_short(name) for name in found.classes]
    turned: dict[str, Any] = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
    are_long = max(map(len, names)) * size > ALL_NAMES
    ax.set_xticks(np.arange(size) + 0.5, names, **(turned if are_long else {}))
    ax.set_yticks(np.arange(size) + 0.5, names)
    ax.set_ylim(size, 0)
    bar = ax.figure.colorbar(mesh, ax=ax)
    bar.set_label("share of all errors, %", fontsize=SMALL)
    bar.ax.tick_params(labelsize=SMALL)
    finish(ax, "answer of the best rule", "true class", grid=None)
    ax.tick_params(length=0)


def _draw_pairs(ax: Axes, found: Confusion) -> None:
    pairs = found.pairs[:MOST_PAIRS]
    place = np.arange(len(pairs))
    forth = np.array([100 * pair.first_as_second for pair in pairs])
    back = np.array([100 * pair.second_as_first for pair in pairs])
    ax.barh(place, forth, color=BLUE, label="first class, taken for the second")
    ax.barh(place, back, left=forth, color=SKY, label="second class, taken for the first")
    ax.set_yticks(place, [f"{_short(pair.first)} / {_short(pair.second)}" for pair in pairs])
    ax.invert_yaxis()
    rest = 1 - sum(pair.share for pair in pairs)
    more = f"; all other pairs {per_cent(rest, 0)}" if rest > 0.005 else ""
    finish(ax, f"share of all errors, %{more}", grid="x")
    legend_above(ax)


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"


def _most(share: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> float:
    return float(share.max()) or 1.0


# Curves: reliability, noise, errors by coverage, and ceilings by the number of ratings.


DASHES = ("-", (0, (4, 1.5)), (0, (2, 1.2)), (0, (1, 1)), (0, (5, 1, 1, 1)))
MARKERS = "os^DXvP*"
MOST_CLASSES = 11  # drawn next to the top label
BROAD = 4.0  # inches that two columns of a legend need
FEW_METHODS = 4  # the bands of more would hide each other


def reliability(curve: Reliability, *, axes: tuple[Axes, Axes] | None = None) -> tuple[Axes, Axes]:
    """Draw a reliability curve with its band, and the histogram of the scores beneath.

    Parameters
    ----------
    curve : Reliability
        What `errorfloor.reliability` returned.
    axes : pair of Axes, optional
        Where to draw the curve and the histogram, best with a common x-axis; a new figure by
        default.

    Returns
    -------
    pair of Axes
        Of the curve and of the histogram.
    """
    remedy = "Pass what errorfloor.reliability returned; class_reliability draws many classes."
    found = check_type(curve, Reliability, "curve", remedy)
    upper, lower = _pair_of_axes(axes)
    _draw_curve(upper, found)
    _draw_histogram(lower, found)
    return upper, lower


def curve_of(result: Reliability | ClassReliability, ax: Axes | None = None) -> Axes:
    """Draw a curve on given axes, of many classes that of the likeliest one.

    In a new figure the histogram of the scores is beneath it.
    """
    curve = result.top if isinstance(result, ClassReliability) else result
    if ax is None:
        return reliability(curve)[0]
    _draw_curve(ax, curve)
    return ax


def _draw_curve(upper: Axes, found: Reliability) -> None:
    _draw_band(upper, found)
    if found.edges[0] >= 0 and found.edges[-1] <= 1:
        ends = [0, 1]
        upper.plot(ends, [0, 100], color=GREY, linewidth=1, linestyle=":", label="score as it is")
    marker = "o" if found.scores.size <= FEW else ""
    upper.plot(
        found.scores,
        100 * found.probabilities,
        color=BLUE,
        marker=marker,
        markersize=3,
        label=f"{found.method} fit, n = {found.n:,}",
    )
    upper.set_ylim(-2, 102)
    finish(upper, y="P(label 1 | score), %")
    legend_above(upper)


def class_reliability(
    curves: ClassReliability,
    classes: Sequence[str] | None = None,
    *,
    axes: Sequence[Axes] | None = None,
) -> list[Axes]:
    """Draw the reliability of the top label, then of classes against the rest, side by side.

    Parameters
    ----------
    curves : ClassReliability
        What `errorfloor.reliability` returned for more than two classes.
    classes : sequence of str, optional
        Which classes to draw; all by default, or the eleven with most labels if there are more.
    axes : sequence of Axes, optional
        One for the top label and one for each class; a new figure by default.

    Returns
    -------
    list of Axes
    """
    remedy = "Pass what errorfloor.reliability returned for more than two classes."
    found = check_type(curves, ClassReliability, "curves", remedy)
    names = _most_frequent(found) if classes is None else list(classes)
    panels = [("top label", found.top), *((name, found[name]) for name in names)]
    grid = _grid(len(panels)) if axes is None else list(axes)
    if len(grid) != len(panels):
        raise ValueError(f"`axes` must be {len(panels)} axes, one a panel, got {len(grid)}.")
    for ax, (name, curve) in zip(grid, panels, strict=True):
        _draw_panel(ax, name, curve)
    figure: Any = grid[0].figure
    if figure.get_layout_engine() is not None:  # which makes room outside the axes
        handles, labels = grid[0].get_legend_handles_labels()
        columns = 2 if figure.get_figwidth() >= BROAD else 1
        figure.legend(
            handles, labels, loc="outside upper left", ncols=columns, frameon=False, fontsize=SMALL
        )
    else:
        legend_above(grid[0])
    return grid


def _most_frequent(curves: ClassReliability) -> list[str]:
    """Return the classes with most labels, in the order of classes."""
    count = np.array([curve.positives.sum() for curve in curves.by_class])
    most = np.sort(np.argsort(-count, kind="stable")[:MOST_CLASSES])
    return [curves.classes[k] for k in most]


def _grid(panels: int) -> list[Axes]:
    """Return axes of a new figure, the lowest of each column with numbers and a name beneath."""
    columns = 2 if panels == 4 else min(panels, 3)
    rows = -(-panels // columns)
    figure = new_figure(1.35 * rows + 0.7)
    made = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    every: list[Axes] = [ax for row in made for ax in row]
    for place, ax in enumerate(every[:panels]):
        if place + columns >= panels:
            ax.tick_params(labelbottom=True)
            ax.set_xlabel("score", fontsize=TEXT)
        if place % columns == 0:
            ax.set_ylabel("P(right | score), %", fontsize=TEXT)
    for ax in every[panels:]:
        ax.remove()
    return every[:panels]


def _draw_panel(ax: Axes, name: str, curve: Reliability) -> None:
    _draw_band(ax, curve, f"{level(curve.level)} band, each panel by itself")
    ax.plot([0, 1], [0, 100], color=GREY, linewidth=1, linestyle=":", label="score as it is")
    label = f"{curve.method} fit, n = {curve.n:,}"
    ax.plot(curve.scores, 100 * curve.probabilities, color=BLUE, linewidth=1.2, label=label)
    ax.set(xlim=(-0.02, 1.02), ylim=(-2, 102), xticks=[0, 0.5, 1], yticks=[0, 50, 100])
    title = f"{wrapped(name)}: {int(curve.positives.sum()):,}"
    ax.set_title(title, fontsize=SMALL, loc="left", pad=3)
    finish(ax)


def noise_curves(
    result: FeeBeeResult, methods: Sequence[str] | None = None, *, ax: Axes | None = None
) -> Axes:
    """Draw how methods follow added label noise, between the bounds that FeeBee knows.

    Drawn is the distance from the lower bound, half the noise for two classes, because the methods
    differ by far less than the noise adds. Curves far out of bounds leave the picture. Bands, where
    one more run would fall, are drawn for up to four methods. Of noise of several means, curves and
    bounds are means over them.

    Parameters
    ----------
    result : FeeBeeResult
        What `feebee` returned.
    methods : str or sequence of str, optional
        Which methods to draw; "oracle" is one as well. All but the oracle by default.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
    """
    found = check_type(result, FeeBeeResult, "result", "Pass what errorfloor.feebee returned.")
    chosen = found.methods if methods is None else methods
    names = [chosen] if isinstance(chosen, str) else list(chosen)
    ax = axes_or_new(ax, 2.8 + 0.05 * len(names))
    bounds = found.curve(ORACLE)
    room = 100 * (bounds.upper_bound - bounds.lower_bound)
    ax.fill_between(100 * found.noise, 0, room, color=GREY, alpha=0.2, linewidth=0, label="bounds")
    drawn: Counter[str] = Counter()
    for name in names:
        shade = ink(ax) if name == ORACLE else colour(name)
        curve = found.curve(name)
        if len(names) <= FEW_METHODS:
            _draw_noise_band(ax, curve, shade)
        _draw_noise_curve(ax, curve, shade, drawn[shade])
        drawn[shade] += 1
    bottom, top = ax.get_ylim()
    widest = max(float(room.max()), 0.1)
    ax.set_ylim(max(bottom, -1.5 * widest), min(top, 3 * widest))
    how = "by a coin" if found.classes == 2 and not found.means else "at random"
    unit = "percentage points" if found.measure.per_cent else f"hundredths of {found.measure.words}"
    finish(ax, f"labels redrawn {how}, %", f"estimate above lower bound,\n{unit}")
    legend_above(ax, 5)
    return ax


def _draw_noise_band(ax: Axes, curve: NoiseCurve, shade: Any) -> None:
    if curve.low is not None and curve.high is not None:
        low, high = (100 * (limit - curve.lower_bound) for limit in (curve.low, curve.high))
        ax.fill_between(100 * curve.noise, low, high, color=shade, alpha=0.15, linewidth=0)


def _draw_noise_curve(ax: Axes, curve: NoiseCurve, shade: Any, place: int) -> None:
    """Draw a curve; those of one colour differ in dashes and markers by their `place`."""
    ax.plot(
        100 * curve.noise,
        100 * (curve.estimate - curve.lower_bound),
        color=shade,
        linestyle=DASHES[place % len(DASHES)],
        linewidth=_linewidth(curve.method),
        marker=MARKERS[place % len(MARKERS)],
        markersize=3,
        markevery=(place, max(curve.noise.size // 8, 1)),
        label=wrapped(curve.method),
    )


def _linewidth(method: str) -> float:
    """Return the width of a curve; those of bins would hide one that only rises."""
    record = known(method)
    return 2.4 if record is not None and record.shape is Shape.ORDER else 1.2


def _pair_of_axes(axes: tuple[Axes, Axes] | None) -> tuple[Axes, Axes]:
    if axes is None:
        upper, lower = new_figure(3.6).subplots(2, sharex=True, height_ratios=[3, 1])
        return upper, lower
    try:
        upper, lower = axes
    except (TypeError, ValueError):
        raise ValueError(
            "`axes` must be two axes, for the curve and for the histogram. "
            "Pass what figure.subplots(2, sharex=True) returned."
        ) from None
    return upper, lower


def _draw_band(ax: Axes, curve: Reliability, name: str = "") -> None:
    """Fill between the limits; between two scores the outer limits of both hold."""
    x = np.repeat(curve.scores, 3)[1:-1]
    low = 100 * np.repeat(curve.low, 3)[:-2]
    high = 100 * np.repeat(curve.high, 3)[2:]
    turns = _turns(low) | _turns(high)  # between them the limits are level, and need no points
    x, low, high = x[turns], low[turns], high[turns]
    # The triples of each score are: just before it, at it, just behind it.
    name = name or f"{level(curve.level)} band for all scores together"
    fill = partial(ax.fill_between, x, low, high, linewidth=0)
    fill(where=low <= high, color=BLUE, alpha=0.18, label=name)
    if curve.scores.size <= FEW:
        ax.vlines(curve.scores, 100 * curve.low, 100 * curve.high, color=BLUE, alpha=0.5)
    if not curve.in_order:
        name = "limits cross: scores are out of order"
        fill(where=low >= high, color=RED, alpha=0.4, label=name)


def _turns(limits: Floats) -> NDArray[np.bool_]:
    """Tell which limits differ from the one before or behind, and the ends."""
    steps = np.diff(limits) != 0
    return np.concatenate(([True], steps)) | np.concatenate((steps, [True]))


def _draw_histogram(ax: Axes, curve: Reliability) -> None:
    counts = [(curve.negatives, "label 0", ORANGE), (curve.positives, "label 1", BLUE)]
    for count, name, shade in counts:
        ax.stairs(count, curve.edges, color=shade, linewidth=1.2, label=name)
        ax.stairs(count, curve.edges, color=shade, alpha=0.15, fill=True)
    every = np.concatenate((curve.negatives, curve.positives))
    if every.max() > 20 * np.median(every[every > 0]):
        ax.set_yscale("log")
        ax.set_ylim(bottom=0.5)  # single items show
        log_ticks(ax.yaxis)
    finish(ax, "score", f"items{' (log)' if ax.get_yscale() == 'log' else ''}")
    legend_above(ax, 2)


POINTS = 400  # of the curve, more than anybody sees


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """The share of items that are kept, and the errors among them as a share of all."""

    kept: Floats
    wrong: Floats

    def error_at(self, coverage: Any) -> Any:
        """Return the error among the items that are answered, at each coverage above 0."""
        return np.interp(coverage, self.kept, self.wrong) / coverage


def risk_coverage(estimate: Estimate, *, ax: Axes | None = None) -> Axes:
    """Draw the least error among answered items against the share of items that are answered.

    A model that may leave items aside does best to leave those that it is least sure of. Of an
    "error-at-coverage" or a "coverage-at-error" the answer and its interval are drawn as well.

    Parameters
    ----------
    estimate : Estimate
        What `from_soft_labels`, `from_votes` or `from_scores` returned, for two classes; of soft
        labels and votes, for any number.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
    """
    remedy = "Pass what errorfloor.from_soft_labels, from_votes or from_scores returned."
    found = check_type(estimate, Estimate, "estimate", remedy)
    curve = risk_coverage_of(found)
    if curve is None:
        raise ValueError(f"`estimate` has no probabilities to draw the curve from. {remedy}")
    ax = axes_or_new(ax, 2.8)
    share = np.arange(1, POINTS + 1) / POINTS
    ax.plot(100 * share, 100 * curve.error_at(share), color=BLUE, label=_name(found))
    _draw_answer(ax, found)
    ax.set_xlim(0, 103)  # with room for a dot at the end
    ax.set_ylim(bottom=0)
    finish(ax, "items answered (coverage), %", "error among them, %")
    legend_above(ax)
    return ax


def risk_coverage_of(estimate: Estimate) -> Curve | None:
    """Return the curve of an estimate, or None where its probabilities are not known."""
    found = _probabilities(estimate)
    return None if found is None else Curve(*kept(*found))


def _probabilities(estimate: Estimate) -> tuple[Floats, Floats | Counts] | None:
    table = estimate.table
    if table is not None and table.entries is not None:  # counts alone would be wrong
        return None
    if isinstance(table, SoftTable):
        return table.probabilities, table.items
    if isinstance(estimate, VotesEstimate) and estimate.mixture is not None:
        return estimate.mixture.points, estimate.mixture.weights
    if isinstance(table, ScoreTable) and len(table.classes) == 2 and ISOTONIC.fit is not None:
        return ISOTONIC.fit(table, Options()).probabilities, table.items
    return None


def _name(found: Estimate) -> str:
    return "isotonic fit" if isinstance(found.table, ScoreTable) else "best possible"


def _draw_answer(ax: Axes, found: Estimate) -> None:
    """Draw the value that was asked for, and its interval, on the curve."""
    if not found.measure.is_selective:
        return
    at, across = 100 * found.measure.given["at"], not found.measure.less_is_better

    def placed(value: float) -> tuple[float, float]:
        return (100 * value, at) if across else (at, 100 * value)

    line = ax.axhline if across else ax.axvline
    line(at, color=GREY, linewidth=1, linestyle=":")
    name = f"{found.measure.words}: {per_cent(found.value, digits_for(found))}"
    if found.low is not None and found.high is not None:
        ends = zip(placed(found.low), placed(found.high), strict=True)
        ax.plot(*map(list, ends), color=RED, linewidth=2, solid_capstyle="butt", zorder=3)
    x, y = placed(found.value)
    ax.plot([x], [y], color=RED, marker="o", markersize=5, linestyle="", zorder=4, label=name)


NUMBERS = (1, 2, 3, 4, 5, 7, 10)


@dataclass(frozen=True, slots=True)
class Ceiling:
    """The best value for a label that is the mean of so many ratings."""

    ratings: int
    value: float
    low: float
    high: float


def ceilings_of(estimate: RatingsEstimate) -> tuple[Ceiling, ...]:
    """Return ceilings for means of more and more ratings; none where they are not known."""
    from errorfloor.questions.ratings import RatingsAsk, estimate_again  # no other picture asks

    usable = estimate.table is not None and str(estimate.label).isalnum()
    if not usable or estimate.measure.how.of == DIFFERENCE or estimate.interval is None:
        return ()
    found = []
    for number in NUMBERS:
        kept = {name: estimate.options[name] for name in ("raters", "scale", "interval")}
        ask = RatingsAsk(
            metric=estimate.metric, label=number, level=estimate.interval.level, **kept
        )
        one = estimate_again(estimate, ask.checked(), estimate.seed or Seed.of(0))
        assert one.low is not None
        assert one.high is not None
        found.append(Ceiling(number, one.value, one.low, one.high))
    return tuple(found)


def ceilings(estimate: RatingsEstimate, *, ax: Axes | None = None) -> Axes:
    """Draw the best possible value against the number of ratings whose mean is the label.

    What two people reach with each other is drawn as well: it is not the ceiling.

    Parameters
    ----------
    estimate : RatingsEstimate
        What `from_ratings` returned, with an interval.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
    """
    remedy = "Pass what errorfloor.from_ratings returned."
    found = check_type(estimate, RatingsEstimate, "estimate", remedy)
    rows = ceilings_of(found)
    if not rows:
        raise ValueError(f"`estimate` has no ceilings for means of ratings. {remedy}")
    ax = axes_or_new(ax, 2.8)
    metric = found.measure
    at = [row.ratings for row in rows]
    ax.fill_between(
        at, [row.low for row in rows], [row.high for row in rows], color=BLUE, alpha=0.2, lw=0
    )
    best = "least possible" if metric.less_is_better else "best possible"
    ax.plot(at, [row.value for row in rows], color=BLUE, marker="o", label=best)
    if metric.how.of == RATIO and metric.name != "r2":
        name = "two people with each other"
        ax.axhline(rows[0].value ** 2, color=RED, linestyle="--", linewidth=1.2, label=name)
    ax.set_xticks(at)
    if not metric.less_is_better:
        ax.set_ylim(0, 1)
    finish(ax, "ratings whose mean is the label", metric.words)
    legend_above(ax)
    return ax


# Votes: the distribution behind them, the plug-in's bias, and which to buy.


EDGES = np.linspace(0, 1, 22)  # an odd number of bins, so that coin flips are in the middle of one
FEW_VOTES = 20  # votes per item whose shares are drawn one by one
MOST_NUMBERS = 6  # rows and columns of a heat map that have room for numbers
LEAST, NO_NEWS = 1e-4, 50.0  # percentage points of bias that matter to nobody, and say nothing
SHARES = (0, 1, 5, 10, 20, 40, 60, 80, 100)  # marks of a square-root scale, in per cent


def bias_bounds(curves: BiasCurves, *, ax: Axes | None = None) -> Axes:
    """Draw how far the plug-in can lie below the floor, against the number of votes.

    Parameters
    ----------
    curves : BiasCurves
        What `errorfloor.bounds.bias_curves` returned.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
    """
    remedy = "Pass what errorfloor.bounds.bias_curves returned."
    found = check_type(curves, BiasCurves, "curves", remedy)
    ax = axes_or_new(ax, 3.0)
    limit = f"floor at most {per_cent(found.model_error, 1)}"
    lines = (
        (found.ishida, f"Ishida et al., n = {found.n or 0:,}", GREY, "-."),
        (found.computable, f"corollary 2, {limit}", ORANGE, "--"),
        (found.sharp, f"sharp, {limit}", GREEN, "-"),
        (found.exact, "exact, at the fitted distribution", BLUE, "-"),
    )
    draw = partial(ax.plot, linewidth=1.5, marker="." if found.votes.size <= FEW else "")
    for bias, name, shade, dashes in lines:
        if bias is not None:
            size = 100 * np.where(bias > 0, bias, np.nan)  # no logarithm of 0
            draw(found.votes, size, color=shade, linestyle=dashes, label=name)
    ax.set_xscale("log")
    ax.set_yscale("log")
    low, high = ax.get_ylim()
    ax.set_ylim(max(low, LEAST), high)
    if high > NO_NEWS:
        name = "says nothing: no floor is above 50 %"
        ax.axhspan(NO_NEWS, high, color=GREY, alpha=0.15, linewidth=0, label=name)
    log_ticks(ax.xaxis)
    log_ticks(ax.yaxis)
    finish(ax, "votes per item", "plug-in below the floor,\npercentage points")
    legend_above(ax)
    return ax


def distribution(estimate: Estimate, *, ax: Axes | None = None) -> Axes:
    """Draw the distribution of the items' probabilities: soft labels, or what is behind votes.

    The dark bars are the items that the best classifier errs on, a share min(p, 1 - p) of those
    at p; together they are the floor. Votes have their plain shares next to it. The square-root
    scale shows small bars as well. Of more than two classes, p is the probability of the likeliest
    class, and the share is 1 - p.

    Parameters
    ----------
    estimate : Estimate
        What `from_votes` or `from_soft_labels` returned.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
    """
    remedy = "Pass what errorfloor.from_votes or from_soft_labels returned."
    found = check_type(estimate, Estimate, "estimate", remedy)
    if found.table is None:
        raise ValueError(f"`estimate` has lost its table. {remedy}")
    if found.table.kind not in DRAWERS:
        raise ValueError(f"`estimate` is by {found.method}, from {found.table.kind}. {remedy}")
    of_what, draw = DRAWERS[found.table.kind]
    if len(found.table.classes) > 2:
        of_what = "probability of the likeliest class, %"
    ax = axes_or_new(ax, 3.0)
    top = draw(ax, found)
    ax.set_yscale("function", functions=(_root, np.square))
    ax.set_ylim(0, 1.05 * top)
    ax.set_yticks([share for share in SHARES if share <= 1.05 * top])
    finish(ax, of_what, "items, % (square-root scale)")
    legend_above(ax)
    return ax


def plan(plan: Plan, *, ax: Axes | None = None) -> Axes:
    """Draw how wide the interval will be for so many votes and items.

    With several numbers of votes this is a heat map, with one of them (and for scores, which have
    one label per item) a line. The target's line goes through the items that each number of votes
    needs for it.

    Parameters
    ----------
    plan : Plan
        What `errorfloor.plan` returned.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
    """
    found = check_type(plan, Plan, "plan", "Pass what errorfloor.plan returned.")
    ax = axes_or_new(ax, 2.8)
    if found.votes.size == 1:
        _draw_widths(ax, found)
    else:
        _draw_heat_map(ax, found)
    legend_above(ax)
    return ax


def _root(values: Floats) -> Floats:
    return np.asarray(np.sqrt(np.maximum(values, 0)))


def _draw_votes(ax: Axes, estimate: Estimate) -> float:
    """Draw the fitted distribution and the vote shares; return the height of the highest bar."""
    remedy = "Estimate again from votes."
    found = check_type(estimate, VotesEstimate, "estimate", remedy)
    votes = check_type(found.table, VoteTable, "estimate.table", remedy)
    fitted = found.mixture
    top = 0.0
    if fitted is not None:
        name = "items, by the fitted distribution"
        top = _draw_items(ax, found, fitted.points, fitted.weights, name, fitted.floor)
    name = "vote shares"
    if found.measure.is_error:
        name += f": alone they give {per_cent(found.plugin, digits_for(found))}"
    totals = np.unique(votes.totals)
    if totals.size == 1 and totals[0] <= FEW_VOTES:  # they are m + 1 values, not a smear
        place, at = np.unique(_vote_shares(votes), return_inverse=True)
        shares: Floats = 100 * np.bincount(at, votes.counts) / votes.n
        ax.vlines(100 * place, 0, shares, color=RED, linewidth=1.5)
        ax.plot(100 * place, shares, color=RED, marker="o", markersize=4, linestyle="", label=name)
    else:
        shares = _in_bins(_vote_shares(votes), votes.counts / votes.n)
        ax.stairs(shares, 100 * EDGES, color=RED, linewidth=1.2, label=name)
    return max(top, float(shares.max()))


def _vote_shares(votes: VoteTable) -> Floats:
    """Return the share of votes for class 1, or for the most voted of many classes."""
    if len(votes.classes) > 2:
        return np.asarray(votes.votes.max(axis=1) / votes.totals)
    return votes.positives / votes.totals


def _draw_soft_labels(ax: Axes, found: Estimate) -> float:
    table = check_type(found.table, SoftTable, "estimate.table", "Estimate again.")
    weights = table.items / table.n
    return _draw_items(ax, found, table.probabilities, weights, "items", found.value)


# By the kind of table: what is drawn, and what draws it.
DRAWERS: dict[str, tuple[str, Callable[[Axes, Estimate], float]]] = {
    VoteTable.kind: ("probability of a positive vote, %", _draw_votes),
    SoftTable.kind: ("soft label, %", _draw_soft_labels),
}


def _draw_items(
    ax: Axes, found: Estimate, prob: Floats, weights: Floats, name: str, floor: float
) -> float:
    """Draw the items and those that the best classifier errs on; return the highest bar."""
    place = prob if prob.ndim == 1 else prob.max(axis=1)
    mass = _in_bins(place, weights)
    ax.stairs(mass, 100 * EDGES, fill=True, color=SKY, label=name)
    if not found.measure.is_error:  # whose floor is no share of the items
        return float(mass.max())
    errors = _in_bins(place, weights * found.measure.per_item(prob))
    name = f"best classifier's errors: floor {per_cent(floor, digits_for(found))}"
    ax.stairs(errors, 100 * EDGES, fill=True, color=BLUE, label=name)
    return float(mass.max())


def _in_bins(prob: Floats, weights: Floats) -> Floats:
    """Return the share of items in each bin, in per cent."""
    return np.asarray(100 * np.histogram(prob, EDGES, weights=weights)[0])


def _draw_widths(ax: Axes, plan: Plan) -> None:
    style = style_of_plan(plan)
    ax.plot(plan.items, style.factor * plan.width[0], color=BLUE, marker="o", markersize=3)
    if plan.target is not None:
        name = f"target, {style.size_in_short(plan.target)}{_reached(plan)}"
        at = style.factor * plan.target
        ax.axhline(at, color=RED, linewidth=1.2, linestyle="--", label=name)
    if plan.best is not None and plan.target is not None:
        _mark_best(ax, plan.best.items, style.factor * plan.target, plan.best)
    ax.set_xscale("log")
    ax.set_yscale("log")  # widths fall as powers of the items, on straight lines
    log_ticks(ax.xaxis)
    log_ticks(ax.yaxis)
    finish(ax, "items", _width_of(plan))


def _draw_heat_map(ax: Axes, plan: Plan) -> None:
    rows, columns = plan.width.shape
    style = style_of_plan(plan)
    width = style.factor * plan.width
    mesh = ax.pcolormesh(width, cmap="cividis_r", vmin=0, edgecolors="white", linewidth=0.5)
    if max(rows, columns) <= MOST_NUMBERS:
        cells = np.asarray(mesh.cmap(mesh.norm(width)))
        for (row, column), value in np.ndenumerate(width):
            ax.text(
                column + 0.5,
                row + 0.3,  # the target's line turns in the upper part of a cell
                style.bare(value / style.factor, 1),
                ha="center",
                va="center",
                color=LIGHT if value > 0.5 * width.max() else DARK,
                fontsize=SMALL,
                bbox={"facecolor": cells[row, column], "edgecolor": "none", "pad": 0.5},
                zorder=4,  # above the line
            )
    _number(ax.xaxis, plan.items)
    _number(ax.yaxis, plan.votes)
    if plan.target is not None:
        x = [_column(plan, option.items) for option in plan.options]
        y = [_row(plan, option) for option in plan.options]
        name = f"target, {style.size_in_short(plan.target)}{_reached(plan)}"
        marker = "." if plan.options else ""
        ax.plot(x, y, color="white", linewidth=3, clip_on=False)  # an edge, for contrast
        ax.plot(x, y, color=RED, linewidth=1.5, marker=marker, clip_on=False, label=name)
    if plan.best is not None:
        _mark_best(ax, _column(plan, plan.best.items), _row(plan, plan.best), plan.best)
    ax.set_xlim(0, columns)
    ax.set_ylim(0, rows)
    bar = ax.figure.colorbar(mesh, ax=ax)
    bar.set_label(_width_of(plan), fontsize=SMALL)
    bar.ax.tick_params(labelsize=SMALL)
    finish(ax, "items", "votes per item", grid=None)


def _number(axis: Any, values: Counts) -> None:
    """Write the values in the middle of their cells, not all if there are many."""
    every = -(-values.size // MOST_NUMBERS)
    axis.set_ticks(np.arange(values.size)[::every] + 0.5, [short(n) for n in values[::every]])


def _column(plan: Plan, items: int) -> float:
    """Return where so many items are between the columns; at the edge what is beyond."""
    place, power = np.arange(plan.items.size) + 0.5, np.log(plan.items)
    if place.size == 1:
        return float(np.sign(items - plan.items[0]) / 2 + place[0])
    near = np.clip(np.searchsorted(plan.items, items), 1, place.size - 1)
    slope = 1 / (power[near] - power[near - 1])
    return float(np.clip(place[near] + slope * (np.log(items) - power[near]), 0, place.size))


def _row(plan: Plan, option: Option) -> float:
    return float(np.flatnonzero(plan.votes == option.votes)[0]) + 0.7


def _reached(plan: Plan) -> str:
    return "" if plan.options else ": out of reach"


def _mark_best(ax: Axes, x: float, y: float, best: Option) -> None:
    labels = "1 label" if best.votes == 1 else f"{best.votes} votes"
    name = f"cheapest: {labels} on {best.items:,} items"
    ax.plot(
        [x],
        [y],
        color=RED,
        marker="*",
        markersize=11,
        markeredgecolor="white",
        linestyle="none",
        clip_on=False,
        zorder=5,
        label=name,
    )


def _width_of(plan: Plan) -> str:
    style = style_of_plan(plan)
    unit = "percentage points" if style.in_per_cent else style.unit or plan.measure.words
    return f"width of the {level(plan.level)} interval,\n{unit}"


# What draws each kind of result, by the name of its class: the first that fits.
_PICTURES: dict[str, Callable[..., Any]] = {
    "Verdict": gauge,
    "Estimate": gauge,
    "Comparison": forest,
    "Confusion": confusion,
    "ClassReliability": curve_of,
    "FeeBeeResult": noise_curves,
    "ModelComparison": models,
    "People": people,
    "Plan": plan,
    "Reliability": curve_of,
}


def plot_of(result: Any, ax: Any = None) -> Any:
    """Draw a result as its kind is drawn, on given axes or in a new figure."""
    names = [kind.__name__ for kind in type(result).__mro__]
    of_floors = "Groups" in names and all(isinstance(one, Estimate) for one in result.values())
    name = "Comparison" if of_floors else next((one for one in names if one in _PICTURES), None)
    if name is None:
        raise InputError(f"There is no picture of a {names[0]}. Its rows are in `to_frame()`.")
    return _PICTURES[name](result, ax=ax)
