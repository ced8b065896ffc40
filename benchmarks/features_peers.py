"""What DataEval says of the same problems, in an environment of its own.

`python -m benchmarks.features --dataeval PATH` names the interpreter of an environment that has
DataEval (`python3 -m venv peers && peers/bin/pip install dataeval`). This file is run by it: it
imports nothing of ours.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

K = 15


def ends_by(interpreter: str, files: Iterable[Path]) -> tuple[str, list[dict[str, list[float]]]]:
    """Return the version, and the lower and upper ends by 1 and 15 neighbours and the tree."""
    command = [interpreter, "-I", __file__, *map(str, files)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    said = json.loads(done.stdout.splitlines()[-1])
    return said["version"], said["ends"]


def _ends(path: str) -> dict[str, list[float]]:
    from dataeval.core import ber_knn, ber_mst  # type: ignore[import-not-found]

    with np.load(path) as data:
        x, y = data["X"], data["y"]
    return {
        "1nn": _in_order(ber_knn(x, y, 1)),
        f"knn-{K}": _in_order(ber_knn(x, y, K)),
        "ghp": _in_order(ber_mst(x, y)),
    }


def _in_order(found: Any) -> list[float]:
    pair = found.values() if isinstance(found, dict) else found
    return sorted(float(one) for one in pair)


if __name__ == "__main__":
    import dataeval  # type: ignore[import-not-found]

    ends = [_ends(path) for path in sys.argv[1:]]
    print(json.dumps({"version": dataeval.__version__, "ends": ends}))
