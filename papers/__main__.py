"""Run figures and tables of the paper: `python -m papers`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from errorfloor.data.storage import write_bytes
from papers import FIGURES, FOLLOW_UP, Reproduction, load, reproduce
from papers import _document as pages


def main(arguments: Sequence[str] | None = None) -> int:
    """Reproduce what was asked for; write the page once everything is there."""
    parser = argparse.ArgumentParser(
        prog="python -m papers",
        description="Compute and draw the paper's figures and tables next to the printed numbers.",
        epilog="Example: python -m papers --out paper figure-2 figure-7",
    )
    every = f"{', '.join(FIGURES)}; or all; {', '.join(FOLLOW_UP)}; or follow-up"
    parser.add_argument("names", nargs="*", metavar="NAME", help=every)
    parser.add_argument("--out", type=Path, default=Path("paper"), help="folder for the files")
    parser.add_argument("--docs", type=Path, help="folder for the page and figures/")
    parser.add_argument("--force", action="store_true", help="compute again what is there")
    options = parser.parse_args(arguments)
    which = which_of(options.names)
    try:
        found = reproduce(which, options.out, force=options.force)
    except (ImportError, OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    for result in found:
        print(summary(result))
    for page, missing in write_pages(found, options.out, options.docs):
        if page is None:
            print(f"No page yet: {options.out} lacks {', '.join(missing)}.", file=sys.stderr)
        else:
            print(f"wrote {page}")
    return 0


def which_of(names: Sequence[str]) -> str | Sequence[str]:
    """Return what `reproduce` is to be asked for, given the names that were typed."""
    if list(names) in ([], ["all"]):
        return "all"
    return "follow-up" if list(names) == ["follow-up"] else names


def write_pages(
    found: Sequence[Reproduction], out: Path, docs: Path | None
) -> list[tuple[Path | None, list[str]]]:
    """Write the page of each paper that something of `found` is of; see `write_page`."""
    follows = [result.name in FOLLOW_UP for result in found]
    written = [write_page(out, docs)] if not all(follows) or not follows else []
    return written + ([write_page(out, docs, follow_up=True)] if any(follows) else [])


def summary(result: Reproduction) -> str:
    """Say how many numbers of a figure agree with the print, and where its drawing is."""
    agree = sum(check.agrees for check in result.checks)
    return f"{result.name}: {agree} of {len(result.checks)} numbers agree, {result.svg}"


def write_page(
    out: Path, docs: Path | None, *, follow_up: bool = False
) -> tuple[Path | None, list[str]]:
    """Write the page if all figures are there; return its path, or None, and what is missing.

    It goes into `docs`; without that into the docs of the clone.
    """
    found = {name: load(name, out) for name in (FOLLOW_UP if follow_up else FIGURES)}
    complete = [result for result in found.values() if result is not None]
    missing = [name for name, result in found.items() if result is None]
    if missing:
        return None, missing
    docs = docs or Path(__file__).parents[1] / "docs"
    figures = docs / "figures"
    figures.mkdir(parents=True, exist_ok=True)
    for result in complete:
        write_bytes(figures / result.svg.name, result.svg.read_bytes())
    page = docs / ("follow_up.md" if follow_up else "paper.md")
    text = pages.FOLLOW_UP if follow_up else pages.INTRODUCTION
    write_bytes(page, pages.document(complete, introduction=text).encode())
    return page, []


if __name__ == "__main__":
    sys.exit(main())
