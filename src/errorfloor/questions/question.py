"""What is asked of labels, in one record, its keywords, and the one function that answers it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from inspect import Parameter, signature
from typing import Any, ClassVar, ParamSpec, Self, TypedDict, TypeVar

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
from errorfloor._keywords import explains_keywords
from errorfloor._typing import Floats, RandomLike
from errorfloor.data.layouts import BESIDE_LABELS, LAYOUTS, of_kind
from errorfloor.data.matrices import is_matrix
from errorfloor.data.options import HOW_TO_READ, Reading, ReadOptions, Source
from errorfloor.data.read import read
from errorfloor.data.tables import MergedRows, ScoreTable, Table, VoteTable
from errorfloor.intervals.bootstrap import bootstrap
from errorfloor.intervals.honest import PoweredErrors
from errorfloor.intervals.record import (
    AroundValue,
    Case,
    Evidence,
    IntervalKind,
    Seed,
    Streams,
    Undefined,
    these_annotators,
)
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
from errorfloor.methods.soft import PLUGIN
from errorfloor.metrics import ERROR
from errorfloor.metrics.choice import MetricChoice
from errorfloor.questions import cap
from errorfloor.questions.cap import ModelError
from errorfloor.questions.sampling import (
    check_alike,
    check_clusters,
    check_uses_weights,
    check_weighs,
    described,
    no_interval,
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
        kind = table.kind
        for name, usual, reads in _OF_ONE_KIND:
            if getattr(self, name) != usual and kind != reads:
                raise InputError(f"`{name}` goes with {reads}; these are {kind}. Leave it out.")
        if source.options.label_is_vote and self.totals_by == "votes":
            raise InputError(
                "`totals_by='votes'` is about votes that were collected until they agreed, and a "
                "label was not. Leave out `label_is_vote`."
            )
        options, error = replace(self.options, metric=self.choice.of(len(table.classes))), None
        if self.model_error is not None:
            error = cap.checked(self.model_error, table, options)
        kept = {name: getattr(options, name) for name in _KEPT.get(kind, ())}
        kept |= {"model_error": error} if kind == VoteTable.kind else {}
        kept |= options.metric.given
        if source.options.group is not None:
            # What all groups were asked for together, which gives each of them again.
            kept |= {"level": self.level, "simultaneous": self.simultaneous}

        def one(table: Table, part: Part) -> Estimate:
            request = Request.of(self, part, options, source, kept)
            ((found, statistic),) = estimates(table, (method,), request)
            if kind == VoteTable.kind:
                found = _with_votes(found, statistic, method, request, error)
            elif method.partly:
                found = _with_labels_alone(found, statistic, request)
            found = checks.checked(found)
            checks.issue(found)
            return found

        return one


# Options of methods that say something about labels of one kind, and what they are by default.
_OF_ONE_KIND = (
    ("clip", "auto", ScoreTable.kind),
    ("totals_by", "chance", VoteTable.kind),
    ("majority", None, VoteTable.kind),
)
_KEPT = {ScoreTable.kind: ("clip",), VoteTable.kind: ("totals_by", "stopping", "majority")}


# The keywords of functions: each is written once, for type checkers, help and `inspect`.

P = ParamSpec("P")
R = TypeVar("R")


class MetricOptions(TypedDict, total=False):
    """Which metric is asked for."""

    metric: str
    costs: object
    at: float | None
    prior: object


class LimitOptions(MetricOptions, total=False):
    """The same, with limits."""

    interval: str | None
    level: float
    n_resamples: int
    rng: RandomLike


class _Values(TypedDict, total=False):
    """How to read the values of columns."""

    positive: object
    positive_from: float | None
    classes: Sequence[object] | None
    drop_missing: bool


class ScoreColumns(_Values, total=False):
    """Columns of scores with labels, and how to read their values."""

    score: str | Sequence[str] | None
    label: str | None


class VoteColumns(_Values, total=False):
    """Columns of votes, and how to read their values."""

    positives: object
    counts: object
    item: str | None
    vote: str | None
    annotator: str | None
    annotators: object
    annotations: str | None
    duplicates: str


class AnyColumns(ScoreColumns, VoteColumns, total=False):
    """Columns of labels in any layout."""

    complete: bool
    soft: str | Sequence[str] | None
    totals: str | int | None
    label_is_vote: bool


class EstimateOptions(LimitOptions, total=False):
    """What all estimates take."""

    simultaneous: bool
    weight: object
    cluster: object


class SoftOptions(EstimateOptions, total=False):
    """What soft labels take."""

    soft: str | Sequence[str] | None
    classes: Sequence[object] | None
    drop_missing: bool


class ScoreOptions(ScoreColumns, EstimateOptions, total=False):
    """What scores take."""

    missing: object
    on: str | None
    unlabelled: bool
    complete: bool
    method: str | None
    clip: Clip


class VoteOptions(VoteColumns, EstimateOptions, total=False):
    """What votes take."""

    missing: object
    label: str | None
    labels: object
    on: str | None
    label_is_vote: bool
    method: str | None
    totals_by: str
    stopping: str | None
    majority: int | None
    model_error: ModelError


def takes(options: Any, ask: type[Ask] = Ask) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Show the keywords of a function with their defaults, and explain those that it does not have.

    Columns come first, then how they are read, then what is asked, in the order of both records.
    """
    usual = {one.name: one.default for one in (*fields(ReadOptions), *fields(ask))}
    order = [*HOW_TO_READ, *(one.name for one in fields(Ask))]

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        given = signature(function)
        own = [one for one in given.parameters.values() if one.kind is not one.VAR_KEYWORD]
        more = [
            Parameter(name, Parameter.KEYWORD_ONLY, default=usual.get(name), annotation=_text(hint))
            for name, hint in options.__annotations__.items()
        ]
        keywords = [one for one in own if one.kind is one.KEYWORD_ONLY]
        every = sorted(
            [*keywords, *more], key=lambda one: order.index(one.name) if one.name in order else -1
        )
        first = own[: len(own) - len(keywords)]
        return explains_keywords(function, given.replace(parameters=[*first, *every]))

    return decorate


