"""Made data whose error floor is known exactly."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from errorfloor._typing import Bools, Floats, RandomLike


@dataclass(frozen=True, slots=True, eq=False)
class Synthetic:
    """Items drawn from a known distribution.

    Attributes
    ----------
    soft_labels : array of shape (n,)
        True P(y = 1 | x) of each item.
    labels : array of shape (n,)
        One label an item, drawn from its soft label.
    floor : float
        The exact Bayes error of the distribution.
    """

    soft_labels: Floats = field(repr=False)
    labels: Bools = field(repr=False)
    floor: float


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
    generator = np.random.default_rng(rng)
    share = np.asarray(weights) / np.sum(weights)
    centre = np.asarray(means, dtype=np.float64)
    distance = float(np.linalg.norm(centre[1] - centre[0]))
    prior = float(np.log(share[1] / share[0]))
    # Only the coordinate along the line through both means matters; 0 and `distance` on it.
    second = generator.random(n) < share[1]
    place = generator.normal(size=n) + distance * second
    log_odds = prior + distance * place - distance**2 / 2
    soft = 1 / (1 + np.exp(-log_odds))
    labels = generator.random(n) < soft
    return Synthetic(soft, labels, _two_gaussians(distance, share, prior))


def corrupt(soft_labels: Floats, a: float, b: float) -> Floats:
    """Distort probabilities by f(p; a, b), the inverse of a two-parameter beta calibration map.

    a > 1 makes them less confident, a < 1 more; 1/2 becomes b. This is equation (4) of the
    paper, with a > 0 and 0 < b < 1.
    """
    p = np.asarray(soft_labels, dtype=np.float64)
    with np.errstate(divide="ignore"):
        odds = ((1 - p) / p) ** (1 / a) * (1 - b) / b
    return np.asarray(1 / (1 + odds))


def _two_gaussians(distance: float, share: Floats, prior: float) -> float:
    from scipy.special import ndtr

    if distance == 0:
        return float(share.min())
    cut = distance / 2 - prior / distance
    return float(share[0] * ndtr(-cut) + share[1] * ndtr(cut - distance))
