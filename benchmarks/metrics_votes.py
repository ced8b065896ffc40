"""How good best values of metrics from few votes are: bias, coverage and width with a known truth.

Run `python -m benchmarks.metrics_votes` to write the part of benchmarks/results/metrics.md that is
about votes: an hour or so on two cores with 100 repetitions.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from typing import Any, TypeAlias

import numpy as np

from benchmarks.metrics_page import METRICS, PAGE, section_of, write_section
from benchmarks.votes import SETTINGS, Setting
from errorfloor import intervals, methods
from errorfloor._typing import Floats
from errorfloor.data.tables import VoteTable
from errorfloor.intervals.record import Case, Streams
from errorfloor.methods.record import Classes, Options
from errorfloor.metrics.choice import MetricChoice

LEVEL = 0.95
ATOMS = "two atoms"
BIAS_ITEMS, BIAS_REPETITIONS = 2000, 100

Draw: TypeAlias = Callable[[np.random.Generator, int], Floats]
Job: TypeAlias = tuple[str, int, int]
Found: TypeAlias = dict[str, Floats]
Results: TypeAlias = dict[Job, Found]

MANY_METRICS: dict[str, dict[str, Any]] = {
    "balanced-error": {},
    "cost": {"costs": "distance"},
    "brier": {},
    "log-loss": {},
    "error-at-coverage": {"at": 0.8},
    "coverage-at-error": {"at": 0.2},
}


def _atoms(points: tuple[float, ...], weights: tuple[float, ...]) -> Setting:
    chance = np.array(weights) / sum(weights)
    return Setting(lambda rng, n: rng.choice(points, n, p=chance), 0.0)


SMOOTH = (
    "the paper's (a): Gaussians sqrt(8) apart",
    "Gaussians 1 apart",
    "Beta(1/2, 1/2)",
    "Beta(2, 5)",
)
TWO_CLASSES = {
    **{name: SETTINGS[name] for name in SMOOTH},
    "two atoms: 0.1 and 0.9": SETTINGS["the paper's (c): 0.1 and 0.9"],
    "two atoms: 0 and 0.5": SETTINGS["hard: 0 and 0.5"],
    "two atoms: 0.3 and 0.6": _atoms((0.3, 0.6), (1, 1)),
    "rare: 5 % at 0.4, others at 0.01": _atoms((0.01, 0.4), (19, 1)),
}
TWO_JOBS = tuple(product(TWO_CLASSES, (2, 5, 10), (500, 2000)))


def _dirichlet(*shape: float) -> Draw:
    return lambda rng, n: rng.dirichlet(shape, n)


def _certain_or_torn(classes: int) -> Draw:
    """Half certain items, half coin flips between two neighbouring classes."""

    def draw(rng: np.random.Generator, n: int) -> Floats:
        first = rng.integers(classes, size=n)
        found = np.eye(classes)[first]
        torn = rng.random(n) < 0.5
        found[torn] = (found[torn] + np.eye(classes)[(first[torn] + 1) % classes]) / 2
        return np.asarray(found)

    return draw


def _alike(*p: float) -> Draw:
    return lambda rng, n: np.tile(p, (n, 1))


MANY_CLASSES: dict[str, Draw] = {
    "K = 3: Dirichlet(0.2, 0.4, 0.6)": _dirichlet(0.2, 0.4, 0.6),
    "K = 3: certain or torn": _certain_or_torn(3),
    "K = 3: all 0.55, 0.35, 0.1": _alike(0.55, 0.35, 0.1),
    "K = 5: Dirichlet(0.2, ..., 0.6)": _dirichlet(0.2, 0.3, 0.4, 0.5, 0.6),
    "K = 5: certain or torn": _certain_or_torn(5),
}
# From ten votes on, limits are sought on the points that matter alone.
MANY_JOBS = tuple(product(MANY_CLASSES, (2, 5, 12), (1000,)))


def main() -> None:
    """Run all settings and write the part of the document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=100)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--coverage-only", action="store_true", help="keep the page's mean errors")
    parser.add_argument("--many-only", action="store_true", help="keep all but many classes")
    options = parser.parse_args()
    runs = options.repetitions
    before = section_of(PAGE.read_text(encoding="utf-8"), "votes")
    with ProcessPoolExecutor(options.workers) as pool:

        def run(what: Callable[[Job, int], Found], jobs: tuple[Job, ...], n: int) -> Results:
            return dict(zip(jobs, pool.map(what, jobs, [n] * len(jobs)), strict=True))

        many = many_coverages(run(simulate, MANY_JOBS, runs), runs)
        if options.many_only:
            write_section("votes", before.split(MANY)[0] + many)
            return
        two = coverages(run(simulate, TWO_JOBS, runs), runs)
        if options.coverage_only:
            first = before.split(COVERAGE)[0]
        else:
            first = mean_errors(run(values, BIAS_JOBS, BIAS_REPETITIONS))
    write_section("votes", first + two + many)


