"""Tables that were saved to files: loaded, and added up."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from errorfloor._checks import InputError, argument, shown
from errorfloor.data import files, matrices
from errorfloor.data.formats import FORMATS
from errorfloor.data.source import as_paths
from errorfloor.data.storage import read_arrays
from errorfloor.data.tables import KINDS, MergedRows, Table


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
    return _sum((file, load_table(file)) for file in files.find(as_paths(paths, "paths"), suffixes))


def load_table(path: str | os.PathLike[str]) -> Table:
    """Read a table of any kind that `save` wrote."""
    if not isinstance(path, str | os.PathLike):
        raise InputError(argument("path"), f" must be the path of a file, got {shown(path)}.")
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


def saved_table(found: files.Found) -> Table | None:
    """Return the sum of the tables in files, or None if the first one holds plain arrays."""
    if not found.kind.holds_tables or _kind_in(read_arrays(found.paths[0])) is None:
        return None
    return _sum((file, load_table(file)) for file in found.paths)


def holds_table(source: files.Paths, name: str | None = None) -> bool:
    """Tell whether files hold saved tables, of the format with this name."""
    with files.found_in(source, name) as found:
        return saved_table(found) is not None


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
        if isinstance(total, MergedRows) and len(total) > matrices.EXACT:
            total = total.coarsen()
    assert total is not None  # there is a file
    return total
