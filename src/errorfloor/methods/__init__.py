"""The methods: one module per family defines its records, and here is the table of them all.

Names, help texts, assumptions, words of reports, colours and tables of the documentation are made
from the records. A new method is a record in the module of its family and an entry here. What a
method of one name does for two classes and for more are two records.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from errorfloor import metrics
from errorfloor._checks import InputError, argument, check_choice, shown
from errorfloor.data.tables import ScoreTable, Table
from errorfloor.methods import isotonic, logistic, ranks, soft
from errorfloor.methods.histogram import HISTOGRAM
from errorfloor.methods.isotonic import ISOTONIC, ISOTONIC_CF, default_for, of_metric
from errorfloor.methods.prediction_powered import MANY_PPI, PPI
from errorfloor.methods.record import Classes, Method, Series, uses_weights_for
from errorfloor.methods.rules import offsets
from errorfloor.methods.soft import CLEAN, CORRUPTED, MANY_PLUGIN, MANY_PLUGINS, PLUGIN
from errorfloor.methods.votes.mixture import MANY_MIXTURE, MANY_VALUES, MIXTURE, VALUES
from errorfloor.metrics import ERROR, METRICS, Metric, named
from errorfloor.metrics.two_by_two import OfTable

_TABLES = [
    one
    for one in METRICS
    if isinstance(one.how, OfTable) and not one.is_error and one.name in metrics.BUILT_IN
]

RECORDS: tuple[Method | Series, ...] = (
    CLEAN,
    MIXTURE,
    PLUGIN,
    CORRUPTED,
    ISOTONIC,
    ISOTONIC_CF,
    HISTOGRAM,
    *logistic.RECORDS,
    soft.MANY_CLEAN,
    MANY_MIXTURE,
    MANY_PLUGIN,
    *offsets.MANY_SCORES,
    *soft.RECORDS,
    VALUES,
    *soft.PLUGIN_VALUES,
    MANY_VALUES,
    *MANY_PLUGINS,
    *(method for metric in _TABLES for method in of_metric(metric)),
    *ranks.RECORDS,
    *isotonic.RECORDS,
    *offsets.RECORDS,
    PPI,
    MANY_PPI,
)
DEFAULTS: tuple[Method, ...] = (
    CLEAN,
    MIXTURE,
    ISOTONIC_CF,
    soft.MANY_CLEAN,
    MANY_MIXTURE,
    offsets.OFFSETS,
    *soft.RECORDS,
    VALUES,
    MANY_VALUES,
    *map(default_for, _TABLES),
    *ranks.RECORDS,
    *isotonic.DEFAULTS,
    *offsets.DEFAULTS,
)


def records() -> tuple[Method | Series, ...]:
    """Return all records, also those for metrics that were added while the program runs."""
    return (*RECORDS, *(one for metric in _added() for one in of_metric(metric)))


def defaults() -> tuple[Method, ...]:
    """Return the methods that are chosen where none is named, for added metrics too."""
    return (*DEFAULTS, *map(default_for, _added()))


def _added() -> list[Metric]:
    added = (one for one in metrics.METRICS if one.name not in metrics.BUILT_IN)
    return [one for one in added if isinstance(one.how, OfTable)]


def default(
    kind: str,
    classes: Classes = Classes.TWO,
    metric: str = ERROR.name,
    *,
    partly: bool = False,
) -> Method:
    """Return the method for a kind of table where none is named; `partly` if labels are missing."""
    for one in (PPI, MANY_PPI, *defaults()) if partly else defaults():
        if (one.reads, one.classes) == (kind, classes) and one.is_for(metric):
            return one
    raise no_method(kind, classes, metric)


def no_method(kind: str, classes: Classes, metric: str) -> InputError:
    """Return an error that says which metrics there are for labels of a kind."""
    able = [
        name
        for name in metrics.names()
        if any(
            (one.reads, one.classes) == (kind, classes) and one.is_for(name) for one in defaults()
        )
    ]
    return InputError(
        *(argument("metric", metric), f" cannot be answered from {kind} of {classes.value}. "),
        f"Ask for one of {', '.join(able)}.",
    )


def reading(
    kind: str, classes: Classes | None = Classes.TWO, metric: str | None = ERROR.name
) -> Iterator[Method]:
    """Yield the methods that read a kind of table; of a series those that are usual.

    Without `classes`, those for any number of classes; without `metric`, those for any metric.
    Methods for tables in which some items have no label are left out.
    """
    yield from (one for one in every(kind, classes, metric) if not one.partly)


def every(
    kind: str, classes: Classes | None = None, metric: str | None = ERROR.name
) -> Iterator[Method]:
    """Yield the same with methods for tables in which some items have no label."""
    each = (one for record in records() for one in _usual(record))
    yield from (one for one in each if _is_for(one, kind, classes, metric))


@cache
def _usual(record: Method | Series) -> tuple[Method, ...]:
    return tuple(map(record.make, record.usual)) if isinstance(record, Series) else (record,)


def _is_for(one: Method, kind: str, classes: Classes | None, metric: str | None) -> bool:
    about = metric is None or one.is_for(metric)
    return about and one.reads == kind and classes in (None, one.classes)


def names(
    kind: str, classes: Classes | None = None, metric: str | None = ERROR.name
) -> tuple[str, ...]:
    """Return the names of the methods that read a kind of table, each once."""
    return tuple(dict.fromkeys(method.name for method in every(kind, classes, metric)))


def short_names(
    kind: str, classes: Classes | None = None, metric: str | None = ERROR.name
) -> tuple[str, ...]:
    """Return the same with one name for each series, such as hist-K."""
    pairs = ((record.name, _one(record)) for record in records())
    found = (name for name, one in pairs if _is_for(one, kind, classes, metric))
    return tuple(dict.fromkeys(found))


def _one(record: Method | Series) -> Method:
    return record.make(1) if isinstance(record, Series) else record


def check_name(name: object, kind: str, metric: str = ERROR.name) -> None:
    """Refuse a name that no method which reads a kind of table has, for any classes."""
    if isinstance(name, str) and name in names(kind, None, metric):
        return
    series = [
        one
        for one in records()
        if isinstance(one, Series) and _is_for(one.make(1), kind, None, metric)
    ]
    for one in series if isinstance(name, str) else ():
        if one.numbered(str(name)) is not None:
            return
        if one.resembles(str(name)):
            raise InputError(
                argument("method"),
                f" {one.name} needs a whole number {one.letter} of at least 1, got "
                f"{shown(name)}. {one.stem}-{one.usual[0]} is usual.",
            )
    hints = (f" {one.letter} in {one.name} may be any number." for one in series)
    if not (able := names(kind, None, metric)):
        raise no_method(kind, Classes.TWO, metric)
    check_choice(name, able, name="method", hint="".join(hints))


def find(
    name: object,
    kind: str = ScoreTable.kind,
    classes: Classes = Classes.TWO,
    metric: str = ERROR.name,
) -> Method:
    """Return the method of that name which reads a kind of table, or say which there are."""
    check_name(name, kind, metric)
    found = known(str(name), classes, kind, metric)
    if found is None or found.classes is not classes:
        able = short_names(kind, classes, metric)
        if not able:
            raise no_method(kind, classes, metric)
        raise InputError(
            argument("method"),
            f" {name} is for other data: the labels are of {classes.value}. "
            f"Use {' or '.join([', '.join(able[:-1]), able[-1]] if len(able) > 1 else able)}.",
        )
    return found


def known(
    name: str,
    classes: Classes = Classes.TWO,
    kind: str | None = None,
    metric: str = ERROR.name,
) -> Method | None:
    """Return the method of that name for a metric, or None for one of the user's own.

    Where there are several, the one for these classes.
    """
    found = [
        method
        for record in records()
        for method in [record.numbered(name) if isinstance(record, Series) else record]
        if method is not None
        and method.name == name
        and method.is_for(metric)
        and kind in (None, method.reads)
    ]
    return min(found, key=lambda one: one.classes is not classes, default=None)


def that_fit(table: Table, metric: str = ERROR.name) -> tuple[tuple[Method, ...], tuple[str, ...]]:
    """Return the methods that take the table's scores, and a note on those that do not."""
    usual = tuple(reading(table.kind, Classes.of(table), metric))
    if getattr(table, "unlabelled", None) is not None:
        usual = (default(table.kind, Classes.of(table), metric, partly=True), *usual)
        usual = tuple(dict.fromkeys(usual))
    notes: tuple[str, ...] = ()
    if table.plain.entries is not None:
        light = [method for method in usual if not uses_weights_for(method.bind, named(metric))]
        usual = tuple(method for method in usual if method not in light)
        names = ", ".join(method.name for method in light)
        if names:
            notes = (f"Methods that do not use weights and clusters were left out: {names}.",)
    fitting = tuple(method for method in usual if method.takes(table))
    left_out = ", ".join(method.name for method in usual if method not in fitting)
    if not left_out:
        return fitting, notes
    return fitting, (*notes, f"Methods that need scores in [0, 1] were left out: {left_out}.")


def on_any_scale(classes: Classes = Classes.TWO, metric: str = ERROR.name) -> str:
    """Say which methods take scores on any scale, as the end of a sentence."""
    able = [
        record.name
        for record in records()
        for method in [_one(record)]
        if _is_for(method, ScoreTable.kind, classes, metric) and not method.needs_probabilities
    ]
    if len(able) < 2:
        return "".join(f"; the method {name} takes scores on any scale" for name in able)
    return f"; the methods {', '.join(able[:-1])} and {able[-1]} take scores on any scale"


METHODS = tuple(method.name for method in reading(ScoreTable.kind))
