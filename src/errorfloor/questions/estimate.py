"""From labels to a floor: soft labels, votes, or scores with one label per item."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypedDict, Unpack, overload

from errorfloor import checks, methods
from errorfloor._checks import InputError, argument, as_probabilities
from errorfloor._typing import RandomLike
from errorfloor.data.layouts import LAYOUTS, of_kind
from errorfloor.data.read import Reading, Where, read
from errorfloor.data.table import Table
from errorfloor.data.tables import ScoreTable, SoftTable, VoteTable
from errorfloor.methods.record import Clip, Method, Options, Statistic
from errorfloor.methods.votes.mixture import MixtureFloor
from errorfloor.methods.votes.plugin import plugin
from errorfloor.questions.answer import Origin, Request, estimate
from errorfloor.questions.groups import with_intervals_by_group
from errorfloor.results import Estimate, Groups, VotesEstimate


class _Options(TypedDict, total=False):
    """What all estimates take."""

    interval: str | None
    level: float
    n_resamples: int
    rng: RandomLike
    drop_missing: bool
    simultaneous: bool


class _SoftOptions(_Options, total=False):
    soft: str | None


class _VoteOptions(_Options, total=False):
    positives: object
    item: str | None
    vote: str | None
    annotator: str | None
    annotators: Sequence[str] | None
    positive: object
    method: str
    model_error: float | None


class _ScoreOptions(_Options, total=False):
    score: str | None
    label: str | None
    positive: object
    method: str
    clip: Clip


@overload
def from_soft_labels(
    soft_labels: object, *, group: None = None, **options: Unpack[_SoftOptions]
) -> Estimate: ...
@overload
def from_soft_labels(
    soft_labels: object, *, group: str, **options: Unpack[_SoftOptions]
) -> Groups[Estimate]: ...
def from_soft_labels(
    soft_labels: object,
    *,
    soft: str | None = None,
    group: str | None = None,
    simultaneous: bool = False,
    drop_missing: bool = False,
    interval: str | None = "auto",
    level: float = 0.95,
    n_resamples: int = 1000,
    rng: RandomLike = None,
) -> Any:
    """Estimate the error floor from true probabilities of class 1.

    Parameters
    ----------
    soft_labels : array-like of shape (n,), SoftTable, dataframe or path
        P(y = 1 | x) of each item, in [0, 1]. Of a ScoreTable the scores are taken, and its labels
        are not used.
    soft : str, optional
        Column of a dataframe or file that has the soft labels; guessed where only one can be.
    group, simultaneous, drop_missing
        As in `from_scores`.
    interval : {"auto", "betting", "hoeffding", "bca", "basic", "percentile"} or None
        "betting", the default, and "hoeffding", the paper's sqrt(log(2 / (1 - level)) / (8 n)),
        hold for any n and any distribution; betting is much narrower. None skips the interval.
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
    request = Request.of(interval, level, n_resamples, rng)
    where = Where.of(soft=soft, group=group, drop_missing=drop_missing)
    reading = read(soft_labels, of_kind(SoftTable.kind), where)
    return Question(methods.DEFAULTS[SoftTable.kind]).answer(reading, request, rng, simultaneous)


