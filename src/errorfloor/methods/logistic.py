"""The beta family and Platt scaling: logistic regressions of the label on the score."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import combinations_with_replacement, product
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from errorfloor import _references as references
from errorfloor._typing import Bools, Counts, Floats
from errorfloor.data.sample import Sample
from errorfloor.data.tables import ScoreTable
from errorfloor.methods import newton
from errorfloor.methods.record import Basis, Calibration, Method, Options, Shape
from errorfloor.metrics import ERROR

BETA = ("one", "log", "log_rest")  # the features of full beta calibration


@dataclass(frozen=True, slots=True)
class LogisticModel:
    """A logistic regression of the label on a few functions of the score."""

    method: str
    features: tuple[str, ...]
    clip: float
    smoothed: bool = False  # Platt's targets, which keep the fit finite

    def design(self, scores: Floats) -> Floats:
        """Return the features at `scores`, one column each."""
        if "score" in self.features:  # of any size, which has no logarithm
            return np.column_stack([np.ones_like(scores), scores])
        s = np.clip(scores, self.clip, 1 - self.clip)
        log, log_rest = np.log(s), -np.log1p(-s)
        columns = {
            "one": np.ones_like(s),
            "log": log,
            "log_rest": log_rest,
            "log_odds": log + log_rest,
            "log_twice": log + np.log(2),
            "log_rest_twice": log_rest - np.log(2),
        }
        return np.column_stack([columns[name] for name in self.features])

    def targets(self, negatives: Any, positives: Any) -> tuple[Any, Any]:
        """Return what a negative and a positive label count as, given their numbers."""
        if self.smoothed:
            return 1 / (negatives + 2), (positives + 1) / (positives + 2)
        return np.zeros_like(negatives), np.ones_like(positives)

    def refits(self, coefficients: Floats) -> Iterator[tuple[Bools, LogisticModel]]:
        """Yield which of many fitted `coefficients` call for a smaller model, and that model.

        `beta` must not fall anywhere: betacal drops log(s) if its coefficient is negative, else
        log(1 - s) if that one's is, and fits again.
        """
        if self.features == BETA:
            no_a = coefficients[:, 1] < 0
            no_b = ~no_a & (coefficients[:, 2] < 0)
            yield no_a, LogisticModel(self.method, ("one", "log_rest"), self.clip)
            yield no_b, LogisticModel(self.method, ("one", "log"), self.clip)

    def parameters(self, coefficients: Floats) -> dict[str, float]:
        """Return the coefficients under their usual names.

        For the beta family log-odds(p) = a log(s) - b log(1 - s) + c, for platt and platt-logit
        log-odds(p) = slope * s + intercept, with the log-odds of s in place of s in the latter.
        """
        value = {name: float(x) for name, x in zip(self.features, coefficients, strict=True)}
        odds = value.get("log_odds", 0.0)
        if self.smoothed:
            slope = value.get("score", odds)
            return {"slope": slope, "intercept": value["one"]}
        a = value.get("log", 0.0) + value.get("log_twice", 0.0) + odds
        b = value.get("log_rest", 0.0) + value.get("log_rest_twice", 0.0) + odds
        twice = value.get("log_twice", 0.0) - value.get("log_rest_twice", 0.0)
        return {"a": a, "b": b, "c": value.get("one", 0.0) + twice * float(np.log(2))}


@dataclass(frozen=True, slots=True, eq=False)
class LogisticFit:
    """A fitted logistic model with the basis it was fitted in."""

    model: LogisticModel
    basis: Floats
    back: Floats
    coordinates: Floats

    @classmethod
    def of(cls, model: LogisticModel, scores: Floats, neg: Counts, pos: Counts) -> LogisticFit:
        """Fit `model` to `neg` and `pos` labels at each of `scores`; no sign is checked."""
        total = (neg + pos).astype(np.float64)
        basis, back = newton.orthonormal_basis(model.design(scores), total)
        low, high = model.targets(float(neg.sum()), float(pos.sum()))
        return cls(model, basis, back, newton.fit(basis, total, low * neg + high * pos))

    @property
    def coefficients(self) -> Floats:
        """Coefficients of the model's features."""
        return self.back @ self.coordinates

    @property
    def probabilities(self) -> Floats:
        """Fitted probability of class 1 at each score."""
        return newton.sigmoid(self.basis @ self.coordinates)


