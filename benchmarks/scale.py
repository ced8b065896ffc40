"""From files of many rows to an estimate: time next to scikit-learn, memory, and a plan for more.

Run `python -m benchmarks.scale`, or `make scale`, to write benchmarks/results/scale.md. Each
measurement runs in a process of its own, so that its peak memory is its own; `--most 7` stops at
10^7 rows.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

import errorfloor as ef
from benchmarks import RESULTS
from benchmarks.speed import machine
from errorfloor.data.matrices import EXACT

DOCUMENT = RESULTS / "scale.md"
EXPONENTS = (5, 6, 7, 8)
REPEATS = 3
GOAL_ROWS, GOAL_RATIO, GOAL_MEMORY = 10**7, 8, 2e9
# scikit-learn's fit alone takes minutes and ten gigabytes beyond.
MOST_FOR_REFERENCE = 10**8
CORES = 2
PLANNED_ROWS, PLANNED_CORES = 10**12, 256


@dataclass(frozen=True)
class Measured:
    """What one process found: the best of its repeats, and the most memory it ever had."""

    seconds: float
    memory: int
    result: dict[str, Any]


def write(path: Path, rows: int, *, distinct: int | None = None) -> None:
    """Make a file of random scores and labels, 32-bit floats and bytes."""
    score = "u" if distinct is None else f"floor(u * {distinct}) / {distinct}"
    connection = duckdb.connect()
    connection.execute("select setseed(0.5)")
    connection.execute(
        f"""copy (
            select ({score})::float as score, (v < u * u * (3 - 2 * u))::tinyint as label
            from (select random() as u, random() as v from range({rows}))
        ) to '{path}' (format parquet)"""
    )


def estimate(path: str) -> dict[str, Any]:
    """Return the default estimate and the parts of its time."""
    start = time.perf_counter()
    table = ef.frames.score_table(path, score="score", label="label")
    counted = time.perf_counter()
    found = ef.from_scores(table, rng=0)
    done = time.perf_counter()
    return {
        "counting": counted - start,
        "estimating": done - counted,
        "rows": len(table),
        "value": found.value,
        "low": found.low,
        "high": found.high,
        "resolution": found.resolution,
    }


def resample(path: str) -> dict[str, Any]:
    """Return how long a bootstrap takes once the rows are counted."""
    table = ef.frames.score_table(path, score="score", label="label")
    start = time.perf_counter()
    ef.from_scores(table, interval="bca", rng=0)
    return {"estimating": time.perf_counter() - start, "rows": len(table)}


def fit_reference(path: str) -> dict[str, Any]:
    """Return how long scikit-learn's isotonic fit takes on arrays that are in memory already."""
    from sklearn.isotonic import IsotonicRegression

    arrays = duckdb.connect().sql(f"from '{path}'").fetchnumpy()
    scores, labels = np.asarray(arrays["score"]), np.asarray(arrays["label"])
    start = time.perf_counter()
    IsotonicRegression(y_min=0, y_max=1).fit(scores, labels)
    return {"estimating": time.perf_counter() - start}


TASKS: dict[str, Callable[[str], dict[str, Any]]] = {
    "estimate": estimate,
    "resample": resample,
    "reference": fit_reference,
}


def measure(task: str, path: Path, repeats: int = REPEATS) -> Measured | None:
    """Run a task in a process of its own; None if it runs out of memory."""
    command = [sys.executable, "-m", "benchmarks.scale", "--task", task, str(path), str(repeats)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        if "MemoryError" in done.stderr or done.returncode < 0:
            return None
        raise RuntimeError(done.stderr)
    runs = json.loads(done.stdout)
    best = min(runs["runs"], key=lambda run: run.get("counting", 0) + run["estimating"])
    return Measured(best.get("counting", 0) + best["estimating"], runs["memory"], best)


def run_task(task: str, path: str, repeats: int) -> None:
    """Print what a task found, as JSON, from inside its process."""
    ef.from_scores([0.1, 0.9], [0, 1], rng=0)  # loads what is needed once, whatever the rows
    runs = [TASKS[task](path) for _ in range(repeats)]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({"runs": runs, "memory": memory}))


def study(exponents: Sequence[int], folder: Path) -> dict[str, Any]:
    """Measure all sizes; files are made as they are needed, and removed."""
    found: dict[str, Any] = {"ours": {}, "reference": {}, "bytes": {}, "resample": {}}
    for exponent in exponents:
        rows = 10**exponent
        path = folder / "rows.parquet"
        write(path, rows)
        found["bytes"][rows] = path.stat().st_size / rows
        # Both sides of a ratio run one right after the other.
        repeats = REPEATS if rows < 10**8 else 1
        found["ours"][rows] = measure("estimate", path, repeats)
        if rows <= MOST_FOR_REFERENCE:
            found["reference"][rows] = measure("reference", path, repeats)
        write(path, rows, distinct=1000)
        found["resample"][rows] = measure("resample", path)
        path.unlink()
    return found


