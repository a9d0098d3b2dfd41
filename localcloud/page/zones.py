"""DNS zones with their delegation and records, as the page shows them."""

from dataclasses import dataclass

from localcloud.cloud import Cloud
from localcloud.google.dns_records import find, of_zone
from localcloud.page.wording import Cut, cut
from localcloud.store import Json

RECORDS_AT_ONCE = 10


@dataclass(frozen=True)
class Record:
    """One record set."""

    name: str
    type: str
    ttl_s: int
    data: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Zone:
    """One managed zone. `found` is whether a resolver that starts at the parent zone finds it."""

    id: str
    name: str
    dns_name: str
    project: str
    name_servers: tuple[str, ...]
    delegation: str
    found: bool
    changing: int
    """How many changes are not yet served everywhere."""
    records: Cut[Record]


def zone(cloud: Cloud, thing: Json) -> Zone:
    """What may be seen of a zone; its records are public by their nature."""
    records = [
        Record(entry["name"], entry["type"], entry["ttl"], tuple(entry["rrdatas"]))
        for entry in of_zone(cloud, thing)
    ]
    delegation, found = _delegation(cloud, thing)
    return Zone(
        id=thing["id"],
        name=thing["name"],
        dns_name=thing["dnsName"],
        project=thing["_project"],
        name_servers=tuple(thing["nameServers"]),
        delegation=delegation,
        found=found,
        changing=sum(
            change["_zone"] == thing["id"] and change["_done"] > cloud.clock.now()
            for change in cloud.store.all("change")
        ),
        records=cut(records, RECORDS_AT_ONCE),
    )


def _delegation(cloud: Cloud, thing: Json) -> tuple[str, bool]:
    name = thing["dnsName"]
    parents = [other for other in cloud.store.all("zone") if name.endswith("." + other["dnsName"])]
    if not parents:
        return "A registrar has to point here; no zone above it is in this cloud.", True
    parent = max(parents, key=lambda other: len(other["dnsName"]))
    delegation = find(cloud, parent, name, "NS")
    if delegation is None:
        return f"Not delegated: {parent['dnsName']} has no NS records for it.", False
    if sorted(delegation["rrdatas"]) != sorted(thing["nameServers"]):
        return f"Delegated wrongly: the NS records in {parent['dnsName']} name other servers.", False
    return f"Delegated from {parent['dnsName']}", True
