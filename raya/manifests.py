"""What k3s deploys at its first start: `manifests/*.yaml.j2`, rendered for one cluster. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from raya.addressing import CONTROL_PLANE_NAME
from raya.pins import CHARTS
from rendering import templates
from rendering.errors import RenderingError

FILES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "traefik": ("traefik",),
        "external-dns": ("external-dns",),
        "cert-manager": ("cert-manager", "cert-manager-issuer"),
        "hcloud-csi": ("hcloud-csi",),
        "flux": ("flux", "flux-sync"),
    }
)
"""Component -> its templates. What needs another file's CRDs is apart, so that k3s can retry it alone."""

NAMESPACES: Mapping[str, str] = MappingProxyType(
    {
        "traefik": "kube-system",
        "external-dns": "external-dns",
        "cert-manager": "cert-manager",
        "hcloud-csi": "kube-system",
        "flux": "flux-system",
    }
)
"""Component -> where it runs."""

# What a component cannot do without.
_SECRETS: Mapping[str, str] = MappingProxyType(
    {
        "external-dns": "external_dns_key",
        "cert-manager": "cert_manager_key",
        "hcloud-csi": "hcloud_csi_token",
    }
)


class ManifestError(RenderingError):
    """The values do not fit the components that are on; the message names the component."""


@dataclass(frozen=True, kw_only=True)
class ManifestValues:
    """All that a manifest may use.

    `managed_zone` and `dns_zones` are DNS names without a final dot; `managed_zone_name` is its resource
    name in Cloud DNS. The keys are the JSON texts of service account keys. `components`: name -> on or off.
    """

    cluster_name: str
    location: str
    gcp_project: str
    managed_zone_name: str
    managed_zone: str
    dns_zones: tuple[str, ...]
    acme_email: str
    acme_server: str
    gitops_url: str
    gitops_branch: str
    gitops_path: str
    gitops_token: str | None = field(default=None, repr=False)
    hcloud_csi_token: str | None = field(default=None, repr=False)
    external_dns_key: str | None = field(default=None, repr=False)
    cert_manager_key: str | None = field(default=None, repr=False)
    components: Mapping[str, bool]

    def __post_init__(self) -> None:
        unknown = sorted(set(self.components) - set(FILES))
        if unknown:
            raise ManifestError(f"there is no component {unknown[0]!r}; there are {', '.join(FILES)}.")
        for component, secret in _SECRETS.items():
            if self.is_on(component) and not self.secret_of(component):
                raise ManifestError(
                    f"the component {component} is on but has no {secret.replace('_', ' ')}; "
                    "give it one or switch the component off."
                )

    def is_on(self, component: str) -> bool:
        """Tell whether a component is deployed; one that is not mentioned is."""
        return self.components.get(component, True)

    def secret_of(self, component: str) -> str | None:
        """The key or token that a component authenticates with outside the cluster."""
        secret: str | None = getattr(self, _SECRETS[component])
        return secret

    def fingerprint_of(self, component: str) -> str:
        """Tell one key of a component from the next, and nothing else about it."""
        return hashlib.sha256((self.secret_of(component) or "").encode()).hexdigest()[:16]

    @property
    def control_plane(self) -> str:
        """The name of the node that has the state volume."""
        return CONTROL_PLANE_NAME

    @property
    def other_zones(self) -> list[str]:
        """The zones beside the managed one."""
        return [zone for zone in self.dns_zones if zone != self.managed_zone]


def render(values: ManifestValues, *, project_root: Path) -> dict[str, str]:
    """Return file name -> YAML for every component that is on.

    The names begin with `raya-`: k3s keeps files of its own in the same directory.

    Raises:
        RenderingError: a template refuses a value; the sentence names template and line.
    """
    env = templates.environment(project_root / "manifests")
    return {
        f"raya-{name}.yaml": templates.render(
            env,
            f"{name}.yaml.j2",
            values=values,
            component=component,
            namespace=NAMESPACES[component],
            chart=CHARTS.get(component),
        )
        for component, names in FILES.items()
        if values.is_on(component)
        for name in names
    }
