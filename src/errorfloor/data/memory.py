"""How much memory rows with a number for each class take, and how much there is."""

from __future__ import annotations

import os
from contextlib import suppress

_OF_NUMBER = 20  # bytes of each number while rows are counted: where it came from, and in order
_OF_ROW = 48  # bytes besides: the order of the rows, their labels and their counts
_SHARE = 0.9  # of what is free


def of_rows(n: int, classes: int) -> int:
    """Return about how many bytes it takes to count so many rows."""
    return n * (_OF_NUMBER * classes + _OF_ROW)


def available() -> float:
    """Return how many bytes may be taken, as far as the system says so."""
    return _SHARE * min(_of_machine(), _of_container())


def shown(size: float) -> str:
    """Return a number of bytes as people read it.

    Examples
    --------
    >>> shown(2.5e9), shown(3e5)
    ('2.5 GB', '0.0 GB')
    """
    return f"{size / 1e9:,.1f} GB"


def _of_machine() -> float:
    """Return what is free on the machine, or what it has at all."""
    with suppress(OSError, ValueError), open("/proc/meminfo", encoding="ascii") as file:
        for line in file:
            if line.startswith("MemAvailable:"):
                return 1024.0 * int(line.split()[1])
    with suppress(AttributeError, OSError, ValueError):
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    return float("inf")


def _of_container() -> float:
    """Return what a container leaves of the memory that it is allowed."""
    folder = "/sys/fs/cgroup"
    with (
        suppress(OSError, ValueError),
        open(f"{folder}/memory.max", encoding="ascii") as most,
        open(f"{folder}/memory.current", encoding="ascii") as now,
        open(f"{folder}/memory.stat", encoding="ascii") as stat,
    ):
        parts = dict(line.split() for line in stat)
        # Copies of files are given up where memory is short.
        return float(int(most.read()) - int(now.read()) + int(parts.get("inactive_file", 0)))
    return float("inf")
