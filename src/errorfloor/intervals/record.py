"""What an interval is: a record of what it promises, and of how its evidence is gathered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from errorfloor._typing import Counts, Floats
from errorfloor.data.tables import Table
from errorfloor.intervals.seeds import Streams
from errorfloor.methods.record import (
    Basis,
    Method,
    Options,
    Statistic,
    check_references,
    uses_weights_for,
)
from errorfloor.metrics import ERROR, Metric


class Evidence(Protocol):
    """What an interval was computed from, ready for another level."""

    @property
    def method(self) -> str:
        """Name of the interval."""

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""


@dataclass(frozen=True, slots=True, eq=False)
class AroundValue:
    """Limits that were found without the value, and are widened where they would leave it out.

    Wider limits cover no less, whatever the value is.
    """

    evidence: Evidence
    value: float

    @property
    def method(self) -> str:
        """Name of the interval."""
        return self.evidence.method

    @property
    def replicates(self) -> Floats | None:
        """Bootstrap replicates, where the limits are from a bootstrap."""
        return getattr(self.evidence, "replicates", None)

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        low, high = self.evidence.limits(level)
        return min(low, self.value), max(high, self.value)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Case:
    """One floor on one table, as an interval sees it."""

    method: Method
    table: Table
    cells: Any
    statistic: Statistic
    value: float
    streams: Streams
    options: Options = field(default_factory=Options)
    replicates: Floats | None = field(default=None, repr=False)  # where the interval resamples

    @property
    def count(self) -> Counts:
        """Number of items in each cell."""
        counts: Counts = self.cells.count
        return counts


class Undefined(Exception):  # noqa: N818  # it is no error, another interval takes its place
    """The interval that was asked for does not exist here."""

    def __init__(self, why: str, instead: IntervalKind | None = None) -> None:
        super().__init__(why)
        self.why = why
        self.instead = instead


def nothing_more(method: Method) -> str:
    """Say that an interval assumes no more than its method."""
    return ""


def _never(table: Any) -> bool:
    return False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class IntervalKind:
    """A kind of confidence interval.

    Attributes
    ----------
    name : str
        As people ask for it.
    basis : Basis
        What it is computed from; it goes with the methods that have that.
    make : callable
        From a case to the evidence for limits at any level, or `Undefined`.
    promise : str
        What the limits hold, in sentences for the reader of a report.
    with_weights : str
        The same where items have weights or belong to clusters, if it is then another.
    in_short, proof : str
        The promise in a few words, and on what grounds, for the table of the documentation.
    holds : {"exact", "measured", "approximate"}
        Whether it is proven for any number of items, measured, or right for many items only.
    references : tuple of str
        Where it comes from.
    assumes : callable
        From a method to what the interval adds to the sentence on what the method assumes.
    resamples : bool
        Whether it needs bootstrap replicates.
    is_random : bool
        Whether it draws random numbers.
    stands_in : int
        Which of several takes the place of a bootstrap that is undefined: the highest; 0 never.
    allows_for_merging : bool
        Whether the limits allow for what merged rows of a table may have changed.
    preferred : callable
        For which tables it takes the place of the methods' default.
    tests_rules : bool
        Whether its limit on the worse side comes from trying rules on items that did not choose
        them, so that models reach it whatever the scores are.
    with_clusters : bool
        Whether it is given with clusters, where it is with weights.
    leaves_open : bool
        Whether the limits hold a range of values that no number of items narrows to one, so that
        their distance from the estimate is more than noise.
    """

    name: str
    basis: Basis
    make: Callable[[Case], Evidence]
    promise: str
    in_short: str
    proof: str
    holds: Literal["exact", "measured", "approximate"]
    references: tuple[str, ...]
    assumes: Callable[[Method], str] = nothing_more
    with_weights: str = ""
    resamples: bool = False
    is_random: bool = True
    stands_in: int = 0
    allows_for_merging: bool = False
    preferred: Callable[[Any], bool] = _never
    tests_rules: bool = False
    leaves_open: bool = False
    with_clusters: bool = True

    def __post_init__(self) -> None:
        """Refuse what would be noticed much later, by a user."""
        check_references(self)

    def weighs(self, metric: Metric = ERROR) -> bool:
        """Tell whether it is given for a metric where items have weights or clusters."""
        return uses_weights_for(self.make, metric)
