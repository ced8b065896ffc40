"""How good floors from few votes are: error, coverage and width with a known truth, real votes.

Run `python -m benchmarks.votes`, or `make votes`, to write benchmarks/results/votes.md: half an
hour or so on two cores. Real votes need ERRORFLOOR_DATA.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TypeAlias

import numpy as np
from scipy.special import betainc, expit, ndtr

import errorfloor as ef
from benchmarks import RESULTS, many_votes, realdata, vote_designs
from errorfloor._typing import Counts, Floats
from errorfloor.datasets import load_chaosnli

N = 2000
VOTES = (2, 3, 5, 10)
LEVEL = 0.95
DOCUMENT = RESULTS / "votes.md"
PARTS = ("snli", "mnli", "abductive")

Draw: TypeAlias = Callable[[np.random.Generator, int], Floats]


@dataclass(frozen=True)
class Setting:
    """A distribution of the probability of a positive vote, with its floor."""

    draw: Draw
    floor: float


def _gaussians(distance: float) -> Setting:
    """Two equal classes, unit Gaussians `distance` apart."""

    def draw(rng: np.random.Generator, n: int) -> Floats:
        side = np.where(rng.random(n) < 0.5, 0.5, -0.5)
        return np.asarray(expit(distance * (rng.standard_normal(n) + side * distance)))

    return Setting(draw, float(ndtr(-distance / 2)))


def _beta(a: float, b: float) -> Setting:
    below = a / (a + b) * betainc(a + 1, b, 0.5)
    above = b / (a + b) * (1 - betainc(a, b + 1, 0.5))
    return Setting(lambda rng, n: rng.beta(a, b, n), float(below + above))


def _atoms(*points: float) -> Setting:
    values = np.array(points)
    floor = float(np.minimum(values, 1 - values).mean())
    return Setting(lambda rng, n: rng.choice(values, n), floor)


SETTINGS = {
    "the paper's (a): Gaussians sqrt(8) apart": _gaussians(8**0.5),
    "the paper's (b): all coin flips": _atoms(0.5),
    "the paper's (c): 0.1 and 0.9": _atoms(0.1, 0.9),
    "Gaussians 1 apart": _gaussians(1.0),
    "Beta(1/2, 1/2)": _beta(0.5, 0.5),
    "Beta(2, 5)": _beta(2, 5),
    "Beta(1, 1)": _beta(1, 1),
    "hard: 0 and 0.5": _atoms(0.0, 0.5),
    "hard: 0.45 and 0.55": _atoms(0.45, 0.55),
}


def main() -> None:
    """Run all settings and write the document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=500)
    parser.add_argument("--output", type=Path, default=DOCUMENT)
    options = parser.parse_args()
    cells = list(product(SETTINGS, VOTES))
    jobs = [(name, m, options.repetitions) for name, m in cells]
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        found = dict(zip(cells, pool.map(_simulate, jobs), strict=True))
        thinned = list(pool.map(_thin, PARTS)) if realdata.folder() is not None else []
        runs = [options.repetitions] * len(vote_designs.DESIGNS)
        designs = dict(
            zip(
                vote_designs.DESIGNS,
                pool.map(vote_designs.simulate, vote_designs.DESIGNS, runs),
                strict=True,
            )
        )
    options.output.parent.mkdir(exist_ok=True)
    text = document(found, thinned, options.repetitions)
    text += f"\n{vote_designs.section(designs, options.repetitions)}"
    options.output.write_text(text + many_votes.kept(options.output))
    print(f"wrote {options.output}")


def _simulate(job: tuple[str, int, int]) -> Floats:
    name, m, repetitions = job
    return simulate(SETTINGS[name], m, repetitions)


def simulate(setting: Setting, m: int, repetitions: int, n: int = N) -> Floats:
    """Return plug-in, mixture and the limits of both intervals, shape (repetitions, 6)."""
    rng = np.random.default_rng([20261115, m])
    rows = []
    for _ in range(repetitions):
        votes = ef.VoteTable.from_arrays(rng.binomial(m, setting.draw(rng, n)), m)
        likely = ef.from_votes(votes, level=LEVEL)
        certified = ef.from_votes(votes, level=LEVEL, interval="certified")
        limits = (likely.low, likely.high, certified.low, certified.high)
        rows.append((likely.plugin, likely.value, *limits))
    return np.array(rows, dtype=np.float64)


