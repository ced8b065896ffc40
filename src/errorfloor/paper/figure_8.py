"""Figure 8, and 4 as one of its panels: how soft labels are distorted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from errorfloor.datasets.synthetic import corrupt
from errorfloor.paper._check import Check
from errorfloor.paper._style import PAGE, letter
from errorfloor.show.palette import BLUE, GREY, ORANGE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "The corruption maps f(p; a, b); figure 4 is panel (e)"

MAPS = tuple((a, b) for a in (0.4, 2.0) for b in (0.5, 0.7, 0.9))
GRID = np.linspace(0, 1, 201)
HALF = np.asarray(0.5)


def compute() -> dict[str, Any]:
    """Return each map on a grid and at 1/2."""
    maps = [
        {"a": a, "b": b, "f": corrupt(GRID, a, b).tolist(), "at_half": float(corrupt(HALF, a, b))}
        for a, b in MAPS
    ]
    return {"p": GRID.tolist(), "maps": maps}


def draw(numbers: dict[str, Any]) -> Figure:
    """Draw the maps, and where 1/2 goes."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(PAGE, 5))
    axes = figure.subplots(2, 3, sharex=True, sharey=True).ravel()
    for index, (ax, found) in enumerate(zip(axes, numbers["maps"], strict=True)):
        ax.plot([0, 1], [0, 1], color=GREY, linestyle=":", linewidth=1)
        ax.plot(numbers["p"], found["f"], color=BLUE)
        ax.plot([0.5], [found["at_half"]], "o", color=ORANGE, markersize=5)
        letter(ax, index, f"a = {found['a']:g}, b = {found['b']:g}")
        ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
        effect = "more confident" if found["a"] < 1 else "less confident"
        ax.text(0.96, 0.05, effect, ha="right")
    axes[0].annotate("1/2 becomes b", (0.5, 0.5), xytext=(0.55, 0.44))
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
