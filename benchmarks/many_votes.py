"""Floors from few votes for many classes: error, coverage, width; a part of results/votes.md.

`python -m benchmarks.many_votes` writes this part again; real votes need ERRORFLOOR_DATA.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from itertools import product
from pathlib import Path
from typing import TypeAlias

import numpy as np

from benchmarks import RESULTS, realdata
from errorfloor._typing import Counts, Floats
from errorfloor.data.tables import VoteTable
from errorfloor.datasets import Dataset, load_chaosnli, load_cifar10h, load_fashion_mnist_h
from errorfloor.intervals.record import Case, Streams
from errorfloor.intervals.votes.bracket import Bracket
from errorfloor.intervals.votes.region import many_likelihood_limits
from errorfloor.methods.votes.mixture import MANY_MIXTURE, ManyClassMixture
from errorfloor.methods.votes.simplex import fit_partitions, floor_of

HEADING = "## Many classes"
DOCUMENT = RESULTS / "votes.md"
VOTES = (2, 3, 5, 10)
CLASSES = (3, 5, 10, 100)
N, N_COVERED = 2000, 1000

Draw: TypeAlias = Callable[[np.random.Generator, int, int], Floats]
Runs: TypeAlias = dict[tuple[str, int, int], Floats]  # by setting, classes and votes
Truths: TypeAlias = dict[tuple[str, int], float]


def _dirichlet(shape: float) -> Draw:
    return lambda rng, n, classes: rng.dirichlet(np.full(classes, shape), n)


def _logistic_normal(rng: np.random.Generator, n: int, classes: int) -> Floats:
    heights = np.exp(2 * rng.standard_normal((n, classes)))
    return np.asarray(heights / heights.sum(axis=1, keepdims=True))


def _pairs(rng: np.random.Generator, n: int, classes: int) -> Floats:
    """Two classes share nearly everything, as an arcsine law has it; the others 5 %, evenly."""
    order = np.argsort(rng.random((n, classes)), axis=1)[:, :2]
    points = np.full((n, classes), 0.05 / classes)
    share, row = 0.95 * rng.beta(0.5, 0.5, n), np.arange(n)
    points[row, order[:, 0]] += share
    points[row, order[:, 1]] += 0.95 - share
    return points


def _dominant(rng: np.random.Generator, n: int, classes: int) -> Floats:
    """Give the first class a Beta(4, 2) share of every item, the others a Dirichlet(0.3) rest."""
    lead = rng.beta(4, 2, n)[:, None]
    return np.hstack((lead, (1 - lead) * rng.dirichlet(np.full(classes - 1, 0.3), n)))


def _groups(rng: np.random.Generator, n: int, classes: int) -> Floats:
    """Nine tenths within a group of about root K classes, Dirichlet(1/2); the rest evenly."""
    groups = max(2, round(classes**0.5))
    member = np.arange(classes) * groups // classes == rng.integers(groups, size=n)[:, None]
    gamma = np.where(member, rng.standard_gamma(0.5, (n, classes)) + 1e-300, 0.0)
    return np.asarray(0.9 * gamma / gamma.sum(axis=1, keepdims=True) + 0.1 / classes)


def _slips(rng: np.random.Generator, n: int, classes: int) -> Floats:
    return np.tile([0.6, *[0.4 / (classes - 1)] * (classes - 1)], (n, 1))


def _alike(rng: np.random.Generator, n: int, classes: int) -> Floats:
    return np.tile([0.55, 0.35, 0.1, *[0.0] * (classes - 3)], (n, 1))


def _certain_or_coin(rng: np.random.Generator, n: int, classes: int) -> Floats:
    kinds = np.zeros((2, classes))
    kinds[0, 0], kinds[1, :2] = 1.0, 0.5
    return kinds[rng.integers(0, 2, n)]


SETTINGS: dict[str, Draw] = {
    "Dirichlet(1)": _dirichlet(1.0),
    "Dirichlet(0.3)": _dirichlet(0.3),
    "logistic normal": _logistic_normal,
    "confusable pairs": _pairs,
    "one dominant class": _dominant,
    "groups of classes": _groups,
    "hard: all 0.6, rest even": _slips,
    "hard: all 0.55, 0.35, 0.1": _alike,
    "hard: certain or coin flip": _certain_or_coin,
}
# Coverage is measured where it was looked for: smooth, in groups, and the hard ones.
COVERED = ("Dirichlet(0.3)", "groups of classes", *list(SETTINGS)[-2:])
COVERED_CLASSES = (3, 10, 100)
REAL: dict[str, Callable[[], Dataset]] = {
    "SNLI": lambda: load_chaosnli("snli"),
    "MNLI": lambda: load_chaosnli("mnli"),
    "CIFAR-10H": load_cifar10h,
    "Fashion-MNIST-H": load_fashion_mnist_h,
}


def truth(name: str, classes: int) -> float:
    """Return the floor of a setting, from very many items."""
    rng = np.random.default_rng([1, classes, *map(ord, name)])
    size = 20_000 if classes >= 100 else 100_000
    parts = [1 - SETTINGS[name](rng, size, classes).max(axis=1).mean() for _ in range(10)]
    return float(np.mean(parts))


def partitions_of(votes: Counts) -> tuple[Counts, Counts]:
    """Return votes in falling order, and how many items have them."""
    return np.unique(np.sort(votes, axis=1)[:, ::-1], axis=0, return_counts=True)


def errors(name: str, classes: int, m: int, repetitions: int, n: int = N) -> Floats:
    """Return floors by the plug-in and by the mixture, shape (repetitions, 2)."""
    rng = np.random.default_rng([20261115, classes, m, *map(ord, name)])
    rows = []
    for _ in range(repetitions):
        votes, counts = partitions_of(rng.multinomial(m, SETTINGS[name](rng, n, classes)))
        plain = 1 - float(counts @ votes.max(axis=1)) / (m * n)
        rows.append((plain, floor_of(fit_partitions(votes, counts), votes, counts)))
    return np.array(rows)


def limits(name: str, classes: int, m: int, repetitions: int, n: int = N_COVERED) -> Floats:
    """Return the limits of both intervals, shape (repetitions, 4)."""
    rng = np.random.default_rng([20261116, classes, m, *map(ord, name)])
    rows = []
    for _ in range(repetitions):
        table = VoteTable.from_arrays(rng.multinomial(m, SETTINGS[name](rng, n, classes)))
        statistic = ManyClassMixture(cells := table.cells())
        value = float(statistic.values(table.counts[None], rng)[0])
        case = Case(
            method=MANY_MIXTURE, table=table, cells=cells, statistic=statistic,
            value=value, streams=Streams.of(rng),
        )  # fmt: skip
        low, high = many_likelihood_limits(table.votes, table.counts)
        sure = Bracket.around(case).limits(0.95)
        rows.append((min(low, value), max(high, value), *sure))
    return np.array(rows)


def thinned(votes: Counts, m: int, rng: np.random.Generator) -> Counts:
    """Return m votes of each item, drawn without replacement."""
    left, drawn, row = votes.copy(), np.zeros_like(votes), np.arange(len(votes))
    for _ in range(m):
        behind = np.cumsum(left, axis=1)
        label = (rng.integers(behind[:, -1])[:, None] >= behind).sum(axis=1)
        drawn[row, label] += 1
        left[row, label] -= 1
    return drawn


def real(name: str, repetitions: int) -> tuple[float, dict[int, Floats]]:
    """Return the floor from all votes, and plug-ins and mixtures from few of them."""
    votes = np.asarray(REAL[name]().votes)
    rng = np.random.default_rng([20261117, *map(ord, name)])
    everything = partitions_of(votes)
    value = floor_of(fit_partitions(*everything), *everything)
    found = {}
    for m in VOTES:
        rows = []
        for _ in range(repetitions):
            few, counts = partitions_of(thinned(votes, m, rng))
            plain = 1 - float(counts @ few.max(axis=1)) / (m * len(votes))
            rows.append((plain, floor_of(fit_partitions(few, counts), few, counts)))
        found[m] = np.array(rows)
    return value, found


def kept(document: Path) -> str:
    """Return this part of a document as it is, for those who write the other parts."""
    text = document.read_text() if document.exists() else ""
    _, heading, after = text.partition(HEADING)
    return f"\n{heading}{after}" if heading else ""


def _markdown(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    names = list(head)
    lines = [names, ["---", *["---:"] * (len(names) - 1)], *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def table_of_real(found: dict[str, tuple[float, dict[int, Floats]]]) -> str:
    """Return root mean squared errors against all votes, and the plug-in's bias."""
    rows = []
    for name, (value, by_votes) in found.items():
        cells = []
        for values in by_votes.values():
            off = values - value
            error = float(np.sqrt(np.mean(off[:, 1] ** 2)))
            cells.append(f"{error:.4f} ({np.mean(off[:, 0]):+.3f})")
        rows.append((name, f"{value:.4f}", *cells))
    return _markdown(("votes", "all votes", *(f"m = {m}" for m in VOTES)), rows)


