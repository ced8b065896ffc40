"""Offsets: the errors of the weighted argmax rule that maximum likelihood chooses; and top1."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from errorfloor._typing import Counts, Floats
from errorfloor.data.sample import MANY_ITEMS, Sample, split
from errorfloor.methods.isotonic import FOLDS
from errorfloor.methods.record import Options
from errorfloor.methods.rules.choice import Rule
from errorfloor.methods.rules.logs import Labelled
from errorfloor.methods.rules.softmax import Family, Power, fit, fit_within_reach
from errorfloor.methods.soft import MeanFloor

OFFSETS_FAMILY = Family()


class OffsetErrors:
    """Midpoint of the errors of the fitted rule on its own items and on items held out, ten-fold.

    The first is too low and the second too high by about as much, so this is nearly unbiased.
    """

    def __init__(self, cells: Sample, options: Options) -> None:
        self.items = Labelled.of(cells, options.clip)
        self.count = cells.count
        self.fitted = fit_within_reach(OFFSETS_FAMILY, self.items, self.count)
        self._held_out: tuple[str, float] | None = None

    @property
    def rule(self) -> Rule:
        """The rule that is fitted to all items."""
        return Rule.of(self.fitted)

    def values(self, counts: Counts, rng: np.random.Generator, /) -> Floats:
        """Return the floor for each row of counts."""
        return np.array([self._value(count, rng) for count in counts])

    def _value(self, count: Counts, rng: np.random.Generator) -> float:
        n = int(count.sum())
        if np.array_equal(count, self.count):
            return (self.rule.errors(self.items, count) + self.held_out(rng)) / (2 * n)
        fitted = fit(OFFSETS_FAMILY, self.items, count, self.fitted, self.fitted.reach)
        own = Rule.of(fitted).errors(self.items, count)
        return (own + self._cross_fitted(count, fitted, rng)) / (2 * n)

    def held_out(self, rng: np.random.Generator) -> float:
        """Return the errors on held-out items; an interval needs the same ones once more."""
        state = str(rng.bit_generator.state)
        if self._held_out is None or self._held_out[0] != state:
            self._held_out = state, self._cross_fitted(self.count, self.fitted, rng)
        return self._held_out[1]

    def _cross_fitted(self, count: Counts, fitted: Power, rng: np.random.Generator) -> float:
        """Return the errors on each part of the rule that is fitted to all the others, added up."""
        wrong = 0.0
        for part in parts(count, rng):
            others = count - part
            if part.any():
                on_others = fitted
                if others.any():
                    on_others = fit(OFFSETS_FAMILY, self.items, others, fitted, fitted.reach)
                wrong += Rule.of(on_others).errors(self.items, part)
        return wrong


def parts(count: Counts, rng: np.random.Generator) -> Iterator[Counts]:
    """Yield ten random parts of the items, those of `split`, without all of them in memory."""
    if int(count.max()) > MANY_ITEMS * FOLDS:
        yield from split(count, FOLDS, rng)
        return
    cell = np.repeat(np.arange(count.size), count)
    place = rng.integers(FOLDS, size=cell.size).astype(np.uint8)
    for fold in range(FOLDS):
        yield np.bincount(cell[place == fold], minlength=count.size)


class TopErrors(MeanFloor):
    """Share of the items whose label is not the class with the largest score."""

    def __init__(self, cells: Sample, options: Options) -> None:
        self.items = Labelled.of(cells, options.clip)
        self.rule = Rule.as_it_is(len(self.items.logs))
        super().__init__(1 - self.rule.right(self.items), cells)
