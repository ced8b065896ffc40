"""Connections of the server: so many at a time, and none that asks nothing for long.

Anybody on this machine can open connections, also without knowing the address of the page. One
that sends no whole request in time is closed, and before there are too many the one that has
waited for longest makes room.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from errorfloor.apps.web.limits import Limits

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
