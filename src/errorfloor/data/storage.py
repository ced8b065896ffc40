"""Files that are written whole or not at all, or read within limits; tables kept in them."""

from __future__ import annotations

import atexit
import csv
import io
import json
import math
import os
import shutil
import stat
import struct
import time
import zipfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from errorfloor._checks import InputError
from errorfloor.data.format_record import sheet_in

if TYPE_CHECKING:
    from zipfile import ZipFile, ZipInfo

COLUMNS = 20_000  # of a file; DuckDB takes seconds for so many
TEXT_COLUMNS = 5_000  # of a text file, each of which DuckDB keeps in memory while it reads
CELLS = 2**21  # of a workbook, whose reader takes ten microseconds for each
TAGS = 12 * CELLS  # of the XML in a workbook: a cell has about four, and as many may be elsewhere
BOOK_BYTES = 2**29  # that a workbook may unpack to
ARRAY_BYTES = 2**31  # that arrays may unpack to, however small they are in their file,
ARRAY_TIMES = 100  # or so many times what they are there, whichever is more
_PIECE = 2**20  # bytes that are unpacked at a time
_LONGEST = 80  # characters of a reason
_ARCHIVE_END = struct.Struct("<4s4H2LH")  # what an archive ends with, before a comment
_UNTOLD = 0xFFFF  # members, where another record has their number
VERSION = 2  # of the files of tables; 0.1.0 wrote none, which counts as 1
FOLDERS = "ERRORFLOOR_ONLY_FOLDERS"  # in the environment: a JSON list of paths without links
PREFIX = ".errorfloor-"  # of files and folders that are gone when all goes well
_ARCHIVE = b"PK\3\4"  # how ZIP archives begin
_NO_ARRAY = "magic string"  # which files of arrays begin with
_KEPT = 24 * 60 * 60  # seconds, after which what a killed run left is removed
_WRITTEN = 5.0  # seconds that somebody may go on writing into a folder that is removed
_ENDING = "\r\n"
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # noqa: RUF001


# Processes that may read some folders only, because others say which files they read.


def readable_folders() -> list[str] | None:
    """Return the folders that this process may read; None where it may read all."""
    given = os.environ.get(FOLDERS)
    return None if given is None else [str(one) for one in json.loads(given)]


def is_inside(path: str, within: Sequence[str]) -> bool:
    """Tell whether a path without links is in one of the folders."""
    return any(os.path.commonpath([path, one]) == one for one in within if _same_drive(path, one))


def _same_drive(path: str, other: str) -> bool:
    return os.path.splitdrive(path)[0].lower() == os.path.splitdrive(other)[0].lower()


def check_inside(files: Sequence[str]) -> None:
    """Refuse files that this process may not read, wherever links lead."""
    within = readable_folders()
    if within is None:
        return
    for file in files:
        if not is_inside(os.path.realpath(sheet_in(file)[0]), within):
            raise InputError(f"{file!r} is outside the folders that may be read.")


# How much of a file is read at most: columns, cells and what it unpacks to.


def check_columns(file: str, number: int, *, text: bool = False) -> None:
    """Refuse a file with too many columns."""
    most = TEXT_COLUMNS if text else COLUMNS
    if number > most:
        also = f", or save it as Parquet, of which {COLUMNS:,} are" if text else ""
        raise InputError(
            f"Could not read {file!r}: it has more than {most:,} columns, the most that are read. "
            f"Leave out columns that are not needed{also}."
        )


def check_cells(file: str, number: int) -> None:
    """Refuse a workbook with too many cells."""
    if number > CELLS:
        raise InputError(
            f"Could not read {file!r}: its first sheet has more than {CELLS:,} cells, blank ones "
            "before the last included, and no more are read. Remove cells that are not needed, or "
            "save the sheet as CSV."
        )


def check_book(file: str, size: int, tags: int) -> None:
    """Refuse a workbook that unpacks to too much."""
    if size > BOOK_BYTES or tags > TAGS:
        raise InputError(
            f"Could not read {file!r}: it unpacks to more than is read of a workbook, which is "
            f"{BOOK_BYTES >> 20} MB with about {CELLS:,} cells. Save the sheet as CSV."
        )


def check_arrays(path: str | os.PathLike[str], size: int, packed: int) -> None:
    """Refuse arrays that unpack to far more than their file has."""
    most = max(ARRAY_BYTES, ARRAY_TIMES * packed)
    if size > most:
        raise InputError(
            f"{os.fspath(path)!r} cannot be read: its {packed:,} bytes unpack to {size:,}, more "
            f"than {ARRAY_TIMES} times as many, and at most {most:,} are read of so few. Save its "
            "arrays without compression, as np.savez does."
        )


