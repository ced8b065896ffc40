"""Plain shapes, drawn as SVG without any library, or as a picture of pixels by matplotlib.

Places from left to right are shares of the width, so that a drawing fills any page; everything else
is in pixels. Colours are names of a theme, or colours.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from errorfloor.show.markup import unbroken

FONT = "Inter, 'Segoe UI', Helvetica, Arial, sans-serif"
Theme = Mapping[str, str]
# In a page the text has the colour of the text around it; shades fit light and dark pages.
PAGE: Theme = {
    "ink": "currentColor",
    "soft": "currentColor",
    "model": "#0072b2",
    "left": "#56b4e9",
    "zone": "#8c8c8c",
    "beyond": "#e69f00",
}


@dataclass(frozen=True, slots=True)
class Box:
    """A filled rectangle."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    opacity: float = 1.0
    tip: str = ""  # words that show where a pointer rests on it


@dataclass(frozen=True, slots=True)
class Dot:
    """A filled circle, with words that show where a pointer rests on it."""

    x: float
    y: float
    radius: float
    fill: str
    tip: str = ""


@dataclass(frozen=True, slots=True)
class Stroke:
    """A straight line."""

    x: float
    y: float
    to_x: float
    to_y: float
    colour: str
    width: float = 1.0
    dashed: bool = False
    opacity: float = 1.0


@dataclass(frozen=True, slots=True)
class Pointer:
    """A small triangle whose tip is at a place."""

    x: float
    y: float
    size: float
    fill: str


@dataclass(frozen=True, slots=True)
class Words:
    """A line of text."""

    x: float
    y: float
    text: str
    size: float
    colour: str
    anchor: str = "start"
    weight: int = 400


Shape = Box | Dot | Stroke | Pointer | Words


def svg(
    shapes: Iterable[Shape], height: float, theme: Theme, label: str, width: float | None = None
) -> str:
    """Return shapes as an SVG element: as wide as the page, or as a file of its own."""
    inner = "".join(_element(shape, theme, width) for shape in shapes)
    about = f'role="img" aria-label="{escape(label)}"'
    if width is None:
        style = f"display:block;width:100%;max-width:46em;font-family:{FONT};overflow:visible"
        return f'<svg {about} height="{height:g}" style="{escape(style)}">{inner}</svg>'
    box = f'viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {box} {about} font-family="{escape(FONT)}">'
    return f"{head}<title>{escape(label)}</title>{inner}</svg>\n"


def _element(shape: Shape, theme: Theme, width: float | None) -> str:
    def across(share: float) -> str:
        return f"{100 * share:.3f}%" if width is None else f"{width * share:.1f}"

    match shape:
        case Box():
            return (
                f'<rect x="{across(shape.x)}" y="{shape.y:g}" width="{across(shape.width)}" '
                f'height="{shape.height:g}" fill="{_in(theme, shape.fill)}" '
                f'fill-opacity="{shape.opacity:.3g}">{_tip(shape.tip)}</rect>'
            )
        case Dot():
            return (
                f'<circle cx="{across(shape.x)}" cy="{shape.y:g}" r="{shape.radius:g}" '
                f'fill="{_in(theme, shape.fill)}">{_tip(shape.tip)}</circle>'
            )
        case Stroke():
            dash = ' stroke-dasharray="4 4"' if shape.dashed else ""
            faint = f' stroke-opacity="{shape.opacity:g}"' if shape.opacity < 1 else ""
            return (
                f'<line x1="{across(shape.x)}" y1="{shape.y:g}" '
                f'x2="{across(shape.to_x)}" y2="{shape.to_y:g}" '
                f'stroke="{_in(theme, shape.colour)}" stroke-width="{shape.width:g}"{dash}{faint}/>'
            )
        case Pointer():
            side, tall = 0.6 * shape.size, shape.size
            return (
                f'<svg x="{across(shape.x)}" y="{shape.y:g}" overflow="visible">'
                f'<path d="M0 0L{-side:g} {-tall:g}H{side:g}Z" '
                f'fill="{_in(theme, shape.fill)}"/></svg>'
            )
        case Words():
            return (
                f'<text x="{across(shape.x)}" y="{shape.y:g}" font-size="{shape.size:g}" '
                f'font-weight="{shape.weight}" text-anchor="{shape.anchor}" '
                f'fill="{_in(theme, shape.colour)}">{escape(shape.text)}</text>'
            )


