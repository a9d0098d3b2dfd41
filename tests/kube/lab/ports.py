"""Ports for servers that must be told one before they start."""

from __future__ import annotations

import socket

from tests.kube.lab.pki import LOOPBACK


def free(count: int) -> list[int]:
    """`count` different ports that nobody listens on. Somebody else may take one before it is used."""
    sockets = [socket.create_server((LOOPBACK, 0)) for _ in range(count)]
    ports: list[int] = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports
