"""Files are written whole or not at all, keep what they were, and are read with care."""

import errno
import io
import os
import stat
import struct
import tempfile
import time
import zipfile
from contextlib import suppress

import numpy as np
import pytest

from errorfloor import InputError, ScoreTable
from errorfloor.data import storage
from errorfloor.data.storage import PREFIX, read_arrays, scratch, write_text

posix = pytest.mark.skipif(os.name != "posix", reason="has no such rights, links and devices")
TWO_DAYS = 2 * 24 * 60 * 60


@posix
@pytest.mark.parametrize("mode", [0o600, 0o664])
def test_a_file_that_is_replaced_keeps_its_rights(tmp_path, mode):
    path = tmp_path / "private.txt"
    path.write_text("old")
    path.chmod(mode)
    write_text(path, "new")
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == mode


@posix
@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o027, 0o640), (0o077, 0o600)])
def test_a_new_file_has_the_rights_that_any_other_would_have(tmp_path, umask, mode):
    before = os.umask(umask)
    try:
        write_text(tmp_path / "new.txt", "new")
        assert os.umask(umask) == umask  # it is as it was
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new.txt").stat().st_mode) == mode


@posix
def test_what_somebody_else_left_stays(tmp_path, monkeypatch):
    old = tmp_path / f"{PREFIX}a"
    old.write_text("part")
    os.utime(old, (time.time() - TWO_DAYS,) * 2)
    monkeypatch.setattr(os, "getuid", lambda: old.stat().st_uid + 1)
    write_text(tmp_path / "new.txt", "new")
    assert old.exists()


@pytest.mark.parametrize("hours", [23.99, 24.01])
def test_what_may_still_be_in_use_stays_for_a_day(tmp_path, hours):
    left = tmp_path / f"{PREFIX}a"
    left.write_text("part")
    os.utime(left, (time.time() - hours * 60 * 60,) * 2)
    write_text(tmp_path / "new.txt", "new")
    assert left.exists() == (hours < 24)


def test_errors_about_other_files_keep_their_name(tmp_path):
    with pytest.raises(FileNotFoundError, match="other"), storage.naming(tmp_path / "table.npz"):
        (tmp_path / "other.csv").read_text()
    with pytest.raises(OSError, match=r"^no number$"), storage.naming(tmp_path / "table.npz"):
        raise OSError("no number")


@posix
def test_a_link_stays_and_what_it_points_to_is_written(tmp_path):
    (tmp_path / "folder").mkdir()
    there, dangling = tmp_path / "folder" / "there.txt", tmp_path / "folder" / "new.txt"
    there.write_text("old")
    there.chmod(0o600)
    for target in (there, dangling):
        link = tmp_path / f"link to {target.name}"
        link.symlink_to(target)
        write_text(link, "new")
        assert link.is_symlink()
        assert target.read_text() == "new"
    assert stat.S_IMODE(there.stat().st_mode) == 0o600
    assert {path.name for path in there.parent.iterdir()} == {"there.txt", "new.txt"}


@posix
def test_a_device_is_written_to_and_not_replaced():
    ScoreTable.from_arrays([0.5], [1]).save(os.devnull)
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def test_names_of_any_length_that_the_system_takes_are_written_and_read(tmp_path):
    table = ScoreTable.from_arrays([0.5], [1])
    for length in (240, 249, 255):
        path = tmp_path / ("n" * (length - 4) + ".npz")
        table.save(path)
        assert ScoreTable.load(path) == table
    assert len(list(tmp_path.iterdir())) == 3


def test_what_a_killed_run_left_is_removed_after_a_day(tmp_path):
    old, young, other = (tmp_path / name for name in (f"{PREFIX}a", f"{PREFIX}b", ".errorfloor"))
    before = time.time() - TWO_DAYS
    for path in (old, young, other):
        path.write_text("part")
    os.utime(old, (before, before))
    os.utime(other, (before, before))
    write_text(tmp_path / "new.txt", "new")
    assert {path.name for path in tmp_path.iterdir()} == {young.name, other.name, "new.txt"}


