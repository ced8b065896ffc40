"""The floor of one data set: its value, its interval, and how both were obtained."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from errorfloor import methods
from errorfloor._checks import InputError, check_level
from errorfloor._numbers import counted
from errorfloor._shown import Answer, formatted
from errorfloor._typing import Floats
from errorfloor.data.naming import TWO_CLASSES
from errorfloor.data.options import Source
from errorfloor.data.tables import Table
from errorfloor.intervals.record import Evidence, IntervalKind, Seed, these_annotators
from errorfloor.methods.record import GIVEN_LABEL, GOLD_LABEL, Classes, Method
from errorfloor.metrics import ERROR, Metric
from errorfloor.metrics.choice import metric_given
from errorfloor.metrics.variances import NOISE, RATIO, rating_metric
from errorfloor.results.claim import SCORES, SHARES, Claim, Finding, claim_of

if TYPE_CHECKING:
    from errorfloor.methods.votes.line import Mixture
    from errorfloor.methods.votes.simplex import PartitionMixture
else:
    Mixture = PartitionMixture = Any  # which `typing.get_type_hints` finds; they are slow to load

_IN_SHORT = ("value", "low", "high", "level", "method", "interval_method")
# Left out of plain values where items are equal, independent and labelled.
_OF_SAMPLES = ("n_effective", "clusters", "n_unlabelled", "n_unused", "labelled_only")
GIVEN = "given"  # the method of a floor that is no estimate but a number that somebody knows


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval for the best value of a metric, within what it can be."""

    low: float
    high: float
    level: float
    method: str

    @classmethod
    def at(
        cls, level: float, evidence: Evidence, metric: Metric = ERROR, classes: int = 2
    ) -> Interval:
        """Return the interval that `evidence` gives at `level`, within the metric's range."""
        least, most = metric.span(classes)
        low, high = (min(max(limit, least), most) for limit in evidence.limits(level))
        return cls(low, high, level, evidence.method)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Estimate(Answer):
    """An error floor: its value, its interval, and how both were obtained.

    Attributes
    ----------
    value : float
        The floor as a fraction, 0 to 0.5 where there are two classes; of a one-sided claim the
        value of the best rule that was tried. The raw number, also where the data refute it:
        ``float(estimate)`` is NaN then, and a format such as ``f"{estimate:.1%}"`` says "refuted".
    method : str
        How the value was obtained.
    interval : Interval or None
        None if it was skipped.
    n : int
        Number of items.
    n_effective : float or None
        How many items of equal weight would tell as much, by Kish: the square of the sum of the
        weights over the sum of their squares. None where all weigh the same and stand alone.
    clusters : int or None
        Number of clusters, where items belong to some.
    n_unlabelled : int
        Number of items without a label whose scores were used.
    n_unused : int
        Number of items without a label that were kept, but whose scores had no part.
    labelled_only : Estimate or None
        What the labels alone say, where scores of further items were used.
    assumptions : str
        What has to hold for value and interval to mean what they say.
    metric : str
        What the floor is a floor of.
    target : str
        For which label it is.
    warnings : tuple of str
        Doubts met on the way, the same that were issued as warnings.
    resolution : float or None
        How far merging neighbouring scores into one row can have moved the value: 0 where none
        were merged, None where there is no bound for the method.
    dropped : int
        Items left out because something was missing, where that was asked for.
    options : dict
        What was asked for: interval, level and whatever else has an influence.
    seed : Seed or None
        Where the random numbers started.
    source : Source or None
        Where the labels came from.
    group : object
        The group of the items, where groups were asked for.
    table : Table or None
        The counts that the estimate is computed from, for pictures and reports.
    findings : tuple of Finding
        What the checks found about the data, the gravest first.
    """

    value: float
    method: str
    interval: Interval | None
    n: int
    assumptions: str
    n_effective: float | None = None
    clusters: int | None = None
    n_unlabelled: int = 0
    n_unused: int = 0
    labelled_only: Estimate | None = field(default=None, repr=False)
    metric: str = ERROR.name
    target: str = GIVEN_LABEL
    warnings: tuple[str, ...] = ()
    resolution: float | None = 0.0
    dropped: int = 0
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)
    seed: Seed | None = field(default=None, repr=False)
    source: Source | None = field(default=None, repr=False)
    group: Any = field(default=None, repr=False)
    evidence: Evidence | None = field(default=None, repr=False)
    table: Table | None = field(default=None, repr=False)
    findings: tuple[Finding, ...] = field(default=(), repr=False)
    in_dict: ClassVar[tuple[str, ...]] = (
        *("sentence", "value", "low", "high", "level", "method", "interval_method", "claim"),
        *("metric", "target", "classes", "n", *_OF_SAMPLES, "resolution", "dropped"),
        *("assumptions", "warnings", "refuted", "findings", "options", "seed", "source"),
    )

    def __float__(self) -> float:
        """Return the value; NaN where the data refute it."""
        return math.nan if self.refuted else self.value

    def __format__(self, spec: str) -> str:
        """Return what is claimed in a format such as .3f, or the text of the result without one.

        Where only one limit holds for any model that is "at most" or "at least" this limit, and of
        what the data refute the word "refuted".
        """
        return formatted(self, spec) if spec else str(self)

    def __hash__(self) -> int:
        return hash((type(self), self.value, self.n))

    def __lt__(self, other: Any) -> bool:
        """Compare values, with another result or a number; what is refuted has no place."""
        return _compared(operator.lt, self, other)

    def __le__(self, other: Any) -> bool:
        """Compare values, with another result or a number; what is refuted has no place."""
        return _compared(operator.le, self, other)

    def __gt__(self, other: Any) -> bool:
        """Compare values, with another result or a number; what is refuted has no place."""
        return _compared(operator.gt, self, other)

    def __ge__(self, other: Any) -> bool:
        """Compare values, with another result or a number; what is refuted has no place."""
        return _compared(operator.ge, self, other)

    @property
    def refuted(self) -> bool:
        """Whether the data contradict what the value assumes, so that it is no finding."""
        return any(finding.level == "refuted" for finding in self.findings)

    @property
    def claim(self) -> Claim:
        """Which limits are limits of the best that any model can do, and what else they are of."""
        if self.method == GIVEN:
            return Claim(low=True, high=True, condition="the number that was given is right")
        kind = interval_of(self)
        return claim_of(
            method_of(self),
            kind,
            self.measure,
            complete=self.source is not None and self.source.options.complete,
            scores=SHARES if self.target == GOLD_LABEL else SCORES,
            majority=(self.options.get("majority") or 1) > 1,
            annotators=these_annotators(self.table, kind),
        )

    @property
    def reachable(self) -> float | None:
        """The limit that models were shown to reach; None where nothing was shown."""
        metric = self.measure
        if not self.claim.reachable(metric):
            return None
        return self.high if metric.less_is_better else self.low

    @property
    def guessing(self) -> float | None:
        """The best value of a model that sees nothing of an item: of an error, the majority's.

        None where it is not known how common the classes are, as of a majority of several votes.
        """
        if self.table is None or not self.n or (self.options.get("majority") or 1) > 1:
            return None
        shares = self.table.shares
        alike = shares[None] if len(shares) > 2 else shares[1:]
        try:
            return self.measure.best(alike, np.ones(1))
        except InputError:  # there is one class only
            return None

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the classes, as the table has them."""
        return TWO_CLASSES if self.table is None else self.table.classes

    @property
    def measure(self) -> Metric:
        """The metric that the value is the best of, with what was given with it."""
        return metric_given(self.metric, self.options, len(self.classes))

    @property
    def low(self) -> float | None:
        """Lower limit of the interval."""
        return self.interval.low if self.interval else None

    @property
    def high(self) -> float | None:
        """Upper limit of the interval."""
        return self.interval.high if self.interval else None

    @property
    def level(self) -> float | None:
        """Confidence level of the interval."""
        return self.interval.level if self.interval else None

    @property
    def interval_method(self) -> str | None:
        """Name of the interval."""
        return self.interval.method if self.interval else None

    @property
    def replicates(self) -> Floats | None:
        """Bootstrap replicates of the value, where the interval came from a bootstrap."""
        return getattr(self.evidence, "replicates", None)

    def at_level(self, level: float) -> Estimate:
        """Return the same estimate with its interval at another level, without new draws."""
        if self.evidence is None:
            raise InputError(
                "This estimate has no interval. Estimate again without `interval=None`."
            )
        level = check_level(level)
        interval = Interval.at(level, self.evidence, self.measure, len(self.classes))
        options = dict(self.options)
        if not options.get("simultaneous"):  # where `level` is that of all groups at once
            options["level"] = level
        alone = self.labelled_only
        return replace(
            self,
            interval=interval,
            options=options,
            labelled_only=None if alone is None else alone.at_level(level),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return what was found and how as plain values, ready for JSON."""
        found, alone = Answer.to_dict(self), self.labelled_only
        found["n_unlabelled"] = self.n_unlabelled or None
        found["n_unused"] = self.n_unused or None
        found["labelled_only"] = alone and {name: getattr(alone, name) for name in _IN_SHORT}
        left_out = {name for name in _OF_SAMPLES if found[name] is None}
        return {name: value for name, value in found.items() if name not in left_out}


