"""Scores and shares of votes with labels, read and checked for the functions that people call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from errorfloor import methods
from errorfloor._aligned import check_aligned
from errorfloor._checks import InputError, argument, as_probabilities
from errorfloor.data.arrays import shares_of_arrays, table_beside
from errorfloor.data.ballots import Raters
from errorfloor.data.layouts import (
    ANNOTATORS,
    ANNOTATORS_AND_LABELS,
    COUNTS,
    COUNTS_AND_LABELS,
    VOTES_AND_LABELS,
    of_kind,
)
from errorfloor.data.matrices import check_counts, is_matrix
from errorfloor.data.options import ReadOptions
from errorfloor.data.read import (
    ReadCall,
    facts_of_classes,
    is_data,
    read,
    refuse_options,
    votes_in_arrays,
)
from errorfloor.data.source import ARRAY, Reading
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


def read_shares(votes: object, totals: object, labels: object, where: ReadOptions) -> Reading:
    """Read votes that are arrays beside one label for each item."""
    named = where.arrays
    if named:
        asked = ReadCall((COUNTS, ANNOTATORS), where, totals, "votes", None)
        layout, votes = votes_in_arrays(votes, asked)
        if layout is ANNOTATORS:
            return _read_raters(votes, labels, where)
        where = replace(where, arrays={})
    per_class = not is_data(votes) and is_matrix(votes)
    if per_class and not named:
        check_counts(votes)
    alone = replace(where, classes=None, weight=None, cluster=None, label_is_vote=False)
    plain = alone == ReadOptions.of() and (totals is not None or per_class)
    if is_data(votes) or not plain:
        raise InputError(
            *(argument("labels"), " goes with arrays of votes and "),
            *(argument("totals"), ". Of a dataframe or file, name the column with "),
            *(argument("label"), "."),
        )
    check_aligned(votes=votes, totals=totals, labels=labels, **where.beside)
    table, names = shares_of_arrays(
        votes, totals, labels, where.classes, where.beside, label_is_vote=where.label_is_vote
    )
    layout = COUNTS_AND_LABELS if per_class else VOTES_AND_LABELS
    facts = facts_of_classes(table, names)
    asked = ReadCall((layout,), where, None, None, None)
    columns = dict.fromkeys(named, ARRAY)
    source = asked.source("arrays", layout, table.n, facts=facts, columns=columns)
    return Reading({None: table}, source)


def _read_raters(votes: object, labels: object, where: ReadOptions) -> Reading:
    """Read single votes with a column for each annotator beside one label for each item."""
    asked = ReadCall((ANNOTATORS_AND_LABELS,), where, None, None, None)
    refuse_options(asked, may_drop=True, may_be_positive=True)
    raters = Raters.of(votes, where, labels)
    assert raters.labels is not None
    table = table_beside(
        *(raters.counts, raters.labels, raters.classes, raters.beside(where)),
        label_is_vote=where.label_is_vote,
    )
    table = replace(table, dropped=raters.dropped)
    facts = facts_of_classes(table, raters.classes)
    facts |= {} if raters.told is None else {"classes": raters.told}
    columns = {"annotators": ARRAY}
    source = asked.source(
        "arrays", *(asked.layouts[0], len(raters.kept)), facts=facts, columns=columns
    )
    return Reading({None: table}, replace(source, positive=raters.positive))
