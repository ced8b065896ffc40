"""What an interval is: a record of what it promises, and of how its evidence is gathered.

Random numbers for it can be had again: a result keeps what its generator started from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from errorfloor._checks import as_generator
from errorfloor._typing import Counts, Floats, RandomLike
from errorfloor.data.annotators import number_of
from errorfloor.data.tables import Table
from errorfloor.methods.record import (
    Basis,
    Method,
    Options,
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


@dataclass(frozen=True, slots=True)
class Seed:
    """Where the random numbers of a result started.

    Attributes
    ----------
    number : int or None
        The seed, drawn if none was given; None where a generator was given.
    generator : dict or None
        Kind, state and seed sequence of the generator that was given, as they were before.
    """

    number: int | None = None
    generator: Mapping[str, Any] | None = field(default=None, repr=False)

    @classmethod
    def of(cls, rng: RandomLike) -> Seed:
        """Keep what it takes to begin again; None draws a seed."""
        if rng is None:
            return cls(int(np.random.SeedSequence().generate_state(1)[0]))
        generator = as_generator(rng)  # of whatever NumPy takes, such as a seed sequence
        if isinstance(rng, int | np.integer):
            return cls(int(rng))
        return cls(generator=_kept(generator.bit_generator))

    def begin(self) -> np.random.Generator:
        """Return a generator as it was when the result was computed."""
        if self.generator is None:
            return np.random.default_rng(self.number)
        kept = self.generator
        kind = getattr(np.random, kept["kind"])
        bits = kind(np.random.SeedSequence(**kept["sequence"])) if kept["sequence"] else kind()
        bits.state = kept["state"]
        return np.random.Generator(bits)

    def to_dict(self) -> int | dict[str, Any] | None:
        """Return the seed as plain values, ready for JSON."""
        return self.number if self.generator is None else dict(self.generator)


def _kept(bits: Any) -> dict[str, Any]:
    sequence = bits.seed_seq
    known = isinstance(sequence, np.random.SeedSequence)
    return {
        "kind": type(bits).__name__,
        "state": _plain(bits.state),
        "sequence": _plain(sequence.state) if known else None,
    }


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    return list(value) if isinstance(value, tuple | range) else value


STREAMS = ("resamples", "folds", "halves", "blocks")


@dataclass(frozen=True, slots=True)
class Streams:
    """Generators for each purpose, so that no answer depends on what else is computed with it."""

    seeds: tuple[int, ...]

    @classmethod
    def of(cls, rng: np.random.Generator) -> Streams:
        """Draw the seeds of all purposes."""
        return cls(tuple(int(seed) for seed in rng.integers(2**63, size=len(STREAMS))))

    def for_(self, purpose: str) -> np.random.Generator:
        """Return the generator for one purpose, always from its start."""
        return np.random.default_rng(self.seeds[STREAMS.index(purpose)])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Case:
    """One floor on one table, as an interval sees it."""

    method: Method
    table: Table
    cells: Any
    statistic: Any  # a `Statistic`, with what the interval's basis asks of it
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


def these_annotators(table: Table | None, kind: IntervalKind | None) -> int | None:
    """Return how many annotators an answer is about alone; None if it is about others as well.

    It is not known who voted, or an interval counts those who did as a sample.
    """
    workloads = getattr(table, "workloads", None)
    if workloads is None or not len(workloads) or (kind is not None and kind.speaks_for_others):
        return None
    return number_of(workloads)


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
    speaks_for_others : bool
        Whether it counts annotators as a sample, so that the answer is about a new one as well.
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
    speaks_for_others: bool = False
    with_clusters: bool = True

    def __post_init__(self) -> None:
        """Refuse what would be noticed much later, by a user."""
        check_references(self)

    def weighs(self, metric: Metric = ERROR) -> bool:
        """Tell whether it is given for a metric where items have weights or clusters."""
        return uses_weights_for(self.make, metric)
