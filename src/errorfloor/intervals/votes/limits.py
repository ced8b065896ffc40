"""Limits of the floor behind votes: over likely distributions, and over all that agree.

Both end in the same certificate. For any cell weights v the polynomial
``P(eta) = sum(v * Binomial(cell; eta))`` gives ``floor(eta) >= P(eta) - sup(P - floor)``, so the
mean of v over items bounds the floor from below whatever G is. The supremum is taken over the
whole of [0, 1], so the grid on which weights are sought can cost sharpness but never validity.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from scipy.special import chdtri

from errorfloor._typing import Counts, Floats
from errorfloor.intervals.votes.band import Band
from errorfloor.methods.record import VOTES_DECIDE, Options
from errorfloor.methods.votes.aims import Aim
from errorfloor.methods.votes.joint import JointLikelihood
from errorfloor.methods.votes.likelihood import TIE_BREAK, VoteLikelihood

_Cells: TypeAlias = tuple[Counts, Counts, Counts | Floats]

# Share of the error probability that the likelihood region may use; the rest is reserve for what
# the chi-square limit leaves out. Two votes leave a wide range of floors open, so at most one of
# the two limits can miss and little reserve is needed.
LIKELIHOOD_SHARE_OF_TWO, LIKELIHOOD_SHARE = 0.9, 0.5


def likelihood_limits(
    positives: Counts,
    totals: Counts,
    counts: Counts | Floats,
    *,
    level: float = 0.95,
    n_points: int = 256,
    options: Options | None = None,
    with_band: bool = True,
) -> tuple[float, float]:
    """Return limits of the floor over the distributions that the votes make likely.

    The lower limit bounds the floor of every G whose log-likelihood is within half a chi-square
    quantile (one degree of freedom) of the maximum, from below; the upper limit likewise. The
    bound is the certificate of the module's docstring. Its weights are chosen at a larger region
    (four degrees of freedom, or as many as votes), where they follow the noise of the votes less:
    chosen at the same region they would give the plain profile likelihood interval, which covers
    too seldom when G has an atom at 1/2 or two atoms close to it. For the same reason 1/2 is the
    upper limit whenever "every item is a coin flip" lies in the larger region. The same holds for
    metrics that are other means over items, with the hardest item in place of a coin flip. The
    lower limit is never below the certified one.

    Parameters
    ----------
    positives, totals, counts : array of shape (cells,)
        Distinct pairs of votes and the number of items that have each, or is expected to.
    level : float
        Confidence level, checked by simulation; there is no finite-sample proof.
    n_points : int
        Grid intervals, a power of two.
    options : Options, optional
        Which label the floor is for, and why totals differ. Where votes decided when to stop, the
        likelihood is what it would be without; the certified limit is left out unless the rule is
        declared. Where the item did, each total has a distribution of its own, and the limits are
        those of one joint problem: the pairs (positives, total) are one multinomial sample.
    with_band : bool
        Whether the certified limit bounds the lower one; of numbers that are no counts it cannot.

    Returns
    -------
    low, high : float

    References
    ----------
    .. [1] N. Ignatiadis and S. Wager, JASA 117, 2022 (limits that allow for what votes cannot
       tell, affine in the data).
    """
    options = options or Options()
    aim = _aim_of(options)
    cells = positives, totals, counts
    most = int(totals.max())
    freedom = min(4, most)  # m votes have no more than m moments to be wrong about
    share = LIKELIHOOD_SHARE_OF_TWO if most == 2 else LIKELIHOOD_SHARE
    n = float(counts.sum())
    use = float(chdtri(1, share * (1 - level))) / (2 * n)
    # At low levels the larger region would be the smaller one, and limits would not nest.
    choose = max(float(chdtri(freedom, 1 - level)) / (2 * n), use)
    apart = options.by_item and np.unique(totals).size > 1
    limits = _limits_apart if apart else _limits_of_one
    low, high, value = limits(cells, aim, n_points, choose, use)
    # Where votes agree less than any G allows, the certified limit is the sharper one.
    if with_band and (options.totals_by != VOTES_DECIDE or options.rule is not None):
        sure = Band.around(*cells, level, n_points, options)
        low = max(low, sure.lower_limit(1.0))
    least, largest = aim.span
    return max(min(low, value), least), min(max(high, value), largest)


def _aim_of(options: Options) -> Aim:
    assert options.aim is not None, "the metric is no mean over items"
    return options.aim


def _limits_of_one(
    cells: _Cells, target: Aim, n_points: int, choose: float, use: float
) -> tuple[float, float, float]:
    """Return the limits of one distribution for all items, and its floor."""
    votes = VoteLikelihood.on_grid(*cells, n_points, target=target)
    fit, _ = votes.fit(min(TIE_BREAK, 0.05 / votes.n))
    low, high = votes.lower_limit(1.0, fit, choose, use), target.span[1]
    if votes.coin_flip_loss(fit) > choose:
        high = -votes.lower_limit(-1.0, fit, choose, use)
    return low, high, fit.floor


def _limits_apart(
    cells: _Cells, target: Aim, n_points: int, choose: float, use: float
) -> tuple[float, float, float]:
    """Return the limits where each total has a distribution of its own, and the floor of all."""
    votes = JointLikelihood.on_grids(*cells, n_points, target=target)
    fits = votes.fits(min(TIE_BREAK, 0.05 / votes.n))
    low, high = votes.lower_limit(1.0, fits, choose, use), target.span[1]
    if votes.coin_flip_loss(fits) > choose:
        high = -votes.lower_limit(-1.0, fits, choose, use)
        flipped = votes.with_coin_flips(fits, choose, n_points)
        if flipped is not None:
            fits_of = flipped.fits(min(TIE_BREAK, 0.05 / votes.n))
            high = max(high, -flipped.lower_limit(-1.0, fits_of, choose, use))
    return low, high, float(votes.sizes @ [fit.floor for fit in fits])


def certified_limits(
    positives: Counts,
    totals: Counts,
    counts: Counts | Floats,
    *,
    level: float = 0.95,
    n_points: int = 256,
    options: Options | None = None,
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
    options : Options, optional
        Which label the floor is for, and why totals differ. Where the item decided, the sets are
        of pairs with one total, and the totals that occur are taken for all that can. Where votes
        did, by a declared rule, a pair's law is (orders that the rule allows) eta^k
        (1 - eta)^(m - k).

    Returns
    -------
    low, high : float

    References
    ----------
    .. [1] W. Hoeffding, Ann. Math. Statist. 27, 1956, theorem 4.
    .. [2] C. Clopper and E. Pearson, Biometrika 26, 1934.
    """
    band = Band.around(positives, totals, counts, level, n_points, options)
    low, high = band.lower_limit(1.0), -band.lower_limit(-1.0)
    least, largest = _aim_of(options or Options()).span
    return max(low, least), min(high, largest)
