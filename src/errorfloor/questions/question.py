"""What is asked of labels, in one record, and the one function that answers it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Self

import numpy as np

from errorfloor import checks, intervals, methods
from errorfloor._checks import (
    DegenerateBootstrapWarning,
    DegenerateDataWarning,
    InputError,
    as_flag,
    as_probabilities,
    check_choice,
    check_level,
    check_n_resamples,
    check_unit_interval,
    warn,
)
from errorfloor._typing import Floats, RandomLike
from errorfloor.data.layouts import BESIDE_LABELS, LAYOUTS, of_kind
from errorfloor.data.matrices import is_matrix
from errorfloor.data.options import HOW_TO_READ, ReadOptions
from errorfloor.data.read import read
from errorfloor.data.source import Reading, Source
from errorfloor.data.tables import MergedRows, ScoreTable, Table, VoteTable
from errorfloor.intervals.bootstrap import bootstrap
from errorfloor.intervals.honest import PoweredErrors
from errorfloor.intervals.record import AroundValue, Case, Evidence, IntervalKind, Undefined
from errorfloor.intervals.seeds import Seed, Streams
from errorfloor.methods import on_any_scale
from errorfloor.methods.prediction_powered import AT_RANDOM
from errorfloor.methods.record import (
    GOLD_LABEL,
    Classes,
    Clip,
    Method,
    Options,
    Shape,
    Statistic,
    value_of,
)
from errorfloor.methods.votes.plugin import PLUGIN
from errorfloor.metrics import ERROR, Metric
from errorfloor.metrics.choice import MetricChoice
from errorfloor.questions import cap
from errorfloor.questions.cap import ModelError
from errorfloor.questions.partly import check_alike
from errorfloor.questions.weights import (
    assumed_of,
    check_clusters,
    check_uses_weights,
    check_weighs,
    no_interval,
    sampled,
)
from errorfloor.results import Estimate, Groups, Interval, VotesEstimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """What is asked of labels: the metric, how its best value is found, and with which limits.

    The arguments of functions, the options of commands and the fields of the page become it.
    """

    metric: str = ERROR.name
    costs: Any = None
    at: float | None = None
    prior: Any = None
    method: str | None = None  # the default for the labels where none is named
    totals_by: str = "chance"
    stopping: str | None = None
    majority: int | None = None
    simultaneous: bool = False
    interval: str | None = "auto"
    level: float = 0.95
    n_resamples: int = 1000
    clip: Clip = "auto"
    model_error: ModelError = None
    rng: RandomLike = 0

    gives_limits: ClassVar[bool] = True  # whether the answer for a group has some at `level`

    @classmethod
    def about(cls, choice: MetricChoice, **more: Any) -> Self:
        """Ask for a metric that was checked."""
        named = {one.name: getattr(choice, one.name) for one in fields(choice)}
        return cls(**named, **more)

    @property
    def choice(self) -> MetricChoice:
        """The metric with what it needs, checked but for the number of classes."""
        return MetricChoice(self.metric, self.costs, self.at, self.prior)

    @property
    def options(self) -> Options:
        """How the method is to work, checked; for error."""
        return Options(self.clip, self.totals_by, self.stopping, self.majority)

    def checked(self, kind: str) -> Self:
        """Return the same, or refuse what is wrong before labels are read, which may take long."""
        choice = self.choice
        if self.method is not None:
            methods.check_name(self.method, kind, choice.metric)
        assert self.options
        Seed.of(self.rng)
        return replace(
            self,
            level=check_level(self.level),
            n_resamples=check_n_resamples(self.n_resamples),
            simultaneous=as_flag(self.simultaneous, name="simultaneous"),
        )

    def methods_for(self, reading: Reading) -> tuple[Method, ...]:
        """Return the methods that were asked for, or the default."""
        return (method_for(self.method, reading, self.choice.metric),)

    def ready(self, reading: Reading) -> Callable[[Table, Part], Any]:
        """Return what answers for a table, or refuse what does not go with what was read."""
        (method,), source, table = self.methods_for(reading), reading.source, first_of(reading)
        self._check_fits(table.kind)
        if source.options.label_is_vote and self.totals_by == "votes":
            raise InputError(
                "`totals_by='votes'` is about votes that were collected until they agreed, and a "
                "label was not. Leave out `label_is_vote`."
            )
        options = replace(self.options, metric=self.choice.of(len(table.classes)))
        question = Question(method, options, cap.checked(self.model_error, table))
        kept = question.kept()
        if source.options.group is not None:
            # What all groups were asked for together, which gives each of them again.
            kept |= {"level": self.level, "simultaneous": self.simultaneous}
        return lambda table, part: question.of(
            table, Request.of(self, part), Origin(source, part.group, kept)
        )

    def _check_fits(self, kind: str) -> None:
        """Refuse options that say nothing about labels of this kind."""
        for name, usual, reads in (
            ("clip", "auto", ScoreTable.kind),
            ("totals_by", "chance", VoteTable.kind),
            ("majority", None, VoteTable.kind),
        ):
            if getattr(self, name) != usual and kind != reads:
                raise InputError(f"`{name}` goes with {reads}; these are {kind}. Leave it out.")


@dataclass(frozen=True, slots=True)
class Part:
    """The part of an answer that is about one group, or all of it where there are none."""

    group: Any
    level: float
    seed: Seed  # of the whole answer
    rng: np.random.Generator  # of this part


def answer(reading: Reading, ask: Ask) -> Any:
    """Return the answer to what is asked of what was read: one, or one for each group."""
    ask = ask.checked(first_of(reading).kind)
    return by_group(reading.tables, reading.source, ask, ask.ready(reading))


def by_group(
    tables: Mapping[Any, Any], source: Source, ask: Ask, one: Callable[[Any, Part], Any]
) -> Any:
    """Return what `one` finds for the only table, or for that of each group with random numbers.

    All intervals miss together with at most the sum of their probabilities to miss (Bonferroni).
    """
    seed, column = Seed.of(ask.rng), source.options.group
    # A generator goes on where it is, so that the next call draws other numbers.
    rng = ask.rng if isinstance(ask.rng, np.random.Generator) else seed.begin()
    if column is None:
        if ask.simultaneous:
            raise InputError(
                "`simultaneous` is about the intervals of groups. Name their column with `group`, "
                "or leave it out."
            )
        (table,) = tables.values()
        return one(table, Part(None, ask.level, seed, rng))
    some = {group: table for group, table in tables.items() if table.n}
    each = 1 - (1 - ask.level) / len(some) if ask.simultaneous else ask.level
    found = {}
    for (group, table), own in zip(some.items(), rng.spawn(len(some)), strict=True):
        try:
            found[group] = one(table, Part(group, each, seed, own))
        except InputError as error:
            raise error.behind(f"`group` {group!r}: ") from error
    dropped = sum(table.dropped for table in tables.values())
    level = ask.level if ask.gives_limits else None
    return Groups(str(column), found, level, ask.simultaneous, dropped)


# What says which columns hold what; labels and totals are arguments next to the data.
_WHERE = {*HOW_TO_READ, *(role.argument for layout in LAYOUTS for role in layout.roles)}
_WHERE -= {"labels", "totals"}


def where_in(options: Mapping[str, Any], group: str | None = None) -> ReadOptions:
    """Return what those of a function's keywords say that are about columns and their values."""
    columns = {name: one for name, one in options.items() if name in _WHERE}
    return ReadOptions.of(group=group, **columns)


