"""How often intervals of other metrics than error, from scores with labels, hold the true value.

Run `python -m benchmarks.metrics_scores` to write its section of docs/metrics.md: half an hour on
one core. Scores are the true probabilities, so they are in order; labels are drawn from them.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

import errorfloor as ef
from errorfloor.metrics.asked import Asked

LEVEL = 0.95
DOCUMENT = Path(__file__).parent.parent / "docs" / "metrics.md"
DRAWS = 1_000_000

Floats: TypeAlias = NDArray[np.float64]
Draw: TypeAlias = Callable[[np.random.Generator, int], Floats]


def gaussians(share: float, apart: float) -> Draw:
    """Draw from two Gaussians so many standard deviations apart, with such a share of positives."""

    def draw(rng: np.random.Generator, n: int) -> Floats:
        x = rng.standard_normal(n) + apart * (rng.random(n) < share)
        odds = np.log(share / (1 - share)) + apart * (x - apart / 2)
        return np.asarray(1 / (1 + np.exp(-odds)))

    return draw


def beta(a: float, b: float) -> Draw:
    """Draw probabilities with a beta distribution."""
    return lambda rng, n: np.asarray(rng.beta(a, b, n))


def atoms(values: Iterable[float], shares: Iterable[float]) -> Draw:
    """Return a few probabilities, each with its share of the items."""
    return lambda rng, n: np.asarray(rng.choice(list(values), n, p=list(shares)))


@dataclass(frozen=True)
class Setting:
    """A distribution of probabilities and a number of items."""

    name: str
    draw: Draw
    n: int
    tied: bool = False  # items of one probability have one score

    def data(self, seed: int) -> tuple[Floats, NDArray[np.int64]]:
        """Return scores in the order of the probabilities, and labels drawn from these."""
        rng = np.random.default_rng([seed, self.n])
        p = np.sort(self.draw(rng, self.n))
        labels = (rng.random(self.n) < p).astype(np.int64)
        return (p if self.tied else np.arange(self.n) / self.n), labels


SHAPES: Mapping[str, Draw] = {
    "Gaussians, half positive": gaussians(0.5, 1.5),
    "Gaussians, 20 % positive": gaussians(0.2, 2.0),
    "beta(1/2, 1/2)": beta(0.5, 0.5),
    "beta(2, 5)": beta(2, 5),
    "all 1/2": atoms([0.5], [1]),
    "all 0.2": atoms([0.2], [1]),
    "0.4, 0.5 (80 %), 0.6": atoms([0.4, 0.5, 0.6], [0.1, 0.8, 0.1]),
    "half certain, half coin flips": atoms([0.0, 0.5, 1.0], [0.25, 0.5, 0.25]),
}
TIES: Mapping[str, Draw] = {
    "two atoms, 0.2 and 0.8": atoms([0.2, 0.8], [0.5, 0.5]),
    "two atoms, 0.05 and 0.5": atoms([0.05, 0.5], [0.8, 0.2]),
    "five values": atoms([0.02, 0.2, 0.5, 0.8, 0.98], [0.2] * 5),
}
RARE: Mapping[str, Draw] = {
    "2 % positive, 2 apart": gaussians(0.02, 2.0),
    "5 % positive, 2 apart": gaussians(0.05, 2.0),
    "10 % positive, 1 apart": gaussians(0.10, 1.0),
    "10 % positive, 3 apart": gaussians(0.10, 3.0),
    "5 % positive, all alike": atoms([0.05], [1]),
}


def settings() -> list[Setting]:
    """Return all settings."""
    some = [Setting(name, draw, n) for n in (500, 2000) for name, draw in SHAPES.items()]
    tied = [Setting(name, draw, n, tied=True) for n in (500, 2000) for name, draw in TIES.items()]
    return [*some, *tied, *(Setting(name, draw, 200) for name, draw in RARE.items())]


@dataclass(frozen=True)
class Question:
    """A metric with what it needs, and the interval that is asked for."""

    metric: str
    given: Mapping[str, Any] = field(default_factory=dict)
    interval: str = "auto"
    method: str | None = None

    @property
    def name(self) -> str:
        """What the table calls it."""
        given = "".join(f" {value}" for value in self.given.values())
        certified = f" ({self.interval})" if self.interval != "auto" else ""
        return f"{self.metric}{given}{certified}"

    def truth(self, draw: Draw) -> float:
        """Return the best value for known probabilities."""
        return _truth(draw, self.metric, tuple(self.given.items()))

    def row(self, setting: Setting, seed: int) -> list[float]:
        """Return value and limits on one data set, all NaN where there are none."""
        scores, labels = setting.data(seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ef.ErrorFloorWarning)
            try:
                found = ef.from_scores(
                    *(scores, labels),
                    metric=self.metric,
                    interval=self.interval,
                    method=self.method,
                    rng=seed,
                    **self.given,
                )
            except ef.InputError:  # no positive item was drawn, and the metric needs some
                return [np.nan] * 3
        assert found.low is not None
        assert found.high is not None
        return [found.value, found.low, found.high]


@cache
def _truth(draw: Draw, metric: str, given: tuple[tuple[str, Any], ...]) -> float:
    p = np.sort(draw(np.random.default_rng(0), DRAWS))
    values, counts = np.unique(p, return_counts=True)
    return Asked(metric, **dict(given)).of(2).best(values, counts.astype(np.float64))


QUESTIONS = (
    Question("cost", {"costs": (1, 5)}, "certified"),
    Question("balanced-error", {}, "certified"),
    Question("f1", {}, "certified"),
    Question("cost", {"costs": (1, 5)}),
    Question("cost", {"costs": (10, 1)}),
    Question("balanced-error"),
    Question("f1"),
    Question("mcc"),
)


def study(question: Question, setting: Setting, repetitions: int) -> dict[str, float]:
    """Return what was found over many data sets."""
    rows = np.array([question.row(setting, seed) for seed in range(repetitions)])
    value, low, high = rows[~np.isnan(rows[:, 0])].T
    truth = question.truth(setting.draw)
    near = 1e-9
    return {
        "truth": truth,
        "bias": float(value.mean() - truth),
        "held": float(((low <= truth + near) & (truth - near <= high)).mean()),
        "below": float((high < truth - near).mean()),
        "above": float((low > truth + near).mean()),
        "width": float((high - low).mean()),
    }


def main() -> None:
    """Run all settings."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=400)
    parser.add_argument("--metrics", nargs="*")
    options = parser.parse_args()
    for question in QUESTIONS:
        if options.metrics and question.metric not in options.metrics:
            continue
        for setting in settings():
            found = study(question, setting, options.repetitions)
            print(
                question.name,
                setting.name,
                setting.n,
                {k: round(v, 4) for k, v in found.items()},
                flush=True,
            )


if __name__ == "__main__":
    main()
