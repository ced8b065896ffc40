"""Betting limits of values that means determine: F1, selective error, balanced error.

Whether such a value is above or below a number is whether a mean is above or below 0. So betting
against that mean refutes numbers, and the limits hold at any number of items.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from errorfloor import _references as references
from errorfloor._typing import Floats
from errorfloor.intervals.bets import (
    MOST,
    Bets,
    Blocks,
    Seen,
    goal_of,
    growing_blocks,
    refuted_from,
    refuted_up_to,
    stakes_of,
)
from errorfloor.intervals.record import Case, Evidence, IntervalKind, Undefined
from errorfloor.methods.clean import BestValue
from errorfloor.methods.record import Basis
from errorfloor.metrics.balanced import CountedForms
from errorfloor.metrics.counted_selective import CountedCoverageAt, CountedErrorAt
from errorfloor.metrics.counted_thresholds import CountedF1


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
        goal, n, p = goal_of(level), self.blocks.n, self.p[self.blocks.unit]
        seen = Seen.of(self.blocks, np.ones(self.p.size), self._before)
        stakes = stakes_of(goal, seen.variance() / n, n)

        def above(f: float) -> float:
            # The cap keeps each return falling in f; f / 2 is more than can be lost, f^2 / 2.
            capped = np.minimum(stakes, 2 * MOST / f if f > 0 else np.inf)
            return self.blocks.won(capped, _excess(p, f)) - goal

        def below(f: float) -> float:
            capped = np.minimum(stakes, MOST / (2 * (1 - f)) if f < 1 else np.inf)
            return self.blocks.won(capped, -_excess(p, f)) - goal

        return refuted_up_to(above, 0.0, 1.0), refuted_from(below, 0.0, 1.0)

    def _before(self, _: int, seen: Blocks) -> Floats:
        """Return what is bet on, of the items before a block at the best F1 of these."""
        count = seen.counts(self.p.size)
        best = float(CountedF1(self.p, count).values(count[None])[0])
        return _excess(self.p[seen.unit], 0.5 if np.isnan(best) else best)


def _excess(p: Floats, f: float) -> Floats:
    return np.asarray(np.maximum(2 * p - f, 0) - f * p)


def _f1(case: Case, counted: CountedF1) -> Evidence:
    return BettingF1(counted.p, Blocks.drawn(case.count, case.streams.for_("blocks")))


def _selective(case: Case, counted: CountedErrorAt | CountedCoverageAt) -> Evidence:
    from errorfloor.intervals.selective import BettingSelective, Errors

    top = 1 - 1 / len(case.table.classes)
    blocks = growing_blocks(case.count, case.streams.for_("blocks"))
    errors = Errors.of(counted.error, blocks[:, counted.order], top)
    return BettingSelective(counted, errors, top)


def _forms(case: Case, counted: CountedForms) -> Evidence:
    """Return limits of a mean that two forms have; blocks before it choose the form of each."""
    blocks = Blocks.drawn(case.count, case.streams.for_("blocks"))
    forms = np.stack((counted.forms.without_rest, counted.forms.without_max))
    before = (seen.counts(len(case.count)) for seen in blocks.before)
    chosen = np.array([counted.varies_least(count) for count in before])
    least, most = (ends[chosen] for ends in counted.bounds)
    span = counted.span
    return Bets.of(forms[chosen], blocks, span, bounds=(least, most), width=span[1])


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
