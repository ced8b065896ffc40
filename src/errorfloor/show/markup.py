"""Text of others made safe to show, in Markdown and in pages, into which all text is escaped."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from html import escape

_REVERSING = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
_BREAKING = ("Cc", "Zl", "Zp")  # categories of control characters and of separators of lines


def visible(value: object) -> str:
    """Return text that every encoding and renderer takes, with all of it in sight."""
    text = str(value).encode("utf-8", "replace").decode("utf-8")
    return "".join("\N{REPLACEMENT CHARACTER}" if _is_hidden(c) else c for c in text)


def in_short(name: str, most: int) -> str:
    """Return a name on one line, in at most so many letters."""
    shown = visible(name).replace("\n", " ")
    return shown if len(shown) <= most else f"{shown[: most - 1]}\N{HORIZONTAL ELLIPSIS}"


def unbroken(text: str) -> str:
    """Keep the sign with its number."""
    return text.replace(" %", "\N{NO-BREAK SPACE}%")


def listed(names: Sequence[str]) -> str:
    """Return names with commas between them, and "and" before the last.

    Examples
    --------
    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _is_hidden(character: str) -> bool:
    """Tell control characters, and those that reverse the letters around them."""
    reverses = unicodedata.bidirectional(character) in _REVERSING
    return reverses or (unicodedata.category(character) in _BREAKING and character not in "\n\t")


class Markup(str):
    """Text that is HTML already. All other text is escaped on its way into a page."""

    __slots__ = ()


def tag(name: str, /, *children: str, **attributes: str) -> Markup:
    """Return an element.

    Examples
    --------
    >>> tag("p", "a < b", tag("b", "!"), class_="x")
    '<p class="x">a &lt; b<b>!</b></p>'
    """
    given = "".join(f' {key.rstrip("_")}="{escape(value)}"' for key, value in attributes.items())
    inner = "".join(child if isinstance(child, Markup) else escape(child) for child in children)
    return Markup(f"<{name}{given}>{inner}</{name}>")


def plain(text: str) -> str:
    r"""Return text that Markdown shows as it is, whatever characters it has.

    Examples
    --------
    >>> print(plain("<b> a_b | *c*"))
    &lt;b&gt; a\_b \| \*c\*
    """
    marked = re.sub(r"([\\`*_{}\[\]#|~$])", r"\\\1", escape(" ".join(text.split()), quote=False))
    # At the beginning of a line these would make a list or a rule.
    marked = re.sub(r"^(?=[-+=](?:[-=\s]|$))", r"\\", marked)
    return re.sub(r"^(\d+)(?=[.)](?:\s|$))", r"\1\\", marked)


def fenced(lines: Iterable[str], language: str = "") -> str:
    """Return lines as a block of code in Markdown, between more backticks than any has in a row."""
    text = "\n".join(lines)
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"
