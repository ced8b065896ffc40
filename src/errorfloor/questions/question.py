"""How a floor is to be estimated: the method and its options, asked of what was read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from errorfloor import checks, intervals, methods
from errorfloor._checks import InputError, argument, as_flag
from errorfloor._typing import RandomLike
from errorfloor.data.layouts import LAYOUTS
from errorfloor.data.options import ReadOptions
from errorfloor.data.read import read
from errorfloor.data.source import Reading
from errorfloor.data.tables import ScoreTable, Table, VoteTable
from errorfloor.methods.record import Classes, Method, Options, Statistic
from errorfloor.methods.votes.plugin import PLUGIN
from errorfloor.metrics import ERROR
from errorfloor.metrics.asked import Asked
from errorfloor.questions import cap
from errorfloor.questions.answer import Origin, Request, check_classes, estimate
from errorfloor.questions.cap import ModelError
from errorfloor.questions.groups import with_intervals_by_group
from errorfloor.questions.labels_alone import with_labels_alone
from errorfloor.results import Estimate, VotesEstimate


def floor_of(
    data: object,
    where: ReadOptions,
    *,
    level: float = 0.95,
    rng: RandomLike = 0,
    interval: str | None = "auto",
    asked: Asked | None = None,
) -> Any:
    """Return the floor of data of any kind, by the default method for it; by group if named."""
    reading = read(data, LAYOUTS, where)
    request = Request.of(interval, level, 1000, rng)
    question = Question.about(asked or Asked(), reading)
    return question.answer(reading, request, rng, simultaneous=False)


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
    """How a floor is to be estimated, but for its interval."""

    method: Method
    options: Options = field(default_factory=Options)
    model_error: ModelError = None

    @classmethod
    def about(
        cls,
        asked: Asked,
        reading: Reading,
        method: str | None = None,
        options: Options | None = None,
        model_error: ModelError = None,
    ) -> Question:
        """Return the question about what was read, by a method and for a metric."""
        chosen = method_for(method, reading, asked.metric)
        if (
            reading.source.options.label_is_vote
            and options is not None
            and options.totals_by == "votes"
        ):
            raise InputError(
                *(argument("totals_by", "votes"), " is about votes that were collected until "),
                *("they agreed, and a label was not. Leave out ", argument("label_is_vote"), "."),
            )
        table = next(iter(reading.tables.values()))
        options = replace(options or Options(), metric=asked.of(len(table.classes)))
        return cls(chosen, options, cap.checked(model_error, table))

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

    def answer(
        self, reading: Reading, request: Request, rng: RandomLike, simultaneous: bool
    ) -> Any:
        """Return the floor of what was read: one, or one for each group."""
        simultaneous = as_flag(simultaneous, name="simultaneous")
        if reading.source.options.group is None:
            if simultaneous:
                raise InputError(
                    *(argument("simultaneous"), " is about the intervals of groups. Name their "),
                    *("column with ", argument("group"), ", or leave it out."),
                )
            return self.of(reading.table, request, Origin(reading.source, options=self._asked()))
        # What all groups were asked for together, which gives each of them again.
        asked = {**self._asked(), "level": request.level, "simultaneous": simultaneous}

        def one(table: Table, group: Any, own: Request) -> Estimate:
            return self.of(table, own, Origin(reading.source, group, asked))

        return with_intervals_by_group(reading, request, rng, simultaneous, one)

    def of(self, table: Table, request: Request, origin: Origin) -> Estimate:
        """Return the floor of a table."""
        found, statistic = estimate(table, self.method, self.options, request, origin)
        add = _DETAILS.get(table.kind)
        if add is not None:
            found = add(found, statistic, self, request)
        found = checks.checked(found)
        checks.issue(found)
        return found

    def _asked(self) -> dict[str, Any]:
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
