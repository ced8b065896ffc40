"""Time this checkout next to another one in one run, and print ratios.

Run `python -m benchmarks.against OTHER_CHECKOUT`. Each checkout has a process of its own, which
imports once and builds its data once. Both are timed in pairs, one right after the other and in
random order, so that what else the machine does falls on both. Imports and commands run in new
processes each time.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

import errorfloor as ef
from errorfloor.datasets import load_cifar10h
from errorfloor.datasets.synthetic import corrupt, gaussian_mixture

HERE = Path(__file__).parent.parent
BUDGET = 240.0  # seconds for all pairs, after about 30 for files, data and warming up
LEAST_ROUNDS = 3
LEAST_SECONDS = 0.05  # shorter work is repeated within one timing
COLUMNS = {"score": "score", "label": "label"}
ITEMS = 10_000

Arrays: TypeAlias = tuple[NDArray[np.float64], NDArray[np.bool_]]
Work: TypeAlias = Callable[[], object]
Timing: TypeAlias = Callable[[int], float]  # mean seconds of so many repeats


@cache
def synthetic(n: int) -> Arrays:
    """Return the paper's synthetic set, its scores distorted."""
    data = gaussian_mixture(n, rng=0)
    return corrupt(data.soft_labels, 2, 0.7), data.labels


def cifar() -> Arrays:
    """Return CIFAR-10H."""
    data = load_cifar10h()
    return data.scores, data.labels


def from_arrays(load: Callable[[], Arrays], method: str, interval: str) -> Work:
    """Return what estimates from arrays."""
    return partial(ef.from_scores, *load(), method=method, interval=interval, rng=0)


def from_few_votes() -> Work:
    """Return what fits the mixture to three votes on each of 1,000 items."""
    rng = np.random.default_rng(0)
    table = ef.VoteTable.from_arrays(rng.binomial(3, rng.beta(2, 5, 1000)), 3)
    return partial(ef.from_votes, table)


def from_many_votes() -> Work:
    """Return what fits the mixture to the votes of CIFAR-10H."""
    return partial(ef.from_votes, load_cifar10h().vote_table)


def under_noise() -> Work:
    """Return what scores all methods by FeeBee."""
    options = {"model_error": 0.1, "levels": 11, "repeats": 2, "rng": 0}
    return partial(ef.feebee, *synthetic(ITEMS), **options)


