"""Selective error: models that may leave the items aside which they are least sure of.

Keeping the surest items is best at some price of leaving an item aside: the rule that errs or pays
the least. Its mean loss gives the error at a coverage, and the coverage at an error.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorfloor._typing import Bools, Counts, Floats
from errorfloor.metrics.probabilities import OfItems
from errorfloor.metrics.record import (
    Counted,
    Metric,
    Moved,
    SurestItems,
    least_error,
    span_of_error,
    span_of_share,
)

ROUNDING = 1e-12  # of errors that lie just at the limit
REACH = 2.0  # standard deviations of a coverage, or of the errors of items left aside
FIRST_PRICES = 5  # whose limits all hold on the side of the fit's own items
_SMALLER = 2.0 ** -np.arange(8)  # parts of the way to the largest price
_LEAST = 1e-9  # between a price and the error that is allowed


class CountedErrorAt(Counted):
    """The least error among items where a share of them must be answered."""

    def __init__(self, probabilities: Floats, count: Counts, coverage: float) -> None:
        self.coverage = coverage
        self.order, self.error = _by_error(probabilities)
        self.count = count

    def values(self, counts: Counts, /) -> Floats:
        """Return the error at the coverage for each row of counts."""
        count = counts[:, self.order].astype(np.float64)
        wanted = self.coverage * count.sum(axis=1)
        room = wanted[:, None] - (np.cumsum(count, axis=1) - count)
        answered = np.minimum(np.maximum(room, 0, out=room), count, out=room)
        return np.asarray(answered @ self.error / wanted)

    def leave_one_out(self) -> Floats:
        """Return the error at the coverage without one item of each row in turn."""
        count = self.count[self.order].astype(np.float64)
        items = np.append(0.0, np.cumsum(count))
        wrong = np.append(0.0, np.cumsum(count * self.error))
        wanted = self.coverage * max(items[-1] - 1, 1)
        same, more = np.interp([wanted, wanted + 1], items, wrong)
        # An item among those that are answered makes room for the next one.
        sure = wanted > items[1:] - 1
        without = np.where(sure, more - self.error, same) / wanted
        return _in_rows(np.maximum(without, 0), self.order)


class CountedCoverageAt(Counted):
    """The largest share of items that can be answered with at most so much error."""

    def __init__(self, probabilities: Floats, count: Counts, error: float) -> None:
        self.at = error
        classes = 2 if probabilities.ndim == 1 else probabilities.shape[1]
        self.room = 1 - 1 / classes - error  # of an item that is a guess
        self.order, found = _by_error(probabilities)
        self.error = np.where(np.abs(found - error) <= ROUNDING, error, found)
        self.count = count
        self.split = int(np.searchsorted(self.error, error, side="right"))

    def values(self, counts: Counts, /) -> Floats:
        """Return the coverage at the error for each row of counts."""
        return _covered(self.error, counts[:, self.order].astype(np.float64), self.at)

    @staticmethod
    def share(error: Floats, count: Counts, at: float) -> float:
        """Return the coverage at an error for counts of items with ascending errors."""
        return float(_covered(error, count[None].astype(np.float64), at)[0])

    @property
    def may_leave_span(self) -> bool:
        """Whether values without an item may lie outside what the metric can be."""
        return True

    def leave_one_out(self) -> Floats:
        """Return the coverage at the error without one item of each row in turn.

        Where all items can be answered it goes beyond 1: by the guesses that could be added.
        """
        count = self.count[self.order].astype(np.float64)
        over = self.error - self.at
        items, excess = np.cumsum(count), np.cumsum(count * over)
        start = max(self.split - 1, 0)
        if self.split == 0:
            items, excess = np.append(0.0, items), np.append(0.0, excess)
        # Behind the row `start` the excess rises from its least value; the items there as a
        # function of the excess say how many can be answered.
        same, more = (np.interp(at, excess[start:], items[start:]) for at in (0.0, over))
        if self.room > 0:
            same, more = (
                found + np.maximum(at - excess[-1], 0) / self.room
                for found, at in ((same, 0.0), (more, over))
            )
        within = same > np.cumsum(count) - 1
        answered = np.where((over <= 0) | within, more - 1, same)
        return _in_rows(np.maximum(answered / max(count.sum() - 1, 1), 0), self.order)


def _covered(error: Floats, count: Floats, at: float) -> Floats:
    split = int(np.searchsorted(error, at, side="right"))
    over = count * (error - at)
    excess = np.cumsum(over, axis=1)
    left = np.maximum(over - excess, 0)  # what rows before leave to be used up
    some = np.minimum(left, np.maximum(over, 0))
    answered = count[:, :split].sum(axis=1) + some[:, split:] @ (1 / (error[split:] - at))
    return np.asarray(np.minimum(answered / count.sum(axis=1), 1.0))


def _by_error(probabilities: Floats) -> tuple[NDArray[np.intp], Floats]:
    error = least_error(probabilities)
    order = np.argsort(error, kind="stable")
    return order, error[order]


def _in_rows(values: Floats, order: NDArray[np.intp]) -> Floats:
    found = np.empty_like(values)
    found[order] = values
    return found


def risk_coverage(probabilities: Floats, weights: Floats | Counts) -> tuple[Floats, Floats]:
    """Return the share of items that are kept, and the errors among them as a share of all.

    Items are kept in the order of their least error, the surest first; both arrays start at 0, and
    between two entries the errors rise in a straight line.
    """
    return _surest_first(least_error(probabilities), weights)


def _surest_first(error: Floats, weights: Floats | Counts) -> tuple[Floats, Floats]:
    some = np.flatnonzero(weights)
    order = some[np.argsort(error[some], kind="stable")]
    share = (weights / weights.sum())[order]
    kept = np.concatenate(([0.0], np.cumsum(share)))
    kept[-1] = 1.0
    return kept, np.concatenate(([0.0], np.cumsum(share * error[order])))


def error_at(coverage: float, probabilities: Floats, weights: Floats | Counts) -> float:
    """Return the least error among items where so large a share of them must be answered."""
    return float(np.interp(coverage, *risk_coverage(probabilities, weights)) / coverage)


def coverage_at(error: float, probabilities: Floats, weights: Floats | Counts) -> float:
    """Return the largest share of items that can be answered with at most so much error."""
    return share_within(error, *risk_coverage(probabilities, weights))


def share_within(error: float, kept: Floats, wrong: Floats) -> float:
    """Return the largest share that can be kept with so much error, from the curve of risks."""
    excess = wrong - error * kept  # falls, then rises: convex
    within = np.flatnonzero(excess <= ROUNDING)
    last = int(within[-1])
    if last == kept.size - 1:
        return 1.0
    # On the next piece the excess rises in a straight line through 0.
    rise = excess[last + 1] - excess[last]
    return float(kept[last] + (kept[last + 1] - kept[last]) * max(-excess[last] / rise, 0.0))


@dataclass(frozen=True)
class Selective(ABC):
    """How a metric follows from rules that leave items aside.

    They lose an error, or the price of leaving an item aside, which depends on the items.
    """

    at: float
    span: tuple[float, float]

    @abstractmethod
    def prices(self, doubt: Floats, wrong: Bools, masses: Floats | Counts, /) -> tuple[float, ...]:
        """Return the price of leaving items aside, and what it might be as well.

        It is the error of the items that are kept last; where the curve of risks has a kink there,
        items kept a little earlier or later have another one. The least loss at any of them bounds
        the metric; of the `FIRST_PRICES` the tightest bound is taken. `doubt` is how likely the
        decision on an item is wrong by a fit, and `wrong` whether it is.
        """

    @abstractmethod
    def value(self, price: float, loss: Any, /) -> Any:
        """Return the metric where errors and the price of items left aside cost so much."""

    def candidates(
        self, probabilities: Floats, label: Bools, masses: Floats | Counts
    ) -> tuple[OfItems, ...]:
        """Return the losses at each price, from a fit to such items."""
        wrong = (probabilities > 0.5) != label
        prices = self.prices(least_error(probabilities), wrong, masses)
        # Where nothing costs anything, the next item may be an error even so.
        return tuple(
            OfItems(
                partial(_lost, price), partial(self.value, price), 1.0, partial(_squares, price)
            )
            for price in prices
        )


class AtCoverage(Selective):
    """The error of the items that are kept, where so many must be."""

    def prices(self, doubt: Floats, wrong: Bools, masses: Floats | Counts) -> tuple[float, ...]:
        """Return the errors of the items that are kept last at this coverage and around it."""
        curve = _surest_first(doubt, masses)
        off = REACH * float(np.sqrt(self.at * (1 - self.at) / masses.sum()))  # by one price
        price, *sides = (_slope(*curve, self.at + by - ROUNDING) for by in (0.0, -off, off))
        return price, min(sides), max(sides)

    def value(self, price: float, loss: Any) -> Any:
        """Return the error among kept items: the loss less what items left aside cost."""
        return np.clip((loss - price * (1 - self.at)) / self.at, *self.span)


class AtError(Selective):
    """The share of items that is kept, where at most so many of them may be wrong."""

    def prices(self, doubt: Floats, wrong: Bools, masses: Floats | Counts) -> tuple[float, ...]:
        """Return the errors of the items behind those that are kept, and around them."""
        curve = _surest_first(doubt, masses)
        coverage = share_within(self.at, *curve)
        price = self._price(curve, coverage)
        lost, n = lost_at(price, doubt, wrong), masses.sum()
        spread = max(masses @ lost**2 / n - (masses @ lost / n) ** 2, 0.0)
        off = REACH * float(np.sqrt(spread / n)) / max(price - self.at, _LEAST)
        sides = [self._price(curve, coverage + by) for by in (-off, off)]
        # Prices nearer to the error that is allowed say little of how much can be kept, and all
        # where nothing can be: items may clearly err more often than such a price.
        half, quarter = (self.at + part * (price - self.at) for part in (0.5, 0.25))
        # Items that seem to err less than is allowed, by luck, may err more: then the right price
        # is far from the one that they choose.
        largest = max(price, self._price(curve, 1.0))
        others = self.at + (largest - self.at) * _SMALLER
        return price, max(min(sides), quarter), max(sides), half, quarter, *others.tolist()

    def value(self, price: float, loss: Any) -> Any:
        """Return the coverage at which errors are just allowed."""
        return np.clip((price - loss) / max(price - self.at, _LEAST), *self.span)

    def _price(self, curve: tuple[Floats, Floats], coverage: float) -> float:
        if coverage >= 1:
            return 0.5 if self.at < 0.5 else (1 + self.at) / 2
        # An error may be allowed just where items of a larger one begin.
        return _slope(*curve, coverage + ROUNDING)


def lost_at(price: float, doubt: Floats, wrong: Bools) -> Floats:
    """Return errors on items that are surer than the price, and the price of all others."""
    return np.where(doubt >= price, price, 1.0 * wrong)


def squares_at(price: float, doubt: Floats, wrong: Bools, count: Counts) -> Floats:
    """Return the mean squares of what items lose by the best rule, of those that chose a rule.

    To leave items aside costs a price for certain, but the best rule may keep some of them: errors
    then vary as a share of that price does. It may keep as many as their errors do not refute to
    err less often than the price; a single error refutes nothing.
    """
    squares = lost_at(price, doubt, wrong) ** 2
    aside = np.flatnonzero(doubt >= price)
    if not aside.size:
        return squares
    value, place = np.unique(doubt[aside], return_inverse=True)
    number, errors = (
        np.cumsum(np.bincount(place, own[aside], value.size)) for own in (count, count * wrong)
    )
    usual = price * number + REACH * np.sqrt(price * (1 - price) * number)
    kept = np.flatnonzero(errors - 1 <= usual)
    if kept.size:
        squares[aside[place <= kept[-1]]] = price
    return squares


def _squares(price: float, p: Floats, label: Bools, count: Counts) -> Floats:
    return squares_at(price, least_error(p), (p > 0.5) != label, count)


def _lost(price: float, p: Floats) -> tuple[Floats, Floats]:
    doubt, named = least_error(p), p > 0.5
    return lost_at(price, doubt, named), lost_at(price, doubt, ~named)


def _slope(kept: Floats, wrong: Floats, coverage: float) -> float:
    """Return the error of the items at a coverage."""
    at = int(np.searchsorted(kept, coverage))
    at = min(max(at, 1), kept.size - 1)
    return float((wrong[at] - wrong[at - 1]) / (kept[at] - kept[at - 1]))


def _at_coverage(given: Mapping[str, Any], classes: int) -> Metric:
    at = float(given["at"])
    whole = partial(error_at, at)
    name = f"at {100 * at:.6g} % coverage"
    return replace(
        ERROR_AT_COVERAGE,
        given=given,
        whole=whole,
        counted=partial(CountedErrorAt, coverage=at),
        moved=moved_selective(whole),
        how=AtCoverage(at, span_of_error(classes)),
        title=f"error {name}",
        opposite=f"accuracy {name}",
    )


def _at_error(given: Mapping[str, Any], classes: int) -> Metric:
    at = float(given["at"])
    whole = partial(coverage_at, at)
    return replace(
        COVERAGE_AT_ERROR,
        given=given,
        whole=whole,
        counted=partial(CountedCoverageAt, error=at),
        moved=moved_selective(whole),
        how=AtError(at, span_of_share(classes)),
        title=f"coverage at {100 * at:.6g} % error",
    )


def _slope_at_coverage(p: Floats, w: Floats, metric: Metric, x: Floats) -> Floats:
    coverage = float(metric.given["at"])
    return np.asarray(-np.maximum(_last_error(p, w, coverage) - least_error(x), 0.0) / coverage)


def _slope_at_error(p: Floats, w: Floats, metric: Metric, x: Floats) -> Floats:
    error, value = float(metric.given["at"]), metric.best(p, w)
    last = _last_error(p, w, value)
    if value >= 1 or last <= error:
        return np.zeros(x.size)
    return np.asarray(np.maximum(last - least_error(x), 0.0) / (last - error))


def _last_error(p: Floats, w: Floats, coverage: float) -> float:
    """Return the least error of the last item that is kept at a coverage."""
    kept, _ = risk_coverage(p, w)
    errors = np.sort(least_error(p))
    return float(errors[min(int(np.searchsorted(kept[1:], coverage)), errors.size - 1)])


def moved_selective(best: Callable[[Floats, Counts], float]) -> Moved:
    """Return the answer for a value that falls, or rises, with the least error of every item."""

    def moved(p: Floats, lows: Floats, highs: Floats, counts: Counts) -> float:
        ends = np.stack([np.minimum(end, 1 - end) for end in (lows, highs)])
        most = np.where((lows <= 0.5) & (highs >= 0.5), 0.5, ends.max(axis=0))
        # A probability below 1/2 is its own least error.
        here = best(p, counts)
        return max(abs(best(end, counts) - here) for end in (ends.min(axis=0), most))

    return moved


ERROR_AT_COVERAGE = Metric(
    name="error-at-coverage",
    limit="floor",
    less_is_better=True,
    span=span_of_error,
    formula="min(p, 1 - p) over the items that are surest",
    many_formula="1 - max p over the items that are surest",
    opposite="accuracy at a coverage",
    title="error at a coverage",
    needs=("at",),
    with_given=_at_coverage,
    rule="the best monotone calibration of {}",
    of_model=SurestItems(),
    slope=_slope_at_coverage,
)
COVERAGE_AT_ERROR = Metric(
    name="coverage-at-error",
    limit="ceiling",
    less_is_better=False,
    span=span_of_share,
    formula="the largest share of items, the surest first, whose mean of min(p, 1 - p) is no more",
    many_formula="the largest share of items, the surest first, whose mean of 1 - max p is no more",
    title="coverage at an error",
    needs=("at",),
    with_given=_at_error,
    rule="the best monotone calibration of {}",
    of_model=SurestItems(),
    slope=_slope_at_error,
    # Items that are nearly certain decide, of which the arcsine distribution has many.
    smoothing=(5.0, 0.001),
)
