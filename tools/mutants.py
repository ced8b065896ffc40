"""Mutation testing of the core: whether the tests notice when it is wrong.

A mutant is a module with one small fault (`tools.mutations`). It takes the module's place in a copy
of the project, where the tests of that module run until the first failure. A mutant that no test
fails for has survived: either a test is missing, or the fault changes no answer, which
`tools/equivalent.toml` argues for one mutant at a time.

    python -m tools.mutants --modules inference questions/headroom.py --per-module 10 --seed 3
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import random
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue

from tools.mutations import Edit, Text, faults

ROOT = Path(__file__).parent.parent
EQUIVALENT = Path(__file__).with_name("equivalent.toml")
CORE = (
    "data", "metrics", "methods", "features", "inference", "results", "bounds", "checks",
    "questions",
)  # fmt: skip
# What the tests of the core read besides the package.
COPIED = ("src", "tests", "tools", "benchmarks", "pyproject.toml")
# Tests by the longest beginning of a module's path, those that take the least time first.
TESTS: Mapping[str, tuple[str, ...]] = {
    "bounds": ("bounds",),
    "bounds/curves.py": ("bounds", "plot"),
    "checks": ("result_checks", "designs", "show"),
    "checks/annotators.py": ("result_checks", "annotators"),
    "checks/rows.py": ("result_checks", "gold", "classes"),
    "checks/averages.py": ("feebee_features", "many_scores"),
    "checks/many.py": ("many", "many_scores", "weighted_limits"),
    "checks/names.py": ("result_checks", "many"),
    "checks/__init__.py": ("result_checks", "metric_show", "show"),
    "data": ("checks", "layouts", "tables", "door", "read", "frames"),
    "data/annotators.py": ("annotators", "many"),
    "data/arrays.py": ("arrays", "weights"),
    "data/ballots.py": ("annotators", "many"),
    "data/cells.py": ("tables", "resample", "weights", "weighted_limits", "intervals"),
    "data/class_rows.py": ("many_input",),
    "data/classes.py": ("classes", "read", "many_input", "annotators"),
    "data/documents.py": ("files",),
    "data/encodings.py": ("files",),
    "data/exports.py": ("files",),
    "data/guessing.py": ("layouts", "files", "classes"),
    "data/repeats.py": ("files",),
    "data/sheets.py": ("files",),
    "data/spelling.py": ("files", "classes", "read"),
    "data/vote_lists.py": ("files",),
    "data/facts.py": ("result_checks", "read"),
    "data/entries.py": ("weights", "weighted_limits"),
    "data/entry_rows.py": ("weights",),
    "data/grid.py": ("tables", "frames"),
    "data/lists.py": ("many_input", "frames"),
    "data/matrices.py": ("many_input", "tables"),
    "data/naming.py": ("many_input",),
    "data/numbering.py": ("classes", "annotators", "frames"),
    "data/packing.py": ("many_input",),
    "data/ranged.py": ("tables", "weights", "frames", "many_input"),
    "data/refining.py": ("arrays", "frames"),
    "data/saved.py": ("read", "storage"),
    "data/shares.py": ("gold", "many_input"),
    "data/storage.py": ("storage", "read"),
    "data/table.py": ("checks", "tables", "arrays", "weights", "door", "many_input"),
    "data/tables.py": ("checks", "tables", "resample", "door", "read"),
    "data/vote_table.py": ("checks", "tables", "many_input", "weights"),
    "data/vote_items.py": ("items", "many_input"),
    "data/weighing.py": ("weights", "weighted_limits"),
    "data/voters.py": ("annotators", "door", "many"),
    "data/feature_items.py": ("feebee_features",),
    "data/features.py": ("features",),
    "data/counting.py": (
        "checks",
        "tables",
        "weights",
        "gold",
        "door",
        "read",
        "many_input",
        "frames",
    ),
    "data/formats.py": ("files", "read", "frames"),
    "data/files.py": ("door", "files", "read"),
    "data/frames.py": ("checks", "tables", "door", "read", "annotators", "frames"),
    "data/memory.py": ("judges", "many_input"),
    "data/read.py": ("checks", "layouts", "tables", "weights", "door", "read", "frames"),
    "data/read_rows.py": ("checks", "layouts", "tables", "door", "read", "annotators", "frames"),
    "data/rows.py": ("checks", "weights", "tables", "classes", "judges", "read", "frames"),
    "data/score_items.py": ("judges",),
    "data/unlabelled.py": ("judges",),
    "data/vote_rows.py": ("gold", "annotators", "read", "many", "many_input", "frames"),
    "data/columns.py": ("checks", "layouts", "tables", "door", "read", "many_input"),
    "features": ("features",),
    "features/copies.py": ("neighbours",),
    "features/cuda.py": ("cuda",),
    "features/lists.py": ("neighbours",),
    "features/neighbours.py": ("neighbours",),
    "features/products.py": ("neighbours",),
    "features/rounded.py": ("neighbours",),
    "features/tree.py": ("neighbours",),
    "inference": ("resample", "intervals", "estimate"),
    "inference/capped.py": ("cap",),
    "inference/draws.py": ("resample",),
    "inference/losses.py": ("metric_scores", "weighted_scoring"),
    "inference/kuiper.py": ("bounds",),
    "inference/ranks.py": ("metric_scores", "weighted_limits"),
    "inference/jackknife.py": ("weighted_limits",),
    "inference/weighted.py": ("weights", "weighted_limits"),
    "inference/smooth.py": ("metric_soft",),
    "inference/models.py": ("metric_models",),
    "inference/roots.py": ("metric_soft",),
    "inference/rules.py": ("weighted_limits", "many_scores"),
    "inference/selective.py": ("metric_soft",),
    "inference/signs.py": ("headroom", "many"),
    "inference/weighted_bets.py": ("metric_scores",),
    "inference/weighted_cuts.py": ("metric_scores", "priced"),
    "inference/blocks.py": ("weights", "weighted_limits", "metric_soft"),
    "inference/votes": ("votes", "decide", "mixture", "designs"),
    "inference/votes/annotators.py": ("annotators",),
    "inference/votes/atoms.py": ("metric_votes",),
    "inference/votes/bracket.py": ("many_votes",),
    "inference/votes/fits.py": ("designs", "mixture"),
    "inference/votes/many.py": ("many_votes", "intervals"),
    "inference/votes/many_limits.py": ("many_votes",),
    "inference/votes/inversion.py": ("metric_votes", "gathered"),
    "inference/votes/many_values.py": ("metric_votes", "gathered"),
    "inference/votes/records.py": ("votes", "intervals", "designs"),
    "inference/votes/slopes.py": ("metric_votes",),
    "inference/votes/value_records.py": ("metric_votes",),
    "inference/votes/weighted.py": ("weighted_limits", "weighted_votes"),
    "inference/votes/values.py": ("metric_votes",),
    "inference/cuts.py": ("weights", "resample", "weighted_limits", "intervals", "estimate"),
    "inference/powered.py": ("judges", "intervals"),
    "inference/votes/many_annotators.py": ("many", "intervals"),
    "inference/votes/triangle.py": ("many_votes", "intervals"),
    "methods": ("checks", "calibration", "records", "estimate"),
    "methods/calibrated.py": ("left_out", "metric_scores"),
    "methods/clean.py": ("left_out", "metric_counts", "metrics", "metric_soft"),
    "methods/design.py": ("weights", "weighted_limits"),
    "methods/weighted.py": ("weights", "weighted_limits"),
    "methods/priced.py": ("priced",),
    "methods/weighted_scoring.py": ("weighted_scoring",),
    "methods/weighted_best.py": ("weighted_limits",),
    "methods/rules/weighted.py": ("weighted_limits",),
    "methods/votes/weighted.py": ("weighted_limits", "weighted_votes"),
    "methods/cuts.py": ("checks", "resample", "floors"),
    "methods/histogram.py": ("checks", "calibration", "floors"),
    "methods/isotonic.py": ("left_out", "checks", "resample", "calibration", "floors"),
    "methods/logistic": ("left_out", "checks", "calibration", "floors"),
    "methods/newton.py": ("calibration", "floors"),
    "methods/ranks.py": ("left_out", "metric_scores", "weighted_limits"),
    "methods/rules": ("many_scores",),
    "methods/rules/losses.py": ("metric_scores",),
    "methods/rules/surest.py": ("metric_scores",),
    "methods/scoring.py": ("left_out", "metric_scores"),
    "methods/selective_scores.py": ("metric_scores",),
    "methods/two_by_two.py": ("metric_scores",),
    "methods/weighted_cuts.py": ("left_out", "metric_scores"),
    "methods/soft.py": ("resample", "intervals", "estimate", "frames"),
    "methods/votes": ("votes", "mixture", "designs"),
    "methods/votes/aims.py": ("metric_votes", "votes"),
    "methods/votes/joint.py": ("designs",),
    "methods/votes/many": ("many_votes",),
    "methods/votes/many/gathered.py": ("gathered",),
    "methods/votes/many/unsorted.py": ("metric_votes",),
    "methods/votes/many/values.py": ("left_out", "metric_votes", "gathered"),
    "methods/votes/stopping.py": ("designs",),
    "methods/votes/target.py": ("votes", "designs", "mixture", "metric_votes"),
    "methods/votes/values.py": ("metric_votes",),
    "methods/powered.py": ("judges", "tables"),
    "methods/rules/one_vs_rest.py": ("left_out", "many_scores", "many"),
    "methods/rules/powered.py": ("judges",),
    "methods/votes/plugin.py": ("left_out", "votes", "mixture", "designs", "metric_votes"),
    "methods/record.py": ("checks", "calibration", "records", "designs", "estimate"),
    "metrics": ("metrics", "metric_counts", "left_out", "records", "metric_soft", "estimate"),
    "metrics/noise.py": ("noise_metrics",),
    "metrics/balanced.py": ("metrics", "metric_counts", "metric_soft"),
    "metrics/counted.py": ("metrics", "metric_counts", "metric_soft"),
    "metrics/counted_selective.py": ("metrics", "metric_counts", "metric_soft"),
    "metrics/means.py": ("metrics", "metric_counts", "left_out", "metric_scores", "metric_soft"),
    "questions": ("checks", "estimate", "decide", "door"),
    "questions/agreement.py": ("agreement",),
    "questions/annotators.py": ("annotators",),
    "questions/calibrate.py": ("checks", "calibration", "tables"),
    "questions/cap.py": ("cap",),
    "questions/class_tables.py": ("many_scores",),
    "questions/estimate.py": ("checks", "estimate", "gold", "decide", "door"),
    "questions/votes.py": ("checks", "estimate", "gold", "decide", "door"),
    "questions/features.py": ("features",),
    "questions/features_beside.py": ("features",),
    "questions/feebee.py": (
        "checks",
        "label_noise",
        "many_scores",
        "noise_metrics",
        "feebee_features",
    ),
    "questions/feebee_asked.py": ("checks", "label_noise", "noise_metrics", "feebee_features"),
    "questions/feebee_features.py": ("feebee_features",),
    "questions/feebee_metrics.py": ("noise_metrics",),
    "questions/gap.py": ("decide", "headroom"),
    "questions/headroom.py": ("checks", "decide", "headroom", "metric_models"),
    "questions/items.py": ("items", "many"),
    "questions/label_noise.py": (
        "resample",
        "label_noise",
        "many_scores",
        "noise_metrics",
        "feebee_features",
    ),
    "questions/look.py": ("files", "read"),
    "questions/models.py": ("metric_models",),
    "questions/paired.py": ("headroom", "many"),
    "questions/plan.py": ("checks", "decide", "two_atoms"),
    "questions/plan_metric.py": ("metric_show",),
    "questions/plan_widths.py": ("checks", "door", "decide", "two_atoms"),
    "questions/predicted.py": ("metric_models", "metric_show"),
    "questions/question.py": ("estimate", "votes", "designs", "show"),
    "questions/reliability.py": ("checks", "reliability_band", "many_scores"),
    "questions/said.py": ("decide", "metric_models"),
    "questions/weights.py": ("weights", "weighted_limits"),
    "questions/two_atoms.py": ("two_atoms",),
    "questions/confusion.py": ("confusion", "many"),
    "questions/label_design.py": ("judges",),
    "questions/partly.py": ("judges", "many"),
    "questions/plan_labels.py": ("judges",),
    "questions/plan_many.py": ("many",),
    "questions/reading.py": ("checks", "gold", "door", "estimate", "many_input"),
    "results": ("checks", "estimate", "decide", "label_noise"),
    "results/agreement.py": ("agreement",),
    "results/annotators.py": ("annotators",),
    "results/look.py": ("files",),
    "results/features.py": ("features",),
    "results/feebee.py": ("feebee_features", "label_noise", "noise_metrics"),
    "results/finding.py": ("result_checks", "show"),
    "results/items.py": ("items", "many"),
    "results/reliability.py": ("reliability_band", "plot", "many_scores"),
    "results/rows.py": ("items", "records", "show", "frames"),
    "results/confusion.py": ("confusion",),
    "results/label_plan.py": ("judges",),
    "results/verdict.py": ("checks", "door", "result_checks", "headroom", "decide"),
}

# Answers that are kept for comparison, and the beginnings of modules' paths that they tell of. They
# run last, for faults that nothing else notices.
KEPT: Mapping[str, tuple[str, ...]] = {
    "newer": CORE,
    "frozen": (
        "bounds", "checks/names", "checks/order", "checks/r", "checks/s", "checks/votes", "data/",
        "inference/b", "inference/cuts", "inference/held_out", "inference/k", "inference/means",
        "inference/re", "inference/seeds", "inference/votes/band", "inference/votes/fits",
        "inference/votes/limits", "inference/votes/records", "methods/__init__",
        "methods/calibration", "methods/cuts", "methods/histogram", "methods/isotonic",
        "methods/logistic", "methods/newton", "methods/soft", "methods/votes/dual",
        "methods/votes/fit", "methods/votes/grid",
        "methods/votes/l", "methods/votes/mixture", "methods/votes/plugin", "methods/votes/t",
        "questions/answer", "questions/ca", "questions/compare", "questions/feebee.py",
        "questions/feebee_asked.py", "questions/g", "questions/headroom", "questions/label_noise",
        "questions/labels_alone", "questions/plan.py", "questions/plan_widths.py", "questions/q",
        "questions/rea", "questions/reliability", "questions/said", "questions/two_atoms",
        "questions/votes", "results/feebee", "results/plan", "results/reliability",
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mutant:
    """A module with one fault."""

    module: str  # its path inside the package
    line: int
    before: str  # the lines that change, in one
    after: str
    text: str = field(repr=False)  # of the whole module

    @property
    def change(self) -> tuple[str, str, str]:
        """What names the mutant, wherever its lines are."""
        return self.module, self.before, self.after


@dataclass(frozen=True, slots=True)
class Project:
    """Where the package and its tests are, and which tests belong to which module."""

    root: Path
    package: str
    tests: Mapping[str, Sequence[str]]
    kept: Mapping[str, Sequence[str]] = field(default_factory=dict)
    copied: Sequence[str] = COPIED
    timeout: int = 240  # seconds

    def path(self, module: str) -> Path:
        """Return the file of a module."""
        return self.root / "src" / self.package / module

    def tests_of(self, module: str) -> tuple[str, ...]:
        """Return the files of tests that are run for a module."""
        known = max((key for key in self.tests if module.startswith(key)), key=len)
        last = (name for name, told in self.kept.items() if module.startswith(tuple(told)))
        return tuple(f"tests/test_{name}.py" for name in (*self.tests[known], *last))

    def modules(self, wanted: Iterable[str]) -> list[str]:
        """Return the modules that are, or lie in, what is wanted."""
        folder = self.path("")
        files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.py"))
        return [file for file in files if any(Path(file).is_relative_to(one) for one in wanted)]

    def mutants(self, module: str, number: int, seed: int) -> list[Mutant]:
        """Return a random sample of a module's mutants, the same for the same seed."""
        text = self.path(module).read_text(encoding="utf-8")
        found = faults(text)
        chosen = random.Random(f"{seed} {module}").sample(found, min(number, len(found)))
        return [_mutant(module, Text(text), edits) for edits in sorted(chosen)]


