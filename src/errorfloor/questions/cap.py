"""A model's error as an upper limit of the floor."""

from __future__ import annotations

import operator
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from errorfloor._checks import (
    InputError,
    LabelShiftWarning,
    as_fraction,
    shown,
    warn,
)
from errorfloor.data.tables import Table, VoteTable
from errorfloor.intervals.models import upper_limit
from errorfloor.intervals.record import Evidence, IntervalKind
from errorfloor.methods.record import Options
from errorfloor.results import Interval, VotesEstimate

ModelError: TypeAlias = float | tuple[int, int] | None


def reached(model_error: Any) -> ReachedErrors | None:
    """Return the errors and items of a pair (errors, n), or None for a bare rate."""
    if not isinstance(model_error, tuple | list):
        return None
    try:
        errors, n = map(operator.index, model_error)
    except (TypeError, ValueError):
        errors, n = 1, 0
    if not 0 <= errors <= n or n < 1:
        raise InputError(
            "`model_error` must be a rate, or a pair (errors, items) of whole numbers; got "
            f"{shown(model_error)}."
        )
    return ReachedErrors(errors, n)


def checked(model_error: Any, table: Table, options: Options) -> ModelError:
    """Return a model's error if the floor of a table can use it."""
    if table.kind != VoteTable.kind:
        raise InputError(
            "`model_error` caps floors of votes, and this is the floor of a true label. Leave it "
            "out; `headroom()` compares a model with the floor."
        )
    is_pair = reached(model_error) is not None
    error: ModelError = model_error if is_pair else as_fraction(model_error, name="model_error")
    if not is_pair and len(table.classes) > 2:
        raise InputError(
            "`model_error` is a rate, which bounds the bias of votes for two classes only, and "
            f"there are {len(table.classes)}. Give a pair (errors, items), which caps the floor, "
            "or leave it out."
        )
    if not options.metric.is_error:
        raise InputError(
            "`model_error` caps the floor of the error, and the metric is "
            f"{options.metric.words}. Leave it out, or leave out `metric`."
        )
    if options.target.needed > 1:
        raise InputError(
            "`model_error` bounds the bias of the floor for one more vote. Leave it out, or leave "
            "out `majority`."
        )
    return error


def capped(found: VotesEstimate, model: ReachedErrors, kind: IntervalKind | None) -> VotesEstimate:
    """Return a floor that is at most the error of a model, with limits that pay for its noise."""
    if kind is None or not kind.leaves_open:
        raise InputError(
            f"`model_error={(model.errors, model.n)!r}` caps the floor of a mixture, and this "
            "method's interval is for something else. Pass a rate."
        )
    value = min(found.value, model.value)
    text = (
        f" The model's {model.errors:,} errors on {model.n:,} items are on fresh labels of the "
        "same kind, so that the floor is at most its error."
    )
    found = replace(found, value=value, assumptions=f"{found.assumptions}{text}")
    if found.interval is None or found.evidence is None:
        return found
    evidence = Capped(value, found.evidence, ReachedErrors(model.errors, model.n))
    level = found.interval.level
    doubts = found.warnings
    if evidence.contradicts(level):
        message = (
            "The model's error is below the lower limit of the floor, which no model's can be: "
            "suspect leaked test labels, or labels made in another way than the votes."
        )
        doubts += (warn(message, LabelShiftWarning),)
    interval = Interval.at(level, evidence, classes=len(found.classes))
    return replace(found, evidence=evidence, interval=interval, warnings=doubts)


# Share of the upper limit's error probability that pays for the model's own uncertainty.
_SHARE = 0.2


@dataclass(frozen=True, slots=True)
class ReachedErrors:
    """How many of so many fresh labels of the same kind a model got wrong."""

    errors: int
    n: int

    @property
    def value(self) -> float:
        """The error that is as often too low as too high; 0 errors of few items say little."""
        return float(upper_limit(self.errors, self.n, 0.5))

    def cap(self, tail: float) -> float:
        """Return the upper limit of the model's error, exact."""
        return float(upper_limit(self.errors, self.n, tail))


@dataclass(frozen=True, slots=True, eq=False)
class Capped:
    """Limits of a floor whose upper one is at most that of a model's error.

    The upper limit may miss with probability (1 - level) / 2. A part of that goes to the exact
    limit of the model's error, the rest to the limit of the floor itself; the smaller of the two
    holds unless one of them misses. The lower limit is left as it is.
    """

    value: float  # the estimate, which limits never leave out
    floor: Evidence = field(repr=False)
    model: ReachedErrors

    @property
    def method(self) -> str:
        """Name of the interval."""
        return self.floor.method

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        error = 1 - level
        low, _ = self.floor.limits(level)
        _, high = self.floor.limits(1 - (1 - _SHARE) * error)
        cap = self.model.cap(_SHARE * error / 2)
        return min(low, self.value), max(min(high, cap), self.value)

    def contradicts(self, level: float) -> bool:
        """Tell whether the model's upper limit is below the floor's lower one."""
        return self.model.cap((1 - level) / 2) < self.floor.limits(level)[0]
