"""A logistic regression of the label on a few functions of the score, and its fit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from errorfloor._typing import Bools, Counts, Floats
from errorfloor.methods import newton

BETA = ("one", "log", "log_rest")  # the features of full beta calibration


@dataclass(frozen=True, slots=True)
class LogisticModel:
    """A logistic regression of the label on a few functions of the score."""

    method: str
    features: tuple[str, ...]
    clip: float
    smoothed: bool = False  # Platt's targets, which keep the fit finite

    def design(self, scores: Floats) -> Floats:
        """Return the features at `scores`, one column each."""
        if "score" in self.features:  # of any size, which has no logarithm
            return np.column_stack([np.ones_like(scores), scores])
        s = np.clip(scores, self.clip, 1 - self.clip)
        log, log_rest = np.log(s), -np.log1p(-s)
        columns = {
            "one": np.ones_like(s),
            "log": log,
            "log_rest": log_rest,
            "log_odds": log + log_rest,
            "log_twice": log + np.log(2),
            "log_rest_twice": log_rest - np.log(2),
        }
        return np.column_stack([columns[name] for name in self.features])

    def targets(self, negatives: Any, positives: Any) -> tuple[Any, Any]:
        """Return what a negative and a positive label count as, given their numbers."""
        if self.smoothed:
            return 1 / (negatives + 2), (positives + 1) / (positives + 2)
        return np.zeros_like(negatives), np.ones_like(positives)

    def refits(self, coefficients: Floats) -> Iterator[tuple[Bools, LogisticModel]]:
        """Yield which of many fitted `coefficients` call for a smaller model, and that model.

        `beta` must not fall anywhere: betacal drops log(s) if its coefficient is negative, else
        log(1 - s) if that one's is, and fits again.
        """
        if self.features == BETA:
            no_a = coefficients[:, 1] < 0
            no_b = ~no_a & (coefficients[:, 2] < 0)
            yield no_a, LogisticModel(self.method, ("one", "log_rest"), self.clip)
            yield no_b, LogisticModel(self.method, ("one", "log"), self.clip)

    def parameters(self, coefficients: Floats) -> dict[str, float]:
        """Return the coefficients under their usual names.

        For the beta family log-odds(p) = a log(s) - b log(1 - s) + c, for platt and platt-logit
        log-odds(p) = slope * s + intercept, with the log-odds of s in place of s in the latter.
        """
        value = {name: float(x) for name, x in zip(self.features, coefficients, strict=True)}
        odds = value.get("log_odds", 0.0)
        if self.smoothed:
            slope = value.get("score", odds)
            return {"slope": slope, "intercept": value["one"]}
        a = value.get("log", 0.0) + value.get("log_twice", 0.0) + odds
        b = value.get("log_rest", 0.0) + value.get("log_rest_twice", 0.0) + odds
        twice = value.get("log_twice", 0.0) - value.get("log_rest_twice", 0.0)
        return {"a": a, "b": b, "c": value.get("one", 0.0) + twice * float(np.log(2))}


@dataclass(frozen=True, slots=True, eq=False)
class LogisticFit:
    """A fitted logistic model with the basis it was fitted in."""

    model: LogisticModel
    basis: Floats
    back: Floats
    coordinates: Floats

    @classmethod
    def of(cls, model: LogisticModel, scores: Floats, neg: Counts, pos: Counts) -> LogisticFit:
        """Fit `model` to `neg` and `pos` labels at each of `scores`; no sign is checked."""
        total = (neg + pos).astype(np.float64)
        basis, back = newton.orthonormal_basis(model.design(scores), total)
        low, high = model.targets(float(neg.sum()), float(pos.sum()))
        return cls(model, basis, back, newton.fit(basis, total, low * neg + high * pos))

    @property
    def coefficients(self) -> Floats:
        """Coefficients of the model's features."""
        return self.back @ self.coordinates

    @property
    def probabilities(self) -> Floats:
        """Fitted probability of class 1 at each score."""
        return newton.sigmoid(self.basis @ self.coordinates)
