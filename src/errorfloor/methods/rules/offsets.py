"""Offsets: the errors of the weighted argmax rule that maximum likelihood chooses; and top1.

The rule of likelihood errs on its own items too seldom and on others too often, by about as much.
Below, limits come from the fewest errors that a search over all offsets finds.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, Self

import numpy as np

from errorfloor._typing import Bools, Counts, Floats
from errorfloor.data.sample import Draw, Losses, Sample
from errorfloor.methods.fitted import FOLDS, Chosen, Fitted, Sides, noise_of, sides_of_errors
from errorfloor.methods.record import Options
from errorfloor.methods.rules.fewest import STARTS, Rule, fewest_errors
from errorfloor.methods.rules.logs import Labelled
from errorfloor.methods.rules.softmax import Family, Power, fit, fit_within_reach, unclear_share
from errorfloor.metrics import Metric

WHOLE = 2.0**40  # what all items weigh together where the search needs whole numbers
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
    whole = np.maximum(np.round(mass * (WHOLE / mass.sum())), 1)
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


class OffsetFit(LikeliestFit):
    """The errors of the rule that likelihood chooses."""

    @classmethod
    def of(cls, cells: Sample, options: Options) -> Self:
        """Return the rule for the scores of cells."""
        rules = Offsets(Labelled.of(cells, options.clip))
        return cls(cells, rules, options.metric, options.draw)

    @cached_property
    def least_errs(self) -> Bools:
        """Which cells the rule errs on that errs least, of those found."""
        return self.rules.least(self.sample.masses, self.fitted)

    @property
    def least_wrong(self) -> Floats:
        """Items of each cell that this rule errs on."""
        return np.asarray(self.sample.count * self.least_errs, dtype=np.float64)

    @cached_property
    def own_wrong(self) -> Floats:
        """Items of each cell that the rule errs on."""
        return self.sample.count * Rule.of(self.fitted).wrong(self.rules.items)

    @cached_property
    def held_out_wrong(self) -> Floats:
        """Items of each cell that are wrong when held out in turn, on average over folds."""
        each = self.repeated(
            self._hold_out, lambda wrong: noise_of(self.sample, Losses(wrong, wrong))
        )
        return each[0] if len(each) == 1 else np.asarray(np.mean(each, axis=0))

    def _hold_out(self, rng: np.random.Generator) -> Floats:
        wrong = np.zeros(len(self.sample))
        for part, fitted in self.folds(rng):
            own = np.flatnonzero(part)
            wrong[own] += part[own] * Rule.of(fitted).wrong(self.rules.items, own)
        return wrong

    def share(self, wrong: Floats) -> float:
        """Return the share of all items where so many of each cell are wrong."""
        return float(self.sample.mass(wrong).sum()) / self.sample.total

    @property
    def least_loss(self) -> float:
        """The share of errors of the rule that errs least."""
        return self.share(self.least_wrong)

    @property
    def own_loss(self) -> float:
        """The share of errors on the items of the fit."""
        return self.share(self.own_wrong)

    @property
    def held_out_loss(self) -> float:
        """The share of errors on items held out."""
        return self.share(self.held_out_wrong)

    def sides(self) -> Sides:
        """Return the fewest errors of any offsets, and those of fitted ones on items held out."""
        own, held_out = self.least_wrong, self.held_out_wrong
        below, above = _errors(self.sample, own), _errors(self.sample, held_out)
        return sides_of_errors(below, above, self.sample.freedom, self.correlated)


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

    def sides(self) -> Sides:
        """Return the same errors on both sides."""
        found = _errors(self.sample, self.sample.count * self.wrong)
        return sides_of_errors(found, found, self.sample.freedom)


def _errors(sample: Sample, wrong: Floats) -> tuple[float, float]:
    """Return how many of how many equal items are wrong, where so many items of each cell are."""
    share, n = sample.worth(wrong)
    return share * n, n
