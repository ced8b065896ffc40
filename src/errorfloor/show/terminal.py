"""Answers on a terminal: with the gauge, or with a bar next to each row of their table."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby, zip_longest
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
    if console.width < width + 2 + BAR:
        bars = []
    table = (f"{row:<{width}}  {bar}".rstrip() for row, bar in zip(rest, bars, strict=False))
    for line in _fitted([sentence], console.width):
        console.print(line, style="bold", soft_wrap=True)
    for line in _fitted([*table, *rest[len(bars) :]], console.width):
        console.print(line, soft_wrap=True)


def _fitted(lines: Iterable[str], width: int) -> Iterator[str]:
    """Yield lines that fit, of a table with cells on several lines; no sign leaves its number."""
    kept = "\N{NO-BREAK SPACE}%"
    whole = (line.replace(" %", kept) for line in lines)
    for is_table, group in groupby(whole, key=lambda line: re.search(r"\S  +\S", line) is not None):
        rows = list(group)
        if is_table and len(rows) > 1 and max(map(len, rows)) > width:
            rows = list(_narrowed(rows, width))
        for row in rows:
            fitted = textwrap.wrap(row, width) if len(row) > width else [row]
            yield from (line.replace(kept, " %") for line in fitted)


def _narrowed(rows: Sequence[str], width: int) -> Iterator[str]:
    """Yield the rows of a table with its widest columns narrowed, at most to their longest word."""
    most = max(map(len, rows))
    rows = [row.ljust(most) for row in rows]
    gaps = "".join(" " if {row[at] for row in rows} == {" "} else "x" for at in range(most))
    places = [one.span() for one in re.finditer(r"x+(?: x+)*", gaps)]
    columns = [[row[start:end] for row in rows] for start, end in places]
    widths = [end - start for start, end in places]
    least = [max(map(len, " ".join(cells).split())) for cells in columns]
    while sum(widths) + 2 * (len(widths) - 1) > width and widths != least:
        widest = max(range(len(widths)), key=lambda k: (widths[k] > least[k], widths[k]))
        widths[widest] -= 1
    right = [all(cell[-1:] != " " for cell in cells) for cells in columns]
    for cells in zip(*columns, strict=True):
        wrapped = [textwrap.wrap(cell, own) for cell, own in zip(cells, widths, strict=True)]
        for line in zip_longest(*wrapped, fillvalue=""):
            sides = zip(line, widths, right, strict=True)
            padded = (f"{cell:{'>' if end else '<'}{own}}" for cell, own, end in sides)
            yield "  ".join(padded).rstrip()


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
