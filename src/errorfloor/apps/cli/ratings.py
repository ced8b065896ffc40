"""The command `ratings`: how good any model can get where people give numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from errorfloor.apps.cli import asking
from errorfloor.apps.cli.building import FILE, Command, examples, option, with_session
from errorfloor.apps.cli.building import options as several
from errorfloor.apps.cli.options import (
    CLUSTER,
    GROUP,
    WEIGHT,
    column,
    destination,
    listed,
    listed_each,
    report_suffixes,
)
from errorfloor.apps.cli.session import Session
from errorfloor.data.layouts import RATED, RATER, RATING
from errorfloor.questions.options import RATING_OPTIONS, READING


@click.command(
    cls=Command,
    short_help="Say how good any model can get where people give numbers.",
    epilog=examples(
        "errorfloor ratings demo/ratings.csv --metric qwk",
        "errorfloor ratings demo/ratings.csv --prediction model --label mean",
        "errorfloor ratings demo/ratings.csv --no-rater --interval certified --scale 1,6 --json",
    ),
)
@click.argument("file", metavar="FILE", type=FILE)
@several(*map(column, (RATED, RATING, RATER)))
@listed_each("ratings", "prediction", of=RATING_OPTIONS)
@several(WEIGHT, CLUSTER, GROUP)
@listed("rater", RATING_OPTIONS, parameter="shared")
@option(
    "--no-rater",
    is_flag=True,
    section=READING,
    help="Ignore who rated, whatever columns are called.",
)
@listed("drop_missing")
@listed_each("metric", "label", "raters", "scale", "interval", of=RATING_OPTIONS)
@listed_each("level", "rng")
@destination(report_suffixes, required=False, help="Write a report")
@with_session
def ratings(
    session: Session,
    file: str,
    output: Path | None,
    prediction: str | None,
    shared: bool,
    no_rater: bool,
    rng: int,
    **asked: Any,
) -> None:
    """Estimate how good any model can get on the ratings in FILE.

    Ratings of an item are in several rows, in several columns, or in one column of lists such as
    5;6;3. How well people agree is not the ceiling: a model can do better than one person.
    """
    from errorfloor.questions.rated import model_beside_ratings
    from errorfloor.questions.ratings import from_ratings
    from errorfloor.show.words import long_text_of

    if shared and no_rater:
        raise click.UsageError("--shared and --no-rater contradict each other. Give one of them.")
    if shared or no_rater:
        if asked["rater"] is not None:
            raise click.UsageError("--rater names a column: leave out --shared and --no-rater.")
        asked["rater"] = shared
    with session.step(f"reading {file}"):
        if prediction is not None:
            found = model_beside_ratings(file, prediction=prediction, **asked)
        else:
            found = from_ratings(file, rng=rng, **asked)
    for line in guessed(found):
        session.remark(line)
    text = long_text_of(found)
    if output is not None:
        from errorfloor.show.report import report

        report(found, output)
        text = f"{text}\nWrote {output}."
    plain = {**found.to_dict(), **({"output": output} if output else {})}
    session.show(plain, text, answer=found, refuted=asking.refuted(found))


def guessed(found: Any) -> list[str]:
    """Say which columns were taken without being named."""
    from errorfloor.results import Groups, Verdict

    one = next(iter(found.values())) if isinstance(found, Groups) else found
    source = (one.floor if isinstance(one, Verdict) else one).source
    if source is None or not source.guessed:
        return []
    parts: list[str] = []
    for role in source.guessed:
        column = source.columns[role]
        names = (
            ", ".join(f'"{name}"' for name in column)
            if isinstance(column, tuple)
            else (f'"{column}"')
        )
        plural = "s" if isinstance(column, tuple) else ""
        what = "ratings" if role == "ratings" else f"the {role}"
        parts.append(f"column{plural} {names} as {what}" if not parts else f"{names} as {what}")
    listed = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
    return [f"using {listed}"]
