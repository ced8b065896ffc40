"""Whether a model is at the floor."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import reduce
from numbers import Real
from operator import add
from os import PathLike
from typing import Any, Unpack, overload

import numpy as np

from errorfloor import intervals, metrics
from errorfloor._checks import (
    InputError,
    LabelShiftWarning,
    Mention,
    argument,
    as_flag,
    as_fraction,
    as_labels,
    as_scores,
    check_aligned,
    check_level,
    check_same_length,
    percentage,
    shown,
    warn,
)
from errorfloor._keywords import explains_keywords, record_of
from errorfloor._typing import Bools, Counts, Floats, RandomLike
from errorfloor.checks.gold import leaks
from errorfloor.data.items import (
    PredictedReader,
    PredictedVotes,
    Predictions,
    answers_in,
    reader_of,
)
from errorfloor.data.layouts import SCORES, SOFT_LABELS, Layout, of_kind
from errorfloor.data.matrices import is_matrix, one_score, without_frame
from errorfloor.data.naming import as_binary, as_classes, codes_of, is_words, naming_of
from errorfloor.data.options import Reading, ReadOptions, Source
from errorfloor.data.read import check_order, is_data, read
from errorfloor.data.tables import ScoreTable, Table, VoteTable
from errorfloor.data.values import text_of
from errorfloor.intervals.record import Evidence
from errorfloor.metrics.choice import MetricChoice
from errorfloor.questions import models
from errorfloor.questions.models import Model, ModelOptions, counted, error_in
from errorfloor.questions.people import PeopleComparison, people_in, replace_level
from errorfloor.questions.question import AnyColumns, Ask, answer, floor_of, refuse_with_estimate
from errorfloor.questions.rated import headroom_of_ratings, is_about_ratings
from errorfloor.questions.sampling import unweighted
from errorfloor.results import Estimate, FeaturesEstimate, Groups, Interval, PairedTest, Verdict
from errorfloor.results.estimate import GIVEN, method_of
from errorfloor.results.verdict import BETTER, BEYOND, MATCHES, OPEN, ROOM, SATURATED

_MOST_DEVIATIONS = 7.0  # of the normal distribution, beyond which p-values are not told apart
_LARGEST_TAIL = 0.25  # at which limits of votes are asked for


# What a small p-value shows, what follows from that, and what the test needs.
_BETTER_RULE = (
    "a better rule exists",
    "one that uses the score and the model's own prediction",
    "The model must not have been trained on these labels.",
)
_BEATS_THRESHOLDS = (
    "the model beats every threshold on these scores",
    "so it sees more than the scores do, the best rule on them is no threshold, or the test data "
    "leaked",
)
_BETTER_PANEL = (
    "a better rule exists",
    "because the most common answer of the other people is one more person's answer more often "
    "than the model's answer is",
    "The model must not have been made from these votes.",
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
        positive = named.pop("positive", None)
        for name in named:
            column = ", as in `prediction='prediction'`" if isinstance(predictions, str) else ""
            raise InputError(
                f"`{name}` goes with a dataframe or file. Name its column of predictions with "
                f"`prediction`{column}."
            )
        check_aligned(scores=data, labels=labels, predictions=predictions)
        if labels is not None:
            data, classes = without_frame(data, labels, classes, predictions=predictions)
        if is_matrix(data) and labels is not None:
            pair = cls._of_classes(data, labels, predictions, classes)
        else:
            pair = cls._of_arrays(data, labels, predictions, positive, classes)
        return replace(pair, source=pair.source.with_options(complete=bool(complete)))

    @classmethod
    def _of_arrays(
        cls,
        scores: Any,
        labels: Any,
        predictions: Any,
        positive: object,
        classes: tuple[str, ...] | None,
    ) -> Pair:
        if labels is None or is_data(scores):
            raise InputError(
                "`predictions` goes with an array of scores and `labels`. Name the column of a "
                "dataframe or file with `prediction`."
            )
        check_order(scores, labels)
        if classes is not None and positive is None and is_words(labels):
            positive = classes[-1]
        told = as_binary(labels, positive)
        score, label = as_scores(scores, name="scores"), as_labels(told.labels, name="labels")
        one = as_labels(told.alike(predictions, "predictions", classes), name="predictions")
        check_same_length(score, label, ("scores", "labels"))
        check_same_length(score, one, ("scores", "predictions"))
        facts = {} if told.sides is None else {"classes": told.sides}
        source = Source(origin="arrays", layout=SCORES.name, rows=score.size, facts=facts)
        source = source.with_options(positive=told.positive)
        return cls(_sides_of_two(score, label, one), source)

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
        shown_as = (argument("prediction"), f" (column {column!r})")
        if number == 2:
            place = answers_in(source).places(list(tables), shown_as)
        else:
            place = naming_of(list(tables), number, first.classes, shown_as).place
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
        return PairedTest("sign test", statistic, p, *_BETTER_RULE, prediction=self.column)

    def information(self) -> PairedTest | None:
        """Test whether the scores miss information that the model has; of two classes only."""
        from errorfloor.intervals.signs import beats_every_cut

        if len(self.sides) != 2:
            return None
        statistic, p = beats_every_cut(*self.sides)
        name = "McNemar's test against every threshold"
        return PairedTest(name, statistic, p, *_BEATS_THRESHOLDS, prediction=self.column)


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
        column = self.predicted.name
        return PairedTest("panel test", size, room.p_above(), *_BETTER_PANEL, prediction=column)

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
        return _sides_of_two(one_score(rows), labels, chosen == 1)
    sides = []
    for k in range(len(whole.classes)):
        at = chosen == k
        made = ScoreTable.from_arrays(rows[at], labels[at]) if at.any() else _nothing_of(whole)
        sides.append(replace(made, classes=whole.classes))
    return tuple(sides)


def _sides_of_two(score: Floats, label: Any, ones: Bools) -> tuple[ScoreTable, ...]:
    """Return the items that are predicted 0, and those that are predicted 1."""
    return tuple(
        ScoreTable.from_arrays(score[at], label[at]) if at.any() else ScoreTable.empty()
        for at in (~ones, ones)
    )


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


def refuse_votes(where: ReadOptions) -> None:
    """Refuse columns of votes next to predictions."""
    able = {role.argument for layout in (SCORES, SOFT_LABELS) for role in layout.roles}
    for name in (*where.columns, *where.arrays):
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
        parts = (
            replace(part, name="prediction")
            if isinstance(part, Mention) and part.name == "group"
            else part
            for part in error.parts
        )
        raise error.with_parts(tuple(parts)) from error


def one_column(prediction: object) -> str:
    """Return the column of decisions, or refuse several."""
    if isinstance(prediction, str):
        return prediction
    raise InputError(
        "`prediction` is one column with the class that the model decides on, got "
        f"{shown(prediction)}. Name it; several columns of scores go with a `metric` of "
        "probabilities, such as brier."
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
    named: Any = prediction if by_scores else one_column(prediction)
    if by_scores and len(floor.classes) > 2:  # a column for each class
        named = prediction.split(",") if isinstance(prediction, str) else [*prediction]
        if len(named) < 2:
            raise InputError(
                f"The {metric.words} of a model goes by its probabilities. Name a column of them "
                f"for each class ({', '.join(floor.classes)}) with `prediction`."
            )
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
    # How often each class was predicted (columns) for items of each class (rows).
    matrix = np.column_stack([side.counts.sum(axis=0) for side in sides])
    return models.from_confusion(metric, matrix, given)


@dataclass(frozen=True, slots=True)
class Gap:
    """How much worse a model is than the best there can be: the worse value less the better."""

    worse: float
    worse_evidence: Evidence
    better: float
    better_evidence: Evidence
    leaves_open: bool = False  # whether the limits of either part are more than noise

    @classmethod
    def of(cls, model: Model, floor: Estimate, evidence: Evidence) -> Gap:
        """Put the two in the order in which they are subtracted."""
        ours: tuple[float, Evidence] = (model.value, model.evidence)
        best = (floor.value, evidence)
        if not floor.measure.less_is_better:
            ours, best = best, ours
        method = method_of(floor)
        kind = None if method is None else intervals.of(method).get(evidence.method)
        return cls(*ours, *best, leaves_open=kind is not None and kind.leaves_open)

    @property
    def value(self) -> float:
        """The difference, positive where the model is the worse."""
        return self.worse - self.better

    def limits(self, level: float) -> tuple[float, float]:
        """Return the limits of the difference."""
        worse_low, worse_high = self.worse_evidence.limits(level)
        better_low, better_high = self.better_evidence.limits(level)
        if self.leaves_open:
            return worse_low - better_high, worse_high - better_low
        down = _distance(self.worse - worse_low, better_high - self.better)
        up = _distance(worse_high - self.worse, self.better - better_low)
        return self.value - down, self.value + up

    def p_values(self, level: float) -> tuple[float, float]:
        """Return the least tails at which 0 is outside: of "no room", and of "not beyond"."""
        above = self.worse >= self.better
        if self.leaves_open:
            tail = self._least_tail(level, above)
            return (tail, 1.0) if above else (1.0, tail)
        tail = self._tail(above)
        return (tail, 1 - tail) if above else (1 - tail, tail)

    def _margin(self, tail: float, above: bool) -> float:
        """Return how far 0 is outside the limits with these tails."""
        low, high = self.limits(1 - 2 * tail)
        return low if above else -high

    def _tail(self, above: bool) -> float:
        from scipy.optimize import brentq
        from scipy.special import ndtr

        def margin(z: float) -> float:
            return self._margin(float(ndtr(-z)), above)

        least, most = 1e-6, _MOST_DEVIATIONS  # tails from nearly a half to 1e-12
        if margin(least) <= 0:
            return 0.5
        if margin(most) > 0:
            return float(ndtr(-most))
        return float(ndtr(-brentq(margin, least, most, xtol=1e-5)))

    def _least_tail(self, level: float, above: bool) -> float:
        """Return a tail at which the limits are apart, the least up to one part in a hundred.

        Limits at low levels are not asked for, as they are made for high ones; nor is it assumed
        that they widen strictly with the level, so that the tail agrees with the verdict.
        """
        from scipy.special import ndtr, ndtri

        given = (1 - level) / 2
        apart = self._margin(given, above) > 0
        largest = max(_LARGEST_TAIL, given)
        if not apart and self._margin(largest, above) <= 0:
            return 1.0
        # From the smaller to the larger number of deviations: apart at the first, not at the last.
        first, last = (given, ndtr(-_MOST_DEVIATIONS)) if apart else (largest, given)
        near, far = -ndtri(first), -ndtri(last)
        if apart and (far <= near or self._margin(float(last), above) > 0):
            return float(min(first, last))
        while far - near > 0.005:
            middle = (near + far) / 2
            near, far = (middle, far) if self._margin(ndtr(-middle), above) > 0 else (near, middle)
        return float(ndtr(-near))


def _distance(first: float, second: float) -> float:
    # A limit on the wrong side of its estimate (a biased bootstrap) adds nothing.
    return float((max(first, 0.0) ** 2 + max(second, 0.0) ** 2) ** 0.5)


class _Options(AnyColumns, total=False):
    model_error: float | str | None
    accuracy: float | str | None
    model_value: float | str | None
    value: float | str | None
    model_scores: object
    confusion: object
    labels: object
    predictions: object
    prediction: str | Sequence[str] | None
    metric: str | None
    costs: object
    at: float | None
    prior: object
    interval: str | None
    level: float
    same_labelling: bool
    rng: RandomLike


@overload
def headroom(
    estimate: object,
    errors: int | None = None,
    n: int | None = None,
    *,
    group: None = None,
    **options: Unpack[_Options],
) -> Verdict: ...
@overload
def headroom(
    estimate: object,
    errors: int | None = None,
    n: int | None = None,
    *,
    group: str,
    **options: Unpack[_Options],
) -> Groups[Verdict]: ...
@explains_keywords
def headroom(
    estimate: Any,
    errors: int | None = None,
    n: int | None = None,
    *,
    model_error: float | str | None = None,
    accuracy: float | str | None = None,
    model_value: float | str | None = None,
    model_scores: object = None,
    confusion: object = None,
    labels: object = None,
    predictions: object = None,
    prediction: str | Sequence[str] | None = None,
    metric: str | None = None,
    costs: object = None,
    at: float | None = None,
    prior: object = None,
    interval: str | None = "auto",
    level: float = 0.95,
    same_labelling: bool = False,
    complete: bool = False,
    group: str | None = None,
    rng: RandomLike = 0,
    **columns: Any,
) -> Any:
    """Say whether a model can still improve, is at the limit, or looks too good to be true.

    Parameters
    ----------
    estimate : Estimate, float, table, dataframe or path
        The floor, with an interval, or as a plain number (0.05 or "5%") that is taken for exact;
        or data whose floor is estimated by the default method; or scores, with `labels` and
        `predictions`.
    errors : int
        How many of `n` test items the model got wrong; or give `model_error`.
    n : int
        Number of test items.
    model_error : float or str
        The model's error as a fraction of `n`, in place of `errors`: 0.08, or "8%".
    accuracy : float or str
        The same as an accuracy: 0.92, or "92%".
    model_value : float or str
        The model's value of the floor's metric on `n` test items, such as its AUC. `value` is
        another name of it.
    model_scores : array-like of shape (n,) or (n, classes)
        The model's scores of test items, with their `labels`: for AUC and average precision any
        numbers; for Brier score, log-loss and selective error its probabilities.
    confusion : array-like of shape (classes, classes)
        Number of test items of each true class (rows) and decision (columns): for error, balanced
        error, cost, F1 and MCC.
    labels : array-like of shape (n,), optional
        Next to an array of scores: the label of each item. Next to an Estimate: that of test items.
        0 and 1, -1 and 1, or words, of which `positive` says which one is class 1.
    predictions : array-like of shape (n,), optional
        What the model predicts for each of these items, in the numbers or words of the labels. Next
        to words, 0 and 1 are the first and second of `classes`, and are refused without it. Next
        to ratings, or what `from_ratings` returns: the model's number for each item, in the order
        in which items first appear. The verdict then has `share` and `worth`, and the arguments of
        `from_ratings` go with it.
    prediction : str or sequence of str, optional
        Column of a dataframe or file with the model's predictions, in place of `errors` and `n`.
        Floor and model then share their items, and a paired test decides on room. Of metrics that
        go by scores the column holds the model's scores, of many classes one column each in the
        order of the classes, and the test is left out. Next to votes the model is compared with
        panels of the other people, as in `people`.
    metric : str, optional
        For data, or a floor that is a number: as in `from_scores`. By default that of the
        Estimate.
    costs : (float, float) or array-like of shape (classes, classes), optional
        What each kind of error costs, with ``metric="cost"``.
    at : float, optional
        The share of items to answer, or the error to allow, of metrics that abstain.
    prior : float or sequence of float, optional
        The share of class 1, or of each class, where it is known; for balanced error and AUC.
    interval : str
        For data: the interval of their floor, as in `from_scores` or `from_votes`.
    level : float
        Confidence level.
    same_labelling : bool
        For a floor from votes: whether the test labels were drawn as the votes were. If not,
        the floor is that of another labelling, and the verdict comes with a warning.

    score : str or sequence of str, optional
        Column of the scores, or one for each class; guessed where the names leave no doubt.
    label : str, optional
        Column of the labels; guessed likewise.
    soft : str or sequence of str, optional
        Column of the true probabilities, or one for each class.
    positives : str, optional
        Column of the number of votes for class 1.
    totals : str or int, optional
        Column of the number of all votes, or that number if all items have the same.
    counts : str or sequence of str, optional
        Columns of the number of votes for each class, or a pattern such as "n_*".
    item : str, optional
        Column of the item, where a row is a single vote.
    vote : str, optional
        Column of the vote in such rows.
    annotator : str, optional
        Column of the annotator in such rows.
    annotators : sequence of str, optional
        Columns of votes, one for each annotator.
    positive : optional
        The label that means class 1; all others then mean class 0.
    positive_from : float, optional
        For ratings: numbers from here on mean class 1, in place of `positive`.
    classes : sequence of str, optional
        Names of all classes, in order, as in `from_scores`.
    group : str, optional
        Column: the model is compared with the floor of each of its values.
    drop_missing : bool
        Whether to leave out rows where something is missing, which are an error otherwise.
    complete : bool
        For scores: declare that nothing else that a model could see matters, as in `from_scores`.
    rng : None, int or numpy.random.Generator
        Seed of a floor that is estimated here, 0 by default; None draws a new one.

    Returns
    -------
    Verdict
        "room" if the difference of model error and floor is above 0 at this level. Else, of a floor
        whose limits both hold for any model: "beyond" if the difference is below 0, which no model
        can reach, or "saturated". Of scores, which bound the floor from one side: "better" if the
        model is better than the best rule on the scores, or "matches". Of limits that bound no
        model "open". With `group`, one for each of its values.

    Notes
    -----
    The limits of the difference combine those of its two parts as squares of distances add [1]_,
    which is right for independent parts. Few votes per item leave a range of floors open, which is
    no noise: next to a floor from votes there is room if the lower limit of the model's error is
    above the upper limit of the floor, and the other way round.

    With predictions a sign test decides on room. If no rule in the score and the prediction beats
    the model, each prediction is wrong with probability at most 1/2 given both. The statistic is
    the largest (wrong - right) / sqrt(items) over pairs of a prefix of the items predicted 0, by
    falling score, and one of those predicted 1, by rising score; fair coins give its p-value at any
    number of items. "Room" then means that a better rule exists, even where scores are out of
    order. The model must not have been trained on these labels. The limits of the difference are
    those for independent parts, which are too wide where items are shared.

    Scores that are not declared complete cannot tell a leak from a model that sees more. With
    predictions a second test says whether the model beats every threshold on the scores
    (`information`): its p-value is the largest of McNemar's one-sided tests against all
    thresholds, exact at any number of items.

    References
    ----------
    .. [1] G. Zou and A. Donner, "Construction of confidence limits about effect measures",
       Statistics in Medicine 27, 2008.

    Examples
    --------
    >>> from errorfloor import from_scores
    >>> floor = from_scores([0.2, 0.2, 0.2, 0.8, 0.8] * 40, [0, 0, 1, 1, 1] * 40, rng=0)
    >>> headroom(floor, errors=430, n=1000).verdict
    'room'
    """
    if columns.get("on") is not None:  # a file of labels, which is joined to that of the data
        columns["labels"], labels = labels, None
    if (value := columns.pop("value", None)) is not None:
        if model_value is not None:
            raise InputError("`model_value` and `value` are two names of one thing. Give one.")
        model_value = value
    options = record_of(ModelOptions, locals()).with_error()
    if is_about_ratings(estimate, metric, columns):
        own = {"prediction": prediction, "metric": metric, "level": level, "group": group}
        own["interval"] = None if interval == "auto" else interval
        return headroom_of_ratings(estimate, options, own, rng=rng, **columns)
    level = check_level(level)
    options = replace(options, same_labelling=as_flag(same_labelling, name="same_labelling"))
    columns = {
        "group": group,
        **({"complete": complete} if complete is not False else {}),
        **columns,
    }
    asked = None if metric is None else MetricChoice(metric, costs, at, prior)
    if asked is None and any(value is not None for value in (costs, at, prior)):
        raise InputError(
            "`costs`, `at` and `prior` go with a `metric`. Name it, or leave them out."
        )
    is_floor = isinstance(estimate, Estimate | Groups | Real | np.number)
    if interval is None:
        raise InputError("A verdict needs an interval: leave out `interval=None`.")
    if interval != "auto" and is_floor:
        refuse_with_estimate(["interval"])
    if prediction is not None or (predictions is not None and not is_floor):
        ask = Ask.about(asked or MetricChoice(), interval=interval, level=level, rng=rng)
        return _by_predictions(estimate, options, prediction, columns, ask)
    if is_floor and labels is not None:
        options = replace(options, positive=columns.pop("positive", None))
        if len(getattr(estimate, "classes", ())) == 2:
            options = replace(options, classes=as_classes(columns.pop("classes", None)))
    ask = Ask.about(asked or MetricChoice(), interval=interval, level=level, rng=rng)
    return verdict_on(_as_floor(estimate, asked, ask, columns), options, level)


def _by_predictions(
    data: Any,
    options: ModelOptions,
    prediction: str | Sequence[str] | None,
    columns: dict[str, Any],
    ask: Ask,
) -> Verdict | Groups[Verdict]:
    """Return the verdict on a model by what it predicts for the items of the floor."""
    options.refuse_beside_predictions()
    metric = ask.choice.record
    if prediction is not None:
        for name in ("labels", "predictions"):
            if getattr(options, name) is not None:
                raise InputError(
                    f"`{name}` goes with an array of scores, and `prediction` with a dataframe or "
                    "file. Leave one out."
                )
        if not is_data(data):
            instead = "`predictions` next to an array of scores"
            if not metric.is_error:
                instead = "`model_scores` or `predictions` next to an Estimate"
            raise InputError(
                f"`prediction` is a column of a dataframe or file. Pass one, or give {instead}."
            )
        where = ReadOptions.of(**columns)
        return judging(data, where, prediction, ask, lambda how, kinds: read(data, kinds, how))()
    if not metric.is_error:
        raise InputError(
            f"`predictions` next to scores are compared by their errors. For {metric.name} "
            "estimate the floor first, and pass it with `labels` and `predictions`."
        )
    pair = Pair.of(data, options.labels, options.predictions, columns)
    return beside_pair(answer(pair.reading, ask), pair, ask.level)


Reader = Callable[[ReadOptions, Sequence[Layout]], Reading]


def verdict_on(floor: Any, options: ModelOptions, level: float) -> Any:
    """Return where a model stands next to a floor, or next to that of each group."""
    options = options.with_error()
    if isinstance(floor, Groups):
        return floor.each(lambda _, one: verdict_on(one, options, level), level)
    return beside(floor, options.model(floor), level, options.same_labelling)


def judging(
    data: Any, where: ReadOptions, prediction: str | Sequence[str], ask: Ask, read_as: Reader
) -> Callable[[], Verdict | Groups[Verdict]]:
    """Read labels with a column of a model's predictions, and return what judges the model.

    Parameters
    ----------
    data
        A dataframe, files or a table, or None for what can be read only once.
    where : ReadOptions
        What was said about the columns.
    prediction : str or sequence of str
        The column, or one for each class.
    ask : Ask
        What is asked about the floor.
    read_as : callable
        Reads the data by other options and layouts.
    """
    if not ask.choice.record.is_error:
        return _judging_by_metric(data, where, prediction, ask, read_as)
    column = one_column(prediction)
    of_votes = votes_reader(data, where, column)
    if of_votes is None and data is not None and (where.group is not None or where.sampling):
        refuse_votes(where)
        return _unpaired(data, read_as(where, (SCORES,)), column, ask)
    refuse_groups(where.group)
    if of_votes is not None:
        reader, own = of_votes
        reading = read_as(own, reader.layouts)
        found = reader.found(reading)

        def by_people() -> Verdict:
            pair = VotesPair.read(reading, found, ask)
            return beside_pair(pair.floor, pair, ask.level)

        return by_people
    refuse_votes(where)
    with naming_predictions():
        pair = Pair.read(read_as(replace(where, group=column), (SCORES,)))
    return lambda: beside_pair(answer(pair.reading, ask), pair, ask.level)


def _judging_by_metric(
    data: Any, where: ReadOptions, prediction: str | Sequence[str], ask: Ask, read_as: Reader
) -> Callable[[], Verdict]:
    """Return what judges a model by another metric than error: its column may hold scores."""
    if data is None:
        raise InputError(
            "`prediction` with `metric` reads a file twice. Save standard input as a file, and "
            "name that."
        )
    refuse_groups(where.group)
    refuse_votes(where)
    kept = where
    if "soft" in where.columns:  # next to which labels are the model's
        columns = {name: one for name, one in where.columns.items() if name != "label"}
        kept = replace(where, columns=columns)
    reading = read_as(kept, (SCORES, SOFT_LABELS))

    def by_metric() -> Verdict:
        floor = answer(reading, ask)
        model = read_model(data, where, prediction, floor)
        return beside(floor, model, ask.level, same_labelling=True)

    return by_metric


def _unpaired(
    data: Any, reading: Reading, column: str, ask: Ask
) -> Callable[[], Verdict | Groups[Verdict]]:
    """Return what judges a model by weighted errors, or by those of each group.

    The limits of the difference are those for independent parts, which are too wide where items
    are shared; there is no paired test.
    """
    from errorfloor.data.models import ModelRows

    source = reading.source
    where = replace(source.options, columns={"label": source.columns["label"]}, unlabelled=False)
    rows = ModelRows.read(data, where, (column,))
    given = {"prediction": column}

    def judge() -> Verdict | Groups[Verdict]:
        floor: Any = answer(reading, ask)
        if not isinstance(floor, Groups):
            return beside(floor, error_in(rows, column, given), ask.level, True)
        parts = {str(name): one for name, one in rows.by_group.items()}
        return floor.each(
            lambda name, one: beside(
                one, error_in(parts[text_of(name)], column, given), ask.level, True
            ),
            ask.level,
        )

    return judge


def _as_floor(
    estimate: Any,
    asked: MetricChoice | None,
    ask: Ask,
    columns: dict[str, Any],
) -> Any:
    """Return the floor of data or of a number, or the Estimate as it is."""
    if isinstance(estimate, Real | np.number) or percentage(estimate) is not None:
        return given_floor(estimate, asked or MetricChoice(), ask.level)
    if not isinstance(estimate, Estimate | Groups):
        if not is_data(estimate):
            raise InputError(
                f"`estimate` must be an Estimate with an interval, got {shown(estimate)}. Estimate "
                "the floor by `from_scores()`, `from_votes()` or `from_soft_labels()`; or pass a "
                "table, a dataframe or a file."
            )
        return floor_of(estimate, ReadOptions.of(**columns), ask)
    for name in columns:
        if name in metrics.names():
            raise InputError(f"Give a model's value as `model_value`, not as `{name}`.")
    refuse_with_estimate(
        name for name, value in columns.items() if value is not None or name != "group"
    )
    first = next(iter(estimate.values())) if isinstance(estimate, Groups) else estimate
    if asked is not None and asked.of(len(first.classes)) != first.measure:
        raise InputError(
            f"`metric={asked.metric!r}` is not what the Estimate is of, the {first.measure.words}. "
            "Leave it out, or estimate again."
        )
    return estimate


def beside_pair(floor: Estimate, pair: Pair | VotesPair, level: float) -> Verdict:
    """Return where the model of the predictions stands next to the floor of the same items."""
    information = None if floor.claim.any_model else pair.information()
    found = beside(floor, pair.model(), level, True, test=pair.test(), information=information)
    return replace(found, people=people_in(pair.compared)) if isinstance(pair, VotesPair) else found


@dataclass(frozen=True, slots=True)
class _Given:
    """A floor that somebody knows."""

    value: float
    method: str = GIVEN

    def limits(self, level: float) -> tuple[float, float]:
        """Return the value, twice."""
        return self.value, self.value


def given_floor(estimate: Any, asked: MetricChoice, level: float) -> Estimate:
    """Return a number as the floor that it is said to be."""
    record = asked.record
    if not record.is_fraction and not isinstance(estimate, str) and 0 <= estimate < np.inf:
        value = float(estimate)
    else:
        value = as_fraction(estimate, name="estimate")
    evidence = _Given(value)
    return Estimate(
        value=value,
        method=evidence.method,
        interval=Interval(value, value, level, evidence.method),
        n=0,
        assumptions=f"The {record.limit} was given as a number, and is treated as exact.",
        metric=asked.metric,
        evidence=evidence,
        options=asked.kept(),
    )


def beside(
    floor: Estimate,
    model: Model,
    level: float,
    same_labelling: bool,
    test: PairedTest | None = None,
    information: PairedTest | None = None,
) -> Verdict:
    """Return where a model stands next to a floor; a test of "no room" decides on room."""
    gap = Gap.of(model, floor, _evidence(floor))
    low, high = gap.limits(level)
    p_room, p_beyond = gap.p_values(level)
    if test is not None:
        p_room = test.p
        found = test.shows(level) or (gap.leaves_open and low > 0)
        low = max(low, 0.0) if found else min(low, 0.0)
        high = max(high, low)
    else:
        found = low > 0 and floor.claim.reachable(floor.measure)
    better = high < 0 or (information is not None and information.shows(level))
    model_low, model_high = model.evidence.limits(level)
    return Verdict(
        verdict=ROOM if found else _without_room(floor, better),
        difference=gap.value,
        low=low,
        high=high,
        level=level,
        p_room=p_room,
        p_beyond=p_beyond,
        model_error=model.value,
        n=model.n,
        model=Interval(model_low, model_high, level, model.evidence.method),
        floor=floor if floor.level == level else floor.at_level(level),
        same_labelling=same_labelling,
        warnings=_doubts(floor, same_labelling),
        test=test,
        information=information,
        given=model.given,
    )


def _without_room(floor: Estimate, better: bool) -> str:
    """Return the verdict on a model that was not shown to have room: what the claim allows."""
    claim, metric = floor.claim, floor.measure
    if better and claim.unbeatable(metric):
        return BEYOND
    if not claim.reachable(metric):
        return OPEN
    if claim.any_model:
        return SATURATED
    return BETTER if better else MATCHES


def _evidence(floor: Estimate) -> Evidence:
    """Return the limits of a floor at any level, or say that it has none to compare with."""
    if isinstance(floor, FeaturesEstimate) and not floor.is_limit:
        raise InputError(
            f"`estimate` comes from features by {floor.method}, which gives no limit to compare "
            "with. Use the default method of `from_features()`, or `from_votes()`."
        )
    if floor.evidence is None:
        raise InputError("`estimate` has no interval. Estimate the floor without `interval=None`.")
    return floor.evidence


def _doubts(floor: Estimate, same_labelling: bool) -> tuple[str, ...]:
    method = method_of(floor)
    if same_labelling or method is None or method.reads != VoteTable.kind:
        return ()
    message = (
        f"The {floor.measure.limit} was estimated from votes. If the test labels were made in "
        "another way (other people, other instructions, sharper images), their "
        f"{floor.measure.limit} differs. If the file has the labels that your model was "
        "measured on, name their column with `label`; if those were collected like the votes, "
        "add `same_labelling=True`."
    )
    return (warn(message, LabelShiftWarning),)
