"""What to type for the same result, in Python and on the command line.

Results keep what they were made from and what was asked for. Here it is written down, so that
running it gives the same bits.
"""

from __future__ import annotations

import platform
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from errorfloor import inference, methods
from errorfloor.data.formats import format_called
from errorfloor.data.layouts import LAYOUTS, Layout, of_kind
from errorfloor.data.source import Source
from errorfloor.data.tables import ScoreTable
from errorfloor.inference.record import IntervalKind
from errorfloor.inference.seeds import Seed
from errorfloor.methods.record import Method
from errorfloor.results import AgreementEstimate, Estimate, Groups, Verdict
from errorfloor.show.columns import can_be_typed, columns_in_python, item, words_of
from errorfloor.show.records import interval_named, method_of

# Options of estimates, and what the command line calls them.
FLAGS = {
    "method": "--method",
    "interval": "--interval",
    "level": "--level",
    "n_resamples": "--resamples",
    "clip": "--clip",
    "totals_by": "--totals-by",
    "stopping": "--stopping",
    "majority": "--majority",
    "model_error": "--bias-for-error",
    "simultaneous": "--simultaneous",
}


def python_code(estimate: Estimate, verdict: Verdict | None = None) -> str:
    """Return the calls that lead to an estimate, or on to the verdict on a model.

    Examples
    --------
    >>> from errorfloor.questions.estimate import from_scores
    >>> print(python_code(from_scores([0.1, 0.7, 0.8], [0, 1, 0], rng=1)))
    import errorfloor as ef
    <BLANKLINE>
    floor = ef.from_scores(scores, labels, method='isotonic', interval='honest', level=0.95, rng=1)
    """
    asked = _Asked.of(estimate)
    if verdict is not None and verdict.test is not None:
        return "\n".join([*_before(asked), f"verdict = {_paired_call(asked, verdict)}"])
    if isinstance(estimate, AgreementEstimate):
        call = f"floor = ef.from_agreement({', '.join(_agreement_arguments(estimate))})"
        return "\n".join(["import errorfloor as ef", "", call, *_headroom(verdict)])
    if not estimate.n:  # the floor was given as a number
        return "\n".join(
            ["import errorfloor as ef", "", f"floor = {estimate.value!r}", *_headroom(verdict)]
        )
    floor = f"floor = {_of_group(asked, _call(asked))}{_at_level(asked, verdict)}"
    return "\n".join([*_before(asked), floor, *_headroom(verdict)])


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
    if verdict is not None and not estimate.n:  # the floor was given as a number
        words = ["errorfloor", "headroom", repr(estimate.value), *_model_words(verdict)]
        return shlex.join([*words, "--level", str(verdict.level)])
    if isinstance(estimate, AgreementEstimate):
        return None if verdict is not None else _agreement_command(estimate)
    asked = _Asked.of(estimate)
    if not asked.has_command or (verdict is not None and asked.group is not None):
        return None
    words = ["errorfloor", "estimate" if verdict is None else "headroom"]
    words += [*words_of(asked.source), *_option_words(asked, verdict)]
    if verdict is not None:
        words += _model_words(verdict)
    return shlex.join(words)


def _agreement_arguments(estimate: AgreementEstimate) -> Iterator[str]:
    yield from (str(estimate.agree), str(estimate.pairs))
    if estimate.share is not None:
        yield f"share={estimate.share!r}"
    yield f"interval={estimate.interval_method!r}"
    yield f"level={estimate.level or estimate.options['level']!r}"


def _agreement_command(estimate: AgreementEstimate) -> str:
    words = ["errorfloor", "agreement", "--agree", str(estimate.agree)]
    words += ["--pairs", str(estimate.pairs)]
    if estimate.share is not None:
        words += ["--share", repr(estimate.share)]
    words += ["--interval", estimate.interval_method or "none"]
    return shlex.join([*words, "--level", str(estimate.level or estimate.options["level"])])


def _model_words(verdict: Verdict) -> list[str]:
    """Return what names the model on the command line."""
    if verdict.test is not None:
        return ["--prediction", str(verdict.test.prediction)]
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