def _in(theme: Theme, colour: str) -> str:
    return theme.get(colour, colour)


def _tip(text: str) -> str:
    return f"<title>{escape(text)}</title>" if text else ""


@dataclass(frozen=True, slots=True)
class Hero:
    """A number to read from two metres, what it is, and what goes with it."""

    number: str
    meaning: str
    detail: str


def on_page(heroes: Iterable[Hero], drawing: str) -> str:
    """Return numbers side by side above a drawing, as a piece of HTML."""
    first = "".join(map(_hero_on_page, heroes))
    row = "display:flex;flex-wrap:wrap;gap:.8em 3em;margin:.2em 0 .8em"
    return f'<div style="{row}">{first}</div>{drawing}'


def _hero_on_page(hero: Hero) -> str:
    size = "font-size:3em;font-weight:700;line-height:1.1;letter-spacing:-.02em"
    number = f'<div style="{size}">{escape(unbroken(hero.number))}</div>'
    detail = f'<div style="opacity:.8">{escape(hero.detail)}</div>' if hero.detail else ""
    inner = f"{number}<div>{escape(hero.meaning)}</div>{detail}"
    return f'<div style="line-height:1.25">{inner}</div>'


def png(shapes: Sequence[Shape], size: tuple[float, float], theme: Theme) -> bytes:
    """Return shapes as a PNG of that many pixels."""
    from errorfloor.show.plot import matplotlib

    width, height = size
    dots = 100  # to an inch
    figure = matplotlib("figure").Figure(figsize=(width / dots, height / dots), dpi=dots)
    draw(shapes, figure.add_axes((0, 0, 1, 1)), size, theme, 72 / dots)
    file = io.BytesIO()
    figure.savefig(file, format="png", metadata={"Software": None})
    return file.getvalue()


def draw(
    shapes: Sequence[Shape], axes: Any, size: tuple[float, float], theme: Theme, point: float
) -> None:
    """Draw shapes on axes of matplotlib that are that many pixels large, of so many points."""
    width, height = size
    axes.set(xlim=(0, width), ylim=(height, 0))
    axes.set_axis_off()
    for order, shape in enumerate(shapes):
        _draw(shape, axes, width, theme, order, point)


def _draw(shape: Shape, axes: Any, width: float, theme: Theme, order: int, point: float) -> None:
    from errorfloor.show.plot import matplotlib

    match shape:
        case Box():
            corner, size = (width * shape.x, shape.y), (width * shape.width, shape.height)
            look = {"color": _in(theme, shape.fill), "alpha": shape.opacity, "linewidth": 0}
            patch = matplotlib("patches").Rectangle(corner, *size, zorder=order, **look)
            axes.add_patch(patch)
        case Dot():
            look = {"color": _in(theme, shape.fill), "linewidth": 0, "zorder": order}
            place = (width * shape.x, shape.y)
            axes.add_patch(matplotlib("patches").Circle(place, shape.radius, **look))
        case Stroke():
            across = (width * shape.x, width * shape.to_x)
            dash = {"linestyle": (0, (3, 3))} if shape.dashed else {}
            look = {"color": _in(theme, shape.colour), "linewidth": point * shape.width, **dash}
            axes.plot(across, (shape.y, shape.to_y), zorder=order, alpha=shape.opacity, **look)
        case Pointer():
            x, side = width * shape.x, 0.6 * shape.size
            top = shape.y - shape.size
            corners = ([x, x - side, x + side], [shape.y, top, top])
            axes.fill(*corners, color=_in(theme, shape.fill), linewidth=0, zorder=order)
        case Words():
            _write(shape, axes, width, theme, order, point)


def _write(words: Words, axes: Any, width: float, theme: Theme, order: int, point: float) -> None:
    sides = {"start": "left", "middle": "center", "end": "right"}
    # A dollar sign is a dollar sign, and no formula.
    axes.text(
        width * words.x,
        words.y,
        words.text,
        fontsize=point * words.size,
        fontweight="bold" if words.weight >= 600 else "normal",
        color=_in(theme, words.colour),
        horizontalalignment=sides[words.anchor],
        parse_math=False,
        zorder=order,
    )
