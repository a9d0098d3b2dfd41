"""tls: keys and certificates as the official provider writes them, verified by another implementation."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from cryptography.x509.verification import PolicyBuilder, Store

from localcloud.plugins.errors import InvalidInput
from localcloud.plugins.tls.certificate import LocallySignedCert, SelfSignedCert
from localcloud.plugins.tls.certificate_request import CertRequest
from localcloud.plugins.tls.private_key import PrivateKey
from localcloud.plugins.values import UNKNOWN


def _key(**inputs: Any) -> dict[str, Any]:
    return PrivateKey().create({"algorithm": "ECDSA", "ecdsaCurve": "P256", **inputs}).outputs


def _authority(key: dict[str, Any], **inputs: Any) -> dict[str, Any]:
    wanted = {
        "privateKeyPem": key["privateKeyPem"],
        "isCaCertificate": True,
        "allowedUses": ["cert_signing", "crl_signing", "digital_signature"],
        "validityPeriodHours": 87600,
        "subject": {"commonName": "ca", "organization": "raya"},
        **inputs,
    }
    return SelfSignedCert().create(wanted).outputs


@pytest.mark.parametrize(
    ("inputs", "header"),
    [
        ({"algorithm": "RSA", "rsaBits": 2048}, "RSA PRIVATE KEY"),
        ({"algorithm": "ECDSA", "ecdsaCurve": "P224"}, "EC PRIVATE KEY"),
        ({"algorithm": "ECDSA", "ecdsaCurve": "P256"}, "EC PRIVATE KEY"),
        ({"algorithm": "ECDSA", "ecdsaCurve": "P384"}, "EC PRIVATE KEY"),
        ({"algorithm": "ECDSA", "ecdsaCurve": "P521"}, "EC PRIVATE KEY"),
        ({"algorithm": "ED25519"}, "PRIVATE KEY"),
    ],
)
def test_keys(inputs: dict[str, Any], header: str) -> None:
    made = PrivateKey().create(inputs)
    pem = made.outputs["privateKeyPem"]
    assert pem.startswith(f"-----BEGIN {header}-----\n")
    assert pem.endswith(f"-----END {header}-----\n")
    assert made.outputs["privateKeyPemPkcs8"].startswith("-----BEGIN PRIVATE KEY-----\n")
    public = load_pem_private_key(pem.encode(), None).public_key()
    der = public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    assert made.resource_id == hashlib.sha1(der).hexdigest()
    if inputs.get("ecdsaCurve") == "P224":
        assert made.outputs["publicKeyOpenssh"] == ""
    else:
        assert made.outputs["publicKeyOpenssh"].endswith("\n")
        assert made.outputs["publicKeyFingerprintSha256"].startswith("SHA256:")
        assert made.outputs["publicKeyFingerprintMd5"].count(":") == 15


def test_a_self_signed_authority() -> None:
    made = _authority(_key(), maxPathLength=0, setAuthorityKeyId=True)
    certificate = x509.load_pem_x509_certificate(made["certPem"].encode())
    assert made["certPem"].endswith("-----END CERTIFICATE-----\n")
    constraints = certificate.extensions.get_extension_for_class(x509.BasicConstraints)
    assert constraints.critical
    assert constraints.value == x509.BasicConstraints(ca=True, path_length=0)
    usage = certificate.extensions.get_extension_for_class(x509.KeyUsage)
    assert usage.critical
    assert usage.value.key_cert_sign
    assert not usage.value.key_agreement
    subject_id = certificate.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value.digest
    authority = certificate.extensions.get_extension_for_class(x509.AuthorityKeyIdentifier).value
    assert authority.key_identifier == subject_id
    start, end = (datetime.fromisoformat(made[f"validity{edge}Time"]) for edge in ("Start", "End"))
    assert end - start == timedelta(hours=87600)
    assert certificate.not_valid_after_utc == end
    assert made["readyForRenewal"] is False


def test_a_signed_client_certificate_verifies() -> None:
    authority_key, client_key = _key(), _key(algorithm="RSA")
    authority = _authority(authority_key)
    request = CertRequest().create(
        {
            "privateKeyPem": client_key["privateKeyPem"],
            "dnsNames": ["admin.example.org"],
            "ipAddresses": ["10.0.1.10"],
            "subject": {"commonName": "admin", "organization": "system:masters"},
        }
    )
    signed = LocallySignedCert().create(
        {
            "certRequestPem": request.outputs["certRequestPem"],
            "caCertPem": authority["certPem"],
            "caPrivateKeyPem": authority_key["privateKeyPem"],
            "allowedUses": ["client_auth", "digital_signature"],
            "validityPeriodHours": 100,
        }
    )
    certificate = x509.load_pem_x509_certificate(signed.outputs["certPem"].encode())
    root = x509.load_pem_x509_certificate(authority["certPem"].encode())
    assert signed.resource_id == str(certificate.serial_number)
    assert signed.outputs["caKeyAlgorithm"] == "ECDSA"
    assert certificate.subject.get_attributes_for_oid(NameOID.ORGANIZATION_NAME)[0].value == "system:masters"
    verifier = PolicyBuilder().store(Store([root])).build_client_verifier()
    chain = verifier.verify(certificate, []).chain
    assert chain == [certificate, root]
    uses = certificate.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    assert list(uses) == [ExtendedKeyUsageOID.CLIENT_AUTH]


def test_a_key_that_is_not_the_authoritys_is_refused() -> None:
    key = _key()
    request = CertRequest().create({"privateKeyPem": key["privateKeyPem"]}).outputs["certRequestPem"]
    with pytest.raises(InvalidInput, match="is not the key of caCertPem"):
        LocallySignedCert().create(
            {
                "certRequestPem": request,
                "caCertPem": _authority(key)["certPem"],
                "caPrivateKeyPem": _key()["privateKeyPem"],
                "allowedUses": [],
                "validityPeriodHours": 1,
            }
        )


def test_renewal_is_demanded_only_in_its_period() -> None:
    kind = SelfSignedCert()
    now = datetime.now(UTC)
    state = {"validityEndTime": (now + timedelta(hours=10)).strftime("%Y-%m-%dT%H:%M:%SZ")}
    assert kind.replaced_by_itself(state, {}) is None
    assert kind.replaced_by_itself(state, {"earlyRenewalHours": 9}) is None
    assert kind.replaced_by_itself(state, {"earlyRenewalHours": UNKNOWN}) is None
    assert kind.replaced_by_itself(state, {"earlyRenewalHours": 11}) == "readyForRenewal"
    past = {"validityEndTime": (now - timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%SZ")}
    assert kind.replaced_by_itself(past, {}) == "readyForRenewal"


@pytest.mark.parametrize(
    ("changed", "path"),
    [
        ({"allowedUses": ["sign_everything"]}, "allowedUses"),
        ({"validityPeriodHours": -1}, "validityPeriodHours"),
        ({"maxPathLength": 1, "isCaCertificate": False}, "maxPathLength"),
    ],
)
def test_refusals(changed: dict[str, Any], path: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        SelfSignedCert().prepare({"allowedUses": [], "validityPeriodHours": 1, **changed})
    assert refused.value.property_path == path


def test_garbage_is_refused_by_name() -> None:
    with pytest.raises(InvalidInput, match="privateKeyPem: is not a private key"):
        CertRequest().create({"privateKeyPem": "garbage"})
    with pytest.raises(InvalidInput, match="algorithm"):
        PrivateKey().prepare({"algorithm": "DSA"})
