"""Several models, or several methods, on the same items."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, singledispatch
from itertools import combinations
from typing import Any, Self, Unpack, overload

import numpy as np
from numpy.typing import NDArray

from errorfloor import checks
from errorfloor import methods as known
from errorfloor._checks import InputError, argument, check_level, shown
from errorfloor._keywords import record_of
from errorfloor._typing import Counts, Floats
from errorfloor.data.models import ModelRows
from errorfloor.data.naming import listed, positive_of, which_is_1
from errorfloor.data.options import Reading, ReadOptions
from errorfloor.data.read import is_data
from errorfloor.data.tables import ScoreTable, Table
from errorfloor.data.values import spelt, text_of
from errorfloor.intervals.models import ExactShare, PairedDifference, holm
from errorfloor.methods.record import Classes, Clip, Method, Options
from errorfloor.metrics import Metric
from errorfloor.metrics import record as kinds
from errorfloor.metrics.choice import MetricChoice
from errorfloor.metrics.record import ModelValue
from errorfloor.questions import models
from errorfloor.questions.question import (
    Ask,
    LimitOptions,
    Part,
    Request,
    ScoreColumns,
    answer_of_scores,
    estimates,
    first_of,
    floor_of,
    method_for,
    takes,
    where_in,
)
from errorfloor.questions.sampling import check_uses_weights
from errorfloor.results import Comparison, Groups
from errorfloor.results.models import ComparedModel, ModelComparison, ModelDifference

_CUT = 0.5  # of probabilities, for decisions
_STEP = 1e-6  # of all items, by which an item's part in a metric is found
_MOST_ITEMS = 10_000_000  # beyond which nobody collects them
_AUC = "auc"


# What each item adds to a model's value.


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """A model's value, and what items have to do with it.

    Attributes
    ----------
    value : float
        The mean of `each`.
    each : array of shape (n,)
        What each item adds: its loss, or what the value changes with it.
    reach : array of shape (n,)
        By how much another answer could change that.
    """

    value: float
    each: Floats
    reach: Floats


@dataclass(frozen=True, slots=True, eq=False)
class _Items:
    """Labels as places of classes, what items weigh, and the names of the classes."""

    label: Counts
    mass: Floats
    names: tuple[str, ...]

    @classmethod
    def of(cls, rows: ModelRows) -> _Items:
        """Take labels, of which the second of two classes, or that which was named, is class 1."""
        options, classes, texts = rows.source.options, rows.classes, rows.texts
        if options.positive_from is not None:
            raise InputError(
                "`positive_from` does not go with models, whose answers it would change as well. "
                "Make classes of both first, or name one with `positive`."
            )
        if options.positive is not None:
            classes = _sides(rows, text_of(options.positive))
            texts = np.where(texts == classes[1], *classes[::-1])
        elif options.classes is not None:
            strange = sorted({*classes} - {*options.classes})
            if strange:
                raise InputError(f"`classes` lacks {strange[0]!r}, which occurs. List all classes.")
            classes = options.classes
        elif len(classes) == 2 and positive_of(classes) == classes[0]:
            classes = classes[::-1]
        wide = {one.shape[1] for one in rows.answers.values() if one.ndim == 2}
        if wide and wide != {len(classes)}:
            raise InputError(
                f"`predictions` has {max(wide)} columns, and the labels are of {len(classes)} "
                "classes."
            )
        if len(classes) < 2:
            raise InputError(
                f"All labels are {classes[0]}, and no model answers with another class. Compare "
                "models on items of all classes."
            )
        place = {name: i for i, name in enumerate(classes)}
        label = np.array([place[one] for one in texts.tolist()], dtype=np.int64)
        return cls(label, np.ones(len(label)) if rows.weight is None else rows.weight, classes)

    @property
    def classes(self) -> int:
        return len(self.names)

    @property
    def swapped(self) -> _Items:
        """The same with the other of two classes as class 1."""
        return _Items(1 - self.label, self.mass, self.names[::-1])

    @property
    def total(self) -> float:
        return float(self.mass.sum())


def _sides(rows: ModelRows, meant: str) -> tuple[str, str]:
    """Return the other class, or the name of all others, and the class that is 1."""
    if meant not in rows.known:
        raise InputError(
            f"`positive` is {meant!r}, and no label is. The labels are {listed(rows.classes)}."
        )
    rest = [one for one in rows.classes if one != meant]
    return rest[0] if len(rest) == 1 else f"not {meant}", meant


@singledispatch
def _by_decisions(kind: ModelValue, metric: Metric, items: _Items, chosen: Counts) -> Parts:
    raise InputError(
        f"The {metric.words} of a model goes by its scores, and these are classes. Give columns of "
        "scores with `prediction`, or ask for error."
    )


@_by_decisions.register
def _(_: kinds.WrongItems, metric: Metric, items: _Items, chosen: Counts) -> Parts:
    wrong = (chosen != items.label).astype(np.float64)
    return Parts(float(items.mass @ wrong) / items.total, wrong, np.ones(wrong.size))


@_by_decisions.register
def _(_: kinds.CostOfDecisions, metric: Metric, items: _Items, chosen: Counts) -> Parts:
    costs = np.asarray(metric.given["costs"], dtype=np.float64)
    each = costs[items.label, chosen]
    return Parts(float(items.mass @ each) / items.total, each, costs.max(axis=1)[items.label])


@_by_decisions.register
def _(_: kinds.WrongInClasses, metric: Metric, items: _Items, chosen: Counts) -> Parts:
    wrong = (chosen != items.label).astype(np.float64)
    mass = np.bincount(items.label, items.mass, minlength=items.classes)
    there = np.count_nonzero(mass)
    with np.errstate(invalid="ignore"):
        rate = np.bincount(items.label, items.mass * wrong, minlength=items.classes) / mass
    value, scale = float(np.nansum(rate) / there), items.total / there / mass[items.label]
    return Parts(value, value + scale * (wrong - rate[items.label]), scale)


@_by_decisions.register(kinds.PositivesFound)
@_by_decisions.register(kinds.Correlation)
@_by_decisions.register(kinds.TableValue)
def _(kind: ModelValue, metric: Metric, items: _Items, chosen: Counts) -> Parts:
    """Return how a function of the two-by-two table changes with items of each of its cells."""
    models.refuse_many(metric, items.classes)
    cell = 2 * items.label + chosen
    table = np.bincount(cell, items.mass, minlength=4) / items.total
    value = models.decided(kind, metric, table.reshape(2, 2))
    moved = table + _STEP * np.eye(4)
    change = np.array([models.decided(kind, metric, one.reshape(2, 2)) for one in moved])
    change = (change - value) / _STEP
    change -= table @ change  # which is 0 but for the length of the step
    reach = np.abs(change[[0, 2]] - change[[1, 3]])
    return Parts(value, value + change[cell], reach[items.label])


@singledispatch
def _by_scores(kind: ModelValue, metric: Metric, items: _Items, scores: Floats) -> Parts:
    raise InputError(
        f"`metric={metric.name!r}` does not tell how sure a difference of models is. Compare them "
        "by auc, brier, log-loss or error."
    )


@_by_scores.register
def _(_: kinds.PairsInOrder, metric: Metric, items: _Items, scores: Floats) -> Parts:
    """Return which share of the other class each item is on the right side of."""
    if scores.ndim == 2:
        raise InputError(f"`metric={metric.name!r}` goes with one score per item.")
    ones = items.label == 1
    each, reach = np.empty(scores.size), np.empty(scores.size)
    value = 0.0
    for own, sign in ((ones, 1.0), (~ones, -1.0)):
        other = ~own
        order = np.argsort(sign * scores[other], kind="stable")
        sorted_scores = (sign * scores[other])[order]
        below = np.concatenate(([0.0], np.cumsum(items.mass[other][order])))
        first, last = (
            np.searchsorted(sorted_scores, sign * scores[own], side=side)
            for side in ("left", "right")
        )
        placed = (below[first] + below[last]) / 2 / below[-1]
        value = float(items.mass[own] @ placed / items.mass[own].sum())
        scale = items.total / float(items.mass[own].sum())
        each[own], reach[own] = value + scale * (placed - value), scale
    return Parts(value, each, reach)


@_by_scores.register(kinds.BoundedLoss)
@_by_scores.register(kinds.UnboundedLoss)
def _(
    kind: kinds.BoundedLoss | kinds.UnboundedLoss, metric: Metric, items: _Items, scores: Floats
) -> Parts:
    p = models.class_probabilities(scores, "prediction")
    each = kind.losses(p)[np.arange(len(p)), items.label]
    if not np.isfinite(each).all():
        raise InputError(
            f"`prediction` gives a probability of 0 to a label that occurs: the {metric.words} is "
            "infinite. Keep probabilities away from 0 and 1."
        )
    most = kind.largest(p.shape[1]) if isinstance(kind, kinds.BoundedLoss) else 1.0
    return Parts(float(items.mass @ each) / items.total, each, np.full(len(p), most))


# The answer.


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelsAsk(Ask):
    """What is asked of models: the metric, and with which limits."""

    is_named: bool = True  # whether the metric is: else it is AUC, where all models give scores

    @classmethod
    def of(cls, ask: Ask, *, is_named: bool) -> ModelsAsk:
        """Ask about models what is asked about floors, by the usual metric unless it was named."""
        choice = ask.choice if is_named else MetricChoice()
        return cls.about(choice, level=ask.level, rng=ask.rng, is_named=is_named)


def models_in(
    data: Any,
    labels: object,
    predictions: Mapping[str, object] | None,
    prediction: str | Sequence[str] | None,
    where: ReadOptions,
    ask: ModelsAsk,
) -> ModelComparison | Groups[ModelComparison]:
    """Read arrays, or columns of a dataframe or files, and return which model is better."""
    if predictions is not None:
        if where.group is not None:
            raise InputError("`group` is a column of a dataframe or file. Pass one.")
        if prediction is not None or not isinstance(predictions, Mapping):
            raise InputError(
                '`predictions` is a dict of arrays, such as {"old": ..., "new": ...}. Columns of a '
                "dataframe or file are named with `prediction`."
            )
        return compared(ModelRows.of_arrays(labels, predictions, where), ask)
    if not is_data(data):
        raise InputError(
            "`prediction` names columns of a dataframe or file. Pass one, or give `predictions`, a "
            "dict of arrays, with `labels`."
        )
    found = compared(ModelRows.read(data, where, columns_of(prediction)), ask)
    if isinstance(found, Groups) or where.columns.get("score") is None:
        return found
    return replace(found, floor=floor_of(data, where, ask))


def columns_of(prediction: object) -> tuple[str, ...]:
    """Return the columns of models' answers; a text with commas is several."""
    given = prediction.split(",") if isinstance(prediction, str) else prediction
    names = [*given] if isinstance(given, Sequence) else []
    if not names or not all(isinstance(one, str) for one in names):
        raise InputError(f"`prediction` must be names of columns, got {shown(prediction)}.")
    return tuple(one.strip() for one in names)


