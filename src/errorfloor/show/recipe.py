"""What to type for the same result, in Python and on the command line.

Results keep what they were made from and what was asked for. Here that becomes a `Call`, which is
written in both ways, so that running either gives the same bits.
"""

from __future__ import annotations

import platform
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import singledispatch
from typing import Any

import numpy as np

from errorfloor import intervals, methods
from errorfloor.data.formats import format_called
from errorfloor.data.layouts import EVERY_LAYOUT, LAYOUTS, Layout, of_kind
from errorfloor.data.options import ARRAY, Source
from errorfloor.data.tables import ScoreTable
from errorfloor.intervals.record import IntervalKind, Seed
from errorfloor.methods.record import Method
from errorfloor.questions.options import ASK_OPTIONS, OPTIONS, OPTIONS_OF, as_typed
from errorfloor.results import (
    AgreementEstimate,
    Comparison,
    Estimate,
    FeaturesEstimate,
    Groups,
    ModelComparison,
    People,
    RatingsEstimate,
    Verdict,
)
from errorfloor.results.estimate import method_of

STDIN = "-"


# A call, and how it is written.


class Name(str):
    """What an array, a table or a model is called in Python; no command can hold it."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class Each(list[Any]):
    """Several values, each of which is typed behind an option of its own."""


FLOOR = Name("floor")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call of a function, and the command that does the same.

    Attributes
    ----------
    asks : str
        The function.
    first : tuple
        The arguments without a name.
    given : dict
        Those with a name, in order.
    command : str
        What the command line calls the function; "" where no command does the same.
    files : tuple of str
        What the command reads.
    typed : dict, optional
        What the command is given in place of `given`, by the names of arguments.
    """

    asks: str
    first: tuple[Any, ...] = ()
    given: Mapping[str, Any] = field(default_factory=dict)
    command: str = ""
    files: tuple[str, ...] = ()
    typed: Mapping[str, Any] | None = None

    @property
    def python(self) -> str:
        """The call in Python, where the data itself has its format."""
        named = [f"{name}={item(one)!r}" for name, one in self.given.items() if name != "format"]
        return f"ef.{self.asks}({', '.join([*map(repr, self.first), *named])})"

    @property
    def line(self) -> str | None:
        """The command, or None where there is none."""
        typed = self.given if self.typed is None else self.typed
        if not self.command or any(isinstance(one, Name) for one in typed.values()):
            return None
        words = (word for name, one in typed.items() for word in self._words(name, one))
        return shlex.join(("errorfloor", self.command, *self.files, *words))

    def _words(self, name: str, value: Any) -> Iterator[str]:
        flag = flag_of(self.command, name)
        if value is True:
            yield flag
            return
        several = value if isinstance(value, list | tuple) else ()
        commas = any(isinstance(one, str) and "," in one for one in several)
        for one in several if commas or isinstance(value, Each) else (value,):
            yield from (flag, as_typed(one))


@dataclass(frozen=True, slots=True)
class Recipe:
    """Lines of Python, and a command; none where no single one leads to the same."""

    python: str = ""
    command: str | None = None


def flag_of(command: str, name: str) -> str:
    """Return what a command calls an argument."""
    own = {**OPTIONS, **OPTIONS_OF.get(command, {})}
    if name in own and name not in _ROLES:
        return own[name].on_command_line
    return f"--{_ROLES.get(name, name).replace('_', '-')}"


def item(value: Any) -> Any:
    """Return a number of NumPy as one of Python, which reads the same everywhere."""
    return value.item() if isinstance(value, np.generic) else value


def short(number: float) -> float:
    """Return a number without a point where it is whole."""
    return int(number) if number == int(number) else number


# Which data, columns and classes were named, and how to read them.

_ROLES = {role.argument: role.name for layout in EVERY_LAYOUT for role in layout.roles}
_ARGUMENTS = {name: argument for argument, name in _ROLES.items()}
_ARRAYS = Source(origin="arrays", layout="")  # of results that do not say


def _call_on(source: Source, arrays: tuple[str, ...], **more: Any) -> Call:
    """Return a call about data; `arrays` are those that have no names in it."""
    first = tuple(map(Name, arrays)) if source.origin == "arrays" else (_data(source),)
    return Call(first=first, files=_files(source), **more)


