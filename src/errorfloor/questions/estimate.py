"""From labels to a floor: soft labels, scores with one label per item, or votes of annotators."""

from __future__ import annotations

from typing import Any, Unpack, overload

from errorfloor._checks import InputError
from errorfloor._keywords import record_of
from errorfloor.data.layouts import BESIDE_LABELS, of_kind
from errorfloor.data.read import read
from errorfloor.data.tables import ScoreTable, SoftTable, VoteTable
from errorfloor.methods.record import Options
from errorfloor.questions.question import (
    Ask,
    ScoreOptions,
    SoftOptions,
    VoteOptions,
    answer,
    answer_of_scores,
    takes,
    where_in,
)
from errorfloor.results import Estimate, Groups, VotesEstimate


@overload
def from_soft_labels(
    soft_labels: object, *, group: None = None, **options: Unpack[SoftOptions]
) -> Estimate: ...
@overload
def from_soft_labels(
    soft_labels: object, *, group: str, **options: Unpack[SoftOptions]
) -> Groups[Estimate]: ...
@takes(SoftOptions)
def from_soft_labels(
    soft_labels: object, *, group: str | None = None, **options: Unpack[SoftOptions]
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
    group : str, optional
        Column of a dataframe or file: one answer for each of its values.
    simultaneous : bool
        Whether the intervals of all groups hold at once at `level`, rather than each at `level`.
    weight : str or array-like of shape (n,), optional
        What each item weighs, as in `from_scores`.
    cluster : str or array-like of shape (n,), optional
        Which items depend on each other, as in `from_scores`.
    drop_missing : bool
        Whether to leave out rows where something is missing, which are an error otherwise.
    metric : str
        What "good" means, "error" by default; the others are listed in `from_scores`.
    costs : (float, float) or array-like of shape (classes, classes), optional
        What each kind of error costs, with ``metric="cost"``.
    at : float, optional
        The share of items to answer, or the error to allow, of metrics that abstain.
    prior : float or sequence of float, optional
        The share of class 1, or of each class, where it is known; for balanced error and AUC.
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
        Seed of the interval, 0 by default: the same call gives the same answer. None draws a new
        one.

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
    floor 22.5 % (n = 4, method clean)
    """
    ask = record_of(Ask, options).checked(SoftTable.kind)
    return answer(read(soft_labels, of_kind(SoftTable.kind), where_in(options, group)), ask)


@overload
def from_scores(
    scores: object, labels: object = None, *, group: None = None, **options: Unpack[ScoreOptions]
) -> Estimate: ...
@overload
def from_scores(
    scores: object, labels: object = None, *, group: str, **options: Unpack[ScoreOptions]
) -> Groups[Estimate]: ...
@takes(ScoreOptions)
def from_scores(
    scores: object,
    labels: object = None,
    *,
    group: str | None = None,
    **options: Unpack[ScoreOptions],
) -> Any:
    """Bound the error floor by scores and one true label per item, or estimate it if complete.

    Parameters
    ----------
    scores : array-like of shape (n,) or (n, classes), ScoreTable, dataframe or path
        Any finite numbers for isotonic, isotonic-cf, hist-K and platt; in [0, 1] for the others. Or
        a score for each class: probabilities, shares or logits.
    labels : array-like of shape (n,), or path, optional
        0 or 1 for each item; left out when `scores` has them. Next to a score for each class: the
        classes' names, or their places from 0 on.
    score : str or sequence of str, optional
        Column of the scores, or one for each class; guessed where the names leave no doubt.
    label : str, optional
        Column of the labels; guessed likewise.
    on : str, optional
        Where `scores` and `labels` are two files: the column that both have, by which rows find
        their label, or "a=b" if its names differ. What did not match is counted.
    positive : optional
        The label that means class 1; all others then mean class 0. Guessed of common pairs of
        words, such as yes and no.
    positive_from : float, optional
        For ratings: numbers from here on mean class 1, in place of `positive`.
    classes : sequence of str, optional
        Names of all classes, in the order of the columns of `scores`; columns of a dataframe that
        are called so may be in another order. Without it, labels that are words are in sorted
        order, as scikit-learn has them. Of two, the second is class 1.
    group : str, optional
        Column of a dataframe or file: one estimate for each of its values.
    simultaneous : bool
        Whether all intervals of the groups hold at once at `level`, rather than each at `level`.
    weight : str or array-like of shape (n,), optional
        Column of a dataframe or file, or an array next to arrays: what each item weighs, such as
        one over its probability of selection. The floor is that of the population that the weights
        stand for. Only their ratios matter, to seven digits.
    cluster : str or array-like of shape (n,), optional
        Column or array that says which items depend on each other: those of one patient or
        document, or copies. Limits then allow for it; at least 50 clusters are needed.
    missing : str, int or list, optional
        Answers of a dataframe or file that mean no answer, such as 99: they are missing.
    drop_missing : bool
        Leave out rows of a dataframe or file where something is missing, or items of arrays
        without a label.
    unlabelled : bool
        Keep items without a label (None, NaN or a missing value): for the error their scores count
        too, for other metrics a note says that they do not. Labelled items must be a random part of
        all, or have weights; else they are refused.
    complete : bool
        Declare that nothing else that a model could see would change what these scores say. Value
        and both limits are then those of the floor, as far as the method's assumption holds. No
        check can confirm it. Without it the answer bounds the floor from one side: a model that
        sees more than the scores may do better.
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
        Labels next to scores need none: both look at each class by itself.
    method : str, optional
        How scores become probabilities: corrupted (not at all), isotonic, isotonic-cf (the default:
        isotonic with most of its optimism removed), hist-K (K bins of equal mass), beta, beta-am,
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
        Seed of random parts and resamples, 0 by default: the same call gives the same answer. None
        draws a new one.

    Returns
    -------
    Estimate

    References
    ----------
    .. [1] R. Ushio, T. Ishida and M. Sugiyama, "Practical estimation of the optimal
       classification error with soft labels and calibration", ICLR 2026.

    Examples
    --------
    >>> from_scores([0.1, 0.2, 0.6, 0.7, 0.8], [0, 1, 0, 1, 1], interval=None).value
    0.4
    """
    ask = record_of(Ask, options).checked(ScoreTable.kind)
    return answer_of_scores(scores, labels, where_in(options, group), ask)


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
@takes(VoteOptions)
def from_votes(
    votes: object = None,
    totals: object = None,
    *,
    group: str | None = None,
    **options: Unpack[VoteOptions],
) -> Any:
    """Estimate the error floor from the votes of several annotators per item.

    Parameters
    ----------
    votes : array-like of shape (n,) or (n, classes), VoteTable, dataframe or path
        Number of votes for class 1 on each item, or for each class. A bare array with columns is
        read as numbers of votes for each class only where all rows have one and the same total,
        above 1, and some entry is above 1; else it may hold single votes, and is refused. Ratings
        of annotators whose rows happen to add up to the same number, such as [[1, 2], [2, 1]], look
        like such counts: name what the columns are with `counts` or `annotators`.
    totals : int or array-like of shape (n,), or str
        Number of all votes on each item, or its column; left out when `votes` is a table, or has a
        column for each class.
    positives : str or array-like of shape (n,), optional
        Column of the number of votes for class 1 in a dataframe or file; guessed, like those below,
        where the names leave no doubt. Or another name for `votes`.
    counts : str or sequence of str, or array-like of shape (n, classes), optional
        Columns of the number of votes for each class, or a pattern such as "n_*". Or the numbers
        themselves, with a column for each class.
    item : str, optional
        Column of the item, where a row is a single vote.
    vote : str, optional
        Column of the vote in such rows.
    annotator : str, optional
        Column of the annotator in such rows.
    annotators : sequence of str, or array-like of shape (n, raters), optional
        Columns of votes, one for each annotator. Or the single votes themselves, numbers or words,
        with a column for each annotator, and None, NaN, NA or masked where there is no vote.
    annotations : str, optional
        Column that holds all votes of an item, as lists or as text such as 0;1;1.
    positive : optional
        The vote that means class 1; all others then mean class 0.
    positive_from : float, optional
        For ratings: numbers from here on mean class 1, in place of `positive`.
    classes : sequence of str, optional
        Names of all classes, in order, also of those that nobody voted for.
    duplicates : {"error", "first", "last", "all"}
        What to do with several votes of one annotator on an item, in rows of their own.
    label : str, optional
        Column of one true (gold) label per item. The answer then bounds the floor of this label:
        the shares of votes are scores, and methods and intervals are those of `from_scores`.
    labels : array-like of shape (n,), or path, optional
        The same where votes are arrays: 0 or 1 for each item; of more classes as in `from_scores`.
        Or, with `on`, a second file that has the labels.
    on : str, optional
        Where `votes` and `labels` are two files: the column that both have, as in `from_scores`.
    label_is_vote : bool
        Whether the label is one more vote of the same kind: of a person like those who voted, who
        answered the same question without knowing their votes. It is then added to the votes, and
        the floor is that of one more vote. A check compares how often the label agrees with votes
        and how often votes agree with each other.
    group : str, optional
        Column of a dataframe or file: one answer for each of its values.
    simultaneous : bool
        Whether the intervals of all groups hold at once at `level`, rather than each at `level`.
    weight : str or array-like of shape (n,), optional
        What each item weighs, as in `from_scores`.
    cluster : str or array-like of shape (n,), optional
        Which items depend on each other, as in `from_scores`.
    missing : str, int or list, optional
        Answers of a dataframe, a file or `annotators` that mean no answer, such as 99: they are
        missing.
    drop_missing : bool
        Whether to leave out rows where something is missing, which are an error otherwise.
    metric : str
        What "good" means, "error" by default; the others are listed in `from_scores`.
    costs : (float, float) or array-like of shape (classes, classes), optional
        What each kind of error costs, with ``metric="cost"``.
    at : float, optional
        The share of items to answer, or the error to allow, of metrics that abstain.
    prior : float or sequence of float, optional
        The share of class 1, or of each class, where it is known; for balanced error and AUC.
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
        make likely, measured to cover; for the votes of these annotators where they are known),
        "annotators" (the same for the vote of a new annotator; the default from 20 known ones on,
        and given from 5 on) or "certified" (valid for every distribution, any n and any number of
        votes; of metrics other than error, for those that means over items decide). For the
        plug-in, whose interval is for its expectation, those of `from_soft_labels`. None skips the
        interval.
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
        Seed of the intervals of the plug-in, 0 by default; None draws a new one. The mixture uses
        no random numbers.

    Returns
    -------
    VotesEstimate

    Examples
    --------
    >>> print(from_votes([0, 1, 3, 2], totals=3, interval=None))
    floor 25.3 % for one more annotator's vote (n = 4, method mixture)
    >>> counts = [[3, 0], [2, 1], [0, 1], [0, 3]]
    >>> print(from_votes(counts=counts, classes=["cat", "dog"], interval=None))
    floor 10.8 % for one more annotator's vote (n = 4, method mixture)
    >>> print(from_votes([0] * 375 + [1] * 250 + [2] * 375, totals=2, interval=None))
    floor 18.2 % for one more annotator's vote (n = 1,000, method mixture)
    """
    labels, label = options.pop("labels", None), options.get("label")
    gold = (label is not None or labels is not None) and not options.get("label_is_vote")
    kind = ScoreTable.kind if gold else VoteTable.kind
    ask = record_of(Ask, options).checked(kind)
    if gold and ask.options != Options():
        raise InputError(
            "`totals_by`, `stopping` and `majority` are about floors of votes. Leave them out, or "
            "leave out `label`."
        )
    if votes is None:
        votes = options.pop("positives", None)
    where = where_in(options, group)
    layouts = of_kind(VoteTable.kind) if label is None and where.on is None else BESIDE_LABELS
    return answer(read(votes, layouts, where, second=totals, labels=labels), ask)
