"""How often each interval holds the true floor, and how wide it is.

Run `python -m benchmarks.coverage`, or `make coverage`, to write benchmarks/results/coverage.md:
an hour on two cores. With `--interval` some rows are written again. The settings are pairs of
Gaussian classes whose Bayes error is known exactly, and those of benchmarks/attacks.py.
"""

from __future__ import annotations

import argparse
import os
import warnings
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import product
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

import errorfloor as ef
from benchmarks import RESULTS, attacks
from errorfloor.datasets.synthetic import corrupt, gaussian_mixture
from errorfloor.intervals.bootstrap import Basic, Percentile

LEVEL = 0.95
SIZES = (200, 1000, 10_000)
# Distance of the two means: how easy it is to tell the classes apart.
DISTANCES = {"easy": 5.0, "middling": 2 * 2**0.5, "hard": 1.0}
DOCUMENT = RESULTS / "coverage.md"
NOT_RESAMPLED = ("honest", "certified", "betting", "hoeffding")  # which can be run by themselves
NOT_RUN = "nan |"


BOOTSTRAPPED = ("hist-10", "hist-100", "beta", "platt")
# (input, method, interval) of each row of the table, in the order of `limits_of`.
CASES = (
    ("scores", "isotonic", "honest"),
    ("scores", "isotonic", "certified"),
    ("scores", "isotonic", "bca"),
    ("scores", "isotonic", "basic"),
    ("scores", "isotonic", "percentile"),
    ("scores", "isotonic-cf", "honest"),
    *(("scores", method, "bca") for method in BOOTSTRAPPED),
    ("soft labels", "clean", "betting"),
    ("soft labels", "clean", "hoeffding"),
    ("soft labels", "clean", "bca"),
    ("soft labels", "clean", "basic"),
    ("soft labels", "clean", "percentile"),
)
Row: TypeAlias = tuple[float, float | None, float | None]  # value, low, high
Rows: TypeAlias = NDArray[np.float64]  # of shape (data sets, cases, 3)


def main() -> None:
    """Run all settings and write the document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=1000)
    parser.add_argument("--output", type=Path, default=DOCUMENT)
    parser.add_argument("--interval", action="append", choices=NOT_RESAMPLED)
    options = parser.parse_args()
    settings = list(product(DISTANCES, SIZES))
    jobs = [
        (distance, n, seeds, tuple(options.interval or ()))
        for distance, n in settings
        for seeds in np.array_split(np.arange(options.repetitions), min(20, options.repetitions))
    ]
    parts: dict[tuple[str, int], list[Rows]] = {setting: [] for setting in settings}
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for (distance, n, *_), part in zip(jobs, pool.map(_rows, jobs), strict=True):
            parts[distance, n].append(part)
        attacked = attacks.study(pool, options.repetitions)
    found = {setting: np.concatenate(rows) for setting, rows in parts.items()}
    options.output.parent.mkdir(exist_ok=True)
    text = document(found, options.repetitions, attacked)
    if options.interval:
        text = renewed(options.output.read_text(), text)
    options.output.write_text(text)
    print(f"wrote {options.output}")


def renewed(before: str, text: str) -> str:
    """Return a document with the rows of a former run where the new one has none."""
    old = before.splitlines()
    rows = (old[i] if NOT_RUN in line else line for i, line in enumerate(text.splitlines()))
    return "\n".join(rows) + "\n"


def _rows(job: tuple[str, int, Sequence[int], tuple[str, ...]]) -> Rows:
    distance, n, seeds, intervals = job
    return np.array([rows_of(distance, n, int(seed), intervals) for seed in seeds], dtype=float)


def rows_of(distance: str, n: int, seed: int, intervals: Sequence[str] = ()) -> list[Row]:
    """Return value and limits of every case on one data set, resampled once for all of them.

    With names of intervals that need no resampling, the rows of all others are NaN.
    """
    data = gaussian_mixture(n, means=((0.0,), (DISTANCES[distance],)), rng=10**6 * n + seed)
    table = ef.ScoreTable.from_arrays(corrupt(data.soft_labels, 2, 0.7), data.labels)
    soft = data.soft_labels
    if intervals:
        ask = {
            "scores": partial(ef.from_scores, table),
            "soft labels": partial(ef.from_soft_labels, soft),
        }
        return [
            _row(ask[kind](method=method, interval=name, rng=seed))
            if name in intervals
            else (np.nan, np.nan, np.nan)
            for kind, method, name in CASES
        ]
    with warnings.catch_warnings():
        # The substitute for a degenerate bootstrap counts as what the user would have got.
        warnings.simplefilter("ignore", ef.DegenerateBootstrapWarning)
        scored = ef.compare(table, methods=["isotonic", *BOOTSTRAPPED], interval="bca", rng=seed)
        clean = ef.from_soft_labels(soft, interval="bca", rng=seed)
    cut = partial(ef.from_scores, table, method="isotonic", rng=seed)
    return [
        *(_row(cut(interval=name)) for name in ("honest", "certified")),
        *_bootstraps(scored["isotonic"]),
        _row(ef.from_scores(table, method="isotonic-cf", rng=seed)),
        *(_row(scored[method]) for method in BOOTSTRAPPED),
        _row(ef.from_soft_labels(soft, interval="betting", rng=seed)),
        _row(ef.from_soft_labels(soft, interval="hoeffding", rng=seed)),
        *_bootstraps(clean),
    ]


def _row(found: ef.Estimate) -> Row:
    return found.value, found.low, found.high


def _bootstraps(found: ef.Estimate) -> list[Row]:
    """Return the bca, basic and percentile rows from the replicates of the first."""
    if found.replicates is None:
        return 3 * [_row(found)]
    others = (kind(found.value, found.replicates) for kind in (Basic, Percentile))
    intervals = (ef.Interval.at(LEVEL, other) for other in others)
    return [_row(found), *((found.value, other.low, other.high) for other in intervals)]


def document(found: dict[tuple[str, int], Rows], repetitions: int, attacked: str = "") -> str:
    """Return the results as Markdown."""
    floors = {
        name: gaussian_mixture(1, means=((0.0,), (distance,)), rng=0).floor
        for name, distance in DISTANCES.items()
    }
    truths = ", ".join(f"{name} {100 * floor:.2f} %" for name, floor in floors.items())
    error = (LEVEL * (1 - LEVEL) / repetitions) ** 0.5
    shares, widths, biases = {}, {}, {}
    for (name, n), rows in found.items():
        value, low, high = np.moveaxis(rows, -1, 0)
        biases[name, n] = 100 * (np.mean(value, axis=0) - floors[name])
        held = (low <= floors[name]) & (floors[name] <= high)
        shares[name, n] = np.mean(np.where(np.isnan(value), np.nan, held), axis=0)
        widths[name, n] = 100 * np.mean(high - low, axis=0)
    return f"""# What the intervals cover

