"""Betting limits of values that means determine: F1, selective error, balanced error.

Whether such a value is above or below a number is whether a mean is above or below 0. So betting
against that mean refutes numbers, and the limits hold at any number of items.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from errorfloor import _references as references
from errorfloor._typing import Counts, Floats
from errorfloor.intervals.bets import (
    MOST,
    Bets,
    Blocks,
    Seen,
    goal_of,
    growing_blocks,
    refuted_from,
    refuted_up_to,
    stakes_of,
)
from errorfloor.intervals.record import Case, Evidence, IntervalKind, Undefined
from errorfloor.methods.record import Basis
from errorfloor.methods.soft import BestValue
from errorfloor.metrics.selective import CountedCoverageAt, CountedErrorAt
from errorfloor.metrics.two_by_two import CountedF1, CountedForms

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


@dataclass(frozen=True, slots=True, eq=False)
class BettingF1:
    """Limits of the best F1.

    It is at least f where E (2p - f)_+ is at least f E p: a mean of (2p - f)_+ - f p, which falls
    with f for every p and lies between -f^2 / 2 and 2 (1 - f).
    """

    p: Floats = field(repr=False)
    blocks: Blocks = field(repr=False)
    method: str = "betting"

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        goal, n, p = goal_of(level), self.blocks.n, self.p[self.blocks.unit]
        seen = Seen.of(self.blocks, np.ones(self.p.size), self._before)
        stakes = stakes_of(goal, seen.variance() / n, n)

        def above(f: float) -> float:
            # The cap keeps each return falling in f; f / 2 is more than can be lost, f^2 / 2.
            capped = np.minimum(stakes, 2 * MOST / f if f > 0 else np.inf)
            return self.blocks.won(capped, CountedF1.excess(p, f)) - goal

        def below(f: float) -> float:
            capped = np.minimum(stakes, MOST / (2 * (1 - f)) if f < 1 else np.inf)
            return self.blocks.won(capped, -CountedF1.excess(p, f)) - goal

        return refuted_up_to(above, 0.0, 1.0), refuted_from(below, 0.0, 1.0)

    def _before(self, _: int, seen: Blocks) -> Floats:
        """Return what is bet on, of the items before a block at the best F1 of these."""
        count = seen.counts(self.p.size)
        best = float(CountedF1(self.p, count).values(count[None])[0])
        return CountedF1.excess(self.p[seen.unit], 0.5 if np.isnan(best) else best)


def _f1(case: Case, counted: CountedF1) -> Evidence:
    return BettingF1(counted.p, Blocks.drawn(case.count, case.streams.for_("blocks")))


def _selective(case: Case, counted: CountedErrorAt | CountedCoverageAt) -> Evidence:

    top = 1 - 1 / len(case.table.classes)
    blocks = growing_blocks(case.count, case.streams.for_("blocks"))
    errors = Errors.of(counted.error, blocks[:, counted.order], top)
    return BettingSelective(counted, errors, top)


def _forms(case: Case, counted: CountedForms) -> Evidence:
    """Return limits of a mean that two forms have; blocks before it choose the form of each."""
    blocks = Blocks.drawn(case.count, case.streams.for_("blocks"))
    forms = np.stack((counted.forms.without_rest, counted.forms.without_max))
    before = (seen.counts(len(case.count)) for seen in blocks.before)
    chosen = np.array([counted.varies_least(count) for count in before])
    least, most = (ends[chosen] for ends in counted.bounds)
    span = counted.span
    return Bets.of(forms[chosen], blocks, span, bounds=(least, most), width=span[1])


_BY_STATISTIC: Mapping[type, Callable[..., Evidence]] = {
    CountedF1: _f1,
    CountedErrorAt: _selective,
    CountedCoverageAt: _selective,
    CountedForms: _forms,
}


def _betting(case: Case) -> Evidence:
    assert isinstance(case.statistic, BestValue)
    make = _BY_STATISTIC.get(type(case.statistic.counted))
    if make is None:
        raise Undefined("the shares of the classes are estimated")
    return make(case, case.statistic.counted)


BETTING_ROOTS = IntervalKind(
    name="betting",
    basis=Basis.ROOTS,
    make=_betting,
    promise="Both limits hold at any number of items and for any distribution of probabilities.",
    in_short="any n, any distribution",
    proof="[proven](theory.md#limits-of-other-metrics)",
    holds="exact",
    references=(references.BETTING,),
)
