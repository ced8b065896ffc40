"""Records of runs: pages that others link to, but that are not in the navigation.

Those of `benchmarks/` are copied while pages are built, and are not in the search either.
"""

import re
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

FOLDER = "auto_benchmarks"
HEAD = "---\norphan: true\n---\n\n"
RECORDS = ("atlas", "changes", "paper", "follow_up", "theory/details")  # pages of docs
# A link out of docs/ into benchmarks/ is one step shorter from page to page, and back.
OUT = re.compile(r"\]\(\.\./((?:\.\./)*)benchmarks/([\w/]+\.md)")
BACK = re.compile(r"\]\(((?:\.\./)+)docs/")


def write(app: Sphinx) -> None:
    """Copy the pages, and leave none that is gone."""
    folder = Path(app.srcdir) / FOLDER
    source = Path(app.srcdir).parent / "benchmarks"
    pages = {path.relative_to(source): path for path in sorted(source.rglob("*.md"))}
    for old in folder.rglob("*.md"):
        if old.relative_to(folder) not in pages:
            old.unlink()
    for name, path in pages.items():
        copy = folder / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        text = HEAD + BACK.sub(r"](\1", path.read_text(encoding="utf-8"))
        if not copy.exists() or copy.read_text(encoding="utf-8") != text:
            copy.write_text(text, encoding="utf-8")


def lead_to_copies(_: Sphinx, name: str, text: list[str]) -> None:
    """Let links to files of `benchmarks/` lead to their pages."""
    if name in RECORDS:
        text[0] = HEAD + text[0]
    text[0] = OUT.sub(rf"](\1{FOLDER}/\2", text[0])


def keep_out_of_search(app: Sphinx) -> None:
    """Leave the copies out of the index, titles and all."""
    index = getattr(app.builder, "index_page", None)
    if index is not None:

        def chosen(name: str, *given: Any) -> None:
            if not name.startswith(FOLDER):
                index(name, *given)

        app.builder.index_page = chosen  # type: ignore[attr-defined]


def setup(app: Sphinx) -> dict[str, Any]:
    """Have the pages copied first."""
    app.connect("builder-inited", write)
    app.connect("builder-inited", keep_out_of_search)
    app.connect("source-read", lead_to_copies)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
