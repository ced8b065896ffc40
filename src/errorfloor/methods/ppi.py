"""Prediction-powered floors: labels on some items, scores on all."""

from __future__ import annotations

from functools import partial

from errorfloor import _references as references
from errorfloor.data.sample import Sample
from errorfloor.data.tables import ScoreTable
from errorfloor.methods.powered import PoweredCut
from errorfloor.methods.record import Basis, Classes, Method, Options, Shape, heeds_weights
from errorfloor.methods.rules.powered import PoweredOffsets
from errorfloor.methods.rules.records import OFFSETS


@heeds_weights()
def _cut(cells: Sample, options: Options) -> PoweredCut:
    return PoweredCut(cells, options.draw)


@heeds_weights()
def _offsets(cells: Sample, options: Options) -> PoweredOffsets:
    return PoweredOffsets(cells, options)


_HOW = (
    "Labelled items are weighted so that each stratum of scores counts as much as among all items. "
    "What the scores predict of that rule's errors is known for all items, so it makes up for the "
    "labelled ones being easier or harder within a stratum. Rule and prediction are fitted to "
    "other labelled items than those they are tried on, and heeded as far as they narrow the "
    "interval. The floor is the midpoint of errors on the items of the fit and on items that were "
    "held out."
)
AT_RANDOM = (
    "; items were labelled at random, or with the probabilities that their weights are one over"
)

_method = partial(
    Method,
    name="ppi",
    reads=ScoreTable.kind,
    bases=frozenset({Basis.POWERED}),
    interval="powered",
    references=(references.POWERED, references.CROSS_POWERED),
    shape=Shape.ORDER,
    colour="blue",
    partly=True,
)

PPI = _method(
    bind=_cut,
    assumes=f"The scores order the items as their true probabilities do{AT_RANDOM}",
    if_wrong="the floor of the best cut: too high, still an upper bound",
    explains='Labelled items say how often the best rule of the form "score above t" is wrong. '
    f"{_HOW}",
    curve="isotonic",
    when_merged="tries no cut inside them",
)
MANY_PPI = _method(
    bind=_offsets,
    classes=Classes.MANY,
    assumes=f"{OFFSETS.assumes}{AT_RANDOM}",
    if_wrong=OFFSETS.if_wrong,
    explains="Labelled items say how often the class with the largest weighted score is not the "
    f"label. {_HOW}",
    options=("clip",),
    curve=OFFSETS.name,
)
