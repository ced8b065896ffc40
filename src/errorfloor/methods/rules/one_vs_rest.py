"""Each class against the rest by isotonic regression, made to add up to one."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from errorfloor._typing import Counts, Floats
from errorfloor.data.cells import ClassCells
from errorfloor.data.tables import ScoreTable
from errorfloor.methods.record import Options
from errorfloor.methods.rules.choice import TIE
from errorfloor.methods.rules.logs import are_logits, row_sums, sums
from errorfloor.methods.rules.map import ClassCalibration
from errorfloor.methods.rules.softmax import softmax


class OneVsRest:
    """Mean of ``1 - max p`` where p are isotonic fits, one for each class, normalised."""

    def __init__(self, cells: ClassCells, options: Options) -> None:
        self.cells = cells
        self.steps = [_Steps(column) for column in shares(cells.scores)]

    def values(self, counts: Counts, _: np.random.Generator, /) -> Floats:
        """Return the floor for each row of counts."""
        return np.array([self._value(count) for count in counts])

    def _value(self, count: Counts) -> float:
        totals = sums(self.cells.row, count, len(self.cells.scores))
        return float(totals @ self._missed(count, totals) / totals.sum())

    def _missed(self, count: Counts, totals: Floats) -> Floats:
        top, total = np.zeros((2, totals.size))
        for k, steps in enumerate(self.steps):
            own = np.where(self.cells.label == k, count, 0)
            prob = steps.fit(sums(self.cells.row, own, totals.size), totals)
            np.maximum(top, prob, out=top)
            total += prob
        # Where no class is possible by its own fit, all are alike.
        with np.errstate(invalid="ignore"):
            return np.where(total > 0, 1 - top / total, 1 - 1 / len(self.steps))

    def leave_one_out(self) -> Floats:
        """Return the floor without one item of each cell in turn, with the fits as they are."""
        count, row = self.cells.count, self.cells.row
        totals = sums(row, count, len(self.cells.scores))
        missed = self._missed(count, totals)
        return np.asarray((totals @ missed - missed[row]) / max(int(count.sum()) - 1, 1))


class _Steps:
    """Rows in the order of one class's share, with equal shares together."""

    def __init__(self, share: Floats) -> None:
        self.order: NDArray[np.intp] = np.argsort(share)
        ascending = share[self.order]
        new = np.append(True, np.diff(ascending) > TIE * ascending[1:])
        self.knots = ascending[new]
        self.start = np.flatnonzero(new)
        self.all_new = self.start.size == share.size
        self.back = np.empty(share.size, dtype=np.intp)
        self.back[self.order] = np.cumsum(new) - 1

    def fit(self, own: Floats, totals: Floats) -> Floats:
        """Return the fitted probability of each row."""
        return self.levels(own, totals)[self.back]

    def levels(self, own: Floats, totals: Floats) -> Floats:
        """Return the fitted probability at each distinct share."""
        from scipy.optimize import isotonic_regression  # slow to load

        own, totals = own[self.order], totals[self.order]
        if not self.all_new:
            own, totals = np.add.reduceat(own, self.start), np.add.reduceat(totals, self.start)
        some = totals > 0
        if some.all():
            return np.asarray(isotonic_regression(own / totals, weights=totals).x)
        found = isotonic_regression(own[some] / totals[some], weights=totals[some]).x
        levels: Floats = np.interp(self.knots, self.knots[some], found)
        return levels


def shares(scores: Floats) -> Floats:
    """Return the share of each class, one row for each class; logits are exponents."""
    if are_logits(scores):
        return softmax(scores.T.astype(np.float64, order="C"))[0]
    return np.ascontiguousarray((scores / row_sums(scores)[:, None]).T)


def fit_map(name: str, table: ScoreTable, options: Options) -> ClassCalibration:
    """Return the fitted maps of all classes."""
    totals = table.counts.sum(axis=1).astype(np.float64)
    found = []
    for share, own in zip(shares(table.scores), table.counts.T, strict=True):
        steps = _Steps(share)
        found.append((steps.knots, steps.levels(own.astype(np.float64), totals)))
    parameters = {"scores": [knots.tolist() for knots, _ in found]}
    parameters["probabilities"] = [levels.tolist() for _, levels in found]
    logits = are_logits(table.scores)
    return ClassCalibration(name, table, parameters, partial(_apply, found, logits), logits)


def _apply(found: list[tuple[Floats, Floats]], logits: bool, scores: Floats) -> Floats:
    share = softmax(scores.T.copy())[0] if logits else shares(scores)
    prob = np.column_stack(
        [np.interp(row, knots, levels) for row, (knots, levels) in zip(share, found, strict=True)]
    )
    total = prob.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        return np.where(total > 0, prob / total, 1 / len(found))
