"""Figure 6: how the soft labels of the real sets are distributed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from errorfloor._typing import Floats
from errorfloor.datasets.catalogue import IN_PAPER
from errorfloor.show.palette import BLUE, ORANGE
from papers._check import Check
from papers._style import PAGE, letter

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "The distribution of the soft labels of CIFAR-10, and beyond the print of five other sets"

NAMES = ("CIFAR-10", "Fashion-MNIST", "SNLI", "MNLI", "AbductiveNLI", "ICLR2017-2025")
BINS = 25  # none of their edges is 1/2, where many soft labels lie


def compute() -> dict[str, Any]:
    """Return each set's histograms of soft labels, those of both labels apart."""
    edges = np.arange(BINS + 1) / BINS
    return {"edges": edges.tolist(), "sets": {name: _histogram(name, edges) for name in NAMES}}


def _histogram(name: str, edges: Floats) -> dict[str, Any]:
    data = IN_PAPER[name].load()
    negatives, positives = (
        np.histogram(data.scores[data.labels == label], edges)[0] for label in (False, True)
    )
    return {
        "n": data.n,
        "negatives": negatives.tolist(),
        "positives": positives.tolist(),
        "certain": float(np.isin(data.scores, (0, 1)).mean()),
        "near_half": float((np.abs(data.scores - 0.5) < 0.1).mean()),
    }


def draw(numbers: dict[str, Any]) -> Figure:
    """Draw the share of items in each bin, on a logarithmic scale."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(PAGE, 4))
    axes = figure.subplots(2, 3, sharex=True, sharey=True).ravel()
    edges = numbers["edges"]
    for index, (name, found) in enumerate(numbers["sets"].items()):
        ax = axes[index]
        for label, colour in (("negatives", BLUE), ("positives", ORANGE)):
            share = np.array(found[label]) / found["n"]
            ax.stairs(share, edges, fill=True, alpha=0.35, color=colour)
            what = "labelled 1" if label == "positives" else "labelled 0"
            ax.stairs(share, edges, color=colour, linewidth=1.2, label=what)
        letter(ax, index, f"{name}, {found['n']:,} items")
        ax.text(
            0.5,
            0.97,
            f"{100 * found['certain']:.1f} % are 0 or 1\n"
            f"{100 * found['near_half']:.1f} % are near 1/2 (0.4 to 0.6)",
            transform=ax.transAxes,
            ha="center",
            va="top",
            fontsize=7,
        )
    axes[0].set(yscale="log", xlim=(0, 1), ylim=(5e-5, 3))
    axes[0].set_yticks([1e-4, 1e-3, 1e-2, 1e-1, 1], ["0.01 %", "0.1 %", "1 %", "10 %", "100 %"])
    axes[0].yaxis.minorticks_off()
    axes[0].legend(loc="center", bbox_to_anchor=(0.5, 0.55))
    figure.supxlabel("soft label: share of votes for class 1, or scaled mean rating", fontsize=8)
    figure.supylabel("share of all items, logarithmic", fontsize=8)
    return figure


def checks(numbers: dict[str, Any]) -> list[Check]:
    """Return nothing: the paper shows the histogram only."""
    return []
