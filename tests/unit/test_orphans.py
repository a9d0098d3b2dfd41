"""What of a Hetzner project is listed as a cluster's, and its price: Hetzner's client on a local cloud."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

import pytest

from raya import account
from raya.orphans.leftovers import Leftover, find
from raya.orphans.wording import table
from tests import by_hand
from tests.cloud import TOKEN, RunningCloud, running_cloud

OURS = {"managed_by": "raya", "cluster": "prod"}
THEIRS = {"managed_by": "raya", "cluster": "prod-2"}


@pytest.fixture(scope="module")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningCloud]:
    with running_cloud(tmp_path_factory.mktemp("cloud")) as running:
        for name, labels in (("agent-0", OURS), ("theirs", THEIRS)):
            _server(running, name, labels)
        _address(running, "loose-ours", OURS)
        _address(running, "loose-theirs", THEIRS)
        _address(running, "kept-for-later", {})
        _loosened(running)
        running.create_volume("prod-state", size_gb=10, labels=OURS)
        yield running


def _server(cloud: RunningCloud, name: str, labels: Mapping[str, str]) -> dict[str, Any]:
    body = {
        "name": name,
        "server_type": "cx23",
        "image": "debian-12",
        "location": "hel1",
        "labels": dict(labels),
    }
    return dict(by_hand.hetzner(cloud, "POST", "servers", body)["server"])


def _address(cloud: RunningCloud, name: str, labels: Mapping[str, str], type_: str = "ipv4") -> None:
    body = {
        "name": name,
        "type": type_,
        "assignee_type": "server",
        "location": "hel1",
        "labels": dict(labels),
    }
    by_hand.hetzner(cloud, "POST", "primary_ips", body)


def _loosened(cloud: RunningCloud) -> None:
    """The address that a server was given, which stays when the server goes."""
    server = _server(cloud, "gone", {})
    ipv4 = server["public_net"]["ipv4"]["id"]
    by_hand.hetzner(cloud, "PUT", f"primary_ips/{ipv4}", {"auto_delete": False})
    by_hand.hetzner(cloud, "DELETE", f"servers/{server['id']}")


@pytest.fixture(scope="module")
def found(cloud: RunningCloud) -> list[Leftover]:
    client = account.client({"hcloud:endpoint": cloud.hcloud_endpoint}, token=TOKEN)
    return list(find(client, "prod"))


def test_addresses_of_the_clusters_machines_and_loose_ones_are_listed(
    cloud: RunningCloud, found: list[Leftover]
) -> None:
    server = by_hand.the(cloud, "servers", "agent-0")
    listed = [(each.kind, each.name.split()[0], each.used_by) for each in found if each.kind != "server"]
    used, ours, unlabelled, volume = listed
    assert used == ("address", f"primary_ip-{server['id']}-ipv4", server["id"])
    assert ours == ("address", "loose-ours", None)
    assert unlabelled[0] == "unlabelled IP"
    assert unlabelled[1].startswith("primary_ip-")
    assert volume == ("state volume", "prod-state", None)


def test_prices_are_those_of_the_price_list(cloud: RunningCloud, found: list[Leftover]) -> None:
    prices = cloud.pricing()
    (ipv4,) = [each["prices"] for each in prices["primary_ips"] if each["type"] == "ipv4"]
    (monthly,) = [each["price_monthly"] for each in ipv4 if each["location"] == "hel1"]
    addresses = [each for each in found if "primary_ip" in each.name or "loose" in each.name]
    assert len(addresses) == 3
    for each in addresses:
        assert each.price.net == round(Decimal(monthly["net"]), 2)
        assert each.price.gross == round(Decimal(monthly["gross"]), 2)
    assert {each.price.currency for each in found} == {prices["currency"]}


def test_the_sum_is_the_pages(found: list[Leftover]) -> None:
    """One machine with its address, two loose ones and ten gigabytes."""
    *_, summed, legend = table(found, "prod").splitlines()
    currency, net, gross = summed.removeprefix("sum in ").split()
    assert currency == "EUR"
    assert Decimal(net) == sum(each.price.net for each in found) == Decimal("5.43")
    assert Decimal(gross) == sum(each.price.gross for each in found)
    assert legend.startswith("unlabelled: ")


def test_what_a_machine_costs_has_its_address_in_it(cloud: RunningCloud, found: list[Leftover]) -> None:
    client = account.client({"hcloud:endpoint": cloud.hcloud_endpoint}, token=TOKEN)
    (server,) = client.servers.get_all(name="agent-0")
    price = account.PriceList.of(client).machine(server)
    of_it = [each.price for each in found if each.kind == "server" or each.used_by == server.id]
    assert price == account.total(of_it)
    assert str(price) == "3.99 EUR a month, 4.75 with VAT"


def test_an_empty_project() -> None:
    assert table([], "prod") == "The cluster prod has nothing in this Hetzner project that costs money."
