"""The server of the page: on this machine only, for those who know its address.

Whatever a request asks for, it has to name this host (or a foreign name could be pointed at this
machine), come from this page (or a foreign page could post), and know the token in the address.
Each open page has a folder for uploads, which is deleted when the page or the server goes. Worker
processes read them: a question waits for one, and can be stopped.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import secrets
import signal
import socket
import sys
import tempfile
import threading
import time
import traceback
import webbrowser
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from importlib.resources import files
from itertools import count
from pathlib import Path
from typing import Any, cast

import uvicorn
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from errorfloor._checks import InputError, argument
from errorfloor.apps.web.limits import Limits, failure, reason
from errorfloor.data.storage import PREFIX, remove, remove_leftovers
from errorfloor.show.markup import tag

_LONGEST = 80  # characters of the name of a file
STOPPED = "Stopped."
_LAST = 5.0  # seconds that a process may take to end once it is killed
_numbers = count(1)


@dataclass(frozen=True, slots=True)
class Demo:
    """Simulated data to try the page on."""

    name: str  # of the file
    title: str
    state: Mapping[str, str] = field(default_factory=dict)  # where names of columns do not tell


DEMOS = (
    Demo("scores.csv", "Scores and labels"),
    Demo("votes.csv", "Vote counts"),
    Demo("models.csv", "Models", dict.fromkeys(("role:careful", "role:hasty"), "prediction")),
    Demo("annotations.csv", "Votes in rows"),
    Demo("annotators.csv", "Votes in columns"),
    Demo("gold.csv", "Gold labels"),
    Demo("class_scores.csv", "Five classes"),
    Demo("class_votes.csv", "Class votes"),
    Demo("soft_labels.csv", "Soft labels"),
    Demo("judged.csv", "LLM judge"),
    Demo("ratings.csv", "Ratings"),
)


class RefusedError(Exception):
    """What the server does not do, with the status and the words that say so."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


@dataclass(eq=False)
class Page:
    """An open page: its folder, its upload, and when it was last heard of."""

    name: str
    folder: Path
    file: str | None = None  # within the folder, once all of it has arrived
    size: int = 0
    turn: int = 0  # of uploads, each of which ends the one before
    seen: float = field(default_factory=time.monotonic)
    job: Any = None  # the last question


