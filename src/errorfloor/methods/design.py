"""How the items of cells were sampled: what they weigh, and which of them belong together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from errorfloor._typing import Counts, Floats
from errorfloor.data.cells import MANY_ITEMS, split

# Units of which it is taken for granted that all, and none, of their items are wrong: a variance
# that is told by two or three wrong items alone would be as often far too small.
PSEUDO = 2.0


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """Weights and clusters of cells; a unit is a cluster, or an item that stands alone."""

    count: Counts
    weight: Floats
    cluster: Counts | None = None

    @classmethod
    def of(cls, cells: Any) -> Design:
        """Return the design of cells that have weights."""
        return cls(cells.count, cells.weight, cells.cluster)

    @property
    def mass(self) -> Floats:
        """What the items of each cell weigh together."""
        return self.count * self.weight

    @property
    def total(self) -> float:
        """What all items weigh together."""
        return float(self.mass.sum())

    @property
    def clusters(self) -> int:
        """Number of clusters."""
        assert self.cluster is not None
        return int(self.cluster.max()) + 1

    @property
    def unit(self) -> float:
        """What a typical unit weighs: so many of them would vary as all units do."""
        return self.squares(np.ones(self.count.size)) / self.total

    @property
    def units(self) -> float:
        """Number of units of equal weight that would tell as much."""
        return self.total / self.unit

    def squares(self, values: Floats, weight: Counts | None = None) -> float:
        """Return the sum over units of squared sums of weight times value.

        `values` are those of each item of a cell, or with `weight` of so many of its items.
        """
        count = self.count if weight is None else weight
        if self.cluster is None:
            return float(count @ (self.weight * values) ** 2)
        sums = np.bincount(self.cluster, count * self.weight * values)
        return float(sums @ sums)

    def worth(self, wrong: Floats) -> tuple[float, float]:
        """Return the weighted share of wrong items, and of how many equal items it is worth.

        `wrong` is how many items of each cell are wrong. The number is that whose binomial variance
        is that of the share, as Korn and Graubard have it, with `PSEUDO` units added.
        """
        errors, total, unit = float(self.weight @ wrong), self.total, self.unit
        more = PSEUDO * unit
        share = (errors + more) / (total + 2 * more)
        squares = self._deviations(wrong, share)
        squares += PSEUDO * unit**2 * ((1 - share) ** 2 + share**2)
        each = squares / (share * (1 - share) * (total + 2 * more))
        return errors / total, total / each

    def _deviations(self, wrong: Floats, share: float) -> float:
        """Return the sum over units of squared sums of weight times what deviates from a share."""
        if self.cluster is None:
            squared = self.weight**2
            ill = float(squared @ wrong)
            return ill * (1 - share) ** 2 + (float(squared @ self.count) - ill) * share**2
        sums = np.bincount(self.cluster, self.weight * (wrong - share * self.count))
        return float(sums @ sums) * sums.size / max(sums.size - 1, 1)

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
        size = max(1, 2**20 // self.count.size)
        for start in range(0, self.clusters, size):
            some = np.arange(start, min(start + size, self.clusters))
            yield np.where(self.cluster[None] == some[:, None], 0, self.count)

    def resampled(self, times: int, rng: np.random.Generator) -> Counts:
        """Return `times` draws of as many clusters as there are, with replacement."""
        assert self.cluster is not None
        number = self.clusters
        drawn = rng.multinomial(number, np.full(number, 1 / number), size=times)
        return np.asarray(self.count * drawn[:, self.cluster])
