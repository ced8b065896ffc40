"""Any dataframe, any file: counted where the rows are, so that only counts come back.

Every estimator works on a table of counts, so size is a matter of one group-by, and the group-by
is the work of the engine that has the rows: pandas, polars, pyarrow, DuckDB, Dask, PySpark or
Ibis, through narwhals. Files are read by DuckDB, out of core.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from errorfloor._checks import InputError, argument, as_flag, check_whole, function
from errorfloor.data import files
from errorfloor.data.columns import by_role, layout_of, usage
from errorfloor.data.engines import Progress, kinds_of
from errorfloor.data.files import load_table, merge
from errorfloor.data.layouts import SCORES, SOFT_LABELS, Layout, joined, of_kind
from errorfloor.data.matrices import CELLS
from errorfloor.data.options import ReadOptions, as_paths
from errorfloor.data.read import ReadCall
from errorfloor.data.read_rows import of_rows, rows_of
from errorfloor.data.storage import kept_folder
from errorfloor.data.tables import ScoreTable, SoftTable, VoteTable

__all__ = [
    "columns",
    "load_table",
    "merge",
    "scan",
    "score_table",
    "score_tables",
    "soft_table",
    "soft_tables",
    "vote_table",
    "vote_tables",
]
_OF_VOTES = of_kind(VoteTable.kind)


def scan(source: files.Paths, *, format: str | None = None) -> Any:  # noqa: A002
    r"""Return a DuckDB relation over the rows of files, read when it is used.

    Parameters
    ----------
    source : path, or list of paths
        Files, globs or folders of CSV, TSV, JSON, Parquet, NPZ (arrays of one length) or Excel;
        text plain or packed by gzip or zstd. The fields of text files stay text until they are
        used as numbers.
    format : {"csv", "tsv", "jsonl", "parquet", "npz", "excel"}, optional
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
    found = files.kept_in(as_paths(source, "source"), format)
    return files.relation(files.connect(kept_folder()), found)


def columns(data: Any) -> dict[str, str]:
    """Return what each column of a dataframe or file holds.

    That is "number", "boolean", "text", "list", "votes" (lists of classes) or "other". Text that
    spells numbers in all of the first thousand rows counts as numbers, and likewise for booleans
    and lists.
    """
    with rows_of(data) as (frame, run):
        return kinds_of(frame, run)


