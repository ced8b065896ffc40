"""What the page says of what went wrong inside: the true reason, and nothing of the inside."""

from __future__ import annotations

import errno

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