def _text(hint: Any) -> Any:
    """Return a hint as it is written, as signatures of functions have it."""
    return getattr(hint, "__forward_arg__", hint)


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


def refuse_with_estimate(names: Iterable[str]) -> None:
    """Refuse what says how to read data, next to an Estimate."""
    for name in names:
        raise InputError(f"`{name}` goes with data, not with an Estimate. Leave it out.")


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
    "The items are independent, and the model behind the scores was not trained on these labels. "
    "The scores need not be calibrated"
)


@dataclass(frozen=True, slots=True)
class Request:
    """How methods are to answer for one table, with which limits, and what the answer keeps."""

    options: Options
    interval: str | None
    level: float
    n_resamples: int
    seed: Seed
    streams: Streams
    source: Source
    group: Any = None
    kept: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls, ask: Ask, part: Part, options: Options, source: Source, kept: Mapping[str, Any]
    ) -> Request:
        """Draw the seeds of all purposes."""
        streams = Streams.of(part.rng)
        options = replace(options, draw=streams.for_)
        limits = (ask.interval, part.level, ask.n_resamples)
        return cls(options, *limits, part.seed, streams, source, part.group, kept)

    def kind(self, method: Method, table: Table) -> IntervalKind | None:
        """Return the kind of interval to give for a method on a table, or None for none."""
        if self.interval is None:
            return None
        if table.entries is not None:
            check_clusters(table)
        kinds = intervals.of(method)
        hint = " `interval=None` skips it."
        name = check_choice(self.interval, ("auto", *kinds), name="interval", hint=hint)
        if name == "auto":
            return intervals.default(method, table, self.options.metric)
        check_weighs(kinds, name, table, self.options.metric)
        return kinds[name]


def estimates(
    table: Table, methods: Sequence[Method], request: Request
) -> list[tuple[Estimate, Statistic]]:
    """Return one estimate for each method with the statistic behind it, on the same resamples."""
    options, streams = request.options, request.streams
    table = table.plain  # equal weights, and clusters of one, are none
    given, every = table, table.cells()  # those of methods that use items without a label
    doubts: tuple[str, ...] = ()
    if isinstance(table, ScoreTable):
        check_alike(table)
        table = table.labelled
    check_answerable(table, methods)
    if table.entries is not None:
        check_uses_weights(table, methods, options)
    kinds = [request.kind(method, table) for method in methods]
    cells = every if table is given else table.cells()
    statistics = [method.bind(every if method.partly else cells, options) for method in methods]
    replicates = _replicates(statistics, kinds, cells, request)
    if isinstance(table, ScoreTable):
        doubts = data_doubts(table)
    found = []
    for method, statistic, kind in zip(methods, statistics, kinds, strict=True):
        value = value_of(statistic, cells.count, streams.for_)
        case = Case(
            method=method,
            table=table,
            cells=every if method.partly else cells,
            statistic=statistic,
            value=float(value),
            streams=streams,
            options=options,
            replicates=next(replicates) if kind is not None and kind.resamples else None,
        )
        one = _estimate(case, kind, request, doubts)
        if isinstance(given, ScoreTable) and given.n_unlabelled and not method.partly:
            one = replace(one, n_unused=given.n_unlabelled)
        found.append((one, statistic))
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


