"""Probabilities taken as they are: the mean of the best value on each item."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from errorfloor._references import MANY_SOFT_LABELS, SOFT_LABELS
from errorfloor._typing import Counts, Floats
from errorfloor.data.sample import Sample
from errorfloor.data.tables import MergedRows, ScoreTable, SoftTable
from errorfloor.methods.calibration import Calibration
from errorfloor.methods.record import DRAWN_LABEL, Basis, Classes, Method, Options, heeds_weights
from errorfloor.metrics import ERROR


class MeanFloor:
    """Mean of a known number for each cell of a sample."""

    def __init__(self, floor: Floats, sample: Sample) -> None:
        self.floor = floor
        self.sample = sample

    def values(self, counts: Counts, _: np.random.Generator, /) -> Floats:
        """Return the floor for each row of counts."""
        mass = self.sample.mass(counts)
        return np.asarray((mass * self.floor).sum(axis=1) / mass.sum(axis=1))

    def leave_one_out(self) -> Floats:
        """Return the floor without one item of each cell in turn."""
        return self._without(self.sample.items)

    def without_units(self) -> Floats:
        """Return the floor without each unit in turn: an item of each cell, or a cluster."""
        return self._without(self.sample)

    def _without(self, sample: Sample) -> Floats:
        mean, mass, _ = sample.in_units(self.floor)
        rest = sample.total - mass
        rest = np.where(rest > 0, rest, np.inf)  # of one unit nothing is left
        return np.asarray((float(sample.masses @ self.floor) - mass * mean) / rest)


@heeds_weights(ERROR.name)
def _of_soft_labels(cells: Sample, options: Options) -> MeanFloor:
    return MeanFloor(ERROR.per_item(cells.probabilities), cells)


@heeds_weights(ERROR.name)
def _of_scores(cells: Sample, options: Options) -> MeanFloor:
    return MeanFloor(ERROR.per_item(cells.scores[cells.row]), cells)


def _identity(table: ScoreTable, options: Options) -> Calibration:
    return Calibration(
        CORRUPTED.name, table, table.scores, {}, np.positive, CORRUPTED.needs_probabilities
    )


def _resolution(table: MergedRows) -> float:
    """Return how far the mean may be off: the best value moves by no more than p does."""
    lows, highs = table.ranges
    reach = np.maximum(highs - table.places, table.places - lows)
    mass = table.row_masses
    return float(mass @ reach / mass.sum())


_MEAN = f"The floor is the mean of {ERROR.formula} over all items."

CLEAN = Method(
    name="clean",
    reads=SoftTable.kind,
    bind=_of_soft_labels,
    bases=frozenset({Basis.MEAN, Basis.ITEMS}),
    interval="betting",
    assumes="The soft labels are the true probabilities of class 1 of independent items",
    if_wrong="as wrong as the soft labels",
    explains=f"Each soft label is taken as the probability p of class 1. {_MEAN}",
    references=(SOFT_LABELS,),
    target=DRAWN_LABEL,
    resolution=_resolution,
)

MANY_CLEAN = replace(
    CLEAN,
    classes=Classes.MANY,
    assumes="The soft labels are the true probabilities of the classes, of independent items",
    explains="The soft labels are taken as the probabilities of the classes. The floor is the mean "
    f"of {ERROR.many_formula} over all items: what the likeliest class leaves.",
    references=(MANY_SOFT_LABELS, SOFT_LABELS),
)

CORRUPTED = Method(
    name="corrupted",
    reads=ScoreTable.kind,
    bind=_of_scores,
    bases=frozenset({Basis.CUTS, Basis.MEAN, Basis.ITEMS}),
    interval="bca",
    assumes="The scores are true probabilities of class 1, taken at face value",
    if_wrong="as wrong as the scores",
    explains=f"Each score is taken as the probability p of class 1 as it is. {_MEAN}",
    references=(SOFT_LABELS,),
    colour="red",
    fit=_identity,
    curve="isotonic",  # scores at face value have a straight line, which says nothing
    needs_probabilities=True,
    resolution=_resolution,
)
