"""Keys and certificates of the lab's cluster: made when it starts, of the kinds that the program makes."""

from __future__ import annotations

import datetime
import ipaddress
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from raya import throwaway_keys

LOOPBACK = "127.0.0.1"
# The group that no rule of RBAC can lock out.
_ADMINISTRATORS = "system:masters"
_VALID_FOR = datetime.timedelta(days=1)


@dataclass(frozen=True, kw_only=True)
class PkiFiles:
    """PEM files. `server_ca` signs what the API server shows, `client_ca` what its administrator shows."""

    server_ca: Path
    serving_cert: Path
    serving_key: Path
    client_ca: Path
    admin_cert: Path
    admin_key: Path
    service_account_key: Path


def write(folder: Path) -> PkiFiles:
    """Make everything anew in `folder`."""
    made = throwaway_keys.pki()
    serving_cert, serving_key = _signed(
        "kube-apiserver",
        made.server_ca_cert,
        made.server_ca_key,
        use=ExtendedKeyUsageOID.SERVER_AUTH,
        address=LOOPBACK,
    )
    admin_cert, admin_key = _signed(
        "administrator",
        made.client_ca_cert,
        made.client_ca_key,
        use=ExtendedKeyUsageOID.CLIENT_AUTH,
        organization=_ADMINISTRATORS,
    )
    texts = {
        "server_ca": made.server_ca_cert,
        "serving_cert": serving_cert,
        "serving_key": serving_key,
        "client_ca": made.client_ca_cert,
        "admin_cert": admin_cert,
        "admin_key": admin_key,
        "service_account_key": made.service_key,
    }
    files = {name: folder / f"{name}.pem" for name in texts}
    for name, file in files.items():
        file.touch(mode=0o600)
        file.write_text(texts[name])
    return PkiFiles(**files)


def _signed(
    common_name: str,
    ca_cert: str,
    ca_key: str,
    *,
    use: x509.ObjectIdentifier,
    organization: str | None = None,
    address: str | None = None,
) -> tuple[str, str]:
    """Certificate and key, signed by the CA; its subject decides whom the API server takes it for."""
    key = ec.generate_private_key(ec.SECP256R1())
    signer = serialization.load_pem_private_key(ca_key.encode(), password=None)
    assert isinstance(signer, ec.EllipticCurvePrivateKey)
    subject = [x509.NameAttribute(NameOID.COMMON_NAME, common_name)]
    if organization is not None:
        subject.append(x509.NameAttribute(NameOID.ORGANIZATION_NAME, organization))
    now = datetime.datetime.now(datetime.UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(x509.Name(subject))
        .issuer_name(x509.load_pem_x509_certificate(ca_cert.encode()).subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(minutes=1))
        .not_valid_after(now + _VALID_FOR)
        .add_extension(x509.ExtendedKeyUsage([use]), critical=False)
        # As those of k3s have it. A client that keeps to RFC 5280 to the letter asks for it.
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False
        )
    )
    if address is not None:
        names = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(address))])
        builder = builder.add_extension(names, critical=False)
    certificate = builder.sign(signer, hashes.SHA256())
    return (
        certificate.public_bytes(serialization.Encoding.PEM).decode(),
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.TraditionalOpenSSL,
            serialization.NoEncryption(),
        ).decode(),
    )
