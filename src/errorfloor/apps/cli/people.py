"""The commands `people` and `difference`: models compared with people, and two floors."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from errorfloor._checks import InputError
from errorfloor.apps.cli import asking
from errorfloor.apps.cli.building import Command, examples, option, with_session
from errorfloor.apps.cli.options import (
    destination,
    listed,
    listed_each,
    report_suffixes,
    with_ask,
    with_labels,
)
from errorfloor.apps.cli.session import Session
from errorfloor.apps.cli.source import Labels
from errorfloor.data.layouts import LAYOUTS, of_kind
from errorfloor.data.tables import VoteTable
from errorfloor.questions.options import ANSWER, OPTIONS_OF

if TYPE_CHECKING:
    from errorfloor.questions.question import Ask


@click.command(
    cls=Command,
    short_help="Say how many people each model is worth.",
    epilog=examples(
        "errorfloor people demo/annotations.csv",
        "errorfloor people demo/models.csv --prediction careful,hasty",
        "errorfloor people demo/models.csv --prediction careful --panels 1,3,9 --json",
        "errorfloor people demo/models.csv --prediction careful,hasty -o people.html",
    ),
)
@with_labels(of_kind(VoteTable.kind))
@listed_each("prediction", "panels", of=OPTIONS_OF["people"])
@listed_each("totals_by", "stopping")
@listed("epsilon", OPTIONS_OF["people"])
@listed("level")
@destination(
    report_suffixes, required=False, help="Write a report with the curve of agreement by panel size"
)
@with_session
def people(
    session: Session,
    labels: Labels,
    prediction: list[str] | None,
    panels: Any,
    epsilon: float,
    output: Path | None,
    **how: Any,
) -> None:
    """Say how often people agree, how often a model could, and how many people a model is worth.

    A model is worth r people if it matches another person's answer as often as the majority of r
    people does. Without --prediction, only people are compared. If the file says who
    gave each vote, limits also hold for new annotators of the same kind. The exit code is 4 if the
    predictions look as if they were made from these very votes: comparing then means nothing.
    """
    from errorfloor.questions.people import as_panels
    from errorfloor.questions.question import Ask
    from errorfloor.show.words import long_text_of

    ask, sizes = Ask(**how), as_panels(panels)
    found = asking.people(labels, session, prediction or (), ask, panels=sizes, epsilon=epsilon)
    result, text = found.to_dict(), long_text_of(found)
    if output is not None:
        from errorfloor.show.report import report

        with session.step("writing"):
            report(found, output, command=session.shell_command if labels.is_stdin else None)
        result, text = {**result, "output": output}, f"{text}\nWrote {output}."
    session.show(result, text, refuted=found.refuted)


@click.command(
    cls=Command,
    short_help="Say by how much two floors differ.",
    epilog=examples(
        "errorfloor difference demo/votes.csv demo/annotations.csv",
        "errorfloor difference demo/votes.csv demo/annotations.csv --dependent --json",
    ),
)
@with_labels(LAYOUTS)
@option(
    "--independent/--dependent",
    default=None,
    section=ANSWER,
    help="Whether the two files hold different, independent items; independent by default.",
)
@with_ask()
@with_session
def difference(session: Session, labels: Labels, ask: Ask, independent: bool | None) -> None:
    """Say by how much the floor of the first file is above that of the second.

    Columns are guessed separately in each file; those that you name are used in both.
    """
    from errorfloor.questions.difference import difference
    from errorfloor.show.words import long_text_of

    if len(labels.files) != 2:
        raise click.UsageError(f"Name two files to compare, got {len(labels.files)}.")
    floors, inputs = [], []
    for file in labels.files:
        floors.append(asking.answered(replace(labels, files=(file,)), session, ask))
        inputs.append(session.about["input"])
    session.about["input"] = inputs
    if not all(floor.claim.any_model for floor in floors):
        lines = [shlex.join(("errorfloor", "estimate", file)) for file in labels.files]
        raise InputError(
            "Scores bound a floor from one side only, because another model may see more. So they "
            "do not tell by how much two floors differ; votes and true probabilities do. Which of "
            "two models is better on the same items, and what each file says alone:\n  ",
            "\n  ".join([shlex.join(("errorfloor", "compare", *labels.files)), *lines]),
        )
    found = difference(*floors, independent=independent, level=ask.level)
    session.show(found.to_dict(), long_text_of(found), refuted=found.refuted)
