"""The command `items`: which items carry the floor."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from errorfloor.apps.cli.building import Command, examples, option, with_session
from errorfloor.apps.cli.options import destination, with_labels
from errorfloor.apps.cli.session import Session
from errorfloor.apps.cli.source import Labels
from errorfloor.data.layouts import of_kind
from errorfloor.data.tables import VoteTable


@click.command(
    cls=Command,
    short_help="Show which items contribute most to the floor.",
    epilog=examples(
        "errorfloor items demo/votes.csv -o items.csv",
        "errorfloor items demo/annotations.csv --item item --vote vote --json",
    ),
)
@with_labels(of_kind(VoteTable.kind))
@destination(lambda: (".csv",), required=False)
@option(
    "--symmetric/--not-symmetric",
    default=None,
    help="Whether the task is the same with both classes swapped; by default the votes decide.",
)
@with_session
def items(session: Session, labels: Labels, output: Path | None, symmetric: bool | None) -> None:
    """Say for each item how probable class 1 is, and how much it adds to the floor.

    --item may name the items beside --votes and --annotators as well.
    """
    from errorfloor.data.items import KeptVotes
    from errorfloor.questions.items import of_reading, with_names
    from errorfloor.show.words import left_out

    keeper = KeptVotes()
    reading = replace(labels, where=with_names(labels.where), layouts=keeper.layouts).read(session)
    with session.step("fitting"):
        found = of_reading(reading, keeper, symmetric)
    lines = [str(found), *left_out(found.dropped)]
    if output is not None:
        lines.append(f"Wrote {found.to_csv(output)}.")
    session.show({**found.to_dict(), "output": output}, "\n".join(lines), headline=False)