def _compared(how: Callable[[float, float], bool], found: Estimate, other: Any) -> bool:
    if not isinstance(other, Estimate | Real):
        return NotImplemented  # type: ignore[no-any-return]
    return how(_stated(found), _stated(other))


def _stated(value: Any) -> float:
    """Return a number, or the value of a result unless the data refute it."""
    if isinstance(value, Estimate) and value.refuted:
        raise InputError(
            f"No {value.measure.limit} can be stated here, so there is nothing to compare: the "
            "result is refuted, and its findings say why. Look at its attribute refuted first; "
            "value holds the number all the same."
        )
    return float(value)


def method_of(estimate: Estimate) -> Method | None:
    """Return the method of an estimate, or None for one of the user's own."""
    if estimate.table is None:
        return methods.known(estimate.method, metric=estimate.metric)
    table = estimate.table
    return methods.known(estimate.method, Classes.of(table), table.kind, estimate.metric)


def interval_of(estimate: Estimate) -> IntervalKind | None:
    """Return the kind of an estimate's interval, or None where it has none."""
    from errorfloor import intervals  # the code of all limits, which a result itself does not need

    return intervals.named(estimate.interval_method, method_of(estimate))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VotesEstimate(Estimate):
    """An error floor from votes, with what the votes' plain shares would have said.

    Attributes
    ----------
    plugin : float
        Mean share of minority votes, the paper's `hard` estimate; of another metric, its best
        value if the shares of votes were the probabilities.
    bias : float or None
        How far the plug-in lies from the floor on average, at the fitted distribution; negative.
        None where single votes leave it open, and for other metrics than error.
    bias_bound : float or None
        The paper's bound on the size of that bias for any distribution whose floor is at most
        the model error that was given (corollary 2).
    mixture : Mixture, PartitionMixture or None
        The distribution of probabilities that best explains the votes.
    """

    plugin: float
    bias: float | None
    bias_bound: float | None = None
    mixture: Mixture | PartitionMixture | None = field(default=None, repr=False)
    in_dict = (*Estimate.in_dict, "plugin", "bias", "bias_bound")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AgreementEstimate(Estimate):
    """An error floor from how many pairs of votes agree.

    Attributes
    ----------
    agree : int or float
        Pairs of votes on one item that agree; not whole where a rate was given that is not one of
        so many pairs, such as a mean over several raters.
    pairs : int
        All pairs.
    share : float or None
        Share of the votes that are for class 1, where it is known.
    allowed_low : float
        The least floor that this agreement allows with unlimited pairs.
    allowed_high : float
        The largest such floor.
    """

    agree: float
    pairs: int
    share: float | None
    allowed_low: float
    allowed_high: float
    in_dict = (*Estimate.in_dict, "agree", "pairs", "share", "allowed_low", "allowed_high")

    @property
    def claim(self) -> Claim:
        """Both sides, for people drawn like those who agree."""
        some = self.interval is not None
        scope = "for the answers of people drawn like these"
        return Claim(low=some, high=some, scope=scope, any_between=some)

    @property
    def agreement(self) -> float:
        """Share of the pairs that agree."""
        return self.agree / self.pairs


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
    in_dict = (
        *(*Estimate.in_dict, "dimensions", "errors", "leader", "lower_end", "upper_end"),
        *("lower_from", "models"),
    )

    @property
    def claim(self) -> Claim:
        """One-sided: what models reach; from both sides where votes say how low it can get."""
        beside = self.lower_claim
        if beside is not None:
            return Claim(low=True, high=True, condition=beside.condition, scope=beside.scope)
        high = self.is_limit and self.interval is not None
        tried = (
            "predicting each item with the model that was best on the items before it"
            if self.is_limit
            else f"the estimate {self.method}"
        )
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


