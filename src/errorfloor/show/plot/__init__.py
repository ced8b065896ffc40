"""Pictures of computed values, on given axes; `errorfloor.plot` is their public name."""

from errorfloor.show.plot.classes import confusion
from errorfloor.show.plot.coverage import risk_coverage
from errorfloor.show.plot.estimates import forest, headroom
from errorfloor.show.plot.people import people
from errorfloor.show.plot.ratings import ceilings
from errorfloor.show.plot.scores import class_reliability, noise_curves, reliability
from errorfloor.show.plot.votes import bias_bounds, distribution, plan

__all__ = [
    "bias_bounds",
    "ceilings",
    "class_reliability",
    "confusion",
    "distribution",
    "forest",
    "headroom",
    "noise_curves",
    "people",
    "plan",
    "reliability",
    "risk_coverage",
]
