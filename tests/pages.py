"""The app as a process of its own, and a plain client that speaks to it as its page does."""

import contextlib
import http.client
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import quote, urlsplit

import errorfloor

START = """
import sys
from errorfloor.apps.web.limits import Limits
from errorfloor.apps.web.server import serve
limits = Limits(**eval(sys.argv[1]))
serve(0, lambda address: print(address, flush=True), browser=False, limits=limits)
"""
FEW = """
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, ({files}, {files}))
"""


class App:
    """A running app."""

    def __init__(self, process, address, temporary):
        self.process, self.address, self.temporary = process, address, temporary
        parts = urlsplit(address)
        self.host, self.path = parts.netloc, parts.path
        self.origin = f"http://{self.host}"

    def ask(self, method, path, body=None, *, full=False, **headers):
        """Return status, headers and body of an answer; headers that are None are left out."""
        usual = {"Host": self.host, "Origin": self.origin}
        given = {**usual, **{name.replace("_", "-"): value for name, value in headers.items()}}
        connection = http.client.HTTPConnection(self.host, timeout=60)
        connection.putrequest(
            method, path if full else self.path + path, skip_host=True, skip_accept_encoding=True
        )
        for name, value in given.items():
            if value is not None:
                connection.putheader(name, value)
        if body is not None and "Content-Length" not in given:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        answer = connection.getresponse()
        found = answer.status, dict(answer.getheaders()), answer.read()
        connection.close()
        return found

    def post(self, path, body=b""):
        status, _, said = self.ask("POST", path, body)
        return status, json.loads(said)

    def open(self):
        return self.post("pages")[1]["page"]

    def wait(self, page, said, seconds=60):
        """Return what came of a question."""
        end = time.monotonic() + seconds
        while said.get("event") == "progress" and time.monotonic() < end:
            time.sleep(0.05)
            said = json.loads(self.ask("GET", f"pages/{page}/jobs/{said['job']}")[2])
        return said

    def upload(self, page, name, content):
        return self.wait(page, self.post(f"pages/{page}/file?name={quote(name)}", content)[1])

    def question(self, page, kind, state, **more):
        asked = json.dumps({"kind": kind, "state": state, **more}).encode()
        return self.wait(page, self.post(f"pages/{page}/jobs", asked)[1])

    def folders(self):
        """Return the folders that the app has made for uploads."""
        return sorted(self.temporary.glob(".errorfloor-*/page-*"))

    def stall(self):
        """Halt the workers, so that whatever they are asked takes for ever."""
        assert eventually(self.workers)
        for pid in self.workers():
            os.kill(pid, signal.SIGSTOP)

    def workers(self):
        """Return the processes that read files."""
        own = str(self.process.pid)
        found = []
        for status in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):
                parent = status.read_text().rpartition(")")[2].split()[1]
                # One that has ended has no command, and one that begins has that of the server.
                command = (status.parent / "cmdline").read_text()
                if parent == own and "errorfloor.apps.web.worker" in command:
                    found.append(int(status.parent.name))
        return found


@contextlib.contextmanager
def running(temporary, *, patch=None, files=None, **limits):
    """Start the app with its own temporary folder, and end it.

    `patch` is a folder whose sitecustomize.py the app and its workers run first; `files` is how
    many the app may have open.
    """
    source = str(Path(errorfloor.__file__).parent.parent)
    path = source if patch is None else f"{patch}{os.pathsep}{source}"
    env = {**os.environ, "PYTHONPATH": path, "TMPDIR": str(temporary)}
    few = "" if files is None else FEW.format(files=files)
    process = subprocess.Popen(
        [sys.executable, "-c", few + START, repr(limits)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=env,
    )
    address = process.stdout.readline().strip()
    assert address, process.stderr.read()
    try:
        yield App(process, address, temporary)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=20)
        process.stdout.close()
        process.stderr.close()


def eventually(true, seconds=60):
    """Wait until something is so; a folder that goes while it is looked at is looked at again."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(FileNotFoundError):
            if true():
                return True
        time.sleep(0.05)
    return False
