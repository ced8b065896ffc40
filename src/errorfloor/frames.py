"""Any dataframe, any file: counted where the rows are, so that only counts come back.

Every estimator works on a table of counts, so size is a matter of one group-by, and the group-by
is the work of the engine that has the rows: pandas, polars, pyarrow, DuckDB, Dask, PySpark or
Ibis, through narwhals. Files are read by DuckDB, out of core.
"""

from errorfloor.data.frames import (
    columns,
    scan,
    score_table,
    score_tables,
    soft_table,
    soft_tables,
    vote_table,
    vote_tables,
)
from errorfloor.data.saved import load_table, merge

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
