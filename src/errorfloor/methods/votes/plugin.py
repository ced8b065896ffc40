"""The plug-in: vote shares in place of probabilities, the paper's `hard` estimate."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from errorfloor._references import SOFT_LABELS
from errorfloor.data.sample import Sample
from errorfloor.data.tables import VoteTable
from errorfloor.methods.record import Basis, Method, Options, heeds_weights
from errorfloor.methods.soft import (
    BALANCED_ERROR,
    MEANS,
    ROOTS,
    SMOOTH,
    BestValue,
    MeanFloor,
    is_balance,
    is_mean,
)
from errorfloor.metrics import ERROR


@heeds_weights(ERROR.name)
def plugin(cells: Sample, options: Options) -> MeanFloor:
    """Return the mean share of minority votes, or the floor of the label that the shares make."""
    if options.target.needed > 1:
        shares = cells.positives / cells.totals
        return MeanFloor(options.target.floors(shares), cells)
    # Not per_item of the share: 1 - k / m is not the nearest number to (m - k) / m.
    minority = np.minimum(cells.positives, cells.totals - cells.positives)
    return MeanFloor(minority / cells.totals, cells)


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


@heeds_weights()
def _mean(cells: Sample, options: Options) -> MeanFloor:
    shares = options.target.positive(cells.positives / cells.totals)
    return MeanFloor(options.metric.per_item(shares), cells)


@heeds_weights(where=lambda metric: metric.is_selective or is_balance(metric))
def _best(cells: Sample, options: Options) -> BestValue:
    shares = options.target.positive(cells.positives / cells.totals)
    return BestValue(options.metric, shares, cells)


EXPLAINS = (
    "The shares of an item's votes stand in for its probabilities, and the best value of the "
    "metric is computed from them."
)
_values = replace(
    PLUGIN,
    assumes="Each item's votes are independent draws from its true probabilities; few votes per "
    "item make the plug-in too good, which the interval does not show",
    if_wrong="the same, and too good from few votes in any case",
    explains=EXPLAINS,
)
VALUES: tuple[Method, ...] = (
    replace(_values, bind=_mean, metrics=MEANS.metrics, answers=is_mean),
    replace(
        _values,
        bind=_best,
        metrics=(*BALANCED_ERROR.metrics, *SMOOTH.metrics, *ROOTS.metrics),
        answers=lambda metric: not is_mean(metric),
        bases=frozenset({Basis.ITEMS}),
        interval="bca",
    ),
)
