"""From what people bring to tables of counts: the one door that every function uses.

What reads rows of dataframes and files loads when there are some.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from errorfloor._aligned import check_aligned
from errorfloor._checks import InputError, argument
from errorfloor.data.arrays import count_weighed
from errorfloor.data.asked import (
    Asked,
    Reading,
    Where,
    as_asked,
    either,
    is_source,
    refuse_options,
    with_label_as_vote,
)
from errorfloor.data.layouts import COUNTS, SCORES, Layout, joined
from errorfloor.data.matrices import as_votes, check_counts, is_matrix
from errorfloor.data.naming import facts_of_classes, names_in_arrays
from errorfloor.data.numbering import number_rows
from errorfloor.data.raters import Raters
from errorfloor.data.source import ARRAY
from errorfloor.data.table import Table
from errorfloor.data.unlabelled import labels_there, table_of_arrays

__all__ = ["Reading", "Where", "is_data", "read"]


def read(
    data: object,
    layouts: Sequence[Layout],
    where: Where,
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
    asked = Asked(tuple(layouts), where, second, name, progress)
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


def _are_paths(data: object, asked: Asked) -> bool:
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


def _no_columns(data: object, asked: Asked) -> InputError:
    named = joined([argument(name) for name in asked.where.columns])
    text = f" is no dataframe or file but {type(data).__name__}, which has no columns to name with "
    return InputError(asked.first, text, *named, ". Leave out the names, or pass a dataframe.")


def _no_data(asked: Asked) -> InputError:
    kinds = either(asked.kinds)
    if not asked.where.columns:
        return InputError(
            asked.first, f" is missing. Pass {kinds} as arrays, a table, a dataframe or files."
        )
    named = joined([argument(name) for name in asked.where.columns])
    many = len(asked.where.columns) > 1
    text = f" {'name' if many else 'names'} columns, and there is no dataframe or file to read. "
    return InputError(*named, text, f"Pass the {kinds} first, before all names.")


def _of_named_arrays(data: object, asked: Asked) -> Reading:
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


def votes_in_arrays(data: object, asked: Asked) -> tuple[Layout, object]:
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


def _of_arrays(data: object, asked: Asked, *, named: bool = False) -> Reading:
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
        table = table_of_arrays(data, labels, asked.where)
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


def _weighed(layout: Layout, data: object, asked: Asked) -> Table:
    """Return the table of arrays with weights or clusters beside them."""
    if layout is SCORES and asked.second is not None:
        return count_weighed(data, asked.second, asked.where.classes, asked.where.beside)
    kind: Any = layout.table
    arrays = (data, asked.second) if len(layout.arrays) > 1 else (data,)
    made: Table = kind.from_arrays(*arrays, classes=asked.where.classes, **asked.where.beside)
    return made


def _of_table(table: Table, asked: Asked) -> Reading:
    kind = type(table).__name__
    if asked.second is not None:
        second = argument(asked.pair.arrays[1])
        raise InputError(second, " must be left out when ", asked.first, f" is a {kind}.")
    return as_asked(table, asked, (asked.first, f"a {kind}"))
