"""Offsets: the weighted argmax rule that maximum likelihood chooses, by its errors or other losses.

The rule of likelihood errs on its own items too seldom and on others too often, by about as much.
Below, limits come from the fewest errors that a search over all offsets finds. What its map loses
by other metrics is too little on the items of the fit, and too much on items held out. The rule of
the largest score, top1, is chosen by no item.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from errorfloor import _references as references
from errorfloor._checks import InputError
from errorfloor._references import REJECTION
from errorfloor._typing import Bools, Counts, Floats
from errorfloor.data.sample import Draw, Losses, Sample
from errorfloor.data.tables import ScoreTable
from errorfloor.methods.fitted import (
    FOLDS,
    Chosen,
    Fitted,
    Sides,
    mean_loss,
    noise_of,
    sides_of,
    sides_of_errors,
)
from errorfloor.methods.record import Basis, Classes, Method, Options, Shape, uses_weights
from errorfloor.methods.rules.fewest import FEWEST_STARTS, STARTS, Rule, fewest_errors
from errorfloor.methods.rules.logs import Labelled, blocks
from errorfloor.methods.rules.maps import (
    CORRUPTED,
    ONE_POWER,
    OVR_ISOTONIC,
    POWERS,
    TEMPERATURE,
    VECTOR,
    Family,
    Power,
    fit,
    fit_map,
    fit_within_reach,
    unclear_share,
)
from errorfloor.metrics import ERROR, METRICS, Metric
from errorfloor.metrics.probabilities import BRIER, LOG_LOSS
from errorfloor.metrics.record import BoundedLoss, UnboundedLoss
from errorfloor.metrics.selective import Selective, lost_at, squares_at
from errorfloor.metrics.two_by_two import BALANCED, COST

WHOLE_MASS = 2.0**40  # what all items weigh together where the search needs whole numbers
OFFSETS_FAMILY = Family()


class Offsets:
    """Maps that are powers of scores times weights of classes, and the rules they lead to.

    The value comes from the likeliest map, `fit`, and the lower limit from the rule that errs
    least, `least`: no map is fitted by its errors.
    """

    def __init__(self, items: Labelled, family: Family = OFFSETS_FAMILY) -> None:
        self.items = items
        self.family = family

    @property
    def classes(self) -> int:
        """Number of classes."""
        return len(self.items.logs)

    def fit(self, mass: Any, start: Power | None = None) -> Power:
        """Return the likeliest map of items that weigh so much, from one that is near."""
        if start is not None:
            return fit(self.family, self.items, mass, start, start.reach)
        choose = fit_within_reach if self.family == OFFSETS_FAMILY else fit
        return choose(self.family, self.items, mass)

    def least(self, mass: Any, fitted: Power, most: int = STARTS) -> Bools:
        """Tell which cells the rule errs on that errs least, of those found; ties are no errors."""
        starts = (Rule.of(fitted), Rule.as_it_is(self.classes))
        _, rule = fewest_errors(self.items, _whole(mass), starts, most)
        return np.asarray(rule.wrong(self.items) == 1)

    def unclear(self, mass: Any, fitted: Power) -> float:
        """Return the share of the variance of errors that is of items which no rule is best for."""
        return unclear_share(self.family, self.items, mass, fitted)


def _whole(mass: Any) -> Counts:
    """Return masses as whole numbers, in which searches count."""
    if mass.dtype.kind in "iu":
        return np.asarray(mass)
    whole = np.maximum(np.round(mass * (WHOLE_MASS / mass.sum())), 1)
    return np.asarray(np.where(mass > 0, whole, 0), dtype=np.int64)


def equal_items(sample: Sample) -> Any:
    """Return what items weigh, as so many equal items as would tell as much."""
    own = sample.items
    return own.masses / own.unit


class LikeliestFit(Chosen):
    """The map that likelihood chooses, by what is lost on its own items and on items held out."""

    midpoint = True
    link = float

    def __init__(
        self,
        sample: Sample,
        rules: Offsets,
        metric: Metric,
        draw: Draw,
        fitted: Power | None = None,
    ) -> None:
        super().__init__(sample, draw)
        self.rules = rules
        self.metric = metric
        self.span = metric.span(rules.classes)
        self.fitted = rules.fit(equal_items(sample)) if fitted is None else fitted

    @classmethod
    def of(cls, cells: Sample, options: Options) -> Self:
        """Return the map for the scores of cells."""
        rules = Offsets(Labelled.of(cells, options.clip))
        return cls(cells, rules, options.metric, options.draw)

    def on(self, count: Counts, rng: np.random.Generator, /) -> Self:
        """Return the same on other counts, with folds from `rng`."""
        sample, fitted = self.sample.counted(count), self.fitted
        if not np.array_equal(count, self.sample.count):
            fitted = self._fit(sample)
        found = self._like(sample, lambda purpose: rng, fitted)
        found.repeats = 1
        return found

    def _like(self, sample: Sample, draw: Draw, fitted: Power) -> Self:
        return type(self)(sample, self.rules, self.metric, draw, fitted)

    @cached_property
    def value(self) -> float:
        """The middle of both sides, or what guessing reaches."""
        return float(np.clip((self.own_loss + self.held_out_loss) / 2, *self.span))

    def own_values(self, counts: Counts, /) -> Floats:
        """Return the value on the items of the fit, for each row of counts."""
        return np.array([self.on(count, self.draw("folds")).own_loss for count in counts])

    def folds(self, rng: np.random.Generator) -> Iterator[tuple[Counts, Power]]:
        """Yield parts of the items, and the map that is fitted to all others."""
        for part in self.sample.parts(FOLDS, rng):
            if part.any():
                rest = self.sample.counted(self.sample.count - part)
                yield part, self.fitted if not rest.count.any() else self._fit(rest)

    def _fit(self, sample: Sample) -> Power:
        return self.rules.fit(equal_items(sample), self.fitted)

    @cached_property
    def correlated(self) -> float:
        """Share of the variance of the held-out losses that the folds have in common."""
        return self.rules.unclear(equal_items(self.sample), self.fitted)


class LossesOfFit(LikeliestFit):
    """The mean of what items lose by the map that likelihood chooses."""

    @abstractmethod
    def _losses(self, fitted: Power, count: Any) -> Losses:
        """Return what so many items of each cell lose by a fitted map."""

    @cached_property
    def own_losses(self) -> Losses:
        """Losses on the items of the fit."""
        return self._losses(self.fitted, self.sample.count)

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
            found += self._losses(fitted, part)
        return found

    @property
    def own_loss(self) -> float:
        """The mean loss on the items of the fit."""
        return mean_loss(self.sample, self.own_losses)

    @property
    def held_out_loss(self) -> float:
        """The mean loss on items held out."""
        return mean_loss(self.sample, self.held_out_losses)


class OffsetFit(LossesOfFit):
    """The errors of the rule that likelihood chooses."""

    @cached_property
    def least_errs(self) -> Bools:
        """Which cells the rule errs on that errs least, of those found."""
        return self.rules.least(self.sample.masses, self.fitted)

    @property
    def least_wrong(self) -> Floats:
        """Items of each cell that this rule errs on."""
        return np.asarray(self.sample.count * self.least_errs, dtype=np.float64)

    @property
    def least_loss(self) -> float:
        """The share of errors of the rule that errs least."""
        return mean_loss(self.sample, Losses(self.least_wrong, self.least_wrong))

    def sides(self) -> Sides:
        """Return the fewest errors of any offsets, and those of fitted ones on items held out."""
        own, held_out = self.least_wrong, self.held_out_losses.total
        below, above = _errors(self.sample, own), _errors(self.sample, held_out)
        return sides_of_errors(below, above, self.sample.freedom, self.correlated)

    def _losses(self, fitted: Power, count: Any) -> Losses:
        wrong, some = np.zeros(count.size), np.flatnonzero(count)
        wrong[some] = count[some] * Rule.of(fitted).wrong(self.rules.items, some)
        return Losses(wrong, wrong)


@uses_weights(ERROR.name)
class TopErrors(Fitted):
    """Items whose label is not the class with the largest score: one rule that no item chooses."""

    def __init__(self, cells: Sample, options: Options) -> None:
        super().__init__(cells, options.draw)
        self.items = Labelled.of(cells, options.clip)
        self.rule = Rule.as_it_is(len(self.items.logs))
        self.wrong = self.rule.wrong(self.items)

    def values(self, counts: Counts, _: np.random.Generator, /) -> Floats:
        """Return the share of errors for each row of counts."""
        mass = self.sample.mass(counts)
        return np.asarray(mass @ self.wrong / mass.sum(axis=1))

    def every_side(self) -> tuple[Sides, ...]:
        """Return the same errors on both sides."""
        found = _errors(self.sample, self.sample.count * self.wrong)
        return (sides_of_errors(found, found, self.sample.freedom),)


def _errors(sample: Sample, wrong: Floats) -> tuple[float, float]:
    """Return how many of how many equal items are wrong, where so many items of each cell are."""
    share, n = sample.share_and_size(wrong)
    return share * n, n


_WHOLE_COST = 2**20  # of the largest weight; searches count in whole numbers
_LEAST = 1e-3  # of all items, that the shares of the classes are mixed with
Places: TypeAlias = NDArray[np.intp]


class LossOfMap:
    """What a metric of probabilities makes of those of the classes, which have a row each."""

    decides = False  # on a class

    def __init__(self, of_model: BoundedLoss | UnboundedLoss) -> None:
        self.of_model = of_model

    def losses(self, probabilities: Floats, label: Places) -> Floats:
        """Return the loss of each item."""
        every = self.of_model.losses(np.maximum(probabilities.T, np.finfo(float).tiny))
        return np.asarray(every[np.arange(label.size), label])

    def possible(self, probabilities: Floats, n: float) -> Floats:
        """Return the loss of the least likely class; of one in n items, where there is no bound."""
        least = 0.0 if isinstance(self.of_model, BoundedLoss) else 1 / (n + 1)
        return np.asarray(self.of_model.losses(np.maximum(probabilities.T, least)).max(axis=1))


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


class LossFit(LossesOfFit):
    """The mean loss of the map that likelihood chooses."""

    def __init__(self, lost: LossOfMap | Costs, *fit: Any) -> None:
        super().__init__(*fit)
        self.lost = lost

    def _like(self, sample: Sample, draw: Draw, fitted: Power) -> LossFit:
        return LossFit(self.lost, sample, self.rules, self.metric, draw, fitted)

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
        whole = np.round(_WHOLE_COST * costs / costs.max()).astype(np.int64)[label]
        wrong = self.rules.least(self.sample.mass(count * whole), self.fitted, FEWEST_STARTS)
        found = Losses.of(count, wrong * costs[label])
        return min(self.own_losses, found, key=partial(mean_loss, self.sample))

    def sides(self) -> Sides:
        """Return the least losses on the items of the fit, and those on items held out."""
        held_out = replace(self.held_out_losses, most=self.held_out_losses.most or 1.0)
        correlated = self.correlated if self.lost.decides else 0.0
        return sides_of(self.sample, self.least_losses, held_out, correlated=correlated)

    def folds(self, rng: np.random.Generator) -> Iterator[tuple[Counts, Power]]:
        """Yield the same, but that classes without items are rare, not impossible."""
        for part, fitted in super().folds(rng):
            seen = np.isfinite(fitted.weight)
            if not (seen.all() or self.lost.decides):
                least = float(fitted.weight[seen].min()) + np.log(_LEAST)
                fitted = replace(fitted, weight=np.where(seen, fitted.weight, least))
            yield part, fitted

    def _losses(self, fitted: Power, count: Any) -> Losses:
        items, some = self.rules.items, np.flatnonzero(count)
        p = fitted.probabilities(items.logs[:, items.row[some]])
        own = self.lost.losses(p, items.label[some])
        possible = self.lost.possible(p, float(self.sample.count.sum()))
        losses = np.zeros(count.size)
        losses[some] = own
        most = max(float(possible.max()), float(own.max()))
        return replace(Losses.of(count, losses), most=most)


def _lost_by(metric: Metric, cells: Sample) -> LossOfMap | Costs:
    """Return what items lose by a metric."""
    if isinstance(metric.of_model, BoundedLoss | UnboundedLoss):
        return LossOfMap(metric.of_model)
    if "costs" in metric.given:
        return Costs(np.asarray(metric.given["costs"], dtype=np.float64))
    classes = cells.scores.shape[1]
    items = np.bincount(cells.label, cells.count, minlength=classes)
    if not items.all():
        raise InputError(
            f"Balanced error needs items of every class, and no label is class number "
            f"{int(np.argmin(items))}. Leave it out, or add items of it."
        )
    weight = items.sum() / (classes * items)
    return Costs(weight[:, None] * ~np.eye(classes, dtype=bool))


def _losses(family: Family, cells: Sample, options: Options) -> LossFit:
    rules = Offsets(Labelled.of(cells, options.clip), family)
    lost = _lost_by(options.metric, cells)
    return LossFit(lost, cells, rules, options.metric, options.draw)


class SurestFit(LikeliestFit):
    """A point of the risk-coverage curve of the map that likelihood chooses."""

    def __init__(self, *fit: Any) -> None:
        super().__init__(*fit)
        self.how: Selective = self.metric.how
        self.own = self._decided(self.fitted)
        self.prices = self.how.prices(*self.own, self.sample.count)

    @cached_property
    def value(self) -> float:
        """The middle of both sides, at the first price."""
        price = self.prices[0]
        return float(np.mean([self.how.value(price, loss) for loss in self._losses_at(price)]))

    @property
    def own_loss(self) -> float:
        """The mean loss on the items of the fit, at the first price."""
        return self._losses_at(self.prices[0])[0]

    @property
    def held_out_loss(self) -> float:
        """The mean loss on items held out, at the first price."""
        return self._losses_at(self.prices[0])[1]

    def every_side(self) -> tuple[Sides, ...]:
        """Return both sides at each price."""
        return tuple(
            sides_of(self.sample, *self._both(price), partial(self.how.value, price))
            for price in self.prices
        )

    def sides(self) -> Sides:
        """Return both sides at the first price."""
        return self.every_side()[0]

    def _losses_at(self, price: float) -> tuple[float, float]:
        own, held_out = (mean_loss(self.sample, losses) for losses in self._both(price))
        return own, held_out

    def _both(self, price: float) -> tuple[Losses, Losses]:
        """Return losses on the items of the fit, and on ten parts by the others."""
        count = self.sample.count
        lost, squares = lost_at(price, *self.own), squares_at(price, *self.own, count)
        parts = (Losses.of(part, lost_at(price, *decided)) for part, decided in self._tested)
        return Losses.of(count, lost, squares), sum(parts, start=next(parts))

    @cached_property
    def _tested(self) -> list[tuple[Any, tuple[Floats, Bools]]]:
        return [(part, self._decided(fitted)) for part, fitted in self.folds(self.draw("folds"))]

    def _decided(self, fitted: Power) -> tuple[Floats, Bools]:
        """Return how likely the decision on each cell is wrong by a fit, and whether it is."""
        items = self.rules.items
        doubt, chosen = np.empty((2, items.logs.shape[1]))
        for block in blocks(doubt.size, len(items.logs)):
            p = fitted.probabilities(items.logs[:, block])
            doubt[block], chosen[block] = 1 - p.max(axis=0), p.argmax(axis=0)
        return doubt[items.row], np.asarray(chosen[items.row] != items.label)


@uses_weights(ERROR.name)
def _offsets(cells: Sample, options: Options) -> OffsetFit:
    return OffsetFit.of(cells, options)


_of_classes = partial(Method, reads=ScoreTable.kind, classes=Classes.MANY)
OFFSETS = _of_classes(
    name="offsets",
    bind=_offsets,
    bases=frozenset({Basis.RULES}),
    interval="honest",
    assumes="Up to one weight per class, the class with the largest weighted score is the "
    "likeliest",
    if_wrong="the floor of the best weights: too high, still an upper bound",
    explains="One common power of the scores and one weight per class are fitted to the labels by "
    "maximum likelihood, where very small scores count as a common part of the row's largest. The "
    "class with the largest product is chosen. The floor is the share "
    "of items for which that is not the label: the midpoint of the errors on the items of the fit, "
    "which are too few, and of those on items that were held out, which are too many.",
    references=(references.VECTOR,),
    shape=Shape.ORDER,
    condition="right up to one weight per class",
    colour="blue",
    fit=partial(fit_map, "offsets", OFFSETS_FAMILY, in_reach=True),
    options=("clip",),
)
TOP1 = _of_classes(
    name="top1",
    bind=TopErrors,
    bases=frozenset({Basis.RULES}),
    interval="honest",
    assumes="The class with the largest score is the likeliest",
    if_wrong="the error of that choice: too high, still an upper bound",
    explains="The class with the largest score is chosen. The floor is the share of items for "
    "which that is not the label; of tied classes one is chosen at random.",
    references=(references.TOP_LABEL,),
    shape=Shape.ORDER,
    rule="choosing the class with the largest of {}",
    condition="largest for the likeliest class",
    colour="sky",
    curve=OFFSETS.name,
    beyond_guessing=True,
)
_MIDPOINT = (
    "The floor is the midpoint of its mean {} on the items of the fit, which is too low, and on "
    "items that were held out, which is too high."
)


def _by_losses(like: Method, family: Family, metric: Metric, words: str, rule: str) -> Method:
    return replace(
        like,
        bind=partial(_losses, family),
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
_TRUE = "One power and a weight per class turn the scores into true probabilities"
_DECISIONS = tuple(
    _by_losses(
        replace(OFFSETS, assumes=f"{_TRUE}, as far as decisions depend on them"),
        OFFSETS_FAMILY,
        metric,
        words,
        f"{_FITTED}The decision with the least expected {words} is taken.",
    )
    for metric, words in ((COST, "cost"), (BALANCED, BALANCED.words))
)
_MAPS = (
    (replace(OFFSETS, assumes=_TRUE), OFFSETS_FAMILY, f"{_FITTED}Each row is divided by its sum."),
    (TEMPERATURE, ONE_POWER, TEMPERATURE.explains.split(". ")[0] + "."),
    (VECTOR, POWERS, VECTOR.explains.split(". ")[0] + "."),
)
_OF_LOSSES = tuple(
    _by_losses(like, family, metric, metric.words, rule)
    for metric in (BRIER, LOG_LOSS)
    for like, family, rule in _MAPS
)
SUREST = replace(
    OFFSETS,
    bind=SurestFit.of,
    metrics=tuple(one.name for one in METRICS if one.is_selective),
    bases=frozenset({Basis.SELECTED}),
    assumes=_TRUE,
    if_wrong="the value of the best such map: too pessimistic",
    explains=f"{_FITTED}The items whose likeliest class is likeliest are kept first. The "
    "value is the midpoint of what that gives on the items of the fit, which looks too good, "
    "and on items that were held out, which looks too bad.",
    references=(*OFFSETS.references, REJECTION),
)
MANY_SCORES = (OFFSETS, TOP1, CORRUPTED, TEMPERATURE, VECTOR, OVR_ISOTONIC)
RECORDS: tuple[Method, ...] = (*_DECISIONS, *_OF_LOSSES, SUREST)
DEFAULTS: tuple[Method, ...] = tuple(one for one in RECORDS if one.name == OFFSETS.name)
