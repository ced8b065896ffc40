"""Drawings as SVG that fits into a page: its colours, its letters, names of their own."""

from __future__ import annotations

import io
import re
import warnings
from html import escape

from errorfloor.show.palette import on_a_page
from errorfloor.show.plot.axes import matplotlib
from errorfloor.show.report.blocks import Picture
from errorfloor.show.report.marks import POINTS, marks_of, overlay

COLOURS = on_a_page()  # so they change with the page's theme
SETTINGS = {
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "legend.facecolor": "none",
    "svg.fonttype": "none",  # letters, which can be read out and searched
}


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
