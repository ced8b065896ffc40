"""Formulas as MathML, which browsers draw by themselves: no script, no font, no network."""

import html
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.util.math import get_node_equation_number


def inline(writer: Any, node: nodes.math) -> None:
    """Write a formula within a line."""
    writer.body.append(convert(node.astext()))
    raise nodes.SkipNode


def block(writer: Any, node: nodes.math_block) -> None:
    """Write a formula on lines of its own, with its number where it has a label."""
    writer.body.append('<div class="math">')
    if node.get("number"):
        number = html.escape(get_node_equation_number(writer, node))
        writer.body.append(f'<span class="eqno">({number})</span>')
        writer.add_permalink_ref(node, "Link to this equation")
    text = node.astext().strip()
    if r"\\" in text and not text.startswith(r"\begin"):
        text = rf"\begin{{aligned}}{text}\end{{aligned}}"
    writer.body.append(convert(text, display="block"))
    writer.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer under the name `mathml`."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
