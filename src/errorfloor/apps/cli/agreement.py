"""The command `agreement`: the floor that a published agreement rate allows."""

from __future__ import annotations

from typing import Any

import click

from errorfloor.apps.cli.building import Command, examples, with_session
from errorfloor.apps.cli.options import listed_each
from errorfloor.apps.cli.session import Session
from errorfloor.questions.options import OPTIONS_OF


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
@listed_each(*OPTIONS_OF["agreement"], of=OPTIONS_OF["agreement"])
@listed_each("interval", "level")
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
