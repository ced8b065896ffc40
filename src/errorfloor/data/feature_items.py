"""Items with features and a label each, and with scores where there are some, one by one.

What adds noise to labels needs to know whose label it is: neighbours are items, and rows of scores
are what they fall into.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorfloor._checks import InputError, argument, as_numbers, check_same_length
from errorfloor._typing import Counts, Floats
from errorfloor.data.annotators import text_of
from errorfloor.data.asked import Reading, Where, is_source
from errorfloor.data.features import (
    arrays_in,
    as_codes,
    as_points,
    chosen_columns,
    is_frame,
    mapped,
    matrix_of,
    there,
)
from errorfloor.data.matrices import as_class_scores, counted_scores
from errorfloor.data.source import Source
from errorfloor.data.storage import read_arrays, shapes_in
from errorfloor.data.table import Table, by_score, rows_of
from errorfloor.data.tables import ScoreTable


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """Items with features, labels and maybe scores.

    Attributes
    ----------
    points : array of shape (n, d)
        Features.
    codes : array of shape (n,)
        Which class each label is.
    row : array of shape (n,)
        The row of the table that each item falls into.
    table : ScoreTable
        Their scores and labels, counted; one row for all where there are no scores.
    scored : bool
        Whether there are scores.
    source : Source
        Where they came from.
    """

    points: Floats = field(repr=False)
    codes: Counts = field(repr=False)
    row: Counts = field(repr=False)
    table: ScoreTable
    scored: bool
    source: Source

    @property
    def classes(self) -> int:
        """Number of classes."""
        return len(self.table.classes)

    @property
    def reading(self) -> Reading:
        """The table, as the door gives it."""
        return Reading({None: self.table}, self.source)

    def counts(self, codes: Counts) -> Counts:
        """Return counts of the table's complete cells for sets of labels, of shape (sets, n)."""
        label = 1 - codes if self.classes == 2 else codes  # of two classes 1 comes first
        place = self.row * self.classes + label
        width = len(self.table) * self.classes
        return np.array([np.bincount(one, minlength=width) for one in place])


def read_items(scores: Any, labels: Any, features: Any, where: Where) -> Items:
    """Return items from arrays, or from the columns of a dataframe or a file."""
    _refuse(where, scores)
    kept: dict[str, Any] = {}
    if is_source(scores) or is_frame(scores):
        points, told, values, name = _of_columns(scores, labels, features, where)
        kept = {"files": (os.fspath(scores),)} if isinstance(scores, str | os.PathLike) else {}
        origin: Any = "files" if is_source(scores) else "frame"
    else:
        points, told, values, name, origin = _array(features), labels, scores, "labels", "arrays"
        if where.columns:
            raise InputError(
                argument(next(iter(where.columns))), " names a column. Beside arrays leave it out."
            )
    if told is None:
        raise InputError(argument("labels"), " is missing. Pass the label of each item.")
    x, told = as_points(points, "features"), _one_class_against_others(told, where, name)
    source = Source(origin=origin, layout="features", columns=dict(where.columns), **kept)
    return _items(x, told, values, where.classes, name, source)


def _refuse(where: Where, scores: Any) -> None:
    for name, given in (("group", where.group), ("drop_missing", where.drop_missing or None)):
        if given is not None:
            raise InputError(
                *(argument(name), " does not go with ", argument("features")),
                ", where items are neighbours of each other. Choose the items first.",
            )
    if isinstance(scores, Table | Reading):
        raise InputError(
            argument("features"),
            " needs the items one by one, and a table has counted them. Pass arrays, a dataframe "
            "or a file.",
        )


def _array(features: Any) -> Any:
    if isinstance(features, str | os.PathLike) and str(features).endswith(".npy"):
        return mapped(features)
    return features


def _of_columns(data: Any, labels: Any, features: Any, where: Where) -> tuple[Any, Any, Any, str]:
    """Return features, labels, scores or None, and what labels are called."""
    if labels is not None:
        text = " goes with arrays. Of a dataframe or file name the column by "
        raise InputError(argument("labels"), text, argument("label"), ".")
    label, score = where.columns.get("label"), where.columns.get("score")
    beside = [] if score is None else [score] if isinstance(score, str) else list(score)
    if str(data).endswith(".npz"):
        shapes = shapes_in(data)
        name, column = arrays_in(data, shapes, label, features, labelled=True)
        wanted = [there(list(shapes), one, "score") for one in beside]
        arrays = read_arrays(data, {name, str(column), *wanted})
        some = {one: arrays[one] for one in wanted}
        return arrays[name], arrays[str(column)], _side_by_side(some), "label"
    file = _array(features)
    if file is not features:  # features in a file of their own, in the order of the rows
        found, column, _ = chosen_columns(data, label, [], dict.fromkeys(beside, "score"))
        return file, np.asarray(found[column]), _scores(found, beside), "label"
    found, column, wanted = chosen_columns(data, label, features, dict.fromkeys(beside, "score"))
    return matrix_of(found, wanted), np.asarray(found[column]), _scores(found, beside), "label"


def _scores(found: Any, beside: list[str]) -> Any:
    if not beside:
        return None
    rows = matrix_of(found, beside)
    return rows[:, 0] if rows.shape[1] == 1 else rows


def _side_by_side(columns: dict[str, NDArray[Any]]) -> Any:
    if len(columns) < 2:
        return next(iter(columns.values()), None)
    sizes = {name: one.size for name, one in columns.items()}
    if len(set(sizes.values())) > 1:
        listed = ", ".join(f"{name} {size:,}" for name, size in sizes.items())
        text = f" must have one entry per item in each of its arrays, and there are: {listed}."
        raise InputError(argument("score"), text)
    return np.column_stack([as_numbers(one, "score") for one in columns.values()])


def _one_class_against_others(labels: Any, where: Where, name: str) -> Any:
    """Return labels as they are, or 1 for the class that was named positive and 0 for others."""
    if where.positive_from is not None:
        return (as_numbers(np.asarray(labels), name) >= where.positive_from).astype(np.int64)
    if where.positive is None:
        return labels
    meant = text_of(where.positive)
    is_meant = np.array([text_of(one) == meant for one in np.asarray(labels).tolist()])
    if not is_meant.any():
        raise InputError(argument("positive"), f" {meant!r} is no label of any item.")
    return is_meant.astype(np.int64)


def _items(x: Floats, labels: Any, scores: Any, classes: Any, name: str, source: Source) -> Items:
    plain, names = as_codes(labels, name)
    check_same_length(x[:, 0], plain, ("features", name))
    if len(names) < 2:
        text = f" has one class only, {names[0]!r}. Labels of two classes or more are needed."
        raise InputError(argument(name), text)
    if scores is None:
        nothing = np.zeros(len(x), dtype=np.int64)
        same = np.full((len(x), len(names)), 1 / len(names))
        return Items(x, plain, nothing, _table(same, plain, names), False, source)
    s, y, names = as_class_scores(scores, labels, classes)
    codes = np.asarray(y).astype(np.int64)
    row = rows_of(s + 0.0)
    return Items(x, codes, row, _table(s, codes, names), True, source)


def _table(scores: Floats, codes: Counts, names: tuple[str, ...]) -> ScoreTable:
    if scores.ndim == 2 and scores.shape[1] == 2:
        scores = scores[:, 1]
    if scores.ndim == 1:
        return ScoreTable(*by_score(scores + 0.0, codes != 0))
    return ScoreTable(**counted_scores(np.array(scores, order="F"), codes, names))
