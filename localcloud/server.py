"""Serving the application on loopback."""

import os
import signal
import socket
import sys
from pathlib import Path
from typing import NoReturn

import uvicorn

from localcloud.app import build_app
from localcloud.cloud import Cloud
from localcloud.seed import DEFAULT_SEED, plant, read_seed, seed_from_pins

HOST = "127.0.0.1"
_LISTENER = "LOCALCLOUD_LISTENER"
"""Names the inherited file descriptor to the process that follows a restart."""


def serve(*, port: int, state: Path, seed: Path | None = None, pins: Path | None = None) -> int:
    """Serve until SIGTERM or SIGINT. Prints one line with the address when it listens."""
    cloud = Cloud(state)
    cloud.first_seeds = [read_seed(seed or DEFAULT_SEED), *([seed_from_pins(pins)] if pins else [])]
    for first in cloud.first_seeds:
        plant(cloud, first)
    cloud.base.commit()
    listener = _inherited_listener() or _listener(port)
    cloud.restart = lambda: _restart(listener)
    print(f"localcloud listening on http://{HOST}:{listener.getsockname()[1]}", flush=True)
    config = uvicorn.Config(
        build_app(cloud),
        log_level="warning",
        access_log=False,
        timeout_keep_alive=75,
        lifespan="off",
        timeout_graceful_shutdown=2,
    )
    # uvicorn ends on the signal, then raises it again for who handled it before: nobody, and that is fine.
    signal.signal(signal.SIGTERM, lambda number, frame: None)
    try:
        uvicorn.Server(config).run(sockets=[listener])
    finally:
        cloud.base.close()
    return 0


def _restart(listener: socket.socket) -> NoReturn:
    """Put a new process in the place of this one, as the operating system would after a crash.

    Only the listening socket is handed on: connections break in the middle of whatever they were at, and who
    connects meanwhile waits instead of being refused.
    """
    listener.set_inheritable(True)
    os.environ[_LISTENER] = str(listener.fileno())
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])


def _inherited_listener() -> socket.socket | None:
    number = os.environ.pop(_LISTENER, None)
    return socket.socket(fileno=int(number)) if number else None


def _listener(port: int) -> socket.socket:
    # With the protocol named, asyncio turns Nagle's algorithm off; without, each answer would wait 40 ms.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
        listener.listen(512)
    except OSError as error:
        listener.close()
        raise OSError(f"port {port} on {HOST} cannot be used: {error.strerror}") from error
    return listener
