"""Votes with models next to them: panels of people, rates of models, worth, and differences."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from errorfloor._typing import Counts, Floats
from errorfloor.checks.gold import leaks, remarks
from errorfloor.data.items import PredictedVotes, Predictions
from errorfloor.data.source import Reading
from errorfloor.data.tables import VoteTable
from errorfloor.intervals.crossed import CrossedVotes, Mean
from errorfloor.intervals.models import holm
from errorfloor.intervals.votes.limits import FEWEST_ANNOTATORS
from errorfloor.methods.record import ITEM_DECIDES, VOTES_DECIDE, Options
from errorfloor.methods.votes.aims import PiecewiseLinear
from errorfloor.methods.votes.panels import Panel, panel_agreement, panel_chance
from errorfloor.questions.question import Ask, answer
from errorfloor.results import Estimate, Finding
from errorfloor.results.models import ModelDifference, Rate
from errorfloor.results.people import MIXTURE, VOTES, ModelRate, PanelRate
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
    all_people: CrossedVotes | None
    _panels: dict[int, PanelOf] = field(default_factory=dict)
    _of_votes: dict[int, tuple[Floats, Floats | None]] = field(default_factory=dict)

    @classmethod
    def of(cls, reading: Reading, found: PredictedVotes, ask: Ask) -> PeopleComparison:
        """Fit the mixture, which says what the best possible is."""
        ballots = found.ballots
        everyone = None
        if ballots is not None:
            everyone = CrossedVotes(ballots.item, ballots.annotator, ballots.vote)
        crowd = (
            everyone if everyone is not None and everyone.effective >= FEWEST_ANNOTATORS else None
        )
        if ask.totals_by == VOTES_DECIDE:
            crowd = None
        plain = Ask(level=ask.level, totals_by=ask.totals_by, stopping=ask.stopping)
        floor = answer(reading, plain)
        return cls(reading, found, ask.options, ask.level, floor, crowd, everyone)

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
        row = replace(row, verdict=verdict, p_room=p)
        if not self.unanimous:
            worth, low, high = self.worth(model.place, rate)
            row = replace(row, worth=worth, worth_low=low, worth_high=high)
        return row, findings

    def constant(self) -> ModelRate:
        """Return the best answer that is the same for all items."""
        shares = (self.found.votes / self.totals[:, None]).mean(axis=0)
        best = int(shares.argmax())
        place = np.full(len(self.totals), best)
        rate = self.limits_of_rate(place)
        name = f"always {self.name_of(best)!r}"
        row = ModelRate(rate.value, rate.low, rate.high, name)
        if self.floor.refuted or self.unanimous:
            return row
        worth, low, high = self.worth(place, rate)
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