def compared(rows: ModelRows, ask: ModelsAsk) -> ModelComparison | Groups[ModelComparison]:
    """Return which model is better, of all items or for each group."""
    ask = replace(ask, level=check_level(ask.level))
    rows.check()
    if len(rows.answers) < 2:
        raise InputError(
            "`prediction` must name two models or more, such as model_a,model_b; one model is "
            "compared with the floor by `headroom()`."
        )
    if rows.group is None:
        return _compared(rows, ask)
    each = {}
    for name, one in rows.by_group.items():
        try:
            each[name] = replace(_compared(one, ask), group=name)
        except InputError as error:
            raise error.behind(f"`group` {name!r}: ") from error
    column = rows.source.options.group
    assert column is not None
    return Groups(column, each, ask.level, dropped=rows.dropped)


def _compared(rows: ModelRows, ask: ModelsAsk) -> ModelComparison:
    items, level, facts = _Items.of(rows), ask.level, rows.facts
    scored = [name for name in rows.answers if rows.gives_scores(name)]
    by_auc = len(scored) == len(rows.answers) and items.classes == 2
    chosen = MetricChoice(_AUC) if by_auc and not ask.is_named else ask.choice
    metric = chosen.of(items.classes)
    if rows.source.options.positive is not None:
        rest = [one for one in rows.classes if one != items.names[1]]
        facts["classes"] = {"0": rest, "1": items.names[1:]}
    parts, values = _each_model(rows, metric, items, level)
    _check_which_is_1(rows, metric, items, values)
    notes: tuple[str, ...] = ()
    if scored and not models.kind_of(metric).by_scores and items.classes == 2:
        notes = (f"Scores of {_CUT} and more count as class {items.names[1]!r}.",)
    found = {
        (one, other): _difference(rows, metric, parts[one], parts[other])
        for one, other in combinations(parts, 2)
    }
    shown_by_these = max(one.shown(level) for one in found.values())
    comparison = ModelComparison(
        metric=metric.name,
        models=values,
        differences=_differences(found, level),
        resolvable=shown_by_these if shown_by_these <= _farthest(metric) else None,
        items_needed=None,
        n=len(items.label),
        level=level,
        classes=items.names,
        n_effective=_effective(rows, next(iter(found.values()))),
        clusters=rows.sample.clusters or None,
        notes=notes,
        dropped=rows.dropped,
        options=chosen.kept(),
        source=replace(rows.source, rows=len(items.label) + rows.dropped, facts=facts),
    )
    needed = _needed(comparison, [*found.values()])
    checked = checks.checked(replace(comparison, items_needed=needed))
    checks.issue(checked)
    return checked


