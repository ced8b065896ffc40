"""A page for each command, as `errorfloor COMMAND --help` has it; written before pages are read."""

from pathlib import Path
from typing import Any

import click
from sphinx.application import Sphinx

from errorfloor.apps.cli.commands import cli

FOLDER = "auto_commands"
PAGE = """.. click:: commands:{attribute}
   :prog: errorfloor {name}
   :nested: full
"""


def __getattr__(name: str) -> click.Command:
    """Return a command by its name, as the directive of sphinx-click asks for it."""
    try:
        return cli.commands[name.replace("_", "-")]
    except KeyError:
        raise AttributeError(name) from None


def write(app: Sphinx) -> None:
    """Write the pages that have changed, and take away those of commands that are gone."""
    folder = Path(app.srcdir) / FOLDER
    folder.mkdir(exist_ok=True)
    for path in folder.iterdir():
        if path.stem not in cli.commands:
            path.unlink()
    for name in cli.commands:
        path = folder / f"{name}.rst"
        text = PAGE.format(name=name, attribute=name.replace("-", "_"))
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Have the pages written first."""
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
