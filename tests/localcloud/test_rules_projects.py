"""A token opens one Hetzner project; what lies in another one does not exist for it."""

from __future__ import annotations

from typing import Any

import hcloud
import httpx
import pytest
from hcloud import APIException
from hcloud.images import Image
from hcloud.locations import Location
from hcloud.server_types import ServerType

from tests.cloud import TOKEN, RunningCloud

HEL1 = Location(name="hel1")
OTHER, READER = "o" * 64, "r" * 64
TOKENS = [
    {"token": TOKEN},
    {"token": OTHER, "project": "other"},
    {"token": READER, "project": "other", "readOnly": True},
]
SNAPSHOT = {"labels": {"os": "theirs"}, "project": "other"}


@pytest.fixture
def projects(cloud: RunningCloud) -> RunningCloud:
    cloud.seed({"tokens": TOKENS, "snapshots": [SNAPSHOT]})
    return cloud


def _client(cloud: RunningCloud, token: str) -> hcloud.Client:
    return hcloud.Client(token, api_endpoint=cloud.hcloud_endpoint, poll_interval=0.01)


def _server(client: hcloud.Client, name: str = "one", **more: Any) -> Any:
    made = client.servers.create(name, ServerType(name="cx23"), Image(name="debian-12"), **more)
    made.action.wait_until_finished()
    for action in made.next_actions:
        action.wait_until_finished()
    return made.server


def test_names_are_unique_in_a_project_only(projects: RunningCloud) -> None:
    ours, theirs = (_server(_client(projects, token)) for token in (TOKEN, OTHER))
    assert ours.id != theirs.id
    assert ours.public_net.ipv4.ip != theirs.public_net.ipv4.ip
    with pytest.raises(APIException) as refused:
        _server(_client(projects, OTHER))
    assert refused.value.code == "uniqueness_error"


def test_what_lies_in_another_project_does_not_exist(projects: RunningCloud) -> None:
    ours = _client(projects, TOKEN)
    theirs = _client(projects, OTHER)
    server = _server(theirs)
    volume = theirs.volumes.create(10, "state", server=server).volume
    network = theirs.networks.create("net", ip_range="10.0.0.0/16")
    for read, key in (
        (ours.servers.get_by_id, server.id),
        (ours.volumes.get_by_id, volume.id),
        (ours.networks.get_by_id, network.id),
    ):
        with pytest.raises(APIException) as refused:
            read(key)
        assert refused.value.code == "not_found"
    with pytest.raises(APIException) as refused:
        _server(ours, "two", networks=[network])
    assert refused.value.code == "invalid_input"
    for kind in (ours.servers, ours.volumes, ours.networks, ours.primary_ips):
        assert kind.get_all() == []
    assert [one.status for one in theirs.servers.get_all()] == ["running"]


def test_every_kind_lies_in_its_project(projects: RunningCloud) -> None:
    ours, theirs = _client(projects, TOKEN), _client(projects, OTHER)
    for make in (
        lambda client: client.firewalls.create("wall").firewall,
        lambda client: client.placement_groups.create("group", "spread").placement_group,
        lambda client: client.ssh_keys.create("key", "ssh-ed25519 AAAA"),
        lambda client: client.primary_ips.create("ipv4", "ip", location=HEL1).primary_ip,
        lambda client: client.networks.create("net", ip_range="10.0.0.0/16"),
        lambda client: client.volumes.create(10, "state", location=HEL1).volume,
    ):
        assert make(ours).id != make(theirs).id
    for name in ("firewalls", "placement_groups", "ssh_keys", "primary_ips", "networks", "volumes"):
        lists = [getattr(client, name).get_all() for client in (ours, theirs)]
        assert [len(found) for found in lists] == [1, 1]
        with pytest.raises(APIException) as refused:
            getattr(ours, name).get_by_id(lists[1][0].id)
        assert refused.value.code == "not_found"


def test_an_action_is_seen_in_its_project_only(projects: RunningCloud) -> None:
    action = _client(projects, OTHER).volumes.create(10, "state", location=HEL1).action
    assert _client(projects, OTHER).actions.get_by_id(action.id).command == "create_volume"
    with pytest.raises(APIException) as refused:
        _client(projects, TOKEN).actions.get_by_id(action.id)
    assert refused.value.code == "not_found"


def test_snapshots_belong_to_a_project_and_system_images_to_all(projects: RunningCloud) -> None:
    images = {token: _client(projects, token).images.get_all() for token in (TOKEN, OTHER)}
    labels = {token: [each.labels.get("os") for each in found] for token, found in images.items()}
    assert (labels[TOKEN].count("theirs"), labels[OTHER].count("theirs")) == (0, 1)
    assert (labels[TOKEN].count("fcos"), labels[OTHER].count("fcos")) == (2, 0)
    assert all("debian-12" in [each.name for each in found] for found in images.values())


def test_a_project_has_its_own_rate_limit(projects: RunningCloud) -> None:
    projects.settings(rateLimit=2, rateRefillPerSecond=0.001)
    headers = {token: {"Authorization": f"Bearer {token}"} for token in (TOKEN, OTHER)}
    url = f"{projects.hcloud_endpoint}/servers"
    assert [httpx.get(url, headers=headers[TOKEN]).status_code for _ in range(3)] == [200, 200, 429]
    assert httpx.get(url, headers=headers[OTHER]).status_code == 200


def test_an_unknown_token_is_refused_once_one_is_named(cloud: RunningCloud) -> None:
    stranger = _client(cloud, "s" * 64)
    assert stranger.servers.get_all() == []
    cloud.seed({"tokens": TOKENS})
    with pytest.raises(APIException) as refused:
        stranger.servers.get_all()
    assert refused.value.code == "unauthorized"
    assert refused.value.message == "the token you have provided is invalid"


def test_a_token_for_reading_changes_nothing(projects: RunningCloud) -> None:
    server = _server(_client(projects, OTHER))
    reader = _client(projects, READER)
    assert reader.servers.get_by_id(server.id).name == "one"
    for change in (
        lambda: reader.servers.get_by_id(server.id).delete(),
        lambda: reader.servers.get_by_id(server.id).update(name="two"),
        lambda: reader.networks.create("net", ip_range="10.0.0.0/16"),
    ):
        with pytest.raises(APIException) as refused:
            change()
        assert refused.value.code == "token_readonly"


def test_events_and_user_data_tell_the_project(projects: RunningCloud) -> None:
    _server(_client(projects, OTHER), user_data="theirs")
    created = [event for event in projects.events() if event["event"] == "server.create"]
    assert [event["hetznerProject"] for event in created] == ["other"]
    url = f"{projects.base_url}/_control/user-data/one"
    assert httpx.get(url).status_code == 404
    assert httpx.get(url, params={"project": "other"}).text == "theirs"


def test_a_token_itself_is_not_kept(projects: RunningCloud) -> None:
    state = b"".join(path.read_bytes() for path in projects.folder.glob("cloud.sqlite*"))
    assert b"debian-12" in state
    assert not [token for token in (OTHER, READER) if token.encode() in state]
