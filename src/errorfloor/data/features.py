"""Features with labels, as people have them: arrays, dataframes, NPZ, mapped arrays, files."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorfloor._checks import (
    InputError,
    Part,
    argument,
    as_numbers,
    check_aligned,
    check_same_length,
    function,
    refuse,
    unmasked,
)
from errorfloor._typing import Bools, Counts, Floats
from errorfloor.data.columns import names_an_id, texts_first
from errorfloor.data.matrices import as_class_scores, ranks_of, score_columns, without_frame
from errorfloor.data.naming import MOST_CLASSES, naming_of, refuse_several
from errorfloor.data.options import Reading, ReadOptions, Source, is_source
from errorfloor.data.storage import map_array, read_arrays, shapes_in
from errorfloor.data.tables import ScoreTable, Table
from errorfloor.data.values import (
    as_entries,
    is_frame,
    is_id,
    missing_in,
    shown_entries,
    text_of,
)

_FAR = 400  # powers of 2 beyond which squares, and sums of them, are not safe
_MOST_DENSE = 2**26  # numbers of a sparse array with its zeros, half a GiB
_LISTED = 20  # names that a message lists
_LABELS = ("label", "labels", "y", "target", "class")  # usual names


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """Items with features and one label each.

    Attributes
    ----------
    points : array of shape (n, d)
        Finite numbers.
    codes : array of shape (n,)
        Which of the classes each label is.
    classes : tuple of str
        As they were declared, or those that occur, in the order of their values.
    clusters : array of shape (n,), or None
        Which items belong together.
    source : Source
        Where they came from.
    columns : array of shape (d,), or None
        Which columns of an array the features are, where some were left out.
    kept : array of bool, or None
        Which rows of the data these are, where those with missing values are left out.
    """

    points: Floats = field(repr=False)
    codes: Counts = field(repr=False)
    classes: tuple[str, ...]
    clusters: Counts | None = field(repr=False)
    source: Source
    columns: Counts | None = None
    kept: Bools | None = None

    def row(self, k: int) -> int:
        """Return which row of the data an item was."""
        return k if self.kept is None else int(np.flatnonzero(self.kept)[k])


def read_features(data: Any, labels: Any, features: Any, options: ReadOptions) -> Features:
    """Return features and labels, checked, from whatever holds them."""
    label, cluster = options.columns.get("label"), options.cluster
    mapped_file = is_source(data) and str(data).endswith(".npy")
    if mapped_file:
        # A file of one array has no columns: labels are an array, or another such file.
        labels, label = (label, None) if labels is None else (labels, label)
        data = mapped(data)
    if is_source(data) and str(data).endswith(".npz"):
        return _of_archive(data, labels, features, options)
    if is_source(data) or is_frame(data):
        return _of_rows(data, labels, features, options)
    for name, value in (("label", label), ("features", features)):
        if value is not None:
            text = " names a column. Next to arrays leave it out."
            raise InputError(argument(name), text)
    if labels is None and mapped_file:
        text = " is needed: an .npy file of features has no labels. Name another one that has them."
        raise InputError(argument("label"), text)
    if labels is None:
        raise InputError(argument("y"), " is missing. Pass the label of each row.")
    source = Source(origin="arrays", layout="features", options=options.kept)
    return _of_array(data, mapped(labels), mapped(cluster), source, "y")


def _of_array(data: Any, labels: Any, cluster: Any, source: Source, name: str) -> Features:
    check_aligned(**{"X": data, name: labels, "cluster": cluster})
    drop = source.options.drop_missing
    data, labels, cluster, whole = _complete(_dense(data, "X"), labels, cluster, drop=drop)
    points, kept = _without_ids(as_points(data, may_drop=True))
    facts = _left_out(kept, [f"Column {i}" for i in range(kept.size)])
    source = replace(source, facts=facts)
    found = _checked(points, labels, cluster, source, name)
    return replace(found, columns=np.flatnonzero(kept), kept=whole)


def _complete(
    points: Any, labels: Any, cluster: Any, *, drop: bool
) -> tuple[Any, Any, Any, Bools | None]:
    """Return rows with features, label and cluster, and which they are, where others `drop`."""
    array = np.asarray(points) if drop else None
    if array is None or array.ndim != 2 or 0 in array.shape:
        return points, labels, cluster, None
    given = [as_entries(one) for one in (labels, cluster) if one is not None]
    keep: Bools = np.all(~missing_in(array.ravel()).reshape(array.shape), axis=1)
    for one in given:
        keep &= ~missing_in(one)
    if not keep.any():
        raise InputError("Every row has a missing value. Leave out columns that are mostly empty.")
    told, groups = (None if one is None else as_entries(one)[keep] for one in (labels, cluster))
    return array[keep], told, groups, keep


def _without_ids(points: Floats) -> tuple[Floats, Bools]:
    """Return features without columns that number items, and which are kept; all if all are such.

    No limit gets wrong by what is left out.
    """
    kept = np.array([not is_id(column) for column in points.T])
    if kept.all() or not kept.any():
        return points, np.ones_like(kept)
    return np.ascontiguousarray(points[:, kept]), kept


def _left_out(kept: Bools, names: Sequence[str]) -> dict[str, Any]:
    gone = [name for name, keep in zip(names, kept, strict=True) if not keep]
    return {"numbered_columns": gone} if gone else {}


def mapped(value: Any) -> Any:
    """Return the array in an `.npy` file, which is read as it is needed; else what was given."""
    if not isinstance(value, str | os.PathLike):
        return value
    path = os.fspath(value)
    if not str(path).endswith(".npy") or not os.path.exists(path):
        raise InputError(f"{path!r} is no .npy file. Pass an array, or the path of one.")
    return map_array(path)


def _checked(x: Floats, labels: Any, cluster: Any, source: Source, name: str) -> Features:
    codes, classes = as_codes(labels, name, source.options.classes)
    check_same_length(x[:, 0], codes, ("X", name))
    if codes.min() == codes.max():
        only = classes[codes[0]]
        text = f" has one class only, {only!r}. Features of two classes or more are needed."
        raise InputError(argument(name), text)
    groups = None
    if cluster is not None:
        groups = as_codes(cluster, "cluster")[0]
        check_same_length(x[:, 0], groups, ("X", "cluster"))
    return Features(x, codes, classes, groups, source)


def _dense(points: Any, name: str) -> Any:
    """Return a sparse array with its zeros, where these are not too many to hold."""
    if not (hasattr(points, "toarray") and hasattr(points, "nnz")):
        return points
    size = math.prod(points.shape)
    if size > _MOST_DENSE:
        text = f" is sparse, and has {size:,} numbers with its zeros, more than {_MOST_DENSE:,}. "
        few = "Make fewer columns first, for example 100 by sklearn.decomposition.TruncatedSVD."
        raise InputError(argument(name), text, few)
    return points.toarray()


def as_points(
    points: Any,
    name: str = "X",
    columns: Sequence[str] = (),
    *,
    may_drop: bool = False,
    is_named: bool = True,
) -> Floats:
    """Return features as finite numbers, or say which entry is none.

    `is_named` says whether the user gave the argument, and `may_drop` whether such rows can be left
    out by another one.
    """
    points = _dense(points, name)
    try:
        array = np.asarray(points)
    except ValueError as error:  # rows of unequal length
        raise InputError(argument(name), f" must be a 2-d array of numbers: {error}") from error
    unmasked(points, name)
    if array.ndim != 2 or 0 in array.shape:
        text = f" must be 2-d, a row of features for each item, got shape {array.shape}."
        raise InputError(argument(name), text)
    x = np.ascontiguousarray(as_numbers(array, name))
    if np.shares_memory(x, array):
        x = x.copy()
    bad = ~np.isfinite(x)
    if bad.any():
        row, column = (int(one) for one in np.unravel_index(int(bad.argmax()), x.shape))
        which = repr(columns[column]) if len(columns) == x.shape[1] else column
        fill = "fill them in first, for example by df.fillna(df.median(numeric_only=True))."
        remedy: tuple[Part, ...] = ("Leave out such rows, for example by df.dropna(), or ", fill)
        if may_drop and np.isnan(x[bad]).all():
            remedy = ("Leave out such rows with ", argument("drop_missing", True), f", or {fill}")
        raise InputError(
            argument(name) if is_named else "Features",
            f" must be finite: row {row}, column {which} is {x[row, column]} "
            f"({np.count_nonzero(bad):,} of {bad.size:,} entries are bad). ",
            *remedy,
        )
    x += 0.0  # -0 is 0
    return _in_reach(x)


def _in_reach(x: Floats) -> Floats:
    """Return numbers whose squares a float holds: scaled by a power of 2 where they are not."""
    power = int(np.frexp(np.abs(x).max())[1])
    # In two steps, because the power itself may be beyond the limits.
    return (
        x
        if abs(power) < _FAR
        else np.asarray(np.ldexp(np.ldexp(x, -(power // 2)), power // 2 - power))
    )


def as_codes(
    labels: Any, name: str, classes: tuple[str, ...] | None = None
) -> tuple[Counts, tuple[str, ...]]:
    """Return labels of any kind as places among `classes`, or else among their sorted values."""
    array = shown_entries(labels, name)
    if array.ndim != 1 or array.size == 0:
        text = f" must be 1-d with an entry for each item, got shape {array.shape}."
        raise InputError(argument(name), text)
    between = None if name == "cluster" else _between(array)
    if between is not None:
        raise InputError(
            argument(name),
            f" must hold classes, got {between}. Pass whole numbers or words for classes. A target "
            "of numbers (regression) has no floor here, but ratings by several people have: use ",
            *(function("from_ratings"), "."),
        )
    gone = missing_in(array)
    refuse(gone, array, (argument(name), " has missing entries"), "Drop these items first.")
    try:
        values, codes = np.unique(array, return_inverse=True)
    except TypeError:  # numbers among words
        values, codes = np.unique(array.astype(str), return_inverse=True)
    lists = [one for one in values.tolist() if not isinstance(one, str)]
    refuse_several(lists, (argument(name),))
    if name != "cluster" and values.size > MOST_CLASSES:
        text = f" has {values.size:,} different values, and there are at most {MOST_CLASSES:,} "
        raise InputError(argument(name), text, "classes. Check that these are the labels.")
    if classes is not None:
        naming = naming_of(values.tolist(), len(classes), classes, (argument(name),))
        place = np.array([naming.place[value] for value in values.tolist()])
        return place[codes], naming.names
    return codes.astype(np.int64), tuple(text_of(one) for one in values.tolist())


def _between(labels: NDArray[Any]) -> float | None:
    """Return a label that is a number with a fraction, as no class is; text may spell it."""
    if labels.dtype.kind not in "fOUT":
        return None
    try:
        values = labels.astype(np.float64)
    except (TypeError, ValueError):  # words
        return None
    finite = values[np.isfinite(values)]
    some = finite[finite % 1 > 0]
    return float(some[0]) if some.size else None


def _of_archive(path: Any, labels: Any, features: Any, options: ReadOptions) -> Features:
    shapes, cluster = shapes_in(path), options.cluster
    label = options.columns.get("label")
    name, column = arrays_in(path, shapes, label, features, labels is None)
    group = known_name(list(shapes), cluster, "cluster") if isinstance(cluster, str) else None
    arrays = read_arrays(path, {one for one in (name, column, group) if one is not None})
    given = labels if column is None else arrays[column]
    groups = cluster if group is None else arrays[group]
    source = _from_file(path, column, (name,), options)
    return _of_array(arrays[name], given, groups, source, "label")


def arrays_in(
    path: Any,
    shapes: Mapping[str, tuple[int, ...]],
    label: str | None,
    features: Any,
    labelled: bool,
) -> tuple[str, str | None]:
    """Return which arrays of an archive hold the features and, where they are there, labels."""
    wide = [name for name, shape in shapes.items() if len(shape) == 2]
    name = features if isinstance(features, str) else wide[0] if len(wide) == 1 else ""
    if name not in shapes:
        there = ", ".join(wide[:_LISTED]) or "none"
        text = f"{path} has these arrays with columns: {there}. Name one by "
        raise InputError(text, argument("features"), ".")
    return name, _label_in(list(shapes), label) if labelled else None


def _label_in(names: Sequence[str], label: str | None) -> str:
    """Return the column or array of the labels: as the user says, or by its usual name."""
    if label is not None:
        return known_name(names, label, "label")
    usual = [name for name in names if name.lower() in _LABELS]
    if len(usual) != 1:
        raise InputError(
            argument("label"),
            f" is needed: which of these holds the labels? {', '.join(names[:_LISTED])}",
        )
    return usual[0]


def known_name(names: Sequence[str], column: str, name: str) -> str:
    """Return a column or array if it is there; `name` is that of the argument."""
    if column not in names:
        text = f" {column!r} is not there. There are: {', '.join(names[:_LISTED])}."
        raise InputError(argument(name), text)
    return column


def _from_file(
    path: Any, label: str | None, features: Sequence[str], options: ReadOptions
) -> Source:
    columns = {"features": list(features), **({} if label is None else {"label": label})}
    files = (os.fspath(path),) if is_source(path) and not isinstance(path, list | tuple) else ()
    origin: Any = "files" if files else "frame"
    more: dict[str, Any] = {"files": files, "columns": columns, "options": options.kept}
    return Source(origin=origin, layout="features", **more)


def _of_rows(data: Any, labels: Any, features: Any, options: ReadOptions) -> Features:
    label, cluster = options.columns.get("label"), options.cluster
    apart = labels is not None and not isinstance(labels, str)  # in an array next to the rows
    if apart:
        _check_apart(data, labels, label, cluster)
        _refuse_own_labels(data, features)
    more = {cluster: "cluster"} if isinstance(cluster, str) else {}
    own = None if apart else label or labels
    found, column, wanted, texts = chosen_columns(data, own, features, more, labelled=not apart)
    matrix = matrix_of(found, wanted)
    told = labels if column is None else found[column]
    groups = found[cluster] if isinstance(cluster, str) else cluster
    drop = options.drop_missing
    matrix, told, groups, whole = _complete(matrix, told, groups, drop=drop)
    is_named, facts = features is not None, {}
    points = as_points(matrix, "features", wanted, may_drop=True, is_named=is_named)
    if features is None and matrix.shape[1] == len(wanted):
        points, kept = _without_ids(points)
        facts = _left_out(kept, wanted)
        wanted = [one for one, keep in zip(wanted, kept, strict=True) if keep]
    facts |= {"text_columns": texts} if texts else {}
    source = replace(_from_file(data, column, wanted, options), facts=facts)
    name = "y" if column is None else "label"
    return replace(_checked(points, told, groups, source, name), kept=whole)


def _check_apart(data: Any, labels: Any, label: str | None, cluster: Any) -> None:
    """Refuse labels next to rows that name their labels, or whose order nobody knows."""
    if label is not None:
        raise InputError(
            *(argument("y"), " and ", argument("label"), " both say what the labels are. Give "),
            "one of them.",
        )
    if is_source(data) or not _has_order(data):
        raise InputError(
            argument("y"),
            " goes with arrays, and with dataframes of pandas, polars or pyarrow. Name the column "
            "of the labels by ",
            *(argument("label"), "."),
        )
    check_aligned(X=data, y=labels, cluster=cluster)


def _refuse_own_labels(data: Any, features: Any) -> None:
    """Refuse rows with a column that is called like labels, which would be taken for a feature."""
    names = list(data.column_names if hasattr(data, "column_names") else data.columns)
    own = [one for one in names if isinstance(one, str) and one.lower() in _LABELS]
    if own and features is None:
        raise InputError(
            *(argument("X"), f" has a column {own[0]!r}, which a model would see. Leave it out, "),
            *("or leave out ", argument("y"), ", or name the columns with "),
            *(argument("features"), "."),
        )


def _has_order(data: Any) -> bool:
    """Tell whether the rows of a dataframe are in memory, in one order."""
    import narwhals as nw

    if hasattr(data, "with_format"):  # a Hugging Face dataset
        return True
    try:
        nw.from_native(data, eager_only=True)
    except TypeError:
        return False
    return True


def chosen_columns(
    data: Any,
    label: str | None,
    features: Any,
    more: Mapping[str, str],
    *,
    labelled: bool = True,
) -> tuple[Any, Any, list[str], list[str]]:
    """Return rows with the columns that are asked for, that of the label, and those of features.

    The last are columns of text that nobody named, which are no features.

    `more` are further columns, with the arguments that name them. Rows that are not `labelled`
    have no column of labels.
    """
    from errorfloor.data.engines import kinds_of, select
    from errorfloor.data.read_rows import rows_of

    with rows_of(data, ordered=True) as (frame, run):
        kinds = kinds_of(frame, run)
        column = _label_in(list(kinds), label) if labelled else None
        for name, role in more.items():
            known_name(list(kinds), name, role)
        others = [*([] if column is None else [column]), *more]
        wanted = _feature_columns(kinds, features, others)
        names = dict.fromkeys([*wanted, *others])
        # By names that DuckDB does not take for those of tables, such as Sepal.Length.
        texts = [name for name, kind in kinds.items() if kind == "text" and name not in names]
        # Where features are lists, these are what a text was turned into.
        guessed = features is None and kinds[wanted[0]] in ("number", "boolean")
        texts = [name for name in texts if guessed and not names_an_id(name)]
        return run(select(frame, {name: name for name in names})), column, wanted, texts


def _feature_columns(kinds: dict[str, str], features: Any, others: Sequence[str]) -> list[str]:
    """Return the columns of features: as named, or all numbers, or the one list of numbers."""
    if features is not None:
        named = [features] if isinstance(features, str) else list(features)
        gone = [name for name in named if name not in kinds]
        if gone:
            raise InputError(argument("features"), f" {gone[0]!r} is not there.")
        return named
    free = {name: kind for name, kind in kinds.items() if name not in others}
    lists = [name for name, kind in free.items() if kind in ("list", "votes")]
    numbers = [name for name, kind in free.items() if kind in ("number", "boolean")]
    if len(lists) == 1 and not numbers:
        return lists
    texts = [name for name, kind in free.items() if kind == "text" and not names_an_id(name)]
    if texts and not lists and not numbers:
        text = " is needed: no column holds numbers. "
        raise InputError(argument("features"), text, texts_first(texts))
    if lists or not numbers:
        raise InputError(
            argument("features"), " is needed: name the columns that a model sees, or one list."
        )
    return numbers


def matrix_of(found: Any, wanted: Sequence[str]) -> NDArray[Any]:
    """Return columns of numbers side by side, or the lists in one column as rows."""
    columns = [np.asarray(found[name]) for name in wanted]
    if len(columns) == 1 and columns[0].dtype == object and str(columns[0][0]).startswith("["):
        columns[0] = _lists_of(columns[0], wanted[0])
    if len(columns) == 1 and columns[0].dtype == object and np.ndim(columns[0][0]) == 1:
        sizes = {len(row) for row in columns[0]}
        if len(sizes) > 1:
            few = sorted(sizes)[:3]
            text = f" {wanted[0]!r} holds lists of unequal lengths, such as {few}. "
            raise InputError(argument("features"), text, "Cut or fill them to one length first.")
        return np.stack([np.asarray(row) for row in columns[0]])
    pairs = zip(wanted, columns, strict=True)
    return np.column_stack([_numbers(column, name) for name, column in pairs])


def _numbers(column: NDArray[Any], name: str) -> Floats:
    try:
        return as_numbers(column, "features")
    except InputError as error:
        _, _, reason = str(error).partition(" ")  # behind the argument
        raise InputError(argument("features"), f" {name!r}: {reason}") from error


def _lists_of(column: NDArray[Any], name: str) -> NDArray[Any]:
    """Return lists of numbers, which text files write between brackets."""
    found = np.empty(column.size, dtype=object)
    for i, one in enumerate(column.tolist()):
        try:
            found[i] = np.asarray(
                json.loads(one) if isinstance(one, str) else one, dtype=np.float64
            )
        except (ValueError, TypeError) as error:
            text = f" {name!r} must hold lists of numbers: row {i} is {str(one)[:60]!r}."
            raise InputError(argument("features"), text) from error
    return found


# Items with features, labels and maybe scores, one by one. What adds noise to labels needs to know
# whose label it is: neighbours are items, and rows of scores are what they fall into.


@dataclass(frozen=True, slots=True, eq=False)
class FeatureItems:
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


def read_items(scores: Any, labels: Any, features: Any, options: ReadOptions) -> FeatureItems:
    """Return items from arrays, or from the columns of a dataframe or a file."""
    _refuse_options(options, scores)
    kept: dict[str, Any] = {}
    if is_frame(scores) and labels is not None and not options.columns:
        scores, classes = without_frame(scores, labels, options.classes)
        options = replace(options, classes=classes)
    if is_source(scores) or is_frame(scores):
        points, told, values, name = _items_in_columns(scores, labels, features, options)
        kept = {"files": (os.fspath(scores),)} if isinstance(scores, str | os.PathLike) else {}
        origin: Any = "files" if is_source(scores) else "frame"
    else:
        points, told, values, name, origin = _array(features), labels, scores, "labels", "arrays"
        if options.columns:
            named = argument(next(iter(options.columns)))
            raise InputError(named, " names a column. Next to arrays leave it out.")
    if told is None:
        raise InputError(argument("labels"), " is missing. Pass the label of each item.")
    x, told = as_points(points, "features"), _one_class_against_others(told, options, name)
    source = Source(origin=origin, layout="features", columns=dict(options.columns), **kept)
    return _as_items(x, told, values, options.classes, name, source)


def _refuse_options(options: ReadOptions, scores: Any) -> None:
    for name, given in (("group", options.group), ("drop_missing", options.drop_missing or None)):
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


def _items_in_columns(
    data: Any, labels: Any, features: Any, options: ReadOptions
) -> tuple[Any, Any, Any, str]:
    """Return features, labels, scores or None, and what labels are called."""
    if labels is not None:
        text = " goes with arrays. Of a dataframe or file name the column by "
        raise InputError(argument("labels"), text, argument("label"), ".")
    label, score = options.columns.get("label"), options.columns.get("score")
    columns = [] if score is None else [score] if isinstance(score, str) else list(score)
    if str(data).endswith(".npz"):
        shapes = shapes_in(data)
        name, column = arrays_in(data, shapes, label, features, labelled=True)
        wanted = [known_name(list(shapes), one, "score") for one in columns]
        arrays = read_arrays(data, {name, str(column), *wanted})
        some = {one: arrays[one] for one in wanted}
        return arrays[name], arrays[str(column)], _side_by_side(some), "label"
    file = _array(features)
    if file is not features:  # features in a file of their own, in the order of the rows
        found, column, *_ = chosen_columns(data, label, [], dict.fromkeys(columns, "score"))
        return file, np.asarray(found[column]), _scores_of(found, columns), "label"
    found, column, wanted, _ = chosen_columns(
        data, label, features, dict.fromkeys(columns, "score")
    )
    return matrix_of(found, wanted), np.asarray(found[column]), _scores_of(found, columns), "label"


def _scores_of(found: Any, columns: list[str]) -> Any:
    if not columns:
        return None
    rows = matrix_of(found, columns)
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


def _one_class_against_others(labels: Any, options: ReadOptions, name: str) -> Any:
    """Return labels as they are, or 1 for the class that was named positive and 0 for others."""
    if options.positive_from is not None:
        return (as_numbers(np.asarray(labels), name) >= options.positive_from).astype(np.int64)
    if options.positive is None:
        return labels
    meant = text_of(options.positive)
    is_meant = np.array([text_of(one) == meant for one in np.asarray(labels).tolist()])
    if not is_meant.any():
        raise InputError(argument("positive"), f" {meant!r} is no label of any item.")
    return is_meant.astype(np.int64)


def _as_items(
    x: Floats, labels: Any, scores: Any, classes: Any, name: str, source: Source
) -> FeatureItems:
    plain, names = as_codes(labels, name)
    check_same_length(x[:, 0], plain, ("features", name))
    if len(names) < 2:
        text = f" has one class only, {names[0]!r}. Labels of two classes or more are needed."
        raise InputError(argument(name), text)
    if scores is None:
        nothing = np.zeros(len(x), dtype=np.int64)
        same = np.full((len(x), len(names)), 1 / len(names))
        return FeatureItems(x, plain, nothing, _table(same, plain, names), False, source)
    s, y, names = as_class_scores(scores, labels, classes)
    codes = np.asarray(y).astype(np.int64)
    row = ranks_of(s + 0.0)
    return FeatureItems(x, codes, row, _table(s, codes, names), True, source)


def _table(scores: Floats, codes: Counts, names: tuple[str, ...]) -> ScoreTable:
    if scores.ndim == 2 and scores.shape[1] == 2:
        scores = scores[:, 1]
    labels = codes if scores.ndim == 2 else codes != 0
    return ScoreTable(**score_columns(scores + 0.0, labels, names))
