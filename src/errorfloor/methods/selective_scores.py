"""Models that may leave items aside, by a fit that says of each cell how sure it is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from errorfloor._typing import Bools, Counts, Floats
from errorfloor.data.sample import Losses, Sample, split
from errorfloor.methods.fitted import FOLDS, Sides, mean_loss, sides_of
from errorfloor.metrics import Metric
from errorfloor.metrics.selective import Selective, lost_at, squares_at


@dataclass(frozen=True, slots=True, eq=False)
class Decided:
    """Of each cell: how likely the decision on it is wrong by a fit, and whether it is."""

    doubt: Floats
    wrong: Bools

    def lost(self, price: float) -> Floats:
        """Return what an item of each cell loses at a price of leaving it aside."""
        return lost_at(price, self.doubt, self.wrong)

    def chosen(self, price: float, count: Counts) -> Losses:
        """Return what so many items lose, if the fit is to them."""
        squares = squares_at(price, self.doubt, self.wrong, count)
        return Losses.of(count, self.lost(price), squares)


class Midpoint:
    """Midpoint of a point of the risk-coverage curve on the items of a fit and on others."""

    def __init__(self, metric: Metric, cells: Sample, classes: int) -> None:
        self.how: Selective = metric.how
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
            sides_of(self.cells, own, held_out, partial(self.how.value, price))
            for price, own, held_out in self._lost(self.cells.count, rng)
        )

    def _value(self, count: Counts, rng: np.random.Generator) -> float:
        price, *both = self._lost(count, rng)[0]
        cells = self.cells.counted(count)
        return float(np.mean([self.how.value(price, mean_loss(cells, one)) for one in both]))

    def _lost(self, count: Counts, rng: np.random.Generator) -> list[tuple[float, Losses, Losses]]:
        """Return prices, with losses on the items of the fit and on ten parts by the others."""
        own = self.decided(count, others=False)
        parts = list(split(count, FOLDS, rng))
        tested = [self.decided(count - part, others=True) for part in parts]

        def held_out(price: float) -> Losses:
            first, *others = (
                Losses.of(part, one.lost(price)) for one, part in zip(tested, parts, strict=True)
            )
            return sum(others, start=first)

        prices = self.how.prices(own.doubt, own.wrong, count)
        return [(price, own.chosen(price, count), held_out(price)) for price in prices]
