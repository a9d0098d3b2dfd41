"""Reading the fields of a request body: type, presence, grammar, and references to other things."""

import re
from typing import Any

from localcloud.cloud import Cloud
from localcloud.hetzner.refusals import invalid, not_found, not_unique, refusal
from localcloud.store import Json

_HOSTNAME = re.compile(
    r"(?!.{254})([a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?\.)*[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
)
_NAME = re.compile(r"[a-zA-Z0-9]([a-zA-Z0-9 ._/\-]*[a-zA-Z0-9])?")


def text(body: Json, field: str) -> str:
    """A required string that is not empty."""
    value = body.get(field)
    if value is None or value == "":
        raise invalid(field, "is required")
    if not isinstance(value, str):
        raise invalid(field, "must be a string")
    return value


def optional_text(body: Json, field: str) -> str | None:
    """A string, or None when absent or null."""
    return None if body.get(field) is None else text(body, field)


def integer(body: Json, field: str) -> int:
    """A required whole number."""
    value = body.get(field)
    if isinstance(value, bool) or not isinstance(value, int):
        raise invalid(field, "must be an integer" if value is not None else "is required")
    return value


def flag(body: Json, field: str, default: bool) -> bool:
    """A boolean."""
    value = body.get(field, default)
    if value is None:
        return default
    if not isinstance(value, bool):
        raise invalid(field, "must be a boolean")
    return value


def items(body: Json, field: str) -> list[Any]:
    """A list, empty when absent."""
    value = body.get(field)
    if value is None:
        return []
    if not isinstance(value, list):
        raise invalid(field, "must be a list")
    return value


def mapping(body: Json, field: str) -> Json:
    """An object, empty when absent."""
    value = body.get(field)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise invalid(field, "must be an object")
    return value


def objects(body: Json, field: str) -> list[Json]:
    """A list of objects, empty when absent."""
    values = items(body, field)
    if not all(isinstance(value, dict) for value in values):
        raise invalid(field, "must be a list of objects")
    return values


def texts(body: Json, field: str) -> list[str]:
    """A list of strings, empty when absent."""
    values = items(body, field)
    if not all(isinstance(value, str) for value in values):
        raise invalid(field, "must be a list of strings")
    return values


def hostname(body: Json) -> str:
    """The name of a server: an RFC 1123 hostname."""
    name = text(body, "name")
    if not _HOSTNAME.fullmatch(name):
        raise invalid("name", "must be a valid hostname (RFC 1123)")
    return name


def name(body: Json, limit: int = 64) -> str:
    """The name of anything else."""
    value = text(body, "name")
    if len(value) > limit or not _NAME.fullmatch(value):
        raise invalid(
            "name",
            f"must have at most {limit} letters, digits, '-', '_', '.', and a letter or digit at both ends",
        )
    return value


def require_unique(cloud: Cloud, kind: str, name: str, except_id: int | None = None) -> None:
    """Refuse a name that another thing of the kind has."""
    if any(other["name"] == name and other["id"] != except_id for other in cloud.store.all(kind)):
        raise not_unique(f"{kind} name is already used")


def by_id(cloud: Cloud, kind: str, key: object) -> Json:
    """A thing by its id (a number or its digits), or not_found."""
    found = cloud.store.get(kind, key)
    if found is None:
        raise not_found(kind, key)
    return found


def by_id_or_name(cloud: Cloud, kind: str, field: str, key: Any) -> Json:
    """A thing that a body refers to by id or by name; not knowing it is an invalid input of that field."""
    if isinstance(key, str | int) and not isinstance(key, bool):
        found = cloud.store.get(kind, key)
        if found is not None:
            return found
        for other in cloud.store.all(kind):
            if other.get("name") == key:
                return other
    raise invalid(field, f"{kind} {key!r} not found")


def require_unprotected(thing: Json, kind: str) -> None:
    """Refuse to delete what is protected."""
    if thing["protection"]["delete"]:
        raise refusal("protected", f"{kind} deletion is protected")


def require_unlocked(thing: Json, kind: str) -> None:
    """Refuse while another action on the thing runs."""
    if thing.get("_busy"):
        raise refusal("locked", f"{kind} is locked by another action")


def public(thing: Json) -> Json:
    """The thing without what the local cloud keeps beside it (keys that begin with an underscore)."""
    return {key: value for key, value in thing.items() if not key.startswith("_")}
