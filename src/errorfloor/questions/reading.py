"""Scores with labels, read and checked for the functions that people call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from errorfloor import methods
from errorfloor._checks import as_probabilities
from errorfloor.data.layouts import of_kind
from errorfloor.data.matrices import is_matrix
from errorfloor.data.options import ReadOptions
from errorfloor.data.read import read
from errorfloor.data.source import Reading
from errorfloor.data.tables import ScoreTable
from errorfloor.methods.record import Method


def read_scores(scores: object, labels: object, where: ReadOptions) -> Reading:
    """Read scores with labels."""
    return read(scores, of_kind(ScoreTable.kind), where, second=labels)


def read_labelled(scores: object, labels: object, where: ReadOptions) -> Reading:
    """Read scores with labels, and leave items without a label aside."""
    reading = read_scores(scores, labels, where)
    tables = {
        name: table.labelled if isinstance(table, ScoreTable) else table
        for name, table in reading.tables.items()
    }
    return replace(reading, tables=tables)


def check_scale(scores: object, reading: Reading, chosen: Sequence[Method]) -> None:
    """Refuse arrays of scores that methods need in [0, 1], and name the entry."""
    in_line = reading.source.origin == "arrays" and not is_matrix(scores)
    if in_line and any(one.needs_probabilities for one in chosen):
        # The rows of the table are checked later, but cannot name the entry.
        instead = methods.on_any_scale(metric=chosen[0].metrics[0])
        as_probabilities(scores, name="scores", instead=instead)
