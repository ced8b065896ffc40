"""Errors of cuts where items weigh differently: of the best cut, and on items held out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from errorfloor._typing import Bools, Counts, Floats
from errorfloor.data.cells import Cells
from errorfloor.methods.cuts import signs
from errorfloor.methods.design import Design

FOLDS = 10


class WeightedCut:
    """Smallest weighted share of label errors of any rule "score > t"."""

    def __init__(self, cells: Cells) -> None:
        assert cells.weight is not None
        self.cells = cells
        self.weight = cells.weight
        self.sign = signs(cells.positive)
        self.design = Design.of(cells)
        self.ends = np.append(np.flatnonzero(np.diff(cells.row)), len(cells) - 1)

    def values(self, counts: Counts, _: np.random.Generator, /) -> Floats:
        """Return the floor for each row of counts."""
        mass = counts * self.weight
        walk = np.cumsum(mass * self.sign, axis=1)
        wrong = mass @ ~self.cells.positive + np.minimum(walk.min(axis=1), 0)
        return np.asarray(np.maximum(wrong, 0) / mass.sum(axis=1))

    def leave_one_out(self) -> Floats:
        """Return the floor without one item of each cell in turn."""
        mass = self.design.mass
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

    def held_out(self, rng: np.random.Generator) -> Floats:
        """Return how many items of each cell are wrong when each is held out in turn."""
        whole = np.cumsum(self.design.mass * self.sign)
        wrong = np.zeros(len(self.cells))
        for part in self.design.parts(FOLDS, rng):
            rest = whole - np.cumsum(part * self.weight * self.sign)
            wrong += part * self.wrong_at(self._best(rest))
        return wrong

    def _best(self, walk: Floats) -> int:
        """Return how many cells are below the best cut; cuts fall behind whole rows only."""
        at: NDArray[np.intp] = self.ends
        best = int(np.argmin(walk[at]))
        return int(at[best]) + 1 if walk[at[best]] < 0 else 0

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
        cells = self.cells
        some = WeightedCut(
            Cells(cells.scores, cells.row, cells.positive, count, self.weight, cells.cluster)
        )
        return float(self.weight @ some.held_out(rng)) / float(self.weight @ count)
