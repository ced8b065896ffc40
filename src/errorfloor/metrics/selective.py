"""Selective error: models that may leave the items aside which they are least sure of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from errorfloor._typing import Counts, Floats
from errorfloor.metrics.counted_selective import ROUNDING, CountedCoverageAt, CountedErrorAt
from errorfloor.metrics.means import least_error, span_of_error
from errorfloor.metrics.merged import moved_selective
from errorfloor.metrics.model import SurestItems
from errorfloor.metrics.ranking import span_of_share
from errorfloor.metrics.record import Metric


def risk_coverage(probabilities: Floats, weights: Floats | Counts) -> tuple[Floats, Floats]:
    """Return the share of items that are kept, and the errors among them as a share of all.

    Items are kept in the order of their least error, the surest first; both arrays start at 0, and
    between two entries the errors rise in a straight line.
    """
    error = least_error(probabilities)
    order = np.argsort(error, kind="stable")
    share = (weights / weights.sum())[order]
    kept = np.concatenate(([0.0], np.cumsum(share)))
    kept[-1] = 1.0
    return kept, np.concatenate(([0.0], np.cumsum(share * error[order])))


def error_at(coverage: float, probabilities: Floats, weights: Floats | Counts) -> float:
    """Return the least error among items where so large a share of them must be answered."""
    return float(np.interp(coverage, *risk_coverage(probabilities, weights)) / coverage)


def coverage_at(error: float, probabilities: Floats, weights: Floats | Counts) -> float:
    """Return the largest share of items that can be answered with at most so much error."""
    return share_within(error, *risk_coverage(probabilities, weights))


def share_within(error: float, kept: Floats, wrong: Floats) -> float:
    """Return the largest share that can be kept with so much error, from the curve of risks."""
    excess = wrong - error * kept  # falls, then rises: convex
    within = np.flatnonzero(excess <= ROUNDING)
    last = int(within[-1])
    if last == kept.size - 1:
        return 1.0
    # On the next piece the excess rises in a straight line through 0.
    rise = excess[last + 1] - excess[last]
    return float(kept[last] + (kept[last + 1] - kept[last]) * max(-excess[last] / rise, 0.0))


def _at_coverage(given: Mapping[str, Any], classes: int) -> Metric:
    at = float(given["at"])

    def whole(probabilities: Floats, weights: Floats | Counts) -> float:
        return error_at(at, probabilities, weights)

    name = f"at {100 * at:.6g} % coverage"
    return replace(
        ERROR_AT_COVERAGE,
        given=given,
        whole=whole,
        counted=partial(CountedErrorAt, coverage=at),
        moved=moved_selective(whole),
        title=f"error {name}",
        opposite=f"accuracy {name}",
    )


def _at_error(given: Mapping[str, Any], classes: int) -> Metric:
    at = float(given["at"])

    def whole(probabilities: Floats, weights: Floats | Counts) -> float:
        return coverage_at(at, probabilities, weights)

    return replace(
        COVERAGE_AT_ERROR,
        given=given,
        whole=whole,
        counted=partial(CountedCoverageAt, error=at),
        moved=moved_selective(whole),
        title=f"coverage at {100 * at:.6g} % error",
    )


ERROR_AT_COVERAGE = Metric(
    name="error-at-coverage",
    limit="floor",
    less_is_better=True,
    span=span_of_error,
    formula="min(p, 1 - p) over the items that are surest",
    many_formula="1 - max p over the items that are surest",
    opposite="accuracy at a coverage",
    title="error at a coverage",
    needs=("at",),
    with_given=_at_coverage,
    rule="the best rising map of {}",
    of_model=SurestItems(),
)
COVERAGE_AT_ERROR = Metric(
    name="coverage-at-error",
    limit="ceiling",
    less_is_better=False,
    span=span_of_share,
    formula="the largest share of items, the surest first, whose mean of min(p, 1 - p) is no more",
    many_formula="the largest share of items, the surest first, whose mean of 1 - max p is no more",
    title="coverage at an error",
    needs=("at",),
    with_given=_at_error,
    rule="the best rising map of {}",
    of_model=SurestItems(),
)
