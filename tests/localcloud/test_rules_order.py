"""What comes first: actions that wait for others, and what is held, shown or given back meanwhile."""

from __future__ import annotations

import hcloud
import httpx
from hcloud.images import BoundImage
from hcloud.locations import Location
from hcloud.networks import BoundNetwork
from hcloud.server_types import ServerType

from tests.cloud import RunningCloud
from tests.localcloud.conftest import MakeServer

API = "/hcloud/v1"


def test_a_next_action_begins_when_the_one_before_it_ends(
    cloud: RunningCloud, hetzner: hcloud.Client, image: BoundImage, network: BoundNetwork
) -> None:
    cloud.settings(actionSeconds=100)
    hel1 = Location(name="hel1")
    volume = hetzner.volumes.create(10, "state", location=hel1).volume
    cloud.advance(101)
    made = hetzner.servers.create(
        "one", ServerType(name="cx23"), image, location=hel1, networks=[network], volumes=[volume]
    )
    commands = [action.command for action in (made.action, *made.next_actions)]
    assert commands == ["create_server", "start_server", "attach_to_network", "attach_volume"]

    def shown() -> tuple[list[str], str, int, int | None]:
        actions = [hetzner.actions.get_by_id(one.id).status for one in (made.action, *made.next_actions)]
        server = hetzner.servers.get_by_id(made.server.id)
        holder = hetzner.volumes.get_by_id(volume.id).server
        return actions, server.status, len(server.private_net), holder and holder.id

    assert shown() == (["running"] * 4, "initializing", 0, None)
    cloud.advance(101)
    assert shown() == (["success", *["running"] * 3], "initializing", 0, None)
    cloud.advance(100)
    assert shown() == (["success"] * 4, "running", 1, made.server.id)


def test_nothing_internal_is_shown(
    cloud: RunningCloud, http: httpx.Client, make_server: MakeServer, network: BoundNetwork
) -> None:
    make_server("one").attach_to_network(network)
    cloud.create_volume("state", size_gb=10, labels={})
    http.post(f"{API}/firewalls", json={"name": "wall"})
    for kind in ("servers", "networks", "volumes", "firewalls", "primary_ips", "images"):
        for thing in http.get(f"{API}/{kind}").json()[kind]:
            assert not [key for key in thing if key.startswith("_")]


def test_a_server_that_is_being_deleted_says_so_and_takes_its_user_data_along(
    cloud: RunningCloud, hetzner: hcloud.Client, http: httpx.Client, make_server: MakeServer
) -> None:
    server = make_server("one", user_data="secret")
    cloud.settings(actionSeconds=100)
    server.delete()
    assert hetzner.servers.get_by_id(server.id).status == "deleting"
    assert http.get("/_control/user-data/one").text == "secret"
    cloud.advance(101)
    assert http.get("/_control/user-data/one").status_code == 404
    assert hetzner.primary_ips.get_all() == [], "its automatic addresses are gone, too"


def test_a_firewall_is_pending_until_the_server_is_made(cloud: RunningCloud, http: httpx.Client) -> None:
    wall = http.post(f"{API}/firewalls", json={"name": "wall"}).json()["firewall"]["id"]
    cloud.settings(actionSeconds=100)
    order = {"name": "one", "server_type": "cx23", "image": "debian-12", "firewalls": [{"firewall": wall}]}
    server = http.post(f"{API}/servers", json=order).json()["server"]
    assert server["public_net"]["firewalls"] == [{"id": wall, "status": "pending"}]
    cloud.advance(101)
    server = http.get(f"{API}/servers/{server['id']}").json()["server"]
    assert server["public_net"]["firewalls"] == [{"id": wall, "status": "applied"}]
