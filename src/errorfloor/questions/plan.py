"""Which labels to buy: how wide the interval will be, and the cheapest way to a target."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, NamedTuple, Self, TypeAlias, Unpack, overload

import numpy as np

from errorfloor import intervals, methods
from errorfloor._checks import (
    ErrorFloorWarning,
    InputError,
    argument,
    as_counts,
    as_fraction,
    as_probabilities,
    as_scores,
    check_aligned,
    check_same_length,
    refuse,
    shown,
)
from errorfloor._keywords import explains_keywords, record_of
from errorfloor._typing import Counts, Floats
from errorfloor.bounds import exact_bias
from errorfloor.data.layouts import BESIDE_LABELS, LAYOUTS
from errorfloor.data.options import Reading, ReadOptions, Source
from errorfloor.data.read import is_data, read
from errorfloor.data.tables import ScoreTable, SoftTable, Table, VoteTable
from errorfloor.intervals.honest import Honest
from errorfloor.intervals.record import these_annotators
from errorfloor.methods.cuts import CutFit
from errorfloor.methods.fitted import sides_of_errors
from errorfloor.methods.record import Classes, Options
from errorfloor.methods.rules.offsets import OffsetFit
from errorfloor.methods.votes.line import Mixture
from errorfloor.methods.votes.mixture import TwoClassMixture
from errorfloor.methods.votes.simplex import (
    MOST_VOTES_USED,
    PartitionMixture,
    fit_partitions,
    law,
    partitions,
    sums,
)
from errorfloor.methods.votes.thinning import points_for, votes_used
from errorfloor.metrics import ERROR, Metric
from errorfloor.metrics.choice import MetricChoice
from errorfloor.questions.question import (
    AnyColumns,
    Ask,
    MetricOptions,
    Part,
    answer,
    check_classes,
)
from errorfloor.questions.sampling import unweighted
from errorfloor.results import Estimate, Groups, Interval, Option, Plan, Trade
from errorfloor.results.claim import SCORES, SHARES, claim_of

# Items beyond which no width is computed: searches for extreme rankings are not made for more.
MOST_LINEAR, MOST_RANKED = 10**8, 10**6
MOST_TOTALS = 20  # different numbers of votes on an item, beyond which some stand for others


@dataclass(frozen=True, slots=True, eq=False)
class Totals:
    """How many votes items have: each number, and the share of the items that have it."""

    votes: Counts
    share: Floats

    @classmethod
    def equal(cls, m: int) -> Totals:
        """Take the same number for all items."""
        return cls(np.array([m]), np.ones(1))

    @classmethod
    def of(cls, table: VoteTable) -> Totals:
        """Take those of a pilot; of many different ones, so many that stand for all."""
        votes, at = np.unique(table.totals, return_inverse=True)
        counts = np.bincount(at.ravel(), weights=table.counts)
        if votes.size > MOST_TOTALS:
            middle = (np.cumsum(counts) - counts / 2) / counts.sum()
            part = np.floor(MOST_TOTALS * middle).astype(np.int64)
            items = np.bincount(part, weights=counts)
            mean = np.bincount(part, weights=counts * votes) / np.maximum(items, 1e-300)
            votes, counts = np.round(mean[items > 0]).astype(np.int64), items[items > 0]
        return cls(votes, counts / counts.sum())

    def more(self, votes: int) -> Totals:
        """Return them with so many further votes on each item."""
        return replace(self, votes=self.votes + votes)

    @property
    def mean(self) -> float:
        """Votes on an item, on average."""
        return float(self.votes @ self.share)


@dataclass(frozen=True, slots=True)
class Measured:
    """What a pilot tells about another metric: the floor or ceiling, and widths to come."""

    asked: MetricChoice
    level: float

    def of_scores(self, table: Table) -> tuple[Estimate, Width]:
        """Take the pilot's own interval, which narrows with the root of the number of items."""
        found = self._estimate(table)
        span = _width(found)
        return found, lambda _, n: span * float(np.sqrt(table.n / n))

    def of_votes(self, table: Table) -> tuple[Estimate, Width]:
        """Take the interval of the votes to be expected at the distribution behind the pilot."""
        assert isinstance(table, VoteTable)
        found = self._estimate(table)
        _width(found)  # or say that there is none
        if len(table.classes) > 2:
            raise InputError(
                f"`metric={self.asked.metric!r}` is planned for votes of two classes. Plan for "
                "error, or count one class against the rest."
            )
        fit = TwoClassMixture(table.cells()).fitted

        most = MOST_LINEAR if found.measure.is_mean else MOST_RANKED

        def width(totals: Totals, n: int) -> float:
            items = min(n, most) * totals.share
            rows, counts = [], []
            for m, number in zip(totals.votes.tolist(), items.tolist(), strict=True):
                votes, expected = _expected(fit.points, fit.weights, m, number)
                rows.append(np.column_stack((m - votes, votes)))
                counts.append(expected)
            return _width(self._estimate(VoteTable(np.vstack(rows), np.concatenate(counts))))

        return found, width

    def _estimate(self, table: Table) -> Estimate:
        reading = Reading({None: table}, Source(origin="table", layout=""))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ErrorFloorWarning)  # a plan is no finding
            found: Any = answer(reading, Ask.about(self.asked, level=self.level))
        assert isinstance(found, Estimate)
        return found


