"""Results as rows of cells, which text and notebooks lay out each in their way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from errorfloor import methods, metrics
from errorfloor.data.tables import ScoreTable, SoftTable, VoteTable
from errorfloor.methods.record import DRAWN_LABEL, GIVEN_LABEL, Classes
from errorfloor.metrics import ERROR, Metric
from errorfloor.results import Estimate
from errorfloor.results.claim import Claim
from errorfloor.show import numbers

if TYPE_CHECKING:
    from errorfloor.results import (
        AnnotatorsResult,
        ClassItems,
        Comparison,
        Confusion,
        FeeBeeResult,
        FeeBeeScore,
        Groups,
        Items,
        Plan,
    )

PLAIN_TARGETS = GIVEN_LABEL, DRAWN_LABEL  # which nobody takes for another
MOST_ANNOTATORS = 20  # of whom text shows a row
MOST_PAIRS = 10  # of classes, likewise
MOST_ITEMS, NAMED_ITEMS = 10, 3  # rows of items, and names in one of them
MOST_VOTED = 3  # classes of an item that are named


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows of text under a head; `align` has < or > for each column."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    align: str

    @property
    def lines(self) -> tuple[tuple[str, ...], ...]:
        """The head and all rows."""
        return (self.head, *self.rows)


def head_of(estimates: Iterable[Estimate]) -> str:
    """Return the head of a column of floors or ceilings, with the metric where it is no error.

    What is only a bound of them is not called so.
    """
    first = next(iter(estimates), None)
    if first is None:
        return ERROR.limit
    metric = first.measure
    if not first.claim.any_model:
        return metric.words
    return metric.limit if metric.is_error else f"{metric.limit} of {metric.words}"


def axis_of(row: Estimate) -> str:
    """Return what values on an axis are of."""
    claim, words = row.claim, row.measure.words
    return f"best possible {words}" if claim.any_model else f"{words} of {claim.in_short}"


def short_name(claim: Claim) -> str:
    """Return what a model is compared with, in two or three words."""
    return "best possible" if claim.any_model else claim.in_short.removeprefix("the ")


def recommended_of(comparison: Comparison) -> Estimate | None:
    """Return the row of the default method, where it is one of those that were compared."""
    main = comparison.main if len(comparison) > 1 else None
    if main is None or main.table is None:
        return None
    table = main.table
    usual = methods.default(table.kind, Classes.of(table), main.metric)
    return main if main.method == usual.name else None


def of_methods(comparison: Comparison) -> Grid:
    """Return the floors of several methods, in brief, with a mark on the recommended one."""
    every, best = list(comparison), recommended_of(comparison)
    digits = numbers.digits_for_all(every)
    rows = (
        (
            f"{row.method} (recommended)" if row is best else row.method,
            *numbers.value_and_limits(row, digits),
            row.interval_method or "",
        )
        for row in every
    )
    return Grid(("method", head_of(every), "interval", "by"), tuple(rows), "<>><")


def of_estimates(estimates: Iterable[Estimate]) -> Grid:
    """Return floors with all that says how they came about."""
    every = list(estimates)
    digits = numbers.digits_for_all(every)
    rows = (
        (
            row.method,
            *numbers.value_and_limits(row, digits),
            "" if row.level is None else numbers.level(row.level),
            row.interval_method or "",
            f"{row.n:,}",
        )
        for row in every
    )
    head = ("method", head_of(every), "interval", "level", "by", "n")
    return Grid(head, tuple(rows), "<>>><>")


def of_groups(groups: Groups[Estimate]) -> Grid:
    """Return the floor of each group."""
    names = [_attention(row) for row in groups.values()]
    digits = numbers.digits_for_all(groups.values())
    rows = (
        (
            str(name),
            f"{row.n:,}",
            *numbers.value_and_limits(row, digits),
            *([finding] if any(names) else []),
        )
        for (name, row), finding in zip(groups.items(), names, strict=True)
    )
    more = ["attention"] if any(names) else []
    head = (groups.column, "n", head_of(groups.values()), "interval", *more)
    return Grid(head, tuple(rows), "<>>><"[: len(head)])


def _attention(row: Estimate) -> str:
    """Return the names of the findings that call for attention."""
    serious = [one.name.lower() for one in row.findings if one.level in ("refuted", "warn")]
    return ", ".join(serious)


_COUNT = "bias of simple count"  # a column of plans


def digits_of_plan(plan: Plan) -> int:
    """Return how many digits the widths of a plan have."""
    narrowest = float(np.abs(plan.width).min())
    return numbers.style_of_plan(plan).digits(narrowest, narrowest)


def of_plan(plan: Plan) -> Grid:
    """Return the widths for all numbers of votes and items."""
    error = plan.measure.is_error
    error = error and bool(plan.bias.any())  # of scores nothing is counted
    head = ("votes", *([_COUNT] if error else []), *(f"{n:,} items" for n in plan.items))
    style, digits = numbers.style_of_plan(plan), digits_of_plan(plan)
    rows = (
        (
            f"{m}",
            *([style.signed(bias, digits)] if error else []),
            *(style.bare(abs(one), digits) for one in widths),
        )
        for m, bias, widths in zip(plan.votes, plan.bias, plan.width, strict=True)
    )
    return Grid(head, tuple(rows), ">" * len(head))


def of_items(items: Items | ClassItems) -> Grid:
    """Return the items that contribute most to the floor."""
    from errorfloor.results import Items  # which most answers have no use for

    if isinstance(items, Items):
        head, align, chance = ("votes for 1", "probability of 1"), "<>>>>", items.probability
        shown = list(islice(_same_votes(items), MOST_ITEMS))
        votes = [f"{items.positives[at[0]]:,} of {items.totals[at[0]]:,}" for at in shown]
    else:
        head, align, chance = ("votes", "another class likelier"), "<<>>>", items.doubt
        shown = list(items.hardest()[:, None])
        votes = [_votes_in_words(items, int(at[0])) for at in shown]
    rows = (
        (
            _few_names(items, places),
            own,
            numbers.per_cent(chance[places[0]], 1),
            numbers.per_cent(items.contribution[places[0]], 1),
            f"{items.rank[places[0]]:,}",
        )
        for places, own in zip(shown, votes, strict=True)
    )
    return Grid(("item", *head, "lowest error", "rank"), tuple(rows), align)


def _same_votes(items: Items) -> Iterator[NDArray[np.intp]]:
    """Yield the places of items with the same votes, those that contribute most first."""
    votes = np.column_stack((items.rank, items.positives, items.totals))
    names, group = np.unique(votes, axis=0, return_inverse=True)
    for k in range(len(names)):
        yield np.flatnonzero(group.ravel() == k)


def _few_names(items: Items | ClassItems, places: NDArray[np.intp]) -> str:
    """Name a few items, and say how many more there are."""
    names = [str(items.item[at]) for at in places[:NAMED_ITEMS]]
    more = len(places) - len(names)
    return f"{', '.join(names)}{f' and {more:,} more' if more else ''}"


def _votes_in_words(items: ClassItems, at: int) -> str:
    votes = items.votes[at]
    order = [k for k in np.argsort(-votes, kind="stable") if votes[k]]
    shown = [f"{items.classes[k]} {votes[k]:,}" for k in order[:MOST_VOTED]]
    return ", ".join([*shown, "..."] if len(order) > MOST_VOTED else shown)


def how_items(items: Items | ClassItems) -> str:
    """Say of how many items, and how the classes were taken."""
    from errorfloor.results import Items  # which most answers have no use for

    mean = (
        f"The mean over all {items.count.sum():,} items is {numbers.per_cent(items.floor, 1)}: "
        "close to the floor but not the same, because the probability of each item is smoothed."
    )
    if not isinstance(items, Items):
        more = f" The first {len(items.hardest())} items are shown." * (len(items) > MOST_ITEMS)
        return f"{mean}{more}"
    how = (
        "in the same way: only the size of a majority counts"
        if items.symmetric
        else "separately: the same majority may mean more for one class than for the other"
    )
    return (
        f"{mean} The two classes are treated {how}. The item with the highest error has rank 1. "
        "Where the fit gives the higher error to the larger of two majorities of equally many "
        "votes, both items get the mean of the two errors, and the smaller majority ranks first."
    )


def of_feebee(result: FeeBeeResult) -> Grid:
    """Return the score of each method, and that of the oracle."""
    # Two digits of the oracle's standard error, and five decimals at least, as the paper has.
    oracle = result.oracle
    error = oracle.standard_error or 1.0
    digits = int(np.clip(1 - np.floor(np.log10(error)), 5, 12))
    head = ("method", "score", "std. error", "too high", "too low", "minus oracle's (95 %)")
    rows = [_score_row(row, digits, _excess(row, digits)) for row in result]
    return Grid(head, (*rows, _score_row(oracle, digits, "")), "<>>>>>")


def _score_row(row: FeeBeeScore, digits: int, excess: str) -> tuple[str, ...]:
    error = "" if row.standard_error is None else f"{row.standard_error:.{digits}f}"
    score, upper, lower = (f"{one:.{digits}f}" for one in (row.score, row.upper, row.lower))
    return row.method, score, error, upper, lower, excess


def _excess(row: FeeBeeScore, digits: int) -> str:
    low, high = row.excess.low, row.excess.high
    if low is None or high is None:
        return ""
    return f"{low:+.{digits}f} to {high:+.{digits}f}"


def of_annotators(result: AnnotatorsResult, most: int = MOST_ANNOTATORS) -> Grid:
    """Return the annotators who have the largest shares of the floor."""
    level, guess = numbers.level(result.level), any(row.may_guess for row in result)
    head = (
        "annotator",
        "votes",
        "agreement",
        "informedness",
        f"{level} interval",
        "share of the floor",
        *(["guessing?"] if guess else []),
    )
    rows = (
        (
            row.annotator,
            f"{row.votes:,}",
            _percent(row.agreement),
            _percent(row.informedness),
            "" if row.low is None or row.high is None else numbers.range_of(row.low, row.high, 1),
            _percent(row.share),
            *(["maybe" if row.may_guess else ""] if guess else []),
        )
        for row in result.rows[:most]
    )
    return Grid(head, tuple(rows), "<>>>>><"[: len(head)])


def of_pairs(result: Confusion) -> Grid:
    """Return the pairs of classes that are taken for one another most often."""
    head = ("a", "b", "share of errors", "a taken for b", "b taken for a")
    rows = (
        (
            pair.first,
            pair.second,
            _percent(pair.share),
            _percent(pair.first_as_second),
            _percent(pair.second_as_first),
        )
        for pair in result.pairs[:MOST_PAIRS]
    )
    return Grid(head, tuple(rows), "<<>>>")


def _percent(value: float | None) -> str:
    return "" if value is None else numbers.per_cent(value, 1)


def how_groups(groups: Groups[Estimate]) -> str:
    """Say by which method, and for which groups the level holds."""
    first = next(iter(groups.values()))
    method = f"Method {first.method}"
    if first.target not in PLAIN_TARGETS:
        method = f"{method}, for {first.target}"
    if groups.level is None:
        return f"{method}."
    which = "all groups at once" if groups.simultaneous else "each group, not for all at once"
    return f"{method}. The {numbers.level(groups.level)} confidence holds for {which}."


def how_feebee(result: FeeBeeResult) -> str:
    """Say how much noise was added to what."""
    metric, value = result.measure, result.model_value
    shown = f"{100 * value:.4g} %" if metric.per_cent else f"{value:.4g}"
    shares = f", for each of {len(result.means)} shares of class 1"
    several = shares if len(result.means) > 1 else ""
    wide = result.dimensions
    features = "" if wide is None else f"{wide:,} feature{'s' if wide > 1 else ''}, "
    return (
        f"{result.repeats} repeats at each of {result.noise.size} levels of noise{several}; "
        f"n = {result.n:,}, {features}model {metric.words} {shown}. Noise in labels cannot show "
        "what the scores or features miss."
    )


def how_plan(plan: Plan) -> str:
    """Say what the numbers of a plan are."""
    style = numbers.style_of_plan(plan)
    unit = "percentage points" if style.in_per_cent else style.unit
    unit = f", in {unit}" if unit else ""
    of = "" if plan.measure.is_error else f" of the {plan.measure.words} {plan.measure.limit}"
    counted = ""
    if plan.measure.is_error and plan.bias.any():
        counted = f'; "{_COUNT}" says how far the floor would be off if votes were only counted'
    return f"Width of the {numbers.level(plan.level)} interval{of}{unit}{counted}"


def as_text(grid: Grid) -> list[str]:
    """Return lines with columns as wide as their widest cell."""
    lines: Sequence[Sequence[str]] = grid.lines
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [
        "  ".join(
            f"{cell:{side}{width}}"
            for cell, side, width in zip(line, grid.align, widths, strict=True)
        ).rstrip()
        for line in lines
    ]


def hold_floors(groups: Groups[Any]) -> bool:
    """Tell whether groups have a floor each, which fit into one grid."""
    return len(groups) > 0 and all(isinstance(row, Estimate) for row in groups.values())


def under_names(groups: Groups[Any], write: Callable[[Any], str]) -> str:
    """Return what `write` makes of each group, under the group's name."""
    return "\n\n".join(f"{groups.column} {name}\n{write(row)}" for name, row in groups.items())


