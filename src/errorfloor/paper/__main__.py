"""Run figures and tables of the paper: `python -m errorfloor.paper`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import errorfloor
from errorfloor.paper import FIGURES, load, reproduce, write
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
        agree = sum(check.agrees for check in result.checks)
        print(f"{result.name}: {agree} of {len(result.checks)} numbers agree, {result.svg}")
    return _write_page(options.out, options.docs or _docs(options.out))


def _docs(out: Path) -> Path:
    """Return the docs of a clone, or else the folder with the figures."""
    clone = Path(errorfloor.__file__).parents[2]
    return clone / "docs" if (clone / "pyproject.toml").is_file() else out


def _write_page(out: Path, docs: Path) -> int:
    results = [load(name, out) for name in FIGURES]
    complete = [result for result in results if result is not None]
    if len(complete) < len(results):
        missing = (name for name, found in zip(FIGURES, results, strict=True) if found is None)
        print(f"No page yet: {out} lacks {', '.join(missing)}.", file=sys.stderr)
        return 0
    figures = docs / "figures"
    figures.mkdir(parents=True, exist_ok=True)
    for result in complete:
        write(figures / result.svg.name, result.svg.read_bytes())
    write(docs / "paper.md", document(complete).encode())
    print(f"wrote {docs / 'paper.md'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
