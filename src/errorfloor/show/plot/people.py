"""The curve of panels: how often the answer of several people is that of one more, with models."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from errorfloor.results.people import MIXTURE, VOTES, People
from errorfloor.show.palette import BLUE, GREEN, GREY, ORANGE, PURPLE, RED, SKY
from errorfloor.show.plot.axes import axes_or_new, check_type, finish, ink, legend_above, log_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
