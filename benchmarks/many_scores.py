"""How often intervals from scores of many classes hold the true floor, and how far off floors are.

Run `python -m benchmarks.many_scores` to write benchmarks/results/many_scores.md: ten minutes on
one core. Scores are shares of log-normal numbers; the true probabilities are known functions of
them, so the floor is known up to the noise of a million draws.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

import errorfloor as ef
from benchmarks import RESULTS
from errorfloor import datasets, methods
from errorfloor.methods.record import Classes

LEVEL = 0.95
SIZES = (500, 2000)
SPREAD = {3: 3.0, 10: 5.0, 100: 6.0}  # of the log scores, by the number of classes
DOCUMENT = RESULTS / "many_scores.md"

Floats: TypeAlias = NDArray[np.float64]


def shares(numbers: Floats) -> Floats:
    """Divide rows by their sums."""
    return np.asarray(numbers / numbers.sum(axis=1, keepdims=True))


def scores_of(rng: np.random.Generator, n: int, classes: int) -> Floats:
    """Draw scores that are shares of log-normal numbers."""
    logs = SPREAD[classes] * rng.standard_normal((n, classes))
    return shares(np.exp(logs - logs.max(axis=1, keepdims=True)))


def as_they_are(scores: Floats) -> Floats:
    """Return the scores: they are the true probabilities."""
    return scores


def shifted(scores: Floats) -> Floats:
    """Return probabilities of classes that have become rarer or more frequent, up to twofold."""
    return shares(scores * np.geomspace(0.5, 2, scores.shape[1]))


def guessed(scores: Floats) -> Floats:
    """Return probabilities where every fifth label is a guess."""
    return np.asarray(0.8 * scores + 0.2 / scores.shape[1])


def flattened(scores: Floats) -> Floats:
    """Return probabilities that are powers of scores, which were too sure of themselves."""
    return shares(scores ** (2 / 3))


def flat(scores: Floats) -> Floats:
    """Return probabilities that are all alike: scores tell nothing."""
    return np.full_like(scores, 1 / scores.shape[1])


def two_alike(scores: Floats) -> Floats:
    """Return coin flips between the first two classes, whatever the scores."""
    return np.tile(np.where(np.arange(scores.shape[1]) < 2, 0.5, 0.0), (len(scores), 1))


def best_two_alike(scores: Floats) -> Floats:
    """Return coin flips between the two classes with the largest scores."""
    second = np.sort(scores, axis=1)[:, -2:-1]
    return np.where(scores >= second, 0.5, 0.0)


def half_certain(scores: Floats) -> Floats:
    """Return certain labels where the first two scores say so, and guesses for the others."""
    certain = scores[:, :1] > scores[:, 1:2]
    top = scores == scores.max(axis=1, keepdims=True)
    return np.asarray(np.where(certain, top, 1 / scores.shape[1]))


USUAL = {
    "as they are": as_they_are,
    "prior shift": shifted,
    "a fifth guesses": guessed,
    "power 2/3": flattened,
}
FLAT = {
    "all alike": flat,
    "two alike": two_alike,
    "best two alike": best_two_alike,
    "half certain": half_certain,
}


@dataclass(frozen=True)
class Setting:
    """A truth, a number of classes and a number of items."""

    name: str
    truth: Callable[[Floats], Floats]
    classes: int
    n: int

    def draw(self, seed: int) -> tuple[Floats, NDArray[np.int64]]:
        """Return scores, and labels drawn from the true probabilities."""
        rng = np.random.default_rng([seed, self.classes, self.n])
        scores = scores_of(rng, self.n, self.classes)
        behind = self.truth(scores).cumsum(axis=1)[:, :-1]
        return scores, (behind < rng.random((self.n, 1))).sum(axis=1)

    @property
    def floor(self) -> float:
        """The true floor."""
        return floor_of(self.truth, self.classes)


@cache
def floor_of(truth: Callable[[Floats], Floats], classes: int) -> float:
    """Return the mean of what the likeliest class leaves."""
    rng = np.random.default_rng(0)
    parts = (truth(scores_of(rng, 10_000, classes)).max(axis=1).mean() for _ in range(100))
    return float(1 - np.mean(list(parts)))


def row_of(setting: Setting, seed: int, interval: str | None) -> list[float]:
    """Return the floor of offsets and its limits on one data set."""
    scores, labels = setting.draw(seed)
    names = [str(k) for k in range(setting.classes)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ef.DoubtWarning)  # flat settings deserve it
        found = ef.from_scores(
            scores, np.array(names)[labels], classes=names, interval=interval, rng=seed
        )
    if interval is None:
        return [found.value, 0.0, 1.0]
    assert found.low is not None
    assert found.high is not None
    return [found.value, found.low, found.high]


def study(settings: Iterable[Setting], repetitions: int, interval: str | None) -> list[Floats]:
    """Return value and limits of all data sets of each setting."""
    return [
        np.array([row_of(setting, seed, interval) for seed in range(repetitions)])
        for setting in settings
    ]


def line(setting: Setting, rows: Floats) -> list[str]:
    """Return what a setting found as the cells of a table."""
    value, low, high = rows.T
    floor = setting.floor
    error = value.std() / np.sqrt(len(value))
    # Limits at the end of the range hold a floor that is there but for rounding.
    held = (low <= floor + 1e-12) & (floor - 1e-12 <= high)
    return [
        setting.name,
        str(setting.classes),
        f"{setting.n:,}",
        f"{100 * floor:.2f}",
        f"{100 * (value.mean() - floor):+.2f} ({100 * error:.2f})",
        f"{held.mean():.3f}",
        f"{(low > floor + 1e-12).mean():.3f}",
        f"{(high < floor - 1e-12).mean():.3f}",
        f"{100 * (high - low).mean():.2f}",
    ]


HEAD = ["scores", "classes", "items", "floor", "mean error (s.e.)"]
LIMITS = ["held", "missed below", "missed above", "width"]


def table(head: list[str], lines: Iterable[list[str]]) -> str:
    """Return rows as Markdown."""
    rows = [head, ["---", *["---:"] * (len(head) - 1)], *lines]
    return "\n".join(f"| {' | '.join(row[: len(head)])} |" for row in rows)


def settings_of(
    truths: Mapping[str, Callable[[Floats], Floats]], classes: Iterable[int]
) -> list[Setting]:
    """Return all settings of some truths."""
    return [
        Setting(name, truth, k, n) for k in classes for name, truth in truths.items() for n in SIZES
    ]


def under_noise(levels: int = 21, repeats: int = 5) -> str:
    """Return how far methods are off their own lines of noise on the real sets, as Markdown.

    Scores are the shares of votes. The line of a method starts at its own floor without noise.
    """
    names = methods.names(ef.ScoreTable.kind, Classes.MANY)
    off = {name: [name] for name in names}
    for scores, labels in real_sets().values():
        classes = scores.shape[1]
        model = float(np.mean(scores.argmax(axis=1) != labels))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ef.ErrorFloorWarning)
            found = ef.feebee(
                scores,
                labels,
                classes=range(classes),
                methods=names,
                model_error=model,
                levels=levels,
                repeats=repeats,
                rng=0,
            )
        for name in names:
            curve = found.estimates[name].mean(axis=0)
            line = found.noise * (1 - 1 / classes) + (1 - found.noise) * curve[0]
            mean = 100 * float(np.abs(curve - line).mean())
            off[name].append(f"{mean:.2f} ({100 * found[name].score:.2f})")
    return f"""