COVERAGE = "### Coverage"
MANY = f"{COVERAGE} of the {100 * LEVEL:g} % intervals, many classes"


BIAS_JOBS: tuple[Job, ...] = tuple(product(SMOOTH, (3, 5, 10), (BIAS_ITEMS,)))


def _drawn(name: str) -> tuple[Draw, int, dict[str, dict[str, Any]]]:
    if name in TWO_CLASSES:
        return TWO_CLASSES[name].draw, 2, METRICS
    classes = int(name[4])
    costs = np.abs(np.subtract.outer(np.arange(classes), np.arange(classes))).tolist()
    given = {**MANY_METRICS, "cost": {"costs": costs}}
    return MANY_CLASSES[name], classes, given


def truths(name: str) -> dict[str, float]:
    """Return the best value of each metric in a setting, from a million items where they differ."""
    draw, classes, given = _drawn(name)
    items = draw(np.random.default_rng(1), 10**6)
    points, counts = np.unique(items, axis=0, return_counts=True)
    return {
        metric: MetricChoice(metric, **own).of(classes).best(points, _exact(name, counts))
        for metric, own in given.items()
    }


def _exact(name: str, counts: Any) -> Floats:
    """Return the weights of a few atoms exactly, and of drawn items as they are."""
    if counts.size > 20:
        return np.asarray(counts, dtype=np.float64)
    if name.startswith("rare"):
        return np.array([19.0, 1.0])
    if "torn" in name:  # certain ones and torn ones are equally many
        return np.ones(counts.size)
    return np.ones(counts.size)


def _votes(draw: Draw, m: int, n: int, rng: np.random.Generator) -> VoteTable:
    p = draw(rng, n)
    if p.ndim == 1:
        return VoteTable.from_arrays(rng.binomial(m, p), m)
    return VoteTable.from_arrays(rng.multinomial(m, p))


def values(job: Job, repetitions: int) -> Found:
    """Return the value of each metric for each of many data sets, less the truth."""
    name, m, n = job
    draw, classes, given = _drawn(name)
    truth, rng = truths(name), np.random.default_rng([20261115, m, n])
    found: dict[str, list[float]] = {metric: [] for metric in given}
    for _ in range(repetitions):
        cells = _votes(draw, m, n, rng).cells()
        for metric, own in given.items():
            asked = Options(metric=MetricChoice(metric, **own).of(classes))
            method = methods.default(VoteTable.kind, Classes.TWO, metric)
            value = method.bind(cells, asked).values(cells.count[None], rng)[0]
            found[metric].append(float(value) - truth[metric])
    return {metric: np.array(rows) for metric, rows in found.items()}


def simulate(job: Job, repetitions: int) -> Found:
    """Return truth, value and likelihood limits of each metric, shape (repetitions, 4)."""
    name, m, n = job
    draw, classes, given = _drawn(name)
    truth, rng = truths(name), np.random.default_rng([20261116, m, n])
    found: dict[str, list[tuple[float, ...]]] = {metric: [] for metric in given}
    for _ in range(repetitions):
        table = _votes(draw, m, n, rng)
        for metric, own in given.items():
            options = Options(metric=MetricChoice(metric, **own).of(classes))
            found[metric].append((truth[metric], *interval(table, options)))
    print(f"{name}, m = {m}, n = {n:,}", flush=True)
    return {metric: np.array(rows) for metric, rows in found.items()}


