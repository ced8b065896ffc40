"""How the paper's figures look: small type, no decoration."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLACK = "#000000"  # next to the colours of all pictures
COLUMN, PAGE = 4.2, 7.2  # widths in inches

RC: dict[str, Any] = {
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 9,
    "figure.constrained_layout.use": True,
    "figure.dpi": 100,
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial"],  # the first comes with matplotlib
    "font.size": 8,
    "grid.color": "0.9",
    "grid.linewidth": 0.6,
    "legend.fontsize": 7.5,
    "legend.frameon": False,
    "lines.linewidth": 1.5,
    "savefig.dpi": 200,
    "svg.fonttype": "none",  # letters, not outlines: half the size, and can be searched
    "svg.hashsalt": "errorfloor",  # the same figure is the same file
}


def style() -> AbstractContextManager[None]:
    """Return a context in which figures are drawn and saved alike on all machines."""
    from matplotlib.style import context

    return context(RC, after_reset=True)


def percent_axis(axis: Any, decimals: int | None = None) -> None:
    """Label an axis of fractions in per cent."""
    from matplotlib.ticker import FuncFormatter

    def text(value: float, _: int) -> str:
        return f"{100 * value:.{decimals}f} %" if decimals is not None else f"{100 * value:g} %"

    axis.set_major_formatter(FuncFormatter(text))


def letter(ax: Axes, index: int, title: str) -> None:
    """Put a panel's letter and title above it."""
    ax.set_title(f"({chr(ord('a') + index)}) {title}", loc="left")
