"""What the functions return: frozen values that say what was found and how.

They hold data and give it away as plain values; `errorfloor.show` makes text and pictures of them.
The names load their modules when first used.
"""

from importlib import import_module as _load
from typing import TYPE_CHECKING
from typing import Any as _Any

if TYPE_CHECKING:
    from errorfloor.results.annotators import Annotator as Annotator
    from errorfloor.results.annotators import AnnotatorsResult as AnnotatorsResult
    from errorfloor.results.claim import Claim as Claim
    from errorfloor.results.claim import Finding as Finding
    from errorfloor.results.confusion import ClassPair as ClassPair
    from errorfloor.results.confusion import Confusion as Confusion
    from errorfloor.results.estimate import AgreementEstimate as AgreementEstimate
    from errorfloor.results.estimate import Estimate as Estimate
    from errorfloor.results.estimate import FeaturesEstimate as FeaturesEstimate
    from errorfloor.results.estimate import Interval as Interval
    from errorfloor.results.estimate import RatingsEstimate as RatingsEstimate
    from errorfloor.results.estimate import VotesEstimate as VotesEstimate
    from errorfloor.results.feebee import ORACLE as ORACLE
    from errorfloor.results.feebee import Difference as Difference
    from errorfloor.results.feebee import FeeBeeResult as FeeBeeResult
    from errorfloor.results.feebee import FeeBeeScore as FeeBeeScore
    from errorfloor.results.feebee import NoiseCurve as NoiseCurve
    from errorfloor.results.items import ClassItems as ClassItems
    from errorfloor.results.items import Items as Items
    from errorfloor.results.look import ColumnLook as ColumnLook
    from errorfloor.results.look import LayoutLook as LayoutLook
    from errorfloor.results.look import Look as Look
    from errorfloor.results.models import ComparedModel as ComparedModel
    from errorfloor.results.models import ModelComparison as ModelComparison
    from errorfloor.results.models import ModelDifference as ModelDifference
    from errorfloor.results.models import Rate as Rate
    from errorfloor.results.people import AltTest as AltTest
    from errorfloor.results.people import FloorDifference as FloorDifference
    from errorfloor.results.people import ModelRate as ModelRate
    from errorfloor.results.people import PanelRate as PanelRate
    from errorfloor.results.people import People as People
    from errorfloor.results.plan import LabelPlan as LabelPlan
    from errorfloor.results.plan import Option as Option
    from errorfloor.results.plan import Plan as Plan
    from errorfloor.results.plan import Trade as Trade
    from errorfloor.results.reliability import ClassReliability as ClassReliability
    from errorfloor.results.reliability import Reliability as Reliability
    from errorfloor.results.rows import Comparison as Comparison
    from errorfloor.results.rows import Groups as Groups
    from errorfloor.results.verdict import PairedTest as PairedTest
    from errorfloor.results.verdict import Reached as Reached
    from errorfloor.results.verdict import Verdict as Verdict

_HOME = {
    "annotators": ("Annotator", "AnnotatorsResult"),
    "claim": ("Claim", "Finding"),
    "confusion": ("ClassPair", "Confusion"),
    "estimate": (
        *("AgreementEstimate", "Estimate", "FeaturesEstimate", "Interval", "RatingsEstimate"),
        "VotesEstimate",
    ),
    "feebee": ("ORACLE", "Difference", "FeeBeeResult", "FeeBeeScore", "NoiseCurve"),
    "items": ("ClassItems", "Items"),
    "look": ("ColumnLook", "LayoutLook", "Look"),
    "models": ("ComparedModel", "ModelComparison", "ModelDifference", "Rate"),
    "people": ("AltTest", "FloorDifference", "ModelRate", "PanelRate", "People"),
    "plan": ("LabelPlan", "Option", "Plan", "Trade"),
    "reliability": ("ClassReliability", "Reliability"),
    "rows": ("Comparison", "Groups"),
    "verdict": ("PairedTest", "Reached", "Verdict"),
}

__all__ = sorted(name for names in _HOME.values() for name in names)


def __getattr__(name: str) -> _Any:
    for module, names in _HOME.items():
        if name in names:
            value = getattr(_load(f"errorfloor.results.{module}"), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module 'errorfloor.results' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, "__all__", "__doc__"})
