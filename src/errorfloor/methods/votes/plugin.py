"""The plug-in: vote shares in place of probabilities, the paper's `hard` estimate."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from errorfloor._references import SOFT_LABELS
from errorfloor._typing import Floats
from errorfloor.data.sample import Sample
from errorfloor.data.tables import VoteTable
from errorfloor.methods.fitted import MeanFloor
from errorfloor.methods.record import Basis, Classes, Method, Options, uses_weights
from errorfloor.methods.soft import (
    BALANCED_ERROR,
    MEANS,
    ROOTS,
    SMOOTH,
    BestValue,
    is_balance,
    is_mean,
)
from errorfloor.methods.votes.mixture import MANY_VALUES, check_options
from errorfloor.metrics import ERROR


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
VALUES: tuple[Method, ...] = (_MEAN_VALUES, _OTHER_VALUES)
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
