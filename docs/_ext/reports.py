"""Reports to look at: written while pages are built, by the command that stands above each."""

import contextlib
import os
import shlex
import tempfile
import warnings
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from errorfloor.apps import demo
from errorfloor.apps.cli.commands import run

FOLDER = "reports"  # beside the pages


class Report(SphinxDirective):
    """A command that writes a report on files of the demo; its argument names the report."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        """Write the report, and return the command, the report in a frame and a link to it."""
        name, command = self.arguments[0], " ".join(self.content)
        folder = Path(self.env.app.outdir) / FOLDER
        folder.mkdir(parents=True, exist_ok=True)
        write(command, folder / f"{name}.html")
        up = "../" * self.env.docname.count("/")
        address = escape(f"{up}{FOLDER}/{name}.html")
        frame = (
            f'<iframe class="report" src="{address}" title="The report {escape(name)}" '
            f'loading="lazy"></iframe>\n<p><a href="{address}">Open this report</a></p>'
        )
        shown = nodes.literal_block(f"$ {command}", f"$ {command}", language="console")
        return [shown, nodes.raw("", frame, format="html")]


def write(command: str, path: Path) -> None:
    """Run a command of `errorfloor` where the files of the demo are, and keep its report."""
    arguments = [*shlex.split(command)[1:], "--quiet", "-o", str(path)]
    with (
        contextlib.chdir(_folder().name),
        open(os.devnull, "w") as nowhere,
        contextlib.redirect_stdout(nowhere),
        warnings.catch_warnings(action="ignore"),
    ):
        code = run(arguments)
    if code:
        raise RuntimeError(f"{command} ended with {code}")


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """Return a folder with the files of the demo, which goes with the process."""
    folder = tempfile.TemporaryDirectory()
    demo.save(Path(folder.name) / "demo")
    return folder


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("report", Report)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