class Uploads:
    """The open pages and what they uploaded."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.pages: dict[str, Page] = {}
        remove_leftovers(Path(tempfile.gettempdir()))
        self.root = Path(tempfile.mkdtemp(prefix=PREFIX))  # that nobody else can open

    def open(self) -> Page:
        """Make room for a page."""
        if len(self.pages) >= self.limits.pages:
            raise RefusedError(429, "Too many pages are open. Close some of them, and try again.")
        name = secrets.token_urlsafe(9)
        page = Page(name, self.root / f"page-{name}")
        page.folder.mkdir(mode=0o700)
        self.pages[name] = page
        return page

    def find(self, name: str) -> Page:
        """Return a page that is open."""
        page = self.pages.get(name)
        if page is None:
            raise RefusedError(
                410, "This page was away for long, and its file was deleted. Load it again."
            )
        page.seen = time.monotonic()
        return page

    def begin(self, page: Page, given: str, size: int | None) -> Path:
        """Return where to write an upload, in place of the one before."""
        self.check_size(page, size or 0)
        self.forget_file(page)
        return page.folder / safe_name(given)

    def check_size(self, page: Page, size: int) -> None:
        """Refuse an upload that is too large."""
        others = sum(one.size for one in self.pages.values() if one is not page)
        most = min(self.limits.file_bytes, self.limits.all_bytes - others)
        if size > most:
            raise RefusedError(
                413,
                f"The file is larger than {most / 2**20:,.0f} MiB, which is what the page takes. "
                "The command line reads files of any size: errorfloor estimate FILE.",
            )

    def forget_file(self, page: Page) -> None:
        """Delete what a page uploaded, or is about to."""
        remove(page.folder)
        page.folder.mkdir(mode=0o700, exist_ok=True)
        page.file, page.size, page.turn = None, 0, page.turn + 1

    def close(self, page: Page) -> None:
        """Forget a page, and delete what it uploaded."""
        self.pages.pop(page.name, None)
        page.turn += 1
        remove(page.folder)

    def away(self) -> list[Page]:
        """Return the pages that were not heard of for long."""
        before = time.monotonic() - self.limits.away_seconds
        return [page for page in self.pages.values() if page.seen < before]

    def remove(self) -> None:
        """Delete everything."""
        for page in list(self.pages.values()):
            self.close(page)
        remove(self.root)


def safe_name(given: str) -> str:
    """Return the name of a file without folders, patterns, and what else has a meaning.

    Examples
    --------
    >>> safe_name("../../etc/passwd"), safe_name("my scores (1).csv"), safe_name("-o*.csv")
    ('passwd', 'my scores (1).csv', 'o_.csv')
    """
    name = re.split(r"[/\\]", given)[-1]
    name = re.sub(r"[^\w .()+-]", "_", name).lstrip(" .-").rstrip(" .")
    stem, dot, suffix = name.rpartition(".")
    if len(name) > _LONGEST:
        name = f"{stem[: _LONGEST - 12]}{dot}{suffix[-10:]}" if stem else name[:_LONGEST]
    return name or "data"


@dataclass(eq=False)
class Job:
    """A question of a page, how far it is, and what came of it."""

    page: str
    folder: Path  # of the page
    question: Mapping[str, Any]
    number: int = field(default_factory=lambda: next(_numbers))
    progress: dict[str, Any] = field(default_factory=dict)
    outcome: dict[str, Any] | None = None
    finished: asyncio.Event = field(default_factory=asyncio.Event)
    began: float | None = None  # when a worker took it
    worker: Worker | None = None
    taken: bool = False  # whether a worker has begun with it

    @property
    def scratch(self) -> Path:
        """Where all that a worker writes for it lies; no upload has such a name."""
        return self.folder / f".job-{self.number}"

    @property
    def asked(self) -> bytes:
        """The question as a worker takes it."""
        given = {"folder": str(self.folder), "scratch": str(self.scratch), **self.question}
        return json.dumps(given).encode() + b"\n"

    def fail(self, message: str, **more: Any) -> None:
        """Set that nothing came of it, and why."""
        self.finish({"event": "failed", "message": message, **more})

    def stop(self) -> None:
        """End it, whatever it is doing."""
        if self.outcome is None:
            self.fail(STOPPED, stopped=True)
            if self.worker is not None:
                self.worker.kill()

    def finish(self, outcome: dict[str, Any]) -> None:
        """Set what came of it, once."""
        if self.outcome is None:
            self.outcome = outcome
            self.finished.set()


class Worker:
    """A process, and the pages that it answered: it may still have what their files say."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.pages: set[str] = set()
        self.used = 0.0
        self.killed = False

    @property
    def lives(self) -> bool:
        """Whether it can take another question."""
        return not self.killed and self.process.returncode is None

    @classmethod
    async def start(cls, root: Path, limits: Limits) -> Worker:
        """Start a process of its own, whose folder is not where it looks for modules."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "errorfloor.apps.web.worker"),
            *(str(root), json.dumps(asdict(limits))),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            limit=limits.answer_bytes,
            start_new_session=True,  # Ctrl-C is for the server, which ends it
        )
        return cls(process)

    async def run(self, job: Job) -> dict[str, Any]:
        """Return what came of a question; progress is noted in it."""
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None
        assert stdout is not None
        with contextlib.suppress(ConnectionError):
            stdin.write(job.asked)
            await stdin.drain()
        while True:
            try:
                line = await stdout.readline()
            except ValueError:  # longer than the limit
                self.kill()
                return {"event": "failed", "message": "The answer is too long for a page."}
            if not line.endswith(b"\n"):
                return {"event": "failed", "message": await self._ended(), "crashed": True}
            event: dict[str, Any] = json.loads(line)
            if event["event"] == "taken":
                job.taken = True
            elif event["event"] == "progress":
                job.progress = event
            elif event["event"] in ("done", "failed"):
                return event

    async def _ended(self) -> str:
        """Say why the process ended."""
        await self.gone()
        code = self.process.returncode
        why = "it ended by itself"
        if code is not None and code < 0:
            name = {int(one): one.name for one in signal.Signals}.get(-code, str(-code))
            why = _WHY.get(name, f"by signal {name}")
        return (
            f"The process that reads your file and computes came to an end: {why}. "
            "The file is still there and the page goes on: try again, or change something."
        )

    def kill(self) -> None:
        """End the process at once."""
        self.killed = True
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()

    async def gone(self) -> None:
        """Wait until the process has ended, which speaks and listens no more."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.process.wait(), _LAST)
            return
        self.kill()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.process.wait(), _LAST)


