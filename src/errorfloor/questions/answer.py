"""From a table to estimates: bind methods to its cells, resample once, give each its interval."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from errorfloor import intervals
from errorfloor._checks import (
    DegenerateBootstrapWarning,
    DegenerateDataWarning,
    InputError,
    argument,
    check_choice,
    check_level,
    check_n_resamples,
    check_unit_interval,
    warn,
)
from errorfloor._typing import Floats, RandomLike
from errorfloor.data.layouts import BESIDE_LABELS
from errorfloor.data.source import Source
from errorfloor.data.tables import MergedRows, ScoreTable, Table
from errorfloor.intervals.bootstrap import bootstrap
from errorfloor.intervals.record import AroundValue, Case, Evidence, IntervalKind, Undefined
from errorfloor.intervals.seeds import Seed, Streams
from errorfloor.methods import on_any_scale
from errorfloor.methods.prediction_powered import AT_RANDOM
from errorfloor.methods.record import (
    GOLD_LABEL,
    Classes,
    Method,
    Options,
    Shape,
    Statistic,
    value_of,
)
from errorfloor.metrics import Metric
from errorfloor.questions.partly import check_alike
from errorfloor.questions.weights import (
    assumed_of,
    check_clusters,
    check_heeds_weights,
    check_weighs,
    no_interval,
    sampled,
)
from errorfloor.results import Estimate, Interval

_TRIED = (
    "The items are independent draws, and the scores were not fitted to these labels; nothing is "
    "assumed of the scores themselves"
)


@dataclass(frozen=True, slots=True)
class Request:
    """The interval that is wanted, checked, and the random numbers for it."""

    interval: str | None
    level: float
    n_resamples: int
    seed: Seed
    streams: Streams

    @classmethod
    def of(cls, interval: str | None, level: float, n_resamples: int, rng: RandomLike) -> Request:
        """Check what a user asks for, and draw the seeds of all purposes."""
        seed = Seed.of(rng)
        # A generator goes on where it is, so that the next call draws other numbers.
        generator = rng if isinstance(rng, np.random.Generator) else seed.begin()
        return cls(
            interval,
            check_level(level),
            check_n_resamples(n_resamples),
            seed,
            Streams.of(generator),
        )

    def kind(self, method: Method, table: Table, metric: Metric) -> IntervalKind | None:
        """Return the kind of interval to give for a method on a table, or None for none."""
        if self.interval is None:
            return None
        check_clusters(table)
        kinds = intervals.of(method)
        hint = (" ", argument("interval", None), " skips it.")
        name = check_choice(self.interval, ("auto", *kinds), name="interval", hint=hint)
        if name == "auto":
            return intervals.default(method, table, metric)
        check_weighs(kinds, name, table, metric)
        return kinds[name]

    def asked(self) -> dict[str, Any]:
        """Return what was asked for, as results keep it."""
        return {"interval": self.interval, "level": self.level, "n_resamples": self.n_resamples}


@dataclass(frozen=True, slots=True)
class Origin:
    """What an estimate keeps of how it came about, besides method and request."""

    source: Source | None = None
    group: Any = None
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """Whether the scores were declared complete."""
        return self.source is not None and self.source.options.complete

    @property
    def beside_votes(self) -> bool:
        """Whether the labels are those that stood beside votes."""
        names = [layout.name for layout in BESIDE_LABELS]
        source = self.source
        return source is not None and source.layout in names and not source.options.label_is_vote


def estimate(
    table: Table, method: Method, options: Options, request: Request, origin: Origin
) -> tuple[Estimate, Statistic]:
    """Return the estimate of one method, and the statistic behind it."""
    ((found, statistic),) = estimates(table, (method,), options, request, origin)
    return found, statistic


def estimates(
    table: Table, methods: Sequence[Method], options: Options, request: Request, origin: Origin
) -> list[tuple[Estimate, Statistic]]:
    """Return one estimate for each method, all on the same resamples."""
    options = replace(options, draw=request.streams.for_)
    table = table.plain  # equal weights, and clusters of one, are none
    given, every = table, table.cells()  # those of methods that heed items without a label
    if isinstance(table, ScoreTable):
        check_alike(table)
        table = table.labelled
    check_answerable(table, methods)
    if table.entries is not None:
        check_heeds_weights(table, methods, options)
    kinds = [request.kind(method, table, options.metric) for method in methods]
    cells = every if table is given else table.cells()
    statistics = [method.bind(every if method.partly else cells, options) for method in methods]
    quick = not options.metric.is_error  # error keeps the draws it always had
    replicates = _replicates(statistics, kinds, cells, request, quick)
    doubts = data_doubts(table)
    found = []
    for method, statistic, kind in zip(methods, statistics, kinds, strict=True):
        value = value_of(statistic, cells.count, request.streams.for_)
        case = Case(
            method=method,
            table=table,
            cells=every if method.partly else cells,
            statistic=statistic,
            value=float(value),
            streams=request.streams,
            options=options,
            replicates=next(replicates) if kind is not None and kind.resamples else None,
        )
        found.append((_estimate(case, kind, request, origin, doubts), statistic))
    return found


def check_classes(table: Table) -> None:
    """Refuse a single score per item where there are more than two classes."""
    if isinstance(table, ScoreTable) and len(table.classes) > 2 and table.scores.ndim == 1:
        raise InputError(
            f"The table has one score per item and {len(table.classes)} classes. Give a score for "
            "each class, or count one class against the rest."
        )


def check_answerable(table: Table, methods: Sequence[Method]) -> None:
    """Refuse tables that no method reads yet, and scores that a method cannot take."""
    check_classes(table)
    assert all(method.classes is Classes.of(table) for method in methods)
    assert getattr(table, "unlabelled", None) is None  # they are left aside before
    if isinstance(table, ScoreTable) and any(method.needs_probabilities for method in methods):
        instead = on_any_scale(Classes.of(table), methods[0].metrics[0])
        check_unit_interval(table.scores.ravel(), name="scores", entry="row", instead=instead)


def data_doubts(table: Table) -> tuple[str, ...]:
    """Warn of labels of one class and of scores that are all equal, and return the warnings."""
    if not isinstance(table, ScoreTable):
        return ()
    seen = table.counts.any(axis=0)
    doubts = []
    if np.count_nonzero(seen) == 1:
        label = table.classes[int(np.argmax(seen))]
        doubts.append(f"All labels are {label}: the floor is that of one class alone.")
    if len(table) == 1:
        doubts.append("All scores are equal: they cannot tell items apart, whatever the floor is.")
    return tuple(warn(doubt, DegenerateDataWarning) for doubt in doubts)


def _replicates(
    statistics: Sequence[Statistic],
    kinds: Sequence[IntervalKind | None],
    cells: Any,
    request: Request,
    quick: bool,
) -> Iterator[Floats]:
    """Yield bootstrap replicates for each interval that needs them, from the same resamples."""
    wanted = [
        statistic
        for statistic, kind in zip(statistics, kinds, strict=True)
        if kind is not None and kind.resamples
    ]
    if not wanted:
        return iter(())
    times, rng = request.n_resamples, request.streams.for_("resamples")
    return iter(bootstrap(wanted, cells.count, n_resamples=times, rng=rng, quick=quick))


def _estimate(
    case: Case,
    kind: IntervalKind | None,
    request: Request,
    origin: Origin,
    doubts: tuple[str, ...],
) -> Estimate:
    evidence: Evidence | None = None
    if kind is not None:
        evidence, kind, further = _evidence(case, kind)
        doubts += further
    method, table = case.method, case.table
    resolution, coarseness = _resolution(case, kind)
    assumes = _assumed(method, kind, complete=origin.complete)
    note = f"{getattr(evidence, 'note', '')}{assumed_of(table)}"
    metric, interval, value = case.options.metric, None, case.value
    if not method.beyond_guessing:
        value = float(np.clip(value, *metric.span(len(table.classes))))
    if evidence is not None:
        interval = Interval.at(request.level, evidence, metric, len(table.classes))
    return Estimate(
        value=value,
        method=method.name,
        interval=interval,
        metric=metric.name,
        n=table.n,
        **sampled(table),
        assumptions=f"{assumes}.{note}{coarseness}",
        target=GOLD_LABEL if origin.beside_votes else method.target_with(case.options),
        warnings=doubts,
        resolution=resolution,
        dropped=table.dropped,
        options={**request.asked(), **origin.options},
        seed=request.seed,
        source=origin.source,
        group=origin.group,
        evidence=evidence,
        table=table,
    )


def _assumed(method: Method, kind: IntervalKind | None, *, complete: bool) -> str:
    """Say what has to hold: where rules are tried on held-out items, nothing of the scores."""
    if kind is None or not kind.tests_rules or method.shape is not Shape.ORDER or complete:
        return f"{method.assumes}{'' if kind is None else kind.assumes(method)}"
    return f"{_TRIED}{AT_RANDOM if method.partly else ''}"


def _evidence(case: Case, kind: IntervalKind) -> tuple[Evidence, IntervalKind, tuple[str, ...]]:
    """Return the evidence, or the best substitute for it, its kind and a warning."""
    try:
        return kind.make(case), kind, ()
    except Undefined as undefined:
        metric, why = case.options.metric, undefined.why
        instead = undefined.instead or intervals.stand_in(case.method, case.table, metric)
        try:
            found = None if instead is None else instead.make(case)
        except Undefined:
            found = None
        if instead is None or found is None:
            raise no_interval(kind.name, why, case.table) from undefined
        message = (
            f"The {kind.name} interval of {case.method.name} is undefined because {why}; the "
            f"{instead.name} interval is given instead."
        )
        doubt = warn(message, DegenerateBootstrapWarning)
        return AroundValue(found, case.value), instead, (doubt,)


def _resolution(case: Case, kind: IntervalKind | None) -> tuple[float | None, str]:
    """Return how far merged rows may have moved the value, and a sentence that says so."""
    method, table = case.method, case.table
    if not isinstance(table, MergedRows) or not table.coarse.any():
        return 0.0, ""
    resolution = method.resolution(table, case.options.metric)
    lows, highs = table.ranges
    merged = int(np.count_nonzero(table.coarse))
    rows = f" {merged:,} of {len(table):,} rows stand for ranges of scores, at most "
    rows += f"{(highs - lows).max():.2g} wide"
    if resolution == 0:
        return resolution, f"{rows}, which leaves this value exact."
    if resolution is None:
        moved = f"{rows}; the method {method.when_merged}, which is an approximation"
    else:
        moved = f"{rows}, which moves this value by at most {resolution:.2g}"
    if kind is None or kind.allows_for_merging:
        return resolution, f"{moved}."
    return resolution, f"{moved}; the interval does not allow for that."
