"""Figure 8: how soft labels are distorted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from errorfloor.datasets.synthetic import corrupt
from errorfloor.show.palette import BLUE, GREY, ORANGE
from papers._check import Check
from papers._style import PAGE, letter

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "The corruption maps f(p; a, b) for six choices of a and b"

MAPS = tuple((a, b) for a in (0.4, 2.0) for b in (0.5, 0.7, 0.9))
GRID = np.linspace(0, 1, 201)
HALF = np.asarray(0.5)


def compute(*, maps: Sequence[tuple[float, float]] = MAPS) -> dict[str, Any]:
    """Return each map on a grid and at 1/2."""
    found = [
        {"a": a, "b": b, "f": corrupt(GRID, a, b).tolist(), "at_half": float(corrupt(HALF, a, b))}
        for a, b in maps
    ]
    return {"p": GRID.tolist(), "maps": found}


def draw(numbers: dict[str, Any]) -> Figure:
    """Draw the maps, and where 1/2 goes."""
    from matplotlib.figure import Figure

    rows, columns = (2, 3) if len(numbers["maps"]) > 1 else (1, 1)
    figure = Figure(figsize=(PAGE, 5) if columns > 1 else (PAGE / 3 + 0.4, 2.7))
    axes = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).ravel()
    for index, (ax, found) in enumerate(zip(axes, numbers["maps"], strict=True)):
        ax.plot([0, 1], [0, 1], color=GREY, linestyle=":", linewidth=1)
        ax.plot(numbers["p"], found["f"], color=BLUE)
        ax.plot([0.5], [found["at_half"]], "o", color=ORANGE, markersize=5)
        title = f"a = {found['a']:g}, b = {found['b']:g}"
        if columns > 1:
            letter(ax, index, title)
        else:
            ax.set_title(title, loc="left")
        ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
        effect = "more confident" if found["a"] < 1 else "less confident"
        ax.text(0.96, 0.05, effect, ha="right")
    half = numbers["maps"][0]["at_half"]
    place = (0.55, 0.44) if half <= 0.5 else (0.05, half + 0.06)  # off the diagonal
    axes[0].annotate("1/2 becomes b", (0.5, half), xytext=place)
    axes[0].text(0.15, 0.19, "unchanged", rotation=45, rotation_mode="anchor", color="0.4")
    figure.supxlabel("true probability p", fontsize=8)
    figure.supylabel("distorted probability f(p; a, b)", fontsize=8)
    return figure


def checks(numbers: dict[str, Any]) -> list[Check]:
    """Compare where 1/2 goes with the paper's word that it is b."""
    return [
        Check(f"f(1/2; {found['a']:g}, {found['b']:g})", found["b"], found["at_half"], None)
        for found in numbers["maps"]
    ]
