"""Simulated scores of several classes that see part of what matters, with the truth of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from benchmarks.claims_truth import Floats, Labels, Truth

DRAWS = 300_000  # for the truth, whose standard error is below 0.05 points
FEW = 30_000  # of these, where the best weights are looked for
APART = 2.0  # standard deviations between two classes, of what is seen and of what is not


@dataclass(frozen=True)
class ClassSetting:
    """Classes with a feature each, which scores see, and another each, which they do not.

    Scores are right but for the shares of the classes, which they take for equal. Some of the time
    the scores of the first two classes are swapped, which no weights can undo.
    """

    name: str
    priors: tuple[float, ...]
    swapped: float = 0.0
    votes: int = 0

    def draw(self, rng: np.random.Generator, n: int) -> tuple[Floats, Labels, Floats]:
        """Return scores, labels, and the probabilities given all that there is to see."""
        own, labels, unseen = self._draw(rng, n)
        scores = np.where(rng.random((n, 1)) < self.swapped, _swapped(own), own)
        return softmax(scores, axis=1), labels, softmax(own + unseen + np.log(self.priors), axis=1)

    def _draw(self, rng: np.random.Generator, n: int) -> tuple[Floats, Labels, Floats]:
        """Return the logarithms of scores that are not swapped, labels, and what is not seen."""
        labels = rng.choice(len(self.priors), n, p=self.priors)
        seen, unseen = rng.standard_normal((2, n, len(self.priors)))
        at = np.arange(n), labels
        seen[at] += APART / 2**0.5
        unseen[at] += APART / 2**0.5
        return seen * APART / 2**0.5, labels, unseen * APART / 2**0.5

    def truth(self, metric: str) -> Truth:
        """Return the error of the best weighting of the scores, and of the best rule there is."""
        assert metric == "error"
        return _truth(self)


def _swapped(rows: Floats) -> Floats:
    return rows[:, [1, 0, *range(2, rows.shape[1])]]


@cache
def _truth(setting: ClassSetting) -> Truth:
    own, _, unseen = setting._draw(np.random.default_rng(0), DRAWS)
    known = softmax(own + unseen + np.log(setting.priors), axis=1)
    floor = float(1 - known.max(axis=1).mean())
    chances = softmax(own + np.log(setting.priors), axis=1)
    if not setting.swapped:  # the weights that undo the priors make the rule that is best of all
        return Truth(float(1 - chances.max(axis=1).mean()), floor)
    # Swapped scores are distributed as others, because the first two classes are equally frequent.
    chances = (1 - setting.swapped) * chances + setting.swapped * _swapped(chances)
    weights = best_weights(own[:FEW], chances[:FEW])
    return Truth(_error(own, chances, weights), floor)


def best_weights(logs: Floats, chances: Floats) -> Floats:
    """Return the logarithms of the best weights, the last 0, by ever finer grids."""
    best, reach = np.zeros(3), 3.0
    for _ in range(5):
        steps = np.linspace(-reach, reach, 9)
        tried = [best + np.array([a, b, 0]) for a in steps for b in steps]
        best = min(tried, key=lambda weights: _error(logs, chances, weights))
        reach /= 3
    return best


def _error(logs: Floats, chances: Floats, weights: NDArray[np.float64]) -> float:
    chosen = (logs + weights).argmax(axis=1)
    return float(1 - chances[np.arange(len(chosen)), chosen].mean())


def names_of(setting: ClassSetting) -> Sequence[str]:
    """Return the names of the classes."""
    return [str(k) for k in range(len(setting.priors))]


CLASSES = (
    ClassSetting("three classes", (1 / 3, 1 / 3, 1 / 3)),
    ClassSetting("70, 20 and 10 % of three classes", (0.7, 0.2, 0.1)),
    ClassSetting("three classes, two swapped in a third", (1 / 3, 1 / 3, 1 / 3), swapped=1 / 3),
    ClassSetting("ten classes", (0.1,) * 10),
)