def _data(source: Source) -> Any:
    """Return a table, a dataframe, or files, as a call gets them."""
    if source.origin != "files":
        return Name(source.origin)
    paths = source.files[0] if len(source.files) == 1 else list(source.files)
    paths = paths if source.options.called is None else Name("path")
    if source.options.format is None or format_called(source.options.format).holds_tables:
        return paths
    return Name(f"ef.frames.scan({paths!r}, format={source.options.format!r})")


def _files(source: Source) -> tuple[str, ...]:
    """Return the files of a command."""
    if source.options.called is not None:
        return (STDIN,)
    return tuple(f"./{file}" if file.startswith("-") else file for file in source.files)


def _columns(source: Source) -> dict[str, Any]:
    """Return the arguments that say where labels are: columns, or arrays that are called so."""
    columns = {_ARGUMENTS.get(role, role): column for role, column in source.columns.items()}
    if source.origin == "arrays":
        return {name: Name(name) for name in columns}
    return {name: list(one) if isinstance(one, tuple) else one for name, one in columns.items()}


def _how(source: Source) -> dict[str, Any]:
    """Return the arguments that say how to read."""
    how = {name: value for name, value in source.options.given.items() if name != "called"}
    for name, value in how.items():
        if name == "positive_from":
            how[name] = short(value)
        elif name == "classes":
            how[name] = list(value)
        elif isinstance(value, str) and value == ARRAY:
            how[name] = Name(name)
    return how


def _rng(seed: Seed | None) -> dict[str, Any]:
    """Return the argument for where random numbers start."""
    if seed is None:
        return {}
    return {"rng": Name("rng") if seed.number is None else seed.number}


# What an estimate was asked for, as far as it can be asked for again.


@dataclass(frozen=True, slots=True)
class EstimateOptions:
    """What an estimate was asked for, as far as it has an influence."""

    estimate: Estimate
    layout: Layout
    values: dict[str, Any]
    is_random: bool  # whether value or interval draw random numbers

    @classmethod
    def of(cls, estimate: Estimate) -> EstimateOptions:
        """Take apart what the estimate keeps."""
        method = method_of(estimate)
        values = _asked_values(estimate, method)
        kind = intervals.named(values["interval"], method)
        layout = _layout(estimate, method)
        used = {
            name: value for name, value in values.items() if _is_used(name, value, method, kind)
        }
        if len(methods.names(layout.kind, metric=estimate.metric)) > 1:
            used = {"method": estimate.method, **used}
        if not estimate.measure.is_error:
            used = {"metric": estimate.metric, **used}
        kinds = [kind] if kind is not None or method is None else intervals.of(method).values()
        is_random = any(one is None or one.is_random for one in kinds)
        return cls(estimate, layout, used, is_random)

    @property
    def source(self) -> Source:
        """Where the data came from."""
        return self.estimate.source or _ARRAYS

    @property
    def seed(self) -> Seed | None:
        """Where the random numbers started; None where nobody knows, or there are none."""
        seed = self.estimate.seed
        if seed is None or not self.is_random:
            return None
        return None if seed.number is None and seed.generator is None else seed

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
        positive = item(source.options.positive)
        is_plain = positive is None or type(positive) in (str, int, float)
        by_class = [source.columns.get(role.name) for role in self.layout.roles if role.by_class]
        several = [one for names in by_class if isinstance(names, tuple) for one in names]
        # Names of columns stand between commas, and labels are in one file.
        together = isinstance(source.options.labels, list) or any("," in one for one in several)
        return source.origin == "files" and is_plain and not together

    @property
    def has_files(self) -> bool:
        """Whether other commands can read the same."""
        return self.can_be_read_again and self.source.options.called is None

    @property
    def has_command(self) -> bool:
        """Whether the command line can read the same, and be asked for the same."""
        return (
            self.can_be_read_again
            and (self.is_at_level or "simultaneous" not in self.values)
            and self.values.keys() <= {*ASK_OPTIONS, "simultaneous", "model_error"}
            and (self.seed is not None or not self.is_random)
        )

    def call(
        self,
        asks: str,
        given: Mapping[str, Any],
        command: str = "",
        typed: Mapping[str, Any] | None = None,
    ) -> Call:
        """Return a call about the same data."""
        source, arrays = self.source, self.layout.arrays
        number = len(arrays) - self.layout.of_shares  # labels next to votes have a name
        named = arrays[number:] if source.origin == "arrays" else ()
        read = {**_columns(source), **_how(source)}
        return _call_on(
            source,
            () if source.columns else arrays[:number],
            asks=asks,
            given={**{name: Name(name) for name in named}, **read, **given},
            command=command,
            typed=None if typed is None else {**read, **typed},
        )

    def again(self, verdict: Verdict | None = None) -> Call:
        """Return the call for the estimate, and the command, which goes on to a verdict."""
        given = {**self.values, **_rng(self.seed)}
        typed = dict(_option(name, value) for name, value in given.items())
        if "level" in typed and "simultaneous" not in typed:  # the evidence is that of any level
            typed["level"] = self.estimate.level if verdict is None else verdict.level
        command = "estimate" if verdict is None else "headroom"
        if verdict is not None:
            typed |= _model(verdict) | ({} if predicted_in(verdict) else _same(verdict))
        able = self.has_command and (verdict is None or self.source.options.group is None)
        return self.call(self.layout.asks, given, command if able else "", typed)


