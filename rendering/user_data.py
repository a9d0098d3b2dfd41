"""Ignition JSON -> the user data of a server: a stub that unpacks itself, the same bytes on every system."""

import zlib

import deflate

from rendering.errors import UserDataTooLargeError
from rendering.ignition import base64_url, compact, decode, inner_config

LIMIT_BYTES = 32_768
"""What Hetzner's create-server request takes (32 KiB, counted in UTF-8 bytes)."""

_NAMED_CONTRIBUTORS = 5
# libdeflate's levels end at 12, which takes twice the time of this one for a thousandth less.
_LEVEL = 10


def pack(canonical_json: str, *, machine: str = "the machine") -> str:
    """Return what to hand to the server as user data; `machine` is what an error calls it.

    It is a config whose `ignition.config.replace` is a gzip data URL of the given one. That one must be in
    the form that `ignition.canonical` gives: there nothing is compressed by itself, and a whole compresses
    better than its parts (docs/adr/0004-user-data-is-the-same-everywhere.md).

    Raises:
        UserDataTooLargeError: too large even so; names what takes most of the room.
    """
    replace = {
        "compression": "gzip",
        "source": base64_url(bytes(deflate.gzip_compress(canonical_json.encode(), _LEVEL))),
    }
    version = inner_config(canonical_json)["ignition"]["version"]
    packed = compact({"ignition": {"version": version, "config": {"replace": replace}}})
    if len(packed) > LIMIT_BYTES:
        largest = contributors(canonical_json)[:_NAMED_CONTRIBUTORS]
        raise UserDataTooLargeError(machine, len(packed), LIMIT_BYTES, largest)
    return packed


def contributors(ignition_json: str) -> list[tuple[str, int]]:
    """Return (path, bytes of its contents), ordered by what each costs when compressed, largest first."""
    entries = [(len(zlib.compress(entry.contents)), entry) for entry in decode(ignition_json)]
    entries.sort(key=lambda pair: (-pair[0], pair[1].path))
    return [(entry.path, len(entry.contents)) for _, entry in entries]
