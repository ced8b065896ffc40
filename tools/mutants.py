"""Mutation testing of the core: whether the tests notice when it is wrong.

A mutant is a module with one small fault (`tools.mutations`). It takes the module's place in a copy
of the project, where the tests that run the faulty line (`tools.traced`) run until the first
failure. A mutant that no test fails for has survived: either a test is missing, or the fault
changes no answer, which `tools/equivalent.toml` argues for one mutant at a time. Only so many
tests are run as fit into `--seconds`, so the score is never too good.

    python -m tools.mutants --modules intervals questions/headroom.py --per-module 10 --seed 3
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue

from tools.mutations import Change, Edit, Text, faults
from tools.traced import Trace, file_of, trace

ROOT = Path(__file__).parent.parent
EQUIVALENT = Path(__file__).with_name("equivalent.toml")
KEPT = ROOT / ".mutants"  # what tests run, until the code changes
CORE = (
    "data", "metrics", "methods", "features", "intervals", "results", "bounds", "checks",
    "questions",
)  # fmt: skip
# What the tests of the core read besides the package.
COPIED = (
    "src", "tests", "tools", "benchmarks", "papers", "docs", "recipe", ".ci", "README.md",
    "CONTRIBUTING.md", "CHANGELOG.md", "CITATION.cff", "LICENSE", "SKILL.md", "Makefile",
    "action.yml", "llms.txt", "pyproject.toml", ".gitignore", ".pre-commit-hooks.yaml",
)  # fmt: skip
# What tests load once for all mutants. Not what starts threads, which do not live on in a fork.
LOADED = (
    "click", "hypothesis.extra.numpy", "matplotlib.pyplot", "narwhals", "openpyxl", "rich.console",
    "scipy.optimize", "scipy.sparse.linalg", "scipy.spatial", "scipy.stats",
)  # fmt: skip
# Files of tests that are never run: they start programs, servers and browsers, or are about what is
# next to the core.
UNTRACED = frozenset(
    f"tests/test_{name}.py"
    for name in (
        "app", "app_browser", "benchmarks", "docs", "findings", "follow_up", "mutants", "package",
        "paper", "paper_estimates", "program", "recipe", "report_browser", "workers",
    )
)  # fmt: skip
FIRST = 3  # files of tests that are run before the others
LEAST_SECONDS = 30  # of processor time until tests that go on count as failed


@dataclass(frozen=True, slots=True)
class Mutant:
    """A module with one fault."""

    module: str  # its path inside the package
    line: int
    before: str  # the lines that change, in one
    after: str
    text: str = field(repr=False)  # of the whole module
    change: Change | None = None  # what names it


@dataclass(frozen=True, slots=True)
class Project:
    """Where a package and its tests are."""

    root: Path
    package: str
    copied: Sequence[str] = COPIED
    loaded: Sequence[str] = LOADED

    def path(self, module: str) -> Path:
        """Return the file of a module."""
        return self.root / "src" / self.package / module

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
        source = Text(text)
        return [_mutant(module, source, edits) for edits in sorted(chosen)]


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
    change = source.change(*edits)
    named = change._replace(function=f"{place_of(module)}.{change.function}".removesuffix("."))
    return Mutant(module, line, " ".join(before.split()), " ".join(after.split()), text, named)


def place_of(module: str) -> str:
    """Return the name by which a module is imported from the package."""
    return ".".join(Path(module).with_suffix("").parts).removesuffix(".__init__")


@dataclass(frozen=True, slots=True)
class Selection:
    """Tests to be run for a mutant, by their files in order."""

    tests: Mapping[str, Sequence[str] | None]  # none: all of the file
    seconds: float = 60.0  # what they take without a fault

    def without(self, test: str) -> Selection:
        """Return the same, less a test."""
        left = {
            file: tests and [one for one in tests if one != test]
            for file, tests in self.tests.items()
        }
        return Selection({file: tests for file, tests in left.items() if tests != []}, self.seconds)

    def stages(self) -> Iterator[tuple[list[str], list[str] | None]]:
        """Yield files, and the tests of them that are run in one process, the most telling first.

        Those with the most tests of a line come first: many files take long to load.
        """
        some = {file: tests or () for file, tests in self.tests.items()}
        files = sorted(some, key=lambda file: -len({test.partition("[")[0] for test in some[file]}))
        for part in (files[:FIRST], files[FIRST:]):
            if part:
                whole = any(self.tests[file] is None for file in part)
                yield part, None if whole else [test for file in part for test in some[file]]


def selection(found: Trace, path: Path, mutant: Mutant, seconds: float) -> Selection:
    """Return the tests that run a mutant's line, as many as fit into a time."""
    chosen: dict[str, list[str]] = {}
    spent = 0.0
    original = path.read_text(encoding="utf-8")
    for test in found.tests_of(path, original, mutant.line):
        if spent + found.seconds[test] <= seconds:
            spent += found.seconds[test]
            chosen.setdefault(file_of(test), []).append(test)
    return Selection(chosen, spent)


