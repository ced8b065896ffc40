"""Start the server on this machine, and open the page; connections are so many at a time."""

from __future__ import annotations

import asyncio
import socket
import threading
import webbrowser
from collections.abc import Callable
from functools import partial
from typing import Any, cast

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from errorfloor._checks import InputError, argument
from errorfloor.apps.web.limits import Limits
from errorfloor.apps.web.server import HOST, application, new_token

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
    port: int,
    say: Callable[[str], None],
    *,
    browser: bool = True,
    limits: Limits | None = None,
) -> None:
    """Serve the page until Ctrl-C is pressed; port 0 stands for any that is free."""
    listening = _bound(port)
    port, token = listening.getsockname()[1], new_token()
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
