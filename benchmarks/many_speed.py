"""Time fits to scores of many classes next to netcal, probmetrics and scikit-learn, in one run.

Run `python -m benchmarks.many_speed`. The three are installed into an environment of their own,
`.venv/many`, the first time. All work has one thread and is measured in CPU seconds, the least of
several rounds; both sides take turns, so that what else the machine does falls on both.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

HERE = Path(__file__).parent.parent
ENVIRONMENT = HERE / ".venv" / "many"
PACKAGES = ("netcal", "probmetrics", "numba", "scikit-learn")  # probmetrics leaves numba out
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
ITEMS = 100_000
Work: TypeAlias = Callable[[], object]

# (what, ours, theirs, how many times faster ours has to be)
PAIRS = (
    ("fit, 10 classes: `offsets`, netcal's LogisticCalibration", "fit", "netcal", 30),
    ("fit, 10 classes: `offsets`, probmetrics' SVS", "fit", "svs", 5),
    ("`offsets` with its honest interval, one fit of netcal", "interval", "netcal", 5),
    ("`ovr-isotonic`, 10 classes: ours, scikit-learn's", "isotonic-10", "sklearn-10", 3),
    ("`ovr-isotonic`, 100 classes: ours, scikit-learn's", "isotonic-100", "sklearn-100", 2),
)


def data(classes: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return scores that are shares of log-normal numbers, and labels of shifted classes."""
    rng = np.random.default_rng(classes)
    logs = 3 * rng.standard_normal((ITEMS, classes))
    scores = np.exp(logs - logs.max(axis=1, keepdims=True))
    scores /= scores.sum(axis=1, keepdims=True)
    true = scores * np.geomspace(0.5, 2, classes)
    behind = (true / true.sum(axis=1, keepdims=True)).cumsum(axis=1)[:, :-1]
    return scores, (behind < rng.random((ITEMS, 1))).sum(axis=1)


def ours(folder: Path) -> dict[str, Work]:
    """Return what is timed of this package: from arrays of scores and labels to the answer."""
    import errorfloor as ef
    from errorfloor.data.sample import Sample
    from errorfloor.methods.record import Options
    from errorfloor.methods.rules.logs import Labelled
    from errorfloor.methods.rules.maps import Family, OneVsRest, fit_within_reach

    rng = np.random.default_rng(0)

    def isotonic(cells: Sample) -> object:
        return OneVsRest(cells, Options()).values(cells.count[None], rng)

    def offsets(cells: Sample) -> object:
        return fit_within_reach(Family(), Labelled.of(cells, "auto"), cells.count)

    found: dict[str, Work] = {}
    each = np.ones(ITEMS, dtype=np.int64)
    for classes in (10, 100):
        scores, labels = _load(folder, classes)
        cells = Sample(scores, np.arange(ITEMS), labels, each)

        found[f"isotonic-{classes}"] = partial(isotonic, cells)
        if classes == 10:
            found["fit"] = partial(offsets, cells)
            found["interval"] = partial(ef.from_scores, scores, labels, classes=range(10), rng=0)
    return found


def theirs(folder: Path) -> dict[str, Work]:
    """Return what is timed of the others."""
    # By name, because the environment of the checks has none of them.
    import_module("torch").set_num_threads(1)
    logistic = import_module("netcal.scaling").LogisticCalibration
    calibrator = import_module("probmetrics.calibrators").get_calibrator
    rising = import_module("sklearn.isotonic").IsotonicRegression
    scores, labels = _load(folder, 10)

    def isotonic(scores: Any, labels: Any) -> object:
        columns = [
            rising(out_of_bounds="clip").fit(share, labels == k).predict(share)
            for k, share in enumerate(scores.T)
        ]
        found = np.column_stack(columns)
        return 1 - (found / found.sum(axis=1, keepdims=True)).max(axis=1).mean()

    return {
        "netcal": lambda: logistic().fit(scores, labels),
        "svs": lambda: calibrator("svs").fit(scores, labels),
        "sklearn-10": partial(isotonic, scores, labels),
        "sklearn-100": partial(isotonic, *_load(folder, 100)),
    }


def _load(folder: Path, classes: int) -> tuple[Any, Any]:
    return np.load(folder / f"scores-{classes}.npy"), np.load(folder / f"labels-{classes}.npy")


def serve(folder: Path, side: str) -> None:
    """Answer requests for timings, one line each, from inside a process."""
    cases = {"ours": ours, "theirs": theirs}[side](folder)
    print(json.dumps(sorted(cases)), flush=True)
    for line in sys.stdin:
        work = cases[json.loads(line)]
        start = time.process_time()
        work()
        print(f"seconds {time.process_time() - start}", flush=True)


class Side:
    """A process that times one side's work."""

    def __init__(self, python: Path | str, folder: Path, side: str) -> None:
        command = [str(python), __file__, "--serve", side, "--folder", str(folder)]
        paths = f"{HERE / 'src'}" if side == "ours" else ""
        environment = {**os.environ, **ONE_THREAD, "PYTHONPATH": paths}
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            command, env=environment, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True
        )
        self._answer("[")

    def seconds(self, name: str) -> float:
        """Return the CPU seconds of one piece of work."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(name) + "\n")
        self.process.stdin.flush()
        return float(self._answer("seconds ").split()[1])

    def _answer(self, start: str) -> str:
        """Return the next line that is ours; libraries may print as well."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith(start):
                return line
        raise SystemExit("A process has failed. Run its side by hand: --serve ours or theirs.")


def environment() -> Path:
    """Return the Python that has the other packages, installed the first time."""
    python = ENVIRONMENT / "bin" / "python"
    if not python.exists():
        venv.create(ENVIRONMENT, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
    return python


def main() -> None:
    """Print the times and their ratios as a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--python", type=Path, help="that has netcal, probmetrics, scikit-learn")
    parser.add_argument("--serve", choices=["ours", "theirs"], help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve is not None:
        serve(options.folder, options.serve)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for classes in (10, 100):
            for kind, array in zip(("scores", "labels"), data(classes), strict=True):
                np.save(folder / f"{kind}-{classes}.npy", array)
        sides = (
            Side(sys.executable, folder, "ours"),
            Side(options.python or environment(), folder, "theirs"),
        )
        print(document(*sides, options.rounds))


def document(us: Side, them: Side, rounds: int) -> str:
    """Time both sides in turn, and return what was found as Markdown."""
    names = [(us, pair[1]) for pair in PAIRS] + [(them, pair[2]) for pair in PAIRS]
    times: dict[str, float] = {}
    for _ in range(rounds):
        for side, name in dict.fromkeys(names):
            times[name] = min(times.get(name, np.inf), side.seconds(name))
    lines = []
    for what, mine, other, least in PAIRS:
        here, there = times[mine], times[other]
        lines.append(f"| {what} | {here:.3f} | {there:.3f} | {there / here:.1f} | {least} |")
    return f"""# Fits to scores of many classes

{ITEMS:,} items, CPU seconds on one thread, the least of {rounds} rounds that took turns. Python
{platform.python_version()}. Written by `python -m benchmarks.many_speed`.

| what: ours, theirs | ours | theirs | times faster | wanted |
| --- | ---: | ---: | ---: | ---: |
{chr(10).join(lines)}
"""


if __name__ == "__main__":
    main()
