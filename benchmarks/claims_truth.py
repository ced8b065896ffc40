"""Simulated scores, votes and features that see part of what matters, with the truth of each.

The truth is computed, not simulated: a population is the share of items at each score, in order,
with the probability of class 1 there. What the best cut, ranking or rising map of the scores
reaches follows from that, and so does the best that any model can do, in the order of the true
probabilities.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression
from scipy.special import expit, logit, xlogy
from scipy.stats import beta, betabinom, binom, norm

CELLS = 12_000  # of a score between 0 and 1, or of a feature
COSTS = (1, 5)  # of a false positive and of a missed one

Floats: TypeAlias = NDArray[np.float64]
Labels: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]
Sample: TypeAlias = tuple[Floats, Labels, Floats]  # scores, labels, true probabilities
Draw: TypeAlias = Callable[[np.random.Generator, int], Sample]


@dataclass(frozen=True, eq=False)
class Population:
    """Items in the order of a score: the share with each score, and how many of them are 1."""

    shares: Floats
    chances: Floats

    @classmethod
    def of(cls, scores: Floats, shares: Floats, chances: Floats) -> Population:
        """Put items into the order of their scores, those with the same score together."""
        distinct, row = np.unique(scores, return_inverse=True)
        share, ones = np.zeros((2, distinct.size))
        np.add.at(share, row, shares)
        np.add.at(ones, row, shares * chances)
        share = np.maximum(share, 1e-300)
        return cls(share / share.sum(), ones / share)

    def best(self, metric: str) -> float:
        """Return what the best cut, ranking or rising map of the score reaches."""
        return float(VALUES[metric](self))

    @property
    def ones(self) -> Floats:
        """Share of items with each score and label 1."""
        return np.asarray(self.shares * self.chances)

    @property
    def zeros(self) -> Floats:
        """Share of items with each score and label 0."""
        return np.asarray(self.shares * (1 - self.chances))

    @property
    def cuts(self) -> tuple[Floats, Floats]:
        """Share of missed ones and of false ones of each cut, from "all are 1" on."""
        missed = np.concatenate([[0.0], np.cumsum(self.ones)])
        false = np.concatenate([np.cumsum(self.zeros[::-1])[::-1], [0.0]])
        return missed, false


def _error(items: Population) -> float:
    missed, false = items.cuts
    return float((missed + false).min())


def _cost(items: Population) -> float:
    missed, false = items.cuts
    return float((COSTS[0] * false + COSTS[1] * missed).min())


def _balanced_error(items: Population) -> float:
    missed, false = items.cuts
    return float((missed / items.ones.sum() + false / items.zeros.sum()).min() / 2)


def _f1(items: Population) -> float:
    missed, false = items.cuts
    found = items.ones.sum() - missed
    return float((2 * found / (found + items.ones.sum() + false)).max())


def _mcc(items: Population) -> float:
    missed, false = (rates[1:-1] for rates in items.cuts)
    ones, zeros = items.ones.sum(), items.zeros.sum()
    found, left = ones - missed, zeros - false
    spread = ones * zeros * (found + false) * (left + missed)
    return float(max(((found * left - missed * false) / np.sqrt(spread)).max(initial=0), 0))


def _auc(items: Population) -> float:
    """Return the AUC of the ranking, or of none, which is 1/2."""
    above = items.ones.sum() - np.cumsum(items.ones) + items.ones / 2
    return float(max((items.zeros * above).sum() / (items.ones.sum() * items.zeros.sum()), 0.5))


def _average_precision(items: Population) -> float:
    """Return the mean precision over the recalls, with ties in random order."""
    ones, shares = items.ones[::-1], items.shares[::-1]
    before, ones_before = np.cumsum(shares) - shares, np.cumsum(ones) - ones
    before, ones_before = np.maximum(before, 1e-300), np.maximum(ones_before, 0)
    here = ones / shares
    mean = here + (ones_before - before * here) / shares * np.log1p(shares / before)
    return float((ones * mean).sum() / ones.sum())


def _map(items: Population) -> Floats:
    return np.asarray(isotonic_regression(items.chances, weights=items.shares).x)


def _brier(items: Population) -> float:
    said = _map(items)
    return float((items.ones * (1 - said) ** 2 + items.zeros * said**2).sum())


def _log_loss(items: Population) -> float:
    said = _map(items)
    return float(-(xlogy(items.ones, said) + xlogy(items.zeros, 1 - said)).sum())


VALUES: Mapping[str, Callable[[Population], float]] = {
    "error": _error,
    "cost": _cost,
    "balanced-error": _balanced_error,
    "f1": _f1,
    "mcc": _mcc,
    "auc": _auc,
    "average-precision": _average_precision,
    "brier": _brier,
    "log-loss": _log_loss,
}
CEILINGS = ("f1", "mcc", "auc", "average-precision")


@dataclass(frozen=True)
class Truth:
    """What the best rule on the scores reaches, and the best that any model can do."""

    rule: float
    any_model: float


@dataclass(frozen=True, eq=False)
class Setting:
    """A way to draw scores and labels, and its truth.

    Attributes
    ----------
    name : str
        What the tables call it.
    draw : callable
        From a random generator and a number to scores, labels and true probabilities.
    seen : Population
        All items in the order of the scores.
    known : Population
        All items in the order of the true probabilities.
    votes : int
        How many votes per item the scores count, if they do.
    """

    name: str
    draw: Draw
    seen: Population
    known: Population
    votes: int = 0

    def truth(self, metric: str) -> Truth:
        """Return what the best rule on the scores reaches, and the best that any model can do."""
        return Truth(self.seen.best(metric), self.known.best(metric))


def gaussians(
    name: str, share: float, seen: float, unseen: float, digits: int | None = None
) -> Setting:
    """Two classes whose features are so many standard deviations apart; scores see the first.

    With `digits` scores are twice as sure as they should be, and rounded.
    """

    def score(odds: Floats) -> Floats:
        return np.asarray(expit(odds) if digits is None else np.round(expit(2 * odds), digits))

    def draw(rng: np.random.Generator, n: int) -> Sample:
        labels = rng.random(n) < share
        first, second = rng.standard_normal((2, n)) + np.outer([seen, unseen], labels)
        odds = logit(share) + seen * (first - seen / 2)
        return score(odds), labels.astype(np.int64), expit(odds + unseen * (second - unseen / 2))

    def population(apart: float, score: Callable[[Floats], Floats]) -> Population:
        x = np.linspace(-9, 9 + apart, CELLS)
        zeros, ones = (1 - share) * norm.pdf(x), share * norm.pdf(x - apart)
        odds = logit(share) + apart * (x - apart / 2)
        return Population.of(score(odds), zeros + ones, ones / (zeros + ones))

    # Both features together are one that is sqrt(seen^2 + unseen^2) apart.
    known = population(float(np.hypot(seen, unseen)), lambda odds: np.asarray(odds))
    return Setting(name, draw, population(seen, score), known)


def uniform(
    name: str,
    chance: Callable[[Floats], Floats],
    hidden: float = 0.0,
    values: int | None = None,
) -> Setting:
    """Scores spread evenly over [0, 1] with any probability of class 1, rising or not.

    A feature that the scores do not see moves that probability up or down, by this share of the way
    to 0 or 1. With `values` the scores have so many values only.
    """

    def moved(p: Floats, up: Bools) -> Floats:
        return np.asarray(p + hidden * np.minimum(p, 1 - p) * np.where(up, 1, -1))

    def draw(rng: np.random.Generator, n: int) -> Sample:
        scores = rng.random(n) if values is None else (rng.integers(0, values, n) + 0.5) / values
        true = moved(chance(scores), rng.random(n) < 0.5)
        return scores, (rng.random(n) < true).astype(np.int64), true

    cells = CELLS if values is None else values
    scores = (np.arange(cells) + 0.5) / cells
    even = np.full(cells, 1 / cells)
    halves = [moved(chance(scores), np.full(cells, up)) for up in (False, True)]
    true = np.concatenate(halves)
    return Setting(
        name,
        draw,
        Population.of(scores, even, chance(scores)),
        Population.of(true, np.concatenate([even, even]) / 2, true),
    )


def _steps(*chances: float) -> Callable[[Floats], Floats]:
    """Return probabilities that are constant on equally long parts of [0, 1]."""
    return lambda scores: np.array(chances)[(scores * len(chances)).astype(int)]


def gold_by_beta(a: float, b: float, votes: int) -> Setting:
    """Gold labels and votes, drawn from the same probabilities with a beta distribution."""
    p = beta.ppf((np.arange(CELLS) + 0.5) / CELLS, a, b)
    count = np.arange(votes + 1.0)
    seen = Population(betabinom.pmf(count, votes, a, b), (a + count) / (a + b + votes))
    known = Population.of(p, np.full(CELLS, 1 / CELLS), p)
    draw = partial(_gold, lambda rng, n: rng.beta(a, b, n), votes)
    return Setting(f"beta({a:g}, {b:g})", draw, seen, known, votes)


def gold_by_atoms(low: float, high: float, votes: int) -> Setting:
    """Gold labels and votes on two kinds of items, equally many."""
    p, count = np.array([low, high]), np.arange(votes + 1.0)
    each = binom.pmf(count[:, None], votes, p) / 2
    seen = Population(each.sum(axis=1), each @ p / each.sum(axis=1))
    draw = partial(_gold, lambda rng, n: rng.choice(p, n), votes)
    return Setting(f"{low:g} and {high:g}", draw, seen, Population(np.array([0.5, 0.5]), p), votes)


def _gold(
    chances: Callable[[np.random.Generator, int], Floats],
    votes: int,
    rng: np.random.Generator,
    n: int,
) -> Sample:
    true = chances(rng, n)
    counts = rng.binomial(votes, true).astype(np.float64)
    return counts, (rng.random(n) < true).astype(np.int64), true


PARTIAL = (
    gaussians("one of two features", 0.5, 1.5, 2.0),
    gaussians("one of two, weak", 0.5, 0.5, 3.0),
    gaussians("one of two, 10 % positive", 0.1, 2.0, 2.0),
    gaussians("one of two, too sure, 11 values", 0.5, 1.5, 2.0, digits=1),
    uniform("none of what matters", _steps(0.5), hidden=0.9),
)
NO_CUT = (
    uniform("up and down", lambda s: np.asarray(0.1 + 0.8 * np.sin(np.pi * s))),
    uniform("up and down, a feature unseen", _steps(0.2, 0.7, 0.2), hidden=0.7),
    uniform("waves with two best cuts", _steps(0.2, 0.8, 0.2, 0.8)),
    uniform("upside down", lambda s: np.asarray(1 - s)),
)
GOLD = tuple(
    make(*shape, votes)
    for make, shape in (
        (gold_by_beta, (0.8, 0.8)),
        (gold_by_beta, (2.0, 5.0)),
        (gold_by_atoms, (0.1, 0.9)),
        (gold_by_atoms, (0.3, 0.6)),
    )
    for votes in (3, 5, 10)
)
COMPLETE = (
    gaussians("Gaussians, half positive", 0.5, 1.5, 0.0),
    gaussians("Gaussians, 10 % positive", 0.1, 2.0, 0.0),
    uniform("rising evenly", lambda s: np.asarray(s)),
    uniform("0.4, 0.5, 0.6", _steps(0.4, 0.5, 0.6)),
    uniform("0.05, 0.5, 0.95, as many values", _steps(0.05, 0.5, 0.95), values=3),
)
