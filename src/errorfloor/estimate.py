"""From labels to an error floor: soft labels, votes, or scores with one label an item."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, Unpack, overload

import numpy as np

from errorfloor._checks import (
    DegenerateBootstrapWarning,
    DegenerateDataWarning,
    as_probabilities,
    check_choice,
    check_level,
    check_n_resamples,
    check_unit_interval,
    warn,
)
from errorfloor._typing import Counts, Floats, RandomLike
from errorfloor.bounds import computable_bias_bound, exact_bias
from errorfloor.calibration import (
    Clip,
    as_score_table,
    bins_of,
    check_columns,
    check_method,
    equal_mass_positions,
    methods_that_fit,
    needs_unit_interval,
    resolve_clip,
)
from errorfloor.floors import BestCut, CrossFittedCut, MeanFloor, bind
from errorfloor.intervals import Betting, CutErrors, Hoeffding, Resampling
from errorfloor.resample import (
    Statistic,
    acceleration,
    bootstrap,
    cross_fitted_errors,
    held_out_errors,
    split,
)
from errorfloor.results import Comparison, Estimate, Evidence, Groups, Interval, VotesEstimate
from errorfloor.tables import Cells, ScoreTable, VoteTable

if TYPE_CHECKING:
    from errorfloor.mixture import Mixture

RESAMPLING = ("bca", "basic", "percentile")
_MANY_ITEMS, _BLOCKS = 2**20, 2**13

_ORDERED = "The scores order the items as their true probabilities do, however distorted"
_BETA = "A beta calibration map turns the scores into true probabilities"
_ASSUMPTIONS = {
    "clean": "The soft labels are the true probabilities of class 1 of independent items",
    "mixture": "Each item's votes are independent draws from its true probabilities",
    "plugin": "Each item's votes are independent draws from its true probabilities; few votes an "
    "item make the plug-in too low, which the interval does not show",
    "corrupted": "The scores are true probabilities of class 1, taken at face value",
    "isotonic": _ORDERED,
    "isotonic-cf": _ORDERED,
    "hist": "Items in the same bin of scores have about the same true probability",
    "beta": _BETA,
    "beta-am": f"{_BETA} (a = b)",
    "beta-ab": f"{_BETA} (m = 1/2)",
    "beta-a": f"{_BETA} (a = b, m = 1/2)",
    "platt": "A sigmoid of the scores gives the true probabilities",
    "platt-logit": "A sigmoid of the scores' log-odds gives the true probabilities",
}


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
) -> Groups: ...
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
) -> Estimate | Groups:
    """Estimate the error floor from true probabilities of class 1.

    Parameters
    ----------
    soft_labels : array-like of shape (n,), ScoreTable, dataframe or path
        P(y = 1 | x) of each item, in [0, 1]. The labels of a table are not used.
    soft : str, optional
        Column of a dataframe or file that has the soft labels.
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
    check_columns(soft_labels, {"soft": soft}, None, drop_missing, group)
    request = _Request.of(interval, level, n_resamples, rng)
    if soft is not None:
        from errorfloor.frames import score_table, score_tables

        if group is not None:
            tables = score_tables(soft_labels, score=soft, group=group, drop_missing=drop_missing)
            return _by_group(group, tables, _from_soft_labels, request, rng, simultaneous)
        soft_labels = score_table(soft_labels, score=soft, drop_missing=drop_missing)
    if not isinstance(soft_labels, ScoreTable):
        values, count = np.unique(
            as_probabilities(soft_labels, name="soft_labels"), return_counts=True
        )
        soft_labels = ScoreTable(values, count, np.zeros_like(count))
    return _from_soft_labels(soft_labels, request)


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
) -> Groups: ...
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
) -> VotesEstimate | Groups:
    """Estimate the error floor from the votes of several annotators an item.

    Parameters
    ----------
    votes : array-like of shape (n,), VoteTable, dataframe or path
        Number of votes for class 1 on each item; `positives` is another name for it.
    totals : int or array-like of shape (n,), or str
        Number of all votes on each item, or its column; left out when `votes` is a table.
    positives, item, vote, annotator, annotators, positive
        Columns of a dataframe or file, in one of the layouts of `errorfloor.frames.vote_table`.
    group, simultaneous, drop_missing
        As in `from_scores`.
    method : {"mixture", "plugin"}
        "mixture" fits the distribution of the items' probabilities by maximum likelihood, which
        two or three votes an item suffice for. "plugin" is the paper's `hard`: vote shares in
        place of probabilities, too low by an amount that shrinks as votes are added.
    interval : str or None
        For the mixture "likelihood" (the default: the floors of all distributions that the votes
        make likely, measured to cover) or "certified" (valid for every distribution, any n and
        any number of votes). For the plug-in, whose interval is for its expectation, those of
        `from_soft_labels`. None skips the interval.
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
    check_choice(method, ("mixture", "plugin"), name="method")
    request = _Request.of(interval, level, n_resamples, rng)
    answer = partial(_from_votes, method=method, model_error=model_error)
    if votes is None:
        votes, positives = positives, None
    layout: dict[str, Any] = {
        "positives": positives,
        "item": item,
        "vote": vote,
        "annotator": annotator,
        "annotators": annotators,
    }
    if all(name is None for name in layout.values()):
        check_columns(votes, {"positives": None, "totals": None}, positive, drop_missing, group)
        return answer(_as_vote_table(votes, totals), request)
    layout |= {"totals": totals, "positive": positive, "drop_missing": drop_missing}
    from errorfloor.frames import vote_table, vote_tables

    if group is None:
        return answer(vote_table(votes, **layout), request)
    tables = vote_tables(votes, group=group, **layout)
    return _by_group(group, tables, answer, request, rng, simultaneous)


def _from_votes(
    table: VoteTable, request: _Request, *, method: str, model_error: float | None
) -> VotesEstimate:
    share = np.minimum(table.positives, table.totals - table.positives) / table.totals
    plugin = MeanFloor(share, table.counts)
    many = int(table.totals.max()) >= 2
    if method == "mixture" and not many:
        raise ValueError(
            "`totals` must be at least 2 for some items: from single votes, items that everybody "
            "agrees on and coin flips look the same. Collect a second vote on some items, or use "
            "from_scores if there is a score for each item."
        )
    behind = _fit_mixture(table) if many else None
    if method == "mixture" and behind is not None:
        found = _from_mixture(behind, table, request)
    else:
        found = _from_means(method, plugin, table, request)
    return VotesEstimate(
        **{item.name: getattr(found, item.name) for item in fields(found)},
        plugin=float(plugin.values(table.counts[None], request.stream("blocks"))[0]),
        bias=None if behind is None else _plugin_bias(behind, table),
        bias_bound=None if model_error is None else _plugin_bias_bound(model_error, table),
        mixture=behind,
    )


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
) -> Groups: ...
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
) -> Estimate | Groups:
    """Estimate the error floor from possibly distorted scores and one true label an item.

    Parameters
    ----------
    scores : array-like of shape (n,), ScoreTable, dataframe or path
        Any finite numbers for isotonic, isotonic-cf, hist-K and platt; in [0, 1] for the others.
    labels : array-like of shape (n,), optional
        0 or 1 for each item; left out when `scores` has them.
    score, label, positive
        Columns of a dataframe or file, and which label means class 1; see
        `errorfloor.frames.score_table`.
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
    check_method(method)
    unit = needs_unit_interval(method)
    request = _Request.of(interval, level, n_resamples, rng)

    def answer(table: ScoreTable, request: _Request) -> Estimate:
        checked = as_score_table(table, None, unit=unit)
        return _from_table(checked, (method,), clip, request)[0]

    named: dict[str, Any] = {"positive": positive, "drop_missing": drop_missing}
    check_columns(scores, {"score": score, "label": label}, **named, group=group)
    if group is not None and score is not None:
        from errorfloor.frames import score_tables

        tables = score_tables(scores, score=score, label=label, group=group, **named)
        return _by_group(group, tables, answer, request, rng, simultaneous)
    table = as_score_table(scores, labels, unit=unit, score=score, label=label, **named)
    return answer(table, request)


