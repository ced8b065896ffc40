"""Weighted logistic regression in few features: one robust fit, and many near a known one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorfloor._typing import Floats

# A Newton step whose decrement per item is below this is the last one: it squares the error.
TOLERANCE = 1e-12
MAX_STEPS = 200
# Added to a Hessian, times its trace: bends the path of a hopeless step, never the optimum.
RIDGE = 1e-14


def orthonormal_basis(features: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Return a well-conditioned basis of the columns of `features`, and the way back.

    Parameters
    ----------
    features : array of shape (rows, k)
    weight : array of shape (rows,)
        Items a row; the basis is orthogonal under these weights.

    Returns
    -------
    basis : array of shape (rows, rank)
    back : array of shape (k, rank)
        ``back @ coordinates`` are coefficients of `features`. Where the features are collinear
        (all scores equal, say) it gives the shortest such coefficients.
    """
    scale = np.abs(features).max(axis=0)
    scale[scale == 0] = 1.0
    scaled = features / scale
    share = np.sqrt(weight / weight.sum())
    _, singular, right = np.linalg.svd(share[:, None] * scaled, full_matrices=False)
    kept = singular > 1e-12 * singular[0]
    if not kept.any():  # all features are zero
        return np.zeros((len(features), 1)), np.zeros((features.shape[1], 1))
    turn = right[kept].T / singular[kept]
    return scaled @ turn, turn / scale[:, None]


def fit(basis: Floats, total: Floats, target: Floats) -> Floats:
    """Return the maximum-likelihood coordinates by damped Newton steps.

    The log-likelihood is ``sum(target * z - total * log(1 + exp(z)))`` with ``z = basis @ x``.
    Separable labels have no maximum: there each step gains a constant factor, and the fit ends,
    finite, once a step is worth less than `TOLERANCE` an item, with every fitted probability
    within about that of its limit 0 or 1.
    """
    n = total.sum()
    x = np.zeros(basis.shape[1])
    level = _log_likelihood(basis @ x, total, target)
    for _ in range(MAX_STEPS):
        prob = sigmoid(basis @ x)
        gradient = (target - total * prob) @ basis
        hessian = basis.T @ ((total * prob * (1 - prob))[:, None] * basis)
        step = solve(hessian, gradient)
        if gradient @ step <= TOLERANCE * n:
            return x + step
        while True:
            new_level = _log_likelihood(basis @ (x + step), total, target)
            if new_level >= level or np.abs(step).max() <= 1e-14 * (1 + np.abs(x).max()):
                break
            step = step / 2  # only for speed: any part of it leads to the same maximum
        x, level = x + step, new_level
    return x


def solve(hessian: Floats, gradient: Floats) -> Floats:
    """Solve one or a stack of small symmetric systems, singular ones included."""
    trace = np.trace(hessian, axis1=-2, axis2=-1)[..., None, None]
    ridge = (RIDGE * trace + np.finfo(float).tiny) * np.eye(hessian.shape[-1])
    solution: Floats = np.linalg.solve(hessian + ridge, gradient[..., None])[..., 0]
    return solution


def sigmoid(z: Floats) -> Floats:
    """Return ``1 / (1 + exp(-z))`` without overflow."""
    small = np.exp(-np.abs(z))
    prob: NDArray[Any] = np.where(z > 0, 1.0, small) / (1 + small)
    return prob


def _log_likelihood(z: Floats, total: Floats, target: Floats) -> float:
    return float(target @ z - total @ np.logaddexp(0, z))
