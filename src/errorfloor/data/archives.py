"""ZIP archives, such as NPZ and workbooks: whether all of one is there and as it was written."""

from __future__ import annotations

import os
import struct
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

_PIECE = 2**20  # bytes that are unpacked at a time
_LONGEST = 80  # characters of a reason
_END = struct.Struct("<4s4H2LH")  # what an archive ends with, before a comment
_UNTOLD = 0xFFFF  # members, where another record has their number


@contextmanager
def opened(stream: IO[bytes]) -> Iterator[zipfile.ZipFile]:
    """Yield an archive whose list of members is whole."""
    with zipfile.ZipFile(stream) as archive:
        members = archive.namelist()
        if len(set(members)) < len(members):
            raise zipfile.BadZipFile("two of its parts have one name")
        if _told(stream, archive) not in (len(members), _UNTOLD):
            raise zipfile.BadZipFile("some of its parts are gone")
        yield archive


def pieces(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Iterator[bytes]:
    """Yield all of a member; what differs from what was written is an error at its end."""
    with archive.open(member) as file:
        while piece := file.read(_PIECE):
            yield piece


def finish(file: IO[bytes]) -> None:
    """Read a member to its end, where its sum is compared; nothing shall be left of it."""
    if file.read(1):
        raise zipfile.BadZipFile("it has more bytes than its array")


def damaged(error: Exception) -> str:
    """Return what to say of an archive that cannot be read."""
    said = str(error)[:_LONGEST].rstrip(".")  # it may show bytes that it takes for a name
    return f"it is damaged or not all there{f' ({said})' if said else ''}. Copy it again."


def _told(stream: IO[bytes], archive: zipfile.ZipFile) -> int:
    """Return how many members an archive says that it has."""
    size = stream.seek(0, os.SEEK_END)
    stream.seek(max(size - _END.size - len(archive.comment), 0))
    end = stream.read(_END.size)
    if len(end) < _END.size or not end.startswith(b"PK\5\6"):  # behind it is something else
        return _UNTOLD
    return int(_END.unpack(end)[4])
