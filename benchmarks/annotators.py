"""How the interval that counts annotators as a sample covers, with a known truth.

Run `python -m benchmarks.annotators`, or `make annotators`, to write docs/annotators.md: a quarter
of an hour or so on one core.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
from scipy.special import expit, ndtri

import errorfloor as ef
from errorfloor._typing import Counts, Floats
from errorfloor.data.ballots import Ballots

N = 1000
LEVEL = 0.95
DOCUMENT = Path(__file__).parent.parent / "docs" / "annotators.md"
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
        estimate = ef.from_votes(setting.draw(rng).table(), level=LEVEL)
        plain = getattr(estimate.evidence, "likelihood", estimate.evidence)
        assert plain is not None
        rows.append((*plain.limits(LEVEL), estimate.low, estimate.high))
    return np.array(rows, dtype=np.float64)


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
    page = document(rows, *more, repetitions=repetitions)
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
class, a sample may well hold none of them; the upper limit allows for them. Below 5 annotators with
equal workloads they are not taken for a sample, and the answer says so.
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


INTRODUCTION = """# Annotators are a sample, too

<!--
>>> import os, pytest
>>> if "ERRORFLOOR_DATA" not in os.environ:
...     pytest.skip("ERRORFLOOR_DATA does not name the real sets")

-->

The floor of votes is about the vote of a fresh annotator. So annotators are a sample, as items are:
with 40 of them, or with a few who cast most votes, chance decides how many are good. Where ids are
known (a long table with `annotator`, or a column per annotator) the default interval is
`annotators`. It counts both, and the answer says for how many annotators it speaks. Counts without
ids hold less, so their interval is `likelihood`, which takes annotators to be many, or alike, and
the answer says that. So the same votes with and without ids have the same floor and may have other
limits. `certified` and `likelihood`, asked for by name, are for one more vote of the same
annotators: their promise is about items, not about people.

What is done: the likelihood interval, widened by the spread that annotators cause. That spread
comes from leaving out one of 64 groups of annotators at a time, less what exchanging the votes
within items at random would give, which the likelihood interval has already. Unequal workloads
lower the degrees of freedom (Bell and McCaffrey, 2002). Nothing is refitted: the floor's answer to
a change of votes is that of a polynomial of degree two, whose mean the shares of positive votes and
of disagreeing pairs estimate without bias. For annotators who guess, that answer is exactly the
floor's.

No spread shows people of a kind that happens not to be among those who voted. J people hold none of
a kind that is a share s of all with chance (1 - s)^J. So the upper limit allows for the share of
which that chance is half of what the level leaves: s = 1 - (alpha / 2)^(1/J), some log(2 / alpha) /
J, where J is the number of annotators with equal workloads that say as much. At 95 % it is 52 % of
all people with 5 annotators, 31 % with 10, 17 % with 20, 9 % with 40, 3.6 % with 100 and 1.8 % with
200. People who answer another class than they would (for two classes: the opposite) raise a floor F
by s (1 - F / G), G being the error of guesses, and guessers by no more. That is added as a root of
squares to the noise of items and to the spread of those who voted; on items that are certain the
upper limit is then that of Clopper and Pearson for the share of such people, to within 0.015,
however many were seen. There is one rule for all sizes and all numbers of classes. No narrower
limit holds: where 8 % answer the opposite, one of five samples of 20 people has none of them. The
price is paid by ordinary people, too: with 1,000 items, 5 votes and a floor of 20 %, the interval
is 1.4 times as wide for 50 of them, and 1.04 times for 200; with fewer than ten the upper limit is
not far from what guessing gets. For these people alone, `interval="likelihood"` says what it is.

The group of an annotator is a hash of the id's text (7, 7.0 and "7" are the same), so that all
engines agree and tables add up. A saved table keeps the votes of each hash, one of 2**20 values,
and not the ids. Beyond 100,000 annotators, or where the table would need more than 2**20 rows, it
keeps nothing of them, and the answer is that for counts.

Whoever casts more votes counts for more. Where workload and quality go together (a few guessers who
do most of the work), the floor is that of a fresh vote of such a crowd, not of a person drawn from
it.

```pycon
>>> import errorfloor as ef
>>> import pandas as pd
>>> votes = pd.DataFrame(ef.datasets.load_rte().annotations)  # 164 workers, a few did most
>>> floor, alike = ef.from_votes(votes), ef.from_votes(votes, interval="likelihood")
>>> for one in (floor, alike):
...     print(f"{one.value:.4f}, {one.low:.4f} to {one.high:.4f} by {one.interval_method}")
0.2648, 0.1349 to 0.4137 by annotators
0.2648, 0.2497 to 0.2903 by likelihood

```

## Who votes decides the floor

`annotators` says of each annotator the number of votes, the agreement with others, the
informedness (sensitivity plus specificity minus 1, against the majority of the others) with limits,
and the share of all disagreement. Those whose lower limit is not above 0 cannot be told from
guessing; few votes are a reason, too. What the floor is without them is measured on items that did
not choose them. Below 20 annotators nobody is left out.

```pycon
>>> found = ef.annotators(votes)
>>> print(str(found).splitlines()[2])
14           800     53.5 %         0.4 %   -5.0 % to 5.8 %              12.5 %
>>> round(found.everyone, 3), round(found.without, 3), round(found.left_out, 2)
(0.268, 0.17, 0.44)

```

On the command line: `errorfloor annotators votes.csv`, and `-o people.csv` for a row per annotator.
"""


if __name__ == "__main__":
    main()
