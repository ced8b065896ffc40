"""What an answer claims, and what checks found out about the data behind it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

from errorfloor._checks import Sentence
from errorfloor.data.tables import ScoreTable, SoftTable
from errorfloor.intervals.record import IntervalKind
from errorfloor.methods.record import Classes, Method, Shape
from errorfloor.metrics import Metric

SCORES, SHARES = "these scores", "these shares of votes"
LIKE_THESE = "for the answers of {}, not for a hidden truth"
_ANYBODY = "people like these annotators"
# What has to be true of scores that are declared complete, besides that, by what a method assumes.
_CONDITIONS = {
    Shape.ORDER: "in the right order",
    Shape.BINS: "equally good within each bin",
    Shape.CURVE: "off by a curve as the method fits it",
    Shape.NONE: "the true probabilities",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """Which limits of an answer are limits of the best that any model can do.

    Attributes
    ----------
    low, high : bool
        Whether the lower and the upper limit of the interval are.
    rule : str
        Whose best value the answer is: empty for any model's, else what was tried, such as "the
        best threshold on {}", with {} for what it sees.
    condition : str
        What has to be true for that and cannot be checked.
    scope : str
        For which label it is true, where that is easily mistaken.
    sees : str
        What a better model may see more than.
    any_between : bool
        Whether the data fit any value between the limits equally well, however many there are.
    """

    low: bool = False
    high: bool = False
    rule: str = ""
    condition: str = ""
    scope: str = ""
    sees: str = ""
    any_between: bool = False

    @property
    def limits(self) -> str:
        """Which limits hold for any model: "both", "low", "high" or "none"."""
        held = [name for name in ("low", "high") if getattr(self, name)]
        return "both" if len(held) == 2 else held[0] if held else "none"

    @property
    def any_model(self) -> bool:
        """Whether the value itself is the best that any model can do."""
        return not self.rule

    @property
    def best_of(self) -> str:
        """Whose value the answer is, such as "the best threshold on these scores"; or empty."""
        return self.rule.format(self.sees)

    @property
    def in_short(self) -> str:
        """The same in a few words, without what is seen."""
        words = self.rule.split()
        return " ".join(words[:-2] if words[-1:] == ["{}"] else words)

    def reachable(self, metric: Metric) -> bool:
        """Tell whether the limit on the worse side holds: that much was shown to be reachable."""
        return self.high if metric.less_is_better else self.low

    def unbeatable(self, metric: Metric) -> bool:
        """Tell whether the limit on the better side holds: no model gets past it."""
        return self.low if metric.less_is_better else self.high

    @property
    def may_do_better(self) -> str:
        """That a model that sees more may do better, behind a full stop; else nothing."""
        return f" A model that sees more than {self.sees} may do better." if self.sees else ""

    @property
    def sentence(self) -> str:
        """The claim in words."""
        scope = f" {self.scope}" if self.scope else ""
        best = f"the best that any model can do{scope}"
        provided = f"if {self.condition}, " if self.condition else ""
        if self.limits == "none":
            sentence = f"{provided}this estimates {self.best_of or best}; no limit of it is given"
            if self.best_of:
                sentence = f"this estimates {self.best_of}, and bounds no other model"
        elif self.limits == "both":
            sentence = f"{provided}both limits are limits of {best}"
            if self.any_between:
                sentence += "; which value between them is right, these data cannot tell"
        else:
            side, other = ("lower", "upper") if self.low else ("upper", "lower")
            sentence = (
                f"only the {side} limit is a limit of {best}; value and {other} limit are of "
                f"{self.best_of}"
            )
        return f"{sentence[:1].upper()}{sentence[1:]}.{self.may_do_better}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "limits": self.limits,
            "best_of": self.best_of or "any model",
            "condition": self.condition or None,
            "scope": self.scope or None,
            "sentence": self.sentence,
        }


def claim_of(
    method: Method | None,
    kind: IntervalKind | None,
    metric: Metric,
    *,
    complete: bool = False,
    scores: str = SCORES,
    majority: bool = False,
    annotators: int | None = None,
) -> Claim:
    """Return what a method with an interval claims; without records, nothing.

    `complete` says that nothing else that a model could see would change what the scores say,
    `majority` that the label is one of several votes, `annotators` that they alone are meant.
    """
    if method is None:
        return Claim(rule="the method at hand")
    some = kind is not None
    if method.reads == SoftTable.kind:
        return Claim(low=some, high=some, condition="these are the true probabilities")
    if method.reads != ScoreTable.kind:
        worse = some and not method.optimistic
        better = some and not (method.optimistic and majority)  # of one vote it is too good
        whose = _ANYBODY
        if annotators is not None:
            whose = "this annotator" if annotators == 1 else f"these {annotators:,} annotators"
        low, high = (better, worse) if metric.less_is_better else (worse, better)
        from_shares = "the simple count of votes" if method.optimistic else ""
        return Claim(low=low, high=high, rule=from_shares, scope=LIKE_THESE.format(whose))
    if complete:
        held = method.condition or _CONDITIONS[method.shape]
        return Claim(low=some, high=some, condition=f"{scores} are complete and {held}")
    tested = kind is not None and kind.tests_rules
    return Claim(
        low=tested and not metric.less_is_better,
        high=tested and metric.less_is_better,
        rule=_rule(method, metric),
        sees=scores,
    )


def _rule(method: Method, metric: Metric) -> str:
    """Return which rules on the scores a method finds the best of, with a slot for the scores."""
    if method.rule:
        return method.rule
    if method.shape is not Shape.ORDER:
        return "the best rule on {}"
    return metric.rule if method.classes is Classes.TWO else "the best weighting of {}"


Level: TypeAlias = Literal["refuted", "warn", "note", "ok"]
TRAINED, UNUSED = "Scores as of training data", "Scores without a label"
SHOWN_NOTES = (TRAINED, UNUSED)  # findings that are shown though they are notes
LEVELS: tuple[Level, ...] = ("refuted", "warn", "note", "ok")  # the gravest first


@dataclass(frozen=True, slots=True)
class Finding:
    """One question about the data, its answer, and what the answer means.

    Attributes
    ----------
    name : str
        What was checked, in a few words.
    value : str
        The answer in short.
    level : {"refuted", "warn", "note", "ok"}
        How much it matters. A result with a refuted finding is not stated as one.
    sentence : str
        What the answer means.
    remedy : str
        What to do about it.
    """

    name: str
    value: str
    level: Level
    sentence: str
    remedy: str = ""

    @property
    def text(self) -> str:
        """What it means and what to do about it."""
        return Sentence(self.sentence, " ", self.remedy) if self.remedy else self.sentence

    def to_dict(self) -> dict[str, Any]:
        """Return the finding as plain values."""
        return {name: str(value) for name, value in asdict(self).items()}
