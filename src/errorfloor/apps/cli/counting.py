"""The commands that make tables of counts: `count` and `merge`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from errorfloor.apps.cli.building import FILE, Command, examples, with_session
from errorfloor.apps.cli.options import destination, with_labels
from errorfloor.apps.cli.session import Session
from errorfloor.apps.cli.source import Labels, note_doubles
from errorfloor.data.formats import FORMATS
from errorfloor.data.layouts import LAYOUTS

if TYPE_CHECKING:
    from errorfloor.data.tables import Table

with_table = destination(lambda: [kind.suffixes[0] for kind in FORMATS if kind.holds_tables])


@click.command(
    cls=Command,
    short_help="Count labels into a table that can be shared.",
    epilog=examples(
        "errorfloor count demo/scores.csv -o scores.npz",
        "errorfloor estimate scores.npz",
    ),
)
@with_labels(LAYOUTS, weights=True, unlabelled=True)
@with_table
@with_session
def count(session: Session, labels: Labels, output: Path) -> None:
    """Count labels into a table. All commands read such tables, and `merge` adds them up.

    A table has one row for each distinct score, soft label or number of votes, and nothing else
    about the items.
    """
    table = labels.read(session).table
    table.save(output)
    _show(session, table, output)


@click.command(
    cls=Command,
    short_help="Add up tables.",
    epilog=examples(
        "errorfloor count demo/votes.csv -o first.npz",
        "errorfloor count demo/annotations.csv -o second.npz",
        "errorfloor merge first.npz second.npz -o both.npz",
    ),
)
@click.argument("tables", metavar="TABLE...", type=FILE, nargs=-1, required=True)
@with_table
@with_session
def merge(session: Session, tables: tuple[str, ...], output: Path) -> None:
    """Add up tables that `count` wrote, as if all items had been counted at once."""
    from errorfloor.data.saved import merge

    note_doubles(session, tables)
    with session.step("adding up"):
        table = merge(tables)
    table.save(output)
    _show(session, table, output)


def _show(session: Session, table: Table, output: Path) -> None:
    """Say what a table holds and where it was written."""
    from errorfloor.show.words import left_out

    kind = type(table).__name__
    result = {"output": output, "kind": kind, "n": table.n, "rows": len(table)}
    text = f"Wrote {output}: {table.n:,} items, stored as {len(table):,} different rows ({kind})."
    text = "\n".join([text, *left_out(table.dropped)])
    session.show({**result, "dropped": table.dropped}, text)
