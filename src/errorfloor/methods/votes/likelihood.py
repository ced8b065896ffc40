"""The likelihood of votes under a distribution on a grid: its maximum, and limits near it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from errorfloor._typing import Counts, Floats
from errorfloor.methods.votes.grid import (
    arcsine_weights,
    beta_weights,
    binomial,
    cosines,
    evaluate,
    floors_on,
    grid,
    log_binomial,
    supremum,
)

# Penalty, per item, that breaks ties among maximisers; the likelihood lost is about ten times less
# than the 1e-6 an item that is promised.
TIE_BREAK = 1e-7
# Smoothing of the limits, in units of the floor: they end within about ten times this.
_SMOOTHING = 1e-6


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
    """

    points: Floats
    weights: Floats
    gap: float
    log_likelihood: float

    @property
    def floor(self) -> float:
        """Mean of ``min(eta, 1 - eta)``."""
        return float(floors_on(self.points) @ self.weights)


_Gain: TypeAlias = Callable[[float], tuple[float, float, float]]


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

    @classmethod
    def on_grid(
        cls, positives: Counts, totals: Counts, counts: Counts | Floats, n_points: int
    ) -> VoteLikelihood:
        """Return the likelihood of votes on a grid of at least so many intervals."""
        if totals.size == 0 or totals.max() < 2:
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
            n_points, np.arange(n_points + 1), series[:, :rank], matrix,
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
        return floors_on(self.points)

    @cached_property
    def factors(self) -> tuple[Floats, Floats] | None:
        """Cells by cosines and cosines by points, if that is fewer than there are cells."""
        if self.series.shape[1] >= self.share.size:
            return None
        angles = np.pi * self.kept / self.size
        return self.series, np.cos(np.outer(np.arange(self.series.shape[1]), angles))

    def reference(self) -> Floats:
        """Return weights half arcsine, half the beta distribution with the votes' moments."""
        k, m = self.positives, self.totals
        mean = min(max(float(self.share @ (k / m)), 1e-3), 1 - 1e-3)
        pairs = np.where(m > 1, self.share, 0.0)
        disagree = float(pairs @ (k * (m - k) / np.maximum(m * (m - 1.0), 1.0)) / pairs.sum())
        # E[eta (1 - eta)] / (mean (1 - mean)) is s / (s + 1) for a beta with parameters adding
        # up to s. Kept within bounds: votes may agree always, or more than any G allows.
        ratio = min(max(disagree / (mean * (1 - mean)), 0.01), 0.995)
        size = ratio / (1 - ratio)
        beta = beta_weights(mean * size, (1 - mean) * size, self.size)
        return ((arcsine_weights(self.size) + beta) / 2)[self.kept]

    def fit(self, penalty: float, start: Floats | None = None) -> tuple[Mixture, Floats]:
        """Maximise mean log-likelihood minus penalty times relative entropy to the reference.

        Returns the dual weights as well, which start the next fit on a finer grid.
        """
        reference = self.reference()
        first = 0.1 if start is None else 100 * penalty
        if start is None:
            start = self.share / (self.matrix @ reference)
        dual, weights = self._anneal(
            start, np.log(reference), np.zeros_like(reference), _log_gain, first, penalty
        )
        fitted = self.matrix @ weights
        # Mean log-likelihood is concave in G, so what is left to gain is at most its slope
        # towards the best single point.
        gap = supremum((self.share / fitted) @ self.series, 0.0) - 1
        log_likelihood = float(self.share @ np.log(fitted))
        return Mixture(self.points, weights, max(gap, 0.0), log_likelihood), dual

    def coin_flip_loss(self, fit: Mixture) -> float:
        """Return the mean log-likelihood that is lost if every item is a coin flip."""
        # In logarithms: from some 1,000 votes on, probabilities far from 1/2 are too small.
        coin = log_binomial(self.positives, self.totals, np.array([0.5]))[:, 0]
        return fit.log_likelihood - float(self.share @ coin)

    def lower_limit(self, target: Floats, fit: Mixture, choose: float, use: float) -> float:
        """Bound the mean of `target` over G with likelihood within `use` of the maximum.

        The weights of the bound are the best ones for the region within `choose`.
        """
        entropy = float(self.share @ np.log(self.share))
        best = fit.log_likelihood - entropy
        # The scale of the weights is that of (change in floor) / (change in log-likelihood).
        scale = 0.3 / np.sqrt(2 * choose)
        start = scale * self.share / (self.matrix @ fit.weights)
        arcsine = np.log(arcsine_weights(self.size))
        weights, _ = self._anneal(
            start, arcsine, target, _root_gain(best - choose), 0.1, _SMOOTHING
        )
        shifted = self._best_shift(weights, best - use)
        sign = 1.0 if target.max() > 0 else -1.0
        return shifted - supremum(weights @ self.series, sign)

    def _best_shift(self, weights: Floats, offset: float) -> float:
        """Maximise over a the dual value of weights raised by a in every cell, minus a.

        Cells of one total raised together raise P by a constant, so its supremum is known.
        """
        ratio = weights / self.group_share
        offset += float(self.share @ np.log(self.group_share))
        # Cells that no item is in have weight 0 and may not fall below it.
        complete = self.share.size == sum(int(m) + 1 for m in np.unique(self.totals))
        least = -float(ratio.min()) if complete else 0.0
        mean = float(self.share @ ratio)
        spread = float(np.sqrt(self.share @ (ratio - mean) ** 2))
        best = _dual_value(ratio, self.share, offset)
        gap = max(spread * np.sqrt(self.n) - mean - least, spread, 1e-12)
        # The value is concave in the shift; a few narrowing scans on a log scale suffice.
        logs = np.log(gap) + np.linspace(-8.0, 4.0, 49)
        for _ in range(3):
            shifts = least + np.exp(logs)
            values = _shifted_values(ratio, self.share, offset, shifts)
            top = int(values.argmax())
            best = max(best, float(values[top]))
            step = logs[1] - logs[0]
            logs = logs[top] + np.linspace(-step, step, 21)
        return best

    def _anneal(
        self,
        start: Floats,
        log_reference: Floats,
        target: Floats,
        gain: Callable[[float], _Gain],
        first: float,
        last: float,
    ) -> tuple[Floats, Floats]:
        """Solve at falling temperatures, each from where the two before point to."""
        starts = [start]
        temperature, before = max(first, last), None
        while True:
            final = temperature <= last
            weights, density = self._newton(
                starts, log_reference, target, gain(temperature), temperature,
                1e-9 if final else 1e-3,
            )  # fmt: skip
            if final:
                return weights, density
            cooler = temperature / 10 if temperature > 20 * last else last
            starts = [weights]
            if before is not None:
                slope = (weights - before[0]) / (temperature - before[1])
                ahead = weights + slope * (cooler - temperature)
                starts.append(np.maximum(ahead, 0.2 * weights))
            before, temperature = (weights, temperature), cooler

    def _newton(
        self,
        starts: list[Floats],
        log_reference: Floats,
        target: Floats,
        gain: _Gain,
        temperature: float,
        tolerance: float,
    ) -> tuple[Floats, Floats]:
        """Maximise ``gain(weights) - temperature * log sum exp((P - target) / temperature)``.

        This is the dual of maximising likelihood (or the target's mean, over a likelihood region)
        minus temperature times relative entropy: concave, with one variable a cell, and the
        primal weights of the grid come out as the softmax.
        """
        share = self.share

        def value(weights: Floats) -> tuple[float, float, float, Floats]:
            height = log_reference + (weights @ self.matrix - target) / temperature
            top = height.max()
            density = np.exp(height - top)
            total = density.sum()
            gained, slope, bend = gain(float(share @ np.log(weights)))
            return gained - temperature * (top + np.log(total)), slope, bend, density / total

        weights, (best, slope, bend, density) = max(
            ((start, value(start)) for start in starts), key=lambda pair: pair[1][0]
        )
        last_rise = np.inf
        for _ in range(100):
            expected = weights * (self.matrix @ density)
            gradient = slope * share - expected
            if np.abs(gradient / share).max() < tolerance * slope:
                break
            move = self._newton_step(weights, density, gradient, expected, slope, bend, temperature)
            rise = float(gradient @ move)
            if rise < 1e-13 and not rise < last_rise / 4:  # Newton has stalled on rounding
                break
            last_rise = rise
            length = min(1.0, 0.9 / max(-float(move.min()), 0.9))  # weights stay positive
            new = value(weights * (1 + length * move))
            while not new[0] >= best + 0.1 * length * rise - 1e-14 and length > 1e-8:
                length /= 2
                new = value(weights * (1 + length * move))
            if length <= 1e-8:  # rounding: nothing is left to gain
                break
            weights = weights * (1 + length * move)
            best, slope, bend, density = new
        return weights, density

    def _newton_step(
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
            return _solve(hessian, gradient)
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
        inner = _solve(system, middle @ (scaled @ gradient))
        return (gradient - outer @ inner) / (slope * self.share)


def _solve(hessian: Floats, gradient: Floats) -> Floats:
    try:
        step = np.linalg.solve(hessian, gradient)
    except np.linalg.LinAlgError:
        # With very many items the common scale of the weights is free up to rounding.
        step = np.linalg.lstsq(hessian, gradient, rcond=None)[0]
    return np.asarray(step, dtype=np.float64)


def _log_gain(temperature: float) -> _Gain:
    """Gain of the dual of maximum likelihood: value, slope and bend at a mean log weight."""
    return lambda mean_log: (mean_log, 1.0, 0.0)


def _root_gain(offset: float) -> Callable[[float], _Gain]:
    """Gain of the dual over a likelihood region: a geometric mean, and a barrier that keeps it > 0.

    The multiplier of the likelihood has been eliminated; it is the geometric mean itself.
    """

    def at(temperature: float) -> _Gain:
        def gain(mean_log: float) -> tuple[float, float, float]:
            multiplier = float(np.exp(mean_log + offset))
            return multiplier + temperature * mean_log, multiplier + temperature, multiplier

        return gain

    return at


def _dual_value(ratio: Floats, share: Floats, offset: float) -> float:
    return float(np.exp(offset + share @ np.log(ratio)))


def _shifted_values(ratio: Floats, share: Floats, offset: float, shifts: Floats) -> Floats:
    values: Floats = np.exp(offset + np.log(ratio + shifts[:, None]) @ share) - shifts
    return values
