"""The answer as a few lines of Markdown, added to a file: what CI shows of a job."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from errorfloor.results import Estimate, Verdict
from errorfloor.show.gauge import gauge_of, lines_of
from errorfloor.show.markup import in_sight


def add(path: Path, text: str, answer: object, doubts: Sequence[str], unmet: str | None) -> None:
    """Add the sentence, the gauge, what is not as required, doubts, and the rest, folded."""
    sentence, *rest = in_sight(text).splitlines()
    gauge = gauge_of(answer) if isinstance(answer, Estimate | Verdict) else None
    parts = [f"**{_plain(sentence)}**"]
    if gauge is not None:
        parts.append(_fenced(lines_of(gauge)))
    if unmet is not None:
        parts.append(f"❌ Failed: {_plain(in_sight(unmet))}")
    parts += [f"⚠️ {_plain(in_sight(one))}" for one in doubts if one not in text]
    if rest:
        parts.append(f"<details><summary>More</summary>\n\n{_fenced(rest)}\n\n</details>")
    with path.open("a", encoding="utf-8") as file:
        file.write("\n\n".join(parts) + "\n\n")


def _plain(text: str) -> str:
    """Return text that Markdown shows as it is, whatever names of others are in it."""
    return "".join(f"\\{sign}" if sign in "\\`*_{}[]<>#|~!" else sign for sign in text)


def _fenced(lines: Sequence[str]) -> str:
    """Return lines as a block of code, which no line of theirs ends."""
    longest = 3
    while any("`" * longest in line for line in lines):
        longest += 1
    fence = "`" * longest
    return "\n".join([f"{fence}text", *lines, fence])
