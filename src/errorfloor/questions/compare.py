"""Several models, or several methods, on the same items."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self, Unpack, overload

from errorfloor import checks
from errorfloor import methods as known
from errorfloor._checks import InputError
from errorfloor._keywords import record_of
from errorfloor.data.source import Reading
from errorfloor.data.tables import ScoreTable, Table
from errorfloor.methods.record import Classes, Clip, Method, Options
from errorfloor.questions.compare_models import ModelsAsk, models_in
from errorfloor.questions.question import (
    Ask,
    LimitOptions,
    Part,
    Request,
    ScoreColumns,
    answer_of_scores,
    estimates,
    first_of,
    method_for,
    takes,
    where_in,
)
from errorfloor.questions.weights import check_uses_weights
from errorfloor.results import Comparison, Groups, ModelComparison


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
        asked = ModelsAsk(choice=ask.choice if is_named else None, level=ask.level, rng=ask.rng)
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
