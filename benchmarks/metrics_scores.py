"""How often intervals of other metrics than error, from scores with labels, hold the true value.

Run `python -m benchmarks.metrics_scores` to write its section of benchmarks/results/metrics.md:
half an hour on two cores. Scores are the true probabilities, so they are in order; labels are drawn
from them.
"""

from __future__ import annotations

import argparse
import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

import errorfloor as ef
from benchmarks.metrics_page import PAGE, write_section
from errorfloor import methods
from errorfloor.metrics.choice import MetricChoice

LEVEL = 0.95
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
RARE: dict[str, Draw] = {
    "2 % positive, 2 apart": gaussians(0.02, 2.0),
    "5 % positive, 2 apart": gaussians(0.05, 2.0),
    "10 % positive, 1 apart": gaussians(0.10, 1.0),
    "10 % positive, 3 apart": gaussians(0.10, 3.0),
    "5 % positive, all alike": atoms([0.05], [1]),
    "1 % positive, 1 apart": gaussians(0.01, 1.0),
    "1 % positive, 3 apart": gaussians(0.01, 3.0),
    "5 % at 0.9, 95 % at 0.003": atoms([0.003, 0.9], [0.95, 0.05]),
}
# Errors about as large as one that may be allowed.
NEAR: dict[str, Draw] = {
    "all 0.08": atoms([0.08], [1]),
    "0.045 and 0.06": atoms([0.045, 0.06], [0.5, 0.5]),
}


SETTINGS = (
    *(Setting(name, draw, n) for n in (500, 2000) for name, draw in SHAPES.items()),
    *(Setting(name, draw, n, tied=True) for n in (500, 2000) for name, draw in TIES.items()),
    *(Setting(name, draw, 200) for name, draw in RARE.items()),
)


@dataclass(frozen=True, eq=False)
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
    return MetricChoice(metric, **dict(given)).of(2).best(values, counts.astype(np.float64))


HONEST = (
    Question("cost", {"costs": (1, 5)}),
    Question("balanced-error"),
    Question("f1"),
    Question("mcc"),
    Question("auc"),
    Question("average-precision"),
)
MORE = (
    Question("cost", {"costs": (10, 1)}),
    Question("brier"),
    Question("log-loss"),
    Question("error-at-coverage", {"at": 0.8}),
    Question("error-at-coverage", {"at": 0.5}),
    Question("coverage-at-error", {"at": 0.1}),
)
CERTIFIED = (
    Question("cost", {"costs": (1, 5)}, "certified"),
    Question("balanced-error", {}, "certified"),
    Question("f1", {}, "certified"),
    Question("auc", {}, "certified"),
    Question("brier", {}, "certified"),
)


@dataclass(frozen=True)
class Found:
    """What was found over many data sets of a setting."""

    truth: float
    value: Floats
    low: Floats
    high: Floats

    @property
    def held(self) -> float:
        """Share of the intervals that hold the truth, or its rounding."""
        near = 1e-9
        return float(((self.low <= self.truth + near) & (self.truth - near <= self.high)).mean())

    @property
    def width(self) -> float:
        """Mean width."""
        return float((self.high - self.low).mean())

    @property
    def bias(self) -> float:
        """Mean error of the value."""
        return float(self.value.mean() - self.truth)


def study(question: Question, setting: Setting, repetitions: int, first: int = 0) -> Found:
    """Return what a question finds on many data sets."""
    seeds = range(first, first + repetitions)
    rows = np.array([question.row(setting, seed) for seed in seeds])
    value, low, high = rows[~np.isnan(rows[:, 0])].T
    return Found(question.truth(setting.draw), value, low, high)


def studies(questions: str, settings: str, repetitions: Sequence[int]) -> list[list[Found]]:
    """Return what each question finds in each setting, on all cores.

    Questions and settings are those that a name of this module stands for: settings draw by
    functions, which cannot be sent to other processes.
    """
    jobs = [
        (questions, i, settings, j, runs)
        for i, runs in enumerate(repetitions)
        for j in range(len(globals()[settings]))
    ]
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(_study, jobs))
    size = len(globals()[settings])
    return [found[i : i + size] for i in range(0, len(found), size)]


def _study(job: tuple[str, int, str, int, int]) -> Found:
    questions, i, settings, j, runs = job
    return study(globals()[questions][i], globals()[settings][j], runs)


def delong(setting: Setting, repetitions: int) -> float:
    """Return how often DeLong's interval holds the best AUC."""
    truth, held, drawn = Question("auc").truth(setting.draw), 0, 0
    for seed in range(repetitions):
        scores, labels = setting.data(seed)
        ones, zeros = scores[labels == 1], scores[labels == 0]
        if ones.size < 2 or zeros.size < 2:
            continue
        above = (ones[:, None] > zeros) + 0.5 * (ones[:, None] == zeros)
        variance = above.mean(axis=1).var(ddof=1) / ones.size
        variance += above.mean(axis=0).var(ddof=1) / zeros.size
        held += abs(above.mean() - truth) <= 1.96 * variance**0.5 + 1e-9
        drawn += 1
    return held / drawn


