"""Figure 2: what is known of the bias of votes, from a model's error and from nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from errorfloor.bounds import computable_bias_bound, ishida_bias_bound, sharp_bias_bound
from errorfloor.show.palette import BLUE, GREEN, ORANGE
from papers._check import Check
from papers._style import BLACK, COLUMN, percent_axis

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Bounds on the bias of the plug-in estimate from 50 votes per item"

ITEMS, VOTES = 10_000, 50
MODEL_ERROR = 0.0005  # of the best model on CIFAR-10
GRID = np.geomspace(1e-5, 0.5, 201)


def compute() -> dict[str, Any]:
    """Return the bounds over a grid of model errors and at the paper's."""
    older = ishida_bias_bound(ITEMS, VOTES)
    ours = computable_bias_bound(MODEL_ERROR, VOTES)
    return {
        "items": ITEMS,
        "votes": VOTES,
        "grid": GRID.tolist(),
        "bound": computable_bias_bound(GRID, VOTES).tolist(),
        "sharp": sharp_bias_bound(GRID, VOTES).tolist(),
        "older": older,
        "model_error": MODEL_ERROR,
        "bound_at_model_error": ours,
        "sharp_at_model_error": sharp_bias_bound(MODEL_ERROR, VOTES),
        "ratio": older / ours,
    }


def draw(numbers: dict[str, Any]) -> Figure:
    """Draw the three bounds and the model's error."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(COLUMN, 2.9))
    ax = figure.add_subplot(xscale="log", yscale="log")
    grid, at = numbers["grid"], numbers["model_error"]
    older = [numbers["older"]] * len(grid)
    for line, colour, dashes, label, place in (
        (older, ORANGE, "-", "Ishida et al. 2023", (1.2e-5, 0.22)),
        (numbers["bound"], BLUE, "-", "the paper's B(E, m)", (1.2e-5, 5e-3)),
        (numbers["sharp"], GREEN, "-.", "the smallest possible bound", (1.2e-3, 2e-5)),
    ):
        ax.plot(grid, line, color=colour, linestyle=dashes, label=label)
        ax.annotate(label, place, color=colour)
    ax.axvline(at, color=BLACK, linestyle="--", linewidth=1)
    ax.annotate(f"best model: {100 * at:g} %", (1.12 * at, 1.6e-6))
    ax.set(
        xlabel="error E of a known model",
        ylabel="largest possible bias",
        xlim=(grid[0], grid[-1]),
        ylim=(1e-6, 1),
        title=f"{numbers['votes']} votes per item, {numbers['items']:,} items",
    )
    percent_axis(ax.xaxis)
    percent_axis(ax.yaxis)
    return figure


def checks(numbers: dict[str, Any]) -> list[Check]:
    """Compare the numbers of section 2.2 with ours."""
    sharp = numbers["sharp_at_model_error"]
    return [
        Check(
            "bound of Ishida et al.",
            0.557,
            numbers["older"],
            None,
            "The print cuts the fourth digit off.",
        ),
        Check(
            "bound B(E, m) at E = 0.05 %",
            0.00276,
            numbers["bound_at_model_error"],
            None,
            f"The smallest bound that E allows is {sharp:.7f}, "
            f"{numbers['bound_at_model_error'] / sharp:.0f} times tighter still.",
        ),
        Check("ratio of the two", 200, numbers["ratio"], None, 'The print says "over 200 times".'),
    ]
