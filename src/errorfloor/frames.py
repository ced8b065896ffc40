"""Any dataframe, any file: counted where the rows are, so that only counts come back.

Every estimator works on a table of counts, so size is a matter of one group-by, and the group-by
is the work of the engine that has the rows: pandas, polars, pyarrow, DuckDB, Dask, PySpark or
Ibis, through narwhals. Files are read by DuckDB, out of core.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from zipfile import BadZipFile

import narwhals as nw
import numpy as np

from errorfloor import _files
from errorfloor._checks import check_whole
from errorfloor._counting import EXACT, count_scores, count_votes
from errorfloor._engines import Columns, Frame, Progress, fetch, lazy, select, watched
from errorfloor._items import Run, ScoreRows, VoteLayout
from errorfloor.tables import CELLS, ScoreTable, VoteTable


def scan(source: _files.Paths, *, format: str | None = None) -> Any:  # noqa: A002
    r"""Return a DuckDB relation over the rows of files, read when it is used.

    Parameters
    ----------
    source : path, or list of paths
        Files, globs or folders of CSV, TSV, JSON lines or Parquet, plain or packed by gzip or
        zstd. The fields of all but Parquet files stay text until they are used as numbers.
    format : {"csv", "tsv", "jsonl", "parquet"}, optional
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

    files = _files.find(source)
    return _files.relation(_files.connect(tempfile.gettempdir()), files, format)


def columns(data: Any) -> dict[str, str]:
    """Return the columns of a dataframe or file, each as "number", "boolean", "text" or "other".

    Text that spells numbers in all of the first thousand rows counts as numbers, and likewise
    for booleans.
    """
    with _rows_of(data, None) as (frame, run):
        schema = frame.collect_schema()
        kinds = {name: _kind(dtype) for name, dtype in schema.items()}
        texts = [name for name, kind in kinds.items() if kind == "text"]
        if texts:
            head = run(select(frame, {name: name for name in texts}).head(1000))
            kinds |= {name: _kind_of_text(head[name].tolist()) for name in texts}
        return kinds


def score_table(
    data: Any,
    *,
    score: str,
    label: str | None = None,
    positive: object = None,
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
    label : str, optional
        Column of labels: 0 and 1, booleans, or text that spells them. Left out for soft labels.
    positive : optional
        The value of the label column that means class 1; all others then mean class 0.
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
    names = {"score": score, "label": label}
    with _rows_of(data, progress) as (frame, run):
        rows = ScoreRows.read(frame, run, names, positive, drop_missing)
        return count_scores(rows, _check_cells(cells), refine)[None]


def score_tables(
    data: Any,
    *,
    score: str,
    label: str | None = None,
    group: str,
    positive: object = None,
    drop_missing: bool = False,
    cells: int = CELLS,
    refine: bool = True,
    progress: Progress | None = None,
) -> dict[Any, ScoreTable]:
    """Count the labels at each score for each value of the column `group`, in one go.

    Groups of which all rows were left out have empty tables; None has that of rows without a group.
    The other parameters are those of `score_table`.
    """
    names = {"score": score, "label": label, "group": group}
    with _rows_of(data, progress) as (frame, run):
        rows = ScoreRows.read(frame, run, names, positive, drop_missing)
        return count_scores(rows, _check_cells(cells), refine)


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
        One row an item: columns of the votes for class 1 and of all votes; `totals` may be a
        number.
    item, vote : str
        One row an item and annotator: columns of the item and of the vote (0 or 1).
    annotator : str, optional
        Column of the annotator in that layout, to be sure that nobody voted twice on an item.
    annotators : sequence of str
        One row an item and one column of votes an annotator; blank where there is no vote.
    positive : optional
        The value of a vote that means class 1; all others then mean class 0.
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
    layout = VoteLayout.of(positives, totals, item, vote, annotator, annotators)
    with _rows_of(data, progress) as (frame, run):
        return count_votes(layout.items(frame, run, None, positive, drop_missing))[None]


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
    drop_missing: bool = False,
    progress: Progress | None = None,
) -> dict[Any, VoteTable]:
    """Count the items with each pair of votes for each value of the column `group`, in one go.

    Groups of which all rows were left out have empty tables; None has that of rows without a group.
    The other parameters are those of `vote_table`.
    """
    layout = VoteLayout.of(positives, totals, item, vote, annotator, annotators)
    with _rows_of(data, progress) as (frame, run):
        return count_votes(layout.items(frame, run, group, positive, drop_missing))


def merge(paths: _files.Paths) -> ScoreTable | VoteTable:
    """Add up tables that were saved to files, shard by shard or day by day.

    The sum is that of one pass over all items. Once it has more than 262,144 rows, scores are
    merged into cells of the same fixed grid that a pass would have used.

    Parameters
    ----------
    paths : path, or list of paths
        NPZ files that `ScoreTable.save` or `VoteTable.save` wrote, globs or folders of them.

    Examples
    --------
    >>> import errorfloor as ef
    >>> folder = getfixture("tmp_path")
    >>> ef.ScoreTable.from_arrays([0.2, 0.7], [0, 1]).save(folder / "monday.npz")
    >>> ef.ScoreTable.from_arrays([0.2, 0.9], [1, 1]).save(folder / "tuesday.npz")
    >>> ef.merge(folder)
    ScoreTable(n=4, rows=3)
    """
    total: ScoreTable | VoteTable | None = None
    for file in _files.find(paths, suffixes=(".npz",)):
        table = load_table(file)
        if total is None:
            total = table
        elif type(total) is type(table):
            total = total + table  # type: ignore[operator]  # both are of one type
        else:
            raise ValueError(
                f"`paths` hold both score tables and vote tables; {file!r} is the first of "
                "another kind. Merge each kind on its own."
            )
        if isinstance(total, ScoreTable) and len(total) > EXACT:
            total = total.coarsen()
    if total is None:
        raise ValueError("`paths` is empty. Pass at least one file.")
    return total


def load_table(path: str | os.PathLike[str]) -> ScoreTable | VoteTable:
    """Read a table of either kind that `save` wrote."""
    try:
        with open(path, "rb") as stream, np.load(stream, allow_pickle=False) as file:
            kind = VoteTable if "totals" in file.files else ScoreTable
    except (ValueError, EOFError, AttributeError, BadZipFile):
        kind = ScoreTable  # whose `load` says what is wrong
    return kind.load(path)


@contextmanager
def _rows_of(data: Any, progress: Progress | None) -> Iterator[tuple[Frame, Run]]:
    """Yield a frame over the rows of `data`, and what runs a query on it."""
    if not _files.is_source(data):
        yield lazy(data), fetch
        return
    with _files.opened(data) as (connection, relation):

        def run(query: Frame) -> Columns:
            with watched(connection, progress):
                return fetch(query)

        yield lazy(relation), run


def _kind(dtype: Any) -> str:
    if dtype.is_numeric():
        return "number"
    if dtype == nw.Boolean:
        return "boolean"
    is_text = dtype in (nw.String, nw.Categorical, nw.Enum, nw.Object)
    return "text" if is_text else "other"


def _kind_of_text(values: Sequence[Any]) -> str:
    there = [str(value).strip().lower() for value in values if value is not None]
    if there and all(value in ("true", "false") for value in there):
        return "boolean"
    try:
        return "number" if [float(value) for value in there] else "text"
    except ValueError:
        return "text"


def _check_cells(cells: int) -> int:
    remedy = f"{CELLS:,} is usual; powers of two fit into each other."
    return check_whole(cells, name="cells", least=2, remedy=remedy)
