"""Certified limits from both kinds of error of cuts: proven for any number of items.

Errors of unequal weights have no binomial law, so limits come from betting, as for means of bounded
numbers. The stake that the truly best cut would have won is at least the least that any cut wins,
and the logarithm of a stake adds up over items, so that it is one walk for each trial value.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

import numpy as np

from errorfloor._references import BETTING, BINOMIAL
from errorfloor._typing import Bools, Counts, Floats
from errorfloor.data.sample import Sample, split
from errorfloor.intervals.blocks import growing_blocks
from errorfloor.intervals.cuts import cut_of, for_any_scores
from errorfloor.intervals.record import Case, Evidence, IntervalKind
from errorfloor.methods.cuts import Cuts, all_cuts, table_of
from errorfloor.methods.record import Basis
from errorfloor.metrics.two_by_two import Binomial, OfTable, TwoByTwo

_MOST = 0.5  # of what a stake may lose


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
class Bets:
    """What is bet on in random blocks of items, and the stakes of both classes in each.

    The first kind of items are negatives, an error on which weighs `weights[0]`, at most 1.
    """

    positive: Bools = field(repr=False)
    blocks: Counts = field(repr=False)  # shape (blocks, cells)
    weights: tuple[float, float]
    stakes: Floats = field(repr=False)  # shape (blocks, 2), of negatives and positives
    goal: float  # logarithm of what refutes

    def least_won(self, means: tuple[float, float], most: float) -> float:
        """Return the logarithm of the least that any cut wins by betting on more errors.

        `means` are what the weighted errors of either kind of items are taken to be on average,
        and `most` the largest that they may be.
        """
        stakes = np.minimum(self.stakes, _MOST / most if most > 0 else np.inf)
        right, wrong = (
            np.log1p(stakes * (np.array(part) - np.array(means)))
            for part in ((0.0, 0.0), self.weights)
        )
        kind = self.positive.astype(np.intp)
        base = (self.blocks * right[:, kind]).sum(axis=0)
        extra = (self.blocks * (wrong - right)[:, kind]).sum(axis=0)
        # Below the cut positives are wrong, above it negatives.
        steps = np.where(self.positive, extra, -extra)
        walk = np.concatenate(([0.0], np.cumsum(steps)))
        return float(base.sum() + extra[~self.positive].sum() + walk.min())


def _lower(won: partial[float], top: float, goal: float) -> float:
    """Return the largest value that is refuted; what is won against a value falls with it."""
    from scipy.optimize import brentq

    if won(0.0) <= goal:
        return 0.0
    return float(brentq(lambda m: won(m) - goal, 0.0, top)) if won(top) <= goal else top


def _upper(won: partial[float], top: float, goal: float) -> float:
    """Return the least value that is refuted; what is won against a value rises with it."""
    from scipy.optimize import brentq

    if won(top) <= goal:
        return top
    return float(brentq(lambda m: won(m) - goal, 0.0, top))


@dataclass(frozen=True, slots=True, eq=False)
class BetOnCost:
    """Limits of a mean cost by betting; see "Costs and balanced error" in docs/theory.md."""

    how: OfTable
    sample: Sample = field(repr=False)
    blocks: Counts = field(repr=False)
    chosen_on: TwoByTwo  # errors of the chosen cut on its own half
    tested: TwoByTwo
    method: str = "certified"

    @property
    def _top(self) -> float:
        return max(self._costs)

    @property
    def _costs(self) -> tuple[float, float]:
        assert self.how.costs is not None
        return self.how.costs

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        goal, top = float(np.log(2 / (1 - level))), self._top
        weights, stakes = self._weights(), self._stakes(goal)
        bets = Bets(self.sample.positive, self.blocks, weights, stakes, goal)
        low = _lower(partial(_won_on_cost, bets), 1.0, goal)
        high = _upper(partial(self._won_on_less, goal), 1.0, goal)
        return low * top, high * top

    def _weights(self) -> tuple[float, float]:
        one, other = self._costs
        return one / self._top, other / self._top

    def _stakes(self, goal: float) -> Floats:
        """Return the stake of each block, from what the best cut of the blocks before it costs."""
        n = float(self.blocks.sum())
        before = best_before(self.how, self.sample, self.blocks)
        stakes = [_stake(table, self._weights(), goal, n) for table in before]
        return np.repeat(np.array(stakes)[:, None], 2, axis=1)

    def _won_on_less(self, goal: float, mean: float) -> float:
        """Return the logarithm of what the chosen cut wins by betting on less cost."""
        stake = _stake(self.chosen_on, self._weights(), goal, float(self.tested.n))
        stake = min(stake, _MOST / (1 - mean)) if mean < 1 else stake
        fp, fn = self.tested.false_positives, self.tested.false_negatives
        one, other = (float(np.log1p(stake * (mean - weight))) for weight in self._weights())
        right = float(np.log1p(stake * mean))
        return float(fp * one + fn * other + (self.tested.n - fp - fn) * right)


def best_before(how: OfTable, sample: Sample, blocks: Counts) -> list[TwoByTwo]:
    """Return the errors of the best cut on all blocks before each."""
    cuts, before = Cuts(how), np.cumsum(blocks, axis=0) - blocks
    return [table_of(sample, count, cuts.fit(sample, count)) for count in before]


def _stake(table: TwoByTwo, weights: tuple[float, float], goal: float, n: float) -> float:
    """Return the stake that gains most on n items, were their variance as in the table."""
    one, other = weights
    mean = one * table.false_positives + other * table.false_negatives
    square = one**2 * table.false_positives + other**2 * table.false_negatives
    spread = max(square - mean**2 / max(table.n, 1), 0)
    return float(np.sqrt(2 * goal / (max(n, 1) * (0.25 + spread) / (table.n + 1))))


def _won_on_cost(bets: Bets, mean: float) -> float:
    return bets.least_won((mean, mean), mean)


@dataclass(frozen=True, slots=True, eq=False)
class BetOnBalanced:
    """Limits of a balanced error by betting on both classes at once, given their numbers.

    What is won against shares of errors f and g of the classes is a concave function of f for a
    given sum, so that it is least where one of them is 0. That refutes a sum for all f and g.
    """

    how: OfTable
    sample: Sample = field(repr=False)
    blocks: Counts = field(repr=False)
    chosen_on: TwoByTwo
    tested: TwoByTwo
    method: str = "certified"

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        goal, positive = float(np.log(2 / (1 - level))), self.sample.positive
        ones = float((self.blocks @ positive).sum())
        n = float(self.blocks.sum()) - ones, ones
        tables = best_before(self.how, self.sample, self.blocks)
        stakes = np.array([_class_stakes(table, n, goal) for table in tables])
        bets = Bets(positive, self.blocks, (1.0, 1.0), stakes, goal)
        low = _lower(partial(_won_on_both, bets), 0.5, goal)
        high = _upper(partial(self._won_on_less, goal), 0.5, goal)
        return low, high

    def _won_on_less(self, goal: float, mean: float) -> float:
        """Return the logarithm of the least that the chosen cut wins by betting on less."""
        n = float(self.tested.negatives), float(self.tested.positives)
        stakes = np.minimum(_class_stakes(self.chosen_on, n, goal), _MOST)
        wrong = np.array([self.tested.false_positives, self.tested.false_negatives])
        right = np.array(n) - wrong
        ends = np.array([[2 * mean, 0.0], [0.0, 2 * mean]])
        won = wrong * np.log1p(stakes * (ends - 1)) + right * np.log1p(stakes * ends)
        return float(won.sum(axis=1).min())


def _won_on_both(bets: Bets, mean: float) -> float:
    ends = ((2 * mean, 0.0), (0.0, 2 * mean))
    return min(bets.least_won(end, 2 * mean) for end in ends)


def _class_stakes(table: TwoByTwo, n: tuple[float, float], goal: float) -> Floats:
    """Return the stakes of both classes, whose products with the numbers of items are alike."""
    wrong = np.array([table.false_positives, table.false_negatives])
    seen = np.array([table.negatives, table.positives])
    spread = wrong - wrong**2 / np.maximum(seen, 1)
    variance = (0.25 + spread) / (seen + 1) / np.maximum(n, 1)
    return np.asarray(np.sqrt(2 * goal / variance.sum()) / np.maximum(n, 1))


def _certified(case: Case) -> Evidence:
    fit, sample = cut_of(case), case.cells
    how = fit.how
    train, test = split(case.count, 2, case.streams.for_("halves"))
    rule = fit.cuts.fit(sample, train)
    table, own = table_of(sample, test, rule), table_of(sample, train, rule)
    if how.law == "binomial":
        every = all_cuts(sample.positive, case.count[None])
        errors = every.false_positives[0], every.false_negatives[0]
        like = how.like(TwoByTwo(*errors, every.negatives[0, 0], every.positives[0, 0]))
        return ExactTables("certified", how, like.at(slice(None)), table)
    blocks = growing_blocks(case.count, case.streams.for_("blocks"))
    bets = BetOnCost if how.law == "costs" else BetOnBalanced
    return bets(how, sample, blocks, own, table)


CERTIFIED = IntervalKind(
    name="certified",
    basis=Basis.EXACT_TABLES,
    make=_certified,
    promise="Both limits hold at any number of items, at the price of width.",
    in_short="costs, balanced error, F1: both limits hold at any n",
    proof="[proven](theory.md#costs-balanced-error-and-f1-from-scores)",
    holds="exact",
    references=(BINOMIAL, BETTING),
    assumes=for_any_scores,
    tests_rules=True,
)
