"""The commands that pass answers and tables on: `report`, `card`, `count` and `merge`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from errorfloor.apps.cli.building import FILE, Command, examples, option, with_session
from errorfloor.apps.cli.labels import Labels, floor_or_verdict, note_repeated_files
from errorfloor.apps.cli.options import (
    PREDICTION,
    destination,
    report_suffixes,
    with_ask,
    with_labels,
    with_model,
)
from errorfloor.apps.cli.session import Session, is_refuted
from errorfloor.data.formats import FORMATS
from errorfloor.data.layouts import LAYOUTS
from errorfloor.questions.options import ASK_OPTIONS

if TYPE_CHECKING:
    from errorfloor.data.tables import Table
    from errorfloor.questions.models import ModelOptions
    from errorfloor.questions.question import Ask


@click.command(
    cls=Command,
    short_help="Write a report as HTML, Markdown or JSON.",
    epilog=examples(
        "errorfloor report demo/votes.csv",
        "errorfloor report demo/scores.csv -o report.html",
        "errorfloor report demo/scores.csv --model-errors 98 --test-items 1000 -o report.md",
        "errorfloor report demo/scores.csv --group batch --simultaneous -o groups.html",
    ),
)
@with_labels(LAYOUTS, groups=True, weights=True, unlabelled=True, complete=True)
@destination(report_suffixes, required=False)
@option("--title", metavar="TEXT", help="Heading of the report.")
@option("--theory", is_flag=True, help="Also draw how far a simple count of the votes can be off.")
@PREDICTION
@with_model
@with_ask(*ASK_OPTIONS, "simultaneous")
@with_session
def report(
    session: Session,
    labels: Labels,
    model: ModelOptions,
    ask: Ask,
    prediction: str | None,
    output: Path | None,
    title: str | None,
    theory: bool,
) -> None:
    """Write a report on the floor, and on where a model stands if you give its errors.

    Without -o the report of votes.csv is votes-report.html, in the current folder. With --group,
    the floors of all groups are in one report.
    """
    from errorfloor.show.report import report

    labels.check_simultaneous(ask.simultaneous)
    if model.given and labels.where.group is not None:
        raise click.UsageError(
            "A report on groups has no model: leave out --group, or the model's errors. "
            "errorfloor headroom compares a model with the floor of each group."
        )
    result = floor_or_verdict(labels, session, ask, model, prediction, compare=True)
    with session.step("writing"):
        # Files can be read again by what the result says; of standard input nothing is left.
        command = session.shell_command if labels.is_stdin else None
        output = output or labels.output_file("-report.html")
        report(result, output, title=title, command=command, theory=theory)
    session.answer(result, output=output)


@click.command(
    cls=Command,
    short_help="Draw the answer as a card to share.",
    epilog=examples(
        "errorfloor card demo/votes.csv",
        "errorfloor card demo/votes.csv --model-errors 98 --test-items 1000 -o card.png --dark",
    ),
)
@with_labels(LAYOUTS, weights=True, unlabelled=True, complete=True)
@destination(lambda: (".svg", ".png"), required=False)
@option(
    "--title",
    metavar="TEXT",
    help="First line of the card; by default the name of the file and its number of items.",
)
@option("--dark", is_flag=True, help="For dark pages.")
@PREDICTION
@with_model
@with_ask()
@with_session
def card(
    session: Session,
    labels: Labels,
    model: ModelOptions,
    ask: Ask,
    prediction: str | None,
    output: Path | None,
    title: str | None,
    dark: bool,
) -> None:
    """Draw the best possible value, and your model next to it, as a picture to share.

    Without -o the card of votes.csv is votes-card.svg, in the current folder.
    """
    from errorfloor.show.card import card

    result = floor_or_verdict(labels, session, ask, model, prediction, compare=True)
    if is_refuted(result):
        session.show(result.to_dict(), result.sentence, refuted=True)
    output = output or labels.output_file("-card.svg")
    card(result, output, title=title, dark=dark)
    session.show(result.to_dict(), result.sentence, output=output)


with_table = destination(lambda: [kind.suffixes[0] for kind in FORMATS if kind.holds_tables])


@click.command(
    cls=Command,
    short_help="Count labels into a table that can be shared.",
    epilog=examples(
        "errorfloor count demo/scores.csv -o scores.npz", "errorfloor estimate scores.npz"
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
    from errorfloor.data.files import merge

    note_repeated_files(session, tables)
    with session.step("adding up"):
        table = merge(tables)
    table.save(output)
    _show(session, table, output)


def _show(session: Session, table: Table, output: Path) -> None:
    """Say what a table holds and where it was written."""
    from errorfloor.show.text import left_out

    kind = type(table).__name__
    result = {"output": output, "kind": kind, "n": table.n, "rows": len(table)}
    text = f"Wrote {output}: {table.n:,} items, stored as {len(table):,} different rows ({kind})."
    text = "\n".join([text, *left_out(table.dropped, {})])
    session.show({**result, "dropped": table.dropped}, text)
