"""The command `confusion`: which classes no model can tell apart."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from errorfloor.apps.cli import asking
from errorfloor.apps.cli.building import Command, examples, with_session
from errorfloor.apps.cli.options import ASK_OF_ERROR, destination, with_ask, with_labels
from errorfloor.apps.cli.session import Session
from errorfloor.apps.cli.source import Labels
from errorfloor.data.layouts import LAYOUTS

if TYPE_CHECKING:
    from errorfloor.questions.question import Ask


@click.command(
    cls=Command,
    short_help="Show which classes no model can tell apart.",
    epilog=examples(
        "errorfloor confusion demo/class_scores.csv",
        "errorfloor confusion demo/class_votes.csv -o pairs.csv --json",
    ),
)
@with_labels(LAYOUTS, complete=True)
@with_ask(*ASK_OF_ERROR)
@destination(lambda: (".csv",), required=False, help="Write a row for each pair of classes")
@with_session
def confusion(session: Session, labels: Labels, ask: Ask, output: Path | None) -> None:
    """Show which classes even the best possible model confuses."""
    from errorfloor.questions.confusion import confusion_of
    from errorfloor.show.frame import write_csv

    floor = asking.answered(labels, session, ask)
    found = confusion_of(floor)
    text, said = str(found), dict[str, Any](found.to_dict())
    if output is not None:
        write_csv(found, output)
        text, said = f"{text}\nWrote {output}.", {**said, "output": output}
    session.show(said, text, refuted=asking.refuted(floor))