def table(questions: Sequence[Question], found: Mapping[tuple[Question, Setting], Found]) -> str:
    """Return coverage and mean width of each setting as Markdown."""
    lines = [["probabilities", "items", *(question.name for question in questions)]]
    lines.append(["---", *["---:"] * (len(questions) + 1)])
    for setting in SETTINGS:
        own = (found[question, setting] for question in questions)
        cells = (f"{one.held:.3f} ({one.width:.3f})" for one in own)
        lines.append([setting.name, f"{setting.n:,}", *cells])
    for name, of in (("least", np.min), ("mean", np.mean)):
        held = (of([found[one, setting].held for setting in SETTINGS]) for one in questions)
        lines.append([name, "", *(f"{share:.3f}" for share in held)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def errors(questions: Sequence[Question], found: Mapping[tuple[Question, Setting], Found]) -> str:
    """Return the largest mean errors of values by the number of items, as Markdown."""
    sizes = sorted({setting.n for setting in SETTINGS})
    lines = [["metric", "method", *(f"{n:,} items" for n in sizes)], ["---"] * (len(sizes) + 2)]
    for question in questions:
        worst = [
            max((found[question, one].bias for one in SETTINGS if one.n == n), key=abs)
            for n in sizes
        ]
        method = methods.default("scores", metric=question.metric).name
        lines.append([question.name, method, *(f"{bias:+.4f}" for bias in worst)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def afresh(found: Mapping[tuple[Question, Setting], Found], repetitions: int) -> str:
    """Return what other data sets say of the setting that held least, of each metric below 0.94."""
    said = []
    for question in (*HONEST, *MORE):
        least = min(SETTINGS, key=lambda one: found[question, one].held)
        if found[question, least].held < 0.94:
            held = study(question, least, 2 * repetitions, first=1000).held
            said.append(f"{question.name} {held:.3f} ({least.name}, {least.n:,} items)")
    if not said:
        return ""
    return (
        "The lowest of many shares is low by chance. Where it is below 0.94, twice as many other "
        f"data sets of that setting gave: {'; '.join(said)}."
    )


def document(found: Mapping[tuple[Question, Setting], Found], repetitions: int) -> str:
    """Return the section as Markdown."""
    error = (LEVEL * (1 - LEVEL) / repetitions) ** 0.5
    rare = [one for one in SETTINGS if one.n == min(each.n for each in SETTINGS)]
    shares = ", ".join(f"{delong(one, repetitions):.2f} ({one.name})" for one in rare)
    return f"""Scores are in the order of the true probabilities, and labels are drawn from these.
Scores of items with one probability all differ, but for the settings "two atoms" and "five values",
which are ties. {repetitions:,} data sets each; a cell has the share of {100 * LEVEL:g} % intervals
that hold the truth, and in brackets their mean width. The standard error of a share of {LEVEL} is
{error:.3f}. Costs are those of a false positive and a false negative. Written by
`python -m benchmarks.metrics_scores`.

`honest`, the default:

{table(HONEST, found)}

{table(MORE, found)}

{afresh(found, repetitions)}

`certified`, which is proven and wide, with half as many data sets; MCC, log-loss, average precision
and items left aside have none:

{table(CERTIFIED, found)}

DeLong's interval of the AUC holds the truth in {shares} of the data sets with few positives.

The largest mean error of the values of the default methods, over the settings of a size:

{errors((*HONEST, *MORE), found)}

The best threshold looks too good on the items that chose it, which is most of what is seen by
`isotonic`; `isotonic-cf`, the default, takes the midpoint with items held out. Coverage at an
error is the hardest to know: its curve is flat where items are about as sure as the error that is
allowed."""


# Where few errors or few positives say all that is known.
FEW = (
    Question("average-precision"),
    Question("mcc"),
    Question("balanced-error"),
    Question("error-at-coverage", {"at": 0.8}),
    Question("error-at-coverage", {"at": 0.5}),
    Question("coverage-at-error", {"at": 0.05}),
)
TINY = tuple(Setting(name, SHAPES[name], n) for n in (5, 20) for name in ("all 0.2", "all 1/2"))


_TIED = "two atoms, 0.05 and 0.5"
FEW_SETTINGS = (
    *TINY,
    *(Setting(name, draw, 200) for name, draw in (RARE | NEAR).items()),
    Setting(_TIED, TIES[_TIED], 500, tied=True),
)


def few(repetitions: int) -> str:
    """Return what the metrics that few errors or positives decide find, as Markdown."""
    rows = [["probabilities", "items", *(question.name for question in FEW)]]
    rows.append(["---", *["---:"] * (len(FEW) + 1)])
    by_question = studies("FEW", "FEW_SETTINGS", len(FEW) * [repetitions])
    for setting, *found in zip(FEW_SETTINGS, *by_question, strict=True):
        cells = (f"{one.held:.3f} ({one.width:.3f})" for one in found)
        rows.append([setting.name, f"{setting.n:,}", *cells])
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    error = (LEVEL * (1 - LEVEL) / repetitions) ** 0.5
    return f"""The same where few errors or few positives say all that is known: {repetitions} sets
each, of which those without items of a class that the metric needs have no answer and are left out.
The standard error of a share of {LEVEL} is {error:.3f}. Written by
`python -m benchmarks.metrics_scores --few --repetitions {repetitions}`.

{table}"""


QUESTIONS = (*HONEST, *MORE, *CERTIFIED)


def results(repetitions: int) -> dict[tuple[Question, Setting], Found]:
    """Return what all questions find; those that are proven are asked half as often."""
    runs = [repetitions if one.interval == "auto" else repetitions // 2 for one in QUESTIONS]
    found = studies("QUESTIONS", "SETTINGS", runs)
    return {
        (question, setting): one
        for question, row in zip(QUESTIONS, found, strict=True)
        for setting, one in zip(SETTINGS, row, strict=True)
    }


def main() -> None:
    """Run all settings and write the section."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=150)
    parser.add_argument("--page", type=Path, default=PAGE)
    parser.add_argument("--few", action="store_true", help="few errors and positives alone")
    options = parser.parse_args()
    if options.few:
        write_section("scores, few of a kind", few(options.repetitions), options.page)
        return
    found = results(options.repetitions)
    write_section("scores", document(found, options.repetitions), options.page)
    print(f"wrote {options.page}")


if __name__ == "__main__":
    main()
