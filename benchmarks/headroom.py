"""How often `headroom` says "room" or "beyond" of an optimal model, and how often it finds room.

Run `python -m benchmarks.headroom` to write benchmarks/results/headroom.md: some minutes on two
cores.
"""

from __future__ import annotations

import argparse
import os
import warnings
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TypeAlias

import numpy as np
from scipy.special import expit, ndtri

import errorfloor as ef
from benchmarks import RESULTS
from errorfloor._typing import Bools, Floats

DOCUMENT = RESULTS / "headroom.md"
LEVEL = 0.95
FLOOR = 0.08

Sample: TypeAlias = tuple[Floats, Bools, Bools]  # scores, labels, predictions
Draw: TypeAlias = Callable[[np.random.Generator, int], Sample]


@dataclass(frozen=True)
class Votes:
    """Two kinds of items, equally many, and how many vote on each."""

    points: tuple[float, float]
    votes: int

    @property
    def floor(self) -> float:
        """The true floor."""
        return float(np.minimum(self.points, 1 - np.array(self.points)).mean())


VOTES = (Votes((0.1, 0.9), 3), Votes((0.25, 0.75), 3), Votes((0.0, 0.5), 2))
SIZES = (2000, 20_000)


def verdicts_on_votes(setting: Votes, n: int, repetitions: int) -> Counter[str]:
    """Count the verdicts on an optimal model, tested on as many fresh items as have votes."""
    rng = np.random.default_rng([setting.votes, n])
    found: Counter[str] = Counter()
    for _ in range(repetitions):
        votes = rng.binomial(setting.votes, rng.choice(setting.points, n))
        floor = ef.from_votes(votes, setting.votes)
        errors = int(rng.binomial(n, setting.floor))
        low, high = _limits(floor, errors, n)
        found["room" if low > 0 else "beyond" if high < 0 else "saturated"] += 1
    return found


SCORES = (20, 50, 100, 1000)  # items
FLOOR_OF_SCORES = 0.182
METHODS = ("isotonic", "isotonic-cf")
TEST_ITEMS = 1000


@dataclass(frozen=True)
class OfScores:
    """What verdicts next to floors from complete scores say of an optimal model."""

    room: float
    beyond: float
    difference: float  # of the model's error and the value, on average
    repetitions: int


def verdicts_on_scores(method: str, n: int, repetitions: int) -> OfScores:
    """Ask about an optimal model that errs on fresh items, next to floors from n items."""
    rng = np.random.default_rng([n, 11])
    room, beyond, difference = 0, 0, 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ef.ErrorFloorWarning)
        for _ in range(repetitions):
            score, label = _gaussians(rng, n, FLOOR_OF_SCORES)
            floor = ef.from_scores(score, label.astype(int), method=method, complete=True)
            errors = int(rng.binomial(TEST_ITEMS, FLOOR_OF_SCORES))
            low, high = _limits(floor, errors, TEST_ITEMS)
            room, beyond = room + (low > 0), beyond + (high < 0)
            difference += errors / TEST_ITEMS - floor.value
    total = repetitions
    return OfScores(room / total, beyond / total, difference / total, repetitions)


def _limits(floor: ef.Estimate, errors: int, n: int) -> tuple[float, float]:
    """Return the limits that decide the verdict, without the p-values, which take far longer."""
    from errorfloor.questions.headroom import Gap
    from errorfloor.questions.models import counted

    assert floor.evidence is not None
    return Gap.of(counted(errors, n), floor, floor.evidence).limits(LEVEL)


def _gaussians(rng: np.random.Generator, n: int, floor: float = FLOOR) -> tuple[Floats, Bools]:
    """Return true probabilities and labels of two classes with a floor, which is 8 %."""
    distance = -2 * ndtri(floor)
    label = rng.random(n) < 0.5
    feature = rng.standard_normal(n) + np.where(label, distance / 2, -distance / 2)
    return np.asarray(expit(distance * feature)), label


def optimal(rng: np.random.Generator, n: int) -> Sample:
    """Draw a model that does as the true probabilities say."""
    score, label = _gaussians(rng, n)
    return score, label, score > 0.5


def two_points_of_flips(rng: np.random.Generator, n: int) -> Sample:
    """Draw the best model with two points more errors, on items at random."""
    score, label, predicted = optimal(rng, n)
    right = np.flatnonzero(predicted == label)
    wrong = rng.choice(right, round(0.02 * n), replace=False)
    predicted[wrong] = ~predicted[wrong]
    return score, label, predicted


def shifted_cut(rng: np.random.Generator, n: int) -> Sample:
    """Draw a model that answers 1 above a score where the error is two points larger."""
    score, label = _gaussians(rng, n)
    return score, label, score > 0.775


def flat(rng: np.random.Generator, n: int) -> Sample:
    """Draw coin flips, and a model that cuts at half of the scores."""
    score = rng.random(n)
    return score, rng.random(n) < 0.5, score > 0.5


