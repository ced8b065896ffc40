"""How the interval that counts annotators as a sample covers for more than two classes.

Run `python -m benchmarks.many_annotators` to write the last section of
benchmarks/results/annotators.md: some ten minutes on one core.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np

import errorfloor as ef
from benchmarks import RESULTS
from benchmarks.annotators import LEVEL, Setting
from errorfloor._typing import Floats
from errorfloor.data.ballots import Ballots
from errorfloor.datasets.synthetic import gaussian_ring

DOCUMENT = RESULTS / "annotators.md"
HEADING = "## More than two classes"
N = 1000


@dataclass(frozen=True)
class ManySetting:
    """How votes for many classes come about: people who know the items, and some who guess."""

    classes: int
    workers: int
    guessers: float = 0.0  # share of the population that always guesses
    slips: float = 0.0  # share of the votes of all others that are guesses
    votes: int = 5
    work: str = "equal"

    @property
    def floor(self) -> float:
        """The floor of a vote by a fresh annotator."""
        sure = gaussian_ring(200_000, classes=self.classes, rng=0).soft_labels.max(axis=1)
        guess = self.guessers + (1 - self.guessers) * self.slips
        return float(1 - ((1 - guess) * sure + guess / self.classes).mean())

    def draw(self, rng: np.random.Generator, n: int = N) -> Ballots:
        """Draw people, items and votes."""
        who = Setting(self.workers, votes=self.votes, work=self.work).assigned(rng, n)
        rate = np.where(rng.random(self.workers) < self.guessers, 1.0, self.slips)[who]
        p = gaussian_ring(n, classes=self.classes, rng=rng).soft_labels
        below = rng.random(who.shape)[:, :, None] < np.cumsum(p, axis=1)[:, None]
        vote = np.where(
            rng.random(who.shape) < rate,
            rng.integers(self.classes, size=who.shape),
            below.argmax(axis=2),
        )
        item = np.repeat(np.arange(n), self.votes)
        made = Ballots.of(item, who.ravel(), vote.ravel())
        return made.with_classes(tuple(map(str, range(self.classes))))


SETTINGS = {
    "3 classes, 40 workers, alike": ManySetting(3, 40),
    "10 classes, 100 workers, alike": ManySetting(10, 100),
    "3 classes, 40 workers, 15 % guess": ManySetting(3, 40, 0.15),
    "3 classes, 40 workers, 15 % guess, 2 votes": ManySetting(3, 40, 0.15, votes=2),
    "3 classes, 40 workers, 15 % guess, 10 votes": ManySetting(3, 40, 0.15, votes=10),
    "3 classes, 164 workers, skewed, 15 % guess": ManySetting(3, 164, 0.15, work="skewed"),
    "5 classes, 100 workers, 30 % guess": ManySetting(5, 100, 0.3),
    "5 classes, 40 workers, skewed, 15 % guess, 5 % slips": ManySetting(
        5, 40, 0.15, 0.05, work="skewed"
    ),
    "10 classes, 40 workers, 15 % guess": ManySetting(10, 40, 0.15),
    "10 classes, 100 workers, 30 % guess, 3 votes": ManySetting(10, 100, 0.3, votes=3),
    "3 classes, 20 workers, Zipf, 15 % guess": ManySetting(3, 20, 0.15, votes=5, work="zipf"),
    "3 classes, 12 workers, 15 % guess": ManySetting(3, 12, 0.15, votes=5),
}


def simulate(setting: ManySetting, repetitions: int, n: int = N, seed: int = 0) -> Floats:
    """Return likelihood limits and those for fresh annotators, one row per repetition."""
    rows = []
    for rng in np.random.default_rng(seed).spawn(repetitions):
        table = setting.draw(rng, n).table()
        estimate = ef.from_votes(table, level=LEVEL, interval="annotators")
        plain = getattr(estimate.evidence, "likelihood", estimate.evidence)
        assert plain is not None
        rows.append((*plain.limits(LEVEL), estimate.low, estimate.high))
    return np.array(rows, dtype=np.float64)


def section(found: dict[str, Floats], repetitions: int) -> str:
    """Return the section of the document."""
    noise = float(np.sqrt(LEVEL * (1 - LEVEL) / repetitions))
    lines = [["setting", "likelihood", "annotators", "times as wide"], ["---", *["---:"] * 3]]
    for name, rows in found.items():
        low, high, our_low, our_high = rows.T
        truth = SETTINGS[name].floor
        plain = np.mean((low <= truth) & (truth <= high))
        ours = np.mean((our_low <= truth) & (truth <= our_high))
        wider = (our_high - our_low).mean() / (high - low).mean()
        lines.append([name, f"{plain:.2f}", f"{ours:.2f}", f"{wider:.2f}"])
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"""{HEADING}

The same for more than two classes: groups of annotators are left out, and what is followed is the
share of pairs of votes that disagree, times how much the floor rises with it when people guess.
n = {N:,} items, 5 votes unless said otherwise, {repetitions} repetitions (standard error of a
coverage of {LEVEL}: {noise:.3f}). Written by `python -m benchmarks.many_annotators`.

{table}
"""


def main() -> None:
    """Run all settings and write the section."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=100)
    repetitions = parser.parse_args().repetitions
    found = {name: simulate(setting, repetitions) for name, setting in SETTINGS.items()}
    before = DOCUMENT.read_text(encoding="utf-8").partition(HEADING)[0].rstrip()
    DOCUMENT.write_text(f"{before}\n\n{section(found, repetitions)}", encoding="utf-8")


if __name__ == "__main__":
    main()
