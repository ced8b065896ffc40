"""What a user says of a model: its errors, its value, its scores or its decisions on test items."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from errorfloor._checks import (
    MOST_VOTES,
    InputError,
    as_fraction,
    as_labels,
    check_aligned,
    check_same_length,
    shown,
)
from errorfloor._typing import Counts
from errorfloor.data.naming import codes_of
from errorfloor.data.read import is_data
from errorfloor.data.tables import ScoreTable
from errorfloor.intervals.models import ExactShare
from errorfloor.metrics import Metric
from errorfloor.questions import models
from errorfloor.questions.models import Model
from errorfloor.questions.question import Ask
from errorfloor.results import Estimate


def counted(errors: int, n: int) -> Model:
    """Return the model with so many errors on so many items."""
    return Model(errors / n, n, ExactShare(errors, n))


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOptions:
    """What a user says of a model."""

    errors: int | None = None
    n: int | None = None
    model_error: float | str | None = None
    accuracy: float | str | None = None
    model_value: float | str | None = None
    model_scores: object = None
    confusion: object = None
    labels: object = None
    predictions: object = None
    same_labelling: bool = False  # whether the test labels were made as the votes were

    @property
    def given(self) -> tuple[str, ...]:
        """What was said of the model."""
        return tuple(
            one.name
            for one in fields(self)
            if one.name != "same_labelling" and getattr(self, one.name) is not None
        )

    def with_error(self) -> ModelOptions:
        """Return the same with its error, where its accuracy was given instead."""
        if self.accuracy is None:
            return self
        if self.model_error is not None:
            raise InputError("`accuracy` and `model_error` are both given. Give one of them.")
        error = 1 - as_fraction(self.accuracy, name="accuracy")
        return replace(self, model_error=error, accuracy=None)

    def check(self, ask: Ask, prediction: str | None = None) -> None:
        """Refuse half a model, and what leaves no verdict on it, before labels are read.

        A rate may be that on the items that are read.
        """
        if prediction is None:
            self._check_whole(ask.choice.record)
        else:
            self.refuse_beside_predictions()
        if ask.interval is None:
            raise InputError("A verdict needs an interval: leave out `interval=None`.")

    def _check_whole(self, metric: Metric) -> None:
        if self.confusion is not None:
            return
        if self.model_value is not None:
            if self.n is None:
                raise InputError("Give `n` with `model_value`.")
            return
        if not metric.is_error:
            raise InputError(
                f"Give `n` and `model_value`, the model's {metric.name}, or `confusion`, or "
                "`prediction`."
            )
        rates = [name for name in self.given if name in ("errors", "model_error", "accuracy")]
        if len(rates) != 1 or (self.n is None and self.errors is not None):
            raise InputError("Give `n` and either `errors`, `model_error` or `accuracy`.")
        if self.errors is not None and self.n is not None and self.errors > self.n:
            raise InputError("`errors` must not be more than `n`. Check which is which.")

    def refuse_beside_predictions(self) -> None:
        """Refuse numbers of errors next to predictions, from which they are counted."""
        if isinstance(self.errors, Estimate) or is_data(self.errors):
            raise InputError(
                f"`errors` is a number, and got {type(self.errors).__name__}. Give the data alone, "
                "and first: the floor is estimated from the items that the predictions are of."
            )
        for name in self.given:
            if name not in ("labels", "predictions"):
                raise InputError(f"`{name}` is counted from the predictions. Leave it out.")

    def model(self, floor: Estimate) -> Model:
        """Return the model's value of the metric that a floor is of."""
        metric = floor.measure
        ways = [name for name in _WAYS if getattr(self, name) is not None]
        if "errors" in ways and "model_error" in ways:
            ways.remove("model_error")  # of these two the check of errors speaks
        if len(ways) > 1:
            raise InputError(f"`{ways[0]}` and `{ways[1]}` say the same twice. Leave one out.")
        way = ways[0] if ways else ""
        if self.labels is not None and way not in _BESIDE_LABELS:
            raise InputError(
                "`labels` goes with `model_scores` or `predictions` of the same items. Leave it "
                "out."
            )
        if way == "model_value":
            return models.from_value(metric, self.model_value, self.n, floor)
        if way not in ("model_scores", "confusion", "predictions"):
            if not metric.is_error:
                raise _more_than_errors(metric)
            return counted(*_model_errors(self.errors, self.n, self.model_error))
        if self.n is not None:
            raise InputError("`n` is counted. Leave it out.")
        names = floor.classes
        if way == "confusion":
            matrix = models.as_confusion(self.confusion, len(names) if floor.n else None)
            return models.from_confusion(metric, matrix, {"confusion": matrix.tolist()})
        if self.labels is None:
            raise InputError(f"`{way}` needs the `labels` of these items.")
        given = {way: None, "labels": None}  # arrays, which a recipe can only name
        if way == "model_scores":
            return models.from_table(metric, _scored(self, names), given)
        return models.from_confusion(metric, _decided(self, names), given)


_BESIDE_LABELS = ("model_scores", "predictions")
_WAYS = ("errors", "model_error", "model_value", "model_scores", "confusion", "predictions")


def _more_than_errors(metric: Metric) -> InputError:
    kind = models.kind_of(metric)
    ways = ("model_scores",) if kind.by_scores else ("confusion", "predictions")
    ways = (*ways, "model_value") if kind.published else ways
    named = " or ".join(f"`{way}`" for way in ways)
    return InputError(f"A number of errors does not tell a model's {metric.words}. Give {named}.")


def _scored(options: ModelOptions, names: tuple[str, ...]) -> ScoreTable:
    """Return the model's scores of test items with their labels, counted."""
    many = None if len(names) == 2 else names
    check_aligned(model_scores=options.model_scores, labels=options.labels)
    table = ScoreTable.from_arrays(options.model_scores, options.labels, classes=many)
    if len(table.classes) != len(names):
        raise InputError(
            f"`model_scores` are of {len(table.classes)} classes, and the floor is of "
            f"{len(names)}. Give a column for each class."
        )
    return table


def _decided(options: ModelOptions, names: tuple[str, ...]) -> Counts:
    """Return how often each decision was made on items of each class."""
    check_aligned(predictions=options.predictions, labels=options.labels)
    if len(names) == 2:
        labels = as_labels(options.labels, name="labels").astype(np.int64)
        chosen = as_labels(options.predictions, name="predictions").astype(np.int64)
    else:
        labels, _ = codes_of(options.labels, len(names), names)
        chosen, _ = codes_of(options.predictions, len(names), names, "predictions")
    check_same_length(labels, chosen, ("labels", "predictions"))
    return models.confusion_of(labels, chosen, len(names))


def _model_errors(
    errors: int | None, n: int | None, model_error: float | str | None
) -> tuple[int, int]:
    items = models.as_index(n)
    if not 1 <= items <= MOST_VOTES:
        raise InputError(f"`n` must be the number of test items, at least 1; got {shown(n)}.")
    if (errors is None) == (model_error is None):
        raise InputError("Give either `errors`, a number of items, or `model_error`, a fraction.")
    if model_error is not None:
        return round(as_fraction(model_error, name="model_error") * items), items
    wrong = models.as_index(errors)
    if not 0 <= wrong <= items:
        raise InputError(
            f"`errors` must be a whole number from 0 to `n` = {items}, got {shown(errors)}. Pass a "
            "fraction as `model_error`."
        )
    return wrong, items
