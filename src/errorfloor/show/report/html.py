"""A report as one HTML page that needs nothing else, no script included."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from importlib.resources import files

from errorfloor.results.finding import Finding
from errorfloor.show.markup import Markup, tag
from errorfloor.show.palette import style_sheet, themed
from errorfloor.show.report.blocks import (
    Answer,
    Block,
    Caution,
    Code,
    Entries,
    Facts,
    Findings,
    Headline,
    Name,
    Picture,
    Section,
    Table,
    Text,
)
from errorfloor.show.report.svg import inline

# A guard: even if something slipped in, the browser would neither run nor fetch it.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
LEVELS = {"ok": "fine", "note": "note", "warn": "warning", "refuted": "refuted"}


def page(title: str, sections: Iterable[Section]) -> str:
    """Return the whole page."""
    style = files("errorfloor.show.report").joinpath("style.css").read_text(encoding="utf-8")
    head = tag(
        "head",
        Markup('<meta charset="utf-8">'),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">'),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Markup('<meta name="color-scheme" content="light dark">'),
        Markup('<link rel="icon" href="data:,">'),
        tag("title", title),
        tag("style", Markup(f"{style_sheet()}{style}")),
    )
    main = tag("main", tag("h1", title, dir="auto"), *map(section_of, sections))
    return f'<!DOCTYPE html>\n<html lang="en">\n{head}\n<body>\n{main}\n</body>\n</html>\n'


def section_of(section: Section) -> Markup:
    """Return a section with its heading."""
    heading = tag("h2", section.heading, id=f"{section.name}-heading")
    labelled = {"aria-labelledby": f"{section.name}-heading"}
    blocks = map(block_of, section.blocks)
    return tag("section", heading, *blocks, id=section.name, **labelled)


def block_of(block: Block) -> Markup:
    """Return a block."""
    match block:
        case Headline(html):
            return tag("div", Markup(themed(html)), class_="headline")
        case Answer(text):
            return tag("p", _unbroken(text), class_="answer")
        case Caution(text):
            return tag("p", tag("strong", "Caution:"), " ", text, class_="caution")
        case Name(text):
            return tag("h3", text, dir="auto")
        case Text(text):
            return tag("p", _unbroken(text))
        case Facts(pairs):
            return tag("dl", *(_fact(*pair) for pair in pairs))
        case Table():
            return _table(block)
        case Findings(findings):
            return tag("ul", *map(_finding, findings), class_="findings")
        case Entries(entries):
            return tag("ol", *(tag("li", entry) for entry in entries))
        case Code(text):
            return tag("pre", tag("code", text), tabindex="0")
        case Picture():
            caption = tag("figcaption", tag("b", f"{block.title}."), " ", _unbroken(block.caption))
            drawing, values = inline(block)
            listed = tag("ul", *(tag("li", _unbroken(one)) for one in values))
            folded = (tag("details", tag("summary", "The values"), listed),) if values else ()
            return tag("figure", Markup(drawing), caption, *folded)


def _unbroken(text: str) -> str:
    """Keep the sign with its number."""
    return text.replace(" %", "\N{NO-BREAK SPACE}%")


def _fact(name: str, value: str) -> Markup:
    return tag("div", tag("dt", name, dir="auto"), tag("dd", value, dir="auto"))


def _finding(one: Finding) -> Markup:
    level = tag("span", LEVELS[one.level], class_="level")
    head = tag(
        "p", tag("b", f"{one.name}:"), " ", tag("span", _unbroken(one.value), class_="value")
    )
    return tag("li", level, tag("div", head, tag("p", _unbroken(one.text))), class_=one.level)


def _table(table: Table) -> Markup:
    head = tag("tr", *(tag("th", cell, scope="col") for cell in table.head))
    rows = (
        tag("tr", tag("th", first, scope="row"), *(tag("td", cell) for cell in rest))
        for first, *rest in table.rows
    )
    inner = tag("table", tag("caption", table.caption), tag("thead", head), tag("tbody", *rows))
    # A region that scrolls by itself must be reachable by keyboard.
    return tag(
        "div", inner, class_="wide", tabindex="0", role="region", **{"aria-label": table.caption}
    )
