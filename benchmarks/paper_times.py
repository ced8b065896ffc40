"""How long the paper's experiments take here: processor seconds, next to the times in print.

Run `python -m benchmarks.paper_times` to write benchmarks/PAPER_TIMES.md: half a minute. It needs
ERRORFLOOR_DATA.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.speed import machine
from errorfloor._typing import Bools, Floats
from errorfloor.datasets.catalogue import IN_PAPER
from papers import figure_7
from papers._settings import (
    CALIBRATORS,
    DISTORTION,
    INTERVAL,
    OTHER_INTERVAL,
    RESAMPLES,
    estimates,
    synthetic,
)

DOCUMENT = Path(__file__).parent / "PAPER_TIMES.md"
PRINTED = {"figure 7": "an hour", "methods": "20 to 30 minutes"}


def main() -> None:
    """Time the experiments and write the document."""
    DOCUMENT.write_text(document(), encoding="utf-8")
    print(DOCUMENT.read_text(encoding="utf-8"))


def document() -> str:
    """Return the times as Markdown."""
    lines = [["experiment", "in print", "here, processor seconds"], ["---", "---", "---:"]]
    for key, name in figure_7.NAMES.items():
        seconds = _seconds(partial(_figure_7, key))
        lines.append([f"figure 7 ({key}), {name}", PRINTED["figure 7"], f"{seconds:.1f}"])
    made = synthetic().corrupted(*DISTORTION)
    lines += _methods("synthetic", INTERVAL, made.scores, made.labels)
    everything = IN_PAPER["ICLR2017-2025"].load()
    lines += _methods("ICLR 2017 to 2025", OTHER_INTERVAL, everything.scores, everything.labels)
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"""# How long the paper's experiments take

Written by `python -m benchmarks.paper_times`. {machine()}

Processor seconds of one process without parallel linear algebra. The paper's own times are of an
Apple M1: an hour for each distribution of figure 7, 20 to 30 minutes for each estimation method. A
method is one estimate with an interval of {RESAMPLES:,} resamples, as in figures 4 and 11.

{table}
"""


def _figure_7(key: str) -> None:
    rng = np.random.default_rng(7)
    for votes in figure_7.VOTES:
        figure_7._simulate(key, votes, rng)


def _methods(name: str, interval: str, scores: Floats, labels: Bools) -> list[list[str]]:
    found = {
        method: _seconds(partial(estimates, scores, labels, methods=[method], interval=interval))
        for method in CALIBRATORS
    }
    slowest = max(found, key=found.__getitem__)
    return [
        [f"{name}, isotonic, {interval}", PRINTED["methods"], f"{found['isotonic']:.2f}"],
        [f"{name}, slowest: {slowest}", PRINTED["methods"], f"{found[slowest]:.2f}"],
        [f"{name}, all {len(found)} methods", "", f"{sum(found.values()):.1f}"],
    ]


def _seconds(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


if __name__ == "__main__":
    main()
