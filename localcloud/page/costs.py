"""What the things at Hetzner cost in a month, by the price list."""

from dataclasses import dataclass

from localcloud.cloud import Cloud
from localcloud.hetzner import catalog
from localcloud.page.wording import cluster_of
from localcloud.store import Json


def with_vat(net_eur: float) -> float:
    """The gross price."""
    return net_eur * (100 + catalog.VAT_PERCENT) / 100


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What one thing costs: so many units at a price of the list, in EUR a month without VAT."""

    item: str
    """The line of the price list: `Server cx23`, `Volume`."""
    unit_eur: float
    quantity: float = 1
    unit: str = ""
    """`GB`; empty when the list counts pieces."""
    cluster: str | None = None

    @property
    def net_eur(self) -> float:
        """Without VAT."""
        return self.quantity * self.unit_eur


def monthly_costs(cloud: Cloud) -> list[Cost]:
    """An entry for each server, primary IPv4 address, volume and snapshot, whether used or not."""
    return [*_servers(cloud), *_addresses(cloud), *_volumes(cloud), *_snapshots(cloud)]


def _servers(cloud: Cloud) -> list[Cost]:
    costs = []
    for server in cloud.store.all("server"):
        row = catalog.server_type(server["_type"])
        price_eur = row.monthly_eur if row else 0.0
        costs.append(Cost(item=f"Server {server['_type']}", unit_eur=price_eur, cluster=cluster_of(server)))
    return costs


def _addresses(cloud: Cloud) -> list[Cost]:
    return [
        Cost(
            item="Primary IPv4",
            unit_eur=catalog.PRIMARY_IPV4_MONTHLY_EUR,
            cluster=cluster_of(cloud.store.get("server", address["assignee_id"]) or address),
        )
        for address in cloud.store.all("primary_ip")
        if address["type"] == "ipv4"
    ]


def _volumes(cloud: Cloud) -> list[Cost]:
    return [
        _stored("Volume", catalog.VOLUME_EUR_PER_GB_MONTH, volume["size"], volume)
        for volume in cloud.store.all("volume")
    ]


def _snapshots(cloud: Cloud) -> list[Cost]:
    return [
        _stored("Snapshot", catalog.IMAGE_EUR_PER_GB_MONTH, image["image_size"], image)
        for image in cloud.store.all("image")
        if image["type"] == "snapshot"
    ]


def _stored(item: str, eur_per_gb: float, size_gb: float, thing: Json) -> Cost:
    return Cost(item=item, unit_eur=eur_per_gb, quantity=size_gb, unit="GB", cluster=cluster_of(thing))
