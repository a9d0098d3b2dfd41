"""The rules for the cluster's names: servers, zones, the Google project."""

from __future__ import annotations

from collections.abc import Iterable

from raya import domain_name
from raya.addressing import CONTROL_PLANE_RECORD, NETWORK_ZONES, STATE_VOLUME_SUFFIX, fqdn
from raya.wording import Refused, listing, nearest

# API reference, volumes.
_VOLUME_NAME_LENGTH = 64


def location(value: str) -> str:
    """One of Hetzner's locations."""
    if value not in NETWORK_ZONES:
        guess = nearest(value, NETWORK_ZONES)
        hint = f"did you mean {guess}? " if guess else ""
        raise Refused(f"{hint}Hetzner's locations are {listing(NETWORK_ZONES)}")
    return value


def server_name_prefix(value: str) -> str:
    """What stands in front of every server's name; may be empty."""
    if value and not domain_name.LABEL.fullmatch(f"{value}0"):
        raise Refused(
            "it must begin with a lower-case letter or digit and hold only those and hyphens, as in blue-"
        )
    return value


def too_long(prefix: str, node_names: Iterable[str]) -> Refused | None:
    """Whether the prefix makes a server's name longer than a host name may be."""
    longest = prefix + max(node_names, key=len)
    if len(longest) <= domain_name.LABEL_LENGTH:
        return None
    over = len(longest) - domain_name.LABEL_LENGTH
    return Refused(
        f"the server name {longest} has {len(longest)} characters and a host name has at most "
        f"{domain_name.LABEL_LENGTH} (RFC 1123); shorten the prefix by {over}"
    )


def volume_name_too_long(prefix: str, cluster_name: str) -> Refused | None:
    """Whether the state volume's name, made of both, is longer than Hetzner allows."""
    over = len(prefix + cluster_name + STATE_VOLUME_SUFFIX) - _VOLUME_NAME_LENGTH
    if over <= 0:
        return None
    return Refused(
        f"with raya:serverNamePrefix in front and {STATE_VOLUME_SUFFIX} behind it names the state volume, "
        f"and a Hetzner volume's name has at most {_VOLUME_NAME_LENGTH} characters; shorten it by {over}",
        where="raya:clusterName",
    )


def subdomain(value: str) -> str:
    """The managed zone's labels below the parent zone, normalised."""
    if not value.strip("."):
        raise Refused(
            "it is empty, so the managed zone would be the parent zone itself; write the labels below the "
            "parent, such as k8s"
        )
    # It is not a whole name, so a last label of digits is fine here.
    return domain_name.normalise(f"{value.removesuffix('.')}.example").removesuffix(".example")


def below_parent(labels: str, parent: str) -> str:
    """``labels`` when ``<labels>.<parent>`` is a zone of its own with room for the machines' records."""
    if domain_name.is_within(labels, parent):
        rest = labels.removesuffix(parent).rstrip(".")
        advice = f"write {rest}" if rest else "write the labels below it, such as k8s"
        reason = (
            "is the parent zone, and the managed zone must be another one"
            if not rest
            else "repeats the parent zone"
        )
        raise Refused(f"it is put in front of raya:dnsParentZone {parent} and {reason}; {advice}")
    longest = fqdn(f"_acme-challenge.{CONTROL_PLANE_RECORD}", managed_zone(labels, parent))
    if len(longest) > domain_name.NAME_LENGTH:
        raise Refused(
            f"{longest} would have {len(longest)} characters, and a domain name has at most "
            f"{domain_name.NAME_LENGTH}; shorten it"
        )
    return labels


def managed_zone(labels: str, parent: str) -> str:
    """DNS name of the zone the cluster owns."""
    return f"{labels}.{parent}"


def dns_zones(zones: tuple[str, ...], *, parent: str, managed: str) -> tuple[str, ...]:
    """The zones external-dns may write: the managed one by default. Never the parent, nor one around it."""
    for zone in zones:
        # external-dns takes every zone that ends in a filter's name.
        if domain_name.is_within(parent, zone):
            raise Refused(
                f"{zone} would let external-dns change the parent zone {parent}; leave it out (default: "
                f"{managed})",
                name_value=False,
            )
    return tuple(dict.fromkeys(zones)) or (managed,)


def gcp_project(value: str) -> str:
    """A Google project id; one that belongs to a domain carries that in front (``example.com:my-dns``)."""
    domain, _, project = value.rpartition(":")
    if not (6 <= len(project) <= 30 and project[0].isalpha() and domain_name.LABEL.fullmatch(project)):
        raise Refused(
            "a Google project id is 6 to 30 lower-case letters, digits and hyphens, a letter first; take "
            "the id, not the project's name or number"
        )
    if domain:
        domain_name.normalise(domain)
    return value
