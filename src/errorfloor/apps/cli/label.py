"""The command `label`: which items to label next."""

from __future__ import annotations

from pathlib import Path

import click

from errorfloor.apps.cli.building import Command, examples, option, with_session
from errorfloor.apps.cli.options import destination, listed, with_labels
from errorfloor.apps.cli.session import Session
from errorfloor.apps.cli.source import Labels
from errorfloor.data.layouts import SCORES
from errorfloor.questions.options import Number, Whole


@click.command(
    cls=Command,
    short_help="Choose which items to label.",
    epilog=examples(
        "errorfloor label demo/scores.csv --score score --budget 100 -o to_label.csv",
        "errorfloor label demo/scores.csv --score score --width 0.05",
    ),
)
@with_labels([SCORES])
@option("--budget", metavar="COUNT", kind=Whole(1), help="Number of labels to buy.")
@option(
    "--width",
    metavar="FRACTION",
    kind=Number(0, 1),
    help="Wanted width of the interval, such as 0.05 for five points; give this or --budget.",
)
@option("--at-random", is_flag=True, help="Pick items at random, not unsure ones more often.")
@destination(lambda: (".csv",), required=False)
@listed("level")
@listed("rng")
@with_session
def label(
    session: Session,
    labels: Labels,
    budget: int | None,
    width: float | None,
    at_random: bool,
    output: Path | None,
    level: float,
    rng: int,
) -> None:
    """Choose items to label by their scores: unsure ones more often, with weights to allow for it.

    --score names the scores, and --label the labels so far, where there are some. The file that is
    written has the number of each row, its probability and its weight.
    """
    from errorfloor.questions.plan_labels import of_files

    with labels.paths(session) as paths, session.step("planning"):
        found = of_files(
            paths,
            labels.where,
            budget=budget,
            width=width,
            by_score=not at_random,
            level=level,
            rng=rng,
        )
    lines = [str(found)]
    if output is not None:
        lines.append(f"Wrote {found.to_csv(output)}.")
    session.show({**found.to_dict(), "output": output}, "\n".join(lines), headline=False)
