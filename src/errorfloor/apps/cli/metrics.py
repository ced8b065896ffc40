"""The command that lists the metrics."""

from __future__ import annotations

import click

from errorfloor.apps.cli.building import Command, examples, with_session
from errorfloor.apps.cli.session import Session


@click.command(
    cls=Command,
    short_help="List the metrics and what data each needs.",
    epilog=examples("errorfloor metrics"),
)
@with_session
def metrics(session: Session) -> None:
    """List the metrics: what each is, for how many classes, and from which labels it comes."""
    from errorfloor.show import metric_table

    session.show({"metrics": metric_table.as_dicts()}, metric_table.as_text(), headline=False)