def table_of_errors(found: Runs, truths: Truths) -> str:
    """Return biases, with root mean squared errors."""
    rows = []
    for (name, classes), floor in truths.items():
        cells = []
        for m in VOTES:
            off = found[name, classes, m][:, 1] - floor
            cells.append(f"{off.mean():+.4f} ({np.sqrt(np.mean(off**2)):.4f})")
        rows.append((f"{name}, K = {classes}", f"{floor:.4f}", *cells))
    return _markdown(("distribution", "floor", *(f"m = {m}" for m in VOTES)), rows)


def table_of_limits(found: Runs, truths: Truths) -> str:
    """Return coverages and mean widths of both intervals."""
    rows = []
    for name, classes in dict.fromkeys((name, classes) for name, classes, _ in found):
        floor, cells = truths[name, classes], []
        for m in VOTES:
            low, high, sure_low, sure_high = found[name, classes, m].T
            held = np.mean((low <= floor + 1e-9) & (floor <= high + 1e-9))
            sure = np.mean((sure_low <= floor + 1e-9) & (floor <= sure_high + 1e-9))
            cells.append(
                f"{held:.3f}, {sure:.3f} ({np.mean(high - low):.3f}, "
                f"{np.mean(sure_high - sure_low):.3f})"
            )
        rows.append((f"{name}, K = {classes}", *cells))
    return _markdown(("distribution", *(f"m = {m}" for m in VOTES)), rows)


