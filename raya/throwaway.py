"""Secrets that protect nothing: `make render` shows them, the check before an update measures them. Pure."""

from __future__ import annotations

import base64
import datetime
import json
import secrets
from functools import cache

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.x509.oid import NameOID

from raya import tokens
from raya.addressing import CONTROL_PLANE_NAME
from raya.fleet import Agent
from raya.machine_config import ClusterPki
from raya.machine_specs import AgentSecrets, ControlPlaneSecrets
from raya.settings import Settings

VOLUME_ID = "123456789"


class ThrowawaySecrets:
    """One cluster's worth of secrets, real in form and length, made anew for each object."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._seed = secrets.token_hex(24)
        self._join_secret = secrets.token_hex(24)
        self._pki = _pki()

    def control_plane(self) -> ControlPlaneSecrets:
        components = self._settings.components
        return ControlPlaneSecrets(
            join_secret=self._join_secret,
            node_password=tokens.node_password(self._seed, CONTROL_PLANE_NAME),
            pki=self._pki,
            external_dns_key=_google_key(self._settings) if components["external-dns"] else None,
            cert_manager_key=_google_key(self._settings) if components["cert-manager"] else None,
        )

    def agent(self, agent: Agent) -> AgentSecrets:
        return AgentSecrets(
            agent_token=tokens.agent_token(self._pki.server_ca_cert, self._join_secret),
            node_password=tokens.node_password(self._seed, agent.name),
        )


def authorized_key() -> str:
    """An OpenSSH public key whose private half is forgotten at once."""
    public = ed25519.Ed25519PrivateKey.generate().public_key()
    return public.public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH).decode()


def _pki() -> ClusterPki:
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
        service_key=_pem(_rsa_key()),
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


@cache
def _rsa_key() -> rsa.RSAPrivateKey:
    """RSA keys are slow to make; one a process is enough for what protects nothing."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def _google_key(settings: Settings) -> str:
    """The form and size of a service account's JSON key file; the key itself is noise."""
    account = (
        f"external-dns-{settings.cluster_name[:12]}-0a1b2c@{settings.gcp_project}.iam.gserviceaccount.com"
    )
    noise = base64.b64encode(secrets.token_bytes(1218)).decode()
    lines = "\n".join(noise[start : start + 64] for start in range(0, len(noise), 64))
    return json.dumps(
        {
            "type": "service_account",
            "project_id": settings.gcp_project,
            "private_key_id": secrets.token_hex(20),
            # A label of its own: this is no key, and nothing that looks for keys should think so.
            "private_key": f"-----BEGIN THROWAWAY NOISE-----\n{lines}\n-----END THROWAWAY NOISE-----\n",
            "client_email": account,
            "client_id": str(secrets.randbelow(10**21)),
            "auth_uri": "https://accounts.google.com/o/oauth2/auth",
            "token_uri": "https://oauth2.googleapis.com/token",
            "auth_provider_x509_cert_url": "https://www.googleapis.com/oauth2/v1/certs",
            "client_x509_cert_url": f"https://www.googleapis.com/robot/v1/metadata/x509/{account}",
            "universe_domain": "googleapis.com",
        },
        indent=2,
    )
