"""Panels of estimates with their intervals, one line per method."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from errorfloor.datasets.catalogue import RealSet
from errorfloor.datasets.synthetic import Synthetic
from errorfloor.show import palette
from papers._settings import (
    DISTORTION,
    INTERVAL,
    METHODS,
    RESAMPLES,
    Row,
    clean,
    estimates,
    hard,
)
from papers._style import BLACK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PARTS: tuple[Literal["low", "value", "high"], ...] = ("low", "value", "high")
# Where an axis may have marks, in per cent; a narrow one needs them closer.
CLOSE_TICKS = (6, 7, 8, 9, 10, 12, 14, 16, 18)
TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 3, 5, 7, 10, 15, 20, 30, 40)
FLOOR = "true floor"


class Panel(TypedDict):
    """The estimates on one set, with a line to compare them with; ready for JSON."""

    title: str
    n: int
    line: float | None
    line_name: str
    rows: list[Row]  # with the interval that the paper drew
    ours: list[Row]  # the same with BCa limits, where the paper drew others


def colour(method: str) -> str:
    """Return the colour of a method's family."""
    return BLACK if method in ("clean", "hard") else palette.colour(method)


def synthetic_panel(
    data: Synthetic,
    title: str,
    distortion: tuple[float, float] = DISTORTION,
    *,
    n_resamples: int = RESAMPLES,
) -> Panel:
    """Estimate the floor of made data with distorted scores by every method."""
    seen = data.corrupted(*distortion)
    return {
        "title": title,
        "n": data.labels.size,
        "line": data.floor,
        "line_name": FLOOR,
        "rows": [
            clean(data, n_resamples=n_resamples),
            hard(data, n_resamples=n_resamples),
            *estimates(seen.scores, seen.labels, n_resamples=n_resamples),
        ],
        "ours": [],
    }


def real_panel(
    real: RealSet,
    *,
    methods: Sequence[str] = METHODS,
    n_resamples: int = RESAMPLES,
    interval: str = INTERVAL,
) -> Panel:
    """Estimate the floor of a real set by every method that needs no true probabilities."""
    data = real.load()

    def rows(kind: str) -> list[Row]:
        return estimates(
            data.scores, data.labels, methods=methods, n_resamples=n_resamples, interval=kind
        )

    return {
        "title": real.title,
        "n": data.n,
        "line": real.model_error if real.model else None,
        "line_name": f"error of {real.model}" if real.model else "",
        "rows": rows(interval),
        "ours": rows(INTERVAL) if interval != INTERVAL else [],
    }


def draw_panels(panels: Sequence[Panel], *, columns: int, common_scale: bool = False) -> Figure:
    """Draw panels side by side, the methods on common lines and floors on a logarithmic scale."""
    from matplotlib.figure import Figure

    lines = [panels[i : i + columns] for i in range(0, len(panels), columns)]
    methods = [_methods(line) for line in lines]
    heights = [0.16 * len(names) + 0.7 for names in methods]
    figure = Figure(figsize=(0.8 + 2.0 * columns, sum(heights) + 0.2), layout="constrained")
    grid = figure.subplots(
        len(lines),
        columns,
        sharex=common_scale,
        sharey="row",
        squeeze=False,
        height_ratios=heights,
    )
    for row, line, names in zip(grid, lines, methods, strict=True):
        for axes, panel in zip(row, line, strict=False):
            _draw_panel(axes, panel, names)
            _scale(axes, panels if common_scale else [panel])
        for axes in row[len(line) :]:
            axes.remove()
    grey = "; grey: BCa intervals" if any(panel["ours"] for panel in panels) else ""
    figure.supxlabel(f"estimated error floor, % (logarithmic scale){grey}", fontsize=9)
    return figure


def _methods(panels: Sequence[Panel]) -> list[str]:
    """Return the methods of all panels, in the order of the panel that has most."""
    names: dict[str, None] = {}
    for panel in sorted(panels, key=lambda panel: -len(panel["rows"])):
        names |= dict.fromkeys(row["method"] for row in panel["rows"])
    return list(names)


def _draw_panel(axes: Axes, panel: Panel, methods: Sequence[str]) -> None:
    if panel["line"] is not None:
        draw_line(axes.axvline, panel["line"], panel["line_name"])
    for row in panel["rows"]:
        _draw_row(axes, methods.index(row["method"]), row)
    if panel["ours"]:  # one path with gaps, which is a fraction of the file
        limits = [100 * x for row in panel["ours"] for x in (row["low"], row["high"], math.nan)]
        places = [methods.index(row["method"]) + 0.3 for row in panel["ours"] for _ in range(3)]
        axes.plot(limits, places, color="0.45", linewidth=0.8, label="BCa", zorder=3)
    name = f"\ndashed: {panel['line_name']}" if panel["line_name"] else ""
    axes.set_title(f"{panel['title']}, n = {panel['n']:,}{name}", fontsize=8)
    axes.set_yticks(range(len(methods)), methods, fontsize=8)
    axes.set_ylim(len(methods) - 0.4, -0.6)
    tidy(axes)
    axes.grid(visible=False, axis="y")  # a fourth of the file
    axes.grid(axis="x", color="0.92", linewidth=0.6)
    axes.tick_params(axis="y", length=0)


def _draw_row(axes: Axes, place: int, row: Row) -> None:
    style: dict[str, Any] = {"color": colour(row["method"])}
    limits = [100 * row["low"], 100 * row["high"]]
    axes.plot(limits, [place, place], linewidth=1.8, solid_capstyle="butt", zorder=3, **style)
    style |= {"marker": "o", "markersize": 4, "linestyle": "none", "label": row["method"]}
    # Inside by `_scale`, unless 0; a file with fewer clips is smaller.
    axes.plot([100 * row["value"]], [place], zorder=4, clip_on=row["value"] <= 0, **style)


def _scale(axes: Axes, panels: Sequence[Panel]) -> None:
    rows = [row for panel in panels for row in (*panel["rows"], *panel["ours"])]
    drawn = [100 * row[part] for row in rows for part in PARTS]
    drawn += [100 * panel["line"] for panel in panels if panel["line"] is not None]
    low, high = min(x for x in drawn if x > 0) / 1.12, max(drawn) * 1.12
    shown = [tick for tick in (CLOSE_TICKS if high < 3 * low else TICKS) if low <= tick <= high]
    axes.set_xscale("log")
    axes.set_xticks(shown, [f"{tick:g}" for tick in shown])
    axes.minorticks_off()
    axes.set_xlim(low, high)


def draw_line(draw: Callable[..., object], value: float, name: str) -> None:
    """Draw what estimates are to be compared with, by `Axes.axvline` or `Axes.axhline`."""
    draw(100 * value, label=name, color="0.35", linestyle="--", linewidth=1, zorder=2)


def tidy(axes: Axes) -> None:
    """Take away what does not help to read."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(axis="x", labelsize=8)
    axes.set_axisbelow(True)


def about_variants(rows: Sequence[Mapping[str, Any]]) -> str:
    """Say what the methods beta-ab and beta-a are here and in the paper, given synthetic rows."""
    value = {row["method"]: 100 * row["value"] for row in rows}
    return (
        "Here beta-am, beta-ab and beta-a are fitted as the paper defines them, and beta-ab and "
        "beta-a, which cannot move the score that stands for 1/2, find "
        f"{value['beta-ab']:.1f} and {value['beta-a']:.1f} % on the synthetic set. The authors' "
        "released code runs plain beta under all four names, so that their drawings have four "
        f"times the same estimate, {value['beta']:.2f} % here."
    )