def document(found: dict[str, Any]) -> str:
    """Return the page."""
    ours, reference = found["ours"], found["reference"]
    sizes = list(ours)
    first = ours[sizes[0]]
    lines = [
        "# Files of any size",
        "",
        f"Written by `make scale`. {machine()}",
        "",
        "From a Parquet file (32-bit scores, nearly all distinct; one-byte labels) to the isotonic "
        "floor with its default interval, in one process on two cores, against one "
        "`IsotonicRegression().fit` of scikit-learn on the same arrays, already in memory. "
        "The best of three runs of each; one of each at 10^8 rows.",
        "",
        "| rows | faster than the fit alone | counting, of all time | rows of the table | peak "
        "memory | scikit-learn's |",
        "| ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for rows in sizes:
        mine, theirs = ours[rows], reference.get(rows)
        ratio = f"{theirs.seconds / mine.seconds:.1f}x" if theirs else "not run"
        memory = f"{theirs.memory / 1e9:.2f} GB" if theirs else ""
        share = mine.result["counting"] / mine.seconds
        lines.append(
            f"| {_power(rows)} | {ratio} | {share:.0%} | {mine.result['rows']:,} | "
            f"{mine.memory / 1e9:.2f} GB | {memory} |"
        )
    lines += ["", *_goals(found), "", "## What grows with the rows", ""]
    lines += [
        f"Times divided by those at {_power(sizes[0])} rows of the same run. Counting grows with "
        "the rows; all after it depends on the rows of the table alone. The last column is a "
        "bootstrap (BCa, 1,000 resamples) of scores with 1,000 distinct values.",
        "",
        "| rows | counting | interval after it | bootstrap after it |",
        "| ---: | ---: | ---: | ---: |",
    ]
    base = found["resample"][sizes[0]].result["estimating"]
    for rows in sizes:
        result, draws = ours[rows].result, found["resample"][rows].result
        lines.append(
            f"| {_power(rows)} | {result['counting'] / first.result['counting']:.2f} | "
            f"{result['estimating'] / first.result['estimating']:.2f} | "
            f"{draws['estimating'] / base:.2f} |"
        )
    return "\n".join([*lines, "", *_how(), *_plan(found), ""])


def _goals(found: dict[str, Any]) -> list[str]:
    lines = []
    mine, theirs = found["ours"].get(GOAL_ROWS), found["reference"].get(GOAL_ROWS)
    if mine and theirs:
        ratio = theirs.seconds / mine.seconds
        lines.append(
            f"- Goal at {_power(GOAL_ROWS)} rows: {GOAL_RATIO}x. Reached {ratio:.1f}x"
            f"{'' if ratio >= GOAL_RATIO else ', which is short of it'}."
        )
    most = max(found["ours"])
    memory = found["ours"][most].memory
    lines.append(
        f"- Goal at 10^8 rows: under 2 GB of memory. At {_power(most)} rows it is "
        f"{memory / 1e9:.2f} GB{'' if memory < GOAL_MEMORY else ', which is above it'}."
    )
    exact = all(run.result["resolution"] == 0 for run in found["ours"].values())
    lines.append(
        f"- The isotonic value is {'exact at every size' if exact else 'not exact everywhere'}."
    )
    return lines


def _how() -> list[str]:
    return [
        "## How",
        "",
        f"Up to {EXACT:,} distinct scores one pass groups by the score itself; the first rows tell "
        "whether there are more. If so, the pass groups by the cells of a fixed grid (65,536 "
        "from 0 to 1), and a second looks only at the few cells that can hold the best cut, which "
        "makes the isotonic value exact again. Rows that are missing something or bad are left "
        "aside; only if the counts show that there were any, another pass asks what they are. The "
        "grid does not depend on the data, so tables of shards or days add up to that of one pass "
        "(`errorfloor.merge`). Text files are parsed in every pass: convert what is read often to "
        "Parquet.",
        "",
    ]


def _plan(found: dict[str, Any]) -> list[str]:
    rows = max(found["ours"])
    speed = rows / found["ours"][rows].result["counting"] / CORES
    size = found["bytes"][rows]
    hours = PLANNED_ROWS / speed / PLANNED_CORES / 3600
    return [
        "## What 10^12 rows would cost",
        "",
        "On paper, from this run; nothing of that size was measured.",
        "",
        f"- Measured at {_power(rows)} rows: {size:.1f} bytes a row on disk, "
        f"{speed / 1e6:.1f} million rows a second and core, all passes together.",
        f"- 10^12 rows are then {PLANNED_ROWS * size / 1e12:.1f} TB and "
        f"{PLANNED_ROWS / speed / 3600:,.0f} core hours: {hours * 60:.0f} minutes on "
        f"{PLANNED_CORES} cores, if the storage gives them "
        f"{speed * PLANNED_CORES * size / 1e9:.1f} GB a second.",
        "- What is sent to the driver is one table of cells, some 70,000 rows and 3 MB, whatever "
        "the number of rows; shuffles carry at most one such table a task. Bootstrap, intervals "
        "and pictures cost what they cost at 10^6 rows.",
        "- The isotonic value stays exact as long as the cells that can hold the best cut have at "
        f"most {4 * EXACT:,} distinct scores (32-bit scores do); beyond that it carries its "
        "`resolution`, under 8e-6 if no cell holds more than its share.",
    ]


def _power(rows: int) -> str:
    return f"10^{round(np.log10(rows))}"


def main() -> None:
    """Write the page, or run one task of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--task", nargs=3, metavar=("NAME", "PATH", "REPEATS"))
    parser.add_argument("--most", type=int, default=EXPONENTS[-1], help="largest power of ten")
    parser.add_argument("--out", type=Path, default=DOCUMENT)
    asked = parser.parse_args()
    if asked.task:
        name, path, repeats = asked.task
        run_task(name, path, int(repeats))
        return
    with tempfile.TemporaryDirectory(prefix="errorfloor-scale-") as folder:
        found = study([e for e in EXPONENTS if e <= asked.most], Path(folder))
    text = document(found)
    asked.out.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
