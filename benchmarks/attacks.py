"""Settings that were looked for to break the limits from scores, and what is left of it.

Part of `python -m benchmarks.coverage`. The labels of a setting are drawn from a chance that does
not fall with the score; where it is 1/2, no cut is better than another.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

import errorfloor as ef
from errorfloor.intervals.honest import Honest
from errorfloor.questions import reliability

LEVEL = 0.95
SIZES = (100, 1000, 10_000)
GROUPS = 10
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Setting:
    """A chance of class 1 for each rank in [0, 1], and how many distinct scores there are."""

    name: str
    chance: Callable[[Floats], Floats]
    rows: int | None = None  # as many as items if None
    seen: bool = True  # whether it was in view when the allowance was chosen

    def ranks(self, n: int, rng: np.random.Generator) -> Floats:
        """Draw the ranks of n items."""
        ranks = rng.random(n)
        return ranks if self.rows is None else (np.floor(ranks * self.rows) + 0.5) / self.rows

    def draw(self, n: int, seed: int) -> ef.ScoreTable:
        """Draw n items."""
        rng = np.random.default_rng([n, seed])
        ranks = self.ranks(n, rng)
        return ef.ScoreTable.from_arrays(ranks, rng.random(n) < self.chance(ranks))

    @property
    def floor(self) -> float:
        """The true floor."""
        places = self.rows or 10**5
        chance = self.chance((np.arange(places) + 0.5) / places)
        return float(np.minimum(chance, 1 - chance).mean())


def line(low: float, high: float, ranks: Floats) -> Floats:
    """Rise evenly."""
    return low + (high - low) * ranks


def steps(shares: tuple[float, ...], chances: tuple[float, ...], ranks: Floats) -> Floats:
    """Rise in steps: so much of the items at each chance."""
    ends = np.cumsum(shares)[:-1]
    return np.asarray(chances)[np.searchsorted(ends, ranks, "right")]


def cubic(ranks: Floats) -> Floats:
    """Rise slowly in the middle."""
    return 0.5 + 4 * (ranks - 0.5) ** 3


def to_half(ranks: Floats) -> Floats:
    """Rise to coin flips, and stay there."""
    return np.minimum(ranks, 0.5)


def flat(share: float, low: float, high: float) -> Callable[[Floats], Floats]:
    """Return coin flips in the middle, between two certain or less certain ends."""
    return partial(steps, ((1 - share) / 2, share, (1 - share) / 2), (low, 0.5, high))


COIN = partial(line, 0.5, 0.5)
SEVEN = (0.05, 0.2, 0.4, 0.5, 0.6, 0.8, 0.95)

SETTINGS = (
    Setting("1/2 throughout", COIN),
    *(Setting(f"1/2 throughout, {r} tied score{'s' * (r > 1)}", COIN, r) for r in (1, 2, 3, 10)),
    Setting("80 % at 1/2, between 0.4 and 0.6", flat(0.8, 0.4, 0.6)),
    Setting("80 % at 1/2, between 0 and 1", flat(0.8, 0, 1)),
    Setting("50 % at 1/2, between 0.4 and 0.6", flat(0.5, 0.4, 0.6)),
    Setting("50 % at 1/2, between 0 and 1", flat(0.5, 0, 1)),
    Setting("seven tied scores, 0.05 to 0.95", partial(steps, (1 / 7,) * 7, SEVEN), 7),
    Setting("two atoms, 0.48 and 0.52", partial(steps, (0.5, 0.5), (0.48, 0.52)), 2),
    Setting("30 % at 1/2, between 0 and 1", flat(0.3, 0, 1)),
    Setting("30 % at 1/2, between 0 and 1, 200 tied scores", flat(0.3, 0, 1), 200),
    Setting("10 % at 1/2, between 0 and 1", flat(0.1, 0, 1)),
    Setting("20 % at 1/2, between 0.1 and 0.9", flat(0.2, 0.1, 0.9)),
    Setting("one end: 20 % at 1/2, the rest 0", partial(steps, (0.8, 0.2), (0.0, 0.5))),
    Setting("one end: 20 % at 1/2, the rest 0.2", partial(steps, (0.8, 0.2), (0.2, 0.5))),
    Setting("thirds at 0.3, 0.5, 0.7", partial(steps, (1 / 3,) * 3, (0.3, 0.5, 0.7))),
    Setting("five of seven tied scores at 1/2", flat(5 / 7, 0.1, 0.9), 7),
    Setting("five tied scores, 0.1 to 0.9", partial(line, 0.0, 1.0), 5),
    Setting("30 tied scores, 0.45 to 0.55", partial(line, 0.45, 0.55), 30),
    Setting("1/2 throughout, 100 tied scores", COIN, 100),
    Setting("0.45 throughout", partial(line, 0.45, 0.45)),
    Setting("0.1 throughout", partial(line, 0.1, 0.1)),
    Setting("0.4 to 0.6", partial(line, 0.4, 0.6)),
    Setting("0 to 1, slowly in the middle", cubic),
    *(
        replace(setting, seen=False)
        for setting in (
            Setting("60 % at 1/2, between 0.2 and 0.9", flat(0.6, 0.2, 0.9)),
            Setting("3 % at 1/2, between 0 and 1", flat(0.03, 0, 1)),
            Setting("95 % at 1/2, between 0.3 and 0.7, 50 tied scores", flat(0.95, 0.3, 0.7), 50),
            Setting(
                "70 % at 0, 15 % at 1/2, 15 % at 1",
                partial(steps, (0.7, 0.15, 0.15), (0.0, 0.5, 1.0)),
            ),
            Setting("one end: 30 % at 1/2, the rest 1", partial(steps, (0.3, 0.7), (0.5, 1.0))),
            Setting("0 to 1/2, then 1/2", to_half),
            Setting("0.4 to 0.5", partial(line, 0.4, 0.5)),
            Setting("0.47 throughout, 4 tied scores", partial(line, 0.47, 0.47), 4),
            Setting("15 tied scores, 0.3 to 0.6", partial(line, 0.3, 0.6), 15),
        )
    ),
)
# Where the limits of `reliability` are tried; scores are ranks.
TRUTHS = (
    Setting("1/2 throughout", COIN),
    Setting("1/2 throughout, 3 tied scores", COIN, 3),
    Setting("1/2 throughout, 11 tied scores", COIN, 11),
    Setting("0.1 throughout", partial(line, 0.1, 0.1)),
    Setting("0.45, then 0.55", partial(steps, (0.5, 0.5), (0.45, 0.55))),
    Setting("0.1, 0.2, 0.9", partial(steps, (0.3, 0.3, 0.4), (0.1, 0.2, 0.9))),
    Setting("0 to 1", partial(line, 0.0, 1.0)),
)


def limits(setting: Setting, n: int, seed: int, level: float = LEVEL) -> tuple[float, ...]:
    """Return the honest limits on one data set, and the upper one without its correction."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ef.DegenerateDataWarning)  # of one score for all items
        warnings.simplefilter("ignore", ef.DoubtWarning)  # of scores that tell nothing
        found = ef.from_scores(setting.draw(n, seed), level=level, rng=seed)
    assert isinstance(found.evidence, Honest)
    assert found.interval is not None
    alone = replace(found.evidence.sides, correlated=0.0)
    plain = ef.Interval.at(level, replace(found.evidence, sides=alone))
    return found.interval.low, found.interval.high, plain.high


