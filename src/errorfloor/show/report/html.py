"""A report as one HTML page that needs nothing else, no script included; drawings are SVG."""

from __future__ import annotations

import io
import re
import textwrap
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from errorfloor._numbers import digits_of_size
from errorfloor._typing import Floats
from errorfloor.results.claim import Finding
from errorfloor.show.markup import Markup, tag, unbroken
from errorfloor.show.palette import on_a_page, style_sheet, themed
from errorfloor.show.plot import matplotlib
from errorfloor.show.report.document import (
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

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


COLOURS = on_a_page()  # so they change with the page's theme
SETTINGS = {
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "legend.facecolor": "none",
    "svg.fonttype": "none",  # letters, which can be read out and searched
}


MOST = 12  # values of one line that are listed
POINTS = 72.0  # of an inch
LONG, LETTER, LINE = 52, 5.0, 10.0  # letters of a line of words; points of a letter, and of a line
_NUMBER = "-\N{MINUS SIGN}0123456789.,% "  # signs of numbers on an axis


# Widths in inches at which letters of 7.5 points have 11 pixels in the column of a phone of 360
# pixels, and 12 in that of a screen; the page shows one of them.
WIDTHS = {"narrow": 3.1, "broad": 6.1}


def inline(picture: Picture) -> tuple[str, list[str]]:
    """Return the picture as SVG elements, for phones and for screens, and its values in words.

    One of the elements is shown.
    """
    both = [drawn(picture, size, width) for size, width in WIDTHS.items()]
    return "".join(svg for svg, _ in both), list(dict.fromkeys(both[-1][1]))


def drawn(picture: Picture, size: str, width: float) -> tuple[str, list[str]]:
    """Return the picture as an SVG element that can stand in a page, and its values in words."""
    try:
        context = matplotlib("style").context
    except ImportError as error:
        raise ImportError(
            "An HTML report has pictures, which need matplotlib: pip install 'errorfloor[cli]', or "
            "write the report as .md or .json."
        ) from error
    # Names within the drawing depend on the salt only, so the same picture is the same text.
    settings = {**SETTINGS, "svg.hashsalt": picture.name}
    with context(settings, after_reset=True), warnings.catch_warnings():
        # The browser has the letters that matplotlib's own font lacks.
        warnings.filterwarnings("ignore", "Glyph .* missing from")
        file = io.StringIO()
        figure = picture.draw(width)
        figure.savefig(file, format="svg", metadata={"Date": None})
        marks = marks_of(figure)
    # A phone has no pointer: there the values are in the list below.
    over = overlay(marks, width * POINTS) if size == "broad" else ""
    return _fitted(file.getvalue(), picture, size, over), [one.text for one in marks]


def _fitted(svg: str, picture: Picture, size: str, over: str) -> str:
    own = f"{picture.name}-{size}"
    match = re.search(r'<svg [^>]*?viewBox="([^"]*)"[^>]*>(.*)</svg>', svg, re.DOTALL)
    assert match is not None, "matplotlib writes a viewBox"
    box, inner = match.groups()
    inner = re.sub(r"<metadata>.*?</metadata>", "", inner, flags=re.DOTALL)
    inner = re.sub(r"<!--.*?-->", "", inner, flags=re.DOTALL)
    inner = re.sub(r"<style.*?</style>", "", inner, flags=re.DOTALL)  # would hold for the page
    # Texts between the tags stay as they are: a group may be called 0.12345 or #0072b2.
    inner = re.sub(r"<[^>]*>", lambda tag: _tag_on_page(tag[0], own), inner)
    inner = re.sub(r"\n\s*", "\n", inner)
    title, description = (f"{own}-{part}" for part in ("title", "description"))
    return (
        f'<svg xmlns:xlink="http://www.w3.org/1999/xlink" class="{size}" viewBox="{box}" '
        f'role="img" aria-labelledby="{title} {description}">'
        f'<title id="{title}">{escape(picture.title)}</title>'
        f'<desc id="{description}">{escape(picture.description)}</desc>'
        f"{inner.strip()}{over}</svg>"
    )


def _tag_on_page(tag: str, name: str) -> str:
    """Return a tag of a drawing with the page's colours and letters, and names of its own."""
    tag = re.sub(r'(\bid="|href="#|url\(#)', rf"\1{name}-", tag)
    tag = re.sub(r"#[0-9a-f]{6}\b", lambda hit: COLOURS.get(hit[0], hit[0]), tag)
    # The page chooses the letters, drawings their size.
    tag = re.sub(r"font: (?:\w+ )*?([\d.]+px)[^;\"]*", r"font-size: \1", tag)
    return re.sub(r"\d+\.\d{3,}", lambda hit: f"{float(hit[0]):.2f}", tag)


# Values in words ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Mark:
    """A value in words, and its place in the drawing, in points from the upper left corner."""

    text: str
    x: float
    y: float


def marks_of(figure: Figure) -> list[Mark]:
    """Return the values that a figure shows by lines, dots and steps, once it has been drawn."""
    found: dict[tuple[str, int], Mark] = {}
    for ax in figure.axes:
        if ax.get_label() != "<colorbar>":
            found |= {(one.text, round(one.x)): one for one in _on(ax, figure)}
    return list(found.values())


def overlay(marks: list[Mark], width: float) -> str:
    """Return what shows a value where a pointer is near it, all of it within the drawing."""
    return "".join(
        f'<g class="mark"><circle cx="{one.x:.1f}" cy="{one.y:.1f}" r="9"/>'
        f'<circle class="point" cx="{one.x:.1f}" cy="{one.y:.1f}" r="3"/>{_tip(one, width)}</g>'
        for one in marks
    )


def _tip(mark: Mark, width: float) -> str:
    """Return the words of a mark in short lines, above it or below."""
    lines = textwrap.wrap(mark.text, LONG)
    half = LETTER * max(map(len, lines)) / 2
    x = min(max(mark.x, half), width - half)
    above = mark.y - 8 - LINE * (len(lines) - 1)
    first = above if above > LINE else mark.y + 2 * LINE
    spans = (
        f'<tspan x="{x:.1f}" y="{first + LINE * place:.1f}">{escape(line)}</tspan>'
        for place, line in enumerate(lines)
    )
    return f'<text class="tip" text-anchor="middle">{"".join(spans)}</text>'


def _on(ax: Axes, figure: Figure) -> Iterator[Mark]:
    names, spans = _names(ax), dict(_spans(ax))
    shared = [one.get_xlabel() for one in figure.axes if one.get_xlabel()]
    across = ax.get_xlabel() or (shared[-1] if shared else "")
    up = ax.get_ylabel() or str(figure.get_supylabel())
    drawn = (*ax.lines, *ax.patches)
    several = len({str(one.get_label()) for one in drawn if not _is_hidden(one)}) > 1
    bars = _bars(ax)

    def mark(label: Any, x: float, y: float, own: str | None) -> Mark:
        place = ax.transData.transform((x, y)) * POINTS / figure.dpi
        height = figure.get_figheight() * POINTS
        row = names.get(round(float(y), 6))
        if own is not None:  # which stands where there is room
            text = f"{own}: {_part(up, y)}"
        elif row is not None:
            within = spans.get(float(y))
            text = f"{row}: {_value(x, across, within)}"
        else:
            series = (ax.get_title() or ax.get_title("left"), str(label) if several else "")
            before = "".join(f"{one}, " for one in series if one and not one.startswith("_"))
            text = f"{before}{_part(across, x)}: {_part(up, y)}"
        return Mark(text, float(place[0]), float(height - place[1]))

    for line in ax.lines:
        xs, ys = (np.asarray(one, dtype=np.float64) for one in line.get_data())
        is_span = xs.size == 2 and ys[0] == ys[1] and not _has_dots(line)
        if line.get_transform() != ax.transData or is_span or line.get_linestyle() == ":":
            continue
        for at in _some(xs):
            yield mark(line.get_label(), xs[at], ys[at], bars.get(id(line)))
    for patch in ax.patches:
        if hasattr(patch, "get_data") and not _is_hidden(patch):  # steps
            values, edges, _ = patch.get_data()
            middles = (np.asarray(edges[:-1]) + np.asarray(edges[1:])) / 2
            for at in _some(middles):
                if values[at] > 0:
                    yield mark(patch.get_label(), middles[at], values[at], None)


def _bars(ax: Axes) -> dict[int, str]:
    """Return what points with error bars are called, by the id of their line."""
    from matplotlib.container import ErrorbarContainer

    drawn = [one for one in ax.containers if isinstance(one, ErrorbarContainer)]
    return {id(one.lines[0]): str(one.get_label()) for one in drawn}


def _is_hidden(drawn: Any) -> bool:
    return str(drawn.get_label()).startswith("_") or drawn.get_linestyle() == ":"


def _has_dots(line: Any) -> bool:
    return line.get_marker() not in ("None", None, "", " ")


def _spans(ax: Axes) -> Iterator[tuple[float, tuple[float, float]]]:
    """Yield the intervals that are drawn as level lines, by their height."""
    for line in ax.lines:
        xs, ys = (np.asarray(one, dtype=np.float64) for one in line.get_data())
        if xs.size == 2 and ys[0] == ys[1] and line.get_transform() == ax.transData:
            yield float(ys[0]), (float(xs.min()), float(xs.max()))


def _names(ax: Axes) -> dict[float, str]:
    """Return what rows are called, where the numbers of the y-axis are names."""
    labels = [one.get_text() for one in ax.get_yticklabels()]
    if not any(label.strip(_NUMBER) for label in labels):
        return {}
    return {
        round(float(place), 6): label for place, label in zip(ax.get_yticks(), labels, strict=True)
    }


def _some(values: Floats) -> list[int]:
    """Return places of up to so many values, evenly spread over the axis."""
    if values.size <= MOST:
        return list(range(values.size))
    wanted = np.linspace(values.min(), values.max(), MOST)
    return sorted({int(np.abs(values - one).argmin()) for one in wanted})


def _part(label: str, value: float) -> str:
    """Return the name of an axis with a value on it."""
    name = label.partition(", ")[0]
    return f"{name} {_value(value, label)}".strip()


def _value(value: float, label: str, within: tuple[float, float] | None = None) -> str:
    """Return a value with its unit.

    Examples
    --------
    >>> _value(23.64, "items, %"), _value(1.33e-8, "items, %"), _value(1.33e-8, "score")
    ('23.6 %', 'less than 0.01 %', '1.33e-08')
    """
    sign = " %" if "%" in label else ""
    if within is None:
        return "less than 0.01 %" if sign and 0 < value < 0.01 else f"{value:.3g}{sign}"
    low, high = within
    if not sign:
        return f"{value:.3g} ({low:.3g} to {high:.3g})"
    digits = digits_of_size((high - low) / 100, value / 100)  # as in the answer
    return f"{value:.{digits}f} ({low:.{digits}f} to {high:.{digits}f}){sign}"


# A guard: even if something slipped in, the browser would neither run nor fetch it.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_ONLY_NUMBERS = re.compile(r"[-+\d.,% ]+( to [-+\d.,% ]+)?")
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
            return tag("p", unbroken(text), class_="answer")
        case Caution(text):
            return tag("p", tag("strong", "Caution:"), " ", text, class_="caution")
        case Name(text):
            return tag("h3", text, dir="auto")
        case Text(text):
            return tag("p", unbroken(text))
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
            caption = tag("figcaption", tag("b", f"{block.title}."), " ", unbroken(block.caption))
            drawing, values = inline(block)
            listed = tag("ul", *(tag("li", unbroken(one)) for one in values))
            folded = (tag("details", tag("summary", "The values"), listed),) if values else ()
            return tag("figure", Markup(drawing), caption, *folded)


def _fact(name: str, value: str) -> Markup:
    return tag("div", tag("dt", name, dir="auto"), tag("dd", value, dir="auto"))


def _finding(one: Finding) -> Markup:
    level = tag("span", LEVELS[one.level], class_="level")
    head = tag("p", tag("b", f"{one.name}:"), " ", tag("span", unbroken(one.value), class_="value"))
    return tag("li", level, tag("div", head, tag("p", unbroken(one.text))), class_=one.level)


def _cell(text: str) -> Markup:
    """Return a cell, on one line where it holds numbers alone and the screen is wide."""
    look = {"class_": "numbers"} if _ONLY_NUMBERS.fullmatch(text) else {}
    return tag("td", unbroken(text), **look)


def _table(table: Table) -> Markup:
    head = tag("tr", *(tag("th", cell, scope="col") for cell in table.head))
    rows = (
        tag("tr", tag("th", first, scope="row"), *map(_cell, rest)) for first, *rest in table.rows
    )
    inner = tag("table", tag("caption", table.caption), tag("thead", head), tag("tbody", *rows))
    # A region that scrolls by itself must be reachable by keyboard.
    return tag(
        "div", inner, class_="wide", tabindex="0", role="region", **{"aria-label": table.caption}
    )
