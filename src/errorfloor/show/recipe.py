"""What to type for the same result, in Python and on the command line.

Results keep what they were made from and what was asked for. Here it is written down, so that
running it gives the same bits.
"""

from __future__ import annotations

import platform
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from errorfloor import intervals, methods
from errorfloor.data.formats import format_called
from errorfloor.data.layouts import LAYOUTS, Layout, of_kind
from errorfloor.data.options import ARRAY, ReadOptions, Source
from errorfloor.data.tables import ScoreTable
from errorfloor.intervals.record import IntervalKind, Seed
from errorfloor.methods.record import Method
from errorfloor.questions.options import ASK_OPTIONS, OPTIONS, as_typed
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


# Which columns and classes were named, and how to read them.


def columns_in_python(source: Source | None, layout: Layout) -> Iterator[str]:
    """Yield the arguments that say where labels are, and how to read them."""
    if source is None:
        return
    arguments = {role.name: role.argument for role in layout.roles}
    for role, column in source.columns.items():
        name = arguments[role]
        yield f"{name}={_column_in_python(source, column, name)}"
    yield from options_in_python(source.options)


def options_in_python(options: ReadOptions) -> Iterator[str]:
    """Yield the arguments that say how to read the data."""
    for name, value in options.given.items():
        if name not in ("format", "called"):  # which name the data itself
            yield f"{name}={_option_in_python(name, value)}"


def _option_in_python(name: str, value: Any) -> str:
    if name == "positive_from":
        return f"{value:g}"
    if name == "classes":
        return repr(list(value))
    return name if value == ARRAY else repr(item(value))


def _column_in_python(source: Source, column: Any, name: str) -> str:
    """Return what follows the name of an argument: columns, or an array that is called so."""
    if source.origin == "arrays":
        return name
    return str(list(column)) if isinstance(column, tuple) else repr(column)


def words_of(source: Source | None) -> Iterator[str]:
    """Yield the files of a command, and the options that say the same."""
    assert source is not None, "there is a command for files only"
    if source.options.called is not None:
        yield STDIN
    else:
        yield from (f"./{file}" if file.startswith("-") else file for file in source.files)
    for role, column in source.columns.items():
        columns = column if isinstance(column, tuple) else (column,)
        for one in _together(columns):
            yield from (f"--{role}", str(one))
    for name, value in source.options.given.items():
        if name != "called":
            yield from _words_of_option(f"--{name.replace('_', '-')}", value)


def _words_of_option(flag: str, value: Any) -> Iterator[str]:
    if value is True:
        yield flag
    elif isinstance(value, tuple):
        for one in _together(value):
            yield from (flag, one)
    else:
        yield from (flag, f"{value:g}" if flag == "--positive-from" else str(item(value)))


def can_be_typed(source: Source, layout: Layout) -> bool:
    """Tell whether columns of classes have names that a list with commas can hold."""
    by_class = {role.name for role in layout.roles if role.by_class}
    several = (
        column
        for name, column in source.columns.items()
        if name in by_class and isinstance(column, tuple)
    )
    return not any("," in one for column in several for one in column)


def item(value: Any) -> Any:
    """Return a number of NumPy as one of Python, which reads the same everywhere."""
    return value.item() if isinstance(value, np.generic) else value


