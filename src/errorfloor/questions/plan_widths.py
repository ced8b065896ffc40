"""How wide the intervals of the floor will be, as functions of votes per item and items."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np

from errorfloor._typing import Floats
from errorfloor.data.tables import ScoreTable
from errorfloor.intervals.honest import of_errors
from errorfloor.methods.cuts import CutFit
from errorfloor.methods.votes.thinning import points_for, votes_used
from errorfloor.metrics import ERROR
from errorfloor.results import Interval

Width: TypeAlias = Callable[[int, int], float]  # of the interval, by votes and items


def between(first: Width, second: Width, share: float, m: int, n: int) -> float:
    """Return a width between two, the nearer to the second the larger its share."""
    return float(first(m, n) ** (1 - share) * second(m, n) ** share)


def width_of_votes(points: Floats, weights: Floats, level: float, m: int, n: int) -> float:
    """Return the width of the likelihood interval on the expected votes of n items.

    Of very many votes the interval uses a part, whose expected numbers are binomial as well.
    """
    from scipy.special import bdtr

    from errorfloor.intervals.votes.region import likelihood_limits

    used = votes_used(m)
    k = np.arange(used + 1)
    at_most = np.vstack([np.zeros(points.size), bdtr(k[:, None], used, points)])
    expected = n * (np.diff(at_most, axis=0) @ weights)
    seen = expected > 1e-9 * n
    cells = k[seen], np.full(k.size, used)[seen], expected[seen]
    n_points = 256 if used == m else points_for(used)
    low, high = likelihood_limits(*cells, level=level, n_points=n_points)
    return high - low


def _seeded(seed: int, purpose: str) -> np.random.Generator:
    return np.random.default_rng(seed)


def width_of_scores(pilot: ScoreTable, level: float) -> tuple[float, Width]:
    """Return the pilot's floor, and the honest interval's width as a function of (1, n)."""
    sample = pilot.cells()
    fit = CutFit(sample, ERROR.how, partial(_seeded, 0))
    fits = [fit.on(sample.count, np.random.default_rng(seed)) for seed in range(10)]
    own = fit.own_loss
    held_out = float(np.mean([fit.held_out_loss for fit in fits]))
    middle, gap = (own + held_out) / 2, max(held_out - own, 0.0) / 2
    flat = fit.cuts.unclear(sample, (1.0, 1.0), 1.0) / pilot.n
    least, most = ERROR.span(2)

    def width(_: int, n: int) -> float:
        shift = gap * (pilot.n / n) ** (2 / 3)
        low, high = (min(max(rate, least), most) * n for rate in (middle - shift, middle + shift))
        variance = high * (1 - high / n)
        correlated = min(n * flat / 4 / variance, 1.0) if variance > 0 else 0.0
        evidence = of_errors((low, n), (high, n), correlated=correlated)
        limits = Interval.at(level, evidence)
        return limits.high - limits.low

    return middle, width
