"""What only rows can tell about labels: repeated items, ids in place of scores, other labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from errorfloor._checks import InputError, argument
from errorfloor.data.counting import count_repeated
from errorfloor.data.engines import Frame, holds_several, select
from errorfloor.data.guessing import Chosen, fitting, names_an_id
from errorfloor.data.layouts import ITEM_OF_ROW, LABEL
from errorfloor.data.numbering import are_numbered, is_numbered
from errorfloor.data.rows import Request, Run
from errorfloor.data.table import Table
from errorfloor.data.tables import VoteTable

_FEW_ROWS = 2**20  # up to which a look at repeated items takes no time
_HEAD = 1000  # rows that tell whether a column numbers them


def facts_of(
    request: Request, chosen: Chosen, tables: Mapping[Any, Table], rows: int
) -> dict[str, Any]:
    """Return what only rows can tell, where a look at one more column takes no time."""
    frame, run, group = request.frame, request.run, request.group
    used = {*chosen.used, *request.predictions, group}
    free = [one for one in frame.collect_schema() if one not in used]
    facts: dict[str, Any] = {}
    items = fitting(ITEM_OF_ROW, free)
    few = chosen.layout.row_is_item and rows <= _FEW_ROWS
    if few and items and not holds_several(frame, run, items[0]):
        repeated = count_repeated(frame, run, items[0], group)
        facts |= {"repeated_items": repeated} if repeated else {}
    if isinstance(chosen.columns.get("score"), str) and _has_lines(tables):
        column = chosen.columns["score"]
        by_name = names_an_id(column)
        if by_name or (are_numbered(tables.values()) and _numbers_rows(frame, run, column)):
            facts["id_as_score"] = str(column)
    gold = fitting(LABEL, free) if chosen.layout.table is VoteTable else []
    return facts | ({"labels_beside_votes": str(gold[0])} if gold else {})


def _has_lines(tables: Mapping[Any, Table]) -> bool:
    """Tell whether scores are one number each."""
    return all(len(table.classes) == 2 for table in tables.values())


def refuse_row_numbers(frame: Frame, run: Run, chosen: Chosen) -> None:
    """Refuse to guess that numbers of rows are scores, by the values where no name says it."""
    for role in chosen.layout.roles:
        column: Any = chosen.columns.get(role.name)
        one = isinstance(column, str) and not role.several
        unsure = role.name in chosen.guessed and role.is_number and one
        if unsure and not fitting(role, [column]) and _numbers_rows(frame, run, column):
            raise InputError(
                f"Column {column!r} numbers the rows, and is not taken for what it does not say. "
                "Name the columns with ",
                *(argument(chosen.layout.needed[0].argument), " and the like."),
            )


def _numbers_rows(frame: Frame, run: Run, column: Any) -> bool:
    found = run(select(frame, {"value": column}).head(_HEAD))["value"]
    try:
        return is_numbered(np.asarray(found, dtype=np.float64))
    except (TypeError, ValueError):
        return False
