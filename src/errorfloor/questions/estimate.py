"""From labels to a floor: soft labels, votes, or scores with one label per item."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack, overload

from errorfloor import methods
from errorfloor._checks import InputError, argument
from errorfloor._typing import RandomLike
from errorfloor.data.layouts import BESIDE_LABELS, of_kind
from errorfloor.data.read import Where, read
from errorfloor.data.tables import ScoreTable, SoftTable, VoteTable
from errorfloor.methods.record import Clip, Options
from errorfloor.metrics.asked import Asked
from errorfloor.questions.answer import Request
from errorfloor.questions.cap import ModelError
from errorfloor.questions.keywords import ScoreOptions, SoftOptions, VoteOptions
from errorfloor.questions.question import Question
from errorfloor.questions.reading import check_scale, read_scores, read_shares
from errorfloor.results import Estimate, Groups, VotesEstimate


@overload
def from_soft_labels(
    soft_labels: object, *, group: None = None, **options: Unpack[SoftOptions]
) -> Estimate: ...
@overload
def from_soft_labels(
    soft_labels: object, *, group: str, **options: Unpack[SoftOptions]
) -> Groups[Estimate]: ...
def from_soft_labels(
    soft_labels: object,
    *,
    soft: str | Sequence[str] | None = None,
    classes: Sequence[object] | None = None,
    group: str | None = None,
    simultaneous: bool = False,
    weight: object = None,
    cluster: object = None,
    drop_missing: bool = False,
    metric: str = "error",
    costs: object = None,
    at: float | None = None,
    prior: object = None,
    interval: str | None = "auto",
    level: float = 0.95,
    n_resamples: int = 1000,
    rng: RandomLike = None,
) -> Any:
    """Estimate the error floor from true probabilities of the classes.

    Parameters
    ----------
    soft_labels : array-like of shape (n,) or (n, classes), SoftTable, dataframe or path
        P(y = 1 | x) of each item, in [0, 1]; or the probability of each class, which add up to 1.
        Of a ScoreTable the scores are taken, and its labels are not used.
    soft : str or sequence of str, optional
        Column of a dataframe or file that has the soft labels, or one for each class, or one with
        lists; guessed where only one can be.
    classes : sequence of str, optional
        As in `from_scores`.
    group, simultaneous, weight, cluster, drop_missing
        As in `from_scores`.
    metric, costs, at, prior
        As in `from_scores`.
    interval : {"auto", "betting", "hoeffding", "jackknife", "bca", "basic", "percentile"} or None
        "betting", the default, and "hoeffding", the paper's sqrt(log(2 / (1 - level)) / (8 n)),
        hold for any n and any distribution; betting is much narrower. For AUC, average precision,
        MCC and balanced error "jackknife" is the default, which is measured. None skips the
        interval.
    level : float
        Confidence level.
    n_resamples : int
        Bootstrap resamples, for the intervals that use them.
    rng : None, int or numpy.random.Generator
        Makes the interval repeatable.

    Returns
    -------
    Estimate
        Its value is the mean of ``min(p, 1 - p)``, unbiased for the Bayes error [1]_.

    References
    ----------
    .. [1] T. Ishida et al., "Is the performance of my deep network too good to be true?",
       ICLR 2023, arXiv:2202.00395.

    Examples
    --------
    >>> print(from_soft_labels([0.1, 0.5, 0.9, 0.2], interval=None))
    floor 22.50 % (clean, n = 4)
    """
    asked = Asked(metric, costs, at, prior)
    request = Request.of(interval, level, n_resamples, rng)
    where = Where.of(
        soft=soft,
        classes=classes,
        group=group,
        drop_missing=drop_missing,
        weight=weight,
        cluster=cluster,
    )
    reading = read(soft_labels, of_kind(SoftTable.kind), where)
    return Question.about(asked, reading).answer(reading, request, rng, simultaneous)


@overload
def from_votes(
    votes: object = None,
    totals: object = None,
    *,
    group: None = None,
    **options: Unpack[VoteOptions],
) -> VotesEstimate: ...
@overload
def from_votes(
    votes: object = None, totals: object = None, *, group: str, **options: Unpack[VoteOptions]
) -> Groups[VotesEstimate]: ...
def from_votes(
    votes: object = None,
    totals: object = None,
    *,
    positives: object = None,
    counts: str | Sequence[str] | None = None,
    item: str | None = None,
    vote: str | None = None,
    annotator: str | None = None,
    annotators: Sequence[str] | None = None,
    annotations: str | None = None,
    duplicates: str = "error",
    label: str | None = None,
    labels: object = None,
    positive: object = None,
    positive_from: float | None = None,
    classes: Sequence[object] | None = None,
    group: str | None = None,
    simultaneous: bool = False,
    weight: object = None,
    cluster: object = None,
    drop_missing: bool = False,
    metric: str = "error",
    costs: object = None,
    at: float | None = None,
    prior: object = None,
    method: str | None = None,
    totals_by: str = "chance",
    stopping: str | None = None,
    majority: int | None = None,
    interval: str | None = "auto",
    level: float = 0.95,
    n_resamples: int = 1000,
    model_error: ModelError = None,
    rng: RandomLike = None,
) -> Any:
    """Estimate the error floor from the votes of several annotators per item.

    Parameters
    ----------
    votes : array-like of shape (n,) or (n, classes), VoteTable, dataframe or path
        Number of votes for class 1 on each item; `positives` is another name for it. Or the number
        of votes for each class.
    totals : int or array-like of shape (n,), or str
        Number of all votes on each item, or its column; left out when `votes` is a table, or has a
        column for each class.
    positives, counts, item, vote, annotator, annotators, annotations
        Columns of a dataframe or file, in one of the layouts of `errorfloor.frames.vote_table`;
        guessed where their names leave no doubt.
    positive, positive_from, classes
        As in `errorfloor.frames.vote_table`.
    duplicates : {"error", "first", "last", "all"}
        What to do with several votes of one annotator on an item, in rows of their own.
    label : str, optional
        Column of one true (gold) label per item. The floor is then that of this label: the shares
        of votes are scores, as in the paper, and methods and intervals are those of `from_scores`.
    labels : array-like of shape (n,), optional
        The same where votes are arrays: 0 or 1 for each item; of more classes as in `from_scores`.
    group, simultaneous, weight, cluster, drop_missing
        As in `from_scores`.
    metric, costs, at, prior
        As in `from_scores`.
    method : {"mixture", "plugin"}, optional
        "mixture", the default, fits the distribution of the items' probabilities by maximum
        likelihood, which two or three votes per item suffice for. "plugin" is the paper's `hard`:
        vote shares in place of probabilities, too low by an amount that shrinks as votes are added.
    totals_by : {"chance", "item", "votes"}
        Why items have unequal numbers of votes. "chance": for reasons that have nothing to do with
        the item. "item": some kinds of items get more votes, so each total has a distribution of
        its own. "votes": votes were collected until they agreed, a third after two that differ.
        A wrong choice makes a wrong floor, and counts alone do not always tell.
    stopping : str, optional
        With ``totals_by="votes"``, the rule: "third" (two votes, and a third if they differ),
        "lead-2" (until one label is two votes ahead), "lead-2-max-7" (the same up to 7 votes) and
        so on. The "certified" interval needs it.
    majority : int, optional
        The floor for the majority of so many votes, ties of an even number broken at random,
        instead of that for one more annotator's vote.
    interval : str or None
        For the mixture "likelihood" (the default: the floors of all distributions that the votes
        make likely, measured to cover), "annotators" (the same for the vote of a fresh annotator;
        the default where annotator ids are known and enough people voted) or "certified" (valid
        for every distribution, any n and any number of votes; of metrics other than error, for
        those that means over items decide). For the plug-in, whose interval is for its expectation,
        those of `from_soft_labels`. None skips the interval.
    level : float
        Confidence level.
    n_resamples : int
        Bootstrap resamples, for the intervals that use them.
    model_error : (int, int) or float, optional
        Errors of a model and the number of items, on fresh labels of the same kind: no model errs
        less than the floor, so they cap the estimate and its upper limit, whose level pays for the
        model's own uncertainty. A bare rate is taken for an upper limit of the floor, and the
        estimate carries the paper's bound on the plug-in's bias.
    rng : None, int or numpy.random.Generator
        Makes intervals of the plug-in repeatable; the mixture uses no random numbers.

    Returns
    -------
    VotesEstimate

    Examples
    --------
    >>> print(from_votes([0, 1, 3, 2], totals=3, method="plugin", interval=None))
    floor 16.67 % for one more annotator's vote (plugin, n = 4)
    >>> print(from_votes([0] * 375 + [1] * 250 + [2] * 375, totals=2, interval=None))
    floor 18.17 % for one more annotator's vote (mixture, n = 1,000)
    """
    kind = VoteTable.kind if label is None and labels is None else ScoreTable.kind
    asked = Asked(metric, costs, at, prior)
    if method is not None:  # before the data are read, which may take long
        methods.check_name(method, kind, asked.metric)
    options = Options(totals_by=totals_by, stopping=stopping, majority=majority)
    if kind == ScoreTable.kind and options != Options():
        raise InputError(
            *(argument("totals_by"), ", ", argument("stopping"), " and ", argument("majority")),
            *(" are about floors of votes. Leave them out, or leave out ", argument("label"), "."),
        )
    request = Request.of(interval, level, n_resamples, rng)
    if votes is None:
        votes, positives = positives, None
    where = Where.of(
        positives=positives,
        counts=counts,
        item=item,
        vote=vote,
        annotator=annotator,
        annotators=annotators,
        annotations=annotations,
        duplicates=duplicates,
        label=label,
        positive=positive,
        positive_from=positive_from,
        classes=classes,
        group=group,
        drop_missing=drop_missing,
        weight=weight,
        cluster=cluster,
    )
    if labels is not None:
        reading = read_shares(votes, totals, labels, where)
    else:
        layouts = of_kind(VoteTable.kind) if label is None else BESIDE_LABELS
        reading = read(votes, layouts, where, second=totals)
    question = Question.about(asked, reading, method, options, model_error)
    return question.answer(reading, request, rng, simultaneous)


@overload
def from_scores(
    scores: object,
    labels: object = None,
    *,
    group: None = None,
    **options: Unpack[ScoreOptions],
) -> Estimate: ...
@overload
def from_scores(
    scores: object, labels: object = None, *, group: str, **options: Unpack[ScoreOptions]
) -> Groups[Estimate]: ...
def from_scores(
    scores: object,
    labels: object = None,
    *,
    score: str | Sequence[str] | None = None,
    label: str | None = None,
    positive: object = None,
    positive_from: float | None = None,
    classes: Sequence[object] | None = None,
    group: str | None = None,
    simultaneous: bool = False,
    weight: object = None,
    cluster: object = None,
    drop_missing: bool = False,
    unlabelled: bool = False,
    metric: str = "error",
    costs: object = None,
    at: float | None = None,
    prior: object = None,
    method: str | None = None,
    interval: str | None = "auto",
    level: float = 0.95,
    n_resamples: int = 1000,
    clip: Clip = "auto",
    rng: RandomLike = None,
) -> Any:
    """Estimate the error floor from possibly distorted scores and one true label per item.

    Parameters
    ----------
    scores : array-like of shape (n,) or (n, classes), ScoreTable, dataframe or path
        Any finite numbers for isotonic, isotonic-cf, hist-K and platt; in [0, 1] for the others. Or
        a score for each class: probabilities, shares or logits.
    labels : array-like of shape (n,), optional
        0 or 1 for each item; left out when `scores` has them. Beside a score for each class: the
        classes' names, or their places from 0 on.
    score, label, positive, positive_from
        Columns of a dataframe or file, and which label means class 1, or from which number on; see
        `errorfloor.frames.score_table`. Columns are guessed where their names leave no doubt, and
        so is the class of common pairs of words, such as yes and no.
    classes : sequence of str, optional
        Names of all classes, in the order of the columns of `scores`; columns of a dataframe that
        are called so may be in another order. Without it, labels that are words are in sorted
        order, as scikit-learn has them. Of two, the second is class 1.
    group : str, optional
        Column of a dataframe or file: one estimate for each of its values.
    simultaneous : bool
        Whether all intervals of the groups hold at once at `level`, rather than each at `level`.
    weight : str or array-like of shape (n,), optional
        Column of a dataframe or file, or an array beside arrays: what each item weighs, such as
        one over its probability of selection. The floor is that of the population that the weights
        stand for. Only their ratios matter, and they are kept to seven digits.
    cluster : str or array-like of shape (n,), optional
        Column or array that says which items depend on each other: those of one patient or
        document, or copies. Limits then allow for it; at least 50 clusters are needed.
    drop_missing : bool
        Leave out rows of a dataframe or file where something is missing, or items of arrays
        without a label.
    unlabelled : bool
        Keep items without a label (None, NaN or a missing value): their scores count too. Labelled
        items must be a random part of all, or have weights; else they are refused.
    metric : str
        What "good" means: "error" (the default), "balanced-error", "cost", "brier", "log-loss",
        "auc", "average-precision", "f1", "mcc", "error-at-coverage" or "coverage-at-error".
    costs : (float, float) or array-like of shape (classes, classes), optional
        With ``metric="cost"``: what a false positive and a false negative cost, or a matrix with a
        row for each true class and a column for each decision.
    at : float, optional
        The share of items to answer for "error-at-coverage"; the error to allow for
        "coverage-at-error".
    prior : float or sequence of float, optional
        The share of class 1, or of each class, where it is known, for "balanced-error" and "auc".
        Labels beside scores need none: both look at each class by itself.
    method : str, optional
        How scores become probabilities: corrupted (not at all), isotonic (the default), isotonic-cf
        (isotonic with most of its optimism removed), hist-K (K bins of equal mass), beta, beta-am,
        beta-ab, beta-a, platt or platt-logit. Where labels are missing, ppi (prediction-powered) is
        the default, and the others speak of labelled items alone. For other metrics than error:
        isotonic, isotonic-cf, or ranking (the scores' own order) for AUC and average precision.
    interval : {"auto", "honest", "certified", "bca", "basic", "percentile"} or None
        "honest", the default of isotonic and isotonic-cf, has an exact lower limit and an upper
        limit from ten-fold cross-fitting; "certified" tests on one half what the other chose, so
        both its limits are exact for any n. Other methods default to "bca". None skips it.
    level : float
        Confidence level.
    n_resamples : int
        Bootstrap resamples, for the intervals that use them.
    clip : float or "auto"
        How far the beta family and platt-logit keep scores from 0 and 1; see `calibrate`.
    rng : None, int or numpy.random.Generator
        Makes random parts and resamples repeatable.

    Returns
    -------
    Estimate

    References
    ----------
    .. [1] R. Ushio, T. Ishida and M. Sugiyama, "Practical estimation of the optimal
       classification error with soft labels and calibration", ICLR 2026.

    Examples
    --------
    >>> print(from_scores([0.1, 0.2, 0.6, 0.7, 0.8], [0, 1, 0, 1, 1], interval=None))
    floor 20.00 % (isotonic, n = 5)
    """
    asked = Asked(metric, costs, at, prior)
    if method is not None:
        methods.check_name(method, ScoreTable.kind, asked.metric)
    options = Options(clip)
    request = Request.of(interval, level, n_resamples, rng)
    where = Where.of(
        score=score,
        label=label,
        positive=positive,
        positive_from=positive_from,
        classes=classes,
        group=group,
        drop_missing=drop_missing,
        unlabelled=unlabelled,
        weight=weight,
        cluster=cluster,
    )
    reading = read_scores(scores, labels, where)
    question = Question.about(asked, reading, method, options)
    check_scale(scores, reading, (question.method,))
    return question.answer(reading, request, rng, simultaneous)
