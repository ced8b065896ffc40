"""Which of several models is better, from what they say about the same labelled items."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial, singledispatch
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorfloor._checks import InputError, argument, check_level, function, shown, unmasked
from errorfloor._numbers import counted
from errorfloor._typing import Bools, Counts, Floats, RandomLike
from errorfloor.data.columns import by_role, fitting
from errorfloor.data.columns import likely_readings as by_names
from errorfloor.data.engines import kinds_of, select
from errorfloor.data.layouts import ITEM_OF_ROW, LABEL, SCORES
from errorfloor.data.likely import first_values, likely_readings, prediction_and_label
from errorfloor.data.naming import listed, positive_of
from errorfloor.data.options import ReadOptions
from errorfloor.data.read import is_data
from errorfloor.data.read_rows import rows_of
from errorfloor.data.sample import Sample
from errorfloor.data.tables import ScoreTable
from errorfloor.data.values import as_entries, missing_in, spelt, text_of
from errorfloor.intervals.models import ExactShare, PairedDifference
from errorfloor.metrics import ERROR, Metric
from errorfloor.metrics import record as kinds
from errorfloor.metrics.choice import MetricChoice
from errorfloor.metrics.record import ModelValue as Kind
from errorfloor.questions import models
from errorfloor.questions.compared import holm
from errorfloor.questions.question import Ask, floor_of
from errorfloor.results import Estimate, Groups
from errorfloor.results.models import ModelComparison, ModelValue
from errorfloor.results.people import ModelDifference

_CUT = 0.5  # of probabilities, for decisions
_STEP = 1e-6  # of all items, by which an item's part in a metric is found
_MOST_CLASSES = 1000
_MOST_ITEMS = 10_000_000  # beyond which nobody collects them
_FEWEST_SHARED = 20  # labels from which on two files with equal ones are of the same items
_AUC = "auc"


@dataclass(frozen=True, eq=False)
class ModelRows:
    """Labelled items and what models say about each: a class, or the score of class 1.

    Attributes
    ----------
    labels : array of shape (n,)
    answers : dict of array of shape (n,) or (n, classes)
        By the name of the model.
    weight, cluster : array of shape (n,), optional
    dropped : int
        Items that were left out.
    """

    labels: NDArray[Any]
    answers: Mapping[str, NDArray[Any]]
    weight: Floats | None = None
    cluster: Counts | None = None
    group: NDArray[Any] | None = None  # of one answer each
    dropped: int = 0
    name: str = "labels"  # what errors call the labels

    @classmethod
    def of_arrays(
        cls, labels: object, predictions: Mapping[str, object], where: ReadOptions
    ) -> ModelRows:
        """Take arrays, or refuse what is missing or of another length."""
        if labels is None:
            raise InputError(
                argument("predictions"),
                " are judged by true labels. Give ",
                argument("labels"),
                ".",
            )
        own = as_entries(labels)
        answers = {
            str(name): as_entries(unmasked(one, "predictions")) for name, one in predictions.items()
        }
        for name, one in answers.items():
            if one.ndim not in (1, 2) or len(one) != len(own):
                raise InputError(
                    argument("predictions"),
                    f" of {name!r} must be one answer for each of the {len(own):,} labels, got "
                    f"shape {one.shape}.",
                )
        beside: dict[str, Any] = {
            name: None if value is None else np.asarray(value)
            for name, value in (("weight", where.weight), ("cluster", where.cluster))
        }
        for name, value in beside.items():
            if value is not None and value.shape != own.shape:
                raise InputError(
                    argument(name), f" must be one number for each of the {len(own):,} labels."
                )
        return cls(own, answers, **beside)._without_missing(where.drop_missing)

    @classmethod
    def read(cls, data: Any, where: ReadOptions, columns: Sequence[str]) -> ModelRows:
        """Take columns of a dataframe or files, or refuse what is not there."""
        with rows_of(data, replace(where, duplicates="first")) as (frame, run):
            there = [str(one) for one in frame.collect_schema()]
            label = where.columns.get("label") or _label_in(there, columns)
            beside = {"weight": where.weight, "cluster": where.cluster, "group": where.group}
            wanted = {"label": label, **beside}
            wanted |= {f"prediction{i}": one for i, one in enumerate(columns)}
            used = {key: str(one) for key, one in wanted.items() if one is not None}
            for key, one in used.items():
                _check_there(key.rstrip("0123456789"), one, there)
            found = run(select(frame, used))
        answers = {name: found[f"prediction{i}"] for i, name in enumerate(columns)}
        more: dict[str, Any] = {name: found.get(name) for name in beside}
        rows = cls(as_entries(found["label"]), answers, **more, name=f"column {label!r}")
        return rows._without_missing(where.drop_missing)

    def _without_missing(self, drop: bool) -> ModelRows:
        """Leave out rows where something is missing, or refuse them."""
        parts = [self.labels, *self.answers.values(), self.weight, self.cluster, self.group]
        gone = np.zeros(len(self.labels), dtype=np.bool_)
        for one in parts:
            if one is not None:
                gone |= (
                    missing_in(one) if one.ndim == 1 else np.isnan(one.astype(float)).any(axis=1)
                )
        number = int(np.count_nonzero(gone))
        if number and not drop:
            raise InputError(
                f"{counted(number, 'row')} of {len(gone):,} {'lacks' if number == 1 else 'lack'} a "
                "label or an answer of some model, so that the models cannot be compared on "
                f"{'it' if number == 1 else 'them'}. Leave such rows out with ",
                *(argument("drop_missing", True), "."),
            )
        kept = ~gone
        if not kept.any():
            raise InputError("No row has a label and an answer of every model.")
        weight = None if self.weight is None else _as_weights(self.weight[kept])
        cluster = self.cluster
        if cluster is not None:
            texts = [text_of(one) for one in cluster[kept].tolist()]
            cluster = np.unique(texts, return_inverse=True)[1].astype(np.int64)
        answers = {name: _as_numbers(one[kept]) for name, one in self.answers.items()}
        labels = _as_numbers(self.labels[kept])
        group = None if self.group is None else self.group[kept]
        return ModelRows(labels, answers, weight, cluster, group, number, self.name)

    def error_of(self, name: str, given: Mapping[str, Any]) -> models.Model:
        """Return one model with its error, and limits that allow for weights and clusters."""
        _refuse_strangers(self)
        wrong = (_texts(self.answers[name]) != self.texts).astype(np.int64)
        share, size = self.sample.share_and_size(wrong)
        return models.Model(share, len(wrong), ExactShare(share * size, size), given)

    @property
    def by_group(self) -> dict[str, ModelRows]:
        """The rows of each group, by its name."""
        assert self.group is not None
        groups = _texts(self.group)
        return {name: self.where(groups == name) for name in np.unique(groups).tolist()}

    def where(self, kept: Bools) -> ModelRows:
        """Return some of the rows."""
        weight = None if self.weight is None else self.weight[kept]
        cluster = None if self.cluster is None else self.cluster[kept]
        if cluster is not None:
            cluster = np.unique(cluster, return_inverse=True)[1].astype(np.int64)
        answers = {name: one[kept] for name, one in self.answers.items()}
        return ModelRows(self.labels[kept], answers, weight, cluster, name=self.name)

    @cached_property
    def sample(self) -> Sample:
        """The items, what they weigh and which depend on each other."""
        every = np.ones(len(self.labels), dtype=np.int64)
        weight = self.weight
        if weight is None and self.cluster is not None:
            weight = np.ones(len(self.labels))
        weight = None if weight is None else weight / weight.mean()
        return Sample.of_rows(every, every, weight, self.cluster)

    @cached_property
    def texts(self) -> NDArray[Any]:
        """The labels as text, each number written in one way."""
        return _texts(self.labels)

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """The classes of the labels, in order."""
        values = {*np.unique(self.texts).tolist()}
        for one in self.answers.values():
            if one.ndim == 1 and not _are_scores(one, values):
                values |= {*np.unique(_texts(one)).tolist()}
        numbers = {one: spelt(one) for one in values}
        if all(number is not None for number in numbers.values()):
            return tuple(sorted(values, key=lambda one: numbers[one] or 0.0))
        return tuple(sorted(values))

    @property
    def are_scores(self) -> bool:
        """Whether models give scores, in place of classes."""
        values = {*np.unique(self.texts).tolist()}
        return all(one.ndim == 2 or _are_scores(one, values) for one in self.answers.values())


def _as_numbers(values: NDArray[Any]) -> NDArray[Any]:
    """Return numbers, and yes and no, that text spells as numbers; words stay as they are."""
    if values.dtype.kind not in "OUTb":
        return values
    if values.dtype.kind == "b":
        return values.astype(np.int64)
    numbers = [spelt(str(one)) for one in values.ravel().tolist()]
    known = [one for one in numbers if one is not None]
    return np.array(known).reshape(values.shape) if len(known) == len(numbers) else values


def _texts(values: NDArray[Any]) -> NDArray[Any]:
    if values.dtype.kind in "iu":
        return np.asarray(values.astype(str))
    return np.array([text_of(one) for one in values.tolist()])


def _are_scores(values: NDArray[Any], classes: set[str]) -> bool:
    """Tell whether numbers are scores of class 1: not all are labels, and labels are of two."""
    if len(classes) > 2 or values.dtype.kind not in "iuf":
        return False
    found = {*np.unique(_texts(values)).tolist()}
    return not found <= classes and not found <= {"0", "1"}


def _as_weights(values: NDArray[Any]) -> Floats:
    try:
        weight = values.astype(np.float64)
    except (TypeError, ValueError):
        weight = np.array([-1.0])
    if not (np.isfinite(weight).all() and (weight > 0).all()):
        raise InputError(argument("weight"), " must be finite numbers above 0.")
    return np.asarray(weight)


def _label_in(there: Sequence[str], predictions: Sequence[str]) -> str:
    found = fitting(LABEL, [one for one in there if one not in predictions])
    if len(found) == 1:
        return found[0]
    raise InputError(
        "Models are compared by true labels. Name their column with ",
        *(
            argument("label"),
            f". The columns are {', '.join(there[:20])}. Next to votes of several ",
        ),
        *("people, ", function("people"), " compares models."),
    )


def _check_there(name: str, column: str, there: Sequence[str]) -> None:
    if column not in there:
        near = difflib.get_close_matches(column, there, n=1)
        meant = f" Did you mean {near[0]}?" if near else ""
        raise InputError(
            argument(name),
            f" must be one of {', '.join(there[:20])}; got {column!r}.{meant}",
        )


# Models in files of their own.


@dataclass(frozen=True, slots=True, eq=False)
class ModelFiles:
    """Models whose answers are in files of their own, and the columns that were read."""

    rows: ModelRows
    columns: dict[str, Any]


def models_in_files(files: Sequence[str], where: ReadOptions) -> ModelFiles | None:
    """Return what models say about the same items, a file each; None where labels differ.

    Rows are matched by ids, where all files have some, and else by their order.
    """
    found = [_file(file, where) for file in files]
    known = [one for one in found if one is not None]
    if len(known) < len(found):
        return None
    ordered = [_by_id(one, known) for one in known]
    labels = [_texts(_as_numbers(as_entries(one["label"]))) for one in ordered]
    same = all(one.size == labels[0].size and (one == labels[0]).all() for one in labels)
    if not same or labels[0].size < _FEWEST_SHARED or np.unique(labels[0]).size < 2:
        return None
    names = [Path(file).stem for file in files]
    if len({*names}) < len(names):
        names = [*files]
    answers = {name: as_entries(one["answer"]) for name, one in zip(names, ordered, strict=True)}
    rows = ModelRows(
        as_entries(ordered[0]["label"]), answers, name=f"column {known[0]['named'][0]!r}"
    )
    label, answer = known[0]["named"]
    columns = {"label": label, "prediction": answer}
    return ModelFiles(rows._without_missing(where.drop_missing), columns)


def _file(file: str, where: ReadOptions) -> dict[str, Any] | None:
    """Return the labels, the answers and the ids of one file; None where columns are unclear."""
    with rows_of(file, replace(where, duplicates="first")) as (frame, run):
        kinds_there = kinds_of(frame, run)
        given = by_role(where.columns)
        label, answer = given.get("label"), given.get("score")
        if label is None or answer is None:
            pair = _columns_in(frame, run, kinds_there)
            if pair is None:
                return None
            label, answer = label or pair[0], answer or pair[1]
        ids = [one for one in fitting(ITEM_OF_ROW, kinds_there) if one not in (label, answer)]
        wanted = {"label": label, "answer": answer, **({"id": ids[0]} if ids else {})}
        if not all(isinstance(one, str) and one in kinds_there for one in wanted.values()):
            return None
        return {**run(select(frame, wanted)), "named": (label, answer)}


def _columns_in(frame: Any, run: Any, kinds_there: Mapping[str, str]) -> tuple[str, str] | None:
    """Return the columns of the labels and of a model's scores, or of its classes."""
    named = by_names(kinds_there, (SCORES,))
    if len(named) == 1:
        columns = named[0].columns
        return columns["label"], columns["score"]
    seen = first_values(frame, run, kinds_there)
    pair = prediction_and_label(seen)
    if pair is not None:
        return pair[1], pair[0]
    likely = [one for one in likely_readings(seen) if one.layout is SCORES]
    return (likely[0].columns["label"], likely[0].columns["score"]) if likely else None


