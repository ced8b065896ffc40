"""Simulated data whose error floor is known exactly.

A distribution gives items with true probabilities, one label each and its floor. What people see
of the probabilities can then be distorted, put out of order, shuffled and turned into votes, each
by a function of arrays and by a method that returns new data with other scores.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from errorfloor._checks import (
    InputError,
    argument,
    as_generator,
    as_probabilities,
    as_scores,
    check_unit_interval,
    check_whole,
    shown,
)
from errorfloor._typing import Bools, Counts, Floats, RandomLike
from errorfloor.data.tables import ScoreTable, VoteTable


@dataclass(frozen=True, slots=True, eq=False)
class Synthetic:
    """Items drawn from a known distribution.

    Attributes
    ----------
    soft_labels : array of shape (n,)
        True P(y = 1 | x) of each item.
    labels : array of shape (n,)
        One label per item, drawn from its soft label.
    floor : float
        The exact Bayes error of the distribution. Nothing that is done to the scores changes it.
    scores : array of shape (n,)
        What is seen of the soft labels: they themselves until a method changes that.
    positives : array of shape (n,), or None
        Votes for class 1, once `voted` has drawn them.
    totals : int or None
        All votes on each item.

    Examples
    --------
    The noisy set of figure 10 of the paper:

    >>> data = gaussian_mixture(10_000, rng=0).corrupted(2, 0.5).voted(50, rng=1)
    >>> data.scores[:4], data.positives[:4]
    (array([0.2 , 0.42, 0.94, 0.92]), array([10, 21, 47, 46]))
    >>> data.vote_table
    VoteTable(n=10000, rows=51)
    """

    soft_labels: Floats = field(repr=False)
    labels: Bools = field(repr=False)
    floor: float
    scores: Floats = field(repr=False)
    positives: Counts | None = field(default=None, repr=False)
    totals: int | None = None

    @property
    def score_table(self) -> ScoreTable:
        """Scores and labels as a table of counts."""
        return ScoreTable.from_arrays(self.scores, self.labels)

    @property
    def vote_table(self) -> VoteTable:
        """Votes as a table of counts."""
        if self.positives is None:
            raise ValueError("This data has no votes yet. Draw some with `voted(m)`.")
        return VoteTable.from_arrays(self.positives, self.totals)

    def corrupted(self, a: float, b: float) -> Synthetic:
        """Return this data with its scores distorted by `corrupt`."""
        return self._seen_as(corrupt(self.scores, a, b))

    def out_of_order(self, sigma: float, *, rng: RandomLike = None) -> Synthetic:
        """Return this data with Gaussian noise on its scores' log-odds, see `break_order`."""
        return self._seen_as(break_order(self.scores, sigma, rng=rng))

    def shuffled(self, share: float, *, rng: RandomLike = None) -> Synthetic:
        """Return this data with a share of its scores exchanged, see `shuffle`."""
        return self._seen_as(shuffle(self.scores, share, rng=rng))

    def voted(self, m: int, *, rng: RandomLike = None) -> Synthetic:
        """Return this data with `m` votes drawn from each score, and their shares as scores."""
        positives = vote(self.scores, m, rng=rng)
        return replace(self, scores=positives / m, positives=positives, totals=int(m))

    def _seen_as(self, scores: Floats) -> Synthetic:
        return replace(self, scores=scores, positives=None, totals=None)


def gaussian_mixture(
    n: int = 10_000,
    *,
    weights: tuple[float, float] = (0.6, 0.4),
    means: tuple[tuple[float, ...], tuple[float, ...]] = ((0.0, 0.0), (2.0, 2.0)),
    rng: RandomLike = None,
) -> Synthetic:
    """Draw items from two Gaussian classes with unit covariance.

    The defaults are the synthetic set of section 4 of the paper. Class k has share
    ``weights[k]`` and mean ``means[k]``.

    Examples
    --------
    >>> round(gaussian_mixture(10, rng=0).floor, 6)
    0.076556
    """
    size = _as_size(n)
    share = _as_shares(weights, 2)
    distance = _distance(means)
    generator = as_generator(rng)
    prior = float(np.log(share[1] / share[0]))
    # Only the coordinate along the line through both means matters; 0 and `distance` on it.
    second = generator.random(size) < share[1]
    place = generator.normal(size=size) + distance * second
    log_odds = prior + distance * place - distance**2 / 2
    with np.errstate(over="ignore"):  # far from the other class the probability is 0
        soft = 1 / (1 + np.exp(-log_odds))
    labels = generator.random(size) < soft
    return Synthetic(soft, labels, _two_gaussians(distance, share, prior), soft)