def _option(name: str, value: Any) -> tuple[str, Any]:
    """Return an argument of an estimate by the name of its option."""
    if name != "model_error":
        return name, value
    reached = isinstance(value, tuple | list)
    return ("reached", "/".join(map(str, value))) if reached else ("bias_for_error", value)


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
        if method is None:
            values["interval"] = estimate.interval_method
        elif estimate.table is None:
            values["interval"] = method.interval
        else:
            values["interval"] = intervals.default(method, estimate.table, estimate.measure).name
    return values


def _is_used(name: str, value: Any, method: Method | None, kind: IntervalKind | None) -> bool:
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


# Recipes of results.


@singledispatch
def recipe_of(result: Any, verdict: Verdict | None = None) -> Recipe:
    """Return what leads to a result, or from an estimate on to the verdict on a model."""
    raise TypeError(f"nothing leads to {type(result).__name__}")


def python_code(result: Any, verdict: Verdict | None = None) -> str:
    """Return the calls that lead to a result, or on to the verdict on a model.

    Examples
    --------
    >>> from errorfloor.questions.estimate import from_scores
    >>> print(python_code(from_scores([0.1, 0.7, 0.8], [0, 1, 0], method="isotonic", rng=1)))
    import errorfloor as ef
    <BLANKLINE>
    floor = ef.from_scores(scores, labels, method='isotonic', interval='honest', level=0.95, rng=1)
    """
    return recipe_of(result, verdict).python


def command_line(result: Any, verdict: Verdict | None = None) -> str | None:
    """Return the command that leads to the same numbers, or None if no command does."""
    return recipe_of(result, verdict).command


def typed(estimate: Estimate, command: str, given: Mapping[str, Any]) -> str | None:
    """Return another command on the same files, or None where there are none to read again."""
    asked = EstimateOptions.of(estimate)
    return asked.call(command, given, command if asked.has_files else "").line


def _written(call: Call, line: str, asked: EstimateOptions | None = None, *more: str) -> Recipe:
    """Return the recipe with a call in a line of Python."""
    return Recipe("\n".join([*_before(asked), line, *more]), call.line)


@recipe_of.register(Estimate)
def _of_estimate(estimate: Estimate, verdict: Verdict | None = None) -> Recipe:
    asked = EstimateOptions.of(estimate)
    if verdict is not None and predicted_in(verdict):
        return _of_pair(asked, verdict)
    more = _goes_on(estimate, verdict)
    if not estimate.n:  # it was given as a number
        call = Call(asks="headroom") if verdict is None else _headroom(estimate, verdict)
        return _written(call, f"floor = {estimate.value!r}", None, *more)
    call = asked.again(verdict)
    floor = f"{_of_group(asked, call.python)}{_at_level(asked, verdict)}"
    return _written(call, f"floor = {floor}", asked, *more)


@recipe_of.register(AgreementEstimate)
def _of_agreement(estimate: AgreementEstimate, verdict: Verdict | None = None) -> Recipe:
    # The rate where the number that agree is not whole.
    agree = estimate.agree if isinstance(estimate.agree, int) else estimate.agreement
    given: dict[str, Any] = {} if estimate.share is None else {"share": estimate.share}
    given["interval"] = estimate.interval_method  # None asks for none
    given["level"] = estimate.level or estimate.options["level"]
    command = "agreement" if verdict is None else ""
    call = Call(
        asks="from_agreement",
        first=(agree, estimate.pairs),
        given=given,
        command=command,
        typed={"agree": agree, "pairs": estimate.pairs, **given},
    )
    return _written(call, f"floor = {call.python}", None, *_goes_on(estimate, verdict))


