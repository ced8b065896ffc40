"""Models that were tried on the same labelled items: which one is better, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from errorfloor._shown import Answer, Named, Plain
from errorfloor.data.options import Source
from errorfloor.metrics import Metric
from errorfloor.metrics.choice import metric_given
from errorfloor.results.claim import Finding
from errorfloor.results.estimate import Estimate


@dataclass(frozen=True, slots=True)
class Rate(Plain):
    """A share of items with its limits."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class ComparedModel(Plain):
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


@dataclass(frozen=True, slots=True)
class ModelDifference(Rate):
    """By how much the first of two models is better; of people, gives their answer more often.

    Attributes
    ----------
    first, second : str
        Names of the models.
    value, low, high : float
        The difference, with limits.
    p : float or None
        P-value of "no difference"; None where votes were collected until they agreed.
    adjusted_p : float or None
        The same for all pairs of models together (Holm's).
    """

    first: str
    second: str
    p: float | None = None
    adjusted_p: float | None = None

    @property
    def turned(self) -> ModelDifference:
        """By how much the second one is better."""
        ends = (-self.value, -self.high, -self.low)
        return ModelDifference(*ends, self.second, self.first, p=self.p, adjusted_p=self.adjusted_p)


def certain(differences: tuple[ModelDifference, ...], level: float) -> tuple[ModelDifference, ...]:
    """Return the pairs of models whose order is certain, the better one first."""
    found = []
    for one in differences:
        sure = one.low > 0 or one.high < 0
        if one.adjusted_p is not None:
            sure = one.adjusted_p <= 1 - level
        if sure:
            found.append(one.turned if one.value < 0 else one)
    return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ModelComparison(Named[ComparedModel], Answer):
    """Two models or more on the same labelled items.

    Attributes
    ----------
    metric : str
        What the models are compared by; `models` have its values.
    models : tuple of ComparedModel
        One for each model, in the order in which they were named.
    differences : tuple of ModelDifference
        By how much the first of each two models is better. Below 0 the second one is.
    resolvable : float or None
        The difference of two models that these items would show four times out of five; None
        where that is more than there can be.
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
        What `from_scores` says about the same items, where they have scores next to predictions.
    notes : tuple of str
        What else there is to know.
    warnings : tuple of str
        Doubts about the answer, which are in `findings` as well.
    findings : tuple of Finding
        What was checked about the items and names of classes.
    dropped : int
        Items that were left out because something was missing.
    source : Source or None
        Where the items came from.
    group : str or None
        The group that it is of, where there are several.
    """

    metric: str
    models: tuple[ComparedModel, ...]
    differences: tuple[ModelDifference, ...]
    resolvable: float | None
    items_needed: int | None
    n: int
    level: float
    classes: tuple[str, ...]
    n_effective: float | None = None
    clusters: int | None = None
    floor: Estimate | None = None
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = field(default=(), repr=False)
    dropped: int = 0
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)
    source: Source | None = field(default=None, repr=False)
    group: str | None = field(default=None, repr=False)
    in_dict = (
        *("sentence", "metric", "better", "models", "differences", "resolvable", "items_needed"),
        *("n", "n_effective", "clusters", "level", "classes", "notes", "warnings", "refuted"),
        *("findings", "dropped", "options", "source", "floor"),
    )

    @property
    def rows(self) -> tuple[ComparedModel, ...]:
        """The models."""
        return self.models

    @property
    def refuted(self) -> bool:
        """Whether the data contradict what the answer assumes, so that it is no finding."""
        return any(finding.level == "refuted" for finding in self.findings)

    @property
    def measure(self) -> Metric:
        """The metric, with what was given with it."""
        return metric_given(self.metric, self.options, len(self.classes))

    @property
    def ranked(self) -> tuple[ComparedModel, ...]:
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
