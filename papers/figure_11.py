"""Figure 11: the floors of all methods on the synthetic set and on all 15 real sets.

As in figure 4, beta-am, beta-ab and beta-a are fitted as the paper defines them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from errorfloor.datasets.catalogue import IN_PAPER, RealSet
from papers._check import Check
from papers._forest import draw_panels
from papers._settings import ITEMS, RESAMPLES
from papers.figure_4 import compute as estimate_sets

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Estimated floors with 95 % bootstrap intervals on all sets"
SIZES = {"SNLI": 1514, "MNLI": 1599, "AbductiveNLI": 1532, "ICLR 2017 to 2025": 32_829}
NOTES = {
    "ICLR 2017 to 2025": "Ours has eight more, one accepted in 2021 and seven rejected in "
    "2022, which were withdrawn before the paper's authors asked OpenReview."
}


def compute(
    *,
    n: int = ITEMS,
    n_resamples: int = RESAMPLES,
    real_sets: Sequence[RealSet] = tuple(IN_PAPER.values()),
) -> dict[str, Any]:
    """Estimate the floor of every set by every method."""
    return estimate_sets(n=n, n_resamples=n_resamples, real_sets=real_sets)


def draw(numbers: dict[str, Any]) -> Figure:
    """Draw the estimates of each set in a panel."""
    return draw_panels(numbers["panels"], columns=4)


def checks(numbers: dict[str, Any]) -> list[Check]:
    """Compare the numbers of items, the only ones that the paper prints."""
    sizes = {panel["title"]: panel["n"] for panel in numbers["panels"]}
    return [
        Check(f"items of {title}", published, sizes[title], None, NOTES.get(title, ""))
        for title, published in SIZES.items()
        if title in sizes
    ]
