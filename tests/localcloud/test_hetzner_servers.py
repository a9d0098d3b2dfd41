"""Servers, as the vendor's client sees them."""

from __future__ import annotations

import hcloud
import httpx
import pytest
from hcloud import APIException
from hcloud.images import BoundImage, Image
from hcloud.locations import Location
from hcloud.networks import BoundNetwork
from hcloud.server_types import ServerType
from hcloud.servers import ServerCreatePublicNetwork

from tests.cloud import RunningCloud
from tests.localcloud.conftest import MakeServer


def test_create_runs_through_its_actions(hetzner: hcloud.Client, image: BoundImage) -> None:
    made = hetzner.servers.create(
        "agent-0", ServerType(name="cx23"), image=image, location=Location(name="hel1")
    )
    assert made.action.command == "create_server"
    assert made.action.status == "running"
    assert [action.command for action in made.next_actions] == ["start_server"]
    assert made.server.status == "initializing"
    assert made.root_password
    made.action.wait_until_finished()
    made.next_actions[0].wait_until_finished()
    server = hetzner.servers.get_by_id(made.server.id)
    assert server.status == "running"
    assert server.location.name == "hel1"
    assert server.server_type.name == "cx23"
    assert server.image.id == image.id
    assert server.locked is False


def test_progress_moves_and_ends_at_100(
    cloud: RunningCloud, hetzner: hcloud.Client, image: BoundImage
) -> None:
    cloud.settings(actionSeconds=100)
    made = hetzner.servers.create("slow", ServerType(name="cx23"), image=image)
    cloud.advance(50)
    assert 40 <= hetzner.actions.get_by_id(made.action.id).progress <= 60
    cloud.advance(50)
    ended = hetzner.actions.get_by_id(made.action.id)
    assert (ended.status, ended.progress) == ("success", 100)
    assert ended.finished is not None


def test_names_are_unique_hostnames(make_server: MakeServer) -> None:
    make_server("agent-0")
    with pytest.raises(APIException) as refused:
        make_server("agent-0")
    assert refused.value.code == "uniqueness_error"
    with pytest.raises(APIException) as refused:
        make_server("agent_0")
    assert refused.value.code == "invalid_input"
    assert refused.value.details["fields"][0]["name"] == "name"


def test_a_name_is_free_when_the_delete_action_ended(
    cloud: RunningCloud, hetzner: hcloud.Client, make_server: MakeServer
) -> None:
    server = make_server("agent-0")
    cloud.settings(actionSeconds=0.2)
    action = server.delete()
    with pytest.raises(APIException) as refused:
        make_server("agent-0")
    assert refused.value.code == "uniqueness_error"
    action.wait_until_finished()
    assert hetzner.servers.get_by_name("agent-0") is None
    make_server("agent-0")


def test_every_server_gets_a_new_address(make_server: MakeServer) -> None:
    seen = set()
    for _ in range(5):
        server = make_server("again")
        seen.add(server.public_net.ipv4.ip)
        server.delete().wait_until_finished()
    assert len(seen) == 5
    assert {address.rsplit(".", 1)[0] for address in seen} <= {"203.0.113", "198.51.100", "192.0.2"}


def test_ipv6_is_a_net_of_its_own(make_server: MakeServer) -> None:
    first, second = make_server("one"), make_server("two")
    assert first.public_net.ipv6.network != second.public_net.ipv6.network
    assert first.public_net.ipv6.ip.startswith("2001:db8:")
    assert first.public_net.ipv6.ip.endswith("::/64")


def test_user_data_limit_counts_bytes(make_server: MakeServer) -> None:
    make_server("fits", user_data="x" * 32768)
    for name, text in (("long", "x" * 32769), ("wide", "é" * 16385)):
        with pytest.raises(APIException) as refused:
            make_server(name, user_data=text)
        assert refused.value.code == "invalid_input"
        assert refused.value.details["fields"][0]["name"] == "user_data"


def test_labels_follow_the_grammar(make_server: MakeServer) -> None:
    assert (
        make_server("ok", labels={"k3s_version": "v1.36.3-k3s1", "example.org/a": ""}).labels["example.org/a"]
        == ""
    )
    for labels in ({"version": "v1+k3s1"}, {"-x": "y"}, {"a": "b" * 64}, {"hetzner.cloud/x": "y"}):
        with pytest.raises(APIException) as refused:
            make_server("bad", labels=labels)
        assert refused.value.code == "invalid_input"


@pytest.mark.parametrize(
    ("server_type", "location", "code"),
    [
        ("cx23", "ash", "invalid_input"),  # not offered there
        ("cx22", "hel1", "invalid_input"),  # deprecated everywhere
        ("cpx11", "fsn1", "invalid_input"),  # deprecated there
        ("cpx11", "ash", None),
        ("cx99", "hel1", "invalid_input"),
        ("cx23", "mars1", "invalid_input"),
    ],
)
def test_types_are_offered_by_location(
    make_server: MakeServer, server_type: str, location: str, code: str | None
) -> None:
    if code is None:
        assert make_server("one", server_type, location).location.name == location
        return
    with pytest.raises(APIException) as refused:
        make_server("one", server_type, location)
    assert refused.value.code == code


def test_sold_out_type_is_unavailable_and_shows_it(
    cloud: RunningCloud, hetzner: hcloud.Client, make_server: MakeServer
) -> None:
    cloud.settings(soldOut=["cx23@hel1"])
    with pytest.raises(APIException) as refused:
        make_server("one")
    assert refused.value.code == "resource_unavailable"
    offers = {offer["name"]: offer["available"] for offer in cloud.hetzner("server_types")[1]["locations"]}
    assert offers == {"fsn1": True, "nbg1": True, "hel1": False}
    make_server("one", location="fsn1")


