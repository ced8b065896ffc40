"""What a file holds, before anything is asked: columns, first values, likely roles, classes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from errorfloor.apps.web.state import ROLE, ROLES, State
from errorfloor.data.layouts import LAYOUTS
from errorfloor.data.values import text_of
from errorfloor.show.markup import listed, visible

_ROWS = 5  # first values of a column
_MOST = 24  # classes with their numbers
_LONGEST = 30  # characters of a value


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, what it holds, its first values."""

    name: str
    kind: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Way:
    """A way to read the columns: what a row is then, and the roles."""

    layout: str
    says: str
    roles: Mapping[str, str]  # by column
    title: str = ""  # of its button, where that is not made of the roles


@dataclass(frozen=True, slots=True)
class Preview:
    """All that the form shows of a file."""

    columns: tuple[Column, ...]
    ways: tuple[Way, ...]  # the likeliest first
    is_sure: bool = False  # whether names leave no doubt about the way
    ratings: Mapping[str, str] = field(default_factory=dict)  # fields, where columns hold ratings


def preview_of(file: str) -> Preview:
    """Return what a file holds; of a saved table, which has no columns, nothing."""
    from errorfloor.data.engines import kinds_of, select
    from errorfloor.data.files import found_in, saved_table
    from errorfloor.data.read_rows import rows_of

    with found_in(file, None) as found:
        if saved_table(found) is not None:
            return Preview((), ())
        with rows_of(found) as (frame, run):
            kinds = kinds_of(frame, run)
            head = run(select(frame, {name: name for name in kinds}).head(_ROWS))
    columns = tuple(Column(name, kinds[name], _shown(head[name])) for name in kinds)
    ways, by_name = _ways(file, kinds)
    return Preview(columns, tuple(ways), by_name and len(ways) == 1, _ratings(file))


def first_state(file: str, preview: Preview) -> State:
    """Return what is asked of a file at first: roles where only one reading is likely."""
    roles = preview.ways[0].roles if preview.is_sure else {}
    state = State(file, {f"{ROLE}{one.name}": roles.get(one.name, "") for one in preview.columns})
    return state if preview.is_sure else state.with_fields(preview.ratings)


def _ratings(file: str) -> dict[str, str]:
    """Return the fields that ask about ratings, where columns are called so and hold numbers."""
    from errorfloor.questions.look import ratings_in

    found = ratings_in(file)
    if found is None:
        return {}
    roles = _way("", "", found.source.columns).roles
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


def _ways(file: str, kinds: Mapping[str, str]) -> tuple[list[Way], bool]:
    """Return how the columns may be read, and whether their names tell; else values may."""
    from errorfloor.data.columns import likely_readings

    readings = likely_readings(kinds, LAYOUTS)
    if readings:
        return [_way(one.layout.name, one.layout.says, one.columns) for one in readings], True
    from errorfloor.questions.look import look

    ways = [_way(one.layout, one.says, one.columns) for one in look(file).layouts]
    return [*_models(file, kinds), *ways], False


def _models(file: str, kinds: Mapping[str, str]) -> list[Way]:
    """Return how to compare models, where columns hold the classes of a label."""
    from errorfloor.data.models import models_in_columns

    found = models_in_columns(file, kinds)
    if found is None:
        return []
    models, label = found
    named = [*map(visible, models[:6]), *(["others"] if len(models) > 6 else [])]
    says = f"{listed(named)} look like answers of models to {visible(label)}."
    roles = {label: "label", **dict.fromkeys(models, "prediction")}
    return [Way("models", says, roles, "Compare these models")]


def _way(layout: str, says: str, columns: Mapping[str, Any]) -> Way:
    roles = {
        str(one): role
        for role, own in columns.items()
        for one in (own if isinstance(own, list | tuple) else (own,))
    }
    return Way(layout, says, roles)


def _shown(values: Any) -> tuple[str, ...]:
    texts = ("" if value is None else visible(_rounded(value)) for value in values.tolist())
    return tuple(text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…" for text in texts)


def _rounded(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return str(value)
    return str(value) if len(str(value)) < 8 else f"{number:.4g}"
