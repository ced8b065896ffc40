"""Which labels to buy: how wide the interval will be, and the cheapest way to a target."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Unpack, overload

import numpy as np

from errorfloor import intervals, methods
from errorfloor._aligned import check_aligned
from errorfloor._checks import (
    InputError,
    argument,
    as_counts,
    as_fraction,
    as_probabilities,
    as_scores,
    check_level,
    check_same_length,
    refuse,
    shown,
)
from errorfloor._keywords import told_keywords
from errorfloor._typing import Counts, Floats
from errorfloor.bounds import exact_bias
from errorfloor.data.layouts import BESIDE_LABELS, LAYOUTS
from errorfloor.data.options import ReadOptions
from errorfloor.data.read import is_data, read
from errorfloor.data.source import Source
from errorfloor.data.tables import ScoreTable, SoftTable, Table, VoteTable
from errorfloor.methods.record import Classes
from errorfloor.methods.votes.mixture import TwoClassMixture
from errorfloor.metrics import ERROR, Metric
from errorfloor.metrics.choice import MetricChoice
from errorfloor.questions.answer import check_classes
from errorfloor.questions.columns import AnyColumns
from errorfloor.questions.groups import by_group
from errorfloor.questions.plan_many import ManyScores, ManyVotes
from errorfloor.questions.plan_metric import Measured
from errorfloor.questions.plan_widths import Width, between, width_of_scores, width_of_votes
from errorfloor.questions.two_atoms import two_atoms
from errorfloor.questions.weights import unweighted
from errorfloor.results import Groups, Option, Plan, Trade
from errorfloor.results.claim import SCORES, SHARES, claim_of

MOST_ITEMS = 10**8
MOST_COST = 1e100  # so that no sum of costs is out of range
_LEAST_TRUST = 0.01  # in two kinds of items, below which they are not worth the time


class _Options(AnyColumns, total=False):
    votes: Sequence[int]
    items: Sequence[int]
    target: float | None
    cost_per_item: float
    cost_per_vote: float
    level: float
    metric: str
    costs: object
    at: float | None
    prior: object


@overload
def plan(pilot: object, *, group: None = None, **options: Unpack[_Options]) -> Plan: ...
@overload
def plan(pilot: object, *, group: str, **options: Unpack[_Options]) -> Groups[Plan]: ...
@told_keywords
def plan(
    pilot: object,
    *,
    votes: Sequence[int] = (2, 3, 5, 10, 20),
    items: Sequence[int] = (100, 300, 1000, 3000, 10_000),
    target: float | None = None,
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
    pilot : VoteTable, ScoreTable, dataframe, path, or (points, weights)
        Votes collected so far; or scores with one label per item; or an assumed distribution of
        the probability of a positive vote.
    votes : sequence of int
        Numbers of votes per item to consider, each at least 2. Scores have one label per item.
    items : sequence of int
        Numbers of items to consider.
    target : float, optional
        Width of the interval to reach, as a fraction.
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
        Widths for all numbers of votes and items and, with a target, how many items each number
        of votes needs and which of these is the cheapest.

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
    asked = MetricChoice(metric, costs, at, prior)
    level = check_level(level)
    task = _Task(
        votes=np.unique(as_counts(votes, name="votes", least=2)),
        items=np.unique(as_counts(items, name="items", least=2)),
        level=level,
        target=None if target is None else _check_target(target, asked.record),
        cost_per_item=_check_number(cost_per_item, "cost_per_item"),
        cost_per_vote=_check_number(cost_per_vote, "cost_per_vote"),
    )
    if isinstance(pilot, tuple) and len(pilot) == 2 and not isinstance(pilot[0], str):
        if not asked.record.is_error:
            raise InputError(
                argument("metric", asked.metric),
                " is planned from data, not from an assumed distribution. Pass a pilot, or plan "
                "for error.",
            )
        check_aligned(points=pilot[0], weights=pilot[1])
        return task.run(_Pilot.of_distribution(pilot, level))
    if not is_data(pilot):
        raise InputError(
            argument("pilot"),
            " must be a VoteTable, a ScoreTable, a dataframe or file, or a pair (points, weights) "
            "of arrays.",
        )
    layouts = tuple(layout for layout in LAYOUTS if layout.kind != SoftTable.kind)
    reading = read(pilot, layouts, ReadOptions.of(group=group, **columns))
    for table in reading.tables.values():
        unweighted(table, "plan")

    def one(table: Table) -> Plan:
        return _planned(task, table, asked, reading.source)

    if reading.source.options.group is None:
        return one(reading.table)
    return by_group(reading, lambda table, _: one(table))


def _planned(task: _Task, table: Table, asked: MetricChoice, source: Source) -> Plan:
    """Return the plan that a table suggests, with what its answer will claim."""
    table = table.labelled if isinstance(table, ScoreTable) else table
    if asked.record.is_error:
        found = task.run(_PILOTS[table.kind](table, task.level))
    else:
        found = task.run(_Pilot.of_metric(table, asked, task.level))
    method = methods.default(table.kind, Classes.of(table), asked.metric)
    kind = intervals.default(method, table, found.measure)
    shares = SHARES if source.layout in (layout.name for layout in BESIDE_LABELS) else SCORES
    claim = claim_of(method, kind, found.measure, complete=source.options.complete, scores=shares)
    return replace(found, claim=claim)


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
                argument("pilot"),
                " must have items with at least 2 votes. Collect a second vote on some.",
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
            raise InputError(
                argument("pilot"), f" has {table.n} items; pass at least 20 to learn from."
            )
        if len(table.classes) > 2:
            check_classes(table)
            many = ManyScores.of(table)
            of = partial(many.width, level)
            return cls(many.middle, of, lambda _: 0.0, one_label=True, classes=many.classes)
        floor, width = width_of_scores(table, level)
        return cls(floor, width, lambda votes: 0.0, one_label=True)


_PILOTS: dict[str, Callable[[Table, float], _Pilot]] = {
    VoteTable.kind: _Pilot.of_votes,
    ScoreTable.kind: _Pilot.of_scores,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Task:
    """What to consider, checked."""

    votes: Counts
    items: Counts
    level: float
    target: float | None
    cost_per_item: float
    cost_per_vote: float

    def run(self, pilot: _Pilot) -> Plan:
        """Return the plan that a pilot suggests."""
        votes = np.array([1]) if pilot.one_label else self.votes
        width = np.array([[pilot.width(int(m), int(n)) for n in self.items] for m in votes])
        options = self._options(pilot, votes, width)
        narrowest = None
        if self.target is not None and not options:
            narrowest = pilot.width(int(votes.max()), MOST_ITEMS)
        return Plan(
            votes=votes,
            items=self.items,
            width=width,
            bias=np.array([pilot.bias(int(m)) for m in votes]),
            floor=pilot.floor,
            level=self.level,
            target=self.target,
            options=options,
            narrowest=narrowest,
            trade=None if pilot.table is None else self._trade(pilot.table, pilot.width),
            measure=pilot.measure,
            classes=pilot.classes,
        )

    def _options(self, pilot: _Pilot, votes: Counts, width: Floats) -> tuple[Option, ...]:
        """Return the items that each number of votes needs for the target."""
        if self.target is None:
            return ()
        options = []
        for m, row in zip(votes.tolist(), width, strict=True):
            needed = _items_needed(partial(pilot.width, m), self.target, self.items, row)
            if needed is not None:
                price = needed * (self.cost_per_item + m * self.cost_per_vote)
                options.append(Option(m, needed, round(price, 6)))
        return tuple(options)

    def _trade(self, table: VoteTable, width: Width) -> Trade | None:
        """Compare one more vote on each item with new items for the same price."""
        m = max(round(float(np.average(table.totals, weights=table.counts))), 2)
        price = self.cost_per_item + m * self.cost_per_vote
        if price == 0:
            return None
        more = round(table.n * self.cost_per_vote / price)
        return Trade(table.n, more, width(m + 1, table.n), width(m, table.n + more))


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
        raise InputError(argument(name), f" must be a number {least}, got {shown(value)}.")
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
