"""Made items with features whose floor is known: Gaussian classes, xor, and both warped."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from errorfloor._checks import InputError, argument, as_generator, check_whole, shown
from errorfloor._typing import Counts, Floats, RandomLike

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


@dataclass(frozen=True, slots=True, eq=False)
class Cloud:
    """Items with features, drawn from a known distribution.

    Attributes
    ----------
    features : array of shape (n, d)
        What a model sees of each item.
    labels : array of shape (n,)
        The class of each item: 0, 1 and so on.
    soft_labels : array of shape (n, classes)
        True probabilities of the classes, given the features.
    floor : float
        The Bayes error of the distribution, to 1e-6.

    Examples
    --------
    >>> data = gaussian_cloud(500, dimensions=50, classes=10, floor=0.1, rng=0)
    >>> data.features.shape, data.soft_labels.shape, round(data.floor, 6)
    ((500, 50), (500, 10), 0.1)
    """

    features: Floats = field(repr=False)
    labels: Counts = field(repr=False)
    soft_labels: Floats = field(repr=False)
    floor: float

    def warped(self, *, layers: int = 4, strength: float = 1.5, seed: int = 0) -> Cloud:
        """Return this data with its features seen through `warp`; its floor is the same."""
        features = warp(self.features, layers=layers, strength=strength, seed=seed)
        return replace(self, features=features)


def gaussian_classes(
    n: int = 10_000, *, means: object, weights: object = None, rng: RandomLike = None
) -> Cloud:
    """Draw items from any number of Gaussian classes with unit covariance.

    Class k has mean ``means[k]``, a point of any dimension, and share ``weights[k]``; all have
    the same share by default.

    Examples
    --------
    >>> data = gaussian_classes(10, means=[[0, 0, 0], [2, 0, 0], [4, 0, 0]], rng=0)
    >>> round(data.floor, 6)
    0.21154
    """
    size = _as_size(n)
    centre = _as_means(means)
    share = _as_shares(weights, len(centre))
    generator = as_generator(rng)
    labels = generator.choice(len(centre), size=size, p=share)
    features = centre[labels] + generator.normal(size=(size, centre.shape[1]))
    return Cloud(
        features, labels, _posterior(features, centre, share), mixture_floor(centre, share)
    )


def gaussian_cloud(
    n: int = 10_000,
    *,
    dimensions: int = 2,
    classes: int = 2,
    floor: float = 0.1,
    rng: RandomLike = None,
) -> Cloud:
    """Draw items from Gaussian classes that are as far apart as a floor asks for.

    All classes have the same share. Their means are equally far from each other where there are
    dimensions enough, else evenly on a circle, or on a line; axes are turned at random.
    """
    size = _as_size(n)
    width = check_whole(dimensions, name="dimensions", least=1, remedy="Pass a number such as 50.")
    number = check_whole(classes, name="classes", least=2, remedy="Pass a number such as 2.")
    shape = _shape(number, width)
    generator = as_generator(rng)
    turned, _ = np.linalg.qr(generator.normal(size=(width, shape.shape[1])))
    far = _distance(shape, _as_floor(floor, 1 - 1 / number))
    return gaussian_classes(size, means=far * shape @ turned.T, rng=generator)


def xor(
    n: int = 10_000, *, dimensions: int = 2, floor: float = 0.1, rng: RandomLike = None
) -> Cloud:
    """Draw items of two classes that no linear rule tells apart.

    Four Gaussians are at the corners of a square, and those of a diagonal have the same class.
    Further dimensions are noise. The best rule goes by the product of the first two signs.

    Examples
    --------
    >>> xor(10, floor=0.2, rng=0).floor
    0.2
    """
    from scipy.special import ndtri

    size = _as_size(n)
    width = check_whole(dimensions, name="dimensions", least=2, remedy="Pass a number such as 2.")
    target = _as_floor(floor, 0.5)
    # Each sign is seen wrongly at a rate q, and one of both is with probability 2 q (1 - q).
    far = float(-ndtri((1 - np.sqrt(1 - 2 * target)) / 2))
    generator = as_generator(rng)
    signs = generator.choice((-1, 1), size=(size, 2))
    features = generator.normal(size=(size, width))
    features[:, :2] += far * signs
    one = (1 + np.tanh(far * features[:, 0]) * np.tanh(far * features[:, 1])) / 2
    labels = (signs.prod(axis=1) > 0).astype(np.int64)
    return Cloud(features, labels, np.column_stack((1 - one, one)), target)


def warp(features: Floats, *, layers: int = 4, strength: float = 1.5, seed: int = 0) -> Floats:
    """Send points through a fixed random map that can be inverted, so that no floor changes.

    Each layer turns all axes, then moves every second coordinate by a smooth function of the
    others, whose waves are shorter the greater the `strength` is. `unwarp` goes back. The idea of
    measuring on warped Gaussians is that of [1]_.

    References
    ----------
    .. [1] R. Theisen et al., "Evaluating state-of-the-art classification models against Bayes
       optimality", NeurIPS 2021.
    """
    points = np.array(features, dtype=np.float64)
    for turn, inner, outer in _layers(points.shape[1], layers, strength, seed):
        points = points @ turn
        points[:, 1::2] += _push(points[:, ::2], inner, outer)
    return points


def unwarp(features: Floats, *, layers: int = 4, strength: float = 1.5, seed: int = 0) -> Floats:
    """Return the points that `warp` sends to these.

    Examples
    --------
    >>> points = np.array([[0.5, -1.0], [2.0, 0.0]])
    >>> bool(np.allclose(unwarp(warp(points)), points))
    True
    """
    points = np.array(features, dtype=np.float64)
    for turn, inner, outer in reversed(_layers(points.shape[1], layers, strength, seed)):
        points[:, 1::2] -= _push(points[:, ::2], inner, outer)
        points = points @ turn.T
    return points


def _layers(
    width: int, layers: int, strength: float, seed: int
) -> list[tuple[Floats, Floats, Floats]]:
    generator = np.random.default_rng(seed)
    moved, units = width // 2, 16
    found = []
    for _ in range(layers):
        turn, _ = np.linalg.qr(generator.normal(size=(width, width)))
        inner = strength * generator.normal(size=(width - moved, units)) / np.sqrt(width - moved)
        outer = 2 * generator.normal(size=(units, moved)) / np.sqrt(units)
        found.append((turn, inner, outer))
    return found


def _push(points: Floats, inner: Floats, outer: Floats) -> Floats:
    return np.asarray(np.sin(points @ inner) @ outer)


def _shape(classes: int, width: int) -> Floats:
    """Return means of a regular shape, in as many dimensions as it needs."""
    if width >= classes - 1:
        corners = np.eye(classes) - 1 / classes
        left, sizes, _ = np.linalg.svd(corners)
        return np.asarray(left[:, : classes - 1] * sizes[: classes - 1])
    if width == 1:
        return np.arange(classes, dtype=np.float64)[:, None]
    angle = 2 * np.pi * np.arange(classes) / classes
    return np.column_stack((np.cos(angle), np.sin(angle)))


def _distance(shape: Floats, floor: float) -> float:
    """Return how far to stretch a shape of means for a floor."""
    from scipy.optimize import brentq

    share = np.full(len(shape), 1 / len(shape))
    most = 1 - share[0]
    if most - floor < 1e-12:
        return 0.0
    high = 1.0
    while mixture_floor(high * shape, share) > floor:
        high *= 2
    return float(brentq(lambda far: mixture_floor(far * shape, share) - floor, 0.0, high))


def _posterior(features: Floats, means: Floats, share: Floats) -> Floats:
    logs = features @ means.T - (means**2).sum(axis=1) / 2 + np.log(share)
    soft = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(soft / soft.sum(axis=1, keepdims=True))


def _as_size(n: int) -> int:
    return check_whole(n, name="n", least=1, remedy="Pass how many items to draw.")


def _as_floor(floor: float, most: float) -> float:
    try:
        number = float(floor)
    except (TypeError, ValueError):
        number = float("nan")
    if not 0 < number <= most:
        text = f" must be greater than 0 and at most {most:g}, got {shown(floor)}."
        raise InputError(argument("floor"), text, " Write 0.1 for 10 %.")
    return number


def _as_means(means: object) -> Floats:
    try:
        centre = np.asarray(means, dtype=np.float64)
    except (TypeError, ValueError):
        centre = np.empty(0)
    if centre.ndim != 2 or len(centre) < 2 or not np.isfinite(centre).all():
        raise InputError(
            argument("means"),
            f" must be a point for each of two classes or more, got {shown(means)}. "
            "Pass finite coordinates, such as [[0, 0], [2, 2]].",
        )
    return centre


def _as_shares(weights: object, classes: int) -> Floats:
    if weights is None:
        return np.full(classes, 1 / classes)
    try:
        share = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        share = np.empty(0)
    if share.shape != (classes,) or not ((share > 0) & np.isfinite(share)).all():
        raise InputError(
            argument("weights"),
            f" must be {classes} numbers greater than 0, one for each class, got {shown(weights)}.",
        )
    return np.asarray(share / share.sum())
