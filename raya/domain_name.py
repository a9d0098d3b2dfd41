"""Domain names and host names in one form: lower case, no final dot (RFC 1035, RFC 1123)."""

from __future__ import annotations

import re

from raya.wording import Refused

LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?")
LABEL_LENGTH = 63
# 255 bytes on the wire are 253 characters as text.
NAME_LENGTH = 253
LABEL_RULE = "a name is 1 to 63 lower-case letters, digits and inner hyphens (RFC 1123)"


def label(value: str) -> str:
    """``value`` when it is an RFC 1123 label in lower case; ``Refused`` otherwise."""
    if len(value) > LABEL_LENGTH or not LABEL.fullmatch(value):
        raise Refused(LABEL_RULE)
    return value


def normalise(value: str) -> str:
    """``K8s.Example.ORG.`` becomes ``k8s.example.org``; ``Refused`` when it is not a domain name."""
    name = value.lower().removesuffix(".")
    if not name:
        raise Refused("it is empty; write a domain name such as example.org")
    if not name.isascii():
        raise Refused("a domain name is written in ASCII; write an international one in its xn-- form")
    for part in name.split("."):
        if len(part) > LABEL_LENGTH or not LABEL.fullmatch(part):
            raise Refused(
                f'its part "{part}" is not a DNS label: 1 to 63 letters, digits and hyphens, with a letter '
                "or digit first and last"
            )
    if len(name) > NAME_LENGTH:
        raise Refused(f"it has {len(name)} characters; a domain name has at most {NAME_LENGTH}")
    if name.split(".")[-1].isdigit():
        raise Refused("its last part is a number, as in an address; write a domain name such as example.org")
    return name


def is_within(name: str, zone: str) -> bool:
    """Whether ``name`` is ``zone`` or below it. Both normalised."""
    return name == zone or name.endswith(f".{zone}")
