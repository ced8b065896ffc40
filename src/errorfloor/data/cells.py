"""Cells: what resampling, noise and sharding change the counts of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errorfloor._typing import Bools, Counts, Floats

# From so many items on, one binomial draw for a cell takes less time than drawing its items.
MANY_ITEMS = 16


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The (score, label) pairs of a score table of two classes, by score, the positive one first.

    Resampling, noise and sharding change only the counts of these cells. Positive before
    negative makes every running sum of (positives - negatives) that ends inside a row no smaller
    than the one that ends before it, so a minimum over all of them is a minimum over true cuts.
    """

    scores: Floats  # of the table, one per row
    row: NDArray[np.intp]
    positive: Bools
    count: Counts

    def __len__(self) -> int:
        return int(self.count.size)

    @property
    def row_starts(self) -> NDArray[np.intp]:
        """Index of the first cell of each row."""
        return np.searchsorted(self.row, np.arange(self.scores.size))

    def pooled(self, blocks: int) -> tuple[Bools, Counts]:
        """Return cells of blocks of neighbouring rows with about as many items each, likewise."""
        behind = np.cumsum(np.bincount(self.row, self.count))
        block = np.ceil(behind * (blocks / behind[-1])).astype(np.intp) - 1
        cell = 2 * block[self.row] + ~self.positive
        count = np.bincount(cell, self.count, minlength=2 * blocks).astype(np.int64)
        return np.arange(2 * blocks) % 2 == 0, count


def split(count: Counts, parts: int, rng: np.random.Generator) -> Counts:
    """Divide the items of the cells at random, each alike to any part; shape (parts, cells)."""
    many = count > MANY_ITEMS * parts
    few = np.flatnonzero(~many)
    cell = np.repeat(few, count[few])
    place = rng.integers(parts, size=cell.size)
    place *= count.size
    place += cell
    divided = np.bincount(place, minlength=parts * count.size)
    divided = divided.reshape(parts, count.size)
    divided[:, many] = rng.multinomial(count[many], np.full(parts, 1 / parts)).T
    return divided


@dataclass(frozen=True, slots=True, eq=False)
class SoftCells:
    """The rows of a table of soft labels."""

    probabilities: Floats
    count: Counts

    def __len__(self) -> int:
        return int(self.count.size)


@dataclass(frozen=True, slots=True, eq=False)
class VoteCells:
    """The rows of a vote table of two classes."""

    positives: Counts
    totals: Counts
    count: Counts

    def __len__(self) -> int:
        return int(self.count.size)
