"""The same rows as a frame of every engine, for tests."""

import shutil
import subprocess
from functools import cache

import pytest


def arrow(columns):
    """Return an Arrow table from {name: (kind, values)}."""
    import pyarrow as pa

    types = {
        "float64": pa.float64(),
        "float32": pa.float32(),
        "int64": pa.int64(),
        "bool": pa.bool_(),
        "decimal": pa.decimal128(10, 4),
        "text": pa.string(),
    }
    return pa.table(
        {name: pa.array(values, types[kind]) for name, (kind, values) in columns.items()}
    )


def _pandas(columns):
    import pandas as pd

    plain = {"float64": "float64", "float32": "float32"}
    return pd.DataFrame(
        {
            name: pd.Series(
                values, dtype=plain.get(kind) or (None if all_there(values) else object)
            )
            for name, (kind, values) in columns.items()
        }
    )


def all_there(values):
    return all(value is not None for value in values)


def _pandas_arrow(columns):
    import pandas as pd

    return arrow(columns).to_pandas(types_mapper=pd.ArrowDtype)


def _polars(columns):
    import polars as pl

    return pl.from_arrow(arrow(columns))


def _duckdb(columns):
    import duckdb

    return duckdb.connect().from_arrow(arrow(columns))


def _dask(columns):
    import dask.dataframe as dd

    return dd.from_pandas(_pandas(columns), npartitions=3)


def _ibis(columns):
    import ibis

    return ibis.memtable(arrow(columns))


def _spark(columns):
    if not has_java():
        pytest.skip("Spark needs Java 17 or later on the path (Debian: openjdk-17-jre-headless)")
    # As Arrow, which needs no Python in tasks; more partitions than cores, as on a large cluster.
    return spark_session().createDataFrame(arrow(columns)).repartition(7)


ENGINES = {
    "pandas": _pandas,
    "pandas-arrow": _pandas_arrow,
    "polars": _polars,
    "polars-lazy": lambda columns: _polars(columns).lazy(),
    "pyarrow": arrow,
    "duckdb": _duckdb,
    "dask": _dask,
    "ibis": _ibis,
    "spark": _spark,
}


@cache
def has_java():
    java = shutil.which("java")
    return bool(java) and subprocess.run([java, "-version"], capture_output=True).returncode == 0


QUICK = "-XX:TieredStopAtLevel=1"


def spark_session():
    """Return the one Spark of the test run, in one process: tasks are sent as in a cluster."""
    from pyspark.sql import SparkSession

    return (
        SparkSession.builder.master("local[2]")
        .appName("errorfloor tests")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "5")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.log.level", "ERROR")
        # Many small queries: code that is compiled well would not run often enough to pay.
        .config("spark.driver.extraJavaOptions", QUICK)
        .getOrCreate()
    )
