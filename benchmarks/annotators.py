"""How the interval that counts annotators as a sample covers, with a known truth.

Run `python -m benchmarks.annotators`, or `make annotators`, to write
benchmarks/results/annotators.md: a quarter of an hour or so on one core.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from scipy.special import expit, ndtri

import errorfloor as ef
from benchmarks import RESULTS
from errorfloor._typing import Counts, Floats
from errorfloor.data.ballots import Ballots

N = 1000
LEVEL = 0.95
DOCUMENT = RESULTS / "annotators.md"
WORKERS, GUESSERS, VOTES = (40, 100, 164, 800), (0.0, 0.15, 0.3), (3, 5, 10)
SPREAD = 0.3  # of skill and of leaning towards a class, on the scale of logarithms


@dataclass(frozen=True)
class Setting:
    """How votes come about."""

    workers: int
    guessers: float = 0.0  # share of the population
    votes: int = 5
    work: str = "equal"  # or "skewed" (log-normal) or "zipf"
    panels: bool = False  # whether the same people vote on whole blocks of items
    spread: float = SPREAD
    liars: float = 0.0  # share that votes for the other class

    @property
    def floor(self) -> float:
        """The floor of a vote by a fresh annotator."""
        x = ndtri((np.arange(2000) + 0.5) / 2000)
        people = _honest(np.random.default_rng(0), 2000, self.spread)
        eta = np.array([_chance(one, *people).mean() for one in x])
        mixed = (1 - self.guessers - self.liars) * eta + self.guessers / 2
        mixed += self.liars * (1 - eta)
        return float(np.minimum(mixed, 1 - mixed).mean())

    def draw(self, rng: np.random.Generator, n: int = N) -> Ballots:
        """Draw people, items and votes."""
        who = self.assigned(rng, n)
        skill, leaning = _honest(rng, self.workers, self.spread)
        chance = _chance(rng.standard_normal((n, 1)), skill[who], leaning[who])
        kind = rng.random(self.workers)[who]
        chance = np.where(kind < self.guessers, 0.5, chance)
        chance = np.where(kind > 1 - self.liars, 1 - chance, chance)
        vote = (rng.random(who.shape) < chance).astype(np.int64)
        item = np.repeat(np.arange(n), self.votes)
        return Ballots.of(item, who.ravel(), vote.ravel())

    def assigned(self, rng: np.random.Generator, n: int) -> Counts:
        """Return who votes on each item."""
        load = {
            "equal": np.ones(self.workers),
            "skewed": np.exp(rng.standard_normal(self.workers)),
            "zipf": 1 / np.arange(1.0, self.workers + 1),
        }[self.work]
        if self.panels:
            number = self.workers // self.votes
            panel = rng.permutation(self.workers)[: number * self.votes].reshape(number, -1)
            share = load[:number] / load[:number].sum()
            return np.asarray(panel[rng.choice(number, n, p=share)])
        order = np.log(load) + rng.gumbel(size=(n, self.workers))
        return np.argpartition(-order, self.votes - 1, axis=1)[:, : self.votes]


def _honest(rng: np.random.Generator, number: int, spread: float) -> tuple[Floats, Floats]:
    """Draw the skill of people, and how they lean towards a class."""
    return np.exp(spread * rng.standard_normal(number)), spread * rng.standard_normal(number)


def _chance(x: Floats, skill: Floats, leaning: Floats) -> Floats:
    return np.asarray(expit(2.5 * skill * x + leaning))


def main_settings() -> Iterator[Setting]:
    """Yield the settings that the interval has to hold in."""
    for panels, m, workers, work, guessers in product(
        (False, True), VOTES, WORKERS, ("equal", "skewed"), GUESSERS
    ):
        yield Setting(workers, guessers, m, work, panels)


ALIKE = {
    f"{workers} workers, all alike, {m} votes": Setting(workers, votes=m, spread=0.0)
    for workers, m in product(WORKERS, (3, 10))
}
HARD = {
    "20 workers, Zipf, 15 % guess": Setting(20, 0.15, 10, "zipf"),
    "40 workers, Zipf, 15 % guess": Setting(40, 0.15, 10, "zipf"),
    "40 workers, 3 % guess": Setting(40, 0.03, 10),
    "40 workers, 5 % vote the other class": Setting(40, 0.0, 10, liars=0.05),
    "20 workers, 5 votes, 8 % vote the other class": Setting(20, 0.0, 5, liars=0.08),
    "20 workers, 5 votes, none bad": Setting(20, 0.0, 5),
    "12 workers, 15 % guess": Setting(12, 0.15, 10),
    "40 workers, 2 votes, 30 % guess": Setting(40, 0.3, 2),
    "164 workers, Zipf, panels": Setting(164, 0.15, 10, "zipf", panels=True),
}


def simulate(setting: Setting, repetitions: int, seed: int = 0) -> Floats:
    """Return likelihood limits and those for fresh annotators, one row per repetition."""
    rows = []
    for rng in np.random.default_rng(seed).spawn(repetitions):
        table = setting.draw(rng).table()
        estimate = ef.from_votes(table, level=LEVEL, interval="annotators")
        plain = getattr(estimate.evidence, "likelihood", estimate.evidence)
        assert plain is not None
        rows.append((*plain.limits(LEVEL), estimate.low, estimate.high))
    return np.array(rows, dtype=np.float64)


@dataclass(frozen=True)
class Few:
    """A few people of whom each votes on all items, or on most: one of them votes once more."""

    people: int
    guessers: int = 0
    spread: float = SPREAD
    missing: float = 0.0  # share of the votes
    items: int = N

    def draw(self, rng: np.random.Generator) -> tuple[Floats, float]:
        """Draw people and their votes, with the floor of a vote by one of them."""
        people = _honest(rng, self.people, self.spread)

        def chance(x: Floats) -> Floats:
            return np.where(np.arange(self.people) < self.guessers, 0.5, _chance(x, *people))

        eta = chance(ndtri((np.arange(20_000)[:, None] + 0.5) / 20_000)).mean(axis=1)
        votes = 1.0 * (
            rng.random((self.items, self.people)) < chance(rng.normal(size=(self.items, 1)))
        )
        votes[rng.random(votes.shape) < self.missing] = np.nan
        return votes[~np.isnan(votes).all(axis=1)], float(np.minimum(eta, 1 - eta).mean())


FEW = tuple(
    Few(people, guessers, spread, missing, items)
    for people, guessers, spread in product((5, 8, 12), (0, 1), (0.3, 1.0))
    for missing, items in ((0.0, 1000), (0.3, 1000), (0.0, 5000))
)


def simulate_few(setting: Few, repetitions: int, seed: int = 0) -> Floats:
    """Return whether the likelihood alone and the default cover, their widths, and if stated."""
    rows = []
    for rng in np.random.default_rng(seed).spawn(repetitions):
        votes, floor = setting.draw(rng)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ef.ErrorFloorWarning)
            found = ef.from_votes(annotators=votes, level=LEVEL)
        plain: Any = getattr(found.evidence, "likelihood", found.evidence)
        both = [plain.limits(LEVEL), (found.low, found.high)]
        held = [low <= floor <= high for low, high in both]
        rows.append((*held, *(high - low for low, high in both), not found.refuted))
    return np.array(rows, dtype=np.float64)


def section_on_few(repetitions: int) -> str:
    """Return the section on the votes of a few people."""
    lines = []
    for one in FEW:
        rows = simulate_few(one, repetitions)
        plain, ours, first, second, _ = rows.mean(axis=0)
        stated = rows[rows[:, 4] == 1]
        told = f"{stated[:, 1].mean():.2f} of {len(stated)}" if len(stated) else "none"
        cells = (
            one.people,
            one.guessers,
            one.spread,
            f"{100 * one.missing:.0f} %",
            f"{one.items:,}",
        )
        lines.append(
            [*map(str, cells), f"{plain:.2f}", f"{ours:.2f}", told, f"{second / first:.2f}"]
        )
    head = ["people", "guess", "spread", "missing", "items", "likelihood alone", "default"]
    head += ["default, not refuted", "times as wide"]
    table = [head, ["---:"] * len(head), *lines]
    return f"""{OF_FEW}
