"""SelfSignedCert and LocallySignedCert. All inputs replace but earlyRenewalHours; a certificate that has come
into its renewal period demands its replacement by itself (`readyForRenewal`)."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from ..errors import InvalidInput
from ..fields import BOOLEAN, INTEGER, STRING, STRINGS, fields, may, need, out
from ..resource import Made, Properties
from ..values import UNKNOWN, holds_unknown
from .certificate_request import signature_hash
from .kept import Kept
from .key_usage import extended_key_usage, key_usage, refuse_unknown_uses
from .private_key import Key, algorithm_of, load_key
from .subject import NAME_FIELDS, SUBJECT, alternative_names, distinguished_name

SERIAL_BITS = 127  # positive and at most 16 bytes, as the provider's

_COMMON = {
    "allowedUses": need(STRINGS, replaces=True),
    "earlyRenewalHours": may(INTEGER, default=0),
    "isCaCertificate": may(BOOLEAN, replaces=True, default=False),
    "maxPathLength": may(INTEGER, replaces=True),
    "setSubjectKeyId": may(BOOLEAN, replaces=True, default=False),
    "validityPeriodHours": need(INTEGER, replaces=True),
}
_OUTPUTS = {
    "certPem": out(STRING),
    "readyForRenewal": out(BOOLEAN),
    "validityEndTime": out(STRING),
    "validityStartTime": out(STRING),
}


class _Certificate(Kept):
    def prepare(self, inputs: Properties) -> None:
        if not holds_unknown(inputs["allowedUses"]):
            refuse_unknown_uses(inputs["allowedUses"])
        hours = inputs["validityPeriodHours"]
        if hours is not UNKNOWN and hours < 0:
            raise InvalidInput("validityPeriodHours", f"is {hours}: must not be negative")
        if inputs.get("maxPathLength") is not None and inputs.get("isCaCertificate") in (None, False):
            raise InvalidInput("maxPathLength", "says how long a CA's chains may be: set isCaCertificate")

    def update(self, resource_id: str, state: Properties, inputs: Properties) -> Properties:
        return {**state, "earlyRenewalHours": inputs.get("earlyRenewalHours", 0)}

    def replaced_by_itself(self, state: Properties, inputs: Properties) -> str | None:
        early = inputs.get("earlyRenewalHours", 0)
        if early is UNKNOWN or "validityEndTime" not in state:
            return None
        end = datetime.fromisoformat(state["validityEndTime"])
        return "readyForRenewal" if datetime.now(UTC) > end - timedelta(hours=early) else None


class SelfSignedCert(_Certificate):
    token = "tls:index/selfSignedCert:SelfSignedCert"
    inputs = fields(
        **_COMMON,
        **NAME_FIELDS,
        privateKeyPem=need(STRING, replaces=True, secret=True),
        setAuthorityKeyId=may(BOOLEAN, replaces=True, default=False),
        subject=may(SUBJECT, replaces=True),
    )
    outputs = fields(**_OUTPUTS, keyAlgorithm=out(STRING))

    def create(self, inputs: Properties) -> Made:
        key = load_key(inputs["privateKeyPem"], "privateKeyPem")
        name = distinguished_name(inputs.get("subject"))
        builder = x509.CertificateBuilder(issuer_name=name, subject_name=name, public_key=key.public_key())
        names = alternative_names(inputs)
        if names is not None:
            builder = builder.add_extension(names, critical=False)
        if inputs.get("setAuthorityKeyId"):
            authority = x509.AuthorityKeyIdentifier.from_issuer_public_key(key.public_key())
            builder = builder.add_extension(authority, critical=False)
        outputs = {**self.defaults(), **inputs, "keyAlgorithm": algorithm_of(key)}
        return _signed(builder, key, outputs, x509.SubjectKeyIdentifier.from_public_key(key.public_key()))


class LocallySignedCert(_Certificate):
    token = "tls:index/locallySignedCert:LocallySignedCert"
    inputs = fields(
        **_COMMON,
        caCertPem=need(STRING, replaces=True),
        caPrivateKeyPem=need(STRING, replaces=True, secret=True),
        certRequestPem=need(STRING, replaces=True),
    )
    outputs = fields(**_OUTPUTS, caKeyAlgorithm=out(STRING))

    def create(self, inputs: Properties) -> Made:
        key = load_key(inputs["caPrivateKeyPem"], "caPrivateKeyPem")
        authority = _certificate(inputs["caCertPem"])
        if authority.public_key() != key.public_key():
            raise InvalidInput("caPrivateKeyPem", "is not the key of caCertPem")
        request = _request(inputs["certRequestPem"])
        builder = x509.CertificateBuilder(
            issuer_name=authority.subject, subject_name=request.subject, public_key=request.public_key()
        )
        for extension in request.extensions:
            if isinstance(extension.value, x509.SubjectAlternativeName):
                builder = builder.add_extension(extension.value, critical=False)
        builder = _with_authority(builder, authority)
        outputs = {**self.defaults(), **inputs, "caKeyAlgorithm": algorithm_of(key)}
        subject_id = x509.SubjectKeyIdentifier.from_public_key(request.public_key())
        return _signed(builder, key, outputs, subject_id)


def _signed(
    builder: x509.CertificateBuilder, key: Key, outputs: Properties, subject_id: x509.SubjectKeyIdentifier
) -> Made:
    """Complete the certificate with what both kinds share, sign it, and describe it."""
    start = datetime.now(UTC).replace(microsecond=0)
    end = start + timedelta(hours=outputs["validityPeriodHours"])
    is_ca, uses = outputs["isCaCertificate"], outputs["allowedUses"]
    serial = secrets.randbits(SERIAL_BITS) or 1
    builder = builder.serial_number(serial).not_valid_before(start).not_valid_after(end)
    path_length = outputs.get("maxPathLength") if is_ca else None
    builder = builder.add_extension(x509.BasicConstraints(is_ca, path_length), critical=True)
    if is_ca or outputs["setSubjectKeyId"]:
        builder = builder.add_extension(subject_id, critical=False)
    usage, extended = key_usage(uses), extended_key_usage(uses)
    if usage is not None:
        builder = builder.add_extension(usage, critical=True)
    if extended is not None:
        builder = builder.add_extension(extended, critical=False)
    pem = builder.sign(key, signature_hash(key)).public_bytes(Encoding.PEM).decode()
    times = {"validityStartTime": _rfc3339(start), "validityEndTime": _rfc3339(end)}
    return Made(str(serial), {**outputs, **times, "certPem": pem, "readyForRenewal": False})


def _with_authority(builder: x509.CertificateBuilder, authority: x509.Certificate) -> x509.CertificateBuilder:
    """Go names the issuer's key whenever the issuer's certificate has a subject key id."""
    try:
        key_id = authority.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
    except x509.ExtensionNotFound:
        return builder
    issuer = x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(key_id)
    return builder.add_extension(issuer, critical=False)


def _rfc3339(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _certificate(pem: str) -> x509.Certificate:
    try:
        return x509.load_pem_x509_certificate(pem.encode())
    except ValueError as error:
        raise InvalidInput("caCertPem", f"is not a certificate in PEM form: {error}") from error


def _request(pem: str) -> x509.CertificateSigningRequest:
    try:
        return x509.load_pem_x509_csr(pem.encode())
    except ValueError as error:
        raise InvalidInput("certRequestPem", f"is not a certificate request in PEM form: {error}") from error
