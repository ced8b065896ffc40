"""From what people bring to tables of counts: the one door that every function uses.

What reads rows of dataframes and files loads when there are some.
"""

from __future__ import annotations

from collections.abc import (
    Callable,
    Iterable,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorfloor._aligned import check_aligned
from errorfloor._checks import (
    InputError,
    Part,
    argument,
    function,
)
from errorfloor.data.arrays import count_weighed, labels_there, partly_labelled
from errorfloor.data.ballots import Raters
from errorfloor.data.layouts import COUNTS, LAYOUTS, SCORES, SOFT_LABELS, Layout, joined
from errorfloor.data.matrices import as_votes, check_counts, is_matrix
from errorfloor.data.naming import (
    TWO_CLASSES,
    listed,
    names_in_arrays,
)
from errorfloor.data.options import (
    ReadOptions,
)
from errorfloor.data.source import ARRAY, Origin, Reading, Source, is_source
from errorfloor.data.tables import ScoreTable, SoftTable, Table
from errorfloor.data.values import number_rows

_SCORES_AS_SOFT = {"soft": "scores"}  # what takes the scores of a table for true probabilities


@dataclass(frozen=True, slots=True)
class ReadCall:
    """What was asked of the door besides the data."""

    layouts: tuple[Layout, ...]
    where: ReadOptions
    second: object
    name: str | None
    progress: Callable[[float], None] | None

    @property
    def kinds(self) -> tuple[str, ...]:
        """What tables may hold that the caller can use."""
        return tuple(dict.fromkeys(layout.kind for layout in self.layouts))

    @property
    def first(self) -> Part:
        """The argument that the data came by."""
        names = [layout.arrays[0] for layout in self.layouts if layout.arrays]
        usual = names[0] if len(self.kinds) == 1 and names else "data"
        return argument(self.name or usual)

    @property
    def pair(self) -> Layout:
        """The layout that is made of two arrays."""
        return next(layout for layout in self.layouts if len(layout.arrays) > 1)

    def source(self, origin: Origin, layout: Layout, rows: int, **more: Any) -> Source:
        """Return where a table came from, with all that was said about it."""
        where = self.where
        if where.complete and (layout.kind != ScoreTable.kind or layout.of_shares):
            said = "shares of votes" if layout.of_shares else layout.kind
            raise InputError(
                argument("complete"),
                f" is about scores: that nothing else a model could see matters. These are {said}. "
                "Leave it out.",
            )
        return Source(
            origin=origin,
            layout=layout.name,
            positive=where.positive,
            positive_from=where.positive_from,
            classes=where.classes,
            drop_missing=where.drop_missing,
            unlabelled=where.unlabelled,
            complete=where.complete,
            label_is_vote=where.label_is_vote,
            format=where.format,
            duplicates=where.duplicates,
            group=where.group,
            called=where.called,
            weight=_as_kept(where.weight),
            cluster=_as_kept(where.cluster),
            rows=rows,
            **more,
        )


def _as_kept(value: Any) -> str | None:
    """Return the column of weights or clusters, or what an array of them is called."""
    return value if value is None or isinstance(value, str) else ARRAY


def with_label_as_vote(layouts: Sequence[Layout], where: ReadOptions) -> Sequence[Layout]:
    """Return the layouts of votes beside a label, or refuse to take a label for a vote."""
    able = [layout for layout in layouts if layout.of_shares]
    if "label" not in where.columns or not able:
        raise InputError(
            *(argument("label_is_vote"), " adds the label of each item to its votes. Name the "),
            *("votes, and the column of the label with ", argument("label"), ", or leave it out."),
        )
    return able


def of_counted(
    table: Table, asked: ReadCall, said: tuple[Part, str], paths: tuple[str, ...] = ()
) -> Reading:
    """Return a table that needs no counting, if the caller can use it.

    `said` is what errors call it, and what it is.
    """
    name, what = said
    named, used = asked.where.columns, {}
    wants_soft = named == _SCORES_AS_SOFT or ScoreTable.kind not in asked.kinds
    if isinstance(table, ScoreTable) and SOFT_LABELS in asked.layouts and wants_soft:
        table, used = SoftTable.from_scores(table), _SCORES_AS_SOFT
    if named and named != used:
        raise _columns_known(asked, said)
    refuse_options(asked)
    for one in asked.where.beside:
        text = f" is {what}, which has weights and clusters already if any. Leave out "
        raise InputError(name, text, argument(one), ".")
    if asked.where.classes is not None and asked.where.classes != table.classes:
        text = f" is {what} of the classes {listed(table.classes)}. Leave out "
        raise InputError(name, text, argument("classes"), ".")
    layout = next((one for one in asked.layouts if one.kind == table.kind), None)
    if layout is None:
        asks = next(one.asks for one in LAYOUTS if one.kind == table.kind)
        text = f" is {what}, which holds {table.kind}; this needs {either(asked.kinds)}. Use "
        raise InputError(name, text, function(asks), " for it.")
    if len(table) == 0:
        raise InputError(name, " is an empty table. Pass at least one item.")
    origin: Origin = "files" if paths else "table"
    rows = table.n + table.dropped
    return Reading(
        {None: table}, asked.source(origin, layout, rows, files=paths, columns=dict(used))
    )


def _columns_known(asked: ReadCall, said: tuple[Part, str]) -> InputError:
    text = f" is {said[1]}, whose columns are known, so name none."
    if SOFT_LABELS not in asked.layouts:
        return InputError(said[0], text)
    remark = " takes the scores of a table for true probabilities."
    return InputError(said[0], f"{text} ", argument("soft", "scores"), remark)


def either(names: Sequence[str]) -> str:
    """Return a list with "or" before its last word."""
    return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def refuse_options(
    asked: ReadCall, *, may_drop: bool = False, may_be_positive: bool = False
) -> None:
    """Refuse what is about rows, where there are none."""
    where = asked.where
    positive = () if may_be_positive else (where.positive, where.positive_from)
    said = (*positive, where.group)
    drops = where.drop_missing and not may_drop
    if drops or where.duplicates != "error" or any(one is not None for one in said):
        options = joined([argument("positive"), argument("drop_missing")], ", ")
        columns = joined([argument(role.argument) for role in asked.layouts[0].needed])
        raise InputError(
            *(*options, " and ", argument("group")),
            " go with a dataframe or file of rows. Pass one, and name its columns with ",
            *(*columns, "."),
        )


def facts_of_classes(
    tables: Table | Iterable[Table], names: tuple[str, ...] | None = None
) -> dict[str, Any]:
    """Return the classes as sources keep them: each with its count; of two, which one is 1.

    `names` are those of two classes, which a table does not keep.
    """
    some: list[Any] = [tables] if isinstance(tables, Table) else list(tables)
    classes = some[0].classes
    if len(classes) == 2:
        known = names is not None and names != TWO_CLASSES
        return {"classes": {"1": [names[1]], "0": [names[0]]}} if known and names else {}
    total: Any = sum(_labels_in(table.columns) for table in some)
    return {"classes": [[name, round(float(n))] for name, n in zip(classes, total, strict=True)]}


def _labels_in(columns: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
    """Return the number of labels or votes for each class; of soft labels the expected one."""
    counts = columns["counts"]
    if counts.ndim == 2:
        return np.asarray(counts.sum(axis=0, dtype=np.int64))
    return np.asarray(counts @ columns["votes" if "votes" in columns else "probabilities"])


def read(
    data: object,
    layouts: Sequence[Layout],
    where: ReadOptions,
    *,
    second: object = None,
    name: str | None = None,
    progress: Callable[[float], None] | None = None,
) -> Reading:
    """Return labels as tables of counts, from arrays, a table, a dataframe or files.

    Parameters
    ----------
    data : array-like, table, dataframe, path, or list of paths
        The labels, or the first of two arrays.
    layouts : sequence of Layout
        Those that the caller can use.
    where : Where
        Columns of a dataframe or file. Those that are not named are guessed where only one
        reading is possible.
    second : array-like, optional
        The second of two arrays: labels beside scores, totals beside votes. Totals may be one
        number, and of a dataframe or file the name of their column.
    name : str, optional
        What the caller calls `data`; what the array of the layout is called by default.
    progress : callable, optional
        Called with the share of the work that is done, for files.
    """
    if isinstance(data, Reading):  # it came through the door before
        return data
    if where.label_is_vote:
        layouts = with_label_as_vote(layouts, where)
    asked = ReadCall(tuple(layouts), where, second, name, progress)
    if where.arrays:
        return _of_named_arrays(data, asked)
    if isinstance(data, Table):
        return _of_table(data, asked)
    if data is None:
        raise _no_data(asked)
    if _are_paths(data, asked):
        from errorfloor.data.read_rows import of_files

        return of_files(data, asked)
    if where.columns and not _is_frame(data):
        raise _no_columns(data, asked)
    if _is_frame(data):
        from errorfloor.data.read_rows import of_rows

        return of_rows(data, asked, where.called or "the dataframe")
    return _of_arrays(data, asked)


def is_data(value: object) -> bool:
    """Tell whether `value` says by itself what it holds: a table, a dataframe or files."""
    return isinstance(value, Table | Reading) or is_source(value) or _is_frame(value)


def _are_paths(data: object, asked: ReadCall) -> bool:
    """Tell paths from arrays, which may be lists of text that spells numbers."""
    if not is_source(data) or not isinstance(data, list | tuple):
        return is_source(data)
    if asked.where.columns or asked.where.format is not None:
        return True
    beside_array = asked.second is not None and np.ndim(asked.second) > 0  # type: ignore[arg-type]
    return not beside_array and not all(isinstance(one, str) and _is_number(one) for one in data)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _is_frame(data: object) -> bool:
    """Tell whether `data` is a dataframe, without the library that reads them all."""
    # Of its type, because a lazy frame would have to find out what its columns are.
    signs = ("columns", "__narwhals_dataframe__", "__narwhals_lazyframe__")
    return any(hasattr(type(data), sign) for sign in signs)


def _no_columns(data: object, asked: ReadCall) -> InputError:
    named = joined([argument(name) for name in asked.where.columns])
    text = f" is no dataframe or file but {type(data).__name__}, which has no columns to name with "
    return InputError(asked.first, text, *named, ". Leave out the names, or pass a dataframe.")


def _no_data(asked: ReadCall) -> InputError:
    kinds = either(asked.kinds)
    if not asked.where.columns:
        return InputError(
            asked.first, f" is missing. Pass {kinds} as arrays, a table, a dataframe or files."
        )
    named = joined([argument(name) for name in asked.where.columns])
    many = len(asked.where.columns) > 1
    text = f" {'name' if many else 'names'} columns, and there is no dataframe or file to read. "
    return InputError(*named, text, f"Pass the {kinds} first, before all names.")


def _of_named_arrays(data: object, asked: ReadCall) -> Reading:
    """Return votes that came as arrays under the name of their layout."""
    layout, votes = votes_in_arrays(data, asked)
    where = asked.where
    if layout.name == COUNTS.name:
        return _of_arrays(votes, replace(asked, layouts=(layout,)), named=True)
    refuse_options(asked, may_drop=True, may_be_positive=True)
    raters = Raters.of(votes, where)
    assert layout.from_arrays is not None
    table = layout.from_arrays(raters, where, None)
    facts = facts_of_classes(table, raters.classes)
    facts |= {} if raters.told is None else {"classes": raters.told}
    more = {"columns": {layout.roles[0].name: ARRAY}, "facts": facts}
    source = asked.source("arrays", layout, len(raters.kept), **more)
    return Reading({None: table}, replace(source, positive=raters.positive))


def votes_in_arrays(data: object, asked: ReadCall) -> tuple[Layout, object]:
    """Return the layout of votes that came as an array under its name, and the array."""
    arrays, where = asked.where.arrays, asked.where
    for name in arrays:
        others = [*where.columns, *(one for one in arrays if one != name)]
        others += [] if asked.second is None else [asked.pair.arrays[1]]
        if data is not None or others:
            raise InputError(
                *(argument(name), " is an array of all votes. Leave out "),
                *(argument(others[0]) if others else argument("votes"), ", or name columns with "),
                *(argument(name), "."),
            )
    ((name, votes),) = arrays.items()
    for layout in asked.layouts:
        if layout.name == name and layout.from_arrays is not None:
            return layout, as_votes(votes, name) if name == COUNTS.name else votes
    raise InputError(
        argument(name),
        f" is an array, which this question does not take. It needs {either(asked.kinds)} in a "
        "table, a dataframe or a file.",
    )


def _of_arrays(data: object, asked: ReadCall, *, named: bool = False) -> Reading:
    labelled = SCORES in asked.layouts and asked.second is not None
    refuse_options(asked, may_drop=labelled)
    columns = (None, is_matrix(data))
    able = {
        layout: layout.from_arrays
        for layout in asked.layouts
        if layout.from_arrays and layout.with_columns in columns and layout.arrays
    }
    if len(able) != 1:
        made = either([f"{layout.table.__name__}.from_arrays" for layout in able])
        raise InputError(
            asked.first,
            f" must be {f'a table made by {made}, ' if able else ''}a dataframe or a file. "
            f"An array does not say whether it holds {either(asked.kinds)}.",
        )
    ((layout, make),) = able.items()
    check_aligned(
        **dict(zip(layout.arrays, (data, asked.second), strict=False)), **asked.where.beside
    )
    if layout.with_columns and not named:
        check_counts(data)
    labels = asked.second
    table: Table
    if labelled and (asked.where.unlabelled or asked.where.drop_missing):
        table = partly_labelled(data, labels, asked.where)
        labels = labels_there(labels)
    elif asked.where.beside:
        table = _weighed(layout, data, asked)
    else:
        table = make(data, labels, asked.where.classes)
    numbered = layout is SCORES and number_rows(data)
    facts = {"id_as_score": True} if numbered else {}
    names = names_in_arrays(data, labels, asked.where.classes, layout is SCORES)
    facts |= facts_of_classes(table, names)
    rows = layout.rows({None: table})
    own = {"columns": {layout.roles[0].name: ARRAY}} if named else {}
    return Reading({None: table}, asked.source("arrays", layout, rows, facts=facts, **own))


def _weighed(layout: Layout, data: object, asked: ReadCall) -> Table:
    """Return the table of arrays with weights or clusters beside them."""
    if layout is SCORES and asked.second is not None:
        return count_weighed(data, asked.second, asked.where.classes, asked.where.beside)
    kind: Any = layout.table
    arrays = (data, asked.second) if len(layout.arrays) > 1 else (data,)
    made: Table = kind.from_arrays(*arrays, classes=asked.where.classes, **asked.where.beside)
    return made


def _of_table(table: Table, asked: ReadCall) -> Reading:
    kind = type(table).__name__
    if asked.second is not None:
        second = argument(asked.pair.arrays[1])
        raise InputError(second, " must be left out when ", asked.first, f" is a {kind}.")
    return of_counted(table, asked, (asked.first, f"a {kind}"))
