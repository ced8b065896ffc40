"""From the names in a result to the records of its method and its interval."""

from __future__ import annotations

from errorfloor import inference
from errorfloor.checks.record import as_they_are as as_they_are
from errorfloor.checks.record import method_of as method_of
from errorfloor.inference.record import IntervalKind
from errorfloor.methods.record import Method
from errorfloor.results import Estimate


def interval_of(estimate: Estimate) -> IntervalKind | None:
    """Return the kind of an estimate's interval, or None where it has none."""
    return interval_named(estimate.interval_method, method_of(estimate))


def interval_named(name: str | None, method: Method | None) -> IntervalKind | None:
    """Return the interval of that name which goes with a method, or else with any."""
    if method is not None and name in inference.of(method):
        return inference.of(method)[name]
    return next((kind for kind in inference.RECORDS if kind.name == name), None)
