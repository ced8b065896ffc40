"""Curves: reliability, noise, errors by coverage, and ceilings by the number of ratings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from errorfloor._typing import Counts, Floats
from errorfloor.data.tables import ScoreTable, SoftTable
from errorfloor.intervals.record import Seed
from errorfloor.methods import known
from errorfloor.methods.isotonic import ISOTONIC
from errorfloor.methods.record import Options, Shape
from errorfloor.metrics.selective import risk_coverage as kept
from errorfloor.metrics.variances import DIFFERENCE, RATIO
from errorfloor.results import (
    ORACLE,
    ClassReliability,
    Estimate,
    FeeBeeResult,
    NoiseCurve,
    RatingsEstimate,
    Reliability,
    VotesEstimate,
)
from errorfloor.show.numbers import digits_for, level, per_cent
from errorfloor.show.palette import BLUE, GREY, ORANGE, RED, colour
from errorfloor.show.plot.axes import (
    FEW,
    SMALL,
    TEXT,
    axes_or_new,
    check_type,
    finish,
    ink,
    legend_above,
    log_ticks,
    new_figure,
    wrapped,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
