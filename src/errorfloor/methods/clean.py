"""Soft labels taken as true probabilities, for metrics other than error."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from errorfloor._typing import Counts, Floats
from errorfloor.data.sample import Sample
from errorfloor.data.tables import SoftTable
from errorfloor.methods.record import Basis, Classes, Method, Options, heeds_weights
from errorfloor.methods.soft import CLEAN, MANY_CLEAN, MeanFloor
from errorfloor.metrics import Metric, named
from errorfloor.metrics.balanced import BALANCED
from errorfloor.metrics.means import BRIER, COST, LOG_LOSS
from errorfloor.metrics.ranking import AUC, AVERAGE_PRECISION
from errorfloor.metrics.selective import COVERAGE_AT_ERROR, ERROR_AT_COVERAGE
from errorfloor.metrics.thresholds import F1, MCC


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
        weight = None if sample.weight is None else sample.weight[self.order]
        self.counted = metric.on(self.probabilities, count, weight)
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


@heeds_weights()
def _mean(cells: Sample, options: Options) -> MeanFloor:
    return MeanFloor(options.metric.per_item(cells.probabilities), cells)


@heeds_weights()
def _best(cells: Sample, options: Options) -> BestValue:
    return BestValue(options.metric, cells.probabilities, cells)


def _moved(table: SoftTable, metric: Metric) -> float | None:
    """Return how far merged rows can have moved the best value; None where nobody knows."""
    if metric.moved is None:
        return None
    return metric.moved(table.probabilities, *table.ranges, table.counts)


_MEANS = (COST.name, BRIER.name, LOG_LOSS.name)
_SMOOTH = (AUC.name, AVERAGE_PRECISION.name, MCC.name)
_ROOTS = (F1.name, ERROR_AT_COVERAGE.name, COVERAGE_AT_ERROR.name)
_EXPLAINS = (
    "The soft labels are taken as the probabilities of the classes, and the best value of the "
    "metric is computed from them."
)

MEANS = replace(CLEAN, bind=_mean, metrics=_MEANS, explains=_EXPLAINS, moved=_moved)
SMOOTH = replace(
    CLEAN,
    bind=_best,
    metrics=_SMOOTH,
    bases=frozenset({Basis.SMOOTH, Basis.ITEMS}),
    interval="jackknife",
    explains=_EXPLAINS,
    moved=_moved,
)
BALANCED_ERROR = replace(
    SMOOTH, metrics=(BALANCED.name,), bases=frozenset({*SMOOTH.bases, Basis.ROOTS})
)
ROOTS = replace(BALANCED_ERROR, metrics=_ROOTS, interval="betting")
_MANY = partial(replace, classes=Classes.MANY, assumes=MANY_CLEAN.assumes)
RECORDS: tuple[Method, ...] = (
    MEANS,
    BALANCED_ERROR,
    SMOOTH,
    ROOTS,
    _MANY(MEANS),
    _MANY(BALANCED_ERROR),
    _MANY(ROOTS, metrics=tuple(name for name in _ROOTS if not named(name).two_only)),
)
