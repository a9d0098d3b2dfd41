"""CertRequest."""

from __future__ import annotations

import hashlib

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.serialization import Encoding

from ..fields import STRING, fields, may, need, out
from ..resource import Made, Properties
from .kept import Kept
from .private_key import Key, algorithm_of, load_key
from .subject import NAME_FIELDS, SUBJECT, alternative_names, distinguished_name

SigningHash = hashes.SHA256 | hashes.SHA384 | hashes.SHA512


class CertRequest(Kept):
    """A PKCS#10 request signed by its own key."""

    token = "tls:index/certRequest:CertRequest"
    inputs = fields(
        **NAME_FIELDS,
        privateKeyPem=need(STRING, replaces=True, secret=True),
        subject=may(SUBJECT, replaces=True),
    )
    outputs = fields(certRequestPem=out(STRING), keyAlgorithm=out(STRING))

    def create(self, inputs: Properties) -> Made:
        key = load_key(inputs["privateKeyPem"], "privateKeyPem")
        builder = x509.CertificateSigningRequestBuilder(distinguished_name(inputs.get("subject")))
        names = alternative_names(inputs)
        if names is not None:
            builder = builder.add_extension(names, critical=False)
        request = builder.sign(key, signature_hash(key))
        der = request.public_bytes(Encoding.DER)
        pem = request.public_bytes(Encoding.PEM).decode()
        outputs = {**inputs, "certRequestPem": pem, "keyAlgorithm": algorithm_of(key)}
        return Made(hashlib.sha1(der).hexdigest(), outputs)


def signature_hash(key: Key) -> SigningHash | None:
    """What Go picks for a signing key: by curve for ECDSA, SHA-256 for RSA, none for Ed25519."""
    if isinstance(key, ed25519.Ed25519PrivateKey):
        return None
    if isinstance(key, ec.EllipticCurvePrivateKey):
        by_size: dict[int, SigningHash] = {384: hashes.SHA384(), 521: hashes.SHA512()}
        return by_size.get(key.curve.key_size, hashes.SHA256())
    return hashes.SHA256()
