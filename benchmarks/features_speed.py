"""Time neighbours and the spanning tree next to DataEval's and feebee's, in one run.

Run `python -m benchmarks.features_speed --folder FOLDER --python PYTHON`. The folder holds the
files of Fashion-MNIST, as Debian's package dataset-fashion-mnist has them; without it, numbers from
a normal distribution of the same shape are taken. PYTHON is an interpreter that has DataEval
(`python -m venv other; other/bin/pip install dataeval`). Each piece of work is a process of its own
with one thread, measured in CPU seconds from the array to the answer, libraries loaded before.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.reference_model import FOLDER, read

HERE = Path(__file__).parent.parent
PAGE = HERE / "benchmarks" / "FEATURES_SPEED.md"
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
ALL, SOME = 60_000, 10_000
LISTED = 50  # neighbours


class Took(NamedTuple):
    """What a piece of work took, and what it found."""

    seconds: float
    peak: float  # GB
    between: int  # edges of the tree between classes


def ours(engine: str, x: Any, y: Any) -> int:
    """Return the edges of the tree between classes; lists of neighbours are made on the way."""
    from errorfloor.features.classics import spanning_tree
    from errorfloor.features.neighbours import nearest

    edges = spanning_tree(x, nearest(x, LISTED, engine=engine))
    return int((y[edges[:, 0]] != y[edges[:, 1]]).sum())


def dataeval(x: Any, y: Any) -> int:
    """Return the same from DataEval, which leaves one edge per class but the first out."""
    upper = float(import_module("dataeval.core").ber_mst(x.astype(np.float32), y)["upper_bound"])
    return round(upper * len(y)) + len(np.unique(y)) - 1


def published(x: Any, y: Any) -> int:
    """Return the same as feebee does it: all n x n squared distances, and SciPy's tree of them."""
    from scipy.sparse.csgraph import minimum_spanning_tree

    x = x.astype(np.float32)
    sizes = (x * x).sum(axis=1)
    squares = sizes[:, None] - 2 * (x @ x.T) + sizes
    np.fill_diagonal(squares, np.inf)
    tree = minimum_spanning_tree(squares).tocoo()
    return int((y[tree.row] != y[tree.col]).sum())


WORK: dict[str, Callable[[Any, Any], int]] = {
    "products": lambda x, y: ours("products", x, y),
    "faiss": lambda x, y: ours("faiss", x, y),
    "dataeval": dataeval,
    "published": published,
}


def serve(name: str, folder: Path, n: int) -> None:
    """Do one piece of work, and print what it took."""
    x, y = np.load(folder / "x.npy")[:n].astype(np.float64), np.load(folder / "y.npy")[:n]
    WORK[name](x[:300], y[:300])
    start = time.process_time()
    between = WORK[name](x, y)
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
    print(json.dumps(["took", seconds, peak, between]), flush=True)


def took(name: str, folder: Path, n: int, python: Path | str = sys.executable) -> Took:
    """Return what a piece of work takes in a process of its own."""
    paths = str(HERE) if name == "dataeval" else os.pathsep.join((str(HERE), str(HERE / "src")))
    command = [str(python), __file__, "--serve", name, "--folder", str(folder), "--items", str(n)]
    environment = {**os.environ, **dict.fromkeys(THREADS, "1"), "PYTHONPATH": paths}
    done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    said = next(line for line in done.stdout.splitlines() if line.startswith('["took"'))
    print(n, name, said, file=sys.stderr, flush=True)
    return Took(*json.loads(said)[1:])


def data(folder: Path, n: int) -> tuple[str, Any, Any]:
    """Return what the points are, the points and their labels."""
    if (folder / "train-images-idx3-ubyte.gz").exists():
        images = read(folder, "train-images-idx3").reshape(-1, 28 * 28)[:n]
        return "Fashion-MNIST", images, read(folder, "train-labels-idx1")[:n].astype(np.int64)
    generator = np.random.default_rng(0)
    y = generator.integers(10, size=n)
    x = generator.normal(size=(n, 28 * 28))
    x[:, :10] += 4 * np.eye(10)[y]
    return "Normal numbers", x.astype(np.float32), y


def page(source: str, large: dict[str, Took], small: dict[str, Took]) -> Iterator[str]:
    """Yield the lines of the page."""
    yield "# Neighbours and trees of features"
    yield ""
    yield f"{source}, 784 numbers for each item: {LISTED} exact neighbours of each item, and the"
    yield "exact minimum spanning tree. CPU seconds on one thread from array to answer, in"
    yield f"one run. Python {platform.python_version()}, NumPy {np.__version__}. Written by"
    yield "`python -m benchmarks.features_speed`."
    yield ""
    yield f"## {ALL:,} items, next to DataEval's `ber_mst`"
    yield ""
    yield "DataEval has 15 neighbours and a tree of these; ours are 50, and a tree that is proved."
    yield ""
    yield "| what | seconds | times DataEval | wanted | peak, GB | edges between classes |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: |"
    yield from _rows(large, "dataeval", {"products": "1.1", "faiss": "0.7"}, times=False)
    yield ""
    yield f"## {SOME:,} items, next to all distances at once"
    yield ""
    yield "As feebee computes `ghp`: n x n squared distances in single precision, and SciPy's tree"
    yield "of them."
    yield ""
    yield "| what | seconds | times faster | wanted | peak, GB | edges between classes |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: |"
    yield from _rows(small, "published", {"products": "8", "faiss": "8"}, times=True)


SAID = {
    "dataeval": "DataEval",
    "published": "all distances",
    "products": "ours, NumPy alone",
    "faiss": "ours, with faiss",
}


def _rows(
    found: dict[str, Took], beside: str, wanted: dict[str, str], times: bool
) -> Iterator[str]:
    other = found[beside].seconds
    for name, one in found.items():
        ratio = f"{other / one.seconds:.1f}" if times else f"{one.seconds / other:.2f}"
        cells = [SAID[name], f"{one.seconds:.1f}", "" if name == beside else ratio]
        cells += [wanted.get(name, ""), f"{one.peak:.2f}", f"{one.between:,}"]
        yield f"| {' | '.join(cells)} |"


def main() -> None:
    """Time all, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=FOLDER, help="with Fashion-MNIST")
    parser.add_argument("--python", type=Path, help="that has DataEval")
    parser.add_argument("--serve", choices=sorted(WORK), help=argparse.SUPPRESS)
    parser.add_argument("--items", type=int, default=ALL, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.serve is not None:
        serve(asked.serve, asked.folder, asked.items)
        return
    if asked.python is None:
        parser.error("--python has to name an interpreter that has DataEval")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source, x, y = data(asked.folder, ALL)
        np.save(folder / "x.npy", x)
        np.save(folder / "y.npy", y)
        mine = ("products", "faiss")
        large = {"dataeval": took("dataeval", folder, ALL, asked.python)}
        large |= {one: took(one, folder, ALL) for one in mine}
        small = {one: took(one, folder, SOME) for one in ("published", *mine)}
    PAGE.write_text("\n".join([*page(source, large, small), ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
