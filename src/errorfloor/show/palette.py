"""The colours of pictures and pages, each written once.

Those of pictures can be told apart by colour-blind people: M. Okabe and K. Ito, "Color universal
design", 2008. On a page they are a little darker on white, and brighter on black.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from errorfloor import methods
from errorfloor.methods.record import Method


@dataclass(frozen=True, slots=True)
class Colour:
    """A colour on light and dark screens, on paper, and as it is drawn in pictures."""

    name: str
    light: str
    dark: str
    printed: str
    drawn: str = ""  # where pictures have it


PICTURE = {
    name: Colour(name, light, dark, light, drawn)
    for name, drawn, light, dark in (
        ("blue", "#0072b2", "#0072b2", "#4ba6e0"),
        ("orange", "#e69f00", "#c98700", "#e69f00"),
        ("green", "#009e73", "#00825f", "#2bb98f"),
        ("red", "#d55e00", "#c25400", "#f0803c"),
        ("purple", "#cc79a7", "#b1558a", "#dd93bb"),
        ("sky", "#56b4e9", "#56b4e9", "#2f7fae"),
        ("grey", "#8c8c8c", "#8c8c8c", "#8c9196"),
    )
}
PAGE = (
    Colour("paper", "#fdfdfb", "#15181b", "#ffffff", drawn="#ffffff"),
    Colour("ink", "#1d2125", "#e4e6e3", "#000000", drawn="#000000"),
    Colour("soft", "#555c63", "#a9b0b5", "#444444"),
    Colour("line", "#d9dad4", "#363b40", "#bbbbbb"),
    Colour("panel", "#f4f4ef", "#1d2125", "#ffffff"),
    Colour("accent", "#005a8c", "#7cc4f2", "#005a8c"),
    Colour("caution", "#8a4b00", "#f0b85c", "#8a4b00"),
    Colour("caution-panel", "#fcf3e3", "#2b2416", "#ffffff"),
)
_ALL = (*PAGE, *PICTURE.values())

# On cells, which have their colours on pages of any theme.
DARK, LIGHT = "#111111", "#fafafa"

BLUE, ORANGE, GREEN, RED, PURPLE, SKY, GREY = (colour.drawn for colour in PICTURE.values())


def colour(method: str) -> str:
    """Return the colour of a method, as it is drawn; grey for methods of users."""
    record = methods.known(method) or next(
        (one for one in methods.RECORDS if one.name == method and isinstance(one, Method)), None
    )  # of those for other metrics, too
    return GREY if record is None else PICTURE[record.colour].drawn


def style_sheet() -> str:
    """Return the colours as variables of a style sheet, for screens and for paper."""
    light = _variables((one.name, one.light) for one in _ALL)
    dark = _variables((one.name, one.dark) for one in _ALL)
    printed = _variables((one.name, one.printed) for one in _ALL)
    return (
        f"{light}\n@media (prefers-color-scheme: dark) {{ {dark} }}\n@media print {{ {printed} }}\n"
    )


def on_a_page() -> dict[str, str]:
    """Return, for each colour that is drawn, the variable that takes its place on a page."""
    return {one.drawn: f"var(--{one.name})" for one in _ALL if one.drawn}


def themed(html: str) -> str:
    """Return HTML whose tags have the variables of a page in the place of colours that are drawn.

    Examples
    --------
    >>> themed('<rect fill="#0072b2"/>#0072b2')
    '<rect fill="var(--blue)"/>#0072b2'
    """
    own = on_a_page()
    colours = re.compile("|".join(own))
    return re.sub("<[^>]*>", lambda tag: colours.sub(lambda one: own[one[0]], tag[0]), html)


def in_the_dark(svg: str) -> str:
    """Return a drawing for dark pages: every colour of a tag as it is there, greys turned round.

    Examples
    --------
    >>> in_the_dark('<svg><path style="fill: #0072b2"/><text>#0072b2</text></svg>')
    '<svg fill="#e4e6e3"><path style="fill: #4ba6e0"/><text>#0072b2</text></svg>'
    """
    shown = {one.drawn: one.dark for one in _ALL if one.drawn}
    shown |= {DARK: DARK, LIGHT: LIGHT}
    paper, ink = (_channels(shown[drawn]) for drawn in ("#ffffff", "#000000"))

    def turned(found: re.Match[str]) -> str:
        colour = found[0]
        red, green, blue = _channels(colour)
        if colour in shown or not red == green == blue:
            return shown.get(colour, colour)
        mixed = (
            (red * light + (255 - red) * dark) // 255
            for light, dark in zip(paper, ink, strict=True)
        )
        return "#{:02x}{:02x}{:02x}".format(*mixed)

    svg = re.sub(r"<[^>]*>", lambda tag: re.sub(r"#[0-9a-f]{6}\b", turned, tag[0]), svg)
    # Letters have no colour of their own, which means black.
    return svg.replace("<svg", f'<svg fill="{shown["#000000"]}"', 1)


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:], 16)


def _variables(colours: Iterable[tuple[str, str]]) -> str:
    return f":root {{ {' '.join(f'--{name}: {value};' for name, value in colours)} }}"
