"""The paper's real sets as (scores, labels), by name."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

from errorfloor import ScoreTable
from errorfloor._typing import Bools, Floats
from errorfloor.datasets import (
    Dataset,
    load_chaosnli,
    load_cifar10h,
    load_fashion_mnist_h,
    load_iclr,
)

Pair = tuple[Floats, Bools]

SETS: dict[str, Callable[[], Dataset]] = {
    "cifar10h": load_cifar10h,
    "fashion_mnist_h": load_fashion_mnist_h,
    **{f"chaosnli-{part}": partial(load_chaosnli, part) for part in ("snli", "mnli", "abductive")},
    **{f"iclr-{year}": partial(load_iclr, year) for year in range(2017, 2026)},
}


def folder() -> Path | None:
    """Return the data folder, or None where ERRORFLOOR_DATA is not set."""
    name = os.environ.get("ERRORFLOOR_DATA")
    return Path(name) if name else None


def load(name: str) -> Pair:
    """Return the scores and labels of a set."""
    data = SETS[name]()
    return data.scores, data.labels


def load_table(name: str) -> ScoreTable:
    """Return the table of a set; "iclr" is all years together."""
    return (load_iclr() if name == "iclr" else SETS[name]()).score_table
