"""Brier score and log-loss from scores with labels: losses of calibrated probabilities.

The isotonic fit has the least loss of any rising curve on its own items, by either loss, and so no
more than the true probabilities have there. Fits to some items have more loss on others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias

import numpy as np

from errorfloor._typing import Counts, Floats
from errorfloor.data.sample import Sample, split
from errorfloor.methods.isotonic import FOLDS, ISOTONIC, ISOTONIC_CF
from errorfloor.methods.ranks import by_row
from errorfloor.methods.record import Basis, Method, Options, heeds_weights, unknown_resolution

Losses: TypeAlias = Callable[[Floats], tuple[Floats, Floats]]


@dataclass(frozen=True, slots=True)
class LossSums:
    """Losses of some items, added up."""

    total: float
    squares: float
    items: float
    most: float  # that any of them might have been

    @classmethod
    def of(cls, losses: Floats, count: Floats | Counts, possible: Floats | None = None) -> LossSums:
        """Add up losses, so many of each.

        `possible` is the largest loss that each might have been, with another label; the loss
        itself by default.
        """
        most = float((losses if possible is None else possible)[count > 0].max(initial=0.0))
        return cls(float(count @ losses), float(count @ losses**2), float(np.sum(count)), most)

    def __add__(self, other: LossSums) -> LossSums:
        return LossSums(
            self.total + other.total,
            self.squares + other.squares,
            self.items + other.items,
            max(self.most, other.most),
        )

    def scaled(self, worth: float) -> LossSums:
        """Return the same with each item counted as so many."""
        return LossSums(worth * self.total, worth * self.squares, worth * self.items, self.most)

    @property
    def deviation(self) -> float:
        """The standard deviation of the mean."""
        spread = self.squares / max(self.items, 1) - self.mean**2
        return float(np.sqrt(max(spread, 0.0) / max(self.items, 1)))

    @property
    def mean(self) -> float:
        """The mean loss."""
        return self.total / max(self.items, 1)


NO_LOSSES = LossSums(0.0, 0.0, 0.0, 0.0)


def brier(p: Floats) -> tuple[Floats, Floats]:
    """Return the Brier losses of negatives and positives."""
    return p**2, (1 - p) ** 2


def log_loss(p: Floats) -> tuple[Floats, Floats]:
    """Return the log-losses of negatives and positives; where there can be none, 0."""
    with np.errstate(divide="ignore"):
        zeros, ones = -np.log1p(-p), -np.log(p)
    return np.where(p < 1, zeros, 0.0), np.where(p > 0, ones, 0.0)


def isotonic_map(zeros: Floats, ones: Floats, more: float = 0.0) -> Floats:
    """Return the isotonic fit at each row; rows without items lie on a line between others.

    `more` items with the share of positives of all are added to each block of the fit, which keeps
    probabilities from 0 and 1.
    """
    from scipy.optimize import isotonic_regression  # slow to load

    items = zeros + ones
    some = np.flatnonzero(items)
    if not some.size:
        return np.full(items.size, 0.5)
    fitted = isotonic_regression(ones[some] / items[some], weights=items[some])
    p = np.asarray(fitted.x)
    if more > 0:
        share = (ones.sum() + 0.5) / (items.sum() + 1)
        size = np.repeat(fitted.weights, np.diff(fitted.blocks))
        p = (p * size + more * share) / (size + more)
    return p if some.size == items.size else np.interp(np.arange(items.size), some, p)


class IsotonicLoss:
    """Mean loss of the isotonic fit on its own items."""

    def __init__(self, losses: Losses, cells: Sample, most: float) -> None:
        self.losses = losses
        self.cells = cells
        self.most = most  # that a map which is the same for all scores may lose

    def values(self, counts: Counts, rng: np.random.Generator, /) -> Floats:
        """Return the mean loss for each row of counts."""
        return np.array([self.in_sample(count).mean for count in counts])

    def in_sample(self, count: Counts) -> LossSums:
        """Return the losses of the fit on its own items."""
        zeros, ones = self.rows(count)
        return self._sums(isotonic_map(zeros, ones), zeros, ones)

    def held_out(self, count: Counts, rng: np.random.Generator) -> LossSums:
        """Return the losses on each of ten parts, of the fit to all the others."""
        zeros, ones = self.rows(count)
        found = NO_LOSSES
        for part in split(count, FOLDS, rng):
            found += self.tested(zeros, ones, *self.rows(part))
        return found

    def tested(self, zeros: Floats, ones: Floats, own_zeros: Floats, own_ones: Floats) -> LossSums:
        """Return the losses on some of the items of the fit to all the others."""
        p = isotonic_map(zeros - own_zeros, ones - own_ones, more=1.0)
        return self._sums(p, own_zeros, own_ones)

    def leave_one_out(self) -> Floats:
        """Return the mean loss without one item of each cell in turn, by the same fit."""
        zeros, ones = self.rows(self.cells.count)
        of_zero, of_one = self.losses(isotonic_map(zeros, ones))
        row, n = self.cells.row, float(self.cells.count.sum())
        own = np.where(self.cells.positive, of_one[row], of_zero[row])
        return np.asarray((self.cells.count @ own - own) / max(n - 1, 1))

    def cell_losses(self, p: Floats) -> Floats:
        """Return the loss of each cell where rows have such probabilities."""
        of_zero, of_one = self.losses(p)
        row = self.cells.row
        return np.asarray(np.where(self.cells.positive, of_one[row], of_zero[row]))

    def rows(self, count: Counts) -> tuple[Floats, Floats]:
        """Return the negatives and the positives of each row of the table."""
        zeros, ones = by_row(self.cells, count[None])
        return zeros[0], ones[0]

    def _sums(self, p: Floats, zeros: Floats, ones: Floats) -> LossSums:
        of_zero, of_one = self.losses(p)
        either = np.maximum(of_zero, of_one)
        return LossSums.of(of_zero, zeros, either) + LossSums.of(of_one, ones, either)


class MidpointLoss(IsotonicLoss):
    """Midpoint of the isotonic fit's mean loss on its own items and on items held out, ten-fold."""

    def values(self, counts: Counts, rng: np.random.Generator, /) -> Floats:
        """Return the midpoint for each row of counts."""
        other = [min(self.held_out(count, rng).mean, self.most) for count in counts]
        return np.asarray((super().values(counts, rng) + other) / 2)


