"""Where the papers' figures are now: in the package `papers` of a clone, next to `benchmarks`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

MOVED = (
    "The papers' figures are no longer part of the installed package. They are in the package "
    "`papers` of a clone of errorfloor: there `make paper` or `errorfloor paper` draws them, and "
    "`from papers import reproduce` replaces `errorfloor.paper.reproduce`."
)

# What this module had until version 0.2.
NAMES = ("FIGURES", "FOLLOW_UP", "Check", "Reproduction", "load", "reproduce")


def find_papers() -> None:
    """Let `papers` be imported from the clone that this package is run from, or say where it is."""
    clone = Path(__file__).parents[2]
    if not (clone / "papers" / "__init__.py").is_file():
        raise ImportError(MOVED)
    if str(clone) not in sys.path:
        sys.path.append(str(clone))


def __getattr__(name: str) -> Any:
    if name in NAMES or name.startswith(("figure_", "follow_up_", "table_")):
        raise ImportError(MOVED)
    raise AttributeError(f"module 'errorfloor.paper' has no attribute {name!r}")
