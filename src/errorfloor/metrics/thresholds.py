"""Metrics of the best threshold for items of two classes: F1 and MCC."""

from __future__ import annotations

import numpy as np

from errorfloor._typing import Counts, Floats
from errorfloor.metrics.counted_thresholds import CountedF1, CountedMcc
from errorfloor.metrics.merged import moved_f1
from errorfloor.metrics.model import Correlation, PositivesFound
from errorfloor.metrics.ranking import ascending, span_of_share
from errorfloor.metrics.record import Metric, both_classes
from errorfloor.metrics.two_by_two import OF_F1, OF_MCC


def above_each(p: Floats, share: Floats) -> tuple[Floats, Floats]:
    """Return the share of items above each threshold, and of those of class 1 among them.

    The threshold before all items comes last, and that behind all of them is left out. No
    threshold inside a row is better: both metrics have their largest values at its ends.
    """
    return np.cumsum(share[::-1]), np.cumsum((share * p)[::-1])


def _f1(probabilities: Floats, weights: Floats | Counts) -> float:
    p, share = ascending(probabilities, weights)
    named, right = above_each(p, share)
    theta = float(right[-1])
    if theta == 0:
        both_classes(theta, "F1")
    return float((2 * right / (named + theta)).max())


def _mcc(probabilities: Floats, weights: Floats | Counts) -> float:
    p, share = ascending(probabilities, weights)
    named, right = above_each(p, share)
    theta = both_classes(float(share @ p), "MCC")
    inside = (named > 0) & (named < named[-1])
    if not inside.any():  # all items are alike, and no rule is better than another
        return 0.0
    named, right = named[inside], right[inside]
    spread = np.sqrt(named * (1 - named) * theta * (1 - theta))
    return max(float(((right - named * theta) / spread).max()), 0.0)


F1 = Metric(
    name="f1",
    limit="ceiling",
    less_is_better=False,
    span=span_of_share,
    whole=_f1,
    counted=CountedF1,
    moved=moved_f1(_f1),
    formula="the largest 2 true positives / (named positive + positive) of any threshold for p",
    title="F1",
    how=OF_F1,
    per_cent=False,
    two_only=True,
    of_model=PositivesFound(),
)
MCC = Metric(
    name="mcc",
    limit="ceiling",
    less_is_better=False,
    span=span_of_share,
    whole=_mcc,
    counted=CountedMcc,
    formula="the largest correlation of label and decision of any threshold for p",
    title="MCC",
    how=OF_MCC,
    smoothing=(8.0, 0.5),  # a maximum over thresholds follows noise
    per_cent=False,
    two_only=True,
    of_model=Correlation(),
)
