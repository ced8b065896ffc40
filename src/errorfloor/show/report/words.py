"""Methods and intervals in words for the readers of a report, from their records."""

from __future__ import annotations

from collections.abc import Iterable

from errorfloor import _references
from errorfloor.features.records import in_words
from errorfloor.results import Estimate, FeaturesEstimate, RatingsEstimate
from errorfloor.results.estimate import interval_of, method_of
from errorfloor.show import ratings


def method_in_words(estimate: Estimate) -> str:
    """Return what the method of an estimate does."""
    if isinstance(estimate, FeaturesEstimate):
        return in_words(estimate.method).explains
    if isinstance(estimate, RatingsEstimate):
        return ratings.METHOD
    record = method_of(estimate)
    if record is None:
        own = f"{estimate.method} is a method of the user's own"
        return f"{own}, which errorfloor knows nothing about."
    return record.explains


def interval_in_words(estimate: Estimate) -> str:
    """Return what the interval of an estimate promises."""
    if isinstance(estimate, FeaturesEstimate):
        return in_words(estimate.method).promise
    if estimate.interval is None:
        return "No interval was asked for: how sure the value is remains open."
    if isinstance(estimate, RatingsEstimate):
        return ratings.PROMISES[estimate.interval.method]
    kind = interval_of(estimate)
    if kind is None:
        return (
            f"The interval is by {estimate.interval.method}, which errorfloor knows nothing about."
        )
    weighed = estimate.n_effective is not None or estimate.clusters is not None
    return kind.with_weights if weighed and kind.with_weights else kind.promise


def references(estimates: Iterable[Estimate], *, verdict: bool) -> tuple[str, ...]:
    """Return where methods and intervals come from, the paper first and each once."""
    rows = list(estimates)
    if all(isinstance(row, RatingsEstimate) for row in rows):
        return ratings.REFERENCES
    found = [_references.PAPER]
    for record in (*map(method_of, rows), *map(interval_of, rows)):
        found += () if record is None else record.references
    for row in rows:
        found += in_words(row.method).references if isinstance(row, FeaturesEstimate) else ()
    found += [_references.DIFFERENCE] if verdict else []
    return tuple(dict.fromkeys(found))
