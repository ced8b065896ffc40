"""A sample: items in cells of equal ones, what was seen of them, and how they were drawn.

Resampling, noise, folds and sharding change only the counts of cells. This is the one module of
statistics that knows whether items weigh differently or belong together; where they do not, an
item weighs 1 and is a unit of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from errorfloor._typing import Bools, Counts, Floats
    from errorfloor.data.entries import Entries

# From so many items on, one multinomial draw for a cell takes less time than drawing its items.
MANY_ITEMS = 16
# From so many items per cell on, so many at a time are divided.
FULL, BLOCK = 4, 2**17  # only for speed
_MOST_SMALL = 127  # that eight bits hold
# Units of which it is taken for granted that all, and none, of their items lose: a variance that
# comes from two or three of them alone would be as often far too small.
PSEUDO = 2.0
DOUBT = 0.5  # units by which it is taken for granted that the items of a cluster are equal
APART = 8  # rows at either end of a run; seldom are all of them held out together
# From a purpose, such as "folds", to random numbers for it: always the same ones in an estimate.
Draw: TypeAlias = Callable[[str], np.random.Generator]


# How the items of cells are divided at random into parts.


def each_part(count: Counts, parts: int, rng: np.random.Generator) -> Iterator[NDArray[Any]]:
    """Yield the parts of `split` one by one, as whole numbers of any type.

    Where most cells are one item, a part is in single bytes: small arrays take less time than one
    of all parts. `sum` counts them in 64 bits, but a product with `@` would run over.
    """
    items = int(count.sum())
    few = count.max(initial=0) <= min(MANY_ITEMS * parts, _MOST_SMALL)
    if not (few and count.min(initial=1) > 0 and items <= 2 * count.size):
        yield from split(count, parts, rng)
        return
    place = rng.integers(parts, size=items)
    place = place.astype(np.min_scalar_type(parts))  # only for speed
    start = np.cumsum(count) - count
    first, others = place[start], np.delete(place, start)
    cell = np.repeat(np.arange(count.size), count - 1)
    for part in range(parts):
        own = (first == part).view(np.int8)
        np.add.at(own, cell[others == part], 1)
        yield own


def split(
    count: Counts, parts: int, rng: np.random.Generator, *, into: Counts | None = None
) -> Counts:
    """Divide the items of the cells at random, with equal chances; shape (parts, cells).

    With `into`, which has an ascending number from 0 on for each part, those of one number are
    put together.
    """
    many = count > MANY_ITEMS * parts
    few = np.where(many, 0, count) if many.any() else count
    blocks = [_divided(few[start:end], parts, rng, into) for start, end in pairwise(_ends(few))]
    divided = blocks[0] if len(blocks) == 1 else np.concatenate(blocks, axis=1)
    if many.any():
        drawn = rng.multinomial(count[many], np.full(parts, 1 / parts)).T
        start = None if into is None else np.flatnonzero(np.diff(into, prepend=-1))
        divided[:, many] = drawn if start is None else np.add.reduceat(drawn, start)
    return divided


def _divided(count: Counts, parts: int, rng: np.random.Generator, into: Counts | None) -> Counts:
    """Divide items one by one; in blocks of cells they draw what all of them would at once."""
    cell = np.arange(count.size)
    if not (count == 1).all():
        cell = np.repeat(cell, count)
    place = rng.integers(parts, size=cell.size)
    if into is not None:
        place = into[place]
    number = parts if into is None else int(into[-1]) + 1
    place *= count.size
    place += cell
    return np.bincount(place, minlength=number * count.size).reshape(number, count.size)


def _ends(count: Counts) -> list[int]:
    """Return where blocks of cells begin and end whose counts stay in the processor's cache."""
    behind = np.cumsum(count)
    items = int(count.sum())
    if items <= FULL * count.size:  # only for speed: as much to put together as to count
        return [0, count.size]
    ends = np.searchsorted(behind, np.arange(BLOCK, items, BLOCK)) + 1
    return [0, *np.unique(np.append(ends, count.size)).tolist()]


