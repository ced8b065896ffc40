"""A grid of vote probabilities, and suprema of vote polynomials over all of [0, 1]."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.fft import dct
from scipy.special import betainc, gammaln, xlog1py, xlogy

from errorfloor._typing import Counts, Floats
from errorfloor.methods.votes.aims import Aim
from errorfloor.methods.votes.target import ONE_VOTE


def grid(n_points: int) -> Floats:
    """Return points equally spaced in arcsin(sqrt(eta)), with 0, 1/2 and 1 exact."""
    # Half of the points mirrored, so that swapping the classes changes no bit.
    half = np.sin(np.pi * np.arange(n_points // 2) / (2 * n_points)) ** 2
    return np.concatenate((half, [0.5], 1 - half[::-1]))


@lru_cache(maxsize=8)
def _on_grid(aim: Aim, size: int) -> tuple[Floats, float]:
    """Return the values of what is bounded on a grid, and how much it bends between points."""
    return aim.floors(grid(size)), aim.bend_on(np.pi * np.arange(size + 1) / size)


def arcsine_weights(n_points: int) -> Floats:
    """Return the weights of the arcsine distribution on a grid."""
    weights = np.full(n_points + 1, 1 / n_points)
    weights[[0, -1]] /= 2
    return weights


def beta_weights(a: float, b: float, n_points: int) -> Floats:
    """Return the weights of a beta distribution on a grid."""
    edges = np.sin(np.pi * (np.arange(n_points) + 0.5) / (2 * n_points)) ** 2
    weights: Floats = np.diff(betainc(a, b, edges), prepend=0.0, append=1.0)
    return weights


def binomial(positives: Counts, totals: Counts, points: Floats) -> Floats:
    """Return the binomial probabilities, one row a cell, one column a point."""
    logs = log_binomial(positives, totals, points)
    return np.exp(logs, out=logs)


def log_binomial(positives: Counts, totals: Counts, points: Floats) -> Floats:
    """Return the logarithms of the binomial probabilities."""
    k, m = positives[:, None].astype(np.float64), totals[:, None].astype(np.float64)
    # In place, as there may be many cells and points.
    logs: Floats = xlogy(k, points)
    logs += gammaln(m + 1) - gammaln(k + 1) - gammaln(m - k + 1)
    logs += xlog1py(m - k, -points)
    return logs


def stopped(positives: Counts, totals: Counts, orders: Floats, points: Floats) -> Floats:
    """Return the chance to end with votes that can come in so many orders, likewise."""
    k, m = positives[:, None].astype(np.float64), totals[:, None].astype(np.float64)
    logs: Floats = np.log(orders)[:, None] + xlogy(k, points) + xlog1py(m - k, -points)
    return np.exp(logs, out=logs)


def cosines(values: Floats, degree: int) -> Floats:
    """Return the cosine coefficients of rows given on the grid.

    With eta = (1 - cos(t)) / 2 a polynomial in eta is a cosine polynomial in t, of equal degree,
    and the grid is equally spaced in t.
    """
    n_points = values.shape[-1] - 1
    coefficients: Floats = dct(values, type=1, axis=-1) / n_points
    coefficients[..., [0, -1]] /= 2
    return coefficients[..., : degree + 1]


def supremum(series: Floats, sign: float, aim: Aim = ONE_VOTE, *, finer: int = 1) -> float:
    """Bound ``P(eta) - sign * floor(eta)`` over [0, 1] from above, P a cosine series."""
    size = 4096
    while size < 64 * series.size:
        size *= 2
    size *= finer
    step = np.pi / size
    fine = evaluate(series, size)
    if sign:
        values, own_bend = _on_grid(aim, size)
        fine -= sign * values
    # Between neighbours a function exceeds the larger of them by at most step^2 / 8 times its
    # second derivative. The kink of the floor is a grid point; its bend beside it is known. A
    # cosine polynomial exceeds its largest value on the grid at most by the cosine's factor.
    bend = np.abs(evaluate(series * np.arange(series.size) ** 2.0, size)).max()
    bend /= np.cos(series.size * step / 2)
    top = fine.max()
    if not sign:
        return float(top + step**2 / 8 * bend)
    for kink in aim.kinks:  # a point of its own, so that there is none between neighbours
        angle = np.arccos(1 - 2 * kink)
        at_kink = series @ np.cos(np.arange(series.size) * angle)
        top = max(top, at_kink - sign * float(aim.floors(np.array([kink]))[0]))
    return float(top + step**2 / 8 * (bend + abs(sign) * own_bend))


def evaluate(series: Floats, size: int) -> Floats:
    """Return a cosine series at the points of a grid."""
    padded = np.zeros(size + 1)
    padded[: series.size] = series / 2
    padded[0] = series[0]
    values: Floats = dct(padded, type=1)
    return values
