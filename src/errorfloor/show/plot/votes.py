"""Pictures of votes: the distribution behind them, the plug-in's bias, and which to buy."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from errorfloor._typing import Counts, Floats
from errorfloor.bounds import BiasCurves
from errorfloor.data.tables import SoftTable, VoteTable
from errorfloor.results import Estimate, Option, Plan, VotesEstimate
from errorfloor.show.numbers import digits_for, level, per_cent, short, style_of_plan
from errorfloor.show.palette import BLUE, DARK, GREEN, GREY, LIGHT, ORANGE, RED, SKY
from errorfloor.show.plot.axes import (
    FEW,
    SMALL,
    axes_or_new,
    check_type,
    finish,
    legend_above,
    log_ticks,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
