"""Estimators of balanced error and AUC on noisy tables of two classes, and their oracles."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from errorfloor import methods as known
from errorfloor._checks import check_choice
from errorfloor._typing import Bools, Counts, Floats
from errorfloor.data.sample import Sample
from errorfloor.data.tables import ScoreTable
from errorfloor.methods.logistic import Logistic
from errorfloor.methods.record import Classes, Method, Options, Statistic
from errorfloor.metrics import Metric
from errorfloor.metrics.noise import kept_after
from errorfloor.metrics.record import PairsInOrder

NOTHING = 0.5  # the value of a model that tells nothing, and what one class allows to say


def usable(metric: Metric) -> dict[str, Method]:
    """Return the methods for a metric: those with an answer of their own, and those with a map."""
    own = {one.name: one for one in known.reading(ScoreTable.kind, Classes.TWO, metric.name)}
    maps = (one for one in known.reading(ScoreTable.kind) if one.fit is not None)
    return own | {one.name: one for one in maps if one.name not in own}


def find(name: object, metric: Metric) -> Method:
    """Return the method of that name for a metric, or say which there are."""
    own = known.known(str(name), Classes.TWO, ScoreTable.kind, metric.name)
    if own is not None:
        return own
    of_error = known.known(str(name), Classes.TWO, ScoreTable.kind)
    if of_error is not None and of_error.fit is not None:
        return of_error
    hint = f" They are those for {metric.words}."
    return usable(metric)[check_choice(name, tuple(usable(metric)), name="method", hint=hint)]


def that_fit(table: ScoreTable, metric: Metric) -> tuple[dict[str, Method], tuple[str, ...]]:
    """Return the methods that take the table's scores, and a note on those that do not."""
    every = usable(metric)
    fitting = {name: one for name, one in every.items() if one.takes(table)}
    left_out = ", ".join(name for name in every if name not in fitting)
    note = f"Left out, because they need scores in [0, 1]: {left_out}."
    return fitting, (note,) if left_out else ()


def bind(method: Method, cells: Sample, options: Options) -> Statistic:
    """Return a method's estimate of the metric as a statistic."""
    if method.is_for(options.metric.name):
        return method.bind(cells, options)
    statistic = method.bind(cells, options)
    if isinstance(statistic, Logistic):  # which fits many tables at once
        return OfMaps(statistic.probabilities, options.metric)
    return OfMaps(_Fits(method, cells, options), options.metric)


@dataclass(frozen=True, slots=True)
class _Fits:
    """The probabilities at each score of maps that are fitted one at a time."""

    method: Method
    cells: Sample
    options: Options

    def __call__(self, counts: Counts) -> Floats:
        fit = self.method.fit
        assert fit is not None
        tables = (ScoreTable.from_cells(self.cells, count) for count in counts)
        return np.array([fit(table, self.options).probabilities for table in tables])


@dataclass(frozen=True, slots=True)
class OfMaps:
    """The best value of a metric on items with the probabilities of fitted maps."""

    maps: Callable[[Counts], Floats]
    metric: Metric

    def values(self, counts: Counts, _: np.random.Generator, /) -> Floats:
        """Return the best value for each row of counts."""
        items = counts.reshape(len(counts), -1, 2).sum(axis=2)
        distance = _apart if by_order(self.metric) else _from_mean
        sign = -1 if self.metric.less_is_better else 1
        prob, share = self.maps(counts), items / items.sum(axis=1, keepdims=True)
        mean = (prob * share).sum(axis=1)
        spread = 4 * mean * (1 - mean)
        told = np.divide(distance(prob, share), spread, out=np.zeros(len(counts)), where=spread > 0)
        return np.asarray(NOTHING + sign * told)


def by_order(metric: Metric) -> bool:
    """Tell whether a metric goes by the order of the scores, not by a rule."""
    return isinstance(metric.of_model, PairsInOrder)


