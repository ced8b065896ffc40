"""Pilots that look as if items were of two kinds only.

The distribution fitted to a pilot follows its noise. Where items are of two kinds, the noise
spreads them, and a spread distribution leaves more floors open than two kinds do: planned intervals
came out up to 2.5 times too wide. So a pilot is also fitted by two points, and by a beta
distribution, the simplest that is spread. How much likelier the votes are under the first than
under the second says how far to trust it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from errorfloor._typing import Counts, Floats
from errorfloor.data.tables import VoteTable
from errorfloor.methods.votes.line import Mixture

FEWEST_VOTES = 5  # of which two points leave something to check: they have three parameters
_STEPS = 500  # of the EM algorithm
# Twice the log-likelihood that two points may lack; more refutes them (at a level of 1 % or so).
_MOST_LOST = 6.6
_PARAMETER = 2.0  # what one more is worth (Akaike)


class TwoAtoms(NamedTuple):
    """Two points, their weights, and how far to trust them, from 0 to 1."""

    points: Floats
    weights: Floats
    trust: float


def two_atoms(table: VoteTable, fit: Mixture) -> TwoAtoms | None:
    """Return the two points that explain a pilot best, or None where they are out of question."""
    k, m, counts = table.positives, table.totals, table.counts
    if int(m.max()) < FEWEST_VOTES:
        return None
    best = 2 * float(counts @ np.log(_chances(k, m, fit.points) @ fit.weights))
    points, weights, reached = _fitted(k, m, counts, *_start(fit))
    # A coin flip is where the floor bends: near it, the width depends on which side is taken.
    nearest = int(np.abs(points - 0.5).argmin())
    fixed = points.copy()
    fixed[nearest] = 0.5
    again = _fitted(k, m, counts, fixed, weights, held=nearest)
    if again[2] >= reached - _PARAMETER:
        points, weights, reached = again
    lost = best - reached
    if lost > _MOST_LOST:
        return None
    odds = np.exp(np.clip((reached - _PARAMETER - _beta(k, m, counts)) / 2, -50, 50))
    return TwoAtoms(points, weights, float(odds / (1 + odds)))


def _chances(positives: Counts, totals: Counts, points: Floats) -> Floats:
    from errorfloor.methods.votes.line import binomial  # SciPy's parts load slowly

    return binomial(positives, totals, points)


def _start(fit: Mixture) -> tuple[Floats, Floats]:
    """Return the means of the fitted distribution on either side of its own, and their weights."""
    p, w = fit.points, fit.weights
    low = p < float(p @ w)
    shares = np.maximum([w[low].sum(), w[~low].sum()], 1e-6)
    points = np.array([p[low] @ w[low], p[~low] @ w[~low]]) / shares
    return np.clip(points, 1e-6, 1 - 1e-6), shares / shares.sum()


def _fitted(
    positives: Counts,
    totals: Counts,
    counts: Counts,
    points: Floats,
    weights: Floats,
    held: int | None = None,
) -> tuple[Floats, Floats, float]:
    """Return the most likely points and weights by EM, and twice the log-likelihood."""
    for _ in range(_STEPS):
        parts = _chances(positives, totals, points) * weights
        parts *= (counts / np.maximum(parts.sum(axis=1), 1e-300))[:, None]
        weights = parts.sum(axis=0) / counts.sum()
        moved = (positives @ parts) / np.maximum(totals @ parts, 1e-300)
        if held is not None:
            moved[held] = points[held]
        done = np.abs(moved - points).max() < 1e-9
        points = moved
        if done:
            break
    found = _chances(positives, totals, points) @ weights
    return points, weights, 2 * float(counts @ np.log(np.maximum(found, 1e-300)))


def _beta(positives: Counts, totals: Counts, counts: Counts) -> float:
    """Return twice the largest log-likelihood under a beta distribution."""
    from scipy.optimize import minimize
    from scipy.special import betaln, gammaln

    k, m = positives, totals
    ways = gammaln(m + 1) - gammaln(k + 1) - gammaln(m - k + 1)

    def lack(logs: Floats) -> float:
        a, b = np.exp(np.clip(logs, -12, 12))
        return -float(counts @ (ways + betaln(k + a, m - k + b) - betaln(a, b)))

    options = {"maxiter": 150}
    starts = ((-0.7, -0.7), (1.0, 1.0))
    least = min(
        float(minimize(lack, start, method="Nelder-Mead", options=options).fun) for start in starts
    )
    return -2 * least
