"""Random parts of units to bet on one after the other, each about as large as all before it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errorfloor._typing import Counts, Floats
from errorfloor.data.sample import split

_PARTS = np.repeat(np.arange(5), [1, 1, 2, 4, 8])  # the block of each of equal parts


def growing_blocks(count: Counts, rng: np.random.Generator) -> Counts:
    """Divide items at random into blocks to bet on, each about as large as all before it.

    Shape (blocks, cells).
    """
    return split(count, _PARTS.size, rng, into=_PARTS)


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """Which units are in which block, and how often: for units that are in few of them each."""

    block: NDArray[np.intp]
    unit: NDArray[np.intp]  # ascending
    times: Floats

    @classmethod
    def drawn(cls, count: Counts, rng: np.random.Generator) -> Blocks:
        """Return `growing_blocks`."""
        if int(count.max(initial=0)) > 1:  # only for speed: blocks are the same
            return cls.of(growing_blocks(count, rng))
        unit = np.flatnonzero(count)
        return cls(_PARTS[rng.integers(_PARTS.size, size=unit.size)], unit, np.ones(unit.size))

    @classmethod
    def of(cls, counts: Counts) -> Blocks:
        """Return blocks of units that are counted, shape (blocks, units)."""
        unit, block = np.nonzero(counts.T)
        return cls(block, unit, counts[block, unit].astype(np.float64))

    @property
    def n(self) -> int:
        """Number of units, those that are alike one by one."""
        return int(self.times.sum())

    def sums(self, values: Floats) -> Floats:
        """Return the sum of values in each block."""
        return np.bincount(self.block, values, minlength=int(_PARTS[-1]) + 1).astype(np.float64)

    def before(self, block: int) -> Blocks:
        """Return what comes before a block."""
        kept = np.flatnonzero(self.block < block)
        return Blocks(self.block[kept], self.unit[kept], self.times[kept])
