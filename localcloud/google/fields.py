"""Reading the fields of a request body: a value of a wrong type is refused with the name of its field."""

from typing import Any

from localcloud.google.refusals import invalid
from localcloud.store import Json


def text(body: Json, field: str, where: str = "") -> str:
    """A string, "" when absent or null."""
    return str(_of_type(body, field, where, str, ""))


def mapping(body: Json, field: str, where: str = "") -> Json:
    """An object, empty when absent or null."""
    return dict(_of_type(body, field, where, dict, {}))


def texts(body: Json, field: str, where: str = "") -> list[str]:
    """A list of strings, empty when absent or null."""
    values: list[Any] = _of_type(body, field, where, list, [])
    if not all(isinstance(value, str) for value in values):
        raise invalid(_name(where, field), values)
    return values


def objects(body: Json, field: str, where: str = "") -> list[Json]:
    """A list of objects, empty when absent or null."""
    values: list[Any] = _of_type(body, field, where, list, [])
    if not all(isinstance(value, dict) for value in values):
        raise invalid(_name(where, field), values)
    return values


def _of_type(body: Json, field: str, where: str, kind: type[Any], default: Any) -> Any:
    value = body.get(field)
    if value is None:
        return default
    if not isinstance(value, kind):
        raise invalid(_name(where, field), value)
    return value


def _name(where: str, field: str) -> str:
    return f"{where}.{field}" if where else field
