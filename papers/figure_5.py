"""Figure 5: how strongly an item's bias is felt at the fast rate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from errorfloor.bounds import l_err
from errorfloor.show.palette import BLUE, GREY
from papers._check import Check
from papers._style import COLUMN

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "The function L_err, an item's part in the bias at the fast rate 1 / m"

GRID = np.arange(1, 400) / 800  # up to 1/2, where the function is infinite


def compute() -> dict[str, Any]:
    """Return the function on both sides of 1/2."""
    both = np.concatenate([GRID, 1 - GRID[::-1]])
    return {"soft_labels": both.tolist(), "l_err": l_err(both).tolist()}


def draw(numbers: dict[str, Any]) -> Figure:
    """Draw the function, cut off where it grows without limit."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(COLUMN, 2.6))
    ax = figure.add_subplot()
    half = len(numbers["soft_labels"]) // 2
    for side in (slice(half), slice(half, None)):
        ax.plot(numbers["soft_labels"][side], numbers["l_err"][side], color=BLUE)
    ax.axvline(0.5, color=GREY, linestyle=":", linewidth=1)
    ax.annotate(
        "infinite for\na coin flip",
        (0.5, 4.2),
        xytext=(14, 0),
        textcoords="offset points",
        fontsize=7.5,
    )
    ax.set(
        xlabel="true probability q of class 1",
        ylabel="$q\\,(1 - q)\\;/\\;|2q - 1|$",
        title="What an item adds to m times the bound on the bias",
        xlim=(0, 1),
        ylim=(0, 5),
    )
    return figure


def checks(numbers: dict[str, Any]) -> list[Check]:
    """Return nothing: the paper shows the curve only."""
    return []