@dataclass(frozen=True, slots=True, eq=False)
class ManySynthetic:
    """Items of several classes, drawn from a known distribution.

    Attributes
    ----------
    soft_labels : array of shape (n, classes)
        True probabilities of the classes, of each item.
    labels : array of shape (n,)
        One label per item, drawn from them: 0, 1 and so on.
    floor : float
        The exact Bayes error of the distribution.
    """

    soft_labels: Floats = field(repr=False)
    labels: Counts = field(repr=False)
    floor: float


def gaussian_ring(
    n: int = 10_000, *, classes: int = 5, radius: float = 2.0, rng: RandomLike = None
) -> ManySynthetic:
    """Draw items from Gaussian classes with unit covariance, whose means are evenly on a circle.

    All classes have the same share, so the best rule answers the nearest mean.

    Examples
    --------
    >>> data = gaussian_ring(1_000, classes=5, radius=2.0, rng=0)
    >>> data.soft_labels.shape, round(data.floor, 4)
    ((1000, 5), 0.2351)
    """
    size = _as_size(n)
    remedy = "For two classes there is gaussian_mixture."
    number = check_whole(classes, name="classes", least=3, remedy=remedy)
    far = _as_number(radius, "radius", low=0, remedy="2 is usual.")
    generator = as_generator(rng)
    angle = 2 * np.pi * np.arange(number) / number
    means = far * np.column_stack((np.cos(angle), np.sin(angle)))
    true = generator.integers(number, size=size)
    place = means[true] + generator.normal(size=(size, 2))
    soft = _softmax(place @ means.T)
    return ManySynthetic(soft, draw_labels(soft, rng=generator), _ring(number, far))


def draw_labels(soft_labels: Floats, *, rng: RandomLike = None) -> Counts:
    """Draw a class for each item from its row of probabilities.

    Examples
    --------
    >>> draw_labels([[0.0, 1.0, 0.0], [0.5, 0.0, 0.5]], rng=0)
    array([1, 0])
    """
    p = np.asarray(soft_labels, dtype=np.float64)
    below = as_generator(rng).random((len(p), 1)) < np.cumsum(p, axis=1) / p.sum(1, keepdims=True)
    return np.asarray(below.argmax(axis=1))


def vote_for_classes(soft_labels: Floats, m: int, *, rng: RandomLike = None) -> Counts:
    """Draw how many of `m` people choose each class, by the probabilities of the item.

    Examples
    --------
    >>> vote_for_classes([[0.0, 1.0, 0.0]], 4, rng=0)
    array([[0, 4, 0]])
    """
    p = np.asarray(soft_labels, dtype=np.float64)
    share = p / p.sum(axis=1, keepdims=True)
    return as_generator(rng).multinomial(_as_size(m, "m"), share).astype(np.int64)


def weigh(soft_labels: Floats, weights: object, power: float = 1.0) -> Floats:
    """Distort probabilities of classes: p to the power, times a weight for each class.

    Examples
    --------
    >>> weigh([[0.5, 0.25, 0.25]], [1, 2, 2])
    array([[0.33333333, 0.33333333, 0.33333333]])
    """
    distorted = np.asarray(soft_labels, dtype=np.float64) ** power * np.asarray(weights, np.float64)
    return np.asarray(distorted / distorted.sum(axis=1, keepdims=True))


def label_flips(n: int = 10_000, *, rate: float = 0.1, rng: RandomLike = None) -> Synthetic:
    """Draw items from two classes that do not overlap, and flip labels at a rate.

    Half of the items come from each of two distributions with disjoint supports, such as the
    uniform ones on [0, 1)² and [1, 2)². A label is the distribution's number, flipped with
    probability `rate`, so that the true probability is `rate` or ``1 - rate``, and nothing else
    of the pair matters. This is distribution (c) of the paper's figure on the decay of the bias.

    Examples
    --------
    >>> data = label_flips(1_000, rate=0.1, rng=0)
    >>> np.unique(data.soft_labels), data.floor
    (array([0.1, 0.9]), 0.1)
    """
    size = _as_size(n)
    flipped = _as_number(rate, "rate", low=0, high=1, remedy="Write 0.1 for 10 %.")
    generator = as_generator(rng)
    soft = np.where(generator.random(size) < 0.5, 1 - flipped, flipped)
    labels = generator.random(size) < soft
    return Synthetic(soft, labels, min(flipped, 1 - flipped), soft)


