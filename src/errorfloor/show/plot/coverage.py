"""The risk-coverage curve: the least error among the items that are answered, by how many are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from errorfloor._typing import Counts, Floats
from errorfloor.data.tables import ScoreTable, SoftTable
from errorfloor.methods.isotonic import ISOTONIC
from errorfloor.methods.record import Options
from errorfloor.metrics.selective import risk_coverage as kept
from errorfloor.results import Estimate, VotesEstimate
from errorfloor.show.numbers import per_cent
from errorfloor.show.palette import BLUE, GREY, RED
from errorfloor.show.plot.axes import axes_or_new, check_type, finish, legend_above

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
    name = f"{found.measure.words}: {per_cent(found.value)}"
    if found.low is not None and found.high is not None:
        ends = zip(placed(found.low), placed(found.high), strict=True)
        ax.plot(*map(list, ends), color=RED, linewidth=2, solid_capstyle="butt", zorder=3)
    x, y = placed(found.value)
    ax.plot([x], [y], color=RED, marker="o", markersize=5, linestyle="", zorder=4, label=name)
