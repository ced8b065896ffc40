"""Time the door, from arrays and files to a floor, against what else has to touch every row.

Run `python -m benchmarks.door` to write benchmarks/DOOR.md; `--rows 100000` makes it small. Both
sides of a ratio take turns in one process, and the least time of each counts, of the processor and
on the clock: the processor's is that of all threads together, and the clock is that of a machine
that others may use, too.
"""

from __future__ import annotations

import argparse
import math
import tempfile
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import duckdb
import numpy as np

import errorfloor as ef
from benchmarks import scale
from benchmarks.speed import machine
from errorfloor._typing import Floats
from errorfloor.data.matrices import CELLS

ROWS, FEW_ROWS = 10**7, 10**5
TICK = 1e-9  # seconds; clocks may stand still during a small task
REPEATS = 12  # of which the least counts, on a machine that others use, too
SORT, FLOOR, GROUP_BY, FIT = "numpy.sort", "from_scores", "group-by of DuckDB", "isotonic fit"
FETCH = "two columns of DuckDB"
DOCUMENT = Path(__file__).parent / "DOOR.md"

Tasks = Mapping[str, Callable[[], object]]


def of_arrays(rows: int) -> Tasks:
    """Return what to time on arrays: the floor of distinct scores, and a sort of them."""
    rng = np.random.default_rng(0)
    scores = rng.random(rows)
    labels = (rng.random(rows) < scores).astype(np.int8)
    return {
        SORT: partial(np.sort, scores),
        FLOOR: partial(ef.from_scores, scores, labels, rng=0),
    }


def of_file(path: Path) -> Tasks:
    """Return what to time on a file: the floor, what DuckDB needs for parts of it, and a fit."""
    from sklearn.isotonic import IsotonicRegression

    connection = duckdb.connect()
    connection.execute("set preserve_insertion_order = false")
    connection.execute("set perfect_ht_threshold = 18")
    arrays = connection.sql(f"from '{path}'").fetchnumpy()
    place = f"(1 + sqrt(score::double) - sqrt(1 - score::double)) * {math.nextafter(CELLS, 0) / 2}"
    query = (
        f"select floor({place}::double)::usmallint as cell, count(*), sum(label), min(score), "
        f"max(score) from '{path}' group by cell"
    )
    fit = IsotonicRegression(y_min=0, y_max=1).fit
    return {
        FLOOR: partial(ef.from_scores, str(path), score="score", label="label", rng=0),
        GROUP_BY: lambda: connection.sql(query).fetchnumpy(),
        FETCH: lambda: connection.sql(f"select score, label from '{path}'").fetchnumpy(),
        FIT: partial(fit, arrays["score"], arrays["label"]),
    }


def seconds(tasks: Tasks, repeats: int = REPEATS) -> dict[str, Floats]:
    """Return the least time of each task, of the processor and on the clock, taking turns."""
    least = dict.fromkeys(tasks, np.full(2, np.inf))
    for turn in range(repeats + 1):
        for name, task in tasks.items():
            start = np.array([time.process_time(), time.perf_counter()])
            task()
            taken = np.array([time.process_time(), time.perf_counter()]) - start
            taken = np.maximum(taken, TICK)
            if turn:  # the first loads libraries and fills caches
                least[name] = np.minimum(least[name], taken)
    return least


def ratios(rows: int, few_rows: int, repeats: int = REPEATS) -> dict[str, Floats]:
    """Return the ratios with their goals in words, of the processor and on the clock."""
    arrays = seconds(of_arrays(rows), repeats)
    with tempfile.TemporaryDirectory(prefix="errorfloor-door-") as folder:
        path = Path(folder) / "rows.parquet"
        scale.write(path, rows)
        file = seconds(of_file(path), repeats)
        scale.write(path, few_rows)
        small = seconds(of_file(path), 2 * repeats)
    of_rows, of_few = f"file of {rows:,} rows", f"file of {few_rows:,} rows"
    return {
        f"array of {rows:,} scores, times one sort | at most 2": arrays[FLOOR] / arrays[SORT],
        f"{of_rows}, times DuckDB's group-by | at most 1.5": file[FLOOR] / file[GROUP_BY],
        f"{of_rows}, times faster than the fit | at least 12": file[FIT] / file[FLOOR],
        f"{of_few}, times faster than the fit | at least 1": small[FIT] / small[FLOOR],
        f"{of_rows}, DuckDB's group-by, times faster than the fit | ": file[FIT] / file[GROUP_BY],
        f"{of_rows}, to fetch them alone, times faster than the fit | ": file[FIT] / file[FETCH],
    }


def document(found: Mapping[str, Floats]) -> str:
    """Return the page."""
    lines = [
        "# From a file to the floor",
        "",
        f"Written by `python -m benchmarks.door`. {machine()}",
        "",
        "`from_scores` with its default interval, libraries loaded, from a Parquet file of 32-bit "
        "scores, nearly all distinct, and labels; next to one `IsotonicRegression().fit` of "
        "scikit-learn on the same arrays in memory, and next to DuckDB's bare group-by into the "
        "same cells (number, sum of labels, least and largest score). All take turns in one "
        "process, and the least time of each counts. The last two rows are what others would "
        "reach: the group-by without an answer, and the two columns as arrays, neither checked "
        "nor counted.",
        "",
        "| from_scores | goal | processor | clock |",
        "| --- | --- | ---: | ---: |",
    ]
    lines += [f"| {name} | {cpu:.2f} | {clock:.2f} |" for name, (cpu, clock) in found.items()]
    return "\n".join([*lines, ""])


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--repeats", type=int, default=REPEATS)
    parser.add_argument("--out", type=Path, default=DOCUMENT)
    asked = parser.parse_args()
    text = document(ratios(asked.rows, min(FEW_ROWS, asked.rows), asked.repeats))
    asked.out.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
