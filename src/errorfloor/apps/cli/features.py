"""The command `features`: how high the floor can be at most, from what a model sees."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from errorfloor.apps.cli import completing
from errorfloor.apps.cli.building import (
    FILE,
    Command,
    Decorator,
    examples,
    option,
    with_session,
)
from errorfloor.apps.cli.options import destination, listed, report_suffixes
from errorfloor.apps.cli.session import Session
from errorfloor.questions.options import ANSWER, COLUMNS, READING


def _split(context: click.Context, parameter: click.Parameter, value: str | None) -> Any:
    """Return names with commas between them as a list; one alone may hold lists of numbers."""
    if value is None:
        return None
    names = [name.strip() for name in value.split(",")]
    return names[0] if len(names) == 1 else names


def _features(what: str) -> Decorator:
    return option(
        "--features",
        metavar="COLUMNS",
        callback=_split,
        section=COLUMNS,
        shell_complete=completing.columns,
        help=f"Columns that a model sees, with commas between, or one column of lists{what}.",
    )


FEATURES = _features("; --score is then used only if you name it")


DEVICE = option(
    "--device",
    metavar="DEVICE",
    section=ANSWER,
    help="Where to search for neighbours: cuda for a graphics card, which needs PyTorch.",
)


@click.command(
    cls=Command,
    short_help="Bound the floor from features.",
    epilog=examples(
        "errorfloor features demo/scores.csv --label label --duplicates all -o features.html",
        "errorfloor features demo/scores.csv --label label --duplicates first --method 1nn --json",
    ),
)
@click.argument("file", metavar="FILE", type=FILE)
@option(
    "--label",
    metavar="COLUMN",
    section=COLUMNS,
    shell_complete=completing.columns,
    help="The label of each item; if FILE is an .npy file, a second one with the labels.",
)
@_features("; all other numbers by default")
@option(
    "--cluster",
    metavar="COLUMN",
    section=COLUMNS,
    shell_complete=completing.columns,
    help="Which items belong together.",
)
@listed("classes")
@option(
    "--duplicates",
    metavar="HOW",
    default="error",
    show_default=True,
    section=READING,
    help="What to do with rows of equal features: error (stop), first (keep one) or all (keep "
    "them, as different items).",
)
@option(
    "--method",
    metavar="METHOD",
    default="sequential",
    show_default=True,
    section=ANSWER,
    help="sequential has a proved limit; 1nn, knn-K, ghp and noshad are classics without one.",
)
@DEVICE
@listed("level")
@listed("rng")
@destination(report_suffixes, required=False, help="Write a report")
@with_session
def features(session: Session, file: str, output: Path | None, **asked: Any) -> None:
    """Give an upper limit of the floor, from the features and labels in FILE.

    Models predict each item after learning from earlier ones only. What is counted are the errors
    of the model that was best so far.
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
