"""Links of the documents lead somewhere: files exist, and so do the headings that are named."""

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("docs", "docs/theory", "docs/tutorials", "benchmarks", "benchmarks/results", ".")
DOCUMENTS = [path for folder in FOLDERS for path in sorted((ROOT / folder).glob("*.md"))]
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
# Links in strings of the source become links of a page of docs/.
SOURCES = [path for path in sorted((ROOT / "src").rglob("*.py")) if ".md" in path.read_text()]


@cache
def anchors(path):
    """Return the names of the headings of a document, as readers on the web have them."""
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    return {slug(heading) for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE)}


def slug(heading):
    words = re.sub(r"[^\w\- ]", "", re.sub(r"\[(.*?)\]\(.*?\)", r"\1", heading).lower())
    return words.strip().replace(" ", "-")


def broken(text, folder, page):
    """Return the links of a text that lead nowhere."""
    found = []
    for link in LINK.findall(CODE.sub("", text)):
        target, _, anchor = link.partition("#")
        if re.match(r"\w+:", link) or target.startswith("auto_gallery"):
            continue
        path = (folder / target).resolve() if target else page
        if not path.exists() or (anchor and anchor not in anchors(path)):
            found.append(link)
    return found


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_of_a_document_lead_somewhere(path):
    assert not broken(path.read_text(encoding="utf-8"), path.parent, path)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_links_in_the_source_lead_to_pages(path):
    text = path.read_text(encoding="utf-8")
    assert not broken(text, ROOT / "docs", ROOT / "docs" / "index.md")
    for name in re.findall(r"\b(?:docs|benchmarks)/[\w/]+\.md", text):
        assert (ROOT / name).exists(), name


def test_a_broken_link_is_found():
    page = ROOT / "README.md"
    assert broken("[a](none.md) [b](docs/faq.md#none) [c](README.md)", ROOT, page) == [
        "none.md",
        "docs/faq.md#none",
    ]
