"""Rules that choose a class, where items weigh differently: fitted by weighted likelihood."""

from __future__ import annotations

import numpy as np

from errorfloor._typing import Counts, Floats
from errorfloor.data.sample import Sample
from errorfloor.methods.fitted import FOLDS
from errorfloor.methods.record import Options
from errorfloor.methods.rules.choice import Rule
from errorfloor.methods.rules.fewest import fewest_errors
from errorfloor.methods.rules.logs import Labelled
from errorfloor.methods.rules.softmax import Family, Power, fit, fit_within_reach
from errorfloor.methods.rules.unsure import unsure_share

OFFSETS_FAMILY = Family()
WHOLE = 2.0**40  # what all items weigh together where the search needs whole numbers


class WeightedOffsets:
    """Midpoint of the weighted errors of the fitted rule on its own items and on items held out."""

    def __init__(self, cells: Sample, options: Options) -> None:
        self.items = Labelled.of(cells, options.clip)
        self.design = cells
        self.fitted = self._fit_within_reach(self.design.count)
        self._held_out: tuple[str, Floats] | None = None

    @property
    def rule(self) -> Rule:
        """The rule that is fitted to all items."""
        return Rule.of(self.fitted)

    def values(self, counts: Counts, rng: np.random.Generator, /) -> Floats:
        """Return the floor for each row of counts."""
        return np.array([self._value(count, rng) for count in counts])

    def _value(self, count: Counts, rng: np.random.Generator) -> float:
        own = np.array_equal(count, self.design.count)
        fitted = self.fitted if own else self._fit(count, self.fitted)
        wrong = self.held_out(rng) if own else self._cross_fitted(count, fitted, rng)
        wrong = wrong + count * (1 - Rule.of(fitted).right(self.items))
        return float(self.design.each @ wrong / (self.design.each @ count)) / 2

    def held_out(self, rng: np.random.Generator) -> Floats:
        """Return how many items of each cell are wrong when each is held out in turn."""
        state = str(rng.bit_generator.state)
        if self._held_out is None or self._held_out[0] != state:
            self._held_out = state, self._cross_fitted(self.design.count, self.fitted, rng)
        return self._held_out[1]

    def fewest(self) -> Floats:
        """Return how many items of each cell the offsets err on that err least, of those found."""
        scale = WHOLE / self.design.total
        mass = np.maximum(np.round(self.design.masses * scale), 1).astype(np.int64)
        starts = (self.rule, Rule.as_it_is(len(self.items.logs)))
        _, rule = fewest_errors(self.items, mass, starts)
        return np.asarray(self.design.count * (1 - self._right(rule)))

    def _right(self, rule: Rule) -> Floats:
        """Return whether the rule is right about each cell; tied classes are no error."""
        return np.asarray(rule.right(self.items) > 0, dtype=np.float64)

    def unsure(self) -> float:
        """Return the share of items for which another rule would do as well."""
        mass = self._scaled(self.design.count)
        return unsure_share(OFFSETS_FAMILY, self.items, mass, self.fitted)

    def _cross_fitted(self, count: Counts, fitted: Power, rng: np.random.Generator) -> Floats:
        design = self.design.counted(count)
        wrong = np.zeros(count.size)
        for part in design.parts(FOLDS, rng):
            others = count - part
            if part.any():
                rule = Rule.of(self._fit(others, fitted) if others.any() else fitted)
                wrong += part * (1 - rule.right(self.items))
        return wrong

    def _scaled(self, count: Counts) -> Counts:
        """Return what items weigh, as so many equal items as would tell as much."""
        design = self.design.items.counted(count)
        scaled: Counts = design.masses / design.unit
        return scaled

    def _fit(self, count: Counts, start: Power) -> Power:
        return fit(OFFSETS_FAMILY, self.items, self._scaled(count), start, start.reach)

    def _fit_within_reach(self, count: Counts) -> Power:
        return fit_within_reach(OFFSETS_FAMILY, self.items, self._scaled(count))
