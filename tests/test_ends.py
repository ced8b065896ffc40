"""Kills and full disks: outputs are there whole or not at all, and nothing else is left behind."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from errorfloor.data.storage import PREFIX

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs signals and fork")

# Loads the program once and runs it in a fork for each case: to load takes longer than to run.
FORKING = """
import json, os, resource, sys, time
import duckdb, narwhals, scipy.special
import errorfloor.apps.cli.commands
from errorfloor.apps import cli

def started(case):
    process = os.fork()
    if process:
        return process
    sys.argv = ["errorfloor", *case["typed"]]
    new = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    os.dup2(os.open(case.get("stdin", os.devnull), os.O_RDONLY), 0)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(os.open(case["said"], new), 2)
    if case.get("most") is not None:
        sys.dont_write_bytecode = True  # Python would leave cut files there, and read them later
        resource.setrlimit(resource.RLIMIT_FSIZE, (case["most"],) * 2)
    cli.main()

cli.process.end_on_signal()  # as the program does first of all
for line in sys.stdin:
    case = json.loads(line)
    start = time.monotonic()
    process = started(case)
    if case.get("signal"):
        time.sleep(case["after"])
        os.kill(process, case["signal"])
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    print(json.dumps([code, time.monotonic() - start]), flush=True)
"""


class Program:
    """The program, loaded, in a folder of its own with another for temporary files."""

    def __init__(self, folder):
        self.folder = folder
        (folder / "scratch").mkdir()
        rng = np.random.default_rng(0)
        votes = "\n".join(f"item {i},{a},{rng.integers(2)}" for i in range(3000) for a in "abc")
        (folder / "votes.csv").write_text(f"item,annotator,vote\n{votes}\n", encoding="utf-16")
        environment = {"PYTHONPATH": str(ROOT / "src"), "TMPDIR": str(folder / "scratch")}
        self.process = subprocess.Popen(
            [sys.executable, "-c", FORKING],
            cwd=folder,
            env=os.environ | environment | {"OPENBLAS_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, *typed, **how):
        """Return the exit code, the seconds it took, and what was said on stderr."""
        said = self.folder / "said.txt"
        case = {"typed": typed, "said": str(said), **how}
        self.process.stdin.write(json.dumps(case) + "\n")
        self.process.stdin.flush()
        code, took = json.loads(self.process.stdout.readline())
        return code, took, said.read_text()

    def left(self):
        """Return what temporary files there are."""
        beside = (path for path in self.folder.iterdir() if path.name.startswith(PREFIX))
        return [*(self.folder / "scratch").iterdir(), *beside]


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    program = Program(tmp_path_factory.mktemp("ends"))
    yield program
    program.process.communicate()


# Files that have a copy as UTF-8, and standard input, which has one, too.
READ = {"a file": ("votes.csv", {}), "standard input": ("-", {"stdin": "votes.csv"})}
WRITTEN = {"items.csv": "items", "table.npz": "count", "report.json": "report"}


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGKILL"])
def test_a_kill_leaves_outputs_whole_and_nothing_else(program, name):
    output = program.folder / "items.csv"
    typed = ("items", "votes.csv", "-o", output.name, "-q")
    _, took, said = program.run(*typed)
    new, old = output.read_bytes(), b"what was there"
    assert said == ""
    assert program.left() == []
    number, ended = getattr(signal, name), set()
    rng = np.random.default_rng(number)
    for after in rng.permuted(np.linspace(0, 1.1 * took, 6)).tolist():
        output.write_bytes(old)
        code, _, said = program.run(*typed, signal=number, after=after)
        ended.add(code)
        assert said.strip() == ""
        assert output.read_bytes() in (old, new)
        assert code != 0 or output.read_bytes() == new
        if name != "SIGKILL":  # after which nobody can tidy up
            assert program.left() == []
            assert code in (0, 128 + number, -number)
        for path in program.left():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert ended & {128 + number, -number}


@pytest.mark.parametrize("most", [100, 4000])
@pytest.mark.parametrize("name", WRITTEN)
def test_a_full_disk_is_one_clear_error_and_loses_nothing(program, name, most):
    source = program.folder / "plain.csv"
    rows = (f"{i},{i % 4},3" for i in range(2000))
    source.write_text("\n".join(["item,positives,total", *rows]) + "\n")
    output = program.folder / name
    output.write_bytes(b"what was there")
    code, _, said = program.run(WRITTEN[name], source.name, "-o", name, "-q", most=most)
    if code == 0:  # a small table fits
        assert output.stat().st_size <= most
        return
    assert code == 1
    assert said == f"error: {name}: File too large. Make room there, or name another.\n"
    assert output.read_bytes() == b"what was there"
    assert program.left() == []


@pytest.mark.parametrize("way", READ)
def test_copies_that_do_not_fit_are_one_clear_error(program, way):
    file, how = READ[way]
    code, _, said = program.run("items", file, "-q", most=10_000, **how)
    assert code == 1
    assert said == (
        f"error: {program.folder / 'scratch'}: File too large. Make room there, or have another "
        "folder for temporary files by TMPDIR.\n"
    )
    assert program.left() == []


def test_folders_for_what_does_not_fit_into_memory_are_nobody_elses(tmp_path, monkeypatch):
    import stat
    import tempfile

    import pandas as pd

    import errorfloor as ef
    from errorfloor.data import files

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    files.forget_database()
    pd.DataFrame({"score": [0.2, 0.7], "label": [0, 1]}).to_parquet(tmp_path / "a.parquet")
    relation = ef.frames.scan(tmp_path / "a.parquet")
    ef.frames.score_table(tmp_path / "a.parquet", score="score", label="label")
    folders = [path for path in tmp_path.iterdir() if path.is_dir()]
    assert len(folders) == 2  # one of the database that is kept, and one of the relation
    for folder in folders:
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert str(os.getpid()) not in folder.name
    del relation
    files.forget_database()
    assert len([path for path in tmp_path.iterdir() if path.is_dir()]) == 1