def _thin(part: str, repetitions: int = 50) -> dict[int, Floats]:
    """Return plug-in, mixture and likelihood limits from random subsets of an item's votes."""
    data = load_chaosnli(part)
    positives, totals = data.positives, data.totals
    assert positives is not None
    assert totals is not None
    return {0: _all_votes(positives, totals)} | {
        m: np.array([_thinned(positives, totals, m, seed) for seed in range(repetitions)])
        for m in (2, 3, 5)
    }


def _all_votes(positives: Counts, totals: Counts) -> Floats:
    found = ef.from_votes(positives, totals, method="plugin", interval=None)
    return np.array([found.value])


def _thinned(
    positives: Counts, totals: Counts, m: int, seed: int
) -> tuple[float, float, float | None, float | None]:
    rng = np.random.default_rng([m, seed])
    found = ef.from_votes(rng.hypergeometric(positives, totals - positives, m), m)
    return found.plugin, found.value, found.low, found.high


def document(
    found: dict[tuple[str, int], Floats], thinned: list[dict[int, Floats]], repetitions: int
) -> str:
    """Return the results as Markdown."""
    error, cover, width = {}, {}, {}
    for (name, m), rows in found.items():
        truth = SETTINGS[name].floor
        plugin, value, low, high, sure_low, sure_high = rows.T
        spread = np.sqrt(np.mean((value - truth) ** 2))
        error[name, m] = f"{plugin.mean() - truth:+.4f}, {value.mean() - truth:+.4f} ({spread:.4f})"
        held = np.mean((low <= truth + 1e-9) & (truth <= high + 1e-9))
        sure = np.mean((sure_low <= truth + 1e-9) & (truth <= sure_high + 1e-9))
        cover[name, m] = f"{held:.3f}, {sure:.3f}"
        width[name, m] = f"{np.mean(high - low):.4f}, {np.mean(sure_high - sure_low):.4f}"
    noise = (LEVEL * (1 - LEVEL) / repetitions) ** 0.5
    return f"""# Floors from few votes

n = {N:,} items, m votes each, {repetitions:,} repetitions. Written by `make votes`.

## Mean error: plug-in, mixture (root mean squared error of the mixture)

{_table(error)}

Two or three annotators do where the plug-in needs fifty: the mixture takes away nearly all of its
bias. The exceptions are (c), two atoms far from 1/2, at two and three votes, where so few votes
cannot tell them from a smooth distribution and the plug-in's bias happens to be small; and half
certain items, half coin flips at two votes, where about half of the bias is left. The intervals
below hold the truth there, too.

## Coverage of the {100 * LEVEL:g} % intervals: likelihood, certified

{_table(cover)}

The standard error of a coverage of {LEVEL} is {noise:.4f}. The likelihood interval has no proof for
finite n, and its constants were chosen on distributions like the first seven; the last two were
looked for to break it, with an atom at or next to 1/2. At few votes even infinitely many items
leave a range of floors open; an interval has to contain that range, so most coverages are near 1.

## Mean width: likelihood, certified

{_table(width)}

{_thinning(thinned)}"""


def _table(cells: dict[tuple[str, int], str]) -> str:
    lines = [["distribution", *(f"m = {m}" for m in VOTES)], ["---", *["---:"] * len(VOTES)]]
    lines += [[name, *(cells[name, m] for m in VOTES)] for name in SETTINGS]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _thinning(thinned: list[dict[int, Floats]]) -> str:
    if not thinned:
        return "Real votes were left out: ERRORFLOOR_DATA is not set.\n"
    lines = [
        ["ChaosNLI", "all 100 votes", "m = 2", "m = 3", "m = 5"],
        ["---", "---:", "---:", "---:", "---:"],
    ]
    for part, rows in zip(PARTS, thinned, strict=True):
        truth = float(rows[0][0])
        cells = []
        for m in (2, 3, 5):
            plugin, value, low, high = rows[m].T
            held = np.mean((low <= truth) & (truth <= high))
            cells.append(f"{plugin.mean():.4f}, {value.mean():.4f} ({held:.2f})")
        lines.append([part, f"{truth:.4f}", *cells])
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"""## Real votes, thinned

Plug-in from all 100 votes; then m of them at random, 50 times: mean plug-in, mean mixture, and the
share of likelihood intervals that hold the value from all votes.

{table}
"""


if __name__ == "__main__":
    main()
