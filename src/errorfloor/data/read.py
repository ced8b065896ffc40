"""From what people bring to tables of counts: the one door that every function uses.

What reads rows of dataframes and files loads when there are some.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

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
from errorfloor.data.layouts import SCORES, Layout
from errorfloor.data.matrices import is_matrix
from errorfloor.data.naming import facts_of_classes, names_in_arrays
from errorfloor.data.numbering import number_rows
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
    if isinstance(data, Table):
        return _of_table(data, asked)
    if _are_paths(data, asked):
        from errorfloor.data.read_rows import of_files

        return of_files(data, asked)
    if where.columns or _is_frame(data):
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


def _of_arrays(data: object, asked: Asked) -> Reading:
    labelled = SCORES in asked.layouts and asked.second is not None
    refuse_options(asked, may_drop=labelled)
    columns = (None, is_matrix(data))
    able = {
        layout: layout.from_arrays
        for layout in asked.layouts
        if layout.from_arrays and layout.with_columns in columns
    }
    if len(able) != 1:
        made = either([f"{layout.table.__name__}.from_arrays" for layout in able])
        raise InputError(
            asked.first,
            f" must be {f'a table made by {made}, ' if able else ''}a dataframe or a file. "
            f"An array does not say whether it holds {either(asked.kinds)}.",
        )
    ((layout, make),) = able.items()
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
    return Reading({None: table}, asked.source("arrays", layout, rows, facts=facts))


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
