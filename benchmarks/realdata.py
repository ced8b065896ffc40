"""The paper's real sets as (scores, labels), by name."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from errorfloor._typing import Bools, Floats
from errorfloor.datasets import Dataset
from errorfloor.datasets.catalogue import IN_PAPER

Pair = tuple[Floats, Bools]

# All years of ICLR together repeat what the years have.
SETS: dict[str, Callable[[], Dataset]] = {
    name: one.load for name, one in IN_PAPER.items() if len(one.files) <= 2
}


def folder() -> Path | None:
    """Return the data folder, or None where ERRORFLOOR_DATA is not set."""
    name = os.environ.get("ERRORFLOOR_DATA")
    return Path(name) if name else None


def load(name: str) -> Pair:
    """Return the scores and labels of a set."""
    data = SETS[name]()
    return data.scores, data.labels
