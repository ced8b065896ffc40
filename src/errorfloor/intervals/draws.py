"""Multinomial draws over few cells with many items: Poisson counts from a table, then a few items.

Poisson counts with means in proportion to the cells are, given their sum, multinomial. So the items
that are missing in their sum are drawn one by one and added, and a draw of too many is drawn anew:
whether it is depends on the sum alone. What is left is the law of all items drawn one by one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from errorfloor._typing import Counts, Floats

CELLS, ITEMS = 256, 100_000  # up to which tables are small, and exact to ten digits
FINE = 1024  # parts of the range of a uniform number; a power of two, so that nothing is rounded
# Standard deviations of the sum by which its mean is too low: 7 % of the draws are drawn anew.
RESERVE = 1.5
REACH = 9  # standard deviations beyond which there is nothing


@dataclass(frozen=True, eq=False)
class PoissonTable:
    """Inverse distribution functions of Poisson counts with given means, all above 0.

    `steps` has them behind each other: that of cell i rises from i to i + 1.
    """

    means: Floats

    @cached_property
    def _reached(self) -> tuple[Counts, Counts]:
        """The cell of each step, and the count that is reached there."""
        middle = self.means.astype(np.int64)
        reach = (REACH * np.sqrt(self.means) + 20).astype(np.int64)
        least = np.maximum(middle - reach, 0)
        size = middle + reach - least + 1
        cell = np.repeat(np.arange(size.size), size)
        begin = np.cumsum(size) - size
        return cell, np.arange(cell.size) - (begin - least)[cell]

    @cached_property
    def steps(self) -> Floats:
        """The distribution functions at all counts, each plus the number of its cell."""
        from scipy.special import gammaln

        cell, count = self._reached
        logs = count * np.log(self.means)[cell] - self.means[cell] - gammaln(count + 1.0)
        sums = np.cumsum(np.exp(logs))
        last = np.append(np.flatnonzero(np.diff(cell)), cell.size - 1)
        before = np.append(0.0, sums[last[:-1]])
        steps = (sums - before[cell]) / (sums[last] - before)[cell] + cell
        steps[last] = np.arange(1, last.size + 1)
        return np.asarray(steps)

    @cached_property
    def guide(self) -> NDArray[np.int32]:
        """The count of each fine part of the uniform numbers; -1 where there are several."""
        inside = np.bincount((self.steps * FINE).astype(np.intp))[: self.means.size * FINE]
        first = np.cumsum(inside) - inside
        return np.where(inside > 0, -1, self._reached[1][first]).astype(np.int32)

    def draw(self, times: int, rng: np.random.Generator) -> NDArray[np.int32]:
        """Return draws of all counts, shape (times, cells)."""
        at = rng.random((times, self.means.size))
        cell = np.arange(self.means.size)
        at += cell
        np.minimum(at, np.nextafter(cell + 1.0, 0), out=at)  # which a sum may be rounded to
        at = at.ravel()
        found = self.guide[(at * FINE).astype(np.int32)]
        several = np.flatnonzero(found < 0)
        found[several] = self._reached[1][np.searchsorted(self.steps, at[several], side="right")]
        return found.reshape(times, -1)


@dataclass(frozen=True, eq=False)
class QuickDraws:
    """Draws of as many items as there are over the cells of `count`, all above 0."""

    count: Counts

    @classmethod
    def pay(cls, count: Counts) -> bool:
        """Tell whether such draws save time: few cells, with many items each on average."""
        n = int(count.sum())
        return 1 < count.size <= CELLS and 64 * count.size <= n <= ITEMS and bool(count.all())

    @cached_property
    def _parts(self) -> tuple[PoissonTable, NDArray[np.int32]]:
        """A table of somewhat fewer items, and the cell of each item."""
        # Of any share the draws have the same law; few of this one are too many, and drawn anew.
        share = 1 - RESERVE / float(np.sqrt(self.count.sum()))  # only for speed
        cells = np.arange(self.count.size, dtype=np.int32)
        return PoissonTable(np.asarray(self.count * share, dtype=np.float64)), np.repeat(
            cells, self.count
        )

    def __call__(self, times: int, rng: np.random.Generator) -> Counts:
        """Return multinomial draws, shape (times, cells)."""
        table, cell = self._parts
        counts = table.draw(times, rng)
        missing = cell.size - counts.sum(axis=1)
        while (over := np.flatnonzero(missing < 0)).size:
            counts[over] = table.draw(over.size, rng)
            missing[over] = cell.size - counts[over].sum(axis=1)
        place = cell[rng.integers(cell.size, size=int(missing.sum()), dtype=np.int32)]
        place += np.repeat(np.arange(times, dtype=np.int32) * self.count.size, missing)
        added = np.bincount(place, minlength=counts.size).reshape(counts.shape)
        added += counts
        return added