def _width(found: Estimate) -> float:
    if found.low is None or found.high is None:
        raise InputError(
            f"`metric={found.metric!r}` has no interval from such labels, so there is no width to "
            "plan. Plan for another metric."
        )
    return found.high - found.low


def _expected(points: Floats, weights: Floats, m: int, n: float) -> tuple[Counts, Counts]:
    """Return numbers of positive votes, and of the items to be expected with each: whole ones."""
    ends = np.round(n * np.cumsum(_shares_of_items(points, weights, m))).astype(np.int64)
    counts = np.diff(ends, prepend=0)
    seen = counts > 0
    return np.flatnonzero(seen), counts[seen]


def _shares_of_items(points: Floats, weights: Floats, m: int) -> Floats:
    """Return the share of items with 0, 1, ... m positive votes."""
    from scipy.special import bdtr

    at_most = bdtr(np.arange(m + 1)[:, None], m, points)
    return np.asarray(np.diff(np.vstack([np.zeros(points.size), at_most]), axis=0) @ weights)


FEWEST_VOTES = 5  # of which two points leave something to check: they have three parameters
_STEPS = 500  # of the EM algorithm
# Twice the log-likelihood that two points may lack; more refutes them (at a level of 1 % or so).
_MOST_LOST = 6.6
_PARAMETER = 2.0  # what one more is worth (Akaike)


class TwoAtoms(NamedTuple):
    """Two points, their weights, and how far to trust them, from 0 to 1."""

    points: Floats
    weights: Floats
    trust: float


def two_atoms(table: VoteTable, fit: Mixture) -> TwoAtoms | None:
    """Return the two points that explain a pilot best, or None where they are out of question."""
    k, m, counts = table.positives, table.totals, table.counts
    if int(m.max()) < FEWEST_VOTES:
        return None
    best = 2 * float(counts @ np.log(_chances(k, m, fit.points) @ fit.weights))
    points, weights, reached = _fitted(k, m, counts, *_start(fit))
    # A coin flip is where the floor bends: near it, the width depends on which side is taken.
    nearest = int(np.abs(points - 0.5).argmin())
    fixed = points.copy()
    fixed[nearest] = 0.5
    again = _fitted(k, m, counts, fixed, weights, held=nearest)
    if again[2] >= reached - _PARAMETER:
        points, weights, reached = again
    lost = best - reached
    if lost > _MOST_LOST:
        return None
    odds = np.exp(np.clip((reached - _PARAMETER - _beta(k, m, counts)) / 2, -50, 50))
    return TwoAtoms(points, weights, float(odds / (1 + odds)))


def _chances(positives: Counts, totals: Counts, points: Floats) -> Floats:
    from errorfloor.methods.votes.line import binomial  # SciPy's parts load slowly

    return binomial(positives, totals, points)