def first_of(reading: Reading) -> Table:
    """Return a table of what was read, whose kind and classes all groups have."""
    return next(iter(reading.tables.values()))


def floor_of(data: object, where: ReadOptions, ask: Ask) -> Any:
    """Return the floor of data of any kind; by group if named."""
    return answer(read(data, LAYOUTS, where), ask)


def answer_of_scores(
    scores: object, labels: object, where: ReadOptions, ask: Ask, *, labelled: bool = False
) -> Any:
    """Return the answer for scores with labels; `labelled` leaves items without one aside."""
    reading = read(scores, of_kind(ScoreTable.kind), where, second=labels)
    if labelled:
        every = reading.tables.items()
        own = {name: table.labelled for name, table in every if isinstance(table, ScoreTable)}
        reading = replace(reading, tables=own)
    if reading.source.origin == "arrays" and not is_matrix(scores):
        chosen = ask.methods_for(reading)
        if any(one.needs_probabilities for one in chosen):
            # The rows of the table are checked later, but cannot name the entry.
            instead = on_any_scale(metric=chosen[0].metrics[0])
            as_probabilities(scores, name="scores", instead=instead)
    return answer(reading, ask)


def method_for(name: str | None, reading: Reading, metric: str = ERROR.name) -> Method:
    """Return the method of that name for the labels that were read, or their default."""
    table = first_of(reading)
    check_classes(table)
    if name is None:
        partly = getattr(table, "unlabelled", None) is not None
        return methods.default(table.kind, Classes.of(table), metric, partly=partly)
    return methods.find(name, table.kind, Classes.of(table), metric)


# One table: methods are bound to its cells, resampled once, each with its interval.

_TRIED = (
    "The items are independent draws, and the scores were not fitted to these labels; nothing is "
    "assumed about the scores themselves"
)


