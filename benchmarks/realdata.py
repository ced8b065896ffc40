"""The paper's real sets as (scores, labels), from the folder that ERRORFLOOR_DATA names."""

from __future__ import annotations

import csv
import gzip
import json
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from errorfloor import ScoreTable

Pair = tuple[NDArray[np.float64], NDArray[np.bool_]]


def folder() -> Path | None:
    """Return the data folder, or None where ERRORFLOOR_DATA is not set."""
    name = os.environ.get("ERRORFLOOR_DATA")
    return Path(name) if name else None


def load(name: str) -> Pair:
    """Return the scores and labels of a set."""
    root = folder()
    if root is None:
        raise ValueError("Set ERRORFLOOR_DATA to the folder with the data files.")
    return SETS[name](root)


def load_table(name: str) -> ScoreTable:
    """Return the table of a set; "iclr" is all years together."""
    parts = [part for part in SETS if part.startswith("iclr-")] if name == "iclr" else [name]
    tables = (ScoreTable.from_arrays(*load(part)) for part in parts)
    return sum(tables, ScoreTable.empty())


def load_unweighted(year: int) -> Pair:
    """Return an ICLR year with plain means of the ratings, as if no confidences were known."""
    root = folder()
    assert root is not None
    return _iclr(year, root, weighted=False)


def _cifar10h(root: Path) -> Pair:
    counts = np.load(root / "cifar10h/cifar10h-counts.npy")
    labels = np.load(root / "cifar10h/cifar10-test-labels.npy")
    return _binary(counts, labels, (2, 3, 4, 5, 6, 7))


def _fashion_mnist_h(root: Path) -> Pair:
    counts = np.loadtxt(root / "fashion_mnist_h/fmh_counts.csv", delimiter=",")
    with gzip.open(root / "fashion_mnist_h/t10k-labels-idx1-ubyte.gz") as file:
        labels = np.frombuffer(file.read()[8:], dtype=np.uint8)
    return _binary(counts, labels, (0, 2, 3, 4, 6))


def _binary(
    counts: NDArray[np.float64], labels: NDArray[np.integer], classes: tuple[int, ...]
) -> Pair:
    return counts[:, list(classes)].sum(axis=1) / counts.sum(axis=1), np.isin(labels, classes)


def _chaosnli(part: str, positive: dict[str, int], root: Path) -> Pair:
    with (root / f"chaosnli/chaosNLI_{part}.jsonl").open() as file:
        items = [json.loads(line) for line in file]
    votes = np.array([item["label_count"] for item in items])
    scores = votes[:, list(positive.values())].sum(axis=1) / votes.sum(axis=1)
    return scores, np.array([str(item["old_label"]) in positive for item in items])


def _iclr(year: int, root: Path, *, weighted: bool = True) -> Pair:
    with (root / f"iclr/iclr_{year}.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    weights = [row["confidences"] if weighted else "" for row in rows]
    ratings = [row["ratings"] for row in rows]
    scores = np.array(list(map(_weighted_rating, ratings, weights)))
    return (scores - 1) / (7 if year == 2020 else 9), np.array(
        [row["accepted"] == "1" for row in rows]
    )


def _weighted_rating(ratings: str, confidences: str) -> float:
    rating = np.array(ratings.split(";"), dtype=np.float64)
    if not confidences:
        return float(rating.mean())
    weight = np.nan_to_num(np.array(confidences.split(";"), dtype=np.float64), nan=3.0)
    return float(weight @ rating / weight.sum())


_ENTAILED_OR_NEUTRAL = {"e": 0, "n": 1}
SETS: dict[str, Callable[[Path], Pair]] = {
    "cifar10h": _cifar10h,
    "fashion_mnist_h": _fashion_mnist_h,
    "chaosnli-snli": partial(_chaosnli, "snli", _ENTAILED_OR_NEUTRAL),
    "chaosnli-mnli": partial(_chaosnli, "mnli_m", _ENTAILED_OR_NEUTRAL),
    "chaosnli-abductive": partial(_chaosnli, "alphanli", {"2": 1}),
    **{f"iclr-{year}": partial(_iclr, year) for year in range(2017, 2026)},
}
