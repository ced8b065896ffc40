"""How far estimates stray from their mean, by sampling alone: of the error, and other metrics."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from errorfloor._checks import as_flag, check_level, refuse
from errorfloor._typing import Counts, Floats
from errorfloor.bounds.bias import (
    FloatOrFloats,
    any_bias,
    as_numbers_that,
    as_separation,
    as_whole,
    check_shapes,
    plain,
    separated_bias,
)
from errorfloor.methods.votes.share_bias import lost_by_votes


def soft_label_deviation(n: object, level: float = 0.95) -> FloatOrFloats:
    """Bound the distance from the mean of n clean soft labels' minorities to the floor.

    Parameters
    ----------
    n : int or array-like
        Number of items, at least 1.
    level : float
        Probability that the bound holds, strictly between 0 and 1.

    Returns
    -------
    float or array of the same shape
        ``sqrt(log(2 / (1 - level)) / (8 n))``.

    References
    ----------
    .. [1] W. Hoeffding, J. Am. Stat. Assoc. 58, 1963; the paper, section 2.1.

    Examples
    --------
    >>> round(soft_label_deviation(10_000), 6)
    0.006791
    """
    return plain(_hoeffding(as_whole(n, "n"), check_level(level), width=0.5))


def votes_deviation(
    n: object, m: object, level: float = 0.95, *, separation: object = None, sharp: bool = False
) -> FloatOrFloats:
    """Bound the distance from the plug-in of n items with m votes each to the floor.

    Parameters
    ----------
    n : int or array-like
        Number of items, at least 1.
    m : int or array-like
        Votes on each item, at least 1.
    level : float
        Probability that the bound holds, strictly between 0 and 1.
    separation : float or array-like, optional
        Every item's true probability is at least this far from 1/2; in (0, 0.5].
    sharp : bool
        Use what the paper's proof leaves unused: an item's term lies in [0, 1/2], not [0, 1],
        which halves the first part, and the largest bias is known exactly.

    Returns
    -------
    float or array of the common shape
        ``sqrt(log(2 / (1 - level)) / (2 n))`` plus ``sqrt(pi / 2m)``, or plus
        `separated_bias_bound` when `separation` is given.

    References
    ----------
    .. [1] The paper, appendix B, corollary on statistical consistency, parts 1 and 2.

    Examples
    --------
    >>> round(votes_deviation(10_000, 50), 6)
    0.190826
    >>> round(votes_deviation(10_000, 50, separation=0.4), 6)
    0.015831
    >>> round(votes_deviation(10_000, 50, separation=0.4, sharp=True), 6)
    0.006791
    """
    items, votes, chance = as_whole(n, "n"), as_whole(m, "m"), check_level(level)
    c = None if separation is None else as_separation(separation)
    check_shapes(n=items, m=votes, **({} if c is None else {"separation": c}))
    if as_flag(sharp, name="sharp"):
        nearest = np.asarray(0.5 if c is None else 0.5 - c)
        return plain(_hoeffding(items, chance, width=0.5) + lost_by_votes(nearest, votes))
    bias = any_bias(votes) if c is None else separated_bias(c, votes)
    return plain(_hoeffding(items, chance, width=1.0) + bias)


def isotonic_deviation(n: object, level: float = 0.95) -> FloatOrFloats:
    """Bound the distance from the isotonic estimate to the best cut's true error.

    No assumption on the scores; when they order the items as the true probabilities do, the best
    cut's true error is the floor.

    Parameters
    ----------
    n : int or array-like
        Number of items with one label each, at least 1.
    level : float
        Probability that the bound holds, strictly between 0 and 1; below 1e-12 it counts as 1e-12.

    Returns
    -------
    float or array of the same shape
        The `level` quantile of Kuiper's statistic of n uniform numbers, about 1.747 / sqrt(n) at
        0.95. Says nothing from 1/2 on, as neither of the two errors can exceed that.

    Notes
    -----
    The isotonic estimate is the training error of the best cut. Put positive items at their score,
    scaled to (0, 1], and negative ones a unit higher: a cut at t is right on the items in
    (t, t + 1], so no cut's training error is further from its true error than Kuiper's statistic.

    Exact up to n = 1,000. Beyond, with q the quantile of the limit law, q / sqrt(n) - 0.3 / n. The
    exact one is q / sqrt(n) - d / n, where d tends to 1/3 by Kuiper's expansion. Computed for
    levels from 1e-12 to 1 - 1e-15, d lies between 0.31 and 0.62 at n = 1,000 and between 0.329 and
    0.385 at n = 30,000; so the value is a little too large, by less than 0.04 / n at level 0.95.
    This part is checked, not proven.

    References
    ----------
    .. [1] N. Kuiper, "Tests concerning random points on a circle", Indag. Math. 22, 1960.

    Examples
    --------
    >>> round(isotonic_deviation(100), 6)
    0.171223
    >>> round(isotonic_deviation(10_000), 6)
    0.017443
    """
    items, chance = as_whole(n, "n"), max(check_level(level), 1e-12)
    values = [kuiper_quantile(int(item), chance) for item in items.ravel()]
    return plain(np.array(values).reshape(items.shape))


def noisy_isotonic_deviation(
    n: object, noise: object, slope: object, level: float = 0.95
) -> FloatOrFloats:
    """Bound the distance from the isotonic estimate of noisy scores to the floor.

    A score is f(p) plus noise, where p is the item's true probability. The paper's theorem 3 says
    that the distance is of the order of the noise plus n^(-1/3), up to a constant that is not
    given; here all constants are.

    Parameters
    ----------
    n : int or array-like
        Number of items with one label each, at least 1.
    noise : float or array-like
        Standard deviation of the noise of each item, or a number that it does not exceed. The
        noise has mean 0 whatever the item, and tells nothing of the item's label beyond p. For
        the shares of m votes it is at most ``1 / (2 * sqrt(m))``.
    slope : float or array-like
        Smallest slope c of f: for p > q, f(p) - f(q) is at least c (p - q). Above 0.
    level : float
        Probability that the bound holds, strictly between 0 and 1; below 1e-12 it counts as 1e-12.

    Returns
    -------
    float or array of the common shape
        ``noise / slope + isotonic_deviation(n, level)``. The first part is on one side only: with
        the same probability, the estimate is no more than the second part below the floor.

    References
    ----------
    .. [1] The paper, theorem 3. The constants are ours: see "Noisy scores" in the theory.

    Examples
    --------
    The paper's f(p; 2, 0.5) has the smallest slope 1/2, at p = 1/2:

    >>> round(noisy_isotonic_deviation(10_000, 1 / (2 * 100**0.5), 0.5), 6)  # of 100 votes
    0.117443
    """
    spread = as_numbers_that(
        lambda x: x >= 0,
        noise,
        "noise",
        "not be negative",
        "It is a standard deviation; 0 is none.",
    )
    remedy = "Where f is flat somewhere, no bound of this kind holds."
    least = as_numbers_that(lambda x: x > 0, slope, "slope", "be positive", remedy)
    items = as_whole(n, "n")
    check_shapes(n=items, noise=spread, slope=least)
    with np.errstate(over="ignore"):
        return plain(spread / least + np.asarray(isotonic_deviation(items, level)))


def _hoeffding(n: Counts, level: float, *, width: float) -> Floats:
    return np.asarray(width * np.sqrt(np.log(2 / (1 - level)) / (2 * n)))


EXACT_UP_TO = 1000  # items; a quantile there takes about a tenth of a second


@lru_cache(maxsize=4096)
def kuiper_quantile(n: int, level: float) -> float:
    """Return the `level` quantile of the statistic of n uniform numbers.

    Exact up to `EXACT_UP_TO`; beyond, its expansion for large n, a little too large.
    """
    if n == 1:
        return 1.0
    limit = limit_quantile(level) / np.sqrt(n)
    if n > EXACT_UP_TO:
        return float(limit - 0.3 / n)
    from scipy.optimize import brentq

    def excess(v: float) -> float:
        below, above = kuiper_law(v, n)
        return below - level if level < 0.5 else (1 - level) - above

    # The exact quantile is between 5.2 / n below the limit and 0.5 / n above, for every n here.
    low, high = max(1 / n, limit - 6 / n), min(1.0, limit + 1 / n)
    return float(brentq(excess, low, high, xtol=1e-13))


def kuiper_law(v: float, n: int) -> tuple[float, float]:
    """Return P(V <= v) and P(V > v) of Kuiper's statistic V of n >= 2 uniform numbers.

    Both are sums of positive terms, so neither loses digits to the other when it is small.

    Seen from one of the n points on the circle, the i-th of the others is at X_i, and V - 1/n is
    the range of i/n - X_i over i = 0, ..., n - 1. Of the n points exactly one sees its own value as
    the least; hence P(V <= v) = n P(i/n - v + 1/n <= X_i <= i/n for all i) for n - 1 uniforms.
    In units of 1/n those are a Poisson process N of rate 1 given N(n) = n - 1, with N(j) >= j for
    j = 1, ..., n - 1 and N(i - w) < i for all i, where w = n v - 1 = width - h. Steps of h and
    1 - h in turn visit exactly these times, and `state` holds N - j from 0 to width - 1. Mass
    that leaves at the top with `left` points to come stays above the lower line to the end
    with probability 1 - left / (n - time), by the ballot theorem, and belongs to P(V > v).
    """
    from scipy.special import gammaln, xlogy

    width = max(int(np.ceil(n * v - 1)), 1)
    h = width - (n * v - 1)
    jump = np.arange(min(n, 40))  # more than 39 points within 1/n: chance 1e-48
    short, rest = (np.exp(xlogy(jump, x) - x - gammaln(jump + 1)) for x in (h, 1 - h))
    state = np.ones(1)
    lost = np.zeros((2 * n - 1, jump.size))
    for step in range(2 * n - 1):
        state = np.convolve(state, rest)[1:] if step % 2 else np.convolve(state, short)
        out = state[width : width + jump.size]
        lost[step, : out.size] = out
        state = state[:width]

    after = np.arange(2 * n - 1)[:, None]
    start = (after + 1) // 2
    remaining = n - start - h * (after % 2 == 0)
    left = n - 1 - (start + width + jump)
    possible = (left >= 0) & (remaining > left)
    k, t = np.where(possible, left, 0), np.where(possible, remaining, 1.0)
    log_total = xlogy(n - 1, n) - n - gammaln(n)
    arrive = np.exp(xlogy(k, t) - t - gammaln(k + 1) - log_total) * (1 - k / t)
    below = n * state[0] * np.exp(h - 1 - log_total)
    return float(below), float(n * np.sum(lost * arrive, where=possible))


@lru_cache(maxsize=256)
def limit_quantile(level: float) -> float:
    """Return the `level` quantile of sqrt(n) times Kuiper's statistic for large n."""
    from scipy.optimize import brentq

    square = np.arange(1.0, 30.0) ** 2

    def below(x: float) -> float:  # the series of `above` after Poisson summation
        terms = square * np.exp(-(np.pi**2) * square / (2 * x**2))
        return float(np.sqrt(2 * np.pi) * np.pi**2 / x**3 * terms.sum())

    def above(x: float) -> float:
        return float(2 * np.sum((4 * square * x**2 - 1) * np.exp(-2 * square * x**2)))

    if level < 0.5:
        return float(brentq(lambda x: below(x) - level, 0.1, 2.0, xtol=1e-14))
    return float(brentq(lambda x: (1 - level) - above(x), 1.0, 8.0, xtol=1e-14))


