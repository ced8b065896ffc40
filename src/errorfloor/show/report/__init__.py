"""A report on a floor: HTML that needs nothing else, Markdown or JSON, from one summary."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict, Unpack

from errorfloor._checks import InputError, argument, as_flag, shown
from errorfloor._keywords import explains_keywords
from errorfloor._typing import RandomLike
from errorfloor.data.files import check_output
from errorfloor.data.options import ReadOptions, Source, is_source
from errorfloor.data.read import is_data
from errorfloor.data.storage import write_text
from errorfloor.questions.question import Ask, floor_of
from errorfloor.results import (
    AnnotatorsResult,
    ClassItems,
    Comparison,
    Estimate,
    Groups,
    Items,
    ModelComparison,
    People,
    Verdict,
)
from errorfloor.show.report.document import Document
from errorfloor.show.report.summary import GroupsSummary, ModelsSummary, Summary, summarize

__all__ = ["GroupsSummary", "ModelsSummary", "Summary", "report", "summarize"]


class Columns(TypedDict, total=False):
    """Which columns of data hold what, how to read their values, and the metric to report on."""

    metric: str
    costs: object
    at: float | None
    prior: object
    score: str | Sequence[str]
    label: str
    soft: str | Sequence[str]
    positives: str
    totals: str | int
    counts: str | Sequence[str]
    item: str
    vote: str
    annotator: str
    label_is_vote: bool
    positive: object
    positive_from: float
    classes: Sequence[object]
    group: str
    drop_missing: bool


@dataclass(frozen=True, slots=True)
class Format:
    """A way to write a summary down, which the ending of the file's name selects."""

    suffix: str
    write: Callable[[Document], str]


def _as_json(document: Document) -> str:
    text = json.dumps(document.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)
    # Names of files and groups may hold what no encoding has.
    return text.encode("utf-8", "replace").decode("utf-8") + "\n"


FORMATS = {
    one.suffix: one
    for one in (
        Format(".html", Document.to_html),
        Format(".md", Document.to_markdown),
        Format(".json", _as_json),
    )
}


