"""Rows with weights or clusters: counted by the engine by all that makes items differ.

What comes back are whole numbers of items for each score, label, weight and cluster, so that the
table does not depend on the engine, on shards or on the order of rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from errorfloor._checks import InputError, argument
from errorfloor._typing import Counts, Floats
from errorfloor.data.arrays import merged_if_many
from errorfloor.data.engines import Columns, Frame
from errorfloor.data.entries import Entries, cluster_numbers
from errorfloor.data.rows import Items, whole
from errorfloor.data.table import side_by_side
from errorfloor.data.tables import ScoreTable, SoftTable

MOST = 2**25  # different items that come back; a few gigabytes


def counted_by(items: Items, *names: str) -> Columns:
    """Return how many items have each of `names`, weight and cluster, by group."""
    query: Frame = items.frame.group_by(*items.groups, *names, *items.beside).agg(n=nw.len())
    found = items.run(query.head(MOST + 1))
    if found["n"].size > MOST:
        beside = [part for one in items.beside for part in (" and ", argument(one))][1:]
        raise InputError(
            *(("With ", *beside, " there") if beside else ("There",)),
            f" are more than {MOST:,} different items, which do not fit into memory. ",
            "Round the weights to a few digits, or take" if "weight" in items.beside else "Take",
            " a sample of the rows.",
        )
    return found


def of_lines(items: Items, found: Columns, at: Any) -> ScoreTable | SoftTable:
    """Return the table of a group of counted rows with one score or soft label each."""
    scores = np.asarray(found["score"], dtype=np.float64)[at] + 0.0
    places, row = np.unique(scores, return_inverse=True)
    n = whole(found["n"])[at]
    label = whole(found["label"])[at] if items.labelled else np.zeros(row.size, dtype=np.int64)
    own = entries(items, found, at, row, label, n)
    by_class = np.zeros((2 if items.labelled else 1, places.size), dtype=np.int64)
    np.add.at(by_class, (label, row), n)
    if items.labelled:
        return merged_if_many(ScoreTable(places, side_by_side(*by_class), entries=own))
    return SoftTable(places, by_class[0], entries=own)


def entries(
    items: Items,
    found: Mapping[str, NDArray[Any]],
    at: Any,
    row: NDArray[np.intp],
    label: Counts | None = None,
    n: Counts | None = None,
) -> Entries:
    """Return the entries of rows of a table with weights, clusters or both."""
    weight: Floats | None = None
    cluster: Counts | None = None
    if "weight" in items.beside:
        weight = np.asarray(found["weight"], dtype=np.float64)[at]
    if "cluster" in items.beside:
        cluster = cluster_numbers(np.asarray(found["cluster"])[at])
    labels = np.zeros(row.size, dtype=np.int64) if label is None else label
    return Entries.of(row, labels, weight, cluster, n)
