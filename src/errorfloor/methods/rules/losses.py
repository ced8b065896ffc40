"""Scores of many classes by other metrics than error: losses of fitted maps, and of decisions.

One power and a weight per class are fitted by maximum likelihood, as for error. What is lost on the
items of the fit is too little, and what is lost on items held out too much.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from errorfloor._checks import InputError
from errorfloor._typing import Floats
from errorfloor.data.sample import Draw, Losses, Sample
from errorfloor.methods.fitted import Sides, mean_loss, noise_of, sides_of
from errorfloor.methods.record import Basis, Method, Options
from errorfloor.methods.rules.fewest import FEWEST_STARTS
from errorfloor.methods.rules.logs import Labelled
from errorfloor.methods.rules.offsets import OFFSETS_FAMILY, LikeliestFit, Offsets
from errorfloor.methods.rules.records import OFFSETS, TEMPERATURE, VECTOR
from errorfloor.methods.rules.softmax import Family, Power
from errorfloor.metrics import Metric
from errorfloor.metrics.balanced import BALANCED
from errorfloor.metrics.means import BRIER, COST, LOG_LOSS

_WHOLE = 2**20  # of the largest weight; searches count in whole numbers
_LEAST = 1e-3  # of all items, that the shares of the classes are mixed with

Places: TypeAlias = NDArray[np.intp]


class Lost(Protocol):
    """What is lost on an item of a class where the classes have such probabilities."""

    decides: bool  # whether a class is chosen

    def losses(self, probabilities: Floats, label: Places, /) -> Floats:
        """Return the loss of each item; probabilities have a row for each class."""

    def possible(self, probabilities: Floats, n: float, /) -> Floats:
        """Return the largest loss that each item might have had; n items know no rarer label."""


class LogLoss:
    """The logarithm of one over the probability of the label."""

    decides = False

    def losses(self, probabilities: Floats, label: Places) -> Floats:
        """Return the log-loss of each item."""
        own = probabilities[label, np.arange(label.size)]
        return np.asarray(-np.log(np.maximum(own, np.finfo(float).tiny)))

    def possible(self, probabilities: Floats, n: float) -> Floats:
        """Return the log-loss of the least likely class, of one in n items at most."""
        return np.asarray(-np.log(np.maximum(probabilities.min(axis=0), 1 / (n + 1))))


class Brier:
    """The squared distance of all probabilities from the label's."""

    decides = False

    def losses(self, probabilities: Floats, label: Places) -> Floats:
        """Return the Brier loss of each item."""
        own = probabilities[label, np.arange(label.size)]
        return np.asarray((probabilities**2).sum(axis=0) - 2 * own + 1)

    def possible(self, probabilities: Floats, n: float) -> Floats:
        """Return the Brier loss of the least likely class."""
        rarest = probabilities.argmin(axis=0)
        return self.losses(probabilities, rarest)


class Costs:
    """What the decision with the least expected cost costs."""

    decides = True

    def __init__(self, costs: Floats) -> None:
        self.costs = costs

    def losses(self, probabilities: Floats, label: Places) -> Floats:
        """Return the cost of each item."""
        return np.asarray(self.costs[label, self._decisions(probabilities)])

    def possible(self, probabilities: Floats, n: float) -> Floats:
        """Return what each decision may cost."""
        return np.asarray(self.costs.max(axis=0)[self._decisions(probabilities)])

    def _decisions(self, probabilities: Floats) -> Places:
        return np.asarray(np.argmin(self.costs.T @ probabilities, axis=0))

    @property
    def by_class(self) -> Floats | None:
        """What an error on each class costs, where it is the same whichever class is chosen."""
        off = ~np.eye(len(self.costs), dtype=bool)
        rows = self.costs[off].reshape(len(self.costs), -1)
        return rows[:, 0] if (rows == rows[:, :1]).all() else None