def _together(names: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return several names in one text, unless a comma in one of them forbids it."""
    if len(names) < 2 or any("," in one for one in names):
        return names
    return (",".join(names),)


def _arguments(values: Mapping[str, Any]) -> list[str]:
    """Return values as arguments of a call, by their names."""
    return [f"{name}={item(value)!r}" for name, value in values.items()]


def _words(values: Mapping[str, Any]) -> list[str]:
    """Return values as options of a command, by the names of arguments."""
    flags = {name: FLAGS.get(name, f"--{name.replace('_', '-')}") for name in values}
    return [word for name, value in values.items() for word in (flags[name], as_typed(value))]


def _command(*words: str) -> str:
    return shlex.join(("errorfloor", *words))


def _code(*lines: str) -> str:
    return "\n".join(("import errorfloor as ef", "", *lines))


# What an estimate was asked for, as far as it can be asked for again.

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
        kind = intervals.named(values["interval"], method)
        source = estimate.source
        layout = _layout(estimate, method)
        used = {
            name: value for name, value in values.items() if _is_used(name, value, method, kind)
        }
        if len(methods.names(layout.kind, metric=estimate.metric)) > 1:
            used = {"method": estimate.method, **used}
        if not estimate.measure.is_error:
            used = {"metric": estimate.metric, **used}
        return cls(estimate, source, layout, method, kind, used)

    @property
    def seed(self) -> Seed | None:
        """Where the random numbers started."""
        return self.estimate.seed

    @property
    def seed_words(self) -> list[str]:
        """Where they started, on the command line."""
        if not self.is_random or self.seed is None:
            return []
        return ["--seed", str(self.seed.number)]

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
        is_plain = positive is None or type(positive) in (str, int, float)
        return is_plain and can_be_typed(source, self.layout)

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


# Calls and commands.


def python_code(estimate: Estimate, verdict: Verdict | None = None) -> str:
    """Return the calls that lead to an estimate, or on to the verdict on a model.

    Examples
    --------
    >>> from errorfloor.questions.estimate import from_scores
    >>> print(python_code(from_scores([0.1, 0.7, 0.8], [0, 1, 0], method="isotonic", rng=1)))
    import errorfloor as ef
    <BLANKLINE>
    floor = ef.from_scores(scores, labels, method='isotonic', interval='honest', level=0.95, rng=1)
    """
    if isinstance(estimate, FeaturesEstimate):
        return _code_of_features(estimate)
    if isinstance(estimate, RatingsEstimate):
        return _code_of_ratings(estimate, verdict)
    asked = EstimateOptions.of(estimate)
    if verdict is not None and predicted_in(verdict):
        return "\n".join([*_before(asked), f"verdict = {_paired_call(asked, verdict)}"])
    if isinstance(estimate, AgreementEstimate):
        given = _asked_of_agreement(estimate)
        pairs = (str(given.pop(name)) for name in ("agree", "pairs"))
        call = f"floor = ef.from_agreement({', '.join([*pairs, *_arguments(given)])})"
        return _code(call, *_headroom(verdict))
    if not estimate.n:  # the floor was given as a number
        more = _arguments(metric_of(estimate))
        return _code(f"floor = {estimate.value!r}", *_headroom(verdict, more))
    floor = f"floor = {_of_group(asked, _call(asked))}{_at_level(asked, verdict)}"
    return "\n".join([*_before(asked), floor, *_headroom(verdict)])


def code_of_comparison(comparison: Comparison) -> str | None:
    """Return the call that leads to the rows of a comparison, or None if no single one does."""
    asked = _asked_of_comparison(comparison)
    if asked is None:
        return None
    call = f"ef.compare({', '.join([*_labels(asked), *_options_of(comparison, asked)])})"
    return "\n".join([*_before(asked), f"rows = {_of_group(asked, call)}"])


def command_of_comparison(comparison: Comparison) -> str | None:
    """Return the command that leads to the rows of a comparison, or None if none does."""
    asked = _asked_of_comparison(comparison)
    if asked is None or not asked.has_command:
        return None
    chosen = [word for row in comparison for word in ("--method", row.method)]
    words = [*words_of(asked.source), *chosen, *_words(_compared(asked)), *asked.seed_words]
    return _command("compare", *words)


def code_of_people(people: People) -> str:
    """Return the call that compares the same models with people."""
    asked = EstimateOptions.of(people.floor)
    models = [row.name for row in people]
    in_rows = people.source is not None and people.source.origin in ("files", "frame")
    given = [f"prediction={models!r}" if in_rows else "predictions=predictions"] if models else []
    given += _arguments(_asked_of_people(people))
    call = f"found = ef.people({', '.join([*_labels(asked), *given])})"
    return "\n".join([*_before(asked), call])


def command_of_people(people: People) -> str | None:
    """Return the command that compares the same models with people, or None if none does."""
    models = [word for row in people for word in ("--prediction", row.name)]
    if len(people) > 1:
        models = ["--prediction", ",".join(row.name for row in people)]
    return typed(people.floor, "people", [*models, *_words(_asked_of_people(people))])


def code_of_models(found: ModelComparison) -> str:
    """Return the call that compares the same models."""
    source = found.source
    data = ["labels=labels", "predictions=predictions"]
    if source is not None:
        if source.origin != "arrays" and not _has_own_files(source):
            frame = "path" if source.options.called is not None else _files_in_python(source)
            named = (
                f"{role}={_column_in_python(source, column, role)}"
                for role, column in source.columns.items()
            )
            data = [frame if source.origin == "files" else source.origin, *named]
        data += options_in_python(source.options)
    call = f"found = ef.compare({', '.join([*data, *_arguments(_asked_of_models(found))])})"
    if source is not None and source.options.group is not None:
        call += f"[{found.group!r}]"
    return _code(call)


def command_of_models(found: ModelComparison) -> str | None:
    """Return the command that compares the same models, or None if none does."""
    source = found.source
    if source is None or source.origin != "files" or any("," in row.name for row in found):
        return None
    if source.options.called is not None:
        return None
    source = replace(source, columns={}) if _has_own_files(source) else source
    return _command("compare", *words_of(source), *_words(_asked_of_models(found)))


def _has_own_files(source: Source) -> bool:
    """Tell whether each model is in a file of its own."""
    return "prediction" in source.guessed


def _asked_of_models(found: ModelComparison) -> dict[str, Any]:
    """Return what was asked for and is not the default."""
    asked = {} if found.measure.is_error and not found.notes else {"metric": found.metric}
    asked |= found.measure.given
    return asked if found.level == 0.95 else {**asked, "level": found.level}


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


def typed(estimate: Estimate, command: str, more: Iterable[str] = ()) -> str | None:
    """Return another command on the same files, or None where there are none to read again."""
    asked = EstimateOptions.of(estimate)
    if (
        not asked.can_be_read_again
        or asked.source is None
        or asked.source.options.called is not None
    ):
        return None
    return _command(command, *words_of(asked.source), *more)


def code_of_groups(groups: Groups[Estimate]) -> str:
    """Return the call that leads to the estimates of all groups together.

    Of groups that somebody put together, one call for each.
    """
    asked = _asked_together(groups)
    if asked is not None:
        return "\n".join([*_before(asked), f"floors = {_call(asked)}"])
    each = [f"{python_code(row)}\nfloors[{item(name)!r}] = floor" for name, row in groups.items()]
    how = f"level={groups.level!r}, simultaneous={groups.simultaneous!r}, dropped={groups.dropped}"
    return "\n\n".join(
        ["floors = {}", *each, f"floors = ef.Groups({groups.column!r}, floors, {how})"]
    )


def command_line(estimate: Estimate, verdict: Verdict | None = None) -> str | None:
    """Return the command that leads to the same numbers, or None if no command does."""
    if isinstance(estimate, RatingsEstimate):
        return _command_of_ratings(estimate, verdict)
    if verdict is not None and not estimate.n:  # the floor was given as a number
        model = _model_words(verdict)
        if model is None:
            return None
        given = [*_words(metric_of(estimate)), "--level", str(verdict.level)]
        return _command("headroom", repr(estimate.value), *model, *given)
    if isinstance(estimate, AgreementEstimate):
        words = _words(_asked_of_agreement(estimate))
        return None if verdict is not None else _command("agreement", *words)
    if isinstance(estimate, FeaturesEstimate):
        return _command_of_features(estimate)
    asked = EstimateOptions.of(estimate)
    if not asked.has_command or (verdict is not None and asked.group is not None):
        return None
    model = [] if verdict is None else _model_words(verdict)
    if model is None:
        return None
    command = "estimate" if verdict is None else "headroom"
    return _command(command, *words_of(asked.source), *_option_words(asked, verdict), *model)


def _asked_of_agreement(estimate: AgreementEstimate) -> dict[str, Any]:
    """Return what is known of pairs, and what was asked; no interval is None."""
    return {
        # The rate where the number that agree is not whole.
        "agree": estimate.agree if isinstance(estimate.agree, int) else estimate.agreement,
        "pairs": estimate.pairs,
        **({} if estimate.share is None else {"share": estimate.share}),
        "interval": estimate.interval_method,
        "level": estimate.level or estimate.options["level"],
    }


def predicted_in(verdict: Verdict) -> bool:
    """Tell whether floor and model come from the same rows."""
    return verdict.test is not None or "prediction" in verdict.given


def _prediction(verdict: Verdict) -> str | None:
    """Return the column of the model."""
    if verdict.test is not None:
        return verdict.test.prediction
    column: str | None = verdict.given.get("prediction")
    return column


def metric_of(estimate: Estimate) -> dict[str, Any]:
    """Return the metric of a number that was given, where it is no error."""
    if estimate.measure.is_error:
        return {}
    return {"metric": estimate.metric, **estimate.measure.given}


def _model_words(verdict: Verdict) -> list[str] | None:
    """Return what names the model on the command line, or None where arrays do."""
    given = verdict.given
    if predicted_in(verdict):
        label = ["--label", given["label"]] if "label" in given else []
        return ["--prediction", str(_prediction(verdict)), *label]
    if "labels" in given:
        return None
    if "confusion" in given:
        words = ["--confusion", as_typed(given["confusion"])]
    elif "model_value" in given:
        words = ["--model-value", repr(given["model_value"]), "--test-items", str(verdict.n)]
    else:
        words = ["--model-errors", str(verdict.errors), "--test-items", str(verdict.n)]
    return [*words, "--same-labelling"] if verdict.same_labelling else words


def command_of_groups(groups: Groups[Estimate]) -> str | None:
    """Return the command that leads to the same numbers of all groups, or None if none does."""
    asked = _asked_together(groups)
    return None if asked is None else command_line(asked.estimate)


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


def _asked_together(groups: Groups[Estimate]) -> EstimateOptions | None:
    """Return what all groups were asked for by one call, or None if they were not."""
    if any(isinstance(one, RatingsEstimate) for one in groups.values()):
        return None
    first, *others = map(EstimateOptions.of, groups.values())
    call = None if first.group is None else _call(first)
    together = all(_call(one) == call and one.is_at_level for one in (first, *others))
    return first if together else None


def _before(asked: EstimateOptions) -> Iterator[str]:
    """Yield what comes before the call: imports, the random numbers, remarks."""
    generator = asked.seed.generator if asked.is_random and asked.seed is not None else None
    yield "import errorfloor as ef"
    if generator is not None:
        yield "import numpy as np"
    yield ""
    if generator is not None:
        yield from _generator(generator)
    yield from _remarks(asked)


def _call(asked: EstimateOptions) -> str:
    given = ", ".join([*_labels(asked), *_options(asked)])
    return f"ef.{asked.layout.asks}({given})"


def _labels(asked: EstimateOptions) -> list[str]:
    """Return the arguments that name the data and its columns."""
    data = [_data(asked), *columns_in_python(asked.source, asked.layout)]
    return [one for one in data if one]


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


def _options_of(comparison: Comparison, asked: EstimateOptions) -> Iterator[str]:
    yield f"methods={[row.method for row in comparison]!r}"
    yield from _arguments(_compared(asked))
    yield from (one for one in _options(asked) if one.startswith("rng="))


def _data(asked: EstimateOptions) -> str:
    source = asked.source
    if source is None or source.origin == "arrays":
        arrays = asked.layout.arrays
        number = len(arrays) - asked.layout.of_shares  # labels next to votes have a name
        first = () if source is not None and source.columns else arrays[:number]
        return ", ".join([*first, *(f"{name}={name}" for name in arrays[number:])])
    if source.origin != "files":
        return source.origin
    files = _files_in_python(source)
    if source.options.called is not None:
        files = "path"
    if source.options.format is None or format_called(source.options.format).holds_tables:
        return files
    return f"ef.frames.scan({files}, format={source.options.format!r})"


def _files_in_python(source: Source) -> str:
    return repr(source.files[0] if len(source.files) == 1 else list(source.files))


def _options(asked: EstimateOptions) -> Iterator[str]:
    yield from _arguments(asked.values)
    if asked.is_random and asked.seed is not None:
        known = asked.seed.generator is not None or asked.seed.number is not None
        yield from _rng(asked.seed) if known else ()


def _rng(seed: Seed | None) -> Iterator[str]:
    """Yield the argument for where random numbers start."""
    if seed is not None:
        yield "rng=rng" if seed.number is None else f"rng={seed.number}"


def _generator(kept: Any) -> Iterator[str]:
    """Yield what makes a generator as it was before the result drew from it."""
    sequence = ""
    if kept["sequence"] is not None:
        given = ", ".join(f"{name}={value!r}" for name, value in kept["sequence"].items())
        sequence = f"np.random.SeedSequence({given})"
    yield f"bits = np.random.{kept['kind']}({sequence})"
    yield f"bits.state = {kept['state']!r}"
    yield "rng = np.random.Generator(bits)"


def _remarks(asked: EstimateOptions) -> Iterator[str]:
    source, seed = asked.source, asked.seed
    if source is not None and source.origin == "files" and source.options.called is not None:
        yield f"# path is that of a file with what was read from {source.options.called}."
    unknown = seed is None or (seed.number is None and seed.generator is None)
    if asked.is_random and unknown and asked.estimate.interval is not None:
        yield "# The limits have random parts: the same rng gives the same again."


def _of_group(asked: EstimateOptions, call: str) -> str:
    if asked.group is None:
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


def _paired_call(asked: EstimateOptions, verdict: Verdict) -> str:
    """Return the call for a floor and a model that share their items."""
    prediction = f"prediction={_prediction(verdict)!r}"
    data = [_data(asked), *columns_in_python(asked.source, asked.layout), prediction]
    if "label" in verdict.given:  # next to soft labels
        data.append(f"label={verdict.given['label']!r}")
    if _prediction(verdict) is None:
        data = ["scores", "labels=labels", "predictions=predictions"]
    data += _arguments(metric_of(asked.estimate))
    seed = [one for one in _options(asked) if one.startswith("rng=")]
    return f"ef.headroom({', '.join([*data, f'level={verdict.level!r}', *seed])})"


def _headroom(verdict: Verdict | None, more: Iterable[str] = ()) -> Iterator[str]:
    if verdict is None:
        return
    same = ["same_labelling=True"] if verdict.same_labelling else []
    given = [*_model_in_python(verdict), f"level={verdict.level!r}", *same, *more]
    yield f"verdict = ef.headroom(floor, {', '.join(given)})"


def _model_in_python(verdict: Verdict) -> Iterator[str]:
    """Yield what names the model; arrays by the names of their arguments."""
    if not verdict.given:
        yield f"errors={verdict.errors}"
    for name, value in verdict.given.items():
        yield f"{name}={name if value is None else repr(value)}"
    if not verdict.given or "model_value" in verdict.given:
        yield f"n={verdict.n}"


def _option_words(asked: EstimateOptions, verdict: Verdict | None) -> Iterator[str]:
    values = dict(asked.values)
    if "level" in values and "simultaneous" not in values:  # the evidence is that of any level
        values["level"] = asked.estimate.level if verdict is None else verdict.level
    for name, value in values.items():
        if name == "model_error" and isinstance(value, tuple | list):
            yield from ("--reached", "/".join(map(str, value)))
            continue
        yield FLAGS[name]
        if value is not True:
            yield as_typed(value)
    yield from asked.seed_words


# Features.


def _code_of_features(estimate: FeaturesEstimate) -> str:
    """Return the call that leads to the estimate; arrays and models by their arguments' names."""
    given = ", ".join([*_data_of_features(estimate), *_options_of_features(estimate)])
    return _code(f"floor = ef.from_features({given})")


def _command_of_features(estimate: FeaturesEstimate) -> str | None:
    """Return the command that leads to the same numbers, or None if none does."""
    source, seed = estimate.source, estimate.seed
    if source is None or not source.files or "label" not in source.columns:
        return None
    own = estimate.options["models"] or estimate.options["floor"]
    if own or seed is None or seed.number is None or source.options.cluster == ARRAY:
        return None
    asked: dict[str, Any] = {"label": source.columns["label"]}
    asked["features"] = ",".join(source.columns["features"])
    asked |= {} if source.options.cluster is None else {"cluster": source.options.cluster}
    classes = [word for one in source.options.classes or () for word in ("--classes", one)]
    more = {name: estimate.options[name] for name in ("duplicates", "level")}
    words = [*_words(asked), *classes, *_words({"method": estimate.method, **more})]
    return _command("features", *source.files, *words, "--seed", str(seed.number))


def _data_of_features(estimate: FeaturesEstimate) -> Iterator[str]:
    source = estimate.source
    if source is None or source.origin == "arrays":
        yield from ("X", "y")
    else:
        yield repr(source.files[0]) if source.files else "frame"
        yield f"label={source.columns['label']!r}" if "label" in source.columns else "y"
        yield f"features={source.columns['features']!r}"
    if source is not None:
        yield from options_in_python(source.options)


def _options_of_features(estimate: FeaturesEstimate) -> Iterator[str]:
    options, seed = estimate.options, estimate.seed
    yield f"method={estimate.method!r}"
    if options["models"]:
        yield "models=models"
    if options["floor"]:
        yield "floor=labels_floor"
        yield f"same_labelling={options['same_labelling']!r}"
    yield f"duplicates={options['duplicates']!r}"
    yield f"level={options['level']!r}"
    yield from _rng(seed)


# Ratings.


def _code_of_ratings(found: RatingsEstimate, verdict: Verdict | None = None) -> str:
    """Return the call that leads to the estimate, or on to the verdict."""
    if not found.ratings:
        return _code(f"floor = ef.from_agreement({', '.join(_arguments(_published(found)))})")
    options = _arguments(_options_of_ratings(found))
    given = ", ".join([*_data_of_ratings(found.source), *options, *_rng(found.seed)])
    pick = "" if found.group is None else f"[{found.group!r}]"
    column = None if verdict is None else verdict.given.get("prediction")
    if isinstance(column, str):
        return _code(f"verdict = ef.headroom({given}, prediction={column!r}){pick}")
    floor = f"floor = ef.from_ratings({given}){pick}"
    if verdict is None:
        return _code(floor)
    model = f"ef.headroom(floor, predictions=predictions, level={verdict.level!r})"
    return _code(floor, f"verdict = {model}")


def _published(found: RatingsEstimate) -> dict[str, Any]:
    """Return the agreement that was given, and what was asked about it."""
    options = found.options
    given = {options["given"]: options["agreement"], "n": options["n"]}
    asked = {**given, "metric": found.metric, "level": options["level"]}
    return {name: one for name, one in asked.items() if one is not None}


def _data_of_ratings(source: Source | None) -> Iterator[str]:
    if source is None:
        yield "ratings"
        return
    yield _files_in_python(source) if source.files else _RATINGS[source.origin]
    for role, column in source.columns.items():
        yield f"{role}={_column_in_python(source, column, role)}"
    if source.facts.get("rater") is not None:
        yield f"rater={source.facts['rater']!r}"
    yield from options_in_python(source.options)


_RATINGS = {"arrays": "ratings", "table": "table", "frame": "frame"}  # what they are called
_USUAL = {"label": "one", "raters": "absolute", "scale": None, "interval": "auto", "level": None}


def _options_of_ratings(found: RatingsEstimate) -> dict[str, Any]:
    """Return what was asked for and is not the default."""
    asked = {
        name: found.options[name] for name, usual in _USUAL.items() if found.options[name] != usual
    }
    asked |= {"scale": tuple(asked["scale"])} if "scale" in asked else {}
    return {"metric": found.metric, **asked}


def _command_of_ratings(found: RatingsEstimate, verdict: Verdict | None = None) -> str | None:
    """Return the command that leads to the same numbers, or None if none does."""
    if not found.ratings:
        words = _words(_published(found))
        return None if verdict is not None else _command("agreement", *words)
    source, seed = found.source, found.seed
    if (
        source is None
        or not source.files
        or any(map(source.options.is_given, ("called", "format")))
    ):
        return None
    if found.group is not None or found.interval is None or (seed and seed.number is None):
        return None
    words = [*words_of(source)]
    if source.facts.get("rater") is not None:
        words.append("--shared" if source.facts["rater"] else "--no-rater")
    if verdict is not None:
        if not isinstance(verdict.given.get("prediction"), str):
            return None
        words += ["--prediction", verdict.given["prediction"]]
    asked = _options_of_ratings(found)
    if "scale" in asked:
        asked["scale"] = ",".join(f"{end:g}" for end in asked["scale"])
    words += _words(asked)
    words += ["--seed", str(seed.number)] if seed is not None else []
    return _command("ratings", *words)
