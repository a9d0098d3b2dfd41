"""How a stand-in declares what a resource takes and gives: fields and their types.

The declarations are held against the published package schemas in tests/localcloud/plugins.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True)
class Scalar:
    """A single value; `kind` as the schema spells it: string, integer, number or boolean."""

    kind: str


@dataclass(frozen=True)
class ListOf:
    """A list. `ordered=False`: a set in the provider, so another order is not a change."""

    item: Type
    ordered: bool = True


@dataclass(frozen=True)
class MapOf:
    """Any string keys, values of one type."""

    item: Type


@dataclass(frozen=True)
class Record:
    """A nested object with known fields."""

    fields: Mapping[str, Field]


@dataclass(frozen=True)
class Opaque:
    """Any value: for properties whose name is known and whose use the stand-in refuses."""


Type = Scalar | ListOf | MapOf | Record | Opaque

STRING = Scalar("string")
INTEGER = Scalar("integer")
NUMBER = Scalar("number")
BOOLEAN = Scalar("boolean")
STRINGS = ListOf(STRING)
STRING_MAP = MapOf(STRING)


@dataclass(frozen=True, kw_only=True)
class Field:
    """One property.

    `replaces`: a change needs a new resource. `computed`: the cloud fills it in when it is not given, so its
    absence is no change. `default`: what its absence means. `secret`: always secret, whatever was given.
    `kept_as`: what the state keeps in place of the value, which only the inputs have then.
    """

    type: Type
    required: bool = False
    replaces: bool = False
    computed: bool = False
    default: Any = None
    secret: bool = False
    kept_as: Callable[[str], str] | None = None


Fields = Mapping[str, Field]


def fields(**declared: Field) -> Fields:
    """Fields by name, read-only."""
    return MappingProxyType(declared)


def need(type_: Type, *, replaces: bool = False, secret: bool = False) -> Field:
    """A required input."""
    return Field(type=type_, required=True, replaces=replaces, secret=secret)


def may(
    type_: Type, *, replaces: bool = False, computed: bool = False, default: Any = None, secret: bool = False
) -> Field:
    """An optional input."""
    return Field(type=type_, replaces=replaces, computed=computed, default=default, secret=secret)


def out(type_: Type, *, secret: bool = False) -> Field:
    """An output that is no input."""
    return Field(type=type_, computed=True, secret=secret)
