"""Small repairs of what is read, before it is written."""

import re
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx

import errorfloor


def plain_types(document: nodes.document) -> None:
    """Link public classes in the types of docstrings, and leave the other words as text.

    Sphinx takes every word of "array-like of shape (n,)" for the name of a class.
    """
    for field in document.findall(nodes.field):
        for reference in list(field.findall(pending_xref)):
            name = reference["reftarget"]
            if name in errorfloor.__all__:
                reference["reftarget"] = f"errorfloor.{name}"
            elif not reference["refexplicit"]:
                reference.replace_self(reference.children)


def no_empty_last_lines(document: nodes.document) -> None:
    """Drop the empty line that a doctest in Markdown needs at its end."""
    for block in document.findall(nodes.literal_block):
        if block.rawsource == block.astext():
            block.rawsource = block.rawsource.rstrip()
            block[:] = [nodes.Text(block.rawsource)]


def examples_as_code(_: Sphinx, __: object, lines: list[str]) -> None:
    """Show the examples at the end of a command's help as code.

    They come as a block of lines, "| Examples:" and then one "|   command" each.
    """
    texts = [line.removeprefix("|").strip() for line in lines if line.strip("| ")]
    if texts and texts[0].startswith("Examples"):
        commands = [f"   $ {command}" for command in texts[1:]]
        lines[:] = [texts[0], "", ".. code-block:: console", "", *commands, ""]


def typeset(document: nodes.document) -> None:
    """Keep a number and its per cent sign on one line, and put a colon behind a parameter's type.

    Sphinx puts two hyphens there. Code stays as it is.
    """
    for text in list(document.findall(nodes.Text)):
        if not isinstance(text.parent, nodes.FixedTextElement | nodes.literal):
            better = re.sub(r"(?<=\d) %", "\N{NO-BREAK SPACE}%", text).replace(" -- ", ": ")
            if better != text:
                text.parent.replace(text, nodes.Text(better))


def whole_options(
    _: Sphinx, __: str, ___: str, context: dict[str, Any], ____: nodes.document | None
) -> None:
    """Mark options in blocks of code, as Sphinx marks words of code in text.

    A browser takes their hyphens for places to begin a new line.
    """
    parts = re.split(r"(<pre>.*?</pre>)", context.get("body", ""), flags=re.DOTALL)
    parts[1::2] = (
        re.sub(r"(?<=[\s>])--[a-z][a-z-]*", r'<span class="pre">\g<0></span>', part)
        for part in parts[1::2]
    )
    context["body"] = "".join(parts)


def tidy(_: Sphinx, document: nodes.document) -> None:
    """Repair one page."""
    plain_types(document)
    no_empty_last_lines(document)
    typeset(document)


def setup(app: Sphinx) -> dict[str, Any]:
    """Have each page repaired once it is read."""
    app.connect("doctree-read", tidy)
    app.connect("html-page-context", whole_options)
    app.connect("sphinx-click-process-epilog", examples_as_code)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
