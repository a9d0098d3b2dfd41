"""Ignition JSON -> the user data of a server: plain while it fits, else a stub that unpacks itself."""

import base64
import gzip
import json
from typing import Any
from urllib.parse import quote

from rendering.errors import UserDataTooLargeError
from rendering.ignition import decode, inner_config, read_resource

LIMIT_BYTES = 32_768
"""What Hetzner's create-server request takes (32 KiB, counted in UTF-8 bytes)."""

_NAMED_CONTRIBUTORS = 5
# Everything a data URL may hold unescaped inside JSON; as little escaping as possible compresses best.
_URL_SAFE = "!$&'()*+,-./:;=?@_~ \t"


def pack(ignition_json: str) -> str:
    """Return what to hand to the server as user data.

    Above the limit the config is wrapped: a stub whose `ignition.config.replace` is a gzip data URL of it.
    Files that butane had compressed one by one are unpacked first, because a whole compresses better.

    Raises:
        UserDataTooLargeError: too large even so; names what takes most of the room.
    """
    if _size(ignition_json) <= LIMIT_BYTES:
        return ignition_json
    wrapped = _wrap(ignition_json)
    if _size(wrapped) > LIMIT_BYTES:
        largest = contributors(ignition_json)[:_NAMED_CONTRIBUTORS]
        raise UserDataTooLargeError(_size(wrapped), LIMIT_BYTES, largest)
    return wrapped


def contributors(ignition_json: str) -> list[tuple[str, int]]:
    """Return (path, bytes of its contents), ordered by what each costs when compressed, largest first."""
    entries = [(len(gzip.compress(entry.contents, mtime=0)), entry) for entry in decode(ignition_json)]
    entries.sort(key=lambda pair: (-pair[0], pair[1].path))
    return [(entry.path, len(entry.contents)) for _, entry in entries]


def _wrap(ignition_json: str) -> str:
    config = inner_config(ignition_json)
    for file in config.get("storage", {}).get("files", []):
        for resource in (file.get("contents", {}), *file.get("append", [])):
            if resource.get("compression"):
                _unpack(resource)
    packed = gzip.compress(_compact(config).encode(), compresslevel=9, mtime=0)
    source = "data:;base64," + base64.b64encode(packed).decode()
    replace = {"compression": "gzip", "source": source}
    return _compact({"ignition": {"version": config["ignition"]["version"], "config": {"replace": replace}}})


def _unpack(resource: dict[str, Any]) -> None:
    resource["source"] = "data:," + quote(read_resource(resource), safe=_URL_SAFE)
    # Butane writes the key only where it compressed; an empty string is Ignition's "not compressed".
    resource["compression"] = ""


def _compact(config: dict[str, Any]) -> str:
    return json.dumps(config, separators=(",", ":"), sort_keys=True, ensure_ascii=False)


def _size(text: str) -> int:
    return len(text.encode())
