"""Errors of cuts where items weigh differently: of the best cut, and on items held out."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from errorfloor._typing import Bools, Counts, Floats
from errorfloor.data.sample import Sample
from errorfloor.methods.cuts import signs

FOLDS = 10
MANY = 2**16  # items
ROUNDING = 1e-12  # of what all items weigh, by which sums that are equal may differ
MOST_ROWS = 2**14  # between which cuts are tried on items held out; one holds few items


def lowest(walks: Floats, path: float) -> NDArray[np.intp]:
    """Return the first place where each walk is least, or -1 where it is nowhere below 0.

    Where cuts err on the same items, only rounding tells their sums apart, which no unit of
    weights may decide. `path` is how long a walk is at most.
    """
    least = np.minimum(walks.min(axis=-1), 0) + ROUNDING * path
    return np.where(least >= 0, -1, np.argmax(walks <= least[..., None], axis=-1))


class WeightedCut:
    """Smallest weighted share of label errors of any rule "score > t"."""

    def __init__(self, cells: Sample) -> None:
        assert cells.weight is not None
        self.cells = cells
        self.weight = cells.weight
        self.sign = signs(cells.positive)
        self.design = cells

    @cached_property
    def ends(self) -> NDArray[np.intp]:
        """The last cell of each row."""
        row = self.cells.row
        return np.append(np.flatnonzero(row[1:] != row[:-1]), row.size - 1)

    @cached_property
    def _path(self) -> float:
        """How long the walk is that the best cut is the lowest point of."""
        return float(abs(self.sign) @ self.design.masses)

    def share(self) -> float:
        """Return the share of errors of the best cut."""
        return float(WeightedCut.values(self, self.cells.count[None], np.random.default_rng(0))[0])

    def values(self, counts: Counts, _: np.random.Generator, /) -> Floats:
        """Return the floor for each row of counts."""
        mass = counts * self.weight
        walk = np.cumsum(mass * self.sign, axis=1)
        wrong = mass @ ~self.cells.positive + np.minimum(walk.min(axis=1), 0)
        return np.asarray(np.maximum(wrong, 0) / mass.sum(axis=1))

    def leave_one_out(self) -> Floats:
        """Return the floor without one item of each cell in turn."""
        mass = self.design.masses
        step = self.sign * self.weight
        walk = np.cumsum(mass * self.sign)
        negatives = float(mass @ ~self.cells.positive) - np.where(
            self.cells.positive, 0, self.weight
        )
        before = np.minimum(np.minimum.accumulate(np.concatenate(([0.0], walk[:-1]))), 0)
        behind = np.minimum.accumulate(walk[::-1])[::-1]
        errors = negatives + np.minimum(before, behind - step)
        rest = mass.sum() - self.weight
        return np.asarray(np.divide(errors, rest, out=np.zeros(rest.size), where=rest > 0))

    def wrong(self, mass: Floats) -> Bools:
        """Tell which cells the cut errs on that is best for these masses; the lowest of several."""
        return self.wrong_at(self.below(mass))

    def below(self, mass: Floats) -> int:
        """Return how many cells are below the cut that is best for these masses."""
        return self._best(np.cumsum(mass * self.sign))

    def wrong_among(self, some: NDArray[np.intp], mass: Floats) -> Bools:
        """Tell which of some cells, in order, the cut errs on that is best for their masses."""
        row, positive = self.cells.row[some], self.cells.positive[some]
        step = mass * self.sign[some]
        walk = np.cumsum(step)
        ends = np.append(np.flatnonzero(row[1:] != row[:-1]), row.size - 1)
        place = int(lowest(walk[ends], abs(step).sum())) if row.size else -1
        best = int(ends[place]) if place >= 0 else -1
        return np.asarray(positive == (np.arange(row.size) <= best))

    def held_out(self, rng: np.random.Generator) -> Floats:
        """Return how many items of each cell are wrong when each is held out in turn."""
        cells = self.cells
        if cells.cluster is None and int(cells.count.sum()) > 8 * len(cells) + MANY:
            return self._held_out_by_parts(rng)
        item, fold = self.design.folds(FOLDS, rng)
        row, rows = self._blocks()
        # What each fold adds to the walk over rows, and so the walk over all others.
        step = self.sign * (self.design.masses if item is None else self.weight)
        own, signed = (row, step) if item is None else (row[item], step[item])
        steps = np.bincount(fold * rows + own, signed, minlength=FOLDS * rows)
        walks = np.cumsum(steps.reshape(FOLDS, rows), axis=1)
        rest = walks.sum(axis=0) - walks
        below = lowest(rest, abs(signed).sum()) + 1
        if item is None:
            return np.asarray(cells.count * (cells.positive == (row < below[fold])))
        ill = cells.positive[item] == (own < below[fold])
        return np.bincount(item[ill], minlength=len(cells)).astype(np.float64)

    def _held_out_by_parts(self, rng: np.random.Generator) -> Floats:
        """Return the same where cells have too many items to look at each."""
        whole = np.cumsum(self.design.masses * self.sign)
        wrong = np.zeros(len(self.cells))
        for part in self.design.parts(FOLDS, rng):
            rest = whole - np.cumsum(part * self.weight * self.sign)
            wrong += part * self.wrong_at(self._best(rest))
        return wrong

    def _blocks(self) -> tuple[NDArray[np.intp], int]:
        """Return rows, or blocks of rows with about as many items each where rows are many."""
        row, rows = self.cells.row, self.cells.scores.size
        if rows <= MOST_ROWS:
            return row, rows
        behind = np.cumsum(np.bincount(row, self.cells.count, minlength=rows))
        block = np.ceil(behind * (MOST_ROWS / behind[-1])).astype(np.intp) - 1
        return block[row], MOST_ROWS

    def _best(self, walk: Floats) -> int:
        """Return how many cells are below the best cut; cuts fall behind whole rows only."""
        best = int(lowest(walk[self.ends], self._path))
        return int(self.ends[best]) + 1 if best >= 0 else 0

    def wrong_at(self, below: int) -> Bools:
        """Tell which cells the cut errs on that has so many cells below it."""
        return np.asarray(self.cells.positive == (np.arange(len(self.cells)) < below))


class WeightedCrossFittedCut(WeightedCut):
    """Midpoint of the best cut's weighted error on its own items and on items held out."""

    def values(self, counts: Counts, rng: np.random.Generator, /) -> Floats:
        """Return the floor for each row of counts."""
        best = WeightedCut.values(self, counts, rng)
        return np.array(
            [(own + self._share(count, rng)) / 2 for own, count in zip(best, counts, strict=True)]
        )

    def _share(self, count: Counts, rng: np.random.Generator) -> float:
        some = WeightedCut(self.cells.counted(count))
        return float(self.weight @ some.held_out(rng)) / float(self.weight @ count)
