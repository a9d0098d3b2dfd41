"""A state in the engine's form and things of both clouds, of the stack in tests/unit/example_stack.py."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from raya.recover.checkpoint import Checkpoint
from raya.recover.claims import Claims
from raya.recover.comparison import compare
from raya.recover.plan import Plan
from raya.recover.things import Key, Kind, Thing
from tests.unit import example_stack

HEAD = "urn:pulumi:prod::raya::"
BEGAN = "2026-05-01T12:00:00.123456789Z"
STACK_ID = "0123456789abcdef"
OURS: Mapping[str, str] = {"managed_by": "raya", "cluster": "prod", "role": "any", "stack": STACK_ID}
PROJECT = "example-dns"
SUFFIX = "a1b2c3"
ACCOUNT = f"projects/{PROJECT}/serviceAccounts/external-dns-prod-{SUFFIX}@{PROJECT}.iam.gserviceaccount.com"
ZONE = f"projects/{PROJECT}/managedZones/raya-k8s-example-org"
NAME_SERVERS = ["ns1.example.net.", "ns2.example.net."]


def urn(*types: str, name: str) -> str:
    return f"{HEAD}{'$'.join(types)}::{name}"


CLUSTER = "raya:cluster:Cluster"
NETWORK_COMPONENT = urn(CLUSTER, "raya:cluster:Network", name="network")
CONTROL_PLANE = urn(CLUSTER, "raya:cluster:ControlPlane", name="control-plane")
NODE = urn(CLUSTER, "raya:cluster:ControlPlane", "raya:cluster:Node", name="control-plane")
DNS_ZONE = urn(CLUSTER, "raya:cluster:DnsZone", name="primary")
DNS_IDENTITY = urn(CLUSTER, "raya:cluster:DnsIdentity", name="external-dns")
IDENTITY = urn(CLUSTER, "raya:cluster:Identity", name="identity")


def component(urn_: str) -> dict[str, Any]:
    type_ = urn_.split("::")[-2].rpartition("$")[2]
    return {"urn": urn_, "custom": False, "type": type_, "created": BEGAN}


def entry(kind: str, name: str, id_: str, *, parent: str, **more: Any) -> dict[str, Any]:
    return {
        "urn": f"{parent.rpartition('::')[0]}${kind}::{name}",
        "custom": True,
        "type": str(kind),
        "id": id_,
        "parent": parent,
        "created": BEGAN,
        **more,
    }


RANDOM_STACK_ID = entry(
    "random:index/randomId:RandomId",
    "stack-id",
    "x",
    parent=IDENTITY,
    protect=True,
    outputs={"hex": STACK_ID},
)
# What every state has once a run has begun.
COMPONENTS = [
    {
        "urn": f"{HEAD}pulumi:providers:{package}::default",
        "custom": True,
        "type": f"pulumi:providers:{package}",
        "id": f"{package}-id",
        "created": BEGAN,
    }
    for package in ("hcloud", "gcp")
] + [
    *[component(each) for each in (IDENTITY, NETWORK_COMPONENT, CONTROL_PLANE, NODE, DNS_ZONE, DNS_IDENTITY)],
    RANDOM_STACK_ID,
]
RANDOM_SUFFIX = entry(
    "random:index/randomId:RandomId", "external-dns", "x", parent=DNS_IDENTITY, outputs={"hex": SUFFIX}
)
SERVER = entry(Kind.SERVER, "control-plane", "7", parent=NODE)
VOLUME = entry(Kind.VOLUME, "control-plane", "5", parent=CONTROL_PLANE, protect=True, outputs={"size": 10})
NETWORK = entry(Kind.NETWORK, "network", "3", parent=NETWORK_COMPONENT)
SUBNET = entry(Kind.SUBNET, "nodes", "3-10.0.1.0/24", parent=NETWORK_COMPONENT)


def state(*entries: Mapping[str, Any], pending: Iterable[tuple[str, Mapping[str, Any]]] = ()) -> Checkpoint:
    """The components and these."""
    operations = [{"type": operation, "resource": resource} for operation, resource in pending]
    deployment = {"resources": [*COMPONENTS, *entries], "pending_operations": operations}
    return Checkpoint({"version": 3, "deployment": deployment})


def server(name: str = "control-plane", id_: int = 7, **more: Any) -> Thing:
    given = {"labels": OURS, **more}
    return Thing(kind=Kind.SERVER, id=str(id_), name=name, inputs={"name": name}, **given)


def volume(name: str = "prod-state", id_: int = 5, **more: Any) -> Thing:
    inputs = {"name": name, "size": 10, "location": "hel1", "labels": OURS}
    given = {"labels": OURS, **more}
    return Thing(kind=Kind.VOLUME, id=str(id_), name=name, inputs=inputs, **given)


def volume_attachment(volume_id: int = 5, server_id: int = 7) -> Thing:
    return Thing(
        kind=Kind.VOLUME_ATTACHMENT,
        id=str(volume_id),
        name="of the volume",
        inputs={"volumeId": volume_id, "serverId": server_id, "automount": False},
        needs=(Key(Kind.VOLUME, str(volume_id)), Key(Kind.SERVER, str(server_id))),
    )


def network(name: str = "prod", id_: int = 3, **more: Any) -> Thing:
    given = {"labels": OURS, **more}
    return Thing(kind=Kind.NETWORK, id=str(id_), name=name, inputs={"name": name}, **given)


def subnet(ip_range: str = "10.0.1.0/24") -> Thing:
    return Thing(
        kind=Kind.SUBNET,
        id=f"3-{ip_range}",
        name=ip_range,
        inputs={"networkId": 3, "ipRange": ip_range},
        needs=(Key(Kind.NETWORK, "3"),),
    )


def server_network(server_id: int = 7) -> Thing:
    return Thing(
        kind=Kind.SERVER_NETWORK,
        id=f"{server_id}-3",
        name="of the server",
        inputs={"serverId": server_id, "subnetId": "3-10.0.1.0/24", "ip": "10.0.1.10"},
        needs=(Key(Kind.SERVER, str(server_id)), Key(Kind.SUBNET, "3-10.0.1.0/24")),
    )


def zone(**more: Any) -> Thing:
    name = ZONE.rpartition("/")[2]
    given = {"labels": OURS, **more}
    inputs = {"name": name, "dnsName": "k8s.example.org."}
    outputs = {"nameServers": NAME_SERVERS}
    return Thing(kind=Kind.ZONE, id=ZONE, name=name, inputs=inputs, outputs=outputs, **given)


def record(name: str, type_: str, *rrdatas: str, in_zone: str = "example-org") -> Thing:
    zone_id = f"projects/{PROJECT}/managedZones/{in_zone}"
    return Thing(
        kind=Kind.RECORD,
        id=f"{zone_id}/rrsets/{name}/{type_}",
        name=name,
        inputs={"name": name, "type": type_, "rrdatas": list(rrdatas), "managedZone": in_zone},
        needs=(Key(Kind.ZONE, zone_id),),
    )


def account(name: str = ACCOUNT) -> Thing:
    return Thing(kind=Kind.ACCOUNT, id=name, name=name, inputs={"project": PROJECT})


def key(name: str, of: str = ACCOUNT) -> Thing:
    return Thing(kind=Kind.KEY, id=f"{of}/keys/{name}", name=name, inputs={}, needs=(Key(Kind.ACCOUNT, of),))


def grant(role: str = "roles/dns.admin", of: str = ACCOUNT) -> Thing:
    id_ = f"{PROJECT}/{role}/{of}"
    return Thing(kind=Kind.GRANT, id=id_, name=id_, inputs={"role": role}, needs=(Key(Kind.ACCOUNT, of),))


def plan(checkpoint: Checkpoint, *things: Thing, **changes: Any) -> Plan:
    settings = example_stack.load({f"raya:{name}": value for name, value in changes.items()})
    return compare(checkpoint, things, Claims(settings, checkpoint))
