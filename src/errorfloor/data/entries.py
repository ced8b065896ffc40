"""Items that weigh differently or belong together: how many of each kind there are.

A table of counts has a row for equal items. Where items have weights or belong to clusters, it
keeps in addition how many items of each row, label, weight and cluster there are. These are whole
numbers, so tables add in any order to the same bits; sums of weights are taken when they are
needed, over entries in one order. Weights are kept as they were given; what they weigh relative to
each other, to seven digits, is told of all items together, when it is needed.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from errorfloor._checks import InputError, argument, as_scores, check_same_length, refuse
from errorfloor._typing import Counts, Floats
from errorfloor.data.matrices import (
    are_new,
    as_soft,
    counted_once,
    counted_soft,
    in_order,
    ranks_of,
    starts_of,
    vote_key,
)
from errorfloor.data.values import missing_in, shown_entries, text_of

PREFIX = "entry_"  # of the arrays in files of tables
POSITIVE = "must be positive finite numbers"
REMEDY = "Leave out items that do not count, and pass 1 / probability for selection probabilities."
LEAST, MOST = 2.0**-900, 2.0**900  # so that a weight has all its digits, and no sum is out of range
IN_RANGE = f"must lie between {LEAST:.0e} and {MOST:.0e}"
ONLY_RATIOS = "Only their ratios matter: multiply all by a constant."
SPREAD = 2.0**200  # of the largest weight by the smallest, so that fourth powers are in range
MOST_PARTS = 2**12  # of the smallest weight, of which all others may be multiples
BITS = 2**24  # in which others are kept, as floats of 32 bits have them
DIGITS = 2.0**-23  # that weights are known to, as a share of them
HEAVIEST_TAIL = 0.8  # of weights: where logarithms thin out more slowly, no mean can be known
_TRIED = 2**5  # only for speed: weights that tell which parts are worth a try with all
_MANY = 2**13  # only for speed: distinct values
_FEW = 2**16  # only for speed: numbers of votes looked up however few items there are


@dataclass(frozen=True, slots=True, eq=False)
class Entries:
    """How many items of a table have each row, label, weight and cluster.

    Attributes
    ----------
    row, label : array of shape (entries,)
        Row of the table, and class of the label: 0 in tables without labels, and in others the
        number of classes for an item that has none.
    weight : array of shape (entries,)
        What each item weighs, in any unit; `relative` has one that is the same for all.
    count : array of shape (entries,)
        Number of such items.
    cluster : array of shape (entries,), optional
        A number for the cluster, made of its name.
    """

    row: Counts
    label: Counts
    weight: Floats
    count: Counts
    cluster: Counts | None = None
    # Sums that several questions to one table ask for, by the numbers of rows and classes.
    _sums: dict[tuple[int, int], Floats] = field(default_factory=dict, init=False, repr=False)
    _relative: list[Entries] = field(default_factory=list, init=False, repr=False)

    @classmethod
    def of(
        cls,
        row: NDArray[Any],
        label: NDArray[Any],
        weight: Floats | None,
        cluster: Counts | None,
        count: Counts | None = None,
    ) -> Self:
        """Put entries in order: by row, label (the last first), weight and cluster; each once."""
        given = np.ones(1) if weight is None else np.asarray(weight, dtype=np.float64)
        distinct, rank = _ranked(given)
        rank = np.broadcast_to(rank, row.shape)
        key = _key(row, label, rank)
        if count is None and cluster is None and key is not None:
            if (key[1:] < key[:-1]).any():  # else rows came in order and no two are equal
                key.sort()
            start = starts_of(key)
            found, key = np.diff(np.append(start, key.size)), key[start]
            labels = _LAST - ((key >> 32) & _LAST)
            return cls(key >> 39, labels, distinct[key & 0xFFFFFFFF], found)
        order = _order(key, row, label, rank, cluster)
        columns = [np.asarray(part)[order] for part in (row, label, rank)]
        if cluster is not None:
            columns.append(cluster[order])
        start = np.flatnonzero(are_new(columns))
        ones = np.ones(row.size, dtype=np.int64) if count is None else count[order]
        total = np.add.reduceat(ones, start) if start.size else ones
        rows, labels, ranks, *clusters = (part[start] for part in columns)
        return cls(
            rows.astype(np.int64),
            labels.astype(np.int64),
            distinct[ranks],
            total.astype(np.int64),
            clusters[0] if clusters else None,
        )

    def __len__(self) -> int:
        return int(self.count.size)

    @property
    def relative(self) -> Entries:
        """The same items with weights in a unit of their own, whatever that of the given ones.

        Only ratios of weights may matter, to the last bit. So weights that are multiples of a part
        of the smallest are those whole numbers, whose sums are exact. All others are multiples of
        the smallest, rounded to floats of 32 bits, so that rounding of the given ones is gone.
        """
        if not self._relative:
            weight = _in_own_unit(self.weight)
            own = replace(self, weight=weight)
            same = (weight[1:] == weight[:-1]) & (self.weight[1:] != self.weight[:-1])
            if same.any():  # some that differed by rounding
                own = type(self).of(self.row, self.label, weight, self.cluster, self.count)
            self._relative.append(own)
        return self._relative[0]

    @property
    def is_plain(self) -> bool:
        """Whether all items weigh the same and stand alone, so that counts say it all."""
        return self.are_equal and self.clusters == int(self.count.sum())

    @property
    def are_equal(self) -> bool:
        """Whether all items weigh the same."""
        return bool((self.relative.weight == 1).all())

    @property
    def clusters(self) -> int:
        """Number of clusters; of items, where they stand alone."""
        if self.cluster is None:
            return int(self.count.sum())
        return int(np.unique(self.cluster).size)

    @property
    def n_effective(self) -> float:
        """How many items of equal weight would tell as much: the square of sums, by Kish."""
        own = self.relative
        return float(own.count @ own.weight) ** 2 / float(own.count @ own.weight**2)

    @property
    def heavier_share(self) -> float:
        """About what share of all weight is in items heavier than the heaviest one that was drawn.

        One item in about n is heavier, and such items weigh more by the factor 1 / (1 - h) if the
        tail goes on as among the largest weights, the square root of n in number; h is the mean
        of their logarithms beyond the next one (Hill). A largest weight that several items share
        is taken for the end of the tail.
        """
        own = self.relative
        number = int(np.ceil(np.sqrt(own.count.sum())))
        least = max(own.weight.size - number - 1, 0)
        heavy = np.flatnonzero(own.weight >= np.partition(own.weight, least)[least])
        heaviest_first = heavy[np.argsort(-own.weight[heavy], kind="stable")]
        weight, count = own.weight[heaviest_first], own.count[heaviest_first]
        up_to = np.cumsum(count)
        following = weight[min(int(np.searchsorted(up_to, number, "right")), weight.size - 1)]
        largest = np.clip(number - (up_to - count), 0, count)
        alone = int(count[weight == weight[0]].sum()) == 1
        tail = float(largest @ np.log(weight / following)) / number if alone else 0.0
        beyond = float(weight[0]) / (1 - min(tail, HEAVIEST_TAIL))
        return beyond / (beyond + float(own.count @ own.weight))

    @property
    def effective_clusters(self) -> float:
        """How many clusters of equal weight would tell as much."""
        own = self.relative
        assert own.cluster is not None
        _, code = np.unique(own.cluster, return_inverse=True)
        mass = np.bincount(code, own.count * own.weight)
        return float(mass.sum()) ** 2 / float(mass @ mass)

    def sums(self, rows: int, classes: int) -> Floats:
        """Return what the items of each row and label weigh together."""
        if (rows, classes) not in self._sums:
            own = self.relative
            at = own.row * classes + own.label
            found = np.bincount(at, own.count * own.weight, minlength=rows * classes)
            found.setflags(write=False)
            self._sums[rows, classes] = np.asarray(found.reshape(rows, classes), dtype=np.float64)
        return self._sums[rows, classes]

    def moved(self, rows: NDArray[np.intp]) -> Self:
        """Return the entries of a table whose rows became others, some of them together."""
        return type(self).of(rows[self.row], self.label, self.weight, self.cluster, self.count)

    def without_labels(self) -> Self:
        """Return the entries of the same items, whatever their labels."""
        nothing = np.zeros(len(self), dtype=np.int64)
        return type(self).of(self.row, nothing, self.weight, self.cluster, self.count)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the columns as files have them."""
        named = {name: getattr(self, name) for name in ("row", "label", "weight", "count")}
        if self.cluster is not None:
            named["cluster"] = self.cluster
        return {f"{PREFIX}{name}": array for name, array in named.items()}

    def labelled(self, classes: int) -> Self:
        """Return the entries of items with a label: those without have the number of classes."""
        known = self.label < classes
        if known.all():
            return self
        cluster = None if self.cluster is None else self.cluster[known]
        columns = (self.row[known], self.label[known], self.weight[known], self.count[known])
        return type(self)(*columns, cluster)

    def check(self, by_class: Counts) -> None:
        """Freeze the entries if they are those of a table with these counts, or refuse them."""
        rows, classes = by_class.shape
        lengths = {array.shape for array in self.arrays().values()}
        inside = (self.row >= 0) & (self.row < rows) & (self.label >= 0) & (self.label < classes)
        fits = len(lengths) == 1 and bool((inside & (self.count > 0)).all())
        if fits:
            found = np.bincount(
                self.row * classes + self.label, self.count, minlength=rows * classes
            )
            fits = bool((found.reshape(rows, classes) == by_class).all())
        if not fits or not ((self.weight > 0) & np.isfinite(self.weight)).all():
            raise InputError(
                "The entries of a table must be its items, one by one or several, with positive "
                "weights. Build tables from arrays, dataframes or files."
            )
        for array in self.arrays().values():
            array.setflags(write=False)


