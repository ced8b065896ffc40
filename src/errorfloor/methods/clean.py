"""Soft labels taken as true probabilities, for metrics other than error."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from errorfloor._typing import Counts, Floats
from errorfloor.data.cells import SoftCells
from errorfloor.methods.record import Basis, Classes, Method, Options, heeds_weights
from errorfloor.methods.soft import CLEAN, MANY_CLEAN, MeanFloor
from errorfloor.methods.weighted_best import WeightedBest
from errorfloor.metrics import METRICS, Metric


class BestValue:
    """The best value of a metric on items with known probabilities, whatever the metric.

    Resamples on which the metric has no value, because a class is missing, say nothing about it;
    they take the value of the table.
    """

    def __init__(self, metric: Metric, cells: SoftCells) -> None:
        self.metric = metric
        self.cells = cells
        self.counted = metric.on(cells.probabilities, cells.count)
        self.value = float(self.counted.values(cells.count[None])[0])
        if np.isnan(self.value):  # one item, or one class, which is refused
            self.value = metric.best(cells.probabilities, cells.count)

    def values(self, counts: Counts, _: np.random.Generator, /) -> Floats:
        """Return the best value for each row of counts."""
        return self._known(self.counted.values(counts))

    def leave_one_out(self) -> Floats:
        """Return the best value without one item of each cell in turn."""
        return self._known(self.counted.leave_one_out())

    def _known(self, values: Floats) -> Floats:
        return np.where(np.isnan(values), self.value, values)


@heeds_weights()
def _mean(cells: SoftCells, options: Options) -> MeanFloor:
    return MeanFloor(options.metric.per_item(cells.probabilities), cells.count, cells.weight)


@heeds_weights()
def _best(cells: SoftCells, options: Options) -> BestValue | WeightedBest:
    kind = BestValue if cells.weight is None else WeightedBest
    return kind(options.metric, cells)


_MEANS = tuple(one.name for one in METRICS[1:] if one.is_mean or one.name == "cost")
_OTHERS = tuple(one.name for one in METRICS[1:] if one.name not in _MEANS)
_FOR_ALL = tuple(one.name for one in METRICS[1:] if not one.two_only)
_EXPLAINS = (
    "The soft labels are taken as the probabilities of the classes, and the best value of the "
    "metric is computed from them."
)

MEANS = replace(CLEAN, bind=_mean, metrics=_MEANS, explains=_EXPLAINS)
OTHERS = replace(
    CLEAN,
    bind=_best,
    metrics=_OTHERS,
    bases=frozenset({Basis.ITEMS}),
    interval="bca",
    explains=_EXPLAINS,
)
RECORDS: tuple[Method, ...] = (
    MEANS,
    OTHERS,
    replace(MEANS, classes=Classes.MANY, assumes=MANY_CLEAN.assumes),
    replace(
        OTHERS,
        classes=Classes.MANY,
        assumes=MANY_CLEAN.assumes,
        metrics=tuple(name for name in _OTHERS if name in _FOR_ALL),
    ),
)