def _check_which_is_1(
    rows: ModelRows, metric: Metric, items: _Items, values: tuple[ComparedModel, ...]
) -> None:
    """Ask which of two classes is 1 where values depend on it, and neither names nor they tell."""
    options, numbers = rows.source.options, [spelt(one) for one in rows.classes]
    named = options.positive is not None or options.classes is not None
    signs = [one is not None and one > 0 for one in numbers]  # yes, spam, 1 next to 0 or -1
    is_clear = positive_of(rows.classes) is not None or (None not in numbers and sum(signs) == 1)
    if named or is_clear or len(numbers) != 2:
        return
    _, other_way = _each_model(rows, metric, items.swapped, 0.95)
    pairs = zip(values, other_way, strict=True)
    if any(abs(one.value - other.value) > _STEP for one, other in pairs):
        raise which_is_1(rows.classes, (argument("label"), f" ({rows.name})"), {})


def _each_model(
    rows: ModelRows, metric: Metric, items: _Items, level: float
) -> tuple[dict[str, Parts], tuple[ComparedModel, ...]]:
    """Return what items have to do with each model's value, and the values with limits."""
    if metric.needs_classes and np.unique(items.label).size < 2:
        raise InputError(
            f"The {metric.words} needs items of both classes, and the {rows.name} has only "
            f"{items.names[int(items.label[0])]!r}."
        )
    kind = models.kind_of(metric)
    as_given: Callable[..., Any] = _as_scores if kind.by_scores else _decided
    given = {name: as_given(rows, items, name) for name in rows.answers}
    find = partial(_by_scores if kind.by_scores else _by_decisions, kind, metric, items)
    parts = {name: find(one) for name, one in given.items()}
    values = tuple(
        ComparedModel(name, one.value, *_limits(rows, items, metric, given[name], level))
        for name, one in parts.items()
    )
    return parts, values


