"""What is asked of labels, in one record, and the one function that answers it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from errorfloor import checks, intervals, methods
from errorfloor._checks import (
    InputError,
    argument,
    as_flag,
    check_level,
    check_n_resamples,
)
from errorfloor._typing import RandomLike
from errorfloor.data.layouts import LAYOUTS
from errorfloor.data.options import ReadOptions
from errorfloor.data.read import read
from errorfloor.data.source import Reading
from errorfloor.data.tables import ScoreTable, Table, VoteTable
from errorfloor.intervals.honest import PoweredErrors
from errorfloor.intervals.seeds import Seed
from errorfloor.methods.record import Classes, Clip, Method, Options, Statistic
from errorfloor.methods.votes.plugin import PLUGIN
from errorfloor.metrics import ERROR
from errorfloor.metrics.choice import MetricChoice
from errorfloor.questions import cap
from errorfloor.questions.answer import Origin, Request, check_classes, estimate
from errorfloor.questions.cap import ModelError
from errorfloor.questions.groups import with_intervals_by_group
from errorfloor.results import Estimate, VotesEstimate


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
    interval: str | None = "auto"
    level: float = 0.95
    n_resamples: int = 1000
    clip: Clip = "auto"
    totals_by: str = "chance"
    stopping: str | None = None
    majority: int | None = None
    model_error: ModelError = None
    simultaneous: bool = False
    rng: RandomLike = 0

    @classmethod
    def about(cls, choice: MetricChoice, **more: Any) -> Ask:
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

    @property
    def of_metric(self) -> dict[str, Any]:
        """The arguments that say which metric is asked for."""
        return {name: getattr(self, name) for name in ("metric", "costs", "at", "prior")}

    def checked(self, kind: str) -> Ask:
        """Return the same, or refuse what is wrong before labels are read, which may take long."""
        choice = self.choice
        if self.method is not None:
            methods.check_name(self.method, kind, choice.metric)
        assert self.options
        Seed.of(self.rng)
        check_level(self.level)
        check_n_resamples(self.n_resamples)
        return self

    def check_fits(self, kind: str) -> None:
        """Refuse options that say nothing about labels of this kind."""
        for name, usual, reads in (
            ("clip", "auto", ScoreTable.kind),
            ("totals_by", "chance", VoteTable.kind),
            ("majority", None, VoteTable.kind),
        ):
            if getattr(self, name) != usual and kind != reads:
                text = f" goes with {reads}; these are {kind}. Leave it out."
                raise InputError(argument(name), text)


def answer(reading: Reading, ask: Ask) -> Any:
    """Return the floor of what was read: one, or one for each group."""
    choice = ask.choice
    method = method_for(ask.method, reading, choice.metric)
    table = next(iter(reading.tables.values()))
    ask.check_fits(table.kind)
    request = Request.of(ask.interval, ask.level, ask.n_resamples, ask.rng)
    simultaneous, source = as_flag(ask.simultaneous, name="simultaneous"), reading.source
    if source.options.label_is_vote and ask.totals_by == "votes":
        raise InputError(
            *(argument("totals_by", "votes"), " is about votes that were collected until "),
            *("they agreed, and a label was not. Leave out ", argument("label_is_vote"), "."),
        )
    options = replace(ask.options, metric=choice.of(len(table.classes)))
    question = Question(method, options, cap.checked(ask.model_error, table))
    if source.options.group is None:
        if simultaneous:
            raise InputError(
                *(argument("simultaneous"), " is about the intervals of groups. Name their "),
                *("column with ", argument("group"), ", or leave it out."),
            )
        return question.of(reading.table, request, Origin(source, options=question.kept()))
    # What all groups were asked for together, which gives each of them again.
    kept = {**question.kept(), "level": request.level, "simultaneous": simultaneous}

    def one(table: Table, group: Any, own: Request) -> Estimate:
        return question.of(table, own, Origin(source, group, kept))

    return with_intervals_by_group(reading, request, ask.rng, simultaneous, one)


def floor_of(data: object, where: ReadOptions, ask: Ask) -> Any:
    """Return the floor of data of any kind; by group if named."""
    return answer(read(data, LAYOUTS, where), ask)


def method_for(name: str | None, reading: Reading, metric: str = ERROR.name) -> Method:
    """Return the method of that name for the labels that were read, or their default."""
    table = next(iter(reading.tables.values()))
    check_classes(table)
    if name is None:
        partly = getattr(table, "unlabelled", None) is not None
        return methods.default(table.kind, Classes.of(table), metric, partly=partly)
    return methods.find(name, table.kind, Classes.of(table), metric)


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of labels that were read, but for the interval."""

    method: Method
    options: Options
    model_error: ModelError = None

    def __post_init__(self) -> None:
        if self.model_error is not None and not self.options.metric.is_error:
            raise InputError(
                *(argument("model_error"), " caps the floor of the error, and the metric is "),
                *(f"{self.options.metric.words}. Leave it out, or leave out ", argument("metric")),
                ".",
            )
        if self.model_error is not None and self.options.target.needed > 1:
            raise InputError(
                *(argument("model_error"), " bounds the bias of the floor for one more vote. "),
                *("Leave it out, or leave out ", argument("majority"), "."),
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
    by_share = methods.find(PLUGIN.name, VoteTable.kind, classes, metric.name)
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