def compare(
    scores: object,
    labels: object = None,
    *,
    score: str | None = None,
    label: str | None = None,
    methods: Sequence[str] | None = None,
    interval: str | None = "auto",
    level: float = 0.95,
    n_resamples: int = 1000,
    clip: Clip = "auto",
    rng: RandomLike = None,
) -> Comparison:
    """Estimate the error floor by several methods on the same items and the same resamples.

    Each row equals what `from_scores` gives for that method and the same `rng`.

    Parameters
    ----------
    scores, labels, score, label, interval, level, n_resamples, clip, rng
        As in `from_scores`.
    methods : sequence of str, optional
        All that fit the scores by default, with hist-10, -25, -50 and -100.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> rows = compare([0.1, 0.2, 0.6, 0.7], [0, 1, 0, 1], methods=["isotonic", "hist-2"])
    >>> rows["hist-2"].value
    0.5
    """
    if isinstance(methods, str) or (methods is not None and not len(methods)):
        raise ValueError('`methods` must be a list of method names, such as ["isotonic", "beta"].')
    chosen = tuple(check_method(name) for name in methods or ())
    unit = any(map(needs_unit_interval, chosen))
    table = as_score_table(scores, labels, unit=unit, score=score, label=label)
    notes: tuple[str, ...] = ()
    if methods is None:
        chosen, notes = methods_that_fit(table)
    request = _Request.of(interval, level, n_resamples, rng)
    return Comparison(tuple(_from_table(table, chosen, clip, request)), notes)


