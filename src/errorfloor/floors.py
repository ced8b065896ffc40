"""The floor of each method as a statistic of cell counts: one value, many values, leave-one-out.

A statistic is bound to the cells of one table. It then gives its value for any counts in these
cells (`values`: a bootstrap, label noise, the table itself) and with one item of each cell left
out (`leave_one_out`: a jackknife). What draws the counts knows nothing about calibration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations_with_replacement, product

import numpy as np
from numpy.typing import NDArray

from errorfloor import _logistic
from errorfloor._typing import Bools, Counts, Floats
from errorfloor.calibration import (
    LogisticFit,
    LogisticModel,
    bin_edges,
    bins_of,
    equal_mass_positions,
)
from errorfloor.resample import Statistic, cross_fitted_errors, split
from errorfloor.tables import Cells, ScoreTable


def bind(method: str, cells: Cells, *, clip: float) -> Statistic:
    """Return the floor by `method` as a statistic of `cells`."""
    if method == "corrupted":
        scores = cells.scores[cells.row]
        return MeanFloor(np.minimum(scores, 1 - scores), cells.count)
    if method == "isotonic":
        return BestCut(cells)
    if method == "isotonic-cf":
        return CrossFittedCut(cells)
    if method.startswith("hist-"):
        return Binned(cells, bins_of(method))
    return Logistic(cells, LogisticModel.named(method, clip))


class MeanFloor:
    """Mean of a known number for each cell."""

    def __init__(self, floor: Floats, count: Counts) -> None:
        self.floor = floor
        self.count = count

    def values(self, counts: Counts, _: np.random.Generator, /) -> Floats:
        """Return the floor for each row of counts."""
        return np.asarray((counts * self.floor).sum(axis=1) / counts.sum(axis=1))

    def leave_one_out(self) -> Floats:
        """Return the floor without one item of each cell in turn."""
        total = (self.count * self.floor).sum()
        return np.asarray((total - self.floor) / max(self.count.sum() - 1, 1))


class BestCut:
    """Smallest share of label errors of any rule "score > t".

    It equals the mean of ``min(p, 1 - p)`` of the isotonic fit: inside a pooled block no cut
    beats the one where p crosses 1/2, and there the errors are the minorities of the blocks.
    """

    def __init__(self, cells: Cells) -> None:
        self.cells = cells
        self.sign = np.where(cells.positive, 1, -1)

    def values(self, counts: Counts, _: np.random.Generator, /) -> Floats:
        """Return the floor for each row of counts."""
        return np.asarray(self.errors(counts) / counts.sum(axis=1))

    def errors(self, counts: Counts) -> Counts:
        """Return the fewest label errors of any cut, for each row of counts."""
        # The cut behind a cell errs on the negatives of all cells, plus positives less
        # negatives up to there; the cut before all cells has the first part only.
        walk = np.cumsum(counts * self.sign, axis=1)
        negatives = (counts.sum(axis=1) - walk[:, -1]) // 2
        return np.asarray(negatives + np.minimum(walk.min(axis=1), 0))

    def wrong_cells(self) -> Bools:
        """Tell which cells the table's own best cut errs on; of several cuts the lowest counts."""
        walk = np.concatenate(([0], np.cumsum(self.cells.count * self.sign)))
        below = np.arange(len(self.cells)) < np.argmin(walk)
        return np.asarray(self.cells.positive == below)

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

    folds = 10

    def __init__(self, cells: Cells) -> None:
        self.cells = cells
        self.best_cut = BestCut(cells)

    def values(self, counts: Counts, rng: np.random.Generator, /) -> Floats:
        """Return the floor for each row of counts."""
        held_out = [
            cross_fitted_errors(self.cells.positive, split(count, self.folds, rng))
            for count in counts
        ]
        return np.asarray((self.best_cut.values(counts, rng) + held_out / counts.sum(axis=1)) / 2)

    def leave_one_out(self) -> Floats:
        """Return the floor without one item of each cell in turn."""
        # Which fold an item is in matters more than the item, so only the half that does not
        # depend on folds is used.
        return self.best_cut.leave_one_out()


