"""Labels on some items and scores of many classes on all: errors of the best weighted argmax."""

from __future__ import annotations

from typing import Any

import numpy as np

from errorfloor._typing import Counts, Floats
from errorfloor.data.sample import Sample
from errorfloor.methods.isotonic import FOLDS
from errorfloor.methods.powered import Moments, Powered, PoweredRule, design_of
from errorfloor.methods.record import Options
from errorfloor.methods.rules.choice import Rule
from errorfloor.methods.rules.fewest import fewest_errors
from errorfloor.methods.rules.logs import Labelled, blocks
from errorfloor.methods.rules.offsets import OFFSETS_FAMILY
from errorfloor.methods.rules.softmax import Power, fit, fit_within_reach
from errorfloor.methods.rules.weighted import WHOLE


class PoweredOffsets(PoweredRule):
    """Errors of the weighted argmax rule among all items, from the labels of some."""

    def __init__(self, cells: Sample, options: Options) -> None:
        self.items = Labelled.of(cells, options.clip)
        super().__init__(cells, _surest(self.items.logs))
        mass: Any = design_of(self.cells, cells.count).masses
        self.fitted = fit_within_reach(OFFSETS_FAMILY, self.items, mass)

    def _powered(self, count: Counts, rng: np.random.Generator) -> Powered:
        design, n = design_of(self.cells, count), int(count.sum())
        others = int(self.unlabelled.sum())
        moments = Moments(design.each, n / (n + others))
        for part in design.parts(FOLDS, rng):
            if part.any():
                train: Any = (count - part if (count > part).any() else count) * design.each
                fitted = fit(OFFSETS_FAMILY, self.items, train, self.fitted, self.fitted.reach)
                loss = 1 - Rule.of(fitted).right(self.items)
                guess = self._guess(fitted)
                at = guess[self.cells.row]
                mean = float(self.unlabelled @ guess) / others if others else float(at.mean())
                moments.add(part, loss, at, mean)
        return moments.found(self._least(count, design) / n, n)

    def _guess(self, fitted: Power) -> Floats:
        """Return the predicted error of the rule at each row: what its choice leaves."""
        logs = self.items.logs
        guess = np.empty(logs.shape[1])
        for block in blocks(logs.shape[1], len(logs)):
            guess[block] = 1 - fitted.probabilities(logs[:, block]).max(axis=0)
        return guess

    def _least(self, count: Counts, design: Sample) -> float:
        """Return the fewest errors of any weights of the classes that are found."""
        starts = (Rule.of(self.fitted), Rule.as_it_is(len(self.items.logs)))
        if self.cells.weight is None:
            return float(fewest_errors(self.items, count, starts)[0])
        scale = WHOLE / design.total
        mass = np.round(design.masses * scale).astype(np.int64)
        return float(fewest_errors(self.items, mass, starts)[0]) / scale


def _surest(logs: Floats) -> Floats:
    """Return the share of the largest score at each row, on a log scale."""
    return np.asarray(-np.log(np.exp(logs - logs.max(axis=0)).sum(axis=0)))
