"""From a score table to a calibration map: isotonic, histogram, beta family, Platt.

Every map is fitted to the distinct scores, weighted by their counts. The names are the paper's.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from errorfloor import _logistic
from errorfloor._checks import (
    as_probabilities,
    as_scores,
    check_choice,
    check_unit_interval,
)
from errorfloor._typing import Bools, Counts, Floats
from errorfloor.tables import ScoreTable, VoteTable

Clip: TypeAlias = float | Literal["auto"]

METHODS = (
    "corrupted",
    "isotonic",
    "isotonic-cf",
    "hist-10",
    "hist-25",
    "hist-50",
    "hist-100",
    "beta",
    "beta-am",
    "beta-ab",
    "beta-a",
    "platt",
    "platt-logit",
)


def calibrate(
    scores: object,
    labels: object = None,
    *,
    score: str | None = None,
    label: str | None = None,
    method: str = "isotonic",
    clip: Clip = "auto",
) -> Calibration:
    """Fit a map from scores to probabilities of class 1.

    Parameters
    ----------
    scores : array-like of shape (n,), ScoreTable, dataframe or path
        Any finite numbers for isotonic, hist-K and platt; in [0, 1] for the others.
    labels : array-like of shape (n,), optional
        0 or 1 for each item; left out when `scores` has them.
    score, label : str, optional
        Columns of a dataframe or file; see `errorfloor.frames.score_table`.
    method : str
        corrupted (the identity), isotonic, hist-K (K bins of equal mass), beta, beta-am,
        beta-ab, beta-a [1]_, platt [2]_ or platt-logit (Platt on log-odds).
    clip : float or "auto"
        How far the beta family and platt-logit keep scores from 0 and 1. "auto" is half the
        smallest distance from 0 or 1 that is not itself zero, so exact zeros and ones become
        the most extreme scores, but not absurdly so.

    Returns
    -------
    Calibration
        Callable on new scores.

    References
    ----------
    .. [1] M. Kull, T. Silva Filho and P. Flach, "Beta calibration", AISTATS 2017.
    .. [2] J. Platt, "Probabilistic outputs for support vector machines", 1999.

    Examples
    --------
    >>> curve = calibrate([0.1, 0.2, 0.3, 0.4], [0, 1, 0, 1], method="isotonic")
    >>> curve([0.0, 0.1, 0.25, 0.9])
    array([0. , 0. , 0.5, 1. ])
    """
    check_method(method)
    if method == "isotonic-cf":
        raise ValueError(
            "`method` isotonic-cf corrects an estimate and has no map of its own. "
            "Use method='isotonic' for the map."
        )
    unit = needs_unit_interval(method)
    table = as_score_table(scores, labels, unit=unit, score=score, label=label)
    return fit(table, method, clip=resolve_clip(clip, table))


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """A fitted map from scores to probabilities; call it on new scores.

    Scores outside the range seen in the fit get the value at its nearer end.
    """

    method: str
    table: ScoreTable = field(repr=False)
    probabilities: Floats = field(repr=False)  # at table.scores
    parameters: Mapping[str, Any]
    _map: Callable[[Floats], Floats] = field(repr=False)

    def __call__(self, scores: object) -> Floats:
        """Return the fitted probability of class 1 at each of `scores`."""
        unit = needs_unit_interval(self.method)
        s = (as_probabilities if unit else as_scores)(scores, name="scores")
        return self._map(np.clip(s, self.table.scores[0], self.table.scores[-1]))

    @property
    def floor(self) -> float:
        """Mean of ``min(p, 1 - p)`` over the items of the fit."""
        p, weight = self.probabilities, self.table.negatives + self.table.positives
        return float(weight @ np.minimum(p, 1 - p) / weight.sum())


def as_score_table(
    scores: object,
    labels: object,
    *,
    unit: bool,
    score: str | None = None,
    label: str | None = None,
    positive: object = None,
    drop_missing: bool = False,
) -> ScoreTable:
    """Return the table of `scores` and `labels`, or `scores` itself if it is one already."""
    check_columns(scores, {"score": score, "label": label}, positive, drop_missing)
    if score is not None:
        from errorfloor.frames import score_table

        scores = score_table(
            scores, score=score, label=label, positive=positive, drop_missing=drop_missing
        )
    if isinstance(scores, ScoreTable):
        if labels is not None:
            raise ValueError("`labels` must be left out when `scores` is a ScoreTable.")
        if len(scores) == 0:
            raise ValueError("`scores` is an empty table. Pass at least one item.")
        if unit:
            check_unit_interval(scores.scores, name="scores", entry="row")
        return scores
    if labels is None:
        raise ValueError(
            "`labels` is missing. Pass one true label (0 or 1) an item; "
            "without labels, use from_soft_labels or from_votes."
        )
    return ScoreTable.from_arrays(
        as_probabilities(scores, name="scores") if unit else scores, labels
    )


def check_columns(
    data: object,
    columns: Mapping[str, str | None],
    positive: object = None,
    drop_missing: bool = False,
    group: str | None = None,
) -> None:
    """Refuse a dataframe or file without names of columns, and names without a dataframe."""
    names = " and ".join(f"`{name}`" for name in columns)
    missing = [name for name, column in columns.items() if column is None]
    if len(missing) == len(columns):
        is_path = isinstance(data, str | os.PathLike)
        if is_path or (hasattr(data, "columns") and not isinstance(data, ScoreTable | VoteTable)):
            kind = "path" if is_path else type(data).__name__
            raise ValueError(f"For a {kind}, name the columns to use with {names}.")
        if positive is not None or drop_missing or group is not None:
            raise ValueError(
                "`positive`, `drop_missing` and `group` go with a dataframe or file. Pass one, and "
                f"name its columns with {names}."
            )
    elif missing:
        raise ValueError(f"`{missing[0]}` is missing. Name the columns to use with {names}.")


def check_method(method: object) -> str:
    """Return `method` if there is such a calibrator; K of hist-K is any number from 1."""
    if isinstance(method, str) and re.fullmatch(r"hist-[1-9]\d*", method):
        return method
    if isinstance(method, str) and re.fullmatch(r"hist-[-+]?[\d.]*", method):
        raise ValueError(
            f"`method` hist-K needs a whole number K of at least 1, got {method!r}. "
            "hist-10 is usual."
        )
    return check_choice(method, METHODS, name="method", hint=" K in hist-K may be any number.")


def needs_unit_interval(method: str) -> bool:
    """Tell whether `method` takes scores in [0, 1] only."""
    return method == "corrupted" or method == "platt-logit" or method.startswith("beta")


def methods_that_fit(table: ScoreTable) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the methods that take the table's scores, and a note on those that do not."""
    if table.scores[0] >= 0 and table.scores[-1] <= 1:
        return METHODS, ()
    left_out = ", ".join(filter(needs_unit_interval, METHODS))
    note = f"Left out, because they need scores in [0, 1]: {left_out}."
    return tuple(name for name in METHODS if not needs_unit_interval(name)), (note,)


