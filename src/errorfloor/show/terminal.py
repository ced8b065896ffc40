"""Answers on a terminal: with the gauge, or with a bar next to each row of their table."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from errorfloor.results import Comparison, Estimate, ModelComparison, Verdict
from errorfloor.show import models as in_models
from errorfloor.show import numbers
from errorfloor.show.gauge import gauge_of, lines_of
from errorfloor.show.lines import Line

if TYPE_CHECKING:
    from rich.console import Console

BAR = 30  # characters


def draw(result: object, text: str, console: Console) -> None:
    """Print the text of an answer, the first line of which says it all, with its picture."""
    sentence, *rest = text.splitlines()
    gauge = gauge_of(result) if isinstance(result, Estimate | Verdict) else None
    unicode = "utf" in console.encoding.lower()
    if gauge is not None:
        width = min(console.width - sum(map(len, gauge.ends)) - 3, 60)
        drawn = ["", *lines_of(gauge, width, unicode=unicode), ""] if width >= 20 else []
        rest = [*drawn, *rest]
    bars = _bars_of(result, unicode=unicode)
    width = max(map(len, rest[: len(bars)]), default=0)
    if bars and console.width < width + 2 + BAR:
        console.print(text, soft_wrap=True)
        return
    table = (f"{row:<{width}}  {bar}".rstrip() for row, bar in zip(rest, bars, strict=False))
    console.print(sentence, style="bold")
    for line in (*table, *rest[len(bars) :]):
        console.print(line)


def _bars_of(result: object, *, unicode: bool) -> list[str]:
    """Return what stands next to the head and the rows of a table."""
    if isinstance(result, Comparison):
        lines = [Line(row.method, row.value, row.low, row.high) for row in result]
        value = numbers.style_of(next(iter(result))).value
    elif isinstance(result, ModelComparison) and not result.refuted:
        lines = in_models.values_of(result)
        value = partial(in_models.style_of(result).value, digits=in_models.digits_of(result))
    else:
        return []
    ends = [end for line in lines for end in line.ends]
    least, most = min(ends), max(ends)
    last = value(most)
    head = value(least).ljust(BAR - max(len(last), 8)) + last.rjust(8)
    return [head, *(_bar(line, least, most, unicode=unicode) for line in lines)]


def _bar(line: Line, least: float, most: float, *, unicode: bool) -> str:
    """Return the interval as a line of letters, with a point at the value."""

    def place(value: float) -> int:
        return round((BAR - 1) * (value - least) / (most - least)) if most > least else 0

    cells = [" "] * BAR
    if line.low is not None and line.high is not None:
        first, last = place(line.low), place(line.high)
        cells[first : last + 1] = ["\N{BOX DRAWINGS LIGHT HORIZONTAL}" if unicode else "-"] * (
            last - first + 1
        )
    cells[place(line.value)] = "\N{BLACK CIRCLE}" if unicode else "o"
    return "".join(cells)
