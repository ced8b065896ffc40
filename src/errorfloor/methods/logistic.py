"""The beta family and Platt scaling: logistic regressions of the label on the score."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

from errorfloor import _references as references
from errorfloor._typing import Floats
from errorfloor.data.sample import Sample
from errorfloor.data.tables import ScoreTable
from errorfloor.methods import newton
from errorfloor.methods.calibration import Calibration
from errorfloor.methods.logistic_floor import Logistic
from errorfloor.methods.logistic_model import BETA, LogisticFit, LogisticModel
from errorfloor.methods.record import Basis, Method, Options, Shape
from errorfloor.metrics import ERROR

_Model: TypeAlias = Callable[..., LogisticModel]


def _method(
    name: str,
    features: tuple[str, ...],
    *,
    smoothed: bool = False,
    any_scale: bool = False,
    **about: Any,
) -> Method:
    """Return the method with these features; `smoothed` has Platt's targets."""
    model = partial(LogisticModel, name, features, smoothed=smoothed)
    return Method(
        name=name,
        reads=ScoreTable.kind,
        bind=partial(_bind, model),
        bases=frozenset({Basis.CUTS, Basis.ITEMS}),
        interval="bca",
        shape=Shape.CURVE,
        fit=partial(_fit, model, not any_scale),
        needs_probabilities=not any_scale,
        options=() if any_scale else ("clip",),
        **about,
    )


def _bind(model: _Model, cells: Sample, options: Options) -> Logistic:
    return Logistic(cells, model(clip=options.distance(cells.scores)))


def _fit(
    model: _Model, needs_probabilities: bool, table: ScoreTable, options: Options
) -> Calibration:
    return _fit_model(table, model(clip=options.distance(table.scores)), needs_probabilities)


def _fit_model(table: ScoreTable, model: LogisticModel, needs_probabilities: bool) -> Calibration:
    fitted = LogisticFit.of(model, table.scores, table.negatives, table.positives)
    for needed, smaller in model.refits(fitted.coefficients[None]):
        if needed.any():
            return _fit_model(table, smaller, needs_probabilities)
    curve = partial(_curve, model, fitted.coefficients)
    parameters = model.parameters(fitted.coefficients)
    return Calibration(
        model.method, table, curve(table.scores), parameters, curve, needs_probabilities
    )


def _curve(model: LogisticModel, coefficients: Floats, scores: Floats) -> Floats:
    return newton.sigmoid(model.design(scores) @ coefficients)


_ASSUMES = "A beta calibration map turns the scores into true probabilities"
_IS_FITTED = (
    "is fitted to the labels by logistic regression. The floor is the mean of "
    f"{ERROR.formula} over all items."
)
_beta = partial(
    _method,
    explains=f"A beta calibration map from scores to probabilities p {_IS_FITTED}",
    references=(references.BETA,),
    colour="purple",
)
_platt = partial(
    _method,
    smoothed=True,
    if_wrong="biased either way",
    explains=f"A sigmoid of the scores {_IS_FITTED}",
    references=(references.PLATT,),
    colour="green",
)

BETA_ABM = _beta(
    "beta",
    BETA,
    assumes=_ASSUMES,
    if_wrong="biased either way, and no interval shows it",
)
BETA_AM = _beta(
    "beta-am",
    ("one", "log_odds"),
    assumes=f"{_ASSUMES} (a = b)",
    if_wrong="biased either way",
)
BETA_AB = _beta(
    "beta-ab",
    ("log_twice", "log_rest_twice"),
    assumes=f"{_ASSUMES} (m = 1/2)",
    if_wrong="badly biased where 1/2 is not 1/2",
)
BETA_A = _beta(
    "beta-a",
    ("log_odds",),
    assumes=f"{_ASSUMES} (a = b, m = 1/2)",
    if_wrong="badly biased where 1/2 is not 1/2",
)
PLATT = _platt(
    "platt",
    ("one", "score"),
    any_scale=True,
    assumes="A sigmoid of the scores gives the true probabilities",
)
PLATT_LOGIT = _platt(
    "platt-logit",
    ("one", "log_odds"),
    assumes="A sigmoid of the scores' log-odds gives the true probabilities",
)
