"""The classic estimates of the floor from features: one record each, and here is their table.

They are asymptotic: with unlimited items, and neighbours that are as good as at the same place,
the floor lies between their ends. In many dimensions neighbours are far, labels of neighbours say
little about each other, and even the lower end is above the floor. So none of them is a limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from errorfloor._checks import InputError, argument, check_choice, shown
from errorfloor._typing import Counts, Floats
from errorfloor.features.neighbours import (
    Lists,
    RoundedCloud,
    all_squares,
    nearest,
    nearest_apart,
)

# Votes of neighbours; those at equal distances share a place. Who is whose neighbour does
# not depend on labels: it is found once, and then asked for many sets of labels.

_MOST_TIED = 256  # only for speed: neighbours beyond a list; for more, all are looked at again
_SAME = 1e-9  # votes are sums of shares, which rounding moves by less


@dataclass(frozen=True, slots=True, eq=False)
class NeighbourVotes:
    """The `k` nearest others of each point, whose labels are votes on it.

    Points that are tied for the last places share them equally, so that no answer depends on the
    order of rows.

    Attributes
    ----------
    points : array of shape (n, d)
        All points.
    shares : sparse array of shape (n, n)
        How much the label of each point counts for each: 1, or less where places are shared.
    wide : dict
        The squared distance of the last place, for points with too many tied ones to keep.
    k : int
        How many votes there are on each point.
    """

    points: Floats = field(repr=False)
    shares: Any = field(repr=False)
    wide: dict[int, float] = field(repr=False)
    k: int

    @classmethod
    def of(cls, points: Floats, k: int, lists: Lists) -> NeighbourVotes:
        """Find the voters on each point; `lists` has one neighbour more, where there is one."""
        from scipy.sparse import csr_array

        n, k = len(points), min(k, lists.indices.shape[1])
        rows, columns = np.repeat(np.arange(n), k), lists.indices[:, :k].ravel()
        parts = [(rows, columns, np.ones(n * k))]
        wide: dict[int, float] = {}
        if lists.indices.shape[1] > k:
            tied = np.flatnonzero(lists.squares[:, k - 1] == lists.squares[:, k])
            kept = ~np.isin(rows, tied)
            parts = [(rows[kept], columns[kept], np.ones(np.count_nonzero(kept)))]
            longer = _longer(points, lists, tied, lists.squares[tied, k - 1])
            for row, (squares, indices) in zip(tied, longer, strict=True):
                edge = float(lists.squares[row, k - 1])
                if squares[-1] == edge and squares.size < n - 1:
                    wide[int(row)] = edge
                else:
                    near, share = _sharing(squares, edge, k)
                    parts.append((np.full(near.size, row), indices[near], share))
        at, of, shares = (np.concatenate(part) for part in zip(*parts, strict=True))
        return cls(points, csr_array((shares, (at, of)), shape=(n, n)), wide, k)

    def votes(self, codes: Counts, classes: int) -> Floats:
        """Return the votes for each class, of shape (classes, n, sets), for sets of labels.

        `codes` has a row for each set.
        """
        of_points = np.ascontiguousarray(codes.T)
        found = np.stack(
            [self.shares @ (of_points == one).astype(np.float64) for one in range(classes)]
        )
        for row, edge in self.wide.items():
            squares = all_squares(self.points, self.points[row])
            squares[row] = np.inf
            near, share = _sharing(squares, edge, self.k)
            for one in range(classes):
                found[one, row] = share @ (of_points[near] == one)
        return found


def _longer(
    points: Floats, lists: Lists, rows: Counts, edges: Floats
) -> Iterator[tuple[Floats, Counts]]:
    """Yield the lists of some points, made longer where they end with an edge."""
    n = len(points)
    short = (lists.squares[rows, -1] == edges) & (lists.indices.shape[1] < n - 1)
    most = min(lists.indices.shape[1] + _MOST_TIED, n - 1)
    if short.any():
        found = nearest_apart(RoundedCloud(points), rows[short], np.arange(n), most)
        more = zip(found.squares, found.indices, strict=True)
    for row, is_short in zip(rows, short, strict=True):
        yield next(more) if is_short else (lists.squares[row], lists.indices[row])


def _sharing(squares: Floats, edge: float, k: int) -> tuple[Counts, Floats]:
    """Return who is near up to an edge, where places are shared, and their shares."""
    inside, tied = np.flatnonzero(squares < edge), np.flatnonzero(squares == edge)
    share = (k - inside.size) / tied.size
    return np.concatenate((inside, tied)), np.repeat((1.0, share), (inside.size, tied.size))


def errors_of(votes: Floats, codes: Counts) -> Floats:
    """Return the mean chance that the majority is wrong, with equal votes drawn, for each set.

    `votes` is of shape (classes, n, sets), `codes` of shape (sets, n).
    """
    most = votes.max(axis=0) - _SAME
    own = np.take_along_axis(votes, codes.T[None], axis=0)[0]
    level = np.count_nonzero(votes >= most, axis=0)
    return np.asarray(1 - ((own >= most) / level).mean(axis=0))


# The minimum spanning tree.

_AT_ONCE = 256  # only for speed: points looked at further; what is found spares others


@dataclass(slots=True, eq=False)
class _Neighbourhoods:
    """What is known of each point: its list, and the nearest beyond that was found later.

    Attributes
    ----------
    places : array
        The first point at each place, which speaks for its copies.
    cloud : RoundedCloud
        These points.
    lists : Lists
        The nearest of each.
    edge : array of shape (n,)
        Points that are in no list and were not found later are at least that far.
    square, other : arrays of shape (n,)
        The nearest in another part when it was last looked for; it may be in the same by now.
    """

    places: Counts
    cloud: RoundedCloud
    lists: Lists
    edge: Floats
    square: Floats
    other: Counts

    @classmethod
    def of(cls, points: Floats, lists: Lists, places: Counts) -> _Neighbourhoods:
        n = len(points)
        cloud = RoundedCloud(points if places.size == n else points[places])
        edge = lists.squares[:, -1].copy()
        if lists.indices.shape[1] == n - 1:  # the lists have all
            edge[:] = np.inf
        return cls(places, cloud, lists, edge, np.full(n, np.inf), np.arange(n))

    def look(self, rows: Counts, part: Counts) -> None:
        """Find the nearest in another part."""
        at = np.searchsorted(self.places, rows)
        found = nearest_apart(self.cloud, at, part[self.places])
        self.square[rows], self.other[rows] = found.squares[:, 0], self.places[found.indices[:, 0]]
        self.edge[rows] = self.square[rows]


@dataclass(slots=True, eq=False)
class _ShortestEdges:
    """The shortest edge that leaves each part: of equal ones that of the lowest ends."""

    square: Floats
    low: Counts
    high: Counts

    @classmethod
    def none(cls, parts: int) -> _ShortestEdges:
        last = np.iinfo(np.int64).max
        return cls(np.full(parts, np.inf), np.full(parts, last), np.full(parts, last))

    def offer(self, part: Counts, square: Floats, one: Counts, other: Counts) -> None:
        """Take in an edge out of each of these parts, of which there may be equal ones."""
        parts = np.unique(part)
        part = np.concatenate((part, parts))
        square = np.concatenate((square, self.square[parts]))
        low = np.concatenate((np.minimum(one, other), self.low[parts]))
        high = np.concatenate((np.maximum(one, other), self.high[parts]))
        order = np.lexsort((high, low, square, part))
        first = order[np.flatnonzero(np.diff(part[order], prepend=-1))]
        self.square[parts], self.low[parts], self.high[parts] = (
            square[first],
            low[first],
            high[first],
        )


def spanning_tree(points: Floats, lists: Lists) -> Counts:
    """Return the edges of the minimum spanning tree as pairs of indices, the lower one first."""
    n = len(points)
    first = _same_place(lists)
    copies = np.flatnonzero(first != np.arange(n))
    known = _Neighbourhoods.of(points, lists, np.unique(first))
    keys = first[copies] * n + copies
    part, number = _parts(keys, n)
    while number > 1:
        best = _shortest(known, part, number)
        taken = best.low < n
        keys = np.unique(np.concatenate((keys, best.low[taken] * n + best.high[taken])))
        part, number = _parts(keys, n)
    return np.column_stack(np.divmod(np.sort(keys), n))


def _same_place(lists: Lists) -> Counts:
    """Return the first of the points that are at the same place as each one."""
    n = len(lists.indices)
    row, column = np.nonzero(lists.squares == 0)
    part, number = _parts(row * n + lists.indices[row, column], n)
    first = np.full(number, n)
    np.minimum.at(first, part, np.arange(n))
    return np.asarray(first[part])


def _parts(keys: Counts, n: int) -> tuple[Counts, int]:
    """Return which part each point is in, and how many there are."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    links = coo_array((np.ones(len(keys)), np.divmod(keys, n)), shape=(n, n))
    number, part = connected_components(links, directed=False)
    return part.astype(np.int64), int(number)


