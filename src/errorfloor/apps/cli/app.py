"""The command `app`: a page in the browser that asks all of this with the mouse or the keyboard."""

from __future__ import annotations

import click

from errorfloor.apps.cli import starting
from errorfloor.apps.cli.building import Command, examples, option, with_session
from errorfloor.apps.cli.session import Failure, Session
from errorfloor.questions.options import Whole

_EXTRA = "The page needs more ({}): pip install 'errorfloor[app]'."


@click.command(
    cls=Command,
    short_help="Open a page in the browser to drop files on.",
    epilog=examples("errorfloor app", "errorfloor app --no-browser"),
)
@option(
    "--port",
    metavar="PORT",
    kind=Whole(0, 65535),
    default=0,
    help="Where the page is served, on this machine only; any free port by default.",
)
@option("--no-browser", is_flag=True, help="Print the address and open nothing.")
@with_session
def app(session: Session, port: int, no_browser: bool) -> None:
    """Open a page in the browser: drop a file, see the answer, change what is asked.

    Nothing leaves this machine: the server listens on 127.0.0.1 only, its address holds a secret,
    and files are deleted when the page is closed or the server ends. Ctrl-C ends it.
    """
    try:
        from errorfloor.apps.web.run import serve
    except ImportError as error:
        raise Failure(_EXTRA.format(error)) from error

    def say(address: str) -> None:
        session.show({"address": address}, address, headline=False)
        session.remark("Ctrl-C ends the app and deletes what was uploaded")

    starting.stay()
    serve(port, say, browser=not no_browser)
