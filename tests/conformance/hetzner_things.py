"""What a test makes at Hetzner: named and labelled for its run, and removed when the test ended."""

from __future__ import annotations

from typing import Any, TypeVar

import hcloud
from hcloud.firewalls import BoundFirewall, FirewallRule
from hcloud.networks import BoundNetwork, NetworkSubnet
from hcloud.placement_groups import BoundPlacementGroup
from hcloud.primary_ips import BoundPrimaryIP
from hcloud.servers import BoundServer, CreateServerResponse
from hcloud.ssh_keys import BoundSSHKey
from hcloud.volumes import BoundVolume

from tests.conformance.hetzner_offer import Offer
from tests.conformance.hetzner_removal import remove
from tests.conformance.run import Belongings, Run

T = TypeVar("T")

SMALLEST_VOLUME_GB = 10


class HetznerThings(Belongings):
    """Each method makes one thing and waits until it is there. A `name` that is given is taken as it is."""

    def __init__(self, client: hcloud.Client, offer: Offer, run: Run) -> None:
        super().__init__()
        self.client, self.offer, self.run = client, offer, run

    def order_server(self, name: str = "", **order: Any) -> CreateServerResponse:
        """Order a server and do not wait for it."""
        wanted = {
            "server_type": self.offer.server_type,
            "image": self.offer.image,
            "location": self.offer.location,
        }
        made = self.client.servers.create(name or self.run.name("server"), **self._labelled(wanted | order))
        self._keep(made.server)
        return made

    def server(self, name: str = "", **order: Any) -> BoundServer:
        """A running server."""
        made = self.order_server(name, **order)
        for action in (made.action, *made.next_actions):
            action.wait_until_finished()
        made.server.reload()
        return made.server

    def network(
        self, *subnets: str, ip_range: str = "10.0.0.0/16", name: str = "", **order: Any
    ) -> BoundNetwork:
        """A network with these subnets in the zone of the offer's location."""
        zone = self.offer.location.network_zone
        kept = [NetworkSubnet(type="cloud", ip_range=subnet, network_zone=zone) for subnet in subnets]
        order = {"subnets": kept, **order}
        made = self.client.networks.create(
            name or self.run.name("net"), ip_range=ip_range, **self._labelled(order)
        )
        return self._keep(made)

    def volume(self, name: str = "", size: int = SMALLEST_VOLUME_GB, **order: Any) -> BoundVolume:
        """A volume in the offer's location, unless the order names a location or a server."""
        if "server" not in order:
            order = {"location": self.offer.location, **order}
        made = self.client.volumes.create(size, name or self.run.name("volume"), **self._labelled(order))
        self._keep(made.volume)
        for action in (made.action, *made.next_actions):
            if action is not None:
                action.wait_until_finished()
        made.volume.reload()
        return made.volume

    def firewall(self, *rules: FirewallRule, name: str = "", **order: Any) -> BoundFirewall:
        """A firewall with these rules."""
        order = self._labelled({"rules": list(rules), **order})
        made = self.client.firewalls.create(name or self.run.name("wall"), **order)
        self._keep(made.firewall)
        for action in made.actions or []:
            action.wait_until_finished()
        made.firewall.reload()
        return made.firewall

    def placement_group(self, name: str = "", **order: Any) -> BoundPlacementGroup:
        """An empty group. It costs nothing: what is the same for every kind of thing is tried on groups."""
        order = {"type": "spread", **order}
        made = self.client.placement_groups.create(name or self.run.name("group"), **self._labelled(order))
        return self._keep(made.placement_group)

    def primary_ip(self, name: str = "", kind: str = "ipv4", **order: Any) -> BoundPrimaryIP:
        """An address that stays when its server goes."""
        order = {"location": self.offer.location, "auto_delete": False, **order}
        made = self.client.primary_ips.create(kind, name or self.run.name("ip"), **self._labelled(order))
        self._keep(made.primary_ip)
        if made.action is not None:
            made.action.wait_until_finished()
        return made.primary_ip

    def ssh_key(self, public_key: str, name: str = "", **order: Any) -> BoundSSHKey:
        """A key of the project."""
        return self._keep(
            self.client.ssh_keys.create(name or self.run.name("key"), public_key, **self._labelled(order))
        )

    def _labelled(self, order: dict[str, Any]) -> dict[str, Any]:
        return order | {"labels": self.run.labels | order.get("labels", {})}

    def _keep(self, thing: T) -> T:
        self.to_remove(lambda: remove(thing))
        return thing
