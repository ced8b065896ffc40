"""How many people a model is worth, and which models differ."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any, Unpack

import numpy as np

from errorfloor._checks import InputError, as_flag, as_fraction, shown
from errorfloor._keywords import record_of
from errorfloor._numbers import counted as counted_words
from errorfloor._typing import Bools, Counts, Floats
from errorfloor.checks.gold import leaks, remarks
from errorfloor.data.ballots import Ballots
from errorfloor.data.items import (
    PredictedReader,
    PredictedVotes,
    Predictions,
    as_predictions,
    reader_of,
)
from errorfloor.data.options import Reading, ReadOptions
from errorfloor.data.read import is_data, read
from errorfloor.data.tables import VoteTable
from errorfloor.intervals.crossed import CrossedVotes, Mean
from errorfloor.intervals.models import holm
from errorfloor.intervals.record import these_annotators
from errorfloor.intervals.votes.annotators import ANNOTATORS
from errorfloor.intervals.votes.limits import FEWEST_ANNOTATORS, is_sample
from errorfloor.methods.record import ITEM_DECIDES, VOTES_DECIDE, Options
from errorfloor.methods.votes.aims import PiecewiseLinear
from errorfloor.methods.votes.panels import Panel, panel_agreement, panel_chance
from errorfloor.questions.question import Ask, VoteColumns, answer, takes
from errorfloor.questions.sampling import unweighted
from errorfloor.results import Estimate, Finding, Groups
from errorfloor.results.estimate import interval_of
from errorfloor.results.models import ModelDifference, Rate
from errorfloor.results.people import MIXTURE, VOTES, AltTest, ModelRate, PanelRate, People
from errorfloor.results.verdict import BEYOND, ROOM, SATURATED

MOST_PEOPLE, _MOST_OF_MANY = 101, 25  # in panels beyond the votes: of two classes, and of more
_EVERY_UP_TO, _FACTOR = 15, 1.35  # sizes of panels on the curve: each odd one, then fewer
_ENOUGH = 0.5  # share of the items that must have more votes than a panel has people
_POWER = 0.8  # with which a difference would be shown


@dataclass(frozen=True, slots=True)
class PanelOf:
    """The agreement of a panel with one more person."""

    rate: PanelRate
    mean: Mean | None = None  # where it is made of votes

    @property
    def plain(self) -> Rate:
        """The rate without the panel's size."""
        return Rate(self.rate.value, self.rate.low, self.rate.high)


