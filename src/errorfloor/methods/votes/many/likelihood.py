"""The likelihood of partitions of votes under a distribution of sorted probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from errorfloor._typing import Counts, Floats
from errorfloor.methods.votes.dual import anneal, log_gain, region_limit, solve
from errorfloor.methods.votes.many.partitions import expected, sums
from errorfloor.methods.votes.many.support import support

# How many items' worth of log-likelihood one unit of relative entropy to the reference costs.
PENALTY = 2.0
# Fractions of an item, below which a partition is left out.
_LEAST_ITEMS = 0.01


@dataclass(frozen=True)
class PartitionLikelihood:
    """The likelihood of a table of partitions on the fixed points.

    Attributes
    ----------
    n : float
        Number of items.
    share : array of shape (cells,)
        Share of the items that have each partition.
    within : array of shape (cells,)
        Share of the items that have as many votes as the partition.
    matrix : array of shape (cells, points)
        Chance of the partition among so many votes.
    points : array of shape (points, classes)
        Sorted probabilities.
    complete : bool
        Whether every partition that could be has items.
    floor : array of shape (points,)
        What is to be bounded, at each point.
    """

    n: float
    share: Floats
    within: Floats
    matrix: Floats
    points: Floats
    complete: bool
    floor: Floats

    @classmethod
    def of(
        cls, items: Floats, classes: int, kept: NDArray[np.intp] | None = None
    ) -> PartitionLikelihood:
        """Return the likelihood of so many items with each partition, on some of the points."""
        n = float(items.sum())
        total = sums(10)
        by_total = np.bincount(total, items)
        seen = items >= min(_LEAST_ITEMS, n / 2)
        items = np.where(seen, items, 0.0) * n / items[seen].sum()
        at = support(classes)
        matrix, points = at.law[seen], at.points
        if kept is not None:
            matrix, points = matrix[:, kept], points[kept]
        could = (at.law > 0).any(axis=1) & (by_total[total] > 0)
        return cls(
            n, items[seen] / n, by_total[total[seen]] / n, matrix, points,
            bool((seen | ~could).all()), 1 - points[:, 0],
        )  # fmt: skip

    @property
    def log_arcsine(self) -> Floats:
        """Logarithms of equal weights of all points."""
        return np.full(self.points.shape[0], -np.log(self.points.shape[0]))

    def polynomials(self, weights: Floats) -> Floats:
        """Return the sum of the cells' probabilities times weights, at each point."""
        return np.asarray(weights @ self.matrix)

    def chances(self, density: Floats) -> Floats:
        """Return the probability of each cell under weights of the points."""
        return np.asarray(self.matrix @ density)

    def worst(self, weights: Floats, sign: float) -> float:
        """Return the largest difference of the polynomial and sign times the floor."""
        return float((weights @ self.matrix - sign * self.floor).max())

    def fit(self, penalty: float, reference: Floats) -> Floats:
        """Return weights of the points that maximise likelihood less penalised entropy."""
        start = self.share / (self.matrix @ reference)
        nothing = np.zeros(reference.size)
        return anneal(self, start, np.log(reference), nothing, log_gain, 0.1, penalty)[1]

    def lower_limit(self, sign: float, fitted: Floats, choose: float, use: float) -> float:
        """Bound sign times the mean floor over G with likelihood within `use` of the maximum."""
        best = float(self.share @ np.log(fitted))
        return region_limit(self, sign, fitted, best, choose, use)

    def newton_step(
        self,
        weights: Floats,
        density: Floats,
        gradient: Floats,
        expected: Floats,
        slope: float,
        bend: float,
        temperature: float,
    ) -> Floats:
        """Solve for the relative change of the weights."""
        rows = weights[:, None] * self.matrix
        hessian = ((rows * density) @ rows.T - np.outer(expected, expected)) / temperature
        hessian -= bend * np.outer(self.share, self.share)
        hessian[np.diag_indices_from(hessian)] += slope * self.share
        return solve(hessian, gradient)
