"""A process that reads uploads and answers questions about them, one at a time, within limits.

It takes one JSON object per line from standard input and answers with some on standard output:
what it is doing, and last what came of it. All that it writes for a question lies in a folder that
the question names, and that the server removes when there is an answer, or when it ended the
process. When standard input ends, the server is gone: then the uploads are deleted, and the process
ends, whatever it is doing.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, TextIO

from errorfloor.apps.web.limits import Limits, allow_another, failure, hold, reason

Tell = Callable[[Mapping[str, Any]], None]


def main() -> None:
    """Answer until the server goes."""
    root, given = sys.argv[1], json.loads(sys.argv[2])
    limits = Limits(**{one.name: given[one.name] for one in fields(Limits)})
    # Uploads must not be imported: folders are taken as they are now, the one of the day left out.
    sys.path[:] = [os.path.abspath(part) for part in sys.path if part]
    _write_below(root)
    hold(limits)
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)  # what libraries print is no answer
    asked: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(asked, root), daemon=True).start()
    _prepare()
    tell = _teller(answers)
    tell({"event": "ready"})
    while True:
        _answer(json.loads(asked.get()), limits, tell)
        _write_below(root)


def _listen(asked: queue.SimpleQueue[str], root: str) -> None:
    """Pass questions on; when there will be no more, leave nothing behind."""
    for line in sys.stdin:
        asked.put(line)
    from errorfloor.data.storage import remove

    remove(root)
    os._exit(0)


def _write_below(folder: str) -> None:
    """Have all temporary files, whoever makes them, lie in a folder."""
    tempfile.tempdir = folder
    os.environ.update(dict.fromkeys(("TMPDIR", "TEMP", "TMP"), folder))


def _prepare() -> None:
    """Load what every answer needs, before anybody waits for one."""
    from errorfloor.apps.cli import process

    process.start_quickly()
    import errorfloor.apps.web.answering  # noqa: F401


def _teller(answers: TextIO) -> Tell:
    lock = threading.Lock()

    def tell(event: Mapping[str, Any]) -> None:
        with lock:
            answers.write(json.dumps(event) + "\n")
            answers.flush()

    return tell


def _answer(question: Mapping[str, Any], limits: Limits, tell: Tell) -> None:
    """Answer one question; what goes wrong is reported without the inside of the program."""
    from errorfloor.apps.web.answering import answer
    from errorfloor.data.files import forget_database

    tell({"event": "taken"})
    try:
        allow_another(limits)
        os.mkdir(question["scratch"], 0o700)
        _write_below(question["scratch"])
        os.chdir(question["folder"])
        tell({"event": "done", **answer(question, tell)})
    except MemoryError:
        most = limits.memory / 2**30
        message = f"This needs more memory than the {most:.0f} GiB that the page allows itself."
        tell({"event": "failed", "message": message})
    except Exception as error:
        log = {} if reason(error) else {"log": traceback.format_exc()}
        tell({"event": "failed", "message": failure(error), **log})
    finally:
        forget_database()  # which may have files in the folder


if __name__ == "__main__":
    main()
