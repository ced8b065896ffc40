"""Results for other programs: numbers for trackers of experiments, and parts of cards."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from errorfloor import __version__
from errorfloor._checks import InputError, argument, shown
from errorfloor.results import Estimate, Verdict
from errorfloor.show import recipe
from errorfloor.show.gauge import gauge_of
from errorfloor.show.report.markdown import plain
from errorfloor.show.sentences import refusal_of
from errorfloor.show.words import long_text_of

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
        key = next((one for one in ("group", "method", "name") if one in row), None)
        if isinstance(row, Mapping) and key is not None:
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
        parts += ["\n".join(["```text", *lines, "```"])]
    return "\n\n".join(parts) + "\n"


def _origin(result: Estimate | Verdict) -> str:
    floor, verdict = (result.floor, result) if isinstance(result, Verdict) else (result, None)
    command = recipe.command_line(floor, verdict) if floor.source is not None else None
    made = f"Made with errorfloor {__version__}"
    return f"{made}: `{command}`" if command and "`" not in command else f"{made}."


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
