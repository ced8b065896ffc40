"""The likelihood of partitions of votes under a distribution of sorted probabilities."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from errorfloor._typing import Floats
from errorfloor.methods.votes.dual import anneal, log_gain, solve
from errorfloor.methods.votes.many.partitions import MOST_VOTES_USED, partitions, sums
from errorfloor.methods.votes.many.support import support

# Fractions of an item, below which a partition is left out.
_LEAST_ITEMS = 0.01


@dataclass(frozen=True)
class PartitionLikelihood:
    """The likelihood of a table of partitions on the fixed points.

    Attributes
    ----------
    n : float
        Number of items.
    cells : array of shape (cells,)
        Which partitions occur.
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
    least : float
        Share of the heaviest point below which points are left out of Newton's steps.
    """

    n: float
    cells: NDArray[np.intp]
    share: Floats
    within: Floats
    matrix: Floats
    points: Floats
    complete: bool
    floor: Floats
    least: float = field(default=0.0, kw_only=True)

    @classmethod
    def of(
        cls,
        items: Floats,
        classes: int,
        kept: NDArray[np.intp] | None = None,
        floor: Floats | None = None,
    ) -> PartitionLikelihood:
        """Return the likelihood of so many items with each partition, on some of the points."""
        n = float(items.sum())
        total = sums(MOST_VOTES_USED)
        seen = items >= min(_LEAST_ITEMS, float(items.max()))
        cells, share = np.flatnonzero(seen), items[seen] / items[seen].sum()
        by_total = np.bincount(total[cells], share, MOST_VOTES_USED + 1).astype(np.float64)
        at = support(classes)
        matrix, points = at.law[cells], at.points
        if kept is not None:
            matrix, points = matrix[:, kept], points[kept]
        fits = np.array([len(parts) <= classes for parts in partitions(MOST_VOTES_USED)])
        could = fits & (by_total[total] > 0)
        floor = np.asarray(1 - points[:, 0]) if floor is None else floor
        complete = bool((seen | ~could).all())
        return cls(n, cells, share, by_total[total[cells]], matrix, points, complete, floor)

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

    def fit_evenly(self, penalty: float) -> Floats:
        """Return the same with all points alike beforehand."""
        size = self.points.shape[0]
        return self.fit(penalty, np.full(size, 1 / size))

    def among(self, kept: NDArray[np.intp]) -> PartitionLikelihood:
        """Return the same likelihood on some of the points."""
        matrix = np.ascontiguousarray(self.matrix[:, kept])
        return replace(self, matrix=matrix, points=self.points[kept], floor=self.floor[kept])

    def uniform_loss(self, fitted: Floats) -> float:
        """Return the mean log-likelihood lost if all classes are equally likely on every item."""
        even = support(self.points.shape[1]).even[self.cells]
        return float(self.share @ np.log(fitted / even))

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
        matrix = self.matrix
        if self.least > 0:
            kept = np.flatnonzero(density > self.least * density.max())
            if 2 * kept.size < density.size:  # only for speed
                matrix, density = matrix[:, kept], density[kept]
        rows = weights[:, None] * matrix
        hessian = ((rows * density) @ rows.T - np.outer(expected, expected)) / temperature
        hessian -= bend * np.outer(self.share, self.share)
        hessian.flat[:: self.share.size + 1] += slope * self.share  # its diagonal
        return solve(hessian, gradient)
