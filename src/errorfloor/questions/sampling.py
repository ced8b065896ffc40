"""How items were sampled: what is refused with weights, clusters, and items without a label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from errorfloor import methods as known
from errorfloor import metrics
from errorfloor._checks import InputError, either
from errorfloor._numbers import counted, per_cent
from errorfloor._typing import Counts, Floats
from errorfloor.data.tables import ScoreTable, Table
from errorfloor.intervals.record import IntervalKind
from errorfloor.methods.record import CHANCE, Classes, Method, Options
from errorfloor.methods.soft import is_balance
from errorfloor.metrics import Metric

FEWEST_CLUSTERS = 10


def check_uses_weights(table: Table, methods: Sequence[Method], options: Options) -> None:
    """Refuse methods that would leave weights or clusters aside."""
    metric = options.metric
    for method in methods:
        _check_options(method, options)
        if not method.weighs(metric):
            names = _using_weights(table, metric)
            if not names:
                able = either([one.name for one in metrics.METRICS if _using_weights(table, one)])
                raise InputError(
                    f"`metric={metric.name!r}` is not given with `weight` or `cluster` for such "
                    f"labels. Leave them out, or ask for {able}."
                )
            raise InputError(
                f"`method` {method.name} does not use `weight` and `cluster`. Use {either(names)}."
            )


def _check_options(method: Method, options: Options) -> None:
    """Refuse what weighted votes have no measured answer for."""
    if "totals_by" not in method.options:
        return
    if options.totals_by != CHANCE:
        raise InputError(
            f"`totals_by={options.totals_by!r}` is not answered with `weight` or `cluster`. Leave "
            "one of them out."
        )
    if is_balance(options.metric) and "prior" not in options.metric.given:
        raise InputError(
            f"`metric={options.metric.name!r}` of votes with `weight` or `cluster` needs the share "
            "of class 1. Give it with `prior`, or ask for error."
        )


def _using_weights(table: Table, metric: Metric) -> list[str]:
    """Return the methods for a metric of the table that use weights and clusters."""
    able = known.reading(table.kind, Classes.of(table), metric.name)
    return [one.name for one in able if one.weighs(metric)]


def check_weighs(
    kinds: Mapping[str, IntervalKind], name: str, table: Table, metric: Metric
) -> None:
    """Refuse intervals that would be wrong with weights or clusters."""
    if table.entries is None:
        return
    if table.entries.cluster is not None and not kinds[name].with_clusters:
        able = either(
            [one.name for one in kinds.values() if one.weighs(metric) and one.with_clusters]
        )
        raise InputError(f"`interval` {name} is not given with `cluster`. Use {able}.")
    if kinds[name].weighs(metric):
        return
    able = either([kind.name for kind in kinds.values() if kind.weighs(metric)])
    raise InputError(f"`interval` {name} is not given with `weight` or `cluster`. Use {able}.")


def check_clusters(table: Table) -> None:
    """Refuse limits from so few clusters that nothing is known of how they vary."""
    own = table.entries
    if own is not None and own.cluster is not None and own.clusters < FEWEST_CLUSTERS:
        raise InputError(
            f"`cluster` has {counted(own.clusters, 'value')}. An interval needs {FEWEST_CLUSTERS} "
            "clusters at the very least, and 50 to hold as often as it says. Label items of more "
            "clusters, or leave the interval out with `interval=None`."
        )


TableT = TypeVar("TableT", bound=Table)


def unweighted(table: TableT, what: str) -> TableT:
    """Return a table whose items all weigh the same and stand alone, or refuse it.

    `what` is the function that asks.
    """
    plain = table.plain
    if plain.entries is not None:
        raise InputError(
            f"`{what}()` does not use `weight` and `cluster`. Count the items without them, or ask "
            "for the floor."
        )
    return plain


def described(table: Table) -> tuple[dict[str, Any], str]:
    """Return what an estimate says of weights and clusters, and what it assumes of them."""
    assert table.entries is not None
    own, assumes = table.entries.labelled(len(table.classes)), ""
    if not own.are_equal:
        assumes += " With the weights, the items represent the population."
    if own.cluster is not None:
        assumes += " Items of different clusters have nothing to do with each other."
    sizes = {
        "n_effective": None if own.are_equal else own.n_effective,
        "clusters": None if own.cluster is None else own.clusters,
    }
    return sizes, assumes


def no_interval(name: str, why: str, table: Table) -> InputError:
    """Say that no interval is known for such data."""
    where = "with weights or clusters there is no other" if table.entries else "there is no other"
    return InputError(
        f"The {name} interval is undefined because {why}, and {where}. Leave it out with "
        "`interval=None`."
    )


ALIKE = 1e-4  # level of the test of scores with a label, over all that it looks at


def check_alike(table: ScoreTable) -> None:
    """Refuse labelled items whose scores, with their weights, are not those of all items."""
    if table.unlabelled is None:
        return
    if table.n == 0:
        raise InputError(
            f"None of the {table.n_unlabelled:,} items has a label. Label some of them first; "
            "`plan_labels()` says which."
        )
    apart, chance = largest_difference(table)
    if chance >= ALIKE:
        return
    seldom = f"{max(chance, 1e-16):.1g}"
    far = f"by up to {per_cent(apart)} of the items, which chance does in {seldom} of cases"
    if table.entries is not None:
        raise InputError(
            "The labelled items do not stand for all: even with `weight` their scores differ from "
            f"those of all items {far}. Check the weights: each has to be one over the probability "
            "that the item was chosen for labelling."
        )
    raise InputError(
        f"The labelled items do not stand for all: their scores differ from the others' {far}. A "
        "floor from them would be that of other items. Pass `weight`, one over each item's "
        "probability of being chosen, or label items at random; `plan_labels()` draws them and "
        "writes their weights."
    )


def largest_difference(table: ScoreTable) -> tuple[float, float]:
    """Return how far labelled scores are from all, as a share of items, and its p-value.

    It is the Kolmogorov-Smirnov distance: of the scores of two classes, or else the largest over
    each class's scores and the largest one of each item, with the p-value times their number.
    """
    from scipy.special import kolmogorov

    assert table.unlabelled is not None
    mass, square = _masses(table)
    everything = table.unlabelled + table.items
    apart, chance = 0.0, 1.0
    lines = _lines(table.scores)
    for line in lines:
        distance, scale = _distance(line, mass, square, everything)
        if scale > 0:
            chance = min(chance, float(kolmogorov(distance / scale)) * len(lines))
        apart = max(apart, distance)
    return apart, chance


def _lines(scores: Floats) -> list[Floats]:
    if scores.ndim == 1:
        return [scores]
    shares = scores
    if scores.min() >= 0:
        shares = scores / scores.sum(axis=1, keepdims=True)
    return [*shares.T, shares.max(axis=1)]


def _masses(table: ScoreTable) -> tuple[Floats, Floats]:
    """Return what the labelled items of each row weigh, and the sum of squared weights."""
    if table.entries is None:
        number = table.items.astype(np.float64)
        return number, number
    own = table.entries.labelled(len(table.classes)).relative
    mass, square = (
        np.bincount(own.row, own.count * own.weight**power, minlength=len(table)).astype(np.float64)
        for power in (1, 2)
    )
    return mass, square


def _distance(
    line: Floats, mass: Floats, square: Floats, everything: Counts
) -> tuple[float, float]:
    """Return the largest distance of two cumulative shares, and what it is measured in.

    The unit is one over the root of the number of equal items, where both have the largest
    standard error that the labelled share has anywhere; labelled items are part of all.
    """
    order = np.argsort(line, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(line[order])), line.size - 1)
    own, squares, every = (np.cumsum(part[order])[ends] for part in (mass, square, everything))
    share = own / own[-1]
    distance = float(np.abs(share - every / every[-1]).max())
    # Sum of w^2 (1 - F)^2 below, and of w^2 F^2 above.
    variance = squares * (1 - share) ** 2 + (squares[-1] - squares) * share**2
    labelled = float(own[-1]) ** 2 / float(squares[-1]) / float(every[-1])
    rest = max(1 - labelled, 0.0)
    return distance, 2 * float(np.sqrt(variance.max() * rest)) / float(own[-1])
