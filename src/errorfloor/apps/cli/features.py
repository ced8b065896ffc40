"""The command `features`: how high the floor can be at most, from what a model sees."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from errorfloor.apps.cli.building import FILE, Command, examples, with_session
from errorfloor.apps.cli.options import destination, listed, listed_each, report_suffixes
from errorfloor.apps.cli.session import Session
from errorfloor.questions.options import OPTIONS_OF


@click.command(
    cls=Command,
    short_help="Bound the floor from features.",
    epilog=examples(
        "errorfloor features demo/scores.csv --label label --duplicates all -o features.html",
        "errorfloor features demo/scores.csv --label label --duplicates first --method 1nn --json",
    ),
)
@click.argument("file", metavar="FILE", type=FILE)
@listed_each("label", "features", "cluster", of=OPTIONS_OF["features"])
@listed("classes")
@listed_each("duplicates", "method", "device", of=OPTIONS_OF["features"])
@listed_each("level", "rng")
@destination(report_suffixes, required=False, help="Write a report")
@with_session
def features(session: Session, file: str, output: Path | None, **asked: Any) -> None:
    """Give an upper limit of the floor, from the features and labels in FILE.

    Models predict each item after learning from earlier ones only. Only errors of the
    model that was best so far are counted.
    There is no lower limit: that needs several votes per item.
    """
    from errorfloor.questions.features import from_features
    from errorfloor.show.words import long_text_of

    with session.step(f"predicting {file}"):
        found = from_features(file, **asked)
    text = long_text_of(found)
    if output is not None:
        from errorfloor.show.report import report

        report(found, output)
        text = f"{text}\nWrote {output}."
    session.show({**found.to_dict(), **({"output": output} if output else {})}, text)