def _start(fit: Mixture) -> tuple[Floats, Floats]:
    """Return the means of the fitted distribution on either side of its own, and their weights."""
    p, w = fit.points, fit.weights
    low = p < float(p @ w)
    shares = np.maximum([w[low].sum(), w[~low].sum()], 1e-6)
    points = np.array([p[low] @ w[low], p[~low] @ w[~low]]) / shares
    return np.clip(points, 1e-6, 1 - 1e-6), shares / shares.sum()


def _fitted(
    positives: Counts,
    totals: Counts,
    counts: Counts,
    points: Floats,
    weights: Floats,
    held: int | None = None,
) -> tuple[Floats, Floats, float]:
    """Return the most likely points and weights by EM, and twice the log-likelihood."""
    for _ in range(_STEPS):
        parts = _chances(positives, totals, points) * weights
        parts *= (counts / np.maximum(parts.sum(axis=1), 1e-300))[:, None]
        weights = parts.sum(axis=0) / counts.sum()
        moved = (positives @ parts) / np.maximum(totals @ parts, 1e-300)
        if held is not None:
            moved[held] = points[held]
        done = np.abs(moved - points).max() < 1e-9
        points = moved
        if done:
            break
    found = _chances(positives, totals, points) @ weights
    return points, weights, 2 * float(counts @ np.log(np.maximum(found, 1e-300)))


def _beta(positives: Counts, totals: Counts, counts: Counts) -> float:
    """Return twice the largest log-likelihood under a beta distribution."""
    from scipy.optimize import minimize
    from scipy.special import betaln, gammaln

    k, m = positives, totals
    ways = gammaln(m + 1) - gammaln(k + 1) - gammaln(m - k + 1)

    def lack(logs: Floats) -> float:
        a, b = np.exp(np.clip(logs, -12, 12))
        return -float(counts @ (ways + betaln(k + a, m - k + b) - betaln(a, b)))

    options = {"maxiter": 150}
    starts = ((-0.7, -0.7), (1.0, 1.0))
    least = min(
        float(minimize(lack, start, method="Nelder-Mead", options=options).fun) for start in starts
    )
    return -2 * least


# Items that stand for those to be expected, where partitions are too many to list.
_DRAWN, _SEED = 4000, 20261115
_DIVISIONS = 5  # of a pilot into folds, over which held-out errors are averaged


@dataclass(frozen=True, slots=True, eq=False)
class ManyVotes:
    """What a pilot of votes for many classes tells about votes to come."""

    fit: PartitionMixture
    classes: int

    @classmethod
    def of(cls, table: VoteTable) -> ManyVotes:
        """Fit the distribution behind a pilot."""
        return cls(fit_partitions(table.votes, table.counts), len(table.classes))

    def bias(self, m: int) -> float:
        """Return how far plain shares of so many votes will be off."""
        return 0.0 - float(self.fit.lost(np.array([m]))[0])

    def width(self, level: float, totals: Totals, n: int) -> float:
        """Return the width of the likelihood interval on the expected votes of n items."""
        from errorfloor.intervals.votes.region import many_likelihood_limits

        each = [self._expected(m) for m in totals.votes.tolist()]
        votes = np.vstack([rows for rows, _ in each])
        pairs = zip(each, totals.share.tolist(), strict=True)
        items = n * np.concatenate([part * share for (_, part), share in pairs])
        if totals.votes.max() > MOST_VOTES_USED:  # such items are bet on one by one
            items = np.diff(np.round(np.cumsum(items)), prepend=0.0).astype(np.int64)
        some = items > 0
        low, high = many_likelihood_limits(votes[some], items[some], level=level)
        return high - low

    def _expected(self, m: int) -> tuple[Counts, Floats]:
        """Return rows of votes, and the share of items that will have each."""
        if m > MOST_VOTES_USED:
            return self._drawn(m)
        chosen = [i for i in np.flatnonzero(sums(m) == m) if len(partitions(m)[i]) <= self.classes]
        rows = [partitions(m)[i] for i in chosen]
        votes = np.zeros((len(rows), self.classes), dtype=np.int64)
        for row, parts in zip(votes, rows, strict=True):
            row[: len(parts)] = parts
        share = law(self.fit.points, m)[chosen] @ self.fit.weights
        seen = share > 1e-9
        return votes[seen], share[seen] / share[seen].sum()

    def _drawn(self, m: int) -> tuple[Counts, Floats]:
        """Return votes on items that are drawn, always the same, at evenly spread points."""
        rng = np.random.default_rng(_SEED)
        place = (np.arange(_DRAWN) + 0.5) / _DRAWN
        at = np.searchsorted(np.cumsum(self.fit.weights), place).clip(max=len(self.fit.weights) - 1)
        p = self.fit.points[at]
        votes = rng.multinomial(m, p / p.sum(axis=1, keepdims=True)).astype(np.int64)
        rows, counts = np.unique(-np.sort(-votes, axis=1), axis=0, return_counts=True)
        return rows, counts / _DRAWN


