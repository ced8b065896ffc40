"""Metrics of numbers: functions of the signal and the noise in ratings.

With rho the share of signal in the variance of the label: no prediction has an R2 above rho, nor a
correlation above sqrt(rho). Concordance and quadratically weighted kappa are at most the
correlation, and predictions stretched by 1 / sqrt(rho) reach sqrt(rho). The least mean squared
error is the noise. What two people reach with each other is rho itself, which is no ceiling.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from errorfloor.metrics.record import Metric, span_of_share

RATIO, NOISE, DIFFERENCE = "ratio", "noise", "difference"


@dataclass(frozen=True, slots=True)
class OfVariances:
    """How a metric follows from the signal and the noise in ratings.

    Attributes
    ----------
    of : {"ratio", "noise", "difference"}
        Whether it follows from the share of signal, from the noise, or from the mean absolute
        difference of two ratings.
    link : callable
        From that to the best value; rising.
    ranks : bool
        Whether ratings are replaced by their ranks.
    gap : float
        By which share the best model may miss the ceiling, which need not be reached.
    """

    of: str
    link: Callable[[Any], Any] = np.asarray
    ranks: bool = False
    gap: float = 0.0


def _from_zero(classes: int) -> tuple[float, float]:
    return 0.0, float("inf")


def _metric(title: str, formula: str, how: OfVariances, name: str = "") -> Metric:
    """Return a ceiling where the share of signal decides, else a floor."""
    is_share = how.of == RATIO
    return Metric(
        name=name or title.lower(),
        limit="ceiling" if is_share else "floor",
        less_is_better=not is_share,
        span=span_of_share if is_share else _from_zero,
        formula=formula,
        title=title,
        per_cent=False,
        is_fraction=is_share,
        how=how,
    )


_ROOT = "sqrt(V / (V + W))"
R2 = _metric("R2", "V / (V + W)", OfVariances(RATIO))
PEARSON = _metric("Pearson correlation", _ROOT, OfVariances(RATIO, np.sqrt), "pearson")
_OF_RANKS = OfVariances(RATIO, np.sqrt, ranks=True, gap=0.01)
SPEARMAN = _metric("Spearman correlation", f"{_ROOT} of mid-ranks", _OF_RANKS, "spearman")
QWK = _metric("QWK", _ROOT, OfVariances(RATIO, np.sqrt, gap=0.04))
CCC = _metric("CCC", _ROOT, OfVariances(RATIO, np.sqrt))
MSE = _metric("MSE", "W", OfVariances(NOISE))
MAE = _metric("MAE", "E|Y - Y'| / sqrt(2)", OfVariances(DIFFERENCE))

RATING_METRICS: tuple[Metric, ...] = (R2, PEARSON, SPEARMAN, QWK, CCC, MSE, MAE)
NAMES = tuple(metric.name for metric in RATING_METRICS)


def rating_metric(name: str) -> Metric:
    """Return the metric of that name."""
    return next(metric for metric in RATING_METRICS if metric.name == name)
