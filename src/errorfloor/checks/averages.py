"""Whether an interval is one of the floor, or of an average that may be off it."""

from __future__ import annotations

from collections.abc import Iterator

from errorfloor import intervals
from errorfloor.checks.record import Check, method_of
from errorfloor.data.tables import ScoreTable
from errorfloor.methods.record import Basis, Classes
from errorfloor.results.estimate import Estimate
from errorfloor.results.finding import Finding


def _average(estimate: Estimate) -> Iterator[Finding]:
    method, interval = method_of(estimate), estimate.interval
    if method is None or interval is None:
        return
    kind = intervals.of(method).get(interval.method)
    if kind is not None and kind.basis is Basis.ITEMS:
        yield Finding(
            "Interval of an average",
            interval.method,
            "warn",
            f"The {interval.method} interval is that of the average confidence of "
            f"{estimate.method}, which can be off the {estimate.measure.limit} by more than it is "
            "wide.",
            "Use the method offsets, which counts errors, or its honest interval.",
        )


RECORDS = (
    Check(
        name="interval of an average",
        kinds=(ScoreTable.kind,),
        classes=(Classes.MANY,),
        run=_average,
        asks="Is the interval one of the floor, or only of the average of what the scores claim?",
    ),
)
