"""Text that is not UTF-8: told by its bytes, and copied as UTF-8, which is what DuckDB reads."""

from __future__ import annotations

import codecs
import os
import shutil

from errorfloor.data.formats import FORMATS, PACKINGS, start_of, suffix_of
from errorfloor.data.storage import naming

_LOOKED_AT = 2**22  # bytes; beyond, text is taken to go on as it began
_MARKS = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_TEXTUAL = bytes({*range(256)} - {*range(9), *range(14, 26), *range(27, 32), 127})
_BINARY = (b"PAR1", b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"BZh", b"\xfd7zXZ")


def encoding_of(file: str) -> str | None:
    """Return how the text of a file is encoded if it is not UTF-8, and None if it is, or no text.

    UTF-16 is told by its mark, or by zeros in every other byte. What is neither that nor UTF-8 is
    taken for the usual encoding of Western Windows, of which Latin-1 is a part.
    """
    suffix = suffix_of(file)
    if any(suffix in kind.suffixes and not kind.is_text for kind in FORMATS):
        return None
    start = start_of(file, _LOOKED_AT)
    if start.startswith((*_BINARY, *(packing.magic for packing in PACKINGS))):
        return None
    for mark, name in _MARKS.items():
        if start.startswith(mark):
            return name
    if b"\0" in start[:4096]:
        return _by_zeros(start[:4096])
    try:
        codecs.getincrementaldecoder("utf-8")().decode(start, final=len(start) < _LOOKED_AT)
    except UnicodeDecodeError:
        return None if start.translate(None, _TEXTUAL) else "cp1252"
    return None


def as_utf8(file: str, encoding: str, copy: str) -> None:
    """Write a copy of a text file as UTF-8."""
    # Bytes that the encoding leaves open are kept as characters nobody uses, and end no scan.
    with (
        open(file, encoding=encoding, errors="replace", newline="") as source,
        naming(copy),
        open(copy, "w", encoding="utf-8", newline="") as target,
    ):
        shutil.copyfileobj(source, target)


def name_of_copy(file: str, place: int, folder: str) -> str:
    """Return where the copy of a file shall be: its ending tells its format."""
    return os.path.join(folder, f"text-{place}{suffix_of(file)}")


def _by_zeros(start: bytes) -> str | None:
    """Tell UTF-16 without a mark by the zeros of its plain letters: before or behind them."""
    first, second = start[::2].count(0), start[1::2].count(0)
    most = 0.7 * len(start) / 2
    if second > most and first == 0:
        return "utf-16-le"
    return "utf-16-be" if first > most and second == 0 else None
