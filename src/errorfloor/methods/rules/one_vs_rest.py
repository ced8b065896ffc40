"""Each class against the rest by isotonic regression, made to add up to one."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from errorfloor._typing import Counts, Floats
from errorfloor.data.sample import Sample
from errorfloor.data.tables import ScoreTable
from errorfloor.methods.record import Options
from errorfloor.methods.rules.choice import TIE
from errorfloor.methods.rules.logs import are_logits, blocks, row_sums, sums
from errorfloor.methods.rules.map import ClassCalibration
from errorfloor.methods.rules.softmax import softmax


class OneVsRest:
    """Mean of ``1 - max p`` where p are isotonic fits, one for each class, normalised."""

    def __init__(self, cells: Sample, options: Options) -> None:
        self.cells = cells
        self.shares = shares(cells.scores)

    def values(self, counts: Counts, _: np.random.Generator, /) -> Floats:
        """Return the floor for each row of counts."""
        rows = len(self.cells.scores)
        totals = np.array([sums(self.cells.row, count, rows) for count in counts])
        missed = self._missed(counts, totals)
        return np.asarray((totals * missed).sum(axis=1) / totals.sum(axis=1))

    def _missed(self, counts: Counts, totals: Floats) -> Floats:
        """Return one minus the largest probability of each row, for each row of counts."""
        top, total = np.zeros((2, *totals.shape))
        for _, k, prob in self._fits(counts, totals):
            np.maximum(top[k], prob, out=top[k])
            total[k] += prob
        # Where no class is possible by its own fit, all are alike.
        with np.errstate(invalid="ignore"):
            return np.where(total > 0, 1 - top / total, 1 - 1 / len(self.shares))

    def _fits(self, counts: Counts, totals: Floats) -> Iterator[tuple[int, int, Floats]]:
        """Yield classes, rows of counts, and the fit of the class; the next takes its memory."""
        items = [None if (one == 1).all() else one for one in totals]
        prob = np.zeros(totals.shape[1])
        short = self.cells.label.astype(np.uint16)  # only for speed
        of_class = np.argsort(short, kind="stable")
        ends = np.cumsum(np.bincount(self.cells.label, minlength=len(self.shares)))
        for label, mine in enumerate(np.split(of_class, ends[:-1])):
            if mine.size == 0:
                continue
            share, row = self.shares[label], self.cells.row[mine]
            steps = Steps(share, float(share[row].min()))
            for k, count in enumerate(counts):
                prob[:] = 0
                prob[steps.order] = steps.fit(sums(row, count[mine], share.size), items[k])
                yield label, k, prob

    def leave_one_out(self) -> Floats:
        """Return the floor without one item of each cell in turn, where steps stay in one piece.

        An item less moves the fits of all rows on its steps, by which the floor changes as much as
        by the item itself.
        """
        count, row = self.cells.count, self.cells.row
        totals = sums(row, count, len(self.cells.scores))
        prob = np.zeros(self.shares.shape)
        for label, _, fitted in self._fits(count[None], totals[None]):
            prob[label] = fitted
        total, top = prob.sum(axis=0), prob.max(axis=0)
        some = np.maximum(total, np.finfo(float).tiny)
        missed = np.where(total > 0, 1 - top / some, 1 - 1 / len(prob))
        first = prob.argmax(axis=0)
        moved = np.zeros(row.size)
        for label, fitted in enumerate(prob):
            _, step = np.unique(fitted, return_inverse=True)
            slope = np.where(total > 0, (top / some - (first == label)) / some, 0.0)
            lever = np.bincount(step, totals * slope) / np.maximum(np.bincount(step, totals) - 1, 1)
            moved += lever[step[row]] * (fitted[row] - (self.cells.label == label))
        return np.asarray((totals @ missed - missed[row] + moved) / max(int(count.sum()) - 1, 1))


class Steps:
    """Rows in the order of one class's share, from the least share that matters on.

    Shares that are equal but for rounding are one step. `start` has the first row of each step;
    None if each row is a step.
    """

    def __init__(self, share: Floats, least: float) -> None:
        some = share >= least * (1 - TIE)
        self.order: NDArray[np.intp] = np.argsort(share[some])
        if self.order.size < share.size:
            self.order = np.flatnonzero(some)[self.order]
        self.knots = share[self.order]
        self.start: NDArray[np.intp] | None = None
        tied = np.diff(self.knots) <= TIE * self.knots[1:]
        if tied.any():
            self.start = np.flatnonzero(np.append(True, ~tied))
            self.knots = self.knots[self.start]

    def fit(self, own: Floats, totals: Floats | None) -> Floats:
        """Return the fitted probability of the rows in their order; None means an item each."""
        levels = self.levels(own, totals)
        if self.start is None:
            return levels
        return np.repeat(levels, np.diff(np.append(self.start, self.order.size)))

    def levels(self, own: Floats, totals: Floats | None) -> Floats:
        """Return the fitted probability at each step; one without items has that before it."""
        from scipy.optimize import isotonic_regression  # slow to load

        own = own[self.order]
        if self.start is not None:
            own = np.add.reduceat(own, self.start)
        # A step without labels of the class is never above the one before: they are one block.
        first = np.flatnonzero(own)
        levels = np.zeros(own.size)
        if first.size:
            weight = self._items_from(first, totals)
            found = isotonic_regression(own[first] / weight, weights=weight).x
            levels[first[0] :] = np.repeat(found, np.diff(np.append(first, own.size)))
        return levels

    def _items_from(self, first: NDArray[np.intp], totals: Floats | None) -> Floats:
        """Return the items from each of these steps to the next, and from the last on."""
        row = first if self.start is None else self.start[first]
        if totals is None:
            return np.diff(np.append(row, self.order.size)).astype(np.float64)
        return np.add.reduceat(totals[self.order], row)


def shares(scores: Floats) -> Floats:
    """Return the share of each class, one row for each class; logits are exponents."""
    logits = are_logits(scores)
    found = np.empty(scores.shape[::-1])
    for block in blocks(*scores.shape):
        part = scores[block].T
        found[:, block] = softmax(part.copy())[0] if logits else part / row_sums(scores[block])
    return found


def fit_map(name: str, table: ScoreTable, options: Options) -> ClassCalibration:
    """Return the fitted maps of all classes."""
    totals = table.counts.sum(axis=1).astype(np.float64)
    found = []
    for share, own in zip(shares(table.scores), table.counts.T, strict=True):
        steps = Steps(share, 0.0)
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
