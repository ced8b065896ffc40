"""Models that may leave items aside, by a fit that says of each cell how sure it is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from errorfloor._typing import Bools, Counts, Floats
from errorfloor.data.sample import Sample, split
from errorfloor.methods.fitted import FOLDS, Sides
from errorfloor.methods.maps import LossSums, sides_of
from errorfloor.methods.scoring import NO_LOSSES
from errorfloor.metrics import Metric
from errorfloor.metrics.selective import Selective, lost_at


@dataclass(frozen=True, slots=True, eq=False)
class Decided:
    """Of each cell: how likely the decision on it is wrong by a fit, and whether it is."""

    doubt: Floats
    wrong: Bools

    def lost(self, price: float, count: Counts) -> LossSums:
        """Return what is lost at a price of leaving an item aside."""
        return LossSums.of(lost_at(price, self.doubt, self.wrong), count, np.ones(count.size))


class Midpoint:
    """Midpoint of a point of the risk-coverage curve on the items of a fit and on others."""

    def __init__(self, metric: Metric, cells: Sample, classes: int) -> None:
        assert isinstance(metric.how, Selective)
        self.how = metric.how
        self.cells = cells

    def decided(self, count: Counts, *, others: bool) -> Decided:
        """Return what a fit to these items says of all cells, `others` if it is for other items."""
        raise NotImplementedError

    def values(self, counts: Counts, rng: np.random.Generator, /) -> Floats:
        """Return the value for each row of counts."""
        return np.array([self._value(count, rng) for count in counts])

    def every_side(self, rng: np.random.Generator) -> tuple[Sides, ...]:
        """Return both sides at each price."""
        return tuple(
            sides_of(own, held_out, partial(self.how.value, price))
            for price, own, held_out in self._lost(self.cells.count, rng, 3)
        )

    def _value(self, count: Counts, rng: np.random.Generator) -> float:
        ((price, own, held_out),) = self._lost(count, rng, 1)
        return float(self.how.value(price, own.mean) + self.how.value(price, held_out.mean)) / 2

    def _lost(
        self, count: Counts, rng: np.random.Generator, number: int
    ) -> list[tuple[float, LossSums, LossSums]]:
        """Return so many prices, with losses on the items of the fit and on ten parts by others."""
        own = self.decided(count, others=False)
        prices = self.how.prices(own.doubt, own.wrong, count)[:number]
        held_out = [NO_LOSSES] * number
        for part in split(count, FOLDS, rng):
            decided = self.decided(count - part, others=True)
            held_out = [
                sums + decided.lost(price, part)
                for sums, price in zip(held_out, prices, strict=True)
            ]
        return [
            (price, own.lost(price, count), sums)
            for price, sums in zip(prices, held_out, strict=True)
        ]