# Balanced error and AUC.


def balanced_error_deviation(
    n: object, level: float = 0.95, *, estimated: object = None
) -> FloatOrFloats:
    """Bound the distance from the best balanced error of n clean soft labels to the true one.

    Parameters
    ----------
    n : int or array-like
        Number of items, at least 1.
    level : float
        Probability that the bound holds, strictly between 0 and 1.
    estimated : float or array-like, optional
        The true share of class 1, in (0, 1), where the estimate takes the mean soft label for it.
        Without it the estimate is the min form with a known share.

    Returns
    -------
    float or array of the common shape
        ``sqrt(log(2 / (1 - level)) / (8 n))``; with an estimated share t,
        ``17 / 8 sqrt(2 log(4 / (1 - level)) / (t (1 - t) n))``.

    References
    ----------
    .. [1] R. Ushio, T. Ishida and M. Sugiyama, "Bayes-optimal BER and AUC: estimation and
       evaluation of estimators", 2026.

    Examples
    --------
    >>> round(balanced_error_deviation(10_000), 6)
    0.006791
    >>> round(balanced_error_deviation(10_000, estimated=0.2), 6)
    0.157272
    """
    items, chance = as_whole(n, "n"), check_level(level)
    if estimated is None:
        return plain(_hoeffding(items, chance, width=0.5))
    share = _as_share(estimated, "estimated")
    check_shapes(n=items, estimated=share)
    return plain(17 / 8 * np.sqrt(2) * _root(4, chance, share, items))


