"""A model's predictions on the items of the floor: who is predicted what, and the paired test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import add
from os import PathLike
from typing import Any

import numpy as np

from errorfloor._checks import (
    InputError,
    Part,
    argument,
    as_labels,
    as_scores,
    check_aligned,
    check_same_length,
    shown,
)
from errorfloor._typing import Counts, Floats
from errorfloor.checks.gold import leaks
from errorfloor.data.items import (
    PredictedReader,
    PredictedVotes,
    Predictions,
    reader_of,
)
from errorfloor.data.layouts import SCORES, SOFT_LABELS, of_kind
from errorfloor.data.matrices import is_matrix, one_score
from errorfloor.data.naming import as_classes, codes_of, naming_of
from errorfloor.data.options import ReadOptions
from errorfloor.data.read import is_data, read
from errorfloor.data.source import Reading, Source
from errorfloor.data.tables import ScoreTable, Table, VoteTable
from errorfloor.metrics import Metric
from errorfloor.questions import models
from errorfloor.questions.compared import PeopleComparison, replace_level
from errorfloor.questions.model_options import counted
from errorfloor.questions.models import Model
from errorfloor.questions.question import Ask
from errorfloor.questions.weights import unweighted
from errorfloor.results import Estimate, PairedTest

MEANS = (
    "A small p-value means that a better rule exists: one that uses the score and the model's own "
    "prediction. The model must not have been trained on these labels."
)


MISSES = (
    "A small p-value means that the model beats every threshold on these scores: it sees more "
    "than the scores do, the best rule on them is no threshold, or the test data leaked."
)


PANEL_MEANS = (
    "A small p-value means that a better rule exists: what most of the other people answer is one "
    "more person's answer more often than what the model predicts. The model must not have been "
    "made from these votes."
)


@dataclass(frozen=True, slots=True)
class Pair:
    """Scores and labels of the items that a model predicts each class for, by class.

    Together they hold the number of items with each score, prediction and label.
    """

    sides: tuple[ScoreTable, ...]
    source: Source
    column: str | None = None
    dropped: int = field(default=0, repr=False)

    @classmethod
    def of(cls, data: Any, labels: Any, predictions: Any, columns: Mapping[str, Any]) -> Pair:
        """Take arrays of predictions next to scores and labels."""
        named = {name: value for name, value in columns.items() if value is not None}
        complete, classes = named.pop("complete", False), as_classes(named.pop("classes", None))
        for name in named:
            raise InputError(
                f"`{name}` goes with a dataframe or file. Name its column of predictions with "
                "`prediction`."
            )
        check_aligned(scores=data, labels=labels, predictions=predictions)
        if is_matrix(data) and labels is not None:
            pair = cls._of_classes(data, labels, predictions, classes)
        else:
            pair = cls._of_arrays(data, labels, predictions)
        return replace(pair, source=pair.source.with_options(complete=bool(complete)))

    @classmethod
    def _of_arrays(cls, scores: Any, labels: Any, predictions: Any) -> Pair:
        if labels is None or is_data(scores):
            raise InputError(
                "`predictions` goes with an array of scores and `labels`. Name the column of a "
                "dataframe or file with `prediction`."
            )
        score, label = as_scores(scores, name="scores"), as_labels(labels, name="labels")
        one = as_labels(predictions, name="predictions")
        check_same_length(score, label, ("scores", "labels"))
        check_same_length(score, one, ("scores", "predictions"))
        source = Source(origin="arrays", layout=SCORES.name, rows=score.size)
        zeros, ones = (
            ScoreTable.from_arrays(score[at], label[at]) if at.any() else ScoreTable.empty()
            for at in (~one, one)
        )
        return cls((zeros, ones), source)

    @classmethod
    def _of_classes(
        cls, scores: Any, labels: Any, predictions: Any, classes: tuple[str, ...] | None
    ) -> Pair:
        """Divide items with a score for each class by what is predicted."""
        whole = ScoreTable.from_arrays(scores, labels, classes=classes)
        rows = np.asarray(scores, dtype=np.float64)
        codes, names = codes_of(labels, rows.shape[1], classes)
        chosen, _ = codes_of(predictions, rows.shape[1], names, "predictions")
        check_same_length(codes, chosen, ("labels", "predictions"))
        sides = divided(whole, rows, codes, chosen)
        return cls(sides, Source(origin="arrays", layout=SCORES.name, rows=whole.n))

    @classmethod
    def read(cls, reading: Reading) -> Pair:
        """Take rows that were counted apart by what the model predicts."""
        source, column = reading.source, reading.source.options.group
        tables = {name: table for name, table in reading.tables.items() if table.n}
        first: Any = next(iter(reading.tables.values()))
        number = len(first.classes)
        if number == 2:
            place = _classes(list(tables), source.options.positive, str(column))
        else:
            column_words = (argument("prediction"), f" (column {column!r})")
            place = naming_of(list(tables), number, first.classes, column_words).place
        sides = [_nothing_of(first)] * number
        if tables:  # weights may be equal for each prediction, and differ between them
            unweighted(reduce(add, tables.values()), "headroom")
        for name, table in tables.items():
            assert isinstance(table, ScoreTable)
            sides[place[name]] += table.plain
        lost = sum(table.dropped for table in reading.tables.values())
        extra = lost - sum(side.dropped for side in sides)  # of rows without a prediction
        return cls(tuple(sides), source.with_options(group=None), column, extra)

    @property
    def reading(self) -> Reading:
        """All items, as if they had been read without the predictions."""
        table = reduce(add, self.sides)
        table = replace(table, dropped=table.dropped + self.dropped)
        return Reading({None: table}, self.source)

    @property
    def n(self) -> int:
        """Number of items."""
        return sum(side.n for side in self.sides)

    @property
    def errors(self) -> int:
        """How many predictions differ from the label."""
        return self.n - sum(int(side.counts[:, k].sum()) for k, side in enumerate(self.sides))

    def model(self) -> Model:
        """Return the model with its errors on these items."""
        return counted(self.errors, self.n)

    def test(self) -> PairedTest:
        """Test whether no rule in score and prediction beats the model."""
        from errorfloor.intervals.signs import sign_test, sign_test_of_classes

        if len(self.sides) == 2:
            statistic, p = sign_test(*self.sides)
        else:
            statistic, p = sign_test_of_classes(self.sides)
        return PairedTest("sign test", statistic, p, MEANS, self.column)

    def information(self) -> PairedTest | None:
        """Test whether the scores miss information that the model has; of two classes only."""
        from errorfloor.intervals.signs import beats_every_cut

        if len(self.sides) != 2:
            return None
        statistic, p = beats_every_cut(*self.sides)
        return PairedTest(
            "McNemar's test against every threshold", statistic, p, MISSES, self.column
        )


@dataclass(frozen=True, slots=True, eq=False)
class VotesPair:
    """Votes on the items that a model predicts."""

    compared: PeopleComparison
    predicted: Predictions

    @classmethod
    def read(cls, reading: Reading, found: PredictedVotes, ask: Ask) -> VotesPair:
        """Take votes with the predictions of one model next to them."""
        several = found.votes.sum(axis=1) >= 2
        compared = PeopleComparison.of(reading, found.where(several), ask)
        return cls(compared, compared.found.models[0])

    @property
    def floor(self) -> Estimate:
        """The floor of the votes, which says so where the predictions were made from them."""
        findings = leaks(self.compared.found, self.predicted)
        floor = self.compared.floor
        return replace(floor, findings=(*findings, *floor.findings)) if findings else floor

    def model(self) -> Model:
        """Return how often the model does not give the answer of a person."""
        rate = self.compared.limits_of_rate(self.predicted.place)
        n = len(self.compared.totals)
        evidence = _MissedPeople(1 - rate.value, self.compared, self.predicted.place)
        return Model(1 - rate.value, n, evidence, {"prediction": self.predicted.name})

    def test(self) -> PairedTest | None:
        """Test whether the largest panel of other people does not beat the model."""
        room = self.compared.room(self.predicted.place)
        if room is None:
            return None
        size = room.value / room.deviation if room.variance else 0.0
        return PairedTest("panel test", size, room.p_above(), PANEL_MEANS, self.predicted.name)

    def information(self) -> None:
        """Votes miss nothing: they are the labels."""


@dataclass(frozen=True, slots=True, eq=False)
class _MissedPeople:
    """How often a model does not give the answer of a person, with limits at any level."""

    value: float
    compared: PeopleComparison = field(repr=False)
    place: Counts = field(repr=False)
    method: str = "over items and people"

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit."""
        rate = replace_level(self.compared, level).limits_of_rate(self.place)
        return 1 - rate.high, 1 - rate.low