The floor of one more vote by one of the same people, {repetitions} repetitions. The `likelihood`
interval takes an item's votes for draws from one crowd, and a few people vote at most once each, so
from 5 to 20 of them it is widened by the spread that they cause over their number. "Spread" is that
of skill and of leaning towards a class, on the scale of logarithms.

{chr(10).join(f"| {' | '.join(line)} |" for line in table)}
"""


OF_FEW = "## One of these few annotators"


def main() -> None:
    """Run all settings and write the document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=100)
    repetitions = parser.parse_args().repetitions
    rows = {setting: simulate(setting, repetitions) for setting in main_settings()}
    more = [
        {name: (setting, simulate(setting, repetitions)) for name, setting in group.items()}
        for group in (ALIKE, HARD)
    ]
    # The section on more than two classes is written by benchmarks.many_annotators.
    _, heading, rest = DOCUMENT.read_text(encoding="utf-8").partition("## More than two classes")
    page = f"{document(rows, *more, repetitions=repetitions)}\n{section_on_few(repetitions)}"
    DOCUMENT.write_text(f"{page}\n{heading}{rest}" if rest else page, encoding="utf-8")


def _held(setting: Setting, rows: Floats) -> tuple[float, float, float]:
    """Return coverage of the likelihood interval and of ours, and how many times as wide it is."""
    low, high, our_low, our_high = rows.T
    truth = setting.floor
    plain = float(np.mean((low <= truth) & (truth <= high)))
    ours = float(np.mean((our_low <= truth) & (truth <= our_high)))
    return plain, ours, float((our_high - our_low).mean() / (high - low).mean())


