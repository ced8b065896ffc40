"""How good can any model get on this data? The Bayes error and its floor, from labels alone.

The public names load their modules when first used, so importing the package takes no time.
"""

from importlib import import_module as _load
from typing import TYPE_CHECKING as _CHECKING
from typing import Any as _Any

if _CHECKING:
    from errorfloor._checks import DegenerateBootstrapWarning as DegenerateBootstrapWarning
    from errorfloor._checks import DegenerateDataWarning as DegenerateDataWarning
    from errorfloor._checks import DoubtWarning as DoubtWarning
    from errorfloor._checks import ErrorFloorWarning as ErrorFloorWarning
    from errorfloor._checks import InputError as InputError
    from errorfloor._checks import LabelShiftWarning as LabelShiftWarning
    from errorfloor._checks import LostAnnotatorsWarning as LostAnnotatorsWarning
    from errorfloor._checks import RefutedWarning as RefutedWarning
    from errorfloor.data.files import merge as merge
    from errorfloor.data.tables import RatingTable as RatingTable
    from errorfloor.data.tables import ScoreTable as ScoreTable
    from errorfloor.data.tables import SoftTable as SoftTable
    from errorfloor.data.tables import VoteTable as VoteTable
    from errorfloor.methods import METHODS as METHODS
    from errorfloor.methods.record import Calibration as Calibration
    from errorfloor.methods.record import ClassCalibration as ClassCalibration
    from errorfloor.questions.agreement import from_agreement as from_agreement
    from errorfloor.questions.annotators import annotators as annotators
    from errorfloor.questions.calibrate import calibrate as calibrate
    from errorfloor.questions.compare import compare as compare
    from errorfloor.questions.confusion import confusion as confusion
    from errorfloor.questions.difference import difference as difference
    from errorfloor.questions.estimate import from_scores as from_scores
    from errorfloor.questions.estimate import from_soft_labels as from_soft_labels
    from errorfloor.questions.estimate import from_votes as from_votes
    from errorfloor.questions.estimator import from_estimator as from_estimator
    from errorfloor.questions.estimator import headroom_scorer as headroom_scorer
    from errorfloor.questions.features import from_features as from_features
    from errorfloor.questions.feebee import feebee as feebee
    from errorfloor.questions.headroom import headroom as headroom
    from errorfloor.questions.items import items as items
    from errorfloor.questions.look import look as look
    from errorfloor.questions.people import people as people
    from errorfloor.questions.plan import plan as plan
    from errorfloor.questions.plan_labels import plan_labels as plan_labels
    from errorfloor.questions.ratings import from_ratings as from_ratings
    from errorfloor.questions.reliability import reliability as reliability
    from errorfloor.results import AgreementEstimate as AgreementEstimate
    from errorfloor.results import AnnotatorsResult as AnnotatorsResult
    from errorfloor.results import ClassItems as ClassItems
    from errorfloor.results import ClassReliability as ClassReliability
    from errorfloor.results import Comparison as Comparison
    from errorfloor.results import Confusion as Confusion
    from errorfloor.results import Estimate as Estimate
    from errorfloor.results import FeaturesEstimate as FeaturesEstimate
    from errorfloor.results import FeeBeeResult as FeeBeeResult
    from errorfloor.results import FloorDifference as FloorDifference
    from errorfloor.results import Groups as Groups
    from errorfloor.results import Interval as Interval
    from errorfloor.results import Items as Items
    from errorfloor.results import LabelPlan as LabelPlan
    from errorfloor.results import Look as Look
    from errorfloor.results import ModelComparison as ModelComparison
    from errorfloor.results import People as People
    from errorfloor.results import Plan as Plan
    from errorfloor.results import RatingsEstimate as RatingsEstimate
    from errorfloor.results import Reliability as Reliability
    from errorfloor.results import Verdict as Verdict
    from errorfloor.results import VotesEstimate as VotesEstimate
    from errorfloor.show.card import card as card
    from errorfloor.show.report import report as report

__version__ = "0.3.0"

# Every public name, by the module that has it.
_HOME = {
    "_checks": (
        "DegenerateBootstrapWarning",
        "DegenerateDataWarning",
        "ErrorFloorWarning",
        "InputError",
        "DoubtWarning",
        "LabelShiftWarning",
        "LostAnnotatorsWarning",
        "RefutedWarning",
    ),
    "data.files": ("merge",),
    "data.tables": (
        "RatingTable",
        "ScoreTable",
        "SoftTable",
        "VoteTable",
    ),
    "methods": ("METHODS",),
    "methods.record": ("Calibration", "ClassCalibration"),
    "questions.annotators": ("annotators",),
    "questions.agreement": ("from_agreement",),
    "questions.calibrate": ("calibrate",),
    "questions.compare": ("compare",),
    "questions.confusion": ("confusion",),
    "questions.estimate": (
        "from_scores",
        "from_soft_labels",
        "from_votes",
    ),
    "questions.difference": ("difference",),
    "questions.estimator": ("from_estimator", "headroom_scorer"),
    "questions.features": ("from_features",),
    "questions.feebee": ("feebee",),
    "questions.headroom": ("headroom",),
    "questions.items": ("items",),
    "questions.look": ("look",),
    "questions.people": ("people",),
    "questions.plan": ("plan",),
    "questions.plan_labels": ("plan_labels",),
    "questions.ratings": ("from_ratings",),
    "questions.reliability": ("reliability",),
    "results": (
        "AnnotatorsResult",
        "AgreementEstimate",
        "ClassItems",
        "ClassReliability",
        "Comparison",
        "Confusion",
        "Estimate",
        "FeaturesEstimate",
        "FeeBeeResult",
        "FloorDifference",
        "Groups",
        "Interval",
        "Items",
        "LabelPlan",
        "Look",
        "ModelComparison",
        "People",
        "Plan",
        "RatingsEstimate",
        "Reliability",
        "Verdict",
        "VotesEstimate",
    ),
    "show.card": ("card",),
    "show.report": ("report",),
}
_MODULES = ("bounds", "datasets", "frames", "plot", "results", "testing")

__all__ = sorted(name for names in _HOME.values() for name in names)


def __getattr__(name: str) -> _Any:
    for module, names in _HOME.items():
        if name in names:
            value = getattr(_load(f"errorfloor.{module}"), name)
            globals()[name] = value
            return value
    if name in (*_MODULES, "paper"):  # the last says where its figures are now
        return _load(f"errorfloor.{name}")
    raise AttributeError(f"module 'errorfloor' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *_MODULES, "__all__", "__doc__", "__version__"})
