"""Folders for uploads, one for each open page, which are deleted when the page or server goes."""

from __future__ import annotations

import re
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_urlsafe
from typing import Any

from errorfloor.apps.web.limits import Limits
from errorfloor.data.storage import PREFIX, remove, remove_leftovers

_LONGEST = 80  # characters of the name of a file


class RefusedError(Exception):
    """What the server does not do, with the status and the words that say so."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


@dataclass(eq=False)
class Page:
    """An open page: its folder, its upload, and when it was last heard of."""

    name: str
    folder: Path
    file: str | None = None  # within the folder, once all of it has arrived
    size: int = 0
    turn: int = 0  # of uploads, each of which ends the one before
    seen: float = field(default_factory=time.monotonic)
    job: Any = None  # the last question


class Uploads:
    """The open pages and what they uploaded."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.pages: dict[str, Page] = {}
        remove_leftovers(Path(tempfile.gettempdir()))
        self.root = Path(tempfile.mkdtemp(prefix=PREFIX))  # that nobody else can open

    def open(self) -> Page:
        """Make room for a page."""
        if len(self.pages) >= self.limits.pages:
            raise RefusedError(429, "Too many pages are open. Close some of them, and try again.")
        name = token_urlsafe(9)
        page = Page(name, self.root / f"page-{name}")
        page.folder.mkdir(mode=0o700)
        self.pages[name] = page
        return page

    def find(self, name: str) -> Page:
        """Return a page that is open."""
        page = self.pages.get(name)
        if page is None:
            raise RefusedError(
                410, "This page was away for long, and its file was deleted. Load it again."
            )
        page.seen = time.monotonic()
        return page

    def begin(self, page: Page, given: str, size: int | None) -> Path:
        """Return where to write an upload, in place of the one before."""
        self.check_size(page, size or 0)
        self.forget_file(page)
        return page.folder / safe_name(given)

    def check_size(self, page: Page, size: int) -> None:
        """Refuse an upload that is too large."""
        others = sum(one.size for one in self.pages.values() if one is not page)
        most = min(self.limits.file_bytes, self.limits.all_bytes - others)
        if size > most:
            raise RefusedError(
                413,
                f"The file is larger than {most / 2**20:,.0f} MiB, which is what the page takes. "
                "The command line reads files of any size: errorfloor estimate FILE.",
            )

    def forget_file(self, page: Page) -> None:
        """Delete what a page uploaded, or is about to."""
        remove(page.folder)
        page.folder.mkdir(mode=0o700, exist_ok=True)
        page.file, page.size, page.turn = None, 0, page.turn + 1

    def close(self, page: Page) -> None:
        """Forget a page, and delete what it uploaded."""
        self.pages.pop(page.name, None)
        page.turn += 1
        remove(page.folder)

    def away(self) -> list[Page]:
        """Return the pages that were not heard of for long."""
        before = time.monotonic() - self.limits.away_seconds
        return [page for page in self.pages.values() if page.seen < before]

    def remove(self) -> None:
        """Delete everything."""
        for page in list(self.pages.values()):
            self.close(page)
        remove(self.root)


def safe_name(given: str) -> str:
    """Return the name of a file without folders, patterns, and what else has a meaning.

    Examples
    --------
    >>> safe_name("../../etc/passwd"), safe_name("my scores (1).csv"), safe_name("-o*.csv")
    ('passwd', 'my scores (1).csv', 'o_.csv')
    """
    name = re.split(r"[/\\]", given)[-1]
    name = re.sub(r"[^\w .()+-]", "_", name).lstrip(" .-").rstrip(" .")
    stem, dot, suffix = name.rpartition(".")
    if len(name) > _LONGEST:
        name = f"{stem[: _LONGEST - 12]}{dot}{suffix[-10:]}" if stem else name[:_LONGEST]
    return name or "data"
