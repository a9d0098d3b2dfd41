"""DnsIdentity: what a component of the cluster authenticates to Cloud DNS with."""

from __future__ import annotations

import base64
from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp
import pulumi_random as random

from raya.dns_names import DNS_ADMIN_ROLE, account_id


@dataclass(frozen=True, kw_only=True)
class DnsIdentityArgs:
    project: str
    cluster_name: str


class DnsIdentity(pulumi.ComponentResource):
    """A service account with a key, and ``roles/dns.admin`` on the project.

    The account's id carries a random suffix: an id that was used before meets the policy entries of its
    deleted namesake, and would be refused, or granted nothing, for days.
    """

    key: pulumi.Output[str]
    grant: gcp.projects.IAMMember

    def __init__(self, name: str, args: DnsIdentityArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("raya:cluster:DnsIdentity", name, None, opts)
        self._name, self._args = name, args
        account = self._account()
        self.grant = self._grant(account)
        self.key = self._key(account)
        self.register_outputs({"email": account.email})

    def _account(self) -> gcp.serviceaccount.Account:
        children = pulumi.ResourceOptions(parent=self)
        suffix = random.RandomId(self._name, byte_length=3, opts=children)
        return gcp.serviceaccount.Account(
            self._name,
            project=self._args.project,
            account_id=suffix.hex.apply(lambda hex_: account_id(self._name, self._args.cluster_name, hex_)),
            display_name=f"{self._name} of the cluster {self._args.cluster_name}",
            opts=children,
        )

    def _grant(self, account: gcp.serviceaccount.Account) -> gcp.projects.IAMMember:
        return gcp.projects.IAMMember(
            self._name,
            project=self._args.project,
            role=DNS_ADMIN_ROLE,
            member=account.email.apply(lambda email: f"serviceAccount:{email}"),
            opts=pulumi.ResourceOptions(parent=self),
        )

    def _key(self, account: gcp.serviceaccount.Account) -> pulumi.Output[str]:
        key = gcp.serviceaccount.Key(
            self._name, service_account_id=account.name, opts=pulumi.ResourceOptions(parent=self)
        )
        private_key: pulumi.Output[str] = pulumi.Output.secret(key.private_key)
        return private_key.apply(lambda text: base64.b64decode(text).decode())
