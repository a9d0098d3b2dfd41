"""Keys and certificates that protect nothing but are real ones: what `make render` shows. Pure."""

from __future__ import annotations

import datetime

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.x509.oid import NameOID

from raya.machine_config import ClusterPki


def authorized_key() -> str:
    """An OpenSSH public key whose private half is forgotten at once."""
    public = ed25519.Ed25519PrivateKey.generate().public_key()
    return public.public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH).decode()


def pki() -> ClusterPki:
    """Certificate authorities of the kinds that the program makes, each with its key."""
    server_cert, server_key = _certificate_authority("raya k3s server CA")
    client_cert, client_key = _certificate_authority("raya k3s client CA")
    header_cert, header_key = _certificate_authority("raya k3s request header CA")
    return ClusterPki(
        server_ca_cert=server_cert,
        server_ca_key=server_key,
        client_ca_cert=client_cert,
        client_ca_key=client_key,
        request_header_ca_cert=header_cert,
        request_header_ca_key=header_key,
        service_key=_pem(rsa.generate_private_key(public_exponent=65537, key_size=2048)),
    )


def _certificate_authority(common_name: str) -> tuple[str, str]:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now)
        .not_valid_after(now + datetime.timedelta(hours=87600))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(_ca_usage(), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    return certificate.public_bytes(serialization.Encoding.PEM).decode(), _pem(key)


def _ca_usage() -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=True,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=True,
        crl_sign=True,
        encipher_only=False,
        decipher_only=False,
    )


def _pem(key: ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey) -> str:
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    ).decode()