def _by_id(own: dict[str, Any], every: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the same rows in the order of ids, where all files have the same ones, each once."""
    if not all("id" in one for one in every):
        return own
    ids = [_texts(as_entries(one["id"])) for one in every]
    first = np.unique(ids[0])
    if any(one.size != first.size or (np.unique(one) != first).any() for one in ids):
        return own
    order = np.argsort(_texts(as_entries(own["id"])), kind="stable")
    return {**own, "label": own["label"][order], "answer": own["answer"][order]}


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
    """Labels as places of classes, what items weigh, and which class is 1 of two."""

    label: Counts
    mass: Floats
    classes: int

    @property
    def total(self) -> float:
        return float(self.mass.sum())


@singledispatch
def _by_decisions(kind: Kind, metric: Metric, items: _Items, chosen: Counts) -> Parts:
    raise InputError(
        f"The {metric.words} of a model goes by its scores, and these are classes. Give columns of "
        "scores with ",
        *(argument("prediction"), ", or ask for error."),
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
def _(kind: Kind, metric: Metric, items: _Items, chosen: Counts) -> Parts:
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
def _by_scores(kind: Kind, metric: Metric, items: _Items, scores: Floats) -> Parts:
    raise InputError(
        *(argument("metric", metric.name), " does not tell how sure a difference of models is. "),
        "Compare them by auc, brier, log-loss or error.",
    )


@_by_scores.register
def _(_: kinds.PairsInOrder, metric: Metric, items: _Items, scores: Floats) -> Parts:
    """Return which share of the other class each item is on the right side of."""
    if scores.ndim == 2:
        raise InputError(argument("metric", metric.name), " goes with one score per item.")
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


@_by_scores.register
def _(kind: kinds.BoundedLoss, metric: Metric, items: _Items, scores: Floats) -> Parts:
    p = _probabilities(scores)
    each = kind.losses(p)[np.arange(len(p)), items.label]
    most = kind.largest(p.shape[1])
    return Parts(float(items.mass @ each) / items.total, each, np.full(len(p), most))


@_by_scores.register
def _(kind: kinds.UnboundedLoss, metric: Metric, items: _Items, scores: Floats) -> Parts:
    p = _probabilities(scores)
    each = kind.losses(p)[np.arange(len(p)), items.label]
    if not np.isfinite(each).all():
        raise InputError(
            argument("prediction"),
            f" gives a probability of 0 to a label that occurs: the {metric.words} is infinite. "
            "Keep probabilities away from 0 and 1.",
        )
    return Parts(float(items.mass @ each) / items.total, each, np.ones(len(p)))


def _probabilities(scores: Floats) -> Floats:
    two = scores.ndim == 1
    if not ((scores >= 0).all() and (scores <= 1).all()):
        raise InputError(
            argument("prediction"),
            " must be probabilities here, numbers from 0 to 1. Pass logits through a sigmoid or "
            "softmax.",
        )
    return np.column_stack((1 - scores, scores)) if two else scores


# The answer.


def models_in(
    data: Any,
    labels: object,
    predictions: Mapping[str, object] | None,
    prediction: str | Sequence[str] | None,
    where: ReadOptions,
    choice: MetricChoice | None,
    level: float,
    rng: RandomLike,
) -> ModelComparison | Groups[ModelComparison]:
    """Read arrays, or columns of a dataframe or files, and return which model is better."""
    if predictions is not None:
        if where.group is not None:
            raise InputError(argument("group"), " is a column of a dataframe or file. Pass one.")
        if prediction is not None or not isinstance(predictions, Mapping):
            raise InputError(
                argument("predictions"),
                ' is a dict of arrays, such as {"old": ..., "new": ...}. Columns of a dataframe or '
                "file are named with ",
                *(argument("prediction"), "."),
            )
        return compared_models(
            ModelRows.of_arrays(labels, predictions, where), choice, where, level
        )
    if not is_data(data):
        raise InputError(
            argument("prediction"),
            " names columns of a dataframe or file. Pass one, or give ",
            *(argument("predictions"), ", a dict of arrays, with ", argument("labels"), "."),
        )
    rows = ModelRows.read(data, where, columns_of(prediction))
    if where.group is not None:
        each = {
            name: compared_models(one, choice, where, level) for name, one in rows.by_group.items()
        }
        return Groups(where.group, each, check_level(level), dropped=rows.dropped)
    floor = None
    if where.columns.get("score") is not None:
        ask = Ask.about(choice or MetricChoice(), level=level, rng=rng)
        floor = floor_of(data, where, ask)
    return compared_models(rows, choice, where, level, floor)


def columns_of(prediction: object) -> tuple[str, ...]:
    """Return the columns of models' answers; a text with commas is several."""
    given = prediction.split(",") if isinstance(prediction, str) else prediction
    names = [*given] if isinstance(given, Sequence) else []
    if not names or not all(isinstance(one, str) for one in names):
        raise InputError(
            argument("prediction"), f" must be names of columns, got {shown(prediction)}."
        )
    return tuple(one.strip() for one in names)


def compared_models(
    rows: ModelRows,
    choice: MetricChoice | None,
    where: ReadOptions,
    level: float = 0.95,
    floor: Estimate | None = None,
) -> ModelComparison:
    """Return which model is better.

    Parameters
    ----------
    rows : ModelRows
        The items.
    choice : MetricChoice, optional
        What to compare by: error of classes, and AUC of scores, by default.
    where : ReadOptions
        Which class is 1.
    level : float
        Confidence level.
    floor : Estimate, optional
        Of the same items.
    """
    level = check_level(level)
    _check_models(rows)
    classes, label, scores, notes = _as_classes(rows, where)
    chosen = choice or MetricChoice(_AUC if scores and len(classes) == 2 else ERROR.name)
    metric = chosen.of(len(classes))
    mass = np.ones(len(label)) if rows.weight is None else rows.weight
    parts, values = _each_model(rows, metric, _Items(label, mass, len(classes)), classes, level)
    if scores and not models.kind_of(metric).by_scores and len(classes) == 2:
        notes.append(f"Scores of {_CUT} and more are taken for class {classes[1]!r}.")
    found = {
        (one, other): _difference(rows, metric, parts[one], parts[other])
        for one, other in combinations(parts, 2)
    }
    comparison = ModelComparison(
        metric=metric.name,
        models=values,
        differences=_differences(found, level),
        resolvable=max(one.shown(level) for one in found.values()),
        items_needed=None,
        n=len(label),
        level=level,
        classes=classes,
        n_effective=_effective(rows, next(iter(found.values()))),
        clusters=rows.sample.clusters or None,
        floor=floor,
        notes=tuple(notes),
        dropped=rows.dropped,
        options=chosen.kept(),
    )
    return replace(comparison, items_needed=_needed(comparison, [*found.values()]))


def _check_models(rows: ModelRows) -> None:
    """Refuse one model, and what holds none of the labels."""
    if len(rows.answers) < 2:
        raise InputError(
            argument("prediction"),
            " must name two models or more, such as model_a,model_b; one model is compared with "
            "the floor by headroom.",
        )
    _refuse_strangers(rows)


def _refuse_strangers(rows: ModelRows) -> None:
    """Refuse predictions of which none is a label that occurs."""
    known = set(rows.texts.tolist())
    for name, one in rows.answers.items():
        if one.ndim == 1 and not _are_scores(one, known):
            given = np.unique(_texts(one)).tolist()
            if not known & set(given):
                raise InputError(
                    argument("prediction"),
                    f" (column {name!r}) holds none of the labels, {listed(sorted(known))}, but "
                    f"{listed(given)}. Call classes the same in both columns.",
                )


def _each_model(
    rows: ModelRows, metric: Metric, items: _Items, classes: tuple[str, ...], level: float
) -> tuple[dict[str, Parts], tuple[ModelValue, ...]]:
    """Return what items have to do with each model's value, and the values with limits."""
    if metric.needs_classes and np.unique(items.label).size < 2:
        raise InputError(
            f"The {metric.words} needs items of both classes, and {rows.name} has only "
            f"{classes[int(items.label[0])]!r}."
        )
    kind = models.kind_of(metric)
    as_given: Callable[..., Any] = _as_scores if kind.by_scores else _decided
    given = {name: as_given(one, classes, name) for name, one in rows.answers.items()}
    find = partial(_by_scores if kind.by_scores else _by_decisions, kind, metric, items)
    parts = {name: find(one) for name, one in given.items()}
    values = tuple(
        ModelValue(name, one.value, *_limits(rows, items, metric, given[name], level))
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


def _as_classes(
    rows: ModelRows, where: ReadOptions
) -> tuple[tuple[str, ...], Counts, bool, list[str]]:
    """Return the classes, that of each item, whether models give scores, and what to know."""
    classes, texts = _named_classes(rows, where), rows.texts
    if where.positive is not None:
        classes = _sides(classes, text_of(where.positive), texts)
        texts = np.where(texts == classes[1], classes[1], classes[0])
    elif len(classes) == 2 and positive_of(classes) == classes[0]:
        classes = classes[::-1]
    if len(classes) < 2:
        raise InputError(f"All labels are {listed(classes)}. Models differ only where labels do.")
    if len(classes) > _MOST_CLASSES:
        raise InputError(
            f"{rows.name} has {len(classes):,} different values, which are no classes. Name the "
            "column of labels with ",
            *(argument("label"), "."),
        )
    wide = [one.shape[1] for one in rows.answers.values() if one.ndim == 2]
    if wide and len(classes) != wide[0]:
        raise InputError(
            argument("predictions"),
            f" has {wide[0]} columns, and the labels are of {len(classes)} classes.",
        )
    place = {name: i for i, name in enumerate(classes)}
    label = np.array([place[one] for one in texts.tolist()], dtype=np.int64)
    return classes, label, rows.are_scores, []


def _named_classes(rows: ModelRows, where: ReadOptions) -> tuple[str, ...]:
    """Return the classes in the order that was given, or in theirs."""
    if where.positive_from is not None:
        raise InputError(
            *(
                argument("positive_from"),
                " does not go with models, whose answers it would change ",
            ),
            *("as well. Make classes of both first, or name one with ", argument("positive"), "."),
        )
    if where.classes is None:
        return rows.classes
    strange = sorted({*rows.classes} - {*where.classes})
    if strange:
        text = f" lacks {strange[0]!r}, which occurs. List all classes."
        raise InputError(argument("classes"), text)
    return where.classes


def _sides(classes: tuple[str, ...], meant: str, texts: NDArray[Any]) -> tuple[str, str]:
    """Return the other class, or the name of all others, and the class that is 1."""
    if meant not in set(texts.tolist()):
        raise InputError(
            argument("positive"),
            f" is {meant!r}, and no label is. The labels are {listed(classes)}.",
        )
    rest = [one for one in classes if one != meant]
    return rest[0] if len(rest) == 1 else f"not {meant}", meant


def _decided(answers: NDArray[Any], classes: tuple[str, ...], name: str) -> Counts:
    """Return the place of the class that each answer is, or that is likeliest by the scores."""
    if answers.ndim == 2:
        return np.asarray(answers.argmax(axis=1))
    if _are_scores(answers, {*classes}):
        _probabilities(answers.astype(np.float64))
        return (answers >= _CUT).astype(np.int64)
    place = {one: i for i, one in enumerate(classes)}
    found = [place.get(one, 0) for one in _texts(answers).tolist()]  # else it is the rest
    return np.array(found, dtype=np.int64)


def _as_scores(answers: NDArray[Any], classes: tuple[str, ...], name: str) -> Floats:
    if answers.ndim == 1 and (len(classes) > 2 or answers.dtype.kind not in "iufb"):
        what = "a score for each class" if len(classes) > 2 else "scores"
        raise InputError(
            argument("prediction"),
            f" (column {name!r}) must hold {what} for this metric, and holds {shown(answers[0])}. "
            "Ask for error, or another metric of classes.",
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
    most = _FARTHEST.get(type(kind), math.inf)
    return PairedDifference.of(each, reach, rows.sample, most)


# The largest difference that there can be.
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
    sizes = [
        (abs(one.value), each.shown(comparison.level))
        for one, each in zip(comparison.differences, found, strict=True)
        if frozenset((one.first, one.second)) not in sure and one.value
    ]
    if not sizes:
        return None
    size, shown_by_these = max(sizes)
    number = comparison.n * (shown_by_these / size) ** 2
    if number > _MOST_ITEMS:
        return None
    digits = 10 ** max(math.floor(math.log10(number)) - 1, 0)
    return int(math.ceil(number / digits) * digits)
