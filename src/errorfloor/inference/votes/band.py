"""The certified band: exact limits for shares of items, and the floors they allow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog

from errorfloor._typing import Counts, Floats
from errorfloor.inference.binomial import lower_limit, upper_limit
from errorfloor.methods.votes.grid import binomial, cosines, grid, supremum

# Thresholds of each kind that the certified band uses; more cost level, fewer cost sharpness.
_MOST_THRESHOLDS = 10
# Share of the error probability spent on sets that treat k and m - k alike. They decide the floor
# of symmetric G, the others only add what the asymmetry of G tells.
_FOLDED_SHARE = 0.8


@dataclass(frozen=True, slots=True)
class Band:
    """Limits for the share of items in a few sets of cells, and the sets' probabilities."""

    low: Floats
    high: Floats
    matrix: Floats  # sets by points
    degree: int

    @property
    def size(self) -> int:
        """Number of grid intervals."""
        return int(self.matrix.shape[1]) - 1

    @classmethod
    def around(
        cls, positives: Counts, totals: Counts, counts: Counts | Floats, level: float, n_points: int
    ) -> Band:
        """Return the band around the votes of a table."""
        n = float(counts.sum())
        degree = int(totals.max())
        while n_points < 8 * np.sqrt(degree):
            n_points *= 2
        distinct, group = np.unique(totals, return_inverse=True)
        group_share = np.bincount(group, counts, distinct.size) / n
        all_k = np.concatenate([np.arange(m + 1) for m in distinct])
        all_m = np.repeat(distinct, distinct + 1)
        sets, error = _sets(all_k, all_m, 1 - level)
        probability = binomial(all_k, all_m, grid(n_points))
        matrix = sets @ (np.repeat(group_share, distinct + 1)[:, None] * probability)
        offset = np.concatenate(([0], np.cumsum(distinct + 1)))[group]
        observed = np.zeros(all_k.size)
        observed[offset + positives] = counts
        low, high = _limits(sets @ observed, n, error)
        return cls(low, high, matrix, degree)

    def lower_limit(self, target: Floats) -> float:
        """Bound the mean of `target` over every G whose sets have shares inside the band."""
        rows = np.vstack((self.matrix, -self.matrix))
        sides = np.concatenate((self.high, -self.low))
        ones = np.ones((1, target.size))
        found = linprog(target, A_ub=rows, b_ub=sides, A_eq=ones, b_eq=[1.0], method="highs")
        if found.status != 0:
            sides = sides + self._least_slack(rows, sides)
            found = linprog(target, A_ub=rows, b_ub=sides, A_eq=ones, b_eq=[1.0], method="highs")
        price = np.maximum(-found.ineqlin.marginals, 0.0)
        sign = 1.0 if target.max() > 0 else -1.0
        # Weak duality: valid for any prices, so rounding in the solver does no harm.
        series = cosines(-price @ rows, min(self.degree, target.size - 1))
        return float(-price @ sides) - supremum(series, sign)

    @staticmethod
    def _least_slack(rows: Floats, sides: Floats) -> float:
        """Return how far the band must be widened until some G lies inside.

        Happens with probability below 1 - level if votes are binomial; the wider band is valid.
        """
        n_points = rows.shape[1]
        cost = np.append(np.zeros(n_points), 1.0)
        elastic = np.column_stack((rows, -np.ones(rows.shape[0])))
        ones = np.append(np.ones(n_points), 0.0)[None, :]
        found = linprog(cost, A_ub=elastic, b_ub=sides, A_eq=ones, b_eq=[1.0], method="highs")
        return float(found.fun) * (1 + 1e-6) + 1e-9


def _sets(positives: Counts, totals: Counts, error: float) -> tuple[Floats, Floats]:
    """Return sets of cells as rows of zeros and ones, and the error probability of each.

    Sets depend on the totals only. Lower sets hold cells with a share of positives up to some
    threshold, folded sets those with a minority share up to some threshold.
    """
    share = positives / totals
    minority = np.minimum(positives, totals - positives) / totals
    lower = _up_to(share, np.arange(1, _MOST_THRESHOLDS + 1) / (2 * _MOST_THRESHOLDS + 2))
    folded = _up_to(minority, np.arange(_MOST_THRESHOLDS) / (4 * _MOST_THRESHOLDS))
    errors = np.concatenate(
        (
            np.full(len(lower), (1 - _FOLDED_SHARE) * error / len(lower)),
            np.full(len(folded), _FOLDED_SHARE * error / len(folded)),
        )
    )
    return np.vstack((lower, folded)), errors


def _up_to(values: Floats, angles: Floats) -> Floats:
    """Return the distinct sets ``values <= threshold`` that are neither empty nor everything."""
    distinct = np.unique(values)[:-1]
    if distinct.size > angles.size:
        thresholds = np.sin(np.pi * angles) ** 2
        distinct = np.unique(distinct[np.searchsorted(distinct, thresholds, side="right") - 1])
    sets: Floats = (values <= distinct[:, None]).astype(np.float64)
    return sets


def _limits(successes: Floats, n: float, error: Floats) -> tuple[Floats, Floats]:
    # Hoeffding's comparison with the binomial needs a tail that starts one above the mean. The
    # only other tail this rare is "at least one", at most the mean; 1 - exp(-tail) allows for it.
    tail = -np.expm1(-error / 2)
    return lower_limit(successes, n, tail), upper_limit(successes, n, tail)
