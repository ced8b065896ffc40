"""Several models, or several methods, on the same items."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack, overload

from errorfloor import checks
from errorfloor import methods as known
from errorfloor._checks import InputError, argument
from errorfloor._keywords import told_keywords
from errorfloor._typing import RandomLike
from errorfloor.data.options import ReadOptions
from errorfloor.data.tables import ScoreTable, Table
from errorfloor.methods.record import Classes, Clip, Method, Options
from errorfloor.metrics import ERROR
from errorfloor.metrics.choice import MetricChoice
from errorfloor.questions.answer import Origin, Request, estimates
from errorfloor.questions.columns import ScoreColumns
from errorfloor.questions.compare_models import models_in
from errorfloor.questions.groups import with_intervals_by_group
from errorfloor.questions.question import method_for
from errorfloor.questions.reading import check_scale, read_scores
from errorfloor.questions.weights import check_heeds_weights
from errorfloor.results import Comparison, Groups, ModelComparison


class _Options(ScoreColumns, total=False):
    unlabelled: bool
    complete: bool
    weight: object
    cluster: object
    methods: Sequence[str] | None
    metric: str
    costs: object
    at: float | None
    prior: object
    interval: str | None
    level: float
    n_resamples: int
    clip: Clip
    rng: RandomLike


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
@told_keywords
def compare(
    scores: object = None,
    labels: object = None,
    *,
    predictions: Mapping[str, object] | None = None,
    prediction: str | Sequence[str] | None = None,
    score: str | Sequence[str] | None = None,
    label: str | None = None,
    positive: object = None,
    positive_from: float | None = None,
    classes: Sequence[object] | None = None,
    group: str | None = None,
    weight: object = None,
    cluster: object = None,
    drop_missing: bool = False,
    unlabelled: bool = False,
    complete: bool = False,
    methods: Sequence[str] | None = None,
    metric: str | None = None,
    costs: object = None,
    at: float | None = None,
    prior: object = None,
    interval: str | None = "auto",
    level: float = 0.95,
    n_resamples: int = 1000,
    clip: Clip = "auto",
    rng: RandomLike = 0,
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
        What each item weighs; methods that do not heed weights are left out.
    cluster : str or array-like of shape (n,), optional
        Which items depend on each other; methods that do not heed it are left out.
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
    where = ReadOptions.of(
        score=score,
        label=label,
        positive=positive,
        positive_from=positive_from,
        classes=classes,
        group=group,
        drop_missing=drop_missing,
        unlabelled=unlabelled,
        complete=complete,
        weight=weight,
        cluster=cluster,
    )
    if prediction is not None or predictions is not None:
        choice = None if metric is None else MetricChoice(metric, costs, at, prior)
        return models_in(scores, labels, predictions, prediction, where, choice, level, rng)
    _check(scores, methods)
    asked = MetricChoice(metric or ERROR.name, costs, at, prior)
    names = () if methods is None else tuple(methods)
    for name in names:
        known.check_name(name, ScoreTable.kind, asked.metric)
    request = Request.of(interval, level, n_resamples, rng)
    reading = read_scores(scores, labels, where)
    chosen = tuple(method_for(name, reading, asked.metric) for name in names)
    check_scale(scores, reading, chosen)
    number = len(next(iter(reading.tables.values())).classes)
    task = _Task(chosen or None, Options(clip, metric=asked.of(number)))
    if reading.source.options.group is None:
        return task.run(reading.table, request, Origin(reading.source))

    def one(table: Table, name: Any, own: Request) -> Comparison:
        return task.run(table, own, Origin(reading.source, name))

    return with_intervals_by_group(reading, request, rng, False, one)


def _check(scores: object, methods: object) -> None:
    """Refuse what leaves nothing to compare."""
    if scores is None:
        raise InputError(
            argument("scores"),
            " is missing: scores of the items, with ",
            *(argument("labels"), ". To compare models give ", argument("predictions"), "."),
        )
    if methods is not None and not (_is_list(methods) and len(methods)):  # type: ignore[arg-type]
        raise InputError(
            argument("methods"), ' must be a list of method names, such as ["isotonic", "beta"].'
        )


def _is_list(methods: object) -> bool:
    if isinstance(methods, str | bytes) or getattr(methods, "ndim", 1) != 1:
        return False
    return isinstance(methods, Collection)


@dataclass(frozen=True, slots=True)
class _Task:
    methods: tuple[Method, ...] | None
    options: Options

    def run(self, table: Table, request: Request, origin: Origin) -> Comparison:
        """Return the comparison on one table."""
        chosen, notes = self.methods, tuple[str, ...]()
        if chosen is None:
            chosen, notes = known.that_fit(table, self.options.metric.name)
        if not chosen and table.plain.entries is not None:
            able = known.reading(table.kind, Classes.of(table), self.options.metric.name)
            check_heeds_weights(table, tuple(able), self.options)
        if not chosen:
            raise known.no_method(table.kind, Classes.of(table), self.options.metric.name)
        asked = {
            "clip": self.options.clip,
            **self.options.metric.given,
            **({} if origin.group is None else {"simultaneous": False}),
        }
        own = Origin(origin.source, origin.group, asked)
        found = estimates(table, chosen, self.options, request, own)
        compared = Comparison(tuple(checks.checked(row) for row, _ in found), notes)
        checks.issue(compared.main)
        return compared
