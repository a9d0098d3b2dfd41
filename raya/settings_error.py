"""SettingsError: every rule the configuration breaks, one sentence each."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from raya.errors import RayaError
from raya.wording import (
    SECRET_SHOWN,
    Refusals,
    Refused,
    first_problems,
    json_kind,
    one_line,
    shortened,
    show,
    unknown,
)

# Fields whose key is not in the program's own namespace.
FOREIGN_KEYS: Mapping[str, str] = {"gcpProject": "gcp:project"}
# What is a secret, or as a whole may hold one, whether or not it is stored as one.
_SECRET_PARTS = frozenset({"token", "hcloudCsiToken", "gitops"})
# pydantic's names for "another kind of value than this field takes".
_EXPECTED = {
    "model_type": "an object",
    "model_attributes_type": "an object",
    "string_type": "text, in quotes",
    "int_type": "a whole number",
    "bool_type": "true or false",
    "tuple_type": "a list",
}


class SettingsError(RayaError):
    """The configuration is refused. Each of ``problems`` says key, value, what is allowed and what to do; the
    text of the error has the first 20 of them.
    """

    def __init__(self, problems: Collection[str]) -> None:
        self.problems = tuple(one_line(problem) for problem in problems)
        count = len(self.problems)
        head = (
            "the configuration is refused:"
            if count == 1
            else f"the configuration is refused for {count} reasons:"
        )
        super().__init__("\n".join([head, *(f"  {problem}" for problem in first_problems(self.problems))]))


def sentences(
    found: Iterable[ErrorDetails], model: type[BaseModel], *, secret_keys: Collection[str]
) -> Iterator[str]:
    """One sentence or more for each thing pydantic found. Values below ``secret_keys`` are never shown."""
    for details in found:
        yield from _sentences(details, model, secret_keys)


def _sentences(details: ErrorDetails, model: type[BaseModel], secret_keys: Collection[str]) -> Iterator[str]:
    location = _aliased(details["loc"], model)
    key = key_of(location)
    match details["type"]:
        case "missing":
            yield f"{key} is missing: {_purpose(model, location)}"
        case "extra_forbidden":
            yield f"{key} is not a key of raya: {unknown(str(location[-1]), _allowed(model, location[:-1]))}"
        case "value_error":
            for refused in _refused(details):
                yield _refusal(refused, location, details["input"], secret_keys)
        case kind:
            expected = _EXPECTED.get(kind, details["msg"])
            shown = SECRET_SHOWN if _is_secret(location, secret_keys) else json_kind(details["input"])
            yield f"{key} is {shown}: it must be {expected}"


def key_of(location: tuple[int | str, ...]) -> str:
    """``("agents", "serverType")`` is ``raya:agents.serverType``; a number is a place in a list."""
    first, *rest = location
    path = FOREIGN_KEYS.get(str(first), f"raya:{first}")
    return path + "".join(f"[{part}]" if isinstance(part, int) else f".{shortened(part)}" for part in rest)


def _aliased(location: tuple[int | str, ...], model: type[BaseModel]) -> tuple[int | str, ...]:
    """pydantic names a field whose default it refuses by its attribute."""
    field = model.model_fields.get(str(location[0]))
    return (field.alias, *location[1:]) if field and field.alias else location


def _refused(details: ErrorDetails) -> tuple[Refused, ...]:
    error = details.get("ctx", {})["error"]
    if isinstance(error, Refusals):
        return error.refused
    return (error if isinstance(error, Refused) else Refused(str(error)),)


def _refusal(
    refused: Refused, location: tuple[int | str, ...], value: Any, secret_keys: Collection[str]
) -> str:
    if refused.at:
        location, value = (*location, refused.at), refused.value
    if refused.where is not None:
        return f"{refused.where}: {refused}"
    if not refused.name_value:
        return f"{key_of(location)}: {refused}"
    shown = SECRET_SHOWN if _is_secret(location, secret_keys) else show(value)
    return f"{key_of(location)} is {shown}: {refused}"


def _is_secret(location: tuple[int | str, ...], secret_keys: Collection[str]) -> bool:
    return key_of(location[:1]) in secret_keys or location[-1] in _SECRET_PARTS


def _section(model: type[BaseModel], location: tuple[int | str, ...]) -> type[BaseModel]:
    for part in location:
        for field in model.model_fields.values():
            if (
                field.alias == part
                and isinstance(field.annotation, type)
                and issubclass(field.annotation, BaseModel)
            ):
                model = field.annotation
    return model


def _allowed(model: type[BaseModel], location: tuple[int | str, ...]) -> list[str]:
    return [field.alias or name for name, field in _section(model, location).model_fields.items()]


def _purpose(model: type[BaseModel], location: tuple[int | str, ...]) -> str:
    fields = _section(model, location[:-1]).model_fields.values()
    return next(
        (field.description for field in fields if field.alias == location[-1] and field.description), "set it"
    )
