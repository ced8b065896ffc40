"""Parts of the documents that are made from the source: the list of folders, tables of records.

`make generated` writes them, and a test fails where one is stale. A part stands between two
comments, ``<!-- generated: NAME -->`` and ``<!-- end -->``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from benchmarks import worst
from errorfloor import checks, intervals, methods
from errorfloor.checks.record import Check
from errorfloor.data.formats import FORMATS
from errorfloor.data.layouts import LAYOUTS
from errorfloor.data.tables import ScoreTable, SoftTable, VoteTable
from errorfloor.intervals.record import IntervalKind
from errorfloor.methods.record import Classes, Method, Series
from errorfloor.metrics import ERROR
from errorfloor.results import ModelComparison
from errorfloor.show import grids
from tools.layers import LAYERS

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "errorfloor"


@dataclass(frozen=True)
class Part:
    """A generated part of a document."""

    name: str
    document: str
    write: Callable[[], str]


def main() -> None:
    """Write every part again."""
    for part in PARTS:
        path = ROOT / part.document
        text = path.read_text(encoding="utf-8")
        path.write_text(renewed(text, part), encoding="utf-8")


def renewed(text: str, part: Part) -> str:
    """Return the text of a document with one part written again."""
    start, end = f"<!-- generated: {part.name} -->\n", "<!-- end -->"
    pattern = re.compile(re.escape(start) + ".*?" + re.escape(end), re.DOTALL)
    if not pattern.search(text):
        raise ValueError(f"{part.document} has no part {part.name!r}. Put the two comments there.")
    return pattern.sub(lambda _: f"{start}\n{part.write()}\n\n{end}", text)


def folders() -> str:
    """Return a line for each folder, in the order of the layers."""
    every = sorted((path.parent for path in SOURCE.glob("**/__init__.py")), key=_place)
    return "\n".join(
        f"- `{path.relative_to(SOURCE)}/`: {first_sentence(path / '__init__.py')}."
        for path in every
        if path != SOURCE
    )


def _place(path: Path) -> tuple[int, str]:
    """Put layers into their order, and folders inside behind their own."""
    parts = path.relative_to(SOURCE).parts
    return LAYERS.index(parts[0]) if parts else -1, path.as_posix()


def first_sentence(path: Path) -> str:
    """Return the first sentence of a module's docstring, without its period."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    first = " ".join(text.split("\n\n")[0].split())
    return re.split(r"(?<=[.?])\s", first)[0].rstrip(".")


def table_of_methods() -> str:
    """Return what each method for scores assumes, and what happens where that is wrong."""
    rows = []
    for record in methods.RECORDS:
        method = record.make(record.usual[0]) if isinstance(record, Series) else record
        if method.reads == ScoreTable.kind and ERROR.name in method.metrics:
            default = " (default)" if method in methods.DEFAULTS else ""
            name = f"`{record.name}`{default}"
            rows.append((name, _small(method.assumes), method.if_wrong))
    return _table(("method", "assumes", "if that is wrong"), rows)


def table_of_other_metrics() -> str:
    """Return the methods for scores and other metrics than error, those alike in one row."""
    alike: dict[tuple[str, str, str], list[Method]] = {}
    for method in methods.reading(ScoreTable.kind, None, None):
        if ERROR.name not in method.metrics:
            key = method.name, _small(method.assumes), method.if_wrong
            alike.setdefault(key, []).append(method)
    rows = []
    for (name, assumes, if_wrong), same in alike.items():
        metrics = dict.fromkeys(
            f"`{metric}`{' (default)' if one in methods.DEFAULTS else ''}"
            for one in same
            for metric in one.metrics
        )
        rows.append((f"`{name}`", ", ".join(metrics), assumes, if_wrong))
    return _table(("method", "metrics", "assumes", "if that is wrong"), rows)


def table_of_intervals() -> str:
    """Return what each interval is for, what it promises, and on what grounds."""
    rows = [
        (f"`{kind.name}`{_default(kind)}", _for(kind), kind.in_short, kind.proof)
        for kind in intervals.RECORDS
    ]
    return _table(("interval", "for", "promise", "proof"), rows)


