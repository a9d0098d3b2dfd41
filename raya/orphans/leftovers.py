"""What a Hetzner project holds of one cluster, as far as it is billed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from hcloud import Client
from hcloud.primary_ips import BoundPrimaryIP
from hcloud.servers import BoundServer

from raya.account import Price, PriceList

# The CSI driver names a volume after its claim's volume, and labels it.
_CSI_NAME, _CSI_LABEL = "pvc-", ("managed-by", "csi-driver")
SERVER, CSI_VOLUME, CLAIMED = "server", "CSI volume", "claimed CSI"
# Hetzner names an address that it makes for a server.
_ADDRESS_NAME = "primary_ip-"


@dataclass(frozen=True, kw_only=True)
class Leftover:
    """One billed object. ``size_gb``: None where nobody counts it; ``used_by``: the id of a server."""

    kind: str
    id: int
    name: str
    price: Price
    size_gb: Decimal | None = None
    used_by: int | None = None

    @property
    def deletable(self) -> bool:
        """Made by this cluster's CSI driver and attached to nothing."""
        return self.kind == CSI_VOLUME and self.used_by is None


def find(client: Client, cluster_name: str, *, claimed: Collection[int] | None = None) -> Sequence[Leftover]:
    """Machines first, running or not: after a destroy there is none, unless the stack lost sight of it.

    ``claimed``: the ids of the volumes that the cluster still knows, when it was asked.
    """
    prices = PriceList.of(client)
    # The client's types allow every field to be absent; the API always sends those that are read here.
    servers = client.servers.get_all(label_selector=f"managed_by=raya,cluster={cluster_name}")
    return [
        *_servers(servers, prices),
        *_addresses(client, cluster_name, {int(each.id or 0) for each in servers}, prices),
        *_volumes(client, cluster_name, prices, claimed or ()),
        *_snapshots(client, prices),
    ]


def still_running(leftovers: Sequence[Leftover]) -> bool:
    """Whether the cluster has machines, and so may know volumes that are attached to none of them."""
    return any(each.kind == SERVER for each in leftovers)


def _servers(servers: Sequence[BoundServer], prices: PriceList) -> Iterator[Leftover]:
    for each in servers:
        yield Leftover(
            kind=SERVER,
            id=int(each.id or 0),
            name=str(each.name),
            price=prices.server(each),
            size_gb=Decimal(each.primary_disk_size or 0),
        )


def _addresses(
    client: Client, cluster_name: str, servers: Collection[int], prices: PriceList
) -> Iterator[Leftover]:
    for each in client.primary_ips.get_all():
        price = prices.address(each.type, each.location.name if each.location else None)
        kind = address_kind(each, cluster_name, servers)
        if kind and price.net:
            name = f"{each.name} {each.ip}"
            yield Leftover(kind=kind, id=int(each.id or 0), name=name, price=price, used_by=each.assignee_id)


def _volumes(
    client: Client, cluster_name: str, prices: PriceList, claimed: Collection[int]
) -> Iterator[Leftover]:
    for each in client.volumes.get_all():
        name, size_gb = str(each.name), Decimal(each.size or 0)
        if kind := volume_kind(name, each.labels or {}, cluster_name):
            yield Leftover(
                kind=CLAIMED if each.id in claimed else kind,
                id=int(each.id or 0),
                name=name,
                price=prices.volume(size_gb),
                size_gb=size_gb,
                used_by=each.server.id if each.server else None,
            )


def _snapshots(client: Client, prices: PriceList) -> Iterator[Leftover]:
    for each in client.images.get_all(type=["snapshot"], label_selector="managed_by=raya"):
        size_gb = Decimal(str(each.image_size or 0))
        yield Leftover(
            kind="snapshot",
            id=int(each.id or 0),
            name=each.description or "",
            price=prices.image(size_gb),
            size_gb=size_gb,
        )


def address_kind(address: BoundPrimaryIP, cluster_name: str, servers: Collection[int]) -> str | None:
    """``address`` of this cluster (of one of its ``servers``, or loose with its label), ``unlabelled IP``
    that was made for a server of anybody's and is loose now, or None: not ours.
    """
    if address.assignee_id is not None:
        return "address" if address.assignee_id in servers else None
    labels = address.labels or {}
    if "cluster" in labels:
        return "address" if labels["cluster"] == cluster_name else None
    return "unlabelled IP" if str(address.name).startswith(_ADDRESS_NAME) else None


def volume_kind(name: str, labels: Mapping[str, str], cluster_name: str) -> str | None:
    """``state volume`` or ``CSI volume`` of this cluster, ``unlabelled CSI`` of any, or None: not ours.

    The cluster's driver is told to label what it makes with the cluster (manifests/hcloud-csi.yaml.j2).
    """
    of_ours = labels.get("cluster") == cluster_name
    if labels.get("managed_by") == "raya":
        return "state volume" if of_ours else None
    key, value = _CSI_LABEL
    if not (name.startswith(_CSI_NAME) or labels.get(key) == value):
        return None
    if "cluster" not in labels:
        return "unlabelled CSI"
    return CSI_VOLUME if of_ours else None
