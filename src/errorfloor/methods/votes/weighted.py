"""Mixtures behind votes where items weigh differently: equal votes pooled, with what they weigh."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorfloor._checks import InputError, argument
from errorfloor._typing import Counts, Floats
from errorfloor.data.sample import Sample
from errorfloor.methods.record import Options
from errorfloor.methods.votes.many.mixture import MOST_KEPT, ManyMixtureFloor
from errorfloor.methods.votes.mixture import MixtureFloor
from errorfloor.methods.votes.thin import affordable
from errorfloor.methods.votes.values import MixtureValue


@dataclass(frozen=True, eq=False)
class Pool:
    """Distinct votes, and which of them each cell has."""

    votes: Counts  # a column for each class
    row: NDArray[np.intp]  # of each cell
    design: Sample

    @classmethod
    def of(cls, cells: Sample) -> Pool:
        """Pool the cells of a table with weights."""
        # Cells are by row of the table, whose votes differ.
        new = np.zeros(len(cells), dtype=np.bool_)
        new[:1] = True
        for own in cells.votes.T:
            new[1:] |= own[1:] != own[:-1]
        return cls(cells.votes[new], np.cumsum(new) - 1, cells)

    @property
    def totals(self) -> Counts:
        """All votes on the items of each row."""
        return np.asarray(self.votes.sum(axis=1))

    @cached_property
    def mass(self) -> Floats:
        """What the items of each row weigh together."""
        return self.sums(self.design.masses)

    def sums(self, values: Floats) -> Floats:
        """Return the sum over the cells of each row."""
        return np.asarray(np.bincount(self.row, values, minlength=len(self.votes)))

    def items(self, count: Counts, number: float) -> Floats:
        """Return how many of `number` items have each row's votes, by weight."""
        own = count is self.design.count
        mass = self.mass if own else self.sums(count * self.design.each)
        return np.asarray(mass * (number / mass.sum()))

    def cells(self, number: float | None = None) -> Any:
        """Return cells of distinct votes, of so many items; of as many as there are by default."""
        number = float(self.design.count.sum()) if number is None else number
        count: Any = self.items(self.design.count, number)
        return Sample.of_rows(self.votes, count)


class WeightedMixtureFloor(MixtureFloor):
    """The floor of the distribution that is fitted to weighted votes."""

    def __init__(self, cells: Sample, options: Options | None = None) -> None:
        self.pool = _pool_of_two(cells, options or Options())
        super().__init__(self.pool.cells(), options)

    def values(self, counts: Counts, _: np.random.Generator, /) -> Floats:
        """Return the floor for each row of counts."""
        return _values(self, counts)


class WeightedMixtureValue(MixtureValue):
    """The best value of another metric under that distribution, a little smoothed."""

    def __init__(self, cells: Sample, options: Options) -> None:
        self.pool = _pool_of_two(cells, options)
        super().__init__(self.pool.cells(), options)

    def values(self, counts: Counts, _: np.random.Generator, /) -> Floats:
        """Return the value for each row of counts."""
        return _values(self, counts)


def _pool_of_two(cells: Sample, options: Options) -> Pool:
    pool = Pool.of(cells)
    check_options(options)
    if not affordable(len(pool.votes), np.unique(pool.totals)):
        raise _too_many(int(pool.totals.max()))
    return pool


class WeightedManyMixtureFloor(ManyMixtureFloor):
    """The same for more than two classes."""

    def __init__(self, cells: Sample, options: Options | None = None) -> None:
        self.pool = Pool.of(cells)
        check_options(options or Options())
        if int(self.pool.totals.max()) > MOST_KEPT:
            raise _too_many(int(self.pool.totals.max()))
        super().__init__(self.pool.cells(), options)

    def values(self, counts: Counts, _: np.random.Generator, /) -> Floats:
        """Return the floor for each row of counts."""
        return _values(self, counts)


def _values(
    floor: WeightedMixtureFloor | WeightedMixtureValue | WeightedManyMixtureFloor, counts: Counts
) -> Floats:
    pool = floor.pool
    found = []
    for count in counts:
        if np.array_equal(count, pool.design.count):
            found.append(floor._floor)
        else:
            found.append(floor._fit(pool.items(count, float(count.sum())))[1])  # type: ignore[arg-type]
    return np.array(found)


def check_options(options: Options) -> None:
    """Refuse what weighted votes have no measured answer for."""
    if options.totals_by != "chance":
        raise InputError(
            *(argument("totals_by", options.totals_by), " is not answered with "),
            *(argument("weight"), " or ", argument("cluster"), ". Leave one of them out."),
        )
    if options.metric.name == "balanced-error" and "prior" not in options.metric.given:
        raise InputError(
            *(argument("metric", options.metric.name), " of votes with "),
            *(argument("weight"), " or ", argument("cluster"), " needs the share of class 1. "),
            *("Give it with ", argument("prior"), ", or ask for error."),
        )


def _too_many(votes: int) -> InputError:
    return InputError(
        f"Some items have {votes:,} votes, which are too many for a mixture with ",
        *(argument("weight"), " or ", argument("cluster"), ". Use "),
        *(argument("method", "plugin"), ", or fewer votes per item."),
    )