def score_table(
    data: Any,
    *,
    score: str | Sequence[str],
    label: str | None = None,
    positive: object = None,
    positive_from: float | None = None,
    classes: Sequence[object] | None = None,
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
    score : str or sequence of str
        Column of scores: numbers, or text that spells them. Of many classes a column for each, a
        pattern such as "proba_*", or a column of lists.
    label : str
        Column of labels: 0 and 1, booleans, text that spells them, or a pair of words of which it
        is known which one means yes, such as yes and no, or spam and ham. Of many classes their
        names, as the columns of scores have them, or their places from 0 on.
    positive : optional
        The value of the label column that means class 1; all others then mean class 0.
    positive_from : float, optional
        For ratings: numbers from here on mean class 1, in place of `positive`.
    classes : sequence of str, optional
        Names of all classes, in order. Columns that are called so are put in this order; others
        are taken to be in it. By default the names of the columns without what all of them share;
        labels that are words in sorted order where columns have only numbers. Of two classes the
        second is class 1.
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
    return _count_scores(**locals())[None]


def score_tables(
    data: Any,
    *,
    score: str | Sequence[str],
    label: str | None = None,
    group: str,
    positive: object = None,
    positive_from: float | None = None,
    classes: Sequence[object] | None = None,
    drop_missing: bool = False,
    cells: int = CELLS,
    refine: bool = True,
    progress: Progress | None = None,
) -> dict[Any, ScoreTable]:
    """Count the labels at each score for each value of the column `group`, in one go.

    Groups of which all rows were left out have empty tables; None has that of rows without a group.
    The other parameters are those of `score_table`.
    """
    return _count_scores(**locals())


def soft_table(
    data: Any,
    *,
    soft: str | Sequence[str],
    classes: Sequence[object] | None = None,
    drop_missing: bool = False,
    cells: int = CELLS,
    progress: Progress | None = None,
) -> SoftTable:
    """Count the items at each soft label, in the engine that has the rows.

    Parameters
    ----------
    data : dataframe, path, or list of paths
        As in `score_table`.
    classes : sequence of str, optional
        Names of all classes, in order, as in `score_table`.
    drop_missing : bool
        Whether to leave out rows where something is missing, which are an error otherwise.
    cells : int
        Number of cells from 0 to 1, where cells are needed.
    progress : callable, optional
        Called with the share of the work that is done, for files.
    soft : str or sequence of str
        Column of true probabilities of class 1, in [0, 1]: numbers, or text that spells them. Of
        many classes a column for each, a pattern, or a column of lists; they add up to 1.

    Examples
    --------
    >>> import pandas as pd
    >>> soft_table(pd.DataFrame({"p": [0.2, 0.7, 0.2]}), soft="p")
    SoftTable(n=3, rows=2)
    """
    table: SoftTable = _counted(**locals(), layouts=(SOFT_LABELS,))[None]
    return table


def soft_tables(
    data: Any,
    *,
    soft: str | Sequence[str],
    group: str,
    classes: Sequence[object] | None = None,
    drop_missing: bool = False,
    cells: int = CELLS,
    progress: Progress | None = None,
) -> dict[Any, SoftTable]:
    """Count the items at each soft label for each value of the column `group`, in one go.

    Groups of which all rows were left out have empty tables; None has that of rows without a group.
    The other parameters are those of `soft_table`.
    """
    return _counted(**locals(), layouts=(SOFT_LABELS,))


def vote_table(
    data: Any,
    *,
    positives: str | None = None,
    totals: str | int | None = None,
    counts: str | Sequence[str] | None = None,
    item: str | None = None,
    vote: str | None = None,
    annotator: str | None = None,
    annotators: Sequence[str] | None = None,
    annotations: str | None = None,
    duplicates: str = "error",
    positive: object = None,
    positive_from: float | None = None,
    classes: Sequence[object] | None = None,
    drop_missing: bool = False,
    progress: Progress | None = None,
) -> VoteTable:
    """Count the items with each combination of votes, in the engine that has the rows.

    Name the columns of one of five layouts.

    Parameters
    ----------
    data : dataframe, path, or list of paths
        As in `score_table`.
    positives : str
        One row per item: column of the votes for class 1.
    totals : str or int
        Column of all votes in that layout, or their number if all items have the same.
    counts : str or sequence of str
        One row per item: columns of the votes for each class, a pattern such as "n_*", or a column
        of lists.
    item : str
        One row per item and annotator: column of the item.
    vote : str
        Column of the vote in that layout: 0 and 1, or classes of any names and number.
    annotator : str, optional
        Column of the annotator in that layout, to be sure that nobody voted twice on an item.
    annotators : sequence of str
        One row per item and one column of votes per annotator; blank where there is no vote.
    annotations : str
        One row per item: a column that holds all its votes, as lists or as text such as 0;1;1.
    duplicates : {"error", "first", "last", "all"}
        What to do with several votes of one annotator on an item, in rows of their own: refuse
        them, take the first or the last in the order of the rows, or take all of them.
    positive : optional
        The vote that means class 1; all others then mean class 0.
    positive_from : float, optional
        For ratings: numbers from here on mean class 1, in place of `positive`.
    classes : sequence of str, optional
        Names of all classes, in order, also of those that nobody voted for. By default the values
        that occur, in sorted order; ratings are classes, too.
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
    table: VoteTable = _counted(**locals(), layouts=_OF_VOTES)[None]
    return table


def vote_tables(
    data: Any,
    *,
    group: str,
    positives: str | None = None,
    totals: str | int | None = None,
    counts: str | Sequence[str] | None = None,
    item: str | None = None,
    vote: str | None = None,
    annotator: str | None = None,
    annotators: Sequence[str] | None = None,
    annotations: str | None = None,
    duplicates: str = "error",
    positive: object = None,
    positive_from: float | None = None,
    classes: Sequence[object] | None = None,
    drop_missing: bool = False,
    progress: Progress | None = None,
) -> dict[Any, VoteTable]:
    """Count the items with each combination of votes for each value of the column `group`.

    Groups of which all rows were left out have empty tables; None has that of rows without a group.
    The other parameters are those of `vote_table`.
    """
    return _counted(**locals(), layouts=_OF_VOTES)


def _count_scores(**given: Any) -> dict[Any, ScoreTable]:
    if given["label"] is None:
        raise InputError(
            argument("label"),
            " is missing. Name the column of labels; for true probabilities without labels, use ",
            function("soft_table"),
            ".",
        )
    return _counted(**given, layouts=(SCORES,))


def _counted(
    data: Any, layouts: tuple[Layout, ...], progress: Progress | None, **given: Any
) -> dict[Any, Any]:
    """Return the table of each group of the rows of `data`, whose columns are all named."""
    cells = {name: given[name] for name in ("cells", "refine") if name in given}
    if "cells" in cells:
        remedy = f"{CELLS:,} is usual; powers of two fit into each other."
        check_whole(cells["cells"], name="cells", least=2, remedy=remedy)
    as_flag(cells.get("refine", False), name="refine")
    options = ReadOptions.of(**{name: one for name, one in given.items() if name not in cells})
    named = by_role({**options.columns, **options.arrays})
    if not named:
        raise InputError(*usage(layouts, "Name the columns by"))
    layout = layout_of(named, layouts)
    for role in layout.needed:
        if role.name not in named:
            needed = joined([argument(role.argument) for role in layout.needed])
            raise InputError(argument(role.argument), " is missing. Pass both ", *needed, ".")
    call = ReadCall(layouts, replace(options, **cells), progress=progress, only_tables=True)
    return dict(of_rows(data, call, "the data").tables)