def _mutant(module: str, source: Text, edits: tuple[Edit, ...]) -> Mutant:
    text = source.edited(*edits)
    first, last = min(edits).start, max(edit.end for edit in edits)
    line = sum(start <= first for start in source.starts[:-1])
    end = source.bytes.find(b"\n", last)
    # The same number of bytes behind the last line that changes, before and after.
    rest = len(source.bytes) - end if end >= 0 else 0
    before, after = (
        whole[source.starts[line - 1] : len(whole) - rest].decode()
        for whole in (source.bytes, text.encode())
    )
    return Mutant(module, line, " ".join(before.split()), " ".join(after.split()), text)


class Workshop:
    """Copies of a project, one for each job, in which modules may be changed."""

    def __init__(self, project: Project, folder: Path, jobs: int) -> None:
        self.project = project
        self.free: SimpleQueue[Path] = SimpleQueue()
        for job in range(jobs):
            copy = folder / str(job)
            copy.mkdir()
            for name in project.copied:
                _copy(project.root / name, copy / name)
            self.free.put(copy)

    def passes(self, module: str, text: str | None = None) -> bool:
        """Tell whether the tests of a module pass in time, with another text where one is given."""
        copy = self.free.get()
        path = copy / self.project.path(module).relative_to(self.project.root)
        original = path.read_text(encoding="utf-8")
        try:
            _write(path, original if text is None else text)
            return self._run(copy, self.project.tests_of(module))
        finally:
            _write(path, original)
            self.free.put(copy)

    def _run(self, copy: Path, tests: Sequence[str]) -> bool:
        environment = {**os.environ, "PYTHONPATH": str(copy / "src"), "OPENBLAS_NUM_THREADS": "1"}
        environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
        environment.pop("ERRORFLOOR_DATA", None)
        # Clusters take long to start, and the other engines fail for the same mutants.
        options = ("-x", "-q", "-p", "no:cacheprovider", "-k", "not spark and not dask")
        # The limit is on processor time, which a busy machine does not use up; the other one is for
        # tests that wait for ever.
        limit = ("sh", "-c", f'ulimit -t {self.project.timeout} && exec "$@"', "sh")
        command = [*limit, sys.executable, "-m", "pytest", *options, *tests]
        try:
            done = subprocess.run(
                command, cwd=copy, env=environment, timeout=10 * self.project.timeout,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return False
        return done.returncode == 0


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy2(source, target)


def _write(path: Path, text: str) -> None:
    """Write a module and forget its compiled form, which two texts of one size could share."""
    path.write_text(text, encoding="utf-8")
    Path(importlib.util.cache_from_source(str(path))).unlink(missing_ok=True)


@dataclass(slots=True)
class Score:
    """What became of the mutants of one module."""

    module: str
    mutants: int = 0
    killed: int = 0
    equivalent: int = 0
    survivors: list[Mutant] = field(default_factory=list)
    failing: bool = False  # the tests fail without any mutant

    def __str__(self) -> str:
        counted = self.mutants - self.equivalent
        share = f"{self.killed / counted:.0%}" if counted and not self.failing else "-"
        note = "  tests fail without any mutant" if self.failing else ""
        row = f"{self.module:<32}{self.mutants:>8}{self.killed:>8}{self.equivalent:>12}{share:>8}"
        return row + note


def scores(
    project: Project,
    chosen: Mapping[str, Sequence[Mutant]],
    equivalent: frozenset[tuple[str, str, str]] = frozenset(),
    jobs: int = 2,
) -> Iterator[Score]:
    """Try the mutants of each module, and yield its score."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder, ThreadPoolExecutor(jobs) as pool:
        passes = Workshop(project, Path(folder), jobs).passes
        tests = {project.tests_of(module): module for module in chosen}
        sound = {files: pool.submit(passes, module) for files, module in tests.items()}
        alive = {
            mutant: pool.submit(passes, module, mutant.text)
            for module, mutants in chosen.items()
            for mutant in mutants
            if mutant.change not in equivalent
        }
        try:
            for module, mutants in chosen.items():
                score = Score(module, mutants=len(mutants))
                score.failing = not sound[project.tests_of(module)].result()
                tried = [mutant for mutant in mutants if mutant in alive]
                score.equivalent = len(mutants) - len(tried)
                if not score.failing:
                    score.survivors = [mutant for mutant in tried if alive[mutant].result()]
                    score.killed = len(tried) - len(score.survivors)
                yield score
        finally:  # where nobody waits for the rest
            pool.shutdown(cancel_futures=True)


def known_equivalent(path: Path = EQUIVALENT) -> frozenset[tuple[str, str, str]]:
    """Return the mutants that are argued to change no answer."""
    entries = tomllib.loads(path.read_text(encoding="utf-8")).get("mutant", [])
    return frozenset((entry["module"], entry["before"], entry["after"]) for entry in entries)


def total(found: Iterable[Score]) -> Score:
    """Add up the scores of modules, but for those whose tests fail anyway."""
    whole = Score("all")
    for score in found:
        if not score.failing:
            whole.mutants += score.mutants
            whole.killed += score.killed
            whole.equivalent += score.equivalent
            whole.survivors += score.survivors
    return whole


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a score for each module, and the mutants that survived."""
    parser = argparse.ArgumentParser(description="Mutation testing of the core.")
    parser.add_argument("--modules", nargs="+", default=CORE, help="files or folders of the core")
    parser.add_argument("--per-module", type=int, default=3, help="mutants of each, at most")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=int, default=240, help="seconds for each mutant")
    asked = parser.parse_args(arguments)
    project = Project(ROOT, "errorfloor", TESTS, KEPT, timeout=asked.timeout)
    chosen = {
        module: mutants
        for module in project.modules(asked.modules)
        if (mutants := project.mutants(module, asked.per_module, asked.seed))
    }
    print(f"{'module':<32}{'mutants':>8}{'killed':>8}{'equivalent':>12}{'score':>8}", flush=True)
    found = []
    for score in scores(project, chosen, known_equivalent(), asked.jobs):
        found.append(score)
        print(score, flush=True)
        for mutant in score.survivors:  # at once: a whole run takes long
            print(f"  line {mutant.line}: {mutant.before}\n    ->  {mutant.after}", flush=True)
    whole = total(found)
    print(whole)
    print(f"\n{len(whole.survivors)} survived." if whole.survivors else "\nNone survived.")


if __name__ == "__main__":
    main()