@dataclass(frozen=True, slots=True)
class Request:
    """The interval that is wanted, and the random numbers for it."""

    interval: str | None
    level: float
    n_resamples: int
    seed: Seed
    streams: Streams

    @classmethod
    def of(cls, ask: Ask, part: Part) -> Request:
        """Draw the seeds of all purposes."""
        return cls(ask.interval, part.level, ask.n_resamples, part.seed, Streams.of(part.rng))

    def kind(self, method: Method, table: Table, metric: Metric) -> IntervalKind | None:
        """Return the kind of interval to give for a method on a table, or None for none."""
        if self.interval is None:
            return None
        check_clusters(table)
        kinds = intervals.of(method)
        hint = " `interval=None` skips it."
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
        """Whether the labels are those that stood next to votes."""
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
    given, every = table, table.cells()  # those of methods that use items without a label
    if isinstance(table, ScoreTable):
        check_alike(table)
        table = table.labelled
    check_answerable(table, methods)
    if table.entries is not None:
        check_uses_weights(table, methods, options)
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


def with_labels_alone(
    found: Estimate, statistic: Statistic, question: Any, request: Request
) -> Estimate:
    """Add what the default method says of the labelled items, and what they are worth."""
    if not question.method.partly:
        return found
    table = found.table
    assert isinstance(table, ScoreTable)
    plain = methods.default(table.kind, Classes.of(table), found.metric)
    own = replace(request, interval=None if request.interval is None else "auto")
    origin = Origin(found.source, found.group)
    alone, _ = estimate(table, plain, question.options, own, origin)
    others: Any = statistic
    worth = found.evidence.found.worth if isinstance(found.evidence, PoweredErrors) else None
    return replace(
        found,
        n_effective=worth if worth is not None else found.n_effective,
        n_unlabelled=int(others.unlabelled.sum()),
        labelled_only=alone,
    )


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of labels that were read, but for the interval."""

    method: Method
    options: Options
    model_error: ModelError = None

    def __post_init__(self) -> None:
        if self.model_error is not None and not self.options.metric.is_error:
            raise InputError(
                "`model_error` caps the floor of the error, and the metric is "
                f"{self.options.metric.words}. Leave it out, or leave out `metric`."
            )
        if self.model_error is not None and self.options.target.needed > 1:
            raise InputError(
                "`model_error` bounds the bias of the floor for one more vote. Leave it out, or "
                "leave out `majority`."
            )

    def of(self, table: Table, request: Request, origin: Origin) -> Estimate:
        """Return the floor of a table."""
        found, statistic = estimate(table, self.method, self.options, request, origin)
        add = _DETAILS.get(table.kind)
        if add is not None:
            found = add(found, statistic, self, request)
        found = checks.checked(found)
        checks.issue(found)
        return found

    def kept(self) -> dict[str, Any]:
        """Return what a result keeps of what was asked for."""
        by_kind: dict[str, dict[str, Any]] = {
            ScoreTable.kind: {"clip": self.options.clip},
            VoteTable.kind: {
                "totals_by": self.options.totals_by,
                "stopping": self.options.stopping,
                "majority": self.options.majority,
                "model_error": self.model_error,
            },
        }
        return {**by_kind.get(self.method.reads, {}), **self.options.metric.given}


def _with_votes(
    found: Estimate, statistic: Statistic, question: Question, request: Request
) -> VotesEstimate:
    """Add what the plain shares of the votes would have said."""
    table = found.table
    assert isinstance(table, VoteTable)
    cells, classes = table.cells(), Classes.of(table)
    behind: Any = statistic if hasattr(statistic, "fitted") else None
    metric = question.options.metric
    bias = None if behind is None else behind.plugin_bias
    if behind is None and int(table.totals.max()) >= 2:
        of_error = replace(question.options, metric=ERROR)  # the distribution is the same for all
        behind = methods.default(VoteTable.kind, classes).bind(cells, of_error)
        bias = behind.plugin_bias if metric.is_error else None
    by_share = methods.known(PLUGIN.name, classes, VoteTable.kind, metric.name)
    assert by_share is not None, "plain shares answer for every metric that votes have a method for"
    plugin = by_share.bind(cells, question.options)
    shares = plugin.values(cells.count[None], request.streams.for_("blocks"))
    model, model_error = cap.reached(question.model_error), cap.rate_of(question.model_error)
    made = VotesEstimate(
        **{item.name: getattr(found, item.name) for item in fields(found)},
        plugin=float(shares[0]),
        bias=bias,
        bias_bound=_plugin_bias_bound(model_error, table),
        mixture=None if behind is None else behind.fitted,
    )
    if model is None:
        return made
    kinds = intervals.of(question.method)
    return cap.capped(made, model, kinds.get(made.interval_method or question.method.interval))


def _plugin_bias_bound(model_error: float | None, table: VoteTable) -> float | None:
    if model_error is None or len(table.classes) > 2:  # the paper's bound is for two classes
        return None
    from errorfloor.bounds import computable_bias_bound

    # The bound falls with the votes, so the item with the fewest has the largest.
    return float(computable_bias_bound(model_error, int(table.totals.min())))


# What a kind of table adds to an estimate.
_DETAILS: Mapping[str, Callable[..., Estimate]] = {
    VoteTable.kind: _with_votes,
    ScoreTable.kind: with_labels_alone,
}
