"""Text of others, made safe to show: in reports, and on terminals."""

from __future__ import annotations

import unicodedata

_REVERSING = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
_BREAKING = ("Cc", "Zl", "Zp")  # categories of control characters and of separators of lines


def in_sight(value: object) -> str:
    """Return text that every encoding and renderer takes, with all of it in sight."""
    text = str(value).encode("utf-8", "replace").decode("utf-8")
    return "".join("\N{REPLACEMENT CHARACTER}" if _is_hidden(c) else c for c in text)


def _is_hidden(character: str) -> bool:
    """Tell control characters, and those that reverse the letters around them."""
    reverses = unicodedata.bidirectional(character) in _REVERSING
    return reverses or (unicodedata.category(character) in _BREAKING and character not in "\n\t")
