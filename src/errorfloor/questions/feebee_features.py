"""FeeBee for the classic estimates from features: neighbours and trees once, then labels alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from errorfloor._checks import InputError, argument
from errorfloor._typing import Counts, Floats
from errorfloor.data.features import FeatureItems
from errorfloor.features import classics
from errorfloor.features.classics import Classic, Ends, Measure
from errorfloor.features.records import SEQUENTIAL
from errorfloor.features.votes import NeighbourVotes
from errorfloor.metrics.choice import MetricChoice
from errorfloor.questions.label_noise import NoisyItems

ENDS = LOW, HIGH = "low", "high"


@dataclass(frozen=True, slots=True)
class Part:
    """What is asked of a classic estimate: its value, or one of its ends."""

    classic: Classic
    end: str | None = None

    @property
    def name(self) -> str:
        """As it is asked for, such as 1nn or 1nn-low."""
        return self.classic.name if self.end is None else f"{self.classic.name}-{self.end}"

    def of(self, ends: Ends) -> Floats:
        """Return what was asked for."""
        return np.asarray({None: ends.value, LOW: ends.low, HIGH: ends.high}[self.end])


def every_part() -> dict[str, Part]:
    """Return the values and ends of all classics, by name."""
    records = [classics.find(name) for name in classics.NAMES]
    parts = [Part(one, end) for one in records for end in (None, *ENDS) if one.has_ends or not end]
    return {part.name: part for part in parts}


def part_named(name: object) -> Part | None:
    """Return what a name asks of a classic; None where it is no classic's."""
    if name == SEQUENTIAL:
        raise InputError(
            argument("methods"),
            f" {SEQUENTIAL!r} fits its models anew to every set of labels, which FeeBee has a "
            "thousand of. Leave it out.",
        )
    stem, _, end = str(name).rpartition("-")
    stem, last = (stem, end) if end in ENDS else (str(name), None)
    if stem not in classics.NAMES and not stem.startswith("knn-"):
        return None
    classic = classics.find(stem)
    if last is not None and not classic.has_ends:
        raise InputError(argument("methods"), f" {classic.name!r} has no ends, only a value.")
    return Part(classic, last)


def check_asked(asked: MetricChoice, features: Any, device: str | None) -> None:
    """Refuse metrics that no classic estimates, and a device for nothing."""
    if device is not None and features is None:
        raise InputError(argument("device"), " is for neighbours, of ", argument("features"), ".")
    if features is not None and not asked.record.is_error:
        raise InputError(
            *(argument("features"), " goes with error: no classic estimates another metric. "),
            *("Leave out ", argument("metric"), " or ", argument("features"), "."),
        )


def bind(
    parts: Mapping[str, Part], items: FeatureItems, device: str | None = None
) -> tuple[dict[str, NoisyItems], NoisyItems | None]:
    """Find neighbours and trees, and return what looks labels up through them, and an oracle.

    The oracle of items without scores is the rule that goes by the majority of neighbours with
    the labels before noise came.
    """
    records = {part.classic.name: part.classic for part in parts.values()}
    beside = [] if items.scored else [classics.K_NEAREST]
    if not records and not beside:
        return {}, None
    lists = classics.neighbours_for([*records.values(), *beside], items.points, device)
    shared = {
        name: _Last(one.bind(items.points, lists, one.k), items.classes)
        for name, one in records.items()
    }
    bound = {
        name: NoisyItems(_asking(shared[part.classic.name], part)) for name, part in parts.items()
    }
    if items.scored:
        return bound, None
    voters = NeighbourVotes.of(items.points, classics.K_NEAREST.k, lists)
    said = voters.votes(items.codes[None], items.classes)[..., 0].argmax(axis=0)
    return bound, NoisyItems(lambda codes: (codes != said).mean(axis=1))


class _Last:
    """A classic's ends of the last sets of labels, which its parts ask for one after another."""

    def __init__(self, measure: Measure, classes: int) -> None:
        self.measure, self.classes = measure, classes
        self.codes: Counts | None = None
        self.ends: Ends | None = None

    def __call__(self, codes: Counts) -> Ends:
        if self.ends is None or codes is not self.codes:
            self.codes, self.ends = codes, self.measure(codes, self.classes)
        return self.ends


def _asking(shared: _Last, part: Part) -> Callable[[Counts], Floats]:
    return lambda codes: part.of(shared(codes))