def _differences(
    found: Mapping[tuple[str, str], PairedDifference], level: float
) -> tuple[ModelDifference, ...]:
    """Return the differences with their limits, and p-values of all pairs together."""
    p_values = np.array([one.p_value() for one in found.values()])
    both = zip(p_values.tolist(), holm(p_values).tolist(), strict=True)
    return tuple(
        ModelDifference(one.value, *one.limits(level), *names, p=p, adjusted_p=adjusted)
        for (names, one), (p, adjusted) in zip(found.items(), both, strict=True)
    )


def _decided(rows: ModelRows, items: _Items, name: str) -> Counts:
    """Return the place of the class that each answer is, or that is likeliest by the scores."""
    answers = rows.answers[name]
    if answers.ndim == 2:
        return np.asarray(answers.argmax(axis=1))
    if rows.gives_scores(name):
        models.class_probabilities(answers.astype(np.float64), "prediction")
        return (answers >= _CUT).astype(np.int64)
    place = {one: i for i, one in enumerate(items.names)}
    found = [place.get(one, 0) for one in rows.texts_by(name).tolist()]  # else it is the rest
    return np.array(found, dtype=np.int64)


def _as_scores(rows: ModelRows, items: _Items, name: str) -> Floats:
    answers = rows.answers[name]
    if answers.ndim == 1 and (items.classes > 2 or answers.dtype.kind not in "iufb"):
        what = "a score for each class" if items.classes > 2 else "scores"
        raise InputError(
            f"`prediction` (column {name!r}) must hold {what} for this metric, and holds "
            f"{shown(answers[0])}. Ask for error, or another metric of classes."
        )
    return answers.astype(np.float64)


