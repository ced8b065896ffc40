"""How often intervals of other metrics than error hold the truth, from scores of many classes.

Run `python -m benchmarks.metrics_many` to write its section of benchmarks/results/metrics.md: ten
minutes on one core. Scores and truths are those of `benchmarks.many_scores`.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import errorfloor as ef
from benchmarks.many_scores import USUAL, Floats, Setting, scores_of
from benchmarks.metrics_page import PAGE, write_section
from errorfloor.metrics.choice import MetricChoice

LEVEL = 0.95
COSTS = ((0, 1, 4), (2, 0, 1), (1, 3, 0))  # by class, then by decision
QUESTIONS: Mapping[str, Mapping[str, Any]] = {
    "balanced-error": {},
    "cost": {"costs": COSTS},
    "brier": {},
    "log-loss": {},
    "error-at-coverage": {"at": 0.8},
    "coverage-at-error": {"at": 0.1},
}


@cache
def truth(name: str, metric: str, classes: int) -> float:
    """Return the best value of a metric for known probabilities."""
    scores = scores_of(np.random.default_rng(0), 300_000, classes)
    p = USUAL[name](scores)
    return MetricChoice(metric, **QUESTIONS[metric]).of(classes).best(p, np.ones(len(p)))


def rows(setting: Setting, metric: str, repetitions: int) -> Floats:
    """Return value and limits on many data sets."""
    names = np.array([str(k) for k in range(setting.classes)])
    found = []
    for seed in range(repetitions):
        scores, labels = setting.draw(seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ef.ErrorFloorWarning)
            one = ef.from_scores(
                *(scores, names[labels]),
                classes=names.tolist(),
                metric=metric,
                rng=seed,
                **QUESTIONS[metric],
            )
        found.append([one.value, one.low or 0.0, one.high or 0.0])
    return np.array(found)


def line(setting: Setting, repetitions: int) -> list[str]:
    """Return what a setting found as the cells of a table."""
    cells = [setting.name, f"{setting.n:,}"]
    for metric in QUESTIONS:
        best = truth(setting.name, metric, setting.classes)
        value, low, high = rows(setting, metric, repetitions).T
        held = ((low <= best + 1e-9) & (best - 1e-9 <= high)).mean()
        cells.append(f"{held:.2f} ({(high - low).mean():.3f}, {value.mean() - best:+.3f})")
    return cells


def document(lines: list[list[str]], repetitions: int) -> str:
    """Return the section as Markdown."""
    head = ["truth", "items", *QUESTIONS]
    every = [head, ["---", *["---:"] * (len(head) - 1)], *lines]
    table = "\n".join(f"| {' | '.join(cells)} |" for cells in every)
    error = (LEVEL * (1 - LEVEL) / repetitions) ** 0.5
    return f"""Scores and truths of three classes are those of [this page](many_scores.md). Costs
are {COSTS}, by class and decision. {repetitions} data sets each. A cell has the share of `honest`
intervals at {100 * LEVEL:g} % that hold the truth, and in brackets their mean width and the mean
error of the value. The standard error of a share of {LEVEL} is {error:.3f}. Written by
`python -m benchmarks.metrics_many`.

{table}

"A fifth guesses" is no power of the scores times weights: probabilities that are fitted so lose too
much, and Brier score and log-loss say an upper bound of the floor there."""


def main() -> None:
    """Run all settings and write the section."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=60)
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args()
    lines = []
    for name, behind in USUAL.items():
        lines.append(line(Setting(name, behind, 3, 500), options.repetitions))
        print(lines[-1], flush=True)
    write_section("scores of many classes", document(lines, options.repetitions), options.page)
    print(f"wrote {options.page}")


if __name__ == "__main__":
    main()
