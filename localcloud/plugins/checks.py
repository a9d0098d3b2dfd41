"""Holds given values against declared fields: unknown names, missing ones, wrong types."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from typing import Any

from .errors import InvalidInput
from .fields import Field, ListOf, MapOf, Opaque, Record, Scalar, Type
from .values import UNKNOWN

AUTONAME_DIGITS = 7


def checked(
    given: Mapping[str, Any], fields: Mapping[str, Field], *, path: str = ""
) -> tuple[dict[str, Any], list[InvalidInput]]:
    """Return the values in their declared types, and every problem found.

    Like the real providers' bridge, text that reads as a number is taken for a number (an id is text on
    the resource it comes from and a number where it is used), and a number for text.
    """
    values: dict[str, Any] = {}
    problems: list[InvalidInput] = []
    for name, value in given.items():
        where = f"{path}{name}"
        field = fields.get(name)
        if field is None:
            problems.append(InvalidInput(where, _unknown_name(name, fields)))
        elif value is not None:
            try:
                values[name] = _typed(value, field.type, where)
            except InvalidInput as problem:
                problems.append(problem)
    for name, field in fields.items():
        if field.required and given.get(name) is None:
            problems.append(InvalidInput(f"{path}{name}", "is required and was not given"))
    return values, problems


def _unknown_name(name: str, fields: Mapping[str, Field]) -> str:
    return f"there is no property {name!r} here; known: {', '.join(sorted(fields)) or 'none'}"


def _typed(value: Any, type_: Type, where: str) -> Any:
    if value is UNKNOWN or isinstance(type_, Opaque):
        return value
    if isinstance(type_, Scalar):
        return _scalar(value, type_.kind, where)
    if isinstance(type_, ListOf):
        if not isinstance(value, list):
            raise InvalidInput(where, f"must be a list, not {type(value).__name__}")
        return [_typed(item, type_.item, f"{where}[{index}]") for index, item in enumerate(value)]
    if not isinstance(value, dict):
        raise InvalidInput(where, f"must be an object, not {type(value).__name__}")
    if isinstance(type_, MapOf):
        return {key: _typed(item, type_.item, f"{where}.{key}") for key, item in value.items()}
    assert isinstance(type_, Record)
    inner, problems = checked(value, type_.fields, path=f"{where}.")
    if problems:
        raise problems[0]
    return inner


def _scalar(value: Any, kind: str, where: str) -> Any:
    if kind == "string" and isinstance(value, bool):
        return "true" if value else "false"
    if kind == "string" and isinstance(value, str | int | float):
        return str(value)
    if kind == "boolean" and (isinstance(value, bool) or value in ("true", "false")):
        return value if isinstance(value, bool) else value == "true"
    if kind in {"integer", "number"} and isinstance(value, str | int | float) and not isinstance(value, bool):
        try:
            return int(value) if kind == "integer" else float(value)
        except ValueError:
            pass
    raise InvalidInput(where, f"must be of type {kind}, not {type(value).__name__}")


def autoname(resource_name: str, random_seed: bytes) -> str:
    """`<name>-<7 hex digits>`, the same digits for the same seed so that preview and update agree."""
    digits = hashlib.sha256(random_seed).hexdigest() if random_seed else secrets.token_hex(AUTONAME_DIGITS)
    return f"{resource_name}-{digits[:AUTONAME_DIGITS]}"
