"""Figure 3: the corruption f(p; 2, 0.7) of the synthetic set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from papers import figure_8
from papers._check import Check
from papers._settings import DISTORTION

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "The corruption map f(p; 2, 0.7) of the synthetic set"


def compute() -> dict[str, Any]:
    """Return the map on a grid and at 1/2."""
    return figure_8.compute(maps=(DISTORTION,))


def draw(numbers: dict[str, Any]) -> Figure:
    """Draw the map, and where 1/2 goes."""
    return figure_8.draw(numbers)


def checks(numbers: dict[str, Any]) -> list[Check]:
    """Compare where 1/2 goes with the paper's word that it is b."""
    return figure_8.checks(numbers)
