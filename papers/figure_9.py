"""Figure 9: the floors of all methods on the synthetic set under six distortions of its scores.

As in figure 4, beta-am, beta-ab and beta-a are fitted as the paper defines them. Neither beta-ab
nor beta-a can move the score that stands for 1/2, so they undo distortions with b = 1/2 only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from papers._check import Check
from papers._forest import about_variants, draw_panels, synthetic_panel
from papers._settings import DISTORTION, INTERVAL, ITEMS, LEVEL, RESAMPLES, synthetic

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Estimated floors of the synthetic set under six distortions of its scores"
SETTINGS = tuple((a, b) for a in (0.4, 2.0) for b in (0.5, 0.7, 0.9))


def compute(*, n: int = ITEMS, n_resamples: int = RESAMPLES) -> dict[str, Any]:
    """Estimate the floor of the same items under each distortion."""
    data = synthetic(n)
    return {
        "level": LEVEL,
        "interval": INTERVAL,
        "n_resamples": n_resamples,
        "settings": [{"a": a, "b": b} for a, b in SETTINGS],
        "panels": [
            synthetic_panel(data, f"a = {a:g}, b = {b:g}", (a, b), n_resamples=n_resamples)
            for a, b in SETTINGS
        ],
    }


def draw(numbers: dict[str, Any]) -> Figure:
    """Draw the estimates under each distortion in a panel."""
    return draw_panels(numbers["panels"], columns=3, common_scale=True)


def checks(numbers: dict[str, Any]) -> list[Check]:
    """Return nothing: the paper prints no number of this figure."""
    return []


def remarks(numbers: dict[str, Any]) -> str:
    """Say what the variants of beta are."""
    (panel,) = (
        panel
        for panel, setting in zip(numbers["panels"], numbers["settings"], strict=True)
        if (setting["a"], setting["b"]) == DISTORTION
    )
    return f"{about_variants(panel['rows'])} That is for a = 2 and b = 0.7, as in figure 4."
