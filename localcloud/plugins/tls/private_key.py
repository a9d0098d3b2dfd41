"""PrivateKey, and reading keys back from PEM."""

from __future__ import annotations

import base64
import hashlib

from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from ..errors import InvalidInput, StandInError
from ..fields import INTEGER, STRING, fields, may, need, out
from ..resource import Made, Properties
from ..values import UNKNOWN
from .kept import Kept

Key = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey

CURVES: dict[str, type[ec.EllipticCurve]] = {
    "P224": ec.SECP224R1,
    "P256": ec.SECP256R1,
    "P384": ec.SECP384R1,
    "P521": ec.SECP521R1,
}


class PrivateKey(Kept):
    """RSA as PKCS#1, ECDSA as SEC1, Ed25519 as PKCS#8; each PEM ends with a newline."""

    token = "tls:index/privateKey:PrivateKey"
    inputs = fields(
        algorithm=need(STRING, replaces=True),
        ecdsaCurve=may(STRING, replaces=True, default="P224"),
        rsaBits=may(INTEGER, replaces=True, default=2048),
    )
    outputs = fields(
        privateKeyOpenssh=out(STRING, secret=True),
        privateKeyPem=out(STRING, secret=True),
        privateKeyPemPkcs8=out(STRING, secret=True),
        publicKeyFingerprintMd5=out(STRING),
        publicKeyFingerprintSha256=out(STRING),
        publicKeyOpenssh=out(STRING),
        publicKeyPem=out(STRING),
    )

    def prepare(self, inputs: Properties) -> None:
        algorithm, curve = inputs["algorithm"], inputs.get("ecdsaCurve", "P224")
        if algorithm is not UNKNOWN and algorithm not in {"RSA", "ECDSA", "ED25519"}:
            raise InvalidInput("algorithm", f"is {algorithm!r}: must be RSA, ECDSA or ED25519")
        if curve is not UNKNOWN and curve not in CURVES:
            raise InvalidInput("ecdsaCurve", f"is {curve!r}: must be one of {', '.join(CURVES)}")

    def create(self, inputs: Properties) -> Made:
        outputs = {**self.defaults(), **inputs}
        key = _generate(outputs["algorithm"], outputs["rsaBits"], outputs["ecdsaCurve"])
        der = key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        return Made(hashlib.sha1(der).hexdigest(), {**outputs, **_forms(key)})


def load_key(pem: str, path: str) -> Key:
    """The key in a PEM; InvalidInput naming the property when it is none."""
    try:
        key = load_pem_private_key(pem.encode(), password=None)
    except (ValueError, TypeError) as error:
        raise InvalidInput(path, f"is not a private key in PEM form: {error}") from error
    if not isinstance(key, Key):
        raise InvalidInput(path, f"is a key of type {type(key).__name__}: must be RSA, ECDSA or ED25519")
    return key


def algorithm_of(key: Key) -> str:
    """As the provider's `keyAlgorithm` output spells it."""
    if isinstance(key, rsa.RSAPrivateKey):
        return "RSA"
    return "ECDSA" if isinstance(key, ec.EllipticCurvePrivateKey) else "ED25519"


def _generate(algorithm: str, rsa_bits: int, curve: str) -> Key:
    if algorithm == "RSA":
        try:
            return rsa.generate_private_key(public_exponent=65537, key_size=rsa_bits)
        except ValueError as error:
            raise StandInError(f"rsaBits is {rsa_bits}: {error}") from error
    return ec.generate_private_key(CURVES[curve]()) if algorithm == "ECDSA" else _ed25519()


def _ed25519() -> ed25519.Ed25519PrivateKey:
    return ed25519.Ed25519PrivateKey.generate()


def _forms(key: Key) -> Properties:
    ed = isinstance(key, ed25519.Ed25519PrivateKey)
    private = PrivateFormat.PKCS8 if ed else PrivateFormat.TraditionalOpenSSL
    public = key.public_key()
    return {
        "privateKeyPem": key.private_bytes(Encoding.PEM, private, NoEncryption()).decode(),
        "privateKeyPemPkcs8": key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode(),
        "publicKeyPem": public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode(),
        **_openssh_forms(key),
    }


def _openssh_forms(key: Key) -> Properties:
    """OpenSSH knows no P-224: the provider leaves these empty for it."""
    if isinstance(key, ec.EllipticCurvePrivateKey) and key.curve.name == ec.SECP224R1.name:
        names = ("privateKeyOpenssh", "publicKeyOpenssh", "publicKeyFingerprintMd5")
        return dict.fromkeys((*names, "publicKeyFingerprintSha256"), "")
    line = key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()
    blob = base64.b64decode(line.split()[1])
    md5 = hashlib.md5(blob, usedforsecurity=False).hexdigest()
    sha256 = base64.b64encode(hashlib.sha256(blob).digest()).decode().rstrip("=")
    return {
        "privateKeyOpenssh": key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()).decode(),
        "publicKeyOpenssh": f"{line}\n",
        "publicKeyFingerprintMd5": ":".join(md5[i : i + 2] for i in range(0, len(md5), 2)),
        "publicKeyFingerprintSha256": f"SHA256:{sha256}",
    }
