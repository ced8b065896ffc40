"""The command `errorfloor`: read labels, ask one question, print the answer."""

import shlex
import sys

from errorfloor.apps.cli import process


def main() -> None:
    """Run the command line and exit: 0 fine, 1 bad input, 2 usage, 3 a requirement is not met."""
    process.end_on_signal()
    process.fill_streams()
    try:
        process.start_quickly()
        from errorfloor.apps.cli.commands import run
    except ImportError as error:
        print(_without_its_extra(error, sys.argv[1:]), file=sys.stderr)
        sys.exit(1)
    process.raise_on_signal()
    try:
        code = run()
    except BaseException:
        if not process.was_interrupted():
            raise
        code = process.INTERRUPTED
    process.ignore_signals()
    process.run_exit_functions()
    process.end_on_signal()
    process.end_quickly(process.exit_code(code))


def _without_its_extra(error: ImportError, arguments: list[str]) -> str:
    """Say what a plain install lacks, and the line to type, by the program that installed it."""
    again = shlex.join(["errorfloor", *arguments])
    return (
        f"error: the command line needs packages that a plain install leaves out ({error}). Type\n"
        "  pip install 'errorfloor[cli]'\n"
        "or, where pipx or uv installed it,\n"
        "  pipx install --force 'errorfloor[cli]'\n"
        f"  uvx --from 'errorfloor[cli]' {again}"
    )