@overload
def from_votes(
    votes: object = None,
    totals: object = None,
    *,
    group: None = None,
    **options: Unpack[_VoteOptions],
) -> VotesEstimate: ...
@overload
def from_votes(
    votes: object = None, totals: object = None, *, group: str, **options: Unpack[_VoteOptions]
) -> Groups[VotesEstimate]: ...
def from_votes(
    votes: object = None,
    totals: object = None,
    *,
    positives: object = None,
    item: str | None = None,
    vote: str | None = None,
    annotator: str | None = None,
    annotators: Sequence[str] | None = None,
    positive: object = None,
    group: str | None = None,
    simultaneous: bool = False,
    drop_missing: bool = False,
    method: str = "mixture",
    interval: str | None = "auto",
    level: float = 0.95,
    n_resamples: int = 1000,
    model_error: float | None = None,
    rng: RandomLike = None,
) -> Any:
    """Estimate the error floor from the votes of several annotators per item.

    Parameters
    ----------
    votes : array-like of shape (n,), VoteTable, dataframe or path
        Number of votes for class 1 on each item; `positives` is another name for it.
    totals : int or array-like of shape (n,), or str
        Number of all votes on each item, or its column; left out when `votes` is a table.
    positives, item, vote, annotator, annotators, positive
        Columns of a dataframe or file, in one of the layouts of `errorfloor.frames.vote_table`;
        guessed where their names leave no doubt.
    group, simultaneous, drop_missing
        As in `from_scores`.
    method : {"mixture", "plugin"}
        "mixture" fits the distribution of the items' probabilities by maximum likelihood, which
        two or three votes per item suffice for. "plugin" is the paper's `hard`: vote shares in
        place of probabilities, too low by an amount that shrinks as votes are added.
    interval : str or None
        For the mixture "likelihood" (the default: the floors of all distributions that the votes
        make likely, measured to cover), "annotators" (the same for the vote of a fresh annotator;
        the default where annotator ids are known and enough people voted) or "certified" (valid
        for every distribution, any n and any number of votes). For the plug-in, whose interval
        is for its expectation, those of `from_soft_labels`. None skips the interval.
    level : float
        Confidence level.
    n_resamples : int
        Bootstrap resamples, for the intervals that use them.
    model_error : float, optional
        An upper limit of the floor, such as the error of the best model known: the estimate then
        carries the paper's bound on the plug-in's bias.
    rng : None, int or numpy.random.Generator
        Makes intervals of the plug-in repeatable; the mixture uses no random numbers.

    Returns
    -------
    VotesEstimate

    Examples
    --------
    >>> print(from_votes([0, 1, 3, 2], totals=3, method="plugin", interval=None))
    floor 16.67 % (plugin, n = 4)
    >>> print(from_votes([0] * 375 + [1] * 250 + [2] * 375, totals=2, interval=None))
    floor 18.17 % (mixture, n = 1,000)
    """
    chosen = methods.find(method, VoteTable.kind)
    request = Request.of(interval, level, n_resamples, rng)
    if votes is None:
        votes, positives = positives, None
    where = Where.of(
        positives=positives,
        item=item,
        vote=vote,
        annotator=annotator,
        annotators=annotators,
        positive=positive,
        group=group,
        drop_missing=drop_missing,
    )
    reading = read(votes, of_kind(VoteTable.kind), where, second=totals)
    question = Question(chosen, model_error=model_error)
    return question.answer(reading, request, rng, simultaneous)


