"""The real sets by name: what they are, where their files are."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from errorfloor._checks import check_choice
from errorfloor.datasets import chaosnli, cifar10h, fashion_mnist_h, iclr
from errorfloor.datasets.dataset import Dataset
from errorfloor.datasets.files import cache, named_folder
from errorfloor.tables import replacing


@dataclass(frozen=True, slots=True)
class RealSet:
    """A set that can be fetched."""

    name: str
    items: str
    votes: str
    positive: str
    files: tuple[str, ...]
    load: Callable[[], Dataset]

    def paths(self) -> list[Path]:
        """Return where its files are, or will be."""
        root = folder()
        return [root / file for file in self.files]

    @property
    def is_here(self) -> bool:
        """Whether all of its files are on this machine."""
        try:
            return all(path.is_file() for path in self.paths())
        except ImportError:  # what fetches is not installed, so nothing was fetched
            return False


def folder() -> Path:
    """Return the folder that the user names, or else the cache."""
    named = named_folder(None)
    if named is not None:
        return named
    try:
        return cache()
    except ImportError as error:
        raise ImportError(f"{error}: pip install 'errorfloor[data]'.") from error


def all_sets() -> list[RealSet]:
    """Return every set; the years of ICLR both together and alone."""
    files = tuple(f"iclr/iclr_{year}.csv" for year in iclr.YEARS)
    return [
        RealSet(
            "cifar10h",
            "10,000",
            "47 to 63",
            "animals",
            (cifar10h.VOTES.path, cifar10h.LABELS.path),
            cifar10h.load_cifar10h,
        ),
        RealSet(
            "fashion_mnist_h",
            "10,000",
            "53 to 79",
            "tops, dresses, coats",
            (fashion_mnist_h.VOTES.path, fashion_mnist_h.LABELS.path),
            fashion_mnist_h.load_fashion_mnist_h,
        ),
        *(
            RealSet(f"chaosnli-{part}", items, "100", positive, (file.path,), _chaosnli(part))
            for (part, file), items, positive in zip(
                chaosnli.PARTS.items(),
                ("1,514", "1,599", "1,532"),
                ("entailment, neutral", "entailment, neutral", "hypothesis 2"),
                strict=True,
            )
        ),
        RealSet("iclr", "32,837", "none", "accepted", files, iclr.load_iclr),
        *(
            RealSet(f"iclr-{year}", "", "none", "accepted", (file,), _iclr(year))
            for year, file in zip(iclr.YEARS, files, strict=True)
        ),
    ]


def set_called(name: str) -> RealSet:
    """Return the set of that name, or say which there are."""
    sets = {one.name: one for one in all_sets()}
    return sets[check_choice(name, sets, name="NAME")]


def save_csv(data: Dataset, path: str | os.PathLike[str]) -> None:
    """Write a set as CSV: id, score, label, and the votes if it has any."""
    columns: dict[str, list[object]] = {
        "id": data.ids.tolist(),
        "score": data.scores.tolist(),
        "label": data.labels.astype(int).tolist(),
    }
    if data.votes is not None:
        columns |= {"positives": data.positives.tolist(), "total": data.totals.tolist()}
    lines = io.StringIO()
    rows = csv.writer(lines, lineterminator="\n")
    rows.writerow(columns)
    rows.writerows(zip(*columns.values(), strict=True))
    with replacing(path) as file:
        file.write(lines.getvalue().encode())


def _chaosnli(part: str) -> Callable[[], Dataset]:
    return lambda: chaosnli.load_chaosnli(part)


def _iclr(year: int) -> Callable[[], Dataset]:
    return lambda: iclr.load_iclr(year)
