"""Partitions of votes: an item's counts in falling order, and the law they follow.

Counts c of m votes have the chance ``m! prod(p_k^c_k / c_k!)``. Summed over all ways to give the
parts of a partition to classes this depends on the probabilities in any order, so it needs no
symmetry of the classes. The sum is a recursion over classes: a class adds one part, or none.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from errorfloor._typing import Counts, Floats

# Votes of an item that enter likelihoods; of more votes every ten of them stand in.
MOST_VOTES_USED = 10
_CHUNK = 8192  # only for speed: rows at a time

Partition: TypeAlias = tuple[int, ...]


@lru_cache(maxsize=16)
def partitions(most: int) -> tuple[Partition, ...]:
    """Return all partitions of 0, 1, ..., `most`, by their sum."""
    found: list[list[Partition]] = [[()]]
    for total in range(1, most + 1):
        rows = [
            (first, *rest)
            for first in range(1, total + 1)
            for rest in found[total - first]
            if not rest or rest[0] <= first
        ]
        found.append(rows)
    return tuple(row for rows in found for row in rows)


@lru_cache(maxsize=16)
def sums(most: int) -> Counts:
    """Return the sum of each partition."""
    return np.array([sum(parts) for parts in partitions(most)], dtype=np.int64)


@lru_cache(maxsize=16)
def _steps(most: int) -> tuple[tuple[int, int, int], ...]:
    """Return (partition, part, partition without the part), larger sums first."""
    every = partitions(most)
    place = {parts: i for i, parts in enumerate(every)}
    steps = []
    for i in range(len(every) - 1, 0, -1):
        for part in sorted(set(every[i])):
            rest = list(every[i])
            rest.remove(part)
            steps.append((i, part, place[tuple(rest)]))
    return tuple(steps)


def law(points: Floats, most: int = MOST_VOTES_USED) -> Floats:
    """Return the chance of each partition among so many votes as its sum, at each point.

    Parameters
    ----------
    points : array of shape (points, classes)
        Probabilities of the classes.
    most : int
        The largest sum.

    Returns
    -------
    array of shape (partitions, points)

    Examples
    --------
    >>> law(np.array([[0.5, 0.3, 0.2]]), 2)[:, 0].round(2)  # (), (1), (1, 1), (2)
    array([1.  , 1.  , 0.62, 0.38])
    """
    parts = np.arange(1, most + 1)[:, None]
    terms = (own**parts / np.exp(gammaln(parts + 1)) for own in points.T if own.any())
    found = _recursion(terms, most, points.shape[0])
    return np.asarray(found * np.exp(gammaln(sums(most) + 1))[:, None])


def _recursion(terms: Iterable[Floats], most: int, columns: int) -> Floats:
    """Sum products of the classes' terms (parts, columns) over all ways to make each partition."""
    found = np.zeros((len(partitions(most)), columns))
    found[0] = 1.0
    for own in terms:
        # In place: a partition needs smaller ones only, as they were before this class.
        for i, part, rest in _steps(most):
            found[i] += own[part - 1] * found[rest]
    return found


def in_order(votes: Counts) -> Counts:
    """Return each row's votes in falling order, without columns that are all zero."""
    ordered = np.sort(votes, axis=1)[:, ::-1]
    return ordered[:, : max(int(np.count_nonzero(ordered.any(axis=0))), 1)]


def expected(votes: Counts, counts: Counts | Floats, most: int = MOST_VOTES_USED) -> Floats:
    """Return how many items have each partition, where each item shows at most `most` votes.

    Of items with more votes, each choice of that many of them is as good as another: the item
    counts as a fraction for each partition, the share of choices that have it.

    Parameters
    ----------
    votes : array of shape (rows, classes)
        Number of votes for each class.
    counts : array of shape (rows,)
        Number of items with such votes.

    Returns
    -------
    array of shape (partitions,)
    """
    found = np.zeros(len(partitions(most)))
    few = votes.sum(axis=1) <= most
    if few.any():
        ordered = in_order(votes[few])[:, :most]
        found += np.bincount(places(ordered, most), counts[few], minlength=found.size)
    if not few.all():
        ordered, many = in_order(votes[~few]), np.asarray(counts[~few], dtype=np.float64)
        for at in range(0, many.size, _CHUNK):
            here = slice(at, at + _CHUNK)
            found += subtables(ordered[here], most) @ many[here]
    return found


def places(ordered: Counts, most: int) -> NDArray[np.intp]:
    """Return which partition each row of votes in falling order is."""
    base = most + 1
    keys = np.array([_key(parts, base) for parts in partitions(most)])
    order = np.argsort(keys)
    own = ordered @ (base ** np.arange(ordered.shape[1], dtype=np.int64))
    return np.asarray(order[np.searchsorted(keys, own, sorter=order)])


def _key(parts: Partition, base: int) -> int:
    return sum(part * base**i for i, part in enumerate(parts))


def subtables(votes: Counts, most: int) -> Floats:
    """Return the share of choices of `most` votes of each row that have each partition.

    Shape (partitions, rows); partitions of other sums have none.
    """
    share = votes.T / votes.sum(axis=1)  # of votes, so that products stay in range
    step = 1 / votes.sum(axis=1)
    terms = np.empty((votes.shape[1], most, votes.shape[0]))
    terms[:, 0] = share
    for j in range(1, most):  # binom(c, j + 1) / m^(j + 1)
        terms[:, j] = terms[:, j - 1] * np.maximum(share - j * step, 0.0) / (j + 1)
    found = _recursion(terms, most, votes.shape[0])
    found[sums(most) != most] = 0.0
    return np.asarray(found / found.sum(axis=0))
