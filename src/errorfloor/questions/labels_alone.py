"""What labels alone say, beside a floor that heeds the scores of items without a label."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from errorfloor import methods
from errorfloor.data.tables import ScoreTable
from errorfloor.intervals.honest import PoweredErrors
from errorfloor.methods.record import Classes, Statistic
from errorfloor.questions.answer import Origin, Request, estimate
from errorfloor.results import Estimate


def with_labels_alone(
    found: Estimate, statistic: Statistic, question: Any, request: Request
) -> Estimate:
    """Add what the default method says of the labelled items, and what they are worth."""
    if not question.method.partly:
        return found
    table = found.table
    assert isinstance(table, ScoreTable)
    plain = methods.default(table.kind, Classes.of(table), found.metric)
    own = replace(request, interval=None if request.interval is None else "auto")
    origin = Origin(found.source, found.group)
    alone, _ = estimate(table, plain, question.options, own, origin)
    others: Any = statistic
    worth = found.evidence.found.worth if isinstance(found.evidence, PoweredErrors) else None
    return replace(
        found,
        n_effective=worth if worth is not None else found.n_effective,
        n_unlabelled=int(others.unlabelled.sum()),
        labelled_only=alone,
    )
