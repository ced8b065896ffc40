"""From the names in a result to the records of its method and its interval."""

from __future__ import annotations

from errorfloor import inference, methods
from errorfloor.data.tables import ScoreTable
from errorfloor.inference.record import IntervalKind
from errorfloor.methods.record import Method, Shape
from errorfloor.results import Estimate


def method_of(estimate: Estimate) -> Method | None:
    """Return the method of an estimate, or None for one of the user's own."""
    return methods.known(estimate.method)


def interval_of(estimate: Estimate) -> IntervalKind | None:
    """Return the kind of an estimate's interval, or None where it has none."""
    return interval_named(estimate.interval_method, method_of(estimate))


def interval_named(name: str | None, method: Method | None) -> IntervalKind | None:
    """Return the interval of that name which goes with a method, or else with any."""
    if method is not None and name in inference.of(method):
        return inference.of(method)[name]
    return next((kind for kind in inference.RECORDS if kind.name == name), None)


def as_they_are(method: Method | None) -> bool:
    """Tell whether a method takes scores for probabilities as they are."""
    return method is not None and method.reads == ScoreTable.kind and method.shape is Shape.NONE
