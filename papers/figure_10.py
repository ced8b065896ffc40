"""Figure 10: the floors from shares of m votes, where the noise assumption holds and where not.

Votes are drawn from distorted probabilities. With a = 2 the distortion is nowhere flat, as the
paper's theorem for noisy scores asks; with a = 0.4 it is flat at both ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from papers._check import Check
from papers._curves import curves, draw_curves
from papers._forest import draw_line
from papers._settings import (
    BINS,
    INTERVAL,
    ITEMS,
    LEVEL,
    RESAMPLES,
    SEED,
    clean,
    estimates,
    synthetic,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Estimated floors from shares of 3 to 100 votes, with and without the noise assumption"
VOTES = (3, 5, 10, 25, 50, 100)
SETTINGS = {
    (2.0, 0.5): "assumption holds",
    (0.4, 0.5): "assumption violated",
}
METHODS = ("corrupted", "isotonic", *BINS, "beta")


def compute(*, n: int = ITEMS, n_resamples: int = RESAMPLES) -> dict[str, Any]:
    """Estimate the floor of the same items for each number of votes."""
    data = synthetic(n)
    panels = []
    for (a, b), title in SETTINGS.items():
        seen = data.corrupted(a, b)
        steps = [
            estimates(
                seen.voted(m, rng=SEED + m).scores,
                data.labels,
                methods=METHODS,
                n_resamples=n_resamples,
            )
            for m in VOTES
        ]
        panels.append({"title": title, "a": a, "b": b, "curves": curves(steps)})
    return {
        "level": LEVEL,
        "interval": INTERVAL,
        "n": n,
        "n_resamples": n_resamples,
        "votes": list(VOTES),
        "clean": clean(data, n_resamples=n_resamples),
        "panels": panels,
    }


def draw(numbers: dict[str, Any]) -> Figure:
    """Draw a curve a method over the number of votes."""
    from matplotlib.figure import Figure

    votes = numbers["votes"]
    figure = Figure(figsize=(6.8, 3.3), layout="constrained")
    grid = figure.subplots(1, len(numbers["panels"]), sharey=True, squeeze=False)[0]
    for axes, panel in zip(grid, numbers["panels"], strict=True):
        draw_line(axes.axhline, numbers["clean"]["value"], "from true probabilities")
        draw_curves(axes, votes, panel["curves"])
        axes.set_title(f"{panel['title']}: a = {panel['a']:g}, b = {panel['b']:g}", fontsize=9)
        axes.set_xscale("log")
        axes.set_xticks(votes, [str(m) for m in votes])
        axes.minorticks_off()
        axes.set_xlabel("votes per item", fontsize=9)
    grid[0].set_ylabel("estimated error floor, %", fontsize=9)
    handles, names = grid[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=4, fontsize=8, frameon=False)
    return figure


def checks(numbers: dict[str, Any]) -> list[Check]:
    """Return nothing: the paper prints no number of this figure."""
    return []
