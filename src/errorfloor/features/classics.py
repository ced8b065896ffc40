"""The classic estimates of the floor from features: one record each, and here is their table.

They are asymptotic: with unlimited items, and neighbours that are as good as at the same place,
the floor lies between their ends. In many dimensions neighbours are far, labels of neighbours say
little about each other, and even the lower end is above the floor. So none of them is a limit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from errorfloor._checks import InputError, argument, check_choice, shown
from errorfloor._typing import Counts, Floats
from errorfloor.features.neighbours import Lists, nearest
from errorfloor.features.tree import spanning_tree
from errorfloor.features.votes import errors_of, votes_of

_LISTED = 10  # neighbours that a spanning tree begins with
_ORDERS = 8  # of rows, where distances are tied


class Ends(NamedTuple):
    """Between what a classic estimate puts the floor; both None where it has no ends."""

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True, eq=False)
class Classic:
    """A classic estimate of the floor from features.

    Attributes
    ----------
    name : str
        As it is asked for.
    k : int
        How many neighbours it looks at; 0 for none.
    run : callable
        From points, codes, the number of classes, neighbours and `k` to its ends.
    fails_from : int
        Dimensions from which its lower end was above the floor on made data, or its value far
        off; see the record in the documentation.
    explains, assumes : str
        What it does, and what has to hold; for people.
    references : tuple of str
        Where it comes from.
    """

    name: str
    k: int
    run: Callable[[Floats, Counts, int, Lists, int], Ends]
    fails_from: int
    explains: str
    assumes: str
    references: tuple[str, ...]

    def ends(self, points: Floats, codes: Counts, classes: int) -> Ends:
        """Return between what it puts the floor."""
        lists = nearest(points, max(self.k + 1, _LISTED))
        return self.run(points, codes, classes, lists, self.k)


def risk_behind(pairs: float, classes: int) -> float:
    """Return the least floor at which so many pairs of labels at one place differ, by Cover-Hart.

    With R the share of pairs that differ, R <= F (2 - K F / (K - 1)).
    """
    most = (classes - 1) / classes
    return float(most * (1 - np.sqrt(max(1 - pairs / most, 0.0))))


def _one_nearest(points: Floats, codes: Counts, classes: int, lists: Lists, k: int) -> Ends:
    votes = votes_of(points, codes, classes, 1, lists)
    return _cover_hart(float(1 - votes[np.arange(len(codes)), codes].mean()), classes)


def _cover_hart(pairs: float, classes: int) -> Ends:
    most = (classes - 1) / classes
    low, high = risk_behind(pairs, classes), min(pairs, most)
    return Ends((low + high) / 2, low, high)


def _k_nearest(points: Floats, codes: Counts, classes: int, lists: Lists, k: int) -> Ends:
    votes = votes_of(points, codes, classes, k, lists)
    low = float(1 - (votes.max(axis=1) / votes.sum(axis=1)).mean())
    high = min(float(errors_of(votes, codes).mean()), (classes - 1) / classes)
    return Ends((low + high) / 2, low, high)


def _tree(points: Floats, codes: Counts, classes: int, lists: Lists, k: int) -> Ends:
    n = len(codes)
    tied = bool((lists.squares[:, 1:] == lists.squares[:, :-1]).any())
    generator = np.random.default_rng(0)
    between = []
    # Of edges of one length the tree takes those of the first rows: which rows these are must not
    # matter, so that several orders are averaged.
    for order in [generator.permutation(n) for _ in range(_ORDERS)] if tied else [np.arange(n)]:
        x, y = points[order], codes[order]
        edges = spanning_tree(x, lists.in_order(order))
        between.append((y[edges[:, 0]] != y[edges[:, 1]]).sum())
    return _cover_hart(float(np.mean(between)) / n, classes)


def _ensemble(points: Floats, codes: Counts, classes: int, lists: Lists, k: int) -> Ends:
    """Return a weighted mean over grids, whose weights cancel what the width of cells adds.

    What a width t adds is a polynomial in t; the shortest weights that sum to 1 and make the sums
    of the first powers of t vanish cancel it.
    """
    n, dimensions = points.shape
    scale = points.std(axis=0)
    x = (points - points.mean(axis=0)) / np.where(scale > 0, scale, 1.0)
    sizes = np.linspace(1.0, _WIDEST, _GRIDS)
    powers = np.vander(sizes / _WIDEST, min(dimensions, _POWERS) + 1, increasing=True).T
    weights = np.linalg.lstsq(powers, np.eye(len(powers))[0], rcond=None)[0]
    widths = sizes * n ** (-1 / (2 * dimensions))
    shares = np.array([_minority(x, codes, classes, width) for width in widths])
    return Ends(float(np.clip(weights @ shares, 0.0, (classes - 1) / classes)), None, None)


# Grids of cells: the widest before the number of items narrows it, in standard deviations; how
# many grids; and how many powers of the width cancel.
_WIDEST, _GRIDS, _POWERS = 4.0, 20, 3


def _minority(x: Floats, codes: Counts, classes: int, width: float) -> float:
    """Return the share of items that are not of the most frequent class of their cell."""
    cells = np.floor(x / width).astype(np.int64)
    # A sum of odd multiples, which wraps around, tells cells apart as hashing does.
    odd = np.random.default_rng(0).integers(2**62, size=x.shape[1]) * 2 + 1
    _, place = np.unique((cells * odd).sum(axis=1), return_inverse=True)
    counts = np.bincount(place * classes + codes, minlength=(place.max() + 1) * classes)
    return float(1 - counts.reshape(-1, classes).max(axis=1).sum() / len(codes))


_SAME_PLACE = "With unlimited items, so that neighbours are as good as at the same place"
ONE_NEAREST = Classic(
    name="1nn",
    k=1,
    run=_one_nearest,
    fails_from=10,
    explains="The leave-one-out error of the nearest neighbour is the upper end; the least floor "
    "that allows such an error, by Cover and Hart, is the lower one.",
    assumes=_SAME_PLACE,
    references=("T. Cover and P. Hart, IEEE Transactions on Information Theory 13, 1967.",),
)
K_NEAREST = Classic(
    name="knn-K",
    k=15,
    run=_k_nearest,
    fails_from=10,
    explains="The leave-one-out error of K neighbours is the upper end; the mean share of "
    "neighbours outside their majority is the lower one.",
    assumes=_SAME_PLACE,
    references=(
        "P. Devijver, Pattern Recognition Letters 3, 1985.",
        "K. Fukunaga and L. Hostetler, IEEE Transactions on Information Theory 21, 1975.",
    ),
)
SPANNING_TREE = Classic(
    name="ghp",
    k=0,
    run=_tree,
    fails_from=10,
    explains="Edges of the minimum spanning tree between classes measure the Henze-Penrose "
    "divergence, which bounds the floor from both sides.",
    assumes=_SAME_PLACE,
    references=(
        "V. Berisha et al., IEEE Transactions on Signal Processing 64, 2016.",
        "S. Sekeh, B. Oselio and A. Hero, IEEE Transactions on Signal Processing 68, 2020.",
    ),
)
BENCHMARK = Classic(
    name="noshad",
    k=0,
    run=_ensemble,
    fails_from=3,
    explains="Minority shares in the cells of grids of several widths, weighted so that what the "
    "width adds cancels. It has no ends.",
    assumes="With unlimited items, in few dimensions, and smooth densities",
    references=("M. Noshad, L. Xu and A. Hero, arXiv:1909.07192, 2019.",),
)
RECORDS = (ONE_NEAREST, K_NEAREST, SPANNING_TREE, BENCHMARK)
NAMES = tuple(record.name for record in RECORDS)


def find(name: object) -> Classic:
    """Return the classic estimate of that name, such as 1nn or knn-15."""
    stem, _, number = str(name).partition("-")
    if stem == "knn" and name != K_NEAREST.name:
        if not number.isdecimal() or not 0 < int(number) < 10**6:
            text = f" knn-K needs a whole number K of at least 1, got {shown(name)}."
            raise InputError(argument("method"), text, " knn-15 is usual.")
        return replace(K_NEAREST, name=f"knn-{int(number)}", k=int(number))
    hint = " K is any number, as in knn-15."
    check_choice(name, ("sequential", *NAMES), name="method", hint=hint)
    record = next(record for record in RECORDS if record.name == name)
    return replace(record, name=f"knn-{record.k}") if record is K_NEAREST else record