Width: TypeAlias = Callable[[Totals, int], float]  # of the interval, by votes and items


def between(first: Width, second: Width, share: float, totals: Totals, n: int) -> float:
    """Return a width between two, the nearer to the second the larger its share."""
    return float(first(totals, n) ** (1 - share) * second(totals, n) ** share)


def width_of_votes(points: Floats, weights: Floats, level: float, totals: Totals, n: int) -> float:
    """Return the width of the likelihood interval on the expected votes of n items.

    Of very many votes the interval uses a part, whose expected numbers are binomial as well.
    """
    from errorfloor.intervals.votes.region import likelihood_limits

    cells = []
    for m, share in zip(totals.votes.tolist(), totals.share.tolist(), strict=True):
        used = votes_used(m)
        expected = n * _shares_of_items(points, weights, used) * share
        k = np.flatnonzero(expected > 1e-9 * n * share)
        cells.append((k, np.full(k.size, used), expected[k]))
    k, m_used, items = (np.concatenate(column) for column in zip(*cells, strict=True))
    most = int(totals.votes.max())
    n_points = 256 if votes_used(most) == most else points_for(votes_used(most))
    low, high = likelihood_limits(k, m_used, items, level=level, n_points=n_points)
    return high - low


def _seeded(seed: int, purpose: str) -> np.random.Generator:
    return np.random.default_rng(seed)


def width_of_scores(pilot: ScoreTable, level: float) -> tuple[float, Width]:
    """Return the pilot's floor, and the honest interval's width as a function of (1, n)."""
    sample, classes = pilot.cells(), len(pilot.classes)
    if classes > 2:
        rules = OffsetFit.of(sample, Options())
        own, seeds = rules.least_loss, range(_DIVISIONS)
        fits: list[Any] = [rules.on(sample.count, np.random.default_rng(seed)) for seed in seeds]
    else:
        cuts = CutFit(sample, ERROR.how, partial(_seeded, 0))
        own, seeds = cuts.own_loss, range(2 * _DIVISIONS)
        fits = [cuts.on(sample.count, np.random.default_rng(seed)) for seed in seeds]
        flat = cuts.cuts.unclear(sample, (1.0, 1.0), 1.0) / pilot.n
    held_out = float(np.mean([fit.held_out_loss for fit in fits]))
    middle, gap = (own + held_out) / 2, max(held_out - own, 0.0) / 2
    least, most = ERROR.span(classes)

    def width(_: Totals, n: int) -> float:
        shift = gap * (pilot.n / n) ** (2 / 3)
        low, high = (min(max(rate, least), most) * n for rate in (middle - shift, middle + shift))
        if classes > 2:
            correlated = rules.correlated
        else:
            variance = high * (1 - high / n)
            correlated = min(n * flat / 4 / variance, 1.0) if variance > 0 else 0.0
        evidence = Honest(sides_of_errors((low, n), (high, n), correlated=correlated))
        limits = Interval.at(level, evidence, ERROR, classes)
        return limits.high - limits.low

    return middle, width


MOST_ITEMS = 10**8
MOST_COST = 1e100  # so that no sum of costs is out of range
_LEAST_TRUST = 0.01  # in two kinds of items, below which they are not worth the time


class _Options(AnyColumns, MetricOptions, total=False):
    votes: Sequence[int]
    items: Sequence[int]
    target: float | None
    budget: float | None
    cost_per_item: float
    cost_per_vote: float
    level: float


