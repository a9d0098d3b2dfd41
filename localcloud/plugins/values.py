"""Between the engine's PropertyValue and plain Python: secrets by property name, unknowns as UNKNOWN.

Numbers travel as floats; whole ones become int here. The experimental SDK leaves an unknown as the
engine's sentinel string, both ways.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from pulumi.provider.experimental.property_value import PropertyValue
from pulumi.runtime import rpc

from .errors import StandInError


class _Unknown:
    """The type of UNKNOWN."""

    def __repr__(self) -> str:
        return "<unknown>"


UNKNOWN = _Unknown()
DEFAULTS_KEY = "__defaults"


def is_internal(name: str) -> bool:
    """Engine and bridge bookkeeping such as `__defaults`; never a property of a resource."""
    return name.startswith("__")


def plain(value: PropertyValue) -> Any:
    """PropertyValue -> str, bool, int, float, list, dict, None or UNKNOWN."""
    inner = value.value
    if isinstance(inner, str):
        return UNKNOWN if inner == rpc.UNKNOWN else inner
    if isinstance(inner, bool) or inner is None:
        return inner
    if isinstance(inner, float):
        return int(inner) if inner.is_integer() else inner
    if isinstance(inner, Mapping):
        return {key: plain(item) for key, item in inner.items()}
    if isinstance(inner, Sequence):
        return [plain(item) for item in inner if isinstance(item, PropertyValue)]
    raise StandInError(f"a value of type {type(inner).__name__} is not something this plugin takes")


def plain_map(values: Mapping[str, PropertyValue]) -> dict[str, Any]:
    """All properties as plain Python, without bookkeeping and without nulls."""
    found = {key: plain(item) for key, item in values.items() if not is_internal(key)}
    return {key: item for key, item in found.items() if item is not None}


def secret_names(values: Mapping[str, PropertyValue]) -> set[str]:
    """Names of the properties that are secret or hold a secret somewhere inside."""
    return {key for key, item in values.items() if item.contains_secret()}


def wrapped(value: Any) -> PropertyValue:
    """Plain Python -> PropertyValue."""
    if value is UNKNOWN:
        return PropertyValue(rpc.UNKNOWN)
    if isinstance(value, bool) or value is None or isinstance(value, str | float):
        return PropertyValue(value)
    if isinstance(value, int):
        return PropertyValue(float(value))
    if isinstance(value, Mapping):
        return PropertyValue({str(key): wrapped(item) for key, item in value.items() if item is not None})
    if isinstance(value, Sequence):
        return PropertyValue([wrapped(item) for item in value])
    raise StandInError(f"a value of type {type(value).__name__} cannot be given to the engine")


def wrapped_map(values: Mapping[str, Any], secrets: Collection[str] = ()) -> dict[str, PropertyValue]:
    """All properties for the engine; those named in `secrets` are marked secret, nulls are left out."""
    return {
        key: wrapped(item).with_secret(key in secrets) for key, item in values.items() if item is not None
    }


def holds_unknown(value: Any) -> bool:
    """Whether a value is unknown, or holds an unknown somewhere inside."""
    if isinstance(value, Mapping):
        return any(holds_unknown(item) for item in value.values())
    if isinstance(value, list):
        return any(holds_unknown(item) for item in value)
    return value is UNKNOWN
