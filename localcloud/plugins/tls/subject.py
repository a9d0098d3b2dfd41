"""Distinguished names and subject alternative names, in the order Go's crypto/x509 writes them."""

from __future__ import annotations

import ipaddress

from cryptography import x509
from cryptography.x509.oid import NameOID

from ..errors import InvalidInput
from ..fields import STRING, STRINGS, Record, may
from ..resource import Properties

_ORDER = (
    ("country", NameOID.COUNTRY_NAME),
    ("organization", NameOID.ORGANIZATION_NAME),
    ("organizationalUnit", NameOID.ORGANIZATIONAL_UNIT_NAME),
    ("locality", NameOID.LOCALITY_NAME),
    ("province", NameOID.STATE_OR_PROVINCE_NAME),
    ("streetAddresses", NameOID.STREET_ADDRESS),
    ("postalCode", NameOID.POSTAL_CODE),
    ("commonName", NameOID.COMMON_NAME),
    ("serialNumber", NameOID.SERIAL_NUMBER),
    ("emailAddress", NameOID.EMAIL_ADDRESS),
)

SUBJECT = Record(
    {name: may(STRINGS if name == "streetAddresses" else STRING, replaces=True) for name, _ in _ORDER}
)
NAME_FIELDS = {name: may(STRINGS, replaces=True) for name in ("dnsNames", "ipAddresses", "uris")}


def distinguished_name(subject: Properties | None) -> x509.Name:
    """The `subject` input as a name; an absent one is the empty name."""
    parts = []
    for name, oid in _ORDER:
        value = (subject or {}).get(name)
        for text in value if isinstance(value, list) else [value]:
            if text:
                parts.append(_attribute(name, oid, text))
    return x509.Name(parts)


def alternative_names(inputs: Properties) -> x509.SubjectAlternativeName | None:
    """The dnsNames, ipAddresses and uris inputs as one extension, None when all are empty."""
    names: list[x509.GeneralName] = [x509.DNSName(text) for text in inputs.get("dnsNames") or []]
    for text in inputs.get("ipAddresses") or []:
        try:
            names.append(x509.IPAddress(ipaddress.ip_address(text)))
        except ValueError as error:
            raise InvalidInput("ipAddresses", f"{text!r} is not an IP address") from error
    names += [x509.UniformResourceIdentifier(text) for text in inputs.get("uris") or []]
    return x509.SubjectAlternativeName(names) if names else None


def _attribute(name: str, oid: x509.ObjectIdentifier, text: str) -> x509.NameAttribute[str]:
    try:
        return x509.NameAttribute(oid, text)
    except ValueError as error:
        raise InvalidInput(f"subject.{name}", f"{text!r}: {error}") from error
