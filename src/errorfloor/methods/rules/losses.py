"""Scores of many classes by other metrics than error: losses of fitted maps, and of decisions.

One power and a weight per class are fitted by maximum likelihood, as for error. What is lost on the
items of the fit is too little, and what is lost on items held out too much.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from errorfloor._checks import InputError
from errorfloor._typing import Counts, Floats
from errorfloor.data.sample import Sample
from errorfloor.methods.record import Basis, Method, Options
from errorfloor.methods.rules.choice import Rule
from errorfloor.methods.rules.fewest import FEWEST_STARTS, fewest_errors
from errorfloor.methods.rules.logs import Labelled
from errorfloor.methods.rules.offsets import OFFSETS_FAMILY, parts
from errorfloor.methods.rules.records import OFFSETS, TEMPERATURE, VECTOR
from errorfloor.methods.rules.softmax import Family, Power, fit, fit_within_reach
from errorfloor.methods.rules.unsure import unsure_share
from errorfloor.methods.scoring import NO_LOSSES, LossSums

_WHOLE = 2**20  # of the largest weight; searches count in whole numbers
_USUAL = 0.5  # share of unsure items that leaves the losses of the folds as they are
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


class RuleLosses:
    """Midpoint of the mean loss of a fitted map on its own items and on items held out."""

    def __init__(self, family: Family, lost: Lost, cells: Sample, options: Options) -> None:
        self.family = family
        self.lost = lost
        self.items = Labelled.of(cells, options.clip)
        self.count = cells.count
        self.fitted = self._fit_all()
        self.span = options.metric.span(len(self.items.logs))
        self._held_out: tuple[str, LossSums] | None = None

    def values(self, counts: Counts, rng: np.random.Generator, /) -> Floats:
        """Return the midpoint for each row of counts."""
        return np.array([self._value(count, rng) for count in counts])

    def _value(self, count: Counts, rng: np.random.Generator) -> float:
        fitted = self.fitted
        if not np.array_equal(count, self.count):
            fitted = fit(self.family, self.items, count, self.fitted, self.fitted.reach)
        own = self._sums(fitted, count).mean
        return float(np.clip((own + self.held_out(count, rng).mean) / 2, *self.span))

    def in_sample(self, count: Counts) -> LossSums:
        """Return the least losses that are found on the items of the fit.

        Where only errors on each class count, a search over all weights of the classes may find
        less than the fit; else the fit has the least.
        """
        own = self._sums(self.fitted, count)
        costs = self.lost.by_class if isinstance(self.lost, Costs) else None
        if costs is None:
            return own
        weight = np.round(_WHOLE * costs / costs.max()).astype(np.int64)[self.items.label]
        starts = (Rule.of(self.fitted), Rule.as_it_is(len(self.items.logs)))
        _, rule = fewest_errors(self.items, count * weight, starts, FEWEST_STARTS)
        wrong = rule.chosen(self.items, self.items.by_class(count)) != self.items.label
        found = LossSums.of(wrong * costs[self.items.label], count)
        return min(own, found, key=lambda sums: sums.total)

    def held_out(self, count: Counts, rng: np.random.Generator) -> LossSums:
        """Return the losses on each of ten parts, of the fit to all the others."""
        state = f"{rng.bit_generator.state} {hash(count.tobytes())}"
        if self._held_out is None or self._held_out[0] != state:
            found = NO_LOSSES
            for part in parts(count, rng):
                others = count - part
                if part.any():
                    fitted = self._mixed(others) if others.any() else self.fitted
                    found += self._sums(fitted, part)
            self._held_out = state, found
        return self._held_out[1]

    @property
    def correlated(self) -> float:
        """Share of the variance of the held-out losses that the folds have in common."""
        if not self.lost.decides:
            return 0.0
        unsure = unsure_share(self.family, self.items, self.count, self.fitted)
        return max(unsure - _USUAL, 0) / (1 - _USUAL)

    def _fit_all(self) -> Power:
        choose = fit_within_reach if self.family == OFFSETS_FAMILY else fit
        return choose(self.family, self.items, self.count)

    def _mixed(self, count: Counts) -> Power:
        """Return the fit to some items, where classes without items are rare, not impossible."""
        fitted = fit(self.family, self.items, count, self.fitted, self.fitted.reach)
        seen = np.isfinite(fitted.weight)
        if seen.all() or self.lost.decides:
            return fitted
        least = float(fitted.weight[seen].min()) + np.log(_LEAST)
        return replace(fitted, weight=np.where(seen, fitted.weight, least))

    def _sums(self, fitted: Power, count: Counts) -> LossSums:
        some = count > 0
        p = fitted.probabilities(self.items.logs[:, self.items.row[some]])
        losses = self.lost.losses(p, self.items.label[some])
        possible = self.lost.possible(p, float(self.count.sum()))
        return LossSums.of(losses, count[some], np.maximum(possible, losses))


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
) -> RuleLosses:
    return RuleLosses(family, lost(cells, options), cells, options)


_MIDPOINT = (
    "The floor is the midpoint of its mean {} on the items of the fit, which is too low, and on "
    "items that were held out, which is too high."
)


def _method(
    like: Method,
    family: Family,
    metric: str,
    words: str,
    lost: Callable[[Sample, Options], Lost],
    rule: str,
) -> Method:
    return replace(
        like,
        bind=partial(_bind, family, lost),
        metrics=(metric,),
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
    _method(_RULE, OFFSETS_FAMILY, "cost", "cost", _given, _DECIDES.format("cost")),
    _method(
        *(_RULE, OFFSETS_FAMILY, "balanced-error", "balanced error", _balanced),
        _DECIDES.format("balanced error"),
    ),
)
_SCALE = replace(
    OFFSETS, assumes="One power and a weight per class turn the scores into true probabilities"
)
LOSSES: tuple[Method, ...] = tuple(
    _method(_SCALE if like is OFFSETS else like, family, metric, words, lost, rule)
    for metric, words, lost in (
        ("brier", "Brier score", _brier),
        ("log-loss", "log-loss", _log_loss),
    )
    for like, family, rule in _MAPS
)
RECORDS: tuple[Method, ...] = (*DECISIONS, *LOSSES)
DEFAULTS: tuple[Method, ...] = tuple(one for one in RECORDS if one.name == OFFSETS.name)