Two Gaussian classes with shares 0.6 and 0.4, scores distorted by f(p; 2, 0.7), one label per item;
the soft labels are the undistorted probabilities. True floors: {truths}.
These scores are complete. Of scores that leave something out, only the upper limit is one of the
floor.
Written by `make coverage`.

## Share of {repetitions:,} data sets whose {100 * LEVEL:g} % interval holds the true floor

The standard error of a share of {LEVEL} is {error:.4f}.

{_table(shares, ".3f")}

## Mean width, in percentage points

{_table(widths, ".2f")}

## Mean error of the estimate, in percentage points

{_table(biases, "+.2f", first_of_method=True)}

{attacked}
{READING}"""


def _table(
    columns: dict[tuple[str, int], NDArray[np.float64]],
    digits: str,
    *,
    first_of_method: bool = False,
) -> str:
    """Return a row for each case, or for each method, whose estimate its intervals share."""
    names = ["input", "method"] if first_of_method else ["input", "method", "interval"]
    head = [*names, *(f"{name} {n:,}" for name, n in columns)]
    lines = [head, ["---"] * len(names) + ["---:"] * len(columns)]
    methods = [case[1] for case in CASES]
    for i, case in enumerate(CASES):
        if not first_of_method or methods.index(case[1]) == i:
            cells = [f"{column[i]:{digits}}" for column in columns.values()]
            lines.append([*case[: len(names)], *cells])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


READING = """## How to read it

- `honest` and `certified` keep their promise in every column, and so do `betting` and `hoeffding`,
  whose coverage is proven for any n and any distribution.
- Where probabilities are flat at 1/2 the ten folds choose different cuts, and their errors are
  correlated. `honest` finds how many items that concerns and counts them as fewer;
  [the theory](../../docs/theory/scores.md#upper-limits-certified-and-cross-fitted) says how many.
- The band of `reliability` spends its error probability as if all probabilities were equal; where
  they are not, it holds more often than its level says.
- The bootstrap of an isotonic floor is centred on an optimistic estimate and misses the truth too
  often; its intervals are here to be compared, not recommended.
- No bootstrap sees a calibrator's bias. Bins that are too coarse or too fine, and a sigmoid where
  the true map is none (platt), shift the floor by more than the interval is wide. beta contains
  the true map here, which is why it does well once there are enough errors to fit it to.
- The bootstrap of a mean of soft labels fails where few items carry most of the floor (easy, 200).
"""


if __name__ == "__main__":
    main()
