"""How low can any classifier's error go on this data? The Bayes error, from labels alone.

The public names load their modules when first used, so importing the package takes no time.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from errorfloor._checks import (
        DegenerateBootstrapWarning,
        DegenerateDataWarning,
        ErrorFloorWarning,
        LabelShiftWarning,
    )
    from errorfloor.calibration import METHODS, Calibration, calibrate
    from errorfloor.decide import headroom, plan
    from errorfloor.estimate import compare, from_scores, from_soft_labels, from_votes
    from errorfloor.frames import merge
    from errorfloor.label_noise import feebee
    from errorfloor.reliability_band import Reliability, reliability
    from errorfloor.reporting import report
    from errorfloor.results import (
        Comparison,
        Estimate,
        FeeBeeResult,
        Groups,
        Interval,
        Plan,
        Verdict,
        VotesEstimate,
    )
    from errorfloor.tables import ScoreTable, VoteTable

__version__ = "0.1.0"

__all__ = [
    "METHODS",
    "Calibration",
    "Comparison",
    "DegenerateBootstrapWarning",
    "DegenerateDataWarning",
    "ErrorFloorWarning",
    "Estimate",
    "FeeBeeResult",
    "Groups",
    "Interval",
    "LabelShiftWarning",
    "Plan",
    "Reliability",
    "ScoreTable",
    "Verdict",
    "VoteTable",
    "VotesEstimate",
    "calibrate",
    "compare",
    "feebee",
    "from_scores",
    "from_soft_labels",
    "from_votes",
    "headroom",
    "merge",
    "plan",
    "reliability",
    "report",
]

_HOME = {
    "_checks": (
        "DegenerateBootstrapWarning",
        "DegenerateDataWarning",
        "ErrorFloorWarning",
        "LabelShiftWarning",
    ),
    "calibration": ("METHODS", "Calibration", "calibrate"),
    "decide": ("headroom", "plan"),
    "estimate": ("compare", "from_scores", "from_soft_labels", "from_votes"),
    "frames": ("merge",),
    "label_noise": ("feebee",),
    "reliability_band": ("Reliability", "reliability"),
    "reporting": ("report",),
    "results": (
        "Comparison",
        "Estimate",
        "FeeBeeResult",
        "Groups",
        "Interval",
        "Plan",
        "Verdict",
        "VotesEstimate",
    ),
    "tables": ("ScoreTable", "VoteTable"),
}
_MODULES = ("bounds", "datasets", "frames", "paper", "plot")


def __getattr__(name: str) -> Any:
    for module, names in _HOME.items():
        if name in names:
            value = getattr(import_module(f"errorfloor.{module}"), name)
            globals()[name] = value
            return value
    if name in _MODULES:
        return import_module(f"errorfloor.{name}")
    raise AttributeError(f"module 'errorfloor' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})
