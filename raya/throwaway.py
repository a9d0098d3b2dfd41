"""Secrets that protect nothing: `make render` shows them, the check before an update measures them. Pure."""

from __future__ import annotations

import base64
import json
import secrets

from raya import tokens
from raya.addressing import CONTROL_PLANE_NAME
from raya.fleet import Agent
from raya.machine_config import ClusterPki
from raya.machine_specs import AgentSecrets, ControlPlaneSecrets
from raya.settings import Settings

VOLUME_ID = "123456789"
# What the program's own keys and certificates have at most, in DER.
_CERTIFICATE_BYTES, _EC_KEY_BYTES, _RSA_KEY_BYTES = 402, 121, 1193


class ThrowawaySecrets:
    """One cluster's worth of secrets, real in length, made anew for each object."""

    def __init__(self, settings: Settings, pki: ClusterPki) -> None:
        self._settings = settings
        self._seed = secrets.token_hex(24)
        self._join_secret = secrets.token_hex(24)
        self._pki = pki

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


def noise_pki() -> ClusterPki:
    """A PKI of the length of a real one, at no cost: keys take a while to make, and more to learn to make."""
    return ClusterPki(
        server_ca_cert=_noise(_CERTIFICATE_BYTES),
        server_ca_key=_noise(_EC_KEY_BYTES),
        client_ca_cert=_noise(_CERTIFICATE_BYTES),
        client_ca_key=_noise(_EC_KEY_BYTES),
        request_header_ca_cert=_noise(_CERTIFICATE_BYTES),
        request_header_ca_key=_noise(_EC_KEY_BYTES),
        service_key=_noise(_RSA_KEY_BYTES),
    )


def _noise(size_bytes: int) -> str:
    """A PEM text around random bytes, which is no key, and says so to whatever looks for keys."""
    noise = base64.b64encode(secrets.token_bytes(size_bytes)).decode()
    lines = "\n".join(noise[start : start + 64] for start in range(0, len(noise), 64))
    return f"-----BEGIN THROWAWAY NOISE-----\n{lines}\n-----END THROWAWAY NOISE-----\n"


def _google_key(settings: Settings) -> str:
    """The form and size of a service account's JSON key file; the key itself is noise."""
    account = (
        f"external-dns-{settings.cluster_name[:12]}-0a1b2c@{settings.gcp_project}.iam.gserviceaccount.com"
    )
    return json.dumps(
        {
            "type": "service_account",
            "project_id": settings.gcp_project,
            "private_key_id": secrets.token_hex(20),
            "private_key": _noise(1218),
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