@overload
def from_scores(
    scores: object,
    labels: object = None,
    *,
    group: None = None,
    **options: Unpack[_ScoreOptions],
) -> Estimate: ...
@overload
def from_scores(
    scores: object, labels: object = None, *, group: str, **options: Unpack[_ScoreOptions]
) -> Groups[Estimate]: ...
def from_scores(
    scores: object,
    labels: object = None,
    *,
    score: str | None = None,
    label: str | None = None,
    positive: object = None,
    group: str | None = None,
    simultaneous: bool = False,
    drop_missing: bool = False,
    method: str = "isotonic",
    interval: str | None = "auto",
    level: float = 0.95,
    n_resamples: int = 1000,
    clip: Clip = "auto",
    rng: RandomLike = None,
) -> Any:
    """Estimate the error floor from possibly distorted scores and one true label per item.

    Parameters
    ----------
    scores : array-like of shape (n,), ScoreTable, dataframe or path
        Any finite numbers for isotonic, isotonic-cf, hist-K and platt; in [0, 1] for the others.
    labels : array-like of shape (n,), optional
        0 or 1 for each item; left out when `scores` has them.
    score, label, positive
        Columns of a dataframe or file, and which label means class 1; see
        `errorfloor.frames.score_table`. Columns are guessed where their names leave no doubt.
    group : str, optional
        Column of a dataframe or file: one estimate for each of its values.
    simultaneous : bool
        Whether all intervals of the groups hold at once at `level`, rather than each at `level`.
    drop_missing : bool
        Leave out rows of a dataframe or file where something is missing.
    method : str
        How scores become probabilities: corrupted (not at all), isotonic, isotonic-cf (isotonic
        with most of its optimism removed), hist-K (K bins of equal mass), beta, beta-am, beta-ab,
        beta-a, platt or platt-logit.
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
    chosen = methods.find(method)
    options = Options(clip)
    request = Request.of(interval, level, n_resamples, rng)
    where = Where.of(
        score=score, label=label, positive=positive, group=group, drop_missing=drop_missing
    )
    reading = read_scores(scores, labels, where, (chosen,))
    return Question(chosen, options).answer(reading, request, rng, simultaneous)


def read_scores(scores: object, labels: object, where: Where, chosen: Sequence[Method]) -> Reading:
    """Read scores with labels for methods, which may need scores in [0, 1]."""
    reading = read(scores, of_kind(ScoreTable.kind), where, second=labels)
    if reading.source.origin == "arrays" and any(one.needs_probabilities for one in chosen):
        # Names the entry, which the table's rows cannot.
        as_probabilities(scores, name="scores", instead=methods.on_any_scale())
    return reading


def floor_of(data: object, where: Where, *, level: float = 0.95, rng: RandomLike = None) -> Any:
    """Return the floor of data of any kind, by the default method for it; by group if named."""
    reading = read(data, LAYOUTS, where)
    kind = next(iter(reading.tables.values())).kind
    request = Request.of("auto", level, 1000, rng)
    return Question(methods.DEFAULTS[kind]).answer(reading, request, rng, simultaneous=False)


@dataclass(frozen=True, slots=True)
class Question:
    """How a floor is to be estimated, but for its interval."""

    method: Method
    options: Options = field(default_factory=Options)
    model_error: float | None = None

    def answer(
        self, reading: Reading, request: Request, rng: RandomLike, simultaneous: bool
    ) -> Any:
        """Return the floor of what was read: one, or one for each group."""
        if reading.source.group is None:
            if simultaneous:
                raise InputError(
                    *(argument("simultaneous"), " is about the intervals of groups. Name their "),
                    *("column with ", argument("group"), ", or leave it out."),
                )
            return self.of(reading.table, request, Origin(reading.source, options=self._asked()))
        # What all groups were asked for together, which gives each of them again.
        asked = {**self._asked(), "level": request.level, "simultaneous": simultaneous}

        def one(table: Table, group: Any, own: Request) -> Estimate:
            return self.of(table, own, Origin(reading.source, group, asked))

        return with_intervals_by_group(reading, request, rng, simultaneous, one)

    def of(self, table: Table, request: Request, origin: Origin) -> Estimate:
        """Return the floor of a table."""
        found, statistic = estimate(table, self.method, self.options, request, origin)
        add = _DETAILS.get(table.kind)
        if add is not None:
            found = add(found, statistic, self.model_error, request)
        return replace(found, findings=checks.of(found))

    def _asked(self) -> dict[str, Any]:
        by_kind: dict[str, dict[str, Any]] = {
            ScoreTable.kind: {"clip": self.options.clip},
            VoteTable.kind: {"model_error": self.model_error},
        }
        return by_kind.get(self.method.reads, {})


def _with_votes(
    found: Estimate, statistic: Statistic, model_error: float | None, request: Request
) -> VotesEstimate:
    """Add what the plain shares of the votes would have said."""
    table = found.table
    assert isinstance(table, VoteTable)
    cells, options = table.cells(), Options()
    fitted = None
    if isinstance(statistic, MixtureFloor):
        fitted = statistic.fitted
    elif int(table.totals.max()) >= 2:
        fitted = MixtureFloor(cells).fitted
    shares = plugin(cells, options).values(cells.count[None], request.streams.for_("blocks"))
    return VotesEstimate(
        **{item.name: getattr(found, item.name) for item in fields(found)},
        plugin=float(shares[0]),
        bias=None if fitted is None else _plugin_bias(fitted, table),
        bias_bound=None if model_error is None else _plugin_bias_bound(model_error, table),
        mixture=fitted,
    )


def _plugin_bias(fitted: Any, table: VoteTable) -> float:
    from errorfloor.methods.votes.lost import mean_lost

    return 0.0 - mean_lost(fitted.points, fitted.weights, table.totals, table.counts)


def _plugin_bias_bound(model_error: float, table: VoteTable) -> float:
    from errorfloor.bounds import computable_bias_bound

    # The bound falls with the votes, so the item with the fewest has the largest.
    return float(computable_bias_bound(model_error, int(table.totals.min())))


# What a kind of table adds to an estimate.
_DETAILS: Mapping[str, Callable[..., Estimate]] = {VoteTable.kind: _with_votes}
