"""What all pictures share: matplotlib when it is needed, small type, legends, ticks."""

from __future__ import annotations

import textwrap
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from errorfloor.show.numbers import short
from errorfloor.show.palette import GREY

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH = 4.2  # inches
TEXT, SMALL = 8, 7.5  # points
FEW = 12  # so many numbers are drawn as points as well as by a line

T = TypeVar("T")


def matplotlib(part: str) -> Any:
    """Return a module of matplotlib, or say how to install it."""
    try:
        return import_module(f"matplotlib.{part}")
    except ImportError as error:
        message = "Pictures need matplotlib: pip install 'errorfloor[cli]'."
        raise ImportError(message) from error


def check_type(value: object, kind: type[T], name: str, remedy: str) -> T:
    """Return `value` if it is of the kind that can be drawn, else say what to pass."""
    if isinstance(value, kind):
        return value
    given = type(value).__name__
    raise ValueError(f"`{name}` must be a {kind.__name__}, got {given}. {remedy}")


def wrapped(name: str, width: int = 20, **more: Any) -> str:
    """Break a long name over lines, after underscores where it has some."""
    lines = textwrap.wrap(name.replace("_", "_ "), width, break_on_hyphens=False, **more)
    return "\n".join(lines).replace("_ ", "_")


def ink(ax: Axes) -> Any:
    """Return the colour of text on these axes, black unless the user's style says otherwise."""
    return ax.xaxis.label.get_color()


def new_figure(height: float) -> Any:
    """Return a figure of pyplot, which notebooks show by themselves."""
    return matplotlib("pyplot").figure(figsize=(WIDTH, height), layout="constrained")


def axes_or_new(ax: Axes | None, height: float = 2.8) -> Axes:
    """Return `ax`, or the axes of a new figure."""
    if ax is not None:
        return ax
    made: Axes = new_figure(height).add_subplot()
    return made


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


def legend_above(ax: Axes, columns: int = 1) -> None:
    """Put the legend above the axes, in as many columns of `columns` as have room there."""
    if not ax.get_legend_handles_labels()[0]:
        return
    for number in range(columns, 0, -1):
        legend = ax.legend(
            loc="lower left",
            bbox_to_anchor=(0, 1),
            ncols=number,
            frameon=False,
            fontsize=SMALL,
            borderaxespad=0.3,
            borderpad=0.1,
            columnspacing=1,
            handlelength=1.8,
            handletextpad=0.6,
            labelspacing=0.3,
        )
        if legend.get_window_extent().width <= ax.get_window_extent().width:
            break


def few_ticks(ax: Axes) -> None:
    """Leave room between the numbers of a linear x-axis."""
    ax.xaxis.set_major_locator(ticks_of(6))


def ticks_of(most: int) -> Any:
    """Return what places up to so many round numbers on an axis."""
    return matplotlib("ticker").MaxNLocator(most, steps=[1, 2, 2.5, 5, 10])


def log_ticks(axis: Any) -> None:
    """Label a logarithmic axis with plain numbers, the denser the shorter it is."""
    ticker = matplotlib("ticker")
    low, high = axis.get_view_interval()
    subs = (1.0, 2.0, 5.0) if high < 200 * low else (1.0,)
    few = ticker.MaxNLocator(5) if high < 5 * low else ticker.LogLocator(subs=subs, numticks=8)
    axis.set_major_locator(few)
    axis.set_major_formatter(ticker.FuncFormatter(lambda value, _: short(value)))
    axis.set_minor_formatter(ticker.NullFormatter())