def test_folders_that_a_killed_run_left_are_removed_unless_something_in_them_is_new(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before = time.time() - TWO_DAYS
    for name in ("idle", "busy"):
        folder = tmp_path / f"{PREFIX}{name}"
        folder.mkdir()
        (folder / "stdin").write_text("part")
        if name == "idle":
            os.utime(folder / "stdin", (before, before))
        os.utime(folder, (before, before))
    with scratch() as folder:
        assert os.path.basename(folder).startswith(PREFIX)
    assert [path.name for path in tmp_path.iterdir()] == [f"{PREFIX}busy"]


def test_bytes_are_on_the_disk_before_a_file_takes_the_place_of_another(tmp_path, monkeypatch):
    steps = []
    sync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda handle: (steps.append("sync"), sync(handle)))
    monkeypatch.setattr(os, "replace", lambda *names: (steps.append("replace"), replace(*names)))
    write_text(tmp_path / "new.txt", "new")
    assert steps[:2] == ["sync", "replace"]
    assert (tmp_path / "new.txt").read_text() == "new"


def test_a_full_disk_is_an_error_that_names_the_file(tmp_path, monkeypatch):
    path = tmp_path / "table.npz"
    path.write_text("old")

    def fail(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match=r"No space left on device: '.*table\.npz'"):
        ScoreTable.from_arrays([0.5], [1]).save(path)
    assert path.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


