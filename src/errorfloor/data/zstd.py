"""Whether a file that is packed by zstd is all there, told by the sizes that its parts state.

DuckDB unpacks what is there of a file that was cut off, without a word. Nothing is unpacked here: a
frame says how long its header is, and each of its blocks how far it is to the next (RFC 8878).
"""

from __future__ import annotations

import os
from typing import BinaryIO

_FRAME, _SKIPPED = 0xFD2FB528, range(0x184D2A50, 0x184D2A60)  # how frames begin
_RUN, _RESERVED = 1, 3  # types of blocks


def is_whole(file: str) -> bool:
    """Tell whether a file is made of whole frames, to its end."""
    size = os.path.getsize(file)
    with open(file, "rb") as packed:
        while packed.tell() < size:
            if not _skip_frame(packed) or packed.tell() > size:
                return False
    return size > 0


def _skip_frame(packed: BinaryIO) -> bool:
    """Go to the end that a frame states, if there is one."""
    try:
        magic = _number(packed, 4)
        if magic in _SKIPPED:
            packed.seek(_number(packed, 4), os.SEEK_CUR)
            return True
        if magic != _FRAME:
            return False
        about = _number(packed, 1)
        in_one_piece, has_sum = about >> 5 & 1, about >> 2 & 1
        length = (in_one_piece, 2, 4, 8)[about >> 6]
        packed.seek((not in_one_piece) + (0, 1, 2, 4)[about & 3] + length, os.SEEK_CUR)
        _skip_blocks(packed)
        packed.seek(4 * has_sum, os.SEEK_CUR)
    except EOFError:
        return False
    return True


def _skip_blocks(packed: BinaryIO) -> None:
    last = 0
    while not last:
        block = _number(packed, 3)
        last, kind = block & 1, block >> 1 & 3
        if kind == _RESERVED:
            raise EOFError
        packed.seek(1 if kind == _RUN else block >> 3, os.SEEK_CUR)


def _number(packed: BinaryIO, size: int) -> int:
    found = packed.read(size)
    if len(found) < size:
        raise EOFError
    return int.from_bytes(found, "little")
