"""The commands `label`, `items` and `confusion`: what to label next, and what is hard."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from errorfloor.apps.cli import asking
from errorfloor.apps.cli.building import Command, examples, option, with_session
from errorfloor.apps.cli.options import (
    ASK_OF_ERROR,
    destination,
    listed_each,
    with_ask,
    with_labels,
)
from errorfloor.apps.cli.session import Session
from errorfloor.apps.cli.source import Labels
from errorfloor.data.layouts import LAYOUTS, SCORES, of_kind
from errorfloor.data.tables import VoteTable
from errorfloor.questions.options import OPTIONS_OF

if TYPE_CHECKING:
    from errorfloor.questions.question import Ask


@click.command(
    cls=Command,
    short_help="Choose which items to label.",
    epilog=examples(
        "errorfloor label demo/scores.csv --score score --budget 100 -o to_label.csv",
        "errorfloor label demo/scores.csv --score score --width 0.05",
    ),
)
@with_labels([SCORES])
@listed_each(*OPTIONS_OF["label"], of=OPTIONS_OF["label"])
@destination(lambda: (".csv",), required=False)
@listed_each("level", "rng")
@with_session
def label(
    session: Session, labels: Labels, at_random: bool, output: Path | None, **how: Any
) -> None:
    """Use scores to choose items to label: unsure ones more often, with weights that correct it.

    --score names the scores, and --label the labels so far, if any. The file that is
    written has the number of each row, its probability of being chosen and its weight.
    """
    from errorfloor.questions.plan_labels import of_files

    with labels.paths(session) as paths, session.step("planning"):
        found = of_files(paths, labels.where, by_score=not at_random, **how)
    _show_rows(session, found, output)


def _show_rows(session: Session, found: Any, output: Path | None, *more: str) -> None:
    """Show what has a row for each item, and write it as CSV where that is asked for."""
    wrote = () if output is None else (f"Wrote {found.to_csv(output)}.",)
    text = "\n".join([str(found), *more, *wrote])
    session.show({**found.to_dict(), "output": output}, text, headline=False)


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
    """Say how probable class 1 is for each item, and how much the item adds to the floor.

    With --votes or --annotators, --item may name the items.
    """
    from errorfloor.data.items import KeptVotes
    from errorfloor.questions.items import of_reading, with_names
    from errorfloor.show.words import left_out

    keeper = KeptVotes()
    reading = replace(labels, where=with_names(labels.where), layouts=keeper.layouts).read(session)
    with session.step("fitting"):
        found = of_reading(reading, keeper, symmetric)
    _show_rows(session, found, output, *left_out(found.dropped))


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
    text, result = str(found), dict[str, Any](found.to_dict())
    if output is not None:
        write_csv(found, output)
        text, result = f"{text}\nWrote {output}.", {**result, "output": output}
    session.show(result, text, refuted=asking.refuted(floor))