def interval(table: VoteTable, options: Options) -> tuple[float, float, float]:
    """Return the value and the limits of the default interval, without the checks of a result."""
    method = methods.default(VoteTable.kind, Classes.of(table), options.metric.name)
    cells = table.cells()
    statistic = method.bind(cells, options)
    streams = Streams.of(np.random.default_rng(0))
    value = float(statistic.values(cells.count[None], streams.for_("folds"))[0])
    case = Case(
        method=method,
        table=table,
        cells=cells,
        statistic=statistic,
        value=value,
        streams=streams,
        options=options,
    )
    low, high = intervals.default(method, table).make(case).limits(LEVEL)
    return value, low, high


def covers(rows: Floats) -> tuple[float, float]:
    """Return the share of intervals that hold the truth, and their mean width."""
    truth, _, low, high = rows.T
    held = (low <= truth + 1e-9) & (truth <= high + 1e-9)
    return float(held.mean()), float((high - low).mean())


def mean_errors(bias: Results) -> str:
    """Return what is shown and the mean errors, as Markdown."""
    return f"""By the `mixture` and its `likelihood` interval, from m votes per item. Written by
`python -m benchmarks.metrics_votes`. Costs are 1 for a false positive and 5 for a false negative;
of many classes they are the distance between the classes' numbers. Errors are at a coverage of
80 %, coverages at an error of 2 % (20 % for many classes).

### Mean error of the values, two classes

n = {BIAS_ITEMS:,} items, {BIAS_REPETITIONS} repetitions, smooth distributions: mean error, and its
standard deviation.

{_bias_table(bias)}

"""


def coverages(two: Results, runs: int) -> str:
    """Return the coverage of intervals for two classes as Markdown."""
    noise = (LEVEL * (1 - LEVEL) / runs) ** 0.5
    return f"""{COVERAGE} of the {100 * LEVEL:g} % intervals, two classes (mean widths)

{len(two)} settings, {runs} repetitions each. The standard error of a coverage of {LEVEL} is
{noise:.3f} in a setting, and {noise / len(two) ** 0.5:.4f} over all settings.

{_coverage_table(two, tuple(METRICS))}

"""


def many_coverages(many: Results, runs: int) -> str:
    """Return the coverage of intervals for many classes as Markdown."""
    return f"""{MANY} (mean widths)

{len(many)} settings, {runs} repetitions each.

{_coverage_table(many, tuple(MANY_METRICS))}
"""


def _bias_table(bias: Results) -> str:
    head = ["distribution", "m", *METRICS]
    lines = [head, ["---", *["---:"] * (len(head) - 1)]]
    for (name, m, _), found in bias.items():
        cells = [f"{rows.mean():+.4f} ({rows.std():.4f})" for rows in found.values()]
        lines.append([name, str(m), *cells])
    return _markdown(lines)


def _coverage_table(results: Results, names: tuple[str, ...]) -> str:
    head = ["distribution", "m", "n", *names]
    lines = [head, ["---", *["---:"] * (len(head) - 1)]]
    for (name, m, n), found in results.items():
        cells = [covers(found[metric]) for metric in names]
        shown = [f"{held:.2f} ({width:.3f})" for held, width in cells]
        lines.append([name, str(m), f"{n:,}", *shown])
    atoms = {job: found for job, found in results.items() if job[0].startswith(ATOMS)}
    for title, some in ((f"all settings of {ATOMS}", atoms), ("all settings", results)):
        if some:
            shares = [[covers(found[metric])[0] for found in some.values()] for metric in names]
            lines.append([title, "", "", *(f"{np.mean(held):.3f}" for held in shares)])
    return _markdown(lines)


def _markdown(lines: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    main()
