"""How far vote shares fall below the floor on average: exactly, and without a sum over votes."""

from __future__ import annotations

import numpy as np

from errorfloor._typing import Counts, Floats
from errorfloor.methods.votes.target import Target
from errorfloor.metrics import ERROR

# Numbers of votes whose biases are computed one by one; others are interpolated.
_MOST_TOTALS = 512
# Votes that are summed over where there is no formula.
_MOST_SUMMED = 1024


def mean_lost(points: Floats, weights: Floats, totals: Counts, counts: Counts) -> float:
    """Return minus the bias of the plug-in from items with these totals, drawn from points.

    The bias is smooth in the logarithm of the votes. Where there are very many totals a cubic
    spline through some of them is within 1e-9 of it.
    """
    distinct, group = np.unique(totals, return_inverse=True)
    share = np.bincount(group, counts) / counts.sum()
    pairs, of = np.unique(distinct // 2, return_inverse=True)  # 2c and 2c + 1 votes lose the same
    floors, weights = ERROR.per_item(points), weights / weights.max()

    def lost(halves: Counts) -> Floats:
        rows = [np.average(lost_by_votes(floors, 2 * c), weights=weights) for c in halves]
        return np.array(rows)

    if pairs.size <= _MOST_TOTALS:
        return float(share @ lost(pairs)[of])
    from scipy.interpolate import CubicSpline

    knots = np.unique(
        np.geomspace(pairs[0] + 1, pairs[-1] + 1, _MOST_TOTALS).round().astype(np.int64)
    )
    curve = CubicSpline(np.log(knots), lost(knots - 1) * np.sqrt(knots))
    return float(share @ (curve(np.log1p(pairs)) / np.sqrt(pairs + 1))[of])


def mean_lost_of(
    target: Target, points: Floats, weights: Floats, totals: Counts, counts: Counts
) -> float:
    """Return the same for the majority of several votes, by a sum over votes.

    Of more than 1,024 votes it is less than a thousandth, and taken as if of 1,024.
    """
    from errorfloor.methods.votes.grid import binomial  # SciPy's parts load slowly

    distinct, group = np.unique(np.minimum(totals, _MOST_SUMMED), return_inverse=True)
    lost = []
    for m in distinct:
        k = np.arange(m + 1)
        expected = target.floors(k / m) @ binomial(k, np.full(k.size, m), points)
        lost.append(np.average(target.floors(points) - expected, weights=weights))
    return float(np.bincount(group, counts) @ lost / counts.sum())


def lost_by_votes(p: Floats, m: Counts) -> Floats:
    """Return minus the bias at each p <= 1/2; see the notes of `errorfloor.bounds.exact_bias`."""
    from scipy.special import betainc, xlogy

    c = m // 2
    # log(4 p (1 - p)) without cancellation at either end
    spread = np.where(p < 0.25, 4 * p * (1 - p), 1.0)
    near_half = np.where(p < 0.25, 0.0, 1 - 2 * p) ** 2
    power = xlogy(c, spread) + c * np.log1p(-near_half)
    above = np.where(c > 0, betainc(c + 1, np.maximum(c, 1), p), 0.0)
    lost = p * _central_binomial(c) * np.exp(power) - (1 - 2 * p) * above
    return np.asarray(np.maximum(lost, 0.0))


def _central_binomial(c: Counts) -> Floats:
    """Return (2c choose c) / 4^c, by Stirling's series from 20 on: gamma functions lose digits."""
    from scipy.special import binom

    x = 1 / np.maximum(c, 20.0)
    y = x * x
    tail = y * (1 / 192 + y * (-1 / 640 + y * (17 / 14336 - y * 31 / 18432)))
    large = np.sqrt(x / np.pi) * np.exp(x * (tail - 1 / 8))
    few = np.minimum(c, 20)
    return np.where(c < 20, binom(2 * few, few) / 4.0**few, large)
