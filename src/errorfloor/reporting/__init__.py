"""A report on a floor: HTML that needs nothing else, Markdown or JSON, from one summary."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

from errorfloor._typing import RandomLike
from errorfloor.reporting._summary import Summary, summarize
from errorfloor.results import Comparison, Estimate, Verdict
from errorfloor.tables import replacing

__all__ = ["Summary", "report", "summarize"]

FORMATS = (".html", ".md", ".json")


def report(
    result: Estimate | Comparison | Verdict,
    path: str | os.PathLike[str],
    *,
    title: str | None = None,
    source: Mapping[str, str] | None = None,
    command: str | None = None,
    comparison: Comparison | None = None,
    rng: RandomLike = None,
) -> Path:
    """Write a report on a floor, or on a model beside it, as one file.

    Parameters
    ----------
    result : Estimate, VotesEstimate, Comparison or Verdict
        What to report on. Of a comparison, isotonic is the answer if it is there.
    path : path
        Where to; .html, .md or .json says as what. An existing file is replaced whole or not at
        all.
    title : str, optional
        Names the data by default, as far as `source` does.
    source : mapping of str to str, optional
        What the data was, such as ``{"file": "labels.csv", "score": "p", "label": "y"}``.
    command : str, optional
        What to type for the same result. Python code by default.
    comparison : Comparison, optional
        Other methods to show beside the result. By default a few are run on its table.
    rng : None, int or numpy.random.Generator
        For the intervals of these few methods. A fixed seed by default, so the same result gives
        the same file.

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
    target = Path(path)
    suffix = target.suffix.lower()
    if suffix not in FORMATS:
        raise ValueError(f"`path` must end in .html, .md or .json, got {os.fspath(path)!r}.")
    summary = summarize(
        result, title=title, source=source, command=command, comparison=comparison, rng=rng
    )
    if suffix == ".html":
        text = summary.to_html()
    elif suffix == ".md":
        text = summary.to_markdown()
    else:
        text = json.dumps(summary.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    with replacing(target) as file:
        file.write(text.encode("utf-8"))
    return target
