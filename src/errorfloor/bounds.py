"""How far an estimate can lie from the floor: the paper's bounds, and the exact bias of votes.

The plug-in estimate from m votes an item is never above the floor on average. Functions named
`..._bias_bound` limit how far below it can be, `exact_bias` says how far it is, and functions named
`..._deviation` limit the distance of an estimate from what it estimates with probability `level`.
SciPy is loaded where it is used: its special functions take longer to import than NumPy.

References
----------
.. [1] R. Ushio, T. Ishida and M. Sugiyama, "Practical estimation of the optimal classification
   error with soft labels and calibration", ICLR 2026: "the paper" below.
.. [2] T. Ishida et al., "Is the performance of my deep network too good to be true?", ICLR 2023,
   arXiv:2202.00395.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from errorfloor._checks import as_probabilities, as_scores, check_level, check_same_length, refuse
from errorfloor._kuiper import quantile
from errorfloor._typing import Counts, Floats
from errorfloor.results import VotesEstimate
from errorfloor.tables import VoteTable

# A float when every argument is a single number, else an array of their common shape.
FloatOrFloats: TypeAlias = Any


def expected_bias_bound(soft_labels: object, m: object, *, weights: object = None) -> float:
    """Bound the bias of the plug-in from m votes when the true probabilities are known.

    Parameters
    ----------
    soft_labels : array-like of shape (n,)
        True P(y = 1 | x) of each item, or the points of a distribution, in [0, 1].
    m : int or array-like of shape (n,)
        Votes on each item, at least 1.
    weights : array-like of shape (n,), optional
        How much each entry counts: at least 0, not all 0. One each by default.

    Returns
    -------
    float
        The bias lies between minus this and 0. Weighted mean of ``min(L_err / m, sqrt(pi / 2m))``.

    References
    ----------
    .. [1] The paper, theorem 1.

    Examples
    --------
    >>> round(expected_bias_bound([0.1, 0.5, 0.9], m=50), 6)
    0.060582
    """
    p, votes, share = _soft_labels_votes_weights(soft_labels, m, weights)
    return float(np.average(np.minimum(_l_err(p) / votes, _any_bias(votes)), weights=share))


def exact_bias(soft_labels: object, m: object, *, weights: object = None) -> float:
    """Compute the bias of the plug-in from m votes when the true probabilities are known.

    Parameters
    ----------
    soft_labels : array-like of shape (n,)
        True P(y = 1 | x) of each item, or the points of a distribution, in [0, 1].
    m : int or array-like of shape (n,)
        Votes on each item, at least 1.
    weights : array-like of shape (n,), optional
        How much each entry counts: at least 0, not all 0. One each by default.

    Returns
    -------
    float
        Mean of ``min(k / m, 1 - k / m)`` over k ~ Binomial(m, p), minus ``min(p, 1 - p)``, averaged
        over the entries p. Between -0.5 and 0; 2c and 2c + 1 votes have the same bias.

    Notes
    -----
    No sum over k. With p <= 1/2 and c = floor(m / 2), minus the bias is (2 / m) E(k - m / 2)+,
    which is p b - (1 - 2p) T for b = P(k = c) and T = P(k > c) under Binomial(2c, p), and T is the
    regularised incomplete beta function I_p(c + 1, c). The relative error is below 1e-12 while
    the bias exceeds 1e-6, for m up to 100,000; smaller biases keep eight digits.

    Examples
    --------
    >>> exact_bias([0.5], m=2)
    -0.25
    >>> round(exact_bias([0.1, 0.5], m=50, weights=[0.9, 0.1]), 6)
    -0.005614
    """
    p, votes, share = _soft_labels_votes_weights(soft_labels, m, weights)
    return 0.0 - float(np.average(_lost_by_votes(np.minimum(p, 1 - p), votes), weights=share))


def l_err(soft_labels: object) -> FloatOrFloats:
    """Return how strongly one item's bias is felt at the fast rate 1 / m.

    Parameters
    ----------
    soft_labels : float or array-like of any shape
        Probabilities q of class 1, in [0, 1].

    Returns
    -------
    float or array of the same shape
        ``q (1 - q) / |2q - 1|``: 0 at 0 and 1, infinite at 1/2.

    References
    ----------
    .. [1] The paper, theorem 1, where it is called L_Err.

    Examples
    --------
    >>> l_err([0.0, 0.25, 0.5])
    array([0.   , 0.375,   inf])
    """
    return _plain(_l_err(_as_fractions(soft_labels, "soft_labels")))


def separated_bias_bound(separation: object, m: object) -> FloatOrFloats:
    """Bound the bias of the plug-in from m votes when no item is near a coin flip.

    Parameters
    ----------
    separation : float or array-like
        Every item's true probability is at least this far from 1/2; in (0, 0.5].
    m : int or array-like
        Votes on each item, at least 1.

    Returns
    -------
    float or array of the common shape
        The bias lies between minus this and 0. ``(1 - 4c^2) / (8 c m)`` for separation c.

    References
    ----------
    .. [1] The paper, corollary 1.

    Examples
    --------
    >>> round(separated_bias_bound(0.4, 10), 6)
    0.01125
    """
    c, votes = _as_separation(separation), _as_whole(m, "m")
    _check_shapes(separation=c, m=votes)
    return _plain(_separated_bias(c, votes))


def computable_bias_bound(model_error: object, m: object) -> FloatOrFloats:
    """Bound the bias of the plug-in from m votes, given only an upper limit of the floor.

    Parameters
    ----------
    model_error : float or array-like
        An upper limit E of the floor, in [0, 1], such as the true error of any classifier. An
        error measured on a test set is itself uncertain; its upper confidence limit is safe.
    m : int or array-like
        Votes on each item, at least 1.

    Returns
    -------
    float or array of the common shape
        The bias lies between minus this and 0. The infimum over t in (0, 1/2) of
        ``t (1 - t) / (1 - 2t) / m + min(1, E / t) sqrt(pi / 2m)``, to rounding error.

    See Also
    --------
    sharp_bias_bound : from the same knowledge, the smallest bound there is.

    Notes
    -----
    Below t = E the function increases from ``sqrt(pi / 2m)``. With E / t instead of min(1, E / t)
    it is convex, and where the two differ it is the larger; so the infimum is the smaller of
    ``sqrt(pi / 2m)`` and that convex function's minimum, wherever its t may lie.

    References
    ----------
    .. [1] The paper, corollary 2.

    Examples
    --------
    >>> round(computable_bias_bound(0.0005, 50), 7)
    0.0027572
    """
    limit, votes = _as_fractions(model_error, "model_error"), _as_whole(m, "m")
    _check_shapes(model_error=limit, m=votes)
    slow = _any_bias(votes)
    # In r = t / (1 - 2t) the derivative vanishes where r^2 + (r / (1 + 2r))^2 = target. The left
    # side is convex, so Newton's steps from the right of the root never pass it.
    target = 2 * limit * slow * votes
    r = np.sqrt(target)
    for _ in range(8):
        t = r / (1 + 2 * r)
        slope = 2 * r + 2 * t / (1 + 2 * r) ** 2
        r = r - (r**2 + t**2 - target) / np.where(slope > 0, slope, 1)
    tail = limit * (1 + 2 * r) / np.where(r > 0, r, 1)
    return _plain(np.minimum(slow, r * (1 + r) / (1 + 2 * r) / votes + tail * slow))


def sharp_bias_bound(model_error: object, m: object) -> FloatOrFloats:
    """Return the largest bias of the plug-in from m votes that an upper limit of the floor allows.

    Parameters
    ----------
    model_error : float or array-like
        An upper limit E of the floor, in [0, 1]; see `computable_bias_bound`.
    m : int or array-like
        Votes on each item, at least 1.

    Returns
    -------
    float or array of the common shape
        The bias lies between minus this and 0. ``2 min(E, 1/2)`` times the bias of a coin flip;
        reached when a share 2E of the items are coin flips and the others certain.

    Notes
    -----
    Not in the paper. Twice differentiated in p <= 1/2, the bias of an item is twice the
    Beta(c, c) density with c = floor(m / 2), so its size is convex and 0 at p = 0: at most 2p times
    its size at 1/2. The mean over the items is then at most twice the floor times that.
    For the same reason the floor is at most the plug-in's mean over one minus twice that.

    Examples
    --------
    >>> round(sharp_bias_bound(0.0005, 50), 8)
    5.614e-05
    """
    limit, votes = _as_fractions(model_error, "model_error"), _as_whole(m, "m")
    _check_shapes(model_error=limit, m=votes)
    return _plain(2 * np.minimum(limit, 0.5) * _lost_by_votes(np.asarray(0.5), votes))


def ishida_bias_bound(n: object, m: object) -> FloatOrFloats:
    """Return the older bound on the bias of the plug-in from m votes, which grows with n.

    Parameters
    ----------
    n : int or array-like
        Number of items, at least 1.
    m : int or array-like
        Votes on each item, at least 1.

    Returns
    -------
    float or array of the common shape
        ``1 / (2 sqrt(m)) + sqrt(log(2 n sqrt(m)) / m)``.

    References
    ----------
    .. [1] T. Ishida et al., ICLR 2023, arXiv:2202.00395; the paper's equation in section 2.1.

    Examples
    --------
    >>> round(ishida_bias_bound(10_000, 50), 4)
    0.5577
    """
    items, votes = _as_whole(n, "n"), _as_whole(m, "m")
    _check_shapes(n=items, m=votes)
    root = np.sqrt(votes)
    return _plain(1 / (2 * root) + np.sqrt(np.log(2 * items * root)) / root)


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
    return _plain(_hoeffding(_as_whole(n, "n"), check_level(level), width=0.5))


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
    items, votes, chance = _as_whole(n, "n"), _as_whole(m, "m"), check_level(level)
    c = None if separation is None else _as_separation(separation)
    _check_shapes(n=items, m=votes, **({} if c is None else {"separation": c}))
    if sharp:
        nearest = np.asarray(0.5 if c is None else 0.5 - c)
        return _plain(_hoeffding(items, chance, width=0.5) + _lost_by_votes(nearest, votes))
    bias = _any_bias(votes) if c is None else _separated_bias(c, votes)
    return _plain(_hoeffding(items, chance, width=1.0) + bias)


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
    items, chance = _as_whole(n, "n"), max(check_level(level), 1e-12)
    values = [quantile(int(item), chance) for item in items.ravel()]
    return _plain(np.array(values).reshape(items.shape))


def bias_curves(
    votes: object = None,
    *,
    model_error: float | None = None,
    estimate: VotesEstimate | None = None,
    n: int | None = None,
) -> BiasCurves:
    """Lay the bounds on the plug-in's bias side by side, for any numbers of votes.

    Parameters
    ----------
    votes : array-like of int, optional
        Numbers of votes an item. By default from 1 to 100, or to twice as many as the estimate
        has if that is more, denser at the beginning.
    model_error : float, optional
        An upper limit of the floor; see `computable_bias_bound`. By default the upper limit of
        the estimate's interval or, without one, 0.5, which every floor satisfies.
    estimate : VotesEstimate, optional
        Adds the exact bias at the distribution fitted to its votes.
    n : int, optional
        Number of items, for the Ishida bound; by default those of the estimate.

    Returns
    -------
    BiasCurves
        What `errorfloor.plot.bias_bounds` draws.

    Examples
    --------
    >>> bias_curves([10, 50], model_error=0.05).sharp.round(4)
    array([0.0123, 0.0056])
    """
    if estimate is not None and not isinstance(estimate, VotesEstimate):
        raise ValueError(
            f"`estimate` must be a VotesEstimate, got {type(estimate).__name__}. "
            "Pass what from_votes returned."
        )
    if model_error is None:
        model_error = 0.5 if estimate is None or estimate.high is None else estimate.high
    fitted = None if estimate is None else estimate.mixture
    items = n if n is not None or estimate is None else estimate.n
    m = np.unique(_as_whole(_usual_votes(estimate) if votes is None else votes, "votes"))
    exact = None
    if fitted is not None:
        exact = np.array([-exact_bias(fitted.points, k, weights=fitted.weights) for k in m]) + 0.0
    return BiasCurves(
        votes=m,
        model_error=float(_as_fractions(model_error, "model_error")),
        n=items,
        computable=computable_bias_bound(model_error, m),
        sharp=sharp_bias_bound(model_error, m),
        ishida=None if items is None else ishida_bias_bound(items, m),
        exact=exact,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BiasCurves:
    """How far below the floor the plug-in can be on average, for each number of votes.

    Attributes
    ----------
    votes : array of shape (v,)
        Numbers of votes an item, ascending.
    model_error : float
        The upper limit of the floor that `computable` and `sharp` go by.
    n : int or None
        Number of items that `ishida` goes by.
    computable, sharp, ishida : array of shape (v,)
        The bounds of these names; `ishida` is None without a number of items.
    exact : array of shape (v,) or None
        The size of the bias at the distribution behind an estimate's votes.
    """

    votes: Counts
    model_error: float
    n: int | None
    computable: Floats
    sharp: Floats
    ishida: Floats | None
    exact: Floats | None

    def to_dict(self) -> dict[str, Any]:
        """Return the curves as plain values, ready for JSON."""
        names = ("votes", "computable", "sharp", "ishida", "exact")
        curves = {name: getattr(self, name) for name in names}
        return {
            "model_error": self.model_error,
            "n": self.n,
            **{name: None if curve is None else curve.tolist() for name, curve in curves.items()},
        }


def _usual_votes(estimate: VotesEstimate | None) -> Counts:
    most = 100
    if estimate is not None and isinstance(estimate.table, VoteTable):
        most = max(most, 2 * int(estimate.table.totals.max()))
    return np.unique(np.geomspace(1, most, 80).round().astype(np.int64))


def _l_err(q: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.asarray(q * (1 - q) / np.abs(2 * q - 1))


def _separated_bias(c: Floats, m: Counts) -> Floats:
    with np.errstate(over="ignore"):  # infinite is right for a separation of almost nothing
        return np.asarray((1 - 4 * c**2) / (8 * c) / m)


def _any_bias(m: Counts) -> Floats:
    """Return the size of bias that no distribution exceeds, by the paper's lemma."""
    return np.asarray(np.sqrt(np.pi / (2 * m)))


