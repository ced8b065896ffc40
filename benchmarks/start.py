"""Time whole commands as multiples of `python -c "import numpy"`, started in the same way.

Run `python -m benchmarks.start [REPEATS] [SOURCE...]`. A source is a folder to import errorfloor
from, this checkout's by default; several are timed side by side. Commands take turns, so that what
else the machine does falls on all of them. Of each command the least time of all turns counts: its
time on the clock, and that of the processor with all its threads. The last rows are of one command
without a trick of apps/cli/process.py, which is what the trick saves.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from errorfloor._typing import Floats
from errorfloor.datasets.synthetic import gaussian_mixture

HERE = Path(__file__).parent.parent / "src"
ROWS = 10_000
NUMPY = "import numpy"
_COMPILES_ANEW = "PYTHONDONTWRITEBYTECODE"  # where it is set, each start compiles all modules
COMMANDS = {
    "estimate, scores": ("estimate", "scores.csv"),
    "estimate, votes": ("estimate", "votes.csv"),
    "report, scores": ("report", "scores.csv", "-o", "report.html"),
}
USUAL = "estimate, votes"
# What the process would do if it left everything to Python.
WITHOUT = {
    "and the end of Python": "process.end_quickly = sys.exit",
    "and all imports": "process.start_quickly = lambda: None",
}


def write_files(folder: Path) -> None:
    """Write scores and votes as CSV."""
    data = gaussian_mixture(ROWS, rng=0).corrupted(2, 0.7)
    votes = np.random.default_rng(0).binomial(3, data.soft_labels)
    pairs = zip(data.scores.tolist(), data.labels.astype(int).tolist(), strict=True)
    lines = {
        "scores.csv": ["score,label", *(f"{score},{label}" for score, label in pairs)],
        "votes.csv": ["positives,total", *(f"{vote},3" for vote in votes.tolist())],
    }
    for name, rows in lines.items():
        (folder / name).write_text("\n".join([*rows, ""]), encoding="utf-8")


def seconds(arguments: Sequence[str], folder: Path, environment: Mapping[str, str]) -> Floats:
    """Run Python once, and return the time on the clock and that of the processor."""
    quiet = os.open(os.devnull, os.O_RDWR)
    actions = [(os.POSIX_SPAWN_DUP2, quiet, number) for number in (0, 1, 2)]
    here = os.getcwd()
    os.chdir(folder)
    start = time.perf_counter()
    try:
        process = os.posix_spawn(
            sys.executable, [sys.executable, *arguments], environment, file_actions=actions
        )
        _, status, used = os.wait4(process, 0)
    finally:
        taken = time.perf_counter() - start
        os.chdir(here)
        os.close(quiet)
    if status != 0:
        raise RuntimeError(f"python {' '.join(arguments)} failed")
    return np.array([taken, used.ru_utime + used.ru_stime])


def ratios(repeats: int, sources: Sequence[Path] = (HERE,)) -> dict[tuple[str, str], Floats]:
    """Return how many times as long as NumPy's import each command takes, by source and name."""
    runs = {("", NUMPY): (["-c", NUMPY], HERE)} | {
        (str(source), name): (["-m", "errorfloor", *command], source)
        for name, command in COMMANDS.items()
        for source in sources
    }
    for name, line in WITHOUT.items():
        runs |= {
            (str(source), f"{USUAL}, {name}"): (["-c", _plainly(line)], source)
            for source in sources
        }
    least = dict.fromkeys(runs, np.full(2, np.inf))
    with tempfile.TemporaryDirectory() as folder:
        write_files(Path(folder))
        for turn in range(repeats + 1):
            for key, (arguments, source) in runs.items():
                found = seconds(arguments, Path(folder), _environment(source))
                if turn:  # the first compiles modules and fills caches
                    least[key] = np.minimum(least[key], found)
    base = least.pop(("", NUMPY))
    return {key: found / base for key, found in least.items()}


def _plainly(line: str) -> str:
    """Return a program that runs the usual command after a line that takes a trick away."""
    return (
        f"import sys; sys.argv = {['errorfloor', *COMMANDS[USUAL]]!r}\n"
        "from errorfloor.apps.cli import main, process\n"
        f"{line}\nmain()"
    )


def _environment(source: Path) -> dict[str, str]:
    """Return variables with which Python keeps what it compiles next to its modules."""
    usual = {name: value for name, value in os.environ.items() if name != _COMPILES_ANEW}
    return usual | {"PYTHONPATH": str(source)}


def main() -> None:
    """Print a table of ratios."""
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    sources = [Path(one).resolve() for one in sys.argv[2:]] or [HERE]
    print(f'Times "{NUMPY}", the least of {repeats} turns:\n')
    print("| command | source | clock | processor |\n|---|---|---|---|")
    for (source, name), (clock, processor) in ratios(repeats, sources).items():
        print(f"| {name} | {source} | {clock:.1f} | {processor:.1f} |")


if __name__ == "__main__":
    main()
