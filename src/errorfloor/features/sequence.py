"""Sequential prediction: each item is predicted by what was fitted to earlier items alone.

Whichever model is asked, and however it was chosen from the past, an item with features x is
predicted wrongly with probability at least 1 - max P(y | x). So the number of errors is at least
as large as a Binomial(n, floor) in distribution, at any n, for any models and any features. That
includes features of later items: only their labels are kept from the models.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from errorfloor._checks import InputError, argument, shown
from errorfloor._typing import Counts, Floats
from errorfloor.features.neighbours import nearest

Predict: TypeAlias = Callable[[Floats], Counts]
NEIGHBOURS = (1, 5, 15)
_RIDGE = 1.0  # of logistic regression, on standardised features
_STEPS = 50


@dataclass(frozen=True, slots=True, eq=False)
class ModelFamily:
    """Models that are fitted together.

    Attributes
    ----------
    names : tuple of str
        Of the models.
    fit : callable
        From features, codes and the number of classes to a function that predicts codes, with a
        row for each model.
    """

    names: tuple[str, ...]
    fit: Callable[[Floats, Counts, int], Predict]


def fit_majority(points: Floats, codes: Counts, classes: int) -> Predict:
    """Return the rule that always answers the most frequent class."""
    answer = np.bincount(codes, minlength=classes).argmax()
    return lambda queries: np.full((1, len(queries)), answer)


def fit_neighbours(
    points: Floats, codes: Counts, classes: int, device: str | None = None
) -> Predict:
    """Return majorities of the nearest points; equal votes go to the nearest of them."""

    def predict(queries: Floats) -> Counts:
        lists = nearest(points, max(NEIGHBOURS), queries, device=device)
        near = codes[lists.indices]
        answers = []
        for k in NEIGHBOURS:
            votes = np.stack([(near[:, :k] == one).sum(axis=1) for one in range(classes)], axis=1)
            leading = votes == votes.max(axis=1, keepdims=True)
            # The nearest neighbour whose class is among the leading ones.
            first = np.take_along_axis(leading, near[:, :k], axis=1).argmax(axis=1)
            answers.append(near[np.arange(len(near)), first])
        return np.array(answers)

    return predict


def fit_discriminant(points: Floats, codes: Counts, classes: int) -> Predict:
    """Return a linear discriminant whose covariance is shrunk as Ledoit and Wolf do."""
    centre = points.mean(axis=0)
    x = points - centre
    seen, place, sizes = np.unique(codes, return_inverse=True, return_counts=True)
    means = np.stack([x[place == one].mean(axis=0) for one in range(seen.size)])
    slopes = np.linalg.solve(_shrunk(x - means[place]), means.T)
    offsets = np.log(sizes / len(points)) - (means.T * slopes).sum(axis=0) / 2
    return lambda queries: seen[((queries - centre) @ slopes + offsets).argmax(axis=1)][None]


def _shrunk(rest: Floats) -> Floats:
    """Return the covariance of rows around 0, drawn towards a multiple of the identity."""
    n, width = rest.shape
    sample = rest.T @ rest / n
    mean = np.trace(sample) / width
    spread = (sample**2).sum() - width * mean**2
    noise = (((rest**2).sum(axis=1) ** 2).sum() / n - (sample**2).sum()) / n
    share = 1.0 if spread <= 0 else float(np.clip(noise / spread, 0, 1))
    shrunk = (1 - share) * sample
    # Rows that are all equal have no spread, and any multiple of the identity will do.
    shrunk[np.diag_indices(width)] += share * mean + (1e-9 * mean or 1.0)
    return np.asarray(shrunk)


def fit_logistic(points: Floats, codes: Counts, classes: int) -> Predict:
    """Return a logistic regression on standardised features, with a ridge."""
    from scipy.optimize import minimize
    from scipy.special import logsumexp

    centre, scale = points.mean(axis=0), points.std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    x = np.column_stack(((points - centre) / scale, np.ones(len(points))))
    # Classes that are yet to come have no place: which of them comes first, nobody knows.
    seen, place = np.unique(codes, return_inverse=True)
    is_class = np.eye(seen.size)[place]

    def loss(flat: Floats) -> tuple[float, Floats]:
        weights = flat.reshape(seen.size, -1)
        logits = x @ weights.T
        total = logsumexp(logits, axis=1, keepdims=True)
        value = float((total[:, 0] - (logits * is_class).sum(axis=1)).sum())
        slope = (np.exp(logits - total) - is_class).T @ x
        ridge = _RIDGE * weights
        ridge[:, -1] = 0
        return value + float((ridge * weights).sum()) / 2, (slope + ridge).ravel()

    start = np.zeros(seen.size * x.shape[1])
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": _STEPS})
    weights = found.x.reshape(seen.size, -1)
    slopes, offsets = (weights[:, :-1] / scale).T, weights[:, -1]
    return lambda queries: seen[((queries - centre) @ slopes + offsets).argmax(axis=1)][None]


def own_families(device: str | None = None) -> tuple[ModelFamily, ...]:
    """Return our own models; neighbours are looked for on the device."""
    return (
        ModelFamily(("majority",), fit_majority),
        ModelFamily(("linear-discriminant",), fit_discriminant),
        ModelFamily(("logistic",), fit_logistic),
        ModelFamily(tuple(f"{k}-nn" for k in NEIGHBOURS), partial(fit_neighbours, device=device)),
    )


def families(models: Sequence[Any], device: str | None = None) -> tuple[ModelFamily, ...]:
    """Return our own models, and those of a user: unfitted, with `fit` and `predict`."""
    theirs = []
    for at, model in enumerate(models):
        if isinstance(model, type) or not (hasattr(model, "fit") and hasattr(model, "predict")):
            raise InputError(
                argument("models"),
                f" must be unfitted models with fit and predict: entry {at} is {shown(model)}. "
                "Pass objects in the manner of scikit-learn, such as RandomForestClassifier().",
            )
        name = type(model).__name__
        same = sum(type(other).__name__ == name for other in models[:at])
        theirs.append(ModelFamily((f"{name}-{same + 1}" if same else name,), _theirs(model, name)))
    return (*own_families(device), *theirs)


def _theirs(model: Any, name: str) -> Callable[[Floats, Counts, int], Predict]:
    def fit(points: Floats, codes: Counts, classes: int) -> Predict:
        if len(np.unique(codes)) == 1:  # many models refuse a single class
            return fit_majority(points, codes, classes)
        fitted = deepcopy(model)
        fitted.fit(points, codes)

        def predict(queries: Floats) -> Counts:
            predicted = np.asarray(fitted.predict(queries))
            if (
                predicted.shape != (len(queries),)
                or not np.isin(predicted, np.arange(classes)).all()
            ):
                raise InputError(
                    argument("models"),
                    f": {name} does not predict one of the codes 0 to {classes - 1} that it was "
                    "fitted with for each row. Pass a classifier.",
                )
            return predicted.astype(np.int64)[None]

        return predict

    return fit


_FIRST = 16  # items before the first fit
# Fits are on so much more items than the one before: together twice the items of one on all.
_GROWTH = 1.5


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """What became of predicting items one after another.

    Attributes
    ----------
    names : tuple of str
        The models.
    errors : int
        Errors of the leaders: each item by the model that was best on the later half of the past.
    model_errors : tuple of int
        Errors of each model by itself.
    leader : str
        The model that leads after the last item.
    """

    names: tuple[str, ...]
    errors: int
    model_errors: tuple[int, ...]
    leader: str


def run(points: Floats, codes: Counts, classes: int, families: Sequence[ModelFamily]) -> Run:
    """Predict items in the order of the rows."""
    # By when they first occur, so that no answer depends on what classes are called. No model
    # answers a class that is yet to come, whose number would give away a later label.
    _, first, codes = np.unique(codes, return_index=True, return_inverse=True)
    codes = first.argsort().argsort()[codes]
    names = tuple(name for family in families for name in family.names)
    wrong = np.concatenate([_wrong(points, codes, classes, family) for family in families])
    leaders = leaders_of(wrong)
    errors = int(wrong[leaders[:-1], np.arange(len(codes))].sum())
    return Run(names, errors, tuple(int(row.sum()) for row in wrong), names[leaders[-1]])


def leaders_of(wrong: Counts) -> Counts:
    """Return which model leads before each item, and after the last one.

    It is the one with the fewest errors on the later half of the items so far, the first of
    several: models learn, so that what they did long ago says less.
    """
    n = wrong.shape[1]
    before = np.concatenate((np.zeros((len(wrong), 1), dtype=np.int64), wrong.cumsum(axis=1)), 1)
    places = np.arange(n + 1)
    return np.asarray((before[:, places] - before[:, places // 2]).argmin(axis=0))


def batches(n: int) -> list[tuple[int, int]]:
    """Return the batches after the first items: each is predicted from all before it."""
    edges = [n]
    while edges[0] > _FIRST * _GROWTH:
        edges.insert(0, int(edges[0] / _GROWTH))
    return list(pairwise([_FIRST, *(edge for edge in edges if edge > _FIRST)]))


def _wrong(points: Floats, codes: Counts, classes: int, family: ModelFamily) -> Counts:
    """Return whether each model of a family is wrong about each item."""
    wrong = np.empty((len(family.names), len(codes)), dtype=np.int64)
    wrong[:, 0] = 1  # with no past seen is nothing to go by
    for at in range(1, min(_FIRST, len(codes))):
        predict = fit_majority(points[:at], codes[:at], classes)
        wrong[:, at] = predict(points[at : at + 1])[0] != codes[at]
    for start, stop in batches(len(codes)):
        predict = family.fit(points[:start], codes[:start], classes)
        wrong[:, start:stop] = predict(points[start:stop]) != codes[start:stop]
    return wrong
