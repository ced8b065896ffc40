"""Count the words of the documentation: `python -m tools.words`.

Counted are the pages in the navigation that people wrote: those that toctrees lead to from
docs/index.md, and the gallery's texts. Code, its output and formulas are not words. The references
made from docstrings and options are not counted, nor are records of runs, which have no place in
the navigation.
"""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).parent.parent / "docs"
MOST = 35_000
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
TOCTREE = re.compile(r"^```\{toctree\}\n(.*?)^```", re.MULTILINE | re.DOTALL)
FORMULA = re.compile(r"\$\$.*?\$\$|\$[^$\n]+\$", re.DOTALL)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
GALLERY = "auto_gallery/index"


def navigation(page: Path = DOCS / "index.md") -> list[Path]:
    """Return a page and all that its toctrees lead to, in their order."""
    found = [page]
    for tree in TOCTREE.findall(page.read_text(encoding="utf-8")):
        for line in tree.splitlines():
            name = line.strip()
            if name == GALLERY:
                found += sorted((DOCS / "gallery").iterdir())
            elif name and not name.startswith((":", "auto_")):
                found += navigation(page.parent / f"{name}.md")
    return found


def words(path: Path) -> int:
    """Return the number of words of a page."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        _, told, code = text.split('"""', 2)
        comments = (line for line in code.splitlines() if re.match(r"# (?!%%)", line))
        text = " ".join([told, *comments])
    for skipped in (COMMENT, FENCE, FORMULA):
        text = skipped.sub(" ", text)
    return sum(bool(re.search(r"\w", word)) for word in text.split())


def main() -> None:
    """Print the words of each page, and of all."""
    counts = {path: words(path) for path in navigation()}
    for path, count in counts.items():
        print(f"{count:6,}  {path.relative_to(DOCS)}")
    print(f"{sum(counts.values()):6,}  in all, of at most {MOST:,}")


if __name__ == "__main__":
    main()
