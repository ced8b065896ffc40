"""The likelihood of votes under a distribution on a grid: its maximum, and limits near it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from errorfloor._typing import Counts, Floats
from errorfloor.methods.votes.aims import Aim
from errorfloor.methods.votes.dual import anneal, log_gain, region_limit, solve
from errorfloor.methods.votes.grid import (
    arcsine_weights,
    beta_weights,
    binomial,
    cosines,
    evaluate,
    grid,
    log_binomial,
    supremum,
)
from errorfloor.methods.votes.target import ONE_VOTE

# Penalty, per item, that breaks ties among maximisers; the likelihood lost is about ten times less
# than the 1e-6 an item that is promised.
TIE_BREAK = 1e-7


@dataclass(frozen=True, slots=True, eq=False)
class Mixture:
    """A distribution of the probability of a positive vote, on a grid.

    Attributes
    ----------
    points : array of shape (p,)
        Probabilities, ascending from 0 to 1.
    weights : array of shape (p,)
        Their weights under G; they sum to one.
    gap : float
        No distribution on [0, 1] has a mean log-likelihood per item more than this above that
        of these weights. With a penalty it includes what the penalty gave away.
    log_likelihood : float
        Mean log-likelihood per item.
    target : Aim
        What the floor is the mean of; which label it is for, where it is the error.
    """

    points: Floats
    weights: Floats
    gap: float
    log_likelihood: float
    target: Aim = ONE_VOTE

    @property
    def floor(self) -> float:
        """Mean of what is averaged: ``min(q, 1 - q)``, q the probability of a positive label."""
        return float(self.target.floors(self.points) @ self.weights)


@dataclass(frozen=True)
class VoteLikelihood:
    """The likelihood of a vote table on a grid."""

    positives: Counts
    totals: Counts
    n: float
    share: Floats  # of the items in each cell
    group_share: Floats  # of the items that have the cell's total
    size: int  # intervals of the grid
    kept: NDArray[np.intp]  # which of its points are in use
    series: Floats  # cosine coefficients of the binomial probabilities, cells by cosines
    matrix: Floats  # binomial probabilities, cells by points
    target: Aim = ONE_VOTE

    @classmethod
    def on_grid(
        cls,
        positives: Counts,
        totals: Counts,
        counts: Counts | Floats,
        n_points: int,
        *,
        target: Aim = ONE_VOTE,
        part: bool = False,
    ) -> VoteLikelihood:
        """Return the likelihood of votes on a grid of at least so many intervals.

        `part` says that these are some of the items, of which single votes will do.
        """
        if totals.size == 0 or (totals.max() < 2 and not part):
            raise ValueError(
                "`totals` must reach 2 for some item: single votes say nothing about how the "
                "probability varies between items. Collect a second vote, or pass scores and "
                "labels to `from_scores`."
            )
        # A likelihood is about 1 / sqrt(m) wide on the grid's scale; keep some points inside.
        while n_points < 8 * np.sqrt(totals.max()):
            n_points *= 2
        n = float(counts.sum())
        distinct, group = np.unique(totals, return_inverse=True)
        group_share = np.bincount(group, counts, distinct.size) / n
        matrix = binomial(positives, totals, grid(n_points))
        series = cosines(matrix, min(int(totals.max()), n_points))
        rank = int(np.flatnonzero(np.abs(series).max(axis=0) > 1e-15).max()) + 1
        return cls(
            positives, totals, n, counts / n, group_share[group],
            n_points, np.arange(n_points + 1), series[:, :rank], matrix, target,
        )  # fmt: skip

    def refined(self, fit: Mixture) -> VoteLikelihood:
        """Return the likelihood on a grid twice as fine, without points that can get no weight."""
        size = 2 * self.size
        slope = evaluate((self.share / (self.matrix @ fit.weights)) @ self.series, size) - 1
        # A point with this slope has a weight of exp(-1000) relative to the reference.
        kept = np.flatnonzero(slope > -1e4 * TIE_BREAK)
        matrix = binomial(self.positives, self.totals, grid(size)[kept])
        return replace(self, size=size, kept=kept, matrix=matrix)

    @property
    def points(self) -> Floats:
        """The probabilities on the grid that are in use."""
        return grid(self.size)[self.kept]

    @property
    def floor(self) -> Floats:
        """The floor of items with each of these probabilities."""
        return self.target.floors(self.points)

    @property
    def log_arcsine(self) -> Floats:
        """Logarithms of the arcsine distribution's weights."""
        return np.log(arcsine_weights(self.size)[self.kept])

    @property
    def complete(self) -> bool:
        """Whether every pair of votes that could be has items."""
        return self.share.size == sum(int(m) + 1 for m in np.unique(self.totals))

    @property
    def within(self) -> Floats:
        """Share of the items that have the cell's total."""
        return self.group_share

    def polynomials(self, weights: Floats) -> Floats:
        """Return the sum of the cells' probabilities times weights, at each point."""
        return np.asarray(weights @ self.matrix)

    def chances(self, density: Floats) -> Floats:
        """Return the probability of each cell under weights of the points."""
        return np.asarray(self.matrix @ density)

    def worst(self, weights: Floats, sign: float) -> float:
        """Bound the polynomial less sign times the floor from above, over all of [0, 1]."""
        return supremum(weights @ self.series, sign, self.target)

    @cached_property
    def factors(self) -> tuple[Floats, Floats] | None:
        """Cells by cosines and cosines by points, if that is fewer than there are cells."""
        if self.series.shape[1] >= self.share.size:
            return None
        angles = np.pi * self.kept / self.size
        return self.series, np.cos(np.outer(np.arange(self.series.shape[1]), angles))

    def reference(self, arcsine: float = 0.5) -> Floats:
        """Return weights in part arcsine, in part the beta distribution with the votes' moments."""
        k, m = self.positives, self.totals
        mean = min(max(float(self.share @ (k / m)), 1e-3), 1 - 1e-3)
        pairs = np.where(m > 1, self.share, 0.0)
        disagree = mean * (1 - mean) / 2  # of single votes nobody knows it: as if arcsine
        if pairs.any():
            disagree = float(pairs @ (k * (m - k) / np.maximum(m * (m - 1.0), 1.0)) / pairs.sum())
        # E[eta (1 - eta)] / (mean (1 - mean)) is s / (s + 1) for a beta with parameters adding
        # up to s. Kept within bounds: votes may agree always, or more than any G allows.
        ratio = min(max(disagree / (mean * (1 - mean)), 0.01), 0.995)
        size = ratio / (1 - ratio)
        beta = beta_weights(mean * size, (1 - mean) * size, self.size)
        mixed = arcsine * arcsine_weights(self.size) + (1 - arcsine) * beta
        return np.asarray(mixed[self.kept])

    def fit(
        self, penalty: float, start: Floats | None = None, arcsine: float = 0.5
    ) -> tuple[Mixture, Floats]:
        """Maximise mean log-likelihood minus penalty times relative entropy to the reference.

        Returns the dual weights as well, which start the next fit on a finer grid.
        """
        reference = self.reference(arcsine)
        first = 0.1 if start is None else 100 * penalty
        if start is None:
            start = self.share / (self.matrix @ reference)
        dual, weights = anneal(
            self, start, np.log(reference), np.zeros_like(reference), log_gain, first, penalty
        )
        fitted = self.matrix @ weights
        # Mean log-likelihood is concave in G, so what is left to gain is at most its slope
        # towards the best single point.
        gap = supremum((self.share / fitted) @ self.series, 0.0) - 1
        log_likelihood = float(self.share @ np.log(fitted))
        found = Mixture(self.points, weights, max(gap, 0.0), log_likelihood, self.target)
        return found, dual

    def sharpened(self, fit: Mixture) -> Mixture:
        """Return the fit with a sharper bound of what is left to gain."""
        slope = (self.share / (self.matrix @ fit.weights)) @ self.series
        gap = max(supremum(slope, 0.0, finer=8) - 1, 0.0)
        return replace(fit, gap=min(gap, fit.gap))

    def coin_flip_loss(self, fit: Mixture) -> float:
        """Return the mean log-likelihood that is lost if every item is as hard as can be."""
        return self.alike_loss(fit, _peak_of(self.target))

    def alike_loss(self, fit: Mixture, eta: float) -> float:
        """Return the mean log-likelihood that is lost if every item has this probability."""
        # In logarithms: from some 1,000 votes on, probabilities far from 1/2 are too small.
        coin = log_binomial(self.positives, self.totals, np.array([eta]))[:, 0]
        return fit.log_likelihood - float(self.share @ coin)

    def lower_limit(self, sign: float, fit: Mixture, choose: float, use: float) -> float:
        """Bound sign times the mean floor over G with likelihood within `use` of the maximum.

        The weights of the bound are the best ones for the region within `choose`.
        """
        fitted = self.matrix @ fit.weights
        return region_limit(self, sign, fitted, fit.log_likelihood, choose, use)

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
        if self.factors is None:
            rows = weights[:, None] * self.matrix
            hessian = ((rows * density) @ rows.T - np.outer(expected, expected)) / temperature
            hessian -= bend * np.outer(self.share, self.share)
            hessian[np.diag_indices_from(hessian)] += slope * self.share
            return solve(hessian, gradient)
        # Diagonal plus low rank (Woodbury): the cost is linear in the number of cells.
        cells, cosines = self.factors
        mean = cosines @ density
        rank = mean.size
        middle = np.zeros((rank + 1, rank + 1))
        covariance = (cosines * density) @ cosines.T - np.outer(mean, mean)
        middle[:rank, :rank] = covariance / temperature
        middle[rank, rank] = -bend
        outer = np.column_stack((weights[:, None] * cells, self.share))
        scaled = outer.T / (slope * self.share)
        system = np.eye(rank + 1) + middle @ (scaled @ outer)
        inner = solve(system, middle @ (scaled @ gradient))
        return (gradient - outer @ inner) / (slope * self.share)


def _peak_of(aim: Aim) -> float:
    assert aim.peak is not None, "only concave functions have a hardest item"
    return aim.peak
