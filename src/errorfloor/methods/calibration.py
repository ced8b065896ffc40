"""Fitted maps from scores to probabilities: of class 1, or of many classes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from errorfloor._checks import InputError, argument, as_probabilities, as_scores
from errorfloor._typing import Floats
from errorfloor.data.tables import ScoreTable
from errorfloor.metrics import ERROR


def _plain(parameters: Mapping[str, Any]) -> dict[str, Any]:
    arrays = {name: one.tolist() for name, one in parameters.items() if isinstance(one, np.ndarray)}
    return {**parameters, **arrays}


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
        return {
            "method": self.method,
            "n": self.table.n,
            "floor": self.floor,
            "parameters": _plain(self.parameters),
            "scores": self.table.scores.tolist(),
            "probabilities": self.probabilities.tolist(),
        }

    @property
    def floor(self) -> float:
        """Mean of ``min(p, 1 - p)`` over the items of the fit."""
        return ERROR.best(self.probabilities, self.table.items)


@dataclass(frozen=True, slots=True, eq=False)
class ClassCalibration:
    """A fitted map from scores to the probabilities of all classes; call it on new scores.

    Attributes
    ----------
    method : str
        The method that fitted it.
    table : ScoreTable
        What it was fitted to.
    parameters : dict
        What was fitted, by name; arrays have one entry for each class.
    """

    method: str
    table: ScoreTable = field(repr=False)
    parameters: Mapping[str, Any]
    _map: Callable[[Floats], Floats] = field(repr=False)
    _logits: bool = field(default=False, repr=False)  # else no score may be below 0

    def __call__(self, scores: object) -> Floats:
        """Return the probability of each class, for rows of one score per class."""
        return self._map(self._checked(scores))

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of the classes, in the order of columns."""
        return self.table.classes

    @property
    def probabilities(self) -> Floats:
        """Those at the scores of the fit."""
        return self._map(self.table.scores)

    @property
    def floor(self) -> float:
        """Mean of ``1 - max p`` over the items of the fit."""
        return ERROR.best(self.probabilities, self.table.items)

    def to_dict(self) -> dict[str, Any]:
        """Return the map as plain values, ready for JSON."""
        return {
            "method": self.method,
            "n": self.table.n,
            "classes": list(self.classes),
            "floor": self.floor,
            "parameters": _plain(self.parameters),
        }

    def _checked(self, scores: object) -> Floats:
        array = np.asarray(scores, dtype=np.float64)
        classes = len(self.classes)
        if array.ndim != 2 or array.shape[1] != classes or not array.size:
            raise InputError(
                argument("scores"),
                f" must have one row per item and {classes} columns, one for each class, got "
                f"shape {array.shape}.",
            )
        bad = ~np.isfinite(array) if self._logits else ~(np.isfinite(array) & (array >= 0))
        if bad.any():
            row, column = (int(at[0]) for at in np.nonzero(bad))
            wanted = "finite" if self._logits else "finite and at least 0, as in the fit"
            raise InputError(
                argument("scores"),
                f" must be {wanted}: row {row} has {array[row, column]} for class "
                f"{self.classes[column]!r}.",
            )
        return array
