"""Arrays of weights and clusters beside those of labels: the entries of a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorfloor._typing import Counts, Floats
from errorfloor.data.entries import Entries, as_clusters, as_weights
from errorfloor.data.matrices import (
    as_class_scores,
    as_soft,
    as_votes,
    counted_once,
    counted_soft,
    is_matrix,
)
from errorfloor.data.table import in_order, rows_of, side_by_side, vote_key

_MANY = 2**13  # only for speed: distinct values
_FEW = 2**16  # only for speed: numbers of votes looked up however few items there are


def of_scores(
    places: Floats, given: tuple[object, object, object], weight: object, cluster: object
) -> Entries:
    """Return the entries of a table of scores, which are `given` with labels and classes."""
    scores, labels, _ = as_class_scores(*given)
    return _entries(_rows(places, scores), np.asarray(labels), weight, cluster, "scores")


def weighed_soft(
    soft_labels: object, classes: object, weight: object, cluster: object
) -> dict[str, Any]:
    """Return the distinct soft labels, their counts and entries, as a table has them."""
    values, names = as_soft(soft_labels, classes)
    order, row = in_order(values)
    columns = counted_once(values[order]) if values.ndim == 1 else counted_soft(values, names)
    return {**columns, "entries": _entries(row, None, weight, cluster, "soft_labels", order)}


def of_votes(positives: object, totals: object, weight: object, cluster: object) -> Entries:
    """Return the entries of a table of votes."""
    if is_matrix(positives):
        votes = as_votes(positives)
    else:
        ones = np.asarray(positives, dtype=np.int64)
        votes = side_by_side(np.asarray(totals, dtype=np.int64) - ones, ones)
    return _entries(_rows_of_votes(votes), None, weight, cluster, "votes")


def _rows_of_votes(votes: Counts) -> NDArray[np.intp]:
    """Return the row of each item, which are by the number of votes and then by those."""
    most = int(votes.max()) + 1
    if votes.shape[1] > 2 or 2 * most * most > max(len(votes), _FEW):
        return rows_of(vote_key(votes))
    ones = votes[:, 1]
    return rows_of_codes((votes[:, 0] + ones) * most + ones)


def rows_of_codes(code: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the place of each number from 0 on among those that occur, without a sort."""
    there = np.zeros(int(code.max()) + 1, dtype=np.intp)
    there[code] = 1
    return np.asarray((np.cumsum(there) - 1)[code])


def of_items(
    row: NDArray[np.intp], label: Any, beside: Mapping[str, object], name: str, order: Any = None
) -> Entries:
    """Return the entries of items whose rows are known; `order` is what these are in, if any."""
    return _entries(row, label, beside.get("weight"), beside.get("cluster"), name, order)


def _rows(places: Floats, values: NDArray[Any]) -> NDArray[np.intp]:
    """Return the row of each item, among places that are all distinct values in order."""
    if values.ndim == 2 or places.size > _MANY:  # to sort takes less time than to look up
        return rows_of(values)
    return np.searchsorted(places, values)


def _entries(
    row: NDArray[np.intp],
    label: Any,
    weight: object,
    cluster: object,
    beside: str,
    order: Any = None,
) -> Entries:
    weights: Floats | None = None
    clusters: Counts | None = None
    if weight is not None:
        weights = as_weights(weight, row.size, beside)
    if cluster is not None:
        clusters = as_clusters(cluster, row.size, beside)
    labels = np.zeros(row.size, dtype=np.int8) if label is None else label
    if order is not None:
        weights = None if weights is None else weights[order]
        clusters = None if clusters is None else clusters[order]
    return Entries.of(row, labels, weights, clusters)
