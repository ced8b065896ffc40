"""Whose votes they are: how the votes of groups of annotators fall, counted by the engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np

from errorfloor._typing import Counts
from errorfloor.data import packing
from errorfloor.data.annotators import (
    BY_GROUP,
    MOST_ALIKE,
    MOST_ANNOTATORS,
    MOST_ROWS,
    bucket_of,
    of_many,
    part_of,
    pooled,
)
from errorfloor.data.engines import Columns, Frame
from errorfloor.data.rows import Items, whole

_ITSELF = (nw.String, nw.Boolean)  # kinds whose values come back from every engine as they were


_IN_MEMORY = (nw.Implementation.POLARS, nw.Implementation.PANDAS, nw.Implementation.PYARROW)
_MOST_ENTRIES = 2**25  # of patterns of votes side by side


@dataclass(frozen=True, slots=True)
class Voters:
    """What tables keep of annotators, by group of items."""

    by_group: Mapping[Any, Counts]
    workloads: Mapping[Any, Counts]

    def of(self, group: Any) -> dict[str, Counts]:
        """Return what the table of a group of items keeps."""
        return {"by_group": self.by_group[group], "workloads": self.workloads[group]}


def places(values: Sequence[Any]) -> Iterator[tuple[Any, list[int]]]:
    """Yield each distinct value and where it is."""
    at: dict[Any, list[int]] = {}
    for i, value in enumerate(values):
        at.setdefault(value, []).append(i)
    yield from at.items()


def in_rows(items: Items, votes: Frame) -> Voters | None:
    """Return the voters of checked rows with one vote each; `votes` has a row per item."""
    kind = items.frame.collect_schema()["given_annotator"]
    voter = nw.col("given_annotator")
    if kind.is_decimal() or kind.is_float():
        voter = voter.cast(nw.Float64)
    elif kind == nw.Datetime:
        voter = _moment(voter)
    elif not kind.is_numeric() and kind not in _ITSELF and kind != nw.Object:
        voter = voter.cast(nw.String)
    frame = items.frame.with_columns(voter=voter)
    found = items.run(
        frame.group_by(*items.groups, "voter").agg(n=nw.len()).head(MOST_ANNOTATORS + 1)
    )
    if found["n"].size > MOST_ANNOTATORS:
        return None
    buckets = {value: bucket_of(value) for value in found["voter"].tolist()}
    counted = _counted(items, _with_part(frame, buckets), votes)
    if counted["n"].size > MOST_ROWS:
        return None
    work = np.array([buckets[value] for value in found["voter"].tolist()])
    rows = _rows(items, counted)
    if rows is None:
        return None
    return Voters(
        _pooled_by_group(items, counted, rows),
        _pooled_by_group(items, found, np.column_stack((work, whole(found["n"])))),
    )


def _moment(time: nw.Expr) -> nw.Expr:
    """Return a whole number for a time, which engines write in different ways."""
    at = time.dt
    days = ((at.month(), 13), (at.day(), 32), (at.hour(), 24))
    found = at.year().cast(nw.Int64)
    for part, base in (*days, (at.minute(), 60), (at.second(), 60), (at.microsecond(), 10**6)):
        found = found * base + part.cast(nw.Int64)
    return found


def _counted(items: Items, frame: Frame, votes: Frame) -> Columns:
    """Return how many items have such votes in all and of each group of annotators."""
    if items.base:
        packs = packing.names(len(items.classes), items.base)
        mine = [nw.col(name).sum().alias(f"its_{name}") for name in packs]
        names = ["part", *packs, *(f"its_{name}" for name in packs)]
    else:
        mine = [nw.col("vote").sum().alias("its_positives"), nw.len().alias("its_totals")]
        names = [*BY_GROUP[:-1]]
    key = [*items.groups, "given_item"]
    each = frame.group_by(*key, "part").agg(*mine)
    if items.base:
        each = packing.as_whole(each, [f"its_{name}" for name in packs])
    joined = each.join(votes, on=key, how="inner")
    query = joined.group_by(*items.groups, *names).agg(n=nw.len())
    return items.run(query.head(MOST_ROWS + 1))


def _rows(items: Items, counted: Columns) -> Counts | None:
    """Return the rows of the first array that tables keep; None where votes are too many."""
    if not items.base:
        return np.column_stack([whole(counted[name]) for name in BY_GROUP])
    packs = packing.names(len(items.classes), items.base)
    all_votes, own = (
        packing.unpacked({name: counted[f"{its}{name}"] for name in packs}, *_size(items))
        for its in ("", "its_")
    )
    if int(all_votes.max()) > MOST_ALIKE:
        return None
    return of_many(whole(counted["part"]), all_votes, own, whole(counted["n"]))


def _size(items: Items) -> tuple[int, int]:
    return len(items.classes), items.base


def _pooled_by_group(items: Items, found: Columns, rows: Counts) -> dict[Any, Counts]:
    if not items.groups:
        return {None: pooled(rows)}
    return {group: pooled(rows[at]) for group, at in places(found["group"].tolist())}


def _with_part(frame: Frame, buckets: Mapping[Any, int]) -> Frame:
    """Add the group of annotators that a row's one belongs to."""
    kind = frame.collect_schema()["voter"]
    plain = kind == nw.String or kind.is_numeric()
    if plain and frame.implementation in _IN_MEMORY:  # a join is quicker than many conditions
        kinds = {"voter": kind, "part": nw.Int64()}
        parts = [part_of(bucket) for bucket in buckets.values()]
        known = {"voter": [*buckets], "part": parts}
        own = nw.from_dict(known, schema=kinds, backend=frame.implementation)
        if kind == nw.String:  # Arrow has several kinds of text, which it does not join
            frame = frame.with_columns(nw.col("voter").cast(nw.String))
        return frame.join(own.lazy(), on="voter", how="inner")
    members: dict[int, list[Any]] = {}
    for value, bucket in buckets.items():
        members.setdefault(part_of(bucket), []).append(value)
    (part, _), *others = members.items()
    chosen = nw.lit(part)
    for part, values in others:
        chosen = nw.when(nw.col("voter").is_in(values)).then(nw.lit(part)).otherwise(chosen)
    return frame.with_columns(part=chosen)


