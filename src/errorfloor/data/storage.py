"""Files that are written whole or not at all, and tables that are kept in them."""

from __future__ import annotations

import io
import math
import os
import shutil
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import numpy as np

from errorfloor._checks import InputError

VERSION = 2  # of the files of tables; 0.1.0 wrote none, which counts as 1
PREFIX = ".errorfloor-"  # of files and folders that are gone when all goes well
_KEPT = 24 * 60 * 60  # seconds, after which what a killed run left is removed
_WRITTEN = 5.0  # seconds that somebody may go on writing into a folder that is removed


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file that takes the place of `path` when all is written, and not before.

    A link stays, and what it points to is written. An existing file keeps its rights. A device or
    a pipe cannot be replaced and is written to at once.
    """
    target = Path(os.path.realpath(path))
    with naming(path):
        if target.exists() and not target.is_file():
            with open(path, "wb") as file:
                yield file
            return
        with _new_file(target) as file:
            yield file


@contextmanager
def _new_file(target: Path) -> Iterator[IO[bytes]]:
    import tempfile

    remove_leftovers(target.parent)
    handle, temporary = tempfile.mkstemp(prefix=PREFIX, dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(handle)
        os.chmod(temporary, _mode(target))
        os.replace(temporary, target)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        raise
    _sync_folder(target.parent)


def _mode(target: Path) -> int:
    """Return the rights of a file that is there, or those that open() would give a new one."""
    with suppress(FileNotFoundError):
        return stat.S_IMODE(target.stat().st_mode)
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask


def _sync_folder(folder: Path) -> None:
    """Have a new name last through a power cut, where the system can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Have errors of the system, such as a full disk, name the file that people know."""
    try:
        yield
    except OSError as error:
        name = error.filename
        ours = isinstance(name, str) and os.path.basename(name).startswith(PREFIX)
        if error.errno is None or (name is not None and not ours):
            raise
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error


@contextmanager
def scratch() -> Iterator[str]:
    """Make a folder for temporary files that is gone afterwards."""
    import tempfile

    remove_leftovers(Path(tempfile.gettempdir()))
    with tempfile.TemporaryDirectory(prefix=PREFIX) as folder:
        yield folder


def remove_leftovers(folder: Path) -> None:
    """Remove what our runs that were killed left in a folder more than a day ago."""
    before = time.time() - _KEPT
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(PREFIX) and _is_ours(entry) and _last_used(entry) < before:
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path, ignore_errors=True)
                else:
                    with suppress(OSError):
                        os.unlink(entry.path)


def remove(folder: str | os.PathLike[str]) -> None:
    """Remove a folder with all that is in it, even if somebody still writes there."""
    end = time.monotonic() + _WRITTEN
    shutil.rmtree(folder, ignore_errors=True)
    while os.path.lexists(folder) and time.monotonic() < end:
        time.sleep(0.01)
        shutil.rmtree(folder, ignore_errors=True)


def _is_ours(entry: os.DirEntry[str]) -> bool:
    """Tell whether a file belongs to the user, who may share the folder with others."""
    return not hasattr(os, "getuid") or entry.stat(follow_symlinks=False).st_uid == os.getuid()


def _last_used(entry: os.DirEntry[str]) -> float:
    """Return when a file was written, or the last one in a folder."""
    times = [entry.stat(follow_symlinks=False).st_mtime]
    if entry.is_dir(follow_symlinks=False):
        times += [path.lstat().st_mtime for path in Path(entry.path).rglob("*")]
    return max(times)


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
    with open(path, "rb") as stream:
        try:
            content = stream if stream.seekable() else io.BytesIO(stream.read())
            _check_sizes(content)
            with np.load(content, allow_pickle=False) as file:
                arrays = {name: file[name] for name in file.files}
        except MemoryError as error:
            raise InputError(
                f"{os.fspath(path)!r} cannot be read: its arrays do not fit into memory."
            ) from error
        except Exception as error:  # whatever its parsers stumble over in a damaged file
            # NumPy takes any other file for a pickle, and tells how to load it.
            reason = "it is no NPZ file of plain arrays" if "pickle" in str(error) else error
            raise InputError(f"{os.fspath(path)!r} cannot be read: {reason}.") from error
    if not all(isinstance(array, np.ndarray) for array in arrays.values()):
        raise InputError(
            f"{os.fspath(path)!r} cannot be read: it is a ZIP archive without plain arrays."
        )
    return arrays


def _check_sizes(stream: IO[bytes]) -> None:
    """Refuse arrays that claim more than the file has, before memory is taken for them."""
    import zipfile

    if not zipfile.is_zipfile(stream):
        stream.seek(0)
        return
    total = 0
    with zipfile.ZipFile(stream) as archive:
        for member in archive.infolist():
            with archive.open(member) as file:
                claimed = _claimed(file)
            if claimed > member.file_size:
                name = member.filename.removesuffix(".npy")
                raise ValueError(f"array {name!r} claims {claimed:,} bytes, which are not there")
            total += member.file_size
    if total > _memory():
        raise MemoryError
    stream.seek(0)


def _claimed(file: IO[bytes]) -> int:
    """Return how many bytes the array of an opened NPY file says that it has."""
    header = np.lib.format
    start = file.read(len(header.MAGIC_PREFIX) + 2)
    if not start.startswith(header.MAGIC_PREFIX):
        return 0
    old = start[-2:-1] == b"\x01"
    read = header.read_array_header_1_0 if old else header.read_array_header_2_0
    shape, _, kind = read(file)
    return 0 if kind.hasobject else math.prod(shape) * kind.itemsize


def _memory() -> float:
    """Return how many bytes of memory the machine has, if it says so."""
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, OSError, ValueError):
        return float("inf")