def _hoeffding(n: Counts, level: float, *, width: float) -> Floats:
    return np.asarray(width * np.sqrt(np.log(2 / (1 - level)) / (2 * n)))


def _lost_by_votes(p: Floats, m: Counts) -> Floats:
    """Return minus the bias at each p <= 1/2; see the notes of `exact_bias`."""
    from scipy.special import betainc, xlogy

    c = m // 2
    # log(4 p (1 - p)) without cancellation at either end
    spread = np.where(p < 0.25, 4 * p * (1 - p), 1.0)
    near_half = np.where(p < 0.25, 0.0, 1 - 2 * p) ** 2
    power = xlogy(c, spread) + c * np.log1p(-near_half)
    above = np.where(c > 0, betainc(c + 1, np.maximum(c, 1), p), 0.0)
    lost = p * _central_binomial(c) * np.exp(power) - (1 - 2 * p) * above
    return np.asarray(np.maximum(lost, 0.0))


def _central_binomial(c: Counts) -> Floats:
    """Return (2c choose c) / 4^c, by Stirling's series from 20 on: gamma functions lose digits."""
    from scipy.special import binom

    x = 1 / np.maximum(c, 20.0)
    y = x * x
    tail = y * (1 / 192 + y * (-1 / 640 + y * (17 / 14336 - y * 31 / 18432)))
    large = np.sqrt(x / np.pi) * np.exp(x * (tail - 1 / 8))
    few = np.minimum(c, 20)
    return np.where(c < 20, binom(2 * few, few) / 4.0**few, large)


