"""The intervals: one module per family defines its records, and here is the table of them all.

A new interval is a record in the module of its family and an entry here. It goes with every method
that has what it is computed from.
"""

from __future__ import annotations

from errorfloor._checks import InputError
from errorfloor.data.tables import Table
from errorfloor.intervals import bets, bootstrap, certified, honest, jackknife, ranks
from errorfloor.intervals.record import IntervalKind
from errorfloor.intervals.votes import annotators, limits
from errorfloor.methods.record import Method
from errorfloor.metrics import ERROR, Metric

RECORDS: tuple[IntervalKind, ...] = (
    honest.HONEST,
    certified.CERTIFIED,
    honest.HONEST_RULES,
    certified.CERTIFIED_RULES,
    honest.POWERED,
    honest.HONEST_TABLES,
    certified.CERTIFIED_TABLES,
    *ranks.RECORDS,
    honest.HONEST_LOSSES,
    certified.CERTIFIED_LOSSES,
    honest.SELECTED,
    limits.LIKELIHOOD,
    annotators.ANNOTATORS,
    limits.CERTIFIED,
    limits.MANY_LIKELIHOOD,
    annotators.MANY_ANNOTATORS,
    limits.MANY_CERTIFIED,
    limits.VALUE_LIKELIHOOD,
    limits.VALUE_CERTIFIED,
    limits.MANY_VALUE_LIKELIHOOD,
    bets.BETTING,
    bets.HOEFFDING,
    bets.BETTING_ROOTS,
    jackknife.JACKKNIFE,
    jackknife.JACKKNIFE_SMOOTH,
    bootstrap.BCA,
    bootstrap.BASIC,
    bootstrap.PERCENTILE,
)


def of(method: Method) -> dict[str, IntervalKind]:
    """Return the intervals that go with a method, by name; of one name, the last of the table."""
    return {kind.name: kind for kind in RECORDS if kind.basis in method.bases}


def named(name: str | None, method: Method | None) -> IntervalKind | None:
    """Return the interval of that name which goes with a method, or else with any."""
    kinds = {} if method is None else of(method)
    return kinds.get(name or "") or next((kind for kind in RECORDS if kind.name == name), None)


def default(method: Method, table: Table, metric: Metric = ERROR) -> IntervalKind:
    """Return the interval that is given where none is named."""
    kinds = of(method)
    if method.interval not in kinds:
        raise InputError(
            f"The record of the method {method.name} has interval={method.interval!r}, and its "
            f"bases allow {', '.join(kinds) or 'none'}. Mend one of the two."
        )
    if table.entries is not None:
        able = {name: kind for name, kind in kinds.items() if kind.weighs(metric)}
        return able.get(method.interval) or next(iter(able.values()))
    preferred = (kind for kind in kinds.values() if kind.preferred(table))
    return next(preferred, kinds[method.interval])


def stand_in(
    method: Method, table: Table | None = None, metric: Metric = ERROR
) -> IntervalKind | None:
    """Return the interval that takes the place of one that is undefined."""
    kinds = of(method).values()
    if table is None or table.entries is None:
        return max(kinds, key=lambda kind: kind.stands_in)
    # What is undefined with weights is a jackknife, of means or of smooth values.
    others = (kind for kind in kinds if kind.name != jackknife.JACKKNIFE.name)
    return next((kind for kind in others if kind.weighs(metric)), None)


def names() -> tuple[str, ...]:
    """Return the names of all intervals, each once."""
    return tuple(dict.fromkeys(kind.name for kind in RECORDS))
