"""The floor that a published agreement rate allows, where the votes themselves are not at hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any, TypeAlias, overload

import numpy as np

from errorfloor import checks
from errorfloor._checks import (
    InputError,
    as_fraction,
    check_choice,
    check_level,
    check_whole,
    percentage,
    shown,
)
from errorfloor._keywords import explains_keywords
from errorfloor._numbers import per_cent
from errorfloor._typing import Counts, Floats
from errorfloor.intervals.models import upper_limit
from errorfloor.intervals.votes.limits import CERTIFIED, LIKELIHOOD
from errorfloor.methods.votes.mixture import MIXTURE
from errorfloor.questions.ratings import from_published
from errorfloor.results import AgreementEstimate, Interval, RatingsEstimate
from errorfloor.results.claim import Finding

_PLACES = 6  # of numbers of pairs that are not whole
_ROUNDING = 1e-9  # by which a rate may miss a whole number of pairs, in shares of all pairs
_FALSE_ALARM = 0.01  # how often chance alone refutes independent votes, at most
_ONE_IS_A_COUNT = " A whole number counts pairs: as a rate, 1 is written 1.0 or 100%."
_Share: TypeAlias = float | str | Sequence[float] | None


@overload
def from_agreement(
    agree: float | str | None = None,
    pairs: int | None = None,
    *,
    share: _Share = None,
    kappa: float | None = None,
    alpha: float | None = None,
    interval: str | None = "auto",
    level: float = 0.95,
) -> AgreementEstimate: ...
@overload
def from_agreement(
    *,
    icc: float | None = None,
    qwk: float | None = None,
    pearson: float | None = None,
    n: int | None = None,
    metric: str | None = None,
    interval: str | None = "auto",
    level: float = 0.95,
) -> RatingsEstimate: ...
@explains_keywords
def from_agreement(
    agree: float | str | None = None,
    pairs: int | None = None,
    *,
    share: _Share = None,
    kappa: float | None = None,
    alpha: float | None = None,
    icc: float | None = None,
    qwk: float | None = None,
    pearson: float | None = None,
    n: int | None = None,
    metric: str | None = None,
    interval: str | None = "auto",
    level: float = 0.95,
) -> Any:
    """Estimate the error floor from how many pairs of votes agree, for two classes.

    Or the ceiling of R2, correlation or QWK from how well two people's ratings agree.

    Parameters
    ----------
    agree : int, float or str
        How many of the pairs agree, or the rate at which they do. An int counts pairs, as does a
        whole float above 1; other floats, 0.0 and 1.0 among them, and text such as "92%" are rates.
    pairs : int
        Number of items of which two votes were compared.
    share : float or (float, float), optional
        Share of the votes that are for class 1; of each of the two raters where there are two
        numbers. An even split by default, which changes no limit where the share is not known.
    kappa : float, optional
        Cohen's kappa of two raters in place of `agree`; needs `share`.
    alpha : float, optional
        Krippendorff's alpha of two raters in place of `agree`; needs `share`.
    icc : float, optional
        Of ratings, which are numbers: the ICC of one rating, in place of `agree`. It is no ceiling:
        the best possible correlation or QWK of a model is the square root.
    qwk : float, optional
        The quadratically weighted kappa of two people's ratings, likewise.
    pearson : float, optional
        The correlation of two people's ratings, likewise.
    n : int, optional
        Number of items behind it, for the interval.
    metric : str, optional
        What the ceiling is of: "qwk", "pearson", "ccc", "spearman" or "r2". By default the one that
        was given, and "pearson" for an ICC.
    interval : {"auto", "likelihood", "certified"} or None
        As for `from_votes`.
    level : float
        Confidence level.

    Returns
    -------
    AgreementEstimate, or RatingsEstimate for ratings
        The same value and limits that `from_votes` finds for two votes per item, with the range
        of floors that such agreement allows with unlimited pairs.

    Notes
    -----
    Agreement is not the ceiling of accuracy. With a the share of pairs that agree, floors from
    (1 - sqrt(2 a - 1)) / 2 to 1 - a are possible: the lower one where all items are equally hard,
    the upper one where some are coin flips and all others certain.

    Examples
    --------
    >>> found = from_agreement("92%", 1000)
    >>> round(found.allowed_low, 3), round(found.allowed_high, 3)
    (0.042, 0.08)
    >>> round(from_agreement(qwk=0.6, n=300).value, 2)  # the best possible, not 0.6
    0.77
    """
    of_ratings = {"icc": icc, "qwk": qwk, "pearson": pearson}
    if any(value is not None for value in of_ratings.values()):
        others = {"agree": agree, "pairs": pairs, "share": share, "kappa": kappa, "alpha": alpha}
        given = _alone(of_ratings, others)
        return from_published(given, of_ratings[given], n, metric, interval, check_level(level))
    _refuse_of_ratings(n=n, metric=metric)
    number = check_whole(
        pairs,  # type: ignore[arg-type]
        name="pairs",
        least=1,
        remedy="Pass the number of items that two votes were compared on.",
    )
    level = check_level(level)
    both = _shares(share)
    one = None if both is None else sum(both) / 2
    same = _agreeing(agree, kappa, alpha, both, number)
    cells = _cells(same, number, one)
    name = _interval_named(interval)
    value = _floor(*cells)
    evidence = None if name is None else _Limits(name, value, cells)
    (low, high), findings = allowed(same / number, one), tuple(_misfit(same, number, one))
    found = AgreementEstimate(
        value=value,
        method=MIXTURE.name,
        interval=None if evidence is None else Interval.at(level, evidence),
        n=number,
        assumptions=f"{MIXTURE.assumes}; no item has more than one pair of votes.",
        target=MIXTURE.target,
        options={"interval": interval, "level": level},
        evidence=evidence,
        agree=same,
        pairs=number,
        share=one,
        allowed_low=low,
        allowed_high=high,
        findings=findings,
        warnings=tuple(finding.text for finding in findings),
    )
    checks.issue(found)
    return found


def _alone(of_ratings: dict[str, Any], others: dict[str, Any]) -> str:
    """Return which agreement of ratings was given, and refuse all that does not go with it."""
    first, *more = [name for name, value in of_ratings.items() if value is not None]
    for name in [*(name for name, value in others.items() if value is not None), *more]:
        raise InputError(f"`{first}` goes alone, with `n`. Leave out `{name}`.")
    return first


def _refuse_of_ratings(**given: Any) -> None:
    for name, value in given.items():
        if value is not None:
            raise InputError(
                f"`{name}` goes with ratings. Give their agreement as `icc`, `qwk` or `pearson`."
            )


def _misfit(agree: float, pairs: int, share: float | None) -> Iterator[Finding]:
    """Find that pairs agree less often than independent votes on any items do."""
    half = 0.5 if share is None else share
    least = 1 - 2 * half * (1 - half)
    if float(upper_limit(agree, pairs, _FALSE_ALARM)) < least:
        yield Finding(
            "Agreement",
            per_cent(agree / pairs, 1),
            "refuted",
            f"Independent votes agree on at least {per_cent(least, 1)} of pairs, whatever the "
            f"items are like; these agree on {per_cent(agree / pairs, 1)}.",
            "Check the number of pairs that agree, and the share of class 1."
            f"{_ONE_IS_A_COUNT if agree == 1 else _count_or_per_cent(agree)}",
        )


def _count_or_per_cent(agree: float) -> str:
    """Return what to say of a number of pairs that may have been meant in per cent."""
    if not 50 < agree <= 100 or agree % 1:
        return ""
    return f" {agree:g} was read as a number of pairs; for {agree:g} % pass {agree / 100:g}."


def allowed(agreement: float, share: float | None = None) -> tuple[float, float]:
    """Return the lowest and the highest floor that an agreement of unlimited pairs allows.

    With d = 1 - agreement = E 2 eta (1 - eta): min(eta, 1 - eta) is at most 2 eta (1 - eta), and by
    Jensen's inequality E |1 - 2 eta| is at most sqrt(1 - 2 d). Both are reached.
    """
    differ = min(max(1 - agreement, 0.0), 0.5)  # votes that are worse than coins do not exist
    most = differ if share is None else min(differ, share, 1 - share)
    least = (1 - (1 - 2 * differ) ** 0.5) / 2
    return min(least, most), most


@dataclass(frozen=True, slots=True, eq=False)
class _Limits:
    """Limits of the floor behind pairs of votes, at any level."""

    method: str
    value: float
    cells: tuple[Counts, Counts, Floats] = field(repr=False)

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        from errorfloor.intervals.votes.band import certified_limits  # SciPy's parts load slowly
        from errorfloor.intervals.votes.region import likelihood_limits

        find = certified_limits if self.method == CERTIFIED.name else likelihood_limits
        low, high = find(*self.cells, level=level)
        return min(low, self.value), max(high, self.value)


def _interval_named(interval: str | None) -> str | None:
    """Return the name of the interval that is asked for."""
    if interval is None:
        return None
    kinds = LIKELIHOOD.name, CERTIFIED.name
    hint = " `interval=None` skips it."
    name = check_choice(interval, ("auto", *kinds), name="interval", hint=hint)
    return MIXTURE.interval if name == "auto" else name


def _floor(positives: Counts, totals: Counts, counts: Floats) -> float:
    from errorfloor.methods.votes.line import fit_mixture

    return fit_mixture(positives, totals, counts).floor


def _shares(share: Any) -> tuple[float, float] | None:
    """Return the share of class 1 in the votes of either rater."""
    if share is None:
        return None
    if isinstance(share, Real | str):
        one = as_fraction(share, name="share")
        return one, one
    is_list = isinstance(share, Sequence) or getattr(share, "ndim", 0) == 1
    if not is_list or len(share) != 2:
        raise InputError(
            f"`share` must be one number, or one for each of two raters, got {shown(share)}."
        )
    return as_fraction(share[0], name="share"), as_fraction(share[1], name="share")


def _agreeing(
    agree: float | str | None,
    kappa: float | None,
    alpha: float | None,
    shares: tuple[float, float] | None,
    n: int,
) -> float:
    """Return how many pairs agree, by whichever of the three numbers is given."""
    given = {"agree": agree, "kappa": kappa, "alpha": alpha}
    named = [name for name, value in given.items() if value is not None]
    if len(named) != 1:
        raise InputError("Give one of `agree`, `kappa` and `alpha`.")
    if agree is not None:
        return _count(agree, n)
    (name,) = named
    if shares is None:
        raise InputError(
            f"`{name}` depends on how often each class is chosen. Add `share`, the share of votes "
            "for class 1."
        )
    value = given[name]
    if not isinstance(value, Real) or not -1 <= value <= 1:
        raise InputError(f"`{name}` must lie in [-1, 1], got {shown(value)}.")
    chance = 1 - _disagreement_by_chance(name, shares, n)
    rate = 1 - (1 - float(value)) * (1 - chance)
    if not 0 <= rate <= 1:
        raise InputError(
            f"`{name}` = {shown(value)} is impossible with such shares: {rate:.3g} of all pairs "
            "agree. Check the numbers."
        )
    return _of_pairs(rate, n)


def _disagreement_by_chance(name: str, shares: tuple[float, float], n: int) -> float:
    first, second = shares
    if name == "kappa":
        return first * (1 - second) + second * (1 - first)
    mean = (first + second) / 2
    # Alpha draws both votes from all 2 n of them, without replacement.
    return 2 * mean * (1 - mean) * 2 * n / (2 * n - 1)


def _count(agree: float | str, n: int) -> float:
    """Return a number of pairs from a number or from a rate."""
    is_number = isinstance(agree, Real) and not isinstance(agree, bool | np.bool_)
    is_rate = is_number and not isinstance(agree, Integral) and 0 <= agree <= 1  # type: ignore[operator]
    if is_rate or percentage(agree) is not None:
        return _of_pairs(as_fraction(agree, name="agree"), n)
    if not is_number or agree % 1 != 0 or not 0 <= agree <= n:  # type: ignore[operator]
        raise InputError(
            f"`agree` must be a whole number from 0 to `pairs` = {n:,}, a rate from 0.0 to 1.0, or "
            f"text such as '92%'; got {shown(agree)}."
        )
    return int(agree)


def _of_pairs(rate: float, n: int) -> float:
    """Return how many of so many pairs a rate is: parts of pairs are kept, and rounding is not.

    A rate of 0.999 of 20 pairs is a mean of several rates; to take it for 20 of 20 would let all
    votes agree where they do not.
    """
    whole = round(rate * n)
    return whole if abs(rate * n - whole) <= _ROUNDING * n else round(rate * n, _PLACES)


def _cells(agree: float, n: int, share: float | None) -> tuple[Counts, Counts, Floats]:
    """Return the cells of two votes per item that these pairs stand for, which may be parts."""
    differ = round(n - agree, _PLACES)
    ones = agree / 2 if share is None else share * n - differ / 2
    counts = np.array([agree - ones, differ, ones], dtype=np.float64)
    if counts.min() < -1e-9 * n:
        raise InputError(
            f"`share` = {share:g} cannot be: {differ:,} of {n:,} pairs disagree, so that the share "
            f"of either class is at least {differ / 2 / n:.4g}. Check the numbers."
        )
    seen = counts > 1e-9 * n
    return np.arange(3)[seen], np.full(3, 2)[seen], counts[seen]
