"""Metrics of a ranking of items of two classes: AUC and average precision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from errorfloor._typing import Counts, Floats
from errorfloor.metrics.counted_ranking import CountedAuc, CountedPrecision
from errorfloor.metrics.merged import moved_ratio, moved_with_share
from errorfloor.metrics.model import PairsInOrder, PrecisionOfRanks
from errorfloor.metrics.ranks import PAIRS_IN_ORDER, PRECISION
from errorfloor.metrics.record import Metric, both_classes


def ascending(probabilities: Floats, weights: Floats | Counts) -> tuple[Floats, Floats]:
    """Return probabilities in ascending order with their shares of all weight."""
    share = weights / weights.sum()
    if (probabilities[1:] >= probabilities[:-1]).all():  # as rows of tables are
        return probabilities, share
    order = np.argsort(probabilities, kind="stable")
    return probabilities[order], share[order]


def mean_of_lesser(p: Floats, share: Floats) -> float:
    """Return E min(p (1 - p'), p' (1 - p)) of two independent draws from sorted probabilities."""
    # Of a pair in order the lesser product is that of the lesser p with the other's complement.
    up, down = share * p, share * (1 - p)
    below = np.cumsum(up) - up
    return float(2 * (down @ below) + up @ down)


def _auc(probabilities: Floats, weights: Floats | Counts) -> float:
    p, share = ascending(probabilities, weights)
    theta = both_classes(float(share @ p), "AUC")
    return 1 - mean_of_lesser(p, share) / (2 * theta * (1 - theta))


def _auc_with(theta: float, probabilities: Floats, weights: Floats | Counts) -> float:
    """Return the best AUC where the share of class 1 is known, in the form of less variance."""
    p, share = ascending(probabilities, weights)
    both = 2 * both_classes(theta, "AUC") * (1 - theta)
    lesser, mean = mean_of_lesser(p, share), float(share @ p)
    if auc_discriminant(p, share, theta) >= 0:
        return 1 - lesser / both
    return (2 * mean * (1 - mean) - lesser) / both  # the mean of the greater product


def auc_discriminant(p: Floats, share: Floats, theta: float) -> float:
    """Return (1 - 2 theta) E (p - theta) |p - p'|: at least 0 where the min form varies less."""
    weight, mass = np.cumsum(share) - share, np.cumsum(share * p) - share * p
    above, more = 1 - weight - share, share @ p - mass - share * p
    distance = p * weight - mass + more - p * above
    return float((1 - 2 * theta) * (share @ ((p - theta) * distance)))


def _with_prior(given: Mapping[str, Any], classes: int) -> Metric:
    theta = float(given["prior"][1])

    def whole(probabilities: Floats, weights: Floats | Counts) -> float:
        return _auc_with(theta, probabilities, weights)

    def counted(p: Floats, count: Counts, weight: Floats | None = None) -> CountedAuc:
        mass = count if weight is None else count * weight
        varies_less = auc_discriminant(p, mass / mass.sum(), theta) >= 0
        return CountedAuc(p, count, weight, theta=theta, sign=-1 if varies_less else 1)

    moved = moved_with_share(theta)
    return replace(AUC, given=given, whole=whole, counted=counted, weighted=counted, moved=moved)


def _span_of_auc(classes: int) -> tuple[float, float]:
    return 0.5, 1.0


def _average_precision(probabilities: Floats, weights: Floats | Counts) -> float:
    """Return the area under precision against recall, items of one probability in random order."""
    p, share = (column[::-1] for column in ascending(probabilities, weights))
    both_classes(float(share @ p), "Average precision")
    before = np.cumsum(share) - share
    found = np.cumsum(share * p) - share * p
    before[0] = found[0] = 0.0
    # The area that items of one probability add: the integral of (found + p x) / (before + x).
    with np.errstate(divide="ignore", invalid="ignore"):
        growth = np.where(before > 0, np.log1p(share / before), 0.0)
    area = p * (p * share + (found - p * before) * growth)
    return float(area.sum() / (share @ p))


def span_of_share(classes: int) -> tuple[float, float]:
    """Return 0 and 1."""
    return 0.0, 1.0


AUC = Metric(
    name="auc",
    limit="ceiling",
    less_is_better=False,
    span=_span_of_auc,
    whole=_auc,
    counted=CountedAuc,
    weighted=CountedAuc,
    moved=moved_ratio(lambda p, counts: 2 * _auc(p, counts) - 1),
    formula="1 - min(p (1 - p'), p' (1 - p)) / (2 P(1) P(0)) over pairs of items",
    title="AUC",
    per_cent=False,
    two_only=True,
    takes=("prior",),
    with_given=_with_prior,
    rule="the ranking by {}",
    of_model=PairsInOrder(),
    how=PAIRS_IN_ORDER,
)
AVERAGE_PRECISION = Metric(
    name="average-precision",
    limit="ceiling",
    less_is_better=False,
    span=span_of_share,
    whole=_average_precision,
    counted=CountedPrecision,
    formula="the precision above each item, of the items in the order of p, weighted by p",
    title="average precision",
    per_cent=False,
    two_only=True,
    rule="the ranking by {}",
    of_model=PrecisionOfRanks(),
    how=PRECISION,
)
