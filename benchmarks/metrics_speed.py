"""Time metrics in one run: from soft labels, from votes, and the bootstrap.

Run `OPENBLAS_NUM_THREADS=1 python -m benchmarks.metrics_speed` to write METRICS_SPEED.md here:
some minutes. Work is measured in CPU seconds, the least of several rounds; both sides take turns,
so that what else the machine does falls on both. Votes are those of CIFAR-10H where ERRORFLOOR_DATA
names a folder that has them, or else a table of its size.
"""

from __future__ import annotations

import argparse
import platform
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import stats

import errorfloor as ef
from benchmarks import realdata
from benchmarks.metrics_page import METRICS
from errorfloor._typing import Counts
from errorfloor.datasets import load_cifar10h

DOCUMENT = Path(__file__).with_name("METRICS_SPEED.md")
MANY, ITEMS, VOTES, RESAMPLES = 10**7, 10_000, 50, 1000
Floats = NDArray[np.float64]
Work: TypeAlias = Callable[[], object]

TWO: dict[str, dict[str, Any]] = {"error": {}, **METRICS}
TEN = ("error", "balanced-error", "cost", "brier", "log-loss", "error-at-coverage",
       "coverage-at-error")  # fmt: skip
# From votes few of which tell how classes are confused, these are for five classes at most.
PLACED = ("balanced-error", "cost")
SORTED = 10**6  # numbers, whose sort is what votes are timed next to


def seconds(*works: Work, rounds: int) -> list[float]:
    """Return the least CPU seconds of each, in rounds that take turns."""
    least = [np.inf] * len(works)
    for _ in range(rounds):
        for place, work in enumerate(works):
            start = time.process_time()
            work()
            least[place] = min(least[place], time.process_time() - start)
    return least


def plain_auc(p: Floats) -> np.float64:
    """Return the best AUC of soft labels in O(n log n), as one would write it in NumPy."""
    p = np.sort(p)
    n = p.size
    theta = p.mean()
    below = np.cumsum(p) - p
    lesser = 2 * ((1 - p) @ below) / (n * (n - 1))
    both = 2 * n / (n - 1) * (theta * (1 - theta) - np.mean(p * (1 - p)) / n)
    return np.float64(1 - lesser / both)


def scipy_bootstrap(p: Floats, method: str) -> object:
    """Resample the same statistic with SciPy."""
    return stats.bootstrap(
        (p,),
        plain_auc,
        vectorized=False,
        n_resamples=RESAMPLES,
        method=method,
        rng=np.random.default_rng(0),
    )


def our_bootstrap(p: Floats, method: str) -> object:
    """Resample with this package, from the array on."""
    return ef.from_soft_labels(p, metric="auc", interval=method, n_resamples=RESAMPLES, rng=0)


def shares(classes: int) -> Floats:
    """Return shares of 50 votes on 10,000 items, as crowds give them: most items are sure."""
    rng = np.random.default_rng(classes)
    if classes == 2:
        return rng.binomial(VOTES, rng.beta(0.05, 0.4, ITEMS)) / VOTES
    eta = rng.dirichlet(np.full(classes, 0.02), ITEMS)
    return np.array([rng.multinomial(VOTES, row) for row in eta]) / VOTES


def votes_of_cifar() -> tuple[str, Counts]:
    """Return the votes of CIFAR-10H, or a table of its size, and which they are."""
    if realdata.folder() is not None:
        votes = load_cifar10h().votes
        assert votes is not None
        return "the votes of CIFAR-10H", votes
    return "a table of the size of CIFAR-10H", np.rint(VOTES * shares(10)).astype(np.int64)


def merged(votes: Counts, classes: int) -> Counts:
    """Return the votes for groups of neighbouring classes, as many as asked for."""
    groups = np.arange(votes.shape[1]) * classes // votes.shape[1]
    return np.stack([votes[:, groups == one].sum(axis=1) for one in range(classes)], axis=1)


def main() -> None:
    """Time everything and write the document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--output", type=Path, default=DOCUMENT)
    options = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        text = document(options.rounds)
    options.output.write_text(text)
    print(text)


def document(rounds: int) -> str:
    """Return what was measured, as Markdown."""
    return f"""# Metrics from soft labels and from votes

CPU seconds, the least of {rounds} rounds that took turns. Python {platform.python_version()},
NumPy {np.__version__}. Written by `OPENBLAS_NUM_THREADS=1 python -m benchmarks.metrics_speed`.

## AUC next to a sort

{MANY:,} distinct soft labels, from the array to the result: checked, counted, with all findings.

{_beside_a_sort(rounds)}

## Every metric from soft labels, with its default interval