def covered(setting: Setting, n: int, seeds: range, level: float = LEVEL) -> Floats:
    """Return for each data set whether the floor is held, also without the correction."""
    low, high, plain = np.array([limits(setting, n, seed, level) for seed in seeds]).T
    above, floor = low <= setting.floor, setting.floor - 1e-12  # rounding is no miss
    return np.array([above & (floor <= high), above & (floor <= plain)])


def groups_covered(n: int, repetitions: int) -> tuple[float, float]:
    """Return how often ten groups of n coin flips hold together, and did without the correction.

    Groups are independent, so each is a data set of its own here, at the level that
    `simultaneous` gives it.
    """
    level = 1 - (1 - LEVEL) / GROUPS
    held = covered(SETTINGS[0], n, range(GROUPS * repetitions), level)
    each, plain = held.reshape(2, repetitions, GROUPS).all(axis=2).mean(axis=1)
    return float(each), float(plain)


def bands(setting: Setting, n: int, seeds: range) -> tuple[float, float]:
    """Return how often the band of `reliability` holds all chances, and its mean width."""
    held, width = 0, 0.0
    for seed in seeds:
        table = setting.draw(n, seed)
        low, high = reliability._band(table, LEVEL)
        chance = setting.chance(table.scores)
        held += bool(((low <= chance) & (chance <= high)).all())
        width += float(np.average(high - low, weights=table.items))
    return held / len(seeds), width / len(seeds)