_WHY = {  # by signals, of which not every system has all
    "SIGKILL": "it was killed, maybe because memory ran out",
    "SIGXCPU": "it took more computing time than the page allows itself",
}


class Pool:
    """A few workers for all pages."""

    def __init__(self, root: Path, limits: Limits) -> None:
        self.root, self.limits = root, limits
        self.workers: set[Worker] = set()
        self.starting = 0
        self.idle: list[Worker] = []
        self.free = asyncio.Condition()
        self.jobs: dict[Job, asyncio.Task[None]] = {}

    async def warm(self) -> None:
        """Start a worker before anybody asks; it also tidies up should the server be killed."""
        if self._has_room():
            with contextlib.suppress(OSError):  # which the next question says
                worker = await self._start()
                async with self.free:
                    self.idle.append(worker)
                    self.free.notify()

    def submit(self, job: Job, before: Job | None) -> None:
        """Answer a question in the background, in place of the one that the page asked before."""
        task = asyncio.get_running_loop().create_task(self._serve(job, before))
        self.jobs[job] = task
        task.add_done_callback(lambda _: self.jobs.pop(job, None))

    async def stop(self, page: str) -> None:
        """End the questions of a page; then nothing is computed or written for it any more."""
        await self._end([job for job in self.jobs if job.page == page])

    async def close(self) -> None:
        """End all."""
        await self._end(list(self.jobs))
        for worker in self.workers:
            worker.kill()
        await asyncio.gather(*(worker.gone() for worker in self.workers))
        self.idle.clear()

    async def _end(self, jobs: Sequence[Job]) -> None:
        tasks = [self.jobs[job] for job in jobs]
        for job, task in zip(jobs, tasks, strict=True):
            job.stop()
            if job.worker is None:  # it waits for one
                task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def _serve(self, job: Job, before: Job | None) -> None:
        try:
            if before is not None and before.outcome is None:
                await self._supersede(before)
            for last in (False,) * self.limits.workers + (True,):
                worker = await self._take(job)
                if worker is None:
                    break
                outcome = await self._answered(job, worker)
                if last or job.taken or not outcome.get("crashed"):
                    _log(outcome.pop("log", ""))
                    job.finish(outcome)
                    break  # else it had ended before it was asked, and another can answer
        except Exception as error:  # or the page would wait for ever
            _log(traceback.format_exc())
            job.fail(failure(error))
        if not self.workers:
            await self.warm()

    async def _answered(self, job: Job, worker: Worker) -> dict[str, Any]:
        """Return what a worker makes of a question, and what it wrote for it is gone."""
        job.worker, job.began = worker, time.monotonic()
        worker.pages.add(job.page)
        try:
            return await worker.run(job)
        except BaseException:
            worker.kill()  # what else it says would answer the next question
            raise
        finally:
            await self._give_back(worker, job)
            job.worker = None

    async def _supersede(self, before: Job) -> None:
        """Let the last question of the page come to its end, but not for long."""
        if before.worker is not None:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(before.finished.wait(), self.limits.grace_seconds)
        before.stop()

    async def _take(self, job: Job) -> Worker | None:
        """Wait for a worker, if possible for the one that knows the file; None if stopped."""
        async with self.free:
            while job.outcome is None:
                self.workers -= {one for one in self.idle if not one.lives}
                self.idle = [one for one in self.idle if one.lives]
                if self.idle:
                    self.idle.sort(key=lambda one: (job.page not in one.pages, one.used))
                    return self.idle.pop(0)
                if self._has_room():
                    return await self._start()
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self.free.wait(), 1.0)
        return None

    def _has_room(self) -> bool:
        return len(self.workers) + self.starting < self.limits.workers

    async def _start(self) -> Worker:
        self.starting += 1
        try:
            worker = await Worker.start(self.root, self.limits)
        finally:
            self.starting -= 1
        self.workers.add(worker)
        return worker

    async def _give_back(self, worker: Worker, job: Job) -> None:
        worker.used = time.monotonic()
        if not worker.lives:
            await worker.gone()  # or it could still write
        remove(job.scratch)
        async with self.free:
            if worker.lives:
                self.idle.append(worker)
            else:
                self.workers.discard(worker)
            self.free.notify_all()


def _log(text: str) -> None:
    """Show on the terminal what went wrong inside, if there still is one."""
    if text:
        with contextlib.suppress(OSError, ValueError):
            print(text, file=sys.stderr)


