"""The distribution behind votes for two classes: on a grid of probabilities, a line.

Item i has an unknown probability of a positive vote, drawn from a distribution G on [0, 1], and
its votes are binomial. The floor is the mean of min(eta, 1 - eta) under G. Suprema of polynomials
are taken over all of [0, 1], so that the grid can cost sharpness but never validity.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.fft import dct
from scipy.special import betainc, gammaln, xlog1py, xlogy

from errorfloor._typing import Counts, Floats
from errorfloor.methods.votes.aims import ONE_VOTE, Aim
from errorfloor.methods.votes.dual import TIE_BREAK, Likelihood

_PROMISED_GAP = 1e-6
_SHARP_POINTS, _MOST_POINTS = 4096, 16384
# Entries of the likelihood's matrix, beyond which the grid is not made finer.
_MOST_ENTRIES = 2**24


def grid(n_points: int) -> Floats:
    """Return points equally spaced in arcsin(sqrt(eta)), with 0, 1/2 and 1 exact."""
    # Half of the points mirrored, so that swapping the classes changes no bit.
    half = np.sin(np.pi * np.arange(n_points // 2) / (2 * n_points)) ** 2
    return np.concatenate((half, [0.5], 1 - half[::-1]))


@lru_cache(maxsize=8)
def _on_grid(aim: Aim, size: int) -> tuple[Floats, float]:
    """Return the values of what is bounded on a grid, and how much it bends between points."""
    return aim(grid(size)), aim.bend_on(np.pi * np.arange(size + 1) / size)


def arcsine_weights(n_points: int) -> Floats:
    """Return the weights of the arcsine distribution on a grid."""
    weights = np.full(n_points + 1, 1 / n_points)
    weights[[0, -1]] /= 2
    return weights


def binomial(
    positives: Counts, totals: Counts, points: Floats, log_orders: Floats | None = None
) -> Floats:
    """Return the chances of the cells' votes, one row a cell, one column a point.

    They are binomial, unless a rule that stops allows some orders of the votes only.
    """
    logs = log_binomial(positives, totals, points, log_orders)
    return np.exp(logs, out=logs)


def log_binomial(
    positives: Counts, totals: Counts, points: Floats, log_orders: Floats | None = None
) -> Floats:
    """Return the logarithms of these chances."""
    k, m = positives[:, None].astype(np.float64), totals[:, None].astype(np.float64)
    # In place, as there may be many cells and points.
    logs: Floats = xlogy(k, points)
    if log_orders is None:
        logs += gammaln(m + 1) - gammaln(k + 1) - gammaln(m - k + 1)
    else:
        logs += log_orders[:, None]
    logs += xlog1py(m - k, -points)
    return logs


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
    # second derivative. The kink of the floor is a grid point; its bend next to it is known. A
    # cosine polynomial exceeds its largest value on the grid at most by the cosine's factor.
    bend = np.abs(evaluate(series * np.arange(series.size) ** 2.0, size)).max()
    bend /= np.cos(series.size * step / 2)
    top = fine.max()
    if not sign:
        return float(top + step**2 / 8 * bend)
    for kink in aim.kinks:  # a point of its own, so that there is none between neighbours
        angle = np.arccos(1 - 2 * kink)
        at_kink = series @ np.cos(np.arange(series.size) * angle)
        top = max(top, at_kink - sign * float(aim(np.array([kink]))[0]))
    return float(top + step**2 / 8 * (bend + abs(sign) * own_bend))


def evaluate(series: Floats, size: int) -> Floats:
    """Return a cosine series at the points of a grid."""
    padded = np.zeros(size + 1)
    padded[: series.size] = series / 2
    padded[0] = series[0]
    values: Floats = dct(padded, type=1)
    return values


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
        return float(self.target(self.points) @ self.weights)


@dataclass(frozen=True, kw_only=True)
class VoteLikelihood(Likelihood):
    """The likelihood of a table of votes for two classes, on a grid."""

    positives: Counts
    totals: Counts
    size: int  # intervals of the grid
    kept: NDArray[np.intp]  # which of its points are in use
    series: Floats  # cosine coefficients of the binomial probabilities, cells by cosines
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
        of_total = np.bincount(group, counts, distinct.size) / n
        points = grid(n_points)
        matrix = binomial(positives, totals, points)
        series = cosines(matrix, min(int(totals.max()), n_points))
        rank = int(np.flatnonzero(np.abs(series).max(axis=0) > 1e-15).max()) + 1
        return cls(
            n=n,
            share=counts / n,
            within=of_total[group],
            matrix=matrix,
            complete=positives.size == int(distinct.sum()) + distinct.size,
            points=points,
            floor=target(points),
            positives=positives,
            totals=totals,
            size=n_points,
            kept=np.arange(n_points + 1),
            series=series[:, :rank],
            target=target,
        )

    def aimed(self, aim: Aim) -> VoteLikelihood:
        """Return the same with another function of the probabilities to be bounded."""
        return replace(self, target=aim, floor=aim(self.points))

    def refined(self, fit: Mixture) -> VoteLikelihood:
        """Return the likelihood on a grid twice as fine, without points that can get no weight."""
        size = 2 * self.size
        slope = evaluate((self.share / (self.matrix @ fit.weights)) @ self.series, size) - 1
        # A point with this slope has a weight of exp(-1000) relative to the reference.
        kept = np.flatnonzero(slope > -1e4 * TIE_BREAK)
        points = grid(size)[kept]
        matrix = binomial(self.positives, self.totals, points)
        return replace(
            self, size=size, kept=kept, matrix=matrix, points=points, floor=self.target(points)
        )

    @property
    def log_arcsine(self) -> Floats:
        """Logarithms of the arcsine distribution's weights."""
        return np.log(arcsine_weights(self.size)[self.kept])

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
        edges = np.sin(np.pi * (np.arange(self.size) + 0.5) / (2 * self.size)) ** 2
        below = betainc(mean * size, (1 - mean) * size, edges)
        beta = np.diff(below, prepend=0.0, append=1.0)
        mixed = arcsine * arcsine_weights(self.size) + (1 - arcsine) * beta
        return np.asarray(mixed[self.kept])

    def fitted(self, penalty: float) -> Floats:
        """Return weights of the points that make the votes likeliest."""
        return self.maximised(penalty, self.reference())[1]

    def fit(
        self, penalty: float, start: Floats | None = None, arcsine: float = 0.5
    ) -> tuple[Mixture, Floats]:
        """Return the distribution that makes the votes likeliest, less penalised entropy.

        Also the dual weights, which start the next fit on a finer grid.
        """
        first = 0.1 if start is None else 100 * penalty
        dual, weights = self.maximised(penalty, self.reference(arcsine), start, first)
        fitted = self.matrix @ weights
        # Mean log-likelihood is concave in G, so what is left to gain is at most its slope
        # towards the best single point.
        gap = supremum((self.share / fitted) @ self.series, 0.0) - 1
        log_likelihood = float(self.share @ np.log(fitted))
        return Mixture(self.points, weights, max(gap, 0.0), log_likelihood, self.target), dual

    def sharpened(self, fit: Mixture) -> Mixture:
        """Return the fit with a sharper bound of what is left to gain."""
        slope = (self.share / (self.matrix @ fit.weights)) @ self.series
        gap = max(supremum(slope, 0.0, finer=8) - 1, 0.0)
        return replace(fit, gap=min(gap, fit.gap))

    def log_chances(self, p: float) -> Floats:
        """Return the logarithm of each cell's chance if every item has this probability."""
        # In logarithms: from some 1,000 votes on, probabilities far from 1/2 are too small.
        return log_binomial(self.positives, self.totals, np.array([p]))[:, 0]


