"""Files that are written whole or not at all, and tables that are kept in them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any
from zipfile import BadZipFile

import numpy as np

VERSION = 2  # of the files of tables; 0.1.0 wrote none, which counts as 1


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file that takes the place of `path` when all is written, and not before."""
    import tempfile

    target = Path(path)
    handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        # mkstemp makes private files; give this one the mode that open() would have given.
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def write_bytes(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file whole or not at all."""
    with replacing(path) as file:
        file.write(content)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write `text` as UTF-8, whole or not at all."""
    write_bytes(path, text.encode("utf-8"))


def write_table(path: str | os.PathLike[str], kind: str, columns: Mapping[str, Any]) -> None:
    """Write the columns of a table as NPZ, with its kind and the version of the layout."""
    with replacing(path) as file:
        np.savez(file, **columns, kind=np.str_(kind), version=np.int64(VERSION))


def read_arrays(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the arrays of an NPZ file by name. Pickled data is never loaded."""
    try:
        with open(path, "rb") as stream, np.load(stream, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except (EOFError, ValueError, AttributeError, TypeError, BadZipFile) as error:
        # NumPy takes any other file for a pickle, and tells how to load it.
        reason = "it is no NPZ file of plain arrays" if "pickle" in str(error) else error
        raise ValueError(f"{os.fspath(path)!r} cannot be read: {reason}.") from error
    if not all(isinstance(array, np.ndarray) for array in arrays.values()):
        raise ValueError(
            f"{os.fspath(path)!r} cannot be read: it is a ZIP archive without plain arrays."
        )
    return arrays
