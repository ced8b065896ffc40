"""How much the page may use of this machine, and what it says where that is not there."""

from __future__ import annotations

import errno
import os
import sys
from dataclasses import dataclass

GIB = 2**30


@dataclass(frozen=True, slots=True)
class Limits:
    """What uploads and the processes that read them may use.

    Attributes
    ----------
    file_bytes, all_bytes : int
        Size of one upload, and of all that are kept at a time.
    pages : int
        Pages that are open at a time; a page keeps one upload.
    form_bytes : int
        Size of what a form sends.
    answer_bytes : int
        Size of what a worker answers.
    workers : int
        Processes that read and compute.
    memory : int
        Bytes of address space of a worker.
    cpu_seconds : int
        Computing time of one question.
    written_bytes : int
        Size of a file that a worker writes, such as what it unpacks.
    away_seconds : float
        How long a page may be silent before its upload is deleted.
    grace_seconds : float
        How long the last question of a page may go on once there is a new one.
    connections : int
        Connections at a time; fewer where the system lets the server open few files.
    head_seconds : float
        How long a connection may take to say what it asks for.
    """

    file_bytes: int = 4 * GIB
    all_bytes: int = 16 * GIB
    pages: int = 60
    form_bytes: int = 2**20
    answer_bytes: int = 2**26
    workers: int = max(2, min(4, os.cpu_count() or 2))
    memory: int = 8 * GIB
    cpu_seconds: int = 1800
    written_bytes: int = 16 * GIB
    away_seconds: float = 900.0
    grace_seconds: float = 2.0
    connections: int = 256
    head_seconds: float = 10.0


def hold(limits: Limits) -> None:
    """Hold this process to the limits that do not depend on a question."""
    try:
        import resource
    except ImportError:  # Windows
        return
    for name, value in (
        ("RLIMIT_AS", limits.memory),
        ("RLIMIT_FSIZE", limits.written_bytes),
        ("RLIMIT_CORE", 0),
    ):
        kind = getattr(resource, name)
        _, most = resource.getrlimit(kind)
        least = value if most == resource.RLIM_INFINITY else min(value, most)
        if sys.platform != "darwin" or name != "RLIMIT_AS":  # which macOS refuses
            resource.setrlimit(kind, (least, most))


def allow_another(limits: Limits) -> None:
    """Give the next question its computing time; the system ends the process beyond it."""
    try:
        import resource
    except ImportError:
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    until = int(used.ru_utime + used.ru_stime) + limits.cpu_seconds + 1
    if most != resource.RLIM_INFINITY:
        until = min(until, most)
    resource.setrlimit(resource.RLIMIT_CPU, (until, most))


_FULL = (
    "The disk that holds temporary files is full. Free some space, or start the app with TMPDIR "
    "set to a folder on another disk."
)
_MANY = "The app has too many files open. Close other pages of it, and try again."
_REASONS = {
    errno.ENOSPC: _FULL,
    getattr(errno, "EDQUOT", errno.ENOSPC): _FULL,
    errno.EFBIG: "This needs a larger temporary file than the page or the system allows.",
    errno.EMFILE: _MANY,
    errno.ENFILE: _MANY,
    errno.ENOMEM: "The machine has no memory left for this.",
    errno.EAGAIN: "The system starts no more processes now. Close other programs, and try again.",
}


def reason(error: BaseException) -> str | None:
    """Return what the machine did not have, if that is what went wrong."""
    return _REASONS.get(error.errno or 0) if isinstance(error, OSError) else None


def failure(error: BaseException) -> str:
    """Return what to say of any error."""
    return reason(error) or (
        f"Something unforeseen happened ({type(error).__name__}). Your file is as it was. "
        "The terminal in which the app runs says more."
    )