def _of_pair(asked: EstimateOptions, verdict: Verdict) -> Recipe:
    """Return the call for a floor and a model that share their items."""
    model = _model(verdict)
    about = {**metric_of(asked.estimate), "level": verdict.level, **_rng(asked.seed)}
    call = asked.call("headroom", {**model, **about})
    if model["prediction"] is None:
        arrays = {name: Name(name) for name in ("labels", "predictions")}
        call = Call(asks="headroom", first=(Name("scores"),), given={**arrays, **about})
    return _written(asked.again(verdict), f"verdict = {call.python}", asked)


def _headroom(estimate: Estimate, verdict: Verdict) -> Call:
    """Return the call for a model next to a floor, and the command, where that is a number."""
    model, level, same = _model(verdict), {"level": verdict.level}, _same(verdict)
    metric = {} if estimate.n else metric_of(estimate)
    return Call(
        asks="headroom",
        first=(FLOOR,),
        given={**model, **level, **same, **metric},
        command="" if estimate.n else "headroom",
        files=(repr(estimate.value),),
        typed={**model, **same, **metric, **level},
    )


def _goes_on(estimate: Estimate, verdict: Verdict | None) -> Iterator[str]:
    """Yield the line that goes on from a floor to a verdict."""
    if verdict is not None:
        yield f"verdict = {_headroom(estimate, verdict).python}"


def _model(verdict: Verdict) -> dict[str, Any]:
    """Return what names the model; arrays by the names of their arguments."""
    given = verdict.given or {"errors": verdict.errors}
    if verdict.test is not None:
        label = {"label": given["label"]} if "label" in given else {}
        return {"prediction": verdict.test.prediction, **label}
    model = {name: Name(name) if value is None else value for name, value in given.items()}
    return {**model, "n": verdict.n} if {"errors", "model_value"} & given.keys() else model


def _same(verdict: Verdict) -> dict[str, Any]:
    return {"same_labelling": True} if verdict.same_labelling else {}


def predicted_in(verdict: Verdict) -> bool:
    """Tell whether floor and model come from the same rows."""
    return verdict.test is not None or "prediction" in verdict.given


def metric_of(estimate: Estimate) -> dict[str, Any]:
    """Return the metric of a number that was given, where it is no error."""
    if estimate.measure.is_error:
        return {}
    return {"metric": estimate.metric, **estimate.measure.given}


@recipe_of.register(Groups)
def _of_groups(groups: Groups[Estimate], verdict: None = None) -> Recipe:
    """Return the call for all groups; of groups that somebody put together, one for each."""
    asked = _asked_together(groups)
    if asked is not None:
        call = asked.again()
        return _written(call, f"floors = {call.python}", asked)
    each = [f"{python_code(row)}\nfloors[{item(name)!r}] = floor" for name, row in groups.items()]
    how = f"level={groups.level!r}, simultaneous={groups.simultaneous!r}, dropped={groups.dropped}"
    last = f"floors = ef.Groups({groups.column!r}, floors, {how})"
    return Recipe("\n\n".join(["floors = {}", *each, last]))


def _asked_together(groups: Groups[Estimate]) -> EstimateOptions | None:
    """Return what all groups were asked for by one call, or None if they were not."""
    if any(isinstance(one, RatingsEstimate) for one in groups.values()):
        return None
    rows = [EstimateOptions.of(row) for row in groups.values()]
    call = None if rows[0].source.options.group is None else rows[0].again().python
    together = all(row.again().python == call and row.is_at_level for row in rows)
    return rows[0] if together else None


@recipe_of.register(Comparison)
def _of_comparison(comparison: Comparison, verdict: None = None) -> Recipe:
    asked = _asked_of_comparison(comparison)
    if asked is None:
        return Recipe()
    names, options = [row.method for row in comparison], _compared(asked) | _rng(asked.seed)
    command = "compare" if asked.has_command else ""
    typed = {"method": Each(names), **options}
    call = asked.call("compare", {"methods": names, **options}, command, typed)
    return _written(call, f"rows = {_of_group(asked, call.python)}", asked)


