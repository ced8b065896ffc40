"""A report as Markdown, with the pictures in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

from errorfloor.show.report.document import (
    Answer,
    Block,
    Caution,
    Code,
    Entries,
    Facts,
    Findings,
    Headline,
    Name,
    Picture,
    Section,
    Table,
    Text,
)

LEVELS = {"ok": "fine", "note": "note", "warn": "**warning**", "refuted": "**refuted**"}


def page(title: str, sections: Iterable[Section]) -> str:
    """Return the whole report."""
    parts = [f"# {plain(title)}"]
    for section in sections:
        parts.append(f"## {section.heading}")
        parts += filter(None, map(_block, section.blocks))
    return "\n\n".join(parts) + "\n"


def plain(text: str) -> str:
    r"""Return `text` so that it shows as it is, whatever characters it has.

    Examples
    --------
    >>> print(plain("<b> a_b | *c*"))
    &lt;b&gt; a\_b \| \*c\*
    """
    marked = re.sub(r"([\\`*_{}\[\]#|~$])", r"\\\1", escape(" ".join(text.split()), quote=False))
    # At the beginning of a line these would make a list or a rule.
    marked = re.sub(r"^(?=[-+=](?:[-=\s]|$))", r"\\", marked)
    return re.sub(r"^(\d+)(?=[.)](?:\s|$))", r"\1\\", marked)


def _block(block: Block) -> str:
    match block:
        case Headline(_, lines):
            return _fenced("\n".join(lines)) if lines else ""
        case Answer(text):
            return f"**{plain(text)}**"
        case Caution(text):
            return f"> **Caution:** {plain(text)}"
        case Name(text):
            return f"### {plain(text)}"
        case Text(text):
            return plain(text)
        case Facts(pairs):
            return _table(("", ""), pairs)
        case Table():
            return _table(block.head, block.rows, caption=block.caption)
        case Findings(findings):
            return "\n".join(
                f"- {LEVELS[one.level]}: {plain(one.name)}, {plain(one.value)}. {plain(one.text)}"
                for one in findings
            )
        case Entries(entries):
            return "\n".join(f"{i}. {plain(entry)}" for i, entry in enumerate(entries, 1))
        case Code(text):
            return _fenced(text)
        case Picture():
            return f"**{plain(block.title)}.** {plain(block.description)}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], *, caption: str = "") -> str:
    lines = [
        _line(map(plain, head)),
        _line("---" for _ in head),
        *(_line(map(plain, row)) for row in rows),
    ]
    return "\n".join([f"{plain(caption)}:", "", *lines] if caption else lines)


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _fenced(text: str) -> str:
    """Return a block of code, between more backticks than it has in a row."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"
