"""What a report draws, with the same in words."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from errorfloor import plot
from errorfloor._typing import Floats
from errorfloor.bounds import BiasCurves, bias_curves
from errorfloor.reliability_band import Reliability
from errorfloor.reporting._blocks import Picture
from errorfloor.reporting._words import percent, points
from errorfloor.results import Comparison, Estimate, Verdict, VotesEstimate
from errorfloor.tables import ScoreTable, VoteTable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTH = 3.7  # inches: small enough for letters to stay legible on a phone


def pictures_of(
    estimate: Estimate,
    comparison: Comparison | None,
    verdict: Verdict | None,
    curve: Reliability | None,
) -> tuple[Picture, ...]:
    """Return the pictures of a result, the most telling first."""
    found: list[Picture] = []
    table = estimate.table
    if verdict is not None:
        found.append(_headroom(verdict))
    if curve is not None:
        found.append(_reliability(curve))
    elif isinstance(table, ScoreTable) and estimate.method == "clean":
        found.append(_soft_labels(table, estimate))
    if comparison is not None and len(comparison) > 1:
        found.append(_forest(comparison, verdict))
    if isinstance(estimate, VotesEstimate) and isinstance(table, VoteTable):
        found.append(_distribution(estimate, table))
        if estimate.mixture is not None:
            found.append(_bias(bias_curves(estimate=estimate), table))
    return tuple(found)


def _headroom(verdict: Verdict) -> Picture:
    floor = verdict.floor.at_level(verdict.level)  # as it is drawn
    description = (
        f"The floor is {_with_interval(floor)}, the model's error {percent(verdict.model_error)}. "
        f"Their difference is {points(verdict.difference)}, with a {100 * verdict.level:g} % "
        f"interval from {points(verdict.low)} to {points(verdict.high)}."
    )
    return Picture(
        "headroom",
        "The model beside the floor",
        f"Dots are estimates, lines {100 * verdict.level:g} % intervals. The difference starts at "
        "the floor: where its line crosses the dotted one, model and floor cannot be told apart.",
        description,
        partial(_on_axes, 2.1, partial(plot.headroom, verdict)),
    )


def _reliability(curve: Reliability) -> Picture:
    chosen = np.unique(
        np.searchsorted(curve.scores, _spread(curve)).clip(max=len(curve.scores) - 1)
    )
    read = "; ".join(
        f"{percent(curve.probabilities[i], 0)} at score {curve.scores[i]:.3g}, band "
        f"{percent(curve.low[i], 0)} to {percent(curve.high[i], 0)}"
        for i in chosen
    )
    description = (
        f"Probability of label 1 by the {curve.method} curve, with a {100 * curve.level:g} % band "
        f"for all scores together: {read}."
    )
    return Picture(
        "reliability",
        "What the scores mean",
        f"The probability of label 1 at each score, by {curve.method}. The band holds at all "
        f"scores together with {100 * curve.level:g} % confidence if higher scores mean higher "
        "probabilities. Beneath, how many items have such scores.",
        description,
        partial(_on_two_axes, 3.8, partial(plot.reliability, curve)),
    )


def _spread(curve: Reliability) -> list[float]:
    low, high = float(curve.edges[0]), float(curve.edges[-1])
    return [low + step * (high - low) for step in (0.1, 0.3, 0.5, 0.7, 0.9)]


def _forest(comparison: Comparison, verdict: Verdict | None) -> Picture:
    rows = "; ".join(f"{row.method} {_with_interval(row)}" for row in comparison)
    description = f"Floors of the same items by several methods: {rows}."
    error = None
    if verdict is not None:
        error = verdict.model_error
        description += f" The model's error is {percent(error)}."
    height = 1.1 + 0.22 * len(comparison)
    draw = partial(_on_axes, height, partial(plot.forest, comparison, model_error=error))
    caption = "Dots are estimates, lines their intervals, all from the same items."
    return Picture("forest", "The floor by several methods", caption, description, draw)


def _distribution(estimate: VotesEstimate, table: VoteTable) -> Picture:
    shares = _spread_in_words(table.positives / table.totals, table.counts / table.n)
    description = (
        f"Shares of positive votes: {shares}; their plug-in is {percent(estimate.plugin)}."
    )
    fitted = estimate.mixture
    if fitted is not None:
        behind = _spread_in_words(fitted.points, fitted.weights)
        description = (
            f"Probabilities of a positive vote by the fitted distribution: {behind}; its floor is "
            f"{percent(fitted.floor)}. {description}"
        )
    draw = partial(_on_axes, 3.0, partial(plot.distribution, estimate))
    caption = "Shares of votes spread more widely than the probabilities that they come from."
    if fitted is not None:
        caption += (
            " The filled shape is the distribution that explains the votes best; its strongly "
            "coloured parts are what the best classifier errs on, and add up to the floor."
        )
    title = "The probabilities behind the votes"
    return Picture("distribution", title, caption, description, draw)


def _bias(curves: BiasCurves, table: VoteTable) -> Picture:
    mean = round(float(table.counts @ table.totals / table.n))
    at = int(np.searchsorted(curves.votes, mean).clip(max=len(curves.votes) - 1))
    exact = (
        "" if curves.exact is None else f"{_points(curves.exact[at])} at the fitted distribution, "
    )
    description = (
        f"How far vote shares lie below the floor with {curves.votes[at]:,} votes: {exact}at most "
        f"{_points(curves.sharp[at])} by the sharp bound and {_points(curves.computable[at])} by "
        "the paper's corollary 2. All fall as votes are added."
    )
    caption = (
        "How far plain vote shares lie below the floor on average, by number of votes: at the "
        "fitted distribution, and at worst by three bounds. Both scales are logarithmic."
    )
    draw = partial(_on_axes, 3.0, partial(plot.bias_bounds, curves))
    return Picture("bias", "What more votes would change", caption, description, draw)


def _points(size: float) -> str:
    return f"{100 * size:.2f} points"


def _soft_labels(table: ScoreTable, estimate: Estimate) -> Picture:
    weight = (table.negatives + table.positives) / table.n
    description = (
        f"Soft labels: {_spread_in_words(table.scores, weight)}. What the best classifier errs on "
        f"adds up to {percent(estimate.value)}."
    )
    draw = partial(_on_axes, 2.8, partial(plot.distribution, estimate))
    caption = (
        "How many items have such soft labels. The strongly coloured parts are what the best "
        "classifier errs on, and add up to the floor."
    )
    return Picture("soft-labels", "The soft labels", caption, description, draw)


def _spread_in_words(probabilities: Floats, weights: Floats) -> str:
    edges = ((0, 0.05), (0.05, 0.25), (0.25, 0.75), (0.75, 0.95), (0.95, 1))
    within = np.digitize(probabilities, [0.05, 0.25, 0.75, 0.95])
    mass = np.bincount(within, weights, minlength=len(edges))
    return ", ".join(
        f"{percent(share, 0)} from {low:g} to {high:g}"
        for share, (low, high) in zip(mass, edges, strict=True)
    )


def _with_interval(row: Estimate) -> str:
    if row.interval is None:
        return percent(row.value)
    low, high = percent(row.interval.low), percent(row.interval.high)
    return f"{percent(row.value)} ({100 * row.interval.level:g} % interval {low} to {high})"


def _figure(height: float) -> Figure:
    from matplotlib.figure import Figure

    return Figure(figsize=(WIDTH, height), layout="constrained")


def _on_axes(height: float, draw: Callable[..., object]) -> Figure:
    figure = _figure(height)
    draw(ax=figure.add_subplot())
    return figure


def _on_two_axes(height: float, draw: Callable[..., object]) -> Figure:
    figure = _figure(height)
    draw(axes=tuple(figure.subplots(2, sharex=True, height_ratios=[3, 1])))
    return figure
