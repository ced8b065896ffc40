"""Floors of several methods on a terminal, with a bar beside each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from errorfloor.results import Comparison, Estimate
from errorfloor.show.numbers import style_of

if TYPE_CHECKING:
    from rich.console import Console

BAR = 30  # characters


def drawn(rows: Comparison, text: str) -> Callable[[Console], None]:
    """Return what prints the text of rows with a bar beside each, where there is room."""

    def draw(console: Console) -> None:
        sentence, head, *lines = text.splitlines()
        width = max(map(len, lines[: len(rows)]))
        if console.width < width + 2 + BAR:
            console.print(text, soft_wrap=True)
            return
        console.print(sentence, style="bold")
        least, most = _span(list(rows))
        style = style_of(next(iter(rows)))
        end = style.value(most)
        scale = style.value(least).ljust(BAR - max(len(end), 8)) + end.rjust(8)
        console.print(f"{head:<{width}}  {scale}")
        unicode = "utf" in console.encoding.lower()
        for line, row in zip(lines, rows, strict=False):
            console.print(f"{line:<{width}}  {_bar(row, least, most, unicode=unicode)}".rstrip())
        for line in lines[len(rows) :]:
            console.print(line)

    return draw


def _span(rows: Sequence[Estimate]) -> tuple[float, float]:
    lows = [row.value if row.low is None else min(row.low, row.value) for row in rows]
    highs = [row.value if row.high is None else max(row.high, row.value) for row in rows]
    return min(lows), max(highs)


def _bar(row: Estimate, least: float, most: float, *, unicode: bool) -> str:
    """Return the interval as a line, with a point at the value."""

    def place(value: float) -> int:
        return round((BAR - 1) * (value - least) / (most - least)) if most > least else 0

    cells = [" "] * BAR
    if row.low is not None and row.high is not None:
        first, last = place(row.low), place(row.high)
        cells[first : last + 1] = ["─" if unicode else "-"] * (last - first + 1)
    cells[place(row.value)] = "●" if unicode else "o"
    return "".join(cells)
