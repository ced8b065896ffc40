"""Labels on some items and scores of many classes on all: errors of the best weighted argmax."""

from __future__ import annotations

import numpy as np

from errorfloor._typing import Counts, Floats
from errorfloor.data.sample import Sample
from errorfloor.methods.fitted import FOLDS
from errorfloor.methods.powered import Moments, Powered, PoweredRule, design_of
from errorfloor.methods.record import Options
from errorfloor.methods.rules.fewest import Rule
from errorfloor.methods.rules.logs import Labelled, blocks
from errorfloor.methods.rules.offsets import Offsets
from errorfloor.methods.rules.softmax import Power


class PoweredOffsets(PoweredRule):
    """Errors of the weighted argmax rule among all items, from the labels of some."""

    def __init__(self, cells: Sample, options: Options) -> None:
        self.rules = Offsets(Labelled.of(cells, options.clip))
        super().__init__(cells, _surest(self.rules.items.logs), options.draw)
        self.fitted = self.rules.fit(design_of(self.cells, cells.count).masses)

    @property
    def correlated(self) -> float:
        """Share of the variance of the held-out errors that the folds have in common."""
        return self.rules.unclear(design_of(self.cells, self.cells.count).masses, self.fitted)

    def _powered(self, count: Counts, rng: np.random.Generator) -> Powered:
        design, n = design_of(self.cells, count), int(count.sum())
        others = int(self.unlabelled.sum())
        moments = Moments(design.each, n / (n + others))
        for part in design.parts(FOLDS, rng):
            if part.any():
                train = count - part if (count > part).any() else count
                fitted = self.rules.fit(train * design.each, self.fitted)
                guess = self._guess(fitted)
                at = guess[self.cells.row]
                mean = float(self.unlabelled @ guess) / others if others else float(at.mean())
                moments.add(part, Rule.of(fitted).wrong(self.rules.items), at, mean)
        mass = self.cells.mass(count)
        least = float(mass @ self.rules.least(mass, self.fitted)) / float(mass.sum())
        return moments.found(least, n)

    def _guess(self, fitted: Power) -> Floats:
        """Return the predicted error of the rule at each row: what its choice leaves."""
        logs = self.rules.items.logs
        guess = np.empty(logs.shape[1])
        for block in blocks(logs.shape[1], len(logs)):
            guess[block] = 1 - fitted.probabilities(logs[:, block]).max(axis=0)
        return guess


def _surest(logs: Floats) -> Floats:
    """Return the share of the largest score at each row, on a log scale."""
    return np.asarray(-np.log(np.exp(logs - logs.max(axis=0)).sum(axis=0)))