def data_doubts(table: ScoreTable) -> tuple[str, ...]:
    """Warn of labels of one class and of scores that are all equal, and return the warnings."""
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
) -> Iterator[Floats]:
    """Return bootstrap replicates for each interval that needs them, from the same resamples."""
    pairs = zip(statistics, kinds, strict=True)
    wanted = [statistic for statistic, kind in pairs if kind is not None and kind.resamples]
    if not wanted:
        return iter(())
    times, rng = request.n_resamples, request.streams.for_("resamples")
    quick = not request.options.metric.is_error  # error keeps the draws it always had
    return iter(bootstrap(wanted, cells.count, n_resamples=times, rng=rng, quick=quick))


_BESIDE_LABELS = [layout.name for layout in BESIDE_LABELS]


def _estimate(
    case: Case, kind: IntervalKind | None, request: Request, doubts: tuple[str, ...]
) -> Estimate:
    method, table, source, evidence = case.method, case.table, request.source, None
    if kind is not None:
        evidence, kind, further = _evidence(case, kind)
        doubts += further
    resolution, coarseness = _resolution(case, kind)
    assumes = _assumed(method, kind, complete=source.options.complete)
    sizes, note = described(table) if table.entries is not None else ({}, "")
    note = f"{getattr(evidence, 'note', '')}{note}"
    metric, interval, value = case.options.metric, None, case.value
    if not method.beyond_guessing:
        value = float(np.clip(value, *metric.span(len(table.classes))))
    if evidence is not None:
        interval = Interval.at(request.level, evidence, metric, len(table.classes))
    is_gold = source.layout in _BESIDE_LABELS and not source.options.label_is_vote
    whose = these_annotators(table, kind)
    limits = {name: getattr(request, name) for name in ("interval", "level", "n_resamples")}
    return Estimate(
        value=value,
        method=method.name,
        interval=interval,
        metric=metric.name,
        n=table.n,
        **sizes,
        assumptions=f"{assumes}.{note}{coarseness}",
        target=GOLD_LABEL if is_gold else method.target_with(case.options, whose),
        warnings=doubts,
        resolution=resolution,
        dropped=table.dropped,
        options={**limits, **request.kept},
        seed=request.seed,
        source=source,
        group=request.group,
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


def _with_labels_alone(found: Estimate, statistic: Any, request: Request) -> Estimate:
    """Add what the default method says of the labelled items, and what they are worth."""
    table = found.table
    assert isinstance(table, ScoreTable)
    plain = methods.default(table.kind, Classes.of(table), found.metric)
    own = replace(request, interval=None if request.interval is None else "auto", kept={})
    ((alone, _),) = estimates(table, (plain,), own)
    worth = found.evidence.found.worth if isinstance(found.evidence, PoweredErrors) else None
    return replace(
        found,
        n_effective=worth if worth is not None else found.n_effective,
        n_unlabelled=int(statistic.unlabelled.sum()),
        labelled_only=alone,
    )


def _with_votes(
    found: Estimate, statistic: Any, method: Method, request: Request, model_error: ModelError
) -> VotesEstimate:
    """Add what the plain shares of the votes would have said, and cap it by a model's error."""
    table, options = found.table, request.options
    assert isinstance(table, VoteTable)
    cells, classes = table.cells(), Classes.of(table)
    mixture = bias = None
    if hasattr(statistic, "fitted"):
        mixture, bias = statistic.fitted, statistic.plugin_bias
    elif int(table.totals.max()) >= 2:
        of_error = replace(options, metric=ERROR)  # the distribution is the same for all
        behind: Any = methods.default(VoteTable.kind, classes).bind(cells, of_error)
        mixture, bias = behind.fitted, behind.plugin_bias if options.metric.is_error else None
    by_share = methods.known(PLUGIN.name, classes, VoteTable.kind, options.metric.name)
    assert by_share is not None, "plain shares answer for every metric that votes have a method for"
    plugin = by_share.bind(cells, options)
    shares = plugin.values(cells.count[None], request.streams.for_("blocks"))
    made = VotesEstimate(
        **{item.name: getattr(found, item.name) for item in fields(found)},
        plugin=float(shares[0]),
        bias=bias,
        mixture=mixture,
    )
    if model_error is None:
        return made
    model = cap.reached(model_error)
    if model is not None:
        kinds = intervals.of(method)
        return cap.capped(made, model, kinds.get(made.interval_method or method.interval))
    from errorfloor.bounds import computable_bias_bound

    # The bound falls with the votes, so the item with the fewest has the largest.
    bound = computable_bias_bound(model_error, int(table.totals.min()))
    return replace(made, bias_bound=float(bound))
