"""What an estimate was asked for, as far as it can be asked for again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from errorfloor import intervals, methods
from errorfloor.data.layouts import LAYOUTS, Layout, of_kind
from errorfloor.data.source import Source
from errorfloor.data.tables import ScoreTable
from errorfloor.intervals.record import IntervalKind
from errorfloor.intervals.seeds import Seed
from errorfloor.methods.record import Method
from errorfloor.questions.options import ASK_OPTIONS, OPTIONS
from errorfloor.results import Estimate
from errorfloor.show.columns import can_be_typed, item
from errorfloor.show.records import interval_named, method_of

# What the command line calls the arguments of estimates.
FLAGS = {name: OPTIONS[name].on_command_line for name in (*ASK_OPTIONS, "simultaneous")}
FLAGS["model_error"] = FLAGS.pop("bias_for_error")


@dataclass(frozen=True, slots=True)
class EstimateOptions:
    """What an estimate was asked for, as far as it has an influence."""

    estimate: Estimate
    source: Source | None
    layout: Layout
    method: Method | None
    kind: IntervalKind | None
    values: dict[str, Any]

    @classmethod
    def of(cls, estimate: Estimate) -> EstimateOptions:
        """Take apart what the estimate keeps."""
        method = method_of(estimate)
        values = _asked_values(estimate, method)
        kind = interval_named(values["interval"], method)
        source = estimate.source
        layout = _layout(estimate, method)
        heeded = {
            name: value for name, value in values.items() if _heeds(name, value, method, kind)
        }
        if len(methods.names(layout.kind, metric=estimate.metric)) > 1:
            heeded = {"method": estimate.method, **heeded}
        if not estimate.measure.is_error:
            heeded = {"metric": estimate.metric, **heeded}
        return cls(estimate, source, layout, method, kind, heeded)

    @property
    def seed(self) -> Seed | None:
        """Where the random numbers started."""
        return self.estimate.seed

    @property
    def group(self) -> str | None:
        """The column of the groups."""
        return None if self.source is None else self.source.options.group

    @property
    def is_random(self) -> bool:
        """Whether value or interval draw random numbers."""
        if self.kind is not None:
            return self.kind.is_random
        return self.method is None or any(
            kind.is_random for kind in intervals.of(self.method).values()
        )

    @property
    def is_at_level(self) -> bool:
        """Whether the interval is at the level that was asked for, not at another one since."""
        asked, given = self.values.get("level"), self.estimate.level
        if asked is None or given is None or asked == given:
            return True
        # Each of g intervals that hold at once has its share of the probability to miss.
        groups = max(round((1 - asked) / (1 - given)), 1)
        return "simultaneous" in self.values and given == 1 - (1 - asked) / groups

    @property
    def can_be_read_again(self) -> bool:
        """Whether the command line can read the same."""
        source = self.source
        if source is None or source.origin != "files":
            return False
        positive = item(source.options.positive)
        told = positive is None or type(positive) in (str, int, float)
        return told and can_be_typed(source, self.layout)

    @property
    def has_command(self) -> bool:
        """Whether the command line can read the same, and be asked for the same."""
        seeded = self.seed is not None and self.seed.number is not None
        levels = self.is_at_level or "simultaneous" not in self.values
        return (
            self.can_be_read_again
            and levels
            and self.values.keys() <= FLAGS.keys()
            and (seeded or not self.is_random)
        )


def _asked_values(estimate: Estimate, method: Method | None) -> dict[str, Any]:
    """Return what was asked for; of an estimate that does not say, what it has."""
    replicates = estimate.replicates
    values = {
        "interval": estimate.interval_method,
        "level": estimate.level,
        "n_resamples": None if replicates is None else replicates.size,
        **estimate.options,
    }
    if values["interval"] == "auto":  # where it is undefined, the one asked for says so again
        values["interval"] = _usual_interval(estimate, method)
    return values


def _usual_interval(estimate: Estimate, method: Method | None) -> str | None:
    """Return the interval that was chosen for the table."""
    if method is None or estimate.table is None:
        return estimate.interval_method if method is None else method.interval
    return intervals.default(method, estimate.table, estimate.measure).name


def _heeds(name: str, value: Any, method: Method | None, kind: IntervalKind | None) -> bool:
    """Tell whether an option has an influence on the result."""
    matters = {
        "interval": True,
        "level": kind is not None,
        "n_resamples": kind is not None and kind.resamples,
        "clip": method is not None and "clip" in method.options and value != "auto",
        "totals_by": bool(value != "chance"),
        "simultaneous": bool(value),
    }
    return matters.get(name, value is not None)


def _layout(estimate: Estimate, method: Method | None) -> Layout:
    """Return the layout of the labels; of a table the first that makes tables of its kind."""
    kind = ScoreTable.kind if method is None else method.reads
    kind = kind if estimate.table is None else estimate.table.kind
    source = estimate.source
    name = None if source is None else source.layout
    every = [layout for layout in LAYOUTS if layout.name == name]
    if source is not None and source.options.label_is_vote:
        every = [layout.of_votes for layout in every]
    return next((layout for layout in every if layout.kind == kind), of_kind(kind)[0])
