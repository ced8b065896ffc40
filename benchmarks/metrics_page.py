"""The page on metrics, results/metrics.md: a section per kind of data, each by its own command."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from benchmarks import RESULTS

PAGE = RESULTS / "metrics.md"
# Metrics beyond error with two classes, and what they are asked with.
METRICS: dict[str, dict[str, Any]] = {
    "balanced-error": {},
    "cost": {"costs": (1, 5)},
    "brier": {},
    "log-loss": {},
    "auc": {},
    "average-precision": {},
    "f1": {},
    "mcc": {},
    "error-at-coverage": {"at": 0.8},
    "coverage-at-error": {"at": 0.02},
}


def write_section(name: str, text: str, page: Path = PAGE) -> None:
    """Put `text` between the two comments of a section; the rest of the page stays as it is."""
    before = page.read_text(encoding="utf-8")
    page.write_text(with_section(before, name, text), encoding="utf-8")


def with_section(page: str, name: str, text: str) -> str:
    """Return the page with one section written again."""
    start, end = _found(page, name).span(1)
    return f"{page[:start]}\n{text.strip()}\n\n{page[end:]}"


def section_of(page: str, name: str) -> str:
    """Return the text of a section."""
    return _found(page, name)[1].strip()


def _found(page: str, name: str) -> re.Match[str]:
    start, end = f"<!-- section: {name} -->\n", "<!-- end of section -->"
    found = re.search(re.escape(start) + "(.*?)" + re.escape(end), page, re.DOTALL)
    if found is None:
        raise ValueError(f"The page has no section {name!r}. Put the two comments there.")
    return found
