"""What "good" means: one module per family defines its metrics, and here is the table of them all.

A new metric is a record in the module of its family and an entry here; methods say which they
answer.
"""

from __future__ import annotations

from errorfloor.metrics.probabilities import BRIER, LOG_LOSS
from errorfloor.metrics.ranking import AUC, AVERAGE_PRECISION
from errorfloor.metrics.record import Metric
from errorfloor.metrics.selective import COVERAGE_AT_ERROR, ERROR_AT_COVERAGE
from errorfloor.metrics.two_by_two import BALANCED, COST, ERROR, F1, MCC

__all__ = ["BUILT_IN", "ERROR", "METRICS", "USUAL", "Metric", "meant_by", "named", "names"]

METRICS: tuple[Metric, ...] = (
    ERROR,
    BALANCED,
    COST,
    BRIER,
    LOG_LOSS,
    AUC,
    AVERAGE_PRECISION,
    F1,
    MCC,
    ERROR_AT_COVERAGE,
    COVERAGE_AT_ERROR,
)


USUAL = (ERROR.name,)  # where none is named
BUILT_IN = frozenset(metric.name for metric in METRICS)  # others may be added while it runs


def named(name: str) -> Metric:
    """Return the metric of that name."""
    return next(metric for metric in METRICS if metric.name == name)


def meant_by(text: str) -> str:
    """Return the name of the metric that people mean, who write AUC, log_loss and accuracy."""
    name = text.lower().replace("_", "-")
    others = (metric.name for metric in METRICS if name in metric.other_names)
    return name if name in names() else next(others, name)


def names() -> tuple[str, ...]:
    """Return the names of all metrics."""
    return tuple(metric.name for metric in METRICS)
