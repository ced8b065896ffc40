"""Results for other programs: dataframes, CSV, numbers for trackers, and parts of model cards."""

from __future__ import annotations

import json
import math
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import singledispatch
from importlib.util import find_spec
from typing import Any, Literal, TypeAlias, cast, get_args

from errorfloor import __version__
from errorfloor._checks import InputError, argument, shown
from errorfloor.data import storage
from errorfloor.results import (
    AnnotatorsResult,
    ClassReliability,
    Comparison,
    Confusion,
    Estimate,
    FeeBeeResult,
    Groups,
    LabelPlan,
    Look,
    ModelComparison,
    People,
    Plan,
    Reliability,
    Verdict,
)
from errorfloor.show import recipe
from errorfloor.show.gauge import gauge_of, lines_of
from errorfloor.show.markup import fenced, plain, visible
from errorfloor.show.sentences import refusal_of
from errorfloor.show.text import long_text_of

FrameLibrary: TypeAlias = Literal["pandas", "polars", "pyarrow"]

# What a result says in sentences, or about how it was asked for, has no place in a column; but
# that of a verdict has.
_NO_COLUMN = frozenset({"assumptions", "options", "seed", "source", "warnings"})


def frame_of(result: Any, backend: FrameLibrary | None = None) -> Any:
    """Return a result as a dataframe of the library that is at hand, one row for each part."""
    rows = rows_of(result)
    no_column = _NO_COLUMN if rows and "verdict" in rows[0] else {*_NO_COLUMN, "sentence"}
    names = [
        name
        for name in (rows[0] if rows else ())
        if name not in no_column and not any(_is_nested(row.get(name)) for row in rows)
    ]
    columns = {name: [row.get(name) for row in rows] for name in names}
    return frame_of_columns(columns, backend)


def frame_of_columns(columns: Mapping[str, Any], backend: FrameLibrary | None = None) -> Any:
    """Return columns as a dataframe of the library that is at hand."""
    import narwhals as nw

    return nw.from_dict(dict(columns), backend=backend or _library()).to_native()


def write_csv(result: Any, path: str | os.PathLike[str]) -> None:
    """Write a result as CSV, one line for each row."""
    rows = rows_of(result)
    head = list(rows[0]) if rows else []
    storage.write_csv(path, head, ([row[name] for name in head] for row in rows))


@singledispatch
def rows_of(result: Any) -> list[dict[str, Any]]:
    """Return a result as rows of plain values."""
    return [result.to_dict()]


@rows_of.register(AnnotatorsResult)
@rows_of.register(Comparison)
@rows_of.register(Confusion)
@rows_of.register(FeeBeeResult)
@rows_of.register(ModelComparison)
@rows_of.register(People)
def _(
    result: AnnotatorsResult | Comparison | Confusion | FeeBeeResult | ModelComparison | People,
) -> list[dict[str, Any]]:
    return [row.to_dict() for row in result]


@rows_of.register(Plan)
def _(result: Plan) -> list[dict[str, Any]]:
    votes, items = result.votes.tolist(), result.items.tolist()
    return [
        {"votes": vote, "items": item, "width": width, "bias": bias}
        for vote, bias, widths in zip(
            votes, result.bias.tolist(), result.width.tolist(), strict=True
        )
        for item, width in zip(items, widths, strict=True)
    ]


@rows_of.register(LabelPlan)
def _(result: LabelPlan) -> list[dict[str, Any]]:
    chosen = result.rows
    columns = {"row": chosen, "score": result.scores[chosen], "weight": result.weight[chosen]}
    values = zip(*(one.tolist() for one in columns.values()), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in values]


@rows_of.register(Reliability)
def _(result: Reliability) -> list[dict[str, Any]]:
    names = ("score", "probability", "low", "high")
    columns = (result.scores, result.probabilities, result.low, result.high)
    values = zip(*(one.tolist() for one in columns), strict=True)
    return [dict(zip(names, row, strict=True)) for row in values]


@rows_of.register(ClassReliability)
def _(result: ClassReliability) -> list[dict[str, Any]]:
    named = (("likeliest class", result.top), *zip(result.classes, result.by_class, strict=True))
    return [{"curve": name, **row} for name, curve in named for row in rows_of(curve)]


@rows_of.register(Look)
def _(result: Look) -> list[dict[str, Any]]:
    return [asdict(column) for column in result.columns]


@rows_of.register(Groups)
def _(result: Groups[Any]) -> list[dict[str, Any]]:
    return [{"group": name, **row} for name, part in result.items() for row in rows_of(part)]


def _is_nested(value: object) -> bool:
    return isinstance(value, Mapping | list | tuple)


def _library() -> FrameLibrary:
    """Return the first library that is imported already, or else installed."""
    libraries = get_args(FrameLibrary)
    there = [name for name in libraries if name in sys.modules]
    there += [name for name in libraries if find_spec(name)]
    if not there:
        raise ImportError("to_frame needs pandas, polars or pyarrow: pip install pandas")
    return cast("FrameLibrary", there[0])


# What has no place among numbers: how it was asked for, and what a reader needs words for.
_NO_NUMBERS = ("options", "seed", "source", "columns", "rows_of", "test", "information")
_HEADING = "How good any model can get"


def metrics_of(result: Any, prefix: str = "") -> dict[str, float]:
    """Return the numbers of a result by flat names."""
    if not isinstance(prefix, str):
        raise InputError(argument("prefix"), f" must be text, got {shown(prefix)}.")
    return {f"{prefix}{name}": value for name, value in _numbers(result.to_dict(), "")}


