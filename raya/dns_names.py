"""Names that Google's APIs accept, made from the cluster's. Pure."""

from __future__ import annotations

import hashlib
import re

# What external-dns and cert-manager may do; it counts for the whole Google project.
DNS_ADMIN_ROLE = "roles/dns.admin"
_ZONE_NAME_LENGTH = 63
_ACCOUNT_ID_LENGTH = 30
_ZONE_DESCRIPTION = "The machines and applications of the raya cluster "


def zone_resource_name(dns_name: str) -> str:
    """The zone's resource name in Cloud DNS: at most 63 of ``a-z0-9-``, the same for each ``dns_name``."""
    readable = "raya-" + re.sub(r"[^a-z0-9]+", "-", dns_name)
    if len(readable) <= _ZONE_NAME_LENGTH:
        return readable
    digest = hashlib.sha256(dns_name.encode()).hexdigest()[:8]
    return f"{readable[: _ZONE_NAME_LENGTH - 9].rstrip('-')}-{digest}"


def zone_description(cluster_name: str) -> str:
    """What the managed zone is described as: a list of zones shows it, and their labels not."""
    return _ZONE_DESCRIPTION + cluster_name


def cluster_of(description: str) -> str | None:
    """The raya cluster that a zone with this description was made by."""
    return description.removeprefix(_ZONE_DESCRIPTION) if description.startswith(_ZONE_DESCRIPTION) else None


def account_id(component: str, cluster_name: str, suffix: str) -> str:
    """A service account id: 6 to 30 of ``a-z0-9-``, a letter first (IAM API),
    ``<component>-<cluster>-<suffix>``.

    The cluster's name is shortened to fit; the suffix never is.
    """
    room = _ACCOUNT_ID_LENGTH - len(component) - len(suffix) - 2
    cluster = re.sub(r"[^a-z0-9]+", "-", cluster_name.lower())[:room].strip("-")
    return "-".join(part for part in (component, cluster, suffix) if part)
