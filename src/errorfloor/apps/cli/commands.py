"""The program `errorfloor`: its commands by sections of the help, and its exit code."""

from __future__ import annotations

from collections.abc import Sequence

import click

from errorfloor import __version__
from errorfloor._checks import either
from errorfloor.apps.cli.ask import (
    agreement,
    compare,
    difference,
    estimate,
    features,
    headroom,
    people,
    ratings,
)
from errorfloor.apps.cli.building import Group, examples
from errorfloor.apps.cli.improve import annotators, confusion, feebee, items, label, plan
from errorfloor.apps.cli.mcp import mcp
from errorfloor.apps.cli.more import data, metrics, paper, schema
from errorfloor.apps.cli.process import INTERRUPTED
from errorfloor.apps.cli.session import complain
from errorfloor.apps.cli.share import card, count, merge, report
from errorfloor.apps.cli.start import app, demo, look
from errorfloor.data.formats import FORMATS


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    try:
        code = cli.main(arguments, prog_name="errorfloor", standalone_mode=False)
    except click.Abort as error:
        if isinstance(error.__cause__, EOFError):  # an error of ours: Click takes it for Ctrl-D
            raise error.__cause__ from None
        return INTERRUPTED
    except click.ClickException as error:
        complain(error)
        return error.exit_code
    return code if isinstance(code, int) else 0


@click.group(
    "errorfloor",
    cls=Group,
    sections={
        "Start": (demo, look, app),
        "Ask": (estimate, headroom, people, ratings, compare, difference, features, agreement),
        "Improve": (plan, label, items, annotators, confusion, feebee),
        "Share": (report, card, count, merge),
        "More": (metrics, mcp, paper, data, schema),
    },
    usual="estimate",
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    help=f"""Find out how good any model can get on your data.

    The lowest error that any model can reach is the Bayes error; we call it the floor. It is
    estimated from votes of several annotators, from scores or features with one true label per
    item, from true probabilities, or from ratings.
    Files are {either(kind.name for kind in FORMATS)}; text may be compressed; - is standard input.
    `errorfloor FILE` is short for `errorfloor estimate FILE`.
    """,
    epilog=examples(
        "errorfloor demo --save demo",
        "errorfloor demo/votes.csv",
        "errorfloor headroom demo/votes.csv --model-errors 98 --test-items 1000",
    ),
)
@click.version_option(__version__, prog_name="errorfloor", message="%(prog)s %(version)s")
@click.pass_context
def cli(context: click.Context) -> None:
    """Print the help where no command is given."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
