"""One server process for the whole folder, reset before each test, and the vendors' own clients for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import hcloud
import httpx
import pytest
from hcloud.images import BoundImage
from hcloud.locations import Location
from hcloud.networks import BoundNetwork, NetworkSubnet
from hcloud.server_types import ServerType
from hcloud.servers import BoundServer

from tests.cloud import TOKEN, RunningCloud, running_cloud
from tests.discovery import Google

SEED = {
    "projects": ["raya-local"],
    "zones": [{"project": "raya-local", "name": "example-org", "dnsName": "example.org."}],
    "users": {"alice": None},
    "snapshots": [
        {"labels": {"os": "fcos"}, "architecture": "x86"},
        {"labels": {"os": "fcos"}, "architecture": "arm"},
    ],
}


@pytest.fixture(scope="session")
def shared_cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningCloud]:
    with running_cloud(tmp_path_factory.mktemp("localcloud"), seed=SEED) as running:
        yield running


@pytest.fixture
def cloud(shared_cloud: RunningCloud) -> RunningCloud:
    shared_cloud.reset()
    return shared_cloud


@pytest.fixture
def http(cloud: RunningCloud) -> Iterator[httpx.Client]:
    """For what no client sends."""
    headers = {"Authorization": f"Bearer {TOKEN}"}
    with httpx.Client(base_url=cloud.base_url, headers=headers) as client:
        yield client


@pytest.fixture
def hetzner(cloud: RunningCloud) -> hcloud.Client:
    return hcloud.Client(TOKEN, api_endpoint=cloud.hcloud_endpoint, poll_interval=0.01)


@pytest.fixture
def google(cloud: RunningCloud) -> Iterator[Google]:
    with Google(cloud.google_endpoint) as clients:
        yield clients


@pytest.fixture
def image(hetzner: hcloud.Client) -> BoundImage:
    return hetzner.images.get_all(label_selector="os=fcos", architecture=["x86"])[0]


class MakeServer(Protocol):
    """`make_server("agent-0", location="fsn1")`: the running server."""

    def __call__(
        self, name: str, server_type: str = "cx23", location: str = "hel1", **more: Any
    ) -> BoundServer: ...


@pytest.fixture
def make_server(hetzner: hcloud.Client, image: BoundImage) -> MakeServer:
    def make(name: str, server_type: str = "cx23", location: str = "hel1", **more: Any) -> BoundServer:
        order = {"image": image} | more
        made = hetzner.servers.create(
            name, ServerType(name=server_type), location=Location(name=location), **order
        )
        made.action.wait_until_finished()
        for action in made.next_actions:
            action.wait_until_finished()
        return hetzner.servers.get_by_id(made.server.id)

    return make


@pytest.fixture
def network(hetzner: hcloud.Client) -> BoundNetwork:
    """10.0.0.0/16 with the subnet 10.0.1.0/24 in eu-central."""
    made = hetzner.networks.create("net", ip_range="10.0.0.0/16")
    subnet = NetworkSubnet(type="cloud", ip_range="10.0.1.0/24", network_zone="eu-central")
    made.add_subnet(subnet).wait_until_finished()
    made.reload()
    return made
