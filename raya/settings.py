"""Settings: the stack's configuration as frozen, strict values. Read once, before any resource is registered.

Every key is described in Pulumi.yaml and docs/configuration.md.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    InstanceOf,
    SecretStr,
    Strict,
    ValidationError,
    ValidationInfo,
    field_validator,
)

from raya import domain_name, fleet_rules, names
from raya.access_settings import AuthorizedUsers
from raya.addressing import CONTROL_PLANE_NAME, NETWORK_ZONES, Addresses
from raya.fleet import Fleet
from raya.limit_settings import LimitSettings
from raya.machine_settings import AgentSettings, ControlPlaneSettings
from raya.network_settings import SSH_SOURCES_STATEMENT, FirewallSettings, NetworkSettings
from raya.section import SECTION, as_list, text
from raya.service_settings import AcmeSettings, Components, EndpointSettings, GitopsSettings, Token
from raya.settings_error import SettingsError, sentences
from raya.stack_values import StackValues, hcloud_token
from raya.wording import Refused, refuse_all

__all__ = ["Settings", "SettingsError"]


# The descriptions are read by whoever left the key out.
ClusterName = Annotated[
    str,
    AfterValidator(domain_name.label),
    Field(description="it names the cluster everywhere; run `pulumi config set raya:clusterName prod`"),
]
Domain = Annotated[str, BeforeValidator(text("a domain name")), AfterValidator(domain_name.normalise)]
ParentZone = Annotated[
    Domain,
    Field(
        description="name the zone in Cloud DNS below which the cluster gets its own; run `pulumi config set "
        "raya:dnsParentZone example.org`"
    ),
]
Subdomain = Annotated[
    str,
    AfterValidator(names.subdomain),
    Field(
        description="name the cluster's zone below the parent zone; run `pulumi config set "
        "raya:clusterManagedSubdomain k8s`"
    ),
]
Firewall = Annotated[FirewallSettings, Field(description=SSH_SOURCES_STATEMENT)]
GcpProject = Annotated[
    str,
    AfterValidator(names.gcp_project),
    Field(
        description="name the Google Cloud project that holds the DNS zones; run `pulumi config set "
        "gcp:project my-dns`"
    ),
]


class Settings(BaseModel):
    """One cluster. The order of the fields is the order in which they may look at each other."""

    # A default meets the rules that look at other fields too: the managed zone, a missing e-mail address.
    model_config = ConfigDict(**SECTION, validate_default=True)

    cluster_name: ClusterName
    location: Annotated[str, AfterValidator(names.location)] = "hel1"
    control_plane: ControlPlaneSettings = ControlPlaneSettings()
    agents: AgentSettings = AgentSettings()
    network: NetworkSettings = NetworkSettings()
    fleet: InstanceOf[Fleet]
    server_name_prefix: Annotated[str, AfterValidator(names.server_name_prefix)] = ""
    authorized_users: AuthorizedUsers
    dns_parent_zone: ParentZone
    cluster_managed_subdomain: Subdomain
    dns_zones: Annotated[tuple[Domain, ...], Strict(False), BeforeValidator(as_list("domain names"))] = ()
    components: Components = Field(default_factory=dict)
    acme: AcmeSettings = AcmeSettings()
    gitops: GitopsSettings = GitopsSettings()
    firewall: Firewall
    hcloud_csi_token: Token = None
    endpoints: EndpointSettings = EndpointSettings()
    limits: LimitSettings = LimitSettings()
    gcp_project: GcpProject

    @classmethod
    def load(
        cls,
        config: Mapping[str, str],
        *,
        secret_keys: Collection[str],
        root: Path,
        environment: Mapping[str, str] = os.environ,
    ) -> Self:
        """The settings of a stack, or ``SettingsError`` with every independent problem.

        ``config``: text by full key (``raya:clusterName``; lists and objects as JSON), as the engine hands it
        over. ``secret_keys``: the keys stored with ``--secret``. ``root``: where ``fleetFile`` starts.
        ``environment``: where a Hetzner token may be instead of in ``config``.
        """
        stack = StackValues(config, secret_keys=secret_keys, root=root, environment=environment)
        problems = list(stack.problems)
        try:
            settings = cls.model_validate(stack.values)
        except ValidationError as error:
            news = (details for details in error.errors() if not stack.spoke_of(str(details["loc"][0])))
            problems.extend(sentences(news, cls, secret_keys=secret_keys))
            raise SettingsError(problems) from None
        if problems:
            raise SettingsError(problems)
        return settings

    @property
    def managed_zone(self) -> str:
        """DNS name of the zone the cluster owns, such as ``k8s.example.org``; no final dot."""
        return names.managed_zone(self.cluster_managed_subdomain, self.dns_parent_zone)

    @property
    def network_zone(self) -> str:
        """Hetzner's zone that the private network lies in, such as ``eu-central``."""
        return NETWORK_ZONES[self.location]

    @property
    def addresses(self) -> Addresses:
        """Every private address of the cluster."""
        return self.network.addresses

    @field_validator("fleet", mode="after")
    @classmethod
    def _fleet_fits(cls, fleet: Fleet, info: ValidationInfo) -> Fleet:
        refuse_all(
            fleet_rules.refusals(fleet, network=info.data.get("network"), location=info.data.get("location"))
        )
        return fleet

    @field_validator("server_name_prefix", mode="after")
    @classmethod
    def _server_names_fit(cls, prefix: str, info: ValidationInfo) -> str:
        fleet, cluster_name = info.data.get("fleet"), info.data.get("cluster_name", "")
        nodes = [CONTROL_PLANE_NAME, *(agent.name for agent in (fleet.agents if fleet else ()))]
        refuse_all([names.too_long(prefix, nodes), names.volume_name_too_long(prefix, cluster_name)])
        return prefix

    @field_validator("cluster_managed_subdomain", mode="after")
    @classmethod
    def _below_parent(cls, subdomain: str, info: ValidationInfo) -> str:
        parent = info.data.get("dns_parent_zone")
        return subdomain if parent is None else names.below_parent(subdomain, parent)

    @field_validator("dns_zones", mode="after")
    @classmethod
    def _zones_beside_parent(cls, zones: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        parent, subdomain = info.data.get("dns_parent_zone"), info.data.get("cluster_managed_subdomain")
        if parent is None or subdomain is None:
            return zones
        return names.dns_zones(zones, parent=parent, managed=names.managed_zone(subdomain, parent))

    @field_validator("acme", mode="after")
    @classmethod
    def _acme_has_email(cls, acme: AcmeSettings, info: ValidationInfo) -> AcmeSettings:
        if _is_on("cert-manager", info) and not acme.email:
            raise Refused(
                "it is missing: the certificate authority writes to it before a certificate runs out; set "
                "it, or switch components.cert-manager off",
                at="email",
                name_value=False,
            )
        return acme

    @field_validator("gitops", mode="after")
    @classmethod
    def _gitops_has_url(cls, gitops: GitopsSettings, info: ValidationInfo) -> GitopsSettings:
        if _is_on("flux", info) and not gitops.url:
            raise Refused(
                "it is missing: Flux watches that git repository; set it, or switch components.flux off",
                at="url",
                name_value=False,
            )
        return gitops

    @field_validator("hcloud_csi_token", mode="after")
    @classmethod
    def _csi_has_token(cls, token: SecretStr | None, info: ValidationInfo) -> SecretStr | None:
        if token is not None:
            hcloud_token(token.get_secret_value())
        elif _is_on("hcloud-csi", info):
            raise Refused(
                "it is missing: the storage driver makes volumes with an API token of its own; run `pulumi "
                "config set --secret raya:hcloudCsiToken`, or switch components.hcloud-csi off",
                name_value=False,
            )
        return token


def _is_on(component: str, info: ValidationInfo) -> bool:
    return "components" in info.data and bool(info.data["components"][component])
