"""Ignition JSON -> the user data of a server: plain while it fits, else a stub that unpacks itself."""

import zlib

import deflate

from rendering.errors import UserDataTooLargeError
from rendering.ignition import base64_url, canonical, compact, decode, inner_config

LIMIT_BYTES = 32_768
"""What Hetzner's create-server request takes (32 KiB, counted in UTF-8 bytes)."""

_NAMED_CONTRIBUTORS = 5
# libdeflate's smallest.
_BEST = 12


def pack(ignition_json: str, *, machine: str = "the machine") -> str:
    """Return what to hand to the server as user data; `machine` is what an error calls it.

    Above the limit the config is wrapped: a stub whose `ignition.config.replace` is a gzip data URL of it.
    Files that butane had compressed one by one are unpacked first, because a whole compresses better. The
    same config is the same user data on every system (docs/adr/0004-user-data-is-the-same-everywhere.md).

    Raises:
        UserDataTooLargeError: too large even so; names what takes most of the room.
    """
    plain = canonical(ignition_json)
    if _size(plain) <= LIMIT_BYTES:
        return plain
    wrapped = _wrap(plain)
    if _size(wrapped) > LIMIT_BYTES:
        largest = contributors(plain)[:_NAMED_CONTRIBUTORS]
        raise UserDataTooLargeError(machine, _size(wrapped), LIMIT_BYTES, largest)
    return wrapped


def contributors(ignition_json: str) -> list[tuple[str, int]]:
    """Return (path, bytes of its contents), ordered by what each costs when compressed, largest first."""
    entries = [(len(zlib.compress(entry.contents)), entry) for entry in decode(ignition_json)]
    entries.sort(key=lambda pair: (-pair[0], pair[1].path))
    return [(entry.path, len(entry.contents)) for _, entry in entries]


def _wrap(plain: str) -> str:
    replace = {
        "compression": "gzip",
        "source": base64_url(bytes(deflate.gzip_compress(plain.encode(), _BEST))),
    }
    version = inner_config(plain)["ignition"]["version"]
    return compact({"ignition": {"version": version, "config": {"replace": replace}}})


def _size(text: str) -> int:
    return len(text.encode())