TableT = TypeVar("TableT", ScoreTable, VoteTable)


def _by_group(
    column: str,
    tables: Mapping[Any, TableT],
    answer: Callable[[TableT, _Request], Estimate],
    request: _Request,
    rng: RandomLike,
    simultaneous: bool,
) -> Groups:
    """Return one estimate for each table that has items."""
    dropped = sum(table.dropped for table in tables.values())
    tables = {group: table for group, table in tables.items() if table.n}
    # Any interval misses with at most the sum of their probabilities to miss (Bonferroni).
    each = 1 - (1 - request.level) / len(tables) if simultaneous else request.level
    streams = np.random.default_rng(rng).spawn(len(tables))
    estimates = {}
    for (group, table), stream in zip(tables.items(), streams, strict=True):
        own = _Request.of(request.interval, each, request.n_resamples, stream)
        try:
            estimates[group] = answer(table, own)
        except ValueError as error:
            raise ValueError(f"`group` {group!r}: {error}") from error
    return Groups(column, estimates, request.level, simultaneous, dropped)


def _from_soft_labels(table: ScoreTable, request: _Request) -> Estimate:
    checked = as_score_table(table, None, unit=False)
    soft, count = checked.scores, checked.negatives + checked.positives
    check_unit_interval(soft, name="soft_labels", entry="row")
    statistic = MeanFloor(np.minimum(soft, 1 - soft), count)
    return _from_means("clean", statistic, checked, request)


def _as_vote_table(positives: object, totals: object) -> VoteTable:
    if not isinstance(positives, VoteTable):
        if totals is None:
            raise ValueError(
                "`totals` is missing. Pass the number of votes an item, or one number for all."
            )
        return VoteTable.from_arrays(positives, totals)
    if totals is not None:
        raise ValueError("`totals` must be left out when `positives` is a VoteTable.")
    if len(positives) == 0:
        raise ValueError("`positives` is an empty table. Pass at least one item.")
    return positives


def _from_means(
    method: str, statistic: MeanFloor, table: ScoreTable | VoteTable, request: _Request
) -> Estimate:
    question = _Question(method, statistic, _intervals_of_means(statistic, request), "betting")
    return _answer([question], statistic.count, table, request)[0]


def _from_table(
    table: ScoreTable, methods: Sequence[str], clip: Clip, request: _Request
) -> list[Estimate]:
    cells = table.cells()
    distance = resolve_clip(clip, table)
    for_cuts = _intervals_of_cuts(cells, round(table.n * table.cut_resolution), request)
    questions = []
    for method in methods:
        statistic = bind(method, cells, clip=distance)
        exact = dict(for_cuts)
        if isinstance(statistic, MeanFloor):
            exact |= _intervals_of_means(statistic, request)
        default = "honest" if method.startswith("isotonic") else "bca"
        questions.append(_Question(method, statistic, exact, default))
    return _answer(questions, cells.count, table, request, data_doubts(table))


_STREAMS = ("resamples", "folds", "halves", "blocks")


@dataclass(frozen=True, slots=True)
class _Request:
    """The options of an interval, checked."""

    interval: str | None
    level: float
    n_resamples: int
    seeds: tuple[int, ...]

    @classmethod
    def of(cls, interval: str | None, level: float, n_resamples: int, rng: RandomLike) -> _Request:
        seeds = np.random.default_rng(rng).integers(2**63, size=len(_STREAMS))
        return cls(
            interval,
            check_level(level),
            check_n_resamples(n_resamples),
            tuple(int(seed) for seed in seeds),
        )

    def kind(self, names: Sequence[str], default: str) -> str | None:
        """Return the name of the interval to give, one of `names`, or None for none."""
        if self.interval is None:
            return None
        hint = " None skips the interval."
        check_choice(self.interval, ("auto", *names), name="interval", hint=hint)
        return default if self.interval == "auto" else self.interval

    def stream(self, purpose: str) -> np.random.Generator:
        """Return the generator for one purpose, always from its start.

        So no answer depends on what else is computed along with it.
        """
        return np.random.default_rng(self.seeds[_STREAMS.index(purpose)])