# The metrics as a table: what each is, for which classes, and from which labels it can be had.

_KINDS = (SoftTable.kind, ScoreTable.kind, VoteTable.kind)


def of_metrics() -> Grid:
    """Return a row for each metric, from the records."""
    rows = tuple(
        (
            metric.name,
            _formula(metric),
            "two" if metric.two_only else "any",
            "lower" if metric.less_is_better else "higher",
            _takes(metric),
            "; ".join(_sources(metric)),
        )
        for metric in metrics.METRICS
    )
    head = ("metric", "best possible value", "classes", "better", "options", "data (interval)")
    return Grid(head, rows, "<" * len(head))


def metrics_as_text() -> str:
    """Return the table without formulas, which are long."""
    grid = of_metrics()
    lines = [(one[0], *one[2:]) for one in grid.lines]
    return "\n".join(as_text(Grid(lines[0], tuple(lines[1:]), grid.align[1:])))


def metrics_as_dicts() -> list[dict[str, Any]]:
    """Return the table as plain values, ready for JSON."""
    return [
        {
            "name": metric.name,
            "title": metric.words,
            "limit": metric.limit,
            "less_is_better": metric.less_is_better,
            "two_classes_only": metric.two_only,
            "formula": metric.formula,
            "many_formula": metric.many_formula or None,
            "needs": list(metric.needs),
            "takes": list(metric.takes),
            "from": {kind: found for kind in _KINDS if (found := _intervals(metric, kind))},
        }
        for metric in metrics.METRICS
    ]


def _formula(metric: Metric) -> str:
    mean = "the mean of " if metric.is_mean or metric.formula.startswith("min(") else ""
    return f"{mean}{metric.formula}"


def _takes(metric: Metric) -> str:
    return ", ".join([*metric.needs, *(f"{name} (optional)" for name in metric.takes)])


def _sources(metric: Metric) -> list[str]:
    """Return the kinds of labels it can be had from, with the default interval of each."""
    found = []
    for kind in _KINDS:
        by_classes = _intervals(metric, kind)
        if not by_classes:
            continue
        only = "" if len(by_classes) == 2 or metric.two_only else ", two classes"
        found.append(f"{kind} ({' or '.join(dict.fromkeys(by_classes.values()))}{only})")
    return found


def _intervals(metric: Metric, kind: str) -> dict[str, str]:
    """Return the default interval by number of classes."""
    return {
        one.classes.value: one.interval
        for classes in Classes
        for one in methods.defaults()
        if (one.reads, one.classes) == (kind, classes) and one.is_for(metric.name)
    }