def section(real_table: str, error_table: str, limit_table: str, runs: tuple[int, int, int]) -> str:
    """Return the results as Markdown."""
    noise = (0.95 * 0.05 / runs[2]) ** 0.5
    return f"""{HEADING}

Written by `python -m benchmarks.many_votes`. m votes per item; the mixture is that of sorted
probabilities.

### Real votes, thinned

The floor from all votes; then m of them at random, {runs[0]} times: root mean squared error of the
mixture against all votes, and the mean error of the plug-in.

{real_table}

### Mean error, known truth

n = {N:,} items, {runs[1]} repetitions: mean error of the mixture, and its root mean squared error.

{error_table}

Two or three votes cannot tell items that are all alike, or certain ones and coin flips, from a
smooth distribution with as much agreement; the intervals hold the truth there.

### Coverage of the 95 % intervals: likelihood, certified (mean widths)

n = {N_COVERED:,} items, {runs[2]} repetitions. The standard error of a coverage of 0.95 is
{noise:.4f}.

{limit_table}
"""


def main() -> None:
    """Run everything and write its part of the document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--thinnings", type=int, default=50)
    parser.add_argument("--repetitions", type=int, default=100)
    parser.add_argument("--covered", type=int, default=400)
    parser.add_argument("--output", type=Path, default=DOCUMENT)
    options = parser.parse_args()
    runs = options.thinnings, options.repetitions, options.covered
    truths = {(name, k): truth(name, k) for k, name in product(CLASSES, SETTINGS)}
    real_table = "Not run: ERRORFLOOR_DATA names no folder."
    if realdata.folder() is not None:
        real_table = table_of_real({name: real(name, runs[0]) for name in REAL})
        print(real_table, flush=True)
    off = {(name, k, m): errors(name, k, m, runs[1]) for (name, k), m in product(truths, VOTES)}
    print(table_of_errors(off, truths), flush=True)
    held: Runs = {}
    for k, name in product(COVERED_CLASSES, COVERED):
        own = {(name, k, m): limits(name, k, m, runs[2]) for m in VOTES}
        print(table_of_limits(own, truths).splitlines()[-1], flush=True)
        held |= own
    tables = real_table, table_of_errors(off, truths), table_of_limits(held, truths)
    before = options.output.read_text().partition(HEADING)[0].rstrip()
    options.output.write_text(f"{before}\n\n{section(*tables, runs)}")
    print(f"wrote {options.output}")


if __name__ == "__main__":
    main()