def refuse_arrays_beside_column(labels: object, predictions: object) -> None:
    """Refuse arrays next to a column of predictions."""
    for name, value in (("labels", labels), ("predictions", predictions)):
        if value is not None:
            raise InputError(
                f"`{name}` goes with an array of scores, and `prediction` with a dataframe or "
                "file. Leave one out."
            )


def votes_reader(
    data: Any, where: ReadOptions, prediction: str
) -> tuple[PredictedReader, ReadOptions] | None:
    """Return what reads a column of predictions next to votes; None where there are scores."""
    named = {**where.columns, **where.arrays}.keys()
    of_votes = {role.argument for layout in of_kind(VoteTable.kind) for role in layout.roles}
    reader, asked = reader_of(where, (prediction,))
    if named & of_votes:
        return reader, asked
    if named or data is None or isinstance(data, Table | Reading) or _is_saved(data):
        return None
    from errorfloor.data.read_rows import kind_in

    layouts = (SCORES, SOFT_LABELS, *reader.layouts)
    return (reader, asked) if kind_in(data, layouts, asked) == VoteTable.kind else None


def _is_saved(data: Any) -> bool:
    """Tell whether files may hold saved tables, which have no predictions."""
    paths = data if isinstance(data, list | tuple) else [data]
    return any(str(path).endswith(".npz") for path in paths if isinstance(path, str | PathLike))


