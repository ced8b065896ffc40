"""The command `look`: what a file holds, and what to type next."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from errorfloor.apps.cli.building import Command, examples, options, with_session
from errorfloor.apps.cli.messages import written
from errorfloor.apps.cli.options import JOINED, listed
from errorfloor.apps.cli.session import Session
from errorfloor.apps.cli.source import Labels
from errorfloor.apps.cli.types import FILE
from errorfloor.data.layouts import LAYOUTS
from errorfloor.data.options import ReadOptions


@click.command(
    cls=Command,
    short_help="Show what a file holds and what to type next.",
    epilog=examples("errorfloor look demo/votes.csv", "errorfloor look demo/*.csv --json"),
)
@click.argument("files", metavar="FILE...", type=FILE, nargs=-1, required=True)
@options(*JOINED, listed("format"))
@with_session
def look(session: Session, files: tuple[str, ...], **how: Any) -> None:
    """Say what the columns of a file are, how they may be read, and what is wrong with them.

    Nothing is estimated. The last lines are commands that can be pasted.
    """
    from errorfloor.questions.look import looked_at

    labels = Labels(files, ReadOptions.of(**how), LAYOUTS)
    with labels.paths(session) as paths, session.step(f"looking at {labels.name}"):
        called = labels.name if labels.is_stdin else None
        found = looked_at(paths, replace(labels.where, called=called), written, files)
    session.show(found.to_dict(), str(found), headline=False)
