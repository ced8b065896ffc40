"""All that a report says, as plain values."""

from __future__ import annotations

import unicodedata
import warnings
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from errorfloor._checks import ErrorFloorWarning
from errorfloor._typing import RandomLike
from errorfloor.estimate import compare
from errorfloor.reliability_band import Reliability, reliability
from errorfloor.reporting._blocks import (
    Answer,
    Block,
    Caution,
    Code,
    Diagnostic,
    Entries,
    Facts,
    Findings,
    Picture,
    Section,
    Table,
    Text,
)
from errorfloor.reporting._diagnostics import diagnose
from errorfloor.reporting._pictures import pictures_of
from errorfloor.reporting._reproduce import python_code, versions
from errorfloor.reporting._words import (
    interval_in_words,
    method_in_words,
    percent,
    points,
    references,
)
from errorfloor.results import Comparison, Estimate, Verdict
from errorfloor.tables import ScoreTable

SCHEMA = "errorfloor-report/1"
_REVERSING = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Summary:
    """All that a report says; renderers only write it down.

    Attributes
    ----------
    title, answer : str
        What it is about, and the answer in one sentence.
    floor : dict
        The estimate as plain values.
    interval : str
        What the interval promises.
    verdict : dict or None
        Where the model stands, if its error was given.
    diagnostics : tuple of Diagnostic
        What to know about the data, with those that call for attention first.
    comparison : dict or None
        The floors of several methods.
    pictures : tuple of Picture
        What to draw, with a text alternative each.
    method : str
        What the method does.
    references : tuple of str
        Where it comes from.
    source, versions : dict
        What the data was, and with what it was computed.
    command : str
        What to type for the same result.
    """

    title: str
    answer: str
    floor: dict[str, Any]
    interval: str
    verdict: dict[str, Any] | None
    diagnostics: tuple[Diagnostic, ...]
    comparison: dict[str, Any] | None
    pictures: tuple[Picture, ...]
    method: str
    references: tuple[str, ...]
    source: dict[str, str]
    command: str
    versions: dict[str, str]

    def to_html(self) -> str:
        """Return the report as one HTML page that needs nothing else."""
        from errorfloor.reporting._html import page

        return page(self.title, self.sections())

    def to_markdown(self) -> str:
        """Return the report as Markdown, with the pictures in words."""
        from errorfloor.reporting._markdown import page

        return page(self.title, self.sections())

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain values, ready for JSON, with the pictures in words."""
        return {
            "schema": SCHEMA,
            "title": self.title,
            "answer": self.answer,
            "source": self.source,
            "floor": self.floor,
            "interval": self.interval,
            "verdict": self.verdict,
            "diagnostics": [asdict(diagnostic) for diagnostic in self.diagnostics],
            "comparison": self.comparison,
            "pictures": [
                {name: getattr(picture, name) for name in ("title", "caption", "description")}
                for picture in self.pictures
            ],
            "method": self.method,
            "references": list(self.references),
            "command": self.command,
            "versions": self.versions,
        }

    def sections(self) -> list[Section]:
        """Return what the report says in the order of reading."""
        sections = [
            Section("answer", "Answer", self._answer()),
            Section("assumptions", "The interval and what it assumes", self._assumptions()),
        ]
        if self.verdict is not None:
            sections.append(Section("model", "The model", self._model(self.verdict)))
        if self.pictures:
            sections.append(Section("pictures", "Pictures", self.pictures))
        sections.append(Section("data", "The data", self._data()))
        if self.comparison is not None:
            sections.append(Section("methods", "By other methods", self._methods(self.comparison)))
        sections.append(
            Section(
                "method",
                "Method and references",
                (Text(self.method), Entries(self.references)),
            )
        )
        used = ", ".join(f"{name} {version}" for name, version in self.versions.items())
        how = (Code(self.command), Text(f"Computed with {used}."))
        return [*sections, Section("reproduce", "To reproduce this", how)]

    def _answer(self) -> tuple[Block, ...]:
        floor = self.floor
        digits = _digits(floor)
        facts = [("Floor", percent(floor["value"], digits))]
        if floor["low"] is not None:
            facts.append((f"{100 * floor['level']:g} % interval", _limits(floor, digits)))
        if self.verdict is not None:
            word = {"room": "room left", "saturated": "at the floor", "below": "below the floor"}
            error = percent(self.verdict["model_error"])
            facts.append(("Model", f"{error}, {word[self.verdict['verdict']]}"))
        facts.append(("Items", f"{floor['n']:,}"))
        facts.append(("Method", floor["method"]))
        serious = [one.name.lower() for one in self.diagnostics if one.level == "warn"]
        doubts = [Caution(text) for text in floor["warnings"]]
        if serious:
            doubts.append(Caution(f"Read on before you use this number: {', '.join(serious)}."))
        return Answer(self.answer), Facts(tuple(facts)), *doubts

    def _assumptions(self) -> tuple[Block, ...]:
        return Text(f"Assumption: {self.floor['assumptions']}"), Text(self.interval)

    def _model(self, verdict: dict[str, Any]) -> tuple[Block, ...]:
        n = verdict["n"]
        wrong = round(verdict["model_error"] * n)
        limits = f"{points(verdict['low'])} to {points(verdict['high'])}"
        facts = (
            ("Model's error", f"{percent(verdict['model_error'])} ({wrong:,} of {n:,} test items)"),
            ("Error less floor", points(verdict["difference"])),
            (f"{100 * verdict['level']:g} % interval", limits),
            ("P-value of “no room is left”", _p_value(verdict["p_above"])),
            ("P-value of “it is not below the floor”", _p_value(verdict["p_below"])),
        )
        cautions = tuple(Caution(text) for text in verdict["warnings"])
        return Text(verdict["sentence"]), Facts(facts), *cautions

    def _data(self) -> tuple[Block, ...]:
        source = (Facts(tuple(self.source.items())),) if self.source else ()
        return *source, Findings(self.diagnostics)

    def _methods(self, comparison: dict[str, Any]) -> tuple[Block, ...]:
        digits = max(map(_digits, comparison["rows"]))
        rows = tuple(
            (
                row["method"],
                percent(row["value"], digits),
                "" if row["low"] is None else _limits(row, digits),
                row["interval_method"] or "",
            )
            for row in comparison["rows"]
        )
        levels = {row["level"] for row in comparison["rows"]} - {None}
        level = f"{100 * levels.pop():g} % " if len(levels) == 1 else ""
        head = ("method", "floor", f"{level}interval", "by")
        table = Table("The floor of the same items by several methods", head, rows)
        return table, *(Text(note) for note in comparison["notes"])


def summarize(
    result: Estimate | Comparison | Verdict,
    *,
    title: str | None = None,
    source: Mapping[str, str] | None = None,
    command: str | None = None,
    comparison: Comparison | None = None,
    rng: RandomLike = None,
) -> Summary:
    """Return all that a report on `result` says, as plain values.

    The arguments are those of `report`.
    """
    verdict = result if isinstance(result, Verdict) else None
    if isinstance(result, Comparison):
        comparison = comparison or result
    estimate = _main_estimate(result)
    if comparison is None:
        comparison = _compare(estimate, rng)
    elif estimate.method not in comparison.methods:
        comparison = Comparison((estimate, *comparison.rows), comparison.notes)
    curve = _curve(estimate)
    about = {_clean(name): _clean(value) for name, value in (source or {}).items()}
    floor = estimate.to_dict()
    rows = [estimate] if comparison is None else [estimate, *comparison]
    found = references(
        (row.method for row in rows), (row.interval_method for row in rows), verdict is not None
    )
    return Summary(
        title=_clean(title if title is not None else _title(about)),
        answer=_answer(floor),
        floor=floor,
        interval=interval_in_words(estimate.interval_method),
        verdict=None if verdict is None else verdict.to_dict(),
        diagnostics=diagnose(estimate, comparison, curve),
        comparison=None if comparison is None else comparison.to_dict(),
        pictures=pictures_of(estimate, comparison, verdict, curve),
        method=method_in_words(estimate.method),
        references=tuple(found),
        source=about,
        command=_clean(command if command is not None else python_code(estimate, verdict, rng)),
        versions=versions(),
    )


def _main_estimate(result: object) -> Estimate:
    if isinstance(result, Verdict):
        return result.floor
    if isinstance(result, Comparison) and len(result):
        return result["isotonic" if "isotonic" in result.methods else result.methods[0]]
    if isinstance(result, Estimate):
        return result
    raise ValueError(
        "`result` must be what from_scores, from_votes, from_soft_labels, compare or headroom "
        f"returns, got {type(result).__name__}."
    )


def _labelled(estimate: Estimate) -> ScoreTable | None:
    """Return the table of scores and labels, where it has something to calibrate."""
    table = estimate.table
    if not isinstance(table, ScoreTable) or estimate.method == "clean" or len(table) < 2:
        return None
    return table if table.positives.any() and table.negatives.any() else None


def _curve(estimate: Estimate) -> Reliability | None:
    table = _labelled(estimate)
    if table is None:
        return None
    # Scores at face value have no curve, and cross-fitting has none of its own.
    method = "isotonic" if estimate.method in ("corrupted", "isotonic-cf") else estimate.method
    return reliability(table, method=method, level=estimate.level or 0.95)


def _compare(estimate: Estimate, rng: RandomLike) -> Comparison | None:
    """Return the floors of a few other calibrators, where labels allow to calibrate."""
    table = _labelled(estimate)
    if table is None:
        return None
    unit = table.scores[0] >= 0 and table.scores[-1] <= 1
    # A bin needs some items, or its share of positives is all noise.
    bins = ["hist-25"] if table.n >= 1000 else ["hist-10"] if table.n >= 100 else []
    methods = ["isotonic", *bins, "beta" if unit else "platt"]
    with warnings.catch_warnings():
        # They stand in the rows, and the reader of a report does not see the console.
        warnings.simplefilter("ignore", ErrorFloorWarning)
        rows = compare(
            table.coarsen(4096) if len(table) > 20_000 else table,  # the eye sees no more
            methods=[name for name in methods if name != estimate.method],
            level=estimate.level or 0.95,
            n_resamples=500,
            rng=0 if rng is None else rng,
        )
    notes = {note: None for row in rows for note in row.warnings if note not in estimate.warnings}
    return Comparison((estimate, *rows), tuple(notes))


def _answer(floor: Mapping[str, Any]) -> str:
    digits = _digits(floor)
    value = percent(floor["value"], digits)
    sentence = f"By this estimate, no classifier errs on fewer than {value} of items like these"
    if floor["low"] is None:
        return f"{sentence}."
    return f"{sentence}; the {100 * floor['level']:g} % interval is {_limits(floor, digits)}."


def _digits(row: Mapping[str, Any]) -> int:
    narrow = row["low"] is not None and row["high"] - row["low"] <= 0.001
    return 3 if narrow else 2


def _limits(row: Mapping[str, Any], digits: int) -> str:
    return f"{percent(row['low'], digits)} to {percent(row['high'], digits)}"


def _p_value(value: float) -> str:
    return "below 0.0001" if value < 0.0001 else f"{value:.4f}"


def _title(source: Mapping[str, str]) -> str:
    return f"Error floor of {source['file']}" if source.get("file") else "Error floor"


def _clean(value: object) -> str:
    """Return text that every encoding and renderer takes, with all of it in sight."""
    text = str(value).encode("utf-8", "replace").decode("utf-8")
    return "".join("\N{REPLACEMENT CHARACTER}" if _is_hidden(c) else c for c in text)


def _is_hidden(character: str) -> bool:
    """Tell control characters, and those that reverse the letters around them."""
    reverses = unicodedata.bidirectional(character) in _REVERSING
    return reverses or (unicodedata.category(character) == "Cc" and character not in "\n\t")