SCOPE = "for ratings by people like these, not for a hidden truth"
_HIGH = 0.5  # a ceiling that is no small one
THESE = "for ratings by these raters"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RatingsEstimate(Estimate):
    """The best possible R2, correlation, QWK, MSE or MAE where people give numbers.

    Attributes
    ----------
    icc : float
        Share of signal in the variance of one rating: what two people reach with each other. It is
        no ceiling.
    signal : float
        Variance of the items' true scores.
    noise : float
        Variance of a rating about its item's true score.
    ratings : int
        Number of ratings; 0 where a published agreement was given.
    raters : int or None
        Number of raters, where they are known and shared by items.
    label : str or int
        Which label a model is compared with: "one" more rating, the "mean" of those at hand, the
        mean of so many, or "median-3".
    whole_grades : float or None
        About the best value of a model that may only give whole grades, where ratings are.
    """

    icc: float
    signal: float
    noise: float
    ratings: int
    raters: int | None = None
    label: str | int = "one"
    whole_grades: float | None = None
    in_dict = (
        *(name for name in Estimate.in_dict if name != "classes"),
        *("icc", "signal", "noise", "ratings", "raters", "label", "whole_grades"),
    )

    @property
    def measure(self) -> Metric:
        """The metric that the value is the best of."""
        return rating_metric(self.metric)

    @property
    def claim(self) -> Claim:
        """Both limits are limits of any model."""
        some = self.interval is not None
        few = self.raters is not None and self.raters < 3
        return Claim(low=some, high=some, scope=THESE if few else SCOPE)

    @property
    def classes(self) -> tuple[str, ...]:
        """Ratings have none."""
        return ()

    @property
    def guessing(self) -> float | None:
        """What a model gets that predicts the mean throughout; None for the absolute error."""
        if self.measure.how.of == NOISE:
            return self.signal + self.value
        return 0.0 if self.measure.how.of == RATIO else None

    @property
    def has_signal(self) -> bool:
        """Whether the ratings show that items differ: the ceiling is surely above 0."""
        return self.icc > 0 and (self.low is None or self.measure.less_is_better or self.low > 0)

    @property
    def may_have_signal(self) -> bool:
        """Whether the ceiling may be high, although the ratings do not show that it is above 0."""
        return self.value > 0 and (self.high or 0.0) > _HIGH

    @property
    def columns_differ(self) -> str | None:
        """By how much columns of ratings differ that may be one person each, if they do."""
        facts = {} if self.source is None or self.raters is not None else self.source.facts
        return facts.get("columns_differ")

    @property
    def raters_limit(self) -> bool:
        """Whether more raters would tell more than more items do."""
        spread = getattr(self.evidence, "spread", None)
        return spread is not None and spread.of_raters > 0.5

    @property
    def too_few(self) -> str:
        """What an answer is uncertain for, with its verb: "5 raters are", "1 item is"."""
        number, what = (self.raters or 0, "rater") if self.raters_limit else (self.n, "item")
        return f"{counted(number, what)} {'is' if number == 1 else 'are'}"
