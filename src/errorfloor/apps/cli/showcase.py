"""The commands that need no data of one's own: `demo` and `paper`."""

from __future__ import annotations

from pathlib import Path

import click

from errorfloor.apps.cli.building import Command, examples, option, with_session
from errorfloor.apps.cli.options import destination
from errorfloor.apps.cli.session import Session


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
    """Run every method on simulated data whose true floor is known; or save data to try things on.

    The scores of the demo are true probabilities, distorted but in the right order, so that they
    leave nothing out. With scores of your own model, expect only an upper bound on the floor.
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
    said = {**rows.to_dict(), "true_floor": floor}
    said["five_classes"] = {**many.to_dict(), "true_floor": its_floor}
    text = f"{demo.text(rows, floor)}\n\n{demo.text_of_five(many, its_floor)}"
    session.show(said, text)
    if picture is not None:
        session.remark(f"wrote {demo.draw(rows, floor, picture)}")


@click.command(
    cls=Command,
    short_help="Draw the paper's figures again (in a clone).",
    epilog=examples("errorfloor paper figure-2 --out paper"),
)
@click.argument("names", metavar="[NAME]...", nargs=-1)
@option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("paper"),
    help="Folder to write to; by default one called paper.",
)
@option(
    "--docs",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for a page with all figures; written only when every figure is there.",
)
@option("--force", is_flag=True, help="Compute again what is there.")
@with_session
def paper(
    session: Session, names: tuple[str, ...], out: Path, docs: Path | None, force: bool
) -> None:
    """Draw the paper's figures again, with every printed number next to ours.

    Needs a clone of errorfloor: its package `papers` has the figures.

    NAME is figure-1 to figure-12 or table-feebee; all of them by default. The name follow-up
    stands for the three of the second paper: follow-up-figure, follow-up-table, follow-up-feebee.
    """
    from errorfloor._checks import check_choice
    from errorfloor.paper import find_papers

    try:
        find_papers()
    except ImportError as error:
        raise click.ClickException(str(error)) from error
    from papers import FIGURES, FOLLOW_UP, reproduce
    from papers.__main__ import summary, which_of, write_pages

    for name in names:
        check_choice(name, (*FIGURES, "all", *FOLLOW_UP, "follow-up"), name="NAME")
    which = which_of(names)
    with session.taming():
        figures = reproduce(which, out, force=force)
    pages = write_pages(figures, out, docs)
    for _, missing in pages:
        if missing:
            session.remark(f"no page yet: {out} lacks {', '.join(missing)}.")
    page = next((page for page, _ in pages if page is not None), None)
    rows = [
        {
            "name": figure.name,
            "title": figure.title,
            "svg": figure.svg,
            "checks": [check.to_dict() for check in figure.checks],
        }
        for figure in figures
    ]
    lines = [summary(figure) for figure in figures] + ([f"wrote {page}"] if page else [])
    session.show({"figures": rows, "page": page}, "\n".join(lines), headline=False)
