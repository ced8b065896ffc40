"""How the app ends what it does: whatever ends it, and whenever, nothing stays behind."""

import contextlib
import itertools
import json
import os
import signal
import socket
import subprocess
import sys
import time

import numpy as np
import pytest
from pages import eventually, running

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

RNG = np.random.default_rng(0)
PROB = RNG.random(400)
LABELS = (RNG.random(400) < PROB).astype(int)
CSV = "score,label\n" + "".join(f"{p:.4f},{y}\n" for p, y in zip(PROB, LABELS, strict=True))
STATE = {"role:score": "score", "role:label": "label"}
ASKS = {**STATE, "drop_missing": "yes"}  # which reads the file again
STAGES = ("upload", "open", "answer", "report")

# Where there is a file called "halt", a worker goes no further once it has copied a file as UTF-8.
HALTS = """
import os, shutil, time
copy = shutil.copyfileobj
def halting(source, target, *more):
    copy(source, target, *more)
    if "UTF-8" in str(getattr(target, "encoding", "")).upper():
        target.flush()
        while os.path.exists({halt!r}):
            time.sleep(0.05)
shutil.copyfileobj = halting
"""
# What would write below the folder of a page finds the disk full.
FULL = """
import builtins, errno, io, os
plain = io.open
def opened(file, mode="r", *more, **given):
    if set(mode) & set("wx") and {where!r} in str(file):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(file))
    return plain(file, mode, *more, **given)
io.open = builtins.open = opened
"""
# What comes of every question is something that the worker cannot send.
BREAKS = """
import json
loads = json.loads
def broken(text, *more, **given):
    said = loads(text, *more, **given)
    if isinstance(said, dict) and said.get("event") == "done":
        raise KeyError("/home/secret")
    return said
json.loads = broken
"""


def patched(folder, code):
    """Return a folder whose code the app and its workers run first."""
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(code)
    return folder


def connected(app):
    host, port = app.host.split(":")
    return socket.create_connection((host, int(port)), timeout=20)


def head_of(app, path, length):
    """Return the head of a request that sends so many bytes."""
    head = f"POST {path} HTTP/1.1\r\nHost: {app.host}\r\nOrigin: {app.origin}\r\n"
    return f"{head}Content-Length: {length}\r\n\r\n".encode()


class Halting:
    """An app whose workers can be halted while they have a copy of a file."""

    def __init__(self, app, halt):
        self.app, self.halt = app, halt
        self.sockets = contextlib.ExitStack()

    def copies(self):
        return [path for path in self.app.temporary.rglob("text-*") if path.stat().st_size]

    def reach(self, stage):
        """Return a page that is at a stage, and its question or the socket of its upload."""
        page = self.app.open()
        if stage == "upload":
            return page, self._half_an_upload(page)
        path, content = f"pages/{page}/file?name=scores.csv", CSV.encode("utf-16")
        if stage != "open":
            assert self.app.upload(page, "scores.csv", content)["answered"]
            path = f"pages/{page}/jobs"
            content = json.dumps({"kind": stage, "state": ASKS, "format": ".md"}).encode()
        self.halt.touch()
        said = self.app.post(path, content)[1]
        assert said["event"] == "progress"
        assert eventually(self.copies)
        return page, said

    def _half_an_upload(self, page):
        sending = self.sockets.enter_context(connected(self.app))
        path = f"{self.app.path}pages/{page}/file?name=half.csv"
        sending.sendall(head_of(self.app, path, 9_999_999) + CSV.encode())
        assert eventually(lambda: list(self.app.temporary.rglob("half.csv")))
        return sending


@contextlib.contextmanager
def halting(folder, **limits):
    temporary, halt = folder / "temporary", folder / "halt"
    temporary.mkdir()
    patch = patched(folder / "patch", HALTS.format(halt=str(halt)))
    with running(temporary, patch=patch, **limits) as app:
        made = Halting(app, halt)
        with made.sockets:
            yield made


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    with halting(tmp_path_factory.mktemp("app"), workers=2) as made:
        yield made


def stop(app, page):
    assert app.post(f"pages/{page}/stop")[0] == 200


def take_another_file(app, page):
    assert app.upload(page, "another.csv", CSV.encode())["answered"]


def close(app, page):
    assert app.post(f"pages/{page}/close")[0] == 200


def kill_workers(app, page):
    for pid in app.workers():
        os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("end", [stop, take_another_file, close, kill_workers])
