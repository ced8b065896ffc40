"""The command `data`: real sets to try things on."""

from __future__ import annotations

import click

from errorfloor.cli._options import Group, examples, speaking
from errorfloor.cli._session import Session


@click.group(cls=Group, epilog=examples("errorfloor data list", "errorfloor data path"))
def data() -> None:
    """Real sets to try things on."""


@data.command("list", epilog=examples("errorfloor data list"))
@speaking
def list_sets(session: Session) -> None:
    """List the sets."""
    from errorfloor.cli._sets import all_sets

    sets = [one for one in all_sets() if one.items]
    names = ("name", "items", "votes", "positive")
    rows = [{**{name: getattr(one, name) for name in names}, "here": one.is_here} for one in sets]
    lines = [f"{'name':<18}  {'items':>6}  {'votes an item':>13}  {'class 1':<20}  here"]
    lines += [
        f"{one.name:<18}  {one.items:>6}  {one.votes:>13}  {one.positive:<20}  "
        f"{'yes' if one.is_here else 'no'}"
        for one in sets
    ]
    lines.append("iclr-2017 to iclr-2025 are its single years.")
    session.show({"sets": rows}, "\n".join(lines))


@data.command(epilog=examples("errorfloor data fetch cifar10h --save cifar10h.csv"))
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
@click.option("--save", metavar="FILE", help="Write the set as CSV, for the other commands.")
@speaking
def fetch(session: Session, names: tuple[str, ...], save: str | None) -> None:
    """Fetch sets into the cache, unless they are there, and check them.

    Nothing is fetched where the environment variable ERRORFLOOR_DATA names a folder.
    """
    from errorfloor.cli._sets import save_csv, set_called

    sets = [set_called(name) for name in names]
    if save is not None and len(sets) > 1:
        raise click.UsageError("--save takes one set.")
    rows, lines = [], []
    for one in sets:
        with session.silence():
            found = one.load()
        rows.append(
            {
                "name": one.name,
                "n": found.n,
                "licence": found.licence,
                "citation": found.citation,
                "files": one.paths(),
            }
        )
        lines += [f"{found.name}: {found.n:,} items, {found.licence}", *map(str, one.paths())]
        if save is not None:
            save_csv(found, save)
            lines.append(f"wrote {save}")
    session.show({"sets": rows, "saved": save}, "\n".join(lines), headline=False)


@data.command(epilog=examples("errorfloor data path"))
@click.argument("name", required=False)
@speaking
def path(session: Session, name: str | None) -> None:
    """Print the files of a set, or the folder of all sets."""
    from errorfloor.cli._sets import folder, set_called

    if name is None:
        session.show({"folder": folder()}, str(folder()), headline=False)
        return
    one = set_called(name)
    if not one.is_here:
        raise ValueError(f"{name} is not here yet: errorfloor data fetch {name}")
    session.show({"files": one.paths()}, "\n".join(map(str, one.paths())), headline=False)