def _from_mean(prob: Floats, share: Floats) -> Floats:
    """Return E |p - E p| for each row."""
    mean = (prob * share).sum(axis=1, keepdims=True)
    return np.asarray((np.abs(prob - mean) * share).sum(axis=1))


def _apart(prob: Floats, share: Floats) -> Floats:
    """Return E |p - p'| of two independent items for each row."""
    order = np.argsort(prob, axis=1, kind="stable")
    p, w = np.take_along_axis(prob, order, axis=1), np.take_along_axis(share, order, axis=1)
    behind = 1 - np.cumsum(w, axis=1)[:, :-1]
    return np.asarray(2 * (np.diff(p, axis=1) * behind * (1 - behind)).sum(axis=1))


@dataclass(frozen=True, slots=True)
class OfRule:
    """Balanced error of a rule that says which cells it errs on."""

    wrong: Bools
    positive: Bools

    def values(self, counts: Counts, _: np.random.Generator, /) -> Floats:
        """Return the balanced error for each row of counts."""
        rates = [
            counts[:, self.wrong & cells].sum(axis=1) / counts[:, cells].sum(axis=1)
            for cells in (self.positive, ~self.positive)
        ]
        return np.asarray((rates[0] + rates[1]) / 2)


def best_balanced_rule(cells: Sample) -> OfRule:
    """Return the cut with the least balanced error on the items of the cells."""
    positives = int(cells.count[cells.positive].sum())
    negatives = int(cells.count.sum()) - positives
    # Whole numbers, so that no rounding chooses between cuts; of several the lowest counts.
    step = cells.count.astype(object) * np.where(cells.positive, negatives, -positives)
    walk = np.concatenate(([0], np.cumsum(step)))
    below = np.arange(len(cells)) < int(np.argmin(walk))
    return OfRule(np.asarray(cells.positive == below), cells.positive)


class OfOrder:
    """AUC of the scores as they are, ties by halves."""

    def values(self, counts: Counts, _: np.random.Generator, /) -> Floats:
        """Return the AUC for each row of counts."""
        pairs = counts.reshape(len(counts), -1, 2).astype(np.float64)
        positives, negatives = pairs[..., 0], pairs[..., 1]
        below = np.cumsum(negatives, axis=1) - negatives / 2
        all_pairs = positives.sum(axis=1) * negatives.sum(axis=1)
        return np.asarray((positives * below).sum(axis=1) / all_pairs)


@dataclass(frozen=True, slots=True)
class WithBothClasses:
    """A statistic of tables that hold both classes, and `otherwise` where noise left one only."""

    statistic: Statistic
    positive: Bools
    otherwise: float = NOTHING

    def values(self, counts: Counts, rng: np.random.Generator, /) -> Floats:
        """Return the statistic for each row of counts."""
        positives = counts[:, self.positive].sum(axis=1)
        both = (positives > 0) & (positives < counts.sum(axis=1))
        found = np.full(len(counts), self.otherwise)
        if both.any():
            found[both] = self.statistic.values(counts[both], rng)
        return found


@dataclass(frozen=True, slots=True)
class Oracle:
    """What is known to err, or to rank, alike on all noisy tables: unbiased but for its noise."""

    metric: Metric
    cells: Sample

    def statistic(self) -> Statistic:
        """Return the value of a rule, or an order, that was fixed before noise came."""
        if by_order(self.metric):
            return OfOrder()
        return best_balanced_rule(self.cells)

    def within_bounds(self, found: Floats, model: float, noise: Floats, mean: float) -> Floats:
        """Return its values less what its mean is out of bounds: worse than the model's."""
        value = self.statistic().values(self.cells.count[None], np.random.default_rng(0))[0]
        worse = max(self.metric.gap(float(value), model), 0.0)
        sign = -1 if self.metric.less_is_better else 1
        return np.asarray(found + sign * worse * kept_after(self.share, noise, mean))

    @property
    def share(self) -> float:
        """The share of class 1."""
        return float(self.cells.count[self.cells.positive].sum() / self.cells.count.sum())