def document(
    rows: dict[Setting, Floats],
    alike: dict[str, tuple[Setting, Floats]],
    hard: dict[str, tuple[Setting, Floats]],
    *,
    repetitions: int,
) -> str:
    """Return the page."""
    found = {setting: _held(setting, values) for setting, values in rows.items()}
    cover = [one[1] for one in found.values()]
    noise = float(np.sqrt(LEVEL * (1 - LEVEL) / repetitions))
    return f"""{INTRODUCTION}
## Coverage, measured

n = {N:,} items, {repetitions} repetitions, {len(rows)} settings. Written by `make annotators`.
Annotators differ in skill and in how they lean towards a class; some guess. A cell has the coverage
of the {100 * LEVEL:g} % interval `likelihood`, that of `annotators`, and how many times as wide it
is. The standard error of a coverage of {LEVEL} is {noise:.3f}; the mean of all settings is
{np.mean(cover):.3f}, the least {min(cover):.3f}.

{_tables(found)}

## Annotators who do not differ

{_list(alike)}

## Settings looked for to break it

{_list(hard)}

Where some people are bad in a way that changes much, such as two in 40 who vote for the other
class, a sample may well hold none of them; the upper limit allows for them. The default takes
annotators for a sample from 20 with equal workloads on, `interval="annotators"` from 5 on; else an
answer is about these people, and says so.
"""


def _tables(found: dict[Setting, tuple[float, float, float]]) -> str:
    parts = []
    for panels, m in product((False, True), VOTES):
        title = f"### {m} votes per item{', panels that take whole blocks' if panels else ''}"
        head = ["workers", *(f"{work}, {100 * g:.0f} % guess" for work, g in _columns())]
        lines = [head, ["---:"] * len(head)]
        for workers in WORKERS:
            cells = [
                found.get(Setting(workers, guessers, m, work, panels))
                for work, guessers in _columns()
            ]
            if all(cells):
                lines.append([f"{workers}", *(_cell(cell) for cell in cells if cell)])
        if len(lines) > 2:
            parts += [title, "\n".join(f"| {' | '.join(line)} |" for line in lines)]
    return "\n\n".join(parts)


def _columns() -> list[tuple[str, float]]:
    return list(product(("equal", "skewed"), GUESSERS))


def _cell(values: tuple[float, float, float]) -> str:
    return f"{values[0]:.2f}, {values[1]:.2f}, x {values[2]:.2f}"


def _list(group: dict[str, tuple[Setting, Floats]]) -> str:
    lines = [["setting", "likelihood", "annotators", "times as wide"], ["---", *["---:"] * 3]]
    for name, (setting, rows) in group.items():
        plain, ours, wider = _held(setting, rows)
        lines.append([name, f"{plain:.2f}", f"{ours:.2f}", f"{wider:.2f}"])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


INTRODUCTION = """# Annotators as a sample: how often intervals hold

[Annotators](../../docs/annotators.md) says what the interval `annotators` counts.
"""


if __name__ == "__main__":
    main()