def _limits(
    rows: ModelRows, items: _Items, metric: Metric, given: NDArray[Any], level: float
) -> tuple[float | None, float | None]:
    """Return the limits of one model's value."""
    kind = models.kind_of(metric)
    plain = rows.weight is None and rows.cluster is None
    if not plain and metric.is_error:
        wrong = (given != items.label).astype(np.int64)
        share, size = rows.sample.share_and_size(wrong)
        return ExactShare(share * size, size).limits(level)
    if not plain:
        return None, None
    if not kind.by_scores:
        matrix = models.confusion_of(items.label, given, items.classes)
        there = matrix.sum(axis=1) > 0
        if isinstance(kind, kinds.WrongInClasses) and not there.all():
            return None, None
        return models.from_confusion(metric, matrix, {}).evidence.limits(level)
    table = ScoreTable.from_arrays(given, items.label)
    return models.from_table(metric, table, {}).evidence.limits(level)


def _difference(rows: ModelRows, metric: Metric, first: Parts, second: Parts) -> PairedDifference:
    """Return by how much the first model is better."""
    kind = models.kind_of(metric)
    each = second.each - first.each if metric.less_is_better else first.each - second.each
    reach = np.maximum(first.reach, second.reach)
    if kind.by_scores:  # answers are near each other: as far apart as the farthest that were seen
        apart = np.abs(each - np.average(each, weights=rows.weight)) / reach
        reach = reach * (float(apart.max()) or 1.0)
    return PairedDifference.of(each, reach, rows.sample, _farthest(metric))


def _farthest(metric: Metric) -> float:
    """Return the largest difference that there can be."""
    return _FARTHEST.get(type(models.kind_of(metric)), math.inf)


_FARTHEST = {
    kinds.WrongItems: 1.0,
    kinds.WrongInClasses: 1.0,
    kinds.PairsInOrder: 1.0,
    kinds.PositivesFound: 1.0,
    kinds.Correlation: 2.0,
}


def _effective(rows: ModelRows, found: PairedDifference) -> float | None:
    """Return how many equal items tell as much, where items weigh differently or are clustered."""
    if rows.sample.is_counted:
        return None
    return found.number if rows.sample.clusters else rows.sample.units


