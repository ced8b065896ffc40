"""Results as people read them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from errorfloor import Comparison, Estimate, Groups, Verdict
    from errorfloor.cli._session import Draw

BAR = 30  # characters


def of_estimate(found: Estimate) -> str:
    """Return the floor, its interval, what it assumes, and what was left out."""
    from errorfloor import VotesEstimate

    lines = [str(found), f"Assumes: {found.assumptions}"]
    if isinstance(found, VotesEstimate) and found.method != "plugin" and (found.bias or 0) < -5e-5:
        lines.append(
            f"Plain vote shares say {100 * found.plugin:.2f} %; with so many votes they are "
            f"{-100 * (found.bias or 0):.2f} points too low on average."
        )
    return "\n".join([*lines, *left_out(found.dropped)])


def of_verdict(found: Verdict) -> str:
    """Return the verdict, how sure it is, and the floor behind it."""
    side, p = ("below", found.p_above) if found.difference >= 0 else ("above", found.p_below)
    less = "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
    lines = [
        found.sentence,
        f"Error less floor: {100 * found.difference:+.2f} points, {100 * found.level:g} % interval "
        f"{100 * found.low:+.2f} to {100 * found.high:+.2f}; {less} against a model at or "
        f"{side} the floor ({found.n:,} test items).",
        f"Floor{of_estimate(found.floor).removeprefix('floor')}",
    ]
    return "\n".join(lines)


def of_comparison(rows: Comparison) -> str:
    """Return the rows, the level of their intervals, and what was left out."""
    first = next(iter(rows))
    level = "no" if first.level is None else f"{100 * first.level:g} %"
    return "\n".join([str(rows), f"{level} intervals, n = {first.n:,}", *left_out(first.dropped)])


def of_groups(found: Groups) -> str:
    """Return a row for each group, what the floors assume, and what was left out."""
    first = next(iter(found.values()))
    return "\n".join([str(found), f"Assumes: {first.assumptions}", *left_out(found.dropped)])


def left_out(dropped: int) -> list[str]:
    """Say how many items have missing values, if any."""
    items = "item" if dropped == 1 else "items"
    return [f"Left out: {dropped:,} {items} with missing values."] if dropped else []


def drawn(rows: Comparison, text: str) -> Draw:
    """Return what prints the text of rows with a bar beside each, where there is room."""

    def draw(console: Console) -> None:
        head, *lines = text.splitlines()
        width = max(map(len, lines[: len(rows)]))
        if console.width < width + 2 + BAR:
            console.print(text, soft_wrap=True)
            return
        least, most = _span(list(rows))
        scale = f"{100 * least:.2f} %".ljust(BAR - 8) + f"{100 * most:.2f} %".rjust(8)
        console.print(f"{head:<{width}}  {scale}", style="bold")
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
