"""Figure 12: the floors from scores that do not keep the order of the true probabilities.

Gaussian noise is added to the log-odds of the scores; Kendall's tau between these and the true
probabilities measures what that does to the order. As in figure 4, beta-am, beta-ab and beta-a
are fitted as the paper defines them. By the authors' released settings its intervals are basic
ones; the numbers of BCa intervals are next to them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from errorfloor._typing import Bools, Floats
from papers._check import Check
from papers._curves import Curve, curves, draw_curves
from papers._forest import about_variants, draw_line
from papers._settings import (
    CALIBRATORS,
    DISTORTION,
    INTERVAL,
    ITEMS,
    LEVEL,
    OTHER_INTERVAL,
    RESAMPLES,
    SEED,
    VOTES,
    clean,
    estimates,
    synthetic,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Estimated floors from scores out of order, as they are and as shares of 50 votes"
# The paper's are the powers of ten. Nearly all that happens lies between its last two.
SIGMAS = (*(10.0**power for power in range(-10, 0)), 0.2, 0.3, 0.5, 0.7, 1.0)


def compute(
    *, n: int = ITEMS, n_resamples: int = RESAMPLES, sigmas: Sequence[float] = SIGMAS
) -> dict[str, Any]:
    """Estimate the floor of the same items for each amount of disorder."""
    data = synthetic(n)
    seen = data.corrupted(*DISTORTION)
    # One draw of noise, scaled: more of it never is another kind of it.
    disordered = [seen.out_of_order(sigma, rng=SEED + 2) for sigma in sigmas]
    kinds = {
        "without vote noise": [broken.scores for broken in disordered],
        f"with the noise of {VOTES} votes": [
            broken.voted(VOTES, rng=SEED + 3).scores for broken in disordered
        ],
    }
    return {
        "level": LEVEL,
        "interval": OTHER_INTERVAL,
        "n": n,
        "n_resamples": n_resamples,
        "a": DISTORTION[0],
        "b": DISTORTION[1],
        "sigmas": list(sigmas),
        "taus": [kendall(data.soft_labels, broken.scores) for broken in disordered],
        "clean": clean(data, n_resamples=n_resamples),
        "panels": [
            {
                "title": title,
                "curves": _curves(scores, data.labels, OTHER_INTERVAL, n_resamples),
                "ours": _curves(scores, data.labels, INTERVAL, n_resamples),
            }
            for title, scores in kinds.items()
        ],
    }


def _curves(steps: Sequence[Floats], labels: Bools, interval: str, n_resamples: int) -> list[Curve]:
    return curves(
        [
            estimates(
                scores, labels, methods=CALIBRATORS, n_resamples=n_resamples, interval=interval
            )
            for scores in steps
        ]
    )


def kendall(first: Floats, second: Floats) -> float:
    """Return Kendall's tau; (1 - tau) / 2 is the share of pairs that are out of order."""
    from scipy.stats import kendalltau

    return float(kendalltau(first, second).statistic)


def draw(numbers: dict[str, Any]) -> Figure:
    """Draw a curve a method over Kendall's tau."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.8, 3.9), layout="constrained")
    grid = figure.subplots(1, len(numbers["panels"]), sharey=True, squeeze=False)[0]
    for axes, panel in zip(grid, numbers["panels"], strict=True):
        draw_line(axes.axhline, numbers["clean"]["value"], "from true probabilities")
        draw_curves(axes, numbers["taus"], panel["curves"])
        axes.set_title(panel["title"], fontsize=9)
        axes.set_xlabel("Kendall's tau of scores and true probabilities", fontsize=8)
    grid[0].set_ylabel("estimated error floor, %", fontsize=9)
    handles, names = grid[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=4, fontsize=8, frameon=False)
    return figure


def checks(numbers: dict[str, Any]) -> list[Check]:
    """Return nothing: the paper prints no number of this figure."""
    return []


def remarks(numbers: dict[str, Any]) -> str:
    """Say how far basic and BCa limits are apart, and what beta-* is."""
    apart = max(
        abs(one - other)
        for panel in numbers["panels"]
        for basic, bca in zip(panel["curves"], panel["ours"], strict=True)
        for end in ("low", "high")
        for one, other in zip(basic[end], bca[end], strict=True)
    )
    first = numbers["panels"][0]["curves"]
    rows = [{"method": curve["method"], "value": curve["value"][0]} for curve in first]
    return (
        "The bands are basic intervals, as in the authors' released settings. BCa limits, `ours` "
        f"in the numbers, differ from them by {100 * apart:.2f} points at most.\n\n"
        f"{about_variants(rows)}"
    )
