"""Runs tests again and again, in processes that have the large libraries loaded already.

`python -m tools.forks LIBRARY...` reads a line of JSON for each run: the files of tests, those of
them to be run in their order (or null for all), and the processor time they may take. Its answer is
a line of JSON: null if they pass, or what failed.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress

import pytest

from tools.traced import OPTIONS


class Chosen:
    """A plugin that keeps some of the tests, in the order asked for, and notes what fails first."""

    def __init__(self, tests: Sequence[str] | None) -> None:
        self.places = None if tests is None else {test: place for place, test in enumerate(tests)}
        self.failed: str | None = None

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep the tests that were chosen."""
        if self.places is not None:
            places = self.places
            kept = [item for item in items if item.nodeid in places]
            items[:] = sorted(kept, key=lambda item: places[item.nodeid])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note the first test that fails."""
        if report.failed and self.failed is None:
            self.failed = report.nodeid


def run(files: Sequence[str], tests: Sequence[str] | None, seconds: int) -> str | None:
    """Run tests in a process of their own, and return what failed."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.setsid()
        os.close(read)
        _test(files, tests, seconds, write)
    os.close(write)
    os.waitpid(child, 0)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # what it started
    with os.fdopen(read, encoding="utf-8") as answer:
        said = answer.read()
    return json.loads(said) if said else "time"


def _test(files: Sequence[str], tests: Sequence[str] | None, seconds: int, write: int) -> None:
    """Run the tests, write what failed, and end the process."""
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    signal.alarm(10 * seconds)  # for tests that wait for ever
    silent = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(silent, stream)
    chosen = Chosen(tests)
    try:
        status = int(pytest.main(["-x", *OPTIONS, *files], plugins=[chosen]))
    except BaseException:
        status = int(pytest.ExitCode.INTERNAL_ERROR)
    passed = status in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
    os.write(write, json.dumps(None if passed else chosen.failed or "loading").encode())
    os._exit(0)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        importlib.import_module(name)
    for line in sys.stdin:
        print(json.dumps(run(*json.loads(line))), flush=True)
