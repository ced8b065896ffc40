"""Tests on several workers: what belongs together stays so, and nothing that fails is lost."""

import os
import runpy
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
pytest.importorskip("xdist")

MADE = """
import os, time, warnings
from pathlib import Path
import pytest

def note(text):
    with open(f"{os.environ['PYTEST_XDIST_WORKER']}.txt", "a") as file:
        file.write(text + chr(10))

@pytest.mark.parametrize("number", range(8))
@pytest.mark.parametrize("engine", ["polars", "spark"])
def test_engine(engine, number):
    note(engine)
    time.sleep(0.02)
"""


def project(folder, text):
    """Write a project of one file of tests, with our settings and our conftest."""
    (folder / "tests").mkdir()
    shutil.copy(ROOT / "pyproject.toml", folder)
    for name in ("conftest.py", "needs.py"):
        shutil.copy(ROOT / "tests" / name, folder / "tests")
    (folder / "tests" / "test_made.py").write_text(MADE + text)


def started(folder, **environment):
    plain = {name: value for name, value in os.environ.items() if "PYTEST" not in name}
    return subprocess.Popen(
        [sys.executable, "-m", "pytest", "-n", "2", "--max-worker-restart", "0", "tests"],
        cwd=folder,
        env=plain | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def test_what_starts_slowly_does_so_in_one_worker_and_no_skip_passes(tmp_path):
    skip = "\ndef test_skips():\n    pytest.skip('no Java')\n"
    project(tmp_path, skip)
    more = MADE.replace("range(8)", "range(20)").replace('"spark"', '"dask"')
    (tmp_path / "tests" / "test_more.py").write_text(more)
    run = started(tmp_path, ERRORFLOOR_NO_SKIPS="1")
    shown, _ = run.communicate()
    notes = [path.read_text().split() for path in sorted(tmp_path.glob("gw*.txt"))]
    assert len(notes) == 2, shown
    assert sorted(note.count("spark") for note in notes) == [0, 8]
    assert sum(note.count("polars") for note in notes) == 8 + 20
    assert "spark" in [note[0] for note in notes]  # what takes long, however many tests others have
    assert run.returncode == pytest.ExitCode.TESTS_FAILED
    assert "56 passed, 1 skipped" in shown
    assert "ERRORFLOOR_NO_SKIPS is set, but tests were skipped" in shown


def test_what_takes_long_is_there():
    long = runpy.run_path(str(ROOT / "tests" / "conftest.py"))["LONG"]
    assert all((ROOT / name).exists() for name in long if "/" in name)


def test_warnings_and_workers_that_die_are_failures(tmp_path):
    faults = "\ndef test_warns():\n    warnings.warn('odd')\n\ndef test_dies():\n    os._exit(3)\n"
    project(tmp_path, faults)
    run = started(tmp_path)
    shown, _ = run.communicate()
    assert run.returncode == pytest.ExitCode.TESTS_FAILED
    assert "FAILED tests/test_made.py::test_warns - UserWarning: odd" in shown
    assert "crashed while running 'tests/test_made.py::test_dies'" in shown
    assert "2 failed" in shown


def test_ctrl_c_stops_every_worker(tmp_path):
    project(tmp_path, "\ndef test_waits():\n    note('waits')\n    time.sleep(3600)\n")
    run = started(tmp_path)
    while not any("waits" in path.read_text() for path in tmp_path.glob("gw*.txt")):
        assert run.poll() is None
        time.sleep(0.01)
    os.killpg(run.pid, signal.SIGINT)  # as a terminal does
    shown, _ = run.communicate()  # returns when no worker holds the pipe any more
    assert run.returncode == pytest.ExitCode.INTERRUPTED
    assert "KeyboardInterrupt" in shown
