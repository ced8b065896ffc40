"""What "good" means: each metric is a record of how good any model can get by it.

Probabilities have one number per item, of class 1, where there are two classes, and a column for
each class where there are more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from errorfloor._typing import Counts, Floats


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric, and the best value of it that any model can have.

    Attributes
    ----------
    name : str
        As people ask for it.
    limit : str
        What the best value is called: a floor where less is better, else a ceiling.
    less_is_better : bool
    span : callable
        From a number of classes to the least and the largest best value there can be.
    per_item : callable
        From probabilities to the best expected value on each item.
    formula, many_formula : str
        What `per_item` computes for two classes and for more, for people.
    opposite : str
        What one less the metric is called where people know that better, as accuracy.
    """

    name: str
    limit: str
    less_is_better: bool
    span: Callable[[int], tuple[float, float]]
    per_item: Callable[[Floats], Floats]
    formula: str
    many_formula: str = ""
    opposite: str = ""

    def best(self, probabilities: Floats, weights: Floats | Counts) -> float:
        """Return the weighted mean of the best values on items."""
        return float(weights @ self.per_item(probabilities) / weights.sum())

    def shown(self, value: float) -> float:
        """Return the value as people like to see it: of an error, the accuracy."""
        return 1 - value if self.opposite else value

    def gap(self, value: float, best: float) -> float:
        """Return how much worse `value` is than `best`; negative where it is better."""
        return value - best if self.less_is_better else best - value


def _least_error(probabilities: Floats) -> Floats:
    if probabilities.ndim == 1:
        return np.minimum(probabilities, 1 - probabilities)
    return np.asarray(1 - probabilities.max(axis=1))


def _span_of_error(classes: int) -> tuple[float, float]:
    return 0.0, 1 - 1 / classes


ERROR = Metric(
    name="error",
    limit="floor",
    less_is_better=True,
    span=_span_of_error,
    per_item=_least_error,
    formula="min(p, 1 - p)",
    many_formula="1 - max p",
    opposite="accuracy",
)

METRICS: tuple[Metric, ...] = (ERROR,)


def named(name: str) -> Metric:
    """Return the metric of that name."""
    return next(metric for metric in METRICS if metric.name == name)
