"""Which tests run which lines of the package, and how long each of them takes.

`trace` runs each file of tests once, with this module as a plugin of pytest, which tells `coverage`
the test that runs. A `Trace` reads what came of it. Tests that fail are left out, and so are lines
that run while modules load: those belong to no test.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache, lru_cache
from pathlib import Path

import pytest
from coverage import Coverage, CoverageData

HERE = Path(__file__).parents[1]
FOLDER, SOURCE = "TRACED_FOLDER", "TRACED_SOURCE"  # variables of the environment, for the plugin
LINES, TESTS, STATE = "lines", "tests.json", "state.json"
SHARED = "fixture "
# Clusters take long to start, and the other engines fail for the same mutants.
OPTIONS = ("-q", "-p", "no:cacheprovider", "-k", "not spark and not dask")


class Trace:
    """The lines that each test runs."""

    def __init__(self, root: Path, parts: Sequence[Path]) -> None:
        self.root = root
        self.seconds: dict[str, float] = {}
        self._parts: list[tuple[CoverageData, dict[str, list[str]]]] = []
        for part in parts:
            noted = json.loads((part / TESTS).read_text(encoding="utf-8"))
            self.seconds |= {test: seconds for test, (seconds, _) in noted.items()}
            users = defaultdict[str, list[str]](list)
            for test, (_, contexts) in noted.items():
                for context in contexts:
                    users[context].append(test)
            self._parts.append((CoverageData(str(part / LINES)), users))
            self._parts[-1][0].read()

    @lru_cache(maxsize=64)  # noqa: B019  (one module after the other, and one trace)
    def _by_line(self, path: Path) -> dict[int, set[str]]:
        """Return the tests of each line."""
        name = path.relative_to(self.root).as_posix()
        found = defaultdict[int, set[str]](set)
        for data, users in self._parts:
            for line, contexts in data.contexts_by_lineno(name).items():
                found[line].update(*(users.get(context, ()) for context in contexts))
        return found

    def tests_of(self, path: Path, text: str, line: int) -> list[str]:
        """Return the tests that run the statement at a line, those most likely to tell first.

        What runs when the module is loaded has a say in all that it does, and after that in the
        modules that import it.
        """
        by_line = self._by_line(path)
        tests, loading = (
            set[str]().union(*(by_line.get(one, ()) for one in lines))
            for lines in (_told_by(text, line), _loading(text))
        )
        if tests - loading:
            return self._in_order(tests)
        tests = set[str]().union(*by_line.values())
        users = (self._by_line(user).values() for user in _importing(self.root)[path])
        others = set[str]().union(*(tests for lines in users for tests in lines))
        return [*self._in_order(tests), *self._in_order(others - tests)]

    def _in_order(self, tests: set[str]) -> list[str]:
        """Return tests by the time they take, but not all cases of one in a row."""
        cases: dict[str, int] = defaultdict(int)
        places = {}
        for test in sorted(tests, key=lambda test: (self.seconds[test], test)):
            function = test.partition("[")[0]
            places[test] = cases[function]
            cases[function] += 1
        return sorted(places, key=lambda test: (places[test], self.seconds[test], test))


def file_of(test: str) -> str:
    """Return the file that a test is in."""
    return test.partition("::")[0]


def _loading(text: str) -> list[int]:
    """Return lines that run when a module is loaded, which may be while some test runs."""
    return [node.lineno for node in ast.parse(text).body if not isinstance(node, ast.FunctionDef)]


def _told_by(text: str, line: int) -> set[int]:
    """Return the lines that run where the statement at a line has a say.

    They are its own inside a function, and the function's for its first lines, where defaults are.
    There are none for what runs when the module is loaded.
    """
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    around = [node for node in functions if node.lineno <= line <= (node.end_lineno or 0)]
    if not around:
        return set()
    inner = max(around, key=lambda node: node.lineno)
    if line < inner.body[0].lineno:
        return set(_body(inner))
    statements = [node for node in ast.walk(inner) if isinstance(node, ast.stmt)]
    holding = [node for node in statements if node.lineno <= line <= (node.end_lineno or 0)]
    return set(_own_lines(max(holding, key=lambda node: node.lineno)))


@lru_cache(maxsize=1)
def _importing(root: Path) -> Mapping[Path, set[Path]]:
    """Return the modules of a project that import each of them."""
    source = root / "src"
    paths = {_dotted(path.relative_to(source)): path for path in source.rglob("*.py")}
    found = defaultdict[Path, set[Path]](set)
    for path in paths.values():
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.ImportFrom) and node.module is not None:
                names = (node.module, *(f"{node.module}.{one.name}" for one in node.names))
                for name in paths.keys() & set(names):
                    found[paths[name]].add(path)
    return found


def _dotted(path: Path) -> str:
    """Return the name that a module is imported by."""
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _body(node: ast.FunctionDef) -> range:
    return range(node.body[0].lineno, (node.end_lineno or 0) + 1)


def _own_lines(node: ast.stmt) -> range:
    """Return the lines of a statement, without those of the statements inside it."""
    inside = [one.lineno for one in ast.walk(node) if isinstance(one, ast.stmt) and one is not node]
    return range(node.lineno, max(min(inside, default=(node.end_lineno or 0) + 1), node.lineno + 1))


def trace(root: Path, package: str, tests: Sequence[str], folder: Path, jobs: int) -> Trace:
    """Return the trace of files of tests, each made again where it, or what it runs, changed."""
    source = root / "src" / package
    parts = {test: folder / Path(test).stem for test in tests}
    stale = [test for test in tests if not _is_fresh(root, parts[test], test)]
    with ThreadPoolExecutor(jobs) as pool:
        for _ in pool.map(lambda test: _run(root, source, test, parts[test]), stale):
            pass
    return Trace(root, list(parts.values()))


def _is_fresh(root: Path, part: Path, test: str) -> bool:
    """Tell whether nothing that was run has changed since."""
    if not (part / STATE).exists():
        return False
    seen = json.loads((part / STATE).read_text(encoding="utf-8"))
    return test in seen and all(_sign(root / name) == sign for name, sign in seen.items())


def _sign(path: Path) -> str:
    """Return what tells one program from another: what each line does, but not its comments."""
    return _sign_of(path.read_bytes()) if path.exists() else ""


@cache
def _sign_of(program: bytes) -> str:
    tree = ast.parse(program)
    return hashlib.sha256(ast.dump(tree, include_attributes=True).encode()).hexdigest()


def _keep_state(root: Path, part: Path, test: str) -> None:
    """Write down the files that were run: the test's own, and modules of which tests run a line."""
    data = CoverageData(str(part / LINES))
    data.read()
    run = [
        name
        for name in data.measured_files()
        if any(any(contexts) for contexts in data.contexts_by_lineno(name).values())
    ]
    seen = {name: _sign(root / name) for name in (test, "tests/conftest.py", *sorted(run))}
    (part / STATE).write_text(json.dumps(seen), encoding="utf-8")


