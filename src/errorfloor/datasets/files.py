"""Where the files of the real sets are: a folder the user names, or else a cache that fills itself.

A file comes from its public address at a fixed commit and is used only if its SHA-256 is right.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    import requests


CHUNK = 1 << 16
TIMEOUT = 30.0  # seconds without a byte
MOST = 200_000_000  # bytes of a file; all of ours are much smaller


class TooLargeError(OSError):
    """A server sends more than any file of ours has."""

    def __init__(self) -> None:
        super().__init__(f"the server sends more than {MOST:,} bytes, which is not the file")


class ResumingDownloader:
    """Fetch a file over HTTP; pooch then checks its hash and moves it to its place.

    Bytes are written at their own position of a file next to the target, which stays when the
    connection breaks or the process is killed, and the next attempt asks for what is missing. An
    address here names one commit, so that several processes which fetch the same file write the
    same bytes; whatever else may be wrong with a partial file shows in the hash, and by then it is
    gone.
    """

    def __call__(self, url: str, output_file: str, pooch: Any) -> None:
        """Download `url` to `output_file`, a name that pooch makes up for each attempt."""
        name = url.rsplit("/", 1)[-1]
        part = Path(output_file).with_name(f".{name}.part")
        with open(part, "r+b", opener=_open_or_create) as file:
            try:
                _complete(url, file, name)
            except TooLargeError:
                part.unlink(missing_ok=True)
                raise
            # Read from what is open: another process may have finished, and removed the name.
            file.seek(0)
            with open(output_file, "wb") as whole:
                shutil.copyfileobj(file, whole)
        part.unlink(missing_ok=True)


def content_of(url: str) -> bytes:
    """Return what is at an address, if it is no larger than any file of ours."""
    with tempfile.TemporaryFile() as file:
        _complete(url, file, url.rsplit("/", 1)[-1])
        file.seek(0)
        return file.read()


def _open_or_create(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_CREAT, 0o666)


def _complete(url: str, file: IO[bytes], name: str) -> None:
    """Append what `file` lacks, or write it again if the server sends it all."""
    import requests
    from tqdm import tqdm

    start = os.fstat(file.fileno()).st_size
    # Ranges count the bytes as sent, so that no compression may come in between.
    headers = {"Accept-Encoding": "identity"}
    if start:
        headers["Range"] = f"bytes={start}-"
    with requests.get(url, headers=headers, timeout=TIMEOUT, stream=True) as answer:
        if answer.status_code == requests.codes.requested_range_not_satisfiable:
            # Nothing is left to ask for: the file is whole, or longer than the true one.
            return
        answer.raise_for_status()
        start = _first_byte(answer, start)
        size = _size(answer, start)
        if size is not None and size > MOST:
            raise TooLargeError
        file.seek(start)
        with tqdm(
            desc=name,
            initial=start,
            total=size,
            unit="B",
            unit_scale=True,
            disable=None,  # no bar where no one watches
        ) as bar:
            for chunk in answer.iter_content(CHUNK):
                if file.tell() + len(chunk) > MOST:
                    raise TooLargeError
                file.write(chunk)
                bar.update(len(chunk))
        file.truncate()


def _first_byte(answer: requests.Response, asked: int) -> int:
    """Return where the answer's bytes belong; a server may ignore the range and send them all."""
    if answer.status_code != 206:
        return 0
    if not answer.headers.get("Content-Range", "").startswith(f"bytes {asked}-"):
        import requests

        raise requests.exceptions.InvalidHeader(
            f"asked for bytes from {asked}, got {answer.headers.get('Content-Range')!r}"
        )
    return asked


def _size(answer: requests.Response, start: int) -> int | None:
    length = answer.headers.get("Content-Length", "")
    return start + int(length) if length.isdigit() else None


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
