"""Isotonic: the rising curve that fits the labels best, which is the best cut of the scores."""

from __future__ import annotations

from functools import partial

import numpy as np

from errorfloor._references import ISOTONIC as REFERENCE
from errorfloor._typing import Counts, Floats
from errorfloor.data.sample import Sample
from errorfloor.data.tables import ScoreTable
from errorfloor.methods.calibration import Calibration
from errorfloor.methods.cuts import cross_fitted_errors, fewest_errors, signs
from errorfloor.methods.record import Basis, Method, Options, Shape, heeds_weights
from errorfloor.methods.weighted import FOLDS, WeightedCrossFittedCut, WeightedCut
from errorfloor.metrics import ERROR

__all__ = ["FOLDS", "ISOTONIC", "ISOTONIC_CF", "BestCut", "CrossFittedCut"]


class BestCut:
    """Smallest share of label errors of any rule "score > t".

    It equals the mean of ``min(p, 1 - p)`` of the isotonic fit: inside a pooled block no cut
    beats the one where p crosses 1/2, and there the errors are the minorities of the blocks.
    """

    def __init__(self, cells: Sample) -> None:
        self.cells = cells
        self.sign = signs(cells.positive)

    def values(self, counts: Counts, _: np.random.Generator, /) -> Floats:
        """Return the floor for each row of counts."""
        return np.asarray(fewest_errors(self.sign, counts) / counts.sum(axis=1))

    def leave_one_out(self) -> Floats:
        """Return the floor without one item of each cell in turn."""
        # Without a positive item the walk is one lower from its cell on; without a negative one it
        # is one higher, and there is a negative less. Two running minima give every answer.
        n = self.cells.count.sum()
        walk = np.cumsum(self.cells.count * self.sign)
        negatives = (n - walk[-1]) // 2
        before = np.minimum(np.minimum.accumulate(np.concatenate(([0], walk[:-1]))), 0)
        behind = np.minimum.accumulate(walk[::-1])[::-1]
        errors = negatives - ~self.cells.positive + np.minimum(before, behind - self.sign)
        return np.asarray(errors / max(n - 1, 1))


class CrossFittedCut:
    """Midpoint of the best cut's error on its own items and on items held out, ten-fold.

    The first is too low and the second too high by about as much, so this is nearly unbiased.
    """

    def __init__(self, cells: Sample) -> None:
        self.cells = cells
        self.best_cut = BestCut(cells)

    def values(self, counts: Counts, rng: np.random.Generator, /) -> Floats:
        """Return the floor for each row of counts."""
        held_out = [
            cross_fitted_errors(
                self.cells.positive, count, self.cells.counted(count).parts(FOLDS, rng)
            )
            for count in counts
        ]
        return np.asarray((self.best_cut.values(counts, rng) + held_out / counts.sum(axis=1)) / 2)

    def leave_one_out(self) -> Floats:
        """Return the floor without one item of each cell in turn."""
        # Which fold an item is in matters more than the item, so only the half that does not
        # depend on folds is used.
        return self.best_cut.leave_one_out()


@heeds_weights(ERROR.name)
def _best_cut(cells: Sample, options: Options) -> BestCut | WeightedCut:
    return BestCut(cells) if cells.weight is None else WeightedCut(cells)


@heeds_weights(ERROR.name)
def _cross_fitted_cut(cells: Sample, options: Options) -> CrossFittedCut | WeightedCut:
    return CrossFittedCut(cells) if cells.weight is None else WeightedCrossFittedCut(cells)


def _fit(table: ScoreTable, options: Options) -> Calibration:
    from scipy.optimize import isotonic_regression  # slow to load, and only maps need it

    masses = table.masses
    weight = masses.sum(axis=1)
    prob = isotonic_regression(masses[:, 1] / weight, weights=weight).x
    parameters = {"scores": table.scores, "probabilities": prob}
    line = partial(_line, table.scores, prob)
    return Calibration(ISOTONIC.name, table, prob, parameters, line)


def _line(knots: Floats, values: Floats, scores: Floats) -> Floats:
    return np.interp(scores, knots, values)


def _resolution(table: ScoreTable) -> float:
    return table.cut_resolution


_ORDERED = "The scores order the items as their true probabilities do, however distorted"
_IF_WRONG = "the floor of the best cut: too high, still an upper bound"
_BASES = frozenset({Basis.CUTS, Basis.ITEMS})

ISOTONIC = Method(
    name="isotonic",
    reads=ScoreTable.kind,
    bind=_best_cut,
    bases=_BASES,
    interval="honest",
    assumes=_ORDERED,
    if_wrong=_IF_WRONG,
    explains="The labels calibrate the scores by isotonic regression: the rising curve of "
    f"probabilities p that fits them best. The floor is the mean of {ERROR.formula} over all "
    'items. That equals the share of labels that the best rule of the form "score above t" gets '
    "wrong.",
    references=(REFERENCE,),
    shape=Shape.ORDER,
    colour="blue",
    fit=_fit,
    resolution=_resolution,
)

ISOTONIC_CF = Method(
    name="isotonic-cf",
    reads=ScoreTable.kind,
    bind=_cross_fitted_cut,
    bases=_BASES,
    interval="honest",
    assumes=_ORDERED,
    if_wrong="the same",
    explains='The best rule of the form "score above t" errs too rarely on the items that chose '
    "it, and rules tried on items that did not choose them err too often. The floor is the "
    "midpoint of both, which removes most of the optimism of isotonic regression.",
    references=(REFERENCE,),
    shape=Shape.ORDER,
    colour="blue",
    curve=ISOTONIC.name,  # it corrects an estimate, and has no map of its own
    when_merged="tries no cut inside them",
)