def test_what_was_written_for_a_question_goes_with_it(found, stage, end):
    app = found.app
    try:
        page, _ = found.reach(stage)
        end(app, page)
        if end is kill_workers:  # which is noticed a little later
            eventually(lambda: not found.copies())
        kept = {path.name for path in app.temporary.rglob("*") if path.is_file()}
    finally:
        found.halt.unlink(missing_ok=True)
    app.post(f"pages/{page}/close")
    file = {"upload": set()}.get(stage, {"scores.csv"})
    if end is kill_workers:
        file = {"upload": {"half.csv"}}.get(stage, file)
    assert kept == {take_another_file: {"another.csv"}, close: set()}.get(end, file)
    assert app.folders() == []


@pytest.mark.parametrize(
    ("stage", "how"),  # a server asked to end goes the same way for both signals
    [*itertools.product(STAGES, [signal.SIGINT, signal.SIGKILL]), ("answer", signal.SIGTERM)],
)
def test_nothing_stays_when_the_server_ends_at_any_stage(tmp_path, stage, how):
    with halting(tmp_path) as found:
        found.reach(stage)
        found.app.process.send_signal(how)
        found.app.process.wait(20)
        found.halt.unlink(missing_ok=True)
        if how == signal.SIGKILL:
            eventually(lambda: not list(found.app.temporary.iterdir()))
        assert list(found.app.temporary.iterdir()) == []


def test_nothing_stays_when_ctrl_c_follows_a_stop(tmp_path):
    with halting(tmp_path) as found:
        page, _ = found.reach("open")
        stop(found.app, page)
        found.app.process.send_signal(signal.SIGINT)
        found.app.process.wait(20)
        assert list(found.app.temporary.iterdir()) == []


def test_nothing_stays_when_the_server_is_killed_after_a_stop(tmp_path):
    with halting(tmp_path) as found:
        page, _ = found.reach("open")
        stop(found.app, page)
        assert eventually(found.app.workers)
        found.app.process.kill()
        found.app.process.wait(20)
        assert eventually(lambda: not list(found.app.temporary.iterdir()))


def test_nothing_stays_when_ctrl_c_is_pressed_twice(tmp_path):
    with halting(tmp_path) as found:
        found.reach("open")
        for _ in range(2):
            found.app.process.send_signal(signal.SIGINT)
            time.sleep(0.05)
        found.app.process.wait(20)
        assert eventually(lambda: not list(found.app.temporary.iterdir()))


def test_a_worker_that_ended_before_it_was_asked_is_replaced(found):
    app = found.app
    page = app.open()
    for _ in range(3):
        assert app.upload(page, "scores.csv", CSV.encode())["answered"]
        kill_workers(app, page)  # which the server does not know yet
    close(app, page)


def test_starting_and_stopping_again_and_again_leaves_nothing(found):
    for _ in range(3):
        page, _ = found.reach("open")
        stop(found.app, page)
        assert found.copies() == []
        found.halt.unlink()
        close(found.app, page)
    kept = [path for path in found.app.temporary.rglob("*") if path.is_file()]
    assert kept == []
    assert len(list(found.app.temporary.iterdir())) == 1  # that of the server


def test_another_file_takes_the_place_of_one_that_still_arrives(found):
    app = found.app
    page, sending = found.reach("upload")
    assert app.upload(page, "another.csv", CSV.encode())["answered"]
    sending.sendall(b"0.5,1\n")
    assert b"409" in sending.recv(100)
    assert app.question(page, "answer", STATE)["answered"]  # the end of the first changes nothing
    names = [path.name for path in app.temporary.glob(f".errorfloor-*/page-{page}/*")]
    assert names == ["another.csv"]
    close(app, page)


def test_a_full_disk_is_told_as_such(tmp_path):
    (tmp_path / "t").mkdir()
    patch = patched(tmp_path / "patch", FULL.format(where="full.csv"))
    with running(tmp_path / "t", patch=patch) as app:
        page = app.open()
        status, said = app.post(f"pages/{page}/file?name=full.csv", CSV.encode())
        assert status == 507
        assert "disk that holds temporary files is full" in said["message"]
        assert app.upload(page, "scores.csv", CSV.encode())["answered"]


def test_a_disk_that_is_full_for_a_copy_is_told_as_such(tmp_path):
    (tmp_path / "t").mkdir()
    patch = patched(tmp_path / "patch", FULL.format(where="/text-"))
    with running(tmp_path / "t", patch=patch) as app:
        page = app.open()
        said = app.upload(page, "scores.csv", CSV.encode("utf-16"))
        assert "disk that holds temporary files is full" in json.dumps(said)
        assert str(app.temporary) not in json.dumps(said)
        assert app.upload(page, "scores.csv", CSV.encode())["answered"]


def test_a_copy_that_is_too_large_is_told_as_such(tmp_path):
    with running(tmp_path, written_bytes=1000) as app:
        said = app.upload(app.open(), "scores.csv", CSV.encode("utf-16"))
        assert "larger temporary file than" in json.dumps(said)


