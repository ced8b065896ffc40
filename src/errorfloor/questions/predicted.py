"""A model's column beside the labels of the floor, for metrics other than error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from errorfloor._checks import InputError, argument, shown
from errorfloor.data.layouts import SCORES
from errorfloor.data.options import ReadOptions
from errorfloor.data.read import is_data, read
from errorfloor.data.tables import ScoreTable
from errorfloor.questions import models
from errorfloor.questions.models import Model
from errorfloor.questions.paired import Pair, naming_predictions, refuse_groups, refuse_votes
from errorfloor.questions.weights import unweighted
from errorfloor.results import Estimate


def refuse_arrays(data: object) -> None:
    """Refuse what has no columns, beside the name of one."""
    if not is_data(data):
        raise InputError(
            argument("prediction"),
            " is a column of a dataframe or file. Pass one, or give ",
            *(argument("model_scores"), " or ", argument("predictions"), " beside an Estimate."),
        )


def for_floor(where: ReadOptions) -> ReadOptions:
    """Return what is said of the floor's columns: beside soft labels, labels are the model's."""
    refuse_groups(where.group)
    refuse_votes({**where.columns, **where.arrays})
    if "soft" not in where.columns:
        return where
    kept = {name: column for name, column in where.columns.items() if name != "label"}
    return replace(where, columns=kept)


def one_column(prediction: object) -> str:
    """Return the column of decisions, or refuse several."""
    if isinstance(prediction, str):
        return prediction
    raise InputError(
        argument("prediction"),
        f" is one column with the class that the model decides on, got {shown(prediction)}. Name "
        "it; several columns of scores go with a ",
        *(argument("metric"), " of probabilities, such as brier."),
    )


def columns_of_scores(prediction: str | Sequence[str], floor: Estimate) -> Any:
    """Return the columns of a model's scores: one for each class, where there are more than two."""
    if len(floor.classes) == 2 or (not isinstance(prediction, str) and len(prediction) > 1):
        return prediction
    classes = ", ".join(map(str, floor.classes))
    raise InputError(
        f"The {floor.measure.words} of a model goes by its probabilities. Name a column of them "
        f"for each class ({classes}) with ",
        *(argument("prediction"), "."),
    )


def read_model(
    data: Any, where: ReadOptions, prediction: str | Sequence[str], floor: Estimate
) -> Model:
    """Return the model whose scores, or decisions, are in a column beside the labels.

    They are of the same items as the floor, and the two are compared as if they were of others:
    limits of the difference are too wide then, not too narrow.
    """
    source = floor.source
    columns = {} if source is None else source.columns
    label = where.columns.get("label") or columns.get("label")
    if label is None:
        raise InputError(
            argument("prediction"),
            " is judged by labels. Name their column with ",
            *(argument("label"), "."),
        )
    metric = floor.measure
    by_scores = models.goes_by_scores(metric)
    named = columns_of_scores(prediction, floor) if by_scores else one_column(prediction)
    given = {"prediction": named}
    if "label" not in columns:
        given["label"] = str(label)
    score = where.columns.get("score") or columns.get("score") or columns.get("soft")
    own = {"label": label, "score": named if by_scores else score}
    asked = replace(where, columns=own, group=None if by_scores else named)
    if by_scores and len(floor.classes) == len(named) > 2 and set(named) != set(floor.classes):
        asked = replace(asked, classes=tuple(floor.classes))  # in the order of the floor's columns
    with naming_predictions():
        reading = read(data, (SCORES,), asked)
        if by_scores:
            table = unweighted(reading.table, "headroom")
            assert isinstance(table, ScoreTable)
            return models.from_table(metric, table, given)
        sides = Pair.read(reading).sides
    matrix = sum_of(sides)
    return models.from_confusion(metric, matrix, given)


def sum_of(sides: tuple[ScoreTable, ...]) -> Any:
    """Return how often each class was predicted (columns) for items of each class (rows)."""
    return np.column_stack([side.counts.sum(axis=0) for side in sides])
