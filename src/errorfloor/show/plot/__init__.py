"""Pictures of computed values, on given axes; `errorfloor.plot` is their public name."""

from collections.abc import Callable
from typing import Any

from errorfloor._checks import InputError
from errorfloor.results import Estimate
from errorfloor.show.plot.classes import confusion
from errorfloor.show.plot.curves import (
    ceilings,
    class_reliability,
    curve_of,
    noise_curves,
    reliability,
    risk_coverage,
)
from errorfloor.show.plot.estimates import forest, gauge, headroom, models, people
from errorfloor.show.plot.votes import bias_bounds, distribution, plan

__all__ = [
    "bias_bounds",
    "ceilings",
    "class_reliability",
    "confusion",
    "distribution",
    "forest",
    "gauge",
    "headroom",
    "models",
    "noise_curves",
    "people",
    "plan",
    "reliability",
    "risk_coverage",
]

# What draws each kind of result, by the name of its class: the first that fits.
_PICTURES: dict[str, Callable[..., Any]] = {
    "Verdict": gauge,
    "Estimate": gauge,
    "Comparison": forest,
    "Confusion": confusion,
    "ClassReliability": curve_of,
    "FeeBeeResult": noise_curves,
    "ModelComparison": models,
    "People": people,
    "Plan": plan,
    "Reliability": curve_of,
}


def plot_of(result: Any, ax: Any = None) -> Any:
    """Draw a result as its kind is drawn, on given axes or in a new figure."""
    names = [kind.__name__ for kind in type(result).__mro__]
    of_floors = "Groups" in names and all(isinstance(one, Estimate) for one in result.values())
    name = "Comparison" if of_floors else next((one for one in names if one in _PICTURES), None)
    if name is None:
        raise InputError(f"There is no picture of a {names[0]}. Its rows are in `to_frame()`.")
    return _PICTURES[name](result, ax=ax)