def _asked_of_comparison(comparison: Comparison) -> EstimateOptions | None:
    """Return what the rows of a comparison were asked for by one call, or None if by several.

    It is that of a row which draws random numbers, where there is one.
    """
    rows = [EstimateOptions.of(row) for row in comparison]
    first = rows[0].estimate
    together = all(
        row.table is first.table
        and (row.source, row.seed, row.options) == (first.source, first.seed, first.options)
        and method_of(row) is not None
        for row in comparison
    )
    if not together or rows[0].layout.asks != "from_scores":
        return None
    return next((row for row in rows if row.is_random), rows[0])


def _compared(asked: EstimateOptions) -> dict[str, Any]:
    """Return the options of a comparison as they were asked for."""
    given = asked.estimate.options
    names = ("interval", "level", "n_resamples", "clip", "costs", "at", "prior")
    about = {name: value for name, value in asked.values.items() if name == "metric"}
    return about | {name: given[name] for name in names if given.get(name, "auto") != "auto"}


@recipe_of.register(People)
def _of_people(people: People, verdict: None = None) -> Recipe:
    asked = EstimateOptions.of(people.floor)
    in_rows = people.source is not None and people.source.origin in ("files", "frame")
    models = [row.name for row in people]
    given = {"prediction": models} if in_rows else {"predictions": Name("predictions")}
    given = {**(given if models else {}), **_asked_of_people(people)}
    call = asked.call("people", given, "people" if asked.has_files else "")
    return _written(call, f"found = {call.python}", asked)


def _asked_of_people(people: People) -> dict[str, Any]:
    """Return what was asked for and is not the default."""
    options = people.floor.options
    values: dict[str, Any] = {
        "panels": [one.people for one in people.panels],
        "totals_by": options.get("totals_by"),
        "stopping": options.get("stopping"),
        "level": people.level,
    }
    usual = {"panels": [1, 3, 5], "totals_by": "chance", "stopping": None, "level": 0.95}
    return {
        name: value for name, value in values.items() if value is not None and value != usual[name]
    }


@recipe_of.register(ModelComparison)
def _of_models(found: ModelComparison, verdict: None = None) -> Recipe:
    source = found.source or _ARRAYS
    arrays = {name: Name(name) for name in ("labels", "predictions")}
    apart = "prediction" in source.guessed  # each model is in a file of its own
    columns = {} if apart else _columns(source)
    named = {} if found.measure.is_error and not found.notes else {"metric": found.metric}
    asked = {**_how(source), **named, **found.measure.given}
    asked |= {} if found.level == 0.95 else {"level": found.level}
    commas = any("," in row.name for row in found)
    able = source.origin == "files" and source.options.called is None and not commas
    call = _call_on(
        source,
        (),
        asks="compare",
        given={**(columns or arrays), **asked},
        command="compare" if able else "",
        typed={**columns, **asked},
    )
    call = replace(call, first=()) if apart else call
    pick = "" if source.options.group is None else f"[{found.group!r}]"
    return _written(call, f"found = {call.python}{pick}")


@recipe_of.register(FeaturesEstimate)
def _of_features(estimate: FeaturesEstimate, verdict: None = None) -> Recipe:
    source, options = estimate.source or _ARRAYS, estimate.options
    columns, how = _columns(source), _how(source)
    columns = {name: columns[name] for name in ("label", "features") if name in columns}
    own = {"models": Name("models")} if options["models"] else {}
    if options["floor"]:
        own |= {"floor": Name("labels_floor"), "same_labelling": options["same_labelling"]}
    more = {"duplicates": options["duplicates"], "level": options["level"]}
    asked = {"method": estimate.method, **own, **more, **_rng(estimate.seed)}
    typed = {"cluster": how["cluster"]} if "cluster" in how else {}
    typed |= {"classes": Each(how["classes"])} if "classes" in how else {}
    typed |= {"drop_missing": True} if "drop_missing" in how else {}
    able = source.files and "label" in columns and estimate.seed is not None
    call = _call_on(
        source,
        ("X",),
        asks="from_features",
        given={**columns, **how, **asked},
        command="features" if able else "",
        typed={**columns, **typed, **asked},
    )
    call = call if "label" in columns else replace(call, first=(*call.first, Name("y")))
    return _written(call, f"floor = {call.python}")


