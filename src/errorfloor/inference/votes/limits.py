"""Limits of the floor behind votes: over likely distributions, and over all that agree.

Both end in the same certificate. For any cell weights v the polynomial
``P(eta) = sum(v * Binomial(cell; eta))`` gives ``floor(eta) >= P(eta) - sup(P - floor)``, so the
mean of v over items bounds the floor from below whatever G is. The supremum is taken over the
whole of [0, 1], so the grid on which weights are sought can cost sharpness but never validity.
"""

from __future__ import annotations

from scipy.special import chdtri

from errorfloor._typing import Counts, Floats
from errorfloor.inference.votes.band import Band
from errorfloor.methods.votes.grid import floors_on, grid
from errorfloor.methods.votes.likelihood import TIE_BREAK, VoteLikelihood

# Share of the error probability that the likelihood region may use; the rest is reserve for what
# the chi-square limit leaves out. Two votes leave a wide range of floors open, so at most one of
# the two limits can miss and little reserve is needed.
_LIKELIHOOD_SHARE_OF_TWO, _LIKELIHOOD_SHARE = 0.9, 0.5


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
    low = max(low, sure.lower_limit(floors_on(grid(sure.size))))
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
    floor = floors_on(grid(band.size))
    low, high = band.lower_limit(floor), -band.lower_limit(-floor)
    return max(low, 0.0), min(high, 0.5)
