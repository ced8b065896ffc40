"""Probabilities taken as they are: soft labels, scores, or shares of votes in place of them.

The best value of any metric is that of items with such probabilities. Of votes this is the plug-in,
the paper's `hard` estimate, which is too good where votes are few.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from errorfloor._references import MANY_SOFT_LABELS, SOFT_LABELS
from errorfloor._typing import Counts, Floats
from errorfloor.data.sample import Sample
from errorfloor.data.tables import MergedRows, ScoreTable, SoftTable, VoteTable
from errorfloor.methods.fitted import MeanFloor
from errorfloor.methods.record import (
    DRAWN_LABEL,
    Basis,
    Calibration,
    Classes,
    Method,
    Options,
    uses_weights,
)
from errorfloor.methods.votes.mixture import MANY_VALUES, check_options
from errorfloor.metrics import ERROR, METRICS, Metric, named
from errorfloor.metrics.probabilities import OfItems
from errorfloor.metrics.record import reach_of


@uses_weights()
def _mean_value(cells: Sample, options: Options) -> MeanFloor:
    return MeanFloor(options.metric.per_item(cells.probabilities), cells)


@uses_weights(ERROR.name)
def _of_scores(cells: Sample, options: Options) -> MeanFloor:
    return MeanFloor(ERROR.per_item(cells.scores[cells.row]), cells)


def _identity(table: ScoreTable, options: Options) -> Calibration:
    return Calibration(
        CORRUPTED.name, table, table.scores, {}, np.positive, CORRUPTED.needs_probabilities
    )


def _resolution(table: MergedRows, metric: Metric) -> float | None:
    """Return how far the value may be off; None where nobody knows.

    The error of an item moves by no more than its probabilities do.
    """
    lows, highs = table.ranges
    if metric.is_error:
        return reach_of(table.places, lows, highs, table.row_masses)
    if metric.moved is None:
        return None
    return metric.moved(table.places, lows, highs, table.counts)


_MEAN = f"The floor is the mean of {ERROR.formula} over all items."

CLEAN = Method(
    name="clean",
    reads=SoftTable.kind,
    bind=_mean_value,
    bases=frozenset({Basis.MEAN, Basis.ITEMS}),
    interval="betting",
    assumes="The soft labels are the true probabilities of class 1, and the items are independent",
    if_wrong="as wrong as the soft labels",
    explains=f"Each soft label is taken as the probability p of class 1. {_MEAN}",
    references=(SOFT_LABELS,),
    target=DRAWN_LABEL,
    resolution=_resolution,
)

MANY_CLEAN = replace(
    CLEAN,
    classes=Classes.MANY,
    assumes="The soft labels are the true probabilities of the classes, and the items are "
    "independent",
    explains="The soft labels are taken as the probabilities of the classes. The floor is the mean "
    f"of {ERROR.many_formula} over all items: what the likeliest class leaves.",
    references=(MANY_SOFT_LABELS, SOFT_LABELS),
)

CORRUPTED = Method(
    name="corrupted",
    reads=ScoreTable.kind,
    bind=_of_scores,
    bases=frozenset({Basis.CUTS, Basis.MEAN, Basis.ITEMS}),
    interval="bca",
    assumes="The scores are true probabilities of class 1, taken at face value",
    if_wrong="as wrong as the scores",
    explains=f"Each score is taken as the probability p of class 1 as it is. {_MEAN}",
    references=(SOFT_LABELS,),
    colour="red",
    fit=_identity,
    curve="isotonic",  # scores at face value have a straight line, which says nothing
    needs_probabilities=True,
    resolution=_resolution,
)


class BestValue:
    """The best value of a metric on items with known probabilities, whatever the metric.

    Resamples on which the metric has no value, because a class is missing, say nothing about it;
    they take the value of the table.
    """

    def __init__(self, metric: Metric, probabilities: Floats, sample: Sample) -> None:
        self.metric = metric
        self.sample = sample
        self.order: Any = slice(None)  # in which probabilities of two classes ascend
        if probabilities.ndim == 1 and (probabilities[1:] < probabilities[:-1]).any():
            self.order = np.argsort(probabilities, kind="stable")
        self.probabilities, count = probabilities[self.order], sample.count[self.order]
        self.counted = metric.on(self.probabilities, count, sample.weight_of(self.order))
        self.is_slow = self.counted.is_slow or sample.clusters > 0  # without each unit in turn
        self.value = float(self.counted.values(count[None])[0])
        if np.isnan(self.value):  # one item, or one class, which is refused
            self.value = metric.best(self.probabilities, sample.masses[self.order])

    def values(self, counts: Counts, _: np.random.Generator, /) -> Floats:
        """Return the best value for each row of counts."""
        if len(counts) == 1 and np.array_equal(counts[0], self.sample.count):
            return np.array([self.value])
        return self._known(self.counted.values(counts[:, self.order]))

    def leave_one_out(self) -> Floats:
        """Return the best value without one item of each cell in turn."""
        found = np.empty(len(self.sample))
        found[self.order] = self._known(self.counted.leave_one_out())
        return found

    def _known(self, values: Floats) -> Floats:
        return np.where(np.isnan(values), self.value, values)


@uses_weights()
def _best_value(cells: Sample, options: Options) -> BestValue:
    return BestValue(options.metric, cells.probabilities, cells)


def is_mean(metric: Metric) -> bool:
    """Tell whether the best value is a mean over items, once what it needs is given."""
    costs = getattr(metric.how, "costs", None)
    return metric.is_mean or isinstance(metric.how, OfItems) or costs is not None


def is_balance(metric: Metric) -> bool:
    """Tell whether the best value is a mean over items where the shares of classes are known."""
    return getattr(metric.how, "law", "") == "classes"


def is_root(metric: Metric) -> bool:
    """Tell whether means of known numbers determine the best value."""
    binomial = getattr(metric.how, "law", "") == "binomial" and not is_mean(metric)
    return metric.is_selective or binomial


def is_smooth(metric: Metric) -> bool:
    """Tell whether the best value is another function of the distribution of items."""
    return not (is_mean(metric) or is_balance(metric) or is_root(metric))


def _those(kind: Callable[[Metric], bool]) -> dict[str, Any]:
    found = tuple(one.name for one in METRICS if kind(one) and not one.is_error)
    return {"metrics": found, "answers": kind}


_EXPLAINS = (
    "The soft labels are taken as the probabilities of the classes, and the best value of the "
    "metric is computed from them."
)

MEANS = replace(CLEAN, explains=_EXPLAINS, **_those(is_mean))
SMOOTH = replace(
    CLEAN,
    bind=_best_value,
    bases=frozenset({Basis.SMOOTH, Basis.ITEMS}),
    interval="jackknife",
    explains=_EXPLAINS,
    **_those(is_smooth),
)
BALANCED_ERROR = replace(
    SMOOTH, bases=frozenset({*SMOOTH.bases, Basis.ROOTS}), **_those(is_balance)
)
ROOTS = replace(BALANCED_ERROR, interval="betting", **_those(is_root))
_MANY = partial(replace, classes=Classes.MANY, assumes=MANY_CLEAN.assumes, answers=None)
RECORDS: tuple[Method, ...] = (
    MEANS,
    BALANCED_ERROR,
    SMOOTH,
    ROOTS,
    _MANY(MEANS),
    _MANY(BALANCED_ERROR),
    _MANY(ROOTS, metrics=tuple(name for name in ROOTS.metrics if not named(name).two_only)),
)


# Shares of votes in place of probabilities.


@uses_weights(ERROR.name)
def plugin(cells: Sample, options: Options) -> MeanFloor:
    """Return the mean share of votes that the leading class leaves.

    For a majority, the mean floor of the label that the shares make.
    """
    totals = cells.totals
    if cells.classes == 2:
        if options.target.needed > 1:
            return MeanFloor(options.target(cells.positives / totals), cells)
        # Not per_item of the share: 1 - k / m is not the nearest number to (m - k) / m.
        return MeanFloor(np.minimum(cells.positives, totals - cells.positives) / totals, cells)
    check_options(options)
    if options.target.majority <= 2:
        return MeanFloor((totals - cells.votes.max(axis=1)) / totals, cells)
    from errorfloor.methods.votes.simplex import floors  # SciPy's parts load slowly

    shares = np.sort(cells.votes, axis=1)[:, ::-1] / totals[:, None]
    return MeanFloor(floors(shares, options.target.majority), cells)


def _shares(cells: Sample, options: Options) -> Floats:
    """Return the probabilities of the label that shares of votes make."""
    if cells.classes == 2:
        return options.target.positive(cells.positives / cells.totals)
    check_options(options)
    return np.asarray(cells.votes / cells.totals[:, None])


@uses_weights()
def _mean(cells: Sample, options: Options) -> MeanFloor:
    return MeanFloor(options.metric.per_item(_shares(cells, options)), cells)


@uses_weights(where=lambda metric: metric.is_selective or is_balance(metric))
def _best(cells: Sample, options: Options) -> BestValue:
    return BestValue(options.metric, _shares(cells, options), cells)


PLUGIN = Method(
    name="plugin",
    reads=VoteTable.kind,
    bind=plugin,
    bases=frozenset({Basis.MEAN, Basis.ITEMS}),
    interval="betting",
    assumes="Each item's votes are independent draws from its true probabilities; few votes per "
    "item make the plug-in too low, which the interval does not show",
    if_wrong="the same, and too low from few votes in any case",
    explains="The share of an item's positive votes stands in for its probability p. The floor is "
    f"the mean of {ERROR.formula} over all items.",
    references=(SOFT_LABELS,),
    target="one more annotator's vote",
    colour="orange",
    options=("majority",),
    optimistic=True,
)
MANY_PLUGIN = replace(
    PLUGIN,
    classes=Classes.MANY,
    explains="The shares of an item's votes stand in for its probabilities. The floor is the mean "
    f"of {ERROR.many_formula} over all items: the share of votes that the leading class leaves.",
)
_MEAN_VALUES = replace(
    PLUGIN,
    bind=_mean,
    assumes="Each item's votes are independent draws from its true probabilities; few votes per "
    "item make the plug-in too good, which the interval does not show",
    if_wrong="the same, and too good from few votes in any case",
    explains="The shares of an item's votes stand in for its probabilities, and the best value of "
    "the metric is computed from them.",
    metrics=MEANS.metrics,
    answers=is_mean,
)
_OTHER_VALUES = replace(
    _MEAN_VALUES,
    bind=_best,
    metrics=(*BALANCED_ERROR.metrics, *SMOOTH.metrics, *ROOTS.metrics),
    answers=lambda metric: not is_mean(metric),
    bases=frozenset({Basis.ITEMS}),
    interval="bca",
)
PLUGIN_VALUES: tuple[Method, ...] = (_MEAN_VALUES, _OTHER_VALUES)
# A partial function has no mark: of many classes weights have no answer.
MANY_PLUGINS: tuple[Method, ...] = (
    replace(_MEAN_VALUES, bind=partial(_mean), classes=Classes.MANY, answers=None),
    replace(
        _OTHER_VALUES,
        bind=partial(_best),
        classes=Classes.MANY,
        answers=None,
        metrics=tuple(name for name in _OTHER_VALUES.metrics if name in MANY_VALUES.metrics),
    ),
)
