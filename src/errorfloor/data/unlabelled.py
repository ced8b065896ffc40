"""Items without a label: told apart from the others in arrays and rows, and kept beside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from errorfloor._checks import InputError, argument, as_scores, check_same_length, function
from errorfloor._typing import Bools, Counts
from errorfloor.data.arrays import count_arrays
from errorfloor.data.entries import Entries
from errorfloor.data.matrices import as_matrix, is_matrix, one_score
from errorfloor.data.missing import as_entries, missing_in
from errorfloor.data.naming import Naming, codes_of
from errorfloor.data.tables import ScoreTable

if TYPE_CHECKING:
    from errorfloor.data.asked import Where
    from errorfloor.data.rows import Request

_LABEL = "label of an item without one"  # a column that no data has


def table_of_arrays(scores: object, labels: object, where: Where) -> ScoreTable:
    """Return the table of arrays in which some labels are missing, left out or kept as such."""
    known = known_labels(labels)
    places = _as_places(scores)
    check_same_length(places.T[0] if places.ndim > 1 else places, known, ("scores", "labels"))
    if known.all():
        kept: Any = labels
    elif known.any():
        kept = labels_there(labels)
    else:
        raise none_labelled(known.size)
    if is_matrix(scores) and places.ndim == 1:  # where labels may be words
        kept, _ = codes_of(kept, 2, where.classes)
    weight = where.weight
    if weight is not None and not known.all():
        weight = _known_weights(weight, known)
    beside = {} if weight is None else {"weight": weight}
    table = _counted(places[known], kept, where.classes, beside)
    if where.drop_missing:
        return table.without(int(np.count_nonzero(~known)))
    return table if known.all() else with_others(table, _counts_at(places[~known]))


def _counted(
    places: NDArray[Any], labels: Any, classes: object, beside: dict[str, Any]
) -> ScoreTable:
    if beside:
        return ScoreTable.from_arrays(places, labels, classes=classes, **beside)  # type: ignore[arg-type]
    return count_arrays(places, labels, classes)


def _as_places(scores: object) -> NDArray[Any]:
    """Return scores as numbers; of two columns the score of class 1, told by all items."""
    if not is_matrix(scores):
        return as_scores(scores, name="scores")
    rows = as_matrix(scores, "scores")
    return one_score(rows) if rows.shape[1] == 2 else rows


def known_labels(labels: object) -> Bools:
    """Tell which entries of an array of labels are there: no None, NaN, NA or masked ones."""
    hidden = np.ma.getmaskarray(labels) if np.ma.isMaskedArray(labels) else None
    array = as_entries(labels)
    if array.ndim != 1:
        text = f" must be 1-d, got shape {array.shape}. Pass one label per item, or None."
        raise InputError(argument("labels"), text)
    known = ~missing_in(array)
    return np.asarray(known if hidden is None else known & ~hidden)


def labels_there(labels: object) -> NDArray[Any]:
    """Return the labels that are not missing."""
    return as_entries(labels)[known_labels(labels)]


def _known_weights(weight: object, known: Bools) -> Any:
    """Return the weights of labelled items; the others need none."""
    array = np.asanyarray(weight)  # with its mask, if it has one
    if array.ndim != 1:
        return weight  # which is refused where they are read
    check_same_length(known, array, ("scores", "weight"))
    return array[known].tolist() if array.dtype.kind == "O" else array[known]


def none_labelled(number: int) -> InputError:
    """Return the error of data without any label."""
    return InputError(
        argument("labels"),
        f" is missing for all {number:,} items. Label some of them first; ",
        *(function("plan_labels"), " says which."),
    )


def _counts_at(places: NDArray[Any]) -> ScoreTable:
    """Return the table of items as if their labels were of the first class."""
    labels = np.zeros(len(places), dtype=np.int64)
    if places.ndim == 1:
        return count_arrays(places, labels)
    return count_arrays(places, labels, tuple(map(str, range(places.shape[1]))))


def with_others(table: ScoreTable, others: ScoreTable) -> ScoreTable:
    """Return a table with further items, whose labels are not known whatever they say."""
    number = others.items.astype(np.int64)
    nothing = np.zeros((len(others), len(table.classes)), dtype=np.int64)
    entries = None
    if table.entries is not None:
        entries = _as_unknown(number, len(table.classes))
    unknown = ScoreTable(
        others.scores,
        nothing,
        unlabelled=number,
        lows=others.lows,
        highs=others.highs,
        classes=table.classes,
        entries=entries,
    )
    return table + unknown


def _as_unknown(number: Counts, classes: int) -> Entries:
    rows = np.arange(number.size)
    return Entries(rows, np.full(rows.size, classes), np.ones(rows.size), number)


def count_both(request: Request, count: Any) -> Mapping[Any, ScoreTable]:
    """Return the tables of rows with a label and of those without, added up for each group."""
    import narwhals as nw

    from errorfloor.data.engines import is_missing
    from errorfloor.data.rows import count as numbers

    column = request.columns["label"]
    gone = is_missing(request.frame, column)
    found = numbers(request.frame, request.run, {"gone": gone})
    plain = replace(request, unlabelled=False)
    if found["gone"] in (0, found["n"]):
        if found["n"] and found["gone"]:
            raise none_labelled(found["n"])
        return count(plain)  # type: ignore[no-any-return]
    labelled = count(replace(plain, frame=request.frame.filter(~gone)))
    rest = request.frame.filter(gone).with_columns(nw.lit(0).alias(_LABEL))
    naming = request.naming and Naming(request.naming.names, {"0": 0})
    columns = {**request.columns, "label": _LABEL}
    others = count(
        replace(
            plain,
            frame=rest,
            columns=columns,
            beside={},
            positive=None,
            positive_from=None,
            naming=naming,
            refine=False,
        )
    )
    empty = ScoreTable.empty(next(iter(labelled.values())).classes)
    groups = [*labelled, *(group for group in others if group not in labelled)]
    return {
        group: with_others(labelled.get(group, empty), others[group])
        if group in others
        else labelled[group]
        for group in groups
    }
