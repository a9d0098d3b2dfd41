"""What the sections of the settings have in common: frozen, strict, camelCase in the stack file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import ConfigDict
from pydantic.alias_generators import to_camel

from raya.wording import Refused, json_kind

SECTION = ConfigDict(frozen=True, strict=True, extra="forbid", alias_generator=to_camel)


def as_list(of: str) -> Callable[[Any], Any]:
    """A validator that takes a JSON list only and tells the reader what it should hold."""

    def check(value: Any) -> Any:
        if not isinstance(value, list | tuple):
            raise Refused(f"it must be a list of {of}, not {json_kind(value)}", name_value=False)
        return tuple(value)

    return check


def text(what: str) -> Callable[[Any], Any]:
    """A validator that takes text only; ``what`` is what the text should be."""

    def check(value: Any) -> Any:
        if not isinstance(value, str):
            raise Refused(
                f"it must be {what} as text, not {json_kind(value)}; put it in quotes", name_value=False
            )
        return value

    return check