def divided(
    whole: ScoreTable, rows: Floats, labels: Counts, chosen: Counts
) -> tuple[ScoreTable, ...]:
    """Return the items of each prediction, with the scores that the table of all has."""
    if len(whole.classes) == 2:
        score = one_score(rows)
        return tuple(
            ScoreTable.from_arrays(score[at], labels[at]) if at.any() else ScoreTable.empty()
            for at in (chosen == 0, chosen == 1)
        )
    sides = []
    for k in range(len(whole.classes)):
        at = chosen == k
        made = ScoreTable.from_arrays(rows[at], labels[at]) if at.any() else _nothing_of(whole)
        sides.append(replace(made, classes=whole.classes))
    return tuple(sides)


def _nothing_of(table: ScoreTable) -> ScoreTable:
    """Return a table of no items with the classes of another."""
    if len(table.classes) == 2:
        return ScoreTable.empty()
    none = np.zeros((0, len(table.classes)))
    return ScoreTable(none, none.astype(np.int64), classes=table.classes)


def refuse_groups(group: object) -> None:
    """Refuse groups next to predictions."""
    if group is not None:
        raise InputError(
            "`group` cannot be used with `prediction`. Ask about each group on its own."
        )


def refuse_votes(columns: Mapping[str, Any]) -> None:
    """Refuse columns of votes next to predictions."""
    able = {role.argument for layout in (SCORES, SOFT_LABELS) for role in layout.roles}
    for name in columns:
        if name not in able:
            raise InputError(
                f"`prediction` is compared with a floor of scores or soft labels, and `{name}` is "
                "about votes. Leave out one of them; next to votes, count the model's errors, and "
                "give `errors` and `n`."
            )


@contextmanager
def naming_predictions() -> Iterator[None]:
    """Word errors about the groups by which rows are counted as errors about predictions."""
    try:
        yield
    except InputError as error:
        raise InputError(*map(_renamed, error.parts)) from error


def _renamed(part: Part) -> Part:
    if isinstance(part, str):
        return part
    return replace(part, name="prediction") if part.name == "group" else part


def _classes(values: list[Any], positive: object, column: str) -> dict[Any, int]:
    """Return which class each value of the predictions means."""
    if positive is not None and len(values) <= 2:
        classes = {value: int(_equal(value, positive)) for value in values}
        if any(classes.values()) or len(values) == 1:
            return classes
    try:
        numbers = {value: float(value) for value in values}
    except (TypeError, ValueError):
        numbers = {}
    if numbers and set(numbers.values()) <= {0.0, 1.0}:
        return {value: int(number) for value, number in numbers.items()}
    found = ", ".join(shown(value) for value in values[:6])
    more = ", ..." if len(values) > 6 else ""
    raise InputError(
        f"`prediction` (column {column!r}) must hold the class that the model predicts: 0 or 1, or "
        f"the words of the labels; got {found}{more}. Cut scores at a threshold, and name the "
        "class 1 of words with `positive`."
    )


def _equal(value: Any, positive: object) -> bool:
    try:
        return float(value) == float(positive)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return str(value) == str(positive)


def refuse_arrays(data: object, metric: Metric) -> None:
    """Refuse what has no columns, next to the name of one."""
    if not is_data(data):
        instead = "`predictions` next to an array of scores"
        if not metric.is_error:
            instead = "`model_scores` or `predictions` next to an Estimate"
        raise InputError(
            f"`prediction` is a column of a dataframe or file. Pass one, or give {instead}."
        )


def for_floor(where: ReadOptions) -> ReadOptions:
    """Return what is said of the floor's columns: next to soft labels, labels are the model's."""
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
        "`prediction` is one column with the class that the model decides on, got "
        f"{shown(prediction)}. Name it; several columns of scores go with a `metric` of "
        "probabilities, such as brier."
    )


def columns_of_scores(prediction: str | Sequence[str], floor: Estimate) -> Any:
    """Return the columns of a model's scores: one for each class, where there are more than two."""
    if len(floor.classes) == 2:
        return prediction
    named = prediction.split(",") if isinstance(prediction, str) else [*prediction]
    if len(named) > 1:
        return named
    classes = ", ".join(map(str, floor.classes))
    raise InputError(
        f"The {floor.measure.words} of a model goes by its probabilities. Name a column of them "
        f"for each class ({classes}) with `prediction`."
    )


def read_model(
    data: Any, where: ReadOptions, prediction: str | Sequence[str], floor: Estimate
) -> Model:
    """Return the model whose scores, or decisions, are in a column next to the labels.

    They are of the same items as the floor, and the two are compared as if they were of others:
    limits of the difference are too wide then, not too narrow.
    """
    source = floor.source
    columns = {} if source is None else source.columns
    label = where.columns.get("label") or columns.get("label")
    if label is None:
        raise InputError("`prediction` is judged by labels. Name their column with `label`.")
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