class Workshop:
    """Copies of a project, one for each job, in which modules may be changed."""

    def __init__(self, project: Project, folder: Path, jobs: int) -> None:
        self.project = project
        self.free: SimpleQueue[tuple[Path, Runner]] = SimpleQueue()
        for job in range(jobs):
            copy = folder / str(job)
            copy.mkdir()
            for name in project.copied:
                _copy(project.root / name, copy / name)
            self.free.put((copy, Runner(copy, project.loaded)))

    def killer(self, selected: Selection, mutant: Mutant | None = None) -> str | None:
        """Return the first test that fails, with a mutant where one is given."""
        copy, runner = self.free.get()
        path = original = None
        try:
            if mutant is not None:
                path = copy / self.project.path(mutant.module).relative_to(self.project.root)
                original = path.read_text(encoding="utf-8")
                _write(path, mutant.text)
            return runner.failed(selected)
        finally:
            if path is not None and original is not None:
                _write(path, original)
            self.free.put((copy, runner))

    def close(self) -> None:
        """End the processes."""
        while not self.free.empty():
            self.free.get()[1].close()


class Runner:
    """A process that runs the tests of one copy (`tools.forks`)."""

    def __init__(self, copy: Path, loaded: Sequence[str]) -> None:
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
        environment["PYTHONPATH"] = f"{copy / 'src'}:{ROOT}"
        environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
        environment.pop("ERRORFLOOR_DATA", None)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tools.forks", *loaded], cwd=copy, env=environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def failed(self, selected: Selection) -> str | None:
        """Return the first test that fails."""
        # Processor time, which a busy machine does not use up.
        limit = int(LEAST_SECONDS + 5 * selected.seconds)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        for files, tests in selected.stages():
            print(json.dumps([files, tests, limit]), file=self._process.stdin, flush=True)
            failed = json.loads(self._process.stdout.readline())
            if failed is not None:
                return str(failed)
        return None

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


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
    equivalent: int = 0
    survivors: list[Mutant] = field(default_factory=list)

    @property
    def killed(self) -> int:
        """The number of mutants that a test fails for."""
        return self.mutants - self.equivalent - len(self.survivors)

    def __str__(self) -> str:
        counted = self.mutants - self.equivalent
        share = f"{self.killed / counted:.1%}" if counted else "-"
        return f"{self.module:<40}{self.mutants:>8}{self.killed:>8}{self.equivalent:>12}{share:>8}"


