"""Several votes of one annotator on an item: refused, or the first, the last or all taken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import narwhals as nw

from errorfloor._checks import InputError, argument, command, shown
from errorfloor.data.engines import Frame, lazy, quoted
from errorfloor.data.rows import Given, Items, Request, whole

_ROW = "number of the row"
_PAIR = ("given_item", "given_annotator")


def with_order(request: Request) -> Request:
    """Return the request with a column of the order of rows, where that will be asked for."""
    if request.duplicates not in ("first", "last") or "annotator" not in request.columns:
        return request
    frame = request.frame
    number = _NUMBER.get(frame.implementation)
    if number is None or (frame.implementation.is_duckdb() and not request.ordered):
        raise InputError(
            argument("duplicates", request.duplicates),
            " needs rows in an order, which those of this engine have none of. Use files or a "
            "pandas, polars or pyarrow frame, or keep one vote per item and annotator first.",
        )
    columns = {**request.columns, "row": _ROW}
    return replace(request, frame=lazy(number(frame.to_native())), columns=columns)


def settled(items: Items, given: Given, how: str) -> Items:
    """Return rows in which repeated votes are dealt with as the user says."""
    if "annotator" not in given or how == "all":
        return items
    if how == "error":
        _refuse(items, given)
        return items
    row = nw.col("given_row")
    taken = row.min() if how == "first" else row.max()
    kept = items.frame.group_by(*_PAIR).agg(taken.alias("kept_row")).select("kept_row")
    joined = items.frame.join(kept, left_on="given_row", right_on="kept_row", how="inner")
    return replace(items, frame=joined)


def _refuse(items: Items, given: Given) -> None:
    """Refuse repeated votes, with the first item that has some, and how to go on."""
    pairs = items.frame.group_by(*_PAIR).agg(n=nw.len()).filter(nw.col("n") > 1)
    number = int(whole(items.run(pairs.select(nw.len().alias("n")))["n"])[0])
    if not number:
        return
    found = items.run(pairs.sort(*_PAIR).head(1))
    item, annotator = (shown(found[name].tolist()[0]) for name in _PAIR)
    raise InputError(
        *given["annotator"],
        f" voted more than once on an item, {number:,} times: {annotator} on item {item}, for "
        "example. Say which votes to take:",
        *(
            part
            for one in ("last", "first", "all")
            for part in ("\n  ", command("duplicates", one))
        ),
    )


def _number_in_pandas(native: Any) -> Any:
    import numpy as np

    return native.assign(**{_ROW: np.arange(len(native))})


def _number_in_polars(native: Any) -> Any:
    return native.with_row_index(_ROW)


def _number_in_pyarrow(native: Any) -> Any:
    import numpy as np
    import pyarrow as pa

    return native.append_column(_ROW, pa.array(np.arange(native.num_rows)))


def _number_in_duckdb(native: Any) -> Any:
    return native.project(f"*, row_number() over () as {quoted(_ROW)}")


_NUMBER: dict[nw.Implementation, Callable[[Any], Frame]] = {
    nw.Implementation.PANDAS: _number_in_pandas,
    nw.Implementation.POLARS: _number_in_polars,
    nw.Implementation.PYARROW: _number_in_pyarrow,
    nw.Implementation.DUCKDB: _number_in_duckdb,
}
