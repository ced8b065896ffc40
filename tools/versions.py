"""Tests with other versions of what the package needs: `python -m tools.versions lowest`.

`lowest` installs the lowest allowed version of every dependency of the core, of the command line
and of the page, on the lowest allowed Python; `newest` the newest of all, on the newest Python that
is found. Both make a virtual environment of their own with uv, print what they installed, and run
the tests of the core in it: a quick selection, or with --full every test that needs neither a
browser, nor Spark, nor what the package is compared with. What follows `--` goes to pytest.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
EXTRAS = ("app", "cli", "features")
RESOLUTIONS = {"lowest": "lowest-direct", "newest": "highest"}
# What the tests import besides the package and its extras, in any version that fits the others.
# uncertainty-calibration and betacal are what the package is compared with, Dask and Ibis engines.
# pyarrow stops at its import where NumPy is older than it wants, which its metadata do not say.
# Old versions of matplotlib use parts of pyparsing that it warns of today.
TOLERATED = {"lowest": ("-W", "default::DeprecationWarning"), "newest": ()}
BESIDES = {
    "lowest": ("hypothesis", "jsonschema", "pandas", "polars", "pyarrow<22", "pytest"),
    "newest": ("hypothesis", "jsonschema", "pandas", "polars", "pyarrow", "pytest"),
}
# The doctests, which reach every layer, and the tests of files, which reach most libraries.
QUICK = ("src", "README.md", "tests/test_files.py")
# Tests of other programs and of documents, which no version of a dependency of the core decides.
NOT_OF_THE_CORE = re.compile(
    r"test_(app_browser|report_browser|docs|links|paper|paper_estimates|follow_up|findings|mutants|"
    r"benchmarks|calibration|cuda|claims_study|release|frames|engines_told|frozen|package)\.py"
)


def pythons() -> tuple[str, ...]:
    """Return the versions of Python that pyproject.toml names, from the lowest."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        named = tomllib.load(file)["project"]["classifiers"]
    found = [re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", one) for one in named]
    return tuple(sorted((one[1] for one in found if one), key=lambda one: int(one[2:])))


def interpreter(which: str) -> str:
    """Return the lowest or the newest Python of those that are named and found here."""
    order = pythons() if which == "lowest" else pythons()[::-1]
    for version in order:
        if path := _found(version):
            return path
        if which == "lowest":
            raise SystemExit(f"Python {version} was not found: install it, or give --python.")
        print(f"Python {version} was not found here.", flush=True)
    raise SystemExit("None of the Pythons that pyproject.toml names was found: give --python.")


def _found(version: str) -> str | None:
    if sys.version_info[:2] == tuple(map(int, version.split("."))):
        return sys.executable
    done = subprocess.run(
        [uv(), "python", "find", "--no-project", "--no-python-downloads", "--quiet", version],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.strip() or None


def uv() -> str:
    """Return the path of uv, next to this Python or elsewhere."""
    beside = Path(sys.executable).parent / "uv"
    found = str(beside) if beside.exists() else shutil.which("uv")
    if found is None:
        raise SystemExit("uv was not found: pip install uv")
    return found


def like_pip() -> dict[str, str]:
    """Return the environment in which uv trusts the certificates of the system, as pip does."""
    return {"UV_SYSTEM_CERTS": "true", **os.environ}


def pinned(which: str, python: str) -> str:
    """Return a line `name==version` for each dependency, direct or not, resolved as asked."""
    done = subprocess.run(
        [
            *(uv(), "pip", "compile", "--quiet", "--no-header", "--no-annotate", "--no-progress"),
            *("--python", python, "--resolution", RESOLUTIONS[which]),
            *(part for extra in EXTRAS for part in ("--extra", extra)),
            str(ROOT / "pyproject.toml"),
        ],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        env=like_pip(),
    )
    return done.stdout


def direct(lines: str) -> Iterator[str]:
    """Yield the lines of the dependencies that pyproject.toml names itself."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    named = [*project["dependencies"]]
    for extra in EXTRAS:
        named += project["optional-dependencies"][extra]
    own = {re.split(r"[^\w.-]", one, maxsplit=1)[0].lower() for one in named}
    yield from (line for line in lines.splitlines() if line.split("==")[0] in own)


def environment(which: str, python: str, folder: Path) -> Path:
    """Make a virtual environment with these versions, and return its Python."""
    lines = pinned(which, python)
    constraints = folder / "constraints.txt"
    constraints.write_text(lines, encoding="utf-8")
    subprocess.run(
        [uv(), "venv", "--quiet", "--python", python, folder / "venv"], check=True, env=like_pip()
    )
    inside = folder / "venv" / "bin" / "python"
    subprocess.run(
        [
            *(uv(), "pip", "install", "--quiet", "--no-progress", "--python", inside),
            *("--constraint", constraints, f"{ROOT}[{','.join(EXTRAS)}]", *BESIDES[which]),
        ],
        check=True,
        env=like_pip(),
    )
    version = subprocess.check_output([inside, "--version"], text=True).strip()
    print(version, *direct(lines), sep="\n", flush=True)
    return inside


def chosen(*, full: bool) -> list[str]:
    """Return the files to test."""
    if not full:
        return list(QUICK)
    files = sorted((ROOT / "tests").glob("test_*.py"))
    kept = [f"tests/{file.name}" for file in files if not NOT_OF_THE_CORE.fullmatch(file.name)]
    return ["src", "README.md", *kept]


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the environment, run the tests in it, and leave with their exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.versions", description=__doc__)
    parser.add_argument("which", choices=RESOLUTIONS)
    parser.add_argument("--full", action="store_true", help="every test of the core")
    parser.add_argument("--python", help="the interpreter, in place of the one that is found")
    parser.add_argument("pytest", nargs="*", help="what pytest gets besides")
    given = parser.parse_args(arguments)
    python = given.python or interpreter(given.which)
    with tempfile.TemporaryDirectory() as folder:
        inside = environment(given.which, python, Path(folder))
        done = subprocess.run(
            [
                *(inside, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
                *TOLERATED[given.which],
                *chosen(full=given.full),
                *given.pytest,
            ],
            cwd=ROOT,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": ""},
            check=False,
        )
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