def flat_in_the_middle(rng: np.random.Generator, n: int) -> Sample:
    """Draw items of which most are coin flips, and a best model that answers these at random."""
    kind = rng.choice(3, n, p=(0.1, 0.8, 0.1))
    eta = np.array([0.4, 0.5, 0.6])[kind]
    score = (kind + rng.random(n)) / 3
    return score, rng.random(n) < eta, np.where(kind == 1, rng.random(n) < 0.5, kind == 2)


def tied(rng: np.random.Generator, n: int) -> Sample:
    """Draw coin flips with five distinct scores, and predictions at random."""
    return rng.integers(0, 5, n) / 4, rng.random(n) < 0.5, rng.random(n) < 0.5


MODELS: dict[str, Draw] = {
    "the best model": optimal,
    "two points of errors at random": two_points_of_flips,
    "a cut two points worse": shifted_cut,
    "coin flips": flat,
    "coin flips in the middle": flat_in_the_middle,
    "coin flips, five scores": tied,
}


MORE = 5  # times as many repetitions of the test on the same items, which takes little time


def room_found(draw: Draw, n: int, repetitions: int) -> float:
    """Return how often the paired test finds room, on scores, labels and predictions."""
    from errorfloor.questions.headroom import Pair

    rng = np.random.default_rng([n, 7])
    found = 0
    for _ in range(repetitions):
        score, label, predicted = draw(rng, n)
        pair = Pair.of(score, label, predicted, {})
        found += pair.test().p <= (1 - LEVEL) / 2
    return found / repetitions


def _votes_job(job: tuple[Votes, int, int]) -> Counter[str]:
    return verdicts_on_votes(*job)


def _scores_job(job: tuple[str, int, int]) -> OfScores:
    return verdicts_on_scores(*job)


def _pairs_job(job: tuple[str, int, int]) -> float:
    return room_found(MODELS[job[0]], *job[1:])


def document(
    votes: dict[tuple[Votes, int], Counter[str]],
    scores: dict[tuple[str, int], OfScores],
    pairs: dict[str, float],
    tests: int,
) -> str:
    """Return the page."""
    lines = [
        "<!-- Written by `python -m benchmarks.headroom`; change that, not this. -->",
        "",
        "# Verdicts on models with a known truth",
        "",
        "## Floors from few votes",
        "",
        "An optimal model is tested on as many fresh items as have votes. Nominal is at most 0.025",
        "each way; few votes leave a range of floors open, so false verdicts are rarer.",
        "",
        "| probabilities | votes | items | false room | false beyond | repetitions |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for (setting, n), found in votes.items():
        total = found.total()
        room, beyond = found["room"] / total, found["beyond"] / total
        kinds = " and ".join(f"{point:g}" for point in setting.points)
        lines.append(f"| {kinds} | {setting.votes} | {n:,} | {room:.3f} | {beyond:.3f} | {total} |")
    lines += [
        "",
        "## Floors from complete scores",
        "",
        f"An optimal model errs on {TEST_ITEMS:,} fresh items; the floor is {FLOOR_OF_SCORES:.1%}.",
        "The difference of error and floor should be 0 on average. Limits of the floor are the",
        "same by both methods; `isotonic-cf` is the default.",
        "",
        "| method | items | error - floor, points | false room | false beyond | repetitions |",
        f"|{' --- |' * 6}",
    ]
    for (method, n), one in scores.items():
        found_here = f"{100 * one.difference:+.1f} | {one.room:.3f} | {one.beyond:.3f}"
        lines.append(f"| `{method}` | {n:,} | {found_here} | {one.repetitions} |")
    lines += [
        "",
        "## Floor and model on the same 1,000 items",
        "",
        f"How often the sign test finds room at {LEVEL:.0%}. Two classes whose floor is "
        f"{FLOOR:.0%}, or coin flips, where no rule beats any other: room "
        f"is a false verdict. {tests:,} repetitions; nominal is at most 0.025, with a standard "
        f"error of {(0.025 * 0.975 / tests) ** 0.5:.4f}.",
        "",
        "| model | room |",
        "| --- | --- |",
        *(f"| {name} | {share:.3f} |" for name, share in pairs.items()),
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Run all studies and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=400)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--output", type=Path, default=DOCUMENT)
    options = parser.parse_args()
    cells = list(product(VOTES, SIZES))
    with ProcessPoolExecutor(options.workers) as pool:
        votes = pool.map(_votes_job, [(*cell, options.repetitions) for cell in cells])
        tests = MORE * options.repetitions
        pairs = pool.map(_pairs_job, [(name, 1000, tests) for name in MODELS])
        asked = list(product(METHODS, SCORES))
        beside = pool.map(_scores_job, [(*one, options.repetitions) for one in asked])
        found = (
            dict(zip(cells, votes, strict=True)),
            dict(zip(asked, beside, strict=True)),
            dict(zip(MODELS, pairs, strict=True)),
        )
    options.output.write_text(document(*found, tests))
    print(f"wrote {options.output}")


if __name__ == "__main__":
    main()
