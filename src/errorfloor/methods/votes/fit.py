"""Fit the distribution behind votes by nonparametric maximum likelihood.

Item i has an unknown probability of a positive vote, drawn from a distribution G on [0, 1], and
its votes are binomial. The floor is the mean of min(eta, 1 - eta) under G.
"""

from __future__ import annotations

from errorfloor._typing import Counts, Floats
from errorfloor.methods.votes.aims import Aim
from errorfloor.methods.votes.likelihood import TIE_BREAK, Mixture, VoteLikelihood
from errorfloor.methods.votes.target import ONE_VOTE

__all__ = ["Mixture", "fit_mixture"]

_PROMISED_GAP = 1e-6
_SHARP_POINTS, _MOST_POINTS = 4096, 16384
# Entries of the likelihood's matrix, beyond which the grid is not made finer.
_MOST_ENTRIES = 2**24


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
    return fit if penalty else _refined(votes, fit, dual)


def _refined(votes: VoteLikelihood, fit: Mixture, dual: Floats) -> Mixture:
    """Return the fit on finer grids until it is as good as promised."""
    best, in_vain = fit, 0
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