def _shortest(known: _Neighbourhoods, part: Counts, number: int) -> _ShortestEdges:
    """Return the shortest edge out of each part but the largest."""
    largest = np.bincount(part, minlength=number).argmax()
    active = known.places[part[known.places] != largest]
    own = part[active]
    best = _ShortestEdges.none(number)
    outside = part[known.lists.indices[active]] != own[:, None]
    column = outside.argmax(axis=1)
    listed = outside[np.arange(active.size), column]
    at = active[listed], column[listed]
    best.offer(own[listed], known.lists.squares[at], at[0], known.lists.indices[at])
    later = part[known.other[active]] != own
    found = active[later]
    best.offer(part[found], known.square[found], found, known.other[found])
    # A point's own best is known where the list has it, or what was found later is still outside.
    # Equal distances beyond the end of a list are open: the tie is decided by indices.
    sure = listed & (known.lists.squares[active, column] < known.edge[active])
    _look_further(known, part, active[~(sure | later)], best)
    return best


def _look_further(
    known: _Neighbourhoods, part: Counts, unsure: Counts, best: _ShortestEdges
) -> None:
    """Look at points whose list leaves open whether they have the shortest edge, nearest first."""
    unsure = unsure[np.argsort(known.edge[unsure], kind="stable")]
    while unsure.size:
        unsure = unsure[known.edge[unsure] <= best.square[part[unsure]]]
        some, unsure = unsure[:_AT_ONCE], unsure[_AT_ONCE:]
        if some.size:
            known.look(some, part)
            best.offer(part[some], known.square[some], some, known.other[some])