# What items of unequal weight are worth: as many equal ones as would vary as much. After E. Korn
# and B. Graubard, "Confidence intervals for proportions with small expected number of positive
# counts estimated from survey data", Survey Methodology 24, 1998.


@dataclass(frozen=True, eq=False)
class Losses:
    """What the items of each cell lose, and the squares of it, added up; not yet weighted."""

    total: Floats
    squares: Floats
    most: float = 1.0  # that any of them might have lost

    @classmethod
    def of(cls, count: Any, each: Floats, squares: Floats | None = None) -> Losses:
        """Return what so many items of each cell lose, from the mean loss and the mean square."""
        return cls(count * each, count * (each**2 if squares is None else squares))

    def __add__(self, other: Losses) -> Losses:
        total, squares = self.total + other.total, self.squares + other.squares
        return Losses(total, squares, max(self.most, other.most))


@dataclass(frozen=True, eq=False)
class Kinds:
    """Kinds of items whose losses are similar: all of them, or negatives and positives."""

    of: NDArray[np.intp]  # of each cell
    usual: Floats  # what an item loses that loses anything
    centre: Callable[[Any, Any], Floats]  # from what kinds weigh and lose to mean losses
    unit: Callable[[float], Floats]  # what a pseudo unit weighs, if so much of a cluster goes along
    heavier: Floats  # how much more such a unit weighs where it loses

    @classmethod
    def one(cls, sample: Sample, usual: float) -> Kinds:
        """Return all items as one kind."""
        of, ones = np.zeros(sample.count.size, dtype=np.intp), np.ones(1)
        return cls(of, ones * usual, _mean, lambda share: ones * sample.typical(share), ones)


def _mean(mass: Floats, total: Floats) -> Floats:
    return total / mass


def equal_item(sample: Sample, losses: Losses, kinds: Kinds) -> float:
    """Return what each of the equal items weighs whose mean loss would vary as much.

    `PSEUDO` typical units that lose the usual and as many that lose nothing are added to each kind
    of item. It is what a typical unit weighs where nothing is lost.
    """
    unit = kinds.unit(_correlation(sample, losses, kinds))
    weigh = partial(np.bincount, kinds.of, minlength=kinds.usual.size)
    mass, total = weigh(sample.masses), weigh(sample.mass(losses.total))
    centre = kinds.centre(mass + 2 * PSEUDO * unit, total + PSEUDO * unit * kinds.usual)
    far, spread = _around(sample, losses, centre[kinds.of])
    ill, well = (kinds.usual - centre) ** 2, centre**2
    far += PSEUDO * float(unit**2 @ (kinds.heavier * ill + well))
    spread += PSEUDO * float(unit @ (ill + well))
    return far / spread if spread > 0 else sample.unit


def _correlation(sample: Sample, losses: Losses, kinds: Kinds) -> float:
    """Return how far the items of a cluster go along: their correlation within clusters.

    That is 1 until some units that lose tell otherwise.
    """
    if sample.cluster is None:
        return 0.0
    weigh = partial(np.bincount, kinds.of, minlength=kinds.usual.size)
    parts = sample.masses, sample.mass(losses.total), sample.mass(losses.squares)
    mass, total, squares = (weigh(part) for part in parts)
    centre = kinds.centre(mass, total)
    within, between = (
        _around(units, losses, centre[kinds.of])[0] for units in (sample.items, sample)
    )
    most = float((squares - 2 * centre * total + centre**2 * mass) @ kinds.unit(1.0))
    found = 1.0
    if most > within:
        found = min(max((between - within) / (most - within), 0.0), 1.0)
    number = total.sum() ** 2 / squares.sum() / sample.unit if squares.any() else 0.0
    return float((number * found + DOUBT) / (number + DOUBT))


