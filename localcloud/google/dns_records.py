"""The record sets of a zone, and the rules for them; no endpoints."""

import re
from ipaddress import IPv4Address, IPv6Address

from localcloud.cloud import Cloud
from localcloud.google.fields import text, texts
from localcloud.google.refusals import invalid, refusal
from localcloud.store import Json

TYPES = (
    "A",
    "AAAA",
    "CAA",
    "CNAME",
    "DNSKEY",
    "DS",
    "HTTPS",
    "IPSECKEY",
    "MX",
    "NAPTR",
    "NS",
    "PTR",
    "SOA",
    "SPF",
    "SRV",
    "SSHFP",
    "SVCB",
    "TLSA",
    "TXT",
)
_LABEL = r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?"
_NAME = re.compile(rf"(\*\.)?({_LABEL}\.)+", re.IGNORECASE)


def apex_records(zone: Json) -> list[Json]:
    """What a zone has from the beginning."""
    first = zone["nameServers"][0]
    soa = f"{first} cloud-dns-hostmaster.google.com. 1 21600 3600 259200 300"
    return [
        record(zone["dnsName"], "NS", 21600, zone["nameServers"]),
        record(zone["dnsName"], "SOA", 21600, [soa]),
    ]


def record(name: str, kind: str, ttl: int, rrdatas: list[str]) -> Json:
    """A record set as the API shows it."""
    return {
        "kind": "dns#resourceRecordSet",
        "name": name,
        "type": kind,
        "ttl": ttl,
        "rrdatas": list(rrdatas),
        "signatureRrdatas": [],
    }


def of_zone(cloud: Cloud, zone: Json) -> list[Json]:
    """The record sets of a zone: the apex first, then by name and type."""
    found = [entry for entry in cloud.store.all("rrset") if entry["_zone"] == zone["id"]]
    return sorted(found, key=lambda entry: (entry["name"] != zone["dnsName"], entry["name"], entry["type"]))


def shown(entry: Json) -> Json:
    """A record set without what the store keeps beside it."""
    return {key: value for key, value in entry.items() if not key.startswith("_")}


def checked(zone: Json, body: Json, where: str) -> Json:
    """A record set from a request, or the refusal. Names are kept in lower case."""
    for field in ("name", "type"):
        if not body.get(field):
            raise refusal(400, "required", f"The '{where}.{field}' parameter is required but was missing.")
    name, kind = text(body, "name", where).lower(), body["type"]
    if not _NAME.fullmatch(name) or not (name == zone["dnsName"] or name.endswith("." + zone["dnsName"])):
        raise invalid(f"{where}.name", body["name"])
    if kind not in TYPES:
        raise invalid(f"{where}.type", kind)
    ttl = body.get("ttl", 0)
    if isinstance(ttl, bool) or not isinstance(ttl, int) or not 0 <= ttl <= 2**31 - 1:
        raise invalid(f"{where}.ttl", ttl)
    if body.get("routingPolicy"):
        raise refusal(501, "notImplemented", "The local cloud has no routing policies.")
    rrdatas = texts(body, "rrdatas", where)
    if not rrdatas:
        raise refusal(400, "required", f"The '{where}.rrdatas' parameter is required but was missing.")
    for index, data in enumerate(rrdatas):
        _check_data(kind, data, f"{where}.rrdata[{index}]")
    if len(set(rrdatas)) != len(rrdatas):
        raise invalid(f"{where}.rrdatas", rrdatas)
    return record(name, kind, ttl, rrdatas)


def _check_data(kind: str, data: str, where: str) -> None:
    try:
        if kind == "A":
            IPv4Address(data)
        elif kind == "AAAA":
            IPv6Address(data)
        elif kind in ("CNAME", "NS", "PTR") and not _NAME.fullmatch(data):
            raise ValueError("not a full DNS name")
    except ValueError:
        raise invalid(where, data) from None


def find(cloud: Cloud, zone: Json, name: str, kind: str) -> Json | None:
    """A record set by name and type."""
    return cloud.store.get("rrset", f"{zone['id']}/{name}/{kind}")


def apply_change(cloud: Cloud, zone: Json, additions: list[Json], deletions: list[Json]) -> None:
    """Carry a change out whole, or refuse it whole."""
    added = {(entry["name"], entry["type"]) for entry in additions}
    removed = {(entry["name"], entry["type"]) for entry in deletions}
    for index, entry in enumerate(deletions):
        _check_deletion(cloud, zone, entry, f"entity.change.deletions[{index}]", added)
    if len(added) != len(additions):
        raise refusal(400, "invalid", "The change adds the same resource record set twice.")
    for index, entry in enumerate(additions):
        _check_addition(cloud, zone, entry, f"entity.change.additions[{index}]", removed, added)
    for name, kind in sorted(removed):
        cloud.store.delete("rrset", f"{zone['id']}/{name}/{kind}")
        if (name, kind) not in added:
            cloud.event("record.remove", f"{name} {kind}", zone=zone["name"])
    for entry in additions:
        key = (entry["name"], entry["type"])
        cloud.store.put("rrset", f"{zone['id']}/{key[0]}/{key[1]}", entry | {"_zone": zone["id"]})
        verb = "record.change" if key in removed else "record.add"
        cloud.event(verb, f"{key[0]} {key[1]}", zone=zone["name"], ttl=entry["ttl"], rrdatas=entry["rrdatas"])


def _check_deletion(cloud: Cloud, zone: Json, entry: Json, where: str, added: set[tuple[str, str]]) -> None:
    there = find(cloud, zone, entry["name"], entry["type"])
    if there is None:
        message = f"The '{where}' resource named '{entry['name']} ({entry['type']})' does not exist."
        raise refusal(404, "notFound", message)
    if there["ttl"] != entry["ttl"] or sorted(there["rrdatas"]) != sorted(entry["rrdatas"]):
        raise refusal(412, "conditionNotMet", f"Precondition not met for '{where}'")
    at_apex = entry["name"] == zone["dnsName"] and entry["type"] in ("NS", "SOA")
    if at_apex and (entry["name"], entry["type"]) not in added:
        message = (
            f"The resource record set '{where}' is invalid because a zone must contain exactly one resource "
            f"record set of type '{entry['type']}' at the apex."
        )
        raise refusal(400, "invalidZoneApex", message)


def _check_addition(
    cloud: Cloud,
    zone: Json,
    entry: Json,
    where: str,
    removed: set[tuple[str, str]],
    added: set[tuple[str, str]],
) -> None:
    name, kind = entry["name"], entry["type"]
    if find(cloud, zone, name, kind) is not None and (name, kind) not in removed:
        raise refusal(409, "alreadyExists", f"The resource '{where}' named '{name} ({kind})' already exists")
    if kind == "SOA" and name != zone["dnsName"]:
        raise refusal(
            400, "invalidZoneApex", f"The resource record set '{where}' is invalid: SOA belongs to the apex."
        )
    types = {other["type"] for other in of_zone(cloud, zone) if other["name"] == name}
    types -= {other for where_name, other in removed if where_name == name}
    types |= {other for where_name, other in added if where_name == name}
    if "CNAME" in types and len(types) > 1:
        message = (
            f"The resource record set '{where}' is invalid because the DNS name '{name}' may have either one "
            "CNAME resource record set or resource record sets of other types, but not both."
        )
        raise refusal(400, "cnameResourceRecordSetConflict", message)
