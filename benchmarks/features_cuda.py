"""Check and time exact neighbours on a graphics card: `python -m benchmarks.features_cuda`.

Needs PyTorch and CUDA. Small sets are compared with the processor's neighbours, entry by entry.
Then points as many as ImageNet has images are made, and the time of all their neighbours is set
next to plain PyTorch (products by blocks, and the best of each row) in the same run.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from errorfloor._typing import Counts, Floats
from errorfloor.features.cuda import nearest_on
from errorfloor.features.neighbours import Lists

K = 15


def small_sets() -> dict[str, Floats]:
    """Return sets on which neighbours are easily got wrong."""
    rng = np.random.default_rng(0)
    plain = rng.normal(size=(3000, 40))
    outliers = plain.copy()
    outliers[:20] *= 1e5
    return {
        "normal": plain,
        "far from 0": plain + 1e6,
        "tiny": plain * 1e-9,
        "a grid, all tied": rng.integers(0, 3, size=(3000, 6)).astype(float),
        "copies": np.repeat(rng.normal(size=(100, 30)), 20, axis=0),
        "outliers": outliers,
        "many dimensions": rng.normal(size=(2000, 784)),
        "one dimension": rng.normal(size=(500, 1)),
        "constant": np.ones((100, 5)),
        "few": rng.normal(size=(7, 3)),
    }


def plain(points: Floats, query: Floats, own: int | None) -> tuple[Floats, Counts]:
    """Return the nearest of one query by differences from all points; ties by lower index."""
    parts = np.array_split(points, max(len(points) // 20_000, 1))
    squares = np.concatenate([((part.astype(float) - query) ** 2).sum(1) for part in parts])
    if own is not None:
        squares[own] = np.inf
    order = np.lexsort((np.arange(len(squares)), squares))
    order = order[: min(K, len(points) - (own is not None))]
    return squares[order], order


def as_plain(found: Lists, points: Floats, queries: Floats | None, rows: Any) -> bool:
    """Return whether some rows name the same points at the same distances as plain differences."""
    for row in rows:
        query = (points if queries is None else queries)[row].astype(float)
        squares, order = plain(points, query, int(row) if queries is None else None)
        near = np.allclose(found.squares[row], squares, rtol=1e-9, atol=1e-12 * squares.max())
        if not near or (found.indices[row] != order).any():
            return False
    return True


def check() -> bool:
    """Compare with the processor's neighbours, and print each set."""
    right = True
    rng = np.random.default_rng(1)
    for name, points in small_sets().items():
        # Distances that differ by rounding alone may be told apart in either order.
        points = points.round(9) if np.ptp(points) > 1e-3 else points
        others = rng.normal(size=(50, points.shape[1])) * np.ptp(points) + points.mean(axis=0)
        for kind, queries in (("own", None), ("other", others)):
            found = nearest_on("cuda", points, K, queries)
            told = as_plain(found, points, queries, range(0, len(found.indices), 7))
            right &= told
            print(f"{name:20} {kind:6} {'same' if told else 'DIFFERENT'}")
    return right


def plainly(points: Any, k: int, step: int = 4096) -> Any:
    """Return neighbours by plain PyTorch: products by blocks, and the best of each row."""
    torch = import_module("torch")
    halves = points.half()
    sizes = (points * points).sum(1) / 2
    parts = []
    for at in range(0, len(points), step):
        scores = halves[at : at + step] @ halves.T
        scores -= sizes.half()
        parts.append(scores.topk(k + 1, dim=1).indices)
    return torch.cat(parts)


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds that work took on the card, and what it gave."""
    torch = import_module("torch")
    torch.cuda.synchronize()
    start = time.perf_counter()
    made = work()
    torch.cuda.synchronize()
    return time.perf_counter() - start, made


def made(n: int, d: int) -> Any:
    """Return points such as embeddings are: clusters of unequal spread in a few directions."""
    torch = import_module("torch")
    generator = torch.Generator("cuda").manual_seed(0)
    rand = {"device": "cuda", "generator": generator}
    centres = torch.randn(1000, d, **rand)
    spread = torch.linspace(1.5, 0.1, d, device="cuda")
    which = torch.randint(1000, (n,), **rand)
    return centres[which] + torch.randn(n, d, **rand) * spread


def main() -> None:
    """Print whether neighbours are the processor's, and how long they take."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--points", type=int, default=1_281_167)
    parser.add_argument("--dimensions", type=int, default=768)
    parser.add_argument("--sample", type=int, default=8)
    asked = parser.parse_args()
    torch = import_module("torch")
    print(torch.cuda.get_device_name(), "PyTorch", torch.__version__)
    right = check()
    timed(lambda: nearest_on("cuda", np.random.default_rng(0).normal(size=(20_000, 768)), K))
    for name, points in (
        ("clusters", made(asked.points, asked.dimensions)),
        ("one normal cloud", torch.randn(asked.points, asked.dimensions, device="cuda")),
    ):
        host = points.cpu().numpy()
        plain, _ = timed(partial(plainly, points, K))
        products, _ = timed(partial(_products, points))
        del points
        torch.cuda.empty_cache()
        seconds, lists = timed(partial(nearest_on, "cuda", host, K))
        rows = np.random.default_rng(2).choice(len(host), asked.sample, replace=False)
        told = as_plain(lists, host, None, rows)
        right &= told
        peak = torch.cuda.max_memory_allocated() / 2**30
        print(
            f"{name}: {len(host):,} x {host.shape[1]}, {K} nearest: {seconds:.1f} s; plain PyTorch "
            f"{plain:.1f} s, its products alone {products:.1f} s; peak {peak:.0f} GiB; "
            f"{asked.sample} rows {'as' if told else 'NOT AS'} the processor's"
        )
    raise SystemExit(not right)


def _products(points: Any, step: int = 4096) -> None:
    halves = points.half()
    for at in range(0, len(points), step):
        halves[at : at + step] @ halves.T


if __name__ == "__main__":
    main()
