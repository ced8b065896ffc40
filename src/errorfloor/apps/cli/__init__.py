"""The command `errorfloor`: read labels, ask one question, print the answer."""

import shlex
import sys

from errorfloor.apps.cli import interrupts, starting


def main() -> None:
    """Run the command line and exit: 0 fine, 1 bad input, 2 usage, 3 a requirement is not met."""
    interrupts.leave_at_once()
    starting.fill_streams()
    try:
        starting.spare()
        from errorfloor.apps.cli.commands import run
    except ImportError as error:
        print(_without_its_extra(error, sys.argv[1:]), file=sys.stderr)
        sys.exit(1)
    interrupts.remember()
    try:
        code = run()
    except BaseException:
        if not interrupts.was_pressed():
            raise
        code = interrupts.INTERRUPTED
    interrupts.wait()
    starting.tidy()
    interrupts.leave_at_once()
    starting.leave(interrupts.code_of(code))


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
