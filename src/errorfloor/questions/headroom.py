"""Whether a model is at the floor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from numbers import Real
from typing import Any, Unpack, overload

import numpy as np

from errorfloor import intervals
from errorfloor._checks import (
    InputError,
    LabelShiftWarning,
    as_flag,
    as_fraction,
    check_level,
    percentage,
    shown,
    warn,
)
from errorfloor._keywords import explains_keywords, record_of
from errorfloor._typing import RandomLike
from errorfloor.data.layouts import SCORES, SOFT_LABELS, Layout
from errorfloor.data.options import ReadOptions
from errorfloor.data.read import is_data, read
from errorfloor.data.source import Reading
from errorfloor.data.tables import VoteTable
from errorfloor.data.values import text_of
from errorfloor.intervals.record import Evidence
from errorfloor.metrics.choice import MetricChoice
from errorfloor.questions.model_options import ModelOptions
from errorfloor.questions.models import Model, error_in
from errorfloor.questions.paired import (
    Pair,
    VotesPair,
    for_floor,
    naming_predictions,
    one_column,
    read_model,
    refuse_arrays,
    refuse_arrays_beside_column,
    refuse_groups,
    refuse_votes,
    votes_reader,
)
from errorfloor.questions.people import people_in
from errorfloor.questions.question import AnyColumns, Ask, answer, floor_of
from errorfloor.questions.rated import headroom_of_ratings, is_about_ratings
from errorfloor.results import Estimate, FeaturesEstimate, Groups, Interval, PairedTest, Verdict
from errorfloor.results.estimate import GIVEN, method_of
from errorfloor.results.verdict import BETTER, BEYOND, MATCHES, OPEN, ROOM, SATURATED

_MOST_DEVIATIONS = 7.0  # of the normal distribution, beyond which p-values are not told apart
_LARGEST_TAIL = 0.25  # at which limits of votes are asked for


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
    model_scores: object
    confusion: object
    labels: object
    predictions: object
    prediction: str | Sequence[str] | None
    metric: str | None
    costs: object
    at: float | None
    prior: object
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
        The model's value of the floor's metric on `n` test items, such as its AUC.
    model_scores : array-like of shape (n,) or (n, classes)
        The model's scores of test items, with their `labels`: for AUC and average precision any
        numbers; for Brier score, log-loss and selective error its probabilities.
    confusion : array-like of shape (classes, classes)
        Number of test items of each true class (rows) and decision (columns): for error, balanced
        error, cost, F1 and MCC.
    labels : array-like of shape (n,), optional
        Next to an array of scores: the label of each item. Next to an Estimate: that of test items.
    predictions : array-like of shape (n,), optional
        What the model predicts for each of these items; `confusion` is counted from both. Next to
        ratings, or what `from_ratings` returns: the model's number for each item, in the order in
        which items first appear. The verdict then has `share` and `worth`, and the arguments of
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
    options = record_of(ModelOptions, locals()).with_error()
    if is_about_ratings(estimate, metric, columns):
        own = {"prediction": prediction, "metric": metric, "level": level, "group": group}
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
    if prediction is not None or (predictions is not None and not _is_floor(estimate)):
        ask = Ask.about(asked or MetricChoice(), level=level, rng=rng)
        return _by_predictions(estimate, options, prediction, columns, ask)
    return verdict_on(_as_floor(estimate, asked, level, rng, columns), options, level)


def _by_predictions(
    data: Any,
    options: ModelOptions,
    prediction: str | Sequence[str] | None,
    columns: dict[str, Any],
    ask: Ask,
) -> Verdict | Groups[Verdict]:
    """Return the verdict on a model by what it predicts for the items of the floor."""
    options.refuse_beside_predictions()
    if prediction is not None:
        refuse_arrays_beside_column(options.labels, options.predictions)
        refuse_arrays(data, ask.choice.record)
        return judging(data, ReadOptions.of(**columns), prediction, ask, partial(_read, data))()
    if not ask.choice.record.is_error:
        raise _needs_a_floor(ask.choice.metric)
    pair = Pair.of(data, options.labels, options.predictions, columns)
    return beside_pair(answer(pair.reading, ask), pair, ask.level)


Reader = Callable[[ReadOptions, Sequence[Layout]], Reading]


def _read(data: Any, where: ReadOptions, layouts: Sequence[Layout]) -> Reading:
    return read(data, layouts, where)


def verdict_on(floor: Any, options: ModelOptions, level: float) -> Any:
    """Return where a model stands next to a floor, or next to that of each group."""
    options = options.with_error()
    if isinstance(floor, Groups):
        each = {
            name: beside(one, options.model(one), level, options.same_labelling)
            for name, one in floor.items()
        }
        return Groups(floor.column, each, level, dropped=floor.dropped)
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
        # Next to labels that the floor is of, the model's column may hold its scores.
        if data is None:
            raise InputError(
                "`prediction` with `metric` reads a file twice. Save standard input as a file, and "
                "name that."
            )
        reading = read_as(for_floor(where), (SCORES, SOFT_LABELS))
        return lambda: _judged_by_metric(data, where, prediction, answer(reading, ask), ask.level)
    column = one_column(prediction)
    of_votes = votes_reader(data, where, column)
    if of_votes is None and data is not None and (where.group is not None or where.sampling):
        refuse_votes({**where.columns, **where.arrays})
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
    refuse_votes({**where.columns, **where.arrays})
    with naming_predictions():
        pair = Pair.read(read_as(replace(where, group=column), (SCORES,)))
    return lambda: beside_pair(answer(pair.reading, ask), pair, ask.level)


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
        each = {
            name: beside(one, error_in(parts[text_of(name)], column, given), ask.level, True)
            for name, one in floor.items()
        }
        return Groups(floor.column, each, ask.level, dropped=floor.dropped)

    return judge


def _judged_by_metric(
    data: Any, where: ReadOptions, prediction: str | Sequence[str], floor: Estimate, level: float
) -> Verdict:
    model = read_model(data, where, prediction, floor)
    return beside(floor, model, level, same_labelling=True)


def _is_floor(estimate: object) -> bool:
    return isinstance(estimate, Estimate | Groups | Real | np.number)


def _needs_a_floor(metric: str) -> InputError:
    return InputError(
        f"`predictions` next to scores are compared by their errors. For {metric} estimate the "
        "floor first, and pass it with `labels` and `predictions`."
    )


def _as_floor(
    estimate: Any,
    asked: MetricChoice | None,
    level: float,
    rng: RandomLike,
    columns: dict[str, Any],
) -> Any:
    """Return the floor of data or of a number, or the Estimate as it is."""
    if isinstance(estimate, Real | np.number) or percentage(estimate) is not None:
        return given_floor(estimate, asked or MetricChoice(), level)
    if not isinstance(estimate, Estimate | Groups):
        if not is_data(estimate):
            raise InputError(
                f"`estimate` must be an Estimate with an interval, got {shown(estimate)}. Estimate "
                "the floor by `from_scores()`, `from_votes()` or `from_soft_labels()`; or pass a "
                "table, a dataframe or a file."
            )
        ask = Ask.about(asked or MetricChoice(), level=level, rng=rng)
        return floor_of(estimate, ReadOptions.of(**columns), ask)
    for name in (name for name, value in columns.items() if value is not None or name != "group"):
        raise InputError(f"`{name}` goes with data, not with an Estimate. Leave it out.")
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
        found = p_room <= (1 - level) / 2 or (gap.leaves_open and low > 0)
        low = max(low, 0.0) if found else min(low, 0.0)
        high = max(high, low)
    else:
        found = low > 0 and floor.claim.reachable(floor.measure)
    better = high < 0 or (information is not None and information.p <= (1 - level) / 2)
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
        f"The {floor.measure.limit} came from votes. If the test labels were made in another way "
        f"(other people, other instructions, sharper images), their {floor.measure.limit} "
        "differs. If the file has such labels, name their column with `label`; if they were "
        "collected like the votes, say `same_labelling=True`."
    )
    return (warn(message, LabelShiftWarning),)
