"""The server of the page: on this machine only, for those who know its address.

Whatever a request asks for, it has to name this host (or a foreign name could be pointed at this
machine), come from this page (or a foreign page could post), and know the token in the address.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from errorfloor.apps.web.limits import Limits, reason
from errorfloor.apps.web.page import DEMOS, index
from errorfloor.apps.web.pool import STOPPED, Job, Pool
from errorfloor.apps.web.uploads import Page, RefusedError, Uploads

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


def new_token() -> str:
    """Return what nobody can guess."""
    return secrets.token_urlsafe(24)


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
            Route(f"{own}/pages", self._told(self.opened), methods=["POST"]),
            Route(f"{page}/file", self._told(self.uploaded), methods=["POST"]),
            Route(f"{page}/demo", self._told(self.demo), methods=["POST"]),
            Route(f"{page}/jobs", self._told(self.asked), methods=["POST"]),
            Route(f"{page}/jobs/{{number:int}}", self._told(self.job), methods=["GET"]),
            Route(f"{page}/stop", self._told(self.stopped), methods=["POST"]),
            Route(f"{page}/alive", self._told(self.alive), methods=["POST"]),
            Route(f"{page}/close", self._told(self.closed), methods=["POST"]),
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
    def _told(handler: Handler) -> Handler:
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
        if name not in {demo.name for demo in DEMOS}:
            raise RefusedError(404, "There is no such demo set.")
        page = await self._idle_page(request)
        self.uploads.forget_file(page)
        page.file = f"demo/{name}"
        return await self._submitted(page, {"kind": "open", "state": {}, "demo": True})

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
        return _said(job)

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
        return _said(job)

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


def _said(job: Job) -> Response:
    """Say what came of a question, or how far it is."""
    if job.outcome is not None:
        return JSONResponse({"job": job.number, **job.outcome})
    waits = job.began is None
    return JSONResponse({"job": job.number, "event": "progress", "waits": waits, **job.progress})


async def _index(request: Request) -> Response:
    return Response(index(), media_type="text/html")


async def _script(request: Request) -> Response:
    return Response(_static("app.js"), media_type="text/javascript")


async def _style(request: Request) -> Response:
    from errorfloor.show.palette import style_sheet  # which loads the methods

    report = files("errorfloor.show.report").joinpath("style.css").read_text(encoding="utf-8")
    return Response(f"{style_sheet()}{report}{_static('app.css')}", media_type="text/css")


def _static(name: str) -> str:
    """Return a file of the package."""
    return files("errorfloor.apps.web").joinpath("static", name).read_text(encoding="utf-8")
