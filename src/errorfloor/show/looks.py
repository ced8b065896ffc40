"""A look at data in words: the columns, how they may be read, what is wrong, what to type next."""

from __future__ import annotations

from collections.abc import Iterator

from errorfloor.results.look import LayoutLook, Look
from errorfloor.show import grids, numbers
from errorfloor.show.grids import Grid

_MOST_COLUMNS = 40  # that text shows
_MOST_CLASSES = 6
_MOST_NAMED = 12  # columns of one role


def lines_of(look: Look) -> Iterator[str]:
    """Yield a look line by line."""
    number = numbers.counted(len(look.columns), "column") if look.columns else "a saved table"
    yield f"{look.name}: {numbers.counted(look.rows, 'row')}, {number}."
    if look.columns:
        yield from grids.as_text(of_columns(look))
    if len(look.columns) > _MOST_COLUMNS:
        yield f"and {len(look.columns) - _MOST_COLUMNS:,} more columns"
    for one in look.layouts:
        yield from _about(one)
    yield from look.problems
    yield "Next:"
    yield from (f"  {line}" for line in look.next)


def of_columns(look: Look) -> Grid:
    """Return the columns as rows of cells."""
    rows = tuple(
        (one.name, one.kind, _number(one.distinct), _number(one.missing))
        for one in look.columns[:_MOST_COLUMNS]
    )
    return Grid(("column", "kind", "different values", "missing"), rows, "<<>>")


def _about(one: LayoutLook) -> Iterator[str]:
    named = "; ".join(f"{role} = {_columns(column)}" for role, column in one.columns.items())
    yield f"As {one.layout}{f' ({named})' if named else ''}: {one.says}"
    if one.problem is not None:
        yield f"  Not yet: {one.problem}"
        return
    parts = [numbers.counted(one.n or 0, "item")]
    if one.votes is not None:
        parts.append(numbers.counted(one.votes, "vote"))
    if one.classes:
        some = [f"{name} ({number:,})" for name, number in one.classes[:_MOST_CLASSES]]
        more = len(one.classes) - len(some)
        parts.append(
            f"{len(one.classes)} classes: {', '.join(some)}{f' and {more} more' * (more > 0)}"
        )
    if one.dropped:
        parts.append(f"{one.dropped:,} left out because something is missing")
    yield f"  {'; '.join(parts)}."


def _columns(column: object) -> str:
    if not isinstance(column, list | tuple):
        return str(column)
    some = [*map(str, column[:_MOST_NAMED])]
    more = f" and {len(column) - len(some):,} more" if len(column) > len(some) else ""
    return f"{', '.join(some)}{more}"


def _number(value: int | None) -> str:
    return "" if value is None else f"{value:,}"
