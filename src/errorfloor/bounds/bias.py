"""How far vote shares lie below the floor: exactly, at worst, and by the bounds side by side."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from errorfloor._checks import as_probabilities, as_scores, check_aligned, check_same_length, refuse
from errorfloor._typing import Bools, Counts, Floats
from errorfloor.data.tables import VoteTable
from errorfloor.methods.votes.share_bias import lost_by_votes
from errorfloor.metrics import ERROR
from errorfloor.results import VotesEstimate

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
    return float(np.average(np.minimum(_l_err(p) / votes, any_bias(votes)), weights=share))


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
    the bias exceeds 1e-6, for m up to 10^9; smaller biases keep eight digits.

    Examples
    --------
    >>> exact_bias([0.5], m=2)
    -0.25
    >>> round(exact_bias([0.1, 0.5], m=50, weights=[0.9, 0.1]), 6)
    -0.005614
    """
    p, votes, share = _soft_labels_votes_weights(soft_labels, m, weights)
    return 0.0 - float(np.average(lost_by_votes(ERROR.per_item(p), votes), weights=share))


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
    return plain(_l_err(as_fractions(soft_labels, "soft_labels")))


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
    c, votes = as_separation(separation), as_whole(m, "m")
    check_shapes(separation=c, m=votes)
    return plain(separated_bias(c, votes))


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
    limit, votes = as_fractions(model_error, "model_error"), as_whole(m, "m")
    check_shapes(model_error=limit, m=votes)
    slow = any_bias(votes)
    # In r = t / (1 - 2t) the derivative vanishes where r^2 + (r / (1 + 2r))^2 = target. The left
    # side is convex, so Newton's steps from the right of the root never pass it.
    target = 2 * limit * slow * votes
    r = np.sqrt(target)
    for _ in range(8):
        t = r / (1 + 2 * r)
        slope = 2 * r + 2 * t / (1 + 2 * r) ** 2
        r = r - (r**2 + t**2 - target) / np.where(slope > 0, slope, 1)
    tail = limit * (1 + 2 * r) / np.where(r > 0, r, 1)
    return plain(np.minimum(slow, r * (1 + r) / (1 + 2 * r) / votes + tail * slow))


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
    limit, votes = as_fractions(model_error, "model_error"), as_whole(m, "m")
    check_shapes(model_error=limit, m=votes)
    return plain(2 * np.minimum(limit, 0.5) * lost_by_votes(np.asarray(0.5), votes))


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
    items, votes = as_whole(n, "n"), as_whole(m, "m")
    check_shapes(n=items, m=votes)
    root = np.sqrt(votes)
    return plain(1 / (2 * root) + np.sqrt(np.log(2 * items * root)) / root)


def _l_err(q: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.asarray(q * (1 - q) / np.abs(2 * q - 1))


def separated_bias(c: Floats, m: Counts) -> Floats:
    """Return the bound for probabilities that stay away from 1/2."""
    with np.errstate(over="ignore"):  # infinite is right for a separation of almost nothing
        return np.asarray((1 - 4 * c**2) / (8 * c) / m)


def any_bias(m: Counts) -> Floats:
    """Return the size of bias that no distribution exceeds, by the paper's lemma."""
    return np.asarray(np.sqrt(np.pi / (2 * m)))


def _soft_labels_votes_weights(
    soft_labels: object, m: object, weights: object
) -> tuple[Floats, Counts, Floats | None]:
    check_aligned(soft_labels=soft_labels, m=m, weights=weights)
    p = as_probabilities(soft_labels, name="soft_labels")
    votes = as_whole(m, "m")
    if votes.ndim > 1:
        raise ValueError(
            f"`m` must be one number or 1-d, got shape {votes.shape}. Pass one entry per item."
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


def as_separation(values: object) -> Floats:
    """Return distances from 1/2, or say which is none."""
    return as_numbers_that(
        lambda x: (x > 0) & (x <= 0.5),
        *(values, "separation", "lie in (0, 0.5]"),
        "It is the least distance of a true probability from 1/2; without one, use "
        "computable_bias_bound, or leave `separation` out.",
    )


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
        Numbers of votes per item. By default from 1 to 100, or to twice as many as the estimate
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
    m = np.unique(as_whole(_usual_votes(estimate) if votes is None else votes, "votes"))
    exact = None
    if fitted is not None:
        exact = np.array([-exact_bias(fitted.points, k, weights=fitted.weights) for k in m]) + 0.0
    return BiasCurves(
        votes=m,
        model_error=float(as_fractions(model_error, "model_error")),
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
        Numbers of votes per item, ascending.
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


# Numbers or arrays of them as arguments, checked.


def as_numbers_that(
    fit: Callable[[Floats], Bools], values: object, name: str, must: str, remedy: str
) -> Floats:
    """Return numbers of any shape that fit, or say which does not."""
    array = as_numbers(values, name)
    refuse(~fit(array).ravel(), array.ravel(), f"`{name}` must {must}", remedy)
    return array


def as_fractions(values: object, name: str) -> Floats:
    """Return numbers in [0, 1], or say which is none."""
    remedy = "Divide percentages by 100."
    return as_numbers_that(lambda x: (x >= 0) & (x <= 1), values, name, "lie in [0, 1]", remedy)


def as_whole(values: object, name: str) -> Counts:
    """Return whole numbers of at least 1, or say which is none."""
    remedy = f"Pass how many {'votes per item has' if name == 'm' else 'items there are'}."
    return as_numbers_that(
        lambda x: (x >= 1) & (x == np.floor(x)) & (x < 2**53),
        *(values, name, "be whole numbers of at least 1", remedy),
    ).astype(np.int64)


def as_numbers(values: object, name: str) -> Floats:
    """Return finite floats of any shape; entries are counted in reading order."""
    try:
        array = np.asanyarray(values)  # keeps masks, which `as_scores` refuses by entry
    except ValueError:  # ragged lists, which it refuses by name
        return as_scores(values, name=name)
    return as_scores(array.ravel(), name=name).reshape(array.shape)


def check_shapes(**arrays: Floats | Counts) -> None:
    """Refuse arrays whose shapes do not go together."""
    try:
        np.broadcast_shapes(*(array.shape for array in arrays.values()))
    except ValueError:
        given = ", ".join(f"`{name}` {array.shape}" for name, array in arrays.items())
        raise ValueError(
            f"The shapes must fit together, got {given}. "
            "Pass one number for all but one of them, or a column and a row for a grid."
        ) from None


def plain(array: Floats) -> FloatOrFloats:
    """Return a single number as a float, and arrays as they are."""
    return array if array.ndim else float(array)