def _bind(
    statistic: type[IsotonicLoss], losses: Losses, cells: Sample, options: Options
) -> IsotonicLoss:
    if cells.weight is not None:
        from errorfloor.methods import weighted_scoring  # which builds on this module

        midpoint = statistic is MidpointLoss
        statistic = weighted_scoring.WeightedLoss
        if midpoint:
            statistic = weighted_scoring.WeightedMidpointLoss
    return statistic(losses, cells, options.metric.span(2)[1])


_IF_WRONG = "the floor of the best rising curve: too high, still an upper bound"


def _methods(metric: str, words: str, losses: Losses, bases: set[Basis]) -> tuple[Method, Method]:
    own = replace(
        ISOTONIC,
        bind=heeds_weights(metric)(partial(_bind, IsotonicLoss, losses)),
        metrics=(metric,),
        bases=frozenset(bases | {Basis.ITEMS}),
        if_wrong=_IF_WRONG,
        explains="The labels calibrate the scores by isotonic regression: the rising curve of "
        f"probabilities that fits them best. The floor is the {words} of that curve on the same "
        "items, which is the least of any rising curve.",
        resolution=unknown_resolution,
    )
    midpoint = replace(
        ISOTONIC_CF,
        bind=heeds_weights(metric)(partial(_bind, MidpointLoss, losses)),
        metrics=(metric,),
        bases=frozenset(bases),
        explains=f"The floor is the midpoint of two values of the {words} of isotonic regression: "
        "on the items of the fit, where it is too low, and on items that were held out, where it "
        "is too high.",
        when_merged="takes items of one row as tied",
    )
    return own, midpoint


BRIER = _methods("brier", "Brier score", brier, {Basis.LOSSES, Basis.BOUNDED_LOSSES})
LOG_LOSS = _methods("log-loss", "log-loss", log_loss, {Basis.LOSSES})
RECORDS: tuple[Method, ...] = (*BRIER, *LOG_LOSS)
DEFAULTS: tuple[Method, ...] = (BRIER[1], LOG_LOSS[1])
