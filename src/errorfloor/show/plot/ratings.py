"""Ceilings from ratings by how many ratings the label is the mean of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from errorfloor.intervals.seeds import Seed
from errorfloor.metrics.variances import DIFFERENCE, RATIO
from errorfloor.questions.ratings import RatingsAsk, estimate_again
from errorfloor.results import RatingsEstimate
from errorfloor.show.palette import BLUE, RED
from errorfloor.show.plot.axes import axes_or_new, check_type, finish, legend_above

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