class Logistic:
    """Floor of a logistic calibrator: the beta family and Platt.

    Resamples start from the fit to the table. There they share their fitted probabilities, so
    the sums behind their first step are one matrix product, third derivatives included. Each
    further step evaluates them once, and the last one moves the floor along its gradient.
    """

    tolerance = 1e-8  # decrement per item of the last step, which about squares the error
    max_steps = 30  # only for speed: what is left is fitted one by one
    few_cells = 1000  # up to here a jackknife fits each table again

    def __init__(self, cells: Sample, model: LogisticModel) -> None:
        self.cells = cells
        self.model = model
        table = ScoreTable.from_cells(cells, cells.count)
        self.fit = LogisticFit.of(model, table.scores, table.negatives, table.positives)
        self.basis = basis = self.fit.basis
        self.half_basis = np.ascontiguousarray(basis.T / 2)
        self.pairs, self.pair_index = _products(basis, 2)
        triples, self.triple_index = _products(basis, 3)
        prob = self.fit.probabilities
        variance = prob * (1 - prob)
        # What one item of a cell adds to sums over all items, at the fit to the table.
        by_row = {
            "basis": basis,
            "fitted": prob[:, None] * basis,
            "hessian": variance[:, None] * self.pairs,
            "third": (variance * (1 - 2 * prob))[:, None] * triples,
        }
        terms = {name: term[cells.row] for name, term in by_row.items()}
        terms["positive"] = cells.positive[:, None].astype(np.float64)
        terms["positive_basis"] = terms["positive"] * terms["basis"]
        self.terms = np.hstack(list(terms.values()))
        ends = np.cumsum([term.shape[1] for term in terms.values()])[:-1]
        self.part = dict(zip(terms, np.split(np.arange(self.terms.shape[1]), ends), strict=True))
        self._refits: dict[LogisticModel, Logistic] = {}

    def values(self, counts: Counts, _: np.random.Generator | None = None, /) -> Floats:
        """Return the floor for each row of counts."""
        with np.errstate(over="ignore", invalid="ignore"):  # of steps that lead nowhere
            floors, coefficients = self._fit_all(counts)
        for needed, model in self.model.refits(coefficients):
            if needed.any():
                floors[needed] = self._refit(model).values(counts[needed])
        return floors

    def leave_one_out(self) -> Floats:
        """Return the floor without one item of each cell in turn."""
        count = self.cells.count
        n = int(count.sum())
        if n == 1:
            return np.zeros(1)
        if len(self.cells) <= self.few_cells:
            return self.values(count - np.eye(len(count), dtype=np.int64))
        # One step from the fit for each cell: off by O(1/n) of a change that is O(1/n).
        for needed, model in self.model.refits(self.fit.coefficients[None]):
            if needed.any():
                return self._refit(model).leave_one_out()
        sums = count @ self.terms - self.terms
        step = self._start(sums, self._target(sums, n - 1.0)) - self.fit.coordinates
        prob = self.fit.probabilities[self.cells.row]
        floor, fall = ERROR.per_item(prob), np.where(prob > 0.5, -1, 1) * prob * (1 - prob)
        slope = fall[:, None] * self.basis[self.cells.row]
        change = ((count @ slope - slope) * step).sum(axis=1)
        return np.asarray(np.clip((count @ floor - floor + change) / (n - 1), 0, 0.5))

    def probabilities(self, counts: Counts) -> Floats:
        """Return the fitted probability at each score of the table, for each row of counts."""
        with np.errstate(over="ignore", invalid="ignore"):
            _, coefficients = self._fit_all(counts)
        found = newton.sigmoid(coefficients @ self.model.design(self.cells.scores).T)
        for needed, model in self.model.refits(coefficients):
            if needed.any():
                found[needed] = self._refit(model).probabilities(counts[needed])
        return found

    def _refit(self, model: LogisticModel) -> Logistic:
        if model not in self._refits:
            self._refits[model] = Logistic(self.cells, model)
        return self._refits[model]

    def _target(self, sums: Floats, n: Floats | float) -> Floats:
        """Return the sums of target times basis."""
        positives = sums[:, self.part["positive"]]
        low, high = self.model.targets(np.reshape(n, (-1, 1)) - positives, positives)
        in_positives = sums[:, self.part["positive_basis"]]
        in_negatives = sums[:, self.part["basis"]] - in_positives
        return np.asarray(low * in_negatives + high * in_positives)

    def _fit_all(self, counts: Counts) -> tuple[Floats, Floats]:
        """Return the floor and the coefficients for each row of counts."""
        weight = counts.astype(np.float64)
        n = weight.sum(axis=1)
        sums = weight @ self.terms
        if len(self.cells) > len(self.basis):
            weight = np.add.reduceat(weight, self.cells.starts, axis=1)
        target = self._target(sums, n)
        x = self._start(sums, target)
        constant = target - sums[:, self.part["basis"]] / 2
        floors = np.full(len(counts), np.nan)
        coefficients = np.empty((len(counts), len(self.fit.back)))
        todo = np.arange(len(counts))
        for _ in range(self.max_steps):
            # With h = tanh(z / 2), p is (1 + h) / 2 and its minority (1 - |h|) / 2.
            h = np.tanh(x @ self.half_basis)
            pull = weight * h
            spread = weight - pull * h
            gradient = constant - pull @ self.basis / 2
            step = newton.solve((spread @ self.pairs / 4)[:, self.pair_index], gradient)
            slope = np.copysign(spread, h) @ self.basis / -4
            errors = (n - np.abs(pull).sum(axis=1)) / 2 + (slope * step).sum(axis=1)
            decrement = np.abs(gradient * step).sum(axis=1)
            # Far from the optimum (nearly separable resamples) whole steps overshoot.
            x = x + step / (1 + np.sqrt(np.where(decrement > 0.1, decrement, 0)))[:, None]
            done = decrement <= self.tolerance * n
            floors[todo[done]] = errors[done] / n[done]
            coefficients[todo[done]] = x[done] @ self.fit.back.T
            left = ~done & np.isfinite(x).all(axis=1)
            if not left.any():
                break
            todo, x, n = todo[left], x[left], n[left]
            weight, constant = weight[left], constant[left]
        for i in np.flatnonzero(np.isnan(floors)):
            floors[i], coefficients[i] = self._fit_one(counts[i])
        return np.clip(floors, 0, 0.5), coefficients

    def _start(self, sums: Floats, target: Floats) -> Floats:
        """Return where one step of Chebyshev's method leads from the fit to the table.

        That is Newton's step, bent by the third derivatives; where the bend is no mere detail,
        half of Newton's step.
        """
        hessian = sums[:, self.part["hessian"]][:, self.pair_index]
        third = sums[:, self.part["third"]][:, self.triple_index]
        step = newton.solve(hessian, target - sums[:, self.part["fitted"]])
        bend = newton.solve(hessian, np.einsum("kabc,kb,kc->ka", third, step, step) / 2)
        detail = np.abs(bend).max(axis=1) < np.abs(step).max(axis=1) / 4
        return np.asarray(self.fit.coordinates + step - np.where(detail[:, None], bend, step / 2))

    def _fit_one(self, count: Counts) -> tuple[float, Floats]:
        table = ScoreTable.from_cells(self.cells, count)
        fit = LogisticFit.of(self.model, table.scores, table.negatives, table.positives)
        return ERROR.best(fit.probabilities, table.items), fit.coefficients


def _products(columns: Floats, order: int) -> tuple[Floats, NDArray[np.intp]]:
    """Return all products of `order` columns, each once, and which one a tensor's entry is."""
    rank = columns.shape[1]
    chosen = list(combinations_with_replacement(range(rank), order))
    products = np.stack([columns[:, which].prod(axis=1) for which in chosen], axis=1)
    place = {which: i for i, which in enumerate(chosen)}
    index = [place[tuple(sorted(which))] for which in product(range(rank), repeat=order)]
    return products, np.reshape(index, order * (rank,))


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
RECORDS = (BETA_ABM, BETA_AM, BETA_AB, BETA_A, PLATT, PLATT_LOGIT)
