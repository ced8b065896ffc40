"""The best value of any metric on items with known probabilities that weigh differently."""

from __future__ import annotations

import numpy as np

from errorfloor._typing import Counts, Floats
from errorfloor.data.sample import Sample
from errorfloor.metrics import Metric


class WeightedBest:
    """The best value of a metric under the distribution that weights make of the items."""

    is_slow = True  # to compute without each item in turn

    def __init__(self, metric: Metric, cells: Sample) -> None:
        assert cells.weight is not None
        self.metric = metric
        self.cells = cells
        self.weight = cells.weight

    def values(self, counts: Counts, _: np.random.Generator, /) -> Floats:
        """Return the best value for each row of counts."""
        return np.array([self._best(count) for count in counts])

    def leave_one_out(self) -> Floats:
        """Return the best value without one item of each cell in turn."""
        every = np.arange(len(self.cells))
        return np.array([self._best(self.cells.count - (every == cell)) for cell in every])

    def _best(self, count: Counts) -> float:
        some = count > 0
        mass = count[some] * self.weight[some]
        return self.metric.best(self.cells.probabilities[some], mass)
