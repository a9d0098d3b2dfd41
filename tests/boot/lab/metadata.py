"""Hetzner's metadata service, as far as a machine asks it: user data and the public address.

A stand-in: it serves what a case tells it to, by the address of who asks, and can be down or talk rubbish.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.boot.lab.network import METADATA_ADDRESS

USER_DATA = "/hetzner/v1/userdata"
PUBLIC_IPV4 = "/hetzner/v1/metadata/public-ipv4"


@dataclass(frozen=True)
class Request:
    """One request that was answered: from which address, for which path, when (monotonic seconds)."""

    address: str
    path: str
    at: float


@dataclass
class Metadata:
    """Runs while it is started; `user_data` is keyed by a server's public address."""

    user_data: dict[str, str] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)
    public_ipv4: Callable[[str], tuple[int, bytes]] = field(default=lambda address: (200, address.encode()))
    """The answer for the public address: status and body, given the address of who asks."""
    _server: ThreadingHTTPServer | None = None

    def reset(self) -> None:
        """As new."""
        self.user_data.clear()
        self.requests.clear()
        self.public_ipv4 = lambda address: (200, address.encode())

    def start(self) -> None:
        handler = type("Handler", (_Handler,), {"metadata": self})
        self._server = _Server((METADATA_ADDRESS, 80), handler)
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def stop(self) -> None:
        """Whoever asks is refused at once, as by a machine on which nothing listens."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def answer(self, address: str, path: str) -> tuple[int, bytes]:
        self.requests.append(Request(address, path, time.monotonic()))
        if path == USER_DATA and address in self.user_data:
            return 200, self.user_data[address].encode()
        if path == PUBLIC_IPV4:
            return self.public_ipv4(address)
        return 404, b"not found"


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True


class _Handler(BaseHTTPRequestHandler):
    metadata: Metadata

    def do_GET(self) -> None:
        status, body = self.metadata.answer(self.client_address[0], self.path)
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """`requests` is the log."""
