"""The distribution behind annotator votes: its likelihood, its floor, and what votes cannot tell.

Item i has an unknown probability of a positive vote, drawn from a distribution G on [0, 1], and
its votes are binomial. The floor is the mean of min(eta, 1 - eta) under G. Three things are
computed from the table of distinct (positives, total) pairs:

- `fit_mixture`: a G of maximum likelihood, the one closest to a reference where many are equal;
- `likelihood_limits`: a practical interval, the floors of all G that the votes make likely;
- `certified_limits`: an interval valid for every G and any number of votes.

Both intervals end in the same certificate. For any cell weights v the polynomial
``P(eta) = sum(v * Binomial(cell; eta))`` gives ``floor(eta) >= P(eta) - sup(P - floor)``, so the
mean of v over items bounds the floor from below whatever G is. The supremum is taken over the
whole of [0, 1], so the grid on which weights are sought can cost sharpness but never validity.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from scipy.special import chdtri

from errorfloor._typing import Counts, Floats
from errorfloor._vote_band import Band
from errorfloor._vote_grid import grid, tent
from errorfloor._vote_likelihood import TIE_BREAK, Mixture, VoteLikelihood
from errorfloor.tables import VoteTable

__all__ = ["Mixture", "VoteLimits", "certified_limits", "fit_mixture", "likelihood_limits"]

_PROMISED_GAP = 1e-6
_MOST_POINTS = 16384
# Share of the error probability that the likelihood region may use; the rest is reserve for what
# the chi-square limit leaves out. Two votes leave a wide range of floors open, so at most one of
# the two limits can miss and little reserve is needed.
_LIKELIHOOD_SHARE_OF_TWO, _LIKELIHOOD_SHARE = 0.9, 0.5


def fit_mixture(
    positives: Counts,
    totals: Counts,
    counts: Counts | Floats,
    *,
    penalty: float = 0.0,
    n_points: int = 512,
) -> Mixture:
    """Fit the distribution behind votes by nonparametric maximum likelihood.

    At m votes an item the likelihood sees m moments of G, so many G reach its maximum. Of these
    the one closest in relative entropy to a reference is returned. The reference is half the
    arcsine (Jeffreys) distribution, half the beta distribution that has the mean and the pairwise
    disagreement of the votes.

    Parameters
    ----------
    positives, totals, counts : array of shape (cells,)
        Distinct pairs of votes and the number of items that have each, or is expected to.
    penalty : float
        How many items' worth of log-likelihood one unit of relative entropy to the reference
        costs. Zero is maximum likelihood. About 2 halves the standard error at five to ten votes
        for smooth G, and biases G that are single points.
    n_points : int
        Grid intervals to start from, a power of two; doubled, where it matters,
        until the gap is at most 1e-6.

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
    votes = VoteLikelihood.on_grid(positives, totals, counts, n_points)
    fit, dual = votes.fit(max(penalty / votes.n, TIE_BREAK))
    while penalty == 0 and fit.gap > _PROMISED_GAP and votes.size < _MOST_POINTS:
        votes = votes.refined(fit)
        finer, dual = votes.fit(TIE_BREAK, dual)
        if finer.gap >= fit.gap:
            break
        fit = finer
    return fit


def likelihood_limits(
    positives: Counts,
    totals: Counts,
    counts: Counts | Floats,
    *,
    level: float = 0.95,
    n_points: int = 256,
) -> tuple[float, float]:
    """Return limits of the floor over the distributions that the votes make likely.

    The lower limit bounds the floor of every G whose log-likelihood is within half a chi-square
    quantile (one degree of freedom) of the maximum, from below; the upper limit likewise. The
    bound is the certificate of the module's docstring. Its weights are chosen at a larger region
    (four degrees of freedom, or as many as votes), where they follow the noise of the votes less:
    chosen at the same region they would give the plain profile likelihood interval, which covers
    too seldom when G has an atom at 1/2 or two atoms close to it. For the same reason 1/2 is the
    upper limit whenever "every item is a coin flip" lies in the larger region. The
    lower limit is never below the certified one.

    Parameters
    ----------
    positives, totals, counts : array of shape (cells,)
        Distinct pairs of votes and the number of items that have each, or is expected to.
    level : float
        Confidence level, checked by simulation; there is no finite-sample proof.
    n_points : int
        Grid intervals, a power of two.

    Returns
    -------
    low, high : float

    References
    ----------
    .. [1] N. Ignatiadis and S. Wager, JASA 117, 2022 (limits that allow for what votes cannot
       tell, affine in the data).
    """
    votes = VoteLikelihood.on_grid(positives, totals, counts, n_points)
    fit, _ = votes.fit(min(TIE_BREAK, 0.05 / votes.n))
    most = int(totals.max())
    freedom = min(4, most)  # m votes have no more than m moments to be wrong about
    share = _LIKELIHOOD_SHARE_OF_TWO if most == 2 else _LIKELIHOOD_SHARE
    choose = float(chdtri(freedom, 1 - level)) / (2 * votes.n)
    use = float(chdtri(1, share * (1 - level))) / (2 * votes.n)
    low = votes.lower_limit(votes.floor, fit, choose, use)
    # Where votes agree less than any G allows, the certified limit is the sharper one.
    sure = Band.around(positives, totals, counts, level, n_points)
    low = max(low, sure.lower_limit(tent(grid(sure.size))))
    high = 0.5
    if votes.coin_flip_loss(fit) > choose:
        high = -votes.lower_limit(-votes.floor, fit, choose, use)
    return max(min(low, fit.floor), 0.0), min(max(high, fit.floor), 0.5)


def certified_limits(
    positives: Counts,
    totals: Counts,
    counts: Counts | Floats,
    *,
    level: float = 0.95,
    n_points: int = 256,
) -> tuple[float, float]:
    """Return limits of the floor over every distribution whose votes agree with the data.

    The share of items in each of a few fixed sets of (positives, total) pairs gets an exact
    binomial interval, at levels that add up to `level`; two linear programs find the smallest and
    largest floor of a G with all shares inside. With unequal totals the number of items in a set
    is a sum of unequal Bernoulli variables, whose tails are no heavier than the binomial's [1]_;
    so one band serves all totals. Valid for every G, any number of items and votes.

    Parameters
    ----------
    positives, totals, counts : array of shape (cells,)
        Distinct pairs of votes and the number of items that have each, or is expected to.
    level : float
        Confidence level.
    n_points : int
        Grid intervals of the linear programs, a power of two.

    Returns
    -------
    low, high : float

    References
    ----------
    .. [1] W. Hoeffding, Ann. Math. Statist. 27, 1956, theorem 4.
    .. [2] C. Clopper and E. Pearson, Biometrika 26, 1934.
    """
    band = Band.around(positives, totals, counts, level, n_points)
    floor = tent(grid(band.size))
    low, high = band.lower_limit(floor), -band.lower_limit(-floor)
    return max(low, 0.0), min(high, 0.5)


@dataclass(frozen=True, slots=True, eq=False)
class VoteLimits:
    """Limits of the floor behind a vote table, at any level."""

    method: str  # "likelihood" or "certified"
    value: float  # the estimate, which limits never leave out
    table: VoteTable = field(repr=False)

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        limits = certified_limits if self.method == "certified" else likelihood_limits
        table = self.table
        low, high = limits(table.positives, table.totals, table.counts, level=level)
        return min(low, self.value), max(high, self.value)