def test_a_question_whose_answer_cannot_be_taken_has_failed(tmp_path):
    (tmp_path / "t").mkdir()
    with running(tmp_path / "t", patch=patched(tmp_path / "patch", BREAKS)) as app:
        for _ in range(3):  # more than there are workers
            said = app.upload(app.open(), "scores.csv", CSV.encode())
            assert said["event"] == "failed"
            assert "unforeseen happened (KeyError)" in said["message"]
            assert "secret" not in said["message"]


def test_a_worker_that_cannot_be_started_is_told(tmp_path):
    (tmp_path / "t").mkdir()
    none = "import sys\nsys.executable = '/nowhere/python'\n"
    with running(tmp_path / "t", patch=patched(tmp_path / "patch", none)) as app:
        for _ in range(5):  # more than there may be workers
            said = app.upload(app.open(), "scores.csv", CSV.encode())
            assert said["event"] == "failed"
            assert "unforeseen happened (FileNotFoundError)" in said["message"]


@pytest.mark.parametrize(("number", "why"), [
    (signal.SIGKILL, "came to an end: it was killed"),
    (signal.SIGRTMIN + 3, f"by signal {signal.SIGRTMIN + 3}"),
])  # fmt: skip
def test_what_ends_a_worker_at_work_is_told_and_the_server_goes_on(tmp_path, number, why):
    with halting(tmp_path) as found:
        page, said = found.reach("answer")
        for pid in found.app.workers():
            os.kill(pid, number)
        said = found.app.wait(page, said)
        assert said["crashed"]
        assert why in said["message"]
        found.halt.unlink()
        assert found.app.question(page, "answer", STATE)["answered"]  # its file is still there


@pytest.mark.parametrize("begun", [b"", b"GET / HTTP/1.1\r\nHost: x\r\n"])
def test_connections_that_ask_nothing_do_not_keep_others_out(tmp_path, begun):
    limits = {"files": 64, "workers": 2, "head_seconds": 600.0}  # so that none ends by itself
    with running(tmp_path, **limits) as app, contextlib.ExitStack() as kept:
        page = app.open()
        for _ in range(80):
            one = kept.enter_context(connected(app))
            with contextlib.suppress(ConnectionError):
                one.sendall(begun)
        assert app.upload(page, "scores.csv", CSV.encode())["answered"]
        assert app.process.poll() is None


@pytest.mark.parametrize("begun", [
    b"",
    b"GET / HTTP/1.1\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\n",
    b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 999999999\r\n\r\nsome",
])  # fmt: skip
def test_a_connection_that_does_not_say_what_it_asks_is_closed(slow_app, begun):
    with connected(slow_app) as one:
        started = time.monotonic()
        one.sendall(begun)
        one.settimeout(60)  # after which it counts as open
        with contextlib.suppress(ConnectionResetError):
            while one.recv(4096):
                if time.monotonic() - started < 3:
                    with contextlib.suppress(OSError):
                        one.sendall(b"x")
        assert time.monotonic() - started > 0.3


@pytest.fixture(scope="module")
def slow_app(tmp_path_factory):
    with running(tmp_path_factory.mktemp("slow"), head_seconds=0.5) as app:
        yield app


def test_what_is_refused_is_read_to_its_end_however_long_that_takes(slow_app):
    with connected(slow_app) as one:
        one.sendall(head_of(slow_app, "/", 40 * 2**16))
        for _ in range(40):
            one.sendall(b"0" * 2**16)
            time.sleep(0.05)
        assert one.recv(100).startswith(b"HTTP/1.1 404")


def test_a_slow_upload_is_not_cut_off(slow_app):
    page = slow_app.open()
    body = CSV.encode()
    with connected(slow_app) as one:
        one.sendall(head_of(slow_app, f"{slow_app.path}pages/{page}/file?name=a.csv", len(body)))
        for i in range(4):
            one.sendall(body[i * len(body) // 4 : (i + 1) * len(body) // 4])
            time.sleep(0.4)
        assert one.recv(100).startswith(b"HTTP/1.1 200")


def test_the_command_leaves_nothing_when_it_is_stopped(tmp_path):
    run = subprocess.Popen(
        [sys.executable, "-m", "errorfloor", "app", "--no-browser"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )  # fmt: skip
    with run.stdout:
        assert run.stdout.readline().startswith("http://127.0.0.1:")
        assert eventually(lambda: list(tmp_path.iterdir()))
        run.send_signal(signal.SIGTERM)
        run.wait(20)
    assert eventually(lambda: not list(tmp_path.iterdir()))
