"""Keeps the stand-ins away from real stacks: a marker in the environment, and loopback endpoints only."""

from __future__ import annotations

import ipaddress
import os
import sys
from urllib.parse import urlsplit

from .errors import StandInError

MARKER = "RAYA_LOCALCLOUD"


def require_marker(plugin: str) -> None:
    """End the process with status 1 and one sentence unless the local stack's marker is set."""
    if os.environ.get(MARKER) == "1":
        return
    sys.stderr.write(
        f"pulumi-resource-{plugin}: this is the local cloud's stand-in for the {plugin} provider and must "
        f"never serve a real stack; it starts only with {MARKER}=1, which `make env STACK=local` sets. "
        f"For a real stack use the official {plugin} plugin and a PULUMI_HOME of its own.\n"
    )
    raise SystemExit(1)


def loopback(url: str | None, *, key: str) -> str:
    """Return `url` without its final slash; raise StandInError when it is missing or not on loopback.

    A host name is accepted only when it is `localhost`: any other name could be made to mean anything.
    """
    if not url:
        raise StandInError(
            f"{key} is not set: the stand-in plugin never talks to the real cloud, so {key} must be the "
            f"local cloud's address, for example http://127.0.0.1:18470 and its path (Pulumi.local.yaml)"
        )
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not _is_loopback(parts.hostname or ""):
        raise StandInError(
            f"{key} is {url!r}, which is not on this machine's loopback interface: the stand-in plugin "
            f"serves the local cloud only; use http://127.0.0.1:<port>/... or the official plugin"
        )
    return url.rstrip("/")


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
