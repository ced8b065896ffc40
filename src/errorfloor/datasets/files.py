"""Where the files of the real sets are: a folder the user names, or else a cache that fills itself.

A file comes from its public address at a fixed commit and is used only if its SHA-256 is right.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

HOST = "https://raw.githubusercontent.com"
VARIABLE = "ERRORFLOOR_DATA"

DataHome = str | os.PathLike[str] | None


class MissingDataError(OSError):
    """A data set is neither on this machine nor could it be fetched; says what to put where."""


@dataclass(frozen=True, slots=True)
class DataFile:
    """One file of a set: where it lies in a data folder, where it is public, and its SHA-256."""

    path: str
    repository: str
    commit: str
    source: str
    sha256: str

    @property
    def address(self) -> str:
        """Where the file is downloaded from."""
        return f"{HOST}/{self.repository}/{self.commit}/{self.source}"


def locate(file: DataFile, data_home: DataHome) -> Path:
    """Return the path of a checked `file`, after a download if no folder is named.

    A folder is named by `data_home` or else by the environment variable ERRORFLOOR_DATA. Nothing
    is ever written there.
    """
    folder = named_folder(data_home)
    if folder is None:
        return _fetch(file)
    path = present(folder, file.path, f" Its SHA-256 is {file.sha256}; it is at {file.address}.")
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != file.sha256:
        raise ValueError(
            f"{path} is not the file it should be: its SHA-256 is {found}, not {file.sha256}. "
            f"Replace it with {file.address}."
        )
    return path


def named_folder(data_home: DataHome) -> Path | None:
    """Return the folder the user names, or None to use the cache."""
    if data_home is None:
        data_home = os.environ.get(VARIABLE) or None
    elif not os.fspath(data_home):
        raise ValueError("`data_home` is an empty path. Name a folder, or pass None for the cache.")
    return None if data_home is None else Path(data_home).expanduser()


def present(folder: Path, path: str, where: str = "") -> Path:
    """Return the file at `path` in a folder the user named, or say that it has to be there."""
    full = folder / path
    if not full.is_file():
        raise MissingDataError(
            f"{full} does not exist. The folder that `data_home` or {VARIABLE} names has to hold "
            f"{path}.{where} Without a folder named, the data is fetched and cached."
        )
    return full


def cache() -> Path:
    """Return the folder for fetched files."""
    import pooch

    return Path(pooch.os_cache("errorfloor"))


def unavailable(path: str, reason: object, where: str = "") -> MissingDataError:
    """Say that `path` is not here and could not be fetched, and what to put where."""
    return MissingDataError(
        f"{path} is not on this machine and could not be fetched ({reason}). Put it into a folder "
        f"of your choice as {path}, and name that folder by `data_home` or the environment "
        f"variable {VARIABLE}.{where}"
    )


def _fetch(file: DataFile) -> Path:
    where = f" Its SHA-256 is {file.sha256}; it is at {file.address}."
    try:
        import pooch

        from errorfloor.datasets._download import ResumingDownloader
    except ImportError as error:
        raise unavailable(file.path, f"{error}: pip install 'errorfloor[data]'", where) from error
    store = pooch.create(
        path=cache(),
        base_url="",
        registry={file.path: f"sha256:{file.sha256}"},
        urls={file.path: file.address},
        retry_if_failed=2,
    )
    try:
        # pooch looks before it makes the folder, and fails if another thread was quicker.
        (cache() / file.path).parent.mkdir(parents=True, exist_ok=True)
        return Path(store.fetch(file.path, downloader=ResumingDownloader()))
    except (OSError, ValueError) as error:  # what requests raises is an OSError, too
        raise unavailable(file.path, error, where) from error
