"""``raya:authorizedUsers``: the GitHub users whose keys open the machines."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, Strict

from raya.section import as_list, text
from raya.wording import Refused

# github.com/signup; handles of managed enterprises end in _ and their company's short name.
_HANDLE = re.compile(r"(?=.{1,39}\Z)[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*(?:_[A-Za-z0-9]+)?")
_RULE = "a GitHub handle is letters, digits and single hyphens, at most 39, without @; write it like alice"


def _handle(value: str) -> str:
    if not _HANDLE.fullmatch(value):
        raise Refused(_RULE)
    return value


def _some_once(handles: tuple[str, ...]) -> tuple[str, ...]:
    if not handles:
        raise Refused(
            "no machine is made without a key; list at least one GitHub user who has public keys there"
        )
    # GitHub does not tell the case of a handle apart; the first spelling stays.
    spelled: dict[str, str] = {}
    for handle in handles:
        spelled.setdefault(handle.lower(), handle)
    return tuple(spelled.values())


Handle = Annotated[str, BeforeValidator(text("a GitHub handle")), AfterValidator(_handle)]
AuthorizedUsers = Annotated[
    tuple[Handle, ...],
    Strict(False),
    BeforeValidator(as_list("GitHub handles")),
    AfterValidator(_some_once),
    Field(
        description="no machine is made without a key; list the GitHub users who may log in, as in [alice]"
    ),
]
