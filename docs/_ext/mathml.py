"""Formulas as MathML, which browsers draw by themselves: no script, no network."""

import html
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.util.math import get_node_equation_number

# What latex2mathml takes for a letter though it is an operator, or the other way round.
REPAIRS = {
    "<mi>&#x0007E;</mi>": "<mo>&#x0223C;</mo>",
    "<mi>&#x000B1;</mi>": "<mo>&#x000B1;</mo>",
    **{f"<mo>{name}</mo>": f"<mi>{name}</mi>" for name in ("min", "max", "sup", "inf")},
}


def mathml(latex: str, display: str) -> str:
    """Return LaTeX as MathML, shown "inline" or as a "block"."""
    text = convert(latex, display=display)
    for wrong, right in REPAIRS.items():
        text = text.replace(wrong, right)
    return text


def inline(writer: Any, node: nodes.math) -> None:
    """Write a formula within a line."""
    writer.body.append(mathml(node.astext(), "inline"))
    raise nodes.SkipNode


def block(writer: Any, node: nodes.math_block) -> None:
    """Write a formula on lines of its own, with its number where it has a label."""
    writer.body.append('<div class="math">')
    if node.get("number"):
        number = html.escape(get_node_equation_number(writer, node))
        writer.body.append(f'<span class="eqno">({number})</span>')
        writer.add_permalink_ref(node, "Link to this equation")
    writer.body.append(mathml(node.astext().strip(), "block") + "</div>\n")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer under the name `mathml`."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