def resolve_clip(clip: Clip, table: ScoreTable) -> float:
    """Return `clip` as a number: half the smallest distance from 0 or 1 for "auto"."""
    if clip == "auto":
        distance = np.minimum(np.abs(table.scores), np.abs(1 - table.scores))
        positive = distance[distance > 0]
        return float(positive.min() / 2) if positive.size else 0.25
    if not (isinstance(clip, int | float | np.number) and 0 < clip < 0.5):
        raise ValueError(
            f'`clip` must be "auto" or a number between 0 and 0.5, got {clip!r}. '
            "numpy.finfo(float).eps clips as betacal does."
        )
    return float(clip)


def fit(table: ScoreTable, method: str, *, clip: float) -> Calibration:
    """Fit `method` to a table; the arguments have been checked."""
    if method == "corrupted":
        return Calibration(method, table, table.scores, {}, np.positive)
    if method == "isotonic":
        return _fit_isotonic(table)
    if method.startswith("hist-"):
        return _fit_histogram(table, bins_of(method))
    return _fit_logistic(table, LogisticModel.named(method, clip))


def bins_of(method: str) -> int:
    """Return the K of hist-K."""
    return int(method.removeprefix("hist-"))


def _fit_isotonic(table: ScoreTable) -> Calibration:
    from scipy.optimize import isotonic_regression  # slow to load, and only maps need it

    weight = table.negatives + table.positives
    prob = isotonic_regression(table.positives / weight, weights=weight).x
    return Calibration(
        "isotonic",
        table,
        prob,
        {"scores": table.scores, "probabilities": prob},
        partial(_line, table.scores, prob),
    )


def _line(knots: Floats, values: Floats, scores: Floats) -> Floats:
    return np.interp(scores, knots, values)


