"""Types in docstrings are words for people: link the public classes, leave the rest as text.

Sphinx takes every word of "array-like of shape (n,)" for the name of a class.
"""

from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx

import errorfloor


def plain_types(_: Sphinx, document: nodes.document) -> None:
    """Go through the fields of all docstrings of a page."""
    for field in document.findall(nodes.field):
        for reference in list(field.findall(pending_xref)):
            name = reference["reftarget"]
            if name in errorfloor.__all__:
                reference["reftarget"] = f"errorfloor.{name}"
            elif not reference["refexplicit"]:
                reference.replace_self(reference.children)


def setup(app: Sphinx) -> dict[str, Any]:
    """Have each page looked at once it is read."""
    app.connect("doctree-read", plain_types)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