class Binned:
    """Minorities of uniform-mass bins of scores."""

    def __init__(self, cells: Cells, bins: int) -> None:
        self.cells = cells
        self.bins = bins
        self.cells_before = np.append(cells.row_starts, len(cells))  # of each row, and in all
        self.positive = cells.positive.astype(np.int64)

    def values(self, counts: Counts, rng: np.random.Generator, /) -> Floats:
        """Return the floor for each row of counts."""
        n = counts.sum(axis=1)
        if (n != n[0]).any():  # bins of other sizes, so one at a time
            return np.concatenate([self.values(count[None], rng) for count in counts])
        # All rows end to end are one ascending sequence, and all their bins one search.
        start = np.arange(len(counts))[:, None]
        total = _running_sums(counts.ravel())
        positives = _running_sums((counts * self.positive).ravel())

        def row_of(item: NDArray[np.intp]) -> NDArray[np.intp]:
            place = np.searchsorted(total, n[0] * start + item, side="right") - 1
            return np.asarray(self.cells.row[place - len(self.cells) * start])

        inner = equal_mass_positions(int(n[0]), self.bins)
        _, cut = bin_edges(self.cells.scores, row_of(inner - 1), row_of(inner))
        ends = np.zeros((len(counts), inner.size + 2), dtype=np.intp)
        ends[:, 1:-1] = self.cells_before[cut]
        ends[:, -1] = len(self.cells)
        ends += len(self.cells) * start
        return _minorities(total[ends], positives[ends])

    def leave_one_out(self) -> Floats:
        """Return the floor without one item of each cell in turn."""
        count, positive = self.cells.count, self.cells.positive
        n = int(count.sum()) - 1
        if n == 0:
            return np.zeros(1)
        total, positives = _running_sums(count), _running_sums(count * self.positive)
        inner = equal_mass_positions(n, self.bins)
        row = self.cells.row
        row_at = [row[np.searchsorted(total, inner + i, side="right") - 1] for i in (-1, 0, 1)]
        floors = np.empty(len(self.cells))
        for block in _blocks(len(self.cells), inner.size):
            # Items behind the one left out move up by one, so a bin that ends there begins and
            # ends one item later in the original order.
            left_out = total[self.cells_before[row[block]]][:, None]
            last = np.where(left_out < inner, row_at[1], row_at[0])
            first = np.where(left_out > inner, row_at[1], row_at[2])
            _, cut = bin_edges(self.cells.scores, last, first)
            ends = np.zeros((len(cut), inner.size + 2), dtype=np.intp)
            ends[:, 1:-1] = cut
            ends[:, -1] = self.cells.scores.size
            gone = ends > row[block][:, None]
            below = self.cells_before[ends]
            gone_positive = gone & positive[block][:, None]
            floors[block] = _minorities(total[below] - gone, positives[below] - gone_positive)
        return floors


