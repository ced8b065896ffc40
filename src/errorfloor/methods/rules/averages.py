"""Averages of calibrated confidences: powers of scores, with weights of classes or without."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from errorfloor._typing import Counts, Floats
from errorfloor.data.sample import Sample
from errorfloor.data.tables import ScoreTable
from errorfloor.methods.record import Options
from errorfloor.methods.rules.logs import Labelled, blocks, least_share, on_log_scale
from errorfloor.methods.rules.map import ClassCalibration
from errorfloor.methods.rules.softmax import Family, Power, covariance, fit, fit_within_reach


class PowerFloor:
    """Mean of ``1 - max p`` where p are fitted powers of scores times weights."""

    def __init__(self, family: Family, cells: Sample, options: Options) -> None:
        self.family = family
        self.items = Labelled.of(cells, options.clip)
        self.count = cells.count
        self.fitted = fit(family, self.items, self.count)

    def values(self, counts: Counts, _: np.random.Generator, /) -> Floats:
        """Return the floor for each row of counts."""
        return np.array([self._value(count) for count in counts])

    def _value(self, count: Counts) -> float:
        fitted = fit(self.family, self.items, count, self.fitted)
        totals = self.items.totals(count)
        return float(totals @ _missed(fitted, self.items.logs) / totals.sum())

    def leave_one_out(self) -> Floats:
        """Return the floor without one item of each cell in turn, by one Newton step each."""
        items, n = self.items, int(self.count.sum())
        missed = _missed(self.fitted, items.logs)
        totals = items.totals(self.count)
        turn = self._turn(totals) / n
        shift = np.empty(items.row.size)
        for block in blocks(items.row.size, len(items.logs)):
            row, label = items.row[block], items.label[block]
            logs = items.logs[:, row]
            lever = turn[0][:, None] * logs + turn[1][:, None]
            mean = (self.fitted.probabilities(logs) * lever).sum(axis=0)
            shift[block] = lever[label, np.arange(row.size)] - mean
        rest = (totals @ missed - missed[items.row]) / max(n - 1, 1)
        return np.asarray(rest - shift)

    def _turn(self, totals: Floats) -> Floats:
        """Return how the sum of ``1 - max p`` answers to a change of the likelihood's gradient."""
        classes = len(self.items.logs)
        slope = np.zeros((2, classes))  # by powers, and by weights
        for block in blocks(totals.size, classes):
            logs = self.items.logs[:, block]
            prob = self.fitted.probabilities(logs)
            top = prob.argmax(axis=0)
            best = prob.max(axis=0) * totals[block]
            change = prob * best
            np.subtract.at(change, (top, np.arange(top.size)), best)
            slope += (change * logs).sum(axis=1), change.sum(axis=1)
        spread = covariance(self.family, self.items, self.count, self.fitted)
        if self.family.powers:
            return np.asarray((spread @ slope.ravel()).reshape(2, classes))
        answer = spread @ np.append(slope[0].sum(), slope[1])
        return np.stack((np.full(classes, answer[0]), answer[1:]))


def _missed(fitted: Power, logs: Floats) -> Floats:
    missed = np.empty(logs.shape[1])
    for block in blocks(missed.size, len(logs)):
        missed[block] = 1 - fitted.probabilities(logs[:, block]).max(axis=0)
    return missed


def bind(family: Family, cells: Sample, options: Options) -> PowerFloor:
    """Return the average of a family's confidences."""
    return PowerFloor(family, cells, options)


def fit_map(
    name: str, family: Family, table: ScoreTable, options: Options, *, in_reach: bool = False
) -> ClassCalibration:
    """Return the fitted map of a family, with a least score for each row if `in_reach`."""
    cells = table.cells()
    items = Labelled.of(cells, options.clip)
    fitted = (fit_within_reach if in_reach else fit)(family, items, cells.count)
    least = least_share(table.scores, options.clip)
    parameters: dict[str, Any] = {
        "power": fitted.power if family.powers else float(fitted.power[0]),
        "weight": np.exp(fitted.weight - fitted.weight.max()),
    }
    if in_reach:
        parameters["least"] = float(np.exp(-fitted.reach))  # of each row's largest score
    apply = partial(_apply, fitted, least)
    return ClassCalibration(name, table, parameters, apply, least is None)


def _apply(fitted: Power, least: float | None, scores: Floats) -> Floats:
    return np.ascontiguousarray(fitted.probabilities(on_log_scale(scores, least)).T)