def entries_together(mine: Entries | None, theirs: Entries | None, rows: tuple[int, int]) -> Any:
    """Return the entries of two tables, one behind the other; `rows` are the tables' lengths."""
    if mine is None and theirs is None:
        return None
    for one, (own, other) in ((mine, rows), (theirs, rows[::-1])):
        if one is None and own == 0 and other:  # the table of no items
            found = theirs if one is mine else mine
            assert found is not None
            return found
    if mine is None or theirs is None:
        raise InputError(
            "One of the tables has weights or clusters and the other has none. Count both with ",
            *(argument("weight"), " and ", argument("cluster"), ", or both without."),
        )
    if (mine.cluster is None) != (theirs.cluster is None):
        raise InputError(
            "One of the tables has clusters and the other has none. Count both with ",
            *(argument("cluster"), ", or both without."),
        )
    shifted = replace(theirs, row=theirs.row + rows[0])
    cluster = None
    if mine.cluster is not None and theirs.cluster is not None:
        cluster = np.concatenate((mine.cluster, theirs.cluster))
    return Entries.of(
        np.concatenate((mine.row, shifted.row)),
        np.concatenate((mine.label, shifted.label)),
        np.concatenate((mine.weight, shifted.weight)),
        cluster,
        np.concatenate((mine.count, theirs.count)),
    )