class Logistic:
    """Floor of a logistic calibrator: the beta family and Platt.

    Resamples start from the fit to the table. There they share their fitted probabilities, so
    the sums behind their first step are one matrix product, third derivatives included. Each
    further step evaluates them once, and the last one carries the floor along its gradient.
    """

    tolerance = 1e-8  # decrement an item of the last step, which about squares the error
    max_steps = 30
    few_cells = 1000  # up to here a jackknife fits each table anew

    def __init__(self, cells: Cells, model: LogisticModel) -> None:
        self.cells = cells
        self.model = model
        table = cells.table(cells.count)
        self.fit = LogisticFit.of(model, table.scores, table.negatives, table.positives)
        self.basis = basis = self.fit.basis
        self.half_basis = np.ascontiguousarray(basis.T / 2)
        self.pairs, self.pair_index = _products(basis, 2)
        triples, self.triple_index = _products(basis, 3)
        prob = self.fit.probabilities
        variance = prob * (1 - prob)
        # What one item of a cell adds to sums over all items, at the fit to the table.
        by_row = {
            "basis": basis,
            "fitted": prob[:, None] * basis,
            "hessian": variance[:, None] * self.pairs,
            "third": (variance * (1 - 2 * prob))[:, None] * triples,
        }
        terms = {name: term[cells.row] for name, term in by_row.items()}
        terms["positive"] = cells.positive[:, None].astype(np.float64)
        terms["positive_basis"] = terms["positive"] * terms["basis"]
        self.terms = np.hstack(list(terms.values()))
        ends = np.cumsum([term.shape[1] for term in terms.values()])[:-1]
        self.part = dict(zip(terms, np.split(np.arange(self.terms.shape[1]), ends), strict=True))
        self._refits: dict[LogisticModel, Logistic] = {}

    def values(self, counts: Counts, _: np.random.Generator, /) -> Floats:
        """Return the floor for each row of counts."""
        return self._values(counts)

    def leave_one_out(self) -> Floats:
        """Return the floor without one item of each cell in turn."""
        count = self.cells.count
        n = int(count.sum())
        if n == 1:
            return np.zeros(1)
        if len(self.cells) <= self.few_cells:
            return self._values(count - np.eye(len(count), dtype=np.int64))
        # One step from the fit for each cell: off by O(1/n) of a change that is O(1/n).
        for needed, model in self.model.refits(self.fit.coefficients[None]):
            if needed.any():
                return self._refit(model).leave_one_out()
        sums = count @ self.terms - self.terms
        step = self._start(sums, self._target(sums, n - 1.0)) - self.fit.coordinates
        prob = self.fit.probabilities[self.cells.row]
        floor, fall = np.minimum(prob, 1 - prob), np.where(prob > 0.5, -1, 1) * prob * (1 - prob)
        slope = fall[:, None] * self.basis[self.cells.row]
        change = ((count @ slope - slope) * step).sum(axis=1)
        return np.asarray(np.clip((count @ floor - floor + change) / (n - 1), 0, 0.5))

    def _values(self, counts: Counts) -> Floats:
        with np.errstate(over="ignore", invalid="ignore"):  # of steps that lead nowhere
            floors, coefficients = self._fit_all(counts)
        for needed, model in self.model.refits(coefficients):
            if needed.any():
                floors[needed] = self._refit(model)._values(counts[needed])
        return floors

    def _refit(self, model: LogisticModel) -> Logistic:
        if model not in self._refits:
            self._refits[model] = Logistic(self.cells, model)
        return self._refits[model]

    def _target(self, sums: Floats, n: Floats | float) -> Floats:
        """Return the sums of target times basis."""
        positives = sums[:, self.part["positive"]]
        low, high = self.model.targets(np.reshape(n, (-1, 1)) - positives, positives)
        in_positives = sums[:, self.part["positive_basis"]]
        in_negatives = sums[:, self.part["basis"]] - in_positives
        return np.asarray(low * in_negatives + high * in_positives)

    def _fit_all(self, counts: Counts) -> tuple[Floats, Floats]:
        """Return the floor and the coefficients for each row of counts."""
        weight = counts.astype(np.float64)
        n = weight.sum(axis=1)
        sums = weight @ self.terms
        if len(self.cells) > len(self.basis):
            weight = np.add.reduceat(weight, self.cells.row_starts, axis=1)
        target = self._target(sums, n)
        x = self._start(sums, target)
        constant = target - sums[:, self.part["basis"]] / 2
        floors = np.full(len(counts), np.nan)
        coefficients = np.empty((len(counts), len(self.fit.back)))
        todo = np.arange(len(counts))
        for _ in range(self.max_steps):
            # With h = tanh(z / 2), p is (1 + h) / 2 and its minority (1 - |h|) / 2.
            h = np.tanh(x @ self.half_basis)
            pull = weight * h
            spread = weight - pull * h
            gradient = constant - pull @ self.basis / 2
            step = _logistic.solve((spread @ self.pairs / 4)[:, self.pair_index], gradient)
            slope = np.copysign(spread, h) @ self.basis / -4
            errors = (n - np.abs(pull).sum(axis=1)) / 2 + (slope * step).sum(axis=1)
            decrement = np.abs(gradient * step).sum(axis=1)
            # Far from the optimum (nearly separable resamples) whole steps overshoot.
            x = x + step / (1 + np.sqrt(np.where(decrement > 0.1, decrement, 0)))[:, None]
            done = decrement <= self.tolerance * n
            floors[todo[done]] = errors[done] / n[done]
            coefficients[todo[done]] = x[done] @ self.fit.back.T
            left = ~done & np.isfinite(x).all(axis=1)
            if not left.any():
                break
            todo, x, n = todo[left], x[left], n[left]
            weight, constant = weight[left], constant[left]
        for i in np.flatnonzero(np.isnan(floors)):
            floors[i], coefficients[i] = self._fit_one(counts[i])
        return np.clip(floors, 0, 0.5), coefficients

    def _start(self, sums: Floats, target: Floats) -> Floats:
        """Return where one step of Chebyshev's method leads from the fit to the table.

        That is Newton's step, bent by the third derivatives; where the bend is no mere detail,
        half of Newton's step.
        """
        hessian = sums[:, self.part["hessian"]][:, self.pair_index]
        third = sums[:, self.part["third"]][:, self.triple_index]
        step = _logistic.solve(hessian, target - sums[:, self.part["fitted"]])
        bend = _logistic.solve(hessian, np.einsum("kabc,kb,kc->ka", third, step, step) / 2)
        detail = np.abs(bend).max(axis=1) < np.abs(step).max(axis=1) / 4
        return np.asarray(self.fit.coordinates + step - np.where(detail[:, None], bend, step / 2))

    def _fit_one(self, count: Counts) -> tuple[float, Floats]:
        table = self.cells.table(count)
        fit = LogisticFit.of(self.model, table.scores, table.negatives, table.positives)
        prob, weight = fit.probabilities, table.negatives + table.positives
        return float(weight @ np.minimum(prob, 1 - prob) / weight.sum()), fit.coefficients


