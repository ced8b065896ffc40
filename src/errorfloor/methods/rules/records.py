"""The methods for scores of many classes, with one label per item."""

from __future__ import annotations

from functools import partial
from typing import Any

from errorfloor import _references as references
from errorfloor.data.sample import Sample
from errorfloor.data.tables import ScoreTable
from errorfloor.methods.record import Basis, Classes, Method, Options, Shape, heeds_weights
from errorfloor.methods.rules.logs import shares
from errorfloor.methods.rules.maps import (
    ClassCalibration,
    OneVsRest,
    PowerFloor,
    fit_map,
    fit_steps,
)
from errorfloor.methods.rules.offsets import OFFSETS_FAMILY, OffsetFit, TopErrors
from errorfloor.methods.rules.softmax import Family
from errorfloor.methods.soft import MeanFloor
from errorfloor.metrics import ERROR

_TEMPERATURE, _VECTOR = Family(weights=False), Family(powers=True)
_AVERAGE = f"The floor is the mean of {ERROR.many_formula} over all items."
_BIASED = "biased either way, and no interval of the average shows it"

_method = partial(Method, reads=ScoreTable.kind, classes=Classes.MANY)


def _averaging(name: str, family: Family, **about: Any) -> Method:
    """Return the method that averages the confidences of a family of powers."""
    return _method(
        name=name,
        bind=partial(PowerFloor, family),
        bases=frozenset({Basis.RULES, Basis.ITEMS}),
        interval="bca",
        shape=Shape.CURVE,
        fit=partial(fit_map, name, family),
        options=("clip",),
        if_wrong=_BIASED,
        **about,
    )


@heeds_weights(ERROR.name)
def _offsets(cells: Sample, options: Options) -> OffsetFit:
    return OffsetFit.of(cells, options)


@heeds_weights(ERROR.name)
def _top(cells: Sample, options: Options) -> TopErrors:
    return TopErrors(cells, options)


def _of_scores(cells: Sample, options: Options) -> MeanFloor:
    missed = 1 - shares(cells.scores).max(axis=0)
    return MeanFloor(missed[cells.row], cells)


def _identity(table: ScoreTable, options: Options) -> ClassCalibration:
    return ClassCalibration(CORRUPTED.name, table, {}, _as_shares)


def _as_shares(scores: Any) -> Any:
    return shares(scores).T


OFFSETS = _method(
    name="offsets",
    bind=_offsets,
    bases=frozenset({Basis.RULES}),
    interval="honest",
    assumes="Up to one weight per class, the class with the largest weighted score is the "
    "likeliest",
    if_wrong="the floor of the best weights: too high, still an upper bound",
    explains="One common power of the scores and one weight per class are fitted to the labels by "
    "maximum likelihood, where very small scores count as a common part of the row's largest. The "
    "class with the largest product is chosen. The floor is the share "
    "of items for which that is not the label: the midpoint of the errors on the items of the fit, "
    "which are too few, and of those on items that were held out, which are too many.",
    references=(references.VECTOR,),
    shape=Shape.ORDER,
    condition="right up to one weight per class",
    colour="blue",
    fit=partial(fit_map, "offsets", OFFSETS_FAMILY, in_reach=True),
    options=("clip",),
)
TOP1 = _method(
    name="top1",
    bind=_top,
    bases=frozenset({Basis.RULES}),
    interval="honest",
    assumes="The class with the largest score is the likeliest",
    if_wrong="the error of that choice: too high, still an upper bound",
    explains="The class with the largest score is chosen. The floor is the share of items for "
    "which that is not the label; of tied classes one is chosen at random.",
    references=(references.TOP_LABEL,),
    shape=Shape.ORDER,
    rule="choosing the largest of {}",
    condition="largest for the likeliest class",
    colour="sky",
    curve=OFFSETS.name,
    beyond_guessing=True,
)
CORRUPTED = _method(
    name="corrupted",
    bind=_of_scores,
    bases=frozenset({Basis.RULES, Basis.ITEMS}),
    interval="bca",
    assumes="The scores are true probabilities of the classes, taken at face value",
    if_wrong="as wrong as the scores",
    explains=f"The scores are taken as the probabilities p of the classes as they are. {_AVERAGE}",
    references=(references.MANY_SOFT_LABELS,),
    colour="red",
    fit=_identity,
    curve=OFFSETS.name,
    needs_probabilities=True,
)
TEMPERATURE = _averaging(
    "temperature",
    _TEMPERATURE,
    assumes="One power of all scores turns them into true probabilities",
    explains="One power of the scores is fitted to the labels by maximum likelihood, and each row "
    f"divided by its sum. {_AVERAGE}",
    references=(references.TEMPERATURE,),
    colour="green",
)
VECTOR = _averaging(
    "vector",
    _VECTOR,
    assumes="A power and a weight for each class turn the scores into true probabilities",
    explains="A power and a weight for each class are fitted to the labels by maximum likelihood, "
    f"and each row divided by its sum. {_AVERAGE}",
    references=(references.TEMPERATURE,),
    colour="purple",
)
OVR_ISOTONIC = _method(
    name="ovr-isotonic",
    bind=OneVsRest,
    bases=frozenset({Basis.RULES, Basis.ITEMS}),
    interval="bca",
    assumes="Each score orders the items as the true probabilities of its class do, and what the "
    "classes' own fits add up to is shared alike",
    if_wrong=_BIASED,
    explains="The labels calibrate each class's scores against the rest by isotonic regression, "
    f"and each row is divided by its sum. {_AVERAGE}",
    references=(references.ISOTONIC,),
    shape=Shape.CURVE,
    colour="orange",
    fit=partial(fit_steps, "ovr-isotonic"),
)

MANY_SCORES = (OFFSETS, TOP1, CORRUPTED, TEMPERATURE, VECTOR, OVR_ISOTONIC)
