"""Pictures of classes: which of them no model can tell apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from errorfloor.results import ClassPair, Confusion
from errorfloor.show.numbers import per_cent
from errorfloor.show.palette import BLUE, DARK, LIGHT, SKY
from errorfloor.show.plot.axes import SMALL, axes_or_new, check_type, finish, legend_above

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FEW, MOST_PAIRS = 12, 12  # classes that have room in a square, and pairs in a list
NUMBERED = 0.004  # shares below which a cell has no number
DEEP = 0.7  # share of the deepest colour from which light letters are read more easily
SHADES = 32  # of the colour bar; more would make an image of it, which scales badly
LONG = 16  # letters of a name that have room
LEVEL = 28  # letters of all names next to each other that have room


def confusion(confusion: Confusion, *, ax: Axes | None = None) -> Axes:
    """Draw which classes the best rule takes for which others.

    Up to twelve classes are a square of cells, each the share of all errors that are truly of the
    row's class and answered by the column's. Of more classes, the pairs with the largest shares
    are drawn as bars.

    Parameters
    ----------
    confusion : Confusion
        What `errorfloor.confusion` returned.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
    """
    remedy = "Pass what errorfloor.confusion returned."
    found = check_type(confusion, Confusion, "confusion", remedy)
    ax = axes_or_new(ax, height_of(found))
    if len(found.classes) <= FEW:
        _draw_square(ax, found)
    else:
        _draw_pairs(ax, found)
    return ax


def height_of(found: Confusion) -> float:
    """Return the height in inches that a picture of so many classes needs."""
    if len(found.classes) <= FEW:
        return 1.3 + 0.24 * len(found.classes)
    return 1.0 + 0.24 * min(len(found.pairs), MOST_PAIRS)


def _draw_square(ax: Axes, found: Confusion) -> None:
    size = len(found.classes)
    share = found.errors / (found.value or 1.0)
    mesh = ax.pcolormesh(
        100 * share,
        cmap="Blues",
        vmin=0,
        edgecolors="white",
        linewidth=0.8,
        vmax=100 * _most(share),
    )
    mesh.set_cmap(mesh.cmap.resampled(SHADES))
    for (row, column), value in np.ndenumerate(share):
        if row == column:
            ax.text(
                column + 0.5, row + 0.5, "·", ha="center", va="center", fontsize=SMALL, color=DARK
            )
        elif value >= NUMBERED:
            ax.text(
                column + 0.5,
                row + 0.5,
                f"{100 * value:.0f}" if value >= 0.0095 else "<1",
                ha="center",
                va="center",
                color=LIGHT if value > DEEP * _most(share) else DARK,
                fontsize=SMALL,
            )
    names = [_short(name) for name in found.classes]
    turned: dict[str, Any] = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
    are_long = max(map(len, names)) * size > LEVEL
    ax.set_xticks(np.arange(size) + 0.5, names, **(turned if are_long else {}))
    ax.set_yticks(np.arange(size) + 0.5, names)
    ax.set_ylim(size, 0)
    bar = ax.figure.colorbar(mesh, ax=ax)
    bar.set_label("share of all errors, %", fontsize=SMALL)
    bar.ax.tick_params(labelsize=SMALL)
    finish(ax, "answer of the best rule", "true class", grid=None)
    ax.tick_params(length=0)


def _draw_pairs(ax: Axes, found: Confusion) -> None:
    pairs = found.pairs[:MOST_PAIRS]
    place = np.arange(len(pairs))
    forth = np.array([100 * pair.first_as_second for pair in pairs])
    back = np.array([100 * pair.second_as_first for pair in pairs])
    ax.barh(place, forth, color=BLUE, label="first class, taken for the second")
    ax.barh(place, back, left=forth, color=SKY, label="second class, taken for the first")
    ax.set_yticks(place, [_both(pair) for pair in pairs])
    ax.invert_yaxis()
    rest = 1 - sum(pair.share for pair in pairs)
    more = f"; all other pairs {per_cent(rest, 0)}" if rest > 0.005 else ""
    finish(ax, f"share of all errors, %{more}", grid="x")
    legend_above(ax)


def _both(pair: ClassPair) -> str:
    return f"{_short(pair.first)} / {_short(pair.second)}"


def _short(name: str) -> str:
    return name if len(name) <= LONG else f"{name[: LONG - 1]}…"


def _most(share: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> float:
    return float(share.max()) or 1.0
