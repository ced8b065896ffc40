"""The classic estimates of the floor from features: one record each, and here is their table.

They are asymptotic: with unlimited items, and neighbours that are as good as at the same place,
the floor lies between their ends. In many dimensions neighbours are far, labels of neighbours say
little about each other, and even the lower end is above the floor. So none of them is a limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from errorfloor._checks import InputError, argument, check_choice, shown
from errorfloor._typing import Counts, Floats
from errorfloor.features.bounds import least_of_pairs, least_of_votes
from errorfloor.features.neighbours import Lists, nearest
from errorfloor.features.tree import spanning_tree
from errorfloor.features.votes import NeighbourVotes, errors_of

_LISTED = 10  # neighbours that a spanning tree begins with
_ORDERS = 8  # of rows, where distances are tied


class Ends(NamedTuple):
    """Between what a classic estimate puts the floor; low and high are None where it has no ends.

    Numbers, or arrays with one for each set of labels.
    """

    value: Any
    low: Any
    high: Any


Measure: TypeAlias = Callable[[Counts, int], Ends]  # from sets of labels and number of classes


@dataclass(frozen=True, slots=True, eq=False)
class Classic:
    """A classic estimate of the floor from features.

    Attributes
    ----------
    name : str
        As it is asked for.
    k : int
        How many neighbours it looks at; 0 for none.
    bind : callable
        From points, their neighbours and `k`, all that takes time and needs no labels, to a
        function from sets of labels to ends.
    has_ends : bool
        Whether it has a lower and an upper end beside its value.
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
    bind: Callable[[Floats, Lists, int], Measure]
    has_ends: bool
    fails_from: int
    explains: str
    assumes: str
    references: tuple[str, ...]

    def ends(self, points: Floats, codes: Counts, classes: int, device: str | None = None) -> Ends:
        """Return between what it puts the floor; neighbours are looked for on the device."""
        lists = neighbours_for([self], points, device)
        found = self.bind(points, lists, self.k)(codes[None], classes)
        return Ends(*(None if one is None else float(one[0]) for one in found))


def neighbours_for(records: Iterable[Classic], points: Floats, device: str | None = None) -> Lists:
    """Return neighbours that are enough for all of these."""
    return nearest(points, max(_LISTED, *(record.k + 1 for record in records)), device=device)


def _one_nearest(points: Floats, lists: Lists, k: int) -> Measure:
    voters = NeighbourVotes.of(points, k, lists)

    def measure(codes: Counts, classes: int) -> Ends:
        own = np.take_along_axis(voters.votes(codes, classes), codes.T[None], axis=0)[0]
        return _of_pairs(1 - own.mean(axis=0), classes)

    return measure


def _of_pairs(pairs: Floats, classes: int) -> Ends:
    return _between(least_of_pairs(pairs, classes), pairs, classes)


def _between(low: Floats, errors: Floats, classes: int) -> Ends:
    high = np.minimum(errors, (classes - 1) / classes)
    return Ends((low + high) / 2, low, high)


def _k_nearest(points: Floats, lists: Lists, k: int) -> Measure:
    voters = NeighbourVotes.of(points, k, lists)

    def measure(codes: Counts, classes: int) -> Ends:
        errors = errors_of(voters.votes(codes, classes), codes)
        return _between(least_of_votes(errors, voters.k, classes), errors, classes)

    return measure


def _tree(points: Floats, lists: Lists, k: int) -> Measure:
    n = len(points)
    tied = bool((lists.squares[:, 1:] == lists.squares[:, :-1]).any())
    generator = np.random.default_rng(0)
    # Of edges of one length the tree takes those of the first rows: which rows these are must not
    # matter, so that several orders are averaged.
    orders = [generator.permutation(n) for _ in range(_ORDERS)] if tied else [np.arange(n)]
    trees = [one[spanning_tree(points[one], lists.in_order(one))] for one in orders]

    def measure(codes: Counts, classes: int) -> Ends:
        between = [(codes[:, tree[:, 0]] != codes[:, tree[:, 1]]).sum(axis=1) for tree in trees]
        return _of_pairs(np.mean(between, axis=0) / n, classes)

    return measure