def _run(root: Path, source: Path, test: str, folder: Path) -> None:
    """Run a file of tests."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    environment = {**os.environ, "PYTHONPATH": f"{source.parent}{os.pathsep}{HERE}"}
    environment |= {FOLDER: str(folder), SOURCE: str(source), "OPENBLAS_NUM_THREADS": "1"}
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    environment.pop("ERRORFLOOR_DATA", None)
    command = [sys.executable, "-m", "pytest", "-p", __name__, *OPTIONS, test]
    subprocess.run(command, cwd=root, env=environment, stdout=subprocess.DEVNULL, check=False)
    _keep_state(root, folder, test)


class Tracer:
    """The plugin: it names the test that runs, and notes the time it takes."""

    def __init__(self, folder: Path, source: str) -> None:
        self.folder, self.source = folder, source
        self.lines = Coverage(
            data_file=str(folder / LINES), source=[source], config_file=False, messages=False
        )
        self.lines.set_option("run:relative_files", True)  # so that a copy may be moved
        self.context = ""
        self.tests: dict[str, tuple[float, list[str]]] = {}
        self.lines.start()

    @contextmanager
    def _as(self, context: str) -> Iterator[None]:
        before, self.context = self.context, context
        self.lines.switch_context(context)
        yield
        self.context = before
        self.lines.switch_context(before)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Run one test, which finds no answers that another one left behind."""
        forget(Path(self.source).name)
        began = sum(os.times()[:4])
        with self._as(item.nodeid):
            result = yield
        if item.nodeid in self.tests:
            shared = [f"{SHARED}{name}" for name in getattr(item, "fixturenames", ())]
            self.tests[item.nodeid] = sum(os.times()[:4]) - began, [item.nodeid, *shared]
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[object]) -> Iterator[None]:
        """Make something ready, for all tests that ask for it where they share it."""
        own = fixturedef.scope == "function"
        with self._as(self.context if own else f"{SHARED}{fixturedef.argname}"):
            return (yield)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the tests that pass."""
        if report.when == "call" and report.passed:
            self.tests[report.nodeid] = 0.0, []

    def pytest_sessionfinish(self) -> None:
        """Write down what was found."""
        self.lines.stop()
        self.lines.save()
        (self.folder / TESTS).write_text(json.dumps(self.tests), encoding="utf-8")


def forget(package: str) -> None:
    """Empty what the package's functions remember between calls."""
    for module in [one for name, one in sys.modules.items() if name.partition(".")[0] == package]:
        for value in list(vars(module).values()):
            if hasattr(value, "cache_clear") and value.__module__ == module.__name__:
                value.cache_clear()


def pytest_configure(config: pytest.Config) -> None:
    """Trace what this process runs."""
    config.pluginmanager.register(Tracer(Path(os.environ[FOLDER]), os.environ[SOURCE]))