def corrupt(soft_labels: Floats, a: float, b: float) -> Floats:
    """Distort probabilities by f(p; a, b), the inverse of a two-parameter beta calibration map.

    a > 1 makes them less confident, a < 1 more; 1/2 becomes b. This is the
    corruption of section 4 of the paper, with a > 0 and 0 < b < 1; its appendix D.1 has more of it.
    """
    p = np.asarray(soft_labels, dtype=np.float64)
    check_unit_interval(p.ravel(), name="soft_labels")
    _as_number(a, "a", low=0, remedy="1 changes nothing, 2 is the paper's.", open_low=True)
    _as_number(b, "b", low=0, high=1, remedy="It is where 1/2 goes.", open_low=True, open_high=True)
    with np.errstate(divide="ignore", over="ignore"):
        odds = ((1 - p) / p) ** (1 / a) * (1 - b) / b
    return np.asarray(1 / (1 + odds))


def break_order(scores: Floats, sigma: float, *, rng: RandomLike = None) -> Floats:
    """Add Gaussian noise of standard deviation `sigma` to the log-odds of probabilities.

    Of scores ``corrupt(p, a, b)`` this makes the paper's corruption that does not keep the order.

    Examples
    --------
    >>> break_order([0.1, 0.2, 0.3], 0.5, rng=0).round(2)
    array([0.11, 0.19, 0.37])
    """
    from scipy.special import expit, logit

    p = as_probabilities(scores, name="scores")
    width = _as_number(sigma, "sigma", low=0, remedy="0 changes nothing.")
    if width == 0:
        return p.copy()
    return np.asarray(expit(logit(p) + as_generator(rng).normal(scale=width, size=p.size)))


def vote(prob: Floats, m: int, *, rng: RandomLike = None) -> Counts:
    """Draw how many of `m` people say class 1, each with the item's probability.

    Examples
    --------
    >>> vote([0.0, 0.5, 1.0], 10, rng=0)
    array([ 0,  6, 10])
    """
    p = as_probabilities(prob, name="prob")
    return as_generator(rng).binomial(_as_size(m, "m"), p).astype(np.int64)


def shuffle(scores: Floats, share: float, *, rng: RandomLike = None) -> Floats:
    """Exchange a share of the scores among items drawn at random; the others keep theirs.

    Examples
    --------
    >>> shuffle([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 0.5, rng=1)
    array([5., 2., 1., 4., 3., 6.])
    """
    s = as_scores(scores, name="scores")
    part = _as_number(share, "share", low=0, high=1, remedy="Write 0.1 for 10 %.")
    generator = as_generator(rng)
    chosen = generator.permutation(s.size)[: round(part * s.size)]
    shuffled = s.copy()
    # A permutation's first entries are in random order; sorted, they are where these go.
    shuffled[np.sort(chosen)] = s[chosen]
    return shuffled


def _two_gaussians(distance: float, share: Floats, prior: float) -> float:
    from scipy.special import ndtr

    if distance == 0:
        return float(share.min())
    cut = distance / 2 - prior / distance
    return float(share[0] * ndtr(-cut) + share[1] * ndtr(cut - distance))


def _ring(classes: int, radius: float) -> float:
    """Return the chance that a point is nearer to another mean, by its place along its own."""
    from scipy.special import ndtr

    edges = np.linspace(0.0, radius + 12, 41)
    nodes, weights = np.polynomial.legendre.leggauss(20)
    half = np.diff(edges)[:, None] / 2
    along = edges[:-1, None] + half * (nodes + 1)
    density = np.exp(-((along - radius) ** 2) / 2) / np.sqrt(2 * np.pi)
    inside = 2 * ndtr(along * np.tan(np.pi / classes)) - 1
    return float(1 - (half * weights * density * inside).sum())


def _as_size(value: int, name: str = "n") -> int:
    remedy = f"Pass how many {'items' if name == 'n' else 'votes per item'} to draw."
    return check_whole(value, name=name, least=1, remedy=remedy)


def _as_number(
    value: float,
    name: str,
    *,
    low: float,
    high: float = np.inf,
    remedy: str,
    open_low: bool = False,
    open_high: bool = False,
) -> float:
    number = _as_float(value)
    fits = low <= number <= high and np.isfinite(number)
    if not fits or (open_low and number == low) or (open_high and number == high):
        above = f"greater than {low:g}" if open_low else f"at least {low:g}"
        below = f"less than {high:g}" if open_high else f"at most {high:g}"
        bounds = above if high == np.inf else f"{above} and {below}"
        text = f" must be a number, {bounds}; got {shown(value)}. {remedy}"
        raise InputError(argument(name), text)
    return number


