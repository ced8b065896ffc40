"""How far the seed moves honest limits, and what holding items out again costs and covers.

Run `python -m benchmarks.seeds` to write benchmarks/results/seeds.md: some minutes on two cores.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

import errorfloor as ef
from benchmarks import RESULTS
from errorfloor._typing import Floats
from errorfloor.methods import fitted
from errorfloor.methods.fitted import Chosen

DOCUMENT = RESULTS / "seeds.md"
SEEDS = 12  # for each data set


@dataclass(frozen=True)
class Setting:
    """Data with a known best value, and what is asked of it."""

    name: str
    n: int
    draw: Callable[[np.random.Generator, int], tuple[Floats, Any, dict[str, Any]]]
    truth: float
    metric: str = "error"


def hard(rng: np.random.Generator, n: int) -> tuple[Floats, Any, dict[str, Any]]:
    """Draw uniform probabilities, whose floor is 25 %."""
    p = rng.random(n)
    return p, rng.random(n) < p, {}


def easy(rng: np.random.Generator, n: int) -> tuple[Floats, Any, dict[str, Any]]:
    """Draw probabilities of 5 % or 95 %, in an order that tells nothing within each."""
    high = rng.random(n) < 0.5
    p = np.where(high, 0.95, 0.05)
    return high + rng.random(n), rng.random(n) < p, {}


def flips(rng: np.random.Generator, n: int) -> tuple[Floats, Any, dict[str, Any]]:
    """Draw coin flips."""
    return rng.random(n), rng.random(n) < 0.5, {}


def weighted(rng: np.random.Generator, n: int) -> tuple[Floats, Any, dict[str, Any]]:
    """Draw the first kind, with weights that have nothing to do with it."""
    p, label, _ = hard(rng, n)
    return p, label, {"weight": rng.uniform(0.5, 3, n)}


def clustered(rng: np.random.Generator, n: int) -> tuple[Floats, Any, dict[str, Any]]:
    """Draw the first kind, in clusters of three that have nothing to do with it."""
    p, label, _ = hard(rng, n)
    return p, label, {"cluster": np.arange(n) // 3}


def three_classes(rng: np.random.Generator, n: int) -> tuple[Floats, Any, dict[str, Any]]:
    """Draw probabilities of three classes, which are the scores."""
    p = rng.dirichlet((0.7, 0.7, 0.7), n)
    return p, (rng.random(n)[:, None] > np.cumsum(p, axis=1)).sum(axis=1).clip(max=2), {}


THREE = float(1 - np.random.default_rng(0).dirichlet((0.7, 0.7, 0.7), 10**6).max(axis=1).mean())
SETTINGS = (
    Setting("floor 25 %", 100, hard, 0.25),
    Setting("floor 25 %", 600, hard, 0.25),
    Setting("floor 25 %", 5000, hard, 0.25),
    Setting("floor 5 %", 600, easy, 0.05),
    Setting("coin flips", 600, flips, 0.5),
    Setting("floor 25 %, weights", 600, weighted, 0.25),
    Setting("floor 25 %, clusters of three", 600, clustered, 0.25),
    Setting("floor 25 %, balanced error", 600, hard, 0.25, "balanced-error"),
    Setting("floor 25 %, Brier score", 600, hard, 1 / 6, "brier"),
    Setting("three classes", 300, three_classes, THREE),
)


@dataclass
class Found:
    """What was found of a setting, with repetitions or without."""

    covered: list[bool]
    above: list[bool]  # whether the truth is above the upper limit
    widths: list[float]
    moved: list[float]  # range of the upper limit over seeds, in widths
    seconds: float = 0.0

    @classmethod
    def of(cls, setting: Setting, repeats: int, sets: int, seeds: int) -> Found:
        """Ask of some sets with one seed, and of the first of them with several."""
        found = cls([], [], [], [])
        before = Chosen.repeats
        Chosen.repeats = repeats
        try:
            for i in range(sets):
                scores, label, more = setting.draw(np.random.default_rng([setting.n, i]), setting.n)
                table = ef.ScoreTable.from_arrays(scores, np.asarray(label, dtype=int), **more)
                start = process_time()
                one = ef.from_scores(table, metric=setting.metric)
                found.seconds += process_time() - start
                low, high = float(one.low or 0), float(one.high or 0)
                found.covered.append(low <= setting.truth <= high)
                found.above.append(setting.truth > high)
                found.widths.append(high - low)
                if i < seeds:
                    each = (
                        ef.from_scores(table, metric=setting.metric, rng=seed).high
                        for seed in range(SEEDS)
                    )
                    highs = [float(one or 0) for one in each]
                    found.moved.append((max(highs) - min(highs)) / (high - low))
        finally:
            Chosen.repeats = before
        return found


def row(setting: Setting, sets: int, seeds: int) -> str:
    """Return the line of a setting: folds drawn once, and until they hardly matter."""
    Found.of(setting, 1, 1, 0)  # loads what is loaded when first used
    once, again = (Found.of(setting, k, sets, seeds) for k in (1, fitted.REPEATS))
    both = (
        *(f"{np.mean(one.covered):.3f} ({np.mean(one.above):.3f})" for one in (once, again)),
        *(f"{np.mean(one.moved):.2f} ({np.max(one.moved):.2f})" for one in (once, again)),
        f"{np.mean(again.widths) / np.mean(once.widths):.3f}",
        f"{again.seconds / once.seconds:.1f}",
    )
    return f"| {setting.name} | {setting.n:,} | {' | '.join(both)} |"


def document(rows: list[str], sets: int, seeds: int) -> str:
    """Return the page."""
    text = f"""<!-- Written by `python -m benchmarks.seeds`; change that, not this. -->

# The seed of honest limits

Which items are held out together is drawn at random. Up to 65,536 items they are held out again by
other folds, {fitted.FEWEST_REPEATS} to {fitted.REPEATS} times, until the upper limits of a dozen
seeds are expected to lie within a tenth of the interval's width. Value and upper limit are from the
mean. `certified` tests one half, once.

Coverage at 95 % (and the share of truths above the upper limit) of {sets} data sets; range of the
upper limit over {SEEDS} seeds as a share of the width, on average over {seeds} data sets (and the
largest); width and processor time with repeated folds against folds that are drawn once.

| data | items | covered, once | covered, repeated | range, once | range, repeated | width | time |
| --- | --- | --- | --- | --- | --- | --- | --- |
"""
    return text + "\n".join(rows) + "\n"


def main() -> None:
    """Run the study and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=400)
    parser.add_argument("--seeds", type=int, default=20, help="data sets asked with several seeds")
    parser.add_argument("--output", type=Path, default=DOCUMENT)
    options = parser.parse_args()
    warnings.simplefilter("ignore", ef.ErrorFloorWarning)
    rows = []
    for setting in SETTINGS:
        rows.append(row(setting, options.sets, min(options.seeds, options.sets)))
        print(rows[-1], flush=True)
    options.output.write_text(document(rows, options.sets, min(options.seeds, options.sets)))


if __name__ == "__main__":
    main()