def _soft_labels_votes_weights(
    soft_labels: object, m: object, weights: object
) -> tuple[Floats, Counts, Floats | None]:
    p = as_probabilities(soft_labels, name="soft_labels")
    votes = _as_whole(m, "m")
    if votes.ndim > 1:
        raise ValueError(
            f"`m` must be one number or 1-d, got shape {votes.shape}. Pass one entry an item."
        )
    if votes.ndim == 1:
        check_same_length(p, votes, ("soft_labels", "m"))
    return p, votes, None if weights is None else _as_weights(weights, p)


def _as_weights(weights: object, points: Floats) -> Floats:
    array = as_scores(weights, name="weights")
    check_same_length(points, array, ("soft_labels", "weights"))
    refuse(array < 0, array, "`weights` must be at least 0", "Drop entries that do not count.")
    largest = float(array.max())
    if largest == 0:
        raise ValueError("`weights` must not all be 0. Give at least one entry a positive weight.")
    return array / largest  # no overflow in their sum


def _as_separation(values: object) -> Floats:
    array = _as_numbers(values, "separation")
    refuse(
        ~((array > 0) & (array <= 0.5)).ravel(),
        array.ravel(),
        "`separation` must lie in (0, 0.5]",
        "It is the least distance of a true probability from 1/2; without one, use "
        "computable_bias_bound, or leave `separation` out.",
    )
    return array


