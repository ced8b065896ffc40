"""Likelihood limits of votes where items weigh differently or belong together.

The weighted shares of distinct votes are as noisy as those of fewer equal items. How many these are
depends on what is averaged, so the least number is taken over what floors depend on: the votes'
mean, their disagreement, the share of the minority and that of items without one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from errorfloor._typing import Counts, Floats
from errorfloor.data.sample import PSEUDO, Sample
from errorfloor.intervals.held_out import worth_of_freedom
from errorfloor.intervals.record import Case
from errorfloor.intervals.votes.records import not_a_sample
from errorfloor.methods.record import Options
from errorfloor.methods.votes.weighted import Pool
from errorfloor.metrics import ERROR


@dataclass(frozen=True, slots=True, eq=False)
class WeightedVoteLimits:
    """Limits of the floor behind weighted votes, at any level."""

    value: float  # the estimate, which limits never leave out
    pool: Pool = field(repr=False)
    n: float  # equal items that vary as much
    freedom: float
    note: str = ""
    options: Options = field(default_factory=Options, repr=False)
    method: str = "likelihood"

    @classmethod
    def of(cls, case: Case) -> WeightedVoteLimits:
        """Return the limits of a case."""
        pool = Pool.of(case.cells)
        design = pool.design
        functions = _functions(pool.votes)
        if case.options.metric.name != ERROR.name and case.options.aim is not None:
            functions += (case.options.aim.floors(pool.votes[:, 1] / pool.totals),)
        n = min(_worth(pool, functions))
        # Where few units have any votes against the rest, their own spread is no guide.
        apart = pool.votes.max(axis=1) < pool.totals
        n = min(n, design.worth(design.count * apart[pool.row] * 1.0)[1])
        note = not_a_sample(case.table)  # type: ignore[arg-type]
        return cls(case.value, pool, n, design.freedom, note, case.options)

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        tail = (1 - level) / 2
        known = worth_of_freedom(self.freedom, tail)
        cells = self.pool.cells(known * self.n)
        if self.pool.votes.shape[1] > 2:
            from errorfloor.intervals.votes.many_limits import likelihood_limits as of_many

            low, high = of_many(cells.votes, cells.count, level=level, options=self.options)
        else:
            low, high = self._of_two(cells, level)
        return min(low, self.value), max(high, self.value)

    def _of_two(self, cells: Sample, level: float) -> tuple[float, float]:
        from errorfloor.intervals.votes.limits import likelihood_limits

        votes = cells.positives, cells.totals, cells.count
        if self.options.aim is not None:
            return likelihood_limits(*votes, level=level, options=self.options, with_band=False)
        from errorfloor.intervals.votes.values import value_limits

        return value_limits(*votes, level=level, options=self.options)


def _functions(votes: Counts) -> tuple[Floats, ...]:
    """Return what floors depend on, for each row of votes."""
    totals = votes.sum(axis=1)
    most = votes.max(axis=1)
    pairs = (votes * (votes - 1.0)).sum(axis=1) / np.maximum(totals * (totals - 1.0), 1.0)
    shares = votes.T / totals
    return (1 - most / totals, np.where(totals > 1, pairs, 0.5), (most == totals) * 1.0, *shares)


def _worth(pool: Pool, functions: tuple[Floats, ...]) -> Iterator[float]:
    """Yield how many equal items have a mean of each row's values that varies as much."""
    design, mass = pool.design, pool.mass
    total = float(mass.sum())
    squared = pool.sums(design.masses * design.each)  # of items that stand alone
    unit = float(squared.sum()) / total
    for values in functions:
        mean = float(mass @ values) / total
        away = values - mean
        spread = float(mass @ away**2) / total
        each = unit  # what an item weighs if the values have nothing to do with weights
        if spread > 0:
            alone = design.cluster is None
            squares = float(squared @ away**2) if alone else design.squares(away[pool.row])
            # A few units as usual steady the ratio where only few items differ from the rest.
            usual = PSEUDO * unit
            squares += usual * unit * spread
            each = max(each, squares / (spread * (total + usual)))
        yield total / each