def _fit_histogram(table: ScoreTable, bins: int) -> Calibration:
    total = np.concatenate(([0], np.cumsum(table.negatives + table.positives)))
    positives = np.concatenate(([0], np.cumsum(table.positives)))
    inner = equal_mass_positions(table.n, bins)
    last = np.searchsorted(total, inner - 1, side="right") - 1
    first = np.searchsorted(total, inner, side="right") - 1
    edge, cut = bin_edges(table.scores, last, first)
    # Cuts that coincide, or fall behind the last row, would bound empty bins. Of edges with the
    # same cut the highest is kept, so that a new score joins the bin of its nearest neighbours.
    kept = np.append(np.diff(cut) > 0, True) & (cut < len(table))
    edge, cut = edge[kept], cut[kept]
    bounds = np.concatenate(([0], cut, [len(table)]))
    value = np.diff(positives[bounds]) / np.diff(total[bounds])
    steps = partial(_steps, edge, value)
    parameters = {"edges": edge, "probabilities": value}
    return Calibration(f"hist-{bins}", table, steps(table.scores), parameters, steps)


def _steps(edges: Floats, values: Floats, scores: Floats) -> Floats:
    return np.asarray(values[np.searchsorted(edges, scores)])


def equal_mass_positions(n: int, bins: int) -> NDArray[np.intp]:
    """Return where `n` sorted items are divided into `bins` parts as equal as can be.

    The first ``n % bins`` parts are one longer; no more parts than items.
    """
    bins = min(bins, n)
    index = np.arange(1, bins)
    return index * (n // bins) + np.minimum(index, n % bins)


def bin_edges(
    scores: Floats, last: NDArray[np.intp], first: NDArray[np.intp]
) -> tuple[Floats, NDArray[np.intp]]:
    """Return the edge between the rows of neighbouring items, and the rows at or below it.

    An edge is the midpoint of the last score before and the first score behind it. Where they
    are equal, or so close that the midpoint rounds to the upper one, both go below, as in
    uncertainty-calibration 0.1.4.
    """
    edge = scores[last] / 2 + scores[first] / 2
    cut = np.where(edge < scores[first], last + 1, first + 1)
    return edge, cut


@dataclass(frozen=True, slots=True)
class LogisticModel:
    """A logistic regression of the label on a few functions of the score."""

    method: str
    features: tuple[str, ...]
    clip: float
    smoothed: bool = False  # Platt's targets, which keep the fit finite

    @classmethod
    def named(cls, method: str, clip: float) -> LogisticModel:
        """Return the model behind a method's name."""
        return cls(method, _FEATURES[method], clip, smoothed=method.startswith("platt"))

    def design(self, scores: Floats) -> Floats:
        """Return the features at `scores`, one column each."""
        if self.method == "platt":
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
        if self.features == _FEATURES["beta"]:
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


_FEATURES = {
    "beta": ("one", "log", "log_rest"),
    "beta-am": ("one", "log_odds"),
    "beta-ab": ("log_twice", "log_rest_twice"),
    "beta-a": ("log_odds",),
    "platt": ("one", "score"),
    "platt-logit": ("one", "log_odds"),
}


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
        basis, back = _logistic.orthonormal_basis(model.design(scores), total)
        low, high = model.targets(float(neg.sum()), float(pos.sum()))
        return cls(model, basis, back, _logistic.fit(basis, total, low * neg + high * pos))

    @property
    def coefficients(self) -> Floats:
        """Coefficients of the model's features."""
        return self.back @ self.coordinates

    @property
    def probabilities(self) -> Floats:
        """Fitted probability of class 1 at each score."""
        return _logistic.sigmoid(self.basis @ self.coordinates)


def _fit_logistic(table: ScoreTable, model: LogisticModel) -> Calibration:
    fitted = LogisticFit.of(model, table.scores, table.negatives, table.positives)
    for needed, smaller in model.refits(fitted.coefficients[None]):
        if needed.any():
            return _fit_logistic(table, smaller)
    curve = partial(_curve, model, fitted.coefficients)
    parameters = model.parameters(fitted.coefficients)
    return Calibration(model.method, table, curve(table.scores), parameters, curve)


def _curve(model: LogisticModel, coefficients: Floats, scores: Floats) -> Floats:
    return _logistic.sigmoid(model.design(scores) @ coefficients)
