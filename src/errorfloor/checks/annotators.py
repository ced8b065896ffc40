"""Whether the annotators behind votes are enough to stand for others."""

from __future__ import annotations

from collections.abc import Iterator

from errorfloor.checks.record import ANY, Check
from errorfloor.data.annotators import effective_number, number_of
from errorfloor.data.tables import VoteTable
from errorfloor.intervals.votes.records import FEWEST_ANNOTATORS
from errorfloor.results.estimate import Estimate
from errorfloor.results.finding import Finding

_MANY = 20.0


def _sample(estimate: Estimate) -> Iterator[Finding]:
    table = estimate.table
    assert isinstance(table, VoteTable)
    if table.workloads is None or not len(table.workloads):
        return
    number, effective = number_of(table.workloads), effective_number(table.workloads)
    value = f"{number:,} annotators, as good as {effective:,.1f} with equal workloads"
    remedy = "Collect votes of more people, each with a small share of the votes."
    if effective < FEWEST_ANNOTATORS:
        yield Finding(
            "annotators",
            value,
            "warn",
            "The votes are of too few people to stand for others: the "
            f"{estimate.measure.limit} is for one more vote of these.",
            remedy,
        )
    elif effective < _MANY:
        yield Finding(
            "annotators",
            value,
            "note",
            "The votes are of few people, who may well lack a kind that is not rare: the upper "
            "limit for a fresh annotator is high for that.",
            remedy,
        )


SAMPLE = Check(
    name="annotators",
    run=_sample,
    asks="Are the annotators enough to stand for others?",
    kinds=(VoteTable.kind,),
    classes=ANY,
)
