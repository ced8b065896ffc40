"""What features tell about the floor: how high it can be at most."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from errorfloor.metrics import ERROR, Metric
from errorfloor.results.claim import Claim
from errorfloor.results.estimate import Estimate


def _span_of_any_classes(classes: int) -> tuple[float, float]:
    """Return between what the floor is where there may be more classes than those."""
    return 0.0, 1.0


_OF_ANY_CLASSES = replace(ERROR, span=_span_of_any_classes)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FeaturesEstimate(Estimate):
    """An upper limit of the error floor from features, or a classic estimate without limits.

    Attributes
    ----------
    dimensions : int
        Number of features.
    errors : int or None
        Of sequential prediction, on `n` items; None for a classic estimate.
    leader : str or None
        The model that leads after the last item.
    models : dict
        The error rate of each model by itself, fitted to earlier items alone.
    lower_end : float or None
        The lower end of a classic estimate. It is no limit: in many dimensions it is above the
        floor.
    upper_end : float or None
        The upper end of a classic estimate, which is no limit either.
    lower_from : str or None
        The method behind the lower limit, where votes or scores of the same labelling have one.
    lower_claim : Claim or None
        What these claim of the lower limit.
    class_names : tuple of str
        The classes: all of them where they were declared, else those that occur, in the order of
        their values.
    """

    dimensions: int
    class_names: tuple[str, ...]
    errors: int | None = None
    leader: str | None = None
    models: Mapping[str, float] = field(default_factory=dict)
    lower_end: float | None = None
    upper_end: float | None = None
    lower_from: str | None = None
    lower_claim: Claim | None = None

    @property
    def claim(self) -> Claim:
        """One-sided: what models reach; from both sides where votes say how low it can get."""
        beside = self.lower_claim
        if beside is not None:
            return Claim(low=True, high=True, condition=beside.condition, scope=beside.scope)
        high = self.is_limit and self.interval is not None
        tried = "the best of the models tried" if self.is_limit else f"the estimate {self.method}"
        return Claim(high=high, rule=tried, sees="these features" if self.is_limit else "")

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the classes."""
        return self.class_names

    @property
    def declared(self) -> bool:
        """Whether it is known how many classes there are: other labels need not show them all."""
        return self.lower_from is not None or bool(self.source and self.source.options.classes)

    @property
    def measure(self) -> Metric:
        """Error, at most 1 - 1 / K of K declared classes; from classes seen nothing follows."""
        return ERROR if self.declared else _OF_ANY_CLASSES

    @property
    def is_limit(self) -> bool:
        """Whether it has an upper limit that is proved."""
        return self.errors is not None

    def to_dict(self) -> dict[str, Any]:
        """Return what was found and how as plain values, ready for JSON."""
        names = ("dimensions", "errors", "leader", "lower_end", "upper_end", "lower_from")
        extra = {name: getattr(self, name) for name in names}
        return {**Estimate.to_dict(self), **extra, "models": dict(self.models)}
