"""Reports to look at: written while pages are built, by the command that stands above each."""

import os
import shlex
import subprocess
import sys
import tempfile
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from errorfloor.apps import demo

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
    with tempfile.TemporaryDirectory() as folder:
        demo.save(Path(folder) / "demo")
        arguments = [*shlex.split(command)[1:], "--quiet", "-o", str(path)]
        subprocess.run(
            [sys.executable, "-m", "errorfloor", *arguments],
            cwd=folder,
            env={**os.environ, "PYTHONWARNINGS": "ignore"},
            stdout=subprocess.DEVNULL,
            check=True,
        )


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("report", Report)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