def _needed(comparison: ModelComparison, found: Sequence[PairedDifference]) -> int | None:
    """Return how many items would show the largest difference that is not certain."""
    sure = {frozenset((one.first, one.second)) for one in comparison.certain_order}
    unsure = [
        each
        for one, each in zip(comparison.differences, found, strict=True)
        if frozenset((one.first, one.second)) not in sure and one.value
    ]
    if not unsure:
        return None
    largest = max(unsure, key=lambda one: abs(one.value))
    number = comparison.n * largest.times_needed(comparison.level, _MOST_ITEMS / comparison.n)
    if number > _MOST_ITEMS:
        return None
    digits = 10 ** max(math.floor(math.log10(number)) - 1, 0)
    return int(math.ceil(number / digits) * digits)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareAsk(Ask):
    """What is asked of several methods at once."""

    methods: Sequence[str] | None = None  # all that fit where none is named

    def checked(self, kind: str) -> Self:
        """Return the same, or refuse what is wrong before labels are read."""
        if self.methods is not None and (not _is_list(self.methods) or not len(self.methods)):
            raise InputError(
                '`methods` must be a list of method names, such as ["isotonic", "beta"].'
            )
        names, metric = () if self.methods is None else tuple(self.methods), self.choice.metric
        for name in names:
            known.check_name(name, kind, metric)
        return replace(Ask.checked(self, kind), methods=names or None)

    def methods_for(self, reading: Reading) -> tuple[Method, ...]:
        """Return the methods that were named."""
        metric = self.choice.metric
        return tuple(method_for(name, reading, metric) for name in self.methods or ())

    def ready(self, reading: Reading) -> Callable[[Table, Part], Comparison]:
        """Return what compares methods on one table."""
        chosen, source = self.methods_for(reading), reading.source
        options = Options(self.clip, metric=self.choice.of(len(first_of(reading).classes)))
        kept = {"clip": self.clip, **options.metric.given}
        if source.options.group is not None:
            kept["simultaneous"] = False

        def one(table: Table, part: Part) -> Comparison:
            able, notes = _usable(table, chosen, options)
            found = estimates(table, able, Request.of(self, part, options, source, kept))
            compared = Comparison(tuple(checks.checked(row) for row, _ in found), notes)
            checks.issue(compared.main)
            return compared

        return one


class _Options(ScoreColumns, LimitOptions, total=False):
    unlabelled: bool
    complete: bool
    weight: object
    cluster: object
    methods: Sequence[str] | None
    clip: Clip


