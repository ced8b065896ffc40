"""The best cut of the scores by other metrics than error: costs, balanced error, F1 and MCC.

As isotonic regression is the best cut for error, so it is for every one of these: the rule that is
best for known probabilities is a threshold, and so a cut where scores are in order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from errorfloor._typing import Bools, Counts, Floats
from errorfloor.data.sample import Sample, split
from errorfloor.methods.cuts import FAR, SURE
from errorfloor.methods.isotonic import FOLDS, ISOTONIC, ISOTONIC_CF
from errorfloor.methods.priced import PRICED, PricedCut, PricedMidpoint
from errorfloor.methods.record import Basis, Method, Options, heeds_weights, unknown_resolution
from errorfloor.metrics import named
from errorfloor.metrics.two_by_two import (
    Balanced,
    Cost,
    Loss,
    Missed,
    TwoByTwo,
    Uncorrelated,
    all_cuts,
    check_classes,
)

_AT_ONCE = 2**20  # only for speed: numbers


class BestOfCuts:
    """The best value of a metric that any rule "score > t" reaches on its own items."""

    def __init__(self, loss: Loss, cells: Sample, span: tuple[float, float]) -> None:
        self.loss = loss
        self.cells = cells
        self.span = span  # of the metric

    def values(self, counts: Counts, rng: np.random.Generator, /) -> Floats:
        """Return the best value for each row of counts."""
        size = max(_AT_ONCE // len(self.cells), 1)  # only for speed
        parts = (counts[start : start + size] for start in range(0, len(counts), size))
        best = [self.loss.of(all_cuts(self.cells.positive, part)).min(axis=1) for part in parts]
        return np.asarray(self.loss.metric(np.concatenate(best)))

    def leave_one_out(self) -> Floats:
        """Return the value without one item of each cell in turn, of the cut that is best of all.

        One item less seldom changes which cut is best.
        """
        positive, count = self.cells.positive, self.cells.count
        cut, best = best_cut(self.loss, positive, count)
        wrong = (np.arange(count.size) < cut) == positive
        fp, fn = (
            best.false_positives - (wrong & ~positive),
            best.false_negatives - wrong * positive,
        )
        fewer = TwoByTwo(fp, fn, best.negatives - ~positive, best.positives - positive)
        return np.asarray(self.loss.metric(self.loss.of(fewer)))


class MidpointOfCuts(BestOfCuts):
    """Midpoint of the best cut's value on its own items and on items held out, ten-fold.

    The first is too good and the second too bad by about as much, so this is nearly unbiased.
    """

    def values(self, counts: Counts, rng: np.random.Generator, /) -> Floats:
        """Return the midpoint for each row of counts."""
        positive = self.cells.positive
        tables = [held_out(self.loss, positive, split(count, FOLDS, rng)) for count in counts]
        other = np.array([float(self.loss.metric(self.loss.of(table))) for table in tables])
        # Some rule that does not look at scores is as good as the end of the span.
        return np.asarray((super().values(counts, rng) + np.clip(other, *self.span)) / 2)


def best_cut(loss: Loss, positive: Bools, count: Counts) -> tuple[int, TwoByTwo]:
    """Return how many cells are below the best cut, and its errors; of several, the lowest."""
    every = all_cuts(positive, count[None])
    cut = int(np.argmin(loss.of(every)[0]))
    return cut, _only(every, cut)


def held_out(loss: Loss, positive: Bools, parts: Counts) -> TwoByTwo:
    """Return the errors on each part of the cut that is best on all the others, added up."""
    whole = parts.sum(axis=0)
    wrong = np.zeros(2)
    for part in parts:
        cut, _ = best_cut(loss, positive, whole - part)
        wrong += _errors(positive, part, cut)
    ones = float(whole @ positive)
    return TwoByTwo(float(wrong[0]), float(wrong[1]), float(whole.sum()) - ones, ones)


def tested(loss: Loss, positive: Bools, train: Counts, test: Counts) -> TwoByTwo:
    """Return the errors on `test` of the cut that is best on `train`."""
    cut, _ = best_cut(loss, positive, train)
    ones = float(test @ positive)
    wrong = _errors(positive, test, cut)
    return TwoByTwo(float(wrong[0]), float(wrong[1]), float(test.sum()) - ones, ones)


def _errors(positive: Bools, count: Counts, cut: int) -> Floats:
    """Return the false positives and the false negatives of a cut."""
    return np.array([float(count[cut:] @ ~positive[cut:]), float(count[:cut] @ positive[:cut])])


def _only(table: TwoByTwo, cut: int) -> TwoByTwo:
    errors = (table.false_positives, table.false_negatives)
    fp, fn = (float(part[0, cut]) for part in errors)
    return TwoByTwo(fp, fn, float(table.negatives[0, 0]), float(table.positives[0, 0]))


def flat_items(prices: tuple[float, float], negatives: Counts, positives: Counts) -> float:
    """Return about how many items lie where no cut is clearly best, from the counts of rows.

    As `errorfloor.methods.cuts.flat_items`, for errors of unequal prices: a false positive costs
    the first, a false negative the second. Where no cut is best, each item adds a step to the
    walk of costs whose variance is the product of both prices.
    """
    one, other = prices
    if min(prices) <= 0:  # MCC, where the best cut leaves all items on one side
        return 0.0
    walk, items = (
        np.concatenate(([0.0], np.cumsum(step)))
        for step in (other * positives - one * negatives, positives + negatives)
    )
    best = int(np.argmin(walk))
    excess, between = walk - walk[best], np.abs(items - items[best])
    as_good = np.flatnonzero(excess**2 <= FAR**2 * one * other * between * (1 + 1e-12))
    # Of the items between, the best cut errs on the positives below it, the negatives above.
    wrong = np.maximum(between * np.array([[one], [other]]) - excess, 0) / (one + other)
    errors = np.array([wrong[0, as_good[0]], wrong[1, as_good[-1]]])
    sure = np.maximum(errors - SURE * np.sqrt(errors), 0)
    return float(sure @ np.array([(one + other) / one, (one + other) / other]))


def _cost(options: Options) -> Loss:
    return Cost.given(options.metric.given)


def _balanced(options: Options) -> Loss:
    return Balanced()


def _missed(options: Options) -> Loss:
    return Missed()


def _uncorrelated(options: Options) -> Loss:
    return Uncorrelated()


def _bind(
    statistic: type[BestOfCuts],
    loss: Callable[[Options], Loss],
    needs: str,
    cells: Sample,
    options: Options,
) -> BestOfCuts | PricedCut:
    if needs:
        check_classes(options.metric.words, cells.count, cells.positive, both=needs == "both")
    if cells.weight is None:
        return statistic(loss(options), cells, options.metric.span(2))
    weighted = PricedCut if statistic is BestOfCuts else PricedMidpoint
    return weighted(loss(options), cells, options.metric.span(2))


def _methods(
    name: str, loss: Callable[[Options], Loss], needs: str, exact: bool
) -> tuple[Method, Method]:
    """Return the two methods for a metric: the best cut, and its midpoint with held-out items."""
    metric = named(name)
    binds = [partial(_bind, kind, loss, needs) for kind in (BestOfCuts, MidpointOfCuts)]
    if name in PRICED:
        binds = [heeds_weights(name)(bind) for bind in binds]
    best = "largest" if not metric.less_is_better else "least"
    title = metric.words[:1].upper() + metric.words[1:]
    bases = {Basis.CUT_TABLES} | ({Basis.EXACT_TABLES} if exact else set())
    if_wrong = (
        "the floor of the best cut: too high, still an upper bound"
        if metric.less_is_better
        else "the ceiling of the best cut: too low, still a lower bound"
    )
    own = replace(
        ISOTONIC,
        bind=binds[0],
        bases=frozenset(bases | {Basis.ITEMS}),
        explains=f"The {metric.limit} is the {best} {metric.words} that any rule of the form "
        '"score above t" has on these items. For probabilities in the order of the scores no other '
        "rule is better.",
        metrics=(name,),
        if_wrong=if_wrong,
        resolution=unknown_resolution,
    )
    midpoint = replace(
        ISOTONIC_CF,
        bind=binds[1],
        bases=frozenset(bases),
        explains=f'{title} of the best rule of the form "score above t" looks too good on the '
        "items that chose it, and rules tried on items that did not choose them look too bad. The "
        f"{metric.limit} is the midpoint of both.",
        metrics=(name,),
        if_wrong=if_wrong,
        resolution=unknown_resolution,
    )
    return own, midpoint


COST = _methods("cost", _cost, "", exact=True)
BALANCED = _methods("balanced-error", _balanced, "both", exact=True)
F1 = _methods("f1", _missed, "positive", exact=True)
MCC = _methods("mcc", _uncorrelated, "both", exact=False)
RECORDS: tuple[Method, ...] = (*COST, *BALANCED, *F1, *MCC)
# Of F1 and MCC, which are no sums, the best cut of a few items looks far too good.
DEFAULTS: tuple[Method, ...] = (COST[0], BALANCED[0], F1[1], MCC[1])
