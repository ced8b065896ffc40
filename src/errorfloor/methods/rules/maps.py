"""Maps from scores of many classes to probabilities, and what their likeliest classes leave.

Powers of scores with weights of the classes or without, or an isotonic fit of each class against
the rest, made to add up to one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorfloor._checks import InputError, argument
from errorfloor._typing import Counts, Floats
from errorfloor.data.sample import Sample
from errorfloor.data.tables import ScoreTable
from errorfloor.methods.record import Options
from errorfloor.methods.rules.fewest import TIE
from errorfloor.methods.rules.logs import (
    Labelled,
    are_logits,
    blocks,
    least_share,
    on_log_scale,
    shares,
    softmax,
    sums,
)
from errorfloor.methods.rules.softmax import Family, Power, covariance, fit, fit_within_reach
from errorfloor.metrics import ERROR


@dataclass(frozen=True, slots=True, eq=False)
class ClassCalibration:
    """A fitted map from scores to the probabilities of all classes; call it on new scores.

    Attributes
    ----------
    method : str
        The method that fitted it.
    table : ScoreTable
        What it was fitted to.
    parameters : dict
        What was fitted, by name; arrays have one entry for each class.
    """

    method: str
    table: ScoreTable = field(repr=False)
    parameters: Mapping[str, Any]
    _map: Callable[[Floats], Floats] = field(repr=False)
    _logits: bool = field(default=False, repr=False)  # else no score may be below 0

    def __call__(self, scores: object) -> Floats:
        """Return the probability of each class, for rows of one score per class."""
        return self._map(self._checked(scores))

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of the classes, in the order of columns."""
        return self.table.classes

    @property
    def probabilities(self) -> Floats:
        """Those at the scores of the fit."""
        return self._map(self.table.scores)

    @property
    def floor(self) -> float:
        """Mean of ``1 - max p`` over the items of the fit."""
        return ERROR.best(self.probabilities, self.table.items)

    def to_dict(self) -> dict[str, Any]:
        """Return the map as plain values, ready for JSON."""
        parameters = {
            name: value.tolist() if isinstance(value, np.ndarray) else value
            for name, value in self.parameters.items()
        }
        return {
            "method": self.method,
            "n": self.table.n,
            "classes": list(self.classes),
            "floor": self.floor,
            "parameters": parameters,
        }

    def _checked(self, scores: object) -> Floats:
        array = np.asarray(scores, dtype=np.float64)
        classes = len(self.classes)
        if array.ndim != 2 or array.shape[1] != classes or not array.size:
            raise InputError(
                argument("scores"),
                f" must have one row per item and {classes} columns, one for each class, got "
                f"shape {array.shape}.",
            )
        bad = ~np.isfinite(array) if self._logits else ~(np.isfinite(array) & (array >= 0))
        if bad.any():
            row, column = (int(at[0]) for at in np.nonzero(bad))
            wanted = "finite" if self._logits else "finite and at least 0, as in the fit"
            raise InputError(
                argument("scores"),
                f" must be {wanted}: row {row} has {array[row, column]} for class "
                f"{self.classes[column]!r}.",
            )
        return array


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


def fit_steps(name: str, table: ScoreTable, options: Options) -> ClassCalibration:
    """Return the fitted maps of all classes."""
    totals = table.counts.sum(axis=1).astype(np.float64)
    found = []
    for share, own in zip(shares(table.scores), table.counts.T, strict=True):
        steps = Steps(share, 0.0)
        found.append((steps.knots, steps.levels(own.astype(np.float64), totals)))
    parameters = {"scores": [knots.tolist() for knots, _ in found]}
    parameters["probabilities"] = [levels.tolist() for _, levels in found]
    logits = are_logits(table.scores)
    return ClassCalibration(name, table, parameters, partial(_apply_steps, found, logits), logits)


def _apply_steps(found: list[tuple[Floats, Floats]], logits: bool, scores: Floats) -> Floats:
    share = softmax(scores.T.copy())[0] if logits else shares(scores)
    prob = np.column_stack(
        [np.interp(row, knots, levels) for row, (knots, levels) in zip(share, found, strict=True)]
    )
    total = prob.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        return np.where(total > 0, prob / total, 1 / len(found))