_GRID = 4096  # places between 0 and 1/2


def least_of_pairs(pairs: Floats, classes: int) -> Floats:
    """Return the least floor at which so many pairs of labels at one place differ.

    With R the share of pairs that differ, R <= F (2 - K F / (K - 1)), by Cover and Hart.
    """
    most = (classes - 1) / classes
    return np.asarray(most * (1 - np.sqrt(np.maximum(1 - pairs / most, 0.0))))


def least_of_votes(errors: Floats, k: int, classes: int) -> Floats:
    """Return the least floor at which the majority of `k` neighbours errs so often.

    Of two classes, the error at a place where the rarer one has probability p is a function of p,
    and over all places it is at most the least concave function above that, of the floor: the
    theorem of Cover and Hart for k neighbours. Of more classes the majority of k errs no more
    often than one neighbour at any place, so that the bound for pairs holds.
    """
    if classes > 2:
        return least_of_pairs(errors, classes)
    # With an even number, ties drawn by a coin, it errs as often as with one neighbour less.
    floors, most = _largest_errors(k - (k % 2 == 0))
    return np.asarray(np.interp(errors, most, floors))


@cache
def _largest_errors(k: int) -> tuple[Floats, Floats]:
    """Return floors from 0 to 1/2, and the largest share of errors of `k` votes at each."""
    from scipy.special import bdtrc

    p = np.linspace(0, 0.5, _GRID + 1)
    error = p + (1 - 2 * p) * bdtrc(k // 2, k, p)
    corners: list[int] = []
    for at in range(p.size):  # those of the least concave function above: no turn to the left
        while len(corners) > 1 and _is_below(p, error, corners[-2], corners[-1], at):
            corners.pop()
        corners.append(at)
    # From its summit on it would fall, but never does: the last point is the highest.
    return p[corners], error[corners]


def _is_below(p: Floats, error: Floats, left: int, middle: int, right: int) -> bool:
    """Tell whether a point is on or below the line between two others."""
    rise = (error[right] - error[left]) * (p[middle] - p[left])
    return bool((error[middle] - error[left]) * (p[right] - p[left]) <= rise)


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
        Whether it has a lower and an upper end next to its value.
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
SEQUENTIAL = "sequential"  # prediction from earlier items, which alone has a limit
EVERY_NAME = (SEQUENTIAL, *NAMES)


def find(name: object) -> Classic:
    """Return the classic estimate of that name, such as 1nn or knn-15."""
    stem, _, number = str(name).partition("-")
    if stem == "knn" and name != K_NEAREST.name:
        if not number.isdecimal() or not 0 < int(number) < 10**6:
            text = f" knn-K needs a whole number K of at least 1, got {shown(name)}."
            raise InputError(argument("method"), text, " knn-15 is usual.")
        return replace(K_NEAREST, name=f"knn-{int(number)}", k=int(number))
    hint = " K is any number, as in knn-15."
    check_choice(name, EVERY_NAME, name="method", hint=hint)
    record = next(record for record in RECORDS if record.name == name)
    return replace(record, name=f"knn-{record.k}") if record is K_NEAREST else record


# What the answers from features do and promise, in words for reports and documents.


@dataclass(frozen=True, slots=True)
class InWords:
    """A way to answer from features, in words."""

    explains: str
    promise: str
    references: tuple[str, ...]


_SEQUENTIAL = InWords(
    "Each item is predicted by the model that did best on the later half of the items before it, "
    "fitted to earlier items alone. The value is the share of errors: an upper estimate.",
    "The upper limit of Clopper and Pearson for the errors of predictions from earlier items "
    "alone, exact at any number of items, for any models and features. The lower limit is 0, as "
    "with one label per item there is no other.",
    ("C. Clopper and E. Pearson, Biometrika 26, 1934.",),
)


def in_words(method: str) -> InWords:
    """Return what a method does and promises."""
    if method == SEQUENTIAL:
        return _SEQUENTIAL
    record = find(method)
    promise = "There is no interval: the ends hold with unlimited items, and not always then."
    return InWords(record.explains, promise, record.references)
