"""Metrics of probabilities: means of what items lose by them, Brier score and log-loss."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from errorfloor._typing import Bools, Counts, Floats
from errorfloor.data.sample import Losses
from errorfloor.metrics.record import BoundedLoss, Metric, UnboundedLoss, moved_mean, of_classes


@dataclass(frozen=True, slots=True)
class OfItems:
    """How a metric follows from the mean loss of items of two classes.

    Attributes
    ----------
    losses : callable
        From probabilities of class 1 to what negatives and what positives lose.
    link : callable
        From the mean loss to the metric.
    most : float, optional
        The largest loss that any item might have had; by default, with its other label.
    own_squares : callable, optional
        From probabilities, labels and numbers of the items that chose the map to the mean squares
        of what they lose by the best map, which is not known; by default those by this map.
    """

    losses: Callable[[Floats], tuple[Floats, Floats]]
    link: Callable[[Any], Any] = np.asarray
    most: float | None = None
    own_squares: Callable[[Floats, Bools, Counts], Floats] | None = None

    def candidates(
        self, probabilities: Floats, label: Bools, masses: Floats | Counts
    ) -> tuple[OfItems, ...]:
        """Return the losses that the metric may follow from, by a fit to such items: these."""
        return (self,)

    def each(self, probabilities: Floats, label: Bools) -> Floats:
        """Return what each item loses."""
        zeros, ones = self.losses(probabilities)
        return np.where(label, ones, zeros)

    def own_losses(self, probabilities: Floats, label: Bools, count: Counts) -> Losses:
        """Return what items lose by the best map, from what they lose by the one they chose."""
        each = self.each(probabilities, label)
        if self.own_squares is None:
            return Losses.of(count, each)
        return Losses.of(count, each, self.own_squares(probabilities, label, count))

    def possible(self, probabilities: Floats) -> float:
        """Return the largest loss that any of these items might have had."""
        if self.most is not None:
            return self.most
        return float(np.maximum(*self.losses(probabilities)).max())

    def mean(self, probabilities: Floats, zeros: Floats, ones: Floats) -> float:
        """Return the mean loss of so many negatives and positives."""
        of_zero, of_one = self.losses(probabilities)
        return float((zeros @ of_zero + ones @ of_one) / (zeros.sum() + ones.sum()))


def _brier(probabilities: Floats) -> Floats:
    if probabilities.ndim == 1:
        return probabilities * (1 - probabilities)
    return np.asarray(1 - (probabilities**2).sum(axis=1))


def _span_of_brier(classes: int) -> tuple[float, float]:
    return 0.0, 0.25 if classes == 2 else 1 - 1 / classes


def _squares(p: Floats) -> Floats:
    total = (p**2).sum(axis=1, keepdims=True) - 2 * p + 1
    return np.asarray(total / (2 if p.shape[1] == 2 else 1))


def _largest_square(classes: int) -> float:
    return 1.0 if classes == 2 else 2.0


def _squared(p: Floats) -> tuple[Floats, Floats]:
    return p**2, (1 - p) ** 2


def _logs(p: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log(p))


def _entropy(probabilities: Floats) -> Floats:
    from scipy.special import entr

    return np.asarray(entr(of_classes(probabilities)).sum(axis=1))


def _surprise(p: Floats) -> tuple[Floats, Floats]:
    """Return log-losses; 0 where a label is impossible, as a fit has no such items of its own."""
    with np.errstate(divide="ignore"):
        zeros, ones = -np.log1p(-p), -np.log(p)
    return np.where(p < 1, zeros, 0.0), np.where(p > 0, ones, 0.0)


def _span_of_entropy(classes: int) -> tuple[float, float]:
    return 0.0, float(np.log(classes))


# As scikit-learn counts it: half the sum over classes where there are two, all of it where more.
BRIER = Metric(
    name="brier",
    other_names=("brier-score",),
    on_hub="brier_score",
    limit="floor",
    less_is_better=True,
    span=_span_of_brier,
    per_item=_brier,
    moved=moved_mean(_brier, 0.5),
    how=OfItems(_squared),
    formula="p (1 - p)",
    many_formula="1 - the sum of p^2",
    title="Brier score",
    per_cent=False,
    of_model=BoundedLoss(_squares, _largest_square),
    rule="the best monotone calibration of {}",
    by_pairs=True,
)
LOG_LOSS = Metric(
    name="log-loss",
    other_names=("cross-entropy", "logloss"),
    limit="floor",
    less_is_better=True,
    span=_span_of_entropy,
    per_item=_entropy,
    moved=moved_mean(_entropy, 0.5),
    how=OfItems(_surprise),
    formula="-p log p - (1 - p) log(1 - p)",
    many_formula="- the sum of p log p",
    per_cent=False,
    unit="nats",
    is_fraction=False,
    of_model=UnboundedLoss(_logs),
    rule="the best monotone calibration of {}",
)