@dataclass(eq=False)
class PeopleComparison:
    """Votes with models next to them, and what both say at one level."""

    reading: Reading
    found: PredictedVotes  # items with two votes or more
    options: Options
    level: float
    floor: Estimate
    crowd: CrossedVotes | None
    _panels: dict[int, PanelOf] = field(default_factory=dict)
    _of_votes: dict[int, tuple[Floats, Floats | None]] = field(default_factory=dict)

    @classmethod
    def of(cls, reading: Reading, found: PredictedVotes, ask: Ask) -> PeopleComparison:
        """Fit the mixture, which says what the best possible is.

        Where the floor is about these annotators alone, so is what is compared with it.
        """
        ballots, crowd = found.ballots, None
        plain = Ask(
            interval=ask.interval, level=ask.level, totals_by=ask.totals_by, stopping=ask.stopping
        )
        floor = answer(reading, plain)
        alone = these_annotators(floor.table, interval_of(floor)) is not None
        if ballots is not None and ask.totals_by != VOTES_DECIDE and not alone:
            everyone = CrossedVotes(ballots.item, ballots.annotator, ballots.vote)
            crowd = everyone if everyone.effective >= FEWEST_ANNOTATORS else None
        return cls(reading, found, ask.options, ask.level, floor, crowd)

    @property
    def classes(self) -> int:
        """How many there are."""
        return int(self.found.votes.shape[1])

    @cached_property
    def totals(self) -> Counts:
        """Votes on each item."""
        return np.asarray(self.found.votes.sum(axis=1))

    @property
    def unanimous(self) -> bool:
        """Whether nobody disagrees on any item."""
        return bool((self.found.votes.max(axis=1) == self.totals).all())

    @property
    def best(self) -> Rate:
        """What any model can reach at most."""
        floor = self.floor
        low = 1 - floor.value if floor.high is None else 1 - floor.high
        high = 1 - floor.value if floor.low is None else 1 - floor.low
        return Rate(1 - floor.value, low, high)

    @cached_property
    def largest(self) -> int:
        """The largest odd panel that is made of votes; 0 where votes decided when to stop."""
        if self.options.totals_by == VOTES_DECIDE:
            return 0
        if self.options.totals_by == ITEM_DECIDES:
            most = int(self.totals.min()) - 1
        else:
            ordered = np.sort(self.totals)[::-1]
            most = int(ordered[math.ceil(_ENOUGH * ordered.size) - 1]) - 1
        return most if most % 2 else most - 1

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Sizes of the panels on the curve."""
        most = MOST_PEOPLE if self.classes == 2 else _MOST_OF_MANY
        sizes = [1]
        while sizes[-1] < max(self.largest, most):
            next_size = sizes[-1] + 2
            if sizes[-1] >= _EVERY_UP_TO:
                next_size = max(next_size, int(sizes[-1] * _FACTOR) // 2 * 2 + 1)
            if sizes[-1] < self.largest < next_size:
                next_size = self.largest
            sizes.append(next_size)
        return tuple(one for one in sizes if one <= max(self.largest, most))

    @cached_property
    def _cells(self) -> tuple[Counts, Counts]:
        cells, at = np.unique(self.found.votes, axis=0, return_inverse=True)
        return cells, at.ravel()

    def of_votes(self, r: int) -> tuple[Floats, Floats | None]:
        """Return the agreement of panels on each item, and its change without each vote."""
        if r not in self._of_votes:
            self._of_votes[r] = self._agreement(r)
        return self._of_votes[r]

    def _agreement(self, r: int) -> tuple[Floats, Floats | None]:
        cells, at = self._cells
        own = panel_agreement(cells, r)
        if self.crowd is None:
            return own[at], None
        change = np.full(cells.shape, np.nan)
        # Where too few votes are left for the panel, a smaller one answers to them likewise.
        for size in range(r, 0, -2):
            change = np.where(np.isnan(change), self._changes(size), change)
        mean = float(np.nanmean(own[at]))
        change = np.where(np.isnan(change), (own - mean)[:, None], change)
        return own[at], np.where(cells > 0, np.nan_to_num(change), 0.0)[at]

    def _changes(self, r: int) -> Floats:
        """Return the change of each cell without a vote for each class; NaN where votes end."""
        cells, _ = self._cells
        own = panel_agreement(cells, r)
        change = np.full(cells.shape, np.nan)
        for k in range(self.classes):
            has = cells[:, k] > 0
            less = cells[has].copy()
            less[:, k] -= 1
            change[has, k] = own[has] - panel_agreement(less, r)
        return change

    def panel(self, r: int) -> PanelOf:
        """Return the agreement of a panel of r with one more person."""
        if r not in self._panels:
            make = self._panel_of_votes if r <= self.largest else self._panel_of_mixture
            self._panels[r] = make(r)
        return self._panels[r]

    def _panel_of_votes(self, r: int) -> PanelOf:
        values, change = self.of_votes(r)
        chance = 1 / self.classes
        above = float(np.nanmean(values)) - chance
        mean = Mean.of(values, change, self.crowd, above_chance=(above, 0.0))
        low, high = mean.share_limits(self.level)
        return PanelOf(PanelRate(mean.value, low, high, r, VOTES), mean)

    def _panel_of_mixture(self, r: int) -> PanelOf:
        from errorfloor.intervals.votes.limits import VoteLimits

        mixture: Any = self.floor.mixture  # type: ignore[attr-defined]
        own = replace(self.options, metric=Panel(r).metric)
        value = float(mixture.weights @ panel_chance(mixture.points, r) / mixture.weights.sum())
        value = min(value, self.best.value)
        find = _limits_of(self.classes)
        table = self.reading.table
        assert isinstance(table, VoteTable)
        limits = VoteLimits.around("likelihood", 1 - value, table, find, own).limits(self.level)
        low, high = 1 - limits[1], 1 - limits[0]
        if self.crowd is not None and self.largest:
            near = self.panel(self.largest).mean
            assert near is not None
            low, high = near.widened(value, low, high, self.level)
        if self.largest:  # larger panels are never worse
            smaller = self.panel(self.largest).rate
            value, low = max(value, smaller.value), max(low, smaller.low)
        return PanelOf(PanelRate(value, max(low, 0.0), min(high, 1.0), r, MIXTURE))

    def shares(self, place: Counts) -> tuple[Floats, Floats]:
        """Return the share of votes for an answer on each item, and its change without a vote."""
        votes, m = self.found.votes, self.totals
        known = place >= 0
        at = np.where(known, place, 0)
        own = np.where(known, votes[np.arange(len(votes)), at], 0)
        share = own / m
        same = (np.arange(self.classes)[None] == at[:, None]) & known[:, None]
        return share, share[:, None] - (own[:, None] - same) / (m[:, None] - 1)

    def rate_of(self, place: Counts) -> Mean:
        """Return how often an answer is that of a person."""
        share, change = self.shares(place)
        above = float(share.mean()) - 1 / self.classes
        return Mean.of(share, change, self.crowd, above_chance=(0.0, above))

    def limits_of_rate(self, place: Counts) -> Rate:
        """Return the same with its limits."""
        if self.options.totals_by == VOTES_DECIDE:
            return self._rate_by_mixture(place)
        mean = self.rate_of(place)
        return Rate(mean.value, *mean.share_limits(self.level))

    def _rate_by_mixture(self, place: Counts) -> Rate:
        """Return how often an answer is a person's where votes decided when to stop.

        Votes for and against the answer are votes of two classes, whose mean the mixture tells.
        """
        from errorfloor.intervals.votes.limits import VoteLimits
        from errorfloor.methods.votes.line import fit_mixture

        share, _ = self.shares(place)
        own = np.rint(share * self.totals).astype(np.int64)
        table = VoteTable.from_arrays(own, self.totals)
        fit = fit_mixture(table.positives, table.totals, table.counts)
        value = float(fit.weights @ fit.points / fit.weights.sum())
        metric = replace(Panel(1).metric, how=PiecewiseLinear((0.0, 1.0), (1.0, 0.0)))
        options = replace(self.options, metric=metric)
        found = VoteLimits.around("likelihood", 1 - value, table, _limits_of(2), options)
        low, high = found.limits(self.level)
        return Rate(value, 1 - high, 1 - low)

    def model(self, model: Predictions) -> tuple[ModelRate, list[Finding]]:
        """Return the row of a model, and what was found out about its predictions."""
        rate = self.limits_of_rate(model.place)
        findings = [*leaks(self.found, model)]
        notes = [one.text for one in findings] + [*remarks(model)]
        refuted = any(one.level == "refuted" for one in findings)
        row = ModelRate(rate.value, rate.low, rate.high, model.name, warnings=tuple(notes))
        if refuted or self.floor.refuted:
            return row, findings
        p, verdict = self.verdict(model.place, rate)
        return self._with_worth(replace(row, verdict=verdict, p_room=p), model.place), findings

    def constant(self) -> ModelRate:
        """Return the best answer that is the same for all items."""
        shares = (self.found.votes / self.totals[:, None]).mean(axis=0)
        best = int(shares.argmax())
        place = np.full(len(self.totals), best)
        rate = self.limits_of_rate(place)
        name = f"always {self.name_of(best)!r}"
        row = ModelRate(rate.value, rate.low, rate.high, name)
        return row if self.floor.refuted else self._with_worth(row, place)

    def _with_worth(self, row: ModelRate, place: Counts) -> ModelRate:
        """Add how many people an answer is worth, unless people never disagree."""
        if self.unanimous:
            return row
        worth, low, high = self.worth(place, row)
        return replace(row, worth=worth, worth_low=low, worth_high=high)

    def name_of(self, place: int) -> str:
        """Return what a class is called by those who voted."""
        words = self.reading.source.facts.get("classes")
        if self.classes == 2 and isinstance(words, dict):
            own = words[str(place)]
            return str(own[0]) if len(own) == 1 else f"not {words[str(1 - place)][0]}"
        return self.found.classes[place]

    def room(self, place: Counts) -> Mean | None:
        """Return by how much the largest panel of votes is better; None where there is none."""
        if self.largest < 1:
            return None
        values, change = self.of_votes(self.largest)
        share, own = self.shares(place)
        return self._less(values, change, share, own)

    def _less(
        self, values: Floats, change: Floats | None, share: Floats, own: Floats, **more: Any
    ) -> Mean:
        # One more item's worth of squares, so that few differences are not taken for none.
        both = None if change is None else change - own
        return Mean.of(values - share, both, self.crowd, pseudo=1.0, **more)

    def verdict(self, place: Counts, rate: Rate) -> tuple[float | None, str]:
        """Return the p-value of "no rule is better", and where the model stands."""
        room = self.room(place)
        p = None if room is None else room.p_above()
        tail = (1 - self.level) / 2
        if (p is not None and p <= tail) or rate.high < self.best.low:
            return p, ROOM
        return p, BEYOND if rate.low > self.best.high else SATURATED

    def worth(self, place: Counts, rate: Rate) -> tuple[float | None, float, float | None]:
        """Return how many people an answer is worth, with limits; None where there is none.

        A size is within the limits if its panels may agree with one more person as often as the
        answer does: paired over items where panels are made of votes, by limits of both beyond.
        """
        lows, highs = [], []
        share, own = self.shares(place)
        chance = 1 / self.classes
        for r in self.sizes:
            if r <= self.largest:
                values, change = self.of_votes(r)
                above = (float(np.nanmean(values)) - chance, chance - rate.value)
                less = self._less(values, change, share, own, above_chance=above)
                low, high = less.limits(self.level)
            else:
                panel = self.panel(r).rate
                low, high = panel.low - rate.high, panel.high - rate.low
            lows.append(low)
            highs.append(high)
        value = np.maximum.accumulate([self.panel(r).rate.value for r in self.sizes])
        sizes = np.array(self.sizes, dtype=np.float64)
        worth = _crossing(sizes, value - rate.value)
        # Larger panels are never worse: what holds of one holds of all larger ones, or smaller.
        least = _crossing(sizes, np.minimum.accumulate(np.array(highs)[::-1])[::-1])
        most = _crossing(sizes, np.maximum.accumulate(lows), above=True)
        if least is None:  # better than every panel on the curve
            least = float(sizes[-1])
        if worth is not None:
            least = min(least, worth)
            most = None if most is None else max(most, worth, 1.0)
        return worth, least, most

    def differences(self) -> tuple[ModelDifference, ...]:
        """Return by how much each two models differ."""
        rows = []
        for first, second in combinations(self.found.models, 2):
            rows.append(self._difference(first, second))
        known = [one.p for one in rows if one.p is not None]
        if len(known) != len(rows):
            return tuple(rows)
        adjusted = holm(np.array(known)) if known else np.zeros(0)
        pairs = zip(rows, adjusted.tolist(), strict=True)
        return tuple(replace(row, adjusted_p=p) for row, p in pairs)

    def _difference(self, first: Predictions, second: Predictions) -> ModelDifference:
        names = first.name, second.name
        if self.options.totals_by == VOTES_DECIDE:
            each = replace_level(self, (1 + self.level) / 2)
            one, other = each.limits_of_rate(first.place), each.limits_of_rate(second.place)
            limits = one.low - other.high, one.high - other.low
            return ModelDifference(one.value - other.value, *limits, *names)
        mean = self.mean_difference(first, second)
        low, high = mean.limits(self.level)
        return ModelDifference(mean.value, low, high, *names, p=mean.p_either())

    def mean_difference(self, first: Predictions, second: Predictions) -> Mean:
        """Return the difference of two models, with an item at +1 and one at -1 for caution."""
        (one, own), (other, others) = self.shares(first.place), self.shares(second.place)
        return Mean.of(one - other, own - others, self.crowd, pseudo=2.0)

    def resolvable(self) -> float | None:
        """Return the difference that would be shown four times out of five."""
        if len(self.found.models) < 2 or self.options.totals_by == VOTES_DECIDE:
            return None
        from scipy.special import stdtrit

        pairs = combinations(self.found.models, 2)
        means = [self.mean_difference(first, second) for first, second in pairs]
        sizes = [
            (stdtrit(one.freedom, (1 + self.level) / 2) + stdtrit(one.freedom, _POWER))
            * one.deviation
            for one in means
        ]
        return float(np.mean(sizes))


def replace_level(comparison: PeopleComparison, level: float) -> PeopleComparison:
    """Return the same comparison at another level."""
    return replace(comparison, level=level, _panels={})


def _limits_of(classes: int) -> Any:
    """Return what finds limits of means over likely distributions."""
    from errorfloor.intervals.votes.region import likelihood_limits, many_likelihood_limits

    return likelihood_limits if classes == 2 else many_likelihood_limits


def _crossing(sizes: Floats, values: Floats | list[float], *, above: bool = False) -> float | None:
    """Return the size at which values that never fall reach 0, linear between sizes.

    That is 0 where they do so at once, and None where they never do. With `above` it is where they
    leave 0, which is 1 where they are above it at once.
    """
    v = np.asarray(values, dtype=np.float64)
    reached = np.flatnonzero(v > 0 if above else v >= 0)
    if not reached.size:
        return None
    at = int(reached[0])
    if at == 0:
        return 1.0 if above or v[0] == 0 else 0.0
    step = v[at] - v[at - 1]
    part = -v[at - 1] / step if step > 0 else 1.0
    return float(sizes[at - 1] + part * (sizes[at] - sizes[at - 1]))


PANELS = (1, 3, 5)
EPSILON = 0.2  # of the alternative annotator test
_FEWEST_PEOPLE, _FEWEST_ITEMS = 2, 30  # on an item, and of an annotator
_FALSE_DISCOVERIES = 0.05
_NUMBER = (int, float, np.integer, np.floating)


class _Options(VoteColumns, total=False):
    totals_by: str
    stopping: str | None
    level: float


@takes(_Options)
def people(
    votes: object = None,
    totals: object = None,
    *,
    predictions: Mapping[str, object] | None = None,
    prediction: str | Sequence[str] | None = None,
    panels: Sequence[int] = PANELS,
    epsilon: float = EPSILON,
    **options: Unpack[_Options],
) -> People:
    """Say how many people each model is worth, and which models differ.

    A model is compared with panels of people: how often does the answer that most of r people give
    equal the answer of one more person, and how often does the model's? A model that does so as
    often as panels of r is worth r people.

    Parameters
    ----------
    votes : array-like of shape (n,) or (n, classes), VoteTable, dataframe or path
        As in `from_votes`.
    totals : int or array-like of shape (n,), or str
        As in `from_votes`.
    predictions : dict of array-like, optional
        What each model answers for each item, by the model's name; next to arrays of votes.
    prediction : str or sequence of str, optional
        Columns of the models' answers, in a dataframe or file.
    positives : str or array-like of shape (n,), optional
        Column of the number of votes for class 1, or these numbers.
    counts : str or sequence of str, or array-like of shape (n, classes), optional
        Columns of the number of votes for each class, or these numbers.
    item : str, optional
        Column of the item, where a row is a single vote.
    vote : str, optional
        Column of the vote in such rows.
    annotator : str, optional
        Column of the annotator in such rows.
    annotators : sequence of str, or array-like of shape (n, raters), optional
        Columns of votes, one for each annotator, or the votes themselves.
    annotations : str, optional
        Column with all votes on an item.
    duplicates : {"error", "first", "last", "all"}
        What to do with several votes of one annotator on an item.
    positive : optional
        The vote that means class 1; all others then mean class 0.
    positive_from : float, optional
        For ratings: numbers from here on mean class 1.
    classes : sequence of str, optional
        Names of all classes, in order.
    drop_missing : bool
        Whether to keep only the items that all models answered, and that have votes.
    panels : sequence of int
        Odd numbers of people in the panels to report.
    totals_by : {"chance", "item", "votes"}
        Why items have unequal numbers of votes, as in `from_votes`. With "votes", which were
        collected until they agreed, all numbers come from the fitted mixture.
    stopping : str, optional
        The rule, as in `from_votes`.
    epsilon : float
        Allowance of the alternative annotator test: on how much larger a share of items an
        annotator may be closer to the others than the model.
    level : float
        Confidence level.

    Returns
    -------
    People
        Agreement of two people, panels, the best possible, and a row for each model.

    Notes
    -----
    Panels smaller than the number of votes need no model of votes: each vote is judged by all
    panels of the others. Larger ones come from the mixture that `from_votes` fits. A model has room
    if the largest panel that the votes allow agrees with one more person more often than the model
    does, because no panel is better than the best possible. Where annotators are known, and five or
    more (with equal workloads), they count as a sample as well as items. Agreement of people is not
    the most that a model can reach: panels agree more often with one more person than people with
    each other.

    Examples
    --------
    >>> counts = [[3, 0], [2, 1], [1, 2], [0, 3]] * 50
    >>> found = people(counts=counts, predictions={"mine": [0, 0, 1, 1] * 50})
    >>> round(found.agreement.value, 3), round(found["mine"].value, 3)
    (0.667, 0.833)
    """
    panels = as_panels(panels)
    epsilon = as_fraction(epsilon, name="epsilon")
    ask = record_of(Ask, options).checked(VoteTable.kind)
    given: dict[str, Any] = {**options}
    columns = {name: one for name, one in given.items() if name in VoteColumns.__annotations__}
    drop_missing = columns.pop("drop_missing", False)
    if votes is None:
        votes = columns.pop("positives", None)
    reading, found = _read(votes, totals, predictions, prediction, columns, drop_missing)
    return people_of(reading, found, ask, panels=panels, epsilon=epsilon)


def as_columns(prediction: object) -> tuple[str, ...]:
    """Return the columns of predictions, or say what is wrong with them."""
    given = (prediction,) if isinstance(prediction, str) else prediction
    names = list(given) if isinstance(given, Sequence) and not isinstance(given, bytes) else []
    if not names or not all(isinstance(one, str) for one in names):
        raise InputError(
            "`prediction` must be the name of a column, or a list of names; got "
            f"{shown(prediction)}. Give `predictions` next to arrays of votes."
        )
    return tuple(names)


def as_panels(panels: Any) -> tuple[int, ...]:
    """Return sizes of panels in order, or say that one is even or none."""
    try:
        given: list[Any] = [panels] if isinstance(panels, _NUMBER) else list(panels)
    except TypeError:
        given = []
    bad = [one for one in given if not _is_odd(one)]
    if not given or bad:
        raise InputError(
            f"`panels` must be odd numbers of people from 1 to {MOST_PEOPLE}, such as (1, 3, 5); "
            f"got {shown(bad[0] if bad else panels)}. One more person in an odd panel adds nothing "
            "but ties."
        )
    return tuple(sorted({int(one) for one in given}))


def _is_odd(size: Any) -> bool:
    return isinstance(size, _NUMBER) and bool(1 <= size <= MOST_PEOPLE and size % 2 == 1)


def _read(
    votes: Any,
    totals: Any,
    predictions: Any,
    prediction: Any,
    columns: dict[str, Any],
    drop_missing: bool,
) -> tuple[Reading, PredictedVotes]:
    """Read votes with what models predict next to them."""
    drop_missing = as_flag(drop_missing, name="drop_missing")
    if isinstance(votes, Estimate | Groups):
        raise InputError(
            "`votes` is an answer, which has no single votes any more. Pass the votes as they were "
            "passed for it, such as `people(annotators=votes, predictions=...)`."
        )
    if predictions is not None and (is_data(votes) or prediction is not None):
        raise InputError(
            "`predictions` goes with arrays of votes, and `prediction` with a dataframe or file. "
            "Give the one that fits."
        )
    if predictions is None:
        names = () if prediction is None else as_columns(prediction)
        if names and not is_data(votes):
            raise InputError(
                "`prediction` is a column of a dataframe or file. Pass one, or give `predictions`, "
                "a dict of answers, next to arrays of votes."
            )
        where = ReadOptions.of(**columns, drop_missing=drop_missing and is_data(votes))
        reader, where = reader_of(where, names)
        reading = read(votes, reader.layouts, where, second=totals)
        return reading, reader.found(reading)
    number = _length(votes, columns)
    names, answers, there = as_predictions(predictions, number, drop_missing=drop_missing)
    if not there.all():
        votes, totals = _some(votes, there), _some(totals, there)
        for name in ("counts", "annotators"):
            columns[name] = _some(columns.get(name), there)
        answers = tuple(one[there] for one in answers)
    reader = PredictedReader(names, answers)
    reading = read(votes, reader.layouts, ReadOptions.of(**columns), second=totals)
    dropped = int(np.count_nonzero(~there))
    if dropped:
        table: Any = reading.table
        table = replace(table, dropped=table.dropped + dropped)
        reading = replace(reading, tables={None: table})
    return reading, reader.found(reading)


def _length(votes: Any, columns: Mapping[str, Any]) -> int:
    given = (votes, columns.get("counts"), columns.get("annotators"))
    first = next((one for one in given if one is not None), ())
    try:
        return len(first)
    except TypeError:  # of a number
        return 0


def _some(values: Any, kept: Bools) -> Any:
    if values is None or np.ndim(values) == 0:
        return values
    if hasattr(values, "dtype"):
        return np.asarray(values)[kept]
    return [one for one, stays in zip(values, kept, strict=True) if stays]


def people_of(
    reading: Reading,
    found: PredictedVotes,
    ask: Ask,
    *,
    panels: Sequence[int] = PANELS,
    epsilon: float = EPSILON,
) -> People:
    """Return the answer for votes that were read, item by item."""
    unweighted(reading.table, "people")
    table = reading.table
    if isinstance(table, VoteTable) and is_sample(table, FEWEST_ANNOTATORS):
        ask = replace(ask, interval=ANNOTATORS.name)  # models are compared with people like these
    several = found.votes.sum(axis=1) >= 2
    if not several.any():
        raise InputError(
            "There is one vote per item, which cannot say how often people agree. Collect a second "
            "vote on some items: a few hundred items with two votes or more will do. For a model "
            "and one label per item use `errors` and `n` of headroom."
        )
    crowd = PeopleComparison.of(reading, found.where(several), ask)
    singles = int(np.count_nonzero(~several))
    return people_in(crowd, singles, panels=panels, epsilon=epsilon)


def people_in(
    crowd: PeopleComparison,
    singles: int = 0,
    *,
    panels: Sequence[int] = PANELS,
    epsilon: float = EPSILON,
) -> People:
    """Return the answer for votes with models next to them; some items had a single vote."""
    notes = [*_about_sample(crowd, singles)]
    findings, models, tested = [], [], []
    for model in crowd.found.models:
        row, own = crowd.model(model)
        models.append(row)
        findings += own
        tested += [] if any(one.level == "refuted" for one in own) else [model]
    differences = crowd.differences()
    return People(
        agreement=crowd.panel(1).plain,
        best_possible=crowd.best,
        panels=tuple(crowd.panel(r).rate for r in panels),
        curve=tuple(crowd.panel(r).rate for r in crowd.sizes),
        models=tuple(models),
        constant=crowd.constant(),
        differences=differences,
        resolvable=crowd.resolvable(),
        alt_test=_alt_tests(crowd, tested, epsilon),
        floor=crowd.floor,
        level=crowd.level,
        n=len(crowd.found.votes),
        crossed=crowd.crowd is not None,
        notes=tuple(notes),
        findings=tuple(findings),
        dropped=crowd.reading.table.dropped,
        source=crowd.reading.source,
    )


def _about_sample(crowd: PeopleComparison, singles: int) -> list[str]:
    notes = []
    ballots = crowd.found.ballots
    if crowd.crowd is not None:
        people = counted_words(crowd.crowd.number, "annotator")
        notes.append(
            f"The items and the {people} are each treated as a random sample, so the intervals "
            "also hold for other people of this kind."
        )
    elif ballots is None:
        notes.append(
            "It is not known who gave which vote. The intervals treat every vote as if it came "
            "from a different person."
        )
    if singles:
        items = counted_words(singles, "item")
        notes.append(
            f"{items} with a single vote {'has' if singles == 1 else 'have'} no part in it."
        )
    if crowd.unanimous:
        notes.append("People never disagree on these items, so no model is worth more or less.")
    return notes


def _alt_tests(
    crowd: PeopleComparison, models: Sequence[Predictions], epsilon: float
) -> tuple[AltTest, ...] | None:
    ballots = crowd.found.ballots
    if ballots is None:
        return None
    found = [alt_test(ballots, one.place, one.name, epsilon) for one in models]
    kept = tuple(one for one in found if one is not None)
    return kept or None


def alt_test(
    ballots: Ballots, place: Counts, name: str, epsilon: float = EPSILON
) -> AltTest | None:
    """Return the alternative annotator test of one model; None where nobody has enough items.

    Each annotator is left out in turn. On each item of that person the answers of the model and of
    the person are compared by how many of the others gave them. The model wins against an annotator
    if it is not worse by more than epsilon, by a t-test, corrected for the number of annotators
    (Benjamini and Yekutieli). Ties count for both sides. The procedure is that of N. Calderon,
    R. Reichart and R. Dror, "The alternative annotator test for LLM-as-a-judge", ACL 2025.

    Parameters
    ----------
    ballots : Ballots
        Single votes with their annotators.
    place : array of shape (n,)
        The model's answer for each item, as the place of a class; -1 for none of them.
    name : str
        Of the model.
    epsilon : float
        By how much an annotator may be better, because people cost more.
    """
    worse, wins = [], []
    counts, totals = ballots.counts, ballots.totals
    for one in range(len(ballots.names)):
        own = np.flatnonzero(ballots.annotator == one)
        own = own[totals[ballots.item[own]] >= _FEWEST_PEOPLE]
        if own.size < _FEWEST_ITEMS:
            continue
        item, vote = ballots.item[own], ballots.vote[own]
        human = counts[item, vote] - 1
        answer = place[item]
        model = np.where(answer >= 0, counts[item, answer] - (answer == vote), 0)
        wins.append(float((model >= human).mean()))
        worse.append(np.sign(human - model).astype(np.float64))
    if not wins:
        return None
    rate, strict = (
        by_yekutieli(np.array([_p_below(one, least) for one in worse]), _FALSE_DISCOVERIES)
        / len(wins)
        for least in (epsilon, 0.0)
    )
    return AltTest(name, rate, epsilon, strict, float(np.mean(wins)), len(wins))


def _p_below(values: Floats, limit: float) -> float:
    """Return the p-value of a mean of at least `limit`, by a t-test."""
    from scipy.special import stdtr

    error = values.std(ddof=1) / np.sqrt(values.size)
    if error == 0:
        return 0.0 if values.mean() < limit else 1.0
    return float(stdtr(values.size - 1, (values.mean() - limit) / error))


def by_yekutieli(p_values: Floats, rate: float) -> int:
    """Return how many hypotheses are rejected, with false ones at this rate at most."""
    number = p_values.size
    rank = np.arange(1, number + 1)
    limits = rank / number * rate / (1 / rank).sum()
    below = np.flatnonzero(np.sort(p_values) <= limits)
    return int(below[-1] + 1) if below.size else 0
