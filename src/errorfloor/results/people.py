"""Models compared with people: agreement, panels, worth in people, and which models differ."""

from __future__ import annotations

from dataclasses import dataclass, field

from errorfloor._shown import Answer, Named, Plain
from errorfloor.data.options import Source
from errorfloor.results.claim import Finding
from errorfloor.results.estimate import Estimate
from errorfloor.results.models import ModelDifference, Rate, certain

VOTES, MIXTURE = "votes", "mixture"  # what the agreement of a panel is found from
WINS_NEEDED = 0.5  # share of annotators, in the alternative annotator test


@dataclass(frozen=True, slots=True)
class PanelRate(Rate):
    """How often the plurality of so many people equals one more person's answer.

    Attributes
    ----------
    people : int
        In the panel.
    value, low, high : float
        How often, with limits.
    basis : {"votes", "mixture"}
        Whether panels are made of the votes at hand, or of the distribution that is fitted to them.
    """

    people: int
    basis: str


@dataclass(frozen=True, slots=True)
class ModelRate(Rate):
    """How often a model gives a person's answer, and how many people it is worth.

    Attributes
    ----------
    name : str
        Of the model.
    value, low, high : float
        How often it gives the answer of a person, with limits.
    worth : float or None
        The number of people whose plurality does so as often; 0 for less than one person. None
        where no panel does, and where there is no worth: `warnings` say why.
    worth_low, worth_high : float or None
        Its limits; None where there is none. Less than one person is 0 to 1.
    verdict : {"room", "saturated", "beyond"} or None
        Whether the model can still improve, is at the limit, or looks too good to be true.
    p_room : float or None
        P-value of "no rule is better"; small if the largest panel of the other people is.
    warnings : tuple of str
        What to know about it.
    """

    name: str
    worth: float | None = None
    worth_low: float | None = None
    worth_high: float | None = None
    verdict: str | None = None
    p_room: float | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AltTest(Plain):
    """How a model does in the alternative annotator test, by the published procedure.

    Attributes
    ----------
    name : str
        Of the model.
    winning_rate : float
        Share of annotators that the model wins against; it passes from 0.5 on.
    epsilon : float
        The allowance: each annotator may be closer to the others than the model on so much larger a
        share of items than the model is.
    without_allowance : float
        The winning rate at an epsilon of 0.
    advantage : float
        Mean over annotators of how often the model is as close to the others, or closer.
    annotators : int
        Annotators with enough items.
    """

    name: str
    winning_rate: float
    epsilon: float
    without_allowance: float
    advantage: float
    annotators: int

    @property
    def passes(self) -> bool:
        """Whether it wins against enough annotators, with the allowance."""
        return self.winning_rate >= WINS_NEEDED


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class People(Named[ModelRate], Answer):
    """How often people agree, and how many people each model is worth.

    Attributes
    ----------
    agreement : Rate
        How often two people give the same answer.
    best_possible : Rate
        How often any model can give the answer of a person, at best: one less the floor.
    panels : tuple of PanelRate
        How often the plurality of so many people equals one more person's answer.
    curve : tuple of PanelRate
        The same for as many sizes as a picture needs.
    models : tuple of ModelRate
        One for each model, in the order in which they were named.
    constant : ModelRate
        The best answer that is the same for all items.
    differences : tuple of ModelDifference
        One for each pair of models.
    resolvable : float or None
        The difference of two models that these items would show four times out of five.
    alt_test : tuple of AltTest or None
        Where annotators are known and have enough items each.
    floor : Estimate
        What `best_possible` comes from, with all that was checked.
    level : float
        Confidence level.
    n : int
        Items with two votes or more.
    crossed : bool
        Whether annotators count as a sample, as well as items.
    notes : tuple of str
        What else there is to know.
    findings : tuple of Finding
        What was found out about the predictions.
    """

    agreement: Rate
    best_possible: Rate
    panels: tuple[PanelRate, ...]
    curve: tuple[PanelRate, ...]
    models: tuple[ModelRate, ...]
    constant: ModelRate
    differences: tuple[ModelDifference, ...]
    resolvable: float | None
    alt_test: tuple[AltTest, ...] | None
    floor: Estimate
    level: float
    n: int
    crossed: bool
    notes: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    dropped: int = 0
    source: Source | None = field(default=None, repr=False)
    in_dict = (
        *("sentence", "agreement", "best_possible", "panels", "curve", "models", "constant"),
        *("differences", "resolvable", "alt_test", "level", "n", "crossed", "refuted"),
        *("findings", "notes", "dropped", "floor"),
    )

    @property
    def rows(self) -> tuple[ModelRate, ...]:
        """The models."""
        return self.models

    @property
    def refuted(self) -> bool:
        """Whether the data contradict what the answer assumes."""
        return self.floor.refuted or any(one.level == "refuted" for one in self.findings)

    @property
    def certain_order(self) -> tuple[ModelDifference, ...]:
        """Pairs of models whose order is certain, the better one first."""
        return certain(self.differences, self.level)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FloorDifference(Answer):
    """By how much the first of two floors is higher.

    Attributes
    ----------
    value : float
        The difference.
    low : float
        Its lower limit.
    high : float
        Its upper limit.
    level : float
        Confidence level of the difference.
    each_level : float
        Confidence level of the limits of each floor that the difference is made from.
    first : Estimate
        The first floor, at that level.
    second : Estimate
        The second one.
    independent : bool
        Whether the two were taken for independent.
    """

    value: float
    low: float
    high: float
    level: float
    each_level: float
    first: Estimate
    second: Estimate
    independent: bool
    in_dict = (
        *("sentence", "value", "low", "high", "level", "each_level", "independent", "refuted"),
        *("first", "second"),
    )

    @property
    def refuted(self) -> bool:
        """Whether the data contradict either floor."""
        return self.first.refuted or self.second.refuted
