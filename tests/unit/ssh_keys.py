"""Public keys of every kind that OpenSSH knows, made here: valid to the last byte, of no private key."""

from __future__ import annotations

import base64
from typing import Final


def key(kind: str, *fields: bytes) -> str:
    """``type base64`` from the fields of its blob."""
    blob = b"".join(len(field).to_bytes(4) + field for field in (kind.encode(), *fields))
    return f"{kind} {base64.b64encode(blob).decode()}"


def rsa(bits: int, *, exponent: int = 65537) -> str:
    """An RSA key whose modulus has exactly ``bits`` bits."""
    modulus = (1 << (bits - 1)) | 1
    return key("ssh-rsa", _mpint(exponent), _mpint(modulus))


def _mpint(number: int) -> bytes:
    # Big-endian two's complement (RFC 4251): one more byte when the first bit is set.
    return number.to_bytes(number.bit_length() // 8 + 1)


def point(size: int) -> bytes:
    """An uncompressed curve point of ``size`` bytes."""
    return b"\x04" + b"\x07" * (size - 1)


ED25519: Final = key("ssh-ed25519", b"\x01" * 32)
OTHER_ED25519: Final = key("ssh-ed25519", b"\x02" * 32)
RSA_2048: Final = rsa(2048)
RSA_4096: Final = rsa(4096)
ECDSA_256: Final = key("ecdsa-sha2-nistp256", b"nistp256", point(65))
ECDSA_384: Final = key("ecdsa-sha2-nistp384", b"nistp384", point(97))
ECDSA_521: Final = key("ecdsa-sha2-nistp521", b"nistp521", point(133))
SK_ED25519: Final = key("sk-ssh-ed25519@openssh.com", b"\x03" * 32, b"ssh:")
SK_ECDSA: Final = key("sk-ecdsa-sha2-nistp256@openssh.com", b"nistp256", point(65), b"ssh:")
ALL: Final = (ED25519, RSA_2048, RSA_4096, ECDSA_256, ECDSA_384, ECDSA_521, SK_ED25519, SK_ECDSA)