def of_scores(*design: str, **options: Any) -> Work:
    """Return what asks about scores, with weights or clusters of four items if so designed."""
    rng = np.random.default_rng(1)  # the items were drawn with 0
    made = {"weight": rng.uniform(0.5, 3, ITEMS), "cluster": rng.integers(ITEMS // 4, size=ITEMS)}
    given = {name: made[name] for name in design}
    return partial(ef.from_scores, *synthetic(ITEMS), rng=0, **given, **options)


def of_some_labels() -> Work:
    """Return what asks about scores of all items where three in ten have a label."""
    scores, labels = synthetic(ITEMS)
    labelled = np.random.default_rng(1).random(ITEMS) < 0.3
    some = np.where(labelled, labels, np.nan)
    return partial(ef.from_scores, scores, some, unlabelled=True, rng=0)


def of_many_scores() -> Work:
    """Return what fits offsets to distorted scores of ten classes."""
    rng = np.random.default_rng(0)
    true = rng.dirichlet(np.full(10, 0.3), ITEMS)
    labels = (rng.random((ITEMS, 1)) > np.cumsum(true, axis=1)[:, :-1]).sum(axis=1)
    scores = true**0.7 / (true**0.7).sum(axis=1, keepdims=True)
    return partial(ef.from_scores, scores, labels, method="offsets", interval="honest", rng=0)


def of_soft_labels(**options: Any) -> Work:
    """Return what asks about soft labels, nearly all distinct."""
    soft = np.random.default_rng(0).beta(0.6, 1.8, ITEMS)
    return partial(ef.from_soft_labels, soft, rng=0, **options)


def of_class_votes() -> Work:
    """Return what fits the mixture to five votes on three classes, for each of 1,000 items."""
    rng = np.random.default_rng(0)
    votes = rng.multinomial(5, rng.dirichlet((0.5, 0.7, 0.9), 1000))
    return partial(ef.from_votes, counts=votes, rng=0)


def from_file(path: Path) -> Work:
    """Return what reads a file and estimates."""
    return partial(ef.from_scores, path, rng=0, **COLUMNS)


@dataclass(frozen=True)
class Files:
    """The files that both checkouts read."""

    folder: Path

    @property
    def csv(self) -> Path:
        """A file of 10^5 rows as text."""
        return self.folder / "rows.csv"

    def parquet(self, exponent: int) -> Path:
        """Return a file of 10^exponent rows."""
        return self.folder / f"rows-{exponent}.parquet"

    def write(self) -> None:
        """Make all files: random 32-bit scores, nearly all distinct, and labels."""
        _write(self.csv, 10**5, "csv")
        for exponent in (6, 7):
            _write(self.parquet(exponent), 10**exponent, "parquet")


def _write(path: Path, rows: int, kind: str) -> None:
    import duckdb

    connection = duckdb.connect()
    connection.execute("select setseed(0.5)")
    connection.execute(
        f"""copy (
            select u::float as score, (v < u * u * (3 - 2 * u))::tinyint as label
            from (select random() as u, random() as v from range({rows}))
        ) to '{path}' (format {kind})"""
    )


HONEST = ("isotonic", "honest")
BOOTSTRAPS = (
    ("isotonic", "basic"),
    ("isotonic", "bca"),
    ("hist-100", "basic"),
    ("beta", "basic"),
    ("platt", "basic"),
)


# What has no file and no data set of its own.
MADE: dict[str, Callable[[], Work]] = {
    "weights: isotonic, honest": partial(of_scores, "weight"),
    "weights: isotonic, certified": partial(of_scores, "weight", interval="certified"),
    "weights: balanced error": partial(of_scores, "weight", metric="balanced-error"),
    "weights: AUC": partial(of_scores, "weight", metric="auc"),
    "clusters: isotonic, honest": partial(of_scores, "cluster"),
    "weights and clusters: isotonic, honest": partial(of_scores, "weight", "cluster"),
    "labels on some: prediction-powered": of_some_labels,
    "scores of ten classes: offsets, honest": of_many_scores,
    "synthetic: F1": partial(of_scores, metric="f1"),
    "synthetic: balanced error": partial(of_scores, metric="balanced-error"),
    "synthetic: cost": partial(of_scores, metric="cost", costs=(1, 3)),
    "synthetic: AUC": partial(of_scores, metric="auc"),
    "synthetic: AUC, bca": partial(of_scores, metric="auc", interval="bca"),
    "synthetic: Brier score": partial(of_scores, metric="brier"),
    "soft labels: F1, bca": partial(of_soft_labels, metric="f1", interval="bca"),
    "soft labels: AUC, bca": partial(of_soft_labels, metric="auc", interval="bca"),
    "soft labels: error, betting": partial(of_soft_labels, interval="betting"),
    "soft labels: error, jackknife": partial(of_soft_labels, interval="jackknife"),
    "1,000 items with 5 votes, three classes: mixture": of_class_votes,
}


def persistent_cases(files: Files) -> dict[str, Callable[[], Work]]:
    """Return what builds the work of each case that runs in a process that stays."""
    found = dict(MADE)
    has_real = "ERRORFLOOR_DATA" in os.environ
    sets: dict[str, Callable[[], Arrays]] = {"synthetic": partial(synthetic, ITEMS)}
    if has_real:
        sets["CIFAR-10H"] = cifar
    for name, load in sets.items():
        for case in (HONEST, *BOOTSTRAPS):
            found[f"{name}: {', '.join(case)}"] = partial(from_arrays, load, *case)
    found["10^6 items: isotonic, honest"] = partial(from_arrays, partial(synthetic, 10**6), *HONEST)
    found["1,000 items with 3 votes: mixture"] = from_few_votes
    if has_real:
        found["CIFAR-10H's votes: mixture"] = from_many_votes
    found["synthetic: FeeBee, 11 levels twice"] = under_noise
    found["CSV file of 10^5 rows: isotonic, honest"] = partial(from_file, files.csv)
    for exponent in (6, 7):
        name = f"Parquet file of 10^{exponent} rows: isotonic, honest"
        found[name] = partial(from_file, files.parquet(exponent))
    return found


IMPORT = "import time; t = time.perf_counter(); {}; print(time.perf_counter() - t)"
FIRST = "import errorfloor; errorfloor.from_scores([0.1, 0.4, 0.9], [0, 1, 1], rng=0)"


def fresh_cases(files: Files) -> dict[str, list[str]]:
    """Return the arguments to Python of each case that runs in a new process each time."""
    command = ["-m", "errorfloor", "estimate", str(files.csv), "--quiet"]
    return {
        "import errorfloor": ["-c", IMPORT.format("import errorfloor")],
        "import errorfloor and estimate": ["-c", IMPORT.format(FIRST)],
        "command: errorfloor estimate, 10^5 rows": [*command, "--score=score", "--label=label"],
    }


def seconds(work: Work, repeats: int) -> float:
    """Return the mean time of `work`."""
    start = time.perf_counter()
    for _ in range(repeats):
        work()
    return (time.perf_counter() - start) / repeats


def serve(folder: Path) -> None:
    """Answer requests for timings, one line each, from inside a process."""
    print(json.dumps(ef.__file__), flush=True)
    cases = persistent_cases(Files(folder))
    built: dict[str, Work] = {}
    for line in sys.stdin:
        name, repeats = json.loads(line)
        if name not in built:
            built[name] = cases[name]()
        print(json.dumps(seconds(built[name], repeats)), flush=True)


@dataclass(frozen=True)
class Checkout:
    """A checkout, and the process that imports its code."""

    root: Path
    process: subprocess.Popen[str]

    def ask(self, name: str, repeats: int) -> float:
        """Return how long a case takes in the process."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps([name, repeats]) + "\n")
        self.process.stdin.flush()
        return float(json.loads(self.answer()))

    def answer(self) -> str:
        """Return the next line that the process prints."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"The process of {self.root} has failed; what it said is above.")
        return line

    def run(self, arguments: list[str], repeats: int) -> float:
        """Return how long a new process takes, by its own watch if it prints a time."""
        total = 0.0
        for _ in range(repeats):
            start = time.perf_counter()
            command = [sys.executable, *arguments]
            text = subprocess.check_output(command, env=_environment(self.root), text=True)
            elapsed = time.perf_counter() - start
            total += float(text) if arguments[0] == "-c" else elapsed
        return total / repeats


@contextmanager
def started(root: Path, folder: Path) -> Iterator[Checkout]:
    """Start the process of a checkout, and end it."""
    command = [sys.executable, "-m", "benchmarks.against", "--serve", str(folder)]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, env=_environment(root), cwd=HERE, stdin=pipe, stdout=pipe, text=True
    ) as process:
        checkout = Checkout(root, process)
        loaded = Path(json.loads(checkout.answer()))
        if not loaded.is_relative_to(root / "src"):
            raise SystemExit(f"{loaded} was imported in place of the code in {root / 'src'}.")
        yield checkout
        assert process.stdin is not None
        process.stdin.close()


def _environment(root: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(root / "src")}


@dataclass(frozen=True)
class Pair:
    """The same case in both checkouts."""

    this: Timing
    other: Timing

    def ratio(self, repeats: int, rng: random.Random) -> float:
        """Return this checkout's time over the other's, timed in random order."""
        sides = [self.this, self.other]
        first = rng.randrange(2)
        times = {first: sides[first](repeats)}
        times[1 - first] = sides[1 - first](repeats)
        return times[0] / times[1]

    def warm_up(self) -> float:
        """Return the time of both together, the second time that they run."""
        for side in (self.this, self.other):
            side(1)
        return self.this(1) + self.other(1)


def pairs_of(this: Checkout, other: Checkout, files: Files) -> dict[str, Pair]:
    """Return all cases in both checkouts."""
    fresh = {
        name: Pair(partial(this.run, arguments), partial(other.run, arguments))
        for name, arguments in fresh_cases(files).items()
    }
    return fresh | {
        name: Pair(partial(this.ask, name), partial(other.ask, name))
        for name in persistent_cases(files)
    }


@dataclass(frozen=True)
class Effort:
    """How often a case is timed, and how often it runs within one timing."""

    rounds: int
    repeats: int


def efforts(pairs: Mapping[str, float], most: int, budget: float) -> dict[str, Effort]:
    """Divide the budget: short cases first, and what they leave goes to the longer ones.

    Parameters
    ----------
    pairs : dict of float
        Seconds that both checkouts take together.
    most : int
        Number of rounds where there is time enough.
    budget : float
        Seconds for all cases.
    """
    found, left = {}, budget
    for done, name in enumerate(sorted(pairs, key=lambda name: pairs[name])):
        repeats = max(1, round(2 * LEAST_SECONDS / pairs[name]))
        cost = repeats * pairs[name]
        share = left / (len(pairs) - done)
        rounds = min(most, max(LEAST_ROUNDS, int(share / cost)))
        found[name] = Effort(rounds, repeats)
        left -= rounds * cost
    return found


def main() -> None:
    """Print the ratios as a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", type=Path, nargs="?", help="another checkout")
    parser.add_argument("--this", type=Path, default=HERE, help="in place of this checkout")
    parser.add_argument("--only", default="", help="cases whose names have this in them")
    parser.add_argument("--rounds", type=int, default=15, help="pairs of each case, at most")
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve is not None:
        serve(options.serve)
    elif options.other is None or not (options.other / "src").is_dir():
        parser.error("name another checkout, a folder with src/ in it")
    else:
        compare(options.this.resolve(), options.other.resolve(), options.only, options.rounds)


def compare(first: Path, second: Path, only: str, rounds: int) -> None:
    """Time cases of two checkouts, and print the first one's times over the second's."""
    with ExitStack() as stack:
        files = Files(Path(stack.enter_context(tempfile.TemporaryDirectory())))
        files.write()
        this, other = (stack.enter_context(started(root, files.folder)) for root in (first, second))
        pairs = {name: pair for name, pair in pairs_of(this, other, files).items() if only in name}
        print(f"# {first} over {second}\n")
        print(f"Python {platform.python_version()}, {os.cpu_count()} cores. Ratios of times, below")
        print("1 where the first is faster: medians and quartiles over pairs.\n")
        print("| case | ratio | quartiles | pairs |")
        print("| --- | ---: | ---: | ---: |", flush=True)
        plans = efforts({name: pair.warm_up() for name, pair in pairs.items()}, rounds, BUDGET)
        rng, stop = random.Random(0), time.perf_counter() + BUDGET
        for name, pair in pairs.items():
            ratios = list(ratios_of(pair, plans[name], rng, stop))
            low, middle, high = np.quantile(ratios, [0.25, 0.5, 0.75])
            quartiles = f"{low:.2f} to {high:.2f}"
            print(f"| {name} | {middle:.2f} | {quartiles} | {len(ratios)} |", flush=True)


def ratios_of(pair: Pair, plan: Effort, rng: random.Random, stop: float) -> Iterator[float]:
    """Yield the ratios of a case: one at least, and no more once it is time to stop."""
    for done in range(plan.rounds):
        if done and time.perf_counter() > stop:
            return
        yield pair.ratio(plan.repeats, rng)


if __name__ == "__main__":
    main()
