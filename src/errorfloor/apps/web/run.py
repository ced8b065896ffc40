"""Start the server on this machine, and open the page."""

from __future__ import annotations

import socket
import threading
import webbrowser
from collections.abc import Callable
from typing import Any, cast

import uvicorn

from errorfloor._checks import InputError, argument
from errorfloor.apps.web.connections import BACKLOG, protocol
from errorfloor.apps.web.limits import Limits
from errorfloor.apps.web.server import HOST, application, new_token


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