def entries_in_file(arrays: dict[str, Any]) -> dict[str, Any]:
    """Return the arrays of a file with those of entries as one."""
    own = {name[len(PREFIX) :]: arrays[name] for name in arrays if name.startswith(PREFIX)}
    others = {name: array for name, array in arrays.items() if not name.startswith(PREFIX)}
    if not own:
        return others
    for name in ("row", "label", "count", "cluster"):
        if name in own:
            own[name] = np.asarray(own[name], dtype=np.int64)
    return {**others, "entries": Entries(**own)}


def as_weights(values: object, size: int, data_name: str) -> Floats:
    """Return one weight per item, or say which is none."""
    if isinstance(values, str):
        raise _is_name("weight")
    weight = as_scores(values, name="weight")
    check_same_length(np.empty(size, dtype=np.bool_), weight, (data_name, "weight"))
    refuse(~(weight > 0), weight, (argument("weight"), f" {POSITIVE}"), REMEDY)
    beyond = ~((weight >= LEAST) & (weight <= MOST))  # what can be added up
    refuse(beyond, weight, (argument("weight"), f" {IN_RANGE}"), ONLY_RATIOS)
    return weight


def as_clusters(values: object, size: int, data_name: str) -> Counts:
    """Return a number for the cluster of each item, made of its name, or refuse missing ones."""
    if isinstance(values, str):
        raise _is_name("cluster")
    array = shown_entries(values, "cluster")
    if array.ndim != 1:
        raise InputError(
            argument("cluster"), f" must be one name or number per item, got shape {array.shape}."
        )
    check_same_length(np.empty(size, dtype=np.bool_), array, (data_name, "cluster"))
    return cluster_numbers(array)


def cluster_numbers(names: NDArray[Any]) -> Counts:
    """Return a number for each name, the same for equal names anywhere."""
    refuse(missing_in(names), names, (argument("cluster"), " must not be missing"), _MISSING)
    if names.dtype.kind == "O":
        names = np.array([text_of(one) for one in names.tolist()])
    distinct, code = np.unique(names, return_inverse=True)
    return np.array([_number(text_of(one)) for one in distinct.tolist()], dtype=np.int64)[code]


_LAST = 0x7F  # label that a key has room for
_MISSING = "Give items that stand alone a cluster of their own."


def _number(text: str) -> int:
    """Return 63 bits of a hash, so that shards agree on clusters without a list of them."""
    from hashlib import blake2b

    return int.from_bytes(blake2b(text.encode("utf-8"), digest_size=8).digest(), "big") >> 1


def _is_name(name: str) -> InputError:
    return InputError(
        *(argument(name), " is the name of a column, and the labels are arrays. Pass an array "),
        "with an entry for each item.",
    )


def _ranked(weight: Floats) -> tuple[Floats, NDArray[np.intp]]:
    """Return the distinct weights, which rise, and the place of each weight among them."""
    if weight.size and (weight == weight[0]).all():  # only for speed
        return weight[:1], np.zeros(weight.size, dtype=np.intp)
    distinct, rank = np.unique(weight, return_inverse=True)
    return distinct, rank


