"""What a file holds, before anything is asked: columns, first values, likely roles, classes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from errorfloor.apps.web.state import ROLE, ROLES, State, in_form
from errorfloor.data.columns import likely_readings, names_an_id
from errorfloor.data.layouts import LAYOUTS
from errorfloor.data.values import text_of
from errorfloor.show.markup import visible

_ROWS, _CELLS = 1000, 2**18  # that are looked at
_SHOWN = 5  # first values of a column
_MOST_GROUPS, _LEAST_ROWS = 20, 10  # values of a column that may tell groups, and rows of each
_MOST = 24  # classes with their numbers
_LONGEST = 30  # characters of a value


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, what it holds, its first values."""

    name: str
    kind: str
    values: tuple[str, ...]
    may_be_groups: bool = False  # whether a few words come again and again


@dataclass(frozen=True, slots=True)
class Way:
    """A way to read the columns: what a row is then, or what leads to it, and the roles."""

    says: str
    roles: Mapping[str, str]  # by column


@dataclass(frozen=True, slots=True)
class Guess:
    """What the columns may be: ways to read them, or what is missing for a floor."""

    ways: tuple[Way, ...] = ()  # the likeliest first
    lacks: str = ""


@dataclass(frozen=True, slots=True)
class Preview:
    """All that the form shows of a file."""

    columns: tuple[Column, ...] = ()
    sure: Way | None = None  # of which names leave no doubt
    ratings: Mapping[str, str] = field(default_factory=dict)  # fields, where columns hold ratings


def preview_of(file: str) -> Preview:
    """Return what a file holds; of a saved table, which has no columns, nothing."""
    from errorfloor.data.engines import kinds_of, select
    from errorfloor.data.files import found_in, saved_table
    from errorfloor.data.read_rows import rows_of

    with found_in(file, None) as found:
        if saved_table(found) is not None:
            return Preview()
        with rows_of(found) as (frame, run):
            kinds = kinds_of(frame, run)
            rows = max(_SHOWN, min(_ROWS, _CELLS // max(len(kinds), 1)))
            head = run(select(frame, {name: name for name in kinds}).head(rows))
    columns = tuple(_column(name, kinds[name], head[name].tolist()) for name in kinds)
    readings = likely_readings(kinds, LAYOUTS)
    sure = _way("", readings[0].columns) if len(readings) == 1 else None
    return Preview(columns, sure, _ratings(file))


def first_state(file: str, preview: Preview) -> State:
    """Return what is asked of a file at first: roles where only one reading is likely."""
    roles = {} if preview.sure is None else preview.sure.roles
    state = State(file, {f"{ROLE}{one.name}": roles.get(one.name, "") for one in preview.columns})
    return state.with_fields(preview.ratings) if preview.sure is None else state


def _ratings(file: str) -> dict[str, str]:
    """Return the fields that ask about ratings, where columns are called so and hold numbers."""
    from errorfloor.questions.look import ratings_in

    found = ratings_in(file)
    if found is None:
        return {}
    roles = _way("", found.source.columns).roles
    fields = {f"{ROLE}{name}": role for name, role in roles.items()}
    return {**fields, **({"drop_missing": "yes"} if found.source.options.drop_missing else {})}


def classes_of(state: State) -> dict[str, int]:
    """Return the values of the columns of labels or votes with their numbers; empty if too many."""
    import narwhals as nw

    from errorfloor.data.engines import select, where_missing
    from errorfloor.data.read_rows import rows_of

    roles = state.roles
    columns = [name for name, role in roles.items() if role == "label"]
    columns = columns or [name for name, role in roles.items() if ROLES[role].is_class]
    if not columns or any(ROLES[roles[name]].is_list for name in columns):
        return {}
    found: Counter[str] = Counter()
    with rows_of(state.file) as (frame, run):
        for name in columns:
            one = select(frame, {"value": name})
            there = one.filter(~where_missing(one, "value"))
            counts = run(there.group_by("value").agg(n=nw.len()).head(_MOST + 1))
            for value, number in zip(counts["value"].tolist(), counts["n"].tolist(), strict=True):
                found[text_of(value)] += int(number)
    few = len(found) <= _MOST
    return dict(sorted(found.items(), key=lambda one: _order(one[0]))) if few else {}


def are_numbers(classes: Mapping[str, int]) -> bool:
    """Tell whether all values are numbers, so that a threshold can divide them."""
    return bool(classes) and all(_order(name)[0] == 0 for name in classes)


def _order(name: str) -> tuple[int, float, str]:
    try:
        return 0, float(name), name
    except ValueError:
        return 1, 0.0, name


def guess_of(file: str, used: Collection[str] = (), predictions: Sequence[str] = ()) -> Guess:
    """Return what the columns may be; `used` have a meaning already, and `predictions` theirs."""
    from errorfloor.data.options import ReadOptions
    from errorfloor.questions.look import looked_at

    found, way_out = looked_at(file, ReadOptions.of(), in_form, (file,), used, list(predictions))
    if way_out is None:
        return Guess(tuple(_way(one.says, one.columns) for one in found.layouts))
    ways = (_way(way_out.leads, way_out.columns),) if way_out.columns else ()
    return Guess(ways, way_out.says)


def _way(says: str, columns: Mapping[str, Any]) -> Way:
    roles = {
        str(one): role
        for role, own in columns.items()
        for one in (own if isinstance(own, list | tuple) else (own,))
    }
    return Way(says, roles)


def _column(name: str, kind: str, values: Sequence[Any]) -> Column:
    different = {*values} if kind == "text" else set()
    groups = 2 <= len(different) <= min(_MOST_GROUPS, len(values) // _LEAST_ROWS)
    return Column(name, kind, _shown(values[:_SHOWN]), groups and not names_an_id(name))


def _shown(values: Sequence[Any]) -> tuple[str, ...]:
    texts = ("" if value is None else visible(_rounded(value)) for value in values)
    return tuple(text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…" for text in texts)


def _rounded(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return str(value)
    return str(value) if len(str(value)) < 8 else f"{number:.4g}"