HOST = "127.0.0.1"
NAMES = (HOST, "localhost")
KINDS = ("answer", "details", "compare", "plan", "report")
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; "
        "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # without any, browsers would hide where posts come from
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_SWEEP = 20.0  # seconds between looks for pages that went away
_PATIENCE = 0.25  # seconds to wait for an answer before the page is told to ask again
Handler = Callable[[Request], Awaitable[Response]]


def application(port: int, token: str, limits: Limits) -> ASGIApp:
    """Return the server of the page."""
    return Guard(_App(token, limits).made(), port, token)


class Guard:
    """Refuses requests of others before anything looks at them, and adds headers to answers."""

    def __init__(self, app: ASGIApp, port: int, token: str) -> None:
        self.app, self.token = app, token
        self.hosts = {f"{name}:{port}" for name in NAMES}
        self.origins = {f"http://{host}" for host in self.hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif scope["type"] == "http":
            refusal = self._refusal(scope)
            app = self.app if refusal is None else refusal
            await app(scope, receive, _with_headers(send))
        # Nothing else is served.

    def _refusal(self, scope: Scope) -> Response | None:
        request = Request(scope)
        hosts = request.headers.getlist("host")
        if len(hosts) != 1 or hosts[0].lower() not in self.hosts:
            return _plain(421, "This server is for pages on this machine.")
        token = scope["path"].lstrip("/").split("/")[0]
        if not secrets.compare_digest(token.encode(), self.token.encode()):
            return _plain(404, "Not found. Take the whole address that the terminal shows.")
        # Browsers say where a request comes from; another page is none of ours.
        if request.headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            return _plain(403, "This request comes from another page.")
        if scope["method"] not in ("GET", "HEAD"):
            origins = request.headers.getlist("origin")
            if len(origins) != 1 or origins[0].lower() not in self.origins:
                return _plain(403, "This request comes from another page.")
        return None


def _plain(status: int, text: str) -> Response:
    return Response(text, status, media_type="text/plain")


def _with_headers(send: Send) -> Send:
    async def sending(message: Any) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [
                *message["headers"],
                *((name.lower().encode(), value.encode()) for name, value in HEADERS.items()),
            ]
        await send(message)

    return sending


class _App:
    """What the server keeps: uploads and workers."""

    def __init__(self, token: str, limits: Limits) -> None:
        self.token, self.limits = token, limits
        self.uploads: Uploads
        self.pool: Pool

    def made(self) -> Starlette:
        own = f"/{self.token}"
        page = f"{own}/pages/{{page}}"
        routes = [
            Route(f"{own}/", _index, methods=["GET"]),
            Route(f"{own}/app.js", _script, methods=["GET"]),
            Route(f"{own}/app.css", _style, methods=["GET"]),
            Route(f"{own}/pages", self._answering(self.opened), methods=["POST"]),
            Route(f"{page}/file", self._answering(self.uploaded), methods=["POST"]),
            Route(f"{page}/demo", self._answering(self.demo), methods=["POST"]),
            Route(f"{page}/jobs", self._answering(self.asked), methods=["POST"]),
            Route(f"{page}/jobs/{{number:int}}", self._answering(self.job), methods=["GET"]),
            Route(f"{page}/stop", self._answering(self.stopped), methods=["POST"]),
            Route(f"{page}/alive", self._answering(self.alive), methods=["POST"]),
            Route(f"{page}/close", self._answering(self.closed), methods=["POST"]),
        ]
        return Starlette(routes=routes, lifespan=self._lifespan)

    @contextlib.asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:
        self.uploads = Uploads(self.limits)
        self.pool = Pool(self.uploads.root, self.limits)
        tasks = [asyncio.create_task(self._sweep()), asyncio.create_task(self.pool.warm())]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            try:
                await self.pool.close()
            finally:
                self.uploads.remove()

    async def _sweep(self) -> None:
        """Forget pages that went away without a word, every now and then."""
        while True:
            await asyncio.sleep(min(_SWEEP, self.limits.away_seconds))
            os.utime(self.uploads.root)  # it is in use
            for page in self.uploads.away():
                await self._forget(page)

    @staticmethod
    def _answering(handler: Handler) -> Handler:
        """Tell what was refused, and nothing of what else goes wrong."""

        async def handle(request: Request) -> Response:
            try:
                return await handler(request)
            except RefusedError as error:
                return JSONResponse({"message": error.message}, error.status)
            except OSError as error:
                if not reason(error):
                    raise
                return JSONResponse({"message": reason(error)}, 507)

        return handle

    async def opened(self, request: Request) -> Response:
        page = self.uploads.open()
        return JSONResponse({"page": page.name})

    async def uploaded(self, request: Request) -> Response:
        """Take a file as it comes, and ask what it holds."""
        page = await self._idle_page(request)
        length = request.headers.get("content-length", "")
        size = int(length) if length.isdecimal() else None
        path = self.uploads.begin(page, request.query_params.get("name", ""), size)
        turn = page.turn
        try:
            with path.open("xb") as file:
                async for part in request.stream():
                    _check_turn(page, turn)
                    page.size += len(part)
                    self.uploads.check_size(page, page.size)
                    await asyncio.to_thread(file.write, part)
                    page.seen = asyncio.get_running_loop().time()
                _check_turn(page, turn)
        except (RefusedError, ClientDisconnect, OSError) as error:
            if page.turn == turn:
                self.uploads.forget_file(page)
            if isinstance(error, ClientDisconnect):
                message = "The file did not arrive whole. Try again."
                raise RefusedError(400, message) from error
            raise
        page.file = path.name
        return await self._submitted(page, {"kind": "open", "state": {}})

    async def demo(self, request: Request) -> Response:
        name = request.query_params.get("name", "")
        demo = next((one for one in DEMOS if one.name == name), None)
        if demo is None:
            raise RefusedError(404, "There is no such demo set.")
        page = await self._idle_page(request)
        self.uploads.forget_file(page)
        page.file = f"demo/{name}"
        return await self._submitted(page, {"kind": "open", "state": demo.state, "demo": True})

    async def asked(self, request: Request) -> Response:
        """Take a form and ask about the page's file."""
        page = self._page(request)
        given = await self._form(request)
        kind, state = given.get("kind"), given.get("state")
        is_plain = isinstance(state, dict) and all(isinstance(one, str) for one in state.values())
        if kind not in KINDS or not is_plain:
            raise RefusedError(400, "This is no question that the page asks.")
        if page.file is None:
            raise RefusedError(409, "There is no file. Choose one first.")
        more = {"format": str(given.get("format", ""))} if kind == "report" else {}
        return await self._submitted(page, {"kind": kind, "state": state, **more})

    async def job(self, request: Request) -> Response:
        page = self._page(request)
        job = page.job
        if job is None or job.number != request.path_params["number"]:
            raise RefusedError(409, "There is a newer question.")
        return _state_of(job)

    async def stopped(self, request: Request) -> Response:
        page = await self._idle_page(request)
        if page.file is None:  # it is still arriving
            self.uploads.forget_file(page)
        return JSONResponse({})

    async def alive(self, request: Request) -> Response:
        self._page(request)
        return JSONResponse({})

    async def closed(self, request: Request) -> Response:
        await self._forget(self._page(request))
        return JSONResponse({})

    def _page(self, request: Request) -> Page:
        return self.uploads.find(request.path_params["page"])

    async def _form(self, request: Request) -> dict[str, Any]:
        body = b""
        async for part in request.stream():
            body += part
            if len(body) > self.limits.form_bytes:
                raise RefusedError(413, "This is more than a form holds.")
        try:
            given = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise RefusedError(400, "This is no question that the page asks.") from error
        return given if isinstance(given, dict) else {}

    async def _submitted(self, page: Page, question: dict[str, Any]) -> Response:
        before = page.job
        job = page.job = Job(page.name, page.folder, {**question, "file": page.file})
        self.pool.submit(job, before)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(job.finished.wait(), _PATIENCE)
        return _state_of(job)

    async def _idle_page(self, request: Request) -> Page:
        """Return a page once nothing is computed for it."""
        await self.pool.stop(self._page(request).name)
        return self._page(request)  # it may be closed by now

    async def _forget(self, page: Page) -> None:
        self.uploads.close(page)  # so that nothing more is asked of it
        await self.pool.stop(page.name)
        self.uploads.close(page)


def _check_turn(page: Page, turn: int) -> None:
    """End an upload that was stopped, or whose page has another one or is gone."""
    if page.turn != turn:
        raise RefusedError(409, STOPPED)


def _state_of(job: Job) -> Response:
    """Say what came of a question, or how far it is."""
    if job.outcome is not None:
        return JSONResponse({"job": job.number, **job.outcome})
    waits = job.began is None
    return JSONResponse({"job": job.number, "event": "progress", "waits": waits, **job.progress})


async def _index(request: Request) -> Response:
    return Response(index(), media_type="text/html")


def index() -> str:
    """Return the page."""
    buttons = (
        tag("button", demo.title, type="button", class_="link", **{"data-demo": demo.name})
        for demo in DEMOS
    )
    return static("index.html").replace("<!-- examples -->", "\n    ".join(buttons))


def static(name: str) -> str:
    """Return a file of the package."""
    return files("errorfloor.apps.web").joinpath("static", name).read_text(encoding="utf-8")


async def _script(request: Request) -> Response:
    return Response(static("app.js"), media_type="text/javascript")


async def _style(request: Request) -> Response:
    from errorfloor.show.palette import style_sheet  # which loads the methods

    report = files("errorfloor.show.report").joinpath("style.css").read_text(encoding="utf-8")
    return Response(f"{style_sheet()}{report}{static('app.css')}", media_type="text/css")


BACKLOG = 16  # that the system accepts at once, before any can be closed
_OWN = 16  # files that the server itself has open
_OF_A_WORKER = 4  # files that the server has open for a worker
_SENT = 2**16  # bytes that have to come in time of what was refused, so that it is read to its end


def protocol(limits: Limits) -> Callable[..., asyncio.Protocol]:
    """Return what makes a connection that keeps to the limits."""
    return partial(Connection, most=_most(limits), seconds=limits.head_seconds)


def _most(limits: Limits) -> int:
    """Return how many connections there may be: each may write a file."""
    try:
        import resource
    except ImportError:  # Windows
        return limits.connections
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files == resource.RLIM_INFINITY:
        return limits.connections
    left = files - _OWN - BACKLOG - _OF_A_WORKER * limits.workers
    return max(2, min(limits.connections, left // 2))


class Connection(H11Protocol):
    """A connection that has some time to send the head of a request, and of each further one."""

    def __init__(self, *given: Any, most: int, seconds: float, **more: Any) -> None:
        super().__init__(*given, **more)
        self.most, self.seconds = most, seconds
        self.since = 0.0  # when it began to wait for a request
        self.received = 0  # bytes since the clock was set
        self.clock: asyncio.TimerHandle | None = None

    @property
    def waits(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request; where there are too many, one that waits is closed."""
        super().connection_made(transport)
        self._begin_to_wait()
        if len(self.connections) > self.most:
            waiting = [one for one in self.connections if isinstance(one, Connection) and one.waits]
            min(waiting, key=lambda one: one.since).drop()

    def data_received(self, data: bytes) -> None:
        """Count what comes."""
        self.received += len(data)
        super().data_received(data)

    def on_response_complete(self) -> None:
        """Begin to wait for another request."""
        super().on_response_complete()
        self._begin_to_wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clock."""
        if self.clock is not None:
            self.clock.cancel()
        super().connection_lost(exc)

    def drop(self) -> None:
        """Close it at once, and count it no more."""
        self.connections.discard(self)
        self.transport.abort()

    def _begin_to_wait(self) -> None:
        self.since = self.loop.time()
        self._set_clock()

    def _set_clock(self) -> None:
        if self.clock is not None:
            self.clock.cancel()
        self.received = 0
        self.clock = self.loop.call_later(self.seconds, self._too_late)

    def _too_late(self) -> None:
        """Close it, unless the rest of a request comes that was answered before its end."""
        if not self.waits:
            return
        if self.received >= _SENT and self.cycle is not None and self.cycle.more_body:
            self._set_clock()
        else:
            self.drop()


def serve(
    port: int, say: Callable[[str], None], *, browser: bool = True, limits: Limits | None = None
) -> None:
    """Serve the page until Ctrl-C is pressed; port 0 stands for any that is free."""
    listening = _bound(port)
    port, token = listening.getsockname()[1], secrets.token_urlsafe(24)  # which nobody can guess
    address = f"http://{HOST}:{port}/{token}/"
    own = limits or Limits()
    config = uvicorn.Config(
        application(port, token, own),
        http=cast("Any", protocol(own)),
        loop="asyncio",
        backlog=BACKLOG,
        log_level="error",
        access_log=False,  # the token is nobody's business
        server_header=False,
        ws="none",
        timeout_graceful_shutdown=1,
        h11_max_incomplete_event_size=2**15,
    )
    say(address)
    if browser:
        # It connects as soon as it is there: the port listens already.
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    uvicorn.Server(config).run(sockets=[listening])


def _bound(port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
    except OSError as error:
        listening.close()
        raise InputError(
            *(argument("port"), f" {port} cannot be used: {error.strerror}. Name another, or "),
            "leave it out.",
        ) from error
    listening.listen(BACKLOG)
    return listening