@dataclass(frozen=True, slots=True, eq=False)
class _Question:
    """A floor to estimate, and how to get each interval for it that needs no bootstrap."""

    method: str
    statistic: Statistic
    exact: Mapping[str, Callable[[], Evidence]]
    default: str


def _answer(
    questions: Sequence[_Question],
    count: Counts,
    table: ScoreTable | VoteTable,
    request: _Request,
    doubts: tuple[str, ...] = (),
) -> list[Estimate]:
    """Return one estimate for each question about the same items."""
    kinds = [request.kind((*q.exact, *RESAMPLING), q.default) for q in questions]
    resampled = [
        q.statistic for q, kind in zip(questions, kinds, strict=True) if kind in RESAMPLING
    ]
    replicates: Iterator[Floats] = iter(())
    if resampled:
        rng = request.stream("resamples")
        replicates = iter(bootstrap(resampled, count, n_resamples=request.n_resamples, rng=rng))
    estimates = []
    for question, kind in zip(questions, kinds, strict=True):
        value = float(question.statistic.values(count[None], request.stream("folds"))[0])
        evidence: Evidence | None = None
        further: tuple[str, ...] = ()
        if kind in RESAMPLING:
            evidence, further = _from_replicates(question, kind, value, next(replicates), count)
        elif kind is not None:
            evidence = question.exact[kind]()
        warnings = doubts + further
        estimates.append(_estimate(question.method, value, table, evidence, request, warnings))
    return estimates


def _estimate(
    method: str,
    value: float,
    table: ScoreTable | VoteTable,
    evidence: Evidence | None,
    request: _Request,
    warnings: tuple[str, ...] = (),
) -> Estimate:
    resolution: float | None = 0.0
    assumptions = _assumptions(method, evidence)
    if isinstance(table, ScoreTable) and table.coarse.any():
        resolution = _resolution(method, table)
        assumptions += f" {_coarseness(method, table, resolution, evidence)}"
    return Estimate(
        value=value,
        method=method,
        interval=None if evidence is None else Interval.at(request.level, evidence),
        n=table.n,
        assumptions=assumptions,
        warnings=warnings,
        resolution=resolution,
        dropped=table.dropped,
        evidence=evidence,
        table=table,
    )


def _from_replicates(
    question: _Question, kind: str, value: float, replicates: Floats, count: Counts
) -> tuple[Evidence, tuple[str, ...]]:
    """Return the bootstrap's evidence, or the best substitute for it and a warning."""
    skewness = acceleration(question.statistic.leave_one_out(), count) if kind == "bca" else 0.0
    evidence = Resampling(kind, value, replicates, skewness)
    if evidence.is_defined:
        return evidence, ()
    if replicates.min() < replicates.max():
        instead: Evidence = Resampling("basic", value, replicates)
        why = "all replicates lie on one side of the estimate"
    else:
        instead = question.exact["hoeffding" if "hoeffding" in question.exact else "honest"]()
        why = "all replicates are equal"
    message = (
        f"The {kind} interval of {question.method} is undefined because {why}; "
        f"the {instead.method} interval is given instead."
    )
    return instead, (warn(message, DegenerateBootstrapWarning),)


def _intervals_of_means(
    statistic: MeanFloor, request: _Request
) -> dict[str, Callable[[], Evidence]]:
    count = statistic.count

    def betting() -> Evidence:
        parts = split(count, 16, request.stream("blocks"))
        return Betting(statistic.floor, np.add.reduceat(parts, [0, 1, 2, 4, 8]))

    def hoeffding() -> Evidence:
        value = statistic.values(count[None], request.stream("blocks"))[0]
        return Hoeffding(float(value), int(count.sum()))

    return {"betting": betting, "hoeffding": hoeffding}


def _fit_mixture(table: VoteTable) -> Mixture:
    from errorfloor.mixture import fit_mixture

    return fit_mixture(table.positives, table.totals, table.counts)


def _from_mixture(behind: Mixture, table: VoteTable, request: _Request) -> Estimate:
    from errorfloor.mixture import VoteLimits

    kind = request.kind(("likelihood", "certified"), "likelihood")
    evidence = None if kind is None else VoteLimits(kind, behind.floor, table)
    return _estimate("mixture", behind.floor, table, evidence, request)


