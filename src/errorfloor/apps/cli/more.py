"""The commands `metrics`, `data`, `paper` and `schema`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

import errorfloor
from errorfloor.apps.cli.building import Command, Group, examples, option, with_session
from errorfloor.apps.cli.options import complete_sets
from errorfloor.apps.cli.session import SCHEMA, Session

if TYPE_CHECKING:
    from errorfloor.datasets.dataset import Dataset


@click.command(
    cls=Command,
    short_help="List the metrics and what data each needs.",
    epilog=examples("errorfloor metrics"),
)
@with_session
def metrics(session: Session) -> None:
    """List the metrics: for how many classes, what they need, and from which data."""
    from errorfloor.show import grids

    session.show({"metrics": grids.metrics_as_dicts()}, grids.metrics_as_text(), headline=False)


@click.group(cls=Group, epilog=examples("errorfloor data list", "errorfloor data path"))
def data() -> None:
    """Download real data sets to try."""


@data.command("list", epilog=examples("errorfloor data list"))
@with_session
def list_sets(session: Session) -> None:
    """List the sets."""
    from errorfloor.datasets.catalogue import SETS

    sets = [one for one in SETS if one.items]
    names = ("name", "items", "votes", "positive")
    rows = [{**{name: getattr(one, name) for name in names}, "here": one.is_here} for one in sets]
    lines = [f"{'name':<18}  {'items':>6}  {'votes per item':>14}  {'class 1':<20}  here"]
    lines += [
        f"{one.name:<18}  {one.items:>6}  {one.votes:>14}  {one.positive:<20}  "
        f"{'yes' if one.is_here else 'no'}"
        for one in sets
    ]
    parts = [one.name for one in SETS if not one.items]
    lines.append(f"{parts[0]} to {parts[-1]} are its single years.")
    session.show({"sets": rows}, "\n".join(lines))


@data.command(epilog=examples("errorfloor data fetch cifar10h --save cifar10h.csv"))
@click.argument("names", metavar="NAME...", nargs=-1, required=True, shell_complete=complete_sets)
@option("--save", metavar="FILE", help="Write the set as CSV, for the other commands.")
@with_session
def fetch(session: Session, names: tuple[str, ...], save: str | None) -> None:
    """Download data sets into the cache if they are not there yet, and check them.

    Nothing is downloaded if the environment variable ERRORFLOOR_DATA names a folder.
    """
    from errorfloor.datasets import catalogue

    sets = [catalogue.called(name) for name in names]
    if save is not None and len(sets) > 1:
        raise click.UsageError("--save takes one set.")
    rows, lines = [], []
    for one in sets:
        with session.quiet_libraries():
            content = one.load()
        about = {"name": one.name, "n": content.n}
        about |= {"licence": content.licence, "citation": content.citation}
        rows.append({**about, "files": one.paths()})
        lines += [f"{content.name}: {content.n:,} items, {content.licence}"]
        lines += map(str, one.paths())
        if save is not None:
            save_csv(content, save)
            lines.append(f"wrote {save}")
    session.show({"sets": rows, "saved": save}, "\n".join(lines), headline=False)


@data.command(epilog=examples("errorfloor data path"))
@click.argument("name", required=False, shell_complete=complete_sets)
@with_session
def path(session: Session, name: str | None) -> None:
    """Print the paths of the files of a data set; without NAME, the folder of all data sets."""
    from errorfloor.datasets import catalogue

    if name is None:
        folder = catalogue.folder()
        session.show({"folder": folder}, str(folder), headline=False)
        return
    one = catalogue.called(name)
    if not one.is_here:
        raise ValueError(f"{name} is not here yet: errorfloor data fetch {name}")
    session.show({"files": one.paths()}, "\n".join(map(str, one.paths())), headline=False)


def save_csv(content: Dataset, path: str | os.PathLike[str]) -> None:
    """Write a set as CSV: id, score, label, and the votes if it has any."""
    from errorfloor.data.storage import write_csv

    columns: dict[str, list[object]] = {
        "id": content.ids.tolist(),
        "score": content.scores.tolist(),
        "label": content.labels.astype(int).tolist(),
    }
    if content.votes is not None:
        columns |= {"positives": content.positives.tolist(), "total": content.totals.tolist()}
    write_csv(path, list(columns), zip(*columns.values(), strict=True))


@click.command(
    cls=Command,
    short_help="Draw the figures of the paper again (from a clone).",
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
@option("--force", is_flag=True, help="Recompute what already exists.")
@with_session
def paper(
    session: Session, names: tuple[str, ...], out: Path, docs: Path | None, force: bool
) -> None:
    """Draw the paper's figures again, with every printed number next to the recomputed one.

    Needs a git clone of errorfloor, whose package `papers` draws them.

    NAME is figure-1 to figure-12 or table-feebee; all of them by default. The name follow-up
    is short for follow-up-figure, follow-up-table and follow-up-feebee, from the second paper.
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
    with session.quiet_libraries():
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

    The key `schema` of an answer holds the version. Later releases may add keys;
    any other change gets a new version, such as errorfloor/4.
    """
    click.echo(path_of(SCHEMA).read_text(encoding="utf-8"), nl=False)