@overload
def compare(
    scores: object = None,
    labels: object = None,
    *,
    prediction: str | Sequence[str],
    **options: Unpack[_Options],
) -> ModelComparison: ...
@overload
def compare(
    scores: object = None,
    labels: object = None,
    *,
    predictions: Mapping[str, object],
    **options: Unpack[_Options],
) -> ModelComparison: ...
@overload
def compare(
    scores: object, labels: object = None, *, group: None = None, **options: Unpack[_Options]
) -> Comparison: ...
@overload
def compare(
    scores: object, labels: object = None, *, group: str, **options: Unpack[_Options]
) -> Groups[Comparison]: ...
@takes(_Options, CompareAsk)
def compare(
    scores: object = None,
    labels: object = None,
    *,
    predictions: Mapping[str, object] | None = None,
    prediction: str | Sequence[str] | None = None,
    group: str | None = None,
    **options: Unpack[_Options],
) -> Any:
    """Say which of several models is better, or estimate the floor by several methods.

    With `prediction` or `predictions`, models are compared on the same labelled items. Without
    them, methods are: each row equals what `from_scores` gives for that method and the same `rng`.

    Parameters
    ----------
    scores : array-like, ScoreTable, dataframe or path
        Scores of the items, as in `from_scores`.
    labels : array-like of shape (n,), optional
        The label of each item, as in `from_scores`; left out when `scores` has them.
    predictions : dict of array-like, optional
        What each model says about each item, by the model's name: classes, or scores. Then `labels`
        are the true classes, and `scores` may be left out.
    prediction : sequence of str, or str, optional
        Columns of what the models say, in a dataframe or file; a text with commas is several.
    score : str or sequence of str, optional
        Column of the scores, or one for each class; guessed where the names leave no doubt.
    label : str, optional
        Column of the labels; guessed likewise.
    positive : optional
        The label that means class 1; all others then mean class 0.
    positive_from : float, optional
        For ratings: numbers from here on mean class 1, in place of `positive`.
    classes : sequence of str, optional
        Names of all classes, in order, as in `from_scores`.
    group : str, optional
        Column of a dataframe or file: one answer for each of its values.
    drop_missing : bool
        Whether to leave out rows where something is missing, which are an error otherwise.
    unlabelled : bool
        Whether to keep items without a label, as in `from_scores`.
    complete : bool
        Declare that nothing else that a model could see matters, as in `from_scores`.
    weight : str or array-like of shape (n,), optional
        What each item weighs; methods that do not use weights are left out.
    cluster : str or array-like of shape (n,), optional
        Which items depend on each other; methods that do not use it are left out.
    metric : str, optional
        What "good" means, "error" by default; the others are listed in `from_scores`. Models that
        give scores of two classes are compared by "auc" by default.
    costs : (float, float) or array-like of shape (classes, classes), optional
        What each kind of error costs, with ``metric="cost"``.
    at : float, optional
        The share of items to answer, or the error to allow, of metrics that abstain.
    prior : float or sequence of float, optional
        The share of class 1, or of each class, where it is known; for balanced error and AUC.
    interval : str or None
        As in `from_scores`; None skips the intervals.
    level : float
        Confidence level.
    n_resamples : int
        Bootstrap resamples, for the intervals that use them.
    clip : float or "auto"
        How far the beta family and platt-logit keep scores from 0 and 1; see `calibrate`.
    rng : None, int or numpy.random.Generator
        Seed of random parts and resamples, 0 by default; None draws a new one.
    methods : sequence of str, optional
        All that fit the scores by default, with hist-10, -25, -50 and -100.

    Returns
    -------
    Comparison
        With `group`, one for each of its values; of models a ModelComparison.

    Notes
    -----
    The interval of two models' difference is paired: items that both get right, or both wrong, say
    nothing. For error it is that of Bonett and Price with one more item and Student's t, which
    covers at least 94 % of the time at 95 % for 3 to 300 items, whatever the models are
    (enumerated); of other metrics each item counts with what the difference changes by it. Orders
    of more than two models are certain for all pairs together (Holm's).

    References
    ----------
    .. [1] D. Bonett and R. Price, "Adjusted Wald confidence interval for a difference of binomial
       proportions based on paired data", Journal of Educational and Behavioral Statistics 37, 2012.

    Examples
    --------
    >>> labels, model = [0, 1] * 50, [0, 1, 1, 1] * 25
    >>> found = compare(labels=labels, predictions={"old": model, "new": labels})
    >>> found.better
    'new'
    >>> low, high = found.between("new", "old").low, found.between("new", "old").high
    >>> round(low, 2), round(high, 2)
    (0.15, 0.33)

    >>> rows = compare([0.1, 0.2, 0.6, 0.7], [0, 1, 0, 1], methods=["isotonic", "hist-2"])
    >>> rows["hist-2"].value
    0.5
    """
    is_named = options.get("metric") is not None
    if not is_named:
        options.pop("metric", None)
    ask = record_of(CompareAsk, options)
    if prediction is not None or predictions is not None:
        asked = ModelsAsk.of(ask, is_named=is_named)
        return models_in(scores, labels, predictions, prediction, where_in(options, group), asked)
    if scores is None:
        raise InputError(
            "`scores` is missing: scores of the items, with `labels`. To compare models give "
            "`predictions`."
        )
    ask = ask.checked(ScoreTable.kind)
    return answer_of_scores(scores, labels, where_in(options, group), ask)


def _usable(
    table: Table, chosen: tuple[Method, ...], options: Options
) -> tuple[tuple[Method, ...], tuple[str, ...]]:
    """Return the methods that were chosen, or all that fit, and notes on those that do not."""
    if chosen:
        return chosen, ()
    chosen, notes = known.that_fit(table, options.metric.name)
    kind, classes, metric = table.kind, Classes.of(table), options.metric.name
    if not chosen and table.plain.entries is not None:
        check_uses_weights(table, tuple(known.reading(kind, classes, metric)), options)
    if not chosen:
        raise known.no_method(kind, classes, metric)
    return chosen, notes


def _is_list(methods: object) -> bool:
    if isinstance(methods, str | bytes) or getattr(methods, "ndim", 1) != 1:
        return False
    return isinstance(methods, Collection)
