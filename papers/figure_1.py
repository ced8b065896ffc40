"""Figure 1: the floor of CIFAR-10 from its votes taken at face value, next to a model's error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from errorfloor.datasets.catalogue import SETS
from papers._check import Check
from papers._forest import colour, real_panel, tidy
from papers._settings import INTERVAL, LEVEL, RESAMPLES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "CIFAR-10: the floor from votes at face value is above the error of a Vision Transformer"


def compute(*, n_resamples: int = RESAMPLES) -> dict[str, Any]:
    """Estimate the floor of CIFAR-10 from uncalibrated scores, as in figure 4."""
    real = SETS[0]
    panel = real_panel(real, methods=["corrupted"], n_resamples=n_resamples)
    totals = real.load().totals
    return {
        "level": LEVEL,
        "interval": INTERVAL,
        "n_resamples": n_resamples,
        "estimate": panel["rows"][0],
        "model_error": panel["line"],
        "fewest_votes": int(totals.min()),
        "most_votes": int(totals.max()),
    }


def draw(numbers: dict[str, Any]) -> Figure:
    """Draw the estimate and the model's error as bars."""
    from matplotlib.figure import Figure

    found, error = numbers["estimate"], numbers["model_error"]
    figure = Figure(figsize=(3.6, 1.5), layout="constrained")
    axes = figure.subplots()
    lengths = [100 * found["value"], 100 * error]
    axes.barh([0, 1], lengths, height=0.6, color=[colour("corrupted"), "0.45"])
    limits = [100 * found["low"], 100 * found["high"]]
    axes.plot(limits, [0, 0], color="black", linewidth=1.6, marker="|", markersize=6)
    axes.text(limits[1], 0, f"  {lengths[0]:.2f} %", va="center", fontsize=8)
    axes.text(lengths[1], 1, f"  {lengths[1]:.2f} %", va="center", fontsize=8)
    names = ["floor from votes\nat face value", "error of a Vision\nTransformer"]
    axes.set_yticks([0, 1], names, fontsize=8)
    axes.invert_yaxis()
    axes.set_xlim(0, 1.25 * limits[1])
    axes.set_xlabel("error rate on CIFAR-10, %", fontsize=8)
    tidy(axes)
    axes.tick_params(axis="y", length=0)
    return figure


def checks(numbers: dict[str, Any]) -> list[Check]:
    """Compare the numbers of votes; the paper prints no number of the figure itself."""
    return [
        Check("fewest votes on an image of CIFAR-10H", 47, numbers["fewest_votes"], None),
        Check("most votes on an image of CIFAR-10H", 63, numbers["most_votes"], None),
    ]
