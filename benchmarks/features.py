"""The record of answers from features: made problems whose floors are known, and who misses them.

Run `python -m benchmarks.features` to write benchmarks/results/features.md: some minutes on one
core.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from scipy.special import betaincinv

import errorfloor as ef
from benchmarks import RESULTS, features_peers
from errorfloor._typing import Counts, Floats
from errorfloor.data.features import read_items
from errorfloor.data.options import ReadOptions
from errorfloor.datasets.synthetic import Cloud, gaussian_cloud, xor
from errorfloor.features import classics, sequence
from errorfloor.features.neighbours import nearest
from errorfloor.questions.feebee import bind, every_part, redraw_items

DOCUMENT = RESULTS / "features.md"
CLASSICS = ("1nn", "knn-15", "ghp", "noshad")
MARK = "<!-- written by python -m benchmarks.features -->"


@dataclass(frozen=True)
class Problem:
    """Items to draw whose floor is known."""

    name: str
    dimensions: int
    classes: int
    floor: float
    draw: Callable[[int, int], Cloud]  # from a number of items and a seed


def gaussians(dimensions: int, classes: int, floor: float, warp: float = 0.0) -> Problem:
    """Return Gaussian classes, maybe seen through a map of some strength that can be inverted."""

    def draw(n: int, seed: int) -> Cloud:
        made = gaussian_cloud(
            n,
            dimensions=dimensions,
            classes=classes,
            floor=floor,
            rng=np.random.default_rng([seed, dimensions]),
        )
        return made.warped(strength=warp) if warp else made

    name = "warped" if warp else "Gaussian"
    return Problem(name, dimensions, classes, floor, draw)


def xor_problem(dimensions: int, floor: float) -> Problem:
    """Return corners of a square whose diagonals are classes."""

    def draw(n: int, seed: int) -> Cloud:
        return xor(
            n, dimensions=dimensions, floor=floor, rng=np.random.default_rng([seed, dimensions])
        )

    return Problem("xor", dimensions, 2, floor, draw)


STRENGTHS = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0)
LINES_LOSE_BY = 0.1  # above the floor on every warped problem: a warp is there so that no line wins
WARPED = ((2, 2, 0.05), (2, 10, 0.1), (10, 2, 0.1))


def lines_lose_by(strength: float, n: int = 4_000) -> float:
    """Return by how much the better of two linear models misses the floor, at the least."""
    excess = []
    for dimensions, classes, floor in WARPED:
        made = gaussians(dimensions, classes, floor, strength).draw(2 * n, 100)
        x, y, new, truth = (made.features[:n], made.labels[:n], made.features[n:], made.labels[n:])
        fits = (sequence.fit_discriminant, sequence.fit_logistic)
        errors = [(fit(x, y, classes)(new)[0] != truth).mean() for fit in fits]
        excess.append(min(errors) - floor)
    return float(min(excess))


WARP = 2.0  # the first of the strengths where lines lose; `strength_of_warps` finds it again


def strength_of_warps() -> float:
    """Return the first strength at which lines lose on every warped problem."""
    return next(one for one in STRENGTHS if lines_lose_by(one) >= LINES_LOSE_BY)


PROBLEMS = (
    *(gaussians(d, 2, floor) for d in (2, 10, 50, 784) for floor in (0.01, 0.1, 0.3)),
    *(gaussians(d, 10, 0.1) for d in (2, 10, 50, 784)),
    gaussians(10, 10, 0.5),
    gaussians(10, 2, 0.5),
    xor_problem(2, 0.05),
    xor_problem(2, 0.25),
    xor_problem(10, 0.1),
    *(gaussians(d, k, floor, WARP) for d, k, floor in WARPED),
)


@dataclass(frozen=True)
class Row:
    """What was found on one problem: means over repetitions."""

    problem: Problem
    value: float
    high: float
    missed: int
    leader: str
    ends: dict[str, tuple[float | None, float | None, float]]


def row_of(problem: Problem, n: int, repetitions: int, of_classics: int) -> Row:
    """Estimate on fresh data, again and again."""
    found = []
    for seed in range(repetitions):
        made = problem.draw(n, seed)
        found.append(ef.from_features(made.features, made.labels, rng=seed))
    ends = {name: _ends(problem, n, of_classics, name) for name in CLASSICS if of_classics}
    return Row(
        problem,
        float(np.mean([one.value for one in found])),
        float(np.mean([one.high for one in found])),
        sum((one.high or 0) < problem.floor - 1e-9 for one in found),
        str(found[0].leader),
        ends,
    )


def _ends(
    problem: Problem, n: int, repetitions: int, name: str
) -> tuple[float | None, float | None, float]:
    rows = []
    for seed in range(repetitions):
        made = problem.draw(n, seed)
        rows.append(classics.find(name).ends(made.features, made.labels, problem.classes))
    value = float(np.mean([row.value for row in rows]))
    if rows[0].low is None:
        return None, None, value
    low = float(np.mean([row.low for row in rows if row.low is not None]))
    high = float(np.mean([row.high for row in rows if row.high is not None]))
    return low, high, value


def coverage_on_noise(models_: int = 50, n: int = 500, repetitions: int = 2_000) -> float:
    """Return how often the limit holds where labels are coin flips, with a leader of many."""
    rng = np.random.default_rng(50)
    errors = np.arange(n)
    high = np.append(betaincinv(errors + 1, n - errors, 0.95), 1.0)
    held = 0
    for _ in range(repetitions):
        points, labels = rng.normal(size=(n, 5)), rng.random(n) < 0.5
        wrong = ((points @ rng.normal(size=(5, models_)) > 0) != labels[:, None]).T.astype(np.int64)
        leaders = sequence.leaders_of(wrong)
        held += bool(high[wrong[leaders[:-1], np.arange(n)].sum()] >= 0.5)
    return held / repetitions


def cost(problem: Problem, n: int) -> tuple[float, float]:
    """Return CPU seconds of sequential prediction, and of each model once on all items."""
    made = problem.draw(n, 0)
    start = time.process_time()
    sequence.run(made.features, made.labels, problem.classes, sequence.own_families())
    middle = time.process_time()
    for family in sequence.own_families():
        _fit_once(family, made.features, made.labels, problem.classes)
    return middle - start, time.process_time() - middle


def _fit_once(family: sequence.ModelFamily, points: Floats, codes: Counts, classes: int) -> None:
    if family.names[0].endswith("-nn"):
        nearest(points, max(sequence.NEIGHBOURS))  # leaving each item out
    else:
        family.fit(points, codes, classes)(points)


def page(rows: list[Row], n: int, repetitions: int, of_classics: int) -> Iterator[str]:
    """Yield the lines of the tables."""
    excess = [row.high - row.problem.floor for row in rows]
    trials = repetitions * len(rows)
    missed = sum(row.missed for row in rows)
    yield f"{len(rows)} problems, n = {n:,}. `sequential`: means of {repetitions} sets each; the"
    yield f"classics: of {of_classics}. A lower end in **bold** is above the floor by more than"
    yield "0.005."
    yield ""
    heads = ["problem", "d", "K", "floor", "reached", "limit", "leader"]
    heads += ["1nn", "knn-15", "ghp", "noshad"]
    yield f"| {' | '.join(heads)} |"
    yield f"|{' --- |' * len(heads)}"
    for row in rows:
        of = row.problem
        cells = [of.name, str(of.dimensions), str(of.classes), f"{of.floor:.2f}"]
        cells += [f"{row.value:.3f}", f"{row.high:.3f}", row.leader]
        cells += [_cell(row.ends[name], of.floor) for name in CLASSICS]
        yield f"| {' | '.join(cells)} |"
    yield ""
    yield f"- The limit is above the floor by {np.mean(excess):.4f} on average over problems, by"
    yield f"  {max(excess):.3f} at most, and was below it in {missed} of {trials} sets."
    for name in CLASSICS[:3]:
        yield f"- {name}: {_failures(rows, name)}."
    yield f"- noshad: {_misses(rows)}."


def _cell(ends: tuple[float | None, float | None, float], floor: float) -> str:
    low, high, value = ends
    if low is None or high is None:
        return f"{value:.3f}"
    said = f"{low:.3f}"
    return f"{f'**{said}**' if low > floor + 0.005 else said} to {high:.3f}"


def _failures(rows: list[Row], name: str) -> str:
    parts = []
    for few in (True, False):
        some = [row for row in rows if (row.problem.dimensions < 50) == few]
        above = [
            low - row.problem.floor
            for row in some
            if (low := row.ends[name][0]) is not None and low > row.problem.floor + 0.005
        ]
        size = f", by up to {max(above):.2f}" if above else ""
        where = "fewer than 50 dimensions" if few else "50 or more"
        parts.append(f"{len(above)} of {len(some)} problems in {where}{size}")
    return f"the lower end is above the floor on {' and on '.join(parts)}"


def _misses(rows: list[Row]) -> str:
    off = [abs(row.ends["noshad"][2] - row.problem.floor) for row in rows]
    return f"off by {np.mean(off):.2f} on average and {max(off):.2f} at most"


def about_warps() -> str:
    """Say how the strength of warps was chosen, or that it is no longer the one."""
    found = strength_of_warps()
    if found != WARP:
        raise SystemExit(f"Lines lose from a strength of {found} on: set WARP to it.")
    tried = ", ".join(f"{one:g}" for one in STRENGTHS)
    return (
        f"- Warps have a strength of {WARP:g}: the first of {tried} at which the better of two "
        f"linear models is {LINES_LOSE_BY} or more above the floor on each warped problem (by "
        f"{lines_lose_by(found):.3f}), fitted to 4,000 items and tried on 4,000 others."
    )


def beside_peers(interpreter: str, n: int, rows: list[Row]) -> Iterator[str]:
    """Yield DataEval's ends next to ours."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f"{i}.npz" for i in range(len(rows))]
        for path, row in zip(files, rows, strict=True):
            made = row.problem.draw(n, 0)
            np.savez(path, X=made.features.astype(np.float32), y=made.labels)
        version, theirs = features_peers.ends_by(interpreter, files)
    names = CLASSICS[:3]
    yield f"## Next to DataEval {version}"
    yield ""
    yield "Ends of both on the first set of each problem, ours first. The trees are the same;"
    yield "DataEval takes off K - 1 edges between classes, which every tree has, and bounds the"
    yield "floor of two classes by 15 neighbours with a formula of Devroye, a little below the"
    yield "theorem that we use."
    yield ""
    yield f"| problem | d | K | floor | {' | '.join(names)} |"
    yield f"|{' --- |' * (4 + len(names))}"
    for row, found in zip(rows, theirs, strict=True):
        of = row.problem
        cells = [of.name, str(of.dimensions), str(of.classes), f"{of.floor:.2f}"]
        for name in names:
            low, high = found[name]
            own = _cell(row.ends[name], of.floor)
            cells.append(f"{own}; {_cell((low, high, 0.0), of.floor)}")
        yield f"| {' | '.join(cells)} |"
    yield ""