@explains_keywords
def report(
    result: Estimate | Comparison | Verdict | People | ModelComparison | Groups[Estimate] | object,
    path: str | os.PathLike[str],
    *,
    title: str | None = None,
    source: Mapping[str, str] | None = None,
    command: str | None = None,
    comparison: Comparison | None = None,
    rng: RandomLike = 0,
    theory: bool = False,
    items: Items | ClassItems | None = None,
    annotators: AnnotatorsResult | Sequence[str] | None = None,
    **columns: Unpack[Columns],
) -> Path:
    """Write a report on a floor, on models, or on the floors of groups, as one file.

    Parameters
    ----------
    result : Estimate, Comparison, Verdict, People, ModelComparison, Groups of Estimates, or data
        What to report on. Of a comparison, isotonic-cf is the answer if it is there. Of groups, all
        floors are in one report. Of a dataframe, a table or a file, the floor is estimated by the
        default method.
    path : path
        Where to; .html, .md or .json says as what. An existing file is replaced whole or not at
        all.
    title : str, optional
        Names the data by default, as far as `source` does.
    source : mapping of str to str, optional
        What the data was, such as ``{"file": "labels.csv", "score": "p", "label": "y"}``. What the
        result knows of it by default.
    command : str, optional
        What to type on the command line for the same result. Told from the result by default.
    comparison : Comparison, optional
        Other methods to show next to the result. By default a few are run on its table; groups
        have none.
    rng : None, int or numpy.random.Generator
        Seed of the intervals of these few methods, and of the floor of data: 0 by default, so that
        the same result gives the same file. None draws a new one.
    theory : bool
        Whether to draw the bounds on the bias of vote shares as well.
    items : Items or ClassItems, optional
        What `errorfloor.items` returned: the ten hardest items are in the report. By default they
        are read again where votes came from a file that names items, up to 100,000 of them.
    annotators : AnnotatorsResult, optional
        What `errorfloor.annotators` returned: ten of them are in the report. By default they are
        read again likewise. For data, the columns of the annotators.
    **columns
        For data: `score` and `label`; `soft`; `positives` and `totals`; `counts`; `item`, `vote`
        and `annotator`; or `annotators`; with `label_is_vote`, `positive`, `positive_from`,
        `classes`, `group` and `drop_missing`, as in `from_scores` and `from_votes`. Guessed where
        their names leave no doubt. `metric`, `costs`, `at` and `prior` likewise. For intervals of
        groups that hold all at once, report on what `from_scores` and the like return with
        ``simultaneous=True``.

    Returns
    -------
    pathlib.Path
        Where the report is.

    Examples
    --------
    >>> import tempfile, errorfloor as ef
    >>> floor = ef.from_soft_labels([0.1, 0.5, 0.9, 0.2] * 25, rng=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = ef.report(floor, f"{folder}/floor.md", title="A small set")
    ...     print(path.read_text(encoding="utf-8")[:13])
    # A small set
    """
    if not isinstance(path, str | os.PathLike):
        raise InputError(argument("path"), f" must be the path of a file, got {shown(path)}.")
    given = {"title": title, "source": source, "command": command}
    for name, value in {**given, "comparison": comparison, "items": items}.items():
        kinds, words = _KINDS[name]
        if value is not None and not isinstance(value, kinds):
            text = f" must be {words}, got {shown(value)}. Leave it out for the usual."
            raise InputError(argument(name), text)
    target = Path(path)
    written = FORMATS.get(target.suffix.lower())
    if written is None:
        *most, last = FORMATS
        endings = f"{', '.join(most)} or {last}"
        raise InputError(argument("path"), f" must end in {endings}, got {os.fspath(path)!r}.")
    check_output(target, _files_of(result))
    people = annotators if isinstance(annotators, AnnotatorsResult) else None
    named = {} if people is annotators else {"annotators": annotators}
    document = summarize(
        _as_result(result, {**columns, **named}, rng),
        title=title,
        source=source,
        command=command,
        comparison=comparison,
        rng=rng,
        theory=as_flag(theory, name="theory"),
        items=items,
        annotators=people,
    )
    write_text(target, written.write(document))
    return target


# What an argument has to be.
_KINDS: dict[str, tuple[Any, str]] = {
    "title": (str, "text"),
    "source": (Mapping, "a mapping of names to text"),
    "command": (str, "text"),
    "comparison": (Comparison, "what compare returns"),
    "items": (Items | ClassItems, "what items returns"),
}


def _files_of(result: Any) -> tuple[str, ...]:
    """Return the files behind a result, or those that are the data."""
    if is_source(result):
        return tuple(result) if isinstance(result, list | tuple) else (result,)
    if isinstance(result, Verdict | People):
        result = result.floor
    several = result.values() if isinstance(result, Groups) else result
    parts = several if isinstance(result, Groups | Comparison) else [result]
    sources = (getattr(one, "source", None) for one in parts)
    return tuple(file for one in sources if isinstance(one, Source) for file in one.files)


_METRIC = ("metric", "costs", "at", "prior")


def _as_result(result: Any, columns: Mapping[str, Any], rng: RandomLike) -> Any:
    """Return a result as it is, and of data the floor."""
    for name in columns.keys() - {*Columns.__annotations__, "annotators"}:
        raise TypeError(f"report() got an unexpected keyword argument {name!r}")
    if is_data(result):
        about = {name: columns[name] for name in _METRIC if name in columns}
        where = ReadOptions.of(**{name: columns[name] for name in columns if name not in about})
        return floor_of(result, where, Ask(**about, rng=rng))
    if columns:
        names = ", ".join(f"`{name}`" for name in columns)
        raise InputError(
            argument("result"),
            f" must be a dataframe or a file for {names}, got {type(result).__name__}.",
        )
    return result