def _as_float(value: Any) -> float:
    """Return a number, and NaN for what is none."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return float("nan")


def _as_points(means: object) -> Floats | None:
    """Return points with finite coordinates, a row each; None for what are none."""
    try:
        points = np.asarray(means, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return None
    return points if points.ndim == 2 and np.isfinite(points).all() else None


def _distance(means: tuple[tuple[float, ...], tuple[float, ...]]) -> float:
    centre = _as_points(means)
    if centre is None or len(centre) != 2:
        raise InputError(
            argument("means"),
            f" must be two points with equally many finite coordinates, got {shown(means)}. "
            "Pass the mean of class 0, then that of class 1, such as ((0, 0), (2, 2)).",
        )
    return float(np.linalg.norm(centre[1] - centre[0]))


# Items with features: Gaussian classes, xor, and both warped.


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


def _nodes(low: float, high: float, pieces: int, order: int) -> tuple[Floats, Floats]:
    """Return points and sizes of Gauss's rule on equal pieces of a range."""
    edges = np.linspace(low, high, pieces + 1)
    nodes, sizes = np.polynomial.legendre.leggauss(order)
    half = (edges[1] - edges[0]) / 2
    return (edges[:-1, None] + half * (nodes + 1)).ravel(), np.tile(half * sizes, pieces)


def _in_a_plane(places: Floats, weights: Floats) -> float:
    along, other = places[:, 0], places[:, 1]
    points, sizes = _nodes(other.min() - _FAR, other.max() + _FAR, 800, 8)
    logs = -((points - other[:, None]) ** 2) / 2 + np.log(weights)[:, None]
    right = sum(np.exp(logs[one]) * _right(one, along, logs) for one in range(len(weights)))
    return float(1 - right @ sizes / np.sqrt(2 * np.pi))


def _is_regular(places: Floats, weights: Floats) -> bool:
    """Tell whether all classes are equally far from each other, and equally frequent."""
    apart = np.linalg.norm(places[:, None] - places, axis=2)[~np.eye(len(places), dtype=bool)]
    return bool(np.ptp(apart) <= 1e-9 * apart.max() and np.ptp(weights) <= 1e-12)


def _regular(classes: int, apart: float) -> float:
    """Return the floor of equally distant means, as of `classes` orthogonal ones."""
    from scipy.special import ndtr

    far = apart / np.sqrt(2)
    points, sizes = _nodes(-_FAR, _FAR, 200, 16)
    density = np.exp(-(points**2) / 2) / np.sqrt(2 * np.pi)
    # The mean of a class is far along its own axis; the others are noise that it must exceed.
    wrong = -np.expm1((classes - 1) * np.log(np.maximum(ndtr(points + far), 1e-300)))
    return float((density * wrong) @ sizes)


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
    far = _stretch(shape, _as_floor(floor, 1 - 1 / number))
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


def _stretch(shape: Floats, floor: float) -> float:
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
    return _softmax(features @ means.T - (means**2).sum(axis=1) / 2 + np.log(share))


def _softmax(logs: Floats) -> Floats:
    soft = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(soft / soft.sum(axis=1, keepdims=True))


def _as_floor(floor: float, most: float) -> float:
    number = _as_float(floor)
    if not 0 < number <= most:
        text = f" must be greater than 0 and at most {most:g}, got {shown(floor)}."
        raise InputError(argument("floor"), text, " Write 0.1 for 10 %.")
    return number


def _as_means(means: object) -> Floats:
    centre = _as_points(means)
    if centre is None or len(centre) < 2:
        raise InputError(
            argument("means"),
            f" must be a point for each of two classes or more, got {shown(means)}. "
            "Pass finite coordinates, such as [[0, 0], [2, 2]].",
        )
    return centre


def _as_shares(weights: Any, classes: int) -> Floats:
    if weights is None:
        return np.full(classes, 1 / classes)
    share = as_scores(weights, name="weights")
    if share.size != classes or not (share > 0).all():
        raise InputError(
            argument("weights"),
            f" must be {classes} numbers greater than 0, one for each class, got {shown(weights)}.",
        )
    return np.asarray(share / share.sum())
