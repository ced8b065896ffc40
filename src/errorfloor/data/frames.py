"""Any dataframe, any file: counted where the rows are, so that only counts come back.

Every estimator works on a table of counts, so size is a matter of one group-by, and the group-by
is the work of the engine that has the rows: pandas, polars, pyarrow, DuckDB, Dask, PySpark or
Ibis, through narwhals. Files are read by DuckDB, out of core.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from errorfloor._checks import InputError, argument, check_whole, function, shown
from errorfloor.data import files, grid
from errorfloor.data.asked import is_source, least_positive
from errorfloor.data.classes import counted
from errorfloor.data.columns import Chosen, by_role, layout_of, plain, usage
from errorfloor.data.engines import Columns, Frame, Progress, fetch, kinds_of, lazy, watched
from errorfloor.data.formats import FORMATS, format_of
from errorfloor.data.grid import CELLS
from errorfloor.data.layouts import (
    ANNOTATIONS,
    ANNOTATORS,
    SCORES,
    SOFT_LABELS,
    VOTES,
    Layout,
    joined,
)
from errorfloor.data.ranged import Ranged
from errorfloor.data.rows import Request, Run
from errorfloor.data.storage import read_arrays
from errorfloor.data.table import Table
from errorfloor.data.tables import KINDS, ScoreTable, SoftTable, VoteTable

_OF_VOTES = (VOTES, ANNOTATIONS, ANNOTATORS)


def scan(source: files.Paths, *, format: str | None = None) -> Any:  # noqa: A002
    r"""Return a DuckDB relation over the rows of files, read when it is used.

    Parameters
    ----------
    source : path, or list of paths
        Files, globs or folders of CSV, TSV, JSON lines, Parquet or NPZ (1-d arrays of equal
        length); text plain or packed by gzip or zstd. The fields of text files stay text until
        they are used as numbers.
    format : {"csv", "tsv", "jsonl", "parquet", "npz"}, optional
        Where names and contents of the files do not tell.

    Examples
    --------
    >>> import errorfloor as ef
    >>> path = getfixture("tmp_path") / "labels.csv"
    >>> _ = path.write_text("p,y,year\n0.2,0,2025\n0.7,1,2026\n0.9,1,2026\n")
    >>> recent = ef.frames.scan(path).filter("year = 2026")
    >>> ef.frames.score_table(recent, score="p", label="y")
    ScoreTable(n=2, rows=2)
    """
    import tempfile

    found = files.kept(files.find_data(_as_paths(source, "source"), format))
    kind = format_of(found, format)
    return files.relation(files.connect(tempfile.gettempdir()), found, kind)


def columns(data: Any) -> dict[str, str]:
    """Return the columns of a dataframe or file, each as "number", "boolean", "text" or "other".

    Text that spells numbers in all of the first thousand rows counts as numbers, and likewise
    for booleans.
    """
    with rows_of(data) as (frame, run):
        return kinds_of(frame, run)


def score_table(
    data: Any,
    *,
    score: str,
    label: str | None = None,
    positive: object = None,
    positive_from: float | None = None,
    drop_missing: bool = False,
    cells: int = CELLS,
    refine: bool = True,
    progress: Progress | None = None,
) -> ScoreTable:
    """Count the labels at each score, in the engine that has the rows.

    Up to 262,144 distinct scores there is a row for each. Beyond, a row stands for the scores of
    one cell of a fixed grid, and a second pass takes apart the few cells that can hold the best
    cut, so that the isotonic estimate stays exact.

    Parameters
    ----------
    data : dataframe, path, or list of paths
        A pandas, polars (eager or lazy), pyarrow, DuckDB, Dask, PySpark or Ibis frame; or files as
        in `scan`.
    score : str
        Column of scores: numbers, or text that spells them.
    label : str
        Column of labels: 0 and 1, booleans, text that spells them, or a pair of words of which it
        is known which one means yes, such as yes and no, or spam and ham.
    positive : optional
        The value of the label column that means class 1; all others then mean class 0.
    positive_from : float, optional
        For ratings: numbers from here on mean class 1, in place of `positive`.
    drop_missing : bool
        Leave out rows where something is missing, and count them in `dropped`; an error otherwise.
    cells : int
        Number of cells from 0 to 1, where cells are needed.
    refine : bool
        Whether to take the second pass.
    progress : callable, optional
        Called with the share of the work that is done, for files.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"p": [0.2, 0.7, 0.2], "answer": ["no", "yes", "yes"]})
    >>> score_table(frame, score="p", label="answer", positive="yes")
    ScoreTable(n=3, rows=2)
    """
    how = {"positive": positive, "positive_from": positive_from, "drop_missing": drop_missing}
    how |= {"cells": cells, "refine": refine}
    return _count_scores(data, score, label, how, progress)[None]


def score_tables(
    data: Any,
    *,
    score: str,
    label: str | None = None,
    group: str,
    positive: object = None,
    positive_from: float | None = None,
    drop_missing: bool = False,
    cells: int = CELLS,
    refine: bool = True,
    progress: Progress | None = None,
) -> dict[Any, ScoreTable]:
    """Count the labels at each score for each value of the column `group`, in one go.

    Groups of which all rows were left out have empty tables; None has that of rows without a group.
    The other parameters are those of `score_table`.
    """
    how = {"positive": positive, "positive_from": positive_from, "drop_missing": drop_missing}
    how |= {"cells": cells, "refine": refine}
    return _count_scores(data, score, label, {**how, "group": group}, progress)


def soft_table(
    data: Any,
    *,
    soft: str,
    drop_missing: bool = False,
    cells: int = CELLS,
    progress: Progress | None = None,
) -> SoftTable:
    """Count the items at each soft label, in the engine that has the rows.

    Parameters
    ----------
    data, drop_missing, cells, progress
        As in `score_table`.
    soft : str
        Column of true probabilities of class 1, in [0, 1]: numbers, or text that spells them.

    Examples
    --------
    >>> import pandas as pd
    >>> soft_table(pd.DataFrame({"p": [0.2, 0.7, 0.2]}), soft="p")
    SoftTable(n=3, rows=2)
    """
    how = {"drop_missing": drop_missing, "cells": cells}
    table: SoftTable = _counted(data, (SOFT_LABELS,), {"soft": soft}, how, progress)[None]
    return table


def soft_tables(
    data: Any,
    *,
    soft: str,
    group: str,
    drop_missing: bool = False,
    cells: int = CELLS,
    progress: Progress | None = None,
) -> dict[Any, SoftTable]:
    """Count the items at each soft label for each value of the column `group`, in one go.

    Groups of which all rows were left out have empty tables; None has that of rows without a group.
    The other parameters are those of `soft_table`.
    """
    how = {"drop_missing": drop_missing, "cells": cells, "group": group}
    return _counted(data, (SOFT_LABELS,), {"soft": soft}, how, progress)


def vote_table(
    data: Any,
    *,
    positives: str | None = None,
    totals: str | int | None = None,
    item: str | None = None,
    vote: str | None = None,
    annotator: str | None = None,
    annotators: Sequence[str] | None = None,
    positive: object = None,
    positive_from: float | None = None,
    drop_missing: bool = False,
    progress: Progress | None = None,
) -> VoteTable:
    """Count the items with each pair of votes, in the engine that has the rows.

    Name the columns of one of three layouts.

    Parameters
    ----------
    data : dataframe, path, or list of paths
        As in `score_table`.
    positives, totals : str
        One row per item: columns of the votes for class 1 and of all votes; `totals` may be a
        number.
    item, vote : str
        One row per item and annotator: columns of the item and of the vote (0 or 1).
    annotator : str, optional
        Column of the annotator in that layout, to be sure that nobody voted twice on an item.
    annotators : sequence of str
        One row per item and one column of votes per annotator; blank where there is no vote.
    positive, positive_from : optional
        The value of a vote that means class 1, or the least number that does; all others then
        mean class 0.
    drop_missing : bool
        Leave out rows where something is missing, and items without a vote, and count them in
        `dropped`; an error otherwise.
    progress : callable, optional
        Called with the share of the work that is done, for files.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"item": [1, 1, 2, 2], "by": [*"abab"], "vote": [0, 1, 1, 1]})
    >>> vote_table(frame, item="item", vote="vote", annotator="by")
    VoteTable(n=2, rows=2)
    """
    names: dict[str, Any] = {"positives": positives, "totals": totals, "item": item, "vote": vote}
    names |= {"annotator": annotator, "annotators": annotators}
    how = {"positive": positive, "positive_from": positive_from, "drop_missing": drop_missing}
    table: VoteTable = _counted(data, _OF_VOTES, names, how, progress)[None]
    return table


def vote_tables(
    data: Any,
    *,
    group: str,
    positives: str | None = None,
    totals: str | int | None = None,
    item: str | None = None,
    vote: str | None = None,
    annotator: str | None = None,
    annotators: Sequence[str] | None = None,
    positive: object = None,
    positive_from: float | None = None,
    drop_missing: bool = False,
    progress: Progress | None = None,
) -> dict[Any, VoteTable]:
    """Count the items with each pair of votes for each value of the column `group`, in one go.

    Groups of which all rows were left out have empty tables; None has that of rows without a group.
    The other parameters are those of `vote_table`.
    """
    names: dict[str, Any] = {"positives": positives, "totals": totals, "item": item, "vote": vote}
    names |= {"annotator": annotator, "annotators": annotators}
    how = {"positive": positive, "positive_from": positive_from, "drop_missing": drop_missing}
    return _counted(data, _OF_VOTES, names, {**how, "group": group}, progress)


def merge(paths: files.Paths) -> Table:
    """Add up tables that were saved to files, shard by shard or day by day.

    The sum is that of one pass over all items. Once it has more than 262,144 rows, scores are
    merged into cells of the same fixed grid that a pass would have used.

    Parameters
    ----------
    paths : path, or list of paths
        NPZ files that the `save` of a table wrote, globs or folders of them.

    Examples
    --------
    >>> import errorfloor as ef
    >>> folder = getfixture("tmp_path")
    >>> ef.ScoreTable.from_arrays([0.2, 0.7], [0, 1]).save(folder / "monday.npz")
    >>> ef.ScoreTable.from_arrays([0.2, 0.9], [1, 1]).save(folder / "tuesday.npz")
    >>> ef.merge(folder)
    ScoreTable(n=4, rows=3)
    """
    suffixes = [suffix for kind in FORMATS if kind.holds_tables for suffix in kind.suffixes]
    return _sum(
        (file, load_table(file)) for file in files.find(_as_paths(paths, "paths"), suffixes)
    )


def load_table(path: str | os.PathLike[str]) -> Table:
    """Read a table of any kind that `save` wrote."""
    name = os.fspath(path)
    try:
        arrays = read_arrays(path)
        kind = _kind_in(arrays)
        if kind is None:
            raise ValueError("its arrays are others.")
        return kind.from_file(arrays)
    except (ValueError, TypeError) as error:
        raise InputError(
            f"{name!r} does not hold a table: {error} Pass a table that was saved as NPZ."
        ) from error


def saved_table(found: Sequence[str]) -> Table | None:
    """Return the sum of the tables in files, or None if the first one holds plain arrays."""
    if _kind_in(read_arrays(found[0])) is None:
        return None
    return _sum((file, load_table(file)) for file in found)


def _kind_in(arrays: dict[str, Any]) -> type[Table] | None:
    return next((kind for kind in KINDS if kind.is_in(arrays)), None)


def _sum(tables: Iterable[tuple[str, Table]]) -> Table:
    total: Table | None = None
    for file, table in tables:
        if total is None:
            total = table
        elif type(total) is type(table):
            total = total + table
        else:
            raise InputError(
                f"The files hold both {total.kind} and {table.kind}; {file!r} is the first of "
                "another kind. Merge each kind on its own.",
            )
        if isinstance(total, Ranged) and len(total) > grid.EXACT:
            total = total.coarsen()
    assert total is not None  # there is a file
    return total


def _as_paths(value: object, name: str) -> list[Any]:
    """Return one path or several as a list, or say that it is none."""
    several = isinstance(value, Iterable) and not isinstance(value, str | bytes | os.PathLike)
    paths = list(value) if several else [value]  # type: ignore[call-overload]
    if not paths:
        raise InputError(argument(name), " is empty. Pass at least one file.")
    if not is_source(paths):
        raise InputError(argument(name), f" must be a path or a list of paths, got {shown(value)}.")
    return paths


@contextmanager
def rows_of(
    data: Any,
    progress: Progress | None = None,
    format: str | None = None,  # noqa: A002
) -> Iterator[tuple[Frame, Run]]:
    """Yield a frame over the rows of `data`, and what runs a query on it."""
    if not is_source(data):
        yield lazy(data), fetch
        return
    with (
        files.at_rest(files.find_data(data, format)) as found,
        files.opened(found, format_of(found, format)) as (connection, relation),
    ):

        def run(query: Frame) -> Columns:
            with watched(connection, progress):
                return fetch(query)

        yield lazy(relation), run


def _count_scores(
    data: Any, score: str, label: str | None, how: Mapping[str, Any], progress: Progress | None
) -> dict[Any, ScoreTable]:
    if label is None:
        raise InputError(
            argument("label"),
            " is missing. Name the column of labels; for true probabilities without labels, use ",
            function("soft_table"),
            ".",
        )
    return _counted(data, (SCORES,), {"score": score, "label": label}, how, progress)


def _counted(
    data: Any,
    layouts: Sequence[Layout],
    columns: Mapping[str, Any],
    how: Mapping[str, Any],
    progress: Progress | None,
) -> dict[Any, Any]:
    """Return the table of each group of the rows of `data`, whose columns are all named."""
    given = by_role({name: column for name, column in columns.items() if column is not None})
    if not given:
        raise InputError(*usage(layouts, "Name the columns by"))
    layout = layout_of(given, layouts)
    for role in layout.needed:
        if role.name not in given:
            needed = joined([argument(role.argument) for role in layout.needed])
            raise InputError(argument(role.argument), " is missing. Pass both ", *needed, ".")
    if "cells" in how:
        remedy = f"{CELLS:,} is usual; powers of two fit into each other."
        check_whole(how["cells"], name="cells", least=2, remedy=remedy)
    least = least_positive(how.get("positive_from"), how.get("positive"))
    how = {**how, "positive_from": least}
    with rows_of(data, progress) as (frame, run):
        chosen = Chosen(layout, plain(layout, given, frame.collect_schema().names()))
        request = Request(frame=frame, run=run, columns=chosen.arguments, **how)
        _, _, tables = counted(request, layout)
        return dict(tables)
