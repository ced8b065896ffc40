"""Time errorfloor against the reference stack in one run, and print ratios.

Run `python -m benchmarks.speed`, or `make bench`, which writes the output to RESULTS.md. Ratios
hold for the machine and the moment: both sides run in the same process, one after the other.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from importlib.metadata import version

import numpy as np
from scipy import stats

import errorfloor as ef
from benchmarks import realdata, reference
from benchmarks.realdata import Pair
from errorfloor._typing import Counts
from errorfloor.datasets import load_cifar10h
from errorfloor.datasets.synthetic import corrupt, gaussian_mixture
from errorfloor.intervals.bootstrap import BLOCK, draw

RESAMPLES = 1000
# (method, interval, ratio to reach on the synthetic set, on CIFAR-10H)
GOALS = (
    ("isotonic", "basic", 40, 200),
    ("hist-100", "basic", 100, None),
    ("beta", "basic", 40, 100),
    ("platt", "basic", 15, None),
    ("isotonic", "bca", 400, 1500),
)


def main() -> None:
    """Print all tables as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the reference's work")
    quick: bool = parser.parse_args().quick
    print("# Speed\n\nWritten by `make bench`. " + machine() + "\n")
    sets = {"synthetic": _synthetic(10_000)}
    if realdata.folder() is not None:
        sets["CIFAR-10H"] = realdata.load("CIFAR-10")
    else:
        print("CIFAR-10H is left out: ERRORFLOOR_DATA is not set.\n")
    for name, pair in sets.items():
        _against_reference(name, pair, quick)
    _against_drawing(sets)
    _large()
    _votes()
    _import()


def _against_reference(name: str, pair: Pair, quick: bool) -> None:
    scores, labels = pair
    print(f"## {name}: n = {scores.size:,}, {np.unique(scores).size:,} distinct scores\n")
    print(f"Arrays to estimate and interval, {RESAMPLES:,} resamples, against the same statistic")
    print("from the reference library inside `scipy.stats.bootstrap`.\n")
    print("| method | interval | reference, s | ours, s | ratio | goal |")
    print("| --- | --- | ---: | ---: | ---: | ---: |")
    for method, interval, *goals in GOALS:
        goal = goals[name != "synthetic"]
        ours = _seconds(
            partial(ef.from_scores, scores, labels, method=method, interval=interval, rng=0)
        )
        theirs = _reference_seconds(method, interval, pair, quick)
        print(
            f"| {method} | {interval} | {theirs:.1f} | {ours:.3f} | {theirs / ours:,.0f} | "
            f"{goal or ''} |",
            flush=True,
        )
    share = 100 if quick else 10
    print(f"\nThe reference ran 1/{share} of its evaluations; the time is scaled linearly.\n")


def _reference_seconds(method: str, interval: str, pair: Pair, quick: bool) -> float:
    """Time scipy's bootstrap of the reference statistic, on part of its evaluations."""
    scores, labels = pair[0], pair[1].astype(np.float64)
    share = 100 if quick else 10
    floor = partial(reference.floor, method)
    floor(scores, labels)  # load the library
    bootstrap = _seconds(
        lambda: stats.bootstrap(
            (scores, labels),
            floor,
            paired=True,
            vectorized=False,
            n_resamples=RESAMPLES // share,
            method="basic",
            rng=0,
        ),
        repeats=1,
    )
    if interval != "bca":
        return share * bootstrap
    # BCa adds a jackknife: the statistic without each item in turn.
    n = scores.size
    left_out = np.random.default_rng(0).choice(n, size=n // share, replace=False)

    def jackknife() -> None:
        for i in left_out:
            kept = np.delete(np.arange(n), i)
            floor(scores[kept], labels[kept])

    return share * (bootstrap + _seconds(jackknife, repeats=1))


def _against_drawing(sets: dict[str, Pair]) -> None:
    print("## The floor of the work: drawing the resamples' counts alone\n")
    print("| set | drawing, s | isotonic with its basic interval, s | ratio | goal |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for name, (scores, labels) in sets.items():
        table = ef.ScoreTable.from_arrays(scores, labels)
        ours = _seconds(partial(ef.from_scores, table, interval="basic", rng=0))
        alone = _seconds(partial(_draw_resamples, table.cells().count))
        print(f"| {name} | {alone:.3f} | {ours:.3f} | {ours / alone:.2f} | 3 |")
    print()


def _draw_resamples(count: Counts) -> None:
    rng = np.random.default_rng(0)
    size = max(1, BLOCK // count.size)
    for start in range(0, RESAMPLES, size):
        draw(count, min(size, RESAMPLES - start), rng)


def _large() -> None:
    scores, labels = _synthetic(1_000_000)
    sort = _seconds(lambda: np.argsort(scores))
    ours = _seconds(lambda: ef.from_scores(scores, labels, rng=0))
    tracemalloc.start()
    ef.from_scores(scores, labels, rng=0)
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    print("## n = 1,000,000 distinct scores, isotonic with its default interval\n")
    print("| | | goal |\n| --- | ---: | ---: |")
    print(f"| time over `numpy.argsort` of the scores | {ours / sort:.1f} | 15 |")
    print(f"| extra memory, MB | {peak:.0f} | 500 |\n")


def _votes() -> None:
    print("## Votes: the mixture with its default interval, from a table\n")
    print("| votes | cells | seconds | over 1,000 items with 3 votes |")
    print("| --- | ---: | ---: | ---: |")
    rng = np.random.default_rng(0)
    tables = {
        f"{n:,} items, 3 each": ef.VoteTable.from_arrays(rng.binomial(3, rng.beta(2, 5, n)), 3)
        for n in (1000, 1_000_000)
    }
    if realdata.folder() is not None:
        votes = load_cifar10h().vote_table
        assert votes is not None
        tables["CIFAR-10H, 47 to 63 each"] = votes
    few = 0.0
    for name, table in tables.items():
        seconds = _seconds(partial(ef.from_votes, table))
        few = few or seconds
        print(f"| {name} | {len(table):,} | {seconds:.3f} | {seconds / few:.1f} |")
    print()


def _import() -> None:
    ours, numpy = (
        statistics.median(_import_seconds(module) for _ in range(15))
        for module in ("errorfloor", "numpy")
    )
    print("## `import errorfloor` over `import numpy`\n")
    print(f"{ours / numpy:.2f}, median of 15 new processes each; goal 1.5.")


def _import_seconds(module: str) -> float:
    code = f"import time; t = time.perf_counter(); import {module}; print(time.perf_counter() - t)"
    return float(subprocess.check_output([sys.executable, "-c", code]))


def _synthetic(n: int) -> Pair:
    data = gaussian_mixture(n, rng=0)
    return corrupt(data.soft_labels, 2, 0.7), data.labels


def _seconds(work: Callable[[], object], repeats: int = 15) -> float:
    """Return the median time of `work`, after one run to warm up where it is repeated."""
    if repeats > 1:
        work()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def machine() -> str:
    """Return processor, cores and versions in one sentence."""
    packages = ("numpy", "scipy", "scikit-learn", "betacal", "uncertainty-calibration")
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    return f"{_cpu()}, {os.cpu_count()} cores, Python {platform.python_version()}, {versions}."


def _cpu() -> str:
    try:
        with open("/proc/cpuinfo") as file:
            names = [
                line.split(":", 1)[1].strip() for line in file if line.startswith("model name")
            ]
    except OSError:
        names = []
    return names[0] if names else platform.processor() or platform.machine()


if __name__ == "__main__":
    main()