@dataclass(frozen=True, slots=True)
class _Asked:
    """What an estimate was asked for, as far as it has an influence."""

    estimate: Estimate
    source: Source | None
    layout: Layout
    method: Method | None
    kind: IntervalKind | None
    values: dict[str, Any]

    @classmethod
    def of(cls, estimate: Estimate) -> _Asked:
        """Take apart what the estimate keeps."""
        method = method_of(estimate)
        values = _asked_values(estimate, method)
        kind = interval_named(values["interval"], method)
        source = estimate.source
        layout = _layout(estimate, method)
        heeded = {
            name: value for name, value in values.items() if _heeds(name, value, method, kind)
        }
        if len(methods.names(layout.kind)) > 1:
            heeded = {"method": estimate.method, **heeded}
        return cls(estimate, source, layout, method, kind, heeded)

    @property
    def seed(self) -> Seed | None:
        return self.estimate.seed

    @property
    def group(self) -> str | None:
        """The column of the groups."""
        return None if self.source is None else self.source.group

    @property
    def is_random(self) -> bool:
        """Whether value or interval draw random numbers."""
        if self.kind is not None:
            return self.kind.is_random
        return self.method is None or any(
            kind.is_random for kind in inference.of(self.method).values()
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
    def has_command(self) -> bool:
        """Whether the command line can read the same, and be asked for the same."""
        source = self.source
        if source is None or source.origin != "files":
            return False
        seeded = self.seed is not None and self.seed.number is not None
        told = source.positive is None or type(item(source.positive)) in (str, int, float)
        levels = self.is_at_level or "simultaneous" not in self.values
        return (
            told
            and can_be_typed(source, self.layout)
            and levels
            and self.values.keys() <= FLAGS.keys()
            and (seeded or not self.is_random)
        )


def _asked_together(groups: Groups[Estimate]) -> _Asked | None:
    """Return what all groups were asked for by one call, or None if they were not."""
    first, *others = map(_Asked.of, groups.values())
    call = None if first.group is None else _call(first)
    together = all(_call(one) == call and one.is_at_level for one in (first, *others))
    return first if together else None


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
        values["interval"] = estimate.interval_method if method is None else method.interval
    return values


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
    name = None if estimate.source is None else estimate.source.layout
    possible = (layout for layout in LAYOUTS if layout.kind == kind and layout.name == name)
    return next(possible, of_kind(kind)[0])


def _before(asked: _Asked) -> Iterator[str]:
    """Yield what comes before the call: imports, the random numbers, remarks."""
    generator = asked.seed.generator if asked.is_random and asked.seed is not None else None
    yield "import errorfloor as ef"
    if generator is not None:
        yield "import numpy as np"
    yield ""
    if generator is not None:
        yield from _generator(generator)
    yield from _remarks(asked)


def _call(asked: _Asked) -> str:
    columns = columns_in_python(asked.source, asked.layout)
    given = ", ".join([_data(asked), *columns, *_options(asked)])
    return f"ef.{asked.layout.asks}({given})"


def _data(asked: _Asked) -> str:
    source = asked.source
    if source is None or source.origin == "arrays":
        arrays = asked.layout.arrays
        number = len(arrays) - asked.layout.of_shares  # labels beside votes have a name
        return ", ".join([*arrays[:number], *(f"{name}={name}" for name in arrays[number:])])
    if source.origin != "files":
        return source.origin
    files = repr(source.files[0] if len(source.files) == 1 else list(source.files))
    if source.called is not None:
        files = "path"
    if source.format is None or format_called(source.format).holds_tables:
        return files
    return f"ef.frames.scan({files}, format={source.format!r})"


def _options(asked: _Asked) -> Iterator[str]:
    for name, value in asked.values.items():
        yield f"{name}={item(value)!r}"
    if asked.is_random and asked.seed is not None:
        if asked.seed.generator is not None:
            yield "rng=rng"
        elif asked.seed.number is not None:
            yield f"rng={asked.seed.number}"


def _generator(kept: Any) -> Iterator[str]:
    """Yield what makes a generator as it was before the result drew from it."""
    sequence = ""
    if kept["sequence"] is not None:
        given = ", ".join(f"{name}={value!r}" for name, value in kept["sequence"].items())
        sequence = f"np.random.SeedSequence({given})"
    yield f"bits = np.random.{kept['kind']}({sequence})"
    yield f"bits.state = {kept['state']!r}"
    yield "rng = np.random.Generator(bits)"


def _remarks(asked: _Asked) -> Iterator[str]:
    source, seed = asked.source, asked.seed
    if source is not None and source.origin == "files" and source.called is not None:
        yield f"# path is that of a file with what was read from {source.called}."
    unknown = seed is None or (seed.number is None and seed.generator is None)
    if asked.is_random and unknown and asked.estimate.interval is not None:
        yield "# The limits have random parts: the same rng gives the same again."


def _of_group(asked: _Asked, call: str) -> str:
    if asked.group is None:
        return call
    group = item(asked.estimate.group)
    if isinstance(group, str | int | float | None) and group == group:  # not NaN
        return f"{call}[{group!r}]"
    return f"next(row for name, row in {call}.items() if str(name) == {str(group)!r})"


def _at_level(asked: _Asked, verdict: Verdict | None) -> str:
    given = asked.estimate.level
    if asked.is_at_level or (verdict is not None and verdict.level == given):
        return ""
    return f".at_level({given!r})"


def _paired_call(asked: _Asked, verdict: Verdict) -> str:
    """Return the call for a floor and a model that share their items."""
    assert verdict.test is not None
    prediction = f"prediction={verdict.test.prediction!r}"
    data = [_data(asked), *columns_in_python(asked.source, asked.layout), prediction]
    if verdict.test.prediction is None:
        data = ["scores", "labels=labels", "predictions=predictions"]
    seed = [one for one in _options(asked) if one.startswith("rng=")]
    return f"ef.headroom({', '.join([*data, f'level={verdict.level!r}', *seed])})"


def _headroom(verdict: Verdict | None) -> Iterator[str]:
    if verdict is None:
        return
    same = ", same_labelling=True" if verdict.same_labelling else ""
    yield (
        f"verdict = ef.headroom(floor, errors={verdict.errors}, n={verdict.n}, "
        f"level={verdict.level!r}{same})"
    )


def _option_words(asked: _Asked, verdict: Verdict | None) -> Iterator[str]:
    values = dict(asked.values)
    if "level" in values and "simultaneous" not in values:  # the evidence is that of any level
        values["level"] = asked.estimate.level if verdict is None else verdict.level
    for name, value in values.items():
        if name == "model_error" and isinstance(value, tuple | list):
            yield from ("--reached", "/".join(map(str, value)))
            continue
        yield FLAGS[name]
        if value is not True:
            yield "none" if value is None else str(item(value))
    if asked.is_random and asked.seed is not None:
        yield from ("--seed", str(asked.seed.number))
