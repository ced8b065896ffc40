"""Certified limits from the errors of cuts: proven for any number of items.

Errors of unequal weights or prices have no binomial law, so limits come from betting, as for means
of bounded numbers. Below, what the truly best cut would have won is at least the least that any cut
wins; the logarithm of a capital adds up over items, so that it is one walk for each trial value.
Above, a cut that one half of the items chose is tested on the other half.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from errorfloor._references import BETTING, BINOMIAL, HOEFFDING
from errorfloor._typing import Bools, Floats
from errorfloor.data.sample import Draw, split
from errorfloor.intervals.bets import (
    MOST,
    Bets,
    Blocks,
    PairShare,
    SumsBefore,
    goal_of,
    refuted_from,
    refuted_up_to,
    stakes_of,
)
from errorfloor.intervals.honest import (
    Honest,
    cut_of,
    for_any_scores,
    of_error,
    of_rules,
    offsets_of,
)
from errorfloor.intervals.record import AroundValue, Case, Evidence, IntervalKind
from errorfloor.methods.cuts import CutFit, all_cuts, like_with_one_more, table_of, wrong_of
from errorfloor.methods.fitted import Sides, sides_of_errors
from errorfloor.methods.isotonic import MapFit, RisingMap
from errorfloor.methods.record import Basis, uses_weights
from errorfloor.methods.rules.fewest import Rule, needed_errors
from errorfloor.methods.rules.offsets import OffsetFit, TopErrors
from errorfloor.metrics.two_by_two import Binomial, OfTable, TwoByTwo


@dataclass(frozen=True, slots=True, eq=False)
class ExactTables:
    """Limits where errors are binomial for a fixed cut: alike costs, and the errors behind F1."""

    method: str
    how: OfTable
    every: Binomial = field(repr=False)  # of all cuts, on all items
    tested: TwoByTwo  # of a cut that one half chose, on the other

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        tail = (1 - level) / 2
        share = self.every.successes / self.every.trials
        least = int(np.argmin(share))  # only for speed: any cut would do
        # By Hoeffding's inequality no limit is further below its share than this.
        reach = np.sqrt(np.log(1 / tail) / (2 * self.every.trials))
        low = float(self.every.at(np.array([least])).quantile(tail)[0])
        near = np.flatnonzero(self.every.scale * (share - reach) <= low)
        low = min(low, float(self.every.at(near).quantile(tail).min(initial=low)))
        high = float(self.how.like(self.how.with_one_more(self.tested)).quantile(1 - tail).max())
        low, high = sorted(float(self.how.link(end)) for end in (low, high))
        return low, high


@dataclass(frozen=True, slots=True, eq=False)
class Prices:
    """What errors cost, and what a mean cost says about the classes."""

    each: Floats  # of an error on a negative and on a positive item
    # From a mean loss to those of both classes, each an extreme case of what it can come from:
    # what is won against a mean is a concave function of one class's share of it.
    ends: Floats
    top: float  # the largest mean there is a need to look at
    by_class: bool = False  # whether both classes have stakes by their own numbers, or one

    @classmethod
    def of(cls, how: OfTable) -> Prices:
        """Return the prices of a loss."""
        if how.costs is not None:
            each = np.array(how.costs, dtype=np.float64)
            return cls(each, np.ones((1, 2)), float(each.max()))
        return cls(np.ones(2), 2 * np.eye(2), 0.5, by_class=True)

    def numbers(self, items: Floats) -> Floats:
        """Return how many items share a stake, from those of both classes."""
        return np.maximum(items if self.by_class else items.sum(keepdims=True), 1)

    def seen(self, tables: list[TwoByTwo]) -> SumsBefore:
        """Return sums of what items lost, a row for each table and a column for each stake."""
        errors = np.array([(one.false_positives, one.false_negatives) for one in tables])
        items = np.array([(one.negatives, one.positives) for one in tables])
        if self.by_class:
            return SumsBefore.plain(items, errors, errors)
        losses = ((errors @ self.each**power)[:, None] for power in (1, 2))
        return SumsBefore.plain(items.sum(axis=1, keepdims=True), *losses)

    def noise(self, seen: SumsBefore, n: Floats) -> Floats:
        """Return the variance of the mean loss, as it seems from each row of what was seen."""
        return np.asarray((seen.variance(self.each.max()) / n).sum(axis=1))


@dataclass(frozen=True, slots=True, eq=False)
class CutBets:
    """The lower limit of the least loss of any cut, by bets that pay for every cut."""

    prices: Prices
    times: Floats = field(repr=False)  # of entries of blocks, by cell; negative for negatives
    bet: NDArray[np.intp] = field(repr=False)  # twice the block of each, and 1 more for positives
    weight: Floats = field(repr=False)  # of each entry, as shares of the heaviest there can be
    noise: Floats  # of the mean loss, as it seems before each block
    n: Floats  # items that share a stake
    near: float  # the loss of the best threshold on some items

    @classmethod
    def of(
        cls, prices: Prices, blocks: Blocks, positive: Bools, weight: Floats, seen: SumsBefore
    ) -> CutBets:
        """Return bets on cells, from what was seen of the best cuts before each block."""
        kind = positive[blocks.unit]
        n = prices.numbers(np.bincount(kind, blocks.times, minlength=2).astype(float))
        return cls(
            prices,
            np.where(kind, blocks.times, -blocks.times),
            2 * blocks.block + kind,
            weight[blocks.unit],
            prices.noise(seen, n),
            n,
            float(np.mean(seen.total[-1] / np.maximum(seen.mass[-1], 1))),
        )

    def lower(self, level: float) -> float:
        """Return the lower limit at `level`."""
        goal = goal_of(level)
        stakes = stakes_of(goal, self.noise[:, None], self.n)
        start = self.near - float(np.sqrt(2 * goal * self.noise[-1]))

        def gain(mean: float) -> float:
            return min(self.least_won(stakes, mean * end) for end in self.prices.ends) - goal

        return refuted_up_to(gain, 0.0, self.prices.top, start)

    def least_won(self, stakes: Floats, means: Floats) -> float:
        """Return the logarithm of the least that any cut wins by betting on more errors.

        Stakes are those of blocks and classes, `means` what items of both classes lose on average.
        """
        most = float(means.max())
        capped = np.minimum(stakes, MOST / most if most > 0 else np.inf)
        returns = -capped * means, capped * (self.prices.each - means)
        right, wrong = (np.log1p(each.ravel()[self.bet] * self.weight) for each in returns)
        # What a positive below the cut adds, or a negative takes away.
        steps = self.times * (wrong - right)
        least = min(float(np.cumsum(steps).min(initial=0.0)), 0.0) - float(
            np.minimum(steps, 0).sum()
        )
        return float(np.abs(self.times) @ right) + least


@dataclass(frozen=True, slots=True, eq=False)
class OtherHalf:
    """The upper limit of the loss of a cut, on items that did not choose it."""

    prices: Prices
    table: TwoByTwo
    noise: float  # of the mean loss, as it seems from items that chose the cut

    @classmethod
    def of(cls, prices: Prices, table: TwoByTwo, chosen_on: TwoByTwo) -> OtherHalf:
        """Return bets on the errors of a cut, from those on the items that chose it."""
        n = prices.numbers(np.array([table.negatives, table.positives]))
        return cls(prices, table, float(prices.noise(prices.seen([chosen_on]), n)[0]))

    def upper(self, level: float) -> float:
        """Return the upper limit at `level`."""
        goal = goal_of(level)
        return refuted_from(lambda mean: self.won(goal, mean) - goal, 0.0, self.prices.top)

    def won(self, goal: float, mean: float) -> float:
        """Return the logarithm of the least that the cut wins by betting on a smaller loss."""
        wrong = np.array([self.table.false_positives, self.table.false_negatives])
        items = np.array([self.table.negatives, self.table.positives])
        means = mean * self.prices.ends
        most = float((self.prices.each - means).max())
        stakes = stakes_of(goal, self.noise, self.prices.numbers(items))
        stakes = np.minimum(stakes, MOST / most if most > 0 else np.inf)
        won = wrong * np.log1p(stakes * (means - self.prices.each))
        won += (items - wrong) * np.log1p(stakes * means)
        return float(won.sum(axis=1).min())


@dataclass(frozen=True, slots=True, eq=False)
class Certified:
    """Limits of the least loss of any rule: below of all at once, above by bets on a tested one."""

    below: CutBets | PairShare = field(repr=False)
    above: Bets | OtherHalf = field(repr=False)
    method: str = "certified"

    @classmethod
    def of_weights(cls, fit: CutFit, draw: Draw) -> Certified:
        """Return limits of the least share of errors of any cut, whatever items weigh."""
        sample, cuts = fit.sample, fit.cuts
        weight = sample.each / sample.each.max()

        def lost(_: int, seen: Blocks) -> Floats:
            some = sample.among(seen.unit)
            chosen = cuts.fit(some, seen.times * weight[seen.unit])
            return wrong_of(some, chosen).astype(np.float64)

        train, test = split(sample.count, 2, draw("halves"))
        own, other = (Blocks.drawn(count, draw("blocks")) for count in (sample.count, test))
        seen = SumsBefore.of(own, weight, lost).column
        below = CutBets.of(Prices.of(fit.how), own, sample.positive, weight, seen)
        chosen = wrong_of(sample, cuts.fit(sample, train * weight)).astype(np.float64)
        return cls(below, Bets.of(chosen, other, weight=weight))

    @classmethod
    def of_prices(cls, fit: CutFit, draw: Draw) -> Certified:
        """Return limits of the least cost, or the least balanced error, of any cut."""
        sample, prices, cuts = fit.sample, Prices.of(fit.how), fit.cuts
        train, test = split(sample.count, 2, draw("halves"))
        blocks = Blocks.drawn(sample.count, draw("blocks"))
        earlier = (seen.counts(len(sample)) for seen in blocks.before)
        before = [table_of(sample, count, cuts.fit(sample, count)) for count in earlier]
        below = CutBets.of(prices, blocks, sample.positive, sample.each, prices.seen(before))
        rule = cuts.fit(sample, train)
        table, own = (table_of(sample, half, rule) for half in (test, train))
        return cls(below, OtherHalf.of(prices, table, own))

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        return self.below.lower(level), self.above.upper(level)


@uses_weights(where=lambda metric: metric.is_error)
def _certified(case: Case) -> Evidence:
    fit = cut_of(case)
    found = _limits(fit, case.streams.for_)
    # One half may do better by chance than both parts that a value of the best cut comes from.
    return AroundValue(found, case.value) if fit is case.statistic else found


def _limits(fit: CutFit, draw: Draw) -> Evidence:
    how, sample = fit.how, fit.sample
    if how.law != "binomial":
        return Certified.of_prices(fit, draw)
    if not sample.is_counted:
        return Certified.of_weights(fit, draw)
    train, test = split(sample.count, 2, draw("halves"))
    table = table_of(sample, test, fit.cuts.fit(sample, train))
    if how.pooled:
        return Honest(Sides(fit.below, partial(like_with_one_more, how, table)), "certified")
    every = all_cuts(sample, sample.count[None])
    errors = every.false_positives[0], every.false_negatives[0]
    like = how.like(TwoByTwo(*errors, every.negatives[0, 0], every.positives[0, 0]))
    return ExactTables("certified", how, like.at(slice(None)), table)


CERTIFIED = of_error(
    name="certified",
    make=_certified,
    promise="Both limits hold at any number of items, at the price of width.",
    with_weights="Both limits hold at any number of items if no item of the population weighs more "
    "than the heaviest one seen, at the price of width.",
    in_short="both limits exact at any n; the upper one for any scores",
    proof="[proven](theory/scores.md#upper-limits-certified-and-cross-fitted)",
    with_clusters=False,
)
_proven = partial(
    IntervalKind,
    name="certified",
    promise="Both limits hold at any number of items, at the price of width.",
    assumes=for_any_scores,
    tests_rules=True,
)
CERTIFIED_TABLES = _proven(
    basis=Basis.EXACT_TABLES,
    make=_certified,
    in_short="costs, balanced error, F1: both limits hold at any n",
    proof="[proven](theory/metrics.md#costs-balanced-error-and-f1-from-scores)",
    references=(BINOMIAL, BETTING),
)


# Rules of many classes, and losses of maps -----------------------------------------------------


def _certified_rules(case: Case) -> Evidence:
    n, count = case.table.n, case.count
    if isinstance(case.statistic, TopErrors):
        items = case.statistic.items
        first = case.statistic.rule.chosen(items, np.zeros(len(items.logs)))
        errors = int(count[first != items.label].sum())
        return Honest(sides_of_errors((errors, n), (errors, n)), "certified")
    rules = offsets_of(case).rules
    items = rules.items
    train, test = split(count, 2, case.streams.for_("halves"))
    rule = Rule.of(rules.fit(train if train.any() else count))
    # One class where several are tied, so that errors are whole and binomial.
    wrong = rule.chosen(items, items.by_class(train)) != items.label
    held_out = int(test[wrong].sum()), int(test.sum())
    found = Honest(sides_of_errors((needed_errors(items, count), n), held_out), "certified")
    return AroundValue(found, case.value) if isinstance(case.statistic, OffsetFit) else found


CERTIFIED_RULES = of_rules(
    name="certified",
    make=_certified_rules,
    promise="Both limits hold at any number of items. The lower one counts errors that pairs of "
    "classes prove for all weights, and is often far below the estimate.",
    in_short="many classes: both limits exact at any n, the lower one loose",
    proof="[proven](theory/classes.md#scores-of-many-classes)",
)


def _certified_losses(case: Case) -> Evidence:
    """Return limits of a mean of losses in [0, 1] at any number of items.

    On its own items the fit has no more loss than the true probabilities, whose losses Chernoff's
    limit is for. On the other half losses are those of a fixed map, whose mean is bet on.
    """
    fitted = case.statistic
    assert isinstance(fitted, MapFit)
    train, test = fitted.sample.parts(2, case.streams.for_("halves"))
    losses = fitted.losses(RisingMap.fit(fitted.sample, fitted.sample.mass(train), more=1.0))
    tested = Bets.on(
        fitted.sample.counted(test), np.minimum(losses, 1.0), case.streams.for_("blocks"), 1.0
    )
    own = PairShare(min(fitted.own_loss, 1.0), fitted.sample.total)
    return Certified(own, tested)


CERTIFIED_LOSSES = _proven(
    basis=Basis.BOUNDED_LOSSES,
    make=_certified_losses,
    in_short="Brier score: both limits hold at any n",
    proof="[proven](theory/metrics.md#brier-score-and-log-loss-from-scores)",
    references=(HOEFFDING, BETTING),
)
