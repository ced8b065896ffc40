"""Figure 11: the floors of all methods on the synthetic set and on all 15 real sets.

As in figure 4, beta-am, beta-ab and beta-a are fitted as the paper defines them. By the authors'
released settings the paper drew BCa intervals for the first three sets and basic ones for the other
13; so do we, with BCa limits next to the basic ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from errorfloor.datasets.catalogue import IN_PAPER, RealSet
from papers._check import Check
from papers._forest import about_variants, draw_panels
from papers._settings import ITEMS, RESAMPLES
from papers.figure_4 import compute as estimate_sets

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ENDS = ("low", "high")
BCA = ("CIFAR-10", "Fashion-MNIST")  # titles of the sets, and the synthetic one
TITLE = "Estimated floors with 95 % bootstrap intervals on all sets"
SIZES = {"SNLI": 1514, "MNLI": 1599, "AbductiveNLI": 1532, "ICLR 2017 to 2025": 32_829}
NOTES = {
    "ICLR 2017 to 2025": "Ours has eight more, one accepted in 2021 and seven rejected in "
    "2022, which we take to have been withdrawn before the paper's authors asked OpenReview: an "
    "inference, as no list of theirs is known."
}


def compute(
    *,
    n: int = ITEMS,
    n_resamples: int = RESAMPLES,
    real_sets: Sequence[RealSet] = tuple(IN_PAPER.values()),
) -> dict[str, Any]:
    """Estimate the floor of every set by every method."""
    return estimate_sets(
        n=n,
        n_resamples=n_resamples,
        real_sets=[real for real in real_sets if real.title in BCA],
        other_sets=[real for real in real_sets if real.title not in BCA],
    )


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


def remarks(numbers: dict[str, Any]) -> str:
    """Say which sets have which limits, how far the two kinds are apart, and what beta-* is."""
    text = (
        "By the authors' released settings the first three panels have BCa intervals and the "
        "others basic ones (SciPy's `basic`). They are drawn so, with BCa limits in grey next to "
        "the basic ones. The lines of the NLI sets are the best errors of models distributed with "
        "ChaosNLI, which we have from the released settings too: those predictions are not here."
    )
    apart = [
        (max(abs(row[end] - own[end]) for end in ENDS), f"{panel['title']}, {row['method']}")
        for panel in numbers["panels"]
        for row, own in zip(panel["rows"], panel["ours"], strict=False)
    ]
    if apart:
        apart.sort()
        text += (
            f" The two differ by {100 * apart[len(apart) // 2][0]:.2f} points in the middle of "
            f"{len(apart)} estimates, and by {100 * apart[-1][0]:.2f} at most ({apart[-1][1]}): "
            "a basic interval mirrors the resampled estimates at the estimate itself, so it moves "
            "away from the side to which refitting on resamples is biased."
        )
    return f"{text}\n\n{about_variants(numbers['panels'][0]['rows'])}"
