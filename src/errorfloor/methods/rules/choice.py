"""Which class a rule chooses, with ties shared, and what that is wrong about."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errorfloor._typing import Bools, Counts, Floats
from errorfloor.methods.rules.logs import Labelled, blocks
from errorfloor.methods.rules.softmax import Power

TIE = 1e-9  # classes whose values differ by no more are tied: logarithms are rounded


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """Choose the class with the largest ``follows * log score + offset``; tied ones alike."""

    offsets: Floats  # minus infinity for a class that is never chosen
    follows: bool = True  # the scores; else the class with the largest offset is always chosen

    @classmethod
    def of(cls, fitted: Power) -> Rule:
        """Return the rule that chooses the likeliest class of a map with a common power."""
        power = float(fitted.power[0])
        return cls(fitted.weight / power) if power > 0 else cls(fitted.weight, follows=False)

    @classmethod
    def as_it_is(cls, classes: int) -> Rule:
        """Return the rule that chooses the class with the largest score."""
        return cls(np.zeros(classes))

    def tied(self, logs: Floats) -> Bools:
        """Tell which classes are chosen in each row, several where they are tied."""
        values = logs * self.follows + self.offsets[:, None]
        return np.asarray(values >= values.max(axis=0) - TIE)

    def right(self, items: Labelled) -> Floats:
        """Return the probability that the rule chooses the label of each cell."""
        right = np.empty(items.row.size)
        for block in blocks(items.row.size, len(items.logs)):
            row, label = items.row[block], items.label[block]
            tied = self.tied(items.logs[:, row])
            right[block] = tied[label, np.arange(row.size)] / tied.sum(axis=0)
        return right

    def errors(self, items: Labelled, count: Counts) -> float:
        """Return the expected number of errors on the items of the cells."""
        some = count > 0
        if not some.all():
            items, count = items.where(some), count[some]
        return float(count @ (1 - self.right(items)))

    def confusion(self, items: Labelled, count: Counts) -> Floats:
        """Return the items of each label (row) for which each class (column) is chosen."""
        classes = len(items.logs)
        found = np.zeros((classes, classes))
        for block in blocks(items.row.size, classes):
            tied = self.tied(items.logs[:, items.row[block]])
            share = tied * (count[block] / tied.sum(axis=0))
            np.add.at(found, items.label[block], share.T)
        return found

    def chosen(self, items: Labelled, prefer: Floats) -> NDArray[np.intp]:
        """Return one class for each cell; of tied ones that which is preferred most."""
        first = np.argsort(np.argsort(-prefer, kind="stable"), kind="stable")
        chosen = np.empty(items.row.size, dtype=np.intp)
        for block in blocks(items.row.size, len(items.logs)):
            tied = self.tied(items.logs[:, items.row[block]])
            chosen[block] = np.argmin(np.where(tied, first[:, None], first.size), axis=0)
        return chosen
