"""Models that were tried on the same labelled items: which one is better, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from errorfloor._shown import Answer
from errorfloor.metrics import Metric
from errorfloor.metrics.choice import MetricChoice
from errorfloor.results.estimate import Estimate
from errorfloor.results.people import ModelDifference, certain


@dataclass(frozen=True, slots=True)
class ModelValue:
    """A model's value of the metric.

    Attributes
    ----------
    name : str
        Of the model.
    value : float
    low, high : float or None
        Its limits; None where there are none, as of some metrics with weights or clusters.
    """

    name: str
    value: float
    low: float | None = None
    high: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ModelComparison(Answer):
    """Two models or more on the same labelled items.

    Attributes
    ----------
    metric : str
        What the models are compared by; `models` have its values.
    models : tuple of ModelValue
        One for each model, in the order in which they were named.
    differences : tuple of ModelDifference
        By how much the first of each two models is better. Below 0 the second one is.
    resolvable : float
        The difference of two models that these items would show four times out of five.
    items_needed : int or None
        About how many items would show, as often, the largest difference that is not certain here,
        if it is as large as it looks; None where all are certain, or where there is none.
    n : int
        Number of items.
    n_effective : float or None
        With weights or clusters: how many items of equal weight would tell as much.
    clusters : int or None
        Number of clusters.
    level : float
        Confidence level.
    classes : tuple of str
        Names of the classes.
    floor : Estimate or None
        What `from_scores` says about the same items, where they have scores beside predictions.
    notes : tuple of str
        What else there is to know.
    dropped : int
        Items that were left out because something was missing.
    """

    metric: str
    models: tuple[ModelValue, ...]
    differences: tuple[ModelDifference, ...]
    resolvable: float
    items_needed: int | None
    n: int
    level: float
    classes: tuple[str, ...]
    n_effective: float | None = None
    clusters: int | None = None
    floor: Estimate | None = None
    notes: tuple[str, ...] = ()
    dropped: int = 0
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.models)

    def __iter__(self) -> Iterator[ModelValue]:
        return iter(self.models)

    def __getitem__(self, name: str) -> ModelValue:
        for row in self.models:
            if row.name == name:
                return row
        raise KeyError(name)

    @property
    def measure(self) -> Metric:
        """The metric, with what was given with it."""
        return MetricChoice.from_options(self.metric, self.options).of(len(self.classes))

    @property
    def ranked(self) -> tuple[ModelValue, ...]:
        """The models, the best one first; equal ones as they were named."""
        sign = 1 if self.measure.less_is_better else -1
        return tuple(sorted(self.models, key=lambda row: sign * row.value))

    @property
    def certain_order(self) -> tuple[ModelDifference, ...]:
        """Pairs of models whose order is certain, the better one first."""
        return certain(self.differences, self.level)

    @property
    def better(self) -> str | None:
        """The model that is certainly better than all others, if there is one."""
        first = self.ranked[0].name
        won = {one.second for one in self.certain_order if one.first == first}
        return first if len(won) == len(self.models) - 1 else None

    def between(self, first: str, second: str) -> ModelDifference:
        """Return by how much the first of two models is better than the second."""
        for one in self.differences:
            if (one.first, one.second) == (first, second):
                return one
            if (one.first, one.second) == (second, first):
                return one.turned
        raise KeyError((first, second))

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values, ready for JSON."""
        return {
            "sentence": self.sentence,
            "metric": self.metric,
            "better": self.better,
            "models": [one.to_dict() for one in self.models],
            "differences": [one.to_dict() for one in self.differences],
            "resolvable": self.resolvable,
            "items_needed": self.items_needed,
            "n": self.n,
            "n_effective": self.n_effective,
            "clusters": self.clusters,
            "level": self.level,
            "classes": list(self.classes),
            "notes": list(self.notes),
            "dropped": self.dropped,
            "options": dict(self.options),
            "floor": None if self.floor is None else self.floor.to_dict(),
        }