class LossFit(LikeliestFit):
    """The mean loss of the map that likelihood chooses."""

    def __init__(self, lost: Lost, *fit: Any) -> None:
        super().__init__(*fit)
        self.lost = lost

    def _like(self, sample: Sample, draw: Draw, fitted: Power) -> LossFit:
        return LossFit(self.lost, sample, self.rules, self.metric, draw, fitted)

    @cached_property
    def own_losses(self) -> Losses:
        """Losses on the items of the fit."""
        return self._losses(self.fitted, self.sample.count)

    @cached_property
    def least_losses(self) -> Losses:
        """The least losses that are found on the items of the fit.

        Where only errors on each class count, a search over all weights of the classes may find
        less than the fit; else the fit has the least.
        """
        costs = self.lost.by_class if isinstance(self.lost, Costs) else None
        if costs is None:
            return self.own_losses
        label, count = self.rules.items.label, self.sample.count
        whole = np.round(_WHOLE * costs / costs.max()).astype(np.int64)[label]
        wrong = self.rules.least(self.sample.mass(count * whole), self.fitted, FEWEST_STARTS)
        found = _added_up(wrong * costs[label], count)
        return min(self.own_losses, found, key=self._mean)

    @cached_property
    def held_out_losses(self) -> Losses:
        """Losses on items held out in turn, by the fit to all others, on average over folds."""
        each: list[Losses] = self.repeated(self._hold_out, partial(noise_of, self.sample))
        if len(each) == 1:
            return each[0]
        total, squares = (
            np.mean([getattr(one, part) for one in each], axis=0) for part in ("total", "squares")
        )
        return Losses(total, squares, max(one.most for one in each))

    def _hold_out(self, rng: np.random.Generator) -> Losses:
        nothing = np.zeros(len(self.sample))
        found = Losses(nothing, nothing, 0.0)
        for part, fitted in self.folds(rng):
            found += self._losses(self._mixed(fitted), part)
        return found

    @property
    def own_loss(self) -> float:
        """The mean loss on the items of the fit."""
        return self._mean(self.own_losses)

    @property
    def held_out_loss(self) -> float:
        """The mean loss on items held out."""
        return self._mean(self.held_out_losses)

    def sides(self) -> Sides:
        """Return the least losses on the items of the fit, and those on items held out."""
        held_out = replace(self.held_out_losses, most=self.held_out_losses.most or 1.0)
        correlated = self.correlated if self.lost.decides else 0.0
        return sides_of(self.sample, self.least_losses, held_out, correlated=correlated)

    def _mean(self, losses: Losses) -> float:
        return mean_loss(self.sample, losses)

    def _mixed(self, fitted: Power) -> Power:
        """Return a fit to some items where classes without items are rare, not impossible."""
        seen = np.isfinite(fitted.weight)
        if seen.all() or self.lost.decides:
            return fitted
        least = float(fitted.weight[seen].min()) + np.log(_LEAST)
        return replace(fitted, weight=np.where(seen, fitted.weight, least))

    def _losses(self, fitted: Power, count: Any) -> Losses:
        items, some = self.rules.items, np.flatnonzero(count)
        p = fitted.probabilities(items.logs[:, items.row[some]])
        own = self.lost.losses(p, items.label[some])
        possible = self.lost.possible(p, float(self.sample.count.sum()))
        losses = np.zeros(count.size)
        losses[some] = own
        return _added_up(losses, count, max(float(possible.max()), float(own.max())))


def _added_up(losses: Floats, count: Any, most: float = 1.0) -> Losses:
    return Losses(count * losses, count * losses**2, most)


def _given(cells: Sample, options: Options) -> Lost:
    return Costs(np.asarray(options.metric.given["costs"], dtype=np.float64))


def _balanced(cells: Sample, options: Options) -> Lost:
    classes = cells.scores.shape[1]
    items = np.bincount(cells.label, cells.count, minlength=classes)
    if not items.all():
        raise InputError(
            f"Balanced error needs items of every class, and no label is class number "
            f"{int(np.argmin(items))}. Leave it out, or add items of it."
        )
    weight = items.sum() / (classes * items)
    return Costs(weight[:, None] * ~np.eye(classes, dtype=bool))


def _log_loss(cells: Sample, options: Options) -> Lost:
    return LogLoss()


def _brier(cells: Sample, options: Options) -> Lost:
    return Brier()


def _bind(
    family: Family,
    lost: Callable[[Sample, Options], Lost],
    cells: Sample,
    options: Options,
) -> LossFit:
    rules = Offsets(Labelled.of(cells, options.clip), family)
    return LossFit(lost(cells, options), cells, rules, options.metric, options.draw)


_MIDPOINT = (
    "The floor is the midpoint of its mean {} on the items of the fit, which is too low, and on "
    "items that were held out, which is too high."
)


def _method(
    like: Method,
    family: Family,
    metric: Metric,
    words: str,
    lost: Callable[[Sample, Options], Lost],
    rule: str,
) -> Method:
    return replace(
        like,
        bind=partial(_bind, family, lost),
        metrics=(metric.name,),
        bases=frozenset({Basis.LOSSES}),
        interval="honest",
        explains=f"{rule} {_MIDPOINT.format(words)}",
        if_wrong="the floor of the best such map: too high, still an upper bound",
    )


_FITTED = (
    "One common power of the scores and one weight per class are fitted to the labels by maximum "
    "likelihood. "
)
_DECIDES = _FITTED + "The decision with the least expected {} is taken."
_MAPS = (
    (OFFSETS, OFFSETS_FAMILY, f"{_FITTED}Each row is divided by its sum."),
    (TEMPERATURE, Family(weights=False), TEMPERATURE.explains.split(". ")[0] + "."),
    (VECTOR, Family(powers=True), VECTOR.explains.split(". ")[0] + "."),
)
_PRECISE = (
    "One power and a weight per class turn the scores into true probabilities, as far as decisions "
    "depend on them"
)
_RULE = replace(OFFSETS, assumes=_PRECISE)
DECISIONS: tuple[Method, ...] = (
    _method(_RULE, OFFSETS_FAMILY, COST, "cost", _given, _DECIDES.format("cost")),
    _method(
        _RULE,
        OFFSETS_FAMILY,
        BALANCED,
        "balanced error",
        _balanced,
        _DECIDES.format("balanced error"),
    ),
)
_SCALE = replace(
    OFFSETS, assumes="One power and a weight per class turn the scores into true probabilities"
)
LOSSES: tuple[Method, ...] = tuple(
    _method(_SCALE if like is OFFSETS else like, family, metric, metric.words, lost, rule)
    for metric, lost in ((BRIER, _brier), (LOG_LOSS, _log_loss))
    for like, family, rule in _MAPS
)
RECORDS: tuple[Method, ...] = (*DECISIONS, *LOSSES)
DEFAULTS: tuple[Method, ...] = tuple(one for one in RECORDS if one.name == OFFSETS.name)