class TableStatistic:
    """Any function from a score table to a number, one table at a time."""

    def __init__(self, cells: Cells, function: Callable[[ScoreTable], float]) -> None:
        self.cells = cells
        self.function = function

    def values(self, counts: Counts, _: np.random.Generator, /) -> Floats:
        """Return the floor for each row of counts."""
        return np.array([self.function(self.cells.table(count)) for count in counts])

    def leave_one_out(self) -> Floats:
        """Return the floor without one item of each cell in turn."""
        count = self.cells.count
        if count.sum() == 1:
            return np.zeros(1)
        less = (count - np.eye(len(count), dtype=np.int64)[i] for i in range(len(count)))
        return np.array([self.function(self.cells.table(one_less)) for one_less in less])


def _running_sums(counts: Counts) -> Counts:
    """Return sums over the last axis up to and without each entry, and the whole sum."""
    sums = np.zeros((*counts.shape[:-1], counts.shape[-1] + 1), dtype=np.int64)
    np.cumsum(counts, axis=-1, out=sums[..., 1:])
    return sums


def _minorities(total: Counts, positives: Counts) -> Floats:
    """Return the share of minority labels in bins, from running sums at the ends of the bins."""
    size, in_bin = np.diff(total, axis=1), np.diff(positives, axis=1)
    return np.asarray(np.minimum(in_bin, size - in_bin).sum(axis=1) / size.sum(axis=1))


def _products(columns: Floats, order: int) -> tuple[Floats, NDArray[np.intp]]:
    """Return all products of `order` columns, each once, and which one a tensor's entry is."""
    rank = columns.shape[1]
    chosen = list(combinations_with_replacement(range(rank), order))
    products = np.stack([columns[:, which].prod(axis=1) for which in chosen], axis=1)
    place = {which: i for i, which in enumerate(chosen)}
    index = [place[tuple(sorted(which))] for which in product(range(rank), repeat=order)]
    return products, np.reshape(index, order * (rank,))


def _blocks(rows: int, width: int) -> Iterator[slice]:
    """Yield slices of `rows` that keep arrays of this width to a few megabytes."""
    size = max(1, 2**18 // max(width, 1))
    return (slice(start, start + size) for start in range(0, rows, size))
