"""The diff engine: what differs between a resource's state and its new inputs, and what that costs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pulumi.provider.experimental.provider import PropertyDiff, PropertyDiffKind

from .fields import Field, ListOf, MapOf, Record, Type
from .values import holds_unknown

_EMPTY: tuple[Any, ...] = (None, "", 0, False, [], {})


def changed_fields(
    fields: Mapping[str, Field], state: Mapping[str, Any], inputs: Mapping[str, Any]
) -> dict[str, PropertyDiffKind]:
    """Name -> kind of each input whose wanted value differs from the state.

    Nothing given and nothing there are the same; so are nothing given and the field's default.
    """
    found: dict[str, PropertyDiffKind] = {}
    for name, field in fields.items():
        kind = _kind(field, state.get(name), inputs.get(name))
        if kind is not None:
            found[name] = kind
    return found


def detailed(kinds: Mapping[str, PropertyDiffKind]) -> dict[str, PropertyDiff]:
    """For DiffResponse.detailed_diff; the comparison is state against inputs, so `input_diff` is false."""
    return {name: PropertyDiff(kind, input_diff=False) for name, kind in kinds.items()}


def replacing(kind: PropertyDiffKind) -> PropertyDiffKind:
    """The kind that says the same change replaces the resource."""
    return {
        PropertyDiffKind.ADD: PropertyDiffKind.ADD_REPLACE,
        PropertyDiffKind.DELETE: PropertyDiffKind.DELETE_REPLACE,
        PropertyDiffKind.UPDATE: PropertyDiffKind.UPDATE_REPLACE,
    }.get(kind, kind)


def same(type_: Type, one: Any, other: Any) -> bool:
    """Whether two values of a type mean the same."""
    return bool(canonical(type_, one) == canonical(type_, other))


def canonical(type_: Type, value: Any) -> Any:
    """A form in which equal values are equal: sets sorted, empty optional fields of records dropped."""
    if value is None or holds_unknown(value):
        return value
    if isinstance(type_, ListOf):
        items = [canonical(type_.item, item) for item in value]
        return items if type_.ordered else sorted(items, key=lambda item: json.dumps(item, sort_keys=True))
    if isinstance(type_, MapOf):
        return {key: canonical(type_.item, item) for key, item in value.items()}
    if isinstance(type_, Record):
        return {
            name: canonical(field.type, value.get(name))
            for name, field in type_.fields.items()
            if not field.computed and value.get(name) not in _EMPTY
        }
    return value


def _kind(field: Field, old: Any, new: Any) -> PropertyDiffKind | None:
    if holds_unknown(new):
        return PropertyDiffKind.UPDATE if old is not None else PropertyDiffKind.ADD
    if new is None:
        if field.computed or old in _EMPTY or same(field.type, old, field.default):
            return None
        return PropertyDiffKind.DELETE
    if old is None:
        if new in _EMPTY or new == field.default:
            return None
        return PropertyDiffKind.ADD
    unchanged = same(field.type, old, new) or (field.kept_as is not None and old == field.kept_as(new))
    return None if unchanged else PropertyDiffKind.UPDATE
