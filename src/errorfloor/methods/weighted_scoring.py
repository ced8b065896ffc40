"""Brier score and log-loss from scores where items weigh differently or belong together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from errorfloor._typing import Counts, Floats
from errorfloor.data.sample import DOUBT, PSEUDO, Sample
from errorfloor.methods.isotonic import FOLDS
from errorfloor.methods.ranks import by_row
from errorfloor.methods.scoring import IsotonicLoss, Losses, LossSums, isotonic_map


class WeightedLoss(IsotonicLoss):
    """Mean loss of the weighted isotonic fit on its own items.

    Weights are divided by what a typical unit weighs, so that sums are about as many equal items.
    """

    def __init__(self, losses: Losses, cells: Sample, most: float) -> None:
        super().__init__(losses, cells, most)
        self.design = cells.reweighted(1 / cells.unit)

    def values(self, counts: Counts, _: np.random.Generator, /) -> Floats:
        """Return the mean loss for each row of counts."""
        return np.array([self.own_losses(count).mean(self._with(count)) for count in counts])

    def leave_one_out(self) -> Floats:
        """Return the mean loss without one item of each cell in turn, by the same fit."""
        design = self.design
        own = self.cell_losses(isotonic_map(*self.rows(design.count)))
        rest = np.maximum(design.total - design.each, 0)
        left = float(design.masses @ own) - design.each * own
        return np.divide(left, rest, out=np.zeros(rest.size), where=rest > 0)

    def rows(self, count: Counts) -> tuple[Floats, Floats]:
        """Return what the negatives and the positives of each row of the table weigh."""
        zeros, ones = by_row(self.cells, (count * self.design.each)[None])
        return zeros[0], ones[0]

    def own_losses(self, count: Counts) -> CellLosses:
        """Return the losses of the fit on its own items."""
        return self._losses(isotonic_map(*self.rows(count)), count)

    def losses_held_out(self, count: Counts, rng: np.random.Generator) -> CellLosses:
        """Return the losses on each of ten parts of the units, of the fit to all the others."""
        found = CellLosses(np.zeros(count.size), np.zeros(count.size), 0.0)
        for part in self._with(count).parts(FOLDS, rng):
            found += self._losses(isotonic_map(*self.rows(count - part), more=1.0), part)
        return found

    def _losses(self, p: Floats, count: Counts) -> CellLosses:
        each, other = self.cell_losses(p), np.maximum(*self.losses(p))[self.cells.row]
        return CellLosses(count * each, count * each**2, float(other[count > 0].max(initial=0.0)))

    def _with(self, count: Counts) -> Sample:
        return self.design.counted(count)


class WeightedMidpointLoss(WeightedLoss):
    """Midpoint of the fit's mean loss on its own items and on items held out, ten-fold."""

    def values(self, counts: Counts, rng: np.random.Generator, /) -> Floats:
        """Return the midpoint for each row of counts."""
        other = [self.losses_held_out(one, rng).mean(self._with(one)) for one in counts]
        return np.asarray((super().values(counts, rng) + np.minimum(other, self.most)) / 2)


@dataclass(frozen=True, slots=True, eq=False)
class CellLosses:
    """Losses of the items of each cell, and their squares, added up; not yet weighted."""

    total: Floats
    squares: Floats
    most: float  # that any of them might have been

    def __add__(self, other: CellLosses) -> CellLosses:
        return CellLosses(
            self.total + other.total, self.squares + other.squares, max(self.most, other.most)
        )

    def mean(self, design: Sample) -> float:
        """Return the weighted mean."""
        return float(design.each @ self.total) / design.total

    def sums(self, design: Sample) -> LossSums:
        """Return the losses of as many equal items as have a mean that varies as much.

        Two typical units of a usual loss and two without any are added to the variance, as
        `Sample.worth` does; a loss is as usual as it counts in the sum.
        """
        total, squares = (float(design.each @ part) for part in (self.total, self.squares))
        worth = 1 / self._each(design, total, squares) if total > 0 else 1.0
        return LossSums(total, squares, design.total, self.most).scaled(worth)

    def _each(self, design: Sample, total: float, squares: float) -> float:
        items = design.items
        usual = squares / total
        number = total / usual / design.unit  # of units that have some loss
        alike = 0.0
        if design.cluster is not None:
            within, spread = self._around(items, total / design.total)
            between, _ = self._around(design, total / design.total)
            alike = 1.0
            if design.unit * spread > within:
                alike = (between - within) / (design.unit * spread - within)
            alike = (number * min(max(alike, 0.0), 1.0) + DOUBT) / (number + DOUBT)
        unit = items.unit + (design.unit - items.unit) * alike
        more = PSEUDO * unit
        mean = (total + more * usual) / (design.total + 2 * more)
        far, spread = self._around(design, mean)
        pseudo = more * ((usual - mean) ** 2 + mean**2)
        return (far + unit * pseudo) / (spread + pseudo)

    def _around(self, design: Sample, mean: float) -> tuple[float, float]:
        """Return squares of units' weighted distances from a mean, and of items that weigh 1."""
        each = self.squares - 2 * mean * self.total + mean**2 * design.count
        spread = max(float(design.each @ each), 0.0)
        if design.cluster is None:
            return max(float(design.each**2 @ each), 0.0), spread
        sums = np.bincount(design.cluster, design.each * (self.total - mean * design.count))
        return float(sums @ sums) * sums.size / max(sums.size - 1, 1), spread
