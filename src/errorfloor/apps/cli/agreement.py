"""The command `agreement`: the floor that a published agreement rate allows."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import click

from errorfloor.apps.cli.building import Command, examples, option, with_session
from errorfloor.apps.cli.options import listed
from errorfloor.apps.cli.session import Session
from errorfloor.questions.options import Number, Whole


def _rate_or_count(context: click.Context, parameter: click.Parameter, value: str | None) -> Any:
    """Return a number where one is typed; the library says what is wrong with anything else."""
    if value is None:
        return None
    for kind in (int, float):  # 1 counts pairs, and 1.0 is a rate
        with suppress(ValueError):
            return kind(value)
    return value


@click.command(
    cls=Command,
    short_help="Show which floors a published agreement rate allows.",
    epilog=examples(
        "errorfloor agreement --agree 460 --pairs 500",
        "errorfloor agreement --agree 92% --pairs 500 --share 0.3",
        "errorfloor agreement --kappa 0.7 --share 0.3 --share 0.35 --pairs 500 --json",
        "errorfloor agreement --qwk 0.6 --n 300",
    ),
)
@option(
    "--agree",
    metavar="COUNT",
    callback=_rate_or_count,
    help="Pairs of votes that agree, a whole number; or their rate, 0.92, 1.0 or 92%.",
)
@option("--pairs", metavar="COUNT", kind=Whole(1), help="Pairs that were compared.")
@option(
    "--share",
    metavar="RATE",
    kind=Number(0, 1),
    multiple=True,
    help="Share of all votes that are for class 1; give it twice, once for each of two raters. An "
    "even split by default.",
)
@option("--kappa", metavar="NUMBER", kind=Number(-1, 1), help="Cohen's kappa, with --share.")
@option("--alpha", metavar="NUMBER", kind=Number(-1, 1), help="Krippendorff's, with --share.")
@option("--icc", metavar="NUMBER", kind=Number(-1, 1), help="For ratings: their ICC.")
@option("--qwk", metavar="NUMBER", kind=Number(-1, 1), help="For ratings: QWK of two people.")
@option("--pearson", metavar="NUMBER", kind=Number(-1, 1), help="For ratings: their correlation.")
@option(
    "--n",
    "n",
    metavar="COUNT",
    kind=Whole(4),
    help="For ratings: number of items that two people rated.",
)
@option(
    "--metric",
    metavar="NAME",
    help="For ratings: the metric whose ceiling you want; by default that in which you gave the "
    "agreement.",
)
@listed("interval")
@listed("level")
@with_session
def agreement(session: Session, share: tuple[float, ...], **asked: Any) -> None:
    """Estimate the floor from how many pairs of votes agree, for two classes.

    Or the ceiling from how well two people's ratings agree (--icc, --qwk or --pearson).
    """
    from errorfloor.questions.agreement import from_agreement
    from errorfloor.show.words import long_text_of

    of_ratings = any(asked[name] is not None for name in ("icc", "qwk", "pearson"))
    if asked["pairs"] is None and not of_ratings:
        raise click.UsageError("Missing option '--pairs'.")
    shares = None if not share else share[0] if len(share) == 1 else share
    with session.step("estimating"):
        found = from_agreement(**asked, share=shares)
    session.show(found.to_dict(), long_text_of(found))
