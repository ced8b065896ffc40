"""The commands to start with: `demo`, `look` and `app`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from errorfloor.apps.cli import process
from errorfloor.apps.cli.building import FILE, Command, examples, option, options, with_session
from errorfloor.apps.cli.labels import Labels
from errorfloor.apps.cli.messages import written
from errorfloor.apps.cli.options import JOINED, destination, listed
from errorfloor.apps.cli.session import Failure, Session
from errorfloor.data.layouts import LAYOUTS
from errorfloor.data.options import ReadOptions
from errorfloor.questions.options import Whole


@click.command(
    cls=Command,
    short_help="Run every method on simulated data whose true floor is known.",
    epilog=examples(
        "errorfloor demo", "errorfloor demo --save demo", "errorfloor demo --picture demo.svg"
    ),
)
@option(
    "--save",
    metavar="FOLDER",
    type=click.Path(file_okay=False),
    help="Write small CSV files instead.",
)
@destination(
    lambda: (".svg", ".png", ".pdf"),
    names=["--picture"],
    required=False,
    help="Also draw the floors",
)
@with_session
def demo(session: Session, save: str | None, picture: Path | None) -> None:
    """Run every method on simulated data with a known floor, or save files to try things on.

    The scores of the demo are the true probabilities on a distorted scale. Their order is right, so
    no information is lost. Scores of your own model miss some of it, so they give an upper limit
    only.
    """
    from errorfloor.apps import demo

    if save is not None:
        paths = demo.save(save)
        session.show({"files": paths}, "\n".join(map(str, paths)), headline=False)
        session.remark(f"next: errorfloor estimate {paths[0]}")
        return
    with session.step("estimating by every method"):
        rows, floor = demo.run()
        many, its_floor = demo.run_five()
    result = {**rows.to_dict(), "true_floor": floor}
    result["five_classes"] = {**many.to_dict(), "true_floor": its_floor}
    text = f"{demo.text(rows, floor)}\n\n{demo.text_of_five(many, its_floor)}"
    session.show(result, text)
    if picture is not None:
        session.remark(f"wrote {demo.draw(rows, floor, picture)}")


@click.command(
    cls=Command,
    short_help="Show what a file holds and what to type next.",
    epilog=examples("errorfloor look demo/votes.csv", "errorfloor look demo/*.csv --json"),
)
@click.argument("files", metavar="FILE...", type=FILE, nargs=-1, required=True)
@options(*JOINED, listed("format"))
@with_session
def look(session: Session, files: tuple[str, ...], **how: Any) -> None:
    """Say what the columns of a file are, how they may be read, and what is wrong with them.

    Nothing is estimated. The last lines are commands to copy and paste.
    """
    from errorfloor.questions.look import looked_at

    labels = Labels(files, ReadOptions.of(**how), LAYOUTS)
    with labels.paths(session) as paths, session.step(f"looking at {labels.name}"):
        called = labels.name if labels.is_stdin else None
        found, _ = looked_at(paths, replace(labels.where, called=called), written, files)
    session.show(found.to_dict(), str(found), headline=False)


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
@option("--no-browser", is_flag=True, help="Print the address, and open no browser.")
@with_session
def app(session: Session, port: int, no_browser: bool) -> None:
    """Open a page in the browser: drop a file, see the answer, change the settings.

    Nothing leaves this machine: the server listens on 127.0.0.1 only, its address holds a secret,
    and files are deleted when the page is closed or the server ends. Ctrl-C ends it.
    """
    try:
        from errorfloor.apps.web.server import serve
    except ImportError as error:
        raise Failure(_EXTRA.format(error)) from error

    def say(address: str) -> None:
        session.show({"address": address}, address, headline=False)
        session.remark("Ctrl-C ends the app and deletes what was uploaded")

    process.keep_running()
    serve(port, say, browser=not no_browser)
