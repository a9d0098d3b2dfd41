"""Read Ignition JSON back: what would be on the machine, as a flat list."""

import base64
import gzip
import json
import zlib
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal
from urllib.parse import quote, unquote_to_bytes

from rendering.errors import IgnitionError

Kind = Literal["file", "unit", "dropin", "directory", "link", "user"]
_UNIT_DIR = "/etc/systemd/system"
# What Ignition's parser of data URLs (vincent-petithory/dataurl) takes unescaped, besides letters and digits.
_URL_SAFE = "!$&'()*+,-./:;=?@_~"


@dataclass(frozen=True, kw_only=True)
class IgnitionEntry:
    """One thing that Ignition makes.

    `path` is the absolute path on the machine; ``unit:NAME`` for what is said about a unit besides its text
    (enabled, masked), and ``user:NAME`` for an account. `mode` is None where Ignition does not take one.
    `contents`: a file's or unit's bytes; a link's target; canonical JSON for ``unit:`` and ``user:`` entries.
    """

    path: str
    kind: Kind
    mode: int | None = None
    contents: bytes = field(default=b"", repr=False)


def decode(ignition_json: str) -> list[IgnitionEntry]:
    """List a config's entries, sorted by path. A config that replaces itself is followed.

    Raises:
        IgnitionError: not an Ignition config, or one that refers to something outside itself.
    """
    config = inner_config(ignition_json)
    storage = config.get("storage", {})
    entries = [_file(entry) for entry in storage.get("files", [])]
    entries += [
        IgnitionEntry(path=entry["path"], kind="directory", mode=entry.get("mode"))
        for entry in storage.get("directories", [])
    ]
    entries += [
        IgnitionEntry(path=entry["path"], kind="link", contents=str(entry.get("target", "")).encode())
        for entry in storage.get("links", [])
    ]
    for unit in config.get("systemd", {}).get("units", []):
        entries += _unit(unit)
    entries += [
        IgnitionEntry(path=f"user:{user['name']}", kind="user", contents=_canonical(user))
        for user in config.get("passwd", {}).get("users", [])
    ]
    return sorted(entries, key=lambda entry: entry.path)


def inner_config(ignition_json: str) -> dict[str, Any]:
    """Return the config that takes effect: the given one, or the one it replaces itself with."""
    try:
        config = json.loads(ignition_json)
    except ValueError as error:
        raise IgnitionError(f"the text is not JSON ({error}), so it is no Ignition config.") from error
    if not isinstance(config, dict) or "version" not in config.get("ignition", {}):
        raise IgnitionError("the JSON has no ignition.version, so it is no Ignition config.")
    replace = config["ignition"].get("config", {}).get("replace", {})
    if replace.get("source"):
        return inner_config(read_resource(replace).decode())
    return config


def canonical(ignition_json: str) -> str:
    """Return the same config in one form that depends on nothing but its contents.

    butane compresses some files, with whatever compressor it was built with; here they are plain again, so
    that another build of butane makes the same machine. Keys are sorted, without white space.
    """
    config = inner_config(ignition_json)
    for file in config.get("storage", {}).get("files", []):
        for resource in (file.get("contents", {}), *file.get("append", [])):
            if resource.get("source"):
                resource["source"] = data_url(read_resource(resource))
                resource.pop("compression", None)
    return compact(config)


def data_url(contents: bytes) -> str:
    """Return a data URL (RFC 2397): escaped where the contents are text, because that compresses best."""
    try:
        contents.decode()
    except UnicodeDecodeError:
        return base64_url(contents)
    return "data:," + quote(contents, safe=_URL_SAFE)


def base64_url(contents: bytes) -> str:
    """Return the data URL that holds base64."""
    return "data:;base64," + base64.b64encode(contents).decode()


def compact(config: dict[str, Any]) -> str:
    """Return JSON with sorted keys and without white space."""
    return json.dumps(config, separators=(",", ":"), sort_keys=True, ensure_ascii=False)


def read_resource(resource: dict[str, Any]) -> bytes:
    """Return the bytes of a resource (`source`, `compression`) whose source is a data URL (RFC 2397)."""
    return _read(resource.get("source") or "data:,", resource.get("compression") or "")


# Most files are the same on all machines of a role.
@lru_cache(maxsize=256)
def _read(source: str, compression: str) -> bytes:
    if not source.startswith("data:") or "," not in source:
        raise IgnitionError(f"{source[:60]} is not a data URL; a config must be complete in itself.")
    header, data = source[len("data:") :].split(",", 1)
    try:
        raw = base64.b64decode(data, validate=True) if header.endswith(";base64") else unquote_to_bytes(data)
        if compression == "gzip":
            return gzip.decompress(raw)
    except (ValueError, OSError, EOFError, zlib.error) as error:
        raise IgnitionError(f"a data URL cannot be decoded: {error}.") from error
    if compression:
        raise IgnitionError(f"compression {compression!r} is not one that Ignition knows (it knows gzip).")
    return raw


def _file(entry: dict[str, Any]) -> IgnitionEntry:
    parts = [entry.get("contents", {}), *entry.get("append", [])]
    contents = b"".join(read_resource(part) for part in parts)
    return IgnitionEntry(path=entry["path"], kind="file", mode=entry.get("mode"), contents=contents)


def _unit(unit: dict[str, Any]) -> list[IgnitionEntry]:
    name = unit["name"]
    entries = []
    if unit.get("contents"):
        path = f"{_UNIT_DIR}/{name}"
        entries.append(IgnitionEntry(path=path, kind="unit", mode=0o644, contents=unit["contents"].encode()))
    state: dict[str, Any] = {key: unit[key] for key in ("enabled", "mask") if key in unit}
    if state:
        entries.append(IgnitionEntry(path=f"unit:{name}", kind="unit", contents=_canonical(state)))
    for dropin in unit.get("dropins", []):
        path = f"{_UNIT_DIR}/{name}.d/{dropin['name']}"
        contents = str(dropin.get("contents", "")).encode()
        entries.append(IgnitionEntry(path=path, kind="dropin", mode=0o644, contents=contents))
    return entries


def _canonical(value: dict[str, Any]) -> bytes:
    return compact(value).encode()
