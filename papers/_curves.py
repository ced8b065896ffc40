"""Estimates along a scale, one curve a method with the band of its interval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

from papers._forest import PARTS, colour, tidy
from papers._settings import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Within a family, so that no two methods share colour, dashes and marker.
DASHES = {
    "hist-25": (0, (4, 1.5)),
    "hist-50": (0, (2, 1.2)),
    "hist-100": (0, (1, 1)),
    "beta-am": (0, (4, 1.5)),
    "beta-ab": (0, (2, 1.2)),
    "beta-a": (0, (1, 1)),
}
MARKERS = {"isotonic": "o", "hist": "s", "beta": "^", "platt": "D", "corrupted": "X"}


class Curve(TypedDict):
    """A method's estimates along a scale, ready for JSON."""

    method: str
    value: list[float]
    low: list[float]
    high: list[float]


def curves(steps: Sequence[Sequence[Row]]) -> list[Curve]:
    """Turn the rows of every step into one curve a method."""
    return [
        {
            "method": rows[0]["method"],
            "value": [row["value"] for row in rows],
            "low": [row["low"] for row in rows],
            "high": [row["high"] for row in rows],
        }
        for rows in zip(*steps, strict=True)
    ]


def draw_curves(axes: Axes, place: Sequence[float], found: Sequence[Curve]) -> None:
    """Draw curves and their bands over the places of their steps."""
    for curve in found:
        method = curve["method"]
        shade = colour(method)
        low, value, high = ([100 * x for x in curve[part]] for part in PARTS)
        # Isotonic lies below, thick, where histograms would hide it or be hidden.
        first = method == "isotonic"
        axes.fill_between(place, low, high, color=shade, alpha=0.1, linewidth=0)
        axes.plot(
            place,
            value,
            color=shade,
            linestyle=DASHES.get(method, "-"),
            linewidth=3 if first else 1.2,
            marker=MARKERS[method.split("-")[0]],
            markersize=5.5 if first else 3,
            label=method,
            zorder=3 if first else 4,
        )
    tidy(axes)
    axes.tick_params(axis="y", labelsize=8)
    axes.grid(axis="y", color="0.92", linewidth=0.6)
