"""A downloader for pooch that goes on where an earlier attempt stopped."""

from __future__ import annotations

import os
import shutil
import tempfile
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

    Bytes are written at their own position of a file beside the target, which stays when the
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
    """Append what `file` lacks, or write it anew if the server sends it all."""
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