def _as_fractions(values: object, name: str) -> Floats:
    array = _as_numbers(values, name)
    refuse(
        ~((array >= 0) & (array <= 1)).ravel(),
        array.ravel(),
        f"`{name}` must lie in [0, 1]",
        "Divide percentages by 100.",
    )
    return array


def _as_whole(values: object, name: str) -> Counts:
    array = _as_numbers(values, name)
    refuse(
        ~((array >= 1) & (array == np.floor(array)) & (array < 2**53)).ravel(),
        array.ravel(),
        f"`{name}` must be whole numbers of at least 1",
        "Pass how many votes an item has." if name == "m" else "Pass how many items there are.",
    )
    return array.astype(np.int64)


def _as_numbers(values: object, name: str) -> Floats:
    """Return finite floats of any shape; entries are counted in reading order."""
    try:
        array = np.asanyarray(values)  # keeps masks, which `as_scores` refuses by entry
    except ValueError:  # ragged lists, which it refuses by name
        return as_scores(values, name=name)
    return as_scores(array.ravel(), name=name).reshape(array.shape)


def _check_shapes(**arrays: Floats | Counts) -> None:
    try:
        np.broadcast_shapes(*(array.shape for array in arrays.values()))
    except ValueError:
        given = ", ".join(f"`{name}` {array.shape}" for name, array in arrays.items())
        raise ValueError(
            f"The shapes must fit together, got {given}. "
            "Pass one number for all but one of them, or a column and a row for a grid."
        ) from None


def _plain(array: Floats) -> FloatOrFloats:
    return array if array.ndim else float(array)