def _in_own_unit(weight: Floats) -> Floats:
    """Return weights as multiples of their unit, which is the smallest or a part of it."""
    if not weight.size:
        return weight
    least, most = float(weight.min()), float(weight.max())
    if most / least > SPREAD:
        raise InputError(
            argument("weight"),
            f" goes from {least:.3g} to {most:.3g}, so the largest is more than {SPREAD:.0e} times "
            "the smallest. Leave out items that weigh next to nothing.",
        )
    times = weight / least
    parts = _parts(np.unique(times))
    if parts:
        return np.rint(times * parts)
    digits, power = np.frexp(times)
    return np.asarray(np.ldexp(np.rint(digits * BITS), power - BITS.bit_length() + 1))


def _parts(times: Floats) -> int:
    """Return how many parts the smallest weight has so that all are multiples of one, or 0.

    `times` are the distinct weights by the smallest, which rise.
    """
    some = times[np.linspace(0, times.size - 1, min(times.size, _TRIED)).astype(np.intp)]
    parts = np.arange(1, MOST_PARTS + 1)
    likely = parts[_are_whole(parts[:, None] * some).all(axis=1)]
    return next((int(one) for one in likely[:_TRIED] if _are_whole(one * times).all()), 0)


def _are_whole(numbers: Floats) -> NDArray[np.bool_]:
    """Tell which numbers are whole but for rounding; of large ones that cannot be told."""
    slack = DIGITS * numbers
    return np.asarray((abs(numbers - np.rint(numbers)) <= slack) & (slack < 1 / 8))


def _key(row: NDArray[Any], label: NDArray[Any], rank: NDArray[np.intp]) -> Any:
    """Return one number for row, label and weight that sorts as they do, or None for too many."""
    most = int(row.max(initial=0))
    if most >= 2**24 or int(label.max(initial=0)) > _LAST:
        return None
    key = row.astype(np.int64) << 39
    key |= (_LAST - label.astype(np.int64)) << 32  # the last label first, as cells have it
    key |= rank
    return key


def _order(
    key: Any,
    row: NDArray[Any],
    label: NDArray[Any],
    rank: NDArray[np.intp],
    cluster: Counts | None,
) -> NDArray[np.intp]:
    last = () if cluster is None else (cluster,)
    if key is None:
        return np.lexsort((*last, rank, -label.astype(np.int64), row))
    return np.lexsort((*last, key)) if last else np.argsort(key, kind="stable")


# Arrays of weights and clusters next to those of labels.


def weighed_soft(
    soft_labels: object, classes: object, weight: object, cluster: object
) -> dict[str, Any]:
    """Return the distinct soft labels, their counts and entries, as a table has them."""
    values, names = as_soft(soft_labels, classes)
    order, row = in_order(values)
    columns = counted_once(values[order]) if values.ndim == 1 else counted_soft(values, names)
    own = of_items(row, None, "soft_labels", order, weight=weight, cluster=cluster)
    return {**columns, "entries": own}


def of_votes(votes: Counts, weight: object, cluster: object) -> Entries:
    """Return the entries of a table of votes, whose rows are by their number and then by those."""
    most = int(votes.max()) + 1
    if votes.shape[1] > 2 or 2 * most * most > max(len(votes), _FEW):
        row = ranks_of(vote_key(votes))
    else:
        ones = votes[:, 1]
        row = rows_of_codes((votes[:, 0] + ones) * most + ones)
    return of_items(row, None, "votes", weight=weight, cluster=cluster)


def rows_of_codes(code: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the place of each number from 0 on among those that occur, without a sort."""
    there = np.zeros(int(code.max()) + 1, dtype=np.intp)
    there[code] = 1
    return np.asarray((np.cumsum(there) - 1)[code])


def rows_among(places: Floats, values: NDArray[Any]) -> NDArray[np.intp]:
    """Return the row of each item, among places that are all distinct values in order."""
    if values.ndim == 2 or places.size > _MANY:  # to sort takes less time than to look up
        return ranks_of(values)
    return np.searchsorted(places, values)


def of_items(
    row: NDArray[np.intp],
    label: Any,
    data_name: str,
    order: Any = None,
    *,
    weight: object = None,
    cluster: object = None,
) -> Entries:
    """Return the entries of items whose rows are known; `order` is what these are in, if any.

    `data_name` is what errors call the array next to the weights and clusters.
    """
    weights: Floats | None = None
    clusters: Counts | None = None
    if weight is not None:
        weights = as_weights(weight, row.size, data_name)
    if cluster is not None:
        clusters = as_clusters(cluster, row.size, data_name)
    labels = np.zeros(row.size, dtype=np.int8) if label is None else label
    if order is not None:
        weights = None if weights is None else weights[order]
        clusters = None if clusters is None else clusters[order]
    return Entries.of(row, labels, weights, clusters)