@overload
def plan(pilot: object, *, group: None = None, **options: Unpack[_Options]) -> Plan: ...
@overload
def plan(pilot: object, *, group: str, **options: Unpack[_Options]) -> Groups[Plan]: ...
@explains_keywords
def plan(
    pilot: object,
    *,
    votes: Sequence[int] = (2, 3, 5, 10, 20),
    items: Sequence[int] = (100, 300, 1000, 3000, 10_000),
    target: float | None = None,
    budget: float | None = None,
    cost_per_item: float = 0.0,
    cost_per_vote: float = 1.0,
    level: float = 0.95,
    metric: str = "error",
    costs: object = None,
    at: float | None = None,
    prior: object = None,
    group: str | None = None,
    **columns: Any,
) -> Any:
    """Say how wide the interval will be for so many votes and items, and what is cheapest.

    Parameters
    ----------
    pilot : Estimate, VoteTable, ScoreTable, dataframe, path, or (points, weights)
        Votes collected so far, or what `from_votes` returned; or scores with one label per item;
        or an assumed distribution of the probability of a positive vote.
    votes : sequence of int
        Numbers of votes per item to consider, each at least 2. Scores have one label per item.
    items : sequence of int
        Numbers of items to consider.
    target : float, optional
        Width of the interval to reach, as a fraction.
    budget : float, optional
        What a new set of items with their votes may cost, in the unit of the prices.
    cost_per_item : float
        Price of an item.
    cost_per_vote : float
        Price of each vote, or label, on it.
    level : float
        Confidence level.
    metric : str
        What the interval is of, as in `from_scores`.
    costs : (float, float) or array-like of shape (classes, classes), optional
        What each kind of error costs, with ``metric="cost"``.
    at : float, optional
        The share of items to answer, or the error to allow, of metrics that abstain.
    prior : float or sequence of float, optional
        The share of class 1, or of each class, where it is known; for balanced error and AUC.

    score : str or sequence of str, optional
        Column of the scores, or one for each class; guessed where the names leave no doubt.
    label : str, optional
        Column of the labels; guessed likewise.
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
        Column: there is a plan for each of its values.
    drop_missing : bool
        Whether to leave out rows where something is missing, which are an error otherwise.

    Returns
    -------
    Plan
        Widths for all numbers of votes and items; with a target, how many items each number of
        votes needs and which of these is the cheapest; with a budget, how many items it pays for
        with each number of votes and which of these gives the narrowest interval.

    Notes
    -----
    A width is that of the default interval on the data to be expected. For votes that is the
    expected table under the distribution fitted to the pilot; where two kinds of items explain a
    pilot of at least five votes about as well, it lies between that and the width for two kinds,
    by how much likelier these make the votes than a beta distribution does. For scores it is the
    pilot's midpoint of training and cross-fitted error, with half their difference to either side
    shrinking as n to the power of -2/3, the rate at which a cut is learnt. For other metrics it is
    the default interval on the expected votes of two classes; of scores, the pilot's own, narrowed
    by the root of the number of items.

    Examples
    --------
    >>> from errorfloor import VoteTable
    >>> pilot = VoteTable.from_arrays([0, 0, 0, 1, 1, 2, 2, 2], 2)
    >>> plan(pilot, votes=(2, 3), items=(100, 1000)).width.shape
    (2, 2)
    """
    ask = record_of(PlanAsk, {**locals()}).checked(VoteTable.kind)
    if isinstance(pilot, tuple) and len(pilot) == 2 and not isinstance(pilot[0], str):
        if not ask.choice.record.is_error:
            raise InputError(
                f"`metric={ask.metric!r}` is planned from data, not from an assumed distribution. "
                "Pass a pilot, or plan for error."
            )
        check_aligned(points=pilot[0], weights=pilot[1])
        return ask.plan(_Pilot.of_distribution(pilot, ask.level))
    if isinstance(pilot, Estimate) and isinstance(pilot.table, VoteTable | ScoreTable):
        pilot = pilot.table
    if not is_data(pilot):
        raise InputError(
            "`pilot` must be what from_votes or from_scores returned, a VoteTable, a ScoreTable, a "
            "dataframe or file, or a pair (points, weights) of arrays."
        )
    layouts = tuple(layout for layout in LAYOUTS if layout.kind != SoftTable.kind)
    return answer(read(pilot, layouts, ReadOptions.of(group=group, **columns)), ask)


