"""Which version a stand-in claims: the one of the installed SDK, so that the engine pairs the two."""

from __future__ import annotations

from importlib import metadata

NAMES = ("gcp", "hcloud", "random", "tls")


def sdk_version(name: str) -> str:
    """`4.21.4` for `random`: the version of the installed `pulumi-random` distribution."""
    return metadata.version(f"pulumi-{name}")
