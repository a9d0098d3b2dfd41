"""`allowedUses` -> the key usage and extended key usage extensions."""

from __future__ import annotations

from collections.abc import Iterable

from cryptography import x509
from cryptography.x509.oid import ExtendedKeyUsageOID

from ..errors import InvalidInput

# Name in the provider -> argument of x509.KeyUsage.
KEY_USES = {
    "digital_signature": "digital_signature",
    "content_commitment": "content_commitment",
    "key_encipherment": "key_encipherment",
    "data_encipherment": "data_encipherment",
    "key_agreement": "key_agreement",
    "cert_signing": "key_cert_sign",
    "crl_signing": "crl_sign",
    "encipher_only": "encipher_only",
    "decipher_only": "decipher_only",
}
EXTENDED_USES = {
    "any_extended": ExtendedKeyUsageOID.ANY_EXTENDED_KEY_USAGE,
    "client_auth": ExtendedKeyUsageOID.CLIENT_AUTH,
    "code_signing": ExtendedKeyUsageOID.CODE_SIGNING,
    "email_protection": ExtendedKeyUsageOID.EMAIL_PROTECTION,
    "ipsec_end_system": x509.ObjectIdentifier("1.3.6.1.5.5.7.3.5"),
    "ipsec_tunnel": x509.ObjectIdentifier("1.3.6.1.5.5.7.3.6"),
    "ipsec_user": x509.ObjectIdentifier("1.3.6.1.5.5.7.3.7"),
    "microsoft_server_gated_crypto": x509.ObjectIdentifier("1.3.6.1.4.1.311.10.3.3"),
    "netscape_server_gated_crypto": x509.ObjectIdentifier("2.16.840.1.113730.4.1"),
    "ocsp_signing": ExtendedKeyUsageOID.OCSP_SIGNING,
    "server_auth": ExtendedKeyUsageOID.SERVER_AUTH,
    "timestamping": ExtendedKeyUsageOID.TIME_STAMPING,
}


def refuse_unknown_uses(uses: Iterable[str]) -> None:
    """Raise InvalidInput for a use the provider does not know."""
    for use in uses:
        if use not in KEY_USES and use not in EXTENDED_USES:
            known = ", ".join([*KEY_USES, *EXTENDED_USES])
            raise InvalidInput("allowedUses", f"{use!r} is no allowed use; known: {known}")


def key_usage(uses: Iterable[str]) -> x509.KeyUsage | None:
    """The key usage extension, None when no use asks for it."""
    wanted = {KEY_USES[use] for use in uses if use in KEY_USES}
    return x509.KeyUsage(**{name: name in wanted for name in KEY_USES.values()}) if wanted else None


def extended_key_usage(uses: Iterable[str]) -> x509.ExtendedKeyUsage | None:
    """The extended key usage extension, None when no use asks for it."""
    wanted = [EXTENDED_USES[use] for use in uses if use in EXTENDED_USES]
    return x509.ExtendedKeyUsage(wanted) if wanted else None