def _ensemble(points: Floats, lists: Lists, k: int) -> Measure:
    """Bind a weighted mean over grids, whose weights cancel what the width of cells adds.

    What a width t adds is a polynomial in t; the shortest weights that sum to 1 and make the sums
    of the first powers of t vanish cancel it.
    """
    n, dimensions = points.shape
    scale = points.std(axis=0)
    x = (points - points.mean(axis=0)) / np.where(scale > 0, scale, 1.0)
    sizes = np.linspace(1.0, _WIDEST, _GRIDS)
    powers = np.vander(sizes / _WIDEST, min(dimensions, _POWERS) + 1, increasing=True).T
    weights = np.linalg.lstsq(powers, np.eye(len(powers))[0], rcond=None)[0]
    grids = [_shared_cells(x, width) for width in sizes * n ** (-1 / (2 * dimensions))]

    def measure(codes: Counts, classes: int) -> Ends:
        found = [_minority(codes, classes, *cells) for cells in grids]
        value = weights @ np.array(found) / n
        return Ends(np.clip(value, 0.0, (classes - 1) / classes), None, None)

    return measure


# Grids of cells: the widest before the number of items narrows it, in standard deviations; how
# many grids; and how many powers of the width cancel.
_WIDEST, _GRIDS, _POWERS = 4.0, 20, 3


def _shared_cells(x: Floats, width: float) -> tuple[Counts, Counts]:
    """Return the items that are not alone in their cell of a grid, and which cell they are in."""
    cells = np.floor(x / width).astype(np.int64)
    # A sum of odd multiples, which wraps around, tells cells apart as hashing does.
    odd = np.random.default_rng(0).integers(2**62, size=x.shape[1]) * 2 + 1
    _, place, sizes = np.unique((cells * odd).sum(axis=1), return_inverse=True, return_counts=True)
    items = np.flatnonzero(sizes[place] > 1)  # only for speed: of others none is a minority
    return items, np.unique(place[items], return_inverse=True)[1]


def _minority(codes: Counts, classes: int, items: Counts, place: Counts) -> Counts:
    """Return how many items are not of the most frequent class of their cell, for each set."""
    number = int(place.max(initial=-1)) + 1
    at = place * classes
    found = np.empty(len(codes), dtype=np.int64)
    for i, one in enumerate(codes):
        counts = np.bincount(at + one[items], minlength=number * classes)
        found[i] = items.size - counts.reshape(number, classes).max(axis=1, initial=0).sum()
    return found


_SAME_PLACE = "With unlimited items, so that neighbours are as good as at the same place"
ONE_NEAREST = Classic(
    name="1nn",
    k=1,
    bind=_one_nearest,
    has_ends=True,
    fails_from=10,
    explains="The leave-one-out error of the nearest neighbour is the upper end; the least floor "
    "that allows such an error, by Cover and Hart, is the lower one.",
    assumes=_SAME_PLACE,
    references=("T. Cover and P. Hart, IEEE Transactions on Information Theory 13, 1967.",),
)
K_NEAREST = Classic(
    name="knn-K",
    k=15,
    bind=_k_nearest,
    has_ends=True,
    fails_from=10,
    explains="The leave-one-out error of the majority of K neighbours is the upper end; the least "
    "floor that allows such an error is the lower one: by Cover and Hart's theorem for K "
    "neighbours where there are two classes, by that for one neighbour where there are more.",
    assumes=_SAME_PLACE,
    references=(
        "T. Cover and P. Hart, IEEE Transactions on Information Theory 13, 1967.",
        "P. Devijver, Pattern Recognition Letters 3, 1985.",
    ),
)
SPANNING_TREE = Classic(
    name="ghp",
    k=0,
    bind=_tree,
    has_ends=True,
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
    bind=_ensemble,
    has_ends=False,
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
