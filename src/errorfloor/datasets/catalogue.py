"""The real sets: each one's names, what it holds, where its files are, and models to compare with.

This is the only list of them. The loaders are in modules of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from errorfloor._checks import check_choice
from errorfloor.datasets import iclr, voted
from errorfloor.datasets.dataset import Dataset
from errorfloor.datasets.files import cache, named_folder


@dataclass(frozen=True, slots=True, kw_only=True)
class RealSet:
    """A set that can be fetched.

    Attributes
    ----------
    name, in_paper, title : str
        What it is called on the command line, in the paper's tables (empty if it is in none), and
        in figures.
    items, votes, positive : str
        How many items, how many votes per item, and what class 1 is; empty for a part of a set.
    files : tuple of str
        Its files within a data folder.
    load : callable
        Loads it.
    model : str
        A model to compare with, where the paper or the authors' code has one.
    model_error : float
        That model's error or, where there is none, the share of the rarer class; for FeeBee.
    """

    name: str
    in_paper: str
    title: str
    items: str
    votes: str
    positive: str
    files: tuple[str, ...]
    load: Callable[[], Dataset]
    model: str
    model_error: float

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


def called(name: str) -> RealSet:
    """Return the set of that name, or say which there are."""
    sets = {one.name: one for one in SETS}
    return sets[check_choice(name, sets, name="NAME")]


def _chaosnli(
    part: str, *, in_paper: str, items: str, positive: str, model_error: float
) -> RealSet:
    return RealSet(
        name=f"chaosnli-{part}",
        in_paper=in_paper,
        title=in_paper,
        items=items,
        votes="100",
        positive=positive,
        files=(voted.CHAOSNLI[part].path,),
        load=partial(voted.load_chaosnli, part),
        model="the best model",
        model_error=model_error,
    )


def _iclr(year: int, accepted: float) -> RealSet:
    return RealSet(
        name=f"iclr-{year}",
        in_paper=f"ICLR{year}",
        title=f"ICLR {year}",
        items="",
        votes="none",
        positive="accepted",
        files=(f"iclr/iclr_{year}.csv",),
        load=partial(iclr.load_iclr, year),
        model="",
        model_error=accepted,
    )


# In the order of the paper's tables. Of the model errors the paper prints that of CIFAR-10 and says
# what the others are: of a ResNet-18, of the best models distributed with ChaosNLI, and acceptance
# rates of ICLR. All are in the settings of the authors' released code.
_ACCEPTED = dict(
    zip(
        iclr.YEARS,
        (0.404082, 0.365510, 0.353770, 0.310438, 0.331149, 0.418036, 0.414821, 0.311209, 0.321528),
        strict=True,
    )
)
SETS: tuple[RealSet, ...] = (
    RealSet(
        name="cifar10h",
        in_paper="CIFAR-10",
        title="CIFAR-10",
        items="10,000",
        votes="47 to 63",
        positive="animals",
        files=(voted.CIFAR10H_VOTES.path, voted.CIFAR10H_LABELS.path),
        load=voted.load_cifar10h,
        model="a Vision Transformer",
        model_error=0.0005,
    ),
    RealSet(
        name="fashion_mnist_h",
        in_paper="Fashion-MNIST",
        title="Fashion-MNIST",
        items="10,000",
        votes="53 to 79",
        positive="tops, dresses, coats",
        files=(voted.FASHION_VOTES.path, voted.FASHION_LABELS.path),
        load=voted.load_fashion_mnist_h,
        model="a ResNet-18",
        model_error=0.0049,
    ),
    _chaosnli(
        "snli",
        in_paper="SNLI",
        items="1,514",
        positive="entailment, neutral",
        model_error=0.097094,
    ),
    _chaosnli(
        "mnli",
        in_paper="MNLI",
        items="1,599",
        positive="entailment, neutral",
        model_error=0.143840,
    ),
    _chaosnli(
        "abductive",
        in_paper="AbductiveNLI",
        items="1,532",
        positive="hypothesis 2",
        model_error=0.146867,
    ),
    RealSet(
        name="iclr",
        in_paper="ICLR2017-2025",
        title="ICLR 2017 to 2025",
        items="32,837",
        votes="none",
        positive="accepted",
        files=tuple(f"iclr/iclr_{year}.csv" for year in iclr.YEARS),
        load=iclr.load_iclr,
        model="",
        model_error=0.341588,
    ),
    *(_iclr(year, accepted) for year, accepted in _ACCEPTED.items()),
    RealSet(
        name="rte",
        in_paper="",
        title="RTE",
        items="800",
        votes="10",
        positive="follows",
        files=(voted.RTE_VOTES.path,),
        load=voted.load_rte,
        model="",
        model_error=0.5,
    ),
)
IN_PAPER = {one.in_paper: one for one in SETS if one.in_paper}