def _of_published(found: RatingsEstimate, verdict: Verdict | None) -> Recipe:
    """Return the call about an agreement that was given."""
    options = found.options
    given = {options["given"]: options["agreement"], "n": options["n"]}
    given |= {"metric": found.metric, "level": options["level"]}
    given = {name: one for name, one in given.items() if one is not None}
    command = "agreement" if verdict is None else ""
    call = Call(asks="from_agreement", given=given, command=command)
    return _written(call, f"floor = {call.python}")


@recipe_of.register(RatingsEstimate)
def _of_ratings(found: RatingsEstimate, verdict: Verdict | None = None) -> Recipe:
    if not found.ratings:
        return _of_published(found, verdict)
    source = found.source or _ARRAYS
    columns, how, asked = _columns(source), _how(source), _options_of_ratings(found)
    shared, start = source.facts.get("rater"), _rng(found.seed)
    named = None if verdict is None else verdict.given.get("prediction")
    model = {"prediction": named} if isinstance(named, str) else {}
    rater = {} if shared is None else {"rater": shared}
    flag = {} if shared is None else {"shared" if shared else "no_rater": True}
    ends = {"scale": [*map(short, asked["scale"])]} if "scale" in asked else {}
    able = source.files and found.group is None and found.interval is not None
    able = able and not any(map(source.options.is_given, ("called", "format")))
    call = _call_on(
        source,
        ("ratings",),
        asks="headroom" if model else "from_ratings",
        given={**columns, **rater, **how, **asked, **start, **model},
        command="ratings" if able and (verdict is None or model) else "",
        typed={**columns, **how, **flag, **model, **asked, **ends, **start},
    )
    pick = "" if found.group is None else f"[{found.group!r}]"
    line = f"{'verdict' if model else 'floor'} = {call.python}{pick}"
    if verdict is None or model:
        return _written(call, line)
    given = {"predictions": Name("predictions"), "level": verdict.level}
    beside = Call(asks="headroom", first=(FLOOR,), given=given)
    return _written(call, line, None, f"verdict = {beside.python}")


_USUAL = {"label": "one", "raters": "absolute", "scale": None, "interval": "auto", "level": None}


def _options_of_ratings(found: RatingsEstimate) -> dict[str, Any]:
    """Return what was asked for and is not the default."""
    asked = {
        name: found.options[name] for name, usual in _USUAL.items() if found.options[name] != usual
    }
    asked |= {"scale": tuple(asked["scale"])} if "scale" in asked else {}
    return {"metric": found.metric, **asked}


# What stands before a call, and after it.


def _before(asked: EstimateOptions | None) -> Iterator[str]:
    """Yield what comes before the call: imports, the random numbers, remarks."""
    seed = None if asked is None else asked.seed
    generator = None if seed is None else seed.generator
    yield "import errorfloor as ef"
    if generator is not None:
        yield "import numpy as np"
    yield ""
    if generator is not None:
        yield from _generator(generator)
    if asked is None:
        return
    called = asked.source.options.called
    if asked.source.origin == "files" and called is not None:
        yield f"# path is that of a file with what was read from {called}."
    if asked.is_random and seed is None and asked.estimate.interval is not None:
        yield "# The limits have random parts: the same rng gives the same again."


def _generator(kept: Any) -> Iterator[str]:
    """Yield what makes a generator as it was before the result drew from it."""
    sequence = ""
    if kept["sequence"] is not None:
        given = ", ".join(f"{name}={value!r}" for name, value in kept["sequence"].items())
        sequence = f"np.random.SeedSequence({given})"
    yield f"bits = np.random.{kept['kind']}({sequence})"
    yield f"bits.state = {kept['state']!r}"
    yield "rng = np.random.Generator(bits)"


def _of_group(asked: EstimateOptions, call: str) -> str:
    if asked.source.options.group is None:
        return call
    group = item(asked.estimate.group)
    if isinstance(group, str | int | float | None) and group == group:  # not NaN
        return f"{call}[{group!r}]"
    return f"next(row for name, row in {call}.items() if str(name) == {str(group)!r})"


def _at_level(asked: EstimateOptions, verdict: Verdict | None) -> str:
    given = asked.estimate.level
    if asked.is_at_level or (verdict is not None and verdict.level == given):
        return ""
    return f".at_level({given!r})"


def versions() -> dict[str, str]:
    """Return what results are computed with."""
    import scipy

    from errorfloor import __version__

    return {
        "errorfloor": __version__,
        "Python": platform.python_version(),
        "NumPy": np.__version__,
        "SciPy": scipy.__version__,
    }
