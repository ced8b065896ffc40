"""A fitted map from scores to probabilities."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from errorfloor._checks import as_probabilities, as_scores
from errorfloor._typing import Floats
from errorfloor.data.tables import ScoreTable
from errorfloor.metrics import ERROR


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """A fitted map from scores to probabilities; call it on new scores.

    Scores outside the range seen in the fit get the value at its nearer end.
    """

    method: str
    table: ScoreTable = field(repr=False)
    probabilities: Floats = field(repr=False)  # at table.scores
    parameters: Mapping[str, Any]
    _map: Callable[[Floats], Floats] = field(repr=False)
    _needs_probabilities: bool = field(default=False, repr=False)

    def __call__(self, scores: object) -> Floats:
        """Return the fitted probability of class 1 at each of `scores`."""
        checked = as_probabilities if self._needs_probabilities else as_scores
        s = checked(scores, name="scores")
        return self._map(np.clip(s, self.table.scores[0], self.table.scores[-1]))

    def to_dict(self) -> dict[str, Any]:
        """Return the map at the scores of the fit as plain values, ready for JSON."""
        parameters = {
            name: value.tolist() if isinstance(value, np.ndarray) else value
            for name, value in self.parameters.items()
        }
        return {
            "method": self.method,
            "n": self.table.n,
            "floor": self.floor,
            "parameters": parameters,
            "scores": self.table.scores.tolist(),
            "probabilities": self.probabilities.tolist(),
        }

    @property
    def floor(self) -> float:
        """Mean of ``min(p, 1 - p)`` over the items of the fit."""
        return ERROR.best(self.probabilities, self.table.items)
