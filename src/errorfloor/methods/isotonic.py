"""Isotonic: the rising curve that fits the labels best, which is the best cut of the scores.

Two methods: the best cut by its errors on its own items, and the midpoint of that and of its errors
on items held out. Both are for every metric of both kinds of error.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial

import numpy as np

from errorfloor._references import ISOTONIC as REFERENCE
from errorfloor._typing import Floats
from errorfloor.data.sample import Sample
from errorfloor.data.tables import ScoreTable
from errorfloor.methods.calibration import Calibration
from errorfloor.methods.cut_fit import CutFit
from errorfloor.methods.fitted import FOLDS
from errorfloor.methods.record import (
    Basis,
    Method,
    Options,
    Shape,
    heeds_weights,
    unknown_resolution,
)
from errorfloor.metrics import ERROR, Metric
from errorfloor.metrics.two_by_two import OfTable, check_classes

__all__ = ["FOLDS", "ISOTONIC", "ISOTONIC_CF", "default_for", "of_metric"]


def _weighs(metric: Metric) -> bool:
    return isinstance(metric.how, OfTable) and metric.how.weighs


@heeds_weights(where=_weighs)
def _best_cut(sample: Sample, options: Options) -> CutFit:
    return _fitted(sample, options, midpoint=False)


@heeds_weights(where=_weighs)
def _midpoint(sample: Sample, options: Options) -> CutFit:
    return _fitted(sample, options, midpoint=True)


def _fitted(sample: Sample, options: Options, *, midpoint: bool) -> CutFit:
    metric, how = options.metric, options.metric.how
    assert isinstance(how, OfTable)
    if how.needs:
        both = how.needs == "both"
        check_classes(metric.words, sample.count, sample.positive, both=both)
    # Midpoints of errors are cut off at guessing with the estimate, once both parts are added.
    span = (0.0, 1.0) if how.pooled else metric.span(2)
    return CutFit(sample, how, options.draw, span, midpoint=midpoint)


def _fit(table: ScoreTable, options: Options) -> Calibration:
    from scipy.optimize import isotonic_regression  # slow to load, and only maps need it

    masses = table.masses
    weight = masses.sum(axis=1)
    prob = isotonic_regression(masses[:, 1] / weight, weights=weight).x
    parameters = {"scores": table.scores, "probabilities": prob}
    line = partial(_line, table.scores, prob)
    return Calibration(ISOTONIC.name, table, prob, parameters, line)


def _line(knots: Floats, values: Floats, scores: Floats) -> Floats:
    return np.interp(scores, knots, values)


def _resolution(table: ScoreTable) -> float:
    return table.cut_resolution


_ORDERED = "The scores order the items as their true probabilities do, however distorted"
_IF_WRONG = "the floor of the best cut: too high, still an upper bound"
_BASES = frozenset({Basis.CUTS, Basis.ITEMS})

ISOTONIC = Method(
    name="isotonic",
    reads=ScoreTable.kind,
    bind=_best_cut,
    bases=_BASES,
    interval="honest",
    assumes=_ORDERED,
    if_wrong=_IF_WRONG,
    explains="The labels calibrate the scores by isotonic regression: the rising curve of "
    f"probabilities p that fits them best. The floor is the mean of {ERROR.formula} over all "
    'items. That equals the share of labels that the best rule of the form "score above t" gets '
    "wrong.",
    references=(REFERENCE,),
    shape=Shape.ORDER,
    colour="blue",
    fit=_fit,
    resolution=_resolution,
)

ISOTONIC_CF = Method(
    name="isotonic-cf",
    reads=ScoreTable.kind,
    bind=_midpoint,
    bases=_BASES,
    interval="honest",
    assumes=_ORDERED,
    if_wrong="the same",
    explains='The best rule of the form "score above t" errs too rarely on the items that chose '
    "it, and rules tried on items that did not choose them err too often. The floor is the "
    "midpoint of both, which removes most of the optimism of isotonic regression.",
    references=(REFERENCE,),
    shape=Shape.ORDER,
    colour="blue",
    curve=ISOTONIC.name,  # it corrects an estimate, and has no map of its own
    when_merged="tries no cut inside them",
)


@cache
def of_metric(metric: Metric) -> tuple[Method, Method]:
    """Return both methods for another metric of both kinds of error."""
    how = metric.how
    assert isinstance(how, OfTable)
    best, side = ("largest", "low") if not metric.less_is_better else ("least", "high")
    opposite = {"low": "a lower", "high": "an upper"}[side]
    title = metric.words[:1].upper() + metric.words[1:]
    bases = {Basis.CUT_TABLES} | ({Basis.EXACT_TABLES} if how.law else set())
    summed = set() if how.prices is None else {Basis.ITEMS}  # quick to fit to each resample
    about = {
        "metrics": (metric.name,),
        "if_wrong": f"the {metric.limit} of the best cut: too {side}, still {opposite} bound",
        "resolution": unknown_resolution,
    }
    own = replace(
        ISOTONIC,
        bases=frozenset(bases | {Basis.ITEMS}),
        explains=f"The {metric.limit} is the {best} {metric.words} that any rule of the form "
        '"score above t" has on these items. For probabilities in the order of the scores no other '
        "rule is better.",
        **about,  # type: ignore[arg-type]
    )
    midpoint = replace(
        ISOTONIC_CF,
        bases=frozenset(bases | summed),
        explains=f'{title} of the best rule of the form "score above t" looks too good on the '
        "items that chose it, and rules tried on items that did not choose them look too bad. The "
        f"{metric.limit} is the midpoint of both.",
        **about,  # type: ignore[arg-type]
    )
    return own, midpoint


def default_for(metric: Metric) -> Method:
    """Return the method for a metric where none is named.

    It is the midpoint: the best cut of a few items looks far too good on them.
    """
    return of_metric(metric)[1]
