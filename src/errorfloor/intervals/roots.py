"""Betting limits of values that means determine: F1, selective error, balanced error.

Whether such a value is above or below a number is whether a mean is above or below 0. So betting
against that mean refutes numbers, and the limits hold at any number of items.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from errorfloor import _references as references
from errorfloor._typing import Counts, Floats
from errorfloor.intervals.means import blocks_of
from errorfloor.intervals.record import Case, Evidence, IntervalKind, Undefined
from errorfloor.methods.clean import BestValue
from errorfloor.methods.record import Basis
from errorfloor.metrics.balanced import CountedForms
from errorfloor.metrics.counted_selective import CountedCoverageAt, CountedErrorAt
from errorfloor.metrics.counted_thresholds import CountedF1

# A stake risks at most so much of the capital on any item.
MOST = 0.5

Gain: TypeAlias = Callable[[float], float]


@dataclass(frozen=True, eq=False)
class Blocks:
    """Items in blocks, to be bet on one after the other; stakes depend on the blocks before."""

    counts: Counts  # shape (blocks, cells)

    @cached_property
    def before(self) -> Counts:
        """The items of all blocks before each."""
        return np.asarray(np.cumsum(self.counts, axis=0) - self.counts)

    @cached_property
    def n(self) -> int:
        """Number of items."""
        return int(self.counts.sum())

    def stakes(self, log_goal: float, values: Floats, width: Any = 1.0) -> Floats:
        """Return the stake of each block, from the variance before it of its row of values.

        `width` is how far the values can lie apart: what is taken for granted before any is seen.
        """
        n = self.before.sum(axis=1)
        sums = (self.before * values).sum(axis=-1)
        squares = (self.before * values**2).sum(axis=-1)
        spread = np.maximum(squares - sums**2 / np.maximum(n, 1), 0)
        variance = (0.25 * width**2 + spread) / (n + 1)
        return np.asarray(np.sqrt(2 * log_goal / (self.n * variance)))

    def won(self, returns: Floats) -> Floats:
        """Return the logarithm of the capital, from what each item returns on the capital."""
        return np.asarray((self.counts * np.log1p(returns)).sum(axis=(-2, -1)))


def refuted_up_to(gain: Gain, low: float, high: float) -> float:
    """Return where a falling gain is 0, or the end of the range."""
    if gain(low) <= 0:
        return low
    if gain(high) > 0:
        return high
    from scipy.optimize import brentq

    return float(brentq(gain, low, high, xtol=1e-10))


@dataclass(frozen=True, slots=True, eq=False)
class BettingF1:
    """Limits of the best F1.

    It is at least f where E (2p - f)_+ is at least f E p: a mean of (2p - f)_+ - f p, which falls
    with f for every p and lies between -f^2 / 2 and 2 (1 - f).
    """

    p: Floats = field(repr=False)
    blocks: Blocks = field(repr=False)
    method: str = "betting"

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        log_goal = float(np.log(2 / (1 - level)))
        at = [CountedF1(self.p, count).values(count[None])[0] for count in self.blocks.before]
        f1 = np.nan_to_num(np.array(at), nan=0.5)[:, None]
        stakes = self.blocks.stakes(log_goal, self._excess(f1))[:, None]

        def above(f: float) -> float:
            # The cap keeps each return falling in f; f / 2 is more than can be lost, f^2 / 2.
            capped = np.minimum(stakes, 2 * MOST / f if f > 0 else np.inf)
            return float(self.blocks.won(capped * self._excess(f))) - log_goal

        def below(f: float) -> float:
            capped = np.minimum(stakes, MOST / (2 * (1 - f)) if f < 1 else np.inf)
            return float(self.blocks.won(-capped * self._excess(f))) - log_goal

        high = 1 - refuted_up_to(lambda rest: below(1 - rest), 0.0, 1.0)
        return refuted_up_to(above, 0.0, 1.0), high

    def _excess(self, f: Any) -> Floats:
        return np.asarray(np.maximum(2 * self.p - f, 0) - f * self.p)


@dataclass(frozen=True, slots=True, eq=False)
class BettingForms:
    """Limits of a mean that two forms have, where each block is in the form chosen before it."""

    forms: Floats = field(repr=False)  # shape (2, cells)
    chosen: Counts = field(repr=False)  # which of them, of each block
    least: Floats  # the least and the largest that each can be
    most: Floats
    blocks: Blocks = field(repr=False)
    span: tuple[float, float]
    method: str = "betting"

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        log_goal = float(np.log(2 / (1 - level)))
        values = self.forms[self.chosen]
        least, most = self.least[self.chosen][:, None], self.most[self.chosen][:, None]
        stakes = self.blocks.stakes(log_goal, values, width=self.span[1])[:, None]

        def above(mean: float) -> float:
            capped = np.minimum(stakes, MOST / np.maximum(mean - least, 1e-300))
            return float(self.blocks.won(capped * (values - mean))) - log_goal

        def below(mean: float) -> float:
            capped = np.minimum(stakes, MOST / np.maximum(most - mean, 1e-300))
            return float(self.blocks.won(capped * (mean - values))) - log_goal

        low, high = self.span
        top = -refuted_up_to(lambda less: below(-less), -high, -low)
        return refuted_up_to(above, low, high), top


def _f1(case: Case, counted: CountedF1) -> Evidence:
    return BettingF1(counted.p, Blocks(blocks_of(case)))


def _selective(case: Case, counted: CountedErrorAt | CountedCoverageAt) -> Evidence:
    from errorfloor.intervals.selective import BettingSelective, Errors

    top = 1 - 1 / len(case.table.classes)
    errors = Errors.of(counted.error, blocks_of(case)[:, counted.order], top)
    return BettingSelective(counted, errors, top)


def _forms(case: Case, counted: CountedForms) -> Evidence:
    blocks = Blocks(blocks_of(case))
    forms = np.stack((counted.forms.without_rest, counted.forms.without_max))
    chosen = np.array([counted.varies_least(count) for count in blocks.before])
    least, most = counted.bounds
    return BettingForms(forms, chosen, least, most, blocks, counted.span)


_BY_STATISTIC: Mapping[type, Callable[..., Evidence]] = {
    CountedF1: _f1,
    CountedErrorAt: _selective,
    CountedCoverageAt: _selective,
    CountedForms: _forms,
}


def _betting(case: Case) -> Evidence:
    assert isinstance(case.statistic, BestValue)
    make = _BY_STATISTIC.get(type(case.statistic.counted))
    if make is None:
        raise Undefined("the shares of the classes are estimated")
    return make(case, case.statistic.counted)


BETTING_ROOTS = IntervalKind(
    name="betting",
    basis=Basis.ROOTS,
    make=_betting,
    promise="Both limits hold at any number of items and for any distribution of probabilities.",
    in_short="any n, any distribution",
    proof="[proven](theory.md#limits-of-other-metrics)",
    holds="exact",
    references=(references.BETTING,),
)
