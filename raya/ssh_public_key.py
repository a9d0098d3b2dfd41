"""One OpenSSH public key: checked down to its inner fields, written in one form.

Wire formats: RFC 4253 section 6.6 (rsa), RFC 5656 section 3.1 (ecdsa), RFC 8709 section 4 (ed25519), OpenSSH
PROTOCOL.u2f (sk-*).
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping
from typing import Final

SMALLEST_RSA_BITS: Final = 2048
_CURVE_POINT_BYTES: Final = {"nistp256": 65, "nistp384": 97, "nistp521": 133}
_ED25519_BYTES: Final = 32


class SshKeyError(ValueError):
    """Not a key that the machines accept. The message is a clause."""


def normalise(line: str) -> str:
    """``type base64`` of a line of an authorized_keys file without options; the comment is dropped."""
    kind, _, rest = line.strip().partition(" ")
    encoded = rest.split()[0] if rest.split() else ""
    check = _CHECKS.get(kind)
    if check is None:
        raise SshKeyError(
            f"it begins with {_shortened(kind)!r}, and the accepted types are {', '.join(_CHECKS)}"
        )
    try:
        blob = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        raise SshKeyError(f"what follows {kind} is not base64") from None
    fields = _fields(blob)
    if not fields or fields[0] != kind.encode():
        raise SshKeyError(f"it says {kind} but holds another type of key, or a part of one")
    check(kind, fields[1:])
    return f"{kind} {base64.b64encode(blob).decode()}"


def _fields(blob: bytes) -> list[bytes]:
    """The length-prefixed fields of a key blob; an incomplete blob gives none."""
    fields, position = [], 0
    while position < len(blob):
        end = position + 4 + int.from_bytes(blob[position : position + 4])
        if position + 4 > len(blob) or end > len(blob):
            return []
        fields.append(blob[position + 4 : end])
        position = end
    return fields


def _rsa(kind: str, fields: list[bytes]) -> None:
    if len(fields) != 2:
        raise _malformed(kind)
    exponent, modulus = (int.from_bytes(field, signed=True) for field in fields)
    if exponent < 3 or exponent % 2 == 0 or modulus <= 0:
        raise _malformed(kind)
    if modulus.bit_length() < SMALLEST_RSA_BITS:
        raise SshKeyError(
            f"it is an RSA key of {modulus.bit_length()} bits, and {SMALLEST_RSA_BITS} are the least; its "
            "owner must replace it on GitHub"
        )


def _ed25519(kind: str, fields: list[bytes]) -> None:
    if len(fields) != 1 or len(fields[0]) != _ED25519_BYTES:
        raise _malformed(kind)


def _ecdsa(kind: str, fields: list[bytes]) -> None:
    curve = kind.removeprefix("ecdsa-sha2-")
    if len(fields) != 2 or fields[0] != curve.encode() or not _is_point(fields[1], curve):
        raise _malformed(kind)


def _sk_ed25519(kind: str, fields: list[bytes]) -> None:
    if len(fields) != 2 or len(fields[0]) != _ED25519_BYTES or not fields[1]:
        raise _malformed(kind)


def _sk_ecdsa(kind: str, fields: list[bytes]) -> None:
    if len(fields) != 3 or fields[0] != b"nistp256" or not _is_point(fields[1], "nistp256") or not fields[2]:
        raise _malformed(kind)


def _is_point(field: bytes, curve: str) -> bool:
    # 4 marks an uncompressed point, the only form OpenSSH takes.
    return len(field) == _CURVE_POINT_BYTES[curve] and field[0] == 4


def _malformed(kind: str) -> SshKeyError:
    return SshKeyError(f"it says {kind} but its content is not such a key")


def _shortened(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:40]}..."


_CHECKS: Final[Mapping[str, Callable[[str, list[bytes]], None]]] = {
    "ssh-ed25519": _ed25519,
    "ssh-rsa": _rsa,
    "ecdsa-sha2-nistp256": _ecdsa,
    "ecdsa-sha2-nistp384": _ecdsa,
    "ecdsa-sha2-nistp521": _ecdsa,
    "sk-ssh-ed25519@openssh.com": _sk_ed25519,
    "sk-ecdsa-sha2-nistp256@openssh.com": _sk_ecdsa,
}
