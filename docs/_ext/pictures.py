"""Pictures for light and dark pages: drawn once for paper, turned dark while pages are built."""

from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from errorfloor.show.palette import in_the_dark

DARK = "auto_dark"  # a folder beside the pages, not kept


def scrape(_: Any, variables: dict[str, Any], __: dict[str, Any], **___: Any) -> str:
    """Save what an example of the gallery has drawn as SVG, and return the text that shows it."""
    from matplotlib import pyplot, rc_context

    shown = []
    for number in pyplot.get_fignums():
        path = Path(next(variables["image_path_iterator"])).with_suffix(".svg")
        with rc_context({"svg.hashsalt": path.stem}):
            pyplot.figure(number).savefig(path, metadata={"Date": None}, bbox_inches="tight")
        shown.append(f"\n.. image:: /auto_gallery/images/{path.name}\n   :alt: {path.stem}\n")
    pyplot.close("all")
    return "".join(shown)


def both_themes(app: Sphinx, document: nodes.document) -> None:
    """Put the dark picture beside each one, of which the theme shows the one that fits.

    Drawings are turned dark here, but for those that have a dark one: that of NAME.svg or
    NAME-light.png is NAME-dark with the same ending.
    """
    for image in list(document.findall(nodes.image)):
        _, name = app.env.relfn2path(image["uri"], app.env.docname)
        light = Path(name)
        own = light.with_stem(f"{light.stem.removesuffix('-light')}-dark")
        if own.exists():
            dark = own
        elif light.suffix == ".svg" and light.exists():
            dark = Path(app.srcdir) / DARK / light.name
            dark.parent.mkdir(exist_ok=True)
            dark.write_text(in_the_dark(light.read_text(encoding="utf-8")), encoding="utf-8")
        else:
            continue
        twin = image.deepcopy()
        twin["uri"] = f"/{dark.relative_to(app.srcdir).as_posix()}"
        image["classes"].append("only-light")
        twin["classes"].append("only-dark")
        image.parent.insert(image.parent.index(image) + 1, twin)


def setup(app: Sphinx) -> dict[str, Any]:
    """Have pictures doubled before Sphinx collects them."""
    app.connect("doctree-read", both_themes, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