def scores(
    project: Project,
    chosen: Mapping[str, Sequence[Mutant]],
    select: Callable[[Mutant], Selection],
    equivalent: frozenset[Change] = frozenset(),
    jobs: int = 2,
) -> Iterator[Score]:
    """Try the mutants of each module, and yield its score.

    What kills a mutant has to pass without it, or kills nothing, and the other tests are run.
    """
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder, ThreadPoolExecutor(jobs) as pool:
        workshop = Workshop(project, Path(folder), jobs)
        sound: dict[str, bool] = {}

        def fails(selected: Selection, killer: str) -> bool:
            """Tell whether tests fail without a fault, and say so: they tell of none."""
            again = workshop.killer(selected) is not None
            if again:
                print(f"Without a fault too: {killer}", file=sys.stderr, flush=True)
            return again

        def alive(mutant: Mutant) -> bool:
            selected = select(mutant)
            while (killer := workshop.killer(selected, mutant)) is not None:
                if "::" not in killer:  # what they fail for is no test of its own
                    return fails(selected, killer)
                if killer not in sound:
                    sound[killer] = not fails(Selection({file_of(killer): [killer]}), killer)
                if sound[killer]:
                    return False
                whole, selected = selected, selected.without(killer)
                if selected == whole:  # files of which all tests are run
                    return True
            return True

        try:
            tried = {
                mutant: pool.submit(alive, mutant)
                for mutants in chosen.values()
                for mutant in mutants
                if mutant.change not in equivalent
            }
            for module, mutants in chosen.items():
                survivors = [one for one in mutants if one in tried and tried[one].result()]
                left_out = sum(one not in tried for one in mutants)
                yield Score(module, len(mutants), left_out, survivors)
        finally:  # where nobody waits for the rest
            pool.shutdown(cancel_futures=True)
            workshop.close()


def known_equivalent(path: Path = EQUIVALENT) -> frozenset[Change]:
    """Return the mutants that are argued to change no answer."""
    entries = tomllib.loads(path.read_text(encoding="utf-8")).get("mutant", [])
    return frozenset(Change(*(entry[name] for name in Change._fields)) for entry in entries)


def total(found: Iterable[Score]) -> Score:
    """Add up the scores of modules."""
    whole = Score("all")
    for score in found:
        whole.mutants += score.mutants
        whole.equivalent += score.equivalent
        whole.survivors += score.survivors
    return whole


def _selecting(project: Project, asked: argparse.Namespace) -> Callable[[Mutant], Selection]:
    """Return what chooses the tests of a mutant."""
    if asked.tests:
        named = Selection(dict.fromkeys(asked.tests))
        return lambda mutant: named
    print("Tests whose lines are not known run once.", flush=True)
    files = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").glob("test_*.py"))
    told = [file for file in files if file not in UNTRACED]
    found = trace(ROOT, project.package, told, KEPT, asked.jobs)
    return lambda mutant: selection(found, project.path(mutant.module), mutant, asked.seconds)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a score for each module, and the mutants that survived."""
    parser = argparse.ArgumentParser(description="Mutation testing of the core.")
    parser.add_argument("--modules", nargs="+", default=CORE, help="files or folders of the core")
    parser.add_argument("--per-module", type=int, default=3, help="mutants of each, at most")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=20, help="of tests for each mutant")
    parser.add_argument("--tests", nargs="+", help="files, instead of all that run a line")
    asked = parser.parse_args(arguments)
    project = Project(ROOT, "errorfloor")
    chosen = {
        module: mutants
        for module in project.modules(asked.modules)
        if (mutants := project.mutants(module, asked.per_module, asked.seed))
    }
    select = _selecting(project, asked)
    print(f"{'module':<40}{'mutants':>8}{'killed':>8}{'equivalent':>12}{'score':>8}", flush=True)
    found = []
    for score in scores(project, chosen, select, known_equivalent(), asked.jobs):
        found.append(score)
        print(score, flush=True)
        for mutant in score.survivors:  # at once: a whole run takes long
            print(f"  line {mutant.line}: {mutant.before}\n    ->  {mutant.after}", flush=True)
            print(*(f"    {name}" for name in mutant.change or ()), sep="\n", flush=True)
    whole = total(found)
    print(whole)
    print(f"\n{len(whole.survivors)} survived." if whole.survivors else "\nNone survived.")


if __name__ == "__main__":
    main()