## Label noise on real sets (FeeBee)

Vote shares are the scores, the original labels the labels. Labels are redrawn among all classes
with probability r, for {levels} values of r from 0 to 1 and {repeats} times each. That takes a
floor F to (1 - r) F + r (K - 1) / K. The table has the mean distance of a method from the line that
starts at its own floor, in percentage points, and in brackets its FeeBee score, with the error of
the most voted class as the model's. Counting follows the noise; averages of confidences do not.

{table(["method", *real_sets()], off.values())}
"""


@cache
def real_sets() -> dict[str, tuple[Floats, NDArray[np.int64]]]:
    """Return vote shares and labels of the sets that have many classes."""
    loaders = (
        datasets.load_cifar10h,
        datasets.load_fashion_mnist_h,
        partial(datasets.load_chaosnli, "snli"),
        partial(datasets.load_chaosnli, "mnli"),
    )
    found = {}
    for load in loaders:
        data = load()
        assert data.votes is not None
        found[data.name] = shares(data.votes.astype(np.float64)), data.targets
    return found


def document(
    usual: list[list[str]], hard: list[list[str]], hundred: list[list[str]], repetitions: int
) -> str:
    """Return the results as Markdown."""
    share = partial(np.mean, dtype=float)
    widths = {n: share([float(row[8]) for row in usual if row[2] == f"{n:,}"]) for n in SIZES}
    mean = ", ".join(f"{width:.2f} at {n:,} items" for n, width in widths.items())
    error = (LEVEL * (1 - LEVEL) / repetitions) ** 0.5
    return f"""# Scores of many classes, measured

Scores are shares of log-normal numbers, and true probabilities are functions of them, so the scores
are complete (of others only the upper limit is one of the floor): the scores as they are; times
weights from 1/2 to 2, one per class ("prior shift"); with a fifth of all labels
guesses; and their powers of 2/3. Floors, errors and widths are in percentage points. `offsets` with
its `honest` interval at {100 * LEVEL:g} %, {repetitions:,} data sets each; the standard error of a
share of {LEVEL} is {error:.4f}. Written by `make many-scores`.

## Where the assumption of offsets holds

{table(HEAD + LIMITS, usual)}

Mean width: {mean}.

## Where no rule is clearly best

All classes alike whatever the scores; coin flips between the first two classes, and between the
two with the largest scores; half of the labels certain, the others guesses. The errors of the ten
folds are correlated there. `honest` finds that most classes are tied, and counts items as fewer.

{table(HEAD + LIMITS, hard)}

The midpoint is too low where there is nothing to choose by: its half from the items of the fit is
optimistic, and no rule makes up for that. It is too high where certain labels stand next to
guesses: no power of the scores is right for both, and the likeliest one blurs the weights.

## A hundred classes

{table(HEAD, hundred)}
"""


def main() -> None:
    """Run all settings and write the document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=200)
    parser.add_argument("--output", type=Path, default=DOCUMENT)
    options = parser.parse_args()
    parts = []
    for truths, classes, interval in (
        (USUAL, (3, 10), "honest"),
        (FLAT, (3, 10), "honest"),
        (USUAL, (100,), None),
    ):
        settings = [one for one in settings_of(truths, classes) if interval or one.n == max(SIZES)]
        found = study(settings, options.repetitions, interval)
        parts.append([line(*pair) for pair in zip(settings, found, strict=True)])
    usual, hard, hundred = parts
    text = document(usual, hard, hundred, options.repetitions)
    options.output.write_text(text + under_noise())
    print(f"wrote {options.output}")


if __name__ == "__main__":
    main()
