"""Whose votes they are: how the votes of groups of annotators fall, counted by the engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np

from errorfloor._typing import Counts
from errorfloor.data.annotators import (
    BY_GROUP,
    MOST_ANNOTATORS,
    MOST_ROWS,
    bucket_of,
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
    elif not kind.is_numeric() and kind not in _ITSELF and kind != nw.Object:
        voter = voter.cast(nw.String)
    frame = items.frame.with_columns(voter=voter)
    found = items.run(
        frame.group_by(*items.groups, "voter").agg(n=nw.len()).head(MOST_ANNOTATORS + 1)
    )
    if found["n"].size > MOST_ANNOTATORS:
        return None
    buckets = {value: bucket_of(value) for value in found["voter"].tolist()}
    key = [*items.groups, "given_item"]
    each = (
        _with_part(frame, buckets)
        .group_by(*key, "part")
        .agg(nw.col("vote").sum().alias("its_positives"), nw.len().alias("its_totals"))
    )
    joined = each.join(votes, on=key, how="inner")
    query = joined.group_by(*items.groups, *BY_GROUP[:-1]).agg(n=nw.len())
    counted = items.run(query.head(MOST_ROWS + 1))
    if counted["n"].size > MOST_ROWS:
        return None
    work = np.array([buckets[value] for value in found["voter"].tolist()])
    rows = np.column_stack([whole(counted[name]) for name in BY_GROUP])
    return Voters(
        _pooled_by_group(items, counted, rows),
        _pooled_by_group(items, found, np.column_stack((work, whole(found["n"])))),
    )


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
    if items.n > most and number > most:
        return None
    pattern = np.column_stack([whole(found[name]) for name in columns])
    buckets = np.array([bucket_of(name) for name in names.values()])
    n = whole(found["n"]) if "n" in found else np.ones(number, dtype=np.int64)
    rows: dict[Any, Counts] = {}
    work: dict[Any, Counts] = {}
    for group, at in places(found["group"].tolist() if items.groups else [None] * n.size):
        rows[group] = _by_group(pattern[at], buckets, n[at])
        each = (pattern[at] >= 0).T @ n[at]
        work[group] = pooled(np.column_stack((buckets, each))[each > 0])
    return Voters(rows, work)


def _by_group(pattern: Counts, buckets: Counts, n: Counts) -> Counts:
    """Return how many items have such votes by group of annotators."""
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
