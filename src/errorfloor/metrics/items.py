"""Metrics as means of what items lose, for methods that choose the map which loses the least."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from errorfloor._typing import Bools, Counts, Floats
from errorfloor.data.sample import Losses


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