def feebee_table(n: int) -> Iterator[str]:
    """Yield FeeBee scores of lower ends, with the true floor as the known model's error."""
    methods = ["1nn-low", "knn-15-low", "ghp-low", "noshad"]
    yield "## FeeBee on some of them"
    yield ""
    yield "Mean distance out of bounds over 21 levels of noise and 5 repeats, with the floor itself"
    yield (
        "as the known error. `scores` are the true probabilities, by isotonic; top1 of ten classes."
    )
    yield ""
    yield f"| problem | d | K | floor | scores | {' | '.join(methods)} | oracle |"
    yield f"|{' --- |' * (6 + len(methods))}"
    for problem in (one for one in PROBLEMS if one.floor == 0.1 and one.name == "Gaussian"):
        made = problem.draw(n, 0)
        own = "isotonic" if problem.classes == 2 else "top1"
        scores = made.soft_labels[:, 1] if problem.classes == 2 else made.soft_labels
        found = ef.feebee(
            scores,
            made.labels,
            features=made.features,
            methods=[own, *methods],
            model_error=problem.floor,
            levels=21,
            repeats=5,
            rng=0,
        )
        cells = [problem.name, str(problem.dimensions), str(problem.classes), "0.10"]
        cells += [f"{found[name].score:.4f}" for name in (own, *methods, "oracle")]
        yield f"| {' | '.join(cells)} |"
    yield ""


