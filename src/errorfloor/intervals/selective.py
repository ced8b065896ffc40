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
from errorfloor.intervals.roots import MOST, Blocks, refuted_up_to
from errorfloor.metrics.counted_selective import CountedCoverageAt, CountedErrorAt

_GRID = 32  # places at which the least gain is looked for, then between those next to it
_AT_ONCE = 2**17  # only for speed: numbers
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
        log_goal = float(np.log(2 / (1 - level)))
        best = _Best(self.errors, self.top, log_goal)
        if isinstance(self.asked, CountedErrorAt):
            c, high = self.asked.coverage, self.top
            marks = self._marks(c)
            low = refuted_up_to(lambda q: best.is_harder(c, q, marks), 0.0, high)
            return low, high - refuted_up_to(lambda d: best.is_easier(c, high - d), 0.0, high)
        q = self.asked.at
        marks = self._marks(None)
        low = refuted_up_to(lambda c: best.is_easier(c, q), 0.0, 1.0)
        return low, 1 - refuted_up_to(lambda d: best.is_harder(1 - d, q, marks), 0.0, 1.0)

    def _marks(self, coverage: float | None) -> Floats:
        """Return the error of the last item to be answered, as earlier items have it."""
        return np.array([self._mark(count, coverage) for count in self.errors.blocks.before])

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
        return cls(error[start], error[end], Blocks(counts))

    @cached_property
    def single(self) -> tuple[Counts, Counts, Counts]:
        """Block, row and count of what is not empty, by row."""
        row, block = np.nonzero(self.blocks.counts.T)
        return block, row, self.blocks.counts[block, row]

    @cached_property
    def sums(self) -> Floats:
        """Running sums of 1, r and r^2 over the items before each block, shape (3, blocks, r)."""
        powers = np.stack((np.ones_like(self.high), self.high, self.high**2))
        sums = np.cumsum(self.blocks.before * powers[:, None], axis=2)
        return np.concatenate((np.zeros((*sums.shape[:2], 1)), sums), axis=2)

    def stakes(self, log_goal: float, places: Floats, top: float) -> Floats:
        """Return the stakes on (place - r)_+ from the items before, shape (places, blocks)."""
        row = np.searchsorted(self.high, places)
        number, first, second = self.sums[:, :, row]
        mean = places * number - first
        square = places**2 * number - 2 * places * first + second
        n = self.sums[0, :, -1:]
        spread = np.maximum(square - mean**2 / np.maximum(n, 1), 0)
        variance = (0.25 * top**2 + spread) / (n + 1)
        return np.asarray(np.sqrt(2 * log_goal / (self.blocks.n * variance))).T


@dataclass(frozen=True, slots=True, eq=False)
class _Best:
    """What betting gains against statements about a coverage c and an error q."""

    errors: Errors
    top: float
    log_goal: float

    def is_harder(self, c: float, q: float, marks: Floats) -> float:
        """Return the gain against: c of the items can be answered with an error of q at most."""
        stakes = np.diagonal(self.errors.stakes(self.log_goal, marks, self.top))
        promised = c * (marks - q)
        most = np.maximum(marks - promised, 1e-300)  # the most that an item may lose
        capped = np.where(marks > q, np.minimum(stakes, MOST / most), 0.0)  # else nothing is lost
        block, row, count = self.errors.single
        kept = np.maximum(marks[block] - self.errors.low[row], 0)
        returns = capped[block] * (promised[block] - kept)
        return float(count @ np.log1p(returns)) - self.log_goal

    def is_easier(self, c: float, q: float) -> float:
        """Return the gain against: no more than c can be answered with an error of q at most."""
        places = np.linspace(q, self.top, _GRID)
        gains = self._gains(c, q, places)
        least = int(gains.argmin())
        near = places[max(least - 1, 0)], places[min(least + 1, _GRID - 1)]
        finer = self._gains(c, q, np.linspace(*near, _GRID // 2))
        return float(min(gains[least], finer.min())) - self.log_goal

    def _gains(self, c: float, q: float, places: Floats) -> Floats:
        """Return logarithms of capitals from betting that E (t - r)_+ is above c (t - q)."""
        size = max(1, _AT_ONCE // self.errors.single[0].size)
        parts = (places[start : start + size] for start in range(0, places.size, size))
        return np.concatenate([self._some_gains(c, q, part) for part in parts])

    def _some_gains(self, c: float, q: float, places: Floats) -> Floats:
        needed = c * (places - q)[:, None]
        stakes = self.errors.stakes(self.log_goal, places, self.top)
        capped = np.minimum(stakes, MOST / np.maximum(needed, 1e-300))
        block, row, count = self.errors.single
        # Items with an error above all places are alike.
        few = int(np.searchsorted(row, np.searchsorted(self.errors.high, places[-1])))
        kept = np.maximum(places[:, None] - self.errors.high[row[:few]], 0)
        gained = np.log1p(capped[:, block[:few]] * (kept - needed)) @ count[:few]
        others = np.bincount(block[few:], count[few:], minlength=capped.shape[1])
        return np.asarray(gained + np.log1p(-capped * needed) @ others)