def fit_mixture(
    positives: Counts,
    totals: Counts,
    counts: Counts | Floats,
    *,
    penalty: float = 0.0,
    arcsine: float = 0.5,
    n_points: int = 512,
    target: Aim = ONE_VOTE,
    part: bool = False,
) -> Mixture:
    """Fit the distribution behind votes by nonparametric maximum likelihood.

    At m votes per item the likelihood sees m moments of G, so many G reach its maximum. Of these
    the one closest in relative entropy to a reference is returned. The reference is half the
    arcsine (Jeffreys) distribution, half the beta distribution that has the mean and the pairwise
    disagreement of the votes, unless `arcsine` says otherwise.

    Parameters
    ----------
    positives, totals, counts : array of shape (cells,)
        Distinct pairs of votes and the number of items that have each, or is expected to.
    penalty : float
        How many items' worth of log-likelihood one unit of relative entropy to the reference
        costs. Zero is maximum likelihood. About 2 halves the standard error at five to ten votes
        for smooth G, and biases G that are single points.
    arcsine : float
        Share of the arcsine distribution in the reference.
    n_points : int
        Grid intervals to start from, a power of two; doubled, where it matters,
        until the gap is at most 1e-6.
    target : Aim
        What the floor is the mean of, and for which label; it does not change the fit.
    part : bool
        Whether these are some of the items, which may have single votes only.

    Returns
    -------
    Mixture

    References
    ----------
    .. [1] J. Kiefer and J. Wolfowitz, Ann. Math. Statist. 27, 1956.
    .. [2] B. Lindsay, Ann. Statist. 11, 1983 (the gradient bounds the likelihood still to gain).
    .. [3] R. Koenker and I. Mizera, JASA 109, 2014 (convex solvers in place of EM).

    Examples
    --------
    >>> import numpy as np
    >>> fit = fit_mixture(np.array([0, 1, 2]), np.array([2, 2, 2]), np.array([375, 250, 375]))
    >>> round(fit.floor, 4)  # a quarter disagree, as under the arcsine distribution: 1/2 - 1/pi
    0.1817
    """
    votes = VoteLikelihood.on_grid(positives, totals, counts, n_points, target=target, part=part)
    fit, dual = votes.fit(max(penalty / votes.n, TIE_BREAK), arcsine=arcsine)
    best, in_vain = fit, 2 if penalty else 0
    while best.gap > _PROMISED_GAP and votes.size < _MOST_POINTS and in_vain < 2:
        if 2 * votes.matrix.size > _MOST_ENTRIES:
            break
        votes = votes.refined(fit)
        fit, dual = votes.fit(TIE_BREAK, dual)
        if fit.gap > _PROMISED_GAP and votes.size >= _SHARP_POINTS:
            # With many votes, most of a small gap is what the bound of the supremum adds.
            fit = votes.sharpened(fit)
        # Points of a finer grid may lie worse by chance; the next ones rarely do as well.
        in_vain = 0 if fit.gap < best.gap else in_vain + 1
        best = min(best, fit, key=lambda one: one.gap)
    return best
