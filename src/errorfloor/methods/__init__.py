"""The methods: one module per family defines its records, and here is the table of them all.

Names, help texts, assumptions, words of reports, colours and tables of the documentation are made
from the records. A new method is a record in the module of its family and an entry here.
"""

from __future__ import annotations

from collections.abc import Iterator

from errorfloor._checks import InputError, argument, check_choice, shown
from errorfloor.data.table import Table
from errorfloor.data.tables import ScoreTable
from errorfloor.methods import logistic
from errorfloor.methods.histogram import HISTOGRAM
from errorfloor.methods.isotonic import ISOTONIC, ISOTONIC_CF
from errorfloor.methods.record import Method, Series
from errorfloor.methods.soft import CLEAN, CORRUPTED
from errorfloor.methods.votes.mixture import MIXTURE
from errorfloor.methods.votes.plugin import PLUGIN

# The first that reads a kind of table is the default for it, but for scores.
RECORDS: tuple[Method | Series, ...] = (
    CLEAN,
    MIXTURE,
    PLUGIN,
    CORRUPTED,
    ISOTONIC,
    ISOTONIC_CF,
    HISTOGRAM,
    logistic.BETA_ABM,
    logistic.BETA_AM,
    logistic.BETA_AB,
    logistic.BETA_A,
    logistic.PLATT,
    logistic.PLATT_LOGIT,
)
DEFAULTS = {record.reads: record for record in (CLEAN, MIXTURE, ISOTONIC)}


def reading(kind: str) -> Iterator[Method]:
    """Yield the methods that read a kind of table; of a series those that are usual."""
    for record in RECORDS:
        every = map(record.make, record.usual) if isinstance(record, Series) else (record,)
        yield from (method for method in every if method.reads == kind)


def names(kind: str) -> tuple[str, ...]:
    """Return the names of the methods that read a kind of table."""
    return tuple(method.name for method in reading(kind))


def short_names(kind: str) -> tuple[str, ...]:
    """Return the same with one name for each series, such as hist-K."""
    return tuple(
        record.name
        for record in RECORDS
        if (record.make(1) if isinstance(record, Series) else record).reads == kind
    )


def find(name: object, kind: str = ScoreTable.kind) -> Method:
    """Return the method of that name which reads a kind of table, or say which there are."""
    series = [record for record in RECORDS if isinstance(record, Series)]
    if isinstance(name, str):
        for method in reading(kind):
            if method.name == name:
                return method
        for one in series:
            found = one.numbered(name)
            if found is not None and found.reads == kind:
                return found
            if one.resembles(name) and one.make(1).reads == kind:
                raise InputError(
                    argument("method"),
                    f" {one.name} needs a whole number {one.letter} of at least 1, got "
                    f"{shown(name)}. {one.stem}-{one.usual[0]} is usual.",
                )
    hints = (
        f" {one.letter} in {one.name} may be any number."
        for one in series
        if one.make(1).reads == kind
    )
    check_choice(name, names(kind), name="method", hint="".join(hints))
    raise AssertionError("check_choice refuses what is not there")


def known(name: str) -> Method | None:
    """Return the method of that name whatever it reads, or None for one of the user's own."""
    for record in RECORDS:
        if isinstance(record, Series):
            found = record.numbered(name)
            if found is not None:
                return found
        elif record.name == name:
            return record
    return None


def that_fit(table: Table) -> tuple[tuple[Method, ...], tuple[str, ...]]:
    """Return the methods that take the table's scores, and a note on those that do not."""
    every = tuple(reading(table.kind))
    fitting = tuple(method for method in every if method.takes(table))
    left_out = ", ".join(method.name for method in every if method not in fitting)
    if not left_out:
        return fitting, ()
    return fitting, (f"Left out, because they need scores in [0, 1]: {left_out}.",)


def on_any_scale() -> str:
    """Say which methods take scores on any scale, as the end of a sentence."""
    able = [
        record.name
        for record in RECORDS
        for method in [record.make(1) if isinstance(record, Series) else record]
        if method.reads == ScoreTable.kind and not method.needs_probabilities
    ]
    return f"; the methods {', '.join(able[:-1])} and {able[-1]} take scores on any scale"


METHODS = names(ScoreTable.kind)
