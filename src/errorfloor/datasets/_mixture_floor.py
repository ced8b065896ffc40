"""The error floor of Gaussian classes with unit covariance, in any dimension, to 1e-6.

Only the space that the means span matters. The best rule gives each class a convex cell, which a
line along one axis of that space cuts in an interval: along it the integral is exact, and what is
left has one dimension less. On a line nothing is left, in a plane one quadrature, and in more
dimensions quasi-random points.
"""

from __future__ import annotations

import numpy as np

from errorfloor._checks import InputError, argument
from errorfloor._typing import Floats

_ACCURACY = 1e-6  # of quasi-random points, as a standard error
_LEAST, _MOST = 13, 18  # binary logarithms of how many of them a round has
_ROUNDS = 8
_FAR = 12.0  # standard deviations, beyond which there is nothing


def mixture_floor(means: Floats, weights: Floats) -> float:
    """Return the Bayes error of classes with these means, unit covariance and these shares."""
    places = _spanned(means)
    if places.shape[1] == 0:
        return float(1 - weights.max())
    if places.shape[1] == 1:
        logs = np.log(weights)[:, None]
        right = [_right(one, places[:, 0], logs)[0] for one in range(len(weights))]
        return float(1 - weights @ np.array(right))
    if places.shape[1] == 2:
        return _in_a_plane(places, weights)
    if _is_regular(places, weights):
        return _regular(len(places), float(np.linalg.norm(places[0] - places[1])))
    return _in_space(places, weights)


def _spanned(means: Floats) -> Floats:
    """Return the means in the space that they span, the longest axis first."""
    centred = means - means.mean(axis=0)
    left, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    rank = int(np.count_nonzero(sizes > 1e-12 * max(float(np.abs(means).max()), 1e-300)))
    return np.asarray(left[:, :rank] * sizes[:rank])


def _right(one: int, along: Floats, logs: Floats) -> Floats:
    """Return the chance that an item of class `one` is in its cell, given other coordinates.

    `along` has the means' places on the axis that is integrated; `logs`, of shape (classes,
    points), has the logarithm of each class's density in the other coordinates, and its share.
    """
    from scipy.special import ndtr

    low, high = np.full(logs.shape[1], -np.inf), np.full(logs.shape[1], np.inf)
    for other in range(len(along)):
        step = along[one] - along[other]
        lead = logs[one] - logs[other] - (along[one] ** 2 - along[other] ** 2) / 2
        if step > 0:
            low = np.maximum(low, -lead / step)
        elif step < 0:
            high = np.minimum(high, -lead / step)
        elif other != one:  # of classes that are equal, the first has the cell
            high = np.where(lead < 0 if one < other else lead <= 0, -np.inf, high)
    return np.asarray(np.maximum(ndtr(high - along[one]) - ndtr(low - along[one]), 0.0))


def _in_a_plane(places: Floats, weights: Floats) -> float:
    along, other = places[:, 0], places[:, 1]
    edges = np.linspace(other.min() - _FAR, other.max() + _FAR, 801)
    nodes, sizes = np.polynomial.legendre.leggauss(8)
    half = (edges[1] - edges[0]) / 2
    points = (edges[:-1, None] + half * (nodes + 1)).ravel()
    logs = -((points - other[:, None]) ** 2) / 2 + np.log(weights)[:, None]
    right = sum(np.exp(logs[one]) * _right(one, along, logs) for one in range(len(weights)))
    return float(1 - right @ np.tile(half * sizes, len(edges) - 1) / np.sqrt(2 * np.pi))


def _is_regular(places: Floats, weights: Floats) -> bool:
    """Tell whether all classes are equally far from each other, and equally frequent."""
    apart = np.linalg.norm(places[:, None] - places, axis=2)[~np.eye(len(places), dtype=bool)]
    return bool(np.ptp(apart) <= 1e-9 * apart.max() and np.ptp(weights) <= 1e-12)


def _regular(classes: int, apart: float) -> float:
    """Return the floor of equally distant means, as of `classes` orthogonal ones."""
    from scipy.special import ndtr

    far = apart / np.sqrt(2)
    edges = np.linspace(-_FAR, _FAR, 201)
    nodes, sizes = np.polynomial.legendre.leggauss(16)
    half = (edges[1] - edges[0]) / 2
    points = (edges[:-1, None] + half * (nodes + 1)).ravel()
    density = np.exp(-(points**2) / 2) / np.sqrt(2 * np.pi)
    # The mean of a class is far along its own axis; the others are noise that it must exceed.
    wrong = -np.expm1((classes - 1) * np.log(np.maximum(ndtr(points + far), 1e-300)))
    return float((density * wrong) @ np.tile(half * sizes, len(edges) - 1))


def _in_space(places: Floats, weights: Floats) -> float:
    """Return the floor by quasi-random points across the longest axis, until it is exact enough."""
    for power in range(_LEAST, _MOST + 1):
        rounds = [_round(places, weights, power, seed) for seed in range(_ROUNDS)]
        if np.std(rounds, ddof=1) / np.sqrt(_ROUNDS) <= _ACCURACY:
            return float(np.mean(rounds))
    raise InputError(
        argument("means"),
        f" span {places.shape[1]} dimensions, in which the floor is not found to 1e-6. "
        "Use fewer classes, or means that are equally far from each other.",
    )


def _round(places: Floats, weights: Floats, power: int, seed: int) -> float:
    from scipy.special import ndtri
    from scipy.stats import qmc

    draws = qmc.Sobol(places.shape[1] - 1, rng=seed).random_base2(power)
    noise = ndtri(np.clip(draws, 1e-16, 1 - 1e-16))
    total = 0.0
    for one, weight in enumerate(weights):
        points = noise + places[one, 1:]
        logs = points @ places[:, 1:].T - (places[:, 1:] ** 2).sum(axis=1) / 2 + np.log(weights)
        total += float(weight * _right(one, places[:, 0], logs.T).mean())
    return 1 - total