@dataclass(frozen=True, slots=True)
class _Pilot:
    """What a pilot tells: the floor, how wide intervals will be, and the plug-in's bias."""

    floor: float
    width: Width
    bias: Callable[[int], float]  # by votes
    one_label: bool = False  # per item, so that numbers of votes are no question
    table: VoteTable | None = None
    measure: Metric = ERROR
    classes: int = 2

    @classmethod
    def of_metric(cls, table: Table, asked: MetricChoice, level: float) -> _Pilot:
        """Take the pilot's interval of another metric than error."""
        measured = Measured(asked, level)
        votes = isinstance(table, VoteTable)
        found, width = (measured.of_votes if votes else measured.of_scores)(table)
        number = len(table.classes)
        return cls(
            found.value,
            width,
            lambda votes: 0.0,
            one_label=not votes,
            measure=asked.of(number),
            classes=number,
        )

    @classmethod
    def of_distribution(cls, pair: tuple[object, object], level: float) -> _Pilot:
        """Take an assumed distribution of the probability of a positive vote."""
        return _from_distribution(*_check_distribution(*pair), level)

    @classmethod
    def of_votes(cls, table: Table, level: float) -> _Pilot:
        """Take the distribution that is fitted to votes."""
        assert isinstance(table, VoteTable)
        if len(table) == 0 or table.totals.max() < 2:
            raise InputError(
                "`pilot` must have items with at least 2 votes. Collect a second vote on some."
            )
        if len(table.classes) > 2:
            many = ManyVotes.of(table)
            width = partial(many.width, level)
            return cls(many.fit.floor, width, many.bias, table=table, classes=many.classes)
        fit = TwoClassMixture(table.cells()).fitted
        pilot = _from_distribution(fit.points, fit.weights, level, table)
        atoms = two_atoms(table, fit)
        if atoms is None or atoms.trust < _LEAST_TRUST:
            return pilot
        narrower = partial(width_of_votes, atoms.points, atoms.weights, level)
        return replace(pilot, width=partial(between, pilot.width, narrower, atoms.trust))

    @classmethod
    def of_scores(cls, table: Table, level: float) -> _Pilot:
        """Take the errors of the best cut, on its own and on held-out items."""
        assert isinstance(table, ScoreTable)
        if table.n < 20:
            raise InputError(f"`pilot` has {table.n} items; pass at least 20 to learn from.")
        check_classes(table)
        floor, width = width_of_scores(table, level)
        classes = len(table.classes)
        return cls(floor, width, lambda votes: 0.0, one_label=True, classes=classes)


