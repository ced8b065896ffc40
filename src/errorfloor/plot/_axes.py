"""What all pictures share: colours that colour-blind people tell apart, small type, legends."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# M. Okabe and K. Ito, "Color universal design", 2008.
BLUE, ORANGE, GREEN, RED = "#0072B2", "#E69F00", "#009E73", "#D55E00"
PURPLE, SKY, GREY = "#CC79A7", "#56B4E9", "#8C8C8C"

# The colour of a method is that of its family, the part of its name before the first hyphen.
FAMILIES = {
    "isotonic": BLUE,
    "hist": ORANGE,
    "beta": PURPLE,
    "platt": GREEN,
    "corrupted": RED,
    "mixture": BLUE,
    "plugin": ORANGE,
}

WIDTH = 4.2  # inches
TEXT, SMALL = 8, 7.5  # points

T = TypeVar("T")


def check_type(value: object, kind: type[T], name: str, remedy: str) -> T:
    """Return `value` if it is of the kind that can be drawn, else say what to pass."""
    if isinstance(value, kind):
        return value
    given = type(value).__name__
    raise ValueError(f"`{name}` must be a {kind.__name__}, got {given}. {remedy}")


def colour(method: str) -> str:
    """Return the colour of a method's family."""
    return FAMILIES.get(method.split("-")[0], GREY)


def wrapped(name: str, width: int = 20) -> str:
    """Break a long name of a method over lines."""
    return "\n".join(textwrap.wrap(name, width, break_on_hyphens=False))


def axes_or_new(ax: Axes | None, height: float = 2.8) -> Axes:
    """Return `ax`, or the axes of a new figure."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.figure(figsize=(WIDTH, height), layout="constrained").add_subplot()


def finish(ax: Axes, x: str = "", y: str = "", *, grid: Any = "both") -> None:
    """Name the axes, in small type, and take away what does not help to read."""
    if x:
        ax.set_xlabel(x, fontsize=TEXT)
    if y:
        ax.set_ylabel(y, fontsize=TEXT)
    ax.tick_params(labelsize=SMALL)
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_axisbelow(True)
    if grid:
        ax.grid(axis=grid, color=GREY, alpha=0.25, linewidth=0.6)


def legend_above(ax: Axes, columns: int = 1, **options: Any) -> None:
    """Put the legend above the axes, where it covers nothing."""
    if not ax.get_legend_handles_labels()[0]:
        return
    ax.legend(
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncols=columns,
        frameon=False,
        fontsize=SMALL,
        borderaxespad=0.3,
        borderpad=0.1,
        columnspacing=1.2,
        handlelength=2,
        labelspacing=0.3,
        **options,
    )


def per_cent(value: float) -> str:
    """Write a fraction in per cent."""
    return f"{100 * value:.2f} %"


def points(value: float) -> str:
    """Write a difference of fractions in percentage points, with two figures at least."""
    return f"{100 * value:.3g}"


def log_ticks(axis: Any) -> None:
    """Label a logarithmic axis with plain numbers."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axis.set_major_locator(LogLocator(numticks=8))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    axis.set_minor_formatter(NullFormatter())