def auc_deviation(
    n: object,
    prior: object,
    level: float = 0.95,
    *,
    estimated: bool = False,
    sharp: bool = False,
) -> FloatOrFloats:
    """Bound the distance from the best AUC of n clean soft labels to the true one.

    Parameters
    ----------
    n : int or array-like
        Number of items, at least 2.
    prior : float or array-like
        The true share of class 1, in (0, 1).
    level : float
        Probability that the bound holds, strictly between 0 and 1.
    estimated : bool
        Whether the estimate takes the mean soft label for the share, or knows it.
    sharp : bool
        For a known share, the smaller of the paper's bound and Hoeffding's for the min form, whose
        pairs add numbers between 0 and 1 / (8 prior (1 - prior)).

    Returns
    -------
    float or array of the common shape
        ``sqrt(log(2 / (1 - level)) / (t (1 - t) n))`` with t the share; with an estimated one
        ``10 sqrt(log(4 / (1 - level)) / (t (1 - t) n))``.

    Notes
    -----
    The sharp form is not in the paper. A mean over all pairs is the mean, over all ways to divide
    the items into pairs, of means of n // 2 independent numbers, so Hoeffding's bound holds with
    that many.

    References
    ----------
    .. [1] R. Ushio, T. Ishida and M. Sugiyama, "Bayes-optimal BER and AUC: estimation and
       evaluation of estimators", 2026.
    .. [2] W. Hoeffding, J. Am. Stat. Assoc. 58, 1963, section 5a.

    Examples
    --------
    >>> round(auc_deviation(10_000, 0.2), 6)
    0.048016
    >>> round(auc_deviation(10_000, 0.2, sharp=True), 6)
    0.015005
    >>> round(auc_deviation(10_000, 0.2, estimated=True), 6)
    0.523332
    """
    items, chance, share = as_whole(n, "n"), check_level(level), _as_share(prior, "prior")
    check_shapes(n=items, prior=share)
    refuse((items < 2).ravel(), items.ravel(), "`n` must be at least 2", "AUC is about pairs.")
    sharp = as_flag(sharp, name="sharp")
    if as_flag(estimated, name="estimated"):
        if sharp:
            raise ValueError("`sharp` is for a known share. Leave out `sharp` or `estimated`.")
        return plain(10 * _root(4, chance, share, items))
    bound = _root(2, chance, share, items)
    if not sharp:
        return plain(bound)
    pairs = np.sqrt(np.log(2 / (1 - chance)) / (2 * (items // 2))) / (8 * share * (1 - share))
    return plain(np.asarray(np.minimum(bound, pairs)))


def _root(sides: int, level: float, share: Floats, items: Counts) -> Floats:
    return np.asarray(np.sqrt(np.log(sides / (1 - level)) / (share * (1 - share) * items)))


def _as_share(values: object, name: str) -> Floats:
    return as_numbers_that(
        lambda x: (x > 0) & (x < 1),
        *(values, name, "lie strictly between 0 and 1"),
        "It is the share of class 1; divide percentages by 100.",
    )
