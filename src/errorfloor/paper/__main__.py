"""Run figures and tables of the paper: `python -m errorfloor.paper`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import errorfloor
from errorfloor.data.storage import write_bytes
from errorfloor.paper import FIGURES, Reproduction, load, reproduce
from errorfloor.paper._document import document


def main(arguments: Sequence[str] | None = None) -> int:
    """Reproduce what was asked for; write the page once everything is there."""
    parser = argparse.ArgumentParser(
        prog="python -m errorfloor.paper",
        description="Compute and draw the paper's figures and tables beside the printed numbers.",
        epilog="Example: python -m errorfloor.paper --out paper figure-2 figure-7",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(FIGURES)}; or all")
    parser.add_argument("--out", type=Path, default=Path("paper"), help="folder for the files")
    parser.add_argument("--docs", type=Path, help="folder for paper.md and figures/")
    parser.add_argument("--force", action="store_true", help="compute again what is there")
    options = parser.parse_args(arguments)
    which = "all" if options.names in ([], ["all"]) else options.names
    try:
        found = reproduce(which, options.out, force=options.force)
    except (ImportError, OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    for result in found:
        print(summary(result))
    page, missing = write_page(options.out, options.docs)
    if page is None:
        print(f"No page yet: {options.out} lacks {', '.join(missing)}.", file=sys.stderr)
    else:
        print(f"wrote {page}")
    return 0


def summary(result: Reproduction) -> str:
    """Say how many numbers of a figure agree with the print, and where its drawing is."""
    agree = sum(check.agrees for check in result.checks)
    return f"{result.name}: {agree} of {len(result.checks)} numbers agree, {result.svg}"


def write_page(out: Path, docs: Path | None) -> tuple[Path | None, list[str]]:
    """Write the page if all figures are there; return its path, or None, and what is missing.

    It goes into `docs`; without that into the docs of a clone, or else to the figures.
    """
    found = {name: load(name, out) for name in FIGURES}
    complete = [result for result in found.values() if result is not None]
    missing = [name for name, result in found.items() if result is None]
    if missing:
        return None, missing
    docs = docs or _docs(out)
    figures = docs / "figures"
    figures.mkdir(parents=True, exist_ok=True)
    for result in complete:
        write_bytes(figures / result.svg.name, result.svg.read_bytes())
    write_bytes(docs / "paper.md", document(complete).encode())
    return docs / "paper.md", []


def _docs(out: Path) -> Path:
    """Return the docs of a clone, or else the folder with the figures."""
    clone = Path(errorfloor.__file__).parents[2]
    return clone / "docs" if (clone / "pyproject.toml").is_file() else out


if __name__ == "__main__":
    sys.exit(main())
