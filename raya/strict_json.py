"""JSON as RFC 8259 has it: repeated names, NaN and a byte order mark are errors, each with its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NoReturn


class StrictJsonError(ValueError):
    """The text is not acceptable JSON. The message is a clause without the source's name."""


class RepeatedName(dict[str, Any]):
    """An object that gave the name ``repeated`` twice. Readers refuse it with the object's position."""

    repeated: str


def read(path: Path) -> Any:
    """The JSON value in a UTF-8 file. ``StrictJsonError`` says why not; ``OSError`` is left to the caller."""
    content = path.read_bytes()
    try:
        return parse(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise StrictJsonError(
            f"line {line} is not UTF-8 text (byte {error.start}); save the file as UTF-8"
        ) from None


def parse(text: str) -> Any:
    """The JSON value of ``text``; an object with a repeated name comes back as ``RepeatedName``."""
    if text.startswith("\ufeff"):
        raise StrictJsonError("it begins with a byte order mark; save it as UTF-8 without one")
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        reason = error.msg[:1].lower() + error.msg[1:]
        raise StrictJsonError(
            f"it is not JSON at line {error.lineno}, column {error.colno}: {reason} (JSON has no comments "
            "and no comma after the last item)"
        ) from None
    except RecursionError:
        raise StrictJsonError("it is nested too deeply") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    repeated = [
        name for index, (name, _) in enumerate(pairs) if name in {earlier for earlier, _ in pairs[:index]}
    ]
    if repeated:
        result = RepeatedName()
        result.repeated = repeated[0]
    result.update(pairs)
    return result


def _refuse_constant(name: str) -> NoReturn:
    raise StrictJsonError(f"{name} is not a JSON value; write a number or null")
