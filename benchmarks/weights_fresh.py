"""Limits with weights and clusters on settings that none of their constants was chosen on.

Run `python -m benchmarks.weights_fresh` to print how often the jackknife of soft labels holds the
truth: some minutes for the floor, a quarter of an hour for `--metric auc`. With `--scores` it is
the default interval of scores with labels. benchmarks/results/weights.md has the least and the
most.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import errorfloor as ef
from benchmarks.weights import Weighting
from errorfloor._typing import Floats
from errorfloor.metrics.choice import MetricChoice

GRID = (np.arange(100_000) + 0.5) / 100_000
CLUSTERS, ALIKE = 50, 0.5


def _steep_ends(x: Floats) -> Floats:
    return np.asarray(x**3 / (x**3 + (1 - x) ** 3))


# Probability of class 1 at scores that are uniform from 0 to 1.
TRUTHS: dict[str, Callable[[Floats], Floats]] = {
    "square": lambda x: x**2,
    "edge": lambda x: 0.6 * np.clip(4 * x - 3, 0, 1),
    "steep ends": _steep_ends,
}


def _by_probability(eta: Floats) -> Floats:
    return 1 / (0.05 + eta)


WEIGHTINGS = {
    "Pareto, 2.2": Weighting(lambda eta, rng: rng.random(eta.size) ** (-1 / 2.2), np.ones_like),
    "2 % weigh 50": Weighting(
        lambda eta, rng: np.where(rng.random(eta.size) < 0.02, 50.0, 1.0), np.ones_like
    ),
    "by probability": Weighting(lambda eta, _: _by_probability(eta), _by_probability),
    "exponential": Weighting(lambda eta, rng: rng.exponential(1, eta.size) + 0.01, np.ones_like),
    "log-normal, 1": Weighting(lambda eta, rng: rng.lognormal(0, 1, eta.size), np.ones_like),
}


@dataclass(frozen=True)
class Study:
    """What is asked: a metric, of soft labels or of scores."""

    asked: MetricChoice
    of_scores: bool = False

    def limits(self, truth: str, weighting: str | None, n: int, seed: int) -> tuple[float, float]:
        """Return the limits on one sample, of items with weights, or of clusters without."""
        beside: dict[str, Any]
        if weighting is None:
            rng = np.random.default_rng([78, seed])
            cluster = np.repeat(np.arange(CLUSTERS), 1 + rng.geometric(0.08, CLUSTERS))
            x, luck = (_shared(cluster, rng) for _ in range(2))
            eta, beside = TRUTHS[truth](x), {"cluster": cluster}
        else:
            rng = np.random.default_rng([77, seed, n])
            x = rng.random(n)
            eta = TRUTHS[truth](x)
            beside = {"weight": WEIGHTINGS[weighting].draw(eta, rng)}
            luck = rng.random(n)
        given = {"metric": self.asked.metric, **self.asked.kept(), "rng": seed, **beside}
        if self.of_scores:
            found = ef.from_scores(x, luck < eta, **given)
        else:
            found = ef.from_soft_labels(eta, interval="jackknife", **given)
        assert found.low is not None
        assert found.high is not None
        return found.low, found.high

    def coverage(self, truth: str, weighting: str | None, n: int, times: int) -> float:
        """Return how often the interval holds the best value of the population."""
        eta = TRUTHS[truth](GRID)  # probabilities rise with the scores
        mass = np.ones_like(eta) if weighting is None else WEIGHTINGS[weighting].mean(eta)
        true = self.asked.of(2).best(eta, mass)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ef.ErrorFloorWarning)
            limits = [self.limits(truth, weighting, n, seed) for seed in range(times)]
        low, high = np.array(limits).T
        return float(np.mean((low <= true + 1e-9) & (true <= high + 1e-9)))


def _shared(cluster: Any, rng: np.random.Generator) -> Floats:
    """Draw numbers that an item shares with its cluster with a probability of `ALIKE`."""
    own = rng.random(CLUSTERS)[cluster]
    return np.asarray(np.where(rng.random(cluster.size) < ALIKE, own, rng.random(cluster.size)))


def main() -> None:
    """Print the coverage of each setting, then the least and the most."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--metric", default="error")
    parser.add_argument("--costs", type=float, nargs=2)
    parser.add_argument("--scores", action="store_true", help="scores with labels instead")
    parser.add_argument("--n", type=int, default=300)
    parser.add_argument("--times", type=int, default=500)
    given = parser.parse_args()
    study = Study(MetricChoice(given.metric, given.costs), given.scores)
    found = []
    for truth in TRUTHS:
        for weighting in (None, *WEIGHTINGS):
            share = study.coverage(truth, weighting, given.n, given.times)
            found.append(share)
            print(f"{truth}, {weighting or 'clusters'}: {share:.3f}", flush=True)
    print(f"{min(found):.3f} to {max(found):.3f}")


if __name__ == "__main__":
    main()