def cost_of_noise(classes: int, n: int = 10_000, levels: int = 51) -> tuple[float, float]:
    """Return CPU seconds of neighbours and trees, and of all levels of noise after them."""
    made = gaussian_cloud(n, dimensions=784, classes=classes, floor=0.1, rng=0)
    items = read_items(None, made.labels, made.features, ReadOptions.of())
    start = time.process_time()
    bound, _ = bind(every_part(), items)
    middle = time.process_time()
    rng = np.random.default_rng(0)
    sets = redraw_items(items.codes, classes, np.linspace(0, 1, levels), rng)
    for statistic in bound.values():
        statistic.values(sets, rng)
    return middle - start, time.process_time() - middle


def main() -> None:
    """Write the tables into the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=4_000)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--of-classics", type=int, default=1)
    parser.add_argument("--dataeval", help="an interpreter that has DataEval")
    asked = parser.parse_args()
    one = partial(
        row_of, n=asked.items, repetitions=asked.repetitions, of_classics=asked.of_classics
    )
    rows = []
    for problem in PROBLEMS:
        rows.append(one(problem))
        print(rows[-1], flush=True)
    lines = [MARK, "", *page(rows, asked.items, asked.repetitions, asked.of_classics)]
    lines += [about_warps()]
    lines += ["- On pure noise, with a leader of 50 rules and n = 500, it held in"]
    lines += [f"  {100 * coverage_on_noise():.2f} % of 2,000 sets, 95 % asked for."]
    for problem in (PROBLEMS[6], PROBLEMS[15]):
        run, once = cost(problem, asked.items)
        lines += [f"- CPU seconds, d = {problem.dimensions}, K = {problem.classes}: {run:.1f},"]
        lines += [f"  {run / once:.1f} times each model once on all items."]
    for classes in (2, 10):
        run, noise = cost_of_noise(classes)
        lines += [
            f"- FeeBee, 10,000 x 784, K = {classes}, CPU seconds: neighbours and trees {run:.2f},"
        ]
        lines += [f"  then 51 levels of noise {noise:.2f}, {noise / run:.3f} of that."]
    lines += ["", *feebee_table(asked.items)]
    if asked.dataeval:
        lines += beside_peers(asked.dataeval, asked.items, rows)
    lines.pop()
    head = DOCUMENT.read_text(encoding="utf-8").partition(MARK)[0]
    DOCUMENT.write_text("\n".join([head + lines[0], *lines[1:], ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
