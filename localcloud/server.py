"""Serving the application on loopback."""

import signal
import socket
from pathlib import Path

import uvicorn

from localcloud.app import build_app
from localcloud.cloud import Cloud
from localcloud.seed import DEFAULT_SEED, plant, read_seed, seed_from_pins

HOST = "127.0.0.1"


def serve(*, port: int, state: Path, seed: Path | None = None, pins: Path | None = None) -> int:
    """Serve until SIGTERM or SIGINT. Prints one line with the address when it listens."""
    cloud = Cloud(state)
    cloud.first_seeds = [read_seed(seed or DEFAULT_SEED), *([seed_from_pins(pins)] if pins else [])]
    for first in cloud.first_seeds:
        plant(cloud, first)
    cloud.store.commit()
    listener = _listener(port)
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
        cloud.store.close()
    return 0


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