def test_a_folder_that_is_not_there_is_an_error_that_names_the_file(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nowhere/table\.npz"):
        ScoreTable.from_arrays([0.5], [1]).save(tmp_path / "nowhere" / "table.npz")


def header_of(text):
    text = text.encode() + b" " * (-(len(text) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text


def npz(path, content, **options):
    with zipfile.ZipFile(path, "w", **options) as archive:
        archive.writestr("p.npy", content)
    return path


HUGE = "{'descr': '<f8', 'fortran_order': False, 'shape': (10**15,), }".replace("10**15", "1" * 16)
MANY = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({'9' * 30},), }}"


@pytest.mark.parametrize(
    "content",
    [
        header_of(HUGE) + b"\0" * 80,
        header_of(MANY),
        header_of(HUGE[:-5]),
        header_of(" " * 20_000),
        header_of("[" * 5000),
        b"\x93NUMPY\x07\x00" + b"\0" * 80,
        b"\x93NUMPY\x01\x00",
    ],
    ids=["huge", "beyond counting", "cut", "long header", "nested", "version", "no header"],
)
def test_an_array_that_claims_what_is_not_there_is_refused_by_name(tmp_path, content):
    path = npz(tmp_path / "x.npz", content)
    with pytest.raises(InputError, match=r"x\.npz' cannot be read: "):
        read_arrays(path)


def test_what_an_array_claims_is_compared_with_the_file_before_memory_is_taken(
    tmp_path, monkeypatch
):
    path = npz(tmp_path / "x.npz", header_of(HUGE))
    monkeypatch.setattr(np, "load", pytest.fail)
    with pytest.raises(InputError, match=r"array 'p' claims 8,888,888,888,888,888 bytes"):
        read_arrays(path)


def test_a_system_that_does_not_tell_its_memory_reads_tables(tmp_path, monkeypatch):
    table = ScoreTable.from_arrays([0.1, 0.2], [0, 1])
    table.save(tmp_path / "x.npz")
    monkeypatch.delattr(os, "sysconf")  # as on Windows
    assert ScoreTable.load(tmp_path / "x.npz") == table


@pytest.mark.parametrize(
    "compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA]
)
def test_a_damaged_archive_is_refused_by_name_wherever_the_damage_is(tmp_path, compression):
    column = io.BytesIO()
    np.save(column, np.random.default_rng(0).random(20))
    path = npz(tmp_path / "x.npz", column.getvalue(), compression=compression)
    whole = path.read_bytes()
    for place in range(0, len(whole), 3):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        with suppress(InputError):  # or it is where nothing is
            read_arrays(path)
        path.write_bytes(whole[:place])
        with pytest.raises(InputError, match=r"x\.npz' cannot be read"):
            read_arrays(path)


def test_what_is_written_is_on_the_disk_whole_with_its_folder(tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(os, "fsync", lambda handle: seen.append(os.fstat(handle)))
    before = set(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else None
    storage.write_bytes(tmp_path / "new.bin", b"12345")
    assert seen[0].st_size == 5
    if os.name == "posix":
        assert stat.S_ISDIR(seen[1].st_mode)
        assert len(seen) == 2
    if before is not None:
        assert set(os.listdir("/proc/self/fd")) == before


def test_a_new_file_that_fails_leaves_nothing(tmp_path):
    with pytest.raises(TypeError), storage.replacing(tmp_path / "new.txt") as file:
        file.write("no bytes")
    assert list(tmp_path.iterdir()) == []


def test_errors_about_the_copy_name_the_file(tmp_path, monkeypatch):
    def fail(name, _):
        raise OSError(errno.EPERM, "Not permitted", name)

    monkeypatch.setattr(os, "chmod", fail)
    with pytest.raises(OSError, match=r"Not permitted: '.*/new\.txt'") as raised:
        write_text(tmp_path / "new.txt", "new")
    assert raised.value.filename == str(tmp_path / "new.txt")
    assert raised.value.errno == errno.EPERM


@posix
def test_links_that_a_killed_run_left_are_removed_and_not_followed(tmp_path):
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "a.txt").write_text("a")
    links = {f"{PREFIX}a": kept, f"{PREFIX}b": tmp_path / "nowhere"}
    for name, target in links.items():
        (tmp_path / name).symlink_to(target)
        os.utime(tmp_path / name, (time.time() - TWO_DAYS,) * 2, follow_symlinks=False)
    storage.remove_leftovers(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
    assert (kept / "a.txt").exists()


def test_a_folder_that_cannot_be_removed_keeps_no_other(tmp_path, monkeypatch):
    asked = []

    def refuse(path, ignore_errors=False):
        asked.append(os.path.basename(path))
        if not ignore_errors:
            raise OSError(errno.EPERM, "Not permitted")

    monkeypatch.setattr(storage.shutil, "rmtree", refuse)
    for name in (f"{PREFIX}a", f"{PREFIX}b"):
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, (time.time() - TWO_DAYS,) * 2)
    storage.remove_leftovers(tmp_path)
    assert sorted(asked) == [f"{PREFIX}a", f"{PREFIX}b"]
    storage.remove_leftovers(tmp_path / "nowhere")


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_arrays_of_every_version_are_read(tmp_path, version):
    column = io.BytesIO()
    np.lib.format.write_array(column, np.arange(3.0), version=version)
    assert read_arrays(npz(tmp_path / "x.npz", column.getvalue()))["p"].tolist() == [0, 1, 2]


def test_arrays_that_just_fit_into_memory_are_read(tmp_path, monkeypatch):
    column = io.BytesIO()
    np.save(column, np.arange(10.0))
    path = npz(tmp_path / "x.npz", column.getvalue())
    monkeypatch.setattr(storage, "memory_of_machine", lambda: len(column.getvalue()))
    assert read_arrays(path)["p"].size == 10
    monkeypatch.setattr(storage, "memory_of_machine", lambda: len(column.getvalue()) - 1)
    with pytest.raises(InputError, match="its arrays do not fit into memory"):
        read_arrays(path)
    # Each member counts.
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("q.npy", column.getvalue())
    monkeypatch.setattr(storage, "memory_of_machine", lambda: 2 * len(column.getvalue()) - 1)
    with pytest.raises(InputError, match="its arrays do not fit into memory"):
        read_arrays(path)


def test_files_that_hold_no_arrays_say_so(tmp_path):
    text = tmp_path / "x.npz"
    text.write_text("score,label")
    with pytest.raises(InputError, match="cannot be read: it is no NPZ file of plain arrays"):
        read_arrays(text)
    with zipfile.ZipFile(tmp_path / "y.npz", "w") as archive:
        archive.writestr("nothing", "")
    with pytest.raises(InputError, match="it is a ZIP archive without plain arrays"):
        read_arrays(tmp_path / "y.npz")
    objects = io.BytesIO()
    np.save(objects, np.full(1000, None), allow_pickle=True)
    with pytest.raises(InputError, match="it is no NPZ file of plain arrays"):
        read_arrays(npz(tmp_path / "z.npz", objects.getvalue()))


def test_files_say_the_version_of_their_layout(tmp_path):
    storage.write_table(tmp_path / "x.npz", "votes", {"a": np.arange(2)})
    found = read_arrays(tmp_path / "x.npz")
    assert (found["version"], str(found["kind"]), found["a"].tolist()) == (2, "votes", [0, 1])