def test_image_must_exist_and_fit(hetzner: hcloud.Client, make_server: MakeServer, image: BoundImage) -> None:
    for server_type, wanted in (("cax11", image), ("cx23", Image(id=1)), ("cx23", Image(name="debian-1"))):
        with pytest.raises(APIException) as refused:
            make_server("one", server_type, image=wanted)
        assert refused.value.code == "invalid_input"
    assert make_server("arm", "cax11", image=Image(name="debian-12")).image.architecture == "arm"


def test_server_limit(cloud: RunningCloud, make_server: MakeServer) -> None:
    cloud.settings(serverLimit=1)
    make_server("one")
    with pytest.raises(APIException) as refused:
        make_server("two")
    assert refused.value.code == "resource_limit_exceeded"


def test_shutdown_asks_the_guest_and_the_server_is_off_later(
    cloud: RunningCloud, hetzner: hcloud.Client, make_server: MakeServer
) -> None:
    server = make_server("agent-0")
    cloud.settings(shutdownSeconds=60)
    server.shutdown().wait_until_finished()
    assert hetzner.servers.get_by_id(server.id).status == "stopping"
    cloud.advance(61)
    assert hetzner.servers.get_by_id(server.id).status == "off"
    server.power_on().wait_until_finished()
    assert hetzner.servers.get_by_id(server.id).status == "running"


def test_a_busy_server_is_locked(cloud: RunningCloud, make_server: MakeServer) -> None:
    server = make_server("agent-0")
    cloud.settings(actionSeconds=10)
    server.power_off()
    for again in (server.power_on, server.delete, server.shutdown):
        with pytest.raises(APIException) as refused:
            again()
        assert refused.value.code == "locked"
    server.reload()
    assert server.locked is True


def test_protected_server_is_not_deleted(make_server: MakeServer) -> None:
    server = make_server("agent-0")
    server.change_protection(delete=True, rebuild=True).wait_until_finished()
    with pytest.raises(APIException) as refused:
        server.delete()
    assert refused.value.code == "protected"
    server.change_protection(delete=False, rebuild=False).wait_until_finished()
    server.delete().wait_until_finished()


def test_delete_frees_all_that_the_server_held(
    cloud: RunningCloud, hetzner: hcloud.Client, make_server: MakeServer, network: BoundNetwork
) -> None:
    server = make_server("agent-0")
    server.attach_to_network(network, ip="10.0.1.20").wait_until_finished()
    volume = hetzner.volumes.create(10, "state", location=Location(name="hel1"))
    volume.action.wait_until_finished()
    volume.volume.attach(server).wait_until_finished()
    server.delete().wait_until_finished()
    assert hetzner.volumes.get_by_id(volume.volume.id).server is None
    assert hetzner.networks.get_by_id(network.id).servers == []
    assert hetzner.primary_ips.get_all() == []
    with pytest.raises(APIException) as gone:
        hetzner.servers.get_by_id(server.id)
    assert gone.value.code == "not_found"
    texts = [event["text"] for event in cloud.events()]
    assert texts[-4:] == [
        "server.delete agent-0",
        "volume.detach state <- agent-0 (running)",
        "network.detach agent-0 <- net (running)",
        "server.gone agent-0",
    ]


def test_rename_and_relabel(hetzner: hcloud.Client, make_server: MakeServer) -> None:
    make_server("taken")
    server = make_server("one", labels={"a": "b"})
    assert server.update(name="two").labels == {"a": "b"}
    with pytest.raises(APIException) as refused:
        server.update(name="taken")
    assert refused.value.code == "uniqueness_error"
    # A refused update changes nothing, not even the part of it that was fine.
    with pytest.raises(APIException):
        server.update(name="three", labels={"+": "+"})
    assert hetzner.servers.get_by_id(server.id).name == "two"


def test_type_changes_only_when_off(hetzner: hcloud.Client, make_server: MakeServer) -> None:
    server = make_server("one")
    with pytest.raises(APIException) as refused:
        server.change_type(ServerType(name="cx33"), upgrade_disk=False)
    assert refused.value.code == "server_not_stopped"
    server.power_off().wait_until_finished()
    server.change_type(ServerType(name="cx33"), upgrade_disk=False).wait_until_finished()
    server.reload()
    assert (server.server_type.name, server.primary_disk_size) == ("cx33", 40)


def test_a_server_without_any_net_is_refused(make_server: MakeServer, network: BoundNetwork) -> None:
    alone = ServerCreatePublicNetwork(enable_ipv4=False, enable_ipv6=False)
    with pytest.raises(APIException) as refused:
        make_server("one", public_net=alone)
    assert refused.value.code == "invalid_input"
    server = make_server("two", public_net=alone, networks=[network])
    assert server.public_net.ipv4 is None
    assert [net.ip for net in server.private_net] == ["10.0.1.1"]


@pytest.mark.parametrize("field", ["name", "server_type", "image"])
def test_required_fields(http: httpx.Client, image: BoundImage, field: str) -> None:
    body = {"name": "one", "server_type": "cx23", "image": image.id}
    del body[field]
    answer = http.post("/hcloud/v1/servers", json=body)
    assert answer.status_code == 422
    assert answer.json()["error"]["code"] == "invalid_input"


def test_ids_may_be_texts(http: httpx.Client, image: BoundImage) -> None:
    body = {"name": "one", "server_type": "cx23", "image": str(image.id), "location": "hel1"}
    assert http.post("/hcloud/v1/servers", json=body).status_code == 201