_PILOTS: dict[str, Callable[[Table, float], _Pilot]] = {
    VoteTable.kind: _Pilot.of_votes,
    ScoreTable.kind: _Pilot.of_scores,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanAsk(Ask):
    """What is asked of a pilot: which numbers of votes and items to consider, at which price."""

    votes: Any = (2, 3, 5, 10, 20)  # per item
    items: Any = (100, 300, 1000, 3000, 10_000)
    target: float | None = None  # width of the interval to reach
    budget: float | None = None  # that may be spent on a new set of items
    cost_per_item: float = 0.0
    cost_per_vote: float = 1.0
    gives_limits: ClassVar[bool] = False

    def checked(self, kind: str) -> Self:
        """Return the same with numbers in order, or refuse what is wrong."""
        metric = self.choice.record
        return replace(
            Ask.checked(self, kind),
            votes=np.unique(as_counts(self.votes, name="votes", least=2)),
            items=np.unique(as_counts(self.items, name="items", least=2)),
            target=None if self.target is None else _check_target(self.target, metric),
            budget=None if self.budget is None else _check_number(self.budget, "budget", above=0.0),
            cost_per_item=_check_number(self.cost_per_item, "cost_per_item"),
            cost_per_vote=_check_number(self.cost_per_vote, "cost_per_vote"),
        )

    def ready(self, reading: Reading) -> Callable[[Table, Part], Plan]:
        """Return what plans by one table."""
        for table in reading.tables.values():
            unweighted(table, "plan")
        return lambda table, _: self._by_table(table, reading.source)

    def _by_table(self, table: Table, source: Source) -> Plan:
        """Return the plan that a table suggests, with what its answer will claim."""
        table, choice = table.labelled if isinstance(table, ScoreTable) else table, self.choice
        if choice.record.is_error:
            found = self.plan(_PILOTS[table.kind](table, self.level))
        else:
            found = self.plan(_Pilot.of_metric(table, choice, self.level))
        method = methods.default(table.kind, Classes.of(table), choice.metric)
        kind = intervals.default(method, table, found.measure)
        shares = SHARES if source.layout in (layout.name for layout in BESIDE_LABELS) else SCORES
        complete = source.options.complete
        these = these_annotators(table, None)  # widths count nobody as a sample
        claim = claim_of(
            *(method, kind, found.measure),
            complete=complete,
            scores=shares,
            annotators=these,
        )
        workloads = table.workloads if isinstance(table, VoteTable) else None
        return replace(
            found,
            claim=claim,
            annotators=these if kind.speaks_for_others else None,
            people=None if workloads is None else len(workloads),
            most_votes=int(table.totals.max()) if isinstance(table, VoteTable) else 0,
        )

    def plan(self, pilot: _Pilot) -> Plan:
        """Return the plan that a pilot suggests."""
        votes = np.array([1]) if pilot.one_label else self.votes
        equal = [Totals.equal(int(m)) for m in votes]
        width = np.array([[pilot.width(one, int(n)) for n in self.items] for one in equal])
        needed = self._needed(pilot, votes, width)
        deepened = broadened = narrowest = None
        if pilot.table is not None and self.budget is not None:
            deepened, broadened = self._extended(pilot.table, pilot.width, self.budget)
        if self.target is not None and not needed:
            narrowest = pilot.width(equal[-1], MOST_ITEMS)
        return Plan(
            votes=votes,
            items=self.items,
            width=width,
            bias=np.array([pilot.bias(int(m)) for m in votes]),
            floor=pilot.floor,
            level=self.level,
            target=self.target,
            options=needed,
            budget=self.budget,
            affordable=self._affordable(pilot, votes),
            deepened=deepened,
            broadened=broadened,
            narrowest=narrowest,
            trade=None if pilot.table is None else self._trade(pilot.table, pilot.width),
            measure=pilot.measure,
            classes=pilot.classes,
        )

    def _needed(self, pilot: _Pilot, votes: Counts, width: Floats) -> tuple[Option, ...]:
        """Return the items that each number of votes needs for the target."""
        if self.target is None:
            return ()
        options = []
        for m, row in zip(votes.tolist(), width, strict=True):
            width_of = partial(pilot.width, Totals.equal(m))
            needed = _items_needed(width_of, self.target, self.items, row)
            if needed is not None:
                options.append(self._option(m, needed, width_of))
        return tuple(options)

    def _option(self, votes: int, items: int, width_of: Callable[[int], float]) -> Option:
        return Option(votes, items, round(items * self._price(votes), 6), width_of(items))

    def _affordable(self, pilot: _Pilot, votes: Counts) -> tuple[Option, ...]:
        """Return the items that the budget pays for with each number of votes."""
        if self.budget is None:
            return ()
        if self._price(1) == 0:
            raise InputError(
                *(argument("budget"), " needs a price. Give "),
                *(argument("cost_per_item"), " or ", argument("cost_per_vote"), "."),
            )
        options = []
        for m in votes.tolist():
            items = int(min((1 + 1e-12) * self.budget / self._price(m), MOST_ITEMS))
            if items >= 2:
                options.append(self._option(m, items, partial(pilot.width, Totals.equal(m))))
        if not options:
            least = 2 * self._price(int(votes[0]))
            raise InputError(
                argument("budget"),
                f" does not pay for two items: these cost {least:,.6g}. Raise it"
                f"{'' if pilot.one_label else ', or consider fewer votes for each item'}.",
            )
        return tuple(options)

    def _extended(
        self, table: VoteTable, width: Width, budget: float
    ) -> tuple[Option | None, Option | None]:
        """Return what the budget pays for next to a pilot: votes on its items, and more items."""
        totals, n, budget = Totals.of(table), table.n, (1 + 1e-12) * budget
        on_all, each = n * self.cost_per_vote, self._price(totals.mean)
        deepened = broadened = None
        votes = min(int(budget / on_all), int(self.votes.max())) if on_all else 0
        if votes:
            own = width(totals.more(votes), n)
            deepened = Option(votes, n, round(votes * on_all, 6), own)
        items = min(int(budget / each), MOST_ITEMS) if each else 0
        if items:
            own = width(totals, n + items)
            broadened = Option(round(totals.mean), items, round(items * each, 6), own)
        return deepened, broadened

    def _price(self, votes: float) -> float:
        """Return what an item costs with so many votes."""
        return self.cost_per_item + votes * self.cost_per_vote

    def _trade(self, table: VoteTable, width: Width) -> Trade | None:
        """Compare one more vote on each item with new items for the same price."""
        totals, n = Totals.of(table), table.n
        price = self._price(totals.mean)
        if price == 0:
            return None
        more = round(n * self.cost_per_vote / price)
        return Trade(
            *(n, more, width(totals.more(1), n), width(totals, n + more)),
            now=width(totals, n),
            price=round(n * self.cost_per_vote, 6),
        )


def _check_target(target: object, metric: Metric) -> float:
    """Return the width to reach, which is a fraction where the metric is one."""
    if metric.is_fraction:
        target = as_fraction(target, name="target")
    return _check_number(target, "target", above=0.0)


def _check_number(value: Any, name: str, *, above: float = -math.inf) -> float:
    """Return a finite number of at least 0 and above `above`."""
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not (0 <= number <= MOST_COST and number > above):
        least = "above 0" if above >= 0 else "of at least 0"
        raise InputError(f"`{name}` must be a number {least}, got {shown(value)}.")
    return number


def _check_distribution(points: object, weights: object) -> tuple[Floats, Floats]:
    """Return points and weights, which add up to one."""
    p = as_probabilities(points, name="pilot points")
    w = as_scores(weights, name="pilot weights")
    check_same_length(p, w, ("pilot points", "pilot weights"))
    refuse(w < 0, w, "`pilot weights` must be at least 0", "Drop such points.")
    if not w.any():
        raise InputError("`pilot weights` must not all be 0. Give some point a positive weight.")
    return p, w / w.sum()


def _from_distribution(
    points: Floats, weights: Floats, level: float, table: VoteTable | None = None
) -> _Pilot:
    return _Pilot(
        float(np.average(ERROR.per_item(points), weights=weights)),
        partial(width_of_votes, points, weights, level),
        lambda m: exact_bias(points, m, weights=weights),
        table=table,
    )


def _items_needed(
    width_of: Callable[[int], float], goal: float, items: Counts, widths: Floats
) -> int | None:
    """Return how many items make the interval as narrow as the goal, up to two digits.

    `widths` are known at `items`. In logarithms a width is nearly a straight line in between.
    """
    known = dict(zip(items.tolist(), widths.tolist(), strict=True))
    n = int(items[-1])
    while known[n] > goal:
        if n >= MOST_ITEMS:
            return None
        n = min(10 * n, MOST_ITEMS)
        known[n] = width_of(n)
    low = max((n for n in known if known[n] > goal), default=1)
    high = min(n for n in known if known[n] <= goal)
    known.setdefault(low, 0.5)
    while high > 1.02 * low + 1:
        slope = math.log(known[high] / known[low]) / math.log(high / low)
        guess = low * math.exp(math.log(goal / known[low]) / slope)
        n = min(max(round(guess), low + 1, round(0.9 * low + 0.1 * high)), high - 1)
        known[n] = width_of(n)
        low, high = (low, n) if known[n] <= goal else (n, high)
    unit = 10 ** max(len(str(high)) - 2, 0)
    return int(-(-high // unit) * unit)
