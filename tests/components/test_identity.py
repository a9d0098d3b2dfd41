"""Identity: what is made, what of it is protected, and what agents and administrators get of it."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

import yaml

from raya.identity import Identity, IdentityArgs
from tests.components.recording import RecordingMonitor, declare

SECRETS = ("join_secret", "agent_token", "pki", "kubeconfig", "digest_key")


def _identity() -> tuple[RecordingMonitor, dict[str, Any]]:
    seen: dict[str, Any] = {}

    async def program() -> None:
        identity = Identity("identity", IdentityArgs(cluster_name="home"))
        for name in SECRETS:
            output = getattr(identity, name)
            seen[name] = await output.future()
            seen[f"{name} is secret"] = await output.is_secret()

    return declare(program), seen


def test_all_of_the_clusters_identity_is_protected_and_only_the_admin_certificate_is_not() -> None:
    monitor, _ = _identity()
    made = [each for each in monitor.registered if not each.type.startswith("raya:")]
    assert len(made) == 13
    assert {each.name for each in made if not each.protect} == {"admin-key", "admin"}


def test_certificate_authorities_live_ten_years_and_follow_no_setting() -> None:
    monitor, _ = _identity()
    authorities = monitor.of("SelfSignedCert")
    assert {each.name for each in authorities} == {"server-ca", "client-ca", "request-header-ca"}
    for each in authorities:
        assert each.inputs["validityPeriodHours"] == 87600
        assert each.inputs["earlyRenewalHours"] == 0
        assert each.inputs["isCaCertificate"] is True
        assert "cert_signing" in each.inputs["allowedUses"]
        assert "home" not in str(each.inputs["subject"])


def test_agent_token_pins_the_literal_bytes_of_the_server_ca() -> None:
    _, seen = _identity()
    digest = hashlib.sha256(seen["pki"].server_ca_cert.encode()).hexdigest()
    assert seen["agent_token"] == f"K10{digest}::server:{seen['join_secret']}"


def test_join_secret_has_no_character_that_k3s_splits_tokens_at() -> None:
    monitor, _ = _identity()
    for each in monitor.of("RandomPassword"):
        assert each.inputs["special"] is False
        assert each.inputs["length"] >= 32


def test_all_of_it_is_secret() -> None:
    _, seen = _identity()
    assert [name for name in SECRETS if not seen[f"{name} is secret"]] == []


def test_kubeconfig_is_for_the_tunnel_and_signed_for_system_masters() -> None:
    monitor, seen = _identity()
    config = yaml.safe_load(seen["kubeconfig"])
    cluster = config["clusters"][0]["cluster"]
    assert cluster["server"] == "https://127.0.0.1:6443"
    assert base64.b64decode(cluster["certificate-authority-data"]).decode() == seen["pki"].server_ca_cert
    request = monitor.one("CertRequest", "admin")
    assert request.inputs["subject"]["organization"] == "system:masters"
    signed = monitor.one("LocallySignedCert", "admin")
    assert signed.inputs["caCertPem"] == seen["pki"].client_ca_cert
    assert "client_auth" in signed.inputs["allowedUses"]