def study(pool: Executor, repetitions: int) -> str:
    """Run everything, and return it as a part of the document."""
    few = {n: repetitions if n > 1000 else 2 * repetitions for n in SIZES}
    jobs = [(setting, n, range(few[n])) for setting in SETTINGS for n in SIZES]
    shares = [held.mean(axis=1) for held in pool.map(covered, *zip(*jobs, strict=True))]
    together = list(pool.map(groups_covered, SIZES[:2], 2 * [repetitions]))
    seeds = range(repetitions // 2)
    of_bands = [(truth, n, seeds) for truth in TRUTHS for n in SIZES]
    found = list(pool.map(bands, *zip(*of_bands, strict=True)))
    return document(few, shares, together, found, len(seeds))


def document(
    few: dict[int, int],
    shares: list[Floats],
    together: list[tuple[float, float]],
    found: list[tuple[float, float]],
    of_bands: int,
) -> str:
    """Return the results as Markdown."""
    sizes = [f"{n:,}" for n in SIZES]
    by_setting = np.array(shares).reshape(len(SETTINGS), len(SIZES), 2)
    rows = [
        [
            setting.name,
            "yes" if setting.seen else "no",
            *(f"{now:.3f} ({was:.3f})" for now, was in of),
        ]
        for setting, of in zip(SETTINGS, by_setting, strict=True)
    ]
    least = by_setting[:, :, 0].min()
    by_truth = np.array(found).reshape(len(TRUTHS), len(SIZES), 2)
    widths = [
        [truth.name, *(f"{held:.3f}, {100 * width:.1f}" for held, width in of)]
        for truth, of in zip(TRUTHS, by_truth, strict=True)
    ]
    sets = ", ".join(f"{few[n]:,} of {n:,}" for n in SIZES)
    groups = ", ".join(
        f"{now:.3f} with {n:,} items each ({was:.3f})"
        for n, (now, was) in zip(SIZES, together, strict=False)
    )
    per_cent = f"{100 * LEVEL:g} %"
    return f"""## Looked for to break it: flat probabilities

Share of data sets whose {per_cent} `honest` interval holds the true floor; in brackets without the
allowance for flat parts. One label per item, drawn with a chance that does not fall with the score.
Data sets: {sets} items.
"Seen" says whether the allowance was chosen with a look at the setting.
The least share is {least:.3f}.

{_table(["chance of class 1", "seen", *sizes], rows)}

Ten `simultaneous` groups of coin flips, all ten intervals hold: {groups}.

## The band of `reliability`

Share of {of_bands:,} data sets whose {per_cent} band holds the true chances at all scores at once,
and its mean width in percentage points.

{_table(["chance of class 1", *sizes], widths)}
"""


def _table(head: list[str], rows: list[list[str]]) -> str:
    texts = sum(not name[0].isdigit() for name in head)
    rule = ["---"] * texts + ["---:"] * (len(head) - texts)
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, rule, *rows))
