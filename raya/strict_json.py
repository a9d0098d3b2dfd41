"""JSON as RFC 8259 has it: repeated names, NaN and a byte order mark are errors, each with its place.

Likewise what no setting needs and Python stumbles over later: huge integers, halves of characters, deep
nesting.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final, NoReturn

# No value of the configuration is near these; Python itself stops at 4300 digits and about 1000 levels.
_MOST_DIGITS: Final = 100
_MOST_LEVELS: Final = 100


class StrictJsonError(ValueError):
    """The text is not acceptable JSON. The message is a clause without the source's name."""


class UnusableValueError(StrictJsonError):
    """The text is JSON, but a value in it is one that no setting takes. The message does not show it."""


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
        value = json.loads(
            text, object_pairs_hook=_object, parse_constant=_refuse_constant, parse_int=_integer
        )
    except json.JSONDecodeError as error:
        reason = error.msg[:1].lower() + error.msg[1:]
        raise StrictJsonError(
            f"it is not JSON at line {error.lineno}, column {error.colno}: {reason} (JSON has no comments "
            "and no comma after the last item)"
        ) from None
    except RecursionError:
        raise _too_deep() from None
    _check_contents(value)
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    return result if len(result) == len(pairs) else _repeating(pairs)


def _repeating(pairs: list[tuple[str, Any]]) -> RepeatedName:
    result = RepeatedName()
    for name, value in pairs:
        if name in result:
            result.repeated = name
            break
        result[name] = value
    result.update(pairs)
    return result


def _integer(digits: str) -> int:
    count = len(digits.removeprefix("-"))
    if count > _MOST_DIGITS:
        raise UnusableValueError(
            f"it has a number of {count} digits; a number has at most {_MOST_DIGITS} here: shorten it"
        )
    return int(digits)


def _check_contents(value: Any) -> None:
    level = [value]
    for _ in range(_MOST_LEVELS):
        if not level:
            return
        level = [part for whole in level for part in _parts(whole)]
    raise _too_deep()


def _parts(value: Any) -> list[Any]:
    """What is inside ``value``, the names of an object included."""
    if isinstance(value, dict):
        return [*value, *value.values()]
    if isinstance(value, str):
        _check_characters(value)
    return value if isinstance(value, list) else []


def _check_characters(text: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise UnusableValueError(
            r"a text in it holds a lone surrogate (\ud800 to \udfff), which is half a character; write the "
            "character itself, in UTF-8"
        ) from None


def _too_deep() -> UnusableValueError:
    return UnusableValueError(f"it is nested too deeply; it has at most {_MOST_LEVELS} levels here")


def _refuse_constant(name: str) -> NoReturn:
    raise UnusableValueError(f"{name} is not a JSON value; write a number or null")
