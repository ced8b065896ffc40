"""Bootstrap intervals: percentile, basic and BCa."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

import numpy as np

from errorfloor._references import BOOTSTRAP
from errorfloor._typing import Floats
from errorfloor.intervals.record import Case, Evidence, IntervalKind, Undefined
from errorfloor.intervals.resample import acceleration
from errorfloor.methods.record import Basis, without_one


@dataclass(frozen=True, slots=True, eq=False)
class Percentile:
    """Limits that leave out the lowest and the highest replicates.

    References
    ----------
    .. [1] B. Efron and R. Tibshirani, "An Introduction to the Bootstrap", 1993, ch. 13.
    """

    value: float
    replicates: Floats = field(repr=False)
    method: str = "percentile"

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        return _quantiles(self.replicates, _tails(level))


@dataclass(frozen=True, slots=True, eq=False)
class Basic:
    """The percentile limits of the replicates' distances, mirrored at the value.

    References
    ----------
    .. [1] B. Efron and R. Tibshirani, "An Introduction to the Bootstrap", 1993, ch. 13.
    """

    value: float
    replicates: Floats = field(repr=False)
    method: str = "basic"

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        low, high = _quantiles(self.replicates, _tails(level))
        return 2 * self.value - high, 2 * self.value - low


@dataclass(frozen=True, slots=True, eq=False)
class BiasCorrected:
    """Percentile limits at tails that allow for the replicates' median and skewness.

    References
    ----------
    .. [1] B. Efron and R. Tibshirani, "An Introduction to the Bootstrap", 1993, ch. 14.
    """

    value: float
    replicates: Floats = field(repr=False)
    acceleration: float = 0.0
    method: str = "bca"

    @property
    def share_below(self) -> float:
        """Share of the replicates below the value; of those equal to it, half count."""
        below = np.count_nonzero(self.replicates < self.value)
        equal = np.count_nonzero(self.replicates == self.value)
        return (below + equal / 2) / self.replicates.size

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        from scipy.special import ndtr, ndtri

        shift = ndtri(self.share_below)
        z = shift + ndtri(_tails(level))
        return _quantiles(self.replicates, ndtr(shift + z / (1 - self.acceleration * z)))


def _tails(level: float) -> Floats:
    return np.array([(1 - level) / 2, (1 + level) / 2])


def _quantiles(replicates: Floats, tails: Floats) -> tuple[float, float]:
    low, high = np.quantile(replicates, tails)
    return float(low), float(high)


def _percentile(case: Case) -> Evidence:
    return Percentile(case.value, _replicates(case))


def _basic(case: Case) -> Evidence:
    return Basic(case.value, _replicates(case))


def _bca(case: Case) -> Evidence:
    replicates = _replicates(case)
    skewness = acceleration(without_one(case.statistic), case.count)
    evidence = BiasCorrected(case.value, replicates, skewness)
    if not 0 < evidence.share_below < 1:
        raise Undefined("all replicates lie on one side of the estimate", instead=BASIC)
    return evidence


def _replicates(case: Case) -> Floats:
    """Return the replicates, if they vary."""
    assert case.replicates is not None, "whoever asks for this interval resamples"
    if case.replicates.min() == case.replicates.max():
        raise Undefined("all replicates are equal")
    return case.replicates


_NOISE_ONLY = (
    "They show how much the value would vary from one sample to the next, but not the bias of the "
    "method."
)
_kind = partial(
    IntervalKind,
    basis=Basis.ITEMS,
    in_short="sampling noise only; no bias is seen",
    proof="asymptotic, for the method's own target",
    holds="approximate",
    references=(BOOTSTRAP,),
    resamples=True,
)

BCA = _kind(
    name="bca",
    make=_bca,
    promise=f"The limits come from a bias-corrected bootstrap of the items. {_NOISE_ONLY}",
)
BASIC = _kind(
    name="basic",
    make=_basic,
    promise=f"The limits come from a bootstrap of the items. {_NOISE_ONLY}",
)
PERCENTILE = _kind(
    name="percentile",
    make=_percentile,
    promise=f"The limits come from a bootstrap of the items. {_NOISE_ONLY}",
)
