"""How far balanced error and AUC from clean soft labels stray, by sampling alone."""

from __future__ import annotations

import numpy as np

from errorfloor._checks import as_flag, check_level, refuse
from errorfloor._typing import Counts, Floats
from errorfloor.bounds.arguments import FloatOrFloats, as_numbers, as_whole, check_shapes, plain


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
        return plain(np.asarray(np.sqrt(np.log(2 / (1 - chance)) / (8 * items))))
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
    array = as_numbers(values, name)
    refuse(
        ~((array > 0) & (array < 1)).ravel(),
        array.ravel(),
        f"`{name}` must lie strictly between 0 and 1",
        "It is the share of class 1; divide percentages by 100.",
    )
    return array
