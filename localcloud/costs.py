"""What the things at Hetzner cost in a month, by the price list."""

from dataclasses import dataclass

from localcloud.cloud import Cloud
from localcloud.hetzner import catalog


@dataclass(frozen=True)
class Cost:
    """One row of the bill; EUR in a month without VAT."""

    what: str
    name: str
    net_eur: float

    @property
    def gross_eur(self) -> float:
        """With VAT."""
        return self.net_eur * (100 + catalog.VAT_PERCENT) / 100


def monthly_costs(cloud: Cloud) -> list[Cost]:
    """A row for each server, public IPv4 address and volume, also for those that nobody uses."""
    rows = []
    for server in cloud.store.all("server"):
        row = catalog.server_type(server["_type"])
        rows.append(Cost(f"server {server['_type']}", server["name"], row.monthly_eur if row else 0.0))
    for address in cloud.store.all("primary_ip"):
        if address["type"] == "ipv4":
            rows.append(Cost("primary IPv4", address["ip"], catalog.PRIMARY_IPV4_MONTHLY_EUR))
    for volume in cloud.store.all("volume"):
        net_eur = volume["size"] * catalog.VOLUME_EUR_PER_GB_MONTH
        rows.append(Cost(f"volume of {volume['size']} GB", volume["name"], net_eur))
    return rows