def _numbers(found: Mapping[str, Any], before: str) -> Iterator[tuple[str, float]]:
    for name, value in found.items():
        if name in _NO_NUMBERS or (before and name == "claim"):
            continue
        path = f"{before}{_named(name)}"
        if isinstance(value, Mapping):
            yield from _numbers(value, f"{path}.")
        elif isinstance(value, bool | int | float) and math.isfinite(value):
            yield path, float(value)
        elif name in ("rows", "models") and isinstance(value, list):
            yield from _rows(value, before)


def _rows(rows: list[Any], before: str) -> Iterator[tuple[str, float]]:
    """Yield the numbers of rows that have a name: a group, a method or a model."""
    for row in rows:
        if not isinstance(row, Mapping):  # the number of an item
            continue
        key = next((one for one in ("group", "method", "name") if one in row), None)
        if key is not None:
            rest = {name: value for name, value in row.items() if name != key}
            yield from _numbers(rest, f"{before}{_named(row[key])}.")


def _named(name: object) -> str:
    """Return a name of letters that trackers of experiments take."""
    return re.sub(r"[^\w\- /]", "_", str(name), flags=re.ASCII)


def markdown_of(result: Any) -> str:
    """Return a result as a part of a data card or a model card."""
    sentence = getattr(result, "sentence", "")
    first, *lines = (long_text_of(result) if sentence else str(result)).splitlines()
    lines = [line for line in lines if line.strip()]
    parts = [f"### {_HEADING}", f"**{plain(sentence or first)}**"]
    if isinstance(result, Estimate | Verdict):
        parts += ["\n".join([*(f"- {plain(line)}" for line in lines), f"- {_origin(result)}"])]
    elif lines:
        parts.append(fenced(lines, "text"))
    return "\n\n".join(parts) + "\n"


def _origin(result: Estimate | Verdict) -> str:
    floor, verdict = (result.floor, result) if isinstance(result, Verdict) else (result, None)
    command = recipe.command_line(floor, verdict) if floor.source is not None else None
    made = f"Made with errorfloor {__version__}"
    return f"{made}: `{command}`" if command and "`" not in command else f"{made}."


def summary_of(text: str, answer: object, doubts: Sequence[str], unmet: str | None) -> str:
    """Return an answer as CI shows it of a job: the sentence, the gauge, and the rest folded.

    `doubts` are added where `text` lacks them; `unmet` is a requirement that is not met.
    """
    sentence, *rest = visible(text).splitlines()
    gauge = gauge_of(answer) if isinstance(answer, Estimate | Verdict) else None
    parts = [f"**{plain(sentence)}**"]
    if gauge is not None:
        parts.append(fenced(lines_of(gauge), "text"))
    if unmet is not None:
        parts.append(f"\N{CROSS MARK} Failed: {plain(visible(unmet))}")
    parts += [f"\N{WARNING SIGN}\ufe0f {plain(visible(one))}" for one in doubts if one not in text]
    if rest:
        folded = fenced(rest, "text")
        parts.append(f"<details><summary>More</summary>\n\n{folded}\n\n</details>")
    return "\n\n".join(parts) + "\n\n"


def model_index_of(
    verdict: Verdict, model: str, dataset: str, task: str, name: str | None, split: str | None
) -> str:
    """Return the metadata of a model card that the Hub shows as evaluation results."""
    for key, given in (("model", model), ("dataset", dataset), ("task", task)):
        if not isinstance(given, str) or not given.strip():
            raise InputError(argument(key), f" must be a name, got {shown(given)}.")
    gauge = gauge_of(verdict)
    if gauge is None or gauge.model is None:
        raise InputError(f"There is no answer to put on a card. {refusal_of(verdict.floor)}")
    floor = verdict.floor
    kind = floor.measure.on_hub or floor.metric.replace("-", "_")
    words = kind.replace("_", " ")
    entries = [(kind, gauge.model, words.capitalize())]
    if floor.claim.limits == "both":
        entries.append((f"best_possible_{kind}", gauge.best, f"Best possible {words}"))
    elif gauge.reached is not None:
        # Rounded to the side that was shown.
        rounded, most = (math.floor, "at least") if gauge.perfect > gauge.worst else (math.ceil, "")
        value = rounded(1e4 * gauge.reached) / 1e4
        entries.append((f"reachable_{kind}", value, f"Reachable {words}, {most or 'at most'}"))
    lines = [
        "model-index:",
        f"- name: {_quoted(model)}",
        "  results:",
        "  - task:",
        f"      type: {_quoted(task)}",
        "    dataset:",
        f"      type: {_quoted(dataset)}",
        f"      name: {_quoted(name or dataset)}",
        *([] if split is None else [f"      split: {_quoted(split)}"]),
        "    metrics:",
    ]
    for one, value, called in entries:
        lines += [f"    - type: {_quoted(one)}", f"      value: {round(value, 4)!r}"]
        lines += [f"      name: {_quoted(called)}"]
        if one != kind:
            args = {"level": floor.level, "sentence": verdict.sentence, "errorfloor": __version__}
            lines += ["      args:", *(f"        {key}: {_quoted(a)}" for key, a in args.items())]
    return "\n".join(lines) + "\n"


def _quoted(value: object) -> str:
    """Return a value as YAML has it; what JSON writes is YAML."""
    return json.dumps(value, ensure_ascii=False)
