"""What a report draws, with the same in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from errorfloor.data.tables import ScoreTable, SoftTable, VoteTable
from errorfloor.results import (
    ClassReliability,
    Comparison,
    Confusion,
    Estimate,
    Groups,
    People,
    RatingsEstimate,
    Reliability,
    Verdict,
    VotesEstimate,
)
from errorfloor.show import plot
from errorfloor.show.numbers import (
    digits_for,
    level,
    per_cent,
    points_of_size,
    style_of,
    value_and_limits,
)
from errorfloor.show.people import worth
from errorfloor.show.plot import (
    FEW_CLASSES,
    TEXT,
    ceilings_of,
    height_of,
    height_of_lines,
    matplotlib,
    risk_coverage_of,
)
from errorfloor.show.report.document import Picture
from errorfloor.show.standings import standing_of
from errorfloor.show.text import parts_of_difference

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from errorfloor._typing import Floats
    from errorfloor.bounds import BiasCurves
    from errorfloor.show.report.context import Context


def pictures_of(
    context: Context, verdict: Verdict | None = None, people: People | None = None
) -> tuple[Picture, ...]:
    """Return the pictures of a result, the most telling first."""
    refuted = context.estimate.refuted  # a picture would state it all the same
    found = [] if verdict is None or refuted else [_headroom(verdict)]
    # Where people are the answer, its picture is the first thing in the report.
    found += [] if people is None or verdict is None or refuted else [_people(people)]
    table, comparison = context.estimate.table, context.comparison
    if not refuted and context.estimate.measure.is_selective:
        found += [_risk_coverage(context.estimate)] if risk_coverage_of(context.estimate) else []
    if table is not None and table.entries is None:  # counts say little of weighted items
        found += OF_TABLES.get(table.kind, _of_ratings)(context)
    if context.confusion is not None and not refuted:
        found.append(_confusion(context.confusion))
    if comparison is not None and len(comparison) > 1 and not refuted:
        found.append(_forest(comparison, verdict))
    return tuple(found)


def picture_of_groups(groups: Groups[Estimate], lowest: str, highest: str) -> Picture:
    """Return the picture of groups, with the lowest floor and the highest in words."""
    first = next(iter(groups.values()))
    limit = first.measure.limit if first.claim.any_model else first.measure.words
    return Picture(
        "forest",
        "The groups side by side",
        f"A line for each group: the dot is its {limit}, the line the interval.",
        f"A line for each of {len(groups):,} groups, from the lowest {limit}, {lowest}, to the "
        f"highest, {highest}. The table has all numbers.",
        partial(_on_axes, 0.9 + height_of_lines(groups), partial(plot.forest, groups)),
    )


def _of_scores(context: Context) -> Iterator[Picture]:
    if isinstance(context.curve, Reliability):
        yield _reliability(context.curve)
    elif context.curve is not None:
        yield _class_reliability(context.curve)


def _of_soft_labels(context: Context) -> Iterator[Picture]:
    table = context.estimate.table
    if isinstance(table, SoftTable):
        yield _soft_labels(table, context.estimate)


def _of_ratings(context: Context) -> Iterator[Picture]:
    estimate = context.estimate
    rows = ceilings_of(estimate) if isinstance(estimate, RatingsEstimate) else ()
    if not rows or not isinstance(estimate, RatingsEstimate) or estimate.refuted:
        return
    metric = estimate.measure
    values = "; ".join(f"{row.value:.2f} for {row.ratings}" for row in rows)
    yield Picture(
        "ceilings",
        f"The {metric.limit} where the label is the mean of several ratings",
        "Dots are estimates, the band their intervals. A mean of more ratings has less noise, and "
        "a model can come closer to it.",
        f"The {metric.limit} of the {metric.words} by the number of ratings: {values}.",
        partial(_on_axes, 2.8, partial(plot.ceilings, estimate)),
    )


def _risk_coverage(estimate: Estimate) -> Picture:
    curve = risk_coverage_of(estimate)
    assert curve is not None
    errors = ", ".join(
        f"{per_cent(curve.error_at(share))} at {per_cent(share, 0)} coverage"
        for share in (0.25, 0.5, 0.75, 1.0)
    )
    return Picture(
        "risk-coverage",
        "Errors by the share of items answered",
        "The least error among the items that are answered, if a model may leave aside those it is "
        "least sure of. The dot is the answer, the line through it the interval.",
        f"The least error among answered items: {errors}.",
        partial(_on_axes, 2.8, partial(plot.risk_coverage, estimate)),
    )


def _of_votes(context: Context) -> Iterator[Picture]:
    estimate, table = context.estimate, context.estimate.table
    if isinstance(estimate, VotesEstimate) and isinstance(table, VoteTable):
        yield _distribution(estimate, table)
        if context.bias is not None:
            yield _bias(context.bias, table)


PANELS, WIDE = 5, 5.0  # classes whose reliability is drawn; inches with room for three panels
OF_TABLES: dict[str, Callable[[Context], Iterator[Picture]]] = {
    ScoreTable.kind: _of_scores,
    SoftTable.kind: _of_soft_labels,
    VoteTable.kind: _of_votes,
}


def _people(found: People) -> Picture:
    panels = ", ".join(
        f"{one.people} {'person' if one.people == 1 else 'people'} {per_cent(one.value, 1)}"
        for one in found.panels
    )
    models = "".join(f" {row.name}: {per_cent(row.value, 1)}, {worth(row)}." for row in found)
    return Picture(
        "people",
        "Models next to panels of people",
        "How often what most of several people say is one more person's answer, by how many they "
        "are. A model stands where panels are as good as it is; the lines are intervals.",
        f"Panels agree with one more person: {panels}. The best possible model agrees on "
        f"{per_cent(found.best_possible.value, 1)}.{models}",
        partial(_on_axes, 3.0, partial(plot.people, found)),
    )


def _headroom(verdict: Verdict) -> Picture:
    metric, style = verdict.floor.measure, style_of(verdict.floor)
    claim, (_, difference, limits) = verdict.floor.claim, parts_of_difference(verdict)
    best = metric.limit if claim.any_model else f"{metric.words} of {claim.best_of}"
    description = (
        f"The {best} is {_with_interval(verdict.floor)}, the model's {metric.words} "
        f"{style.value(verdict.model_value, digits_for(verdict.floor))}. Their difference is "
        f"{difference}; its {level(verdict.level)} interval is from {limits}."
    )
    scales = ", as errors below and as accuracies above" if metric.opposite else ""
    return Picture(
        "headroom",
        f"The model next to the {metric.limit if claim.any_model else 'bound'}",
        f"Dots are estimates, lines {level(verdict.level)} intervals{scales}. "
        f"{standing_of(verdict).caption}",
        description,
        partial(_on_axes, 1.9, partial(plot.headroom, verdict)),
    )


def _reliability(curve: Reliability) -> Picture:
    description = (
        f"Probability of label 1 by the {curve.method} curve, and the {level(curve.level)} band "
        f"for all scores together: {_read_off(curve)}."
    )
    return Picture(
        "reliability",
        "What the scores mean",
        f"The probability of label 1 at each score, by {curve.method}. The band holds at all "
        f"scores together with {level(curve.level)} confidence if higher scores mean higher "
        "probabilities. Beneath, how many items have such scores.",
        description,
        partial(_on_two_axes, 3.8, partial(plot.reliability, curve)),
    )


def _class_reliability(curves: ClassReliability) -> Picture:
    return Picture(
        "reliability",
        "What the scores mean",
        "How often an item with such a score is of the class: the largest score of each item (top "
        "label), then single classes against the rest. Points on the dotted line are scores that "
        "are right as they are.",
        f"How often the class with the largest score is right: {_read_off(curves.top)}.",
        partial(_on_panels, curves),
    )


def _read_off(curve: Reliability) -> str:
    """Return the curve at a few scores in words."""
    chosen = np.unique(
        np.searchsorted(curve.scores, _spread(curve)).clip(max=len(curve.scores) - 1)
    )
    return "; ".join(
        f"{per_cent(curve.probabilities[i], 0)} at score {curve.scores[i]:.3g}, band "
        f"{per_cent(curve.low[i], 0)} to {per_cent(curve.high[i], 0)}"
        for i in chosen
    )


def _spread(curve: Reliability) -> list[float]:
    low, high = float(curve.edges[0]), float(curve.edges[-1])
    return [low + step * (high - low) for step in (0.1, 0.3, 0.5, 0.7, 0.9)]


def _confusion(found: Confusion) -> Picture:
    pairs = "; ".join(
        f"{pair.first} against {pair.second} {per_cent(pair.share, 0)}" for pair in found.pairs[:5]
    )
    rule = found.best_of or "the best rule there is"
    caption = "Each cell is the share of all errors that are truly of the row's class and answered "
    caption += f"by the column's, by {rule}."
    if len(found.classes) > FEW_CLASSES:
        caption = f"The pairs of classes that are taken for one another most often, by {rule}."
    return Picture(
        "confusion",
        "Which classes are confused most",
        caption,
        f"{found.sentence} The largest shares of all errors: {pairs}.",
        partial(_on_axes, height_of(found), partial(plot.confusion, found)),
    )


def _forest(comparison: Comparison, verdict: Verdict | None) -> Picture:
    rows = "; ".join(f"{row.method} {_with_interval(row)}" for row in comparison)
    metric, style = comparison.main.measure, style_of(comparison.main)
    limits = f"{metric.limit}s".capitalize()
    description = f"{limits} of the same items by several methods: {rows}."
    error = None
    if verdict is not None:
        error = verdict.model_value
        own = style.value(error, digits_for(verdict.floor))
        description += f" The model's {metric.words} is {own}."
    height = 1.1 + 0.22 * len(comparison)
    draw = partial(_on_axes, height, partial(plot.forest, comparison, model_error=error))
    caption = "Dots are estimates, lines their intervals, all from the same items."
    title = f"The {metric.limit} by several methods"
    return Picture("forest", title, caption, description, draw)


def _distribution(estimate: VotesEstimate, table: VoteTable) -> Picture:
    many = len(table.classes) > 2
    share = table.votes.max(axis=1) if many else table.positives
    shares = _spread_in_words(share / table.totals, table.counts / table.n)
    what = "votes for the most voted class" if many else "positive votes"
    error, digits = estimate.measure.is_error, digits_for(estimate)
    plugin = f"; simply counting them gives {per_cent(estimate.plugin, digits)}" if error else ""
    description = f"Shares of {what}: {shares}{plugin}."
    fitted = estimate.mixture
    if fitted is not None:
        behind = _spread_in_words(fitted.points, fitted.weights)
        floor = f"; its floor is {per_cent(fitted.floor, digits)}" if error else ""
        description = (
            f"Probabilities of {'the likeliest class' if many else 'a positive vote'} by the "
            f"fitted distribution: {behind}{floor}. {description}"
        )
    draw = partial(_on_axes, 3.0, partial(plot.distribution, estimate))
    caption = "Shares of votes spread more widely than the probabilities that they come from."
    if fitted is not None:
        caption += " The filled shape is the distribution that explains the votes best"
        caption += (
            "; its strongly coloured parts are the errors of the best classifier, and add up to "
            "the floor."
            if error
            else "."
        )
    title = "The probabilities behind the votes"
    return Picture("distribution", title, caption, description, draw)


def _bias(curves: BiasCurves, table: VoteTable) -> Picture:
    mean = round(float(table.counts @ table.totals / table.n))
    at = int(np.searchsorted(curves.votes, mean).clip(max=len(curves.votes) - 1))
    exact = ""
    if curves.exact is not None:
        exact = f"{points_of_size(curves.exact[at])} at the fitted distribution, "
    description = (
        f"How far vote shares lie below the floor with {curves.votes[at]:,} votes: {exact}at most "
        f"{points_of_size(curves.sharp[at])} by the sharp bound and "
        f"{points_of_size(curves.computable[at])} by the paper's corollary 2. All fall as votes "
        "are added."
    )
    caption = (
        "How far plain vote shares lie below the floor on average, by number of votes: at the "
        "fitted distribution, and at worst by three bounds. Both scales are logarithmic."
    )
    draw = partial(_on_axes, 3.0, partial(plot.bias_bounds, curves))
    return Picture("bias", "What more votes would change", caption, description, draw)


def _soft_labels(table: SoftTable, estimate: Estimate) -> Picture:
    shares = _spread_in_words(table.probabilities, table.items / table.n)
    description, caption = f"Soft labels: {shares}.", "How many items have such soft labels."
    if estimate.measure.is_error:
        description += f" The errors of the best classifier add up to {per_cent(estimate.value)}."
        caption += (
            " The strongly coloured parts are the errors of the best classifier, and add up to the "
            "floor."
        )
    draw = partial(_on_axes, 2.8, partial(plot.distribution, estimate))
    return Picture("soft-labels", "The soft labels", caption, description, draw)


def _spread_in_words(probabilities: Floats, weights: Floats) -> str:
    if probabilities.ndim == 2:
        probabilities = probabilities.max(axis=1)
    edges = ((0, 0.05), (0.05, 0.25), (0.25, 0.75), (0.75, 0.95), (0.95, 1))
    within = np.digitize(probabilities, [0.05, 0.25, 0.75, 0.95])
    mass = np.bincount(within, weights, minlength=len(edges))
    return ", ".join(
        f"{per_cent(share, 0)} from {low:g} to {high:g}"
        for share, (low, high) in zip(mass, edges, strict=True)
    )


def _with_interval(row: Estimate) -> str:
    style = style_of(row)
    if row.interval is None:
        return style.value(row.value)
    value, span = value_and_limits(row)
    return f"{value} ({level(row.interval.level)} interval {span})"


def _figure(width: float, height: float) -> Figure:
    made: Figure = matplotlib("figure").Figure(figsize=(width, height), layout="constrained")
    return made


def _on_axes(height: float, draw: Callable[..., object], width: float) -> Figure:
    figure = _figure(width, height)
    draw(ax=figure.add_subplot())
    return figure


def _on_panels(curves: ClassReliability, width: float) -> Figure:
    """Draw the top label and the classes with most labels, two or three panels in a row."""
    count = [int(one.positives.sum()) for one in curves.by_class]
    order = sorted(range(len(count)), key=lambda k: -count[k])[:PANELS]
    names = [curves.classes[k] for k in sorted(order)]
    columns = 3 if width > WIDE else 2
    rows = -(-(len(names) + 1) // columns)
    figure = _figure(width, 0.6 + 1.5 * rows)
    every = list(figure.subplots(rows, columns, sharex=True, sharey=True).flat)
    for ax in every[len(names) + 1 :]:
        ax.remove()
    for ax in every[len(names) + 1 - columns : len(names) + 1]:
        ax.set_xlabel("score", fontsize=TEXT)
        ax.tick_params(labelbottom=True)
    figure.supylabel("of the class, %", fontsize=TEXT)
    plot.class_reliability(curves, names, axes=every[: len(names) + 1])
    return figure


def _on_two_axes(height: float, draw: Callable[..., object], width: float) -> Figure:
    figure = _figure(width, height)
    draw(axes=tuple(figure.subplots(2, sharex=True, height_ratios=[3, 1])))
    return figure
