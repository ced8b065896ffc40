"""The command `errorfloor`: read labels, ask one question, print the answer."""

import sys

from errorfloor.apps.cli import interrupts, starting, streams

_EXTRA = "pip install 'errorfloor[cli]'"


def main() -> None:
    """Run the command line and exit: 0 fine, 1 bad input, 2 usage, 3 a requirement is not met."""
    interrupts.leave_at_once()
    streams.fill()
    try:
        starting.spare()
        from errorfloor.apps.cli.commands import run
    except ImportError as error:
        print(f"error: the command line needs more ({error}): {_EXTRA}.", file=sys.stderr)
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