def table_of_layouts() -> str:
    """Return the layouts of a file, with the options that name their columns."""
    rows = [
        (layout.name, layout.says, " ".join(f"`--{role.name}`" for role in layout.roles))
        for layout in LAYOUTS
    ]
    return _table(("layout", "a row", "options"), rows)


def table_of_formats() -> str:
    """Return the formats of files, with what people call them and the endings of their names."""
    rows = [
        (kind.name, kind.title or kind.name, ", ".join(f"`{suffix}`" for suffix in kind.suffixes))
        for kind in FORMATS
    ]
    return _table(("format", "files", "names end in"), rows)


def table_of_metrics() -> str:
    """Return what each metric is, for which classes, and from which labels it can be had."""
    grid = grids.of_metrics()
    rows = [(f"`{row[0]}`", *row[1:]) for row in grid.rows]
    return _table(grid.head, rows)


def table_of_checks() -> str:
    """Return the checks that every result carries."""
    rows = [(record.name, _checked(record), record.asks) for record in checks.RECORDS]
    return _table(("check", "of", "asks"), rows)


def _checked(record: Check) -> str:
    usual = "models" if record.results == (ModelComparison,) else "all"
    return ", ".join(_WORDS.get(kind, kind) for kind in record.kinds) or usual


_WORDS = {ScoreTable.kind: "scores", VoteTable.kind: "votes", SoftTable.kind: "soft labels"}


def _listed(kind: IntervalKind) -> tuple[list[Method], str]:
    """Return the methods that an interval is listed for, and words for their data."""
    for metric, about in ((ERROR.name, ""), (None, " for other metrics")):
        for classes, words in ((Classes.TWO, ""), (Classes.MANY, " of many classes")):
            every = [one for read in _WORDS for one in methods.reading(read, classes, metric)]
            every = [one for one in every if metric or ERROR.name not in one.metrics]
            if any(kind.basis in one.bases for one in every):
                return every, words + about
    every = [one for read in _WORDS for one in methods.every(read, Classes.TWO)]
    if any(kind.basis in one.bases for one in every if one.partly):
        return every, " with missing labels"
    raise LookupError(f"No method has what the interval {kind.name} is computed from.")


def _default(kind: IntervalKind) -> str:
    """Say whose default an interval is."""
    every, words = _listed(kind)
    whose = [one for one in every if one.interval == kind.name and kind.basis in one.bases]
    usual = dict.fromkeys(
        _WORDS[method.reads] + words
        for method in whose
        if method in methods.DEFAULTS or method.partly
    )
    if usual:
        return f" (default of {' and '.join(usual)})"
    return " (default of the other methods)" if whose else ""


def _for(kind: IntervalKind) -> str:
    """Say what an interval can be computed from."""
    every, words = _listed(kind)
    parts = []
    for read, word in _WORDS.items():
        own = [one for one in every if one.reads == read]
        able = [one for one in own if kind.basis in one.bases]
        if able:
            names = dict.fromkeys(f"`{one.name}`" for one in able)
            by = "" if len(able) == len(own) else f" by {' or '.join(names)}"
            parts.append(f"{word}{words}{by}")
    return ", ".join(parts)


def _small(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:]


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    names = list(head)
    lines = [names, ["---"] * len(names), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


PARTS = (
    Part("folders", "CONTRIBUTING.md", folders),
    Part("methods", "docs/choose.md", table_of_methods),
    Part("other metrics", "docs/choose.md", table_of_other_metrics),
    Part("metrics", "docs/choose.md", table_of_metrics),
    Part("intervals", "docs/intervals.md", table_of_intervals),
    Part("coverage", "docs/coverage.md", worst.table_of_coverage),
    Part("verdicts", "docs/coverage.md", worst.table_of_verdicts),
    Part("layouts", "docs/files.md", table_of_layouts),
    Part("formats", "docs/files.md", table_of_formats),
    Part("checks", "docs/checks.md", table_of_checks),
)

if __name__ == "__main__":
    main()
