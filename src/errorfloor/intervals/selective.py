"""Betting limits of selective error: the error at a coverage, and the coverage at an error.

Let r be the least error of an item. A share c of the items can be answered with an error of at most
q where E (t - r)_+ is at least c (t - q) for every t. One t is enough to refute that, and it may be
chosen from earlier items; to refute the opposite takes every t.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from errorfloor._typing import Counts, Floats
from errorfloor.intervals.bets import (
    MOST,
    Blocks,
    Seen,
    goal_of,
    refuted_from,
    refuted_up_to,
    stakes_of,
)
from errorfloor.metrics.counted_selective import CountedCoverageAt, CountedErrorAt

_GRID = 32  # places at which the least gain is looked for, then between those next to it
_AT_ONCE = 2**16  # only for speed: numbers
_ROWS = 2**13  # distinct errors, beyond which neighbours are taken together, on the safe side


@dataclass(frozen=True, slots=True, eq=False)
class BettingSelective:
    """Limits of the error at a coverage, or of the coverage at an error."""

    asked: CountedErrorAt | CountedCoverageAt = field(repr=False)
    errors: Errors = field(repr=False)
    top: float  # the largest error of an item
    method: str = "betting"

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        best = _Best(self.errors, self.top, goal_of(level))
        if isinstance(self.asked, CountedErrorAt):
            c = self.asked.coverage
            marks = self._marks(c)
            low = refuted_up_to(lambda q: best.is_harder(c, q, marks), 0.0, self.top)
            return low, refuted_from(lambda q: best.is_easier(c, q), 0.0, self.top)
        q = self.asked.at
        marks = self._marks(None)
        low = refuted_up_to(lambda c: best.is_easier(c, q), 0.0, 1.0)
        return low, refuted_from(lambda c: best.is_harder(c, q, marks), 0.0, 1.0)

    def _marks(self, coverage: float | None) -> Floats:
        """Return the error of the last item to be answered, as earlier items have it."""
        return np.array([self._mark(count, coverage) for count in self.errors.before])

    def _mark(self, count: Counts, coverage: float | None) -> float:
        if not count.any():
            return self.top
        if coverage is None:
            assert isinstance(self.asked, CountedCoverageAt)
            coverage = CountedCoverageAt.share(self.errors.high, count, self.asked.at)
        place = int(np.searchsorted(np.cumsum(count), coverage * count.sum()))
        return float(self.errors.high[min(place, count.size - 1)])


@dataclass(frozen=True, eq=False)
class Errors:
    """Items in blocks by their least errors, ascending, each known to lie in a short range."""

    low: Floats
    high: Floats
    blocks: Blocks

    @classmethod
    def of(cls, error: Floats, blocks: Counts, top: float) -> Errors:
        """Take items of one error together, or of neighbouring ones where these are too many."""
        key = error
        if np.count_nonzero(np.diff(error)) >= _ROWS:
            key = np.floor(error * (_ROWS / top))
        start = np.flatnonzero(np.append(True, key[1:] > key[:-1]))
        end = np.append(start[1:], error.size) - 1
        counts = np.add.reduceat(blocks, start, axis=1)
        return cls(error[start], error[end], Blocks.of(counts))

    @cached_property
    def before(self) -> Counts:
        """How many items of each error come before each block, shape (blocks, r)."""
        return np.stack([seen.counts(self.high.size) for seen in self.blocks.before])

    @cached_property
    def sums(self) -> Floats:
        """Running sums of 1, r and r^2 over the items before each block, shape (3, blocks, r)."""
        powers = np.stack((np.ones_like(self.high), self.high, self.high**2))
        sums = np.cumsum(self.before * powers[:, None], axis=2)
        return np.concatenate((np.zeros((*sums.shape[:2], 1)), sums), axis=2)

    def stakes(self, goal: float, places: Floats, top: float) -> Floats:
        """Return the stakes on (place - r)_+ from the items before, shape (places, blocks)."""
        row = np.searchsorted(self.high, places)
        number, first, second = self.sums[:, :, row]
        total = places * number - first
        squares = places**2 * number - 2 * places * first + second
        variance = Seen.plain(self.sums[0, :, -1:], total, squares).variance(top)
        return np.asarray(stakes_of(goal, variance / self.blocks.n, self.blocks.n)).T


@dataclass(frozen=True, slots=True, eq=False)
class _Best:
    """What betting gains against statements about a coverage c and an error q."""

    errors: Errors
    top: float
    goal: float

    def is_harder(self, c: float, q: float, marks: Floats) -> float:
        """Return the gain against: c of the items can be answered with an error of q at most."""
        stakes = np.diagonal(self.errors.stakes(self.goal, marks, self.top))
        promised = c * (marks - q)
        most = np.maximum(marks - promised, 1e-300)  # the most that an item may lose
        capped = np.where(marks > q, np.minimum(stakes, MOST / most), 0.0)  # else nothing is lost
        blocks = self.errors.blocks
        kept = np.maximum(marks[blocks.block] - self.errors.low[blocks.unit], 0)
        return blocks.won(capped, promised[blocks.block] - kept) - self.goal

    def is_easier(self, c: float, q: float) -> float:
        """Return the gain against: no more than c can be answered with an error of q at most."""
        places = np.linspace(q, self.top, _GRID)
        gains = self._gains(c, q, places)
        least = int(gains.argmin())
        near = places[max(least - 1, 0)], places[min(least + 1, _GRID - 1)]
        finer = self._gains(c, q, np.linspace(*near, _GRID // 2))
        return float(min(gains[least], finer.min())) - self.goal

    def _gains(self, c: float, q: float, places: Floats) -> Floats:
        """Return logarithms of capitals from betting that E (t - r)_+ is above c (t - q)."""
        size = max(1, _AT_ONCE // self.errors.blocks.unit.size)
        parts = (places[start : start + size] for start in range(0, places.size, size))
        return np.concatenate([self._some_gains(c, q, part) for part in parts])

    def _some_gains(self, c: float, q: float, places: Floats) -> Floats:
        needed = c * (places - q)[:, None]
        stakes = self.errors.stakes(self.goal, places, self.top)
        capped = np.minimum(stakes, MOST / np.maximum(needed, 1e-300))
        blocks = self.errors.blocks
        block, row, count = blocks.block, blocks.unit, blocks.times
        # Items with an error above all places are alike.
        few = int(np.searchsorted(row, np.searchsorted(self.errors.high, places[-1])))
        returns = np.subtract.outer(places, self.errors.high[row[:few]])
        np.maximum(returns, 0, out=returns)
        returns -= needed
        returns *= capped[:, block[:few]]
        gained = np.log1p(returns, out=returns) @ count[:few]
        others = np.bincount(block[few:], count[few:], minlength=capped.shape[1])
        return np.asarray(gained + np.log1p(-capped * needed) @ others)
