"""Models on the same items: their values, and how far they are behind the best one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from errorfloor._checks import InputError
from errorfloor.results import ModelComparison
from errorfloor.show import dots
from errorfloor.show.drawing import draw
from errorfloor.show.gauge import PAGE
from errorfloor.show.plot.axes import axes_or_new, check_type, ink
from errorfloor.show.sentences import refusal_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_PIXELS, _SIZE = 100, 11  # to an inch, and of letters


def models(found: ModelComparison, *, ax: Axes | None = None) -> Axes:
    """Draw models with their intervals, and below them their differences from the best one.

    Differences that may be chance are grey.

    Parameters
    ----------
    found : ModelComparison
        What `errorfloor.compare` returned of models.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
    """
    remedy = "Pass what errorfloor.compare returned of models."
    found = check_type(found, ModelComparison, "found", remedy)
    if found.refuted:
        raise InputError(f"The picture shows an answer, and here is none. {refusal_of(found)}")
    height = dots.height_of(found, _SIZE) + 4
    ax = axes_or_new(ax, height / _PIXELS)
    box, pixels = ax.get_window_extent(), ax.figure.dpi / _PIXELS
    theme = dict.fromkeys(("ink", "soft"), ink(ax))
    size = (box.width / pixels, max(box.height / pixels, height))
    draw(list(dots.shapes(found, top=2, size=_SIZE)), ax, size, {**PAGE, **theme}, 72 / _PIXELS)
    return ax
