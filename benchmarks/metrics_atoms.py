"""Average precision from votes where items are of two or three kinds, which is hardest for it.

Run `python -m benchmarks.metrics_atoms` to write its part of benchmarks/results/metrics.md: a
quarter of an hour on one core. There is no constant to tune, but which of two regions two kinds of
items may lie in was chosen after a look at other data sets of the first, third and fourth setting.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np

from benchmarks.metrics_page import write_section
from errorfloor._typing import Floats
from errorfloor.data.tables import VoteTable
from errorfloor.intervals.votes.region import likelihood_limits
from errorfloor.methods.record import Options
from errorfloor.metrics.choice import MetricChoice

LEVEL, ITEMS, SETS = 0.95, 500, 100
VOTES = (3, 5, 10)
KINDS: dict[str, tuple[tuple[float, ...], tuple[float, ...]]] = {
    "half 0, half 0.5": ((0.0, 0.5), (0.5, 0.5)),
    "half 0.05, half 0.5": ((0.05, 0.5), (0.5, 0.5)),
    "half 0.1, half 0.6": ((0.1, 0.6), (0.5, 0.5)),
    "half 0.3, half 0.6": ((0.3, 0.6), (0.5, 0.5)),
    "3/4 at 0.2, 1/4 at 0.9": ((0.2, 0.9), (0.75, 0.25)),
    "95 % at 0.01, 5 % at 0.4": ((0.01, 0.4), (0.95, 0.05)),
    "thirds at 0.05, 0.4 and 0.9": ((0.05, 0.4, 0.9), (1 / 3, 1 / 3, 1 / 3)),
}


def simulate(name: str, votes: int, sets: int) -> tuple[float, Floats]:
    """Return the true value and the limits of some data sets."""
    points, chances = map(np.array, KINDS[name])
    metric = MetricChoice("average-precision").of(2)
    rng = np.random.default_rng([20261116, votes, *name.encode()])
    found = []
    for _ in range(sets):
        positives = rng.binomial(votes, rng.choice(points, ITEMS, p=chances))
        cells = VoteTable.from_arrays(positives, votes).cells()
        given = cells.positives, cells.totals, cells.count
        found.append(likelihood_limits(*given, level=LEVEL, options=Options(metric=metric)))
    return metric.best(points, chances), np.array(found)


def row(name: str, votes: int, sets: int) -> list[str]:
    """Return a line of the table."""
    truth, limits = simulate(name, votes, sets)
    low, high = limits.T
    below, above = float((truth < low - 1e-9).mean()), float((truth > high + 1e-9).mean())
    shares = [f"{share:.3f}" for share in (1 - below - above, below, above)]
    return [name, str(votes), f"{truth:.3f}", *shares, f"{float((high - low).mean()):.3f}"]


def document(rows: Sequence[list[str]], sets: int) -> str:
    """Return the section."""
    head = ["items", "votes", "value", "coverage", "value below", "above", "width"]
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    noise = (LEVEL * (1 - LEVEL) / sets) ** 0.5
    return "\n".join(
        [
            "The more items differ, the higher is the best average precision: those that are "
            "alike come in random",
            "order. So few kinds of items lie at the edge of what there can be. The lower limit "
            "holds, next to",
            "what slopes lead to, the least value of two kinds of items that the votes do not "
            "refute.",
            f"Written by `python -m benchmarks.metrics_atoms`: {ITEMS} items, {sets} data sets "
            f"each; the standard",
            f"error of a coverage of {LEVEL} is {noise:.3f}.",
            "",
            *(f"| {' | '.join(line)} |" for line in lines),
        ]
    )


def main() -> None:
    """Run all settings and write the part of the document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=SETS)
    sets = parser.parse_args().sets
    rows = []
    for name in KINDS:
        for votes in VOTES:
            rows.append(row(name, votes, sets))
            print(" | ".join(rows[-1]), flush=True)
    write_section("items of few kinds", document(rows, sets))


if __name__ == "__main__":
    main()
