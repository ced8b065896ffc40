"""How the items of cells were sampled: what they weigh, and which of them belong together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from errorfloor._typing import Counts, Floats
from errorfloor.data.cells import MANY_ITEMS, split

# Units of which it is taken for granted that all, and none, of their items are wrong: a variance
# that is told by two or three wrong items alone would be as often far too small.
PSEUDO = 2.0
DOUBT = 0.5  # units by which it is taken for granted that the items of a cluster are alike


@dataclass(frozen=True, eq=False)
class Design:
    """Weights and clusters of cells; a unit is a cluster, or an item that stands alone."""

    count: Counts
    weight: Floats
    cluster: Counts | None = None

    @classmethod
    def of(cls, cells: Any) -> Design:
        """Return the design of cells that have weights."""
        return cls(cells.count, cells.weight, cells.cluster)

    @cached_property
    def mass(self) -> Floats:
        """What the items of each cell weigh together."""
        return self.count * self.weight

    @cached_property
    def total(self) -> float:
        """What all items weigh together."""
        return float(self.mass.sum())

    @cached_property
    def clusters(self) -> int:
        """Number of clusters."""
        assert self.cluster is not None
        return int(self.cluster.max()) + 1

    @cached_property
    def unit(self) -> float:
        """What a typical unit weighs: so many of them would vary as all units do."""
        if self.cluster is None:
            return float(self.mass @ self.weight) / self.total
        sums = np.bincount(self.cluster, self.mass)
        return float(sums @ sums) / self.total

    @property
    def units(self) -> float:
        """Number of units of equal weight that would tell as much."""
        return self.total / self.unit

    @cached_property
    def freedom(self) -> float:
        """Degrees of freedom of a variance that is the sum of the units' squares, at least 1.

        Satterthwaite's, for units whose deviations vary as they weigh.
        """
        if self.cluster is None:
            squared = self.weight * self.weight
            fourth = float((self.count * squared) @ squared)
        else:
            squared = np.bincount(self.cluster, self.mass).astype(np.float64) ** 2
            fourth = float(squared @ squared)
        return max((self.unit * self.total) ** 2 / fourth - 1, 1.0)

    def squares(self, values: Floats) -> float:
        """Return the sum over units of squared sums of weight times value."""
        if self.cluster is None:
            return float(self.count @ (self.weight * values) ** 2)
        sums = np.bincount(self.cluster, self.mass * values)
        return float(sums @ sums)

    def worth(self, wrong: Floats) -> tuple[float, float]:
        """Return the weighted share of wrong items, and of how many equal items it is worth.

        `wrong` is how many items of each cell are wrong. The number is that whose binomial variance
        is that of the share, as Korn and Graubard have it, with `PSEUDO` units added.
        """
        errors, total = float(self.weight @ wrong), self.total
        unit = self._usual(wrong, errors / total)
        more = PSEUDO * unit
        share = (errors + more) / (total + 2 * more)
        squares = self._deviations(wrong, share)
        squares += PSEUDO * unit**2 * ((1 - share) ** 2 + share**2)
        each = squares / (share * (1 - share) * (total + 2 * more))
        return errors / total, total / each

    def _usual(self, wrong: Floats, share: float) -> float:
        """Return what a pseudo unit weighs: a typical item, or as much of a cluster as goes along.

        That part is the correlation within clusters, which is 1 until some units tell otherwise.
        """
        if self.cluster is None:
            return self.unit
        items = Design(self.count, self.weight)
        spread = share * (1 - share) * self.total
        within, most = items._deviations(wrong, share), spread * self.unit
        number = self.units * min(share, 1 - share)  # of units that have some wrong items
        alike = 1.0
        if most > within:
            alike = min(max(self._deviations(wrong, share) - within, 0) / (most - within), 1.0)
        alike = (number * alike + DOUBT) / (number + DOUBT)
        return items.unit + (self.unit - items.unit) * alike

    def _deviations(self, wrong: Floats, share: float) -> float:
        """Return the sum over units of squared sums of weight times what deviates from a share."""
        if self.cluster is None:
            ill = float((self.weight * wrong) @ self.weight)
            return ill * (1 - share) ** 2 + (self.unit * self.total - ill) * share**2
        sums = np.bincount(self.cluster, self.weight * (wrong - share * self.count))
        return float(sums @ sums) * sums.size / max(sums.size - 1, 1)

    def folds(self, number: int, rng: np.random.Generator) -> tuple[Any, Any]:
        """Return the cell of each item and its fold; no cells where each has all in one fold."""
        if self.cluster is not None:
            return None, (rng.permutation(self.clusters) % number)[self.cluster]
        if int(self.count.max()) == 1:
            return None, rng.integers(number, size=self.count.size)
        item = np.repeat(np.arange(self.count.size), self.count)
        return item, rng.integers(number, size=item.size)

    def parts(self, number: int, rng: np.random.Generator) -> Iterator[Counts]:
        """Yield random parts of the units, one at a time."""
        if self.cluster is not None:
            place = (rng.permutation(self.clusters) % number)[self.cluster]
            for part in range(number):
                yield np.where(place == part, self.count, 0)
        elif int(self.count.max()) > MANY_ITEMS * number:
            yield from split(self.count, number, rng)
        else:
            cell = np.repeat(np.arange(self.count.size), self.count)
            own = rng.integers(number, size=cell.size).astype(np.uint8)
            for part in range(number):
                yield np.bincount(cell[own == part], minlength=self.count.size)

    def without_each(self) -> Iterator[Counts]:
        """Yield counts without one cluster in turn, some clusters at a time."""
        assert self.cluster is not None
        size = max(1, 2**20 // self.count.size)  # only for speed
        for start in range(0, self.clusters, size):
            some = np.arange(start, min(start + size, self.clusters))
            yield np.where(self.cluster[None] == some[:, None], 0, self.count)
