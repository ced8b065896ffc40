"""What a vote table keeps of its annotators: how their votes fall, by group, and their workloads.

Annotators are told apart by a hash of the text of their ids, which is computed here and nowhere
else, so that all engines and all machines agree. The hash has few enough values that it does not
give an id away. Both arrays add up when tables are added.
"""

from __future__ import annotations

from hashlib import blake2b
from math import expm1, log, log1p
from typing import Any

import numpy as np

from errorfloor._checks import InputError, LostAnnotatorsWarning, warn
from errorfloor._typing import Counts
from errorfloor.data.matrices import check_total, order_of, pool, starts_of
from errorfloor.data.values import text_of

GROUPS = 64  # of annotators
BUCKETS = 2**20  # values of the hash of an id; a multiple of GROUPS
MOST_ANNOTATORS = 100_000  # beyond, they are not told apart
MOST_ROWS = 2**20  # of the first array
MOST_FOR_A_CLASS = 50_000  # votes of an item for one of many classes, whose fourth power fits
# The columns of both arrays. Of more than two classes, `twos` is how many ordered pairs of votes
# on an item are equal, `threes` and `fours` how many threes and fours, `rest` how many pairs are
# left without the group's own votes: all that the spread of agreement needs.
BY_GROUP = ("part", "totals", "positives", "its_totals", "its_positives", "n")
BY_GROUP_OF_MANY = ("part", "totals", "twos", "threes", "fours", "its_totals", "rest", "n")
WORKLOADS = ("bucket", "votes")
LOST = (
    "One of the merged tables says who gave each vote, and the other does not. Intervals "
    "from the merged table hold for these annotators only. For intervals that hold for other "
    "people, too, count again from a file that names the annotators."
)


def bucket_of(value: Any) -> int:
    """Return the hash of an annotator's id, a number below 2**20.

    Examples
    --------
    >>> bucket_of(7) == bucket_of("7.0")
    True
    """
    digest = blake2b(text_of(value).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little") % BUCKETS


def part_of(bucket: Any) -> Any:
    """Return the group that annotators with such a hash belong to."""
    return bucket % GROUPS


def pooled(rows: Counts) -> Counts:
    """Return rows in order, their last column added up where the others are equal."""
    order = order_of(rows[:, :-1])
    start = starts_of(rows[order][:, :-1])
    found = rows[order][start]
    found[:, -1] = pool(rows[:, -1], order, start)
    return found


def together(one: Any, other: Any) -> dict[str, Counts]:
    """Return what two tables keep of annotators, and warn if only one of them does."""
    tables = [table for table in (one, other) if table.n] or [one]
    known = [table.workloads is not None for table in tables]
    if not all(known):
        if any(known):
            warn(LOST, LostAnnotatorsWarning)
        return {}
    kept = ("by_group", "workloads")
    return {name: pooled(np.concatenate([getattr(t, name) for t in tables])) for name in kept}


def falls_of(part: Counts, votes: Counts, own: Counts, n: Counts) -> Counts:
    """Return rows of the first array from votes for each class, and a group's own of them.

    Rows stay apart where they are equal.
    """
    totals, its_totals = votes.sum(axis=1), own.sum(axis=1)
    if votes.shape[1] == 2:
        return np.column_stack((part, totals, votes[:, 1], its_totals, own[:, 1], n))
    falls = [votes * (votes - 1)]
    for less in (2, 3):
        falls.append(falls[-1] * (votes - less))
    rest = votes - own
    sums = [one.sum(axis=1) for one in falls]
    again = (rest * (rest - 1)).sum(axis=1)
    return np.column_stack((part, totals, *sums, its_totals, again, n))


def checked(
    by_group: Any, workloads: Any, votes: int, *, many: bool = False
) -> tuple[Counts, Counts]:
    """Return both arrays in order and read-only, or say that they do not go with the votes."""
    found = []
    named = BY_GROUP_OF_MANY if many else BY_GROUP
    for array, names in ((by_group, named), (workloads, WORKLOADS)):
        rows = np.asarray(array)
        whole = rows.dtype.kind in "iu" and rows.ndim == 2 and rows.shape[1] == len(names)
        if not whole or (rows < 0).any():
            raise InputError(
                f"What a vote table keeps of annotators must be counts with the columns "
                f"{', '.join(names)}. Read the rows of the votes again."
            )
        check_total(rows[:, -1])
        found.append(pooled(rows.astype(np.int64)))
        found[-1].setflags(write=False)
    rows, work = found
    if many:
        _, m, twos, _, _, its_m, rest, n = rows.T
        left = m - its_m
        right = (left >= 0) & (its_m >= 1) & (rest <= twos) & (twos <= m * (m - 1))
        right &= rest <= left * (left - 1)
    else:
        _, m, k, its_m, its_k, n = rows.T
        right = (its_m >= 1) & (its_k <= its_m) & (its_k <= k) & (its_m - its_k <= m - k)
    if not right.all() or int(its_m @ n) != votes or int(work[:, 1].sum()) != votes:
        raise InputError(
            "What a vote table keeps of annotators does not go with its votes. Read the rows of "
            "the votes again."
        )
    return rows, work


def number_of(workloads: Counts) -> int:
    """Return how many annotators voted, corrected for those that share a hash."""
    seen = len(workloads)
    return round(-BUCKETS * log1p(-min(seen, BUCKETS - 1) / BUCKETS))


def effective_number(workloads: Counts) -> float:
    """Return how many annotators with equal workloads would say as much about annotators."""
    votes = workloads[:, 1].astype(np.float64)
    return float(votes.sum() ** 2 / (votes @ votes))


def unseen_share(number: float, chance: float) -> float:
    """Return the share of all annotators of whom so many hold none with this chance."""
    return -expm1(log(chance) / number)
