"""One answer for each group of items, or one for all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from errorfloor._checks import InputError, argument
from errorfloor._typing import RandomLike
from errorfloor.data.source import Reading
from errorfloor.data.tables import Table
from errorfloor.intervals.seeds import Streams
from errorfloor.questions.answer import Request
from errorfloor.results import Groups

ResultT = TypeVar("ResultT")


def tables_with_items(reading: Reading) -> dict[Any, Table]:
    """Return the tables of the groups that have items."""
    return {group: table for group, table in reading.tables.items() if table.n}


def by_group(reading: Reading, answer: Callable[[Table, Any], ResultT]) -> Groups[ResultT]:
    """Return what `answer` finds for the table and the name of each group."""
    found = {}
    for group, table in tables_with_items(reading).items():
        try:
            found[group] = answer(table, group)
        except InputError as error:
            raise error.behind(argument("group"), f" {group!r}: ") from error
    dropped = sum(table.dropped for table in reading.tables.values())
    return Groups(str(reading.source.options.group), found, dropped=dropped)


def with_intervals_by_group(
    reading: Reading,
    request: Request,
    rng: RandomLike,
    simultaneous: bool,
    answer: Callable[[Table, Any, Request], ResultT],
) -> Groups[ResultT]:
    """Return what `answer` finds for each group, with random numbers of its own.

    All intervals miss together with at most the sum of their probabilities to miss (Bonferroni).
    """
    groups = list(tables_with_items(reading))
    each = 1 - (1 - request.level) / len(groups) if simultaneous else request.level
    parent = rng if isinstance(rng, np.random.Generator) else request.seed.begin()
    streams = dict(zip(groups, map(Streams.of, parent.spawn(len(groups))), strict=True))

    def own(table: Table, group: Any) -> ResultT:
        return answer(table, group, replace(request, level=each, streams=streams[group]))

    found = by_group(reading, own)
    return replace(found, level=request.level, simultaneous=simultaneous)
