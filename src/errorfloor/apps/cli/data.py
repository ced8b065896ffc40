"""The command `data`: real sets to try things on."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from errorfloor.apps.cli import completing
from errorfloor.apps.cli.building import Group, examples, option, with_session
from errorfloor.apps.cli.session import Session

if TYPE_CHECKING:
    from errorfloor.datasets.dataset import Dataset


@click.group(cls=Group, epilog=examples("errorfloor data list", "errorfloor data path"))
def data() -> None:
    """Real sets to try things on."""


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
@click.argument("names", metavar="NAME...", nargs=-1, required=True, shell_complete=completing.sets)
@option("--save", metavar="FILE", help="Write the set as CSV, for the other commands.")
@with_session
def fetch(session: Session, names: tuple[str, ...], save: str | None) -> None:
    """Download data sets into the cache, unless they are there, and check them.

    Nothing is downloaded if the environment variable ERRORFLOOR_DATA names a folder.
    """
    from errorfloor.datasets import catalogue

    sets = [catalogue.called(name) for name in names]
    if save is not None and len(sets) > 1:
        raise click.UsageError("--save takes one set.")
    rows, lines = [], []
    for one in sets:
        with session.taming():
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
@click.argument("name", required=False, shell_complete=completing.sets)
@with_session
def path(session: Session, name: str | None) -> None:
    """Print the files of a set, or the folder of all sets."""
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
    from errorfloor.data.outputs import write_csv

    columns: dict[str, list[object]] = {
        "id": content.ids.tolist(),
        "score": content.scores.tolist(),
        "label": content.labels.astype(int).tolist(),
    }
    if content.votes is not None:
        columns |= {"positives": content.positives.tolist(), "total": content.totals.tolist()}
    write_csv(path, list(columns), zip(*columns.values(), strict=True))