{ITEMS:,} items. Wanted: below 0.5 s each.

{_every_metric(rounds)}

## Every metric from votes, with its default interval

{_from_votes(rounds)}

## The bootstrap of the AUC ceiling

{RESAMPLES:,} resamples of {ITEMS:,} items, next to plain NumPy in `scipy.stats.bootstrap`: a
sort and a running sum for each resample, and for BCa, SciPy's default, without each item.

{_bootstraps(rounds)}
"""


def _beside_a_sort(rounds: int) -> str:
    p = np.random.default_rng(0).beta(0.6, 1.8, MANY)
    sort, none, jackknife = seconds(
        lambda: np.sort(p),
        lambda: ef.from_soft_labels(p, metric="auc", interval=None),
        lambda: ef.from_soft_labels(p, metric="auc"),
        rounds=rounds,
    )
    return f"""| what | seconds | times one `numpy.sort` | wanted |
| --- | ---: | ---: | ---: |
| `numpy.sort` | {sort:.3f} | 1 | |
| AUC, `interval=None` | {none:.3f} | {none / sort:.2f} | 2 |
| AUC with its jackknife interval | {jackknife:.3f} | {jackknife / sort:.2f} | |"""


def _every_metric(rounds: int) -> str:
    data = {
        "shares of 50 votes, 2 classes": shares(2),
        "distinct, 2 classes": np.random.default_rng(1).beta(0.6, 1.8, ITEMS),
        "shares of 50 votes, 10 classes": shares(10),
    }
    lines = [f"| metric | {' | '.join(data)} |", "| --- |" + " ---: |" * len(data)]
    for metric, given in TWO.items():
        cells = [_one(metric, given, p, rounds) for p in data.values()]
        lines.append(f"| {metric} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _one(metric: str, given: dict[str, Any], p: Floats, rounds: int) -> str:
    if p.ndim > 1 and metric not in TEN:
        return ""
    if p.ndim > 1 and "costs" in given:
        given = {"costs": 1 - np.eye(p.shape[1])}
    (found,) = seconds(lambda: ef.from_soft_labels(p, metric=metric, rng=0, **given), rounds=rounds)
    return f"{found:.3f}"


def _from_votes(rounds: int) -> str:
    name, votes = votes_of_cifar()
    numbers = np.random.default_rng(2).random(SORTED)
    tables = {classes: merged(votes, classes) for classes in (2, 5, 10)}
    heads = [f"{classes} classes | times the sort" for classes in tables]
    lines = [f"| metric | {' | '.join(heads)} |", "| --- |" + " ---: | ---: |" * len(tables)]
    for metric, given in TWO.items():
        cells = [_beside_the_sort(metric, given, own, numbers, rounds) for own in tables.values()]
        lines.append(f"| {metric} | {' | '.join(cells)} |")
    table = "\n".join(lines)
    return f"""From {name}: {len(votes):,} items with {votes.sum() / len(votes):.0f} votes each, ten
classes, and groups of neighbouring ones. From the array to the result, checked and with all
findings; what a process loads or keeps once is there. Wanted: below 0.5 s each. Next to it one
`numpy.sort` of {SORTED:,} numbers, in turns.

{table}"""


def _beside_the_sort(
    metric: str, given: dict[str, Any], votes: Counts, numbers: Floats, rounds: int
) -> str:
    classes = votes.shape[1]
    if classes > 2 and (metric not in TEN or (metric in PLACED and classes > 5)):
        return " | "
    if classes > 2 and "costs" in given:
        given = {"costs": np.abs(np.subtract.outer(np.arange(classes), np.arange(classes)))}
    answer = partial(ef.from_votes, counts=votes, metric=metric, rng=0, **given)
    answer()  # support points and libraries are there from now on
    found, sort = seconds(answer, partial(np.sort, numbers), rounds=rounds)
    return f"{found:.3f} | {found / sort:.1f}"


def _bootstraps(rounds: int) -> str:
    lines = ["| soft labels | interval | ours | SciPy | times faster | wanted |"]
    lines.append("| --- | --- | ---: | ---: | ---: | ---: |")
    distinct = np.random.default_rng(1).beta(0.6, 1.8, ITEMS)
    for name, p, wanted in (("shares of 50 votes", shares(2), 50), ("distinct", distinct, 5)):
        for ours, theirs in (("bca", "BCa"), ("percentile", "percentile")):
            here, there = seconds(
                partial(our_bootstrap, p, ours), partial(scipy_bootstrap, p, theirs), rounds=rounds
            )
            times = f"{here:.4f} | {there:.3f} | {there / here:.1f}"
            lines.append(f"| {name} | {ours} | {times} | {wanted} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
