"""Elements of pages, and that all text is escaped on its way into one."""

from __future__ import annotations

from html import escape


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
