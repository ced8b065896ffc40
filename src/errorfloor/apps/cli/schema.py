"""The command that prints the JSON Schema of all answers, and where the file is."""

from __future__ import annotations

from pathlib import Path

import click

import errorfloor
from errorfloor.apps.cli.building import Command, examples
from errorfloor.apps.cli.session import SCHEMA


def path_of(schema: str) -> Path:
    """Return the path of a schema, "errorfloor/3" being `schema/errorfloor-3.json`."""
    return Path(errorfloor.__file__).parent / "schema" / f"{schema.replace('/', '-')}.json"


@click.command(
    cls=Command,
    short_help="Print the JSON Schema of every --json answer.",
    epilog=examples("errorfloor schema"),
)
def schema() -> None:
    """Print the JSON Schema that every answer with --json follows.

    The key `schema` of an answer has its version. Keys may be added without a new
    version; for any other change its number goes up.
    """
    click.echo(path_of(SCHEMA).read_text(encoding="utf-8"), nl=False)