def _around(sample: Sample, losses: Losses, centre: Any) -> tuple[float, float]:
    """Return squared sums of units' weighted distances from a centre, and items' of weight 1.

    Those of clusters are as many more as their number of freedoms lacks of them.
    """
    far = losses.squares - 2 * centre * losses.total + centre**2 * sample.count
    spread = max(float(sample.mass(far).sum()), 0.0)
    if sample.cluster is None:
        return max(float(sample.mass(sample.mass(far)).sum()), 0.0), spread
    sums = np.bincount(sample.cluster, sample.mass(losses.total - centre * sample.count))
    return float(sums @ sums) * sums.size / max(sums.size - 1, 1), spread


# The sample itself.


@dataclass(frozen=True, eq=False)
class Sample:
    """Items in cells, by row.

    Attributes
    ----------
    seen : array of shape (rows,) or (rows, classes)
        What was seen of the items of each row: a score, or the probability of class 1, of two
        classes; else scores, probabilities or votes with a column for each class.
    row : array of shape (cells,)
        Row of each cell.
    label : array of shape (cells,), optional
        Class of each cell's items, where they have one. Of two classes the positive cell of a row
        comes first. So a running sum of positives less negatives that ends inside a row is no
        smaller than the one that ends before it, and a minimum over all is one over true cuts.
    count : array of shape (cells,)
        Number of items.
    weight : array of shape (cells,), optional
        What each item weighs, where items weigh differently or belong together.
    cluster : array of shape (cells,), optional
        Which of them belong together, from 0 on.
    unlabelled : array of shape (rows,), optional
        Items of each row without a label.
    unseen : float
        Share of the items that a cut inside merged rows may err on less.
    """

    seen: Any
    row: NDArray[np.intp]
    label: Any
    count: Counts
    weight: Floats | None = None
    cluster: Counts | None = None
    unlabelled: Counts | None = None
    unseen: float = 0.0

    @classmethod
    def of_rows(cls, seen: Any, count: Counts, weight: Any = None, cluster: Any = None) -> Self:
        """Return items without labels, a cell for each row."""
        return cls(seen, np.arange(len(seen)), None, count, weight, cluster)

    @classmethod
    def of_votes(cls, positives: Counts, totals: Counts, count: Counts, *drawn: Any) -> Self:
        """Return items with votes for one of two classes."""
        return cls.of_rows(np.column_stack((totals - positives, positives)), count, *drawn)

    @classmethod
    def of_entries(cls, seen: Any, entries: Entries, *, labelled: bool) -> Self:
        """Return items that weigh differently or belong together."""
        own = entries.relative
        row, cluster = own.row.astype(np.intp), own.cluster
        if cluster is not None:
            cluster = np.unique(cluster, return_inverse=True)[1].astype(np.int64)
        drawn = own.count, own.weight, cluster
        if labelled:
            return cls(seen, row, own.label.astype(np.intp), *drawn)
        return cls.of_rows(seen[row], *drawn)

    def __len__(self) -> int:
        return int(self.count.size)

    # What was seen --------------------------------------------------------------------------

    @property
    def scores(self) -> Floats:
        """What was seen, of scores."""
        return self.seen  # type: ignore[no-any-return]

    @property
    def probabilities(self) -> Floats:
        """What was seen, of soft labels."""
        return self.seen  # type: ignore[no-any-return]

    @property
    def votes(self) -> Counts:
        """What was seen, of votes."""
        return self.seen  # type: ignore[no-any-return]

    @property
    def positives(self) -> Counts:
        """Votes for the second of two classes."""
        return self.seen[:, 1]  # type: ignore[no-any-return]

    @property
    def classes(self) -> int:
        """Number of classes."""
        return 2 if self.seen.ndim == 1 else int(self.seen.shape[1])

    @cached_property
    def positive(self) -> Bools:
        """Which cells have the label 1."""
        return np.asarray(self.label == 1)

    @cached_property
    def totals(self) -> Counts:
        """All votes on the items of each row."""
        return np.asarray(self.seen.sum(axis=1))

    @cached_property
    def starts(self) -> NDArray[np.intp]:
        """Index of the first cell of each row."""
        if self.ends.size == len(self.seen) + 1:  # only for speed: all rows have cells
            return self.ends[:-1]
        return np.searchsorted(self.row, np.arange(len(self.seen)))

    @cached_property
    def ends(self) -> NDArray[np.intp]:
        """How many cells lie before all rows, and up to the end of each that has any."""
        last = np.flatnonzero(self.row[1:] != self.row[:-1]) + 1
        return np.concatenate(([0], last, [self.row.size]))

    def by_row(self, masses: Floats | Counts) -> tuple[Floats, Floats]:
        """Return the negatives and the positives of each row of the sample, for each of masses.

        Rows without items, such as those with none of a label, have 0 of both.
        """
        wide = np.asarray(masses, dtype=np.float64)
        first = self.ends[:-1]
        every, ones = (np.add.reduceat(own, first, axis=-1) for own in (wide, wide * self.positive))
        if first.size == len(self.seen):
            return every - ones, ones
        found = np.zeros((2, *wide.shape[:-1], len(self.seen)))
        found[..., self.row[first]] = every - ones, ones
        return found[0], found[1]

    def by_class(self, masses: Floats | Counts) -> tuple[Any, Any]:
        """Return what the negatives and the positives weigh, for each row of masses."""
        ones = masses @ self.positive.astype(np.int64)  # parts are of narrow integers
        return masses.sum(axis=-1) - ones, ones

    @cached_property
    def sizes(self) -> tuple[float, float]:
        """What all negatives and all positives weigh."""
        ones = float(self.masses[self.positive].sum())
        return self.total - ones, ones

    # How items were drawn -------------------------------------------------------------------

    def mass(self, counts: Any) -> Any:
        """Return what so many items of each cell weigh: their number, where all weigh the same."""
        return counts if self.weight is None else counts * self.weight

    @cached_property
    def masses(self) -> Any:
        """What the items of each cell weigh together."""
        return self.mass(self.count)

    @cached_property
    def total(self) -> float:
        """What all items weigh together."""
        return float(self.masses.sum())

    @cached_property
    def each(self) -> Floats:
        """What an item of each cell weighs."""
        return np.ones(self.count.size) if self.weight is None else self.weight

    def weight_of(self, cells: Any) -> Floats | None:
        """Return what an item of some cells weighs, where that is not the same for all."""
        return None if self.weight is None else self.weight[cells]

    @property
    def is_counted(self) -> bool:
        """Whether items need only be counted: all weigh the same and stand alone."""
        return self.weight is None

    @property
    def has_equal_weights(self) -> bool:
        """Whether every item weighs the same."""
        return self.weight is None or float(self.weight.min()) == float(self.weight.max())

    @property
    def clusters(self) -> int:
        """Number of clusters; 0 where items do not belong together."""
        return 0 if self.cluster is None else int(self.cluster.max()) + 1

    @property
    def items(self) -> Sample:
        """The same with each item a unit of its own."""
        return self if self.cluster is None else replace(self, cluster=None)

    def counted(self, count: Counts) -> Self:
        """Return the same cells with other counts."""
        return replace(self, count=count)

    def among(self, cells: NDArray[np.intp]) -> Sample:
        """Return some cells, in order, maybe several times each."""
        weight = None if self.weight is None else self.weight[cells]
        cluster = None if self.cluster is None else self.cluster[cells]
        label, count = self.label[cells], self.count[cells]
        return Sample(self.seen, self.row[cells], label, count, weight, cluster)

    def only(self, own: Bools) -> Self:
        """Return the items of some cells."""
        return self.counted(np.where(own, self.count, 0))

    def reweighted(self, factor: Any) -> Self:
        """Return the same where items weigh so many times as much; equal ones stay as they are."""
        return self if self.weight is None else replace(self, weight=self.weight * factor)

    @cached_property
    def unit(self) -> float:
        """What a typical unit weighs: so many of them would vary as all units do."""
        if self.weight is None:
            return 1.0
        if self.cluster is None:
            return float(self.masses @ self.weight) / self.total
        sums = np.bincount(self.cluster, self.masses)
        return float(sums @ sums) / self.total

    @property
    def units(self) -> float:
        """Number of units of equal weight that would tell as much."""
        return self.total / self.unit

    def typical(self, correlation: float) -> float:
        """Return what a typical item weighs, or as much of a cluster as goes along."""
        return self.items.unit + (self.unit - self.items.unit) * correlation

    @cached_property
    def freedom(self) -> float:
        """Degrees of freedom of a variance that is the sum of the units' squares, at least 1.

        Satterthwaite's, for units whose deviations vary as they weigh; endless where all weigh the
        same, as the variance of a share is then known from the share.
        """
        if self.weight is None:
            return float("inf")
        if self.cluster is None:
            squared = self.weight * self.weight
            fourth = float((self.count * squared) @ squared)
        else:
            squared = np.bincount(self.cluster, self.masses).astype(np.float64) ** 2
            fourth = float(squared @ squared)
        return max((self.unit * self.total) ** 2 / fourth - 1, 1.0)

    def squares(self, values: Floats) -> float:
        """Return the sum over units of squared sums of weight times value."""
        if self.cluster is None:
            return float(self.count @ (self.each * values) ** 2)
        sums = np.bincount(self.cluster, self.masses * values)
        return float(sums @ sums)

    def in_units(self, values: Floats) -> tuple[Floats, Floats, Counts]:
        """Return the mean value of each unit, what it weighs, and how many such units there are."""
        if self.cluster is None:
            return values, self.each, self.count
        mass = np.bincount(self.cluster, self.masses)
        sums = np.bincount(self.cluster, self.masses * values)
        return sums / mass, mass.astype(np.float64), np.ones(mass.size, dtype=np.int64)

    def equal_item(self, losses: Losses, kinds: Kinds) -> float:
        """Return what each of the equal items weighs whose mean loss would vary as much.

        It is 1 where all items weigh the same.
        """
        return 1.0 if self.weight is None else equal_item(self, losses, kinds)

    def equal_item_of(self, lost: Callable[[], tuple[Losses, Kinds]]) -> float:
        """Return the same for losses that are looked at only where items weigh differently."""
        return 1.0 if self.weight is None else self.equal_item(*lost())

    def equal_number(self, find: Callable[[], float]) -> float:
        """Return what is found of how many equal items vary as much: all, where they are equal."""
        return float(self.count.sum()) if self.weight is None else find()

    def share_and_size(self, wrong: Any) -> tuple[float, float]:
        """Return the weighted share of wrong items, and how many equal items would vary as much.

        `wrong` is how many items of each cell are wrong. The number is that whose binomial variance
        is that of the share; the share of right items varies as much, and the smaller one is asked.
        """
        share = float(self.mass(wrong).sum()) / self.total
        fewer = wrong if share <= 0.5 else self.count - wrong
        each = self.equal_item(Losses(fewer, fewer), Kinds.one(self, 1.0))
        return share, self.total / each

    # Other counts of the same cells -----------------------------------------------------------

    def parts(self, number: int, rng: np.random.Generator) -> Iterator[NDArray[Any]]:
        """Yield random parts of the units one by one, as counts."""
        if self.cluster is None:
            yield from each_part(self.count, number, rng)
            return
        place = (rng.permutation(self.clusters) % number)[self.cluster]
        for part in range(number):
            yield np.where(place == part, self.count, 0)

    def folds(self, number: int, rng: np.random.Generator) -> tuple[Any, Any]:
        """Return the cell of each item and its part; no cells where each lies in one part."""
        if self.cluster is not None:
            return None, (rng.permutation(self.clusters) % number)[self.cluster]
        if int(self.count.max()) == 1:
            return None, rng.integers(number, size=self.count.size)
        item = np.repeat(np.arange(self.count.size), self.count)
        return item, rng.integers(number, size=item.size)

    def without_each(self) -> Iterator[Counts]:
        """Yield counts without one cluster in turn, some clusters at a time."""
        size = max(1, 2**20 // self.count.size)  # only for speed
        for start in range(0, self.clusters, size):
            some = np.arange(start, min(start + size, self.clusters))
            yield np.where(np.asarray(self.cluster)[None] == some[:, None], 0, self.count)

    # Rows that differ ------------------------------------------------------------------------

    @cached_property
    def place(self) -> NDArray[np.intp]:
        """Which of the rows that differ in what was seen each cell has."""
        if self.weight is None:
            return np.arange(len(self))
        new = np.zeros(len(self), dtype=np.bool_)
        new[:1] = True
        new[1:] = (self.seen[1:] != self.seen[:-1]).any(axis=1)
        return np.cumsum(new) - 1

    @cached_property
    def distinct(self) -> Sample:
        """A cell for each row that differs, with as many of all items as it weighs of all."""
        if self.weight is None:
            return self
        first = np.flatnonzero(np.diff(self.place, prepend=-1))
        return Sample.of_rows(self.seen[first], self.in_distinct(self.count))

    def in_distinct(self, count: Counts, number: float | None = None) -> Any:
        """Return how many of `number` items are of each distinct row, by weight.

        Of as many as there are by default, which are whole numbers where all weigh the same.
        """
        if self.weight is None and number is None:
            return count
        mass = np.bincount(self.place, self.mass(count))
        return mass * ((float(count.sum()) if number is None else number) / mass.sum())

    # Fewer rows -------------------------------------------------------------------------------

    def blocks(self, most: int) -> tuple[NDArray[np.intp], int]:
        """Return the rows, or blocks of them with about as many items where rows are many."""
        rows = len(self.seen)
        if rows <= most:
            return self.row, rows
        behind = np.cumsum(np.bincount(self.row, self.count, minlength=rows))
        return (np.ceil(behind * (most / behind[-1])).astype(np.intp) - 1)[self.row], most

    def fewer_rows(self, most: int) -> Sample:
        """Return about as good a sample to try cuts on, with at most so many rows if possible."""
        return self.joined(most) if self.weight is None else self

    def joined(self, most: int) -> Sample:
        """Return at most so many rows, with runs of rows that hold one class as one row.

        No cut inside such a run errs less than both cuts at its ends. Some rows at its ends stay
        apart where that is possible: where the run ends should not depend on labels that are to
        be held out. Where even runs are too many, blocks take their place; the best cut errs on
        half as many items as there are runs then, and what blocks may add to that is little.
        """
        some = np.zeros((2, len(self.seen)), dtype=bool)
        some[self.positive.astype(np.intp), self.row] = self.count > 0
        new = some[0] & some[1]  # a row of both classes stays as it is
        new[0] = True
        new[1:] |= (some[0, 1:] != some[0, :-1]) | (some[1, 1:] != some[1, :-1])
        for apart in (APART, 0):
            kept = _with_ends(new, apart)
            if (rows := int(np.count_nonzero(kept))) <= most:
                return self._in_blocks((np.cumsum(kept) - 1)[self.row], rows)
        return self._in_blocks(*self.blocks(most))

    def _in_blocks(self, block: NDArray[np.intp], blocks: int) -> Sample:
        cell = 2 * block + ~self.positive
        count = np.bincount(cell, self.count, minlength=2 * blocks).astype(np.int64)
        row, label = np.divmod(np.arange(2 * blocks), 2)
        return Sample(np.arange(float(blocks)), row, 1 - label, count)


def _with_ends(new: Bools, apart: int) -> Bools:
    """Tell where rows begin if so many at either end of each run stay apart."""
    start = np.flatnonzero(new)
    run = np.cumsum(new) - 1
    row = np.arange(new.size)
    at_start = row - start[run] <= apart if apart else np.zeros(new.size, dtype=bool)
    at_end = np.append(start[1:], new.size)[run] - row <= apart
    return np.asarray(new | at_start | at_end)