# ZIP archives, such as NPZ and workbooks: whether all of one is there and as it was written.


@contextmanager
def opened_archive(stream: IO[bytes]) -> Iterator[zipfile.ZipFile]:
    """Yield an archive whose list of members is whole."""
    with zipfile.ZipFile(stream) as archive:
        members = archive.namelist()
        if len(set(members)) < len(members):
            raise zipfile.BadZipFile("two of its parts have one name")
        if _members_told(stream, archive) not in (len(members), _UNTOLD):
            raise zipfile.BadZipFile("some of its parts are gone")
        yield archive


@contextmanager
def archive_in(file: str) -> Iterator[zipfile.ZipFile]:
    """Yield the archive that a file is; whatever is wrong with it ends in one clear word."""
    with open(file, "rb") as stream:
        try:
            with opened_archive(stream) as archive:
                yield archive
        except InputError:
            raise
        except Exception as error:  # whatever its parsers stumble over
            raise InputError(f"Could not read {file!r}: {damaged_archive(error)}") from error


def pieces_of(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Iterator[bytes]:
    """Yield all of a member; what differs from what was written is an error at its end."""
    with archive.open(member) as file:
        while piece := file.read(_PIECE):
            yield piece


def damaged_archive(error: Exception) -> str:
    """Return what to say of an archive that cannot be read."""
    reason = str(error)[:_LONGEST].rstrip(".")  # it may show bytes that it takes for a name
    return f"it is damaged or not all there{f' ({reason})' if reason else ''}. Copy it again."


def _members_told(stream: IO[bytes], archive: zipfile.ZipFile) -> int:
    """Return how many members an archive says that it has."""
    size = stream.seek(0, os.SEEK_END)
    stream.seek(max(size - _ARCHIVE_END.size - len(archive.comment), 0))
    end = stream.read(_ARCHIVE_END.size)
    if len(end) < _ARCHIVE_END.size or not end.startswith(b"PK\5\6"):  # behind it is something else
        return _UNTOLD
    return int(_ARCHIVE_END.unpack(end)[4])


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


def beside_scratch(file: str) -> str:
    """Return the folder of a temporary file of ours, which says more than its name; others stay."""
    parts = Path(file).parts
    ours = next((i for i, part in enumerate(parts) if part.startswith(PREFIX)), None)
    return file if ours is None else str(Path(*parts[:ours]))


@contextmanager
def scratch() -> Iterator[str]:
    """Make a folder for temporary files that is gone afterwards."""
    import tempfile

    remove_leftovers(Path(tempfile.gettempdir()))
    with tempfile.TemporaryDirectory(prefix=PREFIX) as folder:
        yield folder


def kept_folder() -> str:
    """Make a folder for temporary files that nobody else can open; it is gone when Python ends."""
    import tempfile

    remove_leftovers(Path(tempfile.gettempdir()))
    folder, owner = tempfile.mkdtemp(prefix=PREFIX), os.getpid()

    def remove() -> None:
        if os.getpid() == owner:  # a process that was forked leaves it alone
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    return folder


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


def write_csv(
    path: str | os.PathLike[str], head: Sequence[str], rows: Iterable[Iterable[Any]]
) -> None:
    """Write rows as CSV, whole or not at all, in which no text is a formula to a spreadsheet."""
    text = io.StringIO()
    # With both at the end of its lines it quotes cells with one of them, and readers want that.
    lines = csv.writer(_Lines(text), lineterminator=_ENDING)
    lines.writerow(map(harmless, head))
    lines.writerows(map(harmless, row) for row in rows)
    write_text(path, text.getvalue())


class _Lines:
    """What a writer of CSV writes to, line by line: they end as those of other text files do."""

    def __init__(self, text: io.StringIO) -> None:
        self.text = text

    def write(self, line: str) -> int:
        """Write a line."""
        return self.text.write(f"{line.removesuffix(_ENDING)}\n")


def harmless(cell: Any) -> Any:
    """Return a cell with an apostrophe before text that spreadsheets would run; numbers stay.

    Examples
    --------
    >>> [harmless(cell) for cell in ("=1+1", "a=1", -0.5, "-0.5", "- no")]
    ["'=1+1", 'a=1', -0.5, '-0.5', "'- no"]
    """
    if not isinstance(cell, str) or not cell.startswith(_FORMULA):
        return cell
    with suppress(ValueError):
        float(cell)
        return cell
    return f"'{cell}"


def write_table(path: str | os.PathLike[str], kind: str, columns: Mapping[str, Any]) -> None:
    """Write the columns of a table as NPZ, with its kind and the version of the layout."""
    with replacing(path) as file:
        np.savez(file, **columns, kind=np.str_(kind), version=np.int64(VERSION))


def read_arrays(
    path: str | os.PathLike[str], names: Collection[str] | None = None
) -> dict[str, Any]:
    """Return the arrays of an NPZ file by name, or some of them.

    Each is compared with the sum that was written. Pickled data is never loaded, and no memory is
    taken for what is not there or unpacks to far more than the file has.
    """
    with _members(path) as archive:
        members = archive.infolist()
        _shapes(path, archive, names)
        return {
            _named(one): _array(archive, one)
            for one in members
            if names is None or _named(one) in names
        }


def shapes_in(path: str | os.PathLike[str]) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the arrays of an NPZ file by name; no array is unpacked for it."""
    with _members(path) as archive:
        return _shapes(path, archive, ())


def map_array(path: str | os.PathLike[str]) -> Any:
    """Return the array of an NPY file, which is read as it is needed; it is never a pickle."""
    with _readable(path, "NPY"):
        return np.lib.format.open_memmap(path, mode="r")


@contextmanager
def _members(path: str | os.PathLike[str]) -> Iterator[ZipFile]:
    import zipfile

    with open(path, "rb") as stream, _readable(path, "NPZ"):
        content = stream if stream.seekable() else io.BytesIO(stream.read())
        if not zipfile.is_zipfile(content):
            content.seek(0)
            is_cut = content.read(4) == _ARCHIVE
            raise zipfile.BadZipFile("its end is missing" if is_cut else _NO_ARRAY)
        with opened_archive(content) as archive:
            yield archive


@contextmanager
def _readable(path: str | os.PathLike[str], kind: str) -> Iterator[None]:
    """Have whatever goes wrong with a file of arrays end in one clear word."""
    try:
        yield
    except InputError:
        raise
    except MemoryError as error:
        text = f"{os.fspath(path)!r} cannot be read: its arrays do not fit into memory."
        raise InputError(text) from error
    except Exception as error:  # whatever its parsers stumble over in a damaged file
        # NumPy takes any other file for a pickle, and tells how to load it.
        strange = any(word in str(error) for word in ("pickle", "Python objects", _NO_ARRAY))
        reason = f"it is no {kind} file of plain arrays." if strange else damaged_archive(error)
        raise InputError(f"{os.fspath(path)!r} cannot be read: {reason}") from error


def _named(member: ZipInfo) -> str:
    return member.filename.removesuffix(".npy")


def _array(archive: ZipFile, member: ZipInfo) -> Any:
    with archive.open(member) as file:
        array = np.lib.format.read_array(file, allow_pickle=False)
        if file.read(1):  # at the end of a member its sum is compared
            raise zipfile.BadZipFile("it has more bytes than its array")
    return array


def _shapes(
    path: str | os.PathLike[str], archive: ZipFile, names: Collection[str] | None
) -> dict[str, tuple[int, ...]]:
    """Return the shapes that arrays claim.

    Those that claim more than the file has are refused before memory is taken for them, and so are
    the named ones, or all, where they unpack to far more than the file has.
    """
    shapes, packed, unpacked = {}, 0, 0
    for member in archive.infolist():
        name = _named(member)
        with archive.open(member) as file:
            found = _claimed(file)
        if found is None:
            text = f"{os.fspath(path)!r} cannot be read: it is a ZIP archive without plain arrays."
            raise InputError(text)
        shapes[name], claimed = found
        if claimed > member.file_size:
            raise ValueError(f"array {name!r} claims {claimed:,} bytes, which are not there")
        if names is None or name in names:
            packed, unpacked = packed + member.compress_size, unpacked + member.file_size
    check_arrays(path, unpacked, packed)
    if unpacked > memory_of_machine():
        raise MemoryError
    return shapes


def _claimed(file: IO[bytes]) -> tuple[tuple[int, ...], int] | None:
    """Return which shape the array of an opened NPY file claims, and how many bytes."""
    header = np.lib.format
    start = file.read(len(header.MAGIC_PREFIX) + 2)
    if not start.startswith(header.MAGIC_PREFIX):
        return None
    old = start[-2:-1] == b"\x01"
    read = header.read_array_header_1_0 if old else header.read_array_header_2_0
    shape, _, kind = read(file)
    return shape, 0 if kind.hasobject else math.prod(shape) * kind.itemsize


def memory_of_machine() -> float:
    """Return how many bytes of memory the machine has, if it says so."""
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, OSError, ValueError):
        return float("inf")
