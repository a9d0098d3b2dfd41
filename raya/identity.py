"""Identity: what makes this cluster this cluster, generated here and never taken from a machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import pulumi
import pulumi_random as random
import pulumi_tls as tls

from raya import kubeconfig, tokens
from raya.addressing import STACK_ID
from raya.machine_config import ClusterPki

_HOUR_YEAR = 24 * 365
_CA_VALIDITY_HOURS = 10 * _HOUR_YEAR
_ADMIN_VALIDITY_HOURS = _HOUR_YEAR
_ADMIN_EARLY_RENEWAL_HOURS = 30 * 24
U = TypeVar("U")

_CA_USES = ["digital_signature", "key_encipherment", "cert_signing", "crl_signing"]


@dataclass(frozen=True, kw_only=True)
class IdentityArgs:
    cluster_name: str


class Identity(pulumi.ComponentResource):
    """The join secret, the certificate authorities, the node passwords and the administrator's kubeconfig.

    A machine drops the datastore when its token, server CA or client CA is not the one its volume knows. So
    what is made here is protected, has no input that follows a setting, and is never renewed early: replacing
    it is a deliberate act (docs/runbooks/identity.md). Only the administrator's certificate expires (after
    one year) and is renewed by the first `up` of its last 30 days; no machine carries it.

    All attributes but ``kubeconfig_expires`` and ``stack_id`` are secret outputs.
    """

    stack_id: pulumi.Output[str]
    join_secret: pulumi.Output[str]
    agent_token: pulumi.Output[str]
    pki: pulumi.Output[ClusterPki]
    digest_key: pulumi.Output[bytes]
    kubeconfig: pulumi.Output[str]
    kubeconfig_expires: pulumi.Output[str]

    def __init__(self, name: str, args: IdentityArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("raya:cluster:Identity", name, None, opts)
        self._kept = pulumi.ResourceOptions(parent=self, protect=True)
        # What this state made carries it as a label: names and other labels may be somebody else's as well.
        self.stack_id = random.RandomId(STACK_ID, byte_length=8, opts=self._kept).hex
        self.join_secret = self._random("join-token")
        self._node_password_seed = self._random("node-password-seed")
        self.digest_key = self._node_password_seed.apply(tokens.digest_key)

        server_ca_key, server_ca = self._certificate_authority("server-ca", "raya k3s server CA")
        client_ca_key, client_ca = self._certificate_authority("client-ca", "raya k3s client CA")
        header_ca_key, header_ca = self._certificate_authority(
            "request-header-ca", "raya k3s request header CA"
        )
        service_key = self._private_key("service-account-key", algorithm="RSA", rsa_bits=2048)

        self.agent_token = pulumi.Output.all(server_ca.cert_pem, self.join_secret).apply(
            lambda values: tokens.agent_token(values[0], values[1])
        )
        self.pki = pulumi.Output.all(
            server_ca_cert=server_ca.cert_pem,
            server_ca_key=server_ca_key.private_key_pem,
            client_ca_cert=client_ca.cert_pem,
            client_ca_key=client_ca_key.private_key_pem,
            request_header_ca_cert=header_ca.cert_pem,
            request_header_ca_key=header_ca_key.private_key_pem,
            service_key=service_key.private_key_pem,
        ).apply(_secret(lambda pems: ClusterPki(**pems)))
        self._mint_kubeconfig(args.cluster_name, server_ca, client_ca_key, client_ca)
        self.register_outputs({"kubeconfigExpires": self.kubeconfig_expires})

    def node_password(self, node_name: str) -> pulumi.Output[str]:
        """The node password of ``node_name``: the same for every machine that ever carries the name."""
        return self._node_password_seed.apply(lambda seed: tokens.node_password(seed, node_name))

    def _random(self, name: str) -> pulumi.Output[str]:
        # Letters and digits only: k3s splits tokens at ":".
        password = random.RandomPassword(name, length=48, special=False, opts=self._kept)
        return pulumi.Output.secret(password.result)

    def _private_key(
        self, name: str, *, algorithm: str = "ECDSA", rsa_bits: int | None = None
    ) -> tls.PrivateKey:
        curve = "P256" if algorithm == "ECDSA" else None
        return tls.PrivateKey(
            name, algorithm=algorithm, ecdsa_curve=curve, rsa_bits=rsa_bits, opts=self._kept
        )

    def _certificate_authority(
        self, name: str, common_name: str
    ) -> tuple[tls.PrivateKey, tls.SelfSignedCert]:
        key = self._private_key(f"{name}-key")
        certificate = tls.SelfSignedCert(
            name,
            private_key_pem=key.private_key_pem,
            # A constant: a subject that followed a setting would replace the CA when the setting changes.
            subject=tls.SelfSignedCertSubjectArgs(common_name=common_name),
            is_ca_certificate=True,
            set_subject_key_id=True,
            allowed_uses=_CA_USES,
            validity_period_hours=_CA_VALIDITY_HOURS,
            early_renewal_hours=0,
            opts=self._kept,
        )
        return key, certificate

    def _mint_kubeconfig(
        self,
        cluster_name: str,
        server_ca: tls.SelfSignedCert,
        client_ca_key: tls.PrivateKey,
        client_ca: tls.SelfSignedCert,
    ) -> None:
        renewable = pulumi.ResourceOptions(parent=self)
        key = tls.PrivateKey("admin-key", algorithm="ECDSA", ecdsa_curve="P256", opts=renewable)
        request = tls.CertRequest(
            "admin",
            private_key_pem=key.private_key_pem,
            subject=tls.CertRequestSubjectArgs(common_name="raya-admin", organization="system:masters"),
            opts=renewable,
        )
        certificate = tls.LocallySignedCert(
            "admin",
            cert_request_pem=request.cert_request_pem,
            ca_private_key_pem=client_ca_key.private_key_pem,
            ca_cert_pem=client_ca.cert_pem,
            allowed_uses=["digital_signature", "key_encipherment", "client_auth"],
            validity_period_hours=_ADMIN_VALIDITY_HOURS,
            early_renewal_hours=_ADMIN_EARLY_RENEWAL_HOURS,
            opts=renewable,
        )
        self.kubeconfig_expires = certificate.validity_end_time
        self.kubeconfig = pulumi.Output.all(
            server_ca.cert_pem, certificate.cert_pem, key.private_key_pem
        ).apply(
            _secret(
                lambda pems: kubeconfig.render(
                    cluster_name, server_ca_cert=pems[0], client_cert=pems[1], client_key=pems[2]
                )
            )
        )


def _secret(make: Callable[[Any], U]) -> Callable[[Any], pulumi.Output[U]]:
    """``make`` with a result that is secret even if a provider should forget to mark what it is made of."""

    def made(value: Any) -> pulumi.Output[U]:
        secret: pulumi.Output[U] = pulumi.Output.secret(make(value))
        return secret

    return made