def in_columns(items: Items, names: Mapping[str, str], votes: Sequence[nw.Expr]) -> Voters | None:
    """Return the voters of checked rows with a column of votes per annotator.

    `names` are the annotators of the columns, and `votes` their votes, with -1 for none. Where
    they fit into memory, all of them come back from the engine. Else rows with the same votes are
    one pattern, and patterns are few where columns are; where they are too many, annotators are
    not told apart.
    """
    columns = [f"v{i}" for i in range(len(names))]
    most = _MOST_ENTRIES // len(columns)
    chosen = [vote.cast(nw.Int64).alias(name) for name, vote in zip(columns, votes, strict=True)]
    frame = items.frame.select(*items.groups, *chosen)
    if items.n > most:
        frame = frame.group_by(*items.groups, *columns).agg(n=nw.len()).head(most + 1)
    found = items.run(frame)
    number = found[columns[0]].size
    if number > most:
        return None
    pattern = np.column_stack([whole(found[name]) for name in columns])
    buckets = np.array([bucket_of(name) for name in names.values()])
    n = whole(found["n"]) if "n" in found else np.ones(number, dtype=np.int64)
    rows: dict[Any, Counts] = {}
    work: dict[Any, Counts] = {}
    for group, at in places(found["group"].tolist() if items.groups else [None] * n.size):
        rows[group] = _by_group(pattern[at], buckets, n[at], len(items.classes))
        each = (pattern[at] >= 0).T @ n[at]
        work[group] = pooled(np.column_stack((buckets, each))[each > 0])
    return Voters(rows, work)


def _by_group(pattern: Counts, buckets: Counts, n: Counts, classes: int) -> Counts:
    """Return how many items have such votes by group of annotators."""
    if classes > 2:
        return _by_group_of_many(pattern, buckets, n, classes)
    there, yes = pattern >= 0, pattern == 1
    totals, positives = there.sum(axis=1), yes.sum(axis=1)
    found = []
    for part in np.unique(part_of(buckets)):
        own = part_of(buckets) == part
        mine, mine_yes = there[:, own].sum(axis=1), yes[:, own].sum(axis=1)
        some = mine > 0
        columns = (np.full(n.size, part), totals, positives, mine, mine_yes, n)
        found.append(pooled(np.column_stack(columns)[some]))
    return pooled(np.concatenate(found))


def _by_group_of_many(pattern: Counts, buckets: Counts, n: Counts, classes: int) -> Counts:
    """Return the same for votes that are places of more than two classes."""
    votes = _votes_of(pattern, classes)
    found = []
    for part in np.unique(part_of(buckets)):
        own = _votes_of(pattern[:, part_of(buckets) == part], classes)
        some = own.any(axis=1)
        named = np.full(np.count_nonzero(some), part)
        found.append(pooled(of_many(named, votes[some], own[some], n[some])))
    return pooled(np.concatenate(found))


def _votes_of(pattern: Counts, classes: int) -> Counts:
    """Return the number of votes for each class of rows with a vote per column, -1 for none."""
    row = np.broadcast_to(np.arange(len(pattern))[:, None], pattern.shape)[pattern >= 0]
    key = row * classes + pattern[pattern >= 0]
    return np.bincount(key, minlength=len(pattern) * classes).reshape(-1, classes)