def _plugin_bias(behind: Mixture, table: VoteTable) -> float:
    totals, group = np.unique(table.totals, return_inverse=True)
    share = np.bincount(group, table.counts) / table.n
    biases = [exact_bias(behind.points, m, weights=behind.weights) for m in totals]
    return float(share @ biases)


def _plugin_bias_bound(model_error: float, table: VoteTable) -> float:
    # The bound falls with the votes, so the item with the fewest has the largest.
    return float(computable_bias_bound(model_error, int(table.totals.min())))


def _intervals_of_cuts(
    cells: Cells, unseen: int, request: _Request
) -> dict[str, Callable[[], Evidence]]:
    """Return the exact intervals; cuts inside merged rows may have `unseen` errors fewer."""
    best_cut = BestCut(cells)
    n = int(cells.count.sum())

    def errors() -> int:
        return int(best_cut.errors(cells.count[None])[0]) - unseen

    def honest() -> Evidence:
        # Ten parts of many items take long, and cuts between a few thousand blocks do as well.
        # Blocks are made of all scores, held-out ones included, so this is for measured limits.
        positive, count = cells.positive, cells.count
        if n > _MANY_ITEMS:
            positive, count = cells.pooled(_BLOCKS)
        folds = split(count, CrossFittedCut.folds, request.stream("folds"))
        return CutErrors("honest", errors(), n, cross_fitted_errors(positive, folds), n)

    def certified() -> Evidence:
        train, test = split(cells.count, 2, request.stream("halves"))
        held_out = held_out_errors(best_cut.sign, train, test)
        return CutErrors("certified", errors(), n, held_out, int(test.sum()))

    return {"honest": honest, "certified": certified}


def data_doubts(table: ScoreTable) -> tuple[str, ...]:
    """Warn of labels of one class and of scores that are all equal, and return the warnings."""
    doubts = []
    for label, others in ((0, table.positives), (1, table.negatives)):
        if not others.any():
            doubts.append(f"All labels are {label}: the floor is that of one class alone.")
    if len(table) == 1:
        doubts.append("All scores are equal: they cannot tell items apart, whatever the floor is.")
    return tuple(warn(doubt, DegenerateDataWarning) for doubt in doubts)


def _resolution(method: str, table: ScoreTable) -> float | None:
    """Return how far merged rows can have moved the value of `method`; None if nobody knows."""
    if method == "isotonic":
        return table.cut_resolution
    count = table.negatives + table.positives
    lows, highs = table.ranges
    if method in ("clean", "corrupted"):  # min(p, 1 - p) moves by no more than p does
        reach = np.maximum(highs - table.scores, table.scores - lows)
        return float(count @ reach / table.n)
    if method.startswith("hist-"):  # at worst, all items of a row that a bin ends in change bins
        position = equal_mass_positions(table.n, bins_of(method))
        total = np.concatenate(([0], np.cumsum(count)))
        last, first = (np.searchsorted(total, position - i, side="right") - 1 for i in (1, 0))
        divided = np.unique(first[(last == first)])
        return float(count[divided[table.coarse[divided]]].sum() / table.n)
    return None


def _coarseness(
    method: str, table: ScoreTable, resolution: float | None, evidence: Evidence | None
) -> str:
    """Say which scores were merged, and what that does to the value and its limits."""
    lows, highs = table.ranges
    merged = int(np.count_nonzero(table.coarse))
    rows = f"{merged:,} of {len(table):,} rows stand for ranges of scores, at most "
    rows += f"{(highs - lows).max():.2g} wide"
    if resolution is None:
        how = "tries no cut inside them" if method == "isotonic-cf" else "takes each at its middle"
        return f"{rows}; the method {how}, which is an approximation."
    if resolution == 0:
        return f"{rows}, which leaves this value exact."
    moved = f"{rows}, which moves this value by at most {resolution:.2g}"
    if evidence is None or isinstance(evidence, CutErrors):  # whose lower limit allows for it
        return f"{moved}."
    return f"{moved}; the interval does not allow for that."


def _assumptions(method: str, evidence: Evidence | None) -> str:
    sentence = _ASSUMPTIONS["hist" if method.startswith("hist-") else method]
    if not isinstance(evidence, CutErrors):
        return f"{sentence}."
    if method.startswith("isotonic"):
        return f"{sentence}; the upper limit holds for any scores."
    return (
        f"{sentence}; the interval's lower limit needs scores in the order of the true "
        "probabilities instead, its upper limit holds for any scores."
    )
